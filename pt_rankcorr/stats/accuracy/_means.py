"""Correlations of the means by two measures: observed, in resamples, and in draws of the true means."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from pt_rankcorr.stats.coefficients.table import COEFFICIENTS, Kernel
from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.means import round_means, system_means
from pt_rankcorr.stats.core.resampling import blockwise, topic_weights
from pt_rankcorr.stats.core.studentised import TOLERANCE
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.joint import draw_joint_truths
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning

Correlation: TypeAlias = Callable[[Floats, Floats], Any]


def correlate_means(correlate: Kernel, a: Floats, b: Floats) -> float:
    return float(correlate(system_means(a), system_means(b)))


def warn_if_undefined(correlation: float) -> None:
    if np.isnan(correlation):
        message = "The correlation is undefined, as where a measure ties all systems: the result is nan."
        warnings.warn(message, DegenerateInputWarning, stacklevel=3)  # the line that called a public function


def standard_deviation(replicates: Floats) -> float:
    """With divisor B - 1; nan of less than two."""
    if replicates.size < 2:
        return float("nan")
    largest = np.abs(replicates).max()
    if largest == 0.0 or 1e-140 < largest < 1e140:
        return float(replicates.std(ddof=1))
    _, exponent = np.frexp(largest)  # squares would be lost
    return float(np.ldexp(np.ldexp(replicates, -exponent).std(ddof=1), exponent))


def mean(values: Floats) -> float:
    return float(values.mean()) if values.size else float("nan")


def of_truths(
    matrices: Sequence[Floats],
    compared: Sequence[tuple[int, int]],
    correlate: Kernel,
    n_draws: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Floats:
    """The coefficient of each compared pair of measures in each draw of the true means, shape (n_compared, n_draws)."""
    truths = draw_joint_truths(matrices, n_draws, rng, n_jobs)
    return np.stack([correlate(truths[reference], truths[estimate]) for reference, estimate in compared])


def replicates_of(
    matrices: Sequence[Floats],
    compared: Sequence[tuple[int, int]],
    correlate: Kernel,
    n_resamples: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Floats:
    """The coefficient of each compared pair of measures in each resample, shape (n_compared, n_resamples)."""
    n_topics = len(matrices[0])

    def compute(child: np.random.Generator, size: int) -> Floats:
        proportions = topic_weights(child, size, n_topics) / n_topics
        means = [round_means(proportions @ matrix, matrix) for matrix in matrices]
        return np.stack([correlate(means[reference], means[estimate]) for reference, estimate in compared], axis=-1)

    return blockwise(compute, n_resamples, cells=n_topics, rng=rng, n_jobs=n_jobs).T


def as_correlation(coefficient: object) -> tuple[Kernel, str]:
    if callable(coefficient):
        return partial(_call, coefficient), getattr(coefficient, "__name__", type(coefficient).__name__)
    name = one_of("coefficient", coefficient, tuple(COEFFICIENTS))
    return COEFFICIENTS[name], name


def _call(coefficient: Correlation, reference: Floats, estimate: Floats) -> Floats:
    pairs = zip(reference.reshape(-1, reference.shape[-1]), estimate.reshape(-1, estimate.shape[-1]), strict=True)
    with warnings.catch_warnings():  # an undefined resample is counted instead
        warnings.simplefilter("ignore", DegenerateInputWarning)
        values = [_call_once(coefficient, first.copy(), second.copy()) for first, second in pairs]
    return np.array(values).reshape(reference.shape[:-1])


def _call_once(coefficient: Correlation, reference: Floats, estimate: Floats) -> float:
    try:
        value = np.asarray(coefficient(reference, estimate), dtype=np.float64)
    except Exception as error:
        raise ValueError(f"{_MUST}, but it raised {type(error).__name__} ({shown(error)}).") from error
    if value.shape:
        raise ValueError(f"{_MUST}, got an array of shape {value.shape}.")
    if abs(value) > 1.0 + TOLERANCE:
        raise ValueError(f"{_MUST}, got {value}.")
    return float(value)


_MUST = "`coefficient` must return one number, from -1 to 1, for two vectors of shape (n_systems,)"
