"""d_rank: how often its other tests reject the true ranking, and the ranks allowed; the grid has the default.

`examples/calibration_of_d_rank.py` asks the same of more sizes, and for the power; its topics are those of Robust 2004
drawn with replacement, these are simulated.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from pt_rankcorr import ScoreMatrix, d_rank
from pt_rankcorr.stats import allowed_ranks
from pt_rankcorr.stats.core.means import ranks
from tests.calibration.populations import CORRELATED, DISCRETE, INDEPENDENT, SIMULATED, Data, choose
from tests.calibration.studies import MEAN_COVERAGE, Row, Study, coverage, level, rejected

RESAMPLES = 199  # (b + 1) / 200 can be .05
PUBLISHED = ("published", "sample")
RANKING_TOPICS = (10, 50, 250)  # of two-sample rankings, where the reference has 50
HOW = ("random", "adjacent", "equal")
SIZES = ((10, 10), (10, 50), (10, 250), (20, 50))

Tests = Sequence[tuple[str, str]]


def studies() -> Iterator[Study]:
    cases = [
        *itertools.product((SIMULATED,), HOW, SIZES),
        *((data, "equal", (10, 50)) for data in (INDEPENDENT, CORRELATED)),
        *((DISCRETE, how, (10, 50)) for how in HOW),
        (SIMULATED, "equal", (2, 50)),
    ]
    for data, how, size in cases:
        yield _study(data, how, size, (PUBLISHED,), 400)
    for how in HOW:
        yield _study(SIMULATED, how, (10, 50), (("published", "ledoit-wolf"),), 100)
        rows = tuple(level("d_rank", f"two-sample, ranking on {n_topics} topics") for n_topics in RANKING_TOPICS)
        yield Study("d_rank", f"{SIMULATED}, systems {how}", (10, 50), rows, partial(two_samples, how), 200)
    for how in ("random", "adjacent"):
        trial = partial(allowed, how, (10, 50))
        yield Study("allowed ranks", f"{SIMULATED}, systems {how}", (10, 50), _rows_of_allowed(*PUBLISHED), trial, 60)


def _rows_of_allowed(null: str, covariance: str) -> tuple[Row, Row]:
    how = f"{null}, {covariance}"
    return (
        coverage("allowed_ranks", f"{how}, true ranking accepted"),
        Row("allowed_ranks", f"{how}, true rank allowed", MEAN_COVERAGE, 0.95),
    )


def _study(data: Data, how: str, size: tuple[int, int], tests: Tests, repetitions: int) -> Study:
    rows = tuple(level("d_rank", f"{null}, {covariance}") for null, covariance in tests)
    trial = partial(true_ranking, data, how, size, tests)
    return Study("d_rank", f"{data}, systems {how}", size, rows, trial, repetitions)


def true_ranking(data: Data, how: str, size: tuple[int, int], tests: Tests, rng: np.random.Generator) -> list[float]:
    """The true ranking against a sample; where all means are equal, any ranking is true."""
    n_systems, n_topics = size
    systems = choose(data, n_systems, how, rng)
    sample, found = systems.draw(n_topics, rng), []
    truth = np.arange(n_systems) if how == "equal" else systems.means
    for null, covariance in tests:
        test = d_rank(sample, truth, null=null, covariance=covariance, n_resamples=RESAMPLES, rng=rng)
        found.append(rejected(float(test.pvalue)))
    return found


def two_samples(how: str, rng: np.random.Generator) -> list[float]:
    """The ranking by a sample of other topics, and perhaps of another number of them."""
    systems = choose(SIMULATED, 10, how, rng)
    sample, others = systems.draw(50, rng), [systems.draw(n_topics, rng) for n_topics in RANKING_TOPICS]
    tests = [d_rank(sample, ScoreMatrix(other), null="two-sample", n_resamples=RESAMPLES, rng=rng) for other in others]
    return [rejected(float(test.pvalue)) for test in tests]


def allowed(how: str, size: tuple[int, int], rng: np.random.Generator) -> list[float]:
    n_systems, n_topics = size
    systems = choose(SIMULATED, n_systems, how, rng)
    sample, true_ranks = systems.draw(n_topics, rng), ranks(systems.means).astype(int)
    how_tested = {"null": PUBLISHED[0], "covariance": PUBLISHED[1], "n_resamples": RESAMPLES, "rng": rng}
    shares = allowed_ranks(sample, **how_tested)
    accepted = 1.0 - rejected(float(d_rank(sample, systems.means, **how_tested).pvalue))
    return [accepted, float((shares.by_distance[np.arange(n_systems), true_ranks - 1] > 0).mean())]
