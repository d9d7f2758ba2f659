"""The defaults of d_rank, rank intervals and expected correlations on a grid: cells, and what a repetition asks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from pt_rankcorr import DRankTest, best_systems, expected_correlation, rank_intervals
from pt_rankcorr.stats import Rankings
from pt_rankcorr.stats.accuracy.ranks import RankIntervals
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.truth.shrunken import reliability_of
from tests.calibration import populations
from tests.calibration.populations import TREC, Population, Systems
from tests.calibration.studies import covered, rejected

Answers = dict[str, float]

SEED = 2026
DRAWS = 400  # .05 of them, and .025, are whole numbers
RESAMPLES = 39  # (b + 1) / 40 can be .05
REAL = 2.5, 4.0  # standard errors that two systems are apart which a wrong ranking swaps
SOME = 1 / 3  # of the repetitions ask for what takes longest: the power, and pairwise tests
WANTED = ("tau", "tau_ap", "tau_gap")
ESTIMATORS = ("msqd", "shrunken")
RESAMPLED = ("percentile", "shrunken")
METHODS = (*RESAMPLED, "pairwise")
BINS = 10


# --- cells ------------------------------------------------------------------------------------------

# a measure whose topics are drawn with replacement, and another one of the same runs
DRAWN = {
    "AP": ("adhoc7_ap", "adhoc7_p10"),
    "P@10": ("robust2004_p10", "robust2004_ap"),
    "RR": ("adhoc7_rr", "adhoc7_ap"),
    "nDCG@20": ("web2012_ndcg20", "web2012_ap"),
    "AP, 6": ("adhoc6_ap", "adhoc6_rr"),
}
MADE = {
    "Gaussian, independent": populations.independent,
    "Gaussian, as AP": populations.correlated,
    "AP, simulated": populations.simulated,
}
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
    def has_data(self) -> bool:
        return all((TREC / f"{name}.csv").exists() for name in DRAWN.get(self.data, ()))

    def systems(self, rng: np.random.Generator) -> Systems:
        """Systems that do not tie, in random order: any, adjacent in rank, or shifted to one mean."""
        data = populations.Data(self.data)
        if self.how != "adjacent":  # drawn and not used, so that seeds keep their samples
            rng.integers(0, populations.untied(data).size - self.n_systems + 1)
        return populations.choose(data, self.n_systems, self.how, rng)


@cache
def drawn(data: str) -> Population:
    return populations.with_replacement(
        np.stack([populations.read_scores(TREC / f"{name}.csv") for name in DRAWN[data]])
    )


populations.POPULATIONS.update(MADE | {data: partial(drawn, data) for data in DRAWN})


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


# --- d_rank -----------------------------------------------------------------------------------------


def tested(cell: Cell, rng: np.random.Generator) -> Answers:
    """Whether the test of d_rank rejects the true ranking, one with real swaps, and that of another measure."""
    systems = cell.systems(rng)
    sample, seed = systems.draw(cell.n_topics, rng), int(rng.integers(2**32))
    truth = np.arange(cell.n_systems) if cell.how == "equal" else systems.means
    rankings, power = [truth], cell.how != "equal" and rng.random() < SOME
    if power:
        rankings += [_swapped(systems, truth, cell, rng), systems.other_means]
    test = DRankTest(sample, n_resamples=RESAMPLES, rng=seed).test(Rankings(rankings))
    level, swap, other = (*map(rejected, test.pvalue.tolist()), *[math.nan] * 2)[:3]
    swap = math.nan if power and (rankings[1] == truth).all() else swap
    return {"level": level, "power, swap": swap, "power, measure": other}


def _swapped(systems: Systems, truth: np.ndarray, cell: Cell, rng: np.random.Generator) -> np.ndarray:
    """The true means after a swap, for every ten systems, of two that are so far apart."""
    many = systems.draw(2000, rng)
    errors = np.sqrt(populations.variances_of_differences(np.cov(many, rowvar=False)) / cell.n_topics)
    apart = np.abs(truth[:, np.newaxis] - truth)
    pairs = np.argwhere(np.triu((REAL[0] * errors < apart) & (apart < REAL[1] * errors), 1))
    swapped = truth.copy()
    for i, j in pairs[rng.permutation(len(pairs))[: max(1, cell.n_systems // 10)]]:
        swapped[[i, j]] = swapped[[j, i]]
    return swapped


# --- ranks and expected correlations ----------------------------------------------------------------


def estimated(cell: Cell, rng: np.random.Generator) -> Answers:
    """Intervals of ranks, who is the best, and the expected correlation with the true ranking."""
    systems = cell.systems(rng)
    sample = systems.draw(cell.n_topics, rng)
    found = _ranked(sample, systems, cell, rng)
    if rng.random() < SOME:
        found |= _pairwise(sample, systems, cell, rng)
    if cell.how != "equal":
        found |= _expected(sample, systems, rng)
    return found


def _ranked(sample: np.ndarray, systems: Systems, cell: Cell, rng: np.random.Generator) -> Answers:
    truth, equal = _true_ranks(systems, cell), cell.how == "equal"
    values: Answers = {}
    for method in RESAMPLED:
        intervals = rank_intervals(sample, method=method, n_resamples=DRAWS, rng=rng)
        values |= _held(method, intervals, truth)
        if not equal:
            values |= _first(method, intervals, truth)
    return values


def _pairwise(sample: np.ndarray, systems: Systems, cell: Cell, rng: np.random.Generator) -> Answers:
    truth, how = _true_ranks(systems, cell), {"n_resamples": DRAWS, "rng": rng}
    values = _held("pairwise", rank_intervals(sample, method="pairwise", **how), truth)
    together = rank_intervals(sample, method="pairwise", simultaneous=True, **how)
    values["all ranks, pairwise"] = float(((together.low <= truth) & (truth <= together.high)).all())
    if cell.how != "equal":
        best = best_systems(sample, **how).positions
        values |= {"best": float(np.argmin(truth) in best), "number of best": len(best) / cell.n_systems}
    return values


def _true_ranks(systems: Systems, cell: Cell) -> np.ndarray:
    return np.full(cell.n_systems, (cell.n_systems + 1) / 2) if cell.how == "equal" else ranks(systems.means)


def _held(method: str, intervals: RankIntervals, truth: np.ndarray) -> Answers:
    inside = (intervals.low <= truth) & (truth <= intervals.high)
    values = {f"rank, {method}": float(inside.mean())}
    values[f"rank of the best, {method}"] = float(inside[truth == 1].all()) if (truth == 1).any() else math.nan
    values[f"width, {method}"] = float((intervals.high - intervals.low).mean() / (truth.size - 1))
    return values


def _first(method: str, found: RankIntervals, truth: np.ndarray) -> Answers:
    """What was said of the leader, whether it is true; by how much each class of shares is too high, per system."""
    said, first = found.share_first, truth == 1
    leads = int(np.argmax(said))
    excess = np.bincount(np.minimum((said * BINS).astype(int), BINS - 1), weights=said - first, minlength=BINS)
    values = {f"leader said, {method}": float(said[leads]), f"leader is first, {method}": float(first[leads])}
    return values | {f"share first {at}, {method}": float(excess[at] / truth.size) for at in range(BINS)}


def _expected(sample: np.ndarray, systems: Systems, rng: np.random.Generator) -> Answers:
    reliability = reliability_of(sample)
    values = {"reliability": reliability.mean, "least reliability": reliability.quantile(0.025)}
    for estimator in ESTIMATORS:
        result = expected_correlation(sample, estimator=estimator, n_resamples=DRAWS, rng=rng)
        for name in WANTED:
            of_name = result.with_coefficient(name)
            actual = float(COEFFICIENTS[name].kernel(systems.means, sample.mean(axis=0)))
            values[f"error, {name}, {estimator}"] = of_name.value - actual
            values[f"interval, {name}, {estimator}"] = covered(of_name.confidence_interval(), actual)
    return values


TRIALS = {"tests": tested, "estimates": estimated}
NAMES = {
    "tests": ["level", "power, swap", "power, measure"],
    "estimates": [
        *(f"{what}, {method}" for method in METHODS for what in ("rank", "rank of the best", "width")),
        "all ranks, pairwise",
        "best",
        "number of best",
        *itertools.chain.from_iterable(
            [
                f"leader said, {method}",
                f"leader is first, {method}",
                *(f"share first {at}, {method}" for at in range(BINS)),
            ]
            for method in RESAMPLED
        ),
        *(f"{what}, {name}, {each}" for each in ESTIMATORS for name in WANTED for what in ("error", "interval")),
        "reliability",
        "least reliability",
    ],
}
