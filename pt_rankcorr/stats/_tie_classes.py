"""The expected share of right gaps in ties of which many members are equal in truth, so that they are interchangeable.

What counts is how many members of each class of equals come above, not which: of 28 equals and two others there are 116
cases, where the members have 2^29 sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import comb

from pt_rankcorr.stats._gaps import GapSums
from pt_rankcorr.stats.order import Floats

MOST_MEMBERS = 1000  # beyond, the numbers of choices overflow
MOST_CELLS = 2**23  # of all cases: as long as to break the tie in a thousand ways


class Weighted(NamedTuple):
    """Sums of right shares and numbers of informative ranks, and the chance of each such case."""

    shares: Floats
    ranks: Floats
    chances: Floats


def has_few_classes(truth: Floats) -> bool:
    """Whether the cases are few enough, for one tie whose members come in any order."""
    counts = np.unique(truth, return_counts=True)[1].astype(np.float64)
    with np.errstate(over="ignore"):
        cells = np.prod(counts + 1.0) * truth.size * counts.size**2
    return bool(truth.size <= MOST_MEMBERS and cells <= MOST_CELLS)


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


def by_leading_run(truth: Floats, above: GapSums) -> Weighted:
    """For a tie at whose beginning ranks may have no gaps: by how many equals come first, and what follows them.

    Either nothing is above the tie, and the run is of at least one member of any class; or all that is above is equal,
    and the run is of those members, if any, that equal it too: they have no gaps to what is above.
    """
    values, at, numbers = np.unique(truth, return_index=True, return_counts=True)
    counts, outside = numbers.astype(np.float64), GapSums(above.rightly[at], above.wrongly[at])
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
