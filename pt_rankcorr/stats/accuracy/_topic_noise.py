"""The means of systems without the noise that a sample of topics brings.

Observed means vary more than true ones, by the variance of a mean over topics. Here the means of two measures are
shrunk towards their centre, jointly, until they vary and covary as the true ones do.
"""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.means import round_means, system_means
from pt_rankcorr.stats.core.types import Floats

LEAST_SHARE = 0.05  # of the observed variance that is kept in every direction: an estimate below 0 is possible


def noise_free_means(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Means of two score matrices, shrunk so that their covariance over systems is that of the true means.

    Systems that are equal on every topic stay equal. Nothing changes where the means do not vary, or those of one
    measure are a linear function of those of the other.
    """
    units = _spread(a), _spread(b)
    shrunk = _shrink(a / units[0], b / units[1])
    return shrunk[0] * units[0], shrunk[1] * units[1]


def _spread(scores: Floats) -> float:
    """How far the means are apart, 1 if they are not."""
    return float(np.ptp(system_means(scores))) or 1.0


def _shrink(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    means = np.stack([a.mean(axis=0), b.mean(axis=0)])
    observed = np.cov(means)
    if np.linalg.matrix_rank(observed) < 2:
        return _round(a, b, means)
    root, inverse = _root(observed), np.linalg.inv(_root(observed))
    shares, directions = np.linalg.eigh(inverse @ (observed - _noise(a, b)) @ inverse)
    kept = np.sqrt(np.clip(shares, LEAST_SHARE, 1.0))
    shrink = root @ (directions * kept) @ directions.T @ inverse
    centre = means.mean(axis=1, keepdims=True)
    return _round(a, b, centre + shrink @ (means - centre))


def _round(a: Floats, b: Floats, means: Floats) -> tuple[Floats, Floats]:
    """Systems that are equal on every topic stay equal: a rank correlation would see the difference."""
    first, second = (_mean_of_equals(scores, row) for scores, row in zip((a, b), means, strict=True))
    return first, second


def _mean_of_equals(scores: Floats, means: Floats) -> Floats:
    group = np.unique(scores, axis=1, return_inverse=True)[1].ravel()
    return round_means((np.bincount(group, weights=means) / np.bincount(group))[group], scores)


def _noise(a: Floats, b: Floats) -> Floats:
    """The covariance, over measures, of the error of a system's mean: what topic and system do not explain."""
    residuals = np.stack([_interaction(scores).ravel() for scores in (a, b)])
    n_topics, n_systems = a.shape
    return np.asarray(residuals @ residuals.T / ((n_topics - 1) * (n_systems - 1) * n_topics))


def _interaction(scores: Floats) -> Floats:
    by_topic = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(by_topic - by_topic.mean(axis=0))


def _root(covariance: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T)
