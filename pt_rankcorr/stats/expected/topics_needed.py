"""How many topics a ranking needs, and where that number may lie.

Each draw of the true means is asked how well N topics would rank its systems. Let d be the
difference of two true means, and s the standard deviation of the difference on single topics: N
topics swap the two with probability Phi(-|d| / s sqrt(N)). That is computed where N is a power of
two; between these, 1 less the expected correlation is about a power of N.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtr

from pt_rankcorr.defaults import CHECKED_MULTIPLE, LEVEL
from pt_rankcorr.display import Displayable
from pt_rankcorr.stats.coefficients.coefficient import Kernel
from pt_rankcorr.stats.core import arguments, means
from pt_rankcorr.stats.core.types import TINY, ConfidenceInterval, Floats, cached_property

# a function that computes how many topics each draw of the true means needs
Draws: TypeAlias = Callable[[], Floats]

# log2 of numbers of topics; beyond the last, a target counts as out of reach.
LOG_TOPICS = np.arange(0.0, 41.0)
# log2 of |d| / s, differences of true means in deviations on single topics: 8 to a power of two.
LOG_GAPS = np.arange(-24.0, 4.0, 0.125)
# The probability Phi(-|d| / s sqrt(N)) that N topics swap two systems: a table (n_gaps, n_numbers),
# between whose rows is interpolated. The first gap stands for all smaller ones, also for 0.
SWAPPED = ndtr(-np.exp2(np.append(-np.inf, LOG_GAPS[1:])[:, np.newaxis] + LOG_TOPICS / 2.0))
# The fewest draws of the true means, which are enough with many systems. Chosen, not tuned.
FEWEST_DRAWS = 80


class TopicsNeeded(Displayable, float):
    """A number of topics with the interval in which it may lie.

    Attributes:
        estimate: The number itself.
        low, high: The ends of its interval at the usual level; `high` may be inf.
        coefficient, target: Of which coefficient, and which expected value, the topics are needed.
        n_topics: The number of topics that the estimate is made from.
    """

    _draws: Draws
    coefficient: str
    target: float
    n_topics: int

    def __new__(
        cls, estimate: float, draws: Draws, coefficient: str, target: float, n_topics: int
    ) -> TopicsNeeded:
        needed = super().__new__(cls, estimate)
        needed._draws, needed.n_topics = draws, n_topics
        needed.coefficient, needed.target = coefficient, target
        return needed

    def __getnewargs__(self) -> tuple[Any, ...]:
        """The arguments of `__new__`, for copies and pickles: a float alone would lose others."""
        return float(self), self._draws, self.coefficient, self.target, self.n_topics

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
        """The quantiles of what draws need, widened to hold the estimate; whole numbers, or inf."""
        tail = (1.0 - arguments.share("level", level)) / 2.0
        low, high = np.quantile(self._needed_by_draws, (tail, 1.0 - tail), method="inverted_cdf")
        return ConfidenceInterval(float(min(low, self)), float(max(high, self)))

    @cached_property
    def _needed_by_draws(self) -> Floats:
        """How many topics each draw of the true means needs, shape (n_draws,)."""
        return np.array([math.nan]) if math.isnan(self) else self._draws()

    @property
    def is_far(self) -> bool:
        """Whether it is beyond the numbers of topics that simulations have checked."""
        return CHECKED_MULTIPLE * self.n_topics < self < math.inf

    def rounded(self, level: float = LEVEL) -> str:
        """The number and its interval in two digits; one for ends with much Monte Carlo error."""
        far, needed, tail = "*" * self.is_far, self._needed_by_draws, (1.0 - level) / 2.0
        number = _shown(_rounded(float(self), 2))
        if math.isnan(needed[0]):
            return f"{number}{far}"
        # the Monte Carlo error of the share of draws below an end
        ends, error = [], math.sqrt(tail * (1.0 - tail) / needed.size)
        low, high = self.confidence_interval(level)
        for end, share in ((low, tail), (high, 1.0 - tail)):
            around = np.clip((share - error, share + error), 0.0, 1.0)
            # The end, less and plus its standard error. Ends by a dozen seeds, about normal, range
            # over 3.3 of these: if that is more than a unit of the second digit, only one is shown.
            near = np.quantile(needed, around, method="inverted_cdf")
            spread = 3.3 * (near[1] - near[0]) / 2.0 if math.isfinite(near[1]) else 0.0
            digits = 1 if spread > _unit(end, 2) else 2
            # beyond 100 000 an end is shown as no more than that
            ends.append(_rounded(end if self == math.inf else min(end, 200_000.0), digits))
        # one digit does not put the number outside
        ends = [min(ends[0], _rounded(float(self), 2)), max(ends[1], _rounded(float(self), 2))]
        return f"{number} [{', '.join(map(_shown, ends))}]{far}"

    def __repr__(self) -> str:
        return self.rounded()

    def __format__(self, spec: str) -> str:
        """Without a format, the number and its interval, for sentences."""
        return float.__format__(self, spec) if spec else repr(self)


def _unit(number: float, digits: int) -> float:
    """The unit of the last of `digits` significant digits, at least 1."""
    if not 0.0 < number < math.inf:
        return 1.0
    exponent = math.floor(math.log10(number)) - digits + 1
    return float(10.0 ** max(exponent, 0))


def _rounded(number: float, digits: int) -> float:
    """The number in `digits` significant digits, or to a whole number."""
    unit = _unit(number, digits)
    return round(number / unit) * unit if math.isfinite(number) else number


def _shown(number: float) -> str:
    """The number as text; large ones say no more than that they are large."""
    return ">100000" if 100_000 < number < math.inf else f"{number:.0f}"


# --- how much N topics fall short -----------------------------------------------------------------


def shortfalls_of_draws(coefficient: str, truths: Floats, errors: Floats, n_topics: int) -> Floats:
    """1 less the expected correlation of draws of the true means with a ranking on 2^k topics.

    From truths of shape (n_draws, m), and the standard errors of differences of pairs over the
    topics at hand, (m, m); of shape (n_draws, size of LOG_TOPICS), for the first draws alone if
    these have more than 2^25 pairs in all.
    """
    # s of each pair, (n_pairs,): the standard error of its mean difference times sqrt(n)
    first, second = np.triu_indices(truths.shape[1], 1)
    some = truths[: max(FEWEST_DRAWS, 2**25 // first.size)]
    deviations = errors[first, second] * math.sqrt(n_topics)
    # 2^16 cells at a time stay in the cache
    step, last = max(1, 2**16 // first.size), LOG_GAPS.size - 1
    shortfalls = np.empty((len(some), LOG_TOPICS.size))
    for start in range(0, len(some), step):
        block = some[start : start + step]
        gaps = np.abs(block[:, first] - block[:, second])
        # (n_draws of the block, n_pairs): the place of |d| / s among LOG_GAPS, eight to a power of
        # two. A pair without noise is never swapped, or tied for ever.
        sure = np.where(gaps > 0.0, np.inf, 0.0)
        with np.errstate(divide="ignore"):
            logs = np.log2(np.divide(gaps, deviations, out=sure, where=deviations > 0.0))
        places = np.clip((logs - LOG_GAPS[0]) * 8.0, 0.0, last - 1e-9)
        # the weight of pairs at each place of the table, shared by both places about each gap
        below = places.astype(np.intp)
        weights = _weights(coefficient, block, gaps)
        above = weights * (places - below)
        # a histogram of weights by draw and place, (n_draws, n_gaps), made by one count
        below += np.arange(len(block))[:, np.newaxis] * LOG_GAPS.size
        size = len(block) * LOG_GAPS.size
        at_places = np.bincount(below.ravel(), (weights - above).ravel(), size)
        at_places[1:] += np.bincount(below.ravel(), above.ravel(), size)[:-1]
        # 1 - E = 2 sum over pairs of weight times the probability of a swap
        shortfalls[start : start + step] = 2.0 * at_places.reshape(len(block), -1) @ SWAPPED
    return shortfalls


def shortfalls_by_simulation(
    kernel: Kernel, truths: Floats, noise: Floats, n_topics: int
) -> Floats:
    """`shortfalls_of_draws` for any coefficient, by noise of n topics, (n_draws, n_systems)."""
    # 300 draws of the truth, with 30 of the noise for each: shape (300, 30, m); chosen, not tuned
    some, errors = truths[:300, np.newaxis], noise[-30:]
    shape = (len(some), *errors.shape)
    # noise of n topics becomes that of N topics by the factor sqrt(n / N)
    sizes = np.sqrt(n_topics / np.exp2(LOG_TOPICS))
    correlations = (kernel(np.broadcast_to(some, shape), some + errors * size) for size in sizes)
    return 1.0 - np.array([np.nan_to_num(values).mean(axis=1) for values in correlations]).T


def shortfall_at(shortfalls: Floats, n_topics: float) -> float:
    """The mean of shortfalls, (n_draws, n_numbers), a power of the number between powers of two."""
    logs = np.log(np.maximum(shortfalls.mean(axis=0), TINY))
    return math.exp(float(np.interp(math.log2(n_topics), LOG_TOPICS, logs)))


def topics_to_reach(shortfalls: Floats, target: float) -> Floats:
    """The first number of topics with which each draw reaches the target, or inf: (n_draws,)."""
    # per draw, the first power of two that reaches the target, and the one before it
    reached = shortfalls <= 1.0 - target
    after = np.maximum(reached.argmax(axis=1), 1)
    draws = np.arange(len(shortfalls))
    high, low = (np.log(np.maximum(shortfalls[draws, at], TINY)) for at in (after - 1, after))
    wanted = math.log(max(1.0 - target, TINY))
    # between the two, log(shortfall) is linear in log2(N): the share of the way to the one wanted
    share = np.divide(high - wanted, high - low, out=np.ones_like(high), where=high > low)
    numbers = np.ceil(np.exp2(after - 1.0 + np.clip(share, 0.0, 1.0)) - 1e-9)
    return np.where(reached[:, 0], 1.0, np.where(reached.any(axis=1), numbers, np.inf))


def _weights(coefficient: str, truths: Floats, gaps: Floats) -> Floats:
    """What the swap of each pair costs the coefficient, as a share: shape (n_draws, n_pairs).

    By the true ranking. Of tau_GAP, the mean of what it costs to measure the better system too low,
    and the worse one too high.
    """
    n_systems = truths.shape[1]
    first, second = np.triu_indices(n_systems, 1)
    if coefficient == "tau":
        return np.broadcast_to(1.0 / first.size, gaps.shape)
    # a swap makes one system wrong above the lower one, at rank i: 1 / (i - 1) of m - 1 ranks
    place = means.ranks(truths)
    if coefficient == "tau_ap":
        lower = np.maximum(place[:, first], place[:, second])
        return np.asarray(1.0 / (lower - 1.0) / (n_systems - 1.0))
    # for each system the sum of its gaps from those above it
    order = np.argsort(-truths, axis=1)
    ranked, above = np.take_along_axis(truths, order, axis=1), np.empty_like(truths)
    sums = np.cumsum(ranked, axis=1) - np.arange(1, n_systems + 1) * ranked
    np.put_along_axis(above, order, np.maximum(sums, 0.0), axis=1)
    ends = np.sort(np.stack([above[:, first], above[:, second]]), axis=0)
    worse = np.divide(gaps, ends[1], out=np.zeros_like(gaps), where=gaps > 0.0)
    better = np.divide(gaps, ends[0] + gaps, out=np.zeros_like(gaps), where=gaps > 0.0)
    return np.asarray((worse + better) / 2.0 / (n_systems - 1.0))
