"""Tables as LaTeX, with the rules of the package booktabs; TeX shrinks what is too wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pt_rankcorr.latex import escape, flowing, with_letters_told
from pt_rankcorr.tables.grid import Cell, Grid, Head
from pt_rankcorr.text import cut

PACKAGES = r"% needs \usepackage[T1]{fontenc}, \usepackage{booktabs} and \usepackage{adjustbox}"
LINES_OF_A_PAGE = 40
LONGEST = 40  # characters of a name: of longer ones both ends are shown, and a key below tells the whole
LINE, OF_HEAD = 80, 14  # characters: in tables wider than a line, heads are broken into lines of so many
FITTED = r"\begin{adjustbox}{max width=\linewidth}"
MORE = "Further rows of the same table."


def tabulars(grid: Grid) -> str:
    """A tabular, or several where a page is too short for the rows, below the names of the packages that it needs."""
    return with_letters_told(f"{PACKAGES}\n{bare(grid)}")


def bare(grid: Grid) -> str:
    """The same without the names of packages, as a part of a document; with a caption as tables that float."""
    key: dict[str, int] = {}
    parts = [*_parts(grid, key)]
    captions = [grid.caption, *[MORE] * (len(parts) - 1)] if grid.caption else [""] * len(parts)
    return "\n\n".join([*map(_floating, parts, captions), *_key(key)])


def _parts(grid: Grid, key: dict[str, int]) -> Iterator[str]:
    head = _heads(grid, key)
    kinds = "".join("l" if head.is_text else "r" for head in grid.heads)
    for start in range(0, max(len(grid.rows), 1), LINES_OF_A_PAGE):
        rows = [_line(row, key) for row in grid.rows[start : start + LINES_OF_A_PAGE]]
        lines = [
            f"\\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
        yield "\n".join([FITTED, *lines, r"\end{adjustbox}"])


def _heads(grid: Grid, key: dict[str, int]) -> str:
    """Titles, on several lines where the table is wide: TeX would shrink it until nobody can read it."""
    widths = [max([len(head.symbol), *(len(row[at].text) for row in grid.rows)]) for at, head in enumerate(grid.heads)]
    is_wide = sum(min(width, LONGEST) for width in widths) > LINE
    return " & ".join(_broken(head) if is_wide else _source(Cell(head.symbol), key) for head in grid.heads) + r" \\"


def _broken(head: Head) -> str:
    lines = wrap(head.symbol, OF_HEAD)
    shown = r" \\ ".join(map(escape, lines))
    return shown if len(lines) < 2 else rf"\shortstack[{'l' if head.is_text else 'r'}]{{{shown}}}"


def _line(cells: Sequence[Cell], key: dict[str, int]) -> str:
    return " & ".join(_source(cell, key) for cell in cells) + r" \\"


def _source(cell: Cell, key: dict[str, int]) -> str:
    text = cell.text
    short = text if len(text) <= LONGEST else f"{cut(text, LONGEST)} [{key.setdefault(text, len(key) + 1)}]"
    return rf"\textbf{{{escape(short)}}}" if cell.strong else escape(short)


def _floating(part: str, caption: str) -> str:
    if not caption:
        return rf"\noindent{part}"
    return "\n".join([r"\begin{table}[!htbp]", r"\centering", f"\\caption{{{flowing(caption)}}}", part, r"\end{table}"])


def _key(numbers: dict[str, int]) -> Iterator[str]:
    if numbers:
        lines = [
            rf"\noindent {{[}}{number}{{]}} {flowing(text, longest=len(text))}\par" for text, number in numbers.items()
        ]
        yield "\n".join([r"{\footnotesize\raggedright", *lines, "}"])
