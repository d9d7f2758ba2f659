"""1 - coefficient as a sum over pairs: symmetric matrices whose upper triangle adds up to it.

Each is exact, and no pair has a negative cost.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats._dominance import Indices, count_above
from pt_rankcorr.stats._gaps import gap_sums, normalised
from pt_rankcorr.stats._tie_breaks import tie_breaks
from pt_rankcorr.stats.coefficients import mean_weight_of_ranks, right_inside_tie
from pt_rankcorr.stats.gap import tau_gap
from pt_rankcorr.stats.order import Floats, ranks

SMALLEST_GAP = 1e-290  # of the largest score: the inverse of a gap is a float


def of_tau(truth: Floats, estimate: Floats) -> Floats:
    """A discordant pair costs twice what a tied one does."""
    agreement = _order(truth) * _order(estimate)
    costs = (1 - agreement) * 2 / (truth.size * (truth.size - 1))
    np.fill_diagonal(costs, 0.0)
    return costs


def of_tau_ap(truth: Floats, estimate: Floats) -> Floats:
    """A pair costs the weight of the ranks that its lower item can take; inside a tie it is wrong half of the time."""
    above = count_above(truth, estimate)
    wrong = np.where(estimate[:, np.newaxis] > estimate, (1 - _order(truth)) / 2, 0.0)
    costs = wrong * mean_weight_of_ranks(above)  # row above column
    inside = np.where(
        estimate[:, np.newaxis] == estimate, right_inside_tie(above) / np.maximum(above.group - 1, 1), 0.0
    )
    np.fill_diagonal(inside, 0.0)
    return _both_ways(costs + inside) * 2 / (truth.size - 1)


def of_tau_gap(truth: Floats, estimate: Floats) -> Floats:
    """A pair costs its gap, as a share of the gaps to all above its lower item.

    Where ties are broken, the mean over the ways in which `tau_gap` breaks them.
    """
    truth, order = normalised(truth), _order(truth)
    gaps = np.abs(_differences(truth)[order != 0.0])
    if (gaps < SMALLEST_GAP).any():
        raise ValueError(f"`truth` must have gaps of at least {SMALLEST_GAP:g} of its largest score.")
    costs = np.zeros((truth.size, truth.size))
    total = np.sum(gap_sums(truth, estimate), axis=0)
    for score in np.unique(estimate):
        members = np.flatnonzero(estimate == score)
        members = members[np.argsort(truth[members], kind="stable")]
        costs[:, members] = _of_tie(truth, estimate > score, members, total[members])
    costs = _both_ways(costs)
    # the number of ranks that count may differ between tie breaks: what they share out is settled here
    charged = costs.sum() / 2
    return costs * ((1 - tau_gap(truth, estimate)) / charged) if charged > 0 else costs


def _of_tie(truth: Floats, above: NDArray[np.bool_], members: Indices, total_above: Floats) -> Floats:
    """Row above column, one column a member: the wrong gap over all gaps, as a mean over ways of breaking the tie."""
    ways = tie_breaks(members.size)
    total = total_above + np.sum(gap_sums(truth[members], ways), axis=0)
    weight = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    wrong = np.maximum(truth[members] - truth[:, np.newaxis], 0.0)
    costs = np.where(above[:, np.newaxis], wrong * weight.mean(axis=0), 0.0)
    for way, weights in zip(ways, weight, strict=True):
        costs[members] += (way[:, np.newaxis] > way) * wrong[members] * weights / len(ways)
    return costs


def of_pearson(truth: Floats, estimate: Floats) -> Floats:
    """1 - r is half the squared distance of the standardised scores, which is a sum over pairs as well."""
    apart = _differences(_unit(truth)) - _differences(_unit(estimate))
    return np.asarray(apart**2 / (2 * truth.size))


def of_spearman(truth: Floats, estimate: Floats) -> Floats:
    """Pearson's, of the ranks."""
    return of_pearson(ranks(truth), ranks(estimate))


def _unit(scores: Floats) -> Floats:
    centred = normalised(scores)
    centred = normalised(centred - centred[0])
    centred = centred - centred.mean()
    return np.asarray(centred / np.linalg.norm(centred))


def _differences(scores: Floats) -> Floats:
    return np.asarray(scores[:, np.newaxis] - scores)


def _order(scores: Floats) -> Floats:
    """1 where the row's score is higher, -1 where the column's is."""
    with np.errstate(over="ignore"):  # an infinite difference has a sign, too
        return np.sign(_differences(scores))


def _both_ways(costs: Floats) -> Floats:
    return costs + costs.T


PAIR_COSTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "tau": of_tau,
    "tau_ap": of_tau_ap,
    "tau_gap": of_tau_gap,
    "pearson": of_pearson,
    "spearman": of_spearman,
}
