"""How many topics with people's labels tell two measures, such as two judges, apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pt_rankcorr.defaults import ALPHA, ERROR_RESAMPLES, LEVEL
from pt_rankcorr.stats.accuracy.difference import correlation_difference
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import share
from pt_rankcorr.stats.core.inputs import ScoresLike
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Result
from pt_rankcorr.stats.significance.power import POWER, topics_of_t_test
from pt_rankcorr.text import confidence, decimals


@dataclass(frozen=True, eq=False)
class TopicsToTellApart(Result):
    """How many topics tell two measures apart by their agreement with a reference.

    Attributes:
        topics_needed: The number of topics in all that finds the difference on these with the probability `power`, by
            the test at the level `alpha`; inf where there is none.
        low, high: The numbers for the ends of its interval; `high` is inf where that holds 0.
        difference, standard_error: Of both coefficients on the topics at hand.
    """

    topics_needed: float
    low: float
    high: float
    difference: float
    standard_error: float
    coefficient: str
    level: float
    power: float
    alpha: float
    n_topics: int

    def sentence(self) -> str:
        """The outcome, as a paper may print it."""
        if math.isnan(self.topics_needed):
            return f"{self.n_topics} topics do not say how many would tell the two apart."
        needed = topics_text(self.topics_needed, self.n_topics)
        return (
            f"A difference of {decimals(self.difference)} in {self.coefficient}, as on these {self.n_topics} topics, "
            f"is found with a probability of {decimals(self.power)} on {needed} ({confidence(self.level)} interval "
            f"{self.low:.0f} to {self.high:.0f})."
        )

    def _answer(self) -> str:
        return self.sentence()


def topics_to_tell_apart(
    reference: ScoresLike,
    first: ScoresLike,
    second: ScoresLike,
    coefficient: CoefficientLike = "tau",
    *,
    power: float = POWER,
    alpha: float = ALPHA,
    level: float = LEVEL,
    n_resamples: int = ERROR_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> TopicsToTellApart:
    """How many topics of the reference tell apart which of two measures ranks systems more like it.

    It takes the difference on these topics for that on more of them, and its standard error to fall with the root of
    their number. A noisy judge without a bias agrees more on more topics, so the difference may change: see the page on
    judges in use for how far 20 topics foretell 43.

    Args:
        power, alpha: The probability that `correlation_difference` finds the difference, and its lower level.
        level: The confidence level of the interval of the number.
        reference, first, second, coefficient, n_resamples, rng, n_jobs: As for `correlation_difference`.

    Returns:
        The number of topics, with an interval from that of the difference. Often it has no upper end. nan where no
        resample changes the difference.

    Raises:
        TypeError, ValueError: As `correlation_difference`, or if `power` is not above `alpha`.

    References:
        Sakai, "Topic set size design", Information Retrieval Journal 19(3), 2016, section 3.

    Example:
        >>> ap = [[0.1, 0.2, 0.4, 0.6], [0.2, 0.1, 0.5, 0.7], [0.3, 0.3, 0.2, 0.9], [0.1, 0.2, 0.3, 0.5]] * 3
        >>> opposite = [[1 - score for score in topic] for topic in ap]
        >>> noisy = [topic[turn % 4 :] + topic[: turn % 4] for turn, topic in enumerate(ap)]
        >>> topics_to_tell_apart(ap, noisy, opposite, rng=1).topics_needed < 40
        True
    """
    if share("power", power) <= share("alpha", alpha):
        raise ValueError(f"`power` must be above `alpha`, {alpha}, got {power}.")
    result = correlation_difference(
        reference, first, second, coefficient, level=level, n_resamples=n_resamples, rng=rng, n_jobs=n_jobs
    )
    difference, error, n_topics = result.statistic, result.standard_error, result.n_topics
    ends = ConfidenceInterval(result.low, result.high)
    needed = topics_for_difference(difference, ends, error, n_topics, alpha, power)
    return TopicsToTellApart(*needed, difference, error, result.coefficient, result.level, power, alpha, n_topics)


def topics_for_difference(
    difference: float, interval: ConfidenceInterval, error: float, n_topics: int, alpha: float, power: float = POWER
) -> tuple[float, float, float]:
    """The number of topics that find a difference, and those that find the ends of its interval, the fewer first."""
    if math.isnan(error) or error <= TOLERANCE:
        return math.nan, math.nan, math.nan
    deviation = error * math.sqrt(n_topics)
    largest, smallest = max(map(abs, interval)), min(map(abs, interval))
    smallest = 0.0 if interval.low <= 0.0 <= interval.high else smallest
    needed, low, high = (
        topics_of_t_test(size / deviation, alpha, power) for size in (abs(difference), largest, smallest)
    )
    return needed, low, high


def topics_text(needed: float, n_topics: int) -> str:
    """A number of topics, for a sentence; only that they are many beyond twenty times as many as there are."""
    return f"{needed:.0f} topics" if needed <= 20 * n_topics else f"more than {20 * n_topics} topics"
