"""How many topics a paired t test needs to tell two systems apart, and which difference the topics at hand show."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import gammaincinv, ndtr, stdtrit

from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.stats.core.arguments import real_number, share
from pt_rankcorr.stats.core.means import NEGLIGIBLE
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.significance.summaries import family_of
from pt_rankcorr.text import decimals

POWER = 0.8
MOST_TOPICS = 2**60  # beyond, a difference counts as out of reach
NODES = np.linspace(-7.0, 7.0, 113)  # of the trapezoidal rule, over normal quantiles
WEIGHTS = np.exp(-(NODES**2) / 2.0) / np.exp(-(NODES**2) / 2.0).sum()


@dataclass(frozen=True, eq=False)
class TopicsToDetect(Result):
    """The number of topics that a paired t test needs.

    Attributes:
        topics_needed: The least number of topics at which the test detects the difference; a whole number, or inf.
        difference: The true difference of two means.
        detectable_difference: The least difference that as many topics as there are detect.
        standard_deviation: Of the difference of two systems over topics, pooled over all pairs.
        power: The probability to detect the difference.
        alpha: The significance level.
        n_topics, n_systems: How many there are.
    """

    topics_needed: float
    difference: float
    detectable_difference: float
    standard_deviation: float
    power: float
    alpha: float
    n_topics: int
    n_systems: int

    def _answer(self) -> str:
        return (
            f"A paired t test needs {self.topics_needed:.0f} topics to detect a true difference of "
            f"{decimals(self.difference, 3)} with a probability of {decimals(self.power)}; {self.n_topics} topics "
            f"detect {decimals(self.detectable_difference, 3)}."
        )


def topics_to_detect(
    scores: ArrayLike, difference: float, *, power: float = POWER, alpha: float = ALPHA
) -> TopicsToDetect:
    """How many topics a paired t test needs to detect a true difference between two systems.

    The variance of the difference of two systems over topics is pooled over all pairs of systems: it is twice the
    residual variance of a two-way analysis of variance, of topics and systems. The test is two-sided, and of one pair:
    it is not corrected for the number of pairs. Pairs whose difference varies more than the pooled one need more
    topics.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 2 topics.
        difference: The true difference of two means, above 0.
        power: The probability to detect it, above `alpha`.
        alpha: The significance level, between 0 and 1.

    Returns:
        The number of topics, and the least difference that as many topics as there are detect.

    Raises:
        TypeError, ValueError: If the scores are no matrix of at least 2 topics and 2 systems or not finite, or a number
            is out of its range.

    References:
        Sakai, "Topic set size design", Information Retrieval Journal 19(3), 2016, section 3.

    Example:
        Differences of half of their standard deviation are a medium effect (Cohen): 34 topics, as tables have it.

        >>> result = topics_to_detect([[0.1, 0.2], [0.2, 0.5], [0.3, 0.8]], difference=0.1)
        >>> round(result.standard_deviation, 4), result.topics_needed
        (0.2, 34.0)
    """
    matrix = family_of(scores, min_topics=2).matrix
    gap, power, alpha = real_number("difference", difference), share("power", power), share("alpha", alpha)
    if not 0.0 < gap < math.inf:
        raise ValueError(f"`difference` must be above 0 and finite, got {gap}.")
    if power <= alpha:
        raise ValueError(f"`power` must be above `alpha`, {alpha}, got {power}.")
    deviation = pooled_deviation(matrix)
    low, high = 1, 2  # two topics are the fewest
    while deviation > 0.0 and high < MOST_TOPICS and power_of_t_test(gap / deviation, high, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = power_of_t_test(gap / deviation, middle, alpha) >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return TopicsToDetect(
        topics_needed=float(high) if high < MOST_TOPICS else math.inf,
        difference=gap,
        detectable_difference=detectable_difference(matrix, alpha, power),
        standard_deviation=deviation,
        power=power,
        alpha=alpha,
        n_topics=matrix.shape[0],
        n_systems=matrix.shape[1],
    )


def detectable_difference(matrix: Floats, alpha: float, power: float = POWER) -> float:
    """The least true difference that a paired t test on these topics detects; 0 where no difference varies."""
    n_topics, high = len(matrix), 1.0
    if power <= alpha:
        return 0.0
    while power_of_t_test(high, n_topics, alpha) < power:
        high *= 2.0
    effect = brentq(lambda effect: power_of_t_test(effect, n_topics, alpha) - power, 0.0, high)
    return pooled_deviation(matrix) * float(effect)


def pooled_deviation(matrix: Floats) -> float:
    """Of the difference of two systems, over all pairs: the root of their mean variance, 0 but for rounding errors."""
    residuals = matrix - matrix.mean(axis=1, keepdims=True)
    residuals -= residuals.mean(axis=0)
    freedom = (matrix.shape[0] - 1) * (matrix.shape[1] - 1)
    deviation = math.sqrt(2.0 * float((residuals**2).sum()) / freedom)
    return deviation if deviation > NEGLIGIBLE * np.abs(matrix).max() else 0.0


def power_of_t_test(effect: float, n_topics: int, alpha: float) -> float:
    """The probability that the two-sided test detects a difference of so many standard deviations.

    It is the mean, over the chi distribution of the estimated deviation, of that of a normal mean. (The noncentral t
    distribution of scipy, by which statsmodels computes it, fails for few topics and low levels.)
    """
    freedom = n_topics - 1.0
    deviations = np.sqrt(2.0 * gammaincinv(freedom / 2.0, ndtr(NODES)) / freedom)
    critical, centre = -stdtrit(freedom, alpha / 2.0) * deviations, effect * math.sqrt(n_topics)
    return float(WEIGHTS @ (ndtr(centre - critical) + ndtr(-centre - critical)))
