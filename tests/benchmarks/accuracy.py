"""How accurate ranks and correlations are, by resampling topics."""

from __future__ import annotations

import numpy as np
import scipy.stats

from pt_rankcorr.stats.accuracy.correlation import correlation_interval
from pt_rankcorr.stats.accuracy.prediction import prediction_quality
from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.core.means import in_one_order
from tests.benchmarks.contests import Contest, Entries, drawn, other
from tests.benchmarks.workload import Workload
from tests.stats.oracles_sensitivity import drawn_topics


def contests(load: Workload) -> Entries:
    yield from _of_a_correlation(load)
    yield _of_ranks(load)
    yield _of_true_ranks(load)
    yield _of_predictions(load)


def _of_a_correlation(load: Workload) -> Entries:
    ap, p10, B = load.ap, load.p10, load.sizes.resamples
    size = f"tau, {load.sizes}, B = {B}"

    def ours() -> float:
        return correlation_interval(ap, p10, n_resamples=B, rng=1).standard_error

    def bootstrapped(method: str):
        def correlate(topics: np.ndarray) -> float:
            return scipy.stats.kendalltau(ap[topics].mean(axis=0).round(12), p10[topics].mean(axis=0).round(12))[0]

        topics = (np.arange(len(ap)),)
        rng = np.random.default_rng(1)
        return scipy.stats.bootstrap(topics, correlate, vectorized=False, n_resamples=B, method=method, rng=rng)

    # tau a of ours and tau b of scipy differ by the few ties, the two sets of draws by some percent
    luck = drawn(6 * ours() / (2 * B) ** 0.5 + 0.05 * ours())
    subject = f"correlation_interval, its standard error, {size}"
    yield Contest(subject, "scipy.stats.bootstrap", ours, lambda: bootstrapped("percentile").standard_error, luck)
    percentile = other("plain percentiles, which lie too low: resampling adds noise to means that have noise already")
    yield Contest(
        f"correlation_interval, {size}",
        "scipy.stats.bootstrap",
        lambda: correlation_interval(ap, p10, n_resamples=B, rng=1).confidence_interval(),
        lambda: bootstrapped("percentile").confidence_interval,
        percentile,
    )


def _of_ranks(load: Workload) -> Contest:
    scores, B = in_one_order(load.ap), load.sizes.resamples

    def ours() -> np.ndarray:
        found = rank_intervals(scores, method="percentile", n_resamples=B, rng=1)
        return np.array([found.low, found.high])

    def by_scipy() -> np.ndarray:
        samples = drawn_topics(len(scores), B, 1)
        means = np.array([scores[topics].mean(axis=0) for topics in samples]).round(12)
        ranks = scipy.stats.rankdata(-means, axis=1)
        low = np.quantile(ranks, 0.025, axis=0, method="inverted_cdf")
        return np.array([low, -np.quantile(-ranks, 0.025, axis=0, method="inverted_cdf")])

    subject = f"rank_intervals, percentile, {load.sizes}, B = {B}"
    return Contest(subject, "numpy, and scipy.stats.rankdata", ours, by_scipy)


def _of_true_ranks(load: Workload) -> Contest:
    """The default, which may take half as long again as percentiles of resampled topics."""
    B = 10 * load.sizes.resamples

    def by(method: str) -> np.ndarray:
        return rank_intervals(load.ap, method=method, n_resamples=B, rng=1).share_first

    luck_for_truth = other("percentiles take the measured differences for true")
    subject = f"rank_intervals, shrunken, {load.sizes}, B = {B}"
    return Contest(subject, "percentile", lambda: by("shrunken"), lambda: by("percentile"), luck_for_truth)


def _of_predictions(load: Workload) -> Contest:
    scores, B = load.ap[:, :10], min(load.sizes.resamples, 200)
    predicted = scores.mean(axis=1) + np.random.default_rng(1).normal(0, 0.1, len(scores))

    def ours() -> np.ndarray:
        found = prediction_quality(scores, predicted, ["pearson"], n_resamples=B, rng=1)
        return found.bootstrap_distribution[..., 0].mean(axis=0)

    def by_scipy() -> np.ndarray:
        samples = drawn_topics(len(scores), B, 2)
        found = [
            [scipy.stats.pearsonr(column[topics], predicted[topics])[0] for column in scores.T] for topics in samples
        ]
        return np.mean(found, axis=0)

    subject = f"prediction_quality, pearson, {len(scores)} topics x {scores.shape[1]} systems, B = {B}"
    luck = drawn(6 * (2 / (len(scores) * B)) ** 0.5)
    return Contest(subject, "scipy.stats.pearsonr, one by one", ours, by_scipy, luck)
