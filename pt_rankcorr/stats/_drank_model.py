"""What d_rank knows of its baseline: the means, the covariance of the systems, and distances from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats import _qp
from pt_rankcorr.stats.order import Floats, round_significant, system_means

Order = NDArray[np.intp]

ROUNDING = 1e-12  # a share of a sum of squares that may be nothing but rounding errors


# --- one form for all inputs that mean the same -----------------------------------------------------


def canonical_order(scores: Floats) -> tuple[Order, Order]:
    """An order of topics and one of systems (worst first) that depend on the scores alone, not on how they came.

    Where no means tie, permuting topics or systems changes no bit of what follows; what stays open is the order of
    identical topics, which makes no difference. Systems of tied means are told apart by their scores on topics, and
    topics by the sorted scores of such systems. That can leave an order open: whole columns of zeros and ones may be
    alike but for which topics they are. Then other resamples may be drawn, of the same distribution.
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


@dataclass(frozen=True)
class Model:
    """A baseline's means and covariance, systems in canonical order, scores in their unit.

    Attributes:
        means: Shape (m,), ascending where they belong to the baseline itself.
        covariance: Of the systems over topics, shape (m, m); only differences of systems are ever taken of it.
        ridge: Added to the variances of the differences.
    """

    means: Floats
    covariance: Floats
    ridge: float

    def order(self, scores: Floats) -> Order:
        """Systems by score, ascending; ties by the means, which costs nothing, then canonically."""
        return np.lexsort((np.broadcast_to(self.means, scores.shape), scores), axis=-1)

    def differences(self, order: Order) -> Floats:
        """Delta: the mean differences of systems adjacent in the order."""
        means = self.means.take(order)
        return means[1:] - means[:-1]

    def differences_covariance(self, order: Order) -> Floats:
        """S = P C P' + ridge I, with P the difference operator of the order."""
        rows = self.covariance.take(order, 0)
        rows = (rows[1:] - rows[:-1]).take(order, 1)
        covariance: Floats = rows[:, 1:] - rows[:, :-1]
        covariance.ravel()[:: covariance.shape[1] + 1] += self.ridge
        return covariance

    def squared_distance(self, order: Order) -> tuple[float, bool]:
        """The squared distance for one topic by pivoting, and whether that failed so that quadprog was asked."""
        differences = self.differences(order)
        if differences.min() >= 0.0:
            return 0.0, False
        active, fell_back = _qp.by_either(self.differences_covariance(order), differences)
        return active.squared_distance(differences), fell_back

    def reference_squared_distance(self, order: Order) -> float:
        """The same by quadprog."""
        differences = self.differences(order)
        return _qp.by_quadprog(self.differences_covariance(order), differences).squared_distance(differences)

    def shift_to(self, order: Order) -> Floats:
        """What to add to the means for the nearest ones that keep the order: their differences are theta."""
        differences, covariance = self.differences(order), self.differences_covariance(order)
        theta = _qp.by_either(covariance, differences)[0].nearest_point(covariance, differences)
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
        # one matrix times itself: half the work, and unlike other products the same bits for any number of threads
        weighted = self.residuals * np.sqrt(weights)[:, np.newaxis]
        covariance = (weighted.T @ weighted - n_topics * np.outer(mean, mean)) / (n_topics - 1.0)
        return Model(means, shrunk(covariance, self.shrinkage), self.ridge)


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
