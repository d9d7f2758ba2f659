"""The benchmarks: `python -m tests.benchmarks [PART ...] [--quick] [--list]`.

Ours is timed in turn with the plain definition and with what else there is, in one run, so that what counts are ratios;
each alternative's values are compared with ours. The part `growth` measures time and memory for growing input.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TypeVar

from threadpoolctl import threadpool_limits

from tests.benchmarks import growth, printing
from tests.benchmarks.contests import Entries, Row, Skipped, hold
from tests.benchmarks.machine import describe
from tests.benchmarks.workload import FULL, QUICK, Workload, workload

PARTS = {
    "coefficients": "tau, tau_AP, tau_GAP and others against scipy, tau_ap, trectools and loops",
    "documents": "agreement of runs on documents against pandas with scipy or tau_ap",
    "hypothesis": "tests of two systems and of all pairs against scipy and loops",
    "accuracy": "errors of correlations and intervals of ranks against scipy",
    "sensitivity": "discriminative power, stability and swap rates against loops",
    "rank_distance": "the nulls of d_rank against algorithm 2 as it stands; two workers; far and near rankings",
    "comparisons": "measures against measures, and the report, against one statistic after the other",
    "expected": "expected correlations against their definitions",
    "leaderboards": "many judges and coefficients against one after the other",
    "adapters": "reading and evaluating runs against ir_measures and trectools",
    "experiment": "Experiment against the host's own",
}
GROWTH = "growth"
T = TypeVar("T")


def entries(part: str, load: Workload) -> Entries:
    """The contests of a part, one after the other: some make files that are there only while they are held."""
    yield from import_module(f"tests.benchmarks.{part}").contests(load)


def compare(part: str, load: Workload, budget: float) -> bool:
    """Prints the rows of a part; whether all values are what they are claimed to be."""
    rows: list[Row | Skipped] = []
    for line in printing.table(part, noted(rows, rows_of(part, load, budget))):
        print(line, flush=True)
    return all(isinstance(row, Skipped) or row.holds for row in rows)


def rows_of(part: str, load: Workload, budget: float) -> Iterator[Row | Skipped]:
    for entry in entries(part, load):
        progress(f"{part}: {entry.subject}, {entry.rival}")
        yield entry if isinstance(entry, Skipped) else hold(entry, budget)


def noted(notes: list[T], items: Iterable[T]) -> Iterator[T]:
    """The items as they come, and in the notes for later."""
    for item in items:
        notes.append(item)
        yield item


def grow(*, quick: bool) -> None:
    limit = 1.0 if quick else 3.0
    print(f"\n{GROWTH}")
    for line in growth.lines(growth.curves(limit, progress, most=1000 if quick else math.inf), limit):
        print(line, flush=True)


def progress(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.partition("\n\n")[2])
    names = [*PARTS, GROWTH]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(names)}; all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes: a minute or two for everything")
    parser.add_argument("--list", action="store_true", help="say what the parts are, and end")
    options = parser.parse_args(given)
    unknown = sorted(set(options.parts) - set(names))
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)} (there are {', '.join(names)})")
    options.parts = options.parts or names
    return options


def main(given: Sequence[str] | None = None) -> int:
    options = arguments(given)
    if options.list:
        print(*(f"{name:<14} {what}" for name, what in PARTS.items()), sep="\n")
        print(f"{GROWTH:<14} time and peak memory of every public statistic as its input grows")
        return 0
    as_claimed = True
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sizes are no good for conclusions
        load = workload(QUICK if options.quick else FULL)
        print(describe(), f"Scores: {load.source}. CPU time unless it says wall clock.", sep="\n", flush=True)
        for part in options.parts:
            if part == GROWTH:
                grow(quick=options.quick)
            else:
                as_claimed &= compare(part, load, budget=0.2 if options.quick else 1.0)
    if not as_claimed:
        print("\nSome values are NOT AS CLAIMED: see above.")
    return 0 if as_claimed else 1


if __name__ == "__main__":
    raise SystemExit(main())
