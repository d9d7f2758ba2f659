"""What d_rank knows of its baseline: the means, the covariance of the systems, and distances from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats import _qp, _qp_covariance
from pt_rankcorr.stats.order import Floats, round_significant, system_means

Order = NDArray[np.intp]

ROUNDING = 1e-12  # a share of a sum of squares that may be nothing but rounding errors


# --- one form for all inputs that mean the same -----------------------------------------------------


def canonical_order(scores: Floats) -> tuple[Order, Order]:
    """An order of topics and one of systems (worst first) that depend on the scores alone, not on how they came.

    The scores are in their unit. Where no means tie, permuting topics or systems changes no bit of what follows; what
    stays open is the order of identical topics, which makes no difference. Systems of tied means are told apart by
    their scores on topics, and topics by the sorted scores of such systems. That can leave an order open: whole columns
    of zeros and ones may be alike but for which topics they are. Then other resamples may be drawn, of the same
    distribution.
    """
    means = system_means(scores)
    by_mean = np.argsort(means, kind="stable")
    ties = np.cumsum(np.diff(means[by_mean], prepend=means.min()) > 0.0)
    # systems of tied means stand apart from the others, and are sorted among themselves
    apart = np.sort(scores[:, by_mean] + ties * 2.0 * (np.abs(scores).max() + 1.0), axis=1)
    topics = np.lexsort(apart.T)
    systems = np.lexsort(np.vstack([scores[topics], means]))
    return topics, systems


def unit_of(scores: Floats) -> float:
    """The power of ten that spans the scores: 1 for measures in 0..1, 100 for percentages.

    A ridge in this unit squared is the paper's on the paper's scale, and means the same on any other.
    """
    span = float(round_significant(np.asarray(np.ptp(scores))))
    return 10.0 ** math.ceil(math.log10(span)) if span > 0.0 else 1.0


# --- distances --------------------------------------------------------------------------------------


class Systems(Protocol):
    """A covariance of systems over topics, of which only differences of systems are ever taken."""

    def of_differences(self, order: Order, ridge: float) -> _qp_covariance.Covariance:
        """S = P C P' + ridge I, with P the difference operator of the order."""

    @property
    def covariance(self) -> Floats:
        """C, shape (m, m)."""


@dataclass(frozen=True)
class WholeSystems:
    """All cells of C."""

    covariance: Floats

    def of_differences(self, order: Order, ridge: float) -> _qp_covariance.Whole:
        rows = self.covariance.take(order, 0)
        rows = (rows[1:] - rows[:-1]).take(order, 1)
        covariance: Floats = rows[:, 1:] - rows[:, :-1]
        covariance.ravel()[:: covariance.shape[1] + 1] += ridge
        return _qp_covariance.Whole(covariance, ridge)


@dataclass(frozen=True)
class FactoredSystems:
    """C = F' F + target I, where there are more systems than topics: F is of shape (n, m)."""

    factors: Floats
    target: float

    def of_differences(self, order: Order, ridge: float) -> _qp_covariance.Factored:
        columns = self.factors.take(order, 1)
        return _qp_covariance.Factored(columns[:, 1:] - columns[:, :-1], self.target, ridge)

    @property
    def covariance(self) -> Floats:
        return np.asarray(self.factors.T @ self.factors + self.target * np.eye(self.factors.shape[1]))


@dataclass(frozen=True)
class Model:
    """A baseline's means and covariance, systems in canonical order, scores in their unit.

    Attributes:
        means: Shape (m,), ascending where they belong to the baseline itself.
        systems: Their covariance over topics.
        ridge: Added to the variances of the differences.
    """

    means: Floats
    systems: Systems
    ridge: float

    def order(self, scores: Floats) -> Order:
        """Systems by score, ascending; ties by the means, which costs nothing, then canonically."""
        return np.lexsort((np.broadcast_to(self.means, scores.shape), scores), axis=-1)

    def differences(self, order: Order) -> Floats:
        """Delta: the mean differences of systems adjacent in the order."""
        means = self.means.take(order)
        return means[1:] - means[:-1]

    def spread(self, order: Order) -> _qp_covariance.Covariance:
        """S: the covariance of the differences, with the ridge."""
        return self.systems.of_differences(order, self.ridge)

    def squared_distance(self, order: Order) -> tuple[float, bool]:
        """The squared distance for one topic by pivoting, and whether that failed so that quadprog was asked."""
        differences = self.differences(order)
        if differences.min() >= 0.0:
            return 0.0, False
        active, fell_back = _qp.by_either(self.spread(order), differences)
        return active.squared_distance(differences), fell_back

    def shift_to(self, order: Order) -> Floats:
        """What to add to the means for the nearest ones that keep the order: their differences are theta."""
        differences, spread = self.differences(order), self.spread(order)
        theta = _qp.by_either(spread, differences)[0].nearest_point(spread, differences)
        nearest = np.zeros_like(self.means)
        nearest[order[1:]] = np.cumsum(theta)
        return nearest - self.means


