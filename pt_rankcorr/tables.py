"""A table is a list of columns: each defines once its names, its values, and how they are shown."""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pt_rankcorr import writers
from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.text import D_RANK, decimals, end_of_interval, on_one_line, percent, pvalue
from pt_rankcorr.writers import Cell, Grid, Head

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from pt_rankcorr.stats.coefficients.coefficient import Coefficient

# --- how values are shown -------------------------------------------------------------------------

UNDEFINED = "-"


@dataclass(frozen=True)
class Kind:
    """How the numbers of a column are shown: each by itself, or all with as many digits."""

    number: Callable[[float], str] = str
    numbers: Callable[[Sequence[float]], list[str]] | None = None
    is_text: bool = False  # text stands on the left

    def texts(self, values: Sequence[Any]) -> list[str]:
        """The values as people see them; flags, text, None and nan in the same way by all kinds."""
        texts: list[str | None] = []  # None for finite numbers
        for value in values:
            is_number = hasattr(value, "__float__") and not hasattr(value, "__index__")
            if value is None:
                texts.append("none")
            elif type(value).__name__ in ("bool", "bool_"):
                texts.append("yes" if value else "no")
            elif isinstance(value, str) or not is_number:
                texts.append(on_one_line(str(value)))
            elif math.isinf(value):
                texts.append("-inf" if value < 0 else "inf")
            else:
                texts.append(UNDEFINED if math.isnan(value) else None)
        finite = [float(value) for value, text in zip(values, texts, strict=True) if text is None]
        shown = iter(self.numbers(finite) if self.numbers else map(self.number, finite))
        return [next(shown) if text is None else text for text in texts]


def _numbers(numbers: Sequence[float]) -> list[str]:
    """Three decimals, or more where all of a column are small; counts as they are."""
    largest = max(map(abs, numbers), default=0.0)
    if largest > 1.0 and all(number.is_integer() for number in numbers):
        return [f"{number:.15g}" for number in numbers]
    if 1e-8 < largest < 1e-6:
        return [f"{number:.2g}" for number in numbers]
    places = 1 if largest >= 1000.0 else 3
    if 1e-8 < largest < 1000.0:  # smaller numbers are rounding errors
        places = max(3, 1 - math.floor(math.log10(largest)))
    return [decimals(number, places) for number in numbers]


def _ranks(numbers: Sequence[float]) -> list[str]:
    """Ranks are whole, or halves where systems share theirs; mean ranks are as other numbers."""
    whole = all((2.0 * number).is_integer() for number in numbers)
    return [f"{number:.15g}" for number in numbers] if whole else _numbers(numbers)


def _fact(number: float) -> str:
    """A setting or a single result: a level of .95 as .95, and other numbers as in columns."""
    if 0.0 < abs(number) < 1.0 and round(number, 3) == number:
        return f"{number:g}".replace("0.", ".", 1)
    return _numbers([number])[0]


COEFFICIENT = Kind(decimals)
PVALUE = Kind(pvalue)
RANK = Kind(numbers=_ranks)
COUNT = Kind("{:.15g}".format)
SHARE = Kind(percent)
PERCENT = Kind("{:.1%}".format)  # of so many that the tenth matters
NUMBER = Kind(numbers=_numbers)
FACT = Kind(_fact)  # a setting, or a result that stands alone
WORD = Kind("{:g}".format, is_text=True)


@functools.cache
def _coefficients() -> tuple[Coefficient, ...]:
    """All coefficients of the package, imported late: the help of commands needs no statistics."""
    from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS

    return tuple(COEFFICIENTS.values())


def in_symbols(title: str) -> str:
    """A heading in mathematical form, with the symbols of the statistics that it names."""
    symbols = {known.title.lower(): known.symbol for known in _coefficients()} | {"d_rank": D_RANK}
    names = "|".join(map(re.escape, sorted(symbols, key=len, reverse=True)))
    statistic = re.compile(rf"\b({names})\b", re.IGNORECASE)
    return statistic.sub(lambda name: symbols[name[0].lower()], title)


def kind_of(name: str, default: Kind = NUMBER) -> Kind:
    """The kind of numbers in a column of this name, such as p-values; else the default."""
    is_pvalue = "p-value" in name or "p (" in name or name == "pvalue"
    if is_pvalue and not name.endswith("standard error"):
        return PVALUE
    if name.split(" ")[0] in {known.family for known in _coefficients()}:
        return COEFFICIENT
    is_rank = not {"rank", "low", "high", "tier", "topics"}.isdisjoint(name.split())
    return RANK if is_rank and not name.endswith("first") else default


# --- columns and tables ---------------------------------------------------------------------------

