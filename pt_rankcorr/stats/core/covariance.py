"""How far to shrink a covariance of systems."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.types import Floats


def ledoit_wolf_shrinkage(residuals: Floats) -> float:
    """The share in [0, 1] of a multiple of the identity of the least expected squared error.

    Of residuals of shape (n_topics, n_systems), whose rows and columns sum to 0, so that traces and
    norms are the same in any orthonormal basis of the m - 1 contrasts of m systems. With this share
    s, the covariance C, divisor n, is shrunk to (1 - s) C + s mu I, with mu = trace(C) / (m - 1).
    Ledoit, Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", 2004,
    lemma 3.3.
    """
    n_topics, n_systems = residuals.shape
    # C, (m, m), divisor n as in the paper; |C|^2 is its sum of squares
    covariance = residuals.T @ residuals / n_topics
    squared_norm = (covariance**2).sum()
    dispersion = squared_norm - np.trace(covariance) ** 2 / (n_systems - 1)
    # d^2 = |C - mu I|^2 among contrasts, how far C is from the target; and b^2, the part of it that
    # is sampling error: the mean over topics of |x x' - C|^2, over n, where |x x'|^2 = (x'x)^2
    noise = (((residuals**2).sum(axis=1) ** 2).mean() - squared_norm) / n_topics
    # less may be nothing but rounding: then C is a multiple of the identity already
    if dispersion <= 1e-12 * squared_norm:
        return 0.0
    return float(min(max(noise / dispersion, 0.0), 1.0))
