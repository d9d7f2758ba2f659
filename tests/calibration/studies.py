"""A study of the calibration: what is promised, a function that tries it once, and what came out."""

import math
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, t

from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning

Floats = NDArray[np.float64]
Value = float | tuple[float, float]
T = TypeVar("T")
Estimate = tuple[float, float, float]  # the figure and its bounds

SEED = 2025
ROW_ERROR = 0.01  # how often the bounds of a row miss
SURE_ERROR = 0.05 / 1400  # and the wider ones that all rows of the table keep together
WITHIN, ROUNDING = "within", 1e-9


# --- kinds of promises ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A kind of promise."""

    name: str  # as the table shows it
    estimate: Callable[[Floats, float], Estimate]  # takes the values of all repetitions, and how often bounds miss
    verdicts: tuple[str, str]  # if the figure is below, and above, what was promised

    def verdict(self, nominal, low, high):
        if high < nominal - ROUNDING:
            return self.verdicts[0]
        return self.verdicts[1] if low > nominal + ROUNDING else WITHIN


def share_of_repetitions(values, error):
    """A share of 1 among 0 and 1, with its exact bounds (Clopper and Pearson 1934)."""
    n, yes = len(values), int(values.sum())
    low = float(beta.ppf(error / 2, yes, n - yes + 1)) if yes > 0 else 0.0
    high = float(beta.ppf(1 - error / 2, yes + 1, n - yes)) if yes < n else 1.0
    return yes / n, low, high


def mean_over_repetitions(values, error):
    """A mean, with the bounds of Student's t."""
    return _with_bounds(float(values.mean()), values, error)


def ratio_to_true_spread(values, error):
    """The mean of the second value, a standard error, over the standard deviation of the first."""
    statistic, claimed = values.T
    spread = float(statistic.std(ddof=1))
    ratio = float(claimed.mean()) / spread
    # by how much each repetition moves the logarithm of the ratio
    influence = claimed / claimed.mean() - ((statistic - statistic.mean()) / spread) ** 2 / 2
    return _with_bounds(ratio, ratio * influence, error)


def _with_bounds(figure, values, error):
    margin = float(t.isf(error / 2, len(values) - 1) * values.std(ddof=1)) / math.sqrt(len(values))
    return figure, figure - margin, figure + margin


LEVEL = Kind("level", share_of_repetitions, ("conservative", "liberal"))
MEAN_LEVEL = Kind("mean level", mean_over_repetitions, ("conservative", "liberal"))
COVERAGE = Kind("coverage", share_of_repetitions, ("liberal", "conservative"))
MEAN_COVERAGE = Kind("mean coverage", mean_over_repetitions, ("liberal", "conservative"))
BIAS = Kind("mean", mean_over_repetitions, ("too low", "too high"))
POWER = Kind("power", share_of_repetitions, (WITHIN, WITHIN))  # of no nominal value: it is only told
SPREAD = Kind("ratio to the true spread", ratio_to_true_spread, ("too low", "too high"))


@dataclass(frozen=True)
class Row:
    """A promise: of which function, called how, and what the level, the coverage or the mean ought to be."""

    what: str
    settings: str
    kind: Kind
    nominal: float


def level(what, settings=""):
    return Row(what, settings, LEVEL, 0.05)


def coverage(what, settings=""):
    return Row(what, settings, COVERAGE, 0.95)


def bias(what, settings="", nominal=0.0):
    return Row(what, settings, BIAS, nominal)


# --- studies ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """A line of the table: a promise, where it was tried, the figure, its bounds and the repetitions that have one."""

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
    verdict: str
    surely: str  # "yes" if it deviates even by the wider bounds

    @property
    def name(self):
        """Tells rows apart; known deviations are patterns of it."""
        return result_name(self.what, self.settings, self.data, self.n_systems, self.n_topics)


def result_name(what, settings, data, n_systems, n_topics):
    if n_systems and n_topics:
        size = f"{n_systems} x {n_topics}"
    else:
        size = f"{n_systems} systems" if n_systems else f"{n_topics} topics"
    return " | ".join([what, settings, data, size])


@dataclass(frozen=True)
class Study:
    """Rows that are computed from the same draws."""

    part: str  # of the table
    data: str  # what it is drawn from
    size: tuple[int, int]  # systems and topics
    rows: tuple[Row, ...]
    trial: Callable[[np.random.Generator], Sequence[Value]]  # a value for each row; nan where it is undefined
    repetitions: int  # in a full run

    @property
    def names(self):
        """Of its rows."""
        return [result_name(row.what, row.settings, self.data, *self.size) for row in self.rows]

    @property
    def name(self):
        return f"{self.part} / {self.data} / {self.size[0]} x {self.size[1]} / {self.rows[0].settings}"

    def run(self, repetitions):
        """A result a row."""
        values = repeat(self.trial, SEED, self.name, repetitions)
        return [self.result(row, of_row) for row, of_row in zip(self.rows, zip(*values, strict=True), strict=True)]

    def result(self, row, values):
        """Of the values of a row in all repetitions: those that are defined."""
        array = np.array(values, dtype=np.float64)
        array = array[np.isfinite(array.reshape(len(array), -1)).all(axis=1)]
        figures, surely = (math.nan,) * 3, False
        if len(array) > 1:
            figures = row.kind.estimate(array, ROW_ERROR)
            surely = row.kind.verdict(row.nominal, *row.kind.estimate(array, SURE_ERROR)[1:]) != WITHIN
        verdict = row.kind.verdict(row.nominal, *figures[1:])
        where = self.part, row.what, row.settings, self.data, *self.size, row.kind.name, row.nominal
        return Result(*where, *(round(figure, 5) for figure in figures), len(array), verdict, "yes" if surely else "")


def repeat(trial, seed, name, repetitions):
    """The values of each repetition, which has a generator of its own."""
    key = [seed, zlib.crc32(name.encode())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        warnings.simplefilter("ignore", UnreliableResultWarning)
        return [trial(np.random.default_rng([*key, number])) for number in range(repetitions)]


def rejected(pvalue):
    """1 if a test at .05 rejects, 0 if not; nan where it is undefined."""
    return math.nan if math.isnan(pvalue) else float(pvalue <= 0.05)


def covered(interval, truth):
    """1 if an interval holds the truth, 0 if not; nan where either is undefined."""
    low, high = interval
    return math.nan if math.isnan(low + high + truth) else float(low <= truth <= high)
