"""Covariances of noise over systems: how many independent systems they stand for."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.types import Floats


def effective_systems(noise: Floats, freedom: int, most: int) -> float:
    """How many independent systems noise stands for (Huynh and Feldt 1976), from 1 to `most`.

    Args:
        noise: Rows whose sum of squares and products is the covariance, shape (n_rows, n_systems).
        freedom: Its degrees of freedom.
        most: The number of contrasts of systems.
    """
    # products of rows or of columns, whichever are fewer: both have one trace, squared as well
    products = noise @ noise.T if len(noise) <= noise.shape[1] else noise.T @ noise
    first, second = np.trace(products), (products**2).sum()
    if freedom > 1:
        second = freedom**2 / ((freedom - 1.0) * (freedom + 2.0)) * (second - first**2 / freedom)
    return float(np.clip(first**2 / max(second, 1e-300), 1.0, most))
