"""Mean differences of all pairs of systems and their standard errors, from the covariances of the scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.pairs import CACHED_CELLS, Pairs
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import one_blas_thread

Indices: TypeAlias = NDArray[np.intp]

ROWS_AT_ONCE = 64  # systems whose differences from all others come out of one matrix product
CANCELLED = 1e-8  # of two variances: if no more of them is left, it is computed from the differences themselves
NO_VARIANCE = 1e-24  # of two sums of squared scores: the rounding errors of twelve digits


class Varying(NamedTuple):
    """Some pairs whose difference has a variance, and their t statistics, shape (n_pairs,)."""

    pairs: Pairs
    t: Floats


def mean_differences(scores: Floats) -> tuple[Floats, Floats]:
    """Of a score matrix of shape (n_topics, n_systems), row less column, both of shape (m, m).

    Returns:
        The differences of the rounded means, and their standard errors sd(D) / sqrt(n): 0 where D has no variance.
    """
    means = system_means(scores)
    errors = np.empty((means.size, means.size))
    for start, rows in _rows_of_errors(scores):
        errors[start : start + len(rows)] = rows
    return means[:, np.newaxis] - means, errors


def varying_pairs(scores: Floats) -> Iterator[Varying]:
    """All pairs with a variance, once each, in blocks: no table of all pairs is needed."""
    means = system_means(scores)
    for start, errors in _rows_of_errors(scores):
        first, second = np.nonzero(np.triu(errors > 0.0, k=start + 1))
        differences = means[start + first] - means[second]
        yield Varying(Pairs(start + first, second), differences / errors[first, second])


def _rows_of_errors(scores: Floats) -> Iterator[tuple[int, Floats]]:
    """The standard errors of the differences of some systems from all, and the number of the first of them."""
    unit = np.abs(scores).max() or 1.0
    for start, squares in _squared_errors(scores / unit):
        yield start, np.sqrt(squares) * unit


def _squared_errors(scores: Floats) -> Iterator[tuple[int, Floats]]:
    """Row by row, of scores up to 1 in size, whose squares neither overflow nor vanish."""
    n_topics = len(scores)
    by_topic = scores - scores.mean(axis=1, keepdims=True)  # leaves the differences as they are, and less to cancel
    residuals = np.ascontiguousarray((by_topic - by_topic.mean(axis=0)).T)
    sums, sizes = (np.einsum("st,st->s", rows, rows) for rows in (residuals, np.ascontiguousarray(scores.T)))
    for start in range(0, len(residuals), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        both = sums[rows, np.newaxis] + sums
        with one_blas_thread():  # more change the last bits
            apart = both - 2.0 * residuals[rows] @ residuals.T
        cancelled = apart < CANCELLED * both
        itself = np.arange(len(apart)), start + np.arange(len(apart))
        apart[itself], cancelled[itself] = 0.0, False
        for row in cancelled.any(axis=1).nonzero()[0]:
            near = cancelled[row].nonzero()[0]
            apart[row, near] = _squared_distances(residuals, start + row, near)
        apart[apart <= NO_VARIANCE * (sizes[rows, np.newaxis] + sizes)] = 0.0
        yield start, apart / (n_topics * (n_topics - 1.0))


def _squared_distances(residuals: Floats, system: int, others: Indices) -> Floats:
    """Of one system from others: few at once, as each takes a cell a topic."""
    step = max(1, CACHED_CELLS // residuals.shape[1])
    found = np.empty(others.size)
    for at in range(0, others.size, step):
        differences = residuals[others[at : at + step]] - residuals[system]
        found[at : at + step] = np.einsum("st,st->s", differences, differences)
    return found


def t_statistics(differences: Floats, errors: Floats) -> Floats:
    """sqrt(n) mean(D) / sd(D) of every pair: 0 where D is 0 on every topic, infinite where it is constant otherwise."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences / errors
    return np.where(differences == 0.0, 0.0, t)
