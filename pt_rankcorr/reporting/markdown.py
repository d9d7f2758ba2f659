"""A report as Markdown, with tables as GitHub and notebooks show them."""

from __future__ import annotations

import re

from pt_rankcorr.reporting.document import (
    Block,
    Cell,
    Document,
    Facts,
    Paragraph,
    Points,
    Section,
    Table,
    Verbatim,
    plain,
)
from pt_rankcorr.stats._text import on_one_line

SPECIAL = re.compile(r"([\\`*_\[\]|$~])")
FIRST = re.compile(r"^(\d*)([.)+#-])(?=\s)")


def markdown(document: Document) -> str:
    """The whole report, pictures left out."""
    head = [f"# {escaped(document.title)}", escaped(document.summary)]
    return "\n\n".join([*head, *map(_section, document.sections)]) + "\n"


def escaped(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    line = on_one_line(plain(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return FIRST.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", line))


def _section(section: Section) -> str:
    return "\n\n".join([f"{'#' * section.level} {escaped(section.title)}", *filter(None, map(_block, section.blocks))])


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return escaped(block.text)
    if isinstance(block, Points):
        warning = "**Do not trust blindly:** " if block.warning else ""
        return "\n".join(f"- {warning}{escaped(text)}" for text in block.texts)
    if isinstance(block, Facts):
        return "\n".join(f"- **{escaped(term)}:** {escaped(said)}" for term, said in block.items)
    if isinstance(block, Table):
        return _table(block)
    return f"```bibtex\n{block.text}\n```" if isinstance(block, Verbatim) else ""


def _table(table: Table) -> str:
    head = _row([escaped(column.title) for column in table.columns])
    rule = _row(["---:" if column.numeric else "---" for column in table.columns])
    rows = [_row([_cell(cell) for cell in row]) for row in table.rows]
    return "\n".join([escaped(table.caption), "", head, rule, *rows])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return f"**{escaped(cell.text)}**" if cell.strong else escaped(cell.text)
