"""A report as plain blocks of text, tables and pictures, and its three forms: HTML, LaTeX and Markdown."""

from __future__ import annotations

import base64
import hashlib
import textwrap
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import TypeAlias

import jinja2
from markupsafe import Markup

from pt_rankcorr import writers
from pt_rankcorr.reporting.pictures import Picture, without_pictures
from pt_rankcorr.tables import Table
from pt_rankcorr.text import plain, visible_lines


@dataclass(frozen=True)
class Paragraph:
    """Some sentences."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list of sentences; `warning` for what a reader must know before trusting a figure."""

    texts: tuple[str, ...]
    warning: bool = False


@dataclass(frozen=True)
class Facts:
    """Terms, and what there is to say of each."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Verbatim:
    """Lines to copy as they are."""

    text: str


Text: TypeAlias = Paragraph | Points | Facts | Table | Verbatim
Block: TypeAlias = Text | Picture


@dataclass(frozen=True)
class Section:
    """A heading, and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    summary: str
    sections: tuple[Section, ...]


def resource(name: str) -> str:
    """A file of the folder `templates`."""
    return (files("pt_rankcorr.reporting") / "templates" / name).read_text(encoding="utf-8").strip()


# --- HTML ---------------------------------------------------------------------------------------------------


def html(document: Document) -> str:
    """One self-contained page, in which no name acts: neither on the page nor on the direction of its text."""
    script = f"{resource('sort.js')}\n{resource('point.js')}"
    page = _template().render(
        document=document,
        style=Markup(resource("style.css")),
        script=Markup(script),
        # what allows this script, and no other, to run in the page
        hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        without_pictures=without_pictures(),
    )
    return visible_lines(page)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pt_rankcorr.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["subscripts"] = lambda text: Markup(writers.escape_html(text))
    environment.filters["table"] = lambda table, caption: Markup(
        writers.html_table(table.grid(), f' aria-labelledby="{caption}"')
    )
    environment.filters["svg"] = lambda picture: Markup(
        picture.svg.replace('role="img"', f'role="img" aria-label="{Markup.escape(plain(picture.alt))}"', 1)
    )
    environment.tests["kind"] = lambda block, kind: type(block).__name__ == kind
    return environment.get_template("report.html.j2")


def in_frame(page: str) -> str:
    """The page in a frame of its own, so that neither a notebook's style nor the page's reaches the other."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="report" loading="lazy" '
        'style="width: 100%; height: 42rem; border: 1px solid #8888; border-radius: 6px"></iframe>'
    )


# --- LaTeX --------------------------------------------------------------------------------------------------

LETTERS = 78  # of one width, in small type, on a line


def latex(document: Document) -> str:
    """Text and tables to be input into a document, with booktabs and adjustbox; pictures are left out."""
    parts = [r"\begingroup\sloppy"]
    for section in document.sections:
        parts.append(rf"\{'sub' * (section.level - 2)}section{{{writers.flowing(section.title)}}}")
        parts += [_block_in_latex(block) for block in section.blocks if not isinstance(block, Picture)]
    source = "\n\n".join([*parts, r"\endgroup"])
    return writers.with_packages(f"\n{source}\n")


def _block_in_latex(block: Text) -> str:
    flowing = writers.flowing
    if isinstance(block, Table):
        return writers.as_latex(block.grid())
    if isinstance(block, Points):
        items = [rf"\item {flowing(text)}" for text in block.texts]
        return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])
    if isinstance(block, Facts):
        items = [rf"\item[{flowing(term)}] {flowing(text)}" for term, text in block.items]
        return "\n".join([r"\begin{description}", *items, r"\end{description}"])
    if isinstance(block, Verbatim):
        lines = [
            part
            for line in block.text.split("\n")
            for part in textwrap.wrap(line, LETTERS, subsequent_indent="    ", break_on_hyphens=False) or [""]
        ]
        return "\n".join([r"{\footnotesize", r"\begin{verbatim}", *lines, r"\end{verbatim}", "}"])
    return flowing(block.text)


# --- Markdown -----------------------------------------------------------------------------------------------


def markdown(document: Document) -> str:
    """Text and tables as GitHub and notebooks show them; pictures are left out."""
    parts = [f"# {writers.escape_markdown(document.title)}", writers.escape_markdown(document.summary)]
    for section in document.sections:
        parts.append(f"{'#' * section.level} {writers.escape_markdown(section.title)}")
        parts += [_block_in_markdown(block) for block in section.blocks if not isinstance(block, Picture)]
    return "\n\n".join(parts) + "\n"


def _block_in_markdown(block: Text) -> str:
    escaped = writers.escape_markdown
    if isinstance(block, Table):
        return block.markdown()
    if isinstance(block, Points):
        warning = "**Do not trust blindly:** " if block.warning else ""
        return "\n".join(f"- {warning}{escaped(text)}" for text in block.texts)
    if isinstance(block, Facts):
        return "\n".join(f"- **{escaped(term)}:** {escaped(text)}" for term, text in block.items)
    if isinstance(block, Verbatim):
        return f"```bibtex\n{block.text}\n```"
    return escaped(block.text)
