"""Correlations of the means by two measures: observed, in resamples, and in draws of the true means."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from pt_rankcorr.stats.coefficients.coefficient import Coefficient, Function, Kernel
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.means import round_means, system_means
from pt_rankcorr.stats.core.resampling import blockwise, topic_weights
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.joint import draw_joint_truths
from pt_rankcorr.warnings import DegenerateInputWarning

Correlation: TypeAlias = Coefficient | Function


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
    """The kernel and the name of a coefficient, by its name, as an object, or as a function of two vectors."""
    found = as_coefficient(coefficient)
    return found.kernel, found.name
