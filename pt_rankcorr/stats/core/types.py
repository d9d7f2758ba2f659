"""Types that all statistics share: arrays, and the base of all results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.tables import NUMBER, PVALUE, WORD, Column, Shown, Table, constant, facts, joined, listed

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]
Labels: TypeAlias = tuple[str, ...]

TOLERANCE = 100 * float(np.finfo(np.float64).eps)  # a share by which equal floats may differ
T = TypeVar("T")


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


class Result(Shown):
    """A base for frozen dataclasses: a flat `to_dict()` of everything that is a single value, and what `Shown` offers.

    Results are equal if their compared fields are, nan included: subclasses say `eq=False` to inherit that. Their
    arrays are read-only.
    """

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, read_only(getattr(self, field.name)))

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind, with equal fields."""
        if type(self) is not type(other):
            return NotImplemented
        compared = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in compared)

    def __hash__(self) -> int:
        return hash((type(self), tuple((name, value) for name, value in self._scalars() if value == value)))

    def to_dict(self) -> dict[str, Any]:
        """Every field that holds a single number, word or flag, or None, under its own name, unrounded."""
        return dict(self._scalars())

    def _facts(self) -> tuple[Column[Any], ...]:
        """The single values, which are all of a result without rows."""
        return facts(self.to_dict())

    def _rows(self) -> Table | None:
        """The rows of a result that has several."""
        return None

    def table(self) -> Table:
        """Everything that is shown: rows, or single values; and the sentences above and below."""
        rows = self._rows()
        table = Table(self._facts(), [self], upright=True) if rows is None else rows
        return replace(table, answer=self._answer(), notes=(self._note(),))

    def _answer(self) -> str:
        """The finding, in plain words."""
        return ""

    def _note(self) -> str:
        """What was computed, and how: by default the single values, below rows."""
        if type(self)._rows is Result._rows:
            return ""
        (facts,) = Table(self._facts(), [self]).cells(wide=True)
        return "; ".join(f"{title} {text}" for title, text in facts.items())

    def _scalars(self) -> Iterator[tuple[str, Any]]:
        """Name and value of each field that holds a single value or None; numpy's scalars as Python's."""
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.generic):
                value = value.item()
            if value is None or isinstance(value, (bool, int, float, str)):
                yield field.name, value


class ByMeasure(Shown, dict[str, Any]):
    """Results of one statistic by measure: a dict that shows itself as one table, with the measure in front."""

    def _picture_names(self) -> tuple[str, ...]:
        """Those of several such results, then those of one."""
        names = next(iter(self.values()))._picture_names()
        return (*(f"{name}s" for name in names), *names)

    def table(self) -> Table:
        """One row per measure where results have one statistic; else all their rows."""
        table: Table = joined([_of_measure(*item) for item in self.items()])
        known = [column for column in table.columns if any(column.value(row) is not None for row in table.rows)]
        notes = {result._note() for result in self.values()}
        answers = [f"{name}: {answer}" for name, result in self.items() if (answer := result._answer())]
        return replace(
            table, columns=tuple(known), answer="\n".join(answers), notes=tuple(notes) if len(notes) == 1 else ()
        )

    def to_frame(self) -> pd.DataFrame:
        """All rows of all measures, unrounded."""
        return joined([result.table().led_by(constant("measure", name)) for name, result in self.items()]).to_frame()


def _of_measure(measure: str, result: Result) -> Table:
    facts = result._facts()
    single = any(column.name == "statistic" for column in facts)
    return (Table(facts, [result]) if single else result.table()).led_by(constant("measure", measure))


class cached_property(functools.cached_property[T]):  # as that of functools
    """A property that is computed once; an array is read-only, as all who ask get the same."""

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(functools.wraps(func)(lambda owner: read_only(func(owner))))


def read_only(value: T) -> T:
    """A view of an array, as what a result holds may be somebody else's, too; anything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.setflags(write=False)
    return view


def _equal(value: object, other: object) -> bool:
    if isinstance(value, (float, np.ndarray)) and isinstance(other, (float, np.ndarray)):
        return np.array_equal(value, other, equal_nan=np.asarray(value).dtype.kind == "f")
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(_equal(value[name], other[name]) for name in value)
    if isinstance(value, tuple) and isinstance(other, tuple):
        return len(value) == len(other) and all(map(_equal, value, other))
    return bool(value == other)


class TestResult(Result):
    """A result that unpacks as `(statistic, pvalue)`, like those of scipy."""

    __test__ = False  # the name begins as those of test classes do

    statistic: float
    pvalue: float

    def __iter__(self) -> Iterator[float]:
        yield self.statistic
        yield self.pvalue

    def __getitem__(self, index: int) -> float:
        return (self.statistic, self.pvalue)[index]

    def __len__(self) -> int:
        return 2


def pair_table(systems: Labels, differences: Floats, pvalues: Floats, alpha: float = ALPHA) -> Table:
    """One row a pair whose p-value is known, the better system first, by p-value and then by difference."""
    first, second = np.nonzero(np.triu(~np.isnan(pvalues), k=1))
    worse_first = differences[first, second] < 0
    better, worse = np.where(worse_first, second, first), np.where(worse_first, first, second)
    order = np.lexsort((-differences[better, worse], pvalues[better, worse]))
    better, worse = better[order], worse[order]
    names = np.array(systems, dtype=object)
    is_small = pvalues[better, worse] <= alpha
    columns = (
        listed("system", WORD, names[better]),
        listed("other", WORD, names[worse]),
        listed("difference", NUMBER, differences[better, worse]),
        listed("p-value", PVALUE, pvalues[better, worse], strong=is_small.__getitem__),
    )
    return Table(columns, range(len(order)))
