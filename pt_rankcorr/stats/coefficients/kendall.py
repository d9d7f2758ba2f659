"""Kendall's tau: the coefficient, the distance and the interval."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from pt_rankcorr import choices, defaults
from pt_rankcorr.stats.coefficients.coefficient import (
    Coefficient,
    clip,
    finish,
    nan_where_all_tied,
    place_range_of_ties,
    takes_rankings,
)
from pt_rankcorr.stats.coefficients.counting import (
    BITS_UP_TO,
    clear_pairs,
    count_above,
    product_of_signs,
    untied_pairs,
)
from pt_rankcorr.stats.core.arguments import (
    EXACT_INTEGERS,
    correlation,
    one_of,
    real_number,
    share,
    whole_number,
)
from pt_rankcorr.stats.core.inputs import RankingsLike, prepare_vectors
from pt_rankcorr.stats.core.means import CACHED_CELLS, pair_blocks
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats
from pt_rankcorr.text import shown


@takes_rankings
def kendall_tau(
    reference: RankingsLike,
    estimate: RankingsLike,
    *,
    variant: choices.Variant = "a",
    fuzziness: float = 0.0,
    missing: choices.MissingOfSides = "error",
) -> float | Floats:
    """Kendall's tau: the share of concordant pairs minus the share of discordant ones.

    O(m log m) time for long vectors, O(m^2) with fuzziness.

    Args:
        reference: Scores of m >= 2 systems, higher is better: one each; topics x systems; or
            `Rankings`.
        estimate: Other scores of the same systems; matched by name where both sides have names.
        variant: "a" counts a tied pair as neither concordant nor discordant, but among all m(m-1)/2
            pairs, which is the mean over all ways of breaking the ties. "b" divides by the
            geometric mean of the numbers of pairs that each vector does not tie, as
            `scipy.stats.kendalltau` does: .913, not .833, for [1, 2, 2, 4] and [1, 2, 3, 4].
        fuzziness: Pairs do not count if their gap in the reference is 0, or below this share of the
            smaller of their scores, as 0.05; at 0 all count. The result is nan if no pair is left.
        missing: What to do with systems that only one side has, where both have names: "error";
            "skip" leaves them out, as Yilmaz et al. do; "warn" does so with a warning.

    Returns:
        A float in [-1, 1], or an array for `Rankings`; nan, with a warning, where either side ties
        all systems.

    Raises:
        TypeError: If the scores or the fuzziness are not numbers.
        ValueError: If the systems do not match, scores are not finite, there are fewer than two
            systems, or an argument is out of its range.

    References:
        Kendall, "Rank Correlation Methods", 1970. Paired with tau_AP in Yilmaz, Aslam, Robertson,
        SIGIR 2008. Fuzziness: Buckley, Voorhees, "Evaluating evaluation measure stability", SIGIR
        2000, as described in section 1 of Gao, Oard, SIGIR 2015.

    Example:
        A ranking of section 1 of Yilmaz et al., and one that lacks a system:

        >>> round(kendall_tau([8, 7, 6, 5, 4, 3, 2, 1], [6, 5, 7, 8, 4, 3, 2, 1]), 4)
        0.6429
        >>> kendall_tau({"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 1}, missing="skip")
        1.0
    """
    one_of("variant", variant, ("a", "b"))
    first, second = prepare_vectors(reference, estimate, missing=missing)
    least_gap = real_number("fuzziness", fuzziness)
    if not 0.0 <= least_gap < 1.0:
        raise ValueError(f"`fuzziness` must be in [0, 1), got {shown(fuzziness)}.")
    if least_gap > 0:
        tau = _fuzzy_tau(first, second, least_gap, variant)
        return finish(tau, "kendall_tau", " or no pair is further apart than the fuzziness")
    return finish((TAU if variant == "a" else TAU_B).kernel(first, second), "kendall_tau")


def _tau_a(reference: Floats, estimate: Floats) -> Floats:
    """tau a of arrays of shape (..., m), unchecked and without warnings: shape (...)."""
    n_systems = reference.shape[-1]
    n_pairs = n_systems * (n_systems - 1) / 2
    return clip(_agreement(reference, estimate) / n_pairs, reference, estimate)


def _tau_b(reference: Floats, estimate: Floats) -> Floats:
    """tau b of arrays of shape (..., m), unchecked and without warnings: shape (...)."""
    with np.errstate(invalid="ignore", divide="ignore"):  # all systems tied
        denominator = np.sqrt(untied_pairs(reference) * untied_pairs(estimate))
        return clip(_agreement(reference, estimate) / denominator, reference, estimate)


def _agreement(reference: Floats, estimate: Floats) -> Floats:
    """How many more pairs are concordant than discordant: shape (...), of arrays of (..., m)."""
    n_systems, is_single = reference.shape[-1], reference.ndim == estimate.ndim == 1
    if is_single and n_systems <= 64:  # the fastest way then
        # sum over pairs of sign(x_i - x_j) sign(y_i - y_j); the signs of all ordered pairs, shape
        # (m, m): each pair is there twice
        first = np.sign(np.subtract.outer(reference, reference))
        second = np.sign(np.subtract.outer(estimate, estimate))
        return np.asarray(np.vdot(first, second) / 2.0)
    if not is_single and n_systems <= BITS_UP_TO:
        # of the pairs that the estimate does not tie: concordant ones less the rest that the
        # reference does not tie, both - (estimate - both - tied_in_reference)
        above = count_above(reference, estimate)
        agreement = 2.0 * above.both - above.estimate + above.tied_in_reference
        return np.asarray(agreement.sum(axis=-1))
    sides = np.broadcast_arrays(reference, estimate)
    rows = zip(*(scores.reshape(-1, n_systems) for scores in sides), strict=True)
    # of the pairs that neither ties: all less twice the discordant ones
    counts = (clear_pairs(first, second) for first, second in rows)
    agreements = [n_clear - 2.0 * n_discordant for n_clear, n_discordant in counts]
    return np.array(agreements).reshape(sides[0].shape[:-1])


def _tau_a_of_all_pairs(references: Floats, estimates: Floats) -> Floats:
    """tau a of each reference with each estimate: (n, k), of arrays of shape (n, m) and (k, m)."""
    n_systems = references.shape[1]
    return np.asarray(product_of_signs(references, estimates) / (n_systems * (n_systems - 1) / 2))


def _tau_b_of_all_pairs(references: Floats, estimates: Floats) -> Floats:
    """tau b of each reference with each estimate: (n, k), of arrays of shape (n, m) and (k, m)."""
    with np.errstate(invalid="ignore", divide="ignore"):  # all systems tied
        denominator = np.sqrt(np.outer(untied_pairs(references), untied_pairs(estimates)))
        return np.asarray(product_of_signs(references, estimates) / denominator)


def _fuzzy_tau(references: Floats, estimates: Floats, fuzziness: float, variant: str) -> Floats:
    """Tau over the pairs that are far enough apart in the reference: (...), of scores (..., m)."""

    def fuzzy_tau(reference: Floats, estimate: Floats) -> float:
        """That of two vectors, (m,); nan if no pair is left or "b" finds all of these tied."""
        agreement = n_clear = n_untied = 0.0
        for first, second in pair_blocks(reference.size, 1, at_once=CACHED_CELLS):
            # per pair of the block: the gap in the reference, and the smaller of its two scores
            gaps = reference[first] - reference[second]
            smaller = np.minimum(np.abs(reference[first]), np.abs(reference[second]))
            # a gap that is exactly that share counts, though the share may round by 1e-10
            is_clear = (gaps != 0) & (np.abs(gaps) >= (fuzziness - 1e-10) * smaller)
            estimate_signs = np.sign(estimate[first] - estimate[second])[is_clear]
            agreement += float(np.sign(gaps[is_clear]) @ estimate_signs)
            n_clear += estimate_signs.size
            n_untied += np.count_nonzero(estimate_signs)
        # for tau b: the reference ties no clear pair, only the estimate does
        compared = n_clear if variant == "a" else math.sqrt(n_clear * n_untied)
        return agreement / compared if compared else math.nan

    tau = Coefficient("tau", "tau", fuzzy_tau).kernel(references, estimates)
    return clip(tau, references, estimates)


def kendall_distance(
    reference: RankingsLike, estimate: RankingsLike, *, missing: choices.MissingOfSides = "error"
) -> int | float | Floats:
    """Kendall's distance: the number of pairs that the two vectors order differently.

    It is the least number of swaps of neighbours from one ranking to the other; without ties,
    m(m-1)/4 * (1 - tau).

    Args:
        reference, estimate, missing: As for `kendall_tau`.

    Returns:
        An integer from 0 to m(m-1)/2, or an array for `Rankings`. A tied pair never counts. nan,
        with a warning, where either side ties all systems.

    Raises:
        TypeError, ValueError: As `kendall_tau`.

    References:
        Kendall, "Rank Correlation Methods", 1948.

    Example:
        >>> kendall_distance([8, 7, 6, 5, 4, 3, 2, 1], [6, 5, 7, 8, 4, 3, 2, 1])
        5
    """
    first, second = prepare_vectors(reference, estimate, missing=missing)
    above = count_above(first, second)
    # pairs that the estimate does not tie, neither concordant nor tied in the reference
    discordant = np.asarray((above.estimate - above.both - above.tied_in_reference).sum(axis=-1))
    distance = finish(nan_where_all_tied(discordant, first, second), "kendall_distance")
    return int(distance) if isinstance(distance, float) and not math.isnan(distance) else distance


def kendall_interval(
    tau: float, n_systems: int, *, level: float = defaults.LEVEL
) -> ConfidenceInterval:
    """A confidence interval for Kendall's tau, over the sampling of systems.

    Its ends are the two roots T of (t - T)^2 = (2 z^2 / m)(1 - T^2), with z the normal quantile of
    the level. It is conservative, and it treats the systems, not the topics, as a sample.

    Args:
        tau: The observed tau, in [-1, 1].
        n_systems: The number of systems m >= 2.
        level: The confidence level, between 0 and 1.

    Returns:
        The low and the high end, both in [-1, 1].

    Raises:
        TypeError, ValueError: If an argument is no number, or out of its range.

    References:
        Kendall 1970; equation 1 of Carterette, "On rank correlation and the distance between
        rankings", SIGIR 2009.

    Example:
        Carterette's figures for tau = 0.9 between 25 systems:

        >>> low, high = kendall_interval(0.9, 25, level=0.95)
        >>> round(low, 3), round(high, 3)
        (0.389, 0.987)
    """
    t = correlation("tau", tau)
    m = whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    # the lower quantile, as the upper one is infinite for levels that round to 1; only z^2 is used
    z = ndtri((1 - share("level", level)) / 2)
    # with c = 2 z^2 / m, (1 + c) T^2 - 2 t T + t^2 - c = 0
    c = 2 * z**2 / m
    root = math.sqrt(c * (1 + c - t**2))
    return ConfidenceInterval(float((t - root) / (1 + c)), float((t + root) / (1 + c)))


# --- the coefficient as an object -----------------------------------------------------------------


def _pair_costs(reference: Floats, estimate: Floats) -> Floats:
    """What each pair lowers tau by, (m, m): a discordant pair costs twice what a tied one does."""
    # 1 for concordant pairs, -1 for discordant ones, 0 for tied ones
    agreement = np.sign(np.subtract.outer(reference, reference))
    agreement = agreement * np.sign(np.subtract.outer(estimate, estimate))
    costs = (1 - agreement) * 2 / (reference.size * (reference.size - 1))
    np.fill_diagonal(costs, 0.0)
    return costs


def _swap_costs(reference: Floats) -> Floats:
    """What the exchange of each pair lowers tau by: (m, m), of scores, (m,), in descending order.

    The exchange turns the pair itself around, and both pairs with each system strictly between. A
    system tied with one of the two ends is tied with the other instead: one pair loses its sign.
    """
    start, end = place_range_of_ties(reference)
    # row i, column j: how many systems are after the tie of i and before that of j; or negative
    strictly_between = start - end[:, np.newaxis]
    # a pair that turns around changes the sum of signs by 2, one that becomes a tie by 1
    tied = (end - start - 1)[:, np.newaxis] + (end - start - 1)
    lost = np.where(strictly_between >= 0, 2.0 + 4.0 * strictly_between + tied, 0.0)
    return np.asarray(lost * 2.0 / (reference.size * (reference.size - 1)))


TAU = Coefficient(
    "tau", "tau", _tau_a, vectorized=True, symbol="τ", citation="kendall1938", variant="a",
    headline=True, symmetric=True, for_all_pairs=_tau_a_of_all_pairs, pair_costs=_pair_costs,
    swap_costs=_swap_costs,
)  # fmt: skip
TAU_B = Coefficient(
    "tau_b", "tau b", _tau_b, vectorized=True, symbol="τ\u2009b", citation="kendall1938",
    family="tau", variant="b", for_all_pairs=_tau_b_of_all_pairs, symmetric=True,
)  # fmt: skip
