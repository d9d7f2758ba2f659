"""Which pairs of systems two measures order in opposite directions, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pt_rankcorr.stats.core.types import Floats, Indices, Labels, Result
from pt_rankcorr.stats.truth.reliability import mean_differences


@dataclass(frozen=True, eq=False)
class ReversedPairs(Result):
    """The pairs of systems that two measures order in opposite directions, most certain first.

    z is the difference in means of a pair, in standard errors. How certain a pair is, is the
    product of its z by either side, without signs. Pairs that a side ties are none.

    Attributes:
        systems: All systems.
        first, second: The positions of both systems of a pair, better by the reference first, (k,).
        z_reference, z_estimate: z by either side, above 0 and below; shape (k,).
        shares: The share of each pair in the sum of these products over all reversed pairs, (k,).
    """

    systems: Labels = field(repr=False)
    first: Indices
    second: Indices
    z_reference: Floats
    z_estimate: Floats
    shares: Floats

    @property
    def by_system(self) -> dict[str, float]:
        """System -> half of the shares of its pairs, largest first; all add up to 1."""
        # half of a pair's share goes to each system; `np.add.at` adds up repeated positions
        halves = np.zeros(len(self.systems))
        for members in (self.first, self.second):
            np.add.at(halves, members, self.shares / 2.0)
        order = np.argsort(-halves, kind="stable")
        in_pairs = order[halves[order] > 0.0]
        return {self.systems[system]: float(halves[system]) for system in in_pairs}


def reversed_pairs_of(reference: Floats, estimate: Floats, systems: Labels) -> ReversedPairs:
    """The pairs that both sides order in opposite directions, from scores (n_topics, m) each."""
    # (m, m) each, antisymmetric: so a pair is found once, the better by the reference first
    z_reference, z_estimate = (_studentised(scores) for scores in (reference, estimate))
    first, second = np.nonzero((z_reference > 0.0) & (z_estimate < 0.0))
    z_first, z_second = z_reference[first, second], z_estimate[first, second]
    # |z_reference| |z_estimate|, largest first; equal products by the positions of the systems
    products = z_first * -z_second
    order = np.lexsort((second, first, -products))
    # without any reversed pair the sum is 0, which must not divide
    shares = products / max(float(products.sum()), np.finfo(np.float64).tiny)
    return ReversedPairs(
        systems,
        first=first[order],
        second=second[order],
        z_reference=z_first[order],
        z_estimate=z_second[order],
        shares=shares[order],
    )


def _studentised(scores: Floats) -> Floats:
    """The difference of each pair of systems, row less column, in standard errors: shape (m, m)."""
    differences, errors = mean_differences(scores)
    # A difference that does not vary over topics has no standard error to divide by. It gets a tiny
    # share of the largest one, so that its z is finite, and larger than any other. Where none
    # varies, the size of the scores takes the place of the largest error.
    largest = max(float(errors.max()), float(np.abs(scores).max()), np.finfo(np.float64).tiny)
    return np.asarray(differences / np.maximum(errors, 1e-9 * largest))
