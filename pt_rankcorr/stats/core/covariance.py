"""Covariances of systems: how far to shrink them, and how many independent systems they stand for."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.types import Floats

NEGLIGIBLE_DISPERSION = 1e-12  # a share of a sum of squares that may be nothing but rounding errors


def effective_systems(noise: Floats, freedom: int, most: int) -> float:
    """How many independent systems noise stands for (Huynh and Feldt 1976), from 1 to the number of contrasts, `most`.

    The covariance, with so many degrees of freedom, is noise.T @ noise, of noise of shape (n_rows, n_systems).
    """
    # products of rows or of columns, whichever are fewer: both have one trace, squared as well
    products = noise @ noise.T if len(noise) <= noise.shape[1] else noise.T @ noise
    first, second = np.trace(products), (products**2).sum()
    if freedom > 1:
        second = freedom**2 / ((freedom - 1.0) * (freedom + 2.0)) * (second - first**2 / freedom)
    return float(np.clip(first**2 / max(second, 1e-300), 1.0, most))


def ledoit_wolf_shrinkage(residuals: Floats) -> float:
    """The share in [0, 1] of a multiple of the identity that minimises the expected squared error of the covariance.

    Of residuals of shape (n_topics, n_systems), whose rows and columns sum to 0, so that traces and norms are the same
    in any orthonormal basis of the m - 1 contrasts of systems. Ledoit and Wolf, "A well-conditioned estimator for
    large-dimensional covariance matrices", 2004, lemma 3.3.
    """
    n_topics, n_systems = residuals.shape
    covariance = residuals.T @ residuals / n_topics
    squared_norm = (covariance**2).sum()
    dispersion = squared_norm - np.trace(covariance) ** 2 / (n_systems - 1)
    noise = (((residuals**2).sum(axis=1) ** 2).mean() - squared_norm) / n_topics
    return float(min(max(noise / dispersion, 0.0), 1.0)) if dispersion > NEGLIGIBLE_DISPERSION * squared_norm else 0.0
