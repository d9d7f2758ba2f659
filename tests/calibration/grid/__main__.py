"""The grid: every default against its bounds, in many cells. It can be stopped and started again.

    python -m tests.calibration.grid --journal grid.jsonl --minutes 60         # goes on where the last run ended
    python -m tests.calibration.grid --journal grid.jsonl --only "RR, adjacent" --last 100
    python -m tests.calibration.grid --journal grid.jsonl --last 0 --json tests/calibration/grid/grid.json
    python -m tests.calibration.grid --json tests/calibration/grid/grid.json --rst pt_rankcorr/pt_docs/calibration.rst

All cells advance together, so that a run which ends early has some repetitions of each.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.calibration.grid.bounds import found_in, read_json, write_json
from tests.calibration.grid.cells import cells
from tests.calibration.grid.page import write_page
from tests.calibration.grid.running import BATCH, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["tests", "estimates"], help="tests, estimates; by default both")
    parser.add_argument("--journal", type=Path, nargs="+", default=[], help="JSON lines; the first is written to")
    parser.add_argument("--json", type=Path, help="where to write the figures, or to read them from without a journal")
    parser.add_argument("--rst", type=Path, help="the page that is to show them")
    parser.add_argument("--only", default="", help="cells whose name holds this, such as 'adjacent, 10 x 50'")
    parser.add_argument("--first", type=int, default=0, help="repetition, so that several runs share the work")
    parser.add_argument("--last", type=int, default=1000, help="repetition, which is left out")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="when to stop")
    options = parser.parse_args()
    if options.journal:
        compute(options)
        found = found_in(options.journal)
        if options.json:
            write_json(options.json, found)
    if options.rst:
        write_page(options.rst, read_json(options.json))


def compute(options: argparse.Namespace) -> None:
    wanted = [cell for cell in cells() if options.only in cell.name]
    for cell in wanted:
        if cell.missing:
            print(f"skipped: {cell.name} needs {cell.missing[0]}", flush=True)
    asked, end = range(options.first, options.last, BATCH), time.monotonic() + 60 * options.minutes
    run(options.parts, [cell for cell in wanted if not cell.missing], options.journal[0], asked, end)


if __name__ == "__main__":
    sys.exit(main())
