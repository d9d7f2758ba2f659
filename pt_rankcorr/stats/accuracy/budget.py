"""How many topics with people's labels tell two measures, such as two judges, apart."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr.defaults import ALPHA, ERROR_RESAMPLES
from pt_rankcorr.display import Quotable
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.accuracy.difference import correlation_difference
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core import means, resampling
from pt_rankcorr.stats.core.arguments import share
from pt_rankcorr.stats.core.inputs import ScoresLike, prepare_matrices, rows_by_topic_name
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import TOLERANCE, Floats, Result
from pt_rankcorr.stats.significance.power import POWER
from pt_rankcorr.stats.truth.shrunken import reliability_of, spread_of_noise, true_means

TRUTHS, SAMPLES = 200, 10  # draws of true means, and samples of topics for each: probabilities are within .03
FARTHEST = 10  # times as many topics as there are: beyond, nothing is foretold


class Forecast(NamedTuple):
    """How many topics find a difference with a probability, as far as the topics at hand tell."""

    topics: float  # in all; inf if not even ten times as many as there are find it; nan where nothing is foretold
    probability: float  # with which so many topics find it, or ten times as many as there are


class Sides(NamedTuple):
    """The scores of one collection."""

    rows: Sequence[Floats]  # of a reference and of two measures, each of shape (n_rows, n_systems)
    shared: bool  # whether all are on the same topics


@dataclass(frozen=True, eq=False)
class TopicsToTellApart(Result, Quotable):
    """How many topics tell two measures apart by their agreement with a reference.

    Attributes:
        topics_needed: The number of topics in all that finds a difference in the direction of that on these topics with
            a probability of `power`, by the test at the level `alpha`; inf if even ten times as many as there are do
            not.
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

    What is true is not known: it is drawn from its posterior, the shrunken truth of each side (`shrunken_truth`), with
    the errors of one sample of topics. For each draw, samples of N topics have their own errors, and the test finds a
    difference in the direction of that on these topics in some of them. The probability is the mean over all draws, so
    `power` is kept on average over what may be true. Two measures that differ in noise alone both agree more on more
    topics, and may never be told apart.

    Args:
        power, alpha: The probability that `correlation_difference` finds the difference, and its level.
        reference, first, second, coefficient, n_resamples, rng, n_jobs: As for `correlation_difference`.

    Returns:
        The number of topics, up to ten times as many as there are. nan where no resample changes the difference.

    Raises:
        TypeError, ValueError: As `correlation_difference`, or if `power` is not above `alpha`.

    References:
        O'Hagan, Stevens, Campbell, "Assurance in clinical trial design", Pharmaceutical Statistics 4, 2005: power that
        is averaged over what may be true.

    Example:
        >>> ap = [[0.1, 0.2, 0.4, 0.6], [0.2, 0.1, 0.5, 0.7], [0.3, 0.3, 0.2, 0.9], [0.1, 0.2, 0.3, 0.5]] * 3
        >>> opposite = [[1 - score for score in topic] for topic in ap]
        >>> noisy = [topic[turn % 4 :] + topic[: turn % 4] for turn, topic in enumerate(ap)]
        >>> topics_to_tell_apart(ap, noisy, opposite, rng=1).topics_needed < 100
        True
    """
    if share("power", power) <= share("alpha", alpha):
        raise ValueError(f"`power` must be above `alpha`, {alpha}, got {power}.")
    seed = resampling.seed_of(rng)
    result = correlation_difference(
        reference, first, second, coefficient, n_resamples=n_resamples, rng=seed, n_jobs=n_jobs
    )
    forecast = Forecast(math.nan, math.nan)
    if result.standard_error > TOLERANCE:
        trusted, *others = prepare_matrices(reference=reference, first=first, second=second)
        sides = Sides(rows_by_topic_name(trusted, others), shared=True)
        forecast = forecast_topics([sides], Coefficients.named(coefficient), result.n_topics, alpha, power, seed)
    return TopicsToTellApart(
        *forecast, result.statistic, result.standard_error, result.coefficient, power, alpha, result.n_topics
    )


def forecast_topics(
    collections: Sequence[Sides], coefficients: Coefficients, n_topics: int, alpha: float, power: float, seed: int
) -> Forecast:
    """The fewest topics in all that find the difference of two measures, as a mean over collections."""
    drawn = [_drawn(sides, child) for sides, child in zip(collections, _children(seed, len(collections)), strict=True)]

    observed = [[scores.mean(axis=0) for scores in sides.rows] for sides in collections]
    towards = np.sign(np.mean([_differences(means_of, [0.0] * 3, 1.0, coefficients) for means_of in observed]))

    def probability(number: int) -> float:
        shrink = math.sqrt(n_topics / number)  # of the errors of means, as topics become more
        differences = np.mean([_differences(*of_one, shrink, coefficients) for of_one in drawn], axis=0)
        # what the test takes for its standard error: how the difference varies over samples
        error = math.sqrt(np.nanmean(np.nanvar(differences, axis=1, ddof=1)))
        bound = float(stdtrit(max(number - 1, 1), 1.0 - alpha / 2.0)) * error
        return float((towards * differences > bound + TOLERANCE).mean())

    most = probability(FARTHEST * n_topics)
    if most < power:
        return Forecast(math.inf, most)
    numbers = range(2, FARTHEST * n_topics + 1)
    enough = numbers[min(bisect_left(numbers, True, key=lambda number: probability(number) >= power), len(numbers) - 1)]
    return Forecast(float(enough), probability(enough))


def _children(seed: int, number: int) -> list[np.random.Generator]:
    return resampling.generator(seed).spawn(number)


def _drawn(sides: Sides, rng: np.random.Generator) -> tuple[list[Floats], list[Floats]]:
    """Draws of the true means of each side, (TRUTHS, 1, n_systems), and errors of means, (TRUTHS, SAMPLES, n_systems).

    Sides on the same topics have the errors of the same resamples.
    """
    truths, errors, size, weights = [], [], TRUTHS * (SAMPLES + 1), np.zeros((0, 0))
    for scores in sides.rows:
        if not sides.shared or not weights.size:
            weights = resampling.topic_weights(rng, size, len(scores)) - 1.0
            weights *= spread_of_noise(rng, size, len(scores))[:, np.newaxis] / len(scores)
        noise = (weights @ scores).reshape(TRUTHS, SAMPLES + 1, -1)
        reliability = reliability_of(scores).draw(rng, TRUTHS)[:, np.newaxis]
        truths.append(true_means(scores.mean(axis=0), reliability, noise[:, 0])[:, np.newaxis])
        errors.append(noise[:, 1:])
    return truths, errors


def _differences(
    truths: Sequence[Floats], errors: Sequence[Floats | float], shrink: float, coefficients: Coefficients
) -> Floats:
    """The difference of both coefficients in each sample of each draw: shape (TRUTHS, SAMPLES)."""
    reference, first, second = (
        means.rounded_scores(truth + shrink * error) for truth, error in zip(truths, errors, strict=True)
    )
    apart = coefficients.of(reference, first) - coefficients.of(reference, second)
    return np.asarray(apart[..., -1])
