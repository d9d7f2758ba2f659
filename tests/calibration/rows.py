"""A row of the table: what was promised, what was found, and whether the one is compatible with the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, t

Floats = NDArray[np.float64]
Value = float | tuple[float, float]
Estimate = tuple[float, float, float]  # found, and its bounds
Key = tuple[str, str, str, int, int]  # function, settings, data, systems, topics


@dataclass(frozen=True)
class Kind:
    """What a row is about.

    Attributes:
        name: As the table shows it.
        estimate: Takes the values of all repetitions and the error rate of the bounds.
        verdicts: What it is called if it is below, and above, what was promised.
    """

    name: str
    estimate: Callable[[Floats, float], Estimate]
    verdicts: tuple[str, str]


def share_of_repetitions(values: Floats, error: float) -> Estimate:
    """A share of yes among yes and no, with its exact bounds (Clopper and Pearson 1934)."""
    n, yes = len(values), int(values.sum())
    low = float(beta.ppf(error / 2, yes, n - yes + 1)) if yes > 0 else 0.0
    high = float(beta.ppf(1 - error / 2, yes + 1, n - yes)) if yes < n else 1.0
    return yes / n, low, high


def mean_over_repetitions(values: Floats, error: float) -> Estimate:
    """A mean, with the bounds of Student's t."""
    return _with_bounds(float(values.mean()), values, error)


def ratio_to_true_spread(values: Floats, error: float) -> Estimate:
    """The mean of the second value, a standard error, as a ratio to the standard deviation of the first."""
    statistic, claimed = values.T
    spread = float(statistic.std(ddof=1))
    ratio = float(claimed.mean()) / spread
    # by how much each repetition moves the logarithm of the ratio
    influence = claimed / claimed.mean() - ((statistic - statistic.mean()) / spread) ** 2 / 2
    return _with_bounds(ratio, ratio * influence, error)


def _with_bounds(found: float, values: Floats, error: float) -> Estimate:
    """Of a mean of independent values."""
    margin = float(t.isf(error / 2, len(values) - 1) * values.std(ddof=1)) / math.sqrt(len(values))
    return found, found - margin, found + margin


LEVEL = Kind("level", share_of_repetitions, ("conservative", "liberal"))
MEAN_LEVEL = Kind("mean level", mean_over_repetitions, ("conservative", "liberal"))
COVERAGE = Kind("coverage", share_of_repetitions, ("liberal", "conservative"))
MEAN_COVERAGE = Kind("mean coverage", mean_over_repetitions, ("liberal", "conservative"))
BIAS = Kind("mean", mean_over_repetitions, ("too low", "too high"))
SPREAD = Kind("ratio to the true spread", ratio_to_true_spread, ("too low", "too high"))
KINDS = {kind.name: kind for kind in (LEVEL, MEAN_LEVEL, COVERAGE, MEAN_COVERAGE, BIAS, SPREAD)}
WITHIN, ROUNDING = "within", 1e-9


@dataclass(frozen=True)
class Row:
    """What is promised.

    Attributes:
        what: The function.
        settings: How it was called, or which part of its result this is.
        kind: The kind of promise.
        nominal: What the level, the coverage or the mean ought to be.
    """

    what: str
    settings: str
    kind: Kind
    nominal: float


def level(what: str, settings: str = "") -> Row:
    return Row(what, settings, LEVEL, 0.05)


def coverage(what: str, settings: str = "") -> Row:
    return Row(what, settings, COVERAGE, 0.95)


def bias(what: str, settings: str = "", nominal: float = 0.0) -> Row:
    return Row(what, settings, BIAS, nominal)


def verdict(kind: Kind, nominal: float, low: float, high: float) -> str:
    """What was promised, seen from the bounds of what was found."""
    if high < nominal - ROUNDING:
        return kind.verdicts[0]
    return kind.verdicts[1] if low > nominal + ROUNDING else WITHIN


@dataclass(frozen=True)
class Found:
    """What came out; all that the table shows, and nothing that is not a number, a word or a flag.

    Attributes:
        low: The bounds of this row: one row in a hundred misses by chance.
        high: As above.
        repetitions: Those in which the value is defined.
        surely: Whether it deviates even by bounds that all rows of the table keep together.
    """

    part: str
    what: str
    settings: str
    data: str
    n_systems: int
    n_topics: int
    kind: str
    nominal: float
    found: float
    low: float
    high: float
    repetitions: int
    surely: bool

    @property
    def key(self) -> Key:
        """Tells rows apart."""
        return self.what, self.settings, self.data, self.n_systems, self.n_topics

    @property
    def name(self) -> str:
        """Tells rows apart as well; known deviations are patterns of it."""
        return " | ".join([self.what, self.settings, self.data, self.size])

    @property
    def size(self) -> str:
        """Systems x topics, where there are both."""
        if self.n_systems and self.n_topics:
            return f"{self.n_systems} x {self.n_topics}"
        return f"{self.n_systems} systems" if self.n_systems else f"{self.n_topics} topics"

    @property
    def verdict(self) -> str:
        return verdict(KINDS[self.kind], self.nominal, self.low, self.high)


def defined(values: Sequence[Value]) -> Floats:
    """The values of repetitions that have one."""
    array = np.array(values, dtype=np.float64)
    return array[np.isfinite(array.reshape(len(array), -1)).all(axis=1)]


def estimate(row: Row, values: Floats, error: float) -> Estimate:
    """What was found, with bounds that miss at an error rate; nan where there is next to nothing."""
    return row.kind.estimate(values, error) if len(values) > 1 else (math.nan, math.nan, math.nan)
