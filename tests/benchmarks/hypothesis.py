"""Tests of two systems, and of all pairs of systems."""

from __future__ import annotations

import numpy as np
import scipy.stats

from pt_rankcorr.stats.significance.bootstrap import paired_bootstrap_test, unpaired_bootstrap_test
from pt_rankcorr.stats.significance.tukey import randomized_tukey_hsd
from tests.benchmarks.contests import PLAIN, Contest, Entries, drawn, other
from tests.benchmarks.workload import Workload
from tests.stats import oracles_sensitivity as oracle


def contests(load: Workload) -> Entries:
    yield from _paired(load)
    yield from _unpaired(load)
    yield from _all_pairs(load)


def _near(load: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Two systems that the tests do not agree on beyond doubt: the median one and its neighbour."""
    order = np.argsort(load.ap.mean(axis=0))
    middle = order.size // 2
    return load.ap[:, order[middle]], load.ap[:, order[middle + 1]]


def _paired(load: Workload) -> Entries:
    x, y = _near(load)
    B = load.sizes.resamples
    subject = f"paired_bootstrap_test, {x.size} topics, B = {B}"

    def ours() -> float:
        return paired_bootstrap_test(x, y, n_resamples=B, rng=1).asl

    samples = oracle.drawn_topics(x.size, B, 1)
    yield Contest(subject, PLAIN, ours, lambda: oracle.paired_asl(*oracle.by_difference(x, y), samples))
    flipped = other("flips the signs of differences, where Sakai's test resamples them and studentises")
    yield Contest(subject, "scipy.stats.permutation_test", ours, lambda: _permuted(x, y, B, "samples"), flipped)
    normal = other("takes the differences for normal; no resamples")
    yield Contest(subject, "scipy.stats.ttest_rel", ours, lambda: scipy.stats.ttest_rel(x, y).pvalue, normal)


def _permuted(x: np.ndarray, y: np.ndarray, n_resamples: int, kind: str) -> float:
    def difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return x.mean(axis=axis) - y.mean(axis=axis)

    found = scipy.stats.permutation_test(
        (x, y),
        difference,
        permutation_type=kind,
        vectorized=True,
        n_resamples=n_resamples,
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)


def _unpaired(load: Workload) -> Entries:
    x, y = _near(load)
    B = load.sizes.resamples
    subject = f"unpaired_bootstrap_test, {x.size} topics, B = {B}"

    def ours() -> float:
        return unpaired_bootstrap_test(x, y, method="published", n_resamples=B, rng=1).asl

    samples = oracle.drawn_topics(2 * x.size, B, 1)
    yield Contest(subject, PLAIN, ours, lambda: oracle.unpaired_asl(sorted(x.tolist()), sorted(y.tolist()), samples))
    shuffled = other("draws without replacement, where Sakai's test draws with it")
    yield Contest(subject, "scipy.stats.permutation_test", ours, lambda: _permuted(x, y, B, "independent"), shuffled)


def _all_pairs(load: Workload) -> Entries:
    scores, B = load.half, load.sizes.resamples
    n_topics, n_systems = scores.shape
    subject = f"randomized_tukey_hsd, {n_topics} topics x {n_systems} systems, B = {B}"
    few = max(B // 4, 20)

    def ours() -> np.ndarray:
        return np.quantile(randomized_tukey_hsd(scores, n_resamples=B, rng=1).null_distribution, [0.25, 0.5, 0.75])

    def by_loops() -> np.ndarray:
        return np.quantile(oracle.tukey_null(scores, few, np.random.default_rng(2)), [0.25, 0.5, 0.75])

    margin = float(6 * ours()[2] / few**0.5)  # generous: the null's spread is a fraction of its median
    yield Contest(f"{subject}, null quartiles", PLAIN, ours, by_loops, drawn(margin), share=few / B)
    ten = scores[:, : min(10, n_systems // 2)]  # scipy's integral for each pair takes long
    grouped = other("takes systems for independent groups of topics, and scores for normal: much less power")
    yield Contest(
        f"randomized_tukey_hsd, {n_topics} topics x {ten.shape[1]} systems, B = {B}, p-values",
        "scipy.stats.tukey_hsd",
        lambda: randomized_tukey_hsd(ten, n_resamples=B, rng=1).pvalues,
        lambda: scipy.stats.tukey_hsd(*ten.T).pvalue,
        grouped,
    )
