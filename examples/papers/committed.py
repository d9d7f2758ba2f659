"""Makes the committed results anew, and the page: python examples/papers/committed.py --data FOLDER_OF_SCORE_TABLES

The folder holds the tables of TREC runs that the README of each paper names, such as adhoc5_ap.csv. The study of
Urbano and Marrero has 1000 trials a cell and takes many hours of one core: it runs only where it is named.
"""

from __future__ import annotations

import importlib
from argparse import ArgumentParser
from pathlib import Path

import page

STOCHASTIC = (
    'that Urbano and Nagler published with "Stochastic simulation of test collections" (SIGIR 2018), under CC BY-SA 4.0'
)
TESTING = (
    'that Urbano, Lima and Hanjalic published with "Statistical significance testing in information retrieval" '
    "(SIGIR 2019), under CC BY-SA 4.0"
)
TABLES = {
    "yilmaz2008": (),
    "gao2015": ("adhoc5_ap",),
    "carterette2009": ("robust2004_ap", "robust2004_p10"),
    "sakai2006": ("web2012_ap", "web2012_p10", "web2012_p20", "web2012_rr", "web2012_err20", "web2012_ndcg20"),
    "urbano2016": ("adhoc6_ap", "adhoc7_ap"),
}
NOTES = {
    "gao2015": f"The table is that of the TREC-5 ad hoc track {TESTING}: the runs of the paper.",
    "carterette2009": f"The tables are those of the TREC 2004 Robust track {STOCHASTIC}: the runs of the paper.",
    "sakai2006": f"The tables are those of the TREC 2012 Web track {STOCHASTIC}.",
    "urbano2016": f"The tables are those of TREC-6 and TREC-7 {TESTING}; the paper has TREC-8, too.",
}
LONG = "urbano2016"


def command_of(name: str, data: Path | None, output: Path) -> list[str]:
    """The arguments of a script for the committed results; without a folder of tables those of the demonstration."""
    command = ["--output", str(output)]
    if data is not None and TABLES[name]:
        command += ["--data", *(str(data / f"{table}.csv") for table in TABLES[name]), "--note", NOTES[name]]
        command += ["--printed"] if name == "gao2015" else []
    return command


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of score tables")
    parser.add_argument("names", nargs="*", default=[name for name in TABLES if name != LONG], metavar="PAPER")
    parser.add_argument("--published", help="the paper's own values, as urbano2016.py takes them")
    options = parser.parse_args()
    for name in options.names:
        command = command_of(name, options.data, page.FOLDER / name)
        if name == LONG:
            command += ["--trials", "1000", "--halves", "1000"]
            command += ["--published", options.published] if options.published else []
        importlib.import_module(name).main(command)
    page.PAGE.write_text(page.page(), encoding="utf-8")


if __name__ == "__main__":
    main()
