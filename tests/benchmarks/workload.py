"""What the benchmarks compute on: scores of TREC's Robust track of 2004 where they are at hand, else of that shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.calibration.populations import TREC_FILES, collection, collection_name


@dataclass(frozen=True)
class Sizes:
    """How much there is of everything.

    Attributes:
        topics: Topics of a score matrix.
        systems: Its systems.
        resamples: Resamples, where ours does as many as its rival.
        items: Items of one long ranking.
        queries: Queries of a run.
        documents: Documents of each.
        runs: Runs that are evaluated.
    """

    topics: int = 249
    systems: int = 110
    resamples: int = 1000
    items: int = 100_000
    queries: int = 250
    documents: int = 1000
    runs: int = 17

    def __str__(self) -> str:
        return f"{self.topics} topics x {self.systems} systems"


FULL = Sizes()
QUICK = Sizes(topics=50, systems=30, resamples=200, items=10_000, queries=50, documents=200, runs=17)
TINY = Sizes(topics=9, systems=9, resamples=40, items=25, queries=4, documents=12, runs=3)


@dataclass(frozen=True)
class Workload:
    """Scores of the same systems by two measures, a fine and a coarse one whose means tie; where they come from."""

    sizes: Sizes
    ap: np.ndarray
    p10: np.ndarray
    source: str

    @property
    def half(self) -> np.ndarray:
        """The scores of the first 50 topics: a collection as TREC builds them."""
        return self.ap[:50]

    def untied(self) -> tuple[np.ndarray, np.ndarray]:
        """Means of systems without ties, and an estimate of them without ties."""
        return two_rankings(self.sizes.systems)

    def tied(self) -> tuple[np.ndarray, np.ndarray]:
        """Means by the fine measure and by the coarse one, so coarse that about three share a value."""
        means = self.p10.mean(axis=0)
        step = np.ptp(means) * 3 / self.sizes.systems
        return self.ap.mean(axis=0).round(12), np.round(means / step)


def workload(sizes: Sizes) -> Workload:
    """The TREC scores, or as many of them as are asked for, if they are there; generated ones otherwise."""
    if collection_name() == "demo":
        return generated(sizes)
    ap, p10 = collection()[:, : sizes.topics, : sizes.systems]
    return Workload(sizes, ap, p10, f"{' and '.join(TREC_FILES)} of TREC {collection_name()}, {sizes}")


def generated(sizes: Sizes) -> Workload:
    """Easy and hard topics, good and bad systems, and noise of about the size that TREC's has."""
    rng = np.random.default_rng(0)
    topic, system = rng.beta(1.5, 3, (sizes.topics, 1)), rng.uniform(0.3, 1.0, sizes.systems)
    ap = np.clip(topic * system + rng.normal(0, 0.08, (sizes.topics, sizes.systems)), 0, 1)
    p10 = np.round(np.clip(1.3 * ap + rng.normal(0, 0.1, ap.shape), 0, 1), 1)
    return Workload(sizes, ap, p10, f"generated scores of the shape of TREC Robust 2004 (not at hand), {sizes}")


def two_rankings(items: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.random(items)
    return truth, truth + rng.random(items) / 2