# --- estimation -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimator:
    """Fits a model to topics, each weighted by how often it was drawn.

    Attributes:
        scores: In canonical order and in their unit, shape (n, m).
        residuals: Of the scores, without topic and system means: a topic that is hard for all systems alike says
            nothing about their differences.
        shrinkage: The share of the covariance that is replaced by a multiple of the identity of contrasts.
        ridge: As in `Model`.
    """

    scores: Floats
    residuals: Floats
    shrinkage: float
    ridge: float

    @classmethod
    def of(cls, scores: Floats, covariance: str, ridge: float) -> Estimator:
        """For scores in canonical order and in their unit."""
        by_topic = scores - scores.mean(axis=1, keepdims=True)
        residuals = by_topic - by_topic.mean(axis=0)
        shrinkage = ledoit_wolf_shrinkage(residuals) if covariance == "ledoit-wolf" else 0.0
        return cls(scores, residuals, shrinkage, ridge)

    def model(self) -> Model:
        """Of all topics, once each."""
        return self.refitted(np.ones(len(self.scores)), system_means(self.scores))

    def means(self, weights: Floats) -> Floats:
        """Of many samples at once: weights of shape (size, n) give shape (size, m), rounded as all means are."""
        means = weights @ self.scores / weights[0].sum()
        return round_significant(means, np.full_like(means, np.abs(self.scores).mean(axis=0).max()))

    def refitted(self, weights: Floats, means: Floats) -> Model:
        """Of one sample of topics, whose means are known already.

        The shrinkage stays that of the whole: the topics that a sample holds twice make it look far less noisy than
        it is, so that a shrinkage of its own would be too weak.
        """
        n_topics = weights.sum()
        mean = weights @ self.residuals / n_topics
        fit = self._factored if self.residuals.shape[1] > len(self.residuals) else self._whole
        return Model(means, fit(weights, mean, n_topics), self.ridge)

    def _whole(self, weights: Floats, mean: Floats, n_topics: float) -> WholeSystems:
        # one matrix times itself: half the work, and unlike other products the same bits for any number of threads
        weighted = self.residuals * np.sqrt(weights)[:, np.newaxis]
        covariance = (weighted.T @ weighted - n_topics * np.outer(mean, mean)) / (n_topics - 1.0)
        return WholeSystems(shrunk(covariance, self.shrinkage))

    def _factored(self, weights: Floats, mean: Floats, n_topics: float) -> FactoredSystems:
        """The same covariance in factors, without the topics that were not drawn."""
        drawn = weights.nonzero()[0]
        scale = np.sqrt((1.0 - self.shrinkage) * weights[drawn] / (n_topics - 1.0))
        unshrunk = weights[drawn] @ ((self.residuals[drawn] - mean) ** 2).sum(axis=1) / (n_topics - 1.0)
        factors = (self.residuals[drawn] - mean) * scale[:, np.newaxis]
        return FactoredSystems(factors, float(self.shrinkage * unshrunk / (mean.size - 1)))


def shrunk(covariance: Floats, shrinkage: float) -> Floats:
    """(1 - s) C + s mu I, where mu is the mean variance of the m - 1 contrasts, in which C lives.

    For differences of systems, which are all that is taken of it, I is the same as the identity of the contrasts.
    """
    if shrinkage == 0.0:
        return covariance
    target = float(np.trace(covariance)) / (len(covariance) - 1)
    return (1.0 - shrinkage) * covariance + shrinkage * target * np.eye(len(covariance))


def ledoit_wolf_shrinkage(residuals: Floats) -> float:
    """The share s in [0, 1] of the identity that minimises the expected squared error of the covariance.

    Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", 2004, lemma 3.3, for the
    coordinates of the residuals in any orthonormal basis of the m - 1 contrasts of systems: rows of residuals sum to 0,
    so traces and norms are the same in either, but the dimension is not m. Two systems have a single contrast, whose
    variance is a multiple of the identity as it is.
    """
    n_topics, n_systems = residuals.shape
    covariance = residuals.T @ residuals / n_topics
    squared_norm = (covariance**2).sum()
    dispersion = squared_norm - np.trace(covariance) ** 2 / (n_systems - 1)
    noise = (((residuals**2).sum(axis=1) ** 2).mean() - squared_norm) / n_topics
    return float(np.clip(noise / dispersion, 0.0, 1.0)) if dispersion > ROUNDING * squared_norm else 0.0
