"""Expected correlations, against the definitions applied to one pair after the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import kendalltau, rankdata

from pt_rankcorr.stats.expected.correlation import expected_correlation
from tests.benchmarks.contests import PLAIN, SAME, Claim, Contest, Contests, drawn, other
from tests.benchmarks.workload import Workload, generated
from tests.stats import oracles_expected as oracle
from tests.stats.oracles_sensitivity import drawn_topics

PAIRS, FEW = 200, 10  # of all pairs, that the definitions are applied to; where these are double loops
FOR_TRUE = other(
    "msqd takes the measured differences for true, and its value needs no draws. Of few systems and topics it "
    "takes a third of a millisecond, eight blocks of draws take about one. Intervals are drawn by both"
)
# both ends of the fit are noisy: seen over seeds, few trials move the value by some hundredths
OF_FEW_TRIALS = Claim(0.1, why="the same quantity, of other draws")


def contests(load: Workload) -> Contests:
    scores, B = load.half, load.sizes.resamples
    samples, luck = drawn_topics(len(scores), B, 2), drawn(6 * 0.71 / B**0.5)  # a standard error is at most sqrt(2/B)/2
    for estimator, probability, claim, most in (
        ("ml", oracle.ml, SAME, PAIRS),
        ("msqd", msqd, SAME, PAIRS),
        ("resampling", partial(resampled, samples), luck, PAIRS),
        ("kde", partial(smoothed, samples), luck, FEW),
    ):
        yield of_pairs(scores, estimator, probability, claim, most, B)
    yield of_halves(scores)
    for size in ({"systems": 9 * load.sizes.systems}, {"topics": min(load.sizes.topics, 10), "systems": 5}):
        yield from of_shrunken(generated(replace(load.sizes, **size)))


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


def of_shrunken(load: Workload) -> Contests:
    """The default, which may take twice as long as the best published one for as many systems."""

    def alone(estimator: str) -> float:
        return expected_correlation(load.ap, estimator=estimator, rng=1).value

    def with_interval(estimator: str) -> float:
        return expected_correlation(load.ap, estimator=estimator, rng=1).confidence_interval().low

    for what, of in (("", alone), (", with its interval", with_interval)):
        subject = f"expected_correlation{what}, shrunken, {load.sizes}"
        yield Contest(subject, "msqd", partial(of, "shrunken"), partial(of, "msqd"), FOR_TRUE)


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
