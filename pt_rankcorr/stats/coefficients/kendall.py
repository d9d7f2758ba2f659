"""Kendall's tau: the coefficient, the distance, its interval and its test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from pt_rankcorr import choices, defaults
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, clip, defined, finish, of_rankings, places_of_ties
from pt_rankcorr.stats.coefficients.counting import PAIRWISE_CELLS, Above, count_above, product_of_signs, strictly_above
from pt_rankcorr.stats.core.arguments import EXACT_INTEGERS, correlation, one_of, real_number, share, whole_number
from pt_rankcorr.stats.core.inputs import RankingsLike, prepare_vectors
from pt_rankcorr.stats.core.means import begins_of, pair_blocks
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, TestResult
from pt_rankcorr.text import shown

ROUNDING = 1e-10  # of scores of twelve digits: a pair that is exactly as far apart as the fuzziness says counts


@of_rankings
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
        reference: Scores of m >= 2 systems, higher is better: one per system, topics x systems, or `Rankings`.
        estimate: Other scores of the same systems; matched by name where both sides have names.
        variant: "a" counts a tied pair as neither concordant nor discordant, but among all m(m-1)/2 pairs, which is
            the mean over all ways of breaking the ties. "b" divides by the geometric mean of the numbers of pairs
            that each vector does not tie, as `scipy.stats.kendalltau` does: .913, not .833, for [1, 2, 2, 4] and
            [1, 2, 3, 4].
        fuzziness: Pairs do not count if their gap in the reference is 0, or below this share of the smaller of their
            two scores, for example 0.05; at 0 every pair counts. The result is nan if no pair is left.
        missing: What to do with systems that only one side has, where both have names: "error"; "skip" leaves them
            out, as Yilmaz et al. do; "warn" does so with a warning.

    Returns:
        A float in [-1, 1], or an array for `Rankings`; nan, with a warning, where either side ties all systems.

    Raises:
        TypeError: If the scores or the fuzziness are not numbers.
        ValueError: If the systems do not match, scores are not finite, there are fewer than two systems, or an argument
            is out of its range.

    References:
        Kendall, "Rank Correlation Methods", 1970. Paired with tau_AP in Yilmaz, Aslam, Robertson, SIGIR 2008.
        Fuzziness: Buckley, Voorhees, "Evaluating evaluation measure stability", SIGIR 2000, as described in
        section 1 of Gao, Oard, SIGIR 2015.

    Example:
        A ranking of section 1 of Yilmaz et al., and one that lacks a system:

        >>> round(kendall_tau([8, 7, 6, 5, 4, 3, 2, 1], [6, 5, 7, 8, 4, 3, 2, 1]), 4)
        0.6429
        >>> kendall_tau({"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 1}, missing="skip")
        1.0
    """
    one_of("variant", variant, ("a", "b"))
    first, second = prepare_vectors(reference, estimate, missing=missing)
    share_apart = real_number("fuzziness", fuzziness)
    if not 0.0 <= share_apart < 1.0:
        raise ValueError(f"`fuzziness` must be in [0, 1), got {shown(fuzziness)}.")
    if share_apart > 0:
        return _fuzzy_tau(first, second, share_apart, variant)
    return finish((TAU if variant == "a" else TAU_B).kernel(first, second), "kendall_tau")


def _agreement(above: Above) -> Floats:
    """Concordant pairs less discordant ones."""
    return np.asarray((2 * above.both + above.tied_in_reference - above.estimate).sum(axis=-1))


def tau_a(above: Above, _: Floats) -> Floats:
    """From counts; of what ties all systems, any number."""
    n_systems = above.both.shape[-1]
    return np.asarray(_agreement(above) / (n_systems * (n_systems - 1) / 2))


def tau_b(above: Above, reference: Floats) -> Floats:
    """The same with ties "b"."""
    untied = above.estimate.sum(axis=-1) * strictly_above(reference).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(_agreement(above) / np.sqrt(untied))


