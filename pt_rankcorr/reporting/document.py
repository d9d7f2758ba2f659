"""A report as plain blocks of text, tables and pictures, which HTML, LaTeX and Markdown show each in their way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pt_rankcorr.tables import Table


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
class Picture:
    """An SVG, and in words what it shows."""

    svg: str
    alt: str
    caption: str


@dataclass(frozen=True)
class Verbatim:
    """Lines to copy as they are."""

    text: str


Block: TypeAlias = Paragraph | Points | Facts | Table | Picture | Verbatim


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
