"""How far to shrink a covariance of systems."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.types import Floats

NEGLIGIBLE_DISPERSION = 1e-12  # a share of a sum of squares that may be nothing but rounding errors


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
