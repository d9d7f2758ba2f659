"""The reliability of the differences between systems: its posterior, given the t of all pairs.

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

# The prior density of lambda is lambda^-a (1 - lambda)^-b (eq. 3), and these are (a, b). Estimates
# of means take the published one, which is flat where true differences drown in noise (Gelman 2006;
# Liang and others 2008); tests take the uniform one.
PRIOR_OF_MEANS = 0.5, 1.0
PRIOR_OF_TESTS = 0.0, 0.0
# The posterior of lambda is computed on this grid: in steps of .05, and denser towards 1, where the
# likelihood of well separated systems has its peak. Below the least value, true differences drown
# in noise. Chosen, not tuned.
GRID = np.concatenate(([0.02], np.arange(1, 20) / 20, 1.0 - 10.0 ** -np.arange(1.5, 4.25, 0.5)))
LOG_RESTS = np.log1p(-GRID)


# --- pairs of systems -----------------------------------------------------------------------------


def varying_pairs(scores: Floats) -> Iterator[tuple[Pairs, Floats]]:
    """Blocks of the pairs whose difference varies over topics, and their t, shape (n_pairs,)."""
    means = system_means(scores)
    for start, errors in _rows_of_errors(scores):
        # the pairs of these rows above the diagonal of the whole (m, m) matrix: each pair once
        first, second = np.nonzero(np.triu(errors > 0.0, k=start + 1))
        differences = means[start + first] - means[second]
        yield Pairs(start + first, second), differences / errors[first, second]


def mean_differences(scores: Floats) -> tuple[Floats, Floats]:
    """Differences of rounded means, row less column, and their errors, 0 if constant: (m, m)."""
    means = system_means(scores)
    errors = np.concatenate([errors_of_rows for _, errors_of_rows in _rows_of_errors(scores)])
    return means[:, np.newaxis] - means, errors


def _rows_of_errors(scores: Floats) -> Iterator[tuple[int, Floats]]:
    """The position of the first of some systems, and errors of their differences: (n_rows, m)."""
    # one matrix product is of 64 systems, in 64 m numbers: that decides memory and speed only
    n_topics, n_rows = len(scores), 64
    # a topic's mean is in no difference of systems; without it, less cancels below
    by_topic = scores - scores.mean(axis=1, keepdims=True)
    residuals = np.ascontiguousarray((by_topic - by_topic.mean(axis=0)).T)
    # sums of squares of each system, shape (m,): of its residuals, and of its scores as they are
    by_system = residuals, np.ascontiguousarray(scores.T)
    sums, sizes = (np.einsum("st,st->s", rows, rows) for rows in by_system)
    for start in range(0, len(residuals), n_rows):
        rows = slice(start, start + n_rows)
        # sum over topics of (r_i - r_j)^2 = sum r_i^2 + sum r_j^2 - 2 sum r_i r_j: (n_rows, m)
        both = sums[rows, np.newaxis] + sums
        with one_blas_thread():  # more threads would change the last bits
            squares = both - 2.0 * residuals[rows] @ residuals.T
        # where less than this share is left, half of the digits cancelled: differences are squared
        cancelled = squares < 1e-8 * both
        # the difference of a system from itself is 0, and no cancelled one
        itself = np.arange(len(squares)), start + np.arange(len(squares))
        squares[itself], cancelled[itself] = 0.0, False
        for row in cancelled.any(axis=1).nonzero()[0]:
            near = cancelled[row].nonzero()[0]
            squares[row, near] = _squared_distances(residuals, start + row, near)
        # below this share of both sums of squared scores is rounding, (1e-12)^2: nothing varies
        squares[squares <= 1e-24 * (sizes[rows, np.newaxis] + sizes)] = 0.0
        # the standard error of a mean difference: sqrt(sum of squares / (n - 1) / n)
        yield start, np.sqrt(squares / (n_topics * (n_topics - 1.0)))


def _squared_distances(residuals: Floats, system: int, others: Indices) -> Floats:
    """Squared distances of a system from others, (n_others,): few at once, each takes n cells."""
    step = max(1, CACHED_CELLS // residuals.shape[1])
    squares = np.empty(others.size)
    for start in range(0, others.size, step):
        differences = residuals[others[start : start + step]] - residuals[system]
        squares[start : start + step] = np.einsum("st,st->s", differences, differences)
    return squares


def t_statistics(differences: Floats, errors: Floats) -> Floats:
    """t = sqrt(n) mean(D) / sd(D) of every pair, whose scores differ by D.

    From mean(D) and its standard error, of any one shape. It is 0 where D is 0 on every topic, and
    infinite where D is any other constant.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences / errors
    return np.where(differences == 0.0, 0.0, t)


