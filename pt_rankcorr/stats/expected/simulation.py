"""Stochastic simulation of topics (Urbano 2016): scores like given ones, with known true means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr

from pt_rankcorr.stats.core import arguments, inputs
from pt_rankcorr.stats.core.ordering import in_given_order, in_one_order, system_order
from pt_rankcorr.stats.core.resampling import (
    BLOCK_CELLS,
    RandomState,
    generator,
    one_blas_thread,
    run_all,
)
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.expected.published import plug_in_bandwidths

# The logit is log((x + .05) / (1 - x + .05)): it would be infinite at 0 and 1 without this margin.
MARGIN = 0.05
# No effect is larger than the distance of the logits of 0 and 1.
LARGEST_EFFECT = 2.0 * math.log((1.0 + MARGIN) / MARGIN)


class TopicSimulator:
    """Scores of the same systems over new topics, with known true means, from one fit.

    With logit(x) = log((x + .05) / (1 - x + .05)), scores are split into system means, topic
    effects and residuals. New topic effects and residuals follow kernel estimates of the observed
    ones. A Gaussian copula gives them their observed correlations, and the inverse logit, clipped
    to [0, 1], turns them into scores. System means are set so that the expectation of each system's
    new scores is its observed mean. O(m^2 (n + n_topics + m)) time for m systems.

    Args:
        scores: A score matrix or array, (n_topics, n_systems), in [0, 1]; at least 3 topics.
        levels: The scale on which systems keep their level. "scores": the expectation of a system's
            new scores is its observed mean. "published": on the logit scale, as in Urbano (2016).
            The true means then differ from the observed ones, and may be in another order.

    Attributes:
        means: The true mean score of each system; with `levels="scores"` its observed mean.

    Raises:
        TypeError, ValueError: If a score is outside [0, 1], topics are fewer than 3, or 1 to draw.

    References:
        Urbano, "Test collection reliability: a study of the effects of sample size and statistical
        assumptions via stochastic simulation", Information Retrieval Journal 2016; section 4.2 of
        Urbano and Marrero, SIGIR 2016.

    Example:
        The first system scores 0.3 on average, the second 0.2; over many new topics the same:

        >>> simulator = TopicSimulator([[0.1, 0.2], [0.5, 0.3], [0.2, 0.1], [0.4, 0.2]])
        >>> [round(float(mean), 2) for mean in simulator.draw(100_000, rng=1).mean(axis=0)]
        [0.3, 0.2]
    """

    def __init__(self, scores: ArrayLike, *, levels: str = "scores") -> None:
        arguments.one_of("levels", levels, ("scores", "published"))
        prepared = inputs.prepare_matrix(scores, min_topics=3)
        advice = "single topics are simulated, see `ScoreMatrix.with_design`"
        inputs.refuse_design(prepared, "scores", advice)
        matrix = prepared.sample
        outside = matrix[(matrix < 0.0) | (matrix > 1.0)]
        if outside.size:
            given = arguments.listing(outside.tolist())
            raise ValueError(f"`scores` must be in [0, 1], got {given}.")
        # normal numbers are drawn for systems, too, so these have an order that the scores set
        matrix = in_one_order(matrix)
        self._order = system_order(matrix)
        matrix = np.ascontiguousarray(matrix[:, self._order])
        logits = np.log((matrix + MARGIN) / (1.0 - matrix + MARGIN))
        # the topic effects in the first column, then the residuals of each system
        centred = logits - logits.mean(axis=0)
        topics = centred.mean(axis=1, keepdims=True)
        effects = np.hstack((topics, centred - topics))
        # the distribution of each effect, by a table of 1001 points: chosen, not tuned
        self._grid = np.linspace(-LARGEST_EFFECT, LARGEST_EFFECT, 1001, dtype=np.float64)
        self._distributions = [_kernel_distribution(column, self._grid) for column in effects.T]
        with one_blas_thread():  # more threads change the last bits
            correlations = _correlations(effects)
            self._roots = _square_root(correlations)
        nodes = self._effect_nodes(correlations[0, 1:])
        if levels == "scores":
            means = matrix.mean(axis=0)
            self._levels = _levels(means, *nodes)
        else:
            self._levels = logits.mean(axis=0)
            means = _expected_scores(self._levels, *nodes)
        self.means = in_given_order(means, self._order)

    def draw(self, n_topics: int, rng: RandomState = None, *, n_jobs: int | None = None) -> Floats:
        """The scores of so many new topics, shape (n_topics, n_systems), in [0, 1].

        Args:
            n_topics: The number of topics to draw.
            rng, n_jobs: Seed or generator; workers, as joblib counts them.
        """
        most = arguments.MOST_RESAMPLES
        size = arguments.whole_number("n_topics", n_topics, at_least=1, at_most=most)
        source, n_effects = generator(rng), len(self._roots)
        rows = max(1, BLOCK_CELLS // n_effects)
        blocks = [min(rows, size - start) for start in range(0, size, rows)]
        normal = [source.standard_normal((block, n_effects)) for block in blocks]
        return in_given_order(np.concatenate(run_all(self._scores, normal, n_jobs)), self._order)

    def _scores(self, normal: Floats) -> Floats:
        """Scores, (size, m), of normal numbers for topic effect and residuals, (size, 1 + m)."""
        effects = self._effects(normal @ self._roots)
        return _inverse_logit(self._levels + effects[:, :1] + effects[:, 1:])

    def _effects(self, normal: Floats) -> Floats:
        """Effects, (..., n_effects), of as many normal numbers: quantiles of kernel estimates."""
        shares = np.moveaxis(ndtr(normal), -1, 0)
        columns = zip(shares, self._distributions, strict=True)
        return np.stack([np.interp(share, below, self._grid) for share, below in columns], axis=-1)

    def _effect_nodes(self, with_topics: Floats) -> tuple[Floats, Floats]:
        """Topic effect plus residual of every system at each node, (n_nodes, n_systems); weights.

        The expectation of a score is an integral over two normal numbers, its topic effect and its
        residual, with the given correlations, (n_systems,): a sum over nodes (trapezoidal rule).
        """
        axis = np.linspace(-5.0, 5.0, 81)
        topic, rest = (nodes.ravel()[:, np.newaxis] for nodes in np.meshgrid(axis, axis))
        # the density of two independent normal numbers, but for a constant, (n_nodes,); the corners
        # of the square of nodes hold next to nothing, and are left out
        weights = np.exp(-(topic**2 + rest**2) / 2.0)[:, 0]
        inside = weights > math.exp(-(axis[-1] ** 2) / 2.0)
        # a normal number with correlation r to the topic's is r z_1 + sqrt(1 - r^2) z_2
        residual = with_topics * topic + np.sqrt(np.maximum(1.0 - with_topics**2, 0.0)) * rest
        effects = self._effects(np.hstack((topic, residual))[inside])
        return effects[:, :1] + effects[:, 1:], weights[inside] / weights[inside].sum()


def _inverse_logit(values: Floats) -> Floats:
    """Scores in [0, 1] whose logits, with the margin, are the values, of any shape."""
    return np.asarray(np.clip((1.0 + 2.0 * MARGIN) * expit(values) - MARGIN, 0.0, 1.0))


def _correlations(effects: Floats) -> Floats:
    """Correlations, (1 + m, 1 + m), of topic effects and residuals; 0 for what does not vary."""
    lengths = np.sqrt((effects**2).sum(axis=0))
    standardised = effects / np.where(lengths > 0.0, lengths, 1.0)
    correlations = standardised.T @ standardised
    np.fill_diagonal(correlations, 1.0)
    return np.asarray(correlations)


def _square_root(correlations: Floats) -> Floats:
    """R, (k, k), with R'R the correlations, or the nearest positive semidefinite ones.

    The symmetric root, as it does not depend on signs of eigenvectors, which LAPACK may choose.
    """
    # V diag(sqrt(max(l, 0))) V'; then columns of length 1, so that R'R has a diagonal of ones
    values, vectors = np.linalg.eigh(correlations)
    negligible = 100 * np.finfo(np.float64).eps * values[-1]
    root = (vectors * np.sqrt(np.where(values > negligible, values, 0.0))) @ vectors.T
    return np.asarray(root / np.sqrt((root**2).sum(axis=0)))


def _kernel_distribution(sample: Floats, grid: Floats) -> Floats:
    """The distribution function, (n_points,), of a kernel estimate of a sample, within the grid.

    The bandwidth is the direct plug-in one; where there is none, that of a normal distribution.
    """
    bandwidth = float(plug_in_bandwidths(sample))
    if not math.isfinite(bandwidth):
        bandwidth = float(sample.std(ddof=1) * (4.0 / (3.0 * sample.size)) ** 0.2)
    # F(x) = mean over the sample of Phi((x - x_i) / h), a part of the sample at a time
    bandwidth, step = max(bandwidth, grid[1] - grid[0]), BLOCK_CELLS // grid.size
    parts = (sample[start : start + step] for start in range(0, sample.size, step))
    sums = [ndtr((grid[:, np.newaxis] - part) / bandwidth).sum(axis=1) for part in parts]
    below = np.sum(sums, axis=0) / sample.size
    # cut off at the ends of the grid: 0 at the first point, 1 at the last
    return np.asarray((below - below[0]) / (below[-1] - below[0]))


def _levels(means: Floats, effects: Floats, weights: Floats) -> Floats:
    """The level of each system, (m,), on the real line at which its expected score is its mean."""
    low = np.full_like(means, -2.0 * LARGEST_EFFECT)
    high = np.full_like(means, 2.0 * LARGEST_EFFECT)
    # bisection for all systems at once, as the expectation grows with the level; good to 1e-8
    for _ in range(30):
        middle = (low + high) / 2.0
        too_low = _expected_scores(middle, effects, weights) < means
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return (low + high) / 2.0


def _expected_scores(levels: Floats, effects: Floats, weights: Floats) -> Floats:
    """The expected score of each system, (m,): a sum over nodes of its effects, (n_nodes, m)."""
    return np.asarray(weights @ _inverse_logit(levels + effects))
