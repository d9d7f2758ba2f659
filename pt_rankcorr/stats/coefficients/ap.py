"""AP correlation: a rank correlation in which errors near the top weigh more."""

from __future__ import annotations

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.stats.coefficients.coefficient import (
    Coefficient,
    clip,
    finish,
    place_range_of_ties,
    takes_rankings,
)
from pt_rankcorr.stats.coefficients.counting import CountsAbove, count_above, product_of_signs
from pt_rankcorr.stats.core.arguments import flag, one_of
from pt_rankcorr.stats.core.inputs import RankingsLike, prepare_vectors
from pt_rankcorr.stats.core.types import Floats, Indices


@takes_rankings
def tau_ap(
    reference: RankingsLike,
    estimate: RankingsLike,
    *,
    variant: choices.Variant = "a",
    symmetric: bool = False,
    missing: choices.MissingOfSides = "error",
) -> float | Floats:
    """AP correlation: rank correlation in which errors near the top weigh more.

    With systems in the order of the estimate, best first, let C(i) be the number of the i-1 systems
    above rank i that are rightly there. Then tau_AP = 2/(m-1) * sum_{i=2..m} C(i)/(i-1) - 1. It is
    not symmetric: `reference` is the trusted ranking. O(m log m) time for long vectors.

    Args:
        reference, estimate: Scores of the same systems, as for `kendall_tau`.
        variant: "a" is the mean over all ways of breaking the ties of either side, in closed form.
            "b" is for two observers who may both tie: for each system below the top tie of one
            ranking, the share of the systems strictly above it that the other ranking also puts
            strictly above; the mean over both directions.
        symmetric: Whether to take the mean with that of both sides exchanged; "b" always does.
        missing: As for `kendall_tau`; section 3 of the paper does as "skip".

    Returns:
        As `kendall_tau`.

    Raises:
        TypeError, ValueError: As `kendall_tau`.

    References:
        Yilmaz, Aslam, Robertson, "A new rank correlation coefficient for information retrieval",
        SIGIR 2008, section 3. Ties: Urbano, Marrero, "The treatment of ties in AP correlation",
        ICTIR 2017.

    Example:
        The rankings of section 1 of Yilmaz et al. have one tau (0.6429), but err at top and bottom:

        >>> reference = [8, 7, 6, 5, 4, 3, 2, 1]
        >>> top_errs, bottom_errs = [6, 5, 7, 8, 4, 3, 2, 1], [8, 7, 6, 5, 2, 1, 3, 4]
        >>> round(tau_ap(reference, top_errs), 4), round(tau_ap(reference, bottom_errs), 4)
        (0.2381, 0.766)
    """
    one_of("variant", variant, ("a", "b"))
    flag("symmetric", symmetric)
    first, second = prepare_vectors(reference, estimate, missing=missing)
    coefficient = TAU_AP_B if variant == "b" else TAU_AP_SYMMETRIC if symmetric else TAU_AP
    return finish(coefficient.kernel(first, second), "tau_ap")


def tau_ap_a(reference: Floats, estimate: Floats) -> Floats:
    """`tau_ap` of arrays, (..., m), unchecked: the mean over the ways of breaking ties, (...)."""
    above = count_above(reference, estimate)
    # C(i): items above that are rightly there, half of those that the reference ties
    right = above.both + above.tied_in_reference / 2
    # without ties of the estimate, the definition itself: C(i) / (i - 1), i - 1 stand above
    if (above.tie_size == 1).all():
        expected_shares = np.divide(right, np.maximum(above.estimate, 1), out=right)
    else:
        expected_shares = right * mean_weight_of_ranks(above) + right_inside_tie(above)
    tau = 2 / (expected_shares.shape[-1] - 1) * expected_shares.sum(axis=-1) - 1
    return clip(np.asarray(tau), reference, estimate)


def mean_weight_of_ranks(above: CountsAbove) -> Floats:
    """For each item, (..., m), the mean of 1/(i-1) over its ranks i inside its tie of the estimate.

    In the top tie nothing stands above, so that the weight is never used.
    """
    # i - 1 runs from first to first + size - 1: the sum is a difference of harmonic numbers
    first, size = above.estimate, above.tie_size
    harmonic = _harmonic_numbers(first.shape[-1])
    before = harmonic[np.maximum(first - 1, 0).astype(np.intp)]
    return (harmonic[(first + size - 1).astype(np.intp)] - before) / size


def right_inside_tie(above: CountsAbove) -> Floats:
    """For each item, (..., m), the part of the expected C(i)/(i-1) from its own tie, of size t.

    Items before it inside the tie of the estimate are right half of the time, which gives in closed
    form (1/t) sum_{k=0..t-1} (k/2)/(first + k).
    """
    first, size = above.estimate, above.tie_size
    harmonic = _harmonic_numbers(first.shape[-1])
    inverse_sum = harmonic[(first + size - 1).astype(np.intp)] - harmonic[first.astype(np.intp)]
    return (size - 1 - first * inverse_sum) / (2 * size)


