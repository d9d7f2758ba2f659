"""Where systems may rank: intervals over samples of topics, and the ranks that d_rank or tau allow."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr.stats._drank_baseline import Baseline, Settings, warn_if_unreliable
from pt_rankcorr.stats._drank_model import Order
from pt_rankcorr.stats._drank_null import TOLERANCE, distances, upper_quantile
from pt_rankcorr.stats.checks import real_number, resample_count, share
from pt_rankcorr.stats.order import Floats, Labels, as_matrix, labels_of, ranks, round_significant, system_means
from pt_rankcorr.stats.rankings import random_rankings
from pt_rankcorr.stats.resampling import RandomState, blockwise, generator, topic_weights
from pt_rankcorr.stats.results import Result

TOO_FEW_ALLOWED = 'So too few ranks are allowed; with covariance="ledoit-wolf" not as many are missing.'

# --- rank intervals ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RankIntervals(Result):
    """For each system: its rank, where it ranks in most samples of topics, and how often it is first.

    Attributes:
        rank: By the means of all topics, 1 is best, ties share their average rank; shape (m,).
        low: The best rank of the interval; shape (m,).
        high: The worst rank of the interval; shape (m,).
        share_first: The share of resamples in which the system is first; where systems tie they share it equally.
        systems: Names of the systems, if they have any.
        level: The share of resamples that an interval is to cover.
        n_resamples: Number of resamples.
        n_topics: Number of topics.
        n_systems: Number of systems m.
    """

    rank: Floats
    low: Floats
    high: Floats
    share_first: Floats
    systems: Labels | None
    level: float
    n_resamples: int
    n_topics: int
    n_systems: int


def rank_intervals(
    scores: ArrayLike,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> RankIntervals:
    """The quantiles of each system's rank over bootstrap samples of topics.

    The interval runs from the smallest rank with at least (1 - level)/2 of the resamples at it or better, to the
    largest with at least as many at it or worse. Ties within a resample share their average rank. Needs memory for
    some three times B x m ranks.

    Measured means are further apart than true ones, and resampling takes them for the truth. By simulation from Robust
    2004 (20 systems) intervals of 95% hold the true rank in 87 to 92% of cases with 10 topics, and in 95 to 99% with 50
    and more; of systems adjacent in rank in 81% with 10 topics and 91% with 50. `share_first` of the system that leads
    is on average 0.2 above how often it truly is the best with 10 topics, and among adjacent systems 0.15 to 0.3 above
    it with any number.

    Args:
        scores: Shape (n_topics, n_systems), or a score matrix, m >= 2.
        level: Between 0 and 1.
        n_resamples: Number B of resamples.
        rng: Seed or generator.
        n_jobs: Number of worker processes, as joblib counts them. It changes no bit of the result.

    Returns:
        The intervals, systems in the order of the scores.

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the scores are not a finite matrix of two systems or more, or a setting is out of range.

    References:
        Percentile intervals: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.

    Example:
        The third system is best on every topic, the other two share the topics:

        >>> intervals = rank_intervals([[0.1, 0.2, 0.9], [0.3, 0.1, 0.8], [0.2, 0.3, 0.7]], rng=1)
        >>> intervals.low.tolist(), intervals.high.tolist(), intervals.share_first.tolist()
        ([2.0, 2.0, 1.0], [3.0, 3.0, 1.0], [0.0, 0.0, 1.0])
    """
    matrix, level = as_matrix(scores), share("level", level)
    n_resamples = resample_count(n_resamples)
    n_topics, n_systems = matrix.shape
    sampled = blockwise(
        partial(_sampled_ranks, scores=matrix),
        n_resamples,
        cells=max(n_topics, n_systems),
        rng=generator(rng),
        n_jobs=n_jobs,
    )
    outside = (1.0 - level) / 2.0 * (1.0 - TOLERANCE)  # 1 - 0.95 is a bit more than 0.05: one resample too many
    low = np.quantile(sampled, outside, axis=0, method="inverted_cdf")
    high = -np.quantile(-sampled, outside, axis=0, method="inverted_cdf")
    return RankIntervals(
        rank=ranks(system_means(matrix)),
        low=low,
        high=high,
        share_first=_share_first(sampled),
        systems=labels_of(scores),
        level=level,
        n_resamples=n_resamples,
        n_topics=n_topics,
        n_systems=n_systems,
    )


def _sampled_ranks(rng: np.random.Generator, size: int, *, scores: Floats) -> Floats:
    means = topic_weights(rng, size, len(scores)) @ scores / len(scores)
    return ranks(round_significant(means, np.full_like(means, np.abs(scores).mean(axis=0).max())))


def _share_first(sampled: Floats) -> Floats:
    first = sampled == sampled.min(axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


# --- allowed ranks ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AllowedRanks(Result):
    """The ranks that rankings may give each system and still pass for the baseline's, by d_rank and by tau.

    Attributes:
        by_distance: Row i, column r: the share of accepted rankings in which system i has rank r + 1; shape (m, m).
        by_tau: The same for random rankings with a high tau; shape (m, m).
        order: Positions of the systems from best to worst by the baseline's means.
        systems: Names of the systems, if they have any.
        critical_value: The largest d_rank that is accepted.
        accepted: How many of the resampled rankings were.
        alpha: The level of the test.
        tau: The least tau of the random rankings.
        n_resamples: Number of resamples, and of random rankings.
        n_topics: Number of topics.
        n_systems: Number of systems m.
    """

    by_distance: Floats = field(repr=False)
    by_tau: Floats = field(repr=False)
    order: Order
    systems: Labels | None
    critical_value: float
    accepted: int
    alpha: float
    tau: float
    n_resamples: int
    n_topics: int
    n_systems: int


def allowed_ranks(
    baseline: object,
    *,
    alpha: float = 0.05,
    tau: float = 0.9,
    n_resamples: int = 10_000,
    covariance: str = "sample",
    ridge: float = 1e-5,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> AllowedRanks:
    """At which ranks systems appear in rankings that d_rank accepts, and in rankings with a high tau.

    d_rank's rankings are those of the means of resampled topics, as far as they are not significantly different from
    the baseline by the published test. Tau's are drawn uniformly from all rankings with at least the given tau, which
    treats all systems alike. Where topics are few, the published test accepts too few rankings: a warning says so.
    Needs memory for some seven times B x m ranks, and blocks of 32 MiB.

    Args:
        baseline: Scores of shape (n_topics, n_systems), or a score matrix: n >= 2, m >= 2.
        alpha: The level of the test, between 0 and 1.
        tau: The least tau, in [-1, 1].
        n_resamples: Number B of resamples, and of random rankings.
        covariance: "sample" or "ledoit-wolf", as for `DRankTest`.
        ridge: As for `DRankTest`.
        rng: Seed or generator.
        n_jobs: Number of worker processes, as joblib counts them. It changes no bit of the result.

    Returns:
        The shares, systems in the order of the baseline.

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the baseline is not a finite matrix of two topics or more and 2 to 8192 systems, a setting is
            out of range, or the ridge is lost in rounding errors, as can happen below 1e-7.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009: section 4.2, figure 3.

    Example:
        Two systems of which one is better on every topic can only stand as they do:

        >>> allowed = allowed_ranks([[0.1, 0.3], [0.2, 0.6], [0.3, 0.4]] * 4, n_resamples=50, rng=1)
        >>> allowed.by_distance.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    settings = Settings.checked("baseline", covariance, ridge, n_resamples, 1)
    alpha, tau = share("alpha", alpha), real_number("tau", tau)
    prepared = Baseline.of(baseline, settings.covariance, settings.ridge)
    warn_if_unreliable(prepared, settings, TOO_FEW_ALLOWED)
    resampling, drawing = generator(rng).spawn(2)
    squared, sampled = _resampled_rankings(prepared, settings.n_resamples, resampling, n_jobs)
    critical = upper_quantile(squared, alpha)
    accepted = sampled[squared <= critical]
    drawn = random_rankings(prepared.n_systems, settings.n_resamples, tau=tau, at_least=True, rng=drawing)
    back = np.argsort(prepared.systems)  # from canonical order to that of the input
    return AllowedRanks(
        by_distance=_shares(accepted)[back],
        by_tau=_shares(prepared.n_systems + 1 - drawn.astype(np.intp))[::-1][back],  # drawn scores, best system first
        order=prepared.systems[::-1],
        systems=prepared.labels,
        critical_value=float(np.sqrt(prepared.n_topics * critical)),
        accepted=len(accepted),
        alpha=alpha,
        tau=tau,
        n_resamples=settings.n_resamples,
        n_topics=prepared.n_topics,
        n_systems=prepared.n_systems,
    )


