"""The shrunken truth: what a sample of topics says about true means, without sampling error.

Equations are those of the page on the shrunken truth, `pt_rankcorr/pt_docs/shrunken_truth.rst`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.stats.core import arguments, resampling
from pt_rankcorr.stats.core.inputs import prepare_matrix
from pt_rankcorr.stats.core.means import rounded, system_means
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, Labels, Result
from pt_rankcorr.stats.truth.reliability import (
    GRID,
    PRIOR_OF_MEANS,
    Reliability,
    log_likelihoods,
    posterior,
    varying_pairs,
)
from pt_rankcorr.warnings import CloseSystemsWarning, DegenerateInputWarning, warn

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ShrunkenTruth(Result):
    """The posterior of the true means.

    Attributes:
        reliability: The posterior mean of lambda, in (0, 1): the share of the variance of measured
            differences that is true. Near 0 they are noise, near 1 other topics would agree.
        measured: The measured mean of each system, shape (n_systems,).
        means: The shrunken means, nearer to their common mean by the reliability, (n_systems,).
        draws: Draws of the true means, shape (n_draws, n_systems).
        systems: The names of the systems; "s1", "s2", ... where the scores had none.
        n_topics, n_systems, n_draws: How many there are.
    """

    reliability: float
    measured: Floats
    means: Floats
    draws: Floats = field(repr=False)
    systems: Labels
    n_topics: int
    n_systems: int
    n_draws: int
    _posterior: Reliability = field(repr=False, compare=False)

    def reliability_interval(self, level: float = LEVEL) -> ConfidenceInterval:
        """The quantiles of lambda's posterior distribution."""
        tail = (1.0 - arguments.share("level", level)) / 2.0
        low, high = map(self._posterior.quantile, (tail, 1.0 - tail))
        return ConfidenceInterval(low, high)

    def confidence_intervals(self, level: float = LEVEL) -> Floats:
        """The quantiles of the draws of each true mean: shape (n_systems, 2)."""
        tail = (1.0 - arguments.share("level", level)) / 2.0
        return np.asarray(np.quantile(self.draws, (tail, 1.0 - tail), axis=0).T)

    def to_frame(self, level: float = LEVEL) -> pd.DataFrame:
        """One row per system: its measured and shrunken mean, and the interval of the true one."""
        return self.table(level=level).to_frame()


