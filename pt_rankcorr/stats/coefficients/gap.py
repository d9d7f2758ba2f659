"""tau_GAP: rank correlation; errors near the top and between systems far apart weigh more."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import comb

from pt_rankcorr import choices
from pt_rankcorr.stats.coefficients.coefficient import (
    Coefficient,
    clip,
    finish,
    swaps_by_exchange,
    takes_rankings,
)
from pt_rankcorr.stats.coefficients.counting import GapSums, gap_sums
from pt_rankcorr.stats.core.inputs import RankingsLike, prepare_vectors
from pt_rankcorr.stats.core.means import begins_of
from pt_rankcorr.stats.core.types import Flags, Floats, Indices

# Terms: a tie is a set of items that the estimate ties. Its classes are its items by their score in
# the reference. It is open if it has more than one class, so that breaking it matters.

# This many cases of ties are computed together, 2 MiB of floats, so that they stay in the cache.
CELLS_AT_ONCE = 2**18
# Ties of up to this many members are computed exactly. Beyond, all cases take longer than to break
# the tie in a thousand ways.
EXACT_UP_TO = 14
# Otherwise a tie is broken in all ways if it has up to this many members (6! = 720).
ALL_UP_TO = 6

# of a tie of the estimate: how many members each score of the reference has
Classes: TypeAlias = tuple[int, ...]


@takes_rankings
def tau_gap(
    reference: RankingsLike, estimate: RankingsLike, *, missing: choices.MissingOfSides = "error"
) -> float | Floats:
    """Gap- and head-weighted rank correlation: tau_AP whose pairs weigh by their reference gaps.

    With systems in the order of the estimate, best first, and gaps
    ``g_ji = |reference_j - reference_i|``, tau_GAP = 2/(m-1) * sum_{i=2..m} [sum of g_ji over j
    rightly above i / sum of g_ji over all j above i] - 1. Ranks whose gaps are all zero are left
    out of both the sum and the count m-1. It is not symmetric: `reference` is the trusted ranking,
    and its scores must be on an interval scale. O(m^2) time.

    Args:
        reference, estimate: As for `kendall_tau`; of the estimate only the order counts.
        missing: As for `kendall_tau`.

    Returns:
        A float in [-1, 1], or an array for `Rankings`; nan, with a warning, where either side ties
        all systems. Ties of the reference weigh nothing. Ties of the estimate give the mean over
        all ways of breaking them. It is exact for ties of up to 14 members (up to 6 where some, not
        all, of the tied best systems are tied in the reference too), and for up to 1000 if all but
        a few are tied in the reference too. Other ties are broken in about a thousand fixed,
        balanced ways (at least 16); the mean was within 0.02 of the exact one in tests.

    Raises:
        TypeError, ValueError: As `kendall_tau`.

    References:
        Gao, Oard, SIGIR 2015, equation 3.

    Example:
        The last of three comes second: a small error if the second is as bad, else a large one.

        >>> round(tau_gap([11, 2, 1], [3, 1, 2]), 4), round(tau_gap([11, 10, 1], [3, 1, 2]), 4)
        (0.9, 0.1)
    """
    return finish(kernel(*prepare_vectors(reference, estimate, missing=missing)), "tau_gap")


def kernel(reference: Floats, estimate: Floats) -> Floats:
    """`tau_gap` of arrays of shape (..., m), unchecked and without warnings: shape (...)."""
    reference, estimate = np.broadcast_arrays(reference, estimate)
    sums = gap_sums(reference, estimate)
    # per rank the share of right gaps; ranks without any gap leave both the sum and the count
    shares, is_informative = _right_shares(sums)
    with np.errstate(invalid="ignore"):
        tau = np.asarray(2 * shares.sum(axis=-1) / is_informative.sum(axis=-1) - 1)
    # only rankings that tie need the mean over the ways of breaking them
    has_ties = np.asarray(~begins_of(np.sort(estimate, axis=-1)).all(axis=-1))
    if has_ties.any():
        sides = reference[has_ties], estimate[has_ties]
        tau[has_ties] = _mean_over_tie_breaks(*sides, sums.of(has_ties))
    return clip(tau, reference, estimate)


def _right_shares(sums: GapSums) -> tuple[Floats, Flags]:
    """For each item, (..., m), the right share of its gaps to items above, or 0; if it has any."""
    total = sums.rightly + sums.wrongly
    is_informative = total > 0
    shares = np.divide(sums.rightly, total, out=np.zeros_like(total), where=is_informative)
    return shares, is_informative


# --- ties of the estimate: the mean over the ways of breaking them --------------------------------


def _mean_over_tie_breaks(reference: Floats, estimate: Floats, sums: GapSums) -> Floats:
    """The mean of tau_GAP over the ways of breaking ties: shape (n_rows,), of scores (n_rows, m).

    Open ties are broken independently, and each adds its expected shares. All but the best have as
    many informative ranks however they are broken: a rank is informative as soon as the items down
    to it differ in the reference.
    """
    is_open, open_ties = _find_open_ties(reference, estimate)
    # per row, what items outside open ties add: right shares, and numbers of informative ranks
    shares, is_informative = _right_shares(sums)
    right = np.where(is_open, 0.0, shares).sum(axis=-1)
    ranks = (is_informative & ~is_open).sum(axis=-1).astype(np.float64)
    flat_reference = reference.ravel()
    flat_sums = GapSums(sums.rightly.ravel(), sums.wrongly.ravel())
    # row -> the outcomes of its one tie, the best, if the number of informative ranks varies
    best: dict[int, Outcomes] = {}
    # all ties with classes of the same sizes are computed together: (n_ties, n_classes) each
    for classes, places in open_ties.items():
        rows = places[:, 0] // reference.shape[1]
        scores, above = flat_reference[places], flat_sums.of(places)
        is_steady, n_informative = informative_ranks(classes, above)
        np.add.at(ranks, rows[is_steady], n_informative[is_steady])
        expected = _expected_or_sampled(scores[is_steady], classes, above.of(is_steady))
        np.add.at(right, rows[is_steady], expected)
        for tie in np.flatnonzero(~is_steady):
            outcomes_of = by_leading_run if has_few_classes(classes) else _by_sampling
            best[rows[tie]] = outcomes_of(scores[tie], classes, above.of(tie))
    with np.errstate(invalid="ignore"):
        mean = np.asarray(2 * right / ranks - 1)
    # a mean of ratios: where the number of ranks varies, tau of each outcome is averaged
    for row, outcomes in best.items():
        shares_of_outcomes = (right[row] + outcomes.shares) / (ranks[row] + outcomes.ranks)
        mean[row] = (2 * shares_of_outcomes - 1) @ outcomes.chances
    return mean


def _find_open_ties(reference: Floats, estimate: Floats) -> tuple[Flags, dict[Classes, Indices]]:
    """The open ties: those of the estimate that the reference does not tie as well.

    For each item whether it is in one, shape (n_rows, m). And by the sizes of their classes, in
    ascending order of the reference, the positions in the ravelled rows of one member of each
    class: shape (n_ties, n_classes).
    """
    # by the estimate, then by the reference: ties are runs, and classes are runs within them
    order = np.lexsort((reference, estimate))
    positions = (order + np.arange(len(order))[:, np.newaxis] * order.shape[1]).ravel()
    begins_tie = begins_of(np.take_along_axis(estimate, order, axis=-1))
    begins_class = begins_tie | begins_of(np.take_along_axis(reference, order, axis=-1))
    starts, tie_of_item = np.flatnonzero(begins_class), np.cumsum(begins_tie) - 1
    sizes, n_classes = np.diff(starts, append=positions.size), np.bincount(tie_of_item[starts])
    is_open = np.empty(reference.shape, dtype=np.bool_)
    is_open.ravel()[positions] = (n_classes > 1)[tie_of_item]
    # a tie's classes follow each other from its first one on
    ties: dict[Classes, list[Indices]] = {}
    first_classes = np.cumsum(n_classes) - n_classes
    for tie in np.flatnonzero(n_classes > 1):
        of_tie = slice(first_classes[tie], first_classes[tie] + n_classes[tie])
        ties.setdefault(tuple(sizes[of_tie].tolist()), []).append(positions[starts[of_tie]])
    return is_open, {classes: np.array(places) for classes, places in ties.items()}


def informative_ranks(classes: Classes, above: GapSums) -> tuple[Flags, Floats]:
    """For each open tie, whether its number of informative ranks is fixed, and how many they are.

    Of the gaps of its classes to the items above the tie, shape (n_ties, n_classes). Where there
    are none, the ranks that are not informative are those of the equal members that come first:
    always one if no two are equal.
    """
    has_gaps = above.rightly + above.wrongly > 0
    always = has_gaps.all(axis=1)
    all_but_first = ~has_gaps.any(axis=1) & (max(classes) == 1)
    return np.asarray(always | all_but_first), np.where(always, sum(classes), sum(classes) - 1.0)


def _expected_or_sampled(scores: Floats, classes: Classes, above: GapSums) -> Floats:
    """The expected sum of right shares of each tie, (n_ties,); sampled if it has too many cases."""
    expected = np.empty(len(scores))
    if sum(classes) > EXACT_UP_TO and not has_few_classes(classes):
        for tie in range(len(scores)):
            expected[tie] = _by_sampling(scores[tie], classes, above.of(tie)).shares.mean()
        return expected
    step = max(1, CELLS_AT_ONCE // math.prod(count + 1 for count in classes))
    for start in range(0, len(scores), step):
        block = slice(start, start + step)
        expected[block] = expected_shares(scores[block], classes, above.of(block))
    return expected


def has_few_classes(classes: Classes) -> bool:
    """Whether the cases of a tie are few enough to take them all, though it has many members."""
    n_members = sum(classes)
    n_cells = math.prod(count + 1 for count in classes) * n_members * len(classes) ** 2
    # numbers of choices of more members overflow, and more cells take longer than a thousand ways
    return n_members <= 1000 and n_cells <= 2**23


def expected_shares(scores: Floats, classes: Classes, above: GapSums) -> Floats:
    """The sum over the members of ties of their expected shares of right gaps, exactly: (n_ties,).

    Of the scores of the classes in the reference, and their gaps to the items above the tie, of
    shape (n_ties, n_classes), over all sets of other members that can stand above a member.
    """
    expected = np.zeros(len(scores))
    for place, count in enumerate(classes):
        # of a member of this class: how many of each other stand above it, (n_classes - 1, n_cases)
        numbers_above, chances = _sets_above(classes[:place] + classes[place + 1 :])
        gaps = np.delete(scores, place, axis=1) - scores[:, [place]]
        # (n_ties, n_cases): gaps to the items above the tie and to those within it
        rightly = above.rightly[:, [place]] + np.maximum(gaps, 0.0) @ numbers_above
        total = rightly + above.wrongly[:, [place]] + np.maximum(-gaps, 0.0) @ numbers_above
        shares = np.divide(rightly, total, out=np.zeros_like(total), where=total > 0)
        expected += count * (shares @ chances)
    return expected


@lru_cache(maxsize=128)  # of a megabyte each at most
def _sets_above(others: Classes) -> tuple[Floats, Floats]:
    """How many of each other class stand above a member of a tie, a case a column; and the chances.

    A case with k of t others has the chance 1/(t + 1) / C(t, k) times the ways to choose these.
    """
    # every combination of 0 ... count members of each other class, one a column
    numbers = np.indices([count + 1 for count in others], dtype=np.float64)
    numbers = numbers.reshape(len(others), math.prod(count + 1 for count in others))
    ways = comb(np.array(others, dtype=np.float64)[:, np.newaxis], numbers).prod(axis=0)
    return numbers, ways / comb(sum(others), numbers.sum(axis=0)) / (sum(others) + 1)


class Outcomes(NamedTuple):
    """What can come of breaking a tie: sums of right shares, informative ranks, and chances."""

    shares: Floats
    ranks: Floats
    chances: Floats


def by_leading_run(scores: Floats, classes: Classes, above: GapSums) -> Outcomes:
    """The outcomes for a tie whose first ranks may have no gaps: by its first, equal members.

    If nothing is above the tie, at least one comes first, of any class; if all above is equal, the
    members that equal it may come first. All arrays are of shape (n_classes,).
    """
    gaps, n_members, outcomes = above.rightly + above.wrongly, sum(classes), []
    # an outcome: `run` members of class `first`, whose ranks have no gaps, then one of `following`
    for first in np.flatnonzero(gaps == 0.0).tolist():
        for run in range(0 if gaps.any() else 1, classes[first] + 1):
            for following in np.delete(np.arange(scores.size), first).tolist():
                # the chance that the first `run` places go to this class, and the next to the other
                chance = math.comb(classes[first], run) / math.comb(n_members, run)
                chance *= classes[following] / (n_members - run)
                left = list(classes)
                left[first] -= run
                left[following] -= 1
                # the rest of the tie, which is steady, lies below those: they add to the gaps above
                to_first, to_next = scores[first] - scores, scores[following] - scores
                rightly = above.rightly + run * np.maximum(to_first, 0.0) + np.maximum(to_next, 0.0)
                wrongly = above.wrongly + run * np.maximum(-to_first, 0.0)
                wrongly += np.maximum(-to_next, 0.0)
                sums = GapSums(rightly, wrongly).of(np.newaxis)
                shares = expected_shares(scores[np.newaxis], tuple(left), sums).item()
                # all above that one of `following` have one score: its gaps are right, or all wrong
                shares += scores[first] > scores[following]
                outcomes.append((shares, n_members - run, chance))
    return Outcomes(*np.array(outcomes).T)


def _by_sampling(scores: Floats, classes: Classes, above: GapSums) -> Outcomes:
    """The outcomes for a tie that is broken in each of some ways; arrays of shape (n_classes,)."""
    # (n_ways, n_members): gaps within the tie depend on the way, those to the items above it do not
    ways = tie_breaks(sum(classes))
    within = gap_sums(np.repeat(scores, classes), ways)
    outside = GapSums(np.repeat(above.rightly, classes), np.repeat(above.wrongly, classes))
    sums = GapSums(outside.rightly + within.rightly, outside.wrongly + within.wrongly)
    shares, is_informative = _right_shares(sums)
    chances = np.full(len(ways), 1.0 / len(ways))
    return Outcomes(shares.sum(axis=-1), is_informative.sum(axis=-1).astype(np.float64), chances)


@lru_cache(maxsize=64)
def tie_breaks(members: int) -> Floats:
    """Scores that break a tie, one way a row: shape (n_ways, members).

    Of larger ties the ways, 16 to 1024, are rotations, evenly spaced, of several scrambled orders,
    which put every member at each place equally often; each comes with its reverse and its mirror
    image. The mean was within 0.02 of the exact one in tests.
    """
    if members <= ALL_UP_TO:
        ways = np.array(list(permutations(range(members))), dtype=np.float64)
    else:
        # a quarter of the ways; reverses and mirror images are the others
        wanted = min(max(2**17 // members, 16), 1024) // 4
        rotations = min(members, wanted)
        starts = np.arange(rotations)[:, np.newaxis] * members // rotations
        # fixed seeds, and floats of Python's generator, which are the same in all its versions
        draws = [Random(number).random for number in range(-(-wanted // rotations))]
        orders = [np.argsort([draw() for _ in range(members)]).astype(np.float64) for draw in draws]
        ways = np.concatenate([(order + starts) % members for order in orders])
        ways = np.concatenate((ways, members - 1 - ways))
        ways = np.concatenate((ways, ways[:, ::-1]))
    ways.setflags(write=False)
    return ways


# --- the coefficient as an object -----------------------------------------------------------------


def _pair_costs(reference: Floats, estimate: Floats) -> Floats:
    """What each pair lowers tau_GAP by, (m, m): its share of all gaps upwards of its lower item."""
    # row i, column j: the expected part of the gap that i costs j by standing above it
    costs: Floats = np.zeros((reference.size, reference.size))
    total_above = np.sum(gap_sums(reference, estimate), axis=0)
    for score in np.unique(estimate):
        members = np.flatnonzero(estimate == score)
        members = members[np.argsort(reference[members], kind="stable")]
        # (n_ways, n_members): the gaps to all items above each member, if its tie is broken so
        ways = tie_breaks(members.size)
        total = total_above[members] + np.sum(gap_sums(reference[members], ways), axis=0)
        weight = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        wrong = np.maximum(reference[members] - reference[:, np.newaxis], 0.0)
        of_tie = np.where((estimate > score)[:, np.newaxis], wrong * weight.mean(axis=0), 0.0)
        for way, weights in zip(ways, weight, strict=True):
            of_tie[members] += (way[:, np.newaxis] > way) * wrong[members] * weights / len(ways)
        costs[:, members] = of_tie
    costs = costs + costs.T
    # how many ranks count may differ between tie breaks: so costs are scaled to their sum here
    charged = costs.sum() / 2
    return costs * ((1 - kernel(reference, estimate)) / charged) if charged > 0 else costs


def _swap_costs(reference: Floats) -> Floats:
    """What the exchange of each pair lowers tau_GAP by, (m, m), of scores in descending order.

    It is the share of wrong gaps among all gaps upwards: of each system between, and of the better
    one at its new place. With better system i, worse j and k between, the only wrong gap above k is
    that to j. All gaps to what stands above k are that one, those to the systems above i, and those
    to the others between i and k. O(m^3) time; where the reference ties, that of m^2/2
    coefficients, as ties have no closed form.
    """
    if not np.diff(reference).all():
        return swaps_by_exchange(kernel, reference)
    size = reference.size
    # (m, m): the gap of the row's system above the column's; and the gaps between neighbours, (m,)
    gaps = np.maximum(np.subtract.outer(reference, reference), 0.0)
    costs, steps = np.zeros((size, size)), -np.diff(reference, prepend=reference[0])
    tiny = np.finfo(np.float64).tiny
    for better in range(size - 1):
        later = slice(better + 1, size)
        above = gaps[:better, better].sum()
        between = np.cumsum(np.arange(size - better - 1) * steps[later])
        # above 0: where no gap is right, the share of wrong ones is 1
        rightly = np.maximum(above + better * gaps[better, later] + between, tiny)
        wrongly = np.cumsum(gaps[better, later])
        of_others = gaps[later, later] / (gaps[later, later] + rightly[:, np.newaxis])
        costs[better, later] = of_others.sum(axis=0) + wrongly / (wrongly + above)
    return costs * 2.0 / (size - 1)


TAU_GAP = Coefficient(
    "tau_gap", "tau_GAP", kernel, vectorized=True, symbol="τ\u2009GAP", citation="gao2015",
    headline=True, pair_costs=_pair_costs, swap_costs=_swap_costs,
)  # fmt: skip
