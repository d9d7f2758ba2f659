"""Types that all statistics share: arrays, and the base of all results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.display import Displayable, Drawable

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]
Labels: TypeAlias = tuple[str, ...]

# Floats that should be equal may differ by this share of their size after some hundred operations.
TOLERANCE = 100 * float(np.finfo(np.float64).eps)
# This takes the place of 0 in probabilities whose logarithm is taken, and in divisors.
TINY = 1e-300
T = TypeVar("T")


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


class Result(Displayable):
    """A base for frozen dataclasses: a flat `to_dict()`, equality, and what `Displayable` offers.

    Results are equal if their compared fields are, nan included: subclasses say `eq=False` to
    inherit that. Their arrays are read-only.
    """

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, read_only(getattr(self, field.name)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies by pickle and deepcopy have read-only arrays, too."""
        self.__dict__.update({name: read_only(value) for name, value in state.items()})

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind, with equal fields."""
        if type(self) is not type(other):
            return NotImplemented
        compared = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in compared)

    def __hash__(self) -> int:
        # without nan, each of which has a hash of its own
        known = {name: value for name, value in Result.to_dict(self).items() if value == value}
        return hash((type(self), tuple(known.items())))

    def to_dict(self) -> dict[str, Any]:
        """Every field that holds a single number, word or flag, or None, by name, unrounded."""
        single: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            # numpy's scalars become Python's
            if isinstance(value, np.generic):
                value = value.item()
            if value is None or isinstance(value, (bool, int, float, str)):
                single[field.name] = value
        return single


class ByMeasure(Displayable, dict[str, Any]):
    """Results of one statistic by measure: a dict that is shown as one table, measures in front."""

    def to_frame(self) -> pd.DataFrame:
        """All rows of all measures, unrounded."""
        from pt_rankcorr.present import frame_by_measure

        return frame_by_measure(self)


class DrawableByMeasure(ByMeasure, Drawable):
    """Results by measure, of which there is one picture."""

    def _picture_names(self) -> tuple[str, ...]:
        """The names that a picture of several such results may have, then those of one."""
        names = next(iter(self.values()))._picture_names()
        return (*(f"{name}s" for name in names), *names)


def by_measure(results: Iterable[tuple[str, Displayable]]) -> ByMeasure:
    """Results of one statistic by measure; at least one."""
    named = dict(results)
    is_drawable = isinstance(next(iter(named.values())), Drawable)
    return (DrawableByMeasure if is_drawable else ByMeasure)(named)


class cached_property(functools.cached_property[T]):
    """A property that is computed once; an array is read-only, as all callers share it."""

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(functools.wraps(func)(lambda owner: read_only(func(owner))))


def read_only(value: T) -> T:
    """A read-only view of an array; any other value is returned as it is.

    It is a view, as the array may belong to the caller, who may go on to write into it.
    """
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.setflags(write=False)
    return view


def _equal(value: object, other: object) -> bool:
    """Whether two values of a field are equal: nan equals nan, containers are equal by items."""
    if isinstance(value, (float, np.ndarray)) and isinstance(other, (float, np.ndarray)):
        return np.array_equal(value, other, equal_nan=np.asarray(value).dtype.kind == "f")
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        have_same_names = value.keys() == other.keys()
        return have_same_names and all(_equal(value[name], other[name]) for name in value)
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
