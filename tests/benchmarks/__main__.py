"""The benchmarks: `python -m tests.benchmarks [PART ...] [--quick] [--list]`.

Ours is timed in turn with the plain definition and with what else there is, in one run, so that what counts are ratios;
each alternative's values are compared with ours. The part `growth` measures time and memory for growing input.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import sys
import time
import warnings
from collections.abc import Sequence
from importlib import import_module

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from tests.benchmarks import growth
from tests.benchmarks.contests import Contests, table
from tests.benchmarks.workload import FULL, QUICK, Workload, workload

PARTS = {
    "coefficients": "tau, tau_AP, tau_GAP and others against scipy, tau_ap, trectools and loops",
    "significance": "tests of two systems and of all pairs, stability and swap rates against scipy and loops",
    "accuracy": "errors of correlations, ranks and predictions, expected correlations, against scipy and loops",
    "rank_distance": "the nulls of d_rank, and comparisons of measures, against algorithm 2 as it stands; two workers",
    "runs": "reading, evaluating and comparing runs, and experiments, against ir_measures and the host's own",
    "growth": "time and peak memory of every public statistic as its input grows",
}
*CONTESTS, GROWTH = PARTS


def contests(part: str, load: Workload) -> Contests:
    """The contests of a part, one after the other: some make files that are there only while they are held."""
    for contest in import_module(f"tests.benchmarks.{part}").contests(load):
        progress(f"{part}: {contest.subject}, {contest.rival}")
        yield contest


def progress(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.partition("\n\n")[2])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes: a minute or two for everything")
    parser.add_argument("--list", action="store_true", help="say what the parts are, and end")
    options = parser.parse_args(given)
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)} (there are {', '.join(PARTS)})")
    options.parts = options.parts or list(PARTS)
    return options


def main(given: Sequence[str] | None = None) -> int:
    options = arguments(given)
    if options.list:
        print(*(f"{name:<14} {what}" for name, what in PARTS.items()), sep="\n")
        return 0
    as_claimed = True
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sizes are no good for conclusions
        load = workload(QUICK if options.quick else FULL)
        machine = (
            f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        print(f"{machine}, numpy {np.__version__}, scipy {scipy.__version__}, one thread.")
        print(f"Scores: {load.source}. CPU time unless it says wall clock.", flush=True)
        for part in options.parts:
            if part == GROWTH:
                limit, most = (1.0, 1000) if options.quick else (3.0, math.inf)
                lines = ((True, line) for line in growth.lines(growth.curves(limit, progress, most=most), limit))
            else:
                lines = table(part, contests(part, load), budget=0.2 if options.quick else 1.0)
            for holds, line in lines:
                print(line, flush=True)
                as_claimed &= holds
    if not as_claimed:
        print("\nSome values are NOT AS CLAIMED: see above.")
    return 0 if as_claimed else 1


if __name__ == "__main__":
    raise SystemExit(main())
