"""A table is a list of columns: each defines once its names, its values, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pt_rankcorr.tables import html, latex, markdown, text
from pt_rankcorr.tables.grid import Bar, Cell, Grid, Head
from pt_rankcorr.tables.kinds import FACT, RANK, WORD, Kind, kind_of
from pt_rankcorr.text import on_one_line

if TYPE_CHECKING:
    import pandas as pd

Row = TypeVar("Row")
PARTS = ("value", "interval", "strong", "text")  # of a column: what depends on the row
NOT_KNOWN = (float("nan"), float("nan"))


class Values(Protocol):
    """Rows, or the values of a column: a sequence, or an array of one dimension."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, at: Any, /) -> Any: ...


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table.

    Attributes:
        name: The name for machines: in frames, CSV and JSON lines.
        title: The title for people.
        kind: The kind of the values: how they are shown.
        value: The value in a row: a number, nan where it is undefined, a flag or a word.
        interval: The interval of the value, shown in brackets behind it; None for a row without.
        wide: Whether it is shown only where there is room.
        machine, shown: Whether machines have it, and whether people do.
        strong: Whether a row's value stands out.
        ends: The names of the interval's ends for machines; by default "{name} low" and "{name} high".
        text: The text that people see instead of the value, by which a page still sorts; None for the value.
        symbol: The title in mathematical form, with a thin space before a subscript; by default the title.
    """

    name: str
    title: str
    kind: Kind
    value: Callable[[Row], Any]
    interval: Callable[[Row], tuple[float, float] | None] | None = None
    wide: bool = False
    machine: bool = True
    shown: bool = True
    strong: Callable[[Row], bool] | None = None
    ends: tuple[str, str] | None = None
    text: Callable[[Row], str] | None = None
    symbol: str = ""

    @property
    def head(self) -> Head:
        """What stands above it."""
        title = on_one_line(self.title)
        return Head(title, self.symbol or title, self.kind.is_text)

    def of(self, get: Callable[[Any], Row]) -> Column[Any]:
        """The same column of rows that hold those of this one: `get` finds them."""

        def inner(function: Callable[[Row], Any] | None) -> Callable[[Any], Any] | None:
            return None if function is None else lambda row: function(get(row))

        parts: dict[str, Any] = {part: inner(getattr(self, part)) for part in PARTS}
        return replace(self, **parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the value and the ends of its interval for machines."""
        ends = () if self.interval is None else self.ends or (f"{self.name} low", f"{self.name} high")
        return (self.name, *ends)

    def values(self, row: Row) -> dict[str, Any]:
        """The value of a row and the ends of its interval for machines, unrounded."""
        interval = () if self.interval is None else self.interval(row)
        ends = NOT_KNOWN if interval is None else interval
        return dict(zip(self.names, map(_plain, (self.value(row), *ends)), strict=True))

    def cells(self, rows: Values) -> list[Cell]:
        """The cells of rows that people see."""
        values = [self.value(row) for row in rows]
        intervals = [None if self.interval is None else self.interval(row) for row in rows]
        strong = [self.strong is not None and bool(self.strong(row)) for row in rows]
        texts = self._texts(values, intervals) if self.text is None else [*map(self.text, rows)]
        bars = self._bars(values, intervals)
        return [Cell(*cell) for cell in zip(texts, values, strong, bars, strict=True)]

    def _texts(self, values: list[Any], intervals: list[tuple[float, float] | None]) -> list[str]:
        """Values and ends with the same number of digits."""
        ends = [end for interval in intervals if interval is not None for end in interval]
        texts = self.kind.texts([*values, *ends])
        of_ends = iter(texts[len(values) :])
        return [
            text if interval is None or value != value else f"{text} [{next(of_ends)}, {next(of_ends)}]"
            for text, value, interval in zip(texts, values, intervals, strict=False)
        ]

    def _bars(self, values: list[Any], intervals: list[tuple[float, float] | None]) -> list[Bar | None]:
        if self.kind is not RANK or self.interval is None:
            return [None] * len(values)
        last = max((high for _, high in (interval for interval in intervals if interval is not None)), default=1.0)
        return [
            None if interval is None else Bar(interval[0], value, interval[1], last)
            for value, interval in zip(values, intervals, strict=True)
        ]


def constant(name: str, value: Any, kind: Kind = WORD, title: str = "", **how: Any) -> Column[Any]:
    """A column with one value in all rows."""
    return Column(name, title or name, kind, lambda _: value, **how)


def facts(values: Mapping[str, Any], **how: Any) -> tuple[Column[Any], ...]:
    """A column for each of what is known of a whole result: settings, and results that stand alone."""
    return tuple(constant(name, value, kind_of(name, FACT), **how) for name, value in values.items())


def listed(name: str, kind: Kind, values: Values, title: str = "", **how: Any) -> Column[int]:
    """A column whose values are known for all rows, which are numbered."""
    return Column(name, title or name, kind, values.__getitem__, **how)


