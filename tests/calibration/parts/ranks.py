"""Where systems may rank, by resampled topics, how sure the first place is, and means; the grid has the default."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from pt_rankcorr import ScoreMatrix, Scores, best_systems, rank_intervals
from pt_rankcorr.components.of_each import MeanInterval
from pt_rankcorr.stats.core.means import ranks
from tests.calibration.populations import ALL, DISCRETE, SIMULATED, Data, choose
from tests.calibration.studies import MEAN_COVERAGE, Row, Study, bias, coverage

RESAMPLES, DRAWS = 400, 2000  # the rule of the shrunken best is of few draws in a thousand
ROWS = (
    Row("rank_intervals", "interval of a system's rank", MEAN_COVERAGE, 0.95),
    bias("rank_intervals", "share_first of the system that leads, less how often it truly does"),
)
MEANS = (Row("MeanInterval", "", MEAN_COVERAGE, 0.95),)
BEST = (
    coverage("best_systems", "shrunken"),
    coverage("best_systems", "pairwise"),
    coverage("rank_intervals", "pairwise, simultaneous"),
)
RARE, GAIN, LOSS = 0.05, 0.7, 0.03  # the share of topics that the best system wins, by how much, and what it loses else


def studies() -> Iterator[Study]:
    random = itertools.product(ALL, ("random",), ((20, 10), (20, 50), (20, 250)))
    close = itertools.product((SIMULATED,), ("adjacent",), ((2, 50), (20, 10), (20, 50), (20, 250)))
    for data, how, size in itertools.chain(random, close):
        yield Study("ranks", f"{data}, systems {how}", size, ROWS, partial(intervals, data, how, size), 300)
    for data, how, size in itertools.product((SIMULATED, DISCRETE), ("random", "adjacent"), ((20, 10), (20, 50))):
        yield Study("ranks", f"{data}, systems {how}", size, BEST, partial(best, data, how, size), 300)
    for data, n_topics in itertools.product((SIMULATED, DISCRETE), (10, 25, 50)):
        trial = partial(means, data, n_topics)
        yield Study("ranks", f"{data}, systems random", (20, n_topics), MEANS, trial, 200)
    for n_topics in (25, 50, 100):
        trial = partial(rare_wins, n_topics)
        yield Study("ranks", "Gaussian, the best wins one topic in twenty", (10, n_topics), BEST[:2], trial, 300)


def intervals(data: Data, how: str, size: tuple[int, int], rng: np.random.Generator) -> list[float]:
    n_systems, n_topics = size
    systems = choose(data, n_systems, how, rng)
    found = rank_intervals(systems.draw(n_topics, rng), method="percentile", n_resamples=RESAMPLES, rng=rng)
    truth = ranks(systems.means)
    leads = int(np.argmin(found.rank))
    inside = (found.low <= truth) & (truth <= found.high)
    return [float(inside.mean()), float(found.share_first[leads] - (truth[leads] == 1))]


def means(data: Data, n_topics: int, rng: np.random.Generator) -> list[float]:
    systems = choose(data, 20, "random", rng)
    scores = Scores({"AP": ScoreMatrix(systems.draw(n_topics, rng))})
    low, high = MeanInterval().compute(scores)["AP"].values()
    return [float(((low <= systems.means) & (systems.means <= high)).mean())]


def best(data: Data, how: str, size: tuple[int, int], rng: np.random.Generator) -> list[float]:
    n_systems, n_topics = size
    systems = choose(data, n_systems, how, rng)
    scores, truth = systems.draw(n_topics, rng), ranks(systems.means)
    found = rank_intervals(scores, method="pairwise", simultaneous=True, n_resamples=RESAMPLES, rng=rng)
    held = ((found.low <= truth) & (truth <= found.high)).all()
    return [*_kept(scores, int(np.argmin(truth)), rng), float(held)]


def rare_wins(n_topics: int, rng: np.random.Generator) -> list[float]:
    scores = 0.05 * rng.standard_normal((n_topics, 1)) + 0.02 * rng.standard_normal((n_topics, 10))
    scores[:, 0] += GAIN * (rng.random(n_topics) < RARE) - LOSS
    return _kept(scores, 0, rng)


def _kept(scores: np.ndarray, first: int, rng: np.random.Generator) -> list[float]:
    """Whether the sets hold the best system, by each method."""
    how = {"n_resamples": DRAWS, "rng": int(rng.integers(2**32))}
    methods = ("shrunken", "pairwise")
    return [float(first in best_systems(scores, method=method, **how).positions) for method in methods]
