"""What pairs of systems cost a coefficient: how scores differ, pair by pair, and the exchange of every pair.

Closed forms stand beside the coefficients. Those of swaps take the reference, shape (m,), sorted best first, and return
the costs f(reference, reference) - f(reference, exchanged) of row and column in the upper triangle, shape (m, m). The
pairs whose order the exchange changes are those of the two systems with each other and with what stands between them.
Where the reference ties, so does the estimate.
"""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.coefficients.coefficient import Kernel
from pt_rankcorr.stats.core.types import Floats, Indices


def differences(scores: Floats) -> Floats:
    """Row less column."""
    return np.asarray(scores[:, np.newaxis] - scores)


def order_of_pairs(scores: Floats) -> Floats:
    """1 where the row's score is higher, -1 where the column's is."""
    return np.sign(differences(scores))


def both_ways(costs: Floats) -> Floats:
    """Each pair's cost in both of its places."""
    return costs + costs.T


def places_of_ties(reference: Floats) -> tuple[Indices, Indices]:
    """Of each system's tie: the place of its first member, and that after its last."""
    return np.searchsorted(-reference, -reference, side="left"), np.searchsorted(-reference, -reference, side="right")


def pairs_by_exchange(kernel: Kernel, reference: Floats, estimate: Floats) -> Floats:
    """Without a closed form: what the coefficient gains if a pair of the estimate is exchanged, in its share of all.

    nan where the coefficient is below 1, and no exchange gains anything.
    """
    observed = kernel(reference, estimate)
    gains = np.triu(np.maximum(_exchanged(kernel, reference, estimate) - observed, 0.0), k=1)
    charged = gains.sum()
    if charged > 0.0:
        gains *= (1.0 - observed) / charged
    return both_ways(gains if charged > 0.0 or observed == 1.0 else np.full_like(gains, np.nan))


def swaps_by_exchange(kernel: Kernel, reference: Floats) -> Floats:
    """Without a closed form: the difference of two coefficients for each pair."""
    unharmed = kernel(reference, reference)
    return np.triu(unharmed - _exchanged(kernel, reference, reference), k=1)


def _exchanged(kernel: Kernel, reference: Floats, estimate: Floats) -> Floats:
    """The coefficient where a pair of the estimate is exchanged, in the upper triangle, a row of pairs at a time."""
    size = reference.size
    found = np.zeros((size, size))
    for first in range(size - 1):
        later = np.arange(first + 1, size)
        exchanged = np.tile(estimate, (later.size, 1))
        exchanged[:, first] = estimate[later]
        exchanged[np.arange(later.size), later] = estimate[first]
        found[first, later] = kernel(np.broadcast_to(reference, exchanged.shape), exchanged)
    return found
