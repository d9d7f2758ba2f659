"""Correlation coefficients of two rankings of systems, each given by a vector of scores.

All take `(truth, estimate)`, accept leading batch axes, lie in [-1, 1], are 1 for equal rankings and -1 for reversed
ones (less in magnitude where a policy for ties says so). Where all items of a vector are tied there is no ranking to
compare, and the result is nan with a warning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from pt_rankcorr.stats._dominance import Above, count_above
from pt_rankcorr.stats._finished import Coefficient, finished
from pt_rankcorr.stats._fuzzy import fuzzy_tau
from pt_rankcorr.stats._gaps import normalised
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import flag, one_of, real_number, share, whole_number
from pt_rankcorr.stats.gap import tau_gap
from pt_rankcorr.stats.order import EXACT_INTEGERS, Floats, as_vectors, ranks
from pt_rankcorr.stats.results import ConfidenceInterval, TestResult


def kendall_tau(truth: object, estimate: object, *, ties: str = "a", fuzziness: float = 0.0) -> Coefficient:
    """Kendall's tau: the share of concordant pairs less the share of discordant ones.

    O(m log m) time for long vectors, O(m^2) with fuzziness.

    Args:
        truth: Scores of m >= 2 systems, higher is better: shape (..., m), a score matrix (its means), or a mapping.
        estimate: The same systems scored otherwise: shape (..., m).
        ties: "a" counts a tied pair as neither concordant nor discordant, but among all m(m-1)/2 pairs, which is
            the mean over all ways of breaking the ties. "b" divides by the geometric mean of the numbers of pairs
            that each vector does not tie, as `scipy.stats.kendalltau` does.
        fuzziness: Pairs whose gap in truth is below this share of the smaller of their two scores, or 0, do not count
            at all, for example 0.05; a fuzziness of 0 counts every pair. If it leaves no pair, the result is nan.

    Returns:
        A float, or an array of shape (...) for batches, in [-1, 1]; nan where either vector ties all systems.

    Raises:
        TypeError: If the scores or the fuzziness are not numbers.
        ValueError: If the vectors do not match, are not finite or have less than two systems, `ties` is unknown, or
            `fuzziness` is not in [0, 1).

    References:
        Kendall, "Rank Correlation Methods", 1970. Paired with tau_AP in Yilmaz, Aslam, Robertson, SIGIR 2008.
        Fuzziness: Buckley, Voorhees, "Evaluating evaluation measure stability", SIGIR 2000, as told in section 1 of
        Gao, Oard, SIGIR 2015.

    Example:
        The two rankings of section 1 of Yilmaz et al., which err at the top and at the bottom:

        >>> truth = [8, 7, 6, 5, 4, 3, 2, 1]
        >>> top_errs, bottom_errs = [6, 5, 7, 8, 4, 3, 2, 1], [8, 7, 6, 5, 2, 1, 3, 4]
        >>> round(kendall_tau(truth, top_errs), 4), round(kendall_tau(truth, bottom_errs), 4)
        (0.6429, 0.6429)
    """
    one_of("ties", ties, ("a", "b"))
    truth, estimate = as_vectors(truth, estimate)
    fuzziness = _fuzziness(fuzziness)
    if fuzziness > 0:
        return finished(fuzzy_tau(truth, estimate, fuzziness, ties), truth, estimate, "kendall_tau")
    above = count_above(truth, estimate)
    pairs = truth.shape[-1] * (truth.shape[-1] - 1) / 2
    untied, concordant = above.estimate.sum(axis=-1), above.both.sum(axis=-1)
    discordant = _discordant(above)
    compared = pairs if ties == "a" else np.sqrt(untied * _untied_pairs(truth))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = (concordant - discordant) / compared
    return finished(tau, truth, estimate, "kendall_tau")


def _discordant(above: Above) -> Floats:
    """Of the pairs that the estimate does not tie, those that are neither concordant nor tied in the truth."""
    return np.asarray((above.estimate - above.both - above.tied_in_truth).sum(axis=-1))


def _fuzziness(value: object) -> float:
    fuzziness = real_number("fuzziness", value)
    if not 0.0 <= fuzziness < 1.0:
        raise ValueError(f"`fuzziness` must be in [0, 1), got {shown(value)}.")
    return fuzziness


def _untied_pairs(scores: Floats) -> Floats:
    return np.asarray((rankdata(scores, method="min", axis=-1) - 1).sum(axis=-1))


def kendall_distance(truth: object, estimate: object) -> int | NDArray[np.intp]:
    """Kendall's distance: the number of pairs that the two vectors order differently. O(m log m) time for long vectors.

    It is how many neighbouring swaps turn one ranking into the other, and m(m-1)/4 * (1 - tau) where nothing is tied.

    Args:
        truth: Scores of m >= 2 systems, higher is better: shape (..., m), a score matrix (its means), or a mapping.
        estimate: The same systems scored otherwise: shape (..., m).

    Returns:
        An integer, or an array of shape (...) for batches, from 0 to m(m-1)/2. A tie is never a discordant pair.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If the vectors do not match, are not finite or have less than two systems.

    References:
        Kendall, "Rank Correlation Methods", 1948.

    Example:
        >>> kendall_distance([8, 7, 6, 5, 4, 3, 2, 1], [6, 5, 7, 8, 4, 3, 2, 1])
        5
    """
    truth, estimate = as_vectors(truth, estimate)
    distance = _discordant(count_above(truth, estimate)).astype(np.intp)
    return int(distance) if distance.ndim == 0 else distance


def tau_ap(truth: object, estimate: object, *, ties: str = "a", symmetric: bool = False) -> Coefficient:
    """AP correlation: rank correlation in which errors near the top weigh more.

    With systems in the order of the estimate, best first, and C(i) the number of the i-1 systems above rank i that
    are rightly there, tau_AP = 2/(m-1) * sum_{i=2..m} C(i)/(i-1) - 1. It is not symmetric: `truth` is the ranking
    that is trusted. O(m log m) time for long vectors.

    Args:
        truth: Scores of m >= 2 systems, higher is better: shape (..., m), a score matrix (its means), or a mapping.
        estimate: The same systems scored otherwise: shape (..., m).
        ties: "a" gives the mean over all ways of breaking the ties of either vector, in closed form. "b" is for two
            observers who may both tie: for each system below the top tie of one ranking, the share of the systems
            strictly above it that the other ranking also puts strictly above; a mean over both directions, so it
            is always symmetric.
        symmetric: Whether to return the mean of tau_ap(truth, estimate) and tau_ap(estimate, truth).

    Returns:
        A float, or an array of shape (...) for batches, in [-1, 1]; nan where either vector ties all systems.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If the vectors do not match, are not finite or have less than two systems, or `ties` is unknown.

    References:
        Yilmaz, Aslam, Robertson, "A new rank correlation coefficient for information retrieval", SIGIR 2008,
        section 3. Ties: Urbano, Marrero, "The treatment of ties in AP correlation", ICTIR 2017.

    Example:
        The two rankings of section 1 of Yilmaz et al. have one tau (0.6429), but err at the top and at the bottom:

        >>> truth = [8, 7, 6, 5, 4, 3, 2, 1]
        >>> top_errs, bottom_errs = [6, 5, 7, 8, 4, 3, 2, 1], [8, 7, 6, 5, 2, 1, 3, 4]
        >>> round(tau_ap(truth, top_errs), 4), round(tau_ap(truth, bottom_errs), 4)
        (0.2381, 0.766)
    """
    one_of("ties", ties, ("a", "b"))
    flag("symmetric", symmetric)
    truth, estimate = as_vectors(truth, estimate)
    one_way = _tau_ap_a if ties == "a" else _tau_ap_b
    tau = one_way(count_above(truth, estimate))
    if symmetric or ties == "b":
        tau = (tau + one_way(count_above(estimate, truth))) / 2
    return finished(tau, truth, estimate, "tau_ap")


def _tau_ap_a(above: Above) -> Floats:
    """The expectation over the ties of both (Urbano and Marrero 2017)."""
    right = above.both + above.tied_in_truth / 2
    if (above.group == 1).all():  # the definition itself
        shares = right / np.maximum(above.estimate, 1)
        return np.asarray(2 / (shares.shape[-1] - 1) * shares.sum(axis=-1) - 1)
    in_expectation = right * mean_weight_of_ranks(above) + right_inside_tie(above)
    return np.asarray(2 / (in_expectation.shape[-1] - 1) * in_expectation.sum(axis=-1) - 1)


def mean_weight_of_ranks(above: Above) -> Floats:
    """The mean of 1/(i-1) over the ranks i that an item can take inside its tie of the estimate."""
    first, size = above.estimate, above.group  # i - 1 runs from first to first + size - 1
    harmonic = _harmonic_numbers(first.shape[-1])
    before = harmonic[np.maximum(first - 1, 0).astype(np.intp)]
    # in the top tie nothing stands above, so that the weight is never used
    return (harmonic[(first + size - 1).astype(np.intp)] - before) / size


def right_inside_tie(above: Above) -> Floats:
    """Expected C(i)/(i-1) among an item's own tie: the k items before it inside the tie are right half of the time.

    Per item of a tie of t items below `first` others, (1/t) * sum_{k=0..t-1} (k/2)/(first + k), in closed form.
    """
    first, size = above.estimate, above.group
    harmonic = _harmonic_numbers(first.shape[-1])
    inverse_sum = harmonic[(first + size - 1).astype(np.intp)] - harmonic[first.astype(np.intp)]
    return (size - 1 - first * inverse_sum) / (2 * size)


def _harmonic_numbers(items: int) -> Floats:
    return np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, items + 1))))


def _tau_ap_b(above: Above) -> Floats:
    """One direction: the estimate says who is above whom, the truth confirms it or not."""
    below_top = above.estimate > 0
    shares = np.divide(above.both, above.estimate, out=np.zeros_like(above.both), where=below_top)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * shares.sum(axis=-1) / below_top.sum(axis=-1) - 1)


def pearson(truth: object, estimate: object) -> Coefficient:
    """Pearson's product-moment correlation of two vectors of scores.

    Args:
        truth: Scores of m >= 2 systems: shape (..., m), a score matrix (its means), or a mapping.
        estimate: The same systems scored otherwise: shape (..., m).

    Returns:
        A float, or an array of shape (...) for batches, in [-1, 1]; nan where a vector is constant.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If the vectors do not match, are not finite or have less than two systems.

    References:
        Pearson, "Note on regression and inheritance in the case of two parents", Proc. Royal Society 58, 1895.

    Example:
        >>> round(pearson([1, 2, 3], [1, 2, 9]), 4)
        0.9177
    """
    truth, estimate = as_vectors(truth, estimate)
    return finished(_product_moment(truth, estimate), truth, estimate, "pearson")


def spearman(truth: object, estimate: object) -> Coefficient:
    """Spearman's rank correlation: Pearson's, of the ranks; tied systems share their average rank.

    Args:
        truth: Scores of m >= 2 systems: shape (..., m), a score matrix (its means), or a mapping.
        estimate: The same systems scored otherwise: shape (..., m).

    Returns:
        A float, or an array of shape (...) for batches, in [-1, 1]; nan where either vector ties all systems.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If the vectors do not match, are not finite or have less than two systems.

    References:
        Spearman, "The proof and measurement of association between two things", Am. J. Psychology 15, 1904.

    Example:
        >>> spearman([1, 2, 3], [1, 2, 9])
        1.0
    """
    truth, estimate = as_vectors(truth, estimate)
    return finished(_product_moment(ranks(truth), ranks(estimate)), truth, estimate, "spearman")


def _product_moment(first: Floats, second: Floats) -> Floats:
    x, y = _centred(first), _centred(second)
    with np.errstate(invalid="ignore"):  # nothing varies: 0 / 0
        correlation = (x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    return np.asarray(correlation.clip(-1.0, 1.0))


def _centred(values: Floats) -> Floats:
    """Less their mean; scaled to about 1, so that neither tiny nor huge scores are lost when they are squared."""
    scaled = normalised(values)
    scaled = normalised(scaled - scaled[..., :1])  # small differences of large scores: exact, where a mean is not
    return np.asarray(scaled - scaled.mean(axis=-1, keepdims=True))


COEFFICIENTS: dict[str, Callable[[object, object], Coefficient]] = {
    "tau": kendall_tau,
    "tau_ap": tau_ap,
    "tau_gap": tau_gap,
    "pearson": pearson,
    "spearman": spearman,
}


# --- Kendall's tau as a sample statistic --------------------------------------------------------------


def kendall_interval(tau: float, n_systems: int, *, level: float = 0.95) -> ConfidenceInterval:
    """A confidence interval for Kendall's tau, over the sampling of systems.

    The two roots T of (t - T)^2 = (2 z^2 / m)(1 - T^2), z the normal quantile of the level. It is conservative, and
    it treats the systems, not the topics, as a sample.

    Args:
        tau: The observed tau, in [-1, 1].
        n_systems: The number of systems m >= 2.
        level: The confidence level, between 0 and 1.

    Returns:
        The low and the high end, both in [-1, 1].

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If an argument is out of its range.

    References:
        Kendall 1970; equation 1 of Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.

    Example:
        Carterette's figures for tau = 0.9 between 25 systems:

        >>> low, high = kendall_interval(0.9, 25)
        >>> round(low, 3), round(high, 3)
        (0.389, 0.987)
    """
    t, m = _tau(tau), whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
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
        tau: The tau that was tested.
        n_systems: The number of systems.
    """

    statistic: float
    pvalue: float
    tau: float
    n_systems: int


def kendall_test(tau: float, n_systems: int) -> KendallTestResult:
    """Kendall's normal test of the hypothesis that two rankings are unrelated.

    ``Z0 = |tau| / sqrt((4m + 10) / (9m(m - 1)))``, compared with the standard normal distribution, two-sided.

    Args:
        tau: The observed tau, in [-1, 1].
        n_systems: The number of systems m >= 2; the approximation is good from about 10 on.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If an argument is out of its range.

    References:
        Kendall 1970; section 4 of Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.

    Example:
        >>> result = kendall_test(0.5, 10)
        >>> round(result.statistic, 4), round(result.pvalue, 4)
        (2.0125, 0.0442)
    """
    t, m = _tau(tau), whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    z = abs(t) / math.sqrt((4 * m + 10) / (9 * m * (m - 1)))
    return KendallTestResult(statistic=z, pvalue=float(2 * ndtr(-z)), tau=t, n_systems=m)


def _tau(value: object) -> float:
    tau = real_number("tau", value)
    if not -1.0 <= tau <= 1.0:
        raise ValueError(f"`tau` must be in [-1, 1], got {shown(value)}.")
    return tau
