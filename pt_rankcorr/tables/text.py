"""Tables as plain text, columns side by side."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence

from pt_rankcorr.tables.grid import Grid
from pt_rankcorr.text import cut, plain, visible_lines

Column = list[str]
GAP = "  "  # between columns: titles have single blanks


def page(grid: Grid, *, width: int = sys.maxsize) -> str:
    """The answer, the caption, the table and its notes."""

    def filled(text: str) -> str:
        lines = plain(text).split("\n")
        return "\n".join(
            textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) if len(line) > width else line
            for line in lines
        )

    above = filter(None, [grid.answer, grid.caption])
    return visible_lines("\n".join([*map(filled, above), table(grid, width=width), *map(filled, grid.notes)]))


def table(grid: Grid, *, width: int = sys.maxsize) -> str:
    """The heads and cells alone; where the width is too narrow in several parts, each with the names of the rows."""
    columns = [
        _aligned([head.title, *(row[at].text for row in grid.rows)], left=head.is_text)
        for at, head in enumerate(grid.heads)
    ]
    parts = _parts(columns[: grid.n_names], columns[grid.n_names :], width)
    return "\n\n".join("\n".join(GAP.join(cells).rstrip() for cells in zip(*part, strict=True)) for part in parts)


def _aligned(texts: Sequence[str], *, left: bool) -> Column:
    short = list(map(cut, texts))
    width = max(map(len, short))
    return [text.ljust(width) if left else text.rjust(width) for text in short]


def _parts(names: list[Column], others: list[Column], width: int) -> Iterator[list[Column]]:
    part = list(names)
    for each in others:
        if len(part) > len(names) and sum(len(cells[0]) + len(GAP) for cells in [*part, each]) - len(GAP) > width:
            yield part
            part = list(names)
        part.append(each)
    yield part
