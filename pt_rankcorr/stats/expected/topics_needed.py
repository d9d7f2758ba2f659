"""How many topics a ranking needs, and where that number may lie.

What is needed depends on how far apart the true means are, which the topics at hand tell roughly. So each draw of the
true means is asked how many topics it needs. Of N topics, those two systems swap whose means differ by d and whose
difference over the n topics at hand has the standard error s with the probability Phi(-|d| / s sqrt(N / n)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtr

from pt_rankcorr.defaults import CHECKED, LEVEL
from pt_rankcorr.stats.coefficients.coefficient import Kernel
from pt_rankcorr.stats.core import arguments, means
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, cached_property
from pt_rankcorr.tables import COUNT, UNDEFINED, Shown, Table, constant, facts

Draws: TypeAlias = Callable[[], Floats]  # how many topics draws of the true means need

MOST_TOPICS = 2.0**40  # beyond, a target counts as out of reach
HALVINGS = 16  # of the range of log2 N: to half of a thousandth
CELLS = 2**22  # of draws by pairs: of many systems, fewer draws tell
FEWEST_DRAWS = 80
CELLS_AT_ONCE = 2**16  # which stay in the cache
SIMULATED = 100, 30  # draws of the truth, and of noise, of a coefficient that has no closed form
CLOSED_FORMS = frozenset({"tau", "tau_ap", "tau_gap"})


class TopicsNeeded(Shown, float):
    """A number of topics, the estimate itself, with the interval in which it may lie.

    Attributes:
        estimate: The number itself.
        low: The low end of its 95% interval.
        high: The high end, which may be inf.
    """

    _draws: Draws
    _target: float
    _n_topics: int

    def __new__(cls, estimate: float, draws: Draws, target: float, n_topics: int) -> TopicsNeeded:
        needed = super().__new__(cls, estimate)
        needed._draws, needed._target, needed._n_topics = draws, target, n_topics
        return needed

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self._draws, self._target, self._n_topics

    @property
    def estimate(self) -> float:
        return float(self)

    @property
    def low(self) -> float:
        return self.confidence_interval().low

    @property
    def high(self) -> float:
        return self.confidence_interval().high

    def confidence_interval(self, level: float = LEVEL) -> ConfidenceInterval:
        """The quantiles of what draws of the true means need, widened to hold the estimate; whole numbers, or inf."""
        tail = (1.0 - arguments.share("level", level)) / 2.0
        low, high = np.quantile(self._needed_by_draws, (tail, 1.0 - tail), method="inverted_cdf")
        return ConfidenceInterval(float(min(low, self)), float(max(high, self)))

    @cached_property
    def _needed_by_draws(self) -> Floats:
        return np.array([math.nan]) if math.isnan(self) else self._draws()

    def table(self, level: float = LEVEL) -> Table:
        """One row: the number with its interval, marked where it is extrapolated far."""
        needed = constant(
            "topics_needed",
            float(self),
            COUNT,
            f"topics for {self._target:g}",
            interval=lambda _: self.confidence_interval(level),
            ends=("topics_needed_low", "topics_needed_high"),
            text=lambda _: UNDEFINED if math.isnan(self) else self._text(level),
        )
        aim = (
            f"Topics for {self._target:g}: the smallest number of topics with an expected correlation of "
            f"{self._target:g}, with a {level:.0%} interval."
        )
        far = f"* Beyond {CHECKED * self._n_topics} topics it is extrapolated further than simulations have checked."
        settings = facts({"level": level, "target": self._target}, shown=False)
        return Table((needed, *settings), [self], notes=(aim, *[far] * self._is_far))

    @property
    def _is_far(self) -> bool:
        return CHECKED * self._n_topics < self < math.inf

    def _text(self, level: float) -> str:
        low, high = self.confidence_interval(level)
        return f"{float(self):.0f}{'' if math.isnan(low) else f' [{low:.0f}, {high:.0f}]'}{'*' * self._is_far}"

    def __repr__(self) -> str:
        return self._text(LEVEL)

    def __format__(self, spec: str) -> str:
        """Without a format, the number and its interval, for sentences."""
        return float.__format__(self, spec) if spec else repr(self)


def topics_of_draws(coefficient: str, truths: Floats, errors: Floats, n_topics: int, target: float) -> Floats:
    """How many topics each draw of the true means needs for an expected correlation: whole numbers, or inf.

    By draws of shape (n_draws, n_systems), and the standard error of each pair's difference over the n topics at hand.
    """
    first, second = np.triu_indices(truths.shape[1], 1)
    some = truths[: max(FEWEST_DRAWS, CELLS // first.size)]
    deviations = errors[first, second] * math.sqrt(n_topics)
    step, numbers = max(1, CELLS_AT_ONCE // first.size), []
    for start in range(0, len(some), step):
        block = some[start : start + step]
        gaps = np.abs(block[:, first] - block[:, second])
        sure = np.where(gaps > 0.0, np.inf, 0.0)  # without noise a difference is known
        z = np.divide(gaps, deviations, out=sure, where=deviations > 0.0)
        reached = partial(_reached, z, _weights(coefficient, block, gaps), target)
        numbers.append(_first_reached(reached, len(block)))
    return np.concatenate(numbers)


def _reached(z: Floats, weights: Floats, target: float, exponents: Floats) -> Any:
    swapped = ndtr(-z * np.sqrt(np.exp2(exponents))[:, np.newaxis])
    return 1.0 - 2.0 * (weights * swapped).sum(axis=1) >= target


def topics_by_simulation(kernel: Kernel, truths: Floats, noise: Floats, n_topics: int, target: float) -> Floats:
    """The same of any coefficient, by means over some draws of the noise of n topics, shape (n_draws, n_systems)."""
    n_truths, n_noises = SIMULATED
    some, errors = truths[:n_truths, np.newaxis], noise[-n_noises:]

    def reached(exponents: Floats) -> Any:
        sizes = np.sqrt(n_topics / np.exp2(exponents))[:, np.newaxis, np.newaxis]
        correlations = kernel(np.broadcast_to(some, (len(some), *errors.shape)), some + errors * sizes)
        return np.nan_to_num(correlations).mean(axis=1) >= target

    return _first_reached(reached, len(some))


def _first_reached(reached: Callable[[Floats], Any], n_draws: int) -> Floats:
    """The first whole numbers at which it is, given log2 of numbers of topics, shape (n_draws,)."""
    low, high = np.zeros(n_draws), np.full(n_draws, math.log2(MOST_TOPICS))
    out_of_reach, at_once = ~reached(high), reached(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        enough = reached(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(out_of_reach, np.inf, np.where(at_once, 1.0, np.ceil(np.exp2(high))))


def _weights(coefficient: str, truths: Floats, gaps: Floats) -> Floats:
    """What the swap of each pair costs, as a share of the coefficient: shape (n_draws, n_pairs).

    By the true ranking, though tau_AP and tau_GAP go by the measured one: near the target both are alike. Of tau_GAP,
    the mean of what it costs to measure the better system too low, and the worse one too high.
    """
    n_systems = truths.shape[1]
    first, second = np.triu_indices(n_systems, 1)
    if coefficient == "tau":
        return np.broadcast_to(1.0 / first.size, gaps.shape)
    place = means.ranks(truths)
    if coefficient == "tau_ap":
        return np.asarray(1.0 / (np.maximum(place[:, first], place[:, second]) - 1.0) / (n_systems - 1.0))
    # for each system the sum of its gaps from those above it
    order = np.argsort(-truths, axis=1)
    ranked, above = np.take_along_axis(truths, order, axis=1), np.empty_like(truths)
    places = np.arange(1, n_systems + 1)
    np.put_along_axis(above, order, np.maximum(np.cumsum(ranked, axis=1) - places * ranked, 0.0), axis=1)
    ends = np.sort(np.stack([above[:, first], above[:, second]]), axis=0)
    worse = np.divide(gaps, ends[1], out=np.zeros_like(gaps), where=gaps > 0.0)
    better = np.divide(gaps, ends[0] + gaps, out=np.zeros_like(gaps), where=gaps > 0.0)
    return np.asarray((worse + better) / 2.0 / (n_systems - 1.0))