Row = TypeVar("Row")
Values: TypeAlias = "Sequence[Any] | NDArray[Any]"  # rows, or the values of a column


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table: its name for machines, its title for people, its value in each row."""

    name: str
    title: str
    kind: Kind
    value: Callable[[Row], Any]  # a number, nan where it is undefined, a flag or a text
    interval: Callable[[Row], tuple[float, float] | None] | None = None  # in brackets behind it
    wide: bool = False  # shown only where all columns are asked for
    machine: bool = True  # whether machines have it
    shown: bool = True  # whether people have it
    hide_if_constant: bool = False  # shown only where rows differ in it
    strong: Callable[[Row], bool] | None = None  # whether it stands out; by default p-values to .05
    ends: tuple[str, str] | None = None  # of the interval; by default "{name} low", "{name} high"
    text: Callable[[Row], str] | None = None  # instead of the value, by which pages still sort
    symbol: str = ""  # the title in mathematical form, as "d\u2009rank"; by default made of it

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the value and the ends of its interval for machines."""
        if self.interval is None:
            return (self.name,)
        return (self.name, *(self.ends or (f"{self.name} low", f"{self.name} high")))

    def values(self, row: Row) -> dict[str, Any]:
        """The value of a row and the ends of its interval, unrounded, as numbers of Python."""
        interval = () if self.interval is None else self.interval(row)
        values = (self.value(row), *((math.nan, math.nan) if interval is None else interval))
        plain = (value.item() if getattr(value, "shape", None) == () else value for value in values)
        return dict(zip(self.names, plain, strict=True))

    @property
    def head(self) -> Head:
        """The head that people see."""
        title = on_one_line(self.title)
        return Head(title, self.symbol or in_symbols(title), self.kind.is_text)

    def cells(self, rows: Values) -> list[Cell]:
        """The cells that people see: values and the ends of intervals with as many digits."""
        values = [self.value(row) for row in rows]
        intervals = [None if self.interval is None else self.interval(row) for row in rows]
        ends = [end for interval in intervals if interval is not None for end in interval]
        texts = self.kind.texts([*values, *ends])
        # low and high of each row in turn
        texts_of_ends = map(end_of_interval, ends, texts[len(values) :])
        n_ranks = max((interval[1] for interval in intervals if interval is not None), default=1.0)
        cells = []
        for row, value, text, interval in zip(rows, values, texts, intervals, strict=False):
            bar = None
            if interval is not None:
                ends_of_row = f"[{next(texts_of_ends)}, {next(texts_of_ends)}]"
                is_defined = value == value and interval[0] == interval[0]
                text = f"{text} {ends_of_row}" if is_defined else text
                bar = (interval[0], value, interval[1], n_ranks) if self.kind is RANK else None
            text = text if self.text is None else self.text(row)
            is_significant = self.kind is PVALUE and isinstance(value, float) and value <= ALPHA
            strong = is_significant if self.strong is None else bool(self.strong(row))
            cells.append(Cell(text, value, strong, bar))
        return cells


def constant(
    name: str, value: Any, kind: Kind = WORD, title: str = "", **options: Any
) -> Column[Any]:
    """A column with one value in all rows, shown unless it is None."""
    options = {"shown": value is not None, **options}
    return Column(name, title or name, kind, lambda _: value, **options)


def facts(values: Mapping[str, Any], **options: Any) -> tuple[Column[Any], ...]:
    """A column for each value of a whole result: settings, and results that stand alone."""
    columns = []
    for name, value in values.items():
        title = name.removeprefix("n_").replace("pvalue", "p-value").replace("_", " ")
        columns.append(constant(name, value, kind_of(name, FACT), title, **options))
    return tuple(columns)


def listed(name: str, kind: Kind, values: Values, title: str = "", **options: Any) -> Column[int]:
    """A column whose values are known for all rows, which are numbered."""
    return Column(name, title or name, kind, values.__getitem__, **options)


MOST = 30  # rows that are shown: a result of many systems has thousands of pairs


