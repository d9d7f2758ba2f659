"""The correlation of all pairs of many rankings."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike, finish
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.inputs import as_vectors
from pt_rankcorr.stats.core.matrix import Rankings
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown


def correlation_matrix(rankings: Rankings, coefficient: CoefficientLike = "tau_ap") -> Floats:
    """The correlation of each ranking (row: the reference) with each (column: the estimate).

    O(n^2 m^2) time for n rankings of m systems; tau and tau_AP are one product of matrices.

    Args:
        rankings: `Rankings` of shape (n_rankings, n_systems).
        coefficient: The name of a coefficient, or a `stats.Coefficient`.

    Returns:
        Coefficients in [-1, 1], shape (n_rankings, n_rankings); nan, with a warning, where either ranking ties all
        systems. Symmetric for all coefficients but tau_AP and tau_GAP.

    Raises:
        TypeError, ValueError: If these are no `Rankings` of two dimensions, or the coefficient is unknown.

    References:
        As for the coefficient.

    Example:
        >>> from pt_rankcorr.stats import Rankings
        >>> correlation_matrix(Rankings([[3, 2, 1], [1, 2, 3], [3, 1, 2]]), "tau").round(2).tolist()
        [[1.0, -1.0, 0.33], [-1.0, 1.0, -0.33], [0.33, -0.33, 1.0]]
    """
    known = as_coefficient(coefficient)
    if not isinstance(rankings, Rankings):
        raise TypeError(f"`rankings` must be `stats.Rankings`, got {shown(type(rankings).__name__)}.")
    if len(rankings.shape) != 2:
        raise ValueError(f"`rankings` must be of shape (n_rankings, n_systems), got {rankings.shape}.")
    scores, _ = as_vectors(rankings, rankings, ("rankings", "rankings"))
    return np.asarray(finish(known.matrix(scores, scores), known.title))
