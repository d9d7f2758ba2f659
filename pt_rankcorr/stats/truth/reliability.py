"""The reliability of the differences between systems: its posterior distribution, given the t statistics of all pairs.

Equations are those of the page on the shrunken truth, `pt_rankcorr/pt_docs/shrunken_truth.rst`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from pt_rankcorr.stats.core.means import CACHED_CELLS, Pairs, system_means
from pt_rankcorr.stats.core.resampling import one_blas_thread
from pt_rankcorr.stats.core.types import Floats, Indices

# exponents of 1/lambda and of 1/(1 - lambda) in the prior density (eq. 3)
PRIOR_OF_MEANS = 0.5, 1.0  # published: flat where true differences drown in noise
PRIOR_OF_TESTS = 0.0, 0.0  # uniform
ROWS_AT_ONCE = 64  # systems whose differences from all others come out of one matrix product
CANCELLED = 1e-8  # of two variances: if no more of them is left, it is computed from the differences themselves
NO_VARIANCE = 1e-24  # of two sums of squared scores: the rounding errors of twelve digits
LEAST_RELIABILITY = 0.02  # of the grid: below it, true differences drown in noise
GRID = np.concatenate(([LEAST_RELIABILITY], np.arange(1, 20) / 20, 1.0 - 10.0 ** -np.arange(1.5, 4.25, 0.5)))
LOG_GRID, LOG_RESTS = np.log(GRID), np.log1p(-GRID)
# of the part of (0, 1) that each value of the grid stands for
LOG_WIDTHS = np.log(np.diff(np.concatenate(([0.0], (GRID[1:] + GRID[:-1]) / 2.0, [(1.0 + GRID[-1]) / 2.0]))))
NOTICED = 1e-16  # of a probability
TINY = float(np.finfo(np.float64).tiny)  # the logarithm of less is lost
AT_ONCE = 500  # pairs: of more a call for each value of the grid costs little, and a table of all takes memory


# --- pairs of systems --------------------------------------------------------------------------------------------


def varying_pairs(scores: Floats) -> Iterator[tuple[Pairs, Floats]]:
    """Blocks of the pairs of systems whose difference varies over topics, and their t statistics, shape (n_pairs,)."""
    means = system_means(scores)
    for start, errors in _rows_of_errors(scores):
        first, second = np.nonzero(np.triu(errors > 0.0, k=start + 1))
        differences = means[start + first] - means[second]
        yield Pairs(start + first, second), differences / errors[first, second]


def mean_differences(scores: Floats) -> tuple[Floats, Floats]:
    """Differences of rounded means, row less column, and their standard errors, 0 without variance: (m, m) each."""
    means = system_means(scores)
    return means[:, np.newaxis] - means, np.concatenate([errors for _, errors in _rows_of_errors(scores)])


def _rows_of_errors(scores: Floats) -> Iterator[tuple[int, Floats]]:
    """The standard errors of the differences of some systems from all, and the position of the first of them."""
    n_topics = len(scores)
    by_topic = scores - scores.mean(axis=1, keepdims=True)  # leaves the differences as they are, and less to cancel
    residuals = np.ascontiguousarray((by_topic - by_topic.mean(axis=0)).T)
    sums, sizes = (np.einsum("st,st->s", rows, rows) for rows in (residuals, np.ascontiguousarray(scores.T)))
    for start in range(0, len(residuals), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        both = sums[rows, np.newaxis] + sums
        with one_blas_thread():  # more change the last bits
            squares = both - 2.0 * residuals[rows] @ residuals.T
        cancelled = squares < CANCELLED * both
        itself = np.arange(len(squares)), start + np.arange(len(squares))
        squares[itself], cancelled[itself] = 0.0, False
        for row in cancelled.any(axis=1).nonzero()[0]:
            near = cancelled[row].nonzero()[0]
            squares[row, near] = _squared_distances(residuals, start + row, near)
        squares[squares <= NO_VARIANCE * (sizes[rows, np.newaxis] + sizes)] = 0.0
        yield start, np.sqrt(squares / (n_topics * (n_topics - 1.0)))


def _squared_distances(residuals: Floats, system: int, others: Indices) -> Floats:
    """The sums of squared differences of one system from others: few at once, as each takes a cell a topic."""
    step = max(1, CACHED_CELLS // residuals.shape[1])
    squares = np.empty(others.size)
    for start in range(0, others.size, step):
        differences = residuals[others[start : start + step]] - residuals[system]
        squares[start : start + step] = np.einsum("st,st->s", differences, differences)
    return squares


def t_statistics(differences: Floats, errors: Floats) -> Floats:
    """sqrt(n) mean(D) / sd(D) of every pair: 0 where D is 0 on every topic, infinite where it is constant otherwise."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences / errors
    return np.where(differences == 0.0, 0.0, t)


