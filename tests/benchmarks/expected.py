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
from tests.benchmarks.contests import PLAIN, Claim, Contest, Entries, drawn, other
from tests.benchmarks.workload import Workload, generated
from tests.stats import oracles_expected as oracle
from tests.stats.oracles_sensitivity import drawn_topics

PAIRS = 200  # of all pairs, that the definitions are applied to
FEW = 10  # where these are double loops


def contests(load: Workload) -> Entries:
    scores = load.half
    size = f"{scores.shape[0]} topics x {scores.shape[1]} systems"
    best_first = scores[:, np.argsort(-scores.mean(axis=0), kind="stable")]
    for estimator, probability in (("ml", oracle.ml), ("msqd", msqd)):
        yield _of_pairs(best_first, estimator, probability, f"{estimator}, {size}", Claim(1e-9), PAIRS)
    B = load.sizes.resamples
    luck = drawn(6 * 0.71 / B**0.5)  # a share of B resamples twice: its standard error is at most sqrt(2/B)/2
    for estimator, smoothed, pairs in (("resampling", False, PAIRS), ("kde", True, FEW)):
        probability = _of_resamples(drawn_topics(len(scores), B, 2), smoothed)
        yield _of_pairs(best_first, estimator, probability, f"{estimator}, {size}, B = {B}", luck, pairs, B)
    yield _split_half(scores, size)
    for size in ({"systems": 9 * load.sizes.systems}, {"topics": min(load.sizes.topics, 10), "systems": 5}):
        yield from _shrunken(generated(replace(load.sizes, **size)))


def _of_pairs(
    scores: np.ndarray,
    estimator: str,
    probability: Callable[[list[float]], float],
    subject: str,
    claim: Claim,
    most: int,
    n_resamples: int = 1000,
) -> Contest:
    """Probabilities of discordance: of all pairs by ours, of some of those that differ by the definition."""
    pairs = list(itertools.combinations(range(scores.shape[1]), 2))
    some = [pair for pair in pairs[:: -(-len(pairs) // most)] if np.ptp(scores[:, pair[0]] - scores[:, pair[1]]) > 0]
    return Contest(
        f"expected_correlation, {subject}",
        PLAIN,
        lambda: expected_correlation(scores, estimator=estimator, n_resamples=n_resamples, rng=1).probabilities,
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


def _of_resamples(samples: np.ndarray, smoothed: bool) -> Callable[[list[float]], float]:
    def probability(differences: list[float]) -> float:
        means = np.array(differences)[samples].mean(axis=1)
        if not smoothed:
            return float((means < 0).mean() + (means == 0).mean() / 2)
        noise = oracle.plug_in_bandwidth(differences) / len(differences) ** 0.5
        return float(ndtr(-means / noise).mean())

    return probability


def _shrunken(load: Workload) -> Entries:
    """The default, which may take twice as long as the best published one for as many systems."""
    luck_for_truth = other(
        "msqd takes the measured differences for true, and its value needs no draws. Of few systems and topics it "
        "takes a third of a millisecond, eight blocks of draws take about one. Intervals are drawn by both"
    )

    def with_interval(estimator: str) -> float:
        return expected_correlation(load.ap, estimator=estimator, rng=1).confidence_interval().low

    def alone(estimator: str) -> float:
        return expected_correlation(load.ap, estimator=estimator, rng=1).value

    for what, of in (("", alone), (", with its interval", with_interval)):
        subject = f"expected_correlation{what}, shrunken, {load.sizes}"
        yield Contest(subject, "msqd", partial(of, "shrunken"), partial(of, "msqd"), luck_for_truth)


# --- split half --------------------------------------------------------------------------------------


def _split_half(scores: np.ndarray, size: str) -> Contest:
    share = 0.1  # of the trials

    def ours() -> float:
        return expected_correlation(scores, coefficient="tau", estimator="split-half", rng=1).value

    # both ends of the fit are noisy: seen over seeds, trials as few as these move the value by some hundredths
    luck = Claim(0.1, why="the same quantity, of other draws")
    return Contest(
        f"expected_correlation, split-half, {size}", PLAIN, ours, lambda: _extrapolated(scores, 10), luck, share=share
    )


def _extrapolated(scores: np.ndarray, trials: int) -> float:
    """log((1 - E) / 2), fitted linearly in the number of topics of a half."""
    rng, n_topics = np.random.default_rng(2), len(scores)
    sizes = np.unique(np.rint(np.linspace(1, n_topics // 2, 20)).astype(int))
    means = [np.mean([_of_halves(scores, size, rng) for _ in range(trials)]) for size in sizes]
    slope, intercept = np.polyfit(sizes, np.log((1 - np.array(means)) / 2), 1)
    return float(1 - 2 * np.exp(intercept + slope * n_topics))


def _of_halves(scores: np.ndarray, size: int, rng: np.random.Generator) -> float:
    topics = rng.permutation(len(scores))
    return float(kendalltau(scores[topics[:size]].mean(axis=0), scores[topics[size : 2 * size]].mean(axis=0))[0])
