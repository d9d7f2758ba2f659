"""Tables in Markdown, as GitHub and notebooks read it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pt_rankcorr.tables.grid import Cell, Grid
from pt_rankcorr.text import on_one_line, plain

SPECIAL = re.compile(r"([\\`*_\[\]|$~])")
FIRST = re.compile(r"^(\d*)([.)+#-])(?=\s)")


def escape(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    line = on_one_line(plain(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return FIRST.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", line))


def table(grid: Grid) -> str:
    """The caption, the heads and the cells."""
    caption = [escape(grid.caption), ""] if grid.caption else []
    rule = ["---" if head.is_text else "---:" for head in grid.heads]
    rows = [[_cell(cell) for cell in row] for row in grid.rows]
    return "\n".join([*caption, *map(_row, [[escape(head.symbol) for head in grid.heads], rule, *rows])])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return f"**{escape(cell.text)}**" if cell.strong else escape(cell.text)