# --- the posterior ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reliability:
    """A posterior distribution of lambda on a grid."""

    values: Floats  # the grid, ascending, in (0, 1)
    weights: Floats  # their posterior probabilities

    @property
    def mean(self) -> float:
        return float(self.weights @ self.values)

    def quantile(self, share: float) -> float:
        """The smallest value of the grid at or below which so much of the distribution lies."""
        at = int(np.searchsorted(np.cumsum(self.weights), share * (1.0 - 1e-12)))
        return float(self.values[min(at, self.values.size - 1)])

    @property
    def shows_no_difference(self) -> bool:
        """Whether the 95% interval begins at the least value of the grid: the systems may as well be all alike."""
        return self.quantile(0.025) <= LEAST_RELIABILITY

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws of lambda, shape (size,): those of `rng.choice`, without its checks, which take longer."""
        shares = np.cumsum(self.weights)
        return self.values[np.searchsorted(shares / shares[-1], rng.random(size), side="right")]

    def wrong_sign(self, t: Floats, n_topics: int) -> Floats:
        """The probability that each true difference has another sign than its t (eq. 5), 1/2 where t is 0."""
        total = np.zeros(np.shape(t))
        for value, weight in zip(self.values, self.weights, strict=True):
            if weight > NOTICED:  # of many systems nearly all weight is on a few values
                total += weight * stdtr(n_topics, -_standardised(np.abs(t), value, n_topics))
        return total


def _standardised(t: Floats, reliability: float | Floats, n_topics: int) -> Floats:
    """sqrt(lambda) t / sqrt((n - 1 + (1 - lambda) t^2) / n), written so that an infinite t has its limit."""
    with np.errstate(divide="ignore"):
        inverse = (n_topics - 1) / t**2
    return np.asarray(np.sign(t) * np.sqrt(reliability * n_topics / (inverse + 1.0 - reliability)))


def log_likelihoods(t: Floats, n_topics: int) -> Floats:
    """The log density of some t, shape (n_pairs,), under each lambda of the grid (eq. 2), summed over the pairs."""
    squares = t**2 / (n_topics - 1)
    if squares.size <= AT_ONCE:
        sums = np.log1p(squares * (1.0 - GRID[:, np.newaxis])).sum(axis=1)
    else:
        sums = np.array([np.log1p(squares * (1.0 - value)).sum() for value in GRID])
    return np.asarray((t.size * LOG_RESTS - n_topics * sums) / 2.0)


def posterior(likelihoods: Floats, n_pairs: int, n_systems: int, prior: tuple[float, float]) -> Reliability:
    """The posterior of lambda (eq. 3), from log likelihoods for each lambda of the grid, summed over pairs.

    The pairs count as much as the n_systems - 1 contrasts that are independent. The prior is its exponents of 1/lambda
    and 1/(1 - lambda).
    """
    at_zero, at_one = prior
    log_density = LOG_WIDTHS - at_zero * LOG_GRID - at_one * LOG_RESTS
    log_density += (n_systems - 1) * likelihoods / max(n_pairs, 1)
    weights = np.exp(log_density - log_density.max())
    return Reliability(GRID, weights / weights.sum())


def log_probabilities_of_signs(t: Floats, signs: Iterable[Floats], n_topics: int) -> Floats:
    """The log probability that the true differences have the signs of each of k hypotheses, summed over the pairs.

    The t statistics are of shape (n_pairs,), signs k times of that shape: 1, -1, or 0 where a hypothesis leaves them
    open. The result is of shape (k, size of the grid).
    """
    sizes = _standardised(np.abs(t), GRID[:, np.newaxis], n_topics)
    tails = stdtr(n_topics, -sizes)
    wrong, right = np.log(np.maximum(tails, TINY)), np.log1p(-tails)
    # one hypothesis at a time, so that none changes a bit of another's
    agreeing = (hypothesis * np.where(t < 0.0, -1.0, 1.0) for hypothesis in signs)
    return np.array([right @ np.maximum(agrees, 0.0) + wrong @ np.maximum(-agrees, 0.0) for agrees in agreeing])