def _tau_b_of_long_vectors(reference: Floats, estimate: Floats) -> float:
    from scipy.stats import kendalltau  # takes longer to import than all of this package

    return float(kendalltau(reference, estimate, method="asymptotic").statistic)


def _tau_a_of_long_vectors(reference: Floats, estimate: Floats) -> float:
    """tau_b times its denominator is a whole number: concordant pairs less discordant ones."""
    denominator = math.sqrt(float(_untied_pairs(reference)) * float(_untied_pairs(estimate)))
    agreement = np.rint(_tau_b_of_long_vectors(reference, estimate) * denominator)
    return float(agreement / (reference.size * (reference.size - 1) / 2))


def _untied_pairs(scores: Floats) -> int:
    begins = np.flatnonzero(begins_of(np.sort(scores)))
    sizes = np.diff(begins, append=scores.size)
    return (scores.size * (scores.size - 1) - int((sizes * (sizes - 1)).sum())) // 2


def _tau_a_of_all_pairs(references: Floats, estimates: Floats) -> Floats:
    n_systems = references.shape[1]
    return np.asarray(product_of_signs(references, estimates) / (n_systems * (n_systems - 1) / 2))


def _tau_b_of_all_pairs(references: Floats, estimates: Floats) -> Floats:
    # how many others are above a system adds up to the pairs that are not tied
    untied = [strictly_above(scores).sum(axis=-1) for scores in (references, estimates)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(product_of_signs(references, estimates) / np.sqrt(np.outer(*untied)))


def _fuzzy_tau(reference: Floats, estimate: Floats, fuzziness: float, variant: str) -> float | Floats:
    def of_one(reference: Floats, estimate: Floats) -> float:
        agreement = n_clear = n_untied = 0.0
        for first, second in pair_blocks(reference.size, 1, at_once=PAIRWISE_CELLS):
            gaps = reference[first] - reference[second]
            smaller = np.minimum(np.abs(reference[first]), np.abs(reference[second]))
            clear = (gaps != 0) & (np.abs(gaps) >= (fuzziness - ROUNDING) * smaller)
            in_estimate = np.sign(estimate[first] - estimate[second])[clear]
            agreement += float(np.sign(gaps[clear]) @ in_estimate)
            n_clear += in_estimate.size
            n_untied += np.count_nonzero(in_estimate)
        compared = n_clear if variant == "a" else math.sqrt(n_clear * n_untied)
        return agreement / compared if compared else math.nan

    tau = clip(Coefficient("tau", "tau", of_one).kernel(reference, estimate), reference, estimate)
    return finish(tau, "kendall_tau", " or no pair is further apart than the fuzziness")


def kendall_distance(
    reference: RankingsLike, estimate: RankingsLike, *, missing: choices.MissingOfSides = "error"
) -> int | float | Floats:
    """Kendall's distance: the number of pairs that the two vectors order differently.

    It is the least number of swaps of neighbours from one ranking to the other; without ties, m(m-1)/4 * (1 - tau).

    Args:
        reference, estimate, missing: As for `kendall_tau`.

    Returns:
        An integer from 0 to m(m-1)/2, or an array for `Rankings`. A tied pair never counts. nan, with a warning, where
        either side ties all systems.

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
    # of the pairs that the estimate does not tie, those that are neither concordant nor tied in the reference
    discordant = np.asarray((above.estimate - above.both - above.tied_in_reference).sum(axis=-1))
    distance = finish(defined(discordant, first, second), "kendall_distance")
    return int(distance) if isinstance(distance, float) and not math.isnan(distance) else distance


def kendall_interval(tau: float, n_systems: int, *, level: float = defaults.LEVEL) -> ConfidenceInterval:
    """A confidence interval for Kendall's tau, over the sampling of systems.

    Its ends are the two roots T of (t - T)^2 = (2 z^2 / m)(1 - T^2), with z the normal quantile of the level. It is
    conservative, and it treats the systems, not the topics, as a sample.

    Args:
        tau: The observed tau, in [-1, 1].
        n_systems: The number of systems m >= 2.
        level: The confidence level, between 0 and 1.

    Returns:
        The low and the high end, both in [-1, 1].

    Raises:
        TypeError, ValueError: If an argument is no number, or out of its range.

    References:
        Kendall 1970; equation 1 of Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.

    Example:
        Carterette's figures for tau = 0.9 between 25 systems:

        >>> low, high = kendall_interval(0.9, 25, level=0.95)
        >>> round(low, 3), round(high, 3)
        (0.389, 0.987)
    """
    t, m = correlation("tau", tau), whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    z = ndtri((1 - share("level", level)) / 2)  # the lower quantile, which is finite up to the highest level
    c = 2 * z**2 / m
    root = math.sqrt(c * (1 + c - t**2))
    return ConfidenceInterval(float((t - root) / (1 + c)), float((t + root) / (1 + c)))


@dataclass(frozen=True, eq=False)
class KendallTestResult(TestResult):
    """The normal test of Kendall's tau.

    Attributes:
        statistic: The size of tau in units of its standard deviation among unrelated rankings.
        pvalue: Two-sided.
        tau, n_systems: As tested.
    """

    statistic: float
    pvalue: float
    tau: float
    n_systems: int


def kendall_test(tau: float, n_systems: int) -> KendallTestResult:
    """Kendall's normal test of the hypothesis that two rankings are unrelated.

    ``Z0 = |tau| / sqrt((4m + 10) / (9m(m - 1)))``, compared with the standard normal distribution, two-sided.

    Args:
        tau, n_systems: As for `kendall_interval`; the approximation is good from about 10 systems on.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Raises:
        TypeError, ValueError: As `kendall_interval`.

    References:
        Kendall 1970; section 4 of Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.

    Example:
        >>> result = kendall_test(0.5, 10)
        >>> round(result.statistic, 4), round(result.pvalue, 4)
        (2.0125, 0.0442)
    """
    t, m = correlation("tau", tau), whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    z = abs(t) / math.sqrt((4 * m + 10) / (9 * m * (m - 1)))
    return KendallTestResult(statistic=z, pvalue=float(2 * ndtr(-z)), tau=t, n_systems=m)


# --- the coefficient as an object ------------------------------------------------------------------------------


def _pair_costs(reference: Floats, estimate: Floats) -> Floats:
    """A discordant pair costs twice what a tied one does."""
    agreement = np.sign(np.subtract.outer(reference, reference)) * np.sign(np.subtract.outer(estimate, estimate))
    costs = (1 - agreement) * 2 / (reference.size * (reference.size - 1))
    np.fill_diagonal(costs, 0.0)
    return costs


def _swap_costs(reference: Floats) -> Floats:
    """The exchange turns the pair itself around, and both pairs with each system strictly between.

    A system tied with one of the two ends is tied with the other instead: of one pair the sign is lost.
    """
    start, end = places_of_ties(reference)
    strictly_between = start - end[:, np.newaxis]
    tied = (end - start - 1)[:, np.newaxis] + (end - start - 1)
    lost = np.where(strictly_between >= 0, 2.0 + 4.0 * strictly_between + tied, 0.0)
    return np.asarray(lost * 2.0 / (reference.size * (reference.size - 1)))


TAU = Coefficient(
    "tau", "tau", kendall_tau, symbol="τ", citation="kendall1938", variant="a", headline=True,
    of_counts=tau_a, of_long_vectors=_tau_a_of_long_vectors, of_all_pairs=_tau_a_of_all_pairs,
    pair_costs=_pair_costs, swap_costs=_swap_costs,
)  # fmt: skip


def _variant_b(reference: Floats, estimate: Floats) -> float | Floats:
    return kendall_tau(reference, estimate, variant="b")


TAU_B = Coefficient(
    "tau_b", "tau b", _variant_b, symbol="τ\u2009b", citation="kendall1938", family="tau",
    variant="b", of_counts=tau_b, of_long_vectors=_tau_b_of_long_vectors, of_all_pairs=_tau_b_of_all_pairs,
)  # fmt: skip
