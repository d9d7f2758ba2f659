"""Sakai's methods over all pairs of systems, and the pairs one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.stats.significance.swap import stability, swap_rates
from tests.benchmarks.contests import PLAIN, Contest, Contests
from tests.benchmarks.workload import Workload, generated
from tests.stats import oracles_sensitivity as oracle

F, NUMPY = 0.05, "numpy, pair by pair"
OfPair = Callable[[list[float], list[float], np.ndarray], float]


def contests(load: Workload) -> Contests:
    many = generated(replace(load.sizes, systems=3 * load.sizes.systems)).ap  # matrix products are most of the work
    B = load.sizes.resamples
    yield of_power(load.half, "paired", PLAIN, by_difference, 4, B)
    yield of_power(load.half, "paired", NUMPY, vectorised, 200, B)
    yield of_power(many, "paired", NUMPY, vectorised, 100, B)
    yield of_power(load.half, "unpaired", PLAIN, oracle.unpaired_asl, 4, B)
    yield from of_resampled_means(in_one_order(load.half[:, :40]), min(B, 200))


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
