"""Product-moment correlations: Pearson's of scores, Spearman's of ranks."""

from __future__ import annotations

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, clip, finish, takes_rankings
from pt_rankcorr.stats.core.inputs import RankingsLike, prepare_vectors
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.types import Floats


@takes_rankings
def pearson(
    reference: RankingsLike, estimate: RankingsLike, *, missing: choices.MissingOfSides = "error"
) -> float | Floats:
    """Pearson's product-moment correlation of two vectors of scores.

    Takes `reference`, `estimate` and `missing`, and returns and raises, as `kendall_tau` does.

    References:
        Pearson, "Note on regression and inheritance in the case of two parents", Proc. Royal
        Society 58, 1895.

    Example:
        >>> round(pearson([1, 2, 3], [1, 2, 9]), 4)
        0.9177
    """
    vectors = prepare_vectors(reference, estimate, missing=missing)
    return finish(pearson_kernel(*vectors), "pearson")


@takes_rankings
def spearman(
    reference: RankingsLike, estimate: RankingsLike, *, missing: choices.MissingOfSides = "error"
) -> float | Floats:
    """Spearman's rank correlation: Pearson's of the ranks; tied systems share their average rank.

    Takes `reference`, `estimate` and `missing`, and returns and raises, as `kendall_tau` does.

    References:
        Spearman, "The proof and measurement of association between two things", Am. J. Psychology
        15, 1904.

    Example:
        >>> spearman([1, 2, 3], [1, 2, 9])
        1.0
    """
    vectors = prepare_vectors(reference, estimate, missing=missing)
    return finish(spearman_kernel(*vectors), "spearman")


@np.errstate(under="ignore")
def pearson_kernel(reference: Floats, estimate: Floats) -> Floats:
    """`pearson` of arrays of shape (..., m), unchecked and without warnings: shape (...)."""
    # r = sum of x y / sqrt(sum of x^2 times sum of y^2), of deviations from the means
    x, y = centre(reference), centre(estimate)
    products = (x * y).sum(axis=-1)
    norms = np.square(x, out=x).sum(axis=-1) * np.square(y, out=y).sum(axis=-1)
    # a vector that ties all systems gives 0 / 0, which `clip` turns into nan
    with np.errstate(invalid="ignore"):
        return clip(np.asarray(products / np.sqrt(norms)), reference, estimate)


def spearman_kernel(reference: Floats, estimate: Floats) -> Floats:
    """`spearman` of arrays of shape (..., m), unchecked and without warnings: shape (...)."""
    return pearson_kernel(ranks(reference), ranks(estimate))


def centre(values: Floats) -> Floats:
    """The deviations from the mean along the last axis, of values of shape (..., m)."""
    # differences from the first value come first: of large, close scores these are exact
    deviations = values - values[..., :1]
    return np.asarray(deviations - deviations.mean(axis=-1, keepdims=True))


# --- the coefficients as objects ------------------------------------------------------------------


def _pair_costs(reference: Floats, estimate: Floats) -> Floats:
    """What each pair lowers r by, (m, m): its part of half the squared distance of unit vectors."""
    x, y = (centre(scores) for scores in (reference, estimate))
    # of unit vectors |x - y|^2 / 2 = 1 - r; the sum of squares over systems is that over pairs / m
    x, y = (deviations / np.linalg.norm(deviations) for deviations in (x, y))
    gaps = np.subtract.outer(x, x) - np.subtract.outer(y, y)
    return np.asarray(gaps**2 / (2 * reference.size))


def _swap_costs(reference: Floats) -> Floats:
    """What the exchange of each pair lowers r by, (m, m): (x_i - x_j)^2 / sum of x^2, centred x."""
    deviations = centre(reference)
    return np.asarray(np.subtract.outer(deviations, deviations) ** 2 / np.square(deviations).sum())


def _pair_costs_of_ranks(reference: Floats, estimate: Floats) -> Floats:
    """What each pair lowers Spearman's rho by, shape (m, m)."""
    return _pair_costs(ranks(reference), ranks(estimate))


def _swap_costs_of_ranks(reference: Floats) -> Floats:
    """What the exchange of each pair lowers Spearman's rho by, shape (m, m)."""
    return _swap_costs(ranks(reference))


PEARSON = Coefficient(
    "pearson", "Pearson's r", pearson_kernel, vectorized=True, citation="pearson1895",
    symmetric=True, pair_costs=_pair_costs, swap_costs=_swap_costs,
)  # fmt: skip
SPEARMAN = Coefficient(
    "spearman", "Spearman's rho", spearman_kernel, vectorized=True, symbol="Spearman's ρ",
    citation="spearman1904", symmetric=True, pair_costs=_pair_costs_of_ranks,
    swap_costs=_swap_costs_of_ranks,
)  # fmt: skip