def _resampled_rankings(
    baseline: Baseline, n_resamples: int, rng: np.random.Generator, n_jobs: int | None
) -> tuple[Floats, NDArray[np.intp]]:
    """Squared distances for one topic, and the ranks of systems in canonical order."""
    compute = partial(_distances_and_ranks, baseline=baseline)
    cells = max(baseline.n_topics, baseline.n_systems**2)
    found = blockwise(compute, n_resamples, cells=cells, rng=rng, n_jobs=n_jobs)
    return found[:, 0], found[:, 1:].astype(np.intp)


def _distances_and_ranks(rng: np.random.Generator, size: int, *, baseline: Baseline) -> Floats:
    orders = baseline.model.order(baseline.estimator.means(topic_weights(rng, size, baseline.n_topics)))
    squared = distances((baseline.model, order) for order in orders)[:, :1]
    return np.hstack([squared, baseline.n_systems - np.argsort(orders, axis=1)])


def _shares(sampled: NDArray[np.intp]) -> Floats:
    """Of rankings, one a row: how often each system, a column, has each rank."""
    count, n_systems = sampled.shape
    cells = (sampled - 1 + np.arange(n_systems) * n_systems).ravel()
    counts = np.bincount(cells, minlength=n_systems**2).reshape(n_systems, n_systems)
    return np.asarray(counts / count)
