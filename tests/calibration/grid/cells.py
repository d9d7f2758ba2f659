"""The cells of the grid: what is drawn from, how many systems and topics, and which systems."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from tests.calibration.populations import (
    POPULATIONS,
    TREC,
    Data,
    Floats,
    Population,
    Systems,
    choose,
    correlated,
    independent,
    simulated,
    untied,
    with_replacement,
)

# a measure whose topics are drawn with replacement, and another one of the same runs
DRAWN = {
    "AP": ("adhoc7_ap", "adhoc7_p10"),
    "P@10": ("robust2004_p10", "robust2004_ap"),
    "RR": ("adhoc7_rr", "adhoc7_ap"),
    "nDCG@20": ("web2012_ndcg20", "web2012_ap"),
    "AP, 6": ("adhoc6_ap", "adhoc6_rr"),
}
MADE = {"Gaussian, independent": independent, "Gaussian, as AP": correlated, "AP, simulated": simulated}
TOPICS, HOW = (10, 25, 50, 100, 249), ("random", "adjacent", "equal")
MANY = {60: ("AP", "AP, simulated", "RR", "P@10"), 100: ("AP, simulated", "Gaussian, independent", "Gaussian, as AP")}
FEW = ("AP", "Gaussian, as AP", "P@10", "nDCG@20", "RR", "AP, simulated", "AP, 6", "Gaussian, independent")


@dataclass(frozen=True)
class Cell:
    """One cell."""

    data: str
    n_systems: int
    n_topics: int
    how: str

    @property
    def name(self) -> str:
        return f"{self.data}, {self.how}, {self.n_systems} x {self.n_topics}"

    @property
    def repetitions(self) -> int:
        """In a full run."""
        return 400 if self.n_systems >= 60 else 1000

    @property
    def missing(self) -> list[Path]:
        """The files that it needs and that are not there."""
        return [path for path in map(_path, DRAWN.get(self.data, ())) if not path.exists()]

    def systems(self, rng: np.random.Generator) -> Systems:
        """Systems that do not tie, in random order: any, adjacent in rank, or shifted to one mean."""
        data = Data(self.data)
        if self.how != "adjacent":  # drawn and not used, so that seeds keep their samples
            rng.integers(0, untied(data).size - self.n_systems + 1)
        return choose(data, self.n_systems, self.how, rng)


def _path(name: str) -> Path:
    return TREC / f"{name}.csv"


@cache
def drawn(data: str) -> Population:
    return with_replacement(np.stack([_scores(_path(name)) for name in DRAWN[data]]))


def _scores(path: Path) -> Floats:
    skipped = 1 if path.read_text(encoding="utf-8").startswith('"topic"') else 0
    return np.loadtxt(path, delimiter=",", skiprows=1)[:, skipped:]


POPULATIONS.update(MADE | {data: partial(drawn, data) for data in DRAWN})


def cells() -> Iterator[Cell]:
    """Every number of topics and kind of systems with 2 to 20 systems, of many systems some; the data take turns."""
    turns = {m: itertools.cycle(data) for m, data in MANY.items()} | {0: itertools.cycle(FEW)}
    for at, (n_topics, how) in enumerate(itertools.product(TOPICS, HOW)):
        for n_systems in (2, 5, 10, 20):
            yield Cell(next(turns[0]), n_systems, n_topics, how)
        for n_systems in (5, 10, 20):  # the other half of the data, in the middle of the grid
            if n_topics in (10, 50) or (n_topics, n_systems) == (25, 10):
                yield Cell(next(turns[0]), n_systems, n_topics, how)
        if at % 3 != (at // 3) % 3:
            yield Cell(next(turns[60]), 60, n_topics, how)
        elif how != "adjacent":  # nearly all systems there are
            yield Cell(next(turns[100]), 100, n_topics, how)
