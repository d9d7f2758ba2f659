"""Judges of runs: the test of which is better, the set of the best, and the intervals of decisions and of topics."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np

from pt_rankcorr.comparison.engine import PerCase
from pt_rankcorr.comparison.table import Settings
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.correlation import Coefficients
from pt_rankcorr.stats.accuracy.difference import contests
from pt_rankcorr.stats.coefficients.ap import TAU_AP
from pt_rankcorr.stats.coefficients.kendall import TAU
from tests.calibration.populations import Floats
from tests.calibration.studies import Study, coverage, level

N_SYSTEMS, TOPICS = 20, (10, 25, 50)
SPREAD = 0.3  # of the true means, in standard deviations of a topic
EQUAL = (0.7, 0.7, 0.7, 0.7)
UNLIKE = (0.3, 0.6, 0.9, 1.5)
RESAMPLES, DRAWS_OF_THE_TRUTH = 199, 2000
OF_EQUALS = (
    *(level("judges", f"a pair of equals, {name}") for name in ("tau", "tau_ap")),
    level("judges", "any of all pairs of equals, corrected, tau"),
)
OF_UNLIKE = (coverage("judges", "the best is among those that may be, tau"),)
DECIDED = ("n_active_agreements", "n_false_positives", "n_false_negatives", "balanced_accuracy", "soft_accuracy")
OF_DECISIONS = (
    *(coverage("significant pairs", f"{name}, t-test") for name in DECIDED),
    coverage("per_topic", "tau"),
)


def studies() -> Iterator[Study]:
    kinds = (
        ("equally noisy judges", OF_EQUALS, of_equals, 200),
        ("judges of unlike noise", OF_UNLIKE, of_unlike, 200),
        ("a judge with errors of its own", OF_DECISIONS, of_decisions, 400),
    )
    for data, rows, trial, repetitions in kinds:
        for n_topics in TOPICS:
            size = N_SYSTEMS, n_topics
            yield Study("judges", f"Gaussian, {data}", size, rows, partial(trial, n_topics), repetitions)


def draw(n_topics: int, noises: tuple[float, ...], rng: np.random.Generator, own: float = 0.0) -> list[Floats]:
    """A reference, and judges that share some of its errors and make others; of systems that are always the same."""
    fixed = np.random.default_rng(0)
    means, errors = SPREAD * fixed.standard_normal(N_SYSTEMS), own * fixed.standard_normal(N_SYSTEMS)
    topics = rng.standard_normal((n_topics, 1))
    shared = rng.standard_normal((n_topics, N_SYSTEMS))
    judges = [means + errors + topics + 0.7 * shared + noise * rng.standard_normal(shared.shape) for noise in noises]
    return [means + topics + shared, *judges]


def of_equals(n_topics: int, rng: np.random.Generator) -> list[float]:
    reference, *judges = draw(n_topics, EQUAL, rng)
    seed = int(rng.integers(2**32))
    found = {each.name: contests(reference, judges, each, n_resamples=RESAMPLES, seed=seed) for each in (TAU, TAU_AP)}
    pairs = (float(found[name].pvalues[0, 1] <= 0.05) for name in found)
    return [*pairs, float((found["tau"].corrected <= 0.05).any())]


def of_unlike(n_topics: int, rng: np.random.Generator) -> list[float]:
    reference, *judges = draw(n_topics, UNLIKE, rng)
    found = contests(reference, judges, "tau", n_resamples=RESAMPLES, seed=int(rng.integers(2**32)))
    return [float(not found.better()[:, 0].any())]


def of_decisions(n_topics: int, rng: np.random.Generator) -> list[float]:
    fields = computed(n_topics, rng, seed=int(rng.integers(2**32)))
    pairs, truth = fields["pairs"], expected(n_topics)
    held = [
        np.nan if np.isnan(pairs[name]) else covers(pairs["intervals"][name], truth[at])
        for at, name in enumerate(DECIDED)
    ]
    return [*held, covers(fields["per_topic"]["tau"][1:3], truth[-1])]


def computed(n_topics: int, rng: np.random.Generator, *, seed: int, with_intervals: bool = True) -> dict[str, object]:
    reference, judge = map(ScoreMatrix, draw(n_topics, (0.7,), rng, own=0.1))
    settings = Settings(n_resamples=99, seed=seed, intervals=with_intervals, test="t", per_topic=True)
    found: dict[str, object] = PerCase(reference, Coefficients((TAU,)), settings).compute(judge)
    return found


def covers(interval: tuple[float, float], value: float) -> float:
    return float(interval[0] <= value <= interval[1])


@cache
def expected(n_topics: int) -> Floats:
    """What the decisions, and the mean over topics, are on average."""
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(DRAWS_OF_THE_TRUTH):
        fields = computed(n_topics, rng, seed=1, with_intervals=False)
        rows.append([*(fields["pairs"][name] for name in DECIDED), fields["per_topic"]["tau"].value])
    return np.asarray(np.nanmean(rows, axis=0))


def power(n_topics: int, noise: float, repetitions: int = 200) -> tuple[float, float]:
    """The mean difference of the tau of two judges, and how often it is significant."""
    rng, differences, rejected = np.random.default_rng(3), [], []
    for _ in range(repetitions):
        reference, *judges = draw(n_topics, (0.4, noise), rng)
        first, second = (float(TAU.kernel(reference.mean(axis=0), judge.mean(axis=0))) for judge in judges)
        found = contests(reference, judges, TAU, n_resamples=RESAMPLES, seed=int(rng.integers(2**32)))
        differences.append(first - second)
        rejected.append(found.pvalues[0, 1] <= 0.05)
    return float(np.mean(differences)), float(np.mean(rejected))
