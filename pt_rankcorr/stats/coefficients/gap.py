"""tau_GAP: rank correlation in which errors near the top and errors between systems far apart weigh more."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from math import comb as choose
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from pt_rankcorr import choices
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, clip, finish, of_rankings, swaps_by_exchange
from pt_rankcorr.stats.coefficients.counting import GapSums, gap_sums, of_one_shape
from pt_rankcorr.stats.core.inputs import RankingsLike, prepare_vectors
from pt_rankcorr.stats.core.means import begins_of
from pt_rankcorr.stats.core.types import Floats, Indices

BREAKING_CELLS = 2**18  # members of ties, times ways of breaking them, that are looked at together
ALL_UP_TO = 6  # members of a tie: 720 ways
CHOSEN_AT_MOST, CHOSEN_AT_LEAST = 1024, 16
CHOSEN_CELLS = 2**17  # ways times members, between the two
EXPECTED_UP_TO = 14  # members of a tie: beyond, it takes longer than to break it in a thousand ways
MOST_MEMBERS = 1000  # of a tie with few classes: beyond, the numbers of choices overflow
MOST_CELLS = 2**23  # of all its cases: as long as to break the tie in a thousand ways
SMALLEST = float(np.finfo(np.float64).tiny)  # where no gap is right, the share of wrong ones is 1


@of_rankings
def tau_gap(
    reference: RankingsLike, estimate: RankingsLike, *, missing: choices.MissingOfSides = "error"
) -> float | Floats:
    """Gap- and head-weighted rank correlation: AP correlation in which each pair weighs by its gap in the reference.

    With systems in the order of the estimate, best first, and ``g_ji = |reference_j - reference_i|``, tau_GAP = 2/(m-1)
    * sum_{i=2..m} [sum of g_ji over j rightly above i / sum of g_ji over all j above i] - 1. Ranks whose gaps are all
    zero say nothing: both the sum and the count m-1 leave them out. It is not symmetric: `reference` is the trusted
    ranking, and its scores must be on an interval scale. O(m log m) time for long vectors.

    Args:
        reference, estimate: Scores of the same systems, as for `kendall_tau`; of the estimate only the order counts.
        missing: As for `kendall_tau`.

    Returns:
        A float in [-1, 1], or an array for `Rankings`; nan, with a warning, where either side ties all systems. Ties of
        the reference weigh nothing. Ties of the estimate give the mean over all ways of breaking them. It is exact for
        ties of up to 14 members (up to 6 where some, not all, of the tied best systems are tied in the reference too),
        and for up to 1000 if all but a few are tied in the reference too. Other ties are broken in about a thousand
        fixed, balanced ways (at least 16); the mean was within 0.02 of the exact one in tests.

    Raises:
        TypeError, ValueError: As `kendall_tau`.

    References:
        Gao, Oard, SIGIR 2015, equation 3.

    Example:
        The last of three comes second: this is a small error if the second is as bad, a large one if it is not.

        >>> round(tau_gap([11, 2, 1], [3, 1, 2]), 4), round(tau_gap([11, 10, 1], [3, 1, 2]), 4)
        (0.9, 0.1)
    """
    return finish(kernel(*prepare_vectors(reference, estimate, missing=missing)), "tau_gap")


def kernel(reference: Floats, estimate: Floats) -> Floats:
    """`tau_gap` of arrays of shape (..., m), unchecked and without warnings."""
    reference, estimate = of_one_shape(reference, estimate)
    sums = gap_sums(reference, estimate)
    shares, informative = _right_shares(sums)
    with np.errstate(invalid="ignore"):
        tau = np.asarray(2 * shares.sum(axis=-1) / informative.sum(axis=-1) - 1)
    if (rows := _has_open_ties(reference, estimate)).any():
        tau[rows] = _mean_over_tie_breaks(reference[rows], estimate[rows], sums.of(rows))
    return clip(tau, reference, estimate)


def _right_shares(sums: GapSums) -> tuple[Floats, NDArray[np.bool_]]:
    """The share of gaps that are on the right side, and where there is any gap."""
    total = sums.rightly + sums.wrongly
    informative = total > 0
    return np.divide(sums.rightly, total, out=np.zeros_like(total), where=informative), informative


def _has_open_ties(reference: Floats, estimate: Floats) -> NDArray[np.bool_]:
    """Whether the estimate ties systems of different reference; how others are broken makes no difference."""
    ascending = np.sort(estimate, axis=-1)
    if not (ascending[..., 1:] == ascending[..., :-1]).any():
        return np.zeros(estimate.shape[:-1], dtype=np.bool_)
    order = np.lexsort((reference, estimate))
    tied, differ = (np.diff(np.take_along_axis(scores, order, axis=-1), axis=-1) for scores in (estimate, reference))
    return np.asarray(((tied == 0) & (differ != 0)).any(axis=-1))


def _mean_over_tie_breaks(reference: Floats, estimate: Floats, sums: GapSums) -> Floats:
    """The mean of tau_GAP over the ways of breaking the ties of the estimate, for each row of shape (n_rows, m).

    Ties are broken independently, and all but one have as many informative ranks however they are broken: as long as
    the items so far are equal in the reference there are none, and as soon as they differ every rank is informative.
    """
    n_rows, items = reference.shape
    shares, ranks = np.zeros(n_rows), np.zeros(n_rows)
    best: dict[int, Weighted] = {}  # of a row, the cases of the one tie whose informative ranks vary: the best systems
    flat, flat_sums = reference.ravel(), GapSums(*(gaps.ravel() for gaps in sums))
    for members in _groups(reference, estimate):
        rows, scores, above = members[:, 0] // items, flat[members], flat_sums.of(members)
        steady, informative = informative_ranks(scores, above)
        np.add.at(ranks, rows[steady], informative[steady])
        if members.shape[1] <= EXPECTED_UP_TO:
            expected = expected_shares(scores[steady], above.of(steady))
        else:
            expected = np.array([_shares_of_large_tie(scores[tie], above.of(tie)) for tie in np.flatnonzero(steady)])
        np.add.at(shares, rows[steady], expected)
        for tie in np.flatnonzero(~steady):
            if members.shape[1] > ALL_UP_TO and has_few_classes(scores[tie]):
                best[rows[tie]] = by_leading_run(scores[tie], above.of(tie))
            else:
                broken = _break_ties(scores[tie], above.of(tie))
                best[rows[tie]] = Weighted(*broken, np.full(broken[0].size, 1.0 / broken[0].size))
    with np.errstate(invalid="ignore"):
        mean = np.asarray(2 * shares / ranks - 1)
    for row, cases in best.items():
        mean[row] = (2 * (shares[row] + cases.shares) / (ranks[row] + cases.ranks) - 1) @ cases.chances
    return mean


def _shares_of_large_tie(reference: Floats, above: GapSums) -> float:
    """The expected sum of right shares: exactly where most members are equal, else nearly."""
    if not has_few_classes(reference):
        return float(_break_ties(reference, above)[0].mean())
    values, first, counts = np.unique(reference, return_index=True, return_counts=True)
    return class_shares(values, counts.astype(np.float64), above.of(first))


def _groups(reference: Floats, estimate: Floats) -> list[Indices]:
    """The positions of tied items: arrays of shape (n_groups, n_members), few enough groups to break at once.

    Positions are those of all rows, one after the other; no group is in two rows.
    """
    order = np.lexsort((reference, estimate))
    ranked = np.take_along_axis(estimate, order, axis=-1)
    starts = np.flatnonzero(begins_of(ranked))
    sizes = np.diff(starts, append=ranked.size)
    places = (order + np.arange(len(order))[:, np.newaxis] * order.shape[1]).ravel()
    blocks = []
    for size in np.unique(sizes).tolist():
        members = places[starts[sizes == size][:, np.newaxis] + np.arange(size)]
        cells = 2 ** (size - 1) if size <= EXPECTED_UP_TO else tie_breaks(size).size
        step = max(1, BREAKING_CELLS // cells)
        blocks += [members[at : at + step] for at in range(0, len(members), step)]
    return blocks


def _break_ties(reference: Floats, above: GapSums) -> tuple[Floats, Floats]:
    """Sum of right shares and number of informative ranks of one tie, for each way of breaking it."""
    within = gap_sums(reference, tie_breaks(reference.size))
    sums = GapSums(above.rightly + within.rightly, above.wrongly + within.wrongly)
    shares, informative = _right_shares(sums)
    return shares.sum(axis=-1), informative.sum(axis=-1).astype(np.float64)


@lru_cache(maxsize=64)
def tie_breaks(members: int) -> Floats:
    """Scores that break a tie, one way a row: shape (n_ways, members).

    If not all ways are taken, those taken put every member at each place equally often: they are rotations, evenly
    spaced, of several scrambled orders. Each comes with its reverse and its mirror image, so that the members may come
    in either order.
    """
    if members <= ALL_UP_TO:
        ways = np.array(list(permutations(range(members))), dtype=np.float64)
    else:
        wanted = int(np.clip(CHOSEN_CELLS // members, CHOSEN_AT_LEAST, CHOSEN_AT_MOST)) // 4
        rotations = min(members, wanted)
        starts = np.arange(rotations)[:, np.newaxis] * members // rotations
        draws = [Random(number).random for number in range(-(-wanted // rotations))]  # the same in all versions
        orders = [np.argsort([draw() for _ in range(members)]).astype(np.float64) for draw in draws]
        ways = np.concatenate([(order + starts) % members for order in orders])
        ways = np.concatenate((ways, members - 1 - ways))
        ways = np.concatenate((ways, ways[:, ::-1]))
    ways.setflags(write=False)
    return ways


def expected_shares(reference: Floats, above: GapSums) -> Floats:
    """The sum over members of their expected shares, shape (n_ties,); a rank without any gap has the share 0.

    The reference and the gaps to the items above the tie are of shape (n_ties, n_members), members in any order.
    """
    sets, chances = _sets_above(reference.shape[1] - 1)
    expected = np.zeros(len(reference))
    for member in range(reference.shape[1]):
        gaps = np.delete(reference, member, axis=1) - reference[:, [member]]
        rightly = above.rightly[:, [member]] + np.maximum(gaps, 0.0) @ sets
        total = rightly + above.wrongly[:, [member]] + np.maximum(-gaps, 0.0) @ sets
        expected += np.divide(rightly, total, out=np.zeros_like(total), where=total > 0) @ chances
    return expected


@lru_cache(maxsize=EXPECTED_UP_TO)
def _sets_above(others: int) -> tuple[Floats, Floats]:
    """All sets of others, one a column of zeros and ones, and its chance to be above: of size k, 1/t / C(t - 1, k)."""
    sets = (np.arange(2**others) >> np.arange(others)[:, np.newaxis] & 1).astype(np.float64)
    by_size = np.array([1 / (choose(others, size) * (others + 1)) for size in range(others + 1)])
    return sets, by_size[sets.sum(axis=0).astype(np.intp)]


def informative_ranks(reference: Floats, above: GapSums) -> tuple[NDArray[np.bool_], Floats]:
    """Of each tie, whether every way of breaking it has as many ranks with any gap, and how many it has then.

    A member without gaps to the items above has nothing but its equals there. If no member has any, the ranks without
    gaps are those of the equal members that come first: a single one if all differ, and all if all are equal.
    """
    with_gaps = above.rightly + above.wrongly > 0
    ascending = np.sort(reference, axis=1)
    differ = np.diff(ascending, axis=1) > 0
    always, never = with_gaps.all(axis=1), ~with_gaps.any(axis=1)
    all_differ, all_equal = never & differ.all(axis=1), never & ~differ.any(axis=1)
    n_members = reference.shape[1]
    count = np.where(always, n_members, np.where(all_equal, 0, n_members - 1)).astype(np.float64)
    return np.asarray(always | all_differ | all_equal), count


class Weighted(NamedTuple):
    """Sums of right shares and numbers of informative ranks, and the chance of each such case."""

    shares: Floats
    ranks: Floats
    chances: Floats


def has_few_classes(reference: Floats) -> bool:
    """Whether the cases are few enough, for one tie whose members come in any order."""
    counts = np.unique(reference, return_counts=True)[1].astype(np.float64)
    with np.errstate(over="ignore"):
        cells = np.prod(counts + 1.0) * reference.size * counts.size**2
    return bool(reference.size <= MOST_MEMBERS and cells <= MOST_CELLS)


def class_shares(values: Floats, counts: Floats, above: GapSums) -> float:
    """The sum over members of their expected shares, given the gaps of each class to the items above the tie."""
    total = 0.0
    for member in np.flatnonzero(counts):
        others = counts.copy()
        others[member] -= 1
        cases = np.indices([int(count) + 1 for count in others]).reshape(others.size, -1).astype(np.float64)
        choices = comb(others[:, np.newaxis], cases).prod(axis=0)
        chances = choices / comb(others.sum(), cases.sum(axis=0)) / counts.sum()
        gaps = values - values[member]
        rightly = above.rightly[member] + np.maximum(gaps, 0.0) @ cases
        gap = rightly + above.wrongly[member] + np.maximum(-gaps, 0.0) @ cases
        total += counts[member] * float(np.divide(rightly, gap, out=np.zeros_like(gap), where=gap > 0) @ chances)
    return total


def by_leading_run(reference: Floats, above: GapSums) -> Weighted:
    """The cases of a tie whose first ranks may have no gaps: by how many equals come first, and what follows them.

    If nothing is above the tie, the run has at least one member of any class. If all above is equal, the run is of the
    members, if any, that equal it too.
    """
    values, places, numbers = np.unique(reference, return_index=True, return_counts=True)
    counts, outside, members = numbers.astype(np.float64), above.of(places), reference.size
    gaps = outside.rightly + outside.wrongly
    cases = []
    for first in np.flatnonzero(gaps == 0.0).tolist():
        for run in range(0 if gaps.any() else 1, numbers[first] + 1):
            for following in np.delete(np.arange(values.size), first).tolist():
                chance = comb(counts[first], run) / comb(members, run) * counts[following] / (members - run)
                left = counts.copy()
                left[[first, following]] -= run, 1
                to_first, to_following = values[first] - values, values[following] - values
                rightly = outside.rightly + run * np.maximum(to_first, 0.0) + np.maximum(to_following, 0.0)
                wrongly = outside.wrongly + run * np.maximum(-to_first, 0.0) + np.maximum(-to_following, 0.0)
                shares = class_shares(values, left, GapSums(rightly, wrongly))
                cases.append((shares + (values[first] > values[following]), members - run, chance))
    return Weighted(*np.array(cases).T)


# --- the coefficient as an object ------------------------------------------------------------------------------


def _pair_costs(reference: Floats, estimate: Floats) -> Floats:
    """A pair costs its gap, as a share of the gaps to all above its lower item.

    Where ties are broken, the mean over the ways in which `tau_gap` breaks them.
    """
    costs: Floats = np.zeros((reference.size, reference.size))  # row above column
    total_above = np.sum(gap_sums(reference, estimate), axis=0)
    for score in np.unique(estimate):
        members = np.flatnonzero(estimate == score)
        members = members[np.argsort(reference[members], kind="stable")]
        ways = tie_breaks(members.size)
        total = total_above[members] + np.sum(gap_sums(reference[members], ways), axis=0)
        weight = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        wrong = np.maximum(reference[members] - reference[:, np.newaxis], 0.0)
        of_tie = np.where((estimate > score)[:, np.newaxis], wrong * weight.mean(axis=0), 0.0)
        for way, weights in zip(ways, weight, strict=True):
            of_tie[members] += (way[:, np.newaxis] > way) * wrong[members] * weights / len(ways)
        costs[:, members] = of_tie
    costs = costs + costs.T
    # the number of ranks that count may differ between tie breaks: so costs are scaled to their sum here
    charged = costs.sum() / 2
    return costs * ((1 - kernel(reference, estimate)) / charged) if charged > 0 else costs


def _swap_costs(reference: Floats) -> Floats:
    """The share of wrong gaps among all gaps upwards: of each system between, and of the better one at its new place.

    With better system i, worse j and k between, the only wrong gap above k is that to j. All gaps to what stands above
    k are that one, those to the systems above i, and those to the others between i and k. O(m^3) time; where the
    reference ties, that of m^2/2 coefficients, as ties have no closed form.
    """
    if not np.diff(reference).all():
        return swaps_by_exchange(kernel, reference)
    size = reference.size
    gaps = np.maximum(np.subtract.outer(reference, reference), 0.0)  # row above column
    costs, steps = np.zeros((size, size)), -np.diff(reference, prepend=reference[0])
    for better in range(size - 1):
        later = slice(better + 1, size)
        above = gaps[:better, better].sum()
        between = np.cumsum(np.arange(size - better - 1) * steps[later])
        rightly = np.maximum(above + better * gaps[better, later] + between, SMALLEST)
        wrongly = np.cumsum(gaps[better, later])
        of_others = (gaps[later, later] / (gaps[later, later] + rightly[:, np.newaxis])).sum(axis=0)
        costs[better, later] = of_others + wrongly / (wrongly + above)
    return costs * 2.0 / (size - 1)


TAU_GAP = Coefficient(
    "tau_gap", "tau_GAP", kernel, vectorized=True, symbol="τ\u2009GAP", citation="gao2015", headline=True,
    pair_costs=_pair_costs, swap_costs=_swap_costs,
)  # fmt: skip