def shrunken_truth(
    scores: ArrayLike,
    *,
    n_draws: int = 1000,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> ShrunkenTruth:
    """The true means of systems, in the topic population, as far as a sample of topics tells.

    Measured means are further apart than true ones. The model is empirical Bayes: true means are
    spread around a common mean by a multiple of the covariance of the scores (Zellner's g-prior).
    So for any covariance, their expected differences are the measured ones times lambda. The
    posterior of lambda comes from the t statistics of all pairs. O(m^2 n + n_draws m n) time for m
    systems and n topics.

    Args:
        scores: A score matrix or an array (n_topics, n_systems), at least 2 topics and systems.
        n_draws: The number of draws of the true means.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        The reliability lambda, the shrunken means, and draws of the true means. Two systems leave
        lambda to its prior. The reliability is nan if no difference of two systems varies from
        topic to topic, as when all are tied.

    Warns:
        DegenerateInputWarning: If no difference varies; means and draws are those of the prior.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of at least 2 topics and 2 to 8192
            systems, or an argument is out of its range.

    References:
        Zellner, "On assessing prior distributions and Bayesian regression analysis with g-prior
        distributions", 1986. Gelman, "Prior distributions for variance parameters in hierarchical
        models", Bayesian Analysis 1, 2006. Liang, Paulo, Molina, Clyde, Berger, "Mixtures of g
        priors for Bayesian variable selection", JASA 103, 2008. Its use for rankings of systems is
        new.

    Example:
        Systems with the same differences on each topic, and systems without:

        >>> steady = [[.10, .30, .61], [.20, .41, .70], [.31, .50, .80], [.40, .60, .92]]
        >>> noisy = [[.6, .3, .1], [.2, .4, .7], [.3, .9, .8], [.9, .6, .5]]
        >>> [round(shrunken_truth(scores, rng=1).reliability, 2) for scores in (steady, noisy)]
        [1.0, 0.36]
    """
    prepared = prepare_matrix(scores, min_topics=2)
    arguments.check_number_of_systems("scores", prepared.n_systems)
    # topics in an order that their scores set, as resamples are drawn by position
    matrix = in_one_order(prepared.sample)
    lambdas, varies = reliability_of(matrix), any(t.size for _, t in varying_pairs(matrix))
    if not varies:
        cause = "No difference of two systems varies from topic to topic"
        warn(f"{cause}: the reliability is nan.", DegenerateInputWarning)
    means = system_means(matrix)
    # the mean over lambda of eq. 4, without its noise: x_mean + l (x - x_mean), shape (m,)
    shrunken = means.mean() + lambdas.mean * (means - means.mean())
    most = arguments.MOST_RESAMPLES
    n_draws = arguments.whole_number("n_draws", n_draws, at_least=1, at_most=most)
    return ShrunkenTruth(
        reliability=lambdas.mean if varies else math.nan,
        measured=means,
        means=shrunken,
        draws=draw_truths(matrix, lambdas, n_draws, resampling.generator(rng), n_jobs),
        systems=prepared.shown_systems,
        n_topics=matrix.shape[0],
        n_systems=matrix.shape[1],
        n_draws=n_draws,
        _posterior=lambdas,
    )


def warn_if_close(reliability: Reliability, scores: Floats, consequence: str) -> None:
    """Warns, with the consequence, if topics (rows of scores) do not show that systems differ."""
    if reliability.shows_no_difference:
        n_topics, n_systems = scores.shape
        cause = f"{n_topics} topics do not show that the {n_systems} systems differ"
        warn(f"{cause}: {consequence}", CloseSystemsWarning)


def reliability_of(scores: Floats) -> Reliability:
    """The posterior of lambda for scores, (n_topics, m), for the estimation of means (eq. 3)."""
    n_topics, n_systems = scores.shape
    # pairs come in blocks: only the sum of their log likelihoods is kept, shape (n_grid,)
    likelihoods, n_pairs = np.zeros(GRID.size), 0
    for _, t in varying_pairs(scores):
        likelihoods += log_likelihoods(t, n_topics)
        n_pairs += t.size
    return posterior(likelihoods, n_pairs, n_systems, PRIOR_OF_MEANS)


def reliability_of_resamples(means: Floats, errors: Floats, n_topics: int) -> Reliability:
    """The posterior of lambda for the means of systems, from their errors in resamples of topics.

    Means are of shape (n_systems,), errors of shape (n_systems, n_resamples). Lambda is 1 if no
    difference varies.
    """
    # means of resamples vary less than those of samples, by (n - 1) / n: this undoes it, (m, m)
    covariance = np.cov(errors) * n_topics / (n_topics - 1)
    # every pair of systems once; the variance of its difference is c_ii + c_jj - 2 c_ij
    first, second = np.triu_indices(means.size, k=1)
    both = covariance[first, first] + covariance[second, second]
    squares = both - 2.0 * covariance[first, second]
    # a difference with less of the variance of both systems does not vary: the rest is rounding
    varies = squares > 1e-9 * both
    if not varies.any():
        return Reliability(np.ones(1), np.ones(1))
    t = (means[first] - means[second])[varies] / np.sqrt(squares[varies])
    return posterior(log_likelihoods(t, n_topics), t.size, means.size, PRIOR_OF_MEANS)


# --- draws ----------------------------------------------------------------------------------------


def true_means(measured: Floats, reliability: Floats, errors: Floats) -> Floats:
    """Draws of the true means (eq. 4) about measured means, shape (..., n_systems).

    From draws of lambda, `reliability`, (n_draws, 1), and of noise, `errors`, (n_draws, n_systems).
    """
    # mu = x_mean + lambda (x - x_mean) + sqrt(lambda) e: the noise is that of the posterior, whose
    # variance is lambda times that of the measured means
    centre = measured.mean(axis=-1, keepdims=True)
    return np.asarray(centre + reliability * (measured - centre) + np.sqrt(reliability) * errors)


def draw_truths(
    scores: Floats,
    reliability: Reliability,
    n_draws: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Floats:
    """Draws of the true means (eq. 4), shape (n_draws, n_systems), rounded as all means are."""
    compute = truth_sampler(scores, reliability)
    return resampling.blockwise(compute, n_draws, cells=sum(scores.shape), rng=rng, n_jobs=n_jobs)


def truth_sampler(scores: Floats, reliability: Reliability) -> resampling.Block:
    """A function that draws a block of true means, shape (size, n_systems)."""
    means, largest = scores.mean(axis=0), np.abs(scores).max()
    centred = scores - means

    def draw(rng: np.random.Generator, size: int) -> Floats:
        """Means plus noise, (size, m), both shrunken by a draw of lambda for each draw."""
        share = reliability.draw(rng, size)[:, np.newaxis]
        return rounded(true_means(means, share, _noise(centred, rng, size)), largest)

    return draw


def noise_of_means(
    scores: Floats, n_draws: int, rng: np.random.Generator, n_jobs: int | None
) -> Floats:
    """Draws of the noise e of means over as many topics (eq. 4), shape (n_draws, n_systems)."""
    compute = partial(_noise, scores - scores.mean(axis=0))
    return resampling.blockwise(compute, n_draws, cells=sum(scores.shape), rng=rng, n_jobs=n_jobs)


def _noise(centred: Floats, rng: np.random.Generator, size: int) -> Floats:
    """A block of noise of means, (size, m), from scores less their system's mean, (n_topics, m)."""
    n_topics = len(centred)
    # the sum over topics of how often each was drawn, times its deviation: n (x* - x), (size, m)
    drawn: Floats = resampling.topic_weights(rng, size, n_topics) @ centred
    drawn *= spread_of_noise(rng, size, n_topics)[:, np.newaxis] / n_topics
    return drawn


def spread_of_noise(rng: np.random.Generator, size: int, n_topics: int) -> Floats:
    """Draws of sqrt(n / chi^2_{n-1}), the factor of errors of resampled means (eq. 4): (size,).

    It adds the uncertainty of the variance: errors over standard errors then have Student's t.
    """
    return np.sqrt(n_topics / rng.chisquare(n_topics - 1, size=size))
