"""How well do tests keep their level, intervals cover, and estimators hit the truth? Simulations, and one page.

    python -m tests.calibration                                    # all studies of the table
    python -m tests.calibration d_rank ranks --quick               # two parts, a tenth of the repetitions
    python -m tests.calibration --new --journal new.jsonl --write  # what the table lacks, into it and onto the page
    python -m tests.calibration grid --journal grid.jsonl --minutes 60 --write
    python -m tests.calibration --page                             # the page of the documentation and its files

With a journal a second run goes on where the first one ended. Seeds are fixed, and no number depends on the jobs.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.calibration.grid.bounds import found_in, read_grid, write_grid
from tests.calibration.grid.trials import Question, questions
from tests.calibration.page import write_page
from tests.calibration.parts import every_study
from tests.calibration.rows import Found
from tests.calibration.studies import Study, by_part, run, scaled
from tests.calibration.table import lacking, merged, read, shown, write

QUICK = 0.1  # of the repetitions
GRID = "grid"


def main() -> None:
    studies = list(every_study())
    parts = by_part(studies)
    options = arguments(list(parts))
    end = time.monotonic() + 60 * options.minutes
    how = {"n_jobs": options.jobs, "journal": options.journal, "end": end}
    if options.page:
        write_page(read(), read_grid())
        return
    if GRID in options.parts:
        asked = [question for question in questions() if options.only in question.name]
        found = found_in(run(asked, partial(repetitions, options), **how))
        if options.write:
            write_grid(found)
    wanted = [study for part in options.parts or parts if part != GRID for study in parts[part]]
    rows = list(computed(lacking(wanted, read()) if options.new else wanted, options, how))
    if options.write:
        write(merged(studies, read(), rows))
        write_page(read(), read_grid())


def arguments(parts: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"{GRID}; or of the table, by default all: {', '.join(parts)}")
    parser.add_argument("--new", action="store_true", help="only studies of which the table lacks a row")
    parser.add_argument("--only", default="", help="studies or cells whose name holds this, such as 'equal / 10 x 50'")
    parser.add_argument("--repetitions", type=int, help="of each study")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:g} of the repetitions")
    parser.add_argument("--minutes", type=float, default=math.inf, help="when to stop; all advance together until then")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--journal", type=Path, help="JSON lines of all values: what is in it is not computed again")
    parser.add_argument("--write", action="store_true", help="into table.json, grid.json and the page")
    parser.add_argument("--page", action="store_true", help="the page of those files, without a run")
    options = parser.parse_args()
    unknown = set(options.parts) - {*parts, GRID}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


def repetitions(options: argparse.Namespace, study: Study | Question) -> int:
    return options.repetitions or scaled(study, QUICK if options.quick else 1.0)


def computed(studies: Sequence[Study], options: argparse.Namespace, how: dict[str, Any]) -> Iterator[Found]:
    """Every row, printed as soon as it is there."""
    wanted = [study for study in studies if options.only in study.name]
    n_rows = sum(len(study.rows) for study in every_study())
    for study, values in run(wanted, partial(repetitions, options), **how):
        for row in study.found(values, n_rows) if values else ():
            print(shown(row), flush=True)
            yield row


if __name__ == "__main__":
    sys.exit(main())
