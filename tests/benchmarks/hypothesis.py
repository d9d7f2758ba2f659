"""Tests of two systems, and of all pairs of systems."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.stats

from pt_rankcorr.stats.significance.bootstrap import paired_bootstrap_test, unpaired_bootstrap_test
from pt_rankcorr.stats.significance.tukey import randomized_tukey_hsd
from tests.benchmarks.contests import PLAIN, Contest, Contests, drawn, other
from tests.benchmarks.workload import Workload
from tests.stats import oracles_sensitivity as oracle

SCIPY = "scipy.stats.permutation_test"
FLIPPED = other("flips the signs of differences, where Sakai's test resamples them and studentises")
NORMAL = other("takes the differences for normal; no resamples")
SHUFFLED = other("draws without replacement, where Sakai's test draws with it")
GROUPED = other("takes systems for independent groups of topics, and scores for normal: much less power")


def contests(load: Workload) -> Contests:
    yield from of_two_systems(load)
    yield from of_all_pairs(load)


def of_two_systems(load: Workload) -> Contests:
    """That the tests do not agree on beyond doubt: the median one and its neighbour."""
    order = np.argsort(load.ap.mean(axis=0))
    x, y = load.ap[:, order[order.size // 2 :][:2]].T
    B = load.sizes.resamples
    subject = f"{{}}_bootstrap_test, {x.size} topics, B = {B}"
    topics, of_both = (oracle.drawn_topics(size, B, 1) for size in (x.size, 2 * x.size))

    def paired() -> float:
        return paired_bootstrap_test(x, y, n_resamples=B, rng=1).asl

    def unpaired() -> float:
        return unpaired_bootstrap_test(x, y, method="published", n_resamples=B, rng=1).asl

    by_loops = partial(oracle.paired_asl, *oracle.by_difference(x, y), topics)
    yield Contest(subject.format("paired"), PLAIN, paired, by_loops)
    yield Contest(subject.format("paired"), SCIPY, paired, partial(permuted, x, y, B, "samples"), FLIPPED)
    by_t = partial(scipy.stats.ttest_rel, x, y)
    yield Contest(subject.format("paired"), "scipy.stats.ttest_rel", paired, lambda: by_t().pvalue, NORMAL)
    by_loops = partial(oracle.unpaired_asl, sorted(x.tolist()), sorted(y.tolist()), of_both)
    yield Contest(subject.format("unpaired"), PLAIN, unpaired, by_loops)
    yield Contest(subject.format("unpaired"), SCIPY, unpaired, partial(permuted, x, y, B, "independent"), SHUFFLED)


def permuted(x: np.ndarray, y: np.ndarray, n_resamples: int, kind: str) -> float:
    def difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return x.mean(axis=axis) - y.mean(axis=axis)

    how = {"permutation_type": kind, "n_resamples": n_resamples, "rng": np.random.default_rng(1)}
    return float(scipy.stats.permutation_test((x, y), difference, vectorized=True, **how).pvalue)


def of_all_pairs(load: Workload) -> Contests:
    scores, B = load.half, load.sizes.resamples
    few, subject = max(B // 4, 20), f"randomized_tukey_hsd, {len(scores)} topics x {{}} systems, B = {B}, {{}}"

    def quartiles(null: np.ndarray) -> np.ndarray:
        return np.quantile(null, [0.25, 0.5, 0.75])

    def ours() -> np.ndarray:
        return quartiles(randomized_tukey_hsd(scores, n_resamples=B, rng=1).null_distribution)

    yield Contest(
        subject.format(scores.shape[1], "null quartiles"),
        PLAIN,
        ours,
        lambda: quartiles(oracle.tukey_null(scores, few, np.random.default_rng(2))),
        drawn(float(6 * ours()[2] / few**0.5)),  # generous: the null's spread is a fraction of its median
        share=few / B,
    )
    ten = scores[:, : min(10, scores.shape[1] // 2)]  # scipy's integral for each pair takes long
    yield Contest(
        subject.format(ten.shape[1], "p-values"),
        "scipy.stats.tukey_hsd",
        lambda: randomized_tukey_hsd(ten, n_resamples=B, rng=1).pvalues,
        lambda: scipy.stats.tukey_hsd(*ten.T).pvalue,
        GROUPED,
    )
