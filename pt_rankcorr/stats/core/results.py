"""What results of statistics have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from pt_rankcorr.numbers import fact
from pt_rankcorr.showing import Shown

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


class Result(Shown):
    """A base for frozen dataclasses: a flat `to_dict()` of everything that is a single value, and what `Shown` offers.

    Results of several rows say in `_columns` what these hold. Results are equal if their compared fields are, nan
    included. Subclasses say `eq=False` to inherit that. Their arrays are read-only.
    """

    _picture_of_several: ClassVar[str | None] = None  # as `_picture`, of results by measure, where that is another

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
        """Every field that holds a single number, word or flag, under its own name, unrounded."""
        return dict(self._scalars())

    def to_frame(self) -> pd.DataFrame:
        """Everything as a table, unrounded: one row, unless the result has several."""
        import pandas as pd

        columns = self._columns()
        return pd.DataFrame([self._facts()] if columns is None else dict(columns))

    def _facts(self) -> dict[str, Any]:
        """What is single, and all there is to show of a result of one row."""
        return self.to_dict()

    def _columns(self) -> Mapping[str, Any] | None:
        """Name of a column -> its values, where the result has rows."""
        return None

    def _table(self) -> Mapping[str, Any]:
        columns = self._columns()
        if columns is not None:
            return columns
        facts = self._facts()
        return {"": list(facts), "value": [fact(name, value) for name, value in facts.items()]}

    def _note(self) -> str:
        if self._columns() is None:
            return ""
        return "; ".join(f"{name} {fact(name, value)}" for name, value in self._facts().items())

    def _scalars(self) -> Iterator[tuple[str, Any]]:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.generic):
                value = value.item()
            if value is None or isinstance(value, (bool, int, float, str)):
                yield field.name, value


class ByMeasure(Shown, dict[str, Any]):
    """Results of one statistic by measure: a dict that shows itself as one table, with the measure in front."""

    @property
    def _picture(self) -> str | None:  # type: ignore[override]
        first: Result = next(iter(self.values()))
        return first._picture_of_several or first._picture

    def _table(self) -> Mapping[str, Any]:
        """One row a measure where results have one statistic; else all their rows."""
        rows = [_with_measure(measure, result) for measure, result in self.items()]
        joined = {name: [value for part in rows for value in part[name]] for name in rows[0]}
        return {name: values for name, values in joined.items() if any(value is not None for value in values)}

    def to_frame(self) -> pd.DataFrame:
        """All rows of all measures, unrounded."""
        import pandas as pd

        frames: dict[str, pd.DataFrame] = {measure: result.to_frame() for measure, result in self.items()}
        for measure, frame in frames.items():
            frame.insert(0, "measure", measure)
        return pd.concat(list(frames.values()), ignore_index=True)


def _with_measure(measure: str, result: Result) -> dict[str, Any]:
    facts, columns = result._facts(), result._columns()
    if columns is None or "statistic" in facts:
        return {"measure": [measure]} | {name: [value] for name, value in facts.items()}
    return {"measure": [measure] * len(next(iter(columns.values())))} | dict(columns)


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
    return bool(value == other)


class TestResult(Result):
    """A result that unpacks as `(statistic, pvalue)`, as those of scipy do."""

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
