"""The means and the covariance of systems that d_rank measures distances by, and their estimation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.means import lexsorted, round_significant, sizes_of, system_means
from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.stats.rank_distance import solver

ROUNDING = 1e-12  # a share of a sum of squares that may be nothing but rounding errors


def canonical_order(scores: Floats) -> tuple[Indices, Indices]:
    """An order of topics and one of systems (worst first) that depend on the scores alone, not on the given order.

    The scores are in their unit. Systems of tied means are ordered by their scores on topics, and topics by the sorted
    scores of such systems. That can leave an order open, as of columns of zeros and ones; then other resamples of the
    same distribution may be drawn. Where no means tie, permuting topics or systems changes no bit of the result.
    """
    means = system_means(scores)
    by_mean = np.argsort(means, kind="stable")
    ordered = means[by_mean]
    ties = np.append(0, np.cumsum(ordered[1:] > ordered[:-1]))
    # systems of tied means stand apart from the others, and are sorted among themselves
    apart = np.sort(scores[:, by_mean] + ties * 2.0 * (np.abs(scores).max() + 1.0), axis=1)
    topics = lexsorted(apart.T)
    return topics, lexsorted([*scores[topics], means])


def unit_of(scores: Floats) -> float:
    """The power of ten that spans the scores: 1 for measures in 0..1, 100 for percentages."""
    span = float(round_significant(np.asarray(np.ptp(scores))))
    return 10.0 ** math.ceil(math.log10(span)) if span > 0.0 else 1.0


@dataclass(frozen=True)
class Model:
    """A reference's means and covariance, systems in canonical order, scores in their unit.

    Attributes:
        means: Shape (m,), ascending where they belong to the reference itself.
        covariance: C, of systems over topics, of which only differences are ever taken; shape (m, m).
        ridge: Added to the variances of the differences.
    """

    means: Floats
    covariance: Floats
    ridge: float

    def order(self, scores: Floats) -> Indices:
        """Systems by score, ascending; ties by the means, then canonically."""
        means = self.means if scores.ndim == 1 else np.broadcast_to(self.means, scores.shape)
        return np.asarray(np.lexsort((means, scores), axis=-1))

    def differences(self, order: Indices) -> Floats:
        """Delta: the mean differences of systems adjacent in the order."""
        means = self.means.take(order)
        return means[1:] - means[:-1]

    def spread(self, order: Indices) -> Floats:
        """S = P C P' + ridge I, the covariance of the differences, with P the difference operator of the order."""
        rows = self.covariance.take(order, 0)
        rows = (rows[1:] - rows[:-1]).take(order, 1)
        covariance: Floats = rows[:, 1:] - rows[:, :-1]
        covariance.ravel()[:: covariance.shape[1] + 1] += self.ridge
        return covariance

    def squared_lengths(self, changes: Floats) -> Floats:
        """D' C^-1 D of each change of the means, a row that sums to 0; infinite where C is not positive definite."""
        _, solutions, info = dposv(self.covariance.T, changes.T)
        return np.full(len(changes), np.inf) if info else np.asarray((changes * solutions.T).sum(axis=1))

    def squared_distance(self, order: Indices) -> tuple[float, bool]:
        """The squared distance for one topic, and whether only quadprog could find it."""
        differences = self.differences(order)
        if differences.min() >= 0.0:
            return 0.0, False
        active, by_quadprog = solver.solve(self.spread(order), differences)
        return active.squared_distance(differences), by_quadprog

    def shift_to(self, order: Indices) -> Floats:
        """What to add to the means for the nearest ones that keep the order: their differences are theta."""
        differences, spread = self.differences(order), self.spread(order)
        theta = solver.solve(spread, differences)[0].nearest_point(spread, differences)
        nearest = np.zeros_like(self.means)
        nearest[order[1:]] = np.cumsum(theta)
        return nearest - self.means

    def shift_by(self, shift: Floats) -> Model:
        """With other means: adding a constant to each system changes no covariance."""
        return Model(self.means + shift, self.covariance, self.ridge)


