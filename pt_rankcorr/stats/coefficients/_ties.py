"""Expectations of tau_GAP over the ways of breaking a tie of the estimate.

Three ways, by the size of the tie. What an item's share depends on is which others of its tie come above it, not in
which order: a tie of t members has t! orders, but 2^(t - 1) sets of others for each member (`expected_shares`). Where
many members are equal in the reference, only the number of each class above counts (`class_shares`). Other large ties
are broken in a fixed and balanced choice of ways (`tie_breaks`).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from math import comb as choose
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from pt_rankcorr.stats.coefficients.counting import GapSums
from pt_rankcorr.stats.core.types import Floats

ALL_UP_TO = 6  # members of a tie: 720 ways
CHOSEN_AT_MOST, CHOSEN_AT_LEAST = 1024, 16
CHOSEN_CELLS = 2**17  # ways times members, between the two


@lru_cache(maxsize=64)
def tie_breaks(members: int) -> Floats:
    """Scores that break a tie, one way a row: shape (n_ways, members).

    If not all ways are taken, those taken put every member at each place equally often. Each comes with its reverse and
    its mirror image, so that the members may come in either order.
    """
    ways = list(permutations(range(members))) if members <= ALL_UP_TO else _balance(members)
    scores = np.array(ways, dtype=np.float64)
    scores.setflags(write=False)
    return scores


def _balance(members: int) -> Floats:
    """Rotations, evenly spaced, of several arrangements, and their reverses and mirror images."""
    wanted = int(np.clip(CHOSEN_CELLS // members, CHOSEN_AT_LEAST, CHOSEN_AT_MOST)) // 4
    rotations = min(members, wanted)
    starts = np.arange(rotations) * members // rotations
    arranged = [_arrangement(members, number) for number in range(-(-wanted // rotations))]
    forth = np.concatenate([(arrangement + starts[:, np.newaxis]) % members for arrangement in arranged])
    both = np.concatenate((forth, members - 1 - forth))
    return np.concatenate((both, both[:, ::-1]))


def _arrangement(members: int, number: int) -> Floats:
    """A scrambled order, from a generator whose numbers are the same in all versions."""
    draw = Random(number).random
    return np.argsort([draw() for _ in range(members)]).astype(np.float64)


EXPECTED_UP_TO = 14  # members of a tie: beyond, it takes longer than to break it in a thousand ways


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


MOST_MEMBERS = 1000  # beyond, the numbers of choices overflow
MOST_CELLS = 2**23  # of all cases: as long as to break the tie in a thousand ways


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
    values, at, numbers = np.unique(reference, return_index=True, return_counts=True)
    counts, outside = numbers.astype(np.float64), above.of(at)
    gaps = outside.rightly + outside.wrongly
    least = 0 if gaps.any() else 1
    cases = [
        _after_run(values, counts, outside, first, run, following)
        for first in np.flatnonzero(gaps == 0.0).tolist()
        for run in range(least, numbers[first] + 1)
        for following in range(values.size)
        if following != first
    ]
    return Weighted(*np.array(cases).T)


def _after_run(
    values: Floats, counts: Floats, outside: GapSums, first: int, run: int, following: int
) -> tuple[float, float, float]:
    members = counts.sum()
    chance = comb(counts[first], run) / comb(members, run) * counts[following] / (members - run)
    left = counts.copy()
    left[first] -= run
    left[following] -= 1
    to_first, to_following = values[first] - values, values[following] - values
    rightly = outside.rightly + run * np.maximum(to_first, 0.0) + np.maximum(to_following, 0.0)
    wrongly = outside.wrongly + run * np.maximum(-to_first, 0.0) + np.maximum(-to_following, 0.0)
    shares = float(values[first] > values[following]) + class_shares(values, left, GapSums(rightly, wrongly))
    return shares, float(members - run), float(chance)
