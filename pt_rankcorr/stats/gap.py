"""tau_GAP: rank correlation in which errors near the top and errors between systems far apart weigh more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats._finished import Coefficient, finished
from pt_rankcorr.stats._gaps import GapSums, gap_sums, scaled
from pt_rankcorr.stats._tie_breaks import ALL_UP_TO, tie_breaks
from pt_rankcorr.stats._tie_classes import Weighted, by_leading_run, class_shares, has_few_classes
from pt_rankcorr.stats._tie_expectation import EXPECTED_UP_TO, expected_shares, informative_ranks
from pt_rankcorr.stats.order import Floats, as_vectors

BREAKING_CELLS = 2**18  # members of ties, times ways of breaking them, that are looked at together


def tau_gap(truth: object, estimate: object) -> Coefficient:
    """Gap- and head-weighted rank correlation: AP correlation in which each pair weighs by its gap in truth.

    With systems in the order of the estimate, best first, and ``g_ji = |truth_j - truth_i|``, tau_GAP = 2/(m-1) *
    sum_{i=2..m} [sum of g_ji over j rightly above i / sum of g_ji over all j above i] - 1. Ranks whose gaps are all
    zero say nothing and leave both the sum and the count m-1. It is not symmetric: `truth` is the ranking that is
    trusted, and its scores must be on an interval scale. O(m log m) time for long vectors, m^2 cells up to 256 systems.

    Args:
        truth: Scores of m >= 2 systems, higher is better: shape (..., m), a score matrix (its means), or a mapping.
        estimate: The same systems scored otherwise: shape (..., m). Only its order counts.

    Returns:
        A float, or an array of shape (...) for batches, in [-1, 1]; nan where either vector ties all systems. Ties of
        the truth weigh nothing. Ties of the estimate give the mean over all ways of breaking them: exactly, where ties
        have at most fourteen members, or up to a thousand of which all but a few are tied in truth too. Others are
        broken in about a thousand fixed, balanced ways (fewer beyond 128 members, but at least 16), which was found to
        be within 0.02 of the exact mean for members that all differ in truth, even where all systems but one are tied
        and gaps are very unequal; where many are equal it may be further. A large tie takes as long as that many
        coefficients of its members. A tie of the best systems of which some, not all, are tied in truth too is broken
        like a large one from seven members on, if those that differ are many.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If the vectors do not match, are not finite or have less than two systems.

    References:
        Gao, Oard, SIGIR 2015, equation 3.

    Example:
        The last of three is put second: this is a small error if the second is as bad, a large one if it is not.

        >>> round(tau_gap([11, 2, 1], [3, 1, 2]), 4), round(tau_gap([11, 10, 1], [3, 1, 2]), 4)
        (0.9, 0.1)
    """
    truth, estimate = as_vectors(truth, estimate)
    return finished(_tau_gap(*np.broadcast_arrays(scaled(truth), estimate)), truth, estimate, "tau_gap")


def _tau_gap(truth: Floats, estimate: Floats) -> Floats:
    sums = gap_sums(truth, estimate)
    shares, informative = _right_shares(sums)
    with np.errstate(invalid="ignore"):
        tau = np.asarray(2 * shares.sum(axis=-1) / informative.sum(axis=-1) - 1)
    for row in map(tuple, np.argwhere(_has_open_ties(truth, estimate))):
        tau[row] = _mean_over_tie_breaks(truth[row], estimate[row], GapSums(sums.rightly[row], sums.wrongly[row]))
    return tau


def _right_shares(sums: GapSums) -> tuple[Floats, NDArray[np.bool_]]:
    """The share of gaps that are on the right side, and where there is any gap."""
    total = sums.rightly + sums.wrongly
    informative = total > 0
    return np.divide(sums.rightly, total, out=np.zeros_like(total), where=informative), informative


def _has_open_ties(truth: Floats, estimate: Floats) -> NDArray[np.bool_]:
    """Whether the estimate ties systems of different truth; how others are broken makes no difference."""
    ascending = np.sort(estimate, axis=-1)
    if not (ascending[..., 1:] == ascending[..., :-1]).any():
        return np.zeros(estimate.shape[:-1], dtype=np.bool_)
    order = np.lexsort((truth, estimate))
    estimate, truth = np.take_along_axis(estimate, order, axis=-1), np.take_along_axis(truth, order, axis=-1)
    return np.asarray(((estimate[..., 1:] == estimate[..., :-1]) & (truth[..., 1:] != truth[..., :-1])).any(axis=-1))


def _mean_over_tie_breaks(truth: Floats, estimate: Floats, sums: GapSums) -> float:
    """The mean of tau_GAP over the ways of breaking the ties of the estimate.

    Ties are broken independently, and all but one have as many informative ranks however they are broken: as long as
    the items so far are equal in truth there are none, and as soon as they differ every rank is informative.
    """
    shares, ranks = 0.0, 0.0
    first = Weighted(np.zeros(1), np.zeros(1), np.ones(1))
    for members in _groups(truth, estimate):
        of_members = truth[members], GapSums(sums.rightly[members], sums.wrongly[members])
        steady, informative = informative_ranks(*of_members)
        of_steady = of_members[0][steady], GapSums(*(of_sums[steady] for of_sums in of_members[1]))
        ranks += informative[steady].sum()
        if members.shape[1] <= EXPECTED_UP_TO:
            shares += expected_shares(*of_steady).sum()
        else:
            shares += sum(_expected(*one) for one in zip(of_steady[0], *of_steady[1], strict=True))
        if not steady.all():
            of_first = of_members[0][~steady], GapSums(*(of_sums[~steady] for of_sums in of_members[1]))
            first = _of_the_best(*of_first)
    return float((2 * (shares + first.shares) / (ranks + first.ranks) - 1) @ first.chances)


def _expected(truth: Floats, rightly: Floats, wrongly: Floats) -> float:
    """The expected sum of right shares of one large tie: exactly where most members are equal, else nearly."""
    if not has_few_classes(truth):
        return float(_broken(truth[np.newaxis], GapSums(rightly[np.newaxis], wrongly[np.newaxis]))[0].mean())
    values, at, counts = np.unique(truth, return_index=True, return_counts=True)
    return class_shares(values, counts.astype(np.float64), GapSums(rightly[at], wrongly[at]))


def _of_the_best(truth: Floats, above: GapSums) -> Weighted:
    """The cases of the tie of the best systems that differ at all: some are equal, so that ranks without gaps vary."""
    if truth.shape[1] > ALL_UP_TO and has_few_classes(truth[0]):
        return by_leading_run(truth[0], GapSums(above.rightly[0], above.wrongly[0]))
    shares, ranks = (found[0] for found in _broken(truth, above))
    return Weighted(shares, ranks, np.full(shares.size, 1.0 / shares.size))


def _groups(truth: Floats, estimate: Floats) -> list[NDArray[np.intp]]:
    """The positions of tied items: arrays of shape (n_groups, n_members), few enough groups to break at once."""
    order = np.lexsort((truth, estimate))
    _, starts, sizes = np.unique(estimate[order], return_index=True, return_counts=True)
    blocks = []
    for size in np.unique(sizes).tolist():
        members = order[starts[sizes == size][:, np.newaxis] + np.arange(size)]
        cells = 2 ** (size - 1) if size <= EXPECTED_UP_TO else tie_breaks(size).size
        step = max(1, BREAKING_CELLS // cells)
        blocks += [members[at : at + step] for at in range(0, len(members), step)]
    return blocks


def _broken(truth: Floats, above: GapSums) -> tuple[Floats, Floats]:
    """Sum of right shares and number of informative ranks of each group, for each way of breaking it."""
    within = gap_sums(truth[:, np.newaxis], tie_breaks(truth.shape[-1]))
    rightly, wrongly = (outside[:, np.newaxis] + inside for outside, inside in zip(above, within, strict=True))
    shares, informative = _right_shares(GapSums(rightly, wrongly))
    return shares.sum(axis=-1), informative.sum(axis=-1).astype(np.float64)
