"""Query performance prediction: intervals of the correlation over topics."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np

from pt_rankcorr.stats.accuracy.prediction import prediction_quality
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from tests.calibration.populations import CORRELATED, DISCRETE, SIMULATED, Data
from tests.calibration.studies import Study, bias, coverage, covered

RESAMPLES = 400
WANTED = ("tau", "tau_ap", "pearson", "spearman")
ROWS = (
    *(coverage("prediction_quality", f"interval, {name}") for name in WANTED),
    *(bias("prediction_quality", f"value, {name}, less that over all topics") for name in WANTED),
)
MANY = 2000  # topics of each of the samples that stand for all
NOISE = 0.1


def studies() -> Iterator[Study]:
    for data, n_topics in itertools.product((CORRELATED, SIMULATED, DISCRETE), (10, 50, 250)):
        repetitions = 400 if n_topics < 250 else 60
        yield Study("prediction", str(data), (1, n_topics), ROWS, partial(predicted, data, n_topics), repetitions)


def predicted(data: Data, n_topics: int, rng: np.random.Generator) -> list[float]:
    predictions, scores = topics(data, n_topics, rng)
    truth = true_values(data)
    quality = prediction_quality(scores[:, np.newaxis], predictions, list(WANTED), n_resamples=RESAMPLES, rng=rng)
    intervals = quality.confidence_interval().values()
    return [
        *(covered(interval, true) for interval, true in zip(intervals, truth, strict=True)),
        *(float(value) - true for value, true in zip(quality.values[0], truth, strict=True)),
    ]


def topics(data: Data, n_topics: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The best system's scores, and as predictions those of the system in the middle under some noise."""
    best, middle = (int(np.argsort(data.means)[at]) for at in (-1, len(data.means) // 2))
    scores = data.draw(n_topics, rng)
    return scores[:, middle] + NOISE * rng.standard_normal(n_topics), scores[:, best]


@lru_cache(maxsize=len("correlated simulated discrete".split()))
def true_values(data: Data) -> list[float]:
    """Over so many topics that the rest of their error, about .001, is nothing beside the bounds."""
    if data == CORRELATED:
        return _of_gaussian(data)
    rng = np.random.default_rng(0)
    samples = [topics(data, MANY, rng) for _ in range(25)]
    return [float(np.mean([COEFFICIENTS[name].kernel(truth, guess) for guess, truth in samples])) for name in WANTED]


def _of_gaussian(data: Data) -> list[float]:
    """Where the formulas are known: all but tau_AP, which is simulated."""
    rng = np.random.default_rng(0)
    samples = [topics(data, MANY, rng) for _ in range(25)]
    tau_ap = float(np.mean([COEFFICIENTS["tau_ap"].kernel(truth, guess) for guess, truth in samples]))
    rho = float(np.corrcoef(np.hstack(samples))[0, 1])
    return [2 / math.pi * math.asin(rho), tau_ap, rho, 6 / math.pi * math.asin(rho / 2)]
