"""Tests of two systems and of all pairs of systems, and Sakai's methods, against loops, numpy and scipy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import scipy.stats

from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.stats.significance.bootstrap import paired_bootstrap_test, unpaired_bootstrap_test
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.stats.significance.swap import stability, swap_rates
from pt_rankcorr.stats.significance.tukey import randomized_tukey_hsd
from tests.benchmarks.contests import PLAIN, Contest, Contests, drawn, other
from tests.benchmarks.workload import Workload, generated
from tests.stats import oracles_sensitivity as oracle

F, NUMPY = 0.05, "numpy, pair by pair"
OfPair = Callable[[list[float], list[float], np.ndarray], float]
SCIPY = "scipy.stats.permutation_test"
FLIPPED = other("flips the signs of differences, where Sakai's test resamples them and studentises")
NORMAL = other("takes the differences for normal; no resamples")
SHUFFLED = other("draws without replacement, where Sakai's test draws with it")
GROUPED = other("takes systems for independent groups of topics, and scores for normal: much less power")


def contests(load: Workload) -> Contests:
    many = generated(replace(load.sizes, systems=3 * load.sizes.systems)).ap  # matrix products are most of the work
    B = load.sizes.resamples
    yield of_power(load.half, "paired", PLAIN, by_difference, 4, B)
    yield of_power(load.half, "paired", NUMPY, vectorised, 200, B)
    yield of_power(many, "paired", NUMPY, vectorised, 100, B)
    yield of_power(load.half, "unpaired", PLAIN, oracle.unpaired_asl, 4, B)
    yield from of_resampled_means(in_one_order(load.half[:, :40]), min(B, 200))
    yield from of_two_systems(load)
    yield from of_all_pairs(load)


def of_power(scores: np.ndarray, test: str, rival: str, theirs: OfPair, most: int, B: int) -> Contest:
    """All pairs by ours, some by the rival."""
    scores = in_one_order(scores)
    n_topics, n_systems = scores.shape
    order = np.argsort(-scores.mean(axis=0), kind="stable").tolist()
    pairs = list(itertools.combinations(order, 2))  # the better one first, as the package has it
    some, columns = pairs[:: -(-len(pairs) // most)], scores.T.tolist()
    samples = oracle.drawn_topics(n_topics * (1 + (test == "unpaired")), B, 1)
    return Contest(
        f"discriminative_power, {test}, {n_topics} topics x {n_systems} systems, B = {B}",
        rival,
        lambda: discriminative_power(scores, test=f"{test}-bootstrap", n_resamples=B, rng=1).asl,
        lambda: [theirs(columns[i], columns[j], samples) for i, j in some],
        share=len(some) / len(pairs),
        part=lambda asl: [asl[pair] for pair in some],
    )


def by_difference(x: list[float], y: list[float], samples: np.ndarray) -> float:
    return oracle.paired_asl(*oracle.by_difference(x, y), samples)


def vectorised(x: list[float], y: list[float], samples: np.ndarray) -> float:
    z = np.subtract(*oracle.by_difference(x, y))
    w = (z - z.mean())[samples]
    with np.errstate(divide="ignore", invalid="ignore"):  # equal systems
        t = w.mean(axis=1) / w.std(axis=1, ddof=1)
        return float((np.abs(t) >= abs(z.mean() / z.std(ddof=1)) * (1 - 1e-13)).mean()) if z.any() else 1.0


def of_resampled_means(scores: np.ndarray, B: int) -> Contests:
    size, draw = (
        f"{scores.shape[0]} topics x {scores.shape[1]} systems, B = {B}",
        partial(oracle.drawn_topics, len(scores), B),
    )

    def wrong_and_tied() -> list[float]:
        found = stability(scores, fuzziness=[F], of="resamples", n_resamples=B, rng=1)
        return [found.minority_rate[0], found.proportion_of_ties[0]]

    def swaps() -> np.ndarray:
        found = swap_rates(scores, of="resamples", n_resamples=B, bins="published", rng=1)
        return np.array([found.counts, found.swaps])

    root = np.random.default_rng(1)
    twice = [draw(root), draw(root)]
    yield Contest(f"stability, f = {F}, {size}", PLAIN, wrong_and_tied, partial(oracle.stability, scores, draw(1), F))
    yield Contest(f"swap_rates, {size}", PLAIN, swaps, lambda: oracle.swap_counts(scores, *twice)[:2])


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