@dataclass(frozen=True)
class Table:
    """Rows under columns, with an answer, a caption and notes.

    Attributes:
        columns: The columns.
        rows: The objects from which the columns take their values.
        n_names: The number of first columns that name a row; by default the columns of words.
        answer: The finding, in plain words, above the table.
        caption: What the table shows.
        notes: What was computed, below it.
        details: How it was computed, below that where there is room for all columns.
        upright: Whether people see the columns of a single row below each other.
    """

    columns: tuple[Column[Any], ...]
    rows: Values
    n_names: int | None = None
    answer: str = ""
    caption: str = ""
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    upright: bool = False

    # --- for machines ---------------------------------------------------------------------------------------

    def records(self) -> list[dict[str, Any]]:
        """Name of a column -> value, for each row, flat and unrounded."""
        columns = [column for column in self.columns if column.machine]
        return [{name: value for column in columns for name, value in column.values(row).items()} for row in self.rows]

    def frame(self) -> pd.DataFrame:
        """The same as a data frame."""
        import pandas as pd

        names = dict.fromkeys(name for column in self.columns if column.machine for name in column.names)
        return pd.DataFrame(self.records(), columns=[*names])

    # --- for people -----------------------------------------------------------------------------------------

    def grid(self, *, wide: bool = False, most: int | None = None) -> Grid:
        """The visible part: heads and cells of text.

        Args:
            wide: Whether there is room for all columns.
            most: The number of rows from which a note replaces them.
        """
        columns = [column for column in self.columns if column.shown and (wide or self.upright or not column.wide)]
        rows = self.rows[:most]
        left_out = len(self.rows) - len(rows)
        more = [f"... and {left_out} rows more, which to_frame() has."] if left_out else []
        heads, cells = [column.head for column in columns], [column.cells(rows) for column in columns]
        lines: list[Sequence[Cell]] = [*zip(*cells, strict=True)]
        if self.upright:
            lines = [[Cell(head.title), cell] for head, (cell,) in zip(heads, cells, strict=True)]
            heads = [Head("", "", True), Head("value", "value", False)]
        words = [head.is_text for head in heads]
        notes = (*self.notes, *self.details) if wide else self.notes
        n_names = self.n_names or (words.index(False) if False in words else 1)
        return Grid(heads, lines, n_names, self.answer, self.caption, [*more, *filter(None, notes)])

    def cells(self, *, wide: bool = False) -> list[dict[str, str]]:
        """Title of a column -> text, for each row."""
        grid = self.grid(wide=wide)
        return [{head.title: cell.text for head, cell in zip(grid.heads, row, strict=True)} for row in grid.rows]

    def text(self, *, wide: bool = False, most: int | None = None, **how: Any) -> str:
        """Columns side by side, below the answer and above the notes."""
        return text.page(self.grid(wide=wide, most=most), **how)

    def html(self, *, wide: bool = False, most: int | None = None) -> str:
        """The same for notebooks."""
        return html.page(self.grid(wide=wide, most=most))

    def latex(self, *, wide: bool = False) -> str:
        """All rows as a `tabular`, or several where a page is too short, which TeX shrinks to the width of the line."""
        return latex.tabulars(self.grid(wide=wide))

    def markdown(self, *, wide: bool = False) -> str:
        """All rows, below the caption."""
        return markdown.table(self.grid(wide=wide))

    # --- of others ------------------------------------------------------------------------------------------

    def column(self, name: str) -> Column[Any]:
        """The column of this name.

        Raises:
            KeyError: If there is none.
        """
        return {column.name: column for column in self.columns}[name]

    def led_by(self, *columns: Column[Any]) -> Table:
        """The table with further columns in front, which name a row."""
        n_names = None if self.n_names is None else self.n_names + len(columns)
        return replace(self, columns=(*columns, *self.columns), n_names=n_names)

    def beside(self, other: Table) -> Table:
        """The table with the columns of another one that has the same rows in its own way."""
        mine = (column.of(lambda row: row[0]) for column in self.columns)
        others = (column.of(lambda row: row[1]) for column in other.columns)
        return replace(self, columns=(*mine, *others), rows=[*zip(self.rows, other.rows, strict=True)])

    def in_full(self) -> Table:
        """The table with room for all columns."""
        return replace(self, columns=tuple(replace(column, wide=False) for column in self.columns))

    def without(self, *names: str) -> Table:
        """The table without the columns of these names."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def followed_by(self, *columns: Column[Any]) -> Table:
        """The table with further columns at its end."""
        return replace(self, columns=(*self.columns, *columns))


def joined(tables: Sequence[Table]) -> Table:
    """The rows of several tables with the same columns, without their answers, captions and notes."""
    known = [{column.name: column for column in table.columns} for table in tables]

    def shared(column: Column[Any]) -> dict[str, Any]:
        declared = (part for part in PARTS if getattr(column, part) is not None)
        return {part: lambda row, part=part: getattr(known[row[0]][column.name], part)(row[1]) for part in declared}

    def is_shown(column: Column[Any]) -> bool:
        return any(columns[column.name].shown for columns in known)

    columns = tuple(replace(column, shown=is_shown(column), **shared(column)) for column in tables[0].columns)
    rows = [(at, row) for at, table in enumerate(tables) for row in table.rows]
    return Table(columns, rows, tables[0].n_names)


def of_values(kinds: Mapping[Kind, Mapping[str, Values]]) -> Table:
    """A table of values that are known for all rows: kind -> name of a column -> its values."""
    columns = [listed(name, kind, values) for kind, named in kinds.items() for name, values in named.items()]
    n_rows = len(next(iter(next(iter(kinds.values())).values())))
    return Table(tuple(columns), range(n_rows))


def of_frame(frame: pd.DataFrame) -> Table:
    """The table of a frame of others, whose columns have no more than names."""
    values = {str(name): frame[name].to_list() for name in frame.columns}
    kinds = {name: WORD if _are_words(of_column) else kind_of(name) for name, of_column in values.items()}
    return Table(tuple(listed(name, kinds[name], of_column) for name, of_column in values.items()), range(len(frame)))


def _are_words(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
