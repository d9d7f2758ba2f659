"""Sakai's methods over all pairs of systems, and the pairs one after the other."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.stats.significance.swap import stability, swap_rates
from tests.benchmarks.contests import PLAIN, Contest, Entries
from tests.benchmarks.workload import Workload, generated
from tests.stats import oracles_sensitivity as oracle

F = 0.05


def contests(load: Workload) -> Entries:
    yield from _power(load)
    yield from _of_resampled_means(load)


def _power(load: Workload) -> Entries:
    scores, B = in_one_order(load.half), load.sizes.resamples
    n_topics, n_systems = scores.shape
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    pairs = [(int(i), int(j)) for i, j in itertools.combinations(order, 2)]  # better one first, as the package has it
    samples = oracle.drawn_topics(n_topics, B, 1)
    few, some = pairs[:: -(-len(pairs) // 4)], pairs[:: -(-len(pairs) // 200)]

    def ours(test: str) -> np.ndarray:
        return discriminative_power(scores, test=test, n_resamples=B, rng=1).asl

    subject = f"discriminative_power, {{}}, {n_topics} topics x {n_systems} systems, B = {B}"
    columns = scores.T.tolist()
    yield Contest(
        subject.format("paired"),
        PLAIN,
        lambda: ours("paired-bootstrap"),
        lambda: [oracle.paired_asl(*oracle.by_difference(columns[i], columns[j]), samples) for i, j in few],
        share=len(few) / len(pairs),
        part=lambda asl: [asl[pair] for pair in few],
        flops=2.0 * n_topics * B * len(pairs),  # of two sums for each pair and resample, in single precision
    )
    yield Contest(
        subject.format("paired"),
        "numpy, pair by pair",
        lambda: ours("paired-bootstrap"),
        lambda: [
            _vectorised_asl(*map(np.array, oracle.by_difference(columns[i], columns[j])), samples) for i, j in some
        ],
        share=len(some) / len(pairs),
        part=lambda asl: [asl[pair] for pair in some],
    )
    yield _of_many_pairs(load)
    halves = oracle.drawn_topics(2 * n_topics, B, 1)
    yield Contest(
        subject.format("unpaired"),
        PLAIN,
        lambda: ours("unpaired-bootstrap"),
        lambda: [oracle.unpaired_asl(columns[i], columns[j], halves) for i, j in few],
        share=len(few) / len(pairs),
        part=lambda asl: [asl[pair] for pair in few],
    )


def _of_many_pairs(load: Workload) -> Contest:
    """As many topics, and three times as many systems: the matrix products are most of the work."""
    scores, B = generated(replace(load.sizes, systems=3 * load.sizes.systems)).ap, load.sizes.resamples
    n_topics, n_systems = scores.shape
    pairs = list(itertools.combinations(np.argsort(-scores.mean(axis=0), kind="stable").tolist(), 2))
    some, samples = pairs[:: -(-len(pairs) // 100)], oracle.drawn_topics(n_topics, B, 1)
    scores = in_one_order(scores)
    return Contest(
        f"discriminative_power, paired, {n_topics} topics x {n_systems} systems, B = {B}",
        "numpy, pair by pair",
        lambda: discriminative_power(scores, test="paired-bootstrap", n_resamples=B, rng=1).asl,
        lambda: [
            _vectorised_asl(*oracle.by_difference(scores[:, i].tolist(), scores[:, j].tolist()), samples)
            for i, j in some
        ],
        share=len(some) / len(pairs),
        part=lambda asl: [asl[pair] for pair in some],
        flops=2.0 * n_topics * B * len(pairs),  # as above: no way around them is known
    )


def _vectorised_asl(x: oracle.Vector, y: oracle.Vector, samples: np.ndarray) -> float:
    z = np.subtract(*oracle.by_difference(x, y))
    w = (z - z.mean())[samples]
    with np.errstate(divide="ignore", invalid="ignore"):  # equal systems
        t = w.mean(axis=1) / w.std(axis=1, ddof=1)
        return float((np.abs(t) >= abs(z.mean() / z.std(ddof=1)) * (1 - 1e-13)).mean()) if z.any() else 1.0


def _of_resampled_means(load: Workload) -> Entries:
    scores, B = in_one_order(load.half[:, :40]), min(load.sizes.resamples, 200)
    size = f"{scores.shape[0]} topics x {scores.shape[1]} systems, B = {B}"

    def ours() -> list[float]:
        found = stability(scores, fuzziness=[F], of="resamples", n_resamples=B, rng=1)
        return [found.minority_rate[0], found.proportion_of_ties[0]]

    samples = oracle.drawn_topics(len(scores), B, 1)
    yield Contest(f"stability, f = {F}, {size}", PLAIN, ours, lambda: oracle.stability(scores, samples, F))
    root = np.random.default_rng(1)
    twice = [oracle.drawn_topics(len(scores), B, root) for _ in range(2)]

    def swaps() -> np.ndarray:
        found = swap_rates(scores, of="resamples", n_resamples=B, bins="published", rng=1)
        return np.array([found.counts, found.swaps])

    yield Contest(f"swap_rates, {size}", PLAIN, swaps, lambda: oracle.swap_counts(scores, *twice)[:2])