# --- the posterior --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reliability:
    """A posterior distribution of lambda on a grid."""

    values: Floats  # the grid, ascending, in (0, 1), shape (n_grid,)
    weights: Floats  # their posterior probabilities, which add up to 1, of the same shape

    @property
    def mean(self) -> float:
        """The posterior mean of lambda, in (0, 1)."""
        return float(self.weights @ self.values)

    def quantile(self, share: float) -> float:
        """The smallest value of the grid at or below which so much of the distribution lies."""
        # the cumulative sum of weights rounds: a share that it misses by 1e-12 counts as reached
        place = int(np.searchsorted(np.cumsum(self.weights), share * (1.0 - 1e-12)))
        return float(self.values[min(place, self.values.size - 1)])

    @property
    def shows_no_difference(self) -> bool:
        """Whether the 95% interval begins at the least value of the grid.

        Then the scores do not exclude that all systems have equal true means.
        """
        return self.quantile(0.025) <= float(GRID[0])

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws of lambda, (size,): those of `rng.choice`, without its checks, which take long."""
        shares = np.cumsum(self.weights)
        return self.values[np.searchsorted(shares / shares[-1], rng.random(size), side="right")]

    def wrong_sign(self, t: Floats, n_topics: int) -> Floats:
        """For each t, the probability of a true difference of another sign (eq. 5): 1/2 at 0."""
        # the mean over the posterior of lambda; with many systems, few values have nearly all
        # weight, and what weighs less than the rounding error of their total is left out
        total = np.zeros(np.shape(t))
        for value, weight in zip(self.values, self.weights, strict=True):
            if weight > 1e-16:
                total += weight * stdtr(n_topics, -_standardised(np.abs(t), value, n_topics))
        return total


def _standardised(t: Floats, reliability: float | Floats, n_topics: int) -> Floats:
    """sqrt(lambda) t / sqrt((n - 1 + (1 - lambda) t^2) / n), with its limit for an infinite t."""
    # numerator and denominator are divided by |t|: (n - 1) / t^2 is 0 at infinity, infinite at 0
    with np.errstate(divide="ignore"):
        inverse = (n_topics - 1) / t**2
    return np.asarray(np.sign(t) * np.sqrt(reliability * n_topics / (inverse + 1.0 - reliability)))


def log_likelihoods(t: Floats, n_topics: int) -> Floats:
    """The log density of t, (n_pairs,), for each lambda of the grid (eq. 2), summed over pairs."""
    # t = c T with T of n - 1 degrees of freedom and 1 / c^2 = 1 - lambda, so its log density is
    # log(1 - lambda) / 2 - n / 2 log(1 + (1 - lambda) t^2 / (n - 1)) + a constant
    squares = t**2 / (n_topics - 1)
    # sums over pairs of log(1 + (1 - lambda) t^2 / (n - 1)), for each lambda: shape (n_grid,). Few
    # pairs make one table (n_grid, n_pairs); of many, a call for each lambda costs little, and a
    # table would take memory.
    if squares.size <= 500:
        sums = np.log1p(squares * (1.0 - GRID[:, np.newaxis])).sum(axis=1)
    else:
        sums = np.array([np.log1p(squares * (1.0 - value)).sum() for value in GRID])
    return np.asarray((t.size * LOG_RESTS - n_topics * sums) / 2.0)


def posterior(
    likelihoods: Floats, n_pairs: int, n_systems: int, prior: tuple[float, float]
) -> Reliability:
    """The posterior of lambda (eq. 3), from log likelihoods of the grid, summed over pairs.

    The pairs count as much as the n_systems - 1 contrasts that are independent. The prior is its
    exponents of 1/lambda and 1/(1 - lambda).
    """
    # Each value of the grid stands for the part of (0, 1) that is nearest to it. The prior density
    # times the width of that part is its prior probability: shape (n_grid,).
    at_zero, at_one = prior
    ends = np.concatenate(([0.0], (GRID[1:] + GRID[:-1]) / 2.0, [(1.0 + GRID[-1]) / 2.0]))
    log_density = np.log(np.diff(ends)) - at_zero * np.log(GRID) - at_one * LOG_RESTS
    # pairs depend on each other: their mean log likelihood counts m - 1 times
    log_density += (n_systems - 1) * likelihoods / max(n_pairs, 1)
    weights = np.exp(log_density - log_density.max())
    return Reliability(GRID, weights / weights.sum())


def log_probabilities_of_signs(t: Floats, signs: Iterable[Floats], n_topics: int) -> Floats:
    """The log probability that true differences have the signs of each of k hypotheses.

    The t statistics are of shape (n_pairs,), signs k times of that shape: 1, -1, or 0 where a
    hypothesis leaves them open. The result is of shape (k, size of the grid).
    """
    # under each lambda (row), the probability that the true difference has the other sign (eq. 5)
    sizes = _standardised(np.abs(t), GRID[:, np.newaxis], n_topics)
    tails = stdtr(n_topics, -sizes)
    wrong, right = np.log(np.maximum(tails, np.finfo(np.float64).tiny)), np.log1p(-tails)
    sums, signs_of_t = [], np.where(t < 0.0, -1.0, 1.0)
    # each hypothesis is summed alone, so that its bits do not depend on how many there are
    for hypothesis in signs:
        # 1 where it has the sign of t, -1 where it has the other, 0 where it is open
        agrees = hypothesis * signs_of_t
        sums.append(right @ np.maximum(agrees, 0.0) + wrong @ np.maximum(-agrees, 0.0))
    return np.array(sums)
