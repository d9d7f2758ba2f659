"""What the exchange of two systems costs each coefficient, for all pairs at once, in closed form.

Systems are sorted by the reference, best first, and the estimate is the reference with the scores of two exchanged. All
functions take the reference, shape (m,), and return the costs f(reference, reference) - f(reference, exchanged) of row
and column in the upper triangle, shape (m, m). The pairs whose order the exchange changes are those of the two systems
with each other and with what stands between them. Where the reference ties, so does the estimate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pt_rankcorr.stats.coefficients.counting import normalise
from pt_rankcorr.stats.coefficients.gap import kernel as tau_gap
from pt_rankcorr.stats.coefficients.inversions import Indices
from pt_rankcorr.stats.coefficients.moments import centre
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.types import Floats

SMALLEST = float(np.finfo(np.float64).tiny)  # where no gap is right, the share of wrong ones is 1


def of_tau(reference: Floats) -> Floats:
    """The exchange turns the pair itself around, and both pairs with each system strictly between.

    A system tied with one of the two ends is tied with the other instead: of one pair the sign is lost.
    """
    start, end = _ties(reference)
    strictly_between = start - end[:, np.newaxis]
    tied = (end - start - 1)[:, np.newaxis] + (end - start - 1)
    lost = np.where(strictly_between >= 0, 2.0 + 4.0 * strictly_between + tied, 0.0)
    return np.asarray(lost * 2.0 / (reference.size * (reference.size - 1)))


def of_tau_ap(reference: Floats) -> Floats:
    """With A systems strictly above each of a tie of s, and W the mean of 1/rank over the places of its members.

    Each system strictly between has one wrong system above it and loses W. The better system, i, comes to the place of
    the worse, j, and is rightly below A_i + (s_i - 1)/2 of the A_j above that place. The s_j - 1 that are tied with j
    have j above them, which counts half.
    """
    start, end = _ties(reference)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, reference.size + 1))))
    weights = (harmonic[end - 1] - harmonic[np.maximum(start - 1, 0)]) / (end - start)
    before = np.concatenate(([0.0], np.cumsum(weights)))
    places = start + (end - start - 1) / 2.0
    lost = (places - places[:, np.newaxis]) * weights + before[start] - before[end][:, np.newaxis]
    return np.where(start >= end[:, np.newaxis], lost * 2.0 / (reference.size - 1), 0.0)


def of_tau_gap(reference: Floats) -> Floats:
    """O(m^3) time; where the reference ties, that of m^2/2 coefficients, as ties have no closed form."""
    return _of_untied_gaps(normalise(reference)) if np.diff(reference).all() else _of_tied_gaps(reference)


def _of_untied_gaps(reference: Floats) -> Floats:
    """The share of wrong gaps among all gaps upwards: of each system between, and of the better one at its new place.

    With better system i, worse j and k between, the only wrong gap above k is that to j. All gaps to what stands above
    k are that one, those to the systems above i, and those to the others between i and k.
    """
    size = reference.size
    gaps = np.maximum(reference[:, np.newaxis] - reference, 0.0)  # row above column
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


def _of_tied_gaps(reference: Floats) -> Floats:
    """The difference of two coefficients for each pair, a row of pairs at a time."""
    unharmed, costs = tau_gap(reference, reference), np.zeros((reference.size, reference.size))
    for first in range(reference.size - 1):
        later = np.arange(first + 1, reference.size)
        exchanged = np.tile(reference, (later.size, 1))
        exchanged[:, first] = reference[later]
        exchanged[np.arange(later.size), later] = reference[first]
        costs[first, later] = unharmed - tau_gap(reference, exchanged)
    return costs


def of_pearson(reference: Floats) -> Floats:
    """(x_i - x_j)^2 / sum of x^2, for deviations x from the mean."""
    deviations = centre(reference)
    return np.asarray((deviations[:, np.newaxis] - deviations) ** 2 / np.square(deviations).sum())


def of_spearman(reference: Floats) -> Floats:
    """Pearson's, of the ranks."""
    return of_pearson(ranks(reference))


def _ties(reference: Floats) -> tuple[Indices, Indices]:
    """Of each system's tie: the place of its first member, and that after its last."""
    return np.searchsorted(-reference, -reference, side="left"), np.searchsorted(-reference, -reference, side="right")


SWAP_COSTS: dict[str, Callable[[Floats], Floats]] = {
    "tau": of_tau,
    "tau_ap": of_tau_ap,
    "tau_gap": of_tau_gap,
    "pearson": of_pearson,
    "spearman": of_spearman,
}
