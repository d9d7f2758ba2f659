"""A report as Markdown, with tables as GitHub and notebooks show them."""

from __future__ import annotations

import re

from pt_rankcorr.reporting import document as doc
from pt_rankcorr.reporting.document import Document
from pt_rankcorr.text import on_one_line, plain

SPECIAL = re.compile(r"([\\`*_\[\]|$~])")
FIRST = re.compile(r"^(\d*)([.)+#-])(?=\s)")


def markdown(document: Document) -> str:
    """The whole report, pictures left out."""
    head = [f"# {escape(document.title)}", escape(document.summary)]
    return "\n\n".join([*head, *map(_section, document.sections)]) + "\n"


def escape(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    line = on_one_line(plain(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return FIRST.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", line))


def _section(section: doc.Section) -> str:
    return "\n\n".join([f"{'#' * section.level} {escape(section.title)}", *filter(None, map(_block, section.blocks))])


def _block(block: doc.Block) -> str:
    if isinstance(block, doc.Paragraph):
        return escape(block.text)
    if isinstance(block, doc.Points):
        warning = "**Do not trust blindly:** " if block.warning else ""
        return "\n".join(f"- {warning}{escape(text)}" for text in block.texts)
    if isinstance(block, doc.Facts):
        return "\n".join(f"- **{escape(term)}:** {escape(said)}" for term, said in block.items)
    if isinstance(block, doc.Table):
        return _table(block)
    return f"```bibtex\n{block.text}\n```" if isinstance(block, doc.Verbatim) else ""


def _table(table: doc.Table) -> str:
    head = _row([escape(column.title) for column in table.columns])
    rule = _row(["---:" if column.numeric else "---" for column in table.columns])
    rows = [_row([_cell(cell) for cell in row]) for row in table.rows]
    return "\n".join([escape(table.caption), "", head, rule, *rows])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: doc.Cell) -> str:
    return f"**{escape(cell.text)}**" if cell.strong else escape(cell.text)