@dataclass(frozen=True)
class Table:
    """Rows, from which columns take their values, with an answer, a caption and notes."""

    columns: tuple[Column[Any], ...]
    rows: Values
    n_names: int | None = None  # of first columns, which name a row; by default the columns of text
    answer: str = ""
    caption: str = ""
    notes: tuple[str, ...] = ()
    upright: bool = False  # the columns of a single row are shown below each other

    def records(self) -> list[dict[str, Any]]:
        """Name of a column -> value, for each row, flat and unrounded."""
        columns = [column for column in self.columns if column.machine]
        return [
            {name: value for column in columns for name, value in column.values(row).items()}
            for row in self.rows
        ]

    def to_frame(self) -> pd.DataFrame:
        """A data frame of the records, with a column for each name."""
        import pandas as pd

        columns = [column for column in self.columns if column.machine]
        names = dict.fromkeys(name for column in columns for name in column.names)
        return pd.DataFrame(self.records(), columns=[*names])

    def grid(self, *, wide: bool = False, most: int | None = None) -> Grid:
        """The visible part: all columns or the narrow ones, and at most so many rows."""
        columns = [
            column
            for column in self.columns
            if column.shown
            and (wide or self.upright or not column.wide)
            and not (column.hide_if_constant and len({column.value(row) for row in self.rows}) < 2)
        ]
        rows = self.rows[:most]
        n_left_out = len(self.rows) - len(rows)
        left_out = f"... and {n_left_out} rows more, which to_frame() has." if n_left_out else ""
        cells = [column.cells(rows) for column in columns]
        lines: list[Sequence[Cell]] = [*zip(*cells, strict=True)]
        heads = [column.head for column in columns]
        if self.upright:
            pairs = zip(heads, cells, strict=True)
            lines = [[Cell(head.title, symbol=head.symbol), cell] for head, (cell,) in pairs]
            heads = [Head("", "", True), Head("value", "value", False)]
        is_text = [head.is_text for head in heads]
        n_names = self.n_names or (is_text.index(False) if False in is_text else 1)
        notes = [*filter(None, self.notes)]
        return Grid(heads, lines, n_names, self.answer, self.caption, notes, left_out)

    def to_text(self, *, wide: bool = True, width: int | None = None) -> str:
        """All rows as plain text, with all columns if `wide`; in parts of so many characters."""
        width = width or (sys.maxsize if wide else writers.NARROW)
        return writers.as_text(self.grid(wide=wide), width=width)

    def to_latex(self, *, wide: bool = False) -> str:
        """All rows as a `tabular`, or several; a comment says which packages it needs."""
        return writers.with_packages(writers.as_latex(self.grid(wide=wide)))

    def to_markdown(self, *, wide: bool = False) -> str:
        """All rows as a table in Markdown."""
        return writers.as_markdown(self.grid(wide=wide))

    def __str__(self) -> str:
        return writers.as_text(self.grid(most=MOST), width=writers.NARROW)

    def _repr_html_(self) -> str:
        return writers.as_html(self.grid(most=MOST))

    def cells(self, *, wide: bool = False) -> list[dict[str, str]]:
        """Title of a column -> text, for each row."""
        grid = self.grid(wide=wide)
        titles = [head.title for head in grid.heads]
        return [dict(zip(titles, [cell.text for cell in row], strict=True)) for row in grid.rows]

    def column(self, name: str) -> Column[Any]:
        """The column of this name."""
        return {column.name: column for column in self.columns}[name]

    def with_leading_columns(self, *columns: Column[Any]) -> Table:
        """The table with further columns in front, which name a row."""
        n_names = None if self.n_names is None else self.n_names + len(columns)
        return replace(self, columns=(*columns, *self.columns), n_names=n_names)

    def with_trailing_columns(self, *columns: Column[Any]) -> Table:
        """The table with further columns at its end."""
        return replace(self, columns=(*self.columns, *columns))

    def without(self, *names: str) -> Table:
        """The table without the columns of these names."""
        columns = tuple(column for column in self.columns if column.name not in names)
        return replace(self, columns=columns)


def joined(tables: Sequence[Table]) -> Table:
    """The rows of several tables, by number, in the columns that all have; without texts."""
    named = [{column.name: column for column in table.columns} for table in tables]
    columns = []
    for name, first in named[0].items():
        if not all(name in columns_of_table for columns_of_table in named):
            continue
        same_name = [columns_of_table[name] for columns_of_table in named]
        parts: dict[str, Any] = {"shown": any(column.shown for column in same_name)}
        for part in ("value", "interval", "strong", "text"):  # functions of a row: here its number
            if getattr(first, part) is not None:
                functions = [getattr(column, part) for column in same_name]
                pairs = zip(functions, tables, strict=True)
                values = [function(row) for function, table in pairs for row in table.rows]
                parts[part] = values.__getitem__
        columns.append(replace(first, **parts))
    n_rows = sum(len(table.rows) for table in tables)
    return Table(tuple(columns), range(n_rows), tables[0].n_names)


def of_values(kinds: Mapping[Kind, Mapping[str, Values]]) -> Table:
    """A table of values that are known for all rows: kind -> name of a column -> its values."""
    columns = []
    for kind, named in kinds.items():
        columns += [listed(name, kind, values) for name, values in named.items()]
    n_rows = len(next(iter(next(iter(kinds.values())).values())))
    return Table(tuple(columns), range(n_rows))


def of_frame(frame: pd.DataFrame) -> Table:
    """The table of any data frame: how its columns are shown follows from their names."""
    columns = []
    for name in frame.columns:
        values = frame[name].to_list()
        is_text = all(isinstance(value, str) for value in values)
        columns.append(listed(str(name), WORD if is_text else kind_of(str(name)), values))
    return Table(tuple(columns), range(len(frame)))
