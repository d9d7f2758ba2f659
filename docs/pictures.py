"""Draws the pictures of the pages. They are part of the package, as PyTerrier's site shows the pages but draws nothing.

    python docs/pictures.py                 # all of them
    python docs/pictures.py rank_intervals  # only this one

A picture stands below the code that draws it: a block of Python, then `.. image:: pictures/NAME.svg`. A block that
imports nothing goes on where the first one of its page ends.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

PAGES = Path(__file__).parents[1] / "pt_rankcorr" / "pt_docs"
FOLDER = PAGES / "pictures"
DRAWN = re.compile(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)\.\. image:: pictures/(\w+)\.svg$", re.MULTILINE)


def codes() -> dict[str, str]:
    """The code of each picture, by its name."""
    pages = (DRAWN.findall(page.read_text(encoding="utf-8")) for page in sorted(PAGES.glob("*.rst")))
    return {
        name: _plain(code if "import " in code else blocks[0][0] + code) for blocks in pages for code, name in blocks
    }


def _plain(code: str) -> str:
    return "".join(line.removeprefix("   ") for line in code.splitlines(keepends=True))


def draw(code: str, path: Path) -> None:
    """Runs the code, and keeps the figure that it leaves; the same code has the same bytes."""
    import matplotlib.pyplot as plt

    plt.close("all")
    with mpl.rc_context({"svg.hashsalt": "pt_rankcorr", "svg.fonttype": "path"}):
        exec(code, {})
        plt.gcf().savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close("all")


def words(path: Path) -> list[str]:
    """What is written in a picture."""
    return re.findall(r"<!-- (.*?) -->", path.read_text(encoding="utf-8"))


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    code_of = codes()
    for name in names or code_of:
        draw(code_of[name], FOLDER / f"{name}.svg")
    for path in FOLDER.glob("*.svg"):
        if path.stem not in code_of:
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
