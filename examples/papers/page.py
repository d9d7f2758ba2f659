"""Makes the page "The five papers, reproduced" of the documentation from the committed results.

python examples/papers/page.py
"""

from __future__ import annotations

import csv
import re
from argparse import ArgumentParser
from pathlib import Path

FOLDER = Path(__file__).parent / "results"
ITEMS = Path(__file__).parent / "items.csv"
PAGE = Path(__file__).parents[2] / "pt_rankcorr" / "pt_docs" / "papers.rst"
DEMO = "the demonstration's synthetic collection"
PAPERS = {
    "yilmaz2008": ("tau_ap", DEMO),
    "gao2015": ("tau_gap", "TREC-5 ad hoc, the paper's runs [1]"),
    "carterette2009": ("d_rank", f"TREC 2004 Robust, the paper's runs [2]; {DEMO}"),
    "sakai2006": ("bootstrap", f"TREC 2012 Web [2]; {DEMO}"),
    "urbano2016": ("expected_correlation", "TREC-6 and TREC-7 [1]; the paper has TREC-8, too"),
}
INTRODUCTION = """
The scripts in ``examples/papers`` make every table and figure of the five papers, one script a paper. Each takes your
own runs or score tables, and writes a folder of tables, pictures and a README:

.. code-block:: console

   $ python examples/papers/gao2015.py
   $ python examples/papers/urbano2016.py --data adhoc6_ap.csv adhoc7_ap.csv

Numbers beside those of a paper are of the paper's own method. Where this package's default stands beside it, its column
or row says so. The tables below say how many claims of each paper hold on our data, and which do not. That does not
make a paper wrong: most of its own data were not at hand. ``claims.csv`` in each folder of ``examples/papers/results``
has every claim beside our numbers; ``examples/papers/committed.py`` makes these folders anew. The scores of TREC runs
are those that Urbano, Lima and Hanjalic (SIGIR 2019) [1], and Urbano and Nagler (SIGIR 2018) [2] published under CC
BY-SA 4.0.
"""

NOTE = """
The paper of :doc:`bootstrap` has another nDCG than ir_measures: here it is ``measures.JKnDCG``, with a cut-off of 100.
"""


OF_ITEMS = """
Names such as ``gao2015.theorems`` are functions of the scripts. "Other data": the paper's are not to be had, and the
script takes yours; the committed results are of the data that are named above. "None needed": a definition, or a
method for any data.
"""


def page(folder: Path = FOLDER) -> str:
    """The text of the page, from the claims in the folders of results."""
    claims = {name: read(folder / name / "claims.csv") for name in PAPERS if (folder / name).exists()}
    overview = [
        [
            f":doc:`{PAPERS[name][0]}`",
            f"{sum(row['agrees'] == 'yes' for row in rows)} of {len(rows)}",
            PAPERS[name][1],
        ]
        for name, rows in claims.items()
    ]
    parts = [
        heading("The five papers, reproduced", "="),
        INTRODUCTION,
        table(["page", "claims that hold", "data"], overview),
    ]
    differing = [cells(name, row) for name, rows in claims.items() for row in rows if row["agrees"] != "yes"]
    parts += [
        heading("Claims that do not hold here", "-"),
        NOTE,
        table(["page", "where", "the paper", "here"], differing, widths="12 12 36 40"),
        heading("Every item, and the call that makes it", "-"),
        OF_ITEMS,
        table(
            ["page", "item", "what", "call", "data"], [item_cells(row) for row in read(ITEMS)], widths="12 14 30 32 12"
        ),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells(name: str, row: dict[str, str]) -> list[str]:
    """The page, where the claim stands, the claim, and why it does not hold here, or else our numbers."""
    reason = row["agrees"].removeprefix("no").lstrip(": ")
    return [f":doc:`{PAPERS[name][0]}`", *map(escaped, (row["where"], row["paper"], reason or row["here"]))]


def item_cells(row: dict[str, str]) -> list[str]:
    """The page, the item, what it is, the calls, and whose data the committed results are of."""
    calls = ", ".join(f"``{call}``" for call in row["call"].split("; "))
    return [f":doc:`{PAPERS[row['paper']][0]}`", *map(escaped, (row["item"], row["what"])), calls, escaped(row["data"])]


def heading(text: str, line: str) -> str:
    return f"{text}\n{line * 49}"


def table(header: list[str], rows: list[list[str]], widths: str = "auto") -> str:
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for cells in [header, *rows]:
        lines += [f"   {'*' if at == 0 else ' '} - {cell}" for at, cell in enumerate(cells)]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """The text, without what reStructuredText would read into it."""
    return re.sub(r"([\\*`|_@])", r"\\\1", text)


if __name__ == "__main__":
    ArgumentParser(description="Makes the page of the papers from the committed results.").parse_args()
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
