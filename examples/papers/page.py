"""Makes the page "The five papers, reproduced" of the documentation from the committed results.

python examples/papers/page.py
"""

from __future__ import annotations

import csv
import re
from argparse import ArgumentParser
from pathlib import Path

FOLDER = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[2] / "pt_rankcorr" / "pt_docs" / "papers.rst"
PAPERS = {
    "yilmaz2008": ("tau_AP: Yilmaz, Aslam and Robertson", "tau_ap"),
    "gao2015": ("tau_GAP: Gao and Oard", "tau_gap"),
    "carterette2009": ("d_rank: Carterette", "d_rank"),
    "sakai2006": ("The bootstrap: Sakai", "bootstrap"),
    "urbano2016": ("Expected correlations: Urbano and Marrero", "expected_correlation"),
}
INTRODUCTION = """
The scripts in ``examples/papers`` make every table and figure of the five papers, one script a paper. Each takes your
own runs or score tables, and writes a folder of tables, pictures and a README:

.. code-block:: console

   $ python examples/papers/gao2015.py
   $ python examples/papers/yilmaz2008.py --data runs/ --qrels my.qrels
   $ python examples/papers/urbano2016.py --data adhoc6_ap.csv adhoc7_ap.csv

This page sums up one run of each. ``examples/papers/results`` has its tables and pictures, and in ``claims.csv`` every
claim beside our number. Below are the claims that do not hold on our data. That does not make a paper wrong: most of
its own data were not at hand.
"""

NOTES = {
    "sakai2006": "The paper's nDCG divides the gains from rank 2 on by logarithms of base 2. Here it is "
    "``measures.JKnDCG``, with a cut-off of 100 for 1000. The ``nDCG`` of ir_measures and trec_eval divides by "
    "log2(r + 1) and is another measure. What the score tables call nDCG, their makers computed.",
}


def page(folder: Path = FOLDER) -> str:
    """The text of the page, from the claims in the folders of results."""
    claims = {name: read(folder / name / "claims.csv") for name in PAPERS if (folder / name).exists()}
    overview = [
        [
            f":doc:`{PAPERS[name][1]}`",
            f"{sum(row['agrees'] == 'yes' for row in rows)} of {len(rows)}",
            data(folder, name),
        ]
        for name, rows in claims.items()
    ]
    parts = [
        heading("The five papers, reproduced", "="),
        INTRODUCTION,
        table(["page", "claims that hold", "data"], overview),
    ]
    for name, rows in claims.items():
        differing = [row for row in rows if row["agrees"] != "yes"]
        cells = [[escaped(row[column]) for column in ("where", "paper", "here")] for row in differing]
        reasons = [escaped(row["agrees"].removeprefix("no").lstrip(": ")) for row in differing]
        parts += [
            heading(PAPERS[name][0], "-"),
            f"``python examples/papers/{name}.py``. These claims do not hold:",
            *([NOTES[name]] if name in NOTES else []),
            table(
                ["where", "the paper", "here", "why"],
                [[*cell, reason or "not known"] for cell, reason in zip(cells, reasons, strict=True)],
                widths="12 30 38 20",
            ),
        ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def data(folder: Path, name: str) -> str:
    """The sentences of the README that say which data these are."""
    second = (folder / name / "README.md").read_text(encoding="utf-8").split("\n\n")[1]
    return escaped(re.sub(r"^Made by .*?\. Data: ", "", second))


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