@dataclass(frozen=True)
class Fitter:
    """Fits models to topics, each weighted by how often it was drawn.

    Attributes:
        scores: In canonical order and in their unit, shape (n, m).
        residuals: Of the scores, without topic and system means.
        shrinkage: The share of the covariance that is replaced by a multiple of the identity of contrasts.
        ridge: As in `Model`.
    """

    scores: Floats
    residuals: Floats
    shrinkage: float
    ridge: float

    @classmethod
    def of(cls, scores: Floats, covariance: str, ridge: float) -> Fitter:
        by_topic = scores - scores.mean(axis=1, keepdims=True)
        residuals = by_topic - by_topic.mean(axis=0)
        shrinkage = ledoit_wolf_shrinkage(residuals) if covariance == "ledoit-wolf" else 0.0
        return cls(scores, residuals, shrinkage, ridge)

    @cached_property
    def measured(self) -> Floats:
        """The means over all topics."""
        return system_means(self.scores)

    @cached_property
    def model(self) -> Model:
        """Of all topics."""
        return self.refit(np.ones(len(self.scores)), self.measured)

    def means(self, weights: Floats) -> Floats:
        """Of many samples at once: weights of shape (size, n) give shape (size, m), rounded as all means are."""
        means = weights @ self.scores / weights[0].sum()
        return round_significant(means, sizes_of(self.scores))

    def refit(self, weights: Floats, means: Floats) -> Model:
        """Of one sample of topics, with its means.

        The shrinkage stays that of all topics: one estimated from a sample with repeated topics would be too weak.
        """
        return Model(means, self._covariance(weights), self.ridge)

    def swap_each(self, rng: np.random.Generator, size: int) -> Iterator[Model]:
        """Of two systems, in as many samples, in each of which they swap their scores on random topics."""
        n_topics = len(self.scores)
        swaps = rng.integers(0, 2, (size, n_topics)).astype(np.float64)
        means = ((1.0 - swaps) @ self.scores + swaps @ self.scores[:, ::-1]) / n_topics
        means = round_significant(means, sizes_of(self.scores))
        gaps = (1.0 - 2.0 * swaps) * (self.scores[:, 1] - self.scores[:, 0])
        of_unit_gap = np.array([[1.0, -1.0], [-1.0, 1.0]]) / 4.0
        return (
            Model(mean, variance * of_unit_gap, self.ridge)
            for mean, variance in zip(means, gaps.var(axis=1, ddof=1), strict=True)
        )

    def _covariance(self, weights: Floats) -> Floats:
        """Of a sample of topics: (1 - s) C + s mu I, s being the shrinkage.

        mu is the mean variance of the m - 1 contrasts, in which C lives. For differences of systems, which are all that
        is taken of it, I is the identity of the contrasts.
        """
        drawn, n_topics = weights.nonzero()[0], weights.sum()
        counts, residuals = weights.take(drawn), self.residuals.take(drawn, 0)
        factors = residuals - counts @ residuals / n_topics
        factors *= np.sqrt(counts / (n_topics - 1.0))[:, np.newaxis]
        total = np.vdot(factors, factors)
        factors *= np.sqrt(1.0 - self.shrinkage)
        # one matrix times itself: half the work, and unlike other products the same bits for any number of threads
        covariance: Floats = factors.T @ factors
        covariance.ravel()[:: len(covariance) + 1] += self.shrinkage * total / (len(covariance) - 1)
        return covariance


def ledoit_wolf_shrinkage(residuals: Floats) -> float:
    """The share s in [0, 1] of the identity that minimises the expected squared error of the covariance.

    Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", 2004, lemma 3.3, for the
    m - 1 contrasts of systems. Rows of residuals sum to 0, so traces and norms are the same in any orthonormal basis.
    """
    n_topics, n_systems = residuals.shape
    covariance = residuals.T @ residuals / n_topics
    squared_norm = (covariance**2).sum()
    dispersion = squared_norm - np.trace(covariance) ** 2 / (n_systems - 1)
    noise = (((residuals**2).sum(axis=1) ** 2).mean() - squared_norm) / n_topics
    return float(min(max(noise / dispersion, 0.0), 1.0)) if dispersion > ROUNDING * squared_norm else 0.0
