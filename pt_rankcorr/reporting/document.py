"""A report as plain blocks of text, tables and pictures, which HTML, LaTeX and Markdown show each in their way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

# names of statistics with a subscript: each way of showing knows them by the thin space, which no other text has
TAU, TAU_AP, TAU_GAP, D_RANK = "τ", "τ\u2009AP", "τ\u2009GAP", "d\u2009rank"


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
class Bar:
    """Where a rank lies among so many, with its interval."""

    low: float
    rank: float
    high: float
    n_systems: int


@dataclass(frozen=True)
class Cell:
    """What a table shows at one place, what it is sorted by, and whether it stands out."""

    text: str
    value: float | str
    strong: bool = False
    bar: Bar | None = None


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    title: str
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """Rows under named columns; the first column names the row."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


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


def number(value: float, text: str) -> Cell:
    """A cell that is sorted by a number."""
    return Cell(text, float(value))


def name(text: str) -> Cell:
    """A cell that is sorted by its text."""
    return Cell(text, text)
