"""Few topics by people, many by a judge: means, differences of systems, and the rows that other statistics take."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.stats import ttest_1samp

from pt_rankcorr.stats.accuracy.prediction_powered import prediction_powered
from pt_rankcorr.stats.core.types import Floats
from tests.calibration.populations import SIMULATED, choose
from tests.calibration.rows import MEAN_COVERAGE, Row, Value, bias, level
from tests.calibration.studies import Study, covered, rejected

N_SYSTEMS = 5
TOPIC, SYSTEM = 0.2, 0.15  # standard deviations of what systems share on a topic, and of the rest
ROWS = (
    Row("prediction_powered", "intervals of means", MEAN_COVERAGE, 0.95),
    bias("prediction_powered", "mean, less the true"),
    level("prediction_powered", "p-value of two equal systems"),
    level("prediction_powered", "t-test of its rows, two equal systems"),
)


def studies() -> Iterator[Study]:
    sizes = list(itertools.product((10, 25, 50), (100, 250)))
    for (n, n_judged), agreement in itertools.product(sizes, (0.0, 0.5, 0.9)):
        told = f"Gaussian, a judge of {n_judged} topics, correlation {agreement:g}"
        draw = partial(simulated, n, n_judged, agreement)
        yield Study("prediction-powered", told, (N_SYSTEMS, n), ROWS, partial(promises, draw), 1000)
    for n in (10, 25, 50):
        draw = partial(by_other_measure, n, 100)
        told = f"{SIMULATED}, the judge P@10 of 100 topics"
        yield Study("prediction-powered", told, (N_SYSTEMS, n), ROWS, partial(promises, draw), 1000)


def simulated(n: int, n_judged: int, agreement: float, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """True means, of which the first two are equal, and scores by people and by a judge who is wrong about means."""
    means = 0.4 + 0.02 * np.maximum(np.arange(N_SYSTEMS) - 1, 0)
    people, judge = (_topics(n_judged, rng) for _ in range(2))
    judge = agreement * people + np.sqrt(1 - agreement**2) * judge
    return means, (means + people)[:n], judge + rng.normal(0.5, 0.1, N_SYSTEMS)


def _topics(n_topics: int, rng: np.random.Generator) -> Floats:
    shared = TOPIC * rng.standard_normal((n_topics, 1))
    return np.asarray(shared + SYSTEM * rng.standard_normal((n_topics, N_SYSTEMS)))


def by_other_measure(n: int, n_judged: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Scores by AP for those by people, and by P@10 for those by a judge; skewed, discrete, and alike."""
    systems = choose(SIMULATED, N_SYSTEMS, "random", rng)
    scores, judge = SIMULATED.of.draw(n_judged, rng)[:, :, systems.positions]
    means = systems.means.copy()
    shift = np.zeros(N_SYSTEMS)
    shift[1] = means[0] - means[1]
    return means + shift, (scores + shift)[:n], judge


def promises(draw: partial[tuple[Floats, Floats, Floats]], rng: np.random.Generator) -> list[Value]:
    means, human, judge = draw(rng)
    found = prediction_powered(human, judge, rng=rng)
    inside = [covered(ends, truth) for ends, truth in zip(found.intervals(), means, strict=True)]
    of_rows = float(ttest_1samp(found.values[:, 0] - found.values[:, 1], 0.0).pvalue)
    off = float((found.means - means).mean())
    return [float(np.mean(inside)), off, rejected(found.pvalues()[0, 1]), rejected(of_rows)]
