"""How well do tests keep their level, intervals cover, and estimators hit the truth? Simulations, and one table.

    python -m tests.calibration                          # all of it
    python -m tests.calibration d_rank ranks --quick     # two parts, a tenth of the repetitions
    python -m tests.calibration --journal calibration.jsonl --json tests/calibration/table.json \\
        --rst pt_rankcorr/pt_docs/calibration.rst        # the table of the documentation
    python -m tests.calibration --rst pt_rankcorr/pt_docs/calibration.rst --from tests/calibration/table.json

With a journal a second run goes on where the first one ended. Seeds are fixed, and no number depends on the jobs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.calibration.parts import every_study
from tests.calibration.rows import Found
from tests.calibration.studies import Study, by_part, run, scaled
from tests.calibration.table import read, shown, write_json, write_page

QUICK = 0.1  # of the repetitions


def main() -> None:
    parts = by_part(every_study())
    options = arguments(list(parts))
    if options.read:
        found = read(options.read)
    else:
        studies = [study for part in options.parts or parts for study in parts[part]]
        found = list(computed(studies, options))
    if options.json:
        write_json(options.json, found)
    if options.rst:
        write_page(options.rst, found)


def arguments(parts: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"by default all: {', '.join(parts)}")
    parser.add_argument("--only", default="", help="studies whose name holds this, such as 'equal / 10 x 50'")
    parser.add_argument("--repetitions", type=int, help="of each study")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:g} of the repetitions")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--journal", type=Path, help="JSON lines of all values: what is in it is not computed again")
    parser.add_argument("--json", type=Path, help="where to write the table as JSON")
    parser.add_argument("--rst", type=Path, help="the page whose generated part is to be written")
    parser.add_argument("--from", dest="read", type=Path, help="a table that --json wrote, instead of a run")
    options = parser.parse_args()
    unknown = set(options.parts) - set(parts)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


def computed(studies: Sequence[Study], options: argparse.Namespace) -> Iterator[Found]:
    """Every row, printed as soon as it is there."""
    wanted = [study for study in studies if options.only in study.name]
    n_rows = sum(len(study.rows) for study in every_study())

    def repetitions(study: Study) -> int:
        return options.repetitions or scaled(study, QUICK if options.quick else 1.0)

    for study, values in run(wanted, repetitions, n_jobs=options.jobs, journal=options.journal):
        for row in study.found(values, n_rows):
            print(shown(row), flush=True)
            yield row


if __name__ == "__main__":
    sys.exit(main())
