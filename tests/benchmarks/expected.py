"""Expected correlations of 129 systems over 50 topics, against the definitions applied to one pair after the other.

python -m tests.benchmarks.expected
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import kendalltau, rankdata

from pt_rankcorr.stats._bandwidth import plug_in_bandwidths
from pt_rankcorr.stats.expected import expected_correlation
from tests.benchmarks.timing import ratio, seconds, timed

N_SYSTEMS, N_TOPICS, N_RESAMPLES = 129, 50, 1000
TARGETS = {"ml": 0.05, "msqd": 0.05, "resampling": 0.3, "kde": 1.0, "split-half": 1.5, "split-half-replace": 1.5}


def experiment() -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.beta(1.5, 4.5, (N_TOPICS, N_SYSTEMS)) + rng.normal(0, 0.03, N_SYSTEMS)


def pair_by_pair(probability: Callable[[np.ndarray], float], scores: np.ndarray) -> float:
    best_first = scores[:, np.argsort(-scores.mean(axis=0))]
    pairs = itertools.combinations(best_first.T, 2)
    return 1 - 4 / (N_SYSTEMS * (N_SYSTEMS - 1)) * sum(probability(x - y) for x, y in pairs)


def ml(differences: np.ndarray) -> float:
    return float(stdtr(N_TOPICS - 1, -(N_TOPICS**0.5) * differences.mean() / differences.std(ddof=1)))


def msqd(differences: np.ndarray) -> float:
    quantiles = ndtri(rankdata(differences) / (N_TOPICS + 1))
    deviation = (differences * quantiles).sum() / (quantiles**2).sum()
    return float(stdtr(N_TOPICS - 1, -(N_TOPICS**0.5) * differences.mean() / deviation))


def resampling(differences: np.ndarray) -> float:
    return float((resampled_means(differences) < 0).mean())


def kde(differences: np.ndarray) -> float:
    noise = plug_in_bandwidths(differences) / N_TOPICS**0.5
    return float(ndtr(-resampled_means(differences) / noise).mean())


def resampled_means(differences: np.ndarray) -> np.ndarray:
    return np.random.default_rng(1).choice(differences, (N_RESAMPLES, N_TOPICS)).mean(axis=1)


def split_half(scores: np.ndarray) -> float:
    rng, sizes = np.random.default_rng(1), np.unique(np.rint(np.linspace(1, N_TOPICS // 2, 20)).astype(int))
    means = [np.mean([correlation_of_halves(scores, size, rng) for _ in range(100)]) for size in sizes]
    slope, intercept = np.polyfit(sizes, np.log((1 - np.array(means)) / 2), 1)
    return float(1 - 2 * np.exp(intercept + slope * N_TOPICS))


def correlation_of_halves(scores: np.ndarray, size: int, rng: np.random.Generator) -> float:
    topics = rng.permutation(N_TOPICS)
    return float(kendalltau(scores[topics[:size]].mean(axis=0), scores[topics[size : 2 * size]].mean(axis=0))[0])


def main() -> None:
    scores = experiment()
    plain = {name: partial(pair_by_pair, globals()[name]) for name in ("ml", "msqd", "resampling", "kde")}
    plain |= {"split-half": split_half, "split-half-replace": split_half}
    for estimator, target in TARGETS.items():
        ours = partial(expected_correlation, scores, coefficient="tau", estimator=estimator, rng=1)
        print(ratio(estimator, ours, partial(plain[estimator], scores), pairs=1), f"(target {seconds(target).strip()})")
    interval = timed(expected_correlation(scores, rng=1).confidence_interval)
    print(f"{'the interval, of 1000 resamples':<66} {seconds(interval)}")


if __name__ == "__main__":
    main()
