"""How many topics with people's labels tell two measures, such as two judges, apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, ndtr, stdtrit

from pt_rankcorr.defaults import ALPHA, ERROR_RESAMPLES
from pt_rankcorr.display import Quotable
from pt_rankcorr.stats.accuracy.difference import correlation_difference
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import share
from pt_rankcorr.stats.core.design import first_enough
from pt_rankcorr.stats.core.inputs import ScoresLike
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import TOLERANCE, Result
from pt_rankcorr.stats.significance.power import POWER
from pt_rankcorr.stats.truth.reliability import PRIOR_OF_TESTS, log_likelihoods, posterior

# Nothing is foretold beyond so many times the topics at hand.
FARTHEST = 10


class Forecast(NamedTuple):
    """How many topics find a difference with a probability, as far as the topics at hand tell."""

    # in all; inf if ten times as many as there are do not find it; nan where nothing is foretold
    topics: float
    probability: float  # with which so many topics find it, or ten times as many as there are


@dataclass(frozen=True, eq=False)
class TopicsToTellApart(Result, Quotable):
    """How many topics tell two measures apart by their agreement with a reference.

    Attributes:
        topics_needed: The number of topics in all that finds a difference in the direction of that
            on these topics with a probability of `power`, by the test at the level `alpha`; inf if
            even ten times as many as there are do not.
        probability: With which so many topics, or ten times as many as there are, find it.
        difference, standard_error: Of both coefficients on the topics at hand.
    """

    topics_needed: float
    probability: float
    difference: float
    standard_error: float
    coefficient: str
    power: float
    alpha: float
    n_topics: int


def topics_to_tell_apart(
    reference: ScoresLike,
    first: ScoresLike,
    second: ScoresLike,
    coefficient: CoefficientLike = "tau",
    *,
    power: float = POWER,
    alpha: float = ALPHA,
    n_resamples: int = ERROR_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> TopicsToTellApart:
    """How many topics of the reference tell apart which of two measures ranks systems more like it.

    A difference that looks large is often large by chance, and so is one with a small standard
    error. So the true ones are not taken to be those on these topics: both have a posterior, that
    of the shrunken truth (`shrunken_truth`). The probability is the mean over it, so `power` is
    kept on average over what may be true. A difference that is not significant on these topics is
    never promised with a probability of .8. The standard error is taken to fall with the root of
    the number of topics.

    Args:
        power, alpha: The probability that the difference is found, and the level of its test.
        reference, first, second, coefficient, n_resamples, rng, n_jobs: As for
            `correlation_difference`.

    Returns:
        The number of topics, up to ten times as many as there are; nan where no resample changes
        the difference.

    Raises:
        TypeError, ValueError: As `correlation_difference`, or if `power` is not above `alpha`.

    References:
        O'Hagan, Stevens, Campbell, "Assurance in clinical trial design", Pharmaceutical Statistics
        4, 2005: power that is averaged over what may be true.

    Example:
        >>> ap = [[.1, .2, .4, .6], [.2, .1, .5, .7], [.3, .3, .2, .9], [.1, .2, .3, .5]] * 3
        >>> opposite = [[1 - score for score in topic] for topic in ap]
        >>> noisy = [topic[turn % 4 :] + topic[: turn % 4] for turn, topic in enumerate(ap)]
        >>> found = topics_to_tell_apart(ap, noisy, opposite, rng=1)
        >>> found.topics_needed, round(found.probability, 1)
        (inf, 0.7)
    """
    if share("power", power) <= share("alpha", alpha):
        raise ValueError(f"`power` must be above `alpha`, {alpha}, got {power}.")
    result = correlation_difference(
        reference, first, second, coefficient, n_resamples=n_resamples, rng=rng, n_jobs=n_jobs
    )
    apart, error, n_topics = result.statistic, result.standard_error, result.n_topics
    forecast = forecast_difference(apart, error, result.df, n_topics, alpha, power)
    return TopicsToTellApart(*forecast, apart, error, result.coefficient, power, alpha, n_topics)


def forecast_difference(
    difference: float, error: float, df: float, n_topics: int, alpha: float, power: float
) -> Forecast:
    """The fewest topics in all that find a difference, from its standard error; nan without one.

    Both the true difference and the true standard error sigma have a posterior. Given the
    reliability lambda, the true difference is normal about lambda times that on these topics, with
    the variance lambda sigma^2. The squared estimate of sigma has df degrees of freedom, so for a
    difference of t estimated standard errors, with X chi-squared with df + 1 degrees of freedom,

        (t in units of sigma)^2 = t^2 X / (df + (1 - lambda) t^2).

    On real runs and judges df was 4 to 9 with 20 topics, 5 to 10 with 40: twice the root of n - 1
    stands for these.
    """
    if not error > TOLERANCE:
        return Forecast(math.nan, math.nan)
    # the posterior of lambda given the t of one pair of two systems; its grid, shape (n_grid, 1)
    t, df = abs(difference) / error, round(2.0 * math.sqrt(df))
    reliability = posterior(log_likelihoods(np.array([t]), df + 1), 1, 2, PRIOR_OF_TESTS)
    values = reliability.values[:, np.newaxis]
    # 40 evenly spread quantiles of X stand for its distribution. In true standard errors sigma, the
    # mean of the true difference is lambda t (estimate of sigma) / sigma: shape (n_grid, 40).
    chi_squared = 2.0 * gammaincinv((df + 1.0) / 2.0, (np.arange(40) + 0.5) / 40.0)
    centres = values * t * np.sqrt(chi_squared / (df + (1.0 - values) * t**2))

    def probability(number: int) -> float:
        """The probability that N topics find the difference."""
        # t is normal there about a centre times sqrt(N / n), with variance 1 + lambda N / n
        bound = stdtrit(max(number - 1.0, 1.0), 1.0 - alpha / 2.0)
        more = number / n_topics
        found = ndtr((centres * math.sqrt(more) - bound) / np.sqrt(1.0 + values * more))
        return float(reliability.weights @ found.mean(axis=1))

    most = probability(FARTHEST * n_topics)
    if most < power:
        return Forecast(math.inf, most)
    enough = first_enough(lambda number: probability(number) >= power, FARTHEST * n_topics)
    return Forecast(enough, probability(int(enough)))
