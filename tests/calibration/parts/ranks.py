"""Where systems may rank, by resampled topics, and how sure the first place is; the grid has the default."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.core.means import ranks
from tests.calibration.populations import ALL, SIMULATED, Data, choose
from tests.calibration.rows import MEAN_COVERAGE, Row, bias
from tests.calibration.studies import Study

RESAMPLES = 400
ROWS = (
    Row("rank_intervals", "interval of a system's rank", MEAN_COVERAGE, 0.95),
    bias("rank_intervals", "share_first of the system that leads, less how often it truly does"),
)


def studies() -> Iterator[Study]:
    random = itertools.product(ALL, ("random",), ((20, 10), (20, 50), (20, 250)))
    close = itertools.product((SIMULATED,), ("adjacent",), ((2, 50), (20, 10), (20, 50), (20, 250)))
    for data, how, size in itertools.chain(random, close):
        yield Study("ranks", f"{data}, systems {how}", size, ROWS, partial(intervals, data, how, size), 300)


def intervals(data: Data, how: str, size: tuple[int, int], rng: np.random.Generator) -> list[float]:
    n_systems, n_topics = size
    systems = choose(data, n_systems, how, rng)
    found = rank_intervals(systems.draw(n_topics, rng), method="percentile", n_resamples=RESAMPLES, rng=rng)
    truth = ranks(systems.means)
    leads = int(np.argmin(found.rank))
    inside = (found.low <= truth) & (truth <= found.high)
    return [float(inside.mean()), float(found.share_first[leads] - (truth[leads] == 1))]