def _harmonic_numbers(n_items: int) -> Floats:
    """0, 1, 1 + 1/2, ..., 1 + 1/2 + ... + 1/n_items: shape (n_items + 1,)."""
    return np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, n_items + 1))))


def _tau_ap_of_all_pairs(references: Floats, estimates: Floats) -> Floats:
    """tau_AP of each reference with each estimate: shape (n, k), of shapes (n, m) and (k, m).

    A pair adds the product of both signs, weighted by the ranks that its lower system can take.
    """
    weights = np.ascontiguousarray(mean_weight_of_ranks(count_above(estimates, estimates)).T)

    def weigh(first: Indices, second: Indices, signs: Floats) -> Floats:
        """Signs of pairs in the estimates, (n_pairs, k), times the weight of the lower system."""
        return signs * np.where(signs > 0, weights[second], weights[first])

    return np.asarray(product_of_signs(references, estimates, weigh) / (references.shape[1] - 1))


def tau_ap_b(reference: Floats, estimate: Floats) -> Floats:
    """`tau_ap` with ties "b" of arrays, (..., m), unchecked: the mean of both directions, (...)."""
    above = count_above(reference, estimate)
    in_reference = count_above(reference, reference).estimate
    tau = (_confirmed(above.both, above.estimate) + _confirmed(above.both, in_reference)) / 2
    return clip(tau, reference, estimate)


def _confirmed(both: Floats, above: Floats) -> Floats:
    """One direction of tau_AP with ties "b", (...): 2x - 1 of the mean share that both put above.

    Given how many items both rankings, or one of them, put strictly above each item, (..., m).
    """
    # the items of the top tie have nothing above them: they leave sum and count
    is_below_top = above > 0
    shares = np.divide(both, above, out=np.zeros_like(both), where=is_below_top)
    # where all systems are tied it divides by 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * shares.sum(axis=-1) / is_below_top.sum(axis=-1) - 1)


# --- the coefficient as an object -----------------------------------------------------------------


def _pair_costs(reference: Floats, estimate: Floats) -> Floats:
    """What each pair lowers tau_AP by, (m, m): the weight of its lower item, half inside a tie."""
    above = count_above(reference, estimate)
    # (m, m): above 0 where the row's item stands above the column's
    gaps = np.subtract.outer(estimate, estimate)
    # 1 for a wrong pair, 1/2 for one that the reference ties, 0 for a right one
    agreement = np.sign(np.subtract.outer(reference, reference))
    wrong = np.where(gaps > 0, (1 - agreement) / 2, 0.0)
    # a tie of the estimate costs its expected part, shared alike among the pairs of each item
    inside = np.where(gaps == 0, right_inside_tie(above) / np.maximum(above.tie_size - 1, 1), 0.0)
    np.fill_diagonal(inside, 0.0)
    costs = wrong * mean_weight_of_ranks(above) + inside
    return np.asarray((costs + costs.T) * 2 / (reference.size - 1))


def _swap_costs(reference: Floats) -> Floats:
    """What the exchange of each pair lowers tau_AP by, shape (m, m), of scores in descending order.

    Let A systems be strictly above each of a tie of s, and W the mean of 1/rank over the places of
    its members. Each system strictly between has one wrong system above it and loses W. The better
    system, i, comes to the place of the worse, j, and is rightly below A_i + (s_i - 1)/2 of the A_j
    above that place. The s_j - 1 that are tied with j have j above them, which counts half.
    """
    start, end = place_range_of_ties(reference)
    harmonic = _harmonic_numbers(reference.size)
    # W of each system, (m,); its sums over the systems before each place; mean places of ties
    weights = (harmonic[end - 1] - harmonic[np.maximum(start - 1, 0)]) / (end - start)
    before = np.concatenate(([0.0], np.cumsum(weights)))
    places = start + (end - start - 1) / 2.0
    # at j's place i has that many fewer items rightly above, of weight W_j; all between lose W
    lost = (places - places[:, np.newaxis]) * weights + before[start] - before[end][:, np.newaxis]
    return np.where(start >= end[:, np.newaxis], lost * 2.0 / (reference.size - 1), 0.0)


def _both_directions(reference: Floats, estimate: Floats) -> Floats:
    """Symmetric tau_AP, shape (...), of arrays of shape (..., m)."""
    return np.asarray((tau_ap_a(reference, estimate) + tau_ap_a(estimate, reference)) / 2)


TAU_AP = Coefficient(
    "tau_ap", "tau_AP", tau_ap_a, vectorized=True, symbol="τ\u2009AP", citation="yilmaz2008",
    variant="a", headline=True, for_all_pairs=_tau_ap_of_all_pairs, pair_costs=_pair_costs,
    swap_costs=_swap_costs,
)  # fmt: skip
TAU_AP_B = Coefficient(
    "tau_ap_b", "tau_AP b", tau_ap_b, vectorized=True, symbol="τ\u2009AP b", citation="urbano2017",
    family="tau_ap", variant="b",
)  # fmt: skip
TAU_AP_SYMMETRIC = Coefficient(
    "tau_ap_symmetric", "symmetric tau_AP", _both_directions, vectorized=True,
    family="tau_ap", variant="symmetric", symmetric=True,
)  # fmt: skip
