"""How accurate ranks, correlations and predictions are, by resampling topics; and expected correlations."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.stats
from scipy.special import ndtr, ndtri
from scipy.stats import kendalltau, pearsonr, rankdata, spearmanr

from pt_rankcorr import correlation_interval, expected_correlation, rank_intervals
from pt_rankcorr.stats import prediction_quality
from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_errors
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.means import in_one_order
from tests.benchmarks.contests import PLAIN, SAME, Claim, Contest, Contests, drawn, other
from tests.benchmarks.workload import Workload
from tests.stats import oracles_expected as oracle
from tests.stats.oracles import kendall_tau_a, tau_ap_a
from tests.stats.oracles_sensitivity import drawn_topics

NAMES = ("tau", "tau_b", "tau_ap", "spearman", "pearson")
PERCENTILE = other("plain percentiles, which lie too low: resampling adds noise to means that have noise already")
PAIRS, FEW = 200, 10  # of all pairs, that the definitions are applied to; where these are double loops
# both ends of the fit are noisy: seen over seeds, few trials move the value by some hundredths
OF_FEW_TRIALS = Claim(0.1, why="the same quantity, of other draws")


def contests(load: Workload) -> Contests:
    yield from of_a_correlation(load)
    yield of_resamples(load)
    yield of_ranks(load)
    yield of_predictions(load)
    yield from of_expected_correlations(load.half, load.sizes.resamples)


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


def of_resamples(load: Workload) -> Contest:
    B = min(load.sizes.resamples, 100)
    wanted = Coefficients(tuple(COEFFICIENTS[name] for name in NAMES))

    def ours() -> np.ndarray:
        found = correlation_errors(load.ap, load.p10, wanted, n_resamples=B, seed=1)
        return np.array([found[name].standard_error for name in NAMES])

    def one_by_one() -> np.ndarray:
        rows = []
        for topics in drawn_topics(len(load.ap), B, 1):
            both = [scores[topics].mean(axis=0).round(12) for scores in (load.ap, load.p10)]
            first, third = (plain(*(means.tolist() for means in both)) for plain in (kendall_tau_a, tau_ap_a))
            rows.append([first, kendalltau(*both)[0], third, spearmanr(*both)[0], pearsonr(*both)[0]])
        return np.std(rows, axis=0, ddof=1)

    size = f"{len(NAMES)} coefficients, {load.sizes}, B = {B}"
    return Contest(f"standard errors, {size}", "scipy and loops, one resample after the other", ours, one_by_one)


# --- expected correlations, against the definitions applied to one pair after the other ----------------------


def of_expected_correlations(scores: np.ndarray, B: int) -> Contests:
    samples, luck = drawn_topics(len(scores), B, 2), drawn(6 * 0.71 / B**0.5)  # a standard error is at most sqrt(2/B)/2
    for estimator, probability, claim, most in (
        ("ml", oracle.ml, SAME, PAIRS),
        ("msqd", msqd, SAME, PAIRS),
        ("resampling", partial(resampled, samples), luck, PAIRS),
        ("kde", partial(smoothed, samples), luck, FEW),
    ):
        yield of_pairs(scores, estimator, probability, claim, most, B)
    yield of_halves(scores)


def size_of(scores: np.ndarray) -> str:
    return f"{scores.shape[0]} topics x {scores.shape[1]} systems"


def of_pairs(
    scores: np.ndarray, estimator: str, probability: Callable[[list[float]], float], claim: Claim, most: int, B: int
) -> Contest:
    """Probabilities of discordance: of all pairs by ours, of some of those that differ by the definition."""
    scores = scores[:, np.argsort(-scores.mean(axis=0), kind="stable")]
    pairs = list(itertools.combinations(range(scores.shape[1]), 2))
    some = [pair for pair in pairs[:: -(-len(pairs) // most)] if np.ptp(scores[:, pair[0]] - scores[:, pair[1]]) > 0]
    return Contest(
        f"expected_correlation, {estimator}, {size_of(scores)}" + (f", B = {B}" if claim is not SAME else ""),
        PLAIN,
        lambda: expected_correlation(scores, estimator=estimator, n_resamples=B, rng=1).probabilities,
        lambda: [probability((scores[:, i] - scores[:, j]).tolist()) for i, j in some],
        claim,
        share=len(some) / len(pairs),
        part=lambda values: [values[pair] for pair in some],
    )


def msqd(differences: list[float]) -> float:
    """Equation 8: the slope of the least squares line through normal quantiles, also of tied differences."""
    differences = np.round(differences, 12).tolist()  # 0.3 - 0.2 is 0.1
    quantiles = ndtri(rankdata(differences) / (len(differences) + 1))
    return oracle.student_tail(differences, float(np.polyfit(quantiles, differences, 1)[0]))


def resampled(samples: np.ndarray, differences: list[float]) -> float:
    means = np.array(differences)[samples].mean(axis=1)
    return float((means < 0).mean() + (means == 0).mean() / 2)


def smoothed(samples: np.ndarray, differences: list[float]) -> float:
    means = np.array(differences)[samples].mean(axis=1)
    noise = oracle.plug_in_bandwidth(differences) / len(differences) ** 0.5
    return float(ndtr(-means / noise).mean())


def of_halves(scores: np.ndarray) -> Contest:
    def ours() -> float:
        return expected_correlation(scores, coefficient="tau", estimator="split-half", rng=1).value

    subject = f"expected_correlation, split-half, {size_of(scores)}"
    return Contest(subject, PLAIN, ours, partial(extrapolated, scores, 10), OF_FEW_TRIALS, share=0.1)


def extrapolated(scores: np.ndarray, trials: int) -> float:
    """log((1 - E) / 2), fitted linearly in the number of topics of a half."""
    rng, n_topics = np.random.default_rng(2), len(scores)

    def tau_of_halves(size: int) -> float:
        topics = rng.permutation(n_topics)
        return float(kendalltau(*(scores[half].mean(axis=0) for half in (topics[:size], topics[size : 2 * size])))[0])

    sizes = np.unique(np.rint(np.linspace(1, n_topics // 2, 20)).astype(int))
    means = [np.mean([tau_of_halves(size) for _ in range(trials)]) for size in sizes]
    slope, intercept = np.polyfit(sizes, np.log((1 - np.array(means)) / 2), 1)
    return float(1 - 2 * np.exp(intercept + slope * n_topics))
