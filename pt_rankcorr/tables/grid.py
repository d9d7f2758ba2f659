"""The part of a table that people see: heads, and cells of text. All ways of showing a table start from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

# names of statistics with a subscript: each way of showing knows them by the thin space, which no other text has
TAU, TAU_AP, TAU_GAP, D_RANK = "τ", "τ\u2009AP", "τ\u2009GAP", "d\u2009rank"


class Head(NamedTuple):
    """The head of a column: in plain letters, as mathematics writes it, and whether the column holds words."""

    title: str
    symbol: str
    is_text: bool


class Bar(NamedTuple):
    """Where a rank lies among so many, with its interval."""

    low: float
    rank: float
    high: float
    n_systems: float


class Cell(NamedTuple):
    """What a table shows at one place, what it is sorted by, whether it stands out, and a bar beside it."""

    text: str
    value: Any = None
    strong: bool = False
    bar: Bar | None = None


@dataclass(frozen=True)
class Grid:
    """The part of a table that is shown.

    Attributes:
        heads: One per column.
        rows: Cells, one per column.
        n_names: The number of first columns that name a row.
        answer: The finding, in plain words.
        caption: What the table shows.
        notes: What was computed, and how; how many rows are left out.
    """

    heads: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    n_names: int
    answer: str = ""
    caption: str = ""
    notes: Sequence[str] = ()
