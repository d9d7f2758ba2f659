"""How well do tests keep their level, intervals cover, and estimators hit the truth? Simulations, and one page.

    python -m tests.calibration                                    # all studies, printed row by row
    python -m tests.calibration d_rank ranks --share 0.1           # two parts, a tenth of the repetitions
    python -m tests.calibration --new --write                      # what the table lacks, into it and onto the page
    python -m tests.calibration grid --only "equal, 10 x 50" --write

The table is written after each study, so that a run that is stopped loses one. Seeds are fixed. Run several parts at
once to use several processors.
"""

import argparse

from tests.calibration import grid, table
from tests.calibration.parts import every_study
from tests.calibration.populations import collection_name

GRID = "grid"


def main():
    studies = list(every_study())
    parts = list(dict.fromkeys(study.part for study in studies))
    options = arguments(parts)
    if GRID in options.parts:
        for cell in grid.cells():
            if options.only in cell.name and cell.has_data:
                repetitions = options.repetitions or max(3, round(options.share * cell.repetitions))
                figures = grid.figures_of(cell, repetitions)
                print(cell.name, *(f"{key[0]}: {key[1]}: {of_cell}" for key, of_cell in figures.items()), sep="\n  ")
                if options.write:
                    grid.write_figures(figures)
    done = {result.name for result in table.read()} if options.new else set()
    for study in [] if options.page else studies:
        named = study.part in options.parts or not options.parts
        if not (named and options.only in study.name) or (options.new and done.issuperset(study.names)):
            continue
        results = study.run(options.repetitions or max(3, round(options.share * study.repetitions)))
        for result in results:
            bounds = f"{result.found:7.4f} [{result.low:7.4f}, {result.high:7.4f}] {result.repetitions:5d}"
            print(f"{result.name:<130} {result.nominal:5.2f} {bounds} {result.verdict}", flush=True)
        if options.write:
            table.write(studies, results)
    if options.write or options.page:
        results = table.read()
        table.write_csv(table.FOLDER / "deviations.csv", table.deviations(results))
        table.write_page(
            {
                "grid": grid.in_short(grid.read_figures()),
                "one true ranking": table.of_one_true_ranking(results),
                "table": table.in_short(results),
            }
        )


def arguments(parts):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"{GRID}; or of the table, by default all: {', '.join(parts)}")
    parser.add_argument("--new", action="store_true", help="only studies of which the table lacks a row")
    parser.add_argument("--only", default="", help="studies or cells whose name holds this, such as 'equal / 10 x 50'")
    parser.add_argument("--repetitions", type=int, help="of each study")
    parser.add_argument("--share", type=float, default=1.0, help="of the repetitions of a full run")
    parser.add_argument("--write", action="store_true", help="into the tables of docs/calibration and onto the page")
    parser.add_argument("--page", action="store_true", help="the page of those tables, without a run")
    options = parser.parse_args()
    if unknown := set(options.parts) - {*parts, GRID}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if options.write and collection_name() == "demo":
        parser.error("the tables are of TREC data: set PT_RANKCORR_DATA")
    return options


if __name__ == "__main__":
    main()
