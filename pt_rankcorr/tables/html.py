"""Tables as HTML, for notebooks and for pages with a style of their own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from html import escape

from pt_rankcorr.tables.grid import Bar, Cell, Grid, Head
from pt_rankcorr.text import cut, visible_lines

BREAKS = re.compile(r"([_./@+-]+)(?=\w)")  # after these a long name may go on in the next line
UNBROKEN = 22  # characters of a name that stays on one line
LONG = 30  # characters of a text that needs several lines
SIGNIFICANT_DIGITS = 12  # of what a column is sorted by, as systems are ranked
WITH_SUBSCRIPTS = {
    "τ\u2009AP": "τ<sub>AP</sub>",
    "τ\u2009GAP": "τ<sub>GAP</sub>",
    "d\u2009rank": "<i>d</i><sub>rank</sub>",
}


def page(grid: Grid) -> str:
    """The answer, the caption, the table and its notes."""
    above, below = _paragraphs([grid.answer, grid.caption]), _paragraphs(grid.notes)
    return f"{above}{table(grid)}{below}"


def table(grid: Grid, attributes: str = "") -> str:
    """The heads and cells alone. Columns of numbers have the class "number"; cells tell what they are sorted by."""
    head = "".join(f'<th scope="col"{_kind(head)}>{subscripts(cut(head.symbol))}</th>' for head in grid.heads)
    rows = (
        "".join(_cell(cell, head, first=at == 0) for at, (cell, head) in enumerate(zip(row, grid.heads, strict=True)))
        for row in grid.rows
    )
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table{attributes}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def subscripts(text: str) -> str:
    """A text, escaped, with the names of statistics as they are printed."""
    shown = breaks(text)
    for token, markup in WITH_SUBSCRIPTS.items():
        shown = shown.replace(token, markup)
    return shown


def breaks(text: str) -> str:
    """A text, escaped, whose long words may be broken after punctuation, and only there."""
    return " ".join(escape(word) if len(word) <= UNBROKEN else _broken(word) for word in text.split(" "))


def _broken(word: str) -> str:
    return "<wbr>".join(escape(part) for part in BREAKS.sub("\\1\0", word).split("\0"))


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{subscripts(visible_lines(sentence))}</p>" for sentence in sentences if sentence)


def _kind(head: Head) -> str:
    return ' style="text-align: left"' if head.is_text else ' class="number" style="text-align: right"'


def _cell(cell: Cell, head: Head, *, first: bool) -> str:
    tag, scope = ("th", ' scope="row"') if first else ("td", "")
    text = cut(cell.text)
    shown = breaks(text) if head.is_text else escape(text)
    shown = f"<strong>{shown}</strong>" if cell.strong else shown
    shown = f'<span class="interval">{shown}{_bar(cell.bar)}</span>' if cell.bar else shown
    long = ' class="long"' if head.is_text and len(text) > LONG else ""
    return f'<{tag}{scope}{_kind(head)}{long} data-key="{escape(_key(cell))}">{shown}</{tag}>'


def _key(cell: Cell) -> str:
    """What a column is sorted by, as exactly as systems are ranked; empty for nan, which comes last."""
    if cell.value is None or isinstance(cell.value, str) or not hasattr(cell.value, "__float__"):
        return cell.text
    return "" if math.isnan(cell.value) else f"{float(cell.value):.{SIGNIFICANT_DIGITS}g}"


def _bar(shown: Bar) -> str:
    """A line from the best to the worst rank of an interval, and a dot at the rank."""
    unit = 100.0 / shown.n_systems
    left, right, dot = (shown.low - 1) * unit, shown.high * unit, (shown.rank - 0.5) * unit
    return (
        '<svg class="bar" width="90" height="8" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="band" fill="#8fc1e3" x="{left:.2f}" y="2" width="{right - left:.2f}" height="4" rx="1"/>'
        f'<rect class="dot" x="{dot - 0.8:.2f}" y="0" width="1.6" height="8"/></svg>'
    )
