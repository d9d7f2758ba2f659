"""A report as LaTeX: text and tables (booktabs, adjustbox), to be input into a document."""

from __future__ import annotations

from textwrap import wrap

from pt_rankcorr.reporting.document import Block, Document, Facts, Paragraph, Points, Section, Verbatim
from pt_rankcorr.tables import Table
from pt_rankcorr.writers import as_latex, flowing, with_packages

LETTERS = 78  # of one width, in small type, on a line
HEADINGS = {2: "section", 3: "subsection"}


def latex(document: Document) -> str:
    """The whole report, pictures left out."""
    sections = map(_section, document.sections)
    source = "\n\n".join([r"\begingroup\sloppy", *sections, r"\endgroup"])
    return with_packages(f"\n{source}\n")


def _section(section: Section) -> str:
    heading = f"\\{HEADINGS[section.level]}{{{flowing(section.title)}}}"
    return "\n\n".join([heading, *filter(None, map(_block, section.blocks))])


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return flowing(block.text)
    if isinstance(block, Points):
        return _list("itemize", [f"\\item {flowing(text)}" for text in block.texts])
    if isinstance(block, Facts):
        return _list("description", [f"\\item[{flowing(term)}] {flowing(said)}" for term, said in block.items])
    if isinstance(block, Table):
        return as_latex(block.grid())
    return _verbatim(block.text) if isinstance(block, Verbatim) else ""


def _verbatim(text: str) -> str:
    wrapped = (wrap(line, LETTERS, subsequent_indent="    ", break_on_hyphens=False) for line in text.split("\n"))
    lines = [line for lines in wrapped for line in lines or [""]]
    return "\n".join([r"{\footnotesize", r"\begin{verbatim}", *lines, r"\end{verbatim}", "}"])


def _list(kind: str, items: list[str]) -> str:
    return "\n".join([f"\\begin{{{kind}}}", *items, f"\\end{{{kind}}}"])
