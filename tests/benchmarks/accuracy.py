"""How accurate ranks and correlations are, by resampling topics."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.stats

from pt_rankcorr import correlation_interval, rank_intervals
from pt_rankcorr.stats import prediction_quality
from pt_rankcorr.stats.core.means import in_one_order
from tests.benchmarks.contests import Contest, Contests, drawn, other
from tests.benchmarks.workload import Workload
from tests.stats.oracles_sensitivity import drawn_topics

PERCENTILE = other("plain percentiles, which lie too low: resampling adds noise to means that have noise already")
FOR_TRUE = other("percentiles take the measured differences for true")


def contests(load: Workload) -> Contests:
    yield from of_a_correlation(load)
    yield of_ranks(load)
    yield of_true_ranks(load)
    yield of_predictions(load)


def of_a_correlation(load: Workload) -> Contests:
    B, subject = load.sizes.resamples, f"correlation_interval, {{}}tau, {load.sizes}, B = {load.sizes.resamples}"
    ours = partial(correlation_interval, load.ap, load.p10, n_resamples=B, rng=1)

    def tau(topics: np.ndarray) -> float:
        return scipy.stats.kendalltau(*(scores[topics].mean(axis=0).round(12) for scores in (load.ap, load.p10)))[0]

    def theirs() -> Any:
        topics, how = (np.arange(len(load.ap)),), {"method": "percentile", "rng": np.random.default_rng(1)}
        return scipy.stats.bootstrap(topics, tau, vectorized=False, n_resamples=B, **how)

    # tau a of ours and tau b of scipy differ by the few ties, the two sets of draws by some percent
    error = ours().standard_error
    yield Contest(
        subject.format("its standard error, "),
        "scipy.stats.bootstrap",
        lambda: ours().standard_error,
        lambda: theirs().standard_error,
        drawn(6 * error / (2 * B) ** 0.5 + 0.05 * error),
    )
    yield Contest(
        subject.format(""),
        "scipy.stats.bootstrap",
        lambda: ours().confidence_interval(),
        lambda: theirs().confidence_interval,
        PERCENTILE,
    )


def of_ranks(load: Workload) -> Contest:
    scores, B = in_one_order(load.ap), load.sizes.resamples

    def ours() -> np.ndarray:
        found = rank_intervals(scores, method="percentile", n_resamples=B, rng=1)
        return np.array([found.low, found.high])

    def by_scipy() -> np.ndarray:
        means = np.array([scores[topics].mean(axis=0) for topics in drawn_topics(len(scores), B, 1)]).round(12)
        ranks = scipy.stats.rankdata(-means, axis=1)
        low, high = (np.quantile(each, 0.025, axis=0, method="inverted_cdf") for each in (ranks, -ranks))
        return np.array([low, -high])

    subject = f"rank_intervals, percentile, {load.sizes}, B = {B}"
    return Contest(subject, "numpy, and scipy.stats.rankdata", ours, by_scipy)


def of_true_ranks(load: Workload) -> Contest:
    """The default, which may take half as long again as percentiles of resampled topics."""
    B = 10 * load.sizes.resamples

    def by(method: str) -> np.ndarray:
        return rank_intervals(load.ap, method=method, n_resamples=B, rng=1).share_first

    subject = f"rank_intervals, shrunken, {load.sizes}, B = {B}"
    return Contest(subject, "percentile", partial(by, "shrunken"), partial(by, "percentile"), FOR_TRUE)


def of_predictions(load: Workload) -> Contest:
    scores, B = load.ap[:, :10], min(load.sizes.resamples, 200)
    guess = scores.mean(axis=1) + np.random.default_rng(1).normal(0, 0.1, len(scores))

    def ours() -> np.ndarray:
        found = prediction_quality(scores, guess, ["pearson"], n_resamples=B, rng=1)
        return found.bootstrap_distribution[..., 0].mean(axis=0)

    def by_scipy() -> np.ndarray:
        samples = drawn_topics(len(scores), B, 2)
        one_by_one = [[scipy.stats.pearsonr(one[topics], guess[topics])[0] for one in scores.T] for topics in samples]
        return np.mean(one_by_one, axis=0)

    subject = f"prediction_quality, pearson, {len(scores)} topics x {scores.shape[1]} systems, B = {B}"
    luck = drawn(6 * (2 / (len(scores) * B)) ** 0.5)
    return Contest(subject, "scipy.stats.pearsonr, one by one", ours, by_scipy, luck)
