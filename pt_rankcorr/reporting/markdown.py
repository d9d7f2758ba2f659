"""A report as Markdown, with tables as GitHub and notebooks show them."""

from __future__ import annotations

from pt_rankcorr.reporting import document as doc
from pt_rankcorr.reporting.document import Document
from pt_rankcorr.tables import Table
from pt_rankcorr.writers import escape_markdown


def markdown(document: Document) -> str:
    """The whole report, pictures left out."""
    head = [f"# {escape_markdown(document.title)}", escape_markdown(document.summary)]
    return "\n\n".join([*head, *map(_section, document.sections)]) + "\n"


def _section(section: doc.Section) -> str:
    return "\n\n".join(
        [f"{'#' * section.level} {escape_markdown(section.title)}", *filter(None, map(_block, section.blocks))]
    )


def _block(block: doc.Block) -> str:
    if isinstance(block, doc.Paragraph):
        return escape_markdown(block.text)
    if isinstance(block, doc.Points):
        warning = "**Do not trust blindly:** " if block.warning else ""
        return "\n".join(f"- {warning}{escape_markdown(text)}" for text in block.texts)
    if isinstance(block, doc.Facts):
        return "\n".join(f"- **{escape_markdown(term)}:** {escape_markdown(said)}" for term, said in block.items)
    if isinstance(block, Table):
        return block.markdown()
    return f"```bibtex\n{block.text}\n```" if isinstance(block, doc.Verbatim) else ""
