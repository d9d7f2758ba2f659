"""Product-moment correlations: Pearson's of scores, Spearman's of ranks."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.coefficients.counting import normalise
from pt_rankcorr.stats.coefficients.undefined import Coefficient, clip, finish
from pt_rankcorr.stats.core.common import vectors_of
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.types import Floats


def pearson(reference: object, estimate: object, *, missing: str = "error") -> Coefficient:
    """Pearson's product-moment correlation of two vectors of scores.

    Args:
        reference, estimate: Scores of the same systems, as for `kendall_tau`.
        missing: As for `kendall_tau`.

    Returns:
        A float in [-1, 1], or an array for `Rankings`; nan, with a warning, where either side ties all systems.

    Raises:
        TypeError, ValueError: As `kendall_tau`.

    References:
        Pearson, "Note on regression and inheritance in the case of two parents", Proc. Royal Society 58, 1895.

    Example:
        >>> round(pearson([1, 2, 3], [1, 2, 9]), 4)
        0.9177
    """
    return finish(pearson_kernel(*vectors_of(reference, estimate, missing)), "pearson")


def spearman(reference: object, estimate: object, *, missing: str = "error") -> Coefficient:
    """Spearman's rank correlation: Pearson's, of the ranks; tied systems share their average rank.

    Args:
        reference, estimate: Scores of the same systems, as for `kendall_tau`.
        missing: As for `kendall_tau`.

    Returns:
        A float in [-1, 1], or an array for `Rankings`; nan, with a warning, where either side ties all systems.

    Raises:
        TypeError, ValueError: As `kendall_tau`.

    References:
        Spearman, "The proof and measurement of association between two things", Am. J. Psychology 15, 1904.

    Example:
        >>> spearman([1, 2, 3], [1, 2, 9])
        1.0
    """
    return finish(spearman_kernel(*vectors_of(reference, estimate, missing)), "spearman")


def pearson_kernel(reference: Floats, estimate: Floats) -> Floats:
    """`pearson` of arrays of shape (..., m), unchecked and without warnings."""
    return clip(_product_moment(reference, estimate), reference, estimate)


def spearman_kernel(reference: Floats, estimate: Floats) -> Floats:
    """`spearman` of arrays of shape (..., m), unchecked and without warnings."""
    return clip(_product_moment(ranks(reference), ranks(estimate)), reference, estimate)


def _product_moment(first: Floats, second: Floats) -> Floats:
    x, y = centre(first), centre(second)
    together, alone, other = (x * y).sum(axis=-1), np.square(x, out=x).sum(axis=-1), np.square(y, out=y).sum(axis=-1)
    with np.errstate(invalid="ignore"):  # nothing varies: 0 / 0
        return np.asarray(together / np.sqrt(alone * other))


def centre(values: Floats) -> Floats:
    """Less their mean; scaled to about 1, so that neither tiny nor huge scores are lost when they are squared."""
    scaled = normalise(values)
    scaled -= scaled[..., :1].copy()  # small differences of large scores: exact, where a mean is not
    scaled = normalise(scaled)
    scaled -= scaled.mean(axis=-1, keepdims=True)
    return scaled
