"""Hostile input for every target: python -m tests.fuzz [--target NAME ...] [--cases N] [--seconds S] [--seed N]."""

from __future__ import annotations

import argparse
import sys

from tests.fuzz.contract import shortened
from tests.fuzz.engines import Tally, at_random
from tests.fuzz.registry import targets

COLUMNS = ("cases", "values", "refusals", "warnings", "seconds", "failures")


def main() -> int:
    """Runs the targets and prints a table of them; 1 if any of them failed."""
    known = targets()
    options = _options(list(known))
    chosen = [known[name] for name in options.target or known]
    width = max(len(target.name) for target in chosen)
    print("target".ljust(width), *(column.rjust(9) for column in COLUMNS), flush=True)
    failed = False
    for target in chosen:
        tally = at_random(target, options.cases, options.seconds, options.seed)
        print(target.name.ljust(width), *(cell.rjust(9) for cell in _cells(tally)), flush=True)
        if tally.failure is not None:
            case, error = tally.failure
            print(f"    {type(error).__name__}: {shortened(str(error))}\n    smallest case: {case!r}", flush=True)
            failed = True
    return int(failed)


def _cells(tally: Tally) -> list[str]:
    counts = [tally.cases, tally.values, tally.refusals, tally.warnings]
    return [*map(str, counts), f"{tally.seconds:.1f}", str(int(tally.failure is not None))]


def _options(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Hostile input for every target.")
    parser.add_argument("--target", choices=names, nargs="+", metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--cases", type=int, default=50_000, help="of each target (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most, for each target")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
