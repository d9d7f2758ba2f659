"""The expected share of right gaps in ties, without going through the ways of breaking them.

What an item's share depends on is which others of its tie come above it, not in which order. A tie of t members has t!
orders, but only 2^(t - 1) sets of others for each of them.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats._gaps import GapSums
from pt_rankcorr.stats.order import Floats

EXPECTED_UP_TO = 14  # members of a tie: beyond, it takes longer than to break it in a thousand ways


def expected_shares(truth: Floats, above: GapSums) -> Floats:
    """The sum over members of their expected shares, of each tie; a rank without any gap has the share 0.

    Args:
        truth: Shape (n_ties, n_members), the members of each tie in any order.
        above: Their gaps to the items above the tie, of the same shape.

    Returns:
        Shape (n_ties,).
    """
    sets, chances = _sets_above(truth.shape[1] - 1)
    expected = np.zeros(len(truth))
    for member in range(truth.shape[1]):
        gaps = np.delete(truth, member, axis=1) - truth[:, [member]]
        rightly = above.rightly[:, [member]] + np.maximum(gaps, 0.0) @ sets
        total = rightly + above.wrongly[:, [member]] + np.maximum(-gaps, 0.0) @ sets
        expected += np.divide(rightly, total, out=np.zeros_like(total), where=total > 0) @ chances
    return expected


@lru_cache(maxsize=EXPECTED_UP_TO)
def _sets_above(others: int) -> tuple[Floats, Floats]:
    """All sets of others, one a column of zeros and ones, and its chance to be above: of size k, 1/t / C(t - 1, k)."""
    sets = (np.arange(2**others) >> np.arange(others)[:, np.newaxis] & 1).astype(np.float64)
    by_size = np.array([1 / (comb(others, size) * (others + 1)) for size in range(others + 1)])
    return sets, by_size[sets.sum(axis=0).astype(np.intp)]


def informative_ranks(truth: Floats, above: GapSums) -> tuple[NDArray[np.bool_], Floats]:
    """Of each tie, whether every way of breaking it has as many ranks with any gap, and how many it has then.

    A member without gaps to the items above has nothing but its equals there. If no member has any, the ranks without
    gaps are those of the equal members that come first: a single one if all differ, and all if all are equal.
    """
    with_gaps = above.rightly + above.wrongly > 0
    ascending = np.sort(truth, axis=1)
    differ = np.diff(ascending, axis=1) > 0
    always, never = with_gaps.all(axis=1), ~with_gaps.any(axis=1)
    all_differ, all_equal = never & differ.all(axis=1), never & ~differ.any(axis=1)
    n_members = truth.shape[1]
    count = np.where(always, n_members, np.where(all_equal, 0, n_members - 1)).astype(np.float64)
    return np.asarray(always | all_differ | all_equal), count
