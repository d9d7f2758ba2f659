"""What each swap of two systems would cost a coefficient, and what each pair of systems cost a given one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.coefficients._ties import tie_breaks
from pt_rankcorr.stats.coefficients.ap import mean_weight_of_ranks, right_inside_tie
from pt_rankcorr.stats.coefficients.counting import count_above, gap_sums, normalise
from pt_rankcorr.stats.coefficients.gap import kernel as tau_gap
from pt_rankcorr.stats.coefficients.inversions import Indices
from pt_rankcorr.stats.coefficients.moments import centre
from pt_rankcorr.stats.coefficients.swaps import SWAP_COSTS
from pt_rankcorr.stats.coefficients.table import COEFFICIENTS
from pt_rankcorr.stats.coefficients.undefined import all_tied, finish, warn_of_ties
from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.common import ADVICE, in_common
from pt_rankcorr.stats.core.inputs import as_vector, as_vectors, labels_of
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.pairs import check_number_of_systems, system_names
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.tables.kinds import NUMBER, WORD
from pt_rankcorr.tables.table import Table, listed

if TYPE_CHECKING:
    import pandas as pd

SMALLEST_GAP = 1e-290  # of the largest score: the inverse of a gap is a float


@dataclass(frozen=True, eq=False)
class SwapWeights(Result):
    """What each swap of two systems would cost a coefficient.

    Attributes:
        values: Shape (n_systems, n_systems), symmetric; systems by rank, best first.
        systems: Their names, in the same order.
        coefficient: The name of the coefficient.
    """

    values: Floats = field(repr=False)
    systems: Labels = field(repr=False)
    coefficient: str
    _picture = "draw_swap_weights"

    def to_frame(self) -> pd.DataFrame:
        """The matrix, with names."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.systems), columns=list(self.systems))

    def _rows(self) -> Table:
        """The pairs, the dearest swap first."""
        better, worse = np.triu_indices(len(self.systems), k=1)
        order = np.argsort(-self.values[better, worse], kind="stable")
        better, worse = better[order], worse[order]
        names = np.array(self.systems, dtype=object)
        columns = (
            listed("better", WORD, names[better]),
            listed("worse", WORD, names[worse]),
            listed("cost of the swap", NUMBER, self.values[better, worse]),
        )
        return Table(columns, range(better.size))


def swap_weights(scores: object, coefficient: str = "tau_ap") -> SwapWeights:
    """For each pair of systems, how much lower a coefficient would be if the two changed places.

    The weight of systems i and j is f(reference, reference) - f(reference, reference with the scores of i and j
    exchanged), which is 1 - f(reference, exchanged) unless `tau` or `tau_ap` meet ties of the reference, where
    f(reference, reference) < 1. It lies in [0, 2]; for tied systems it is 0, and where all are tied it is nan, with a
    warning. O(m^2) time and memory for m systems; "tau_gap" takes O(m^3) time, and much more where systems are tied.

    Args:
        scores: The reference: one score a system, or topics x systems.
        coefficient: "tau", "tau_ap", "tau_gap", "pearson" or "spearman".

    Returns:
        The weights, systems by rank, best first; tied ones in the given order.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If they are not finite, there are fewer than two systems or more than 8192, or the coefficient is
            unknown.

    References:
        Gao, Oard, SIGIR 2015, section 4, figures 4 to 6.

    Example:
        The swap of the first two of four costs tau_ap most of the neighbouring ones:

        >>> weights = swap_weights([4, 3, 2, 1], "tau_ap").values
        >>> weights.diagonal(1).round(4).tolist()
        [0.6667, 0.3333, 0.2222]
    """
    name = one_of("coefficient", coefficient, SWAP_COSTS)
    means = as_vector(scores, "scores")
    _check_single("scores", means)
    if means.size < 2:
        raise ValueError(f"`scores` must have at least 2 systems, got {means.size}.")
    if all_tied(means):
        warn_of_ties("A swap weight")
    check_number_of_systems("scores", means.size)
    order, names = np.argsort(-means, kind="stable"), system_names(scores, means.size)
    return SwapWeights(_costs_of_swaps(means[order], name), systems=tuple(names[at] for at in order), coefficient=name)


def _costs_of_swaps(reference: Floats, coefficient: str) -> Floats:
    if all_tied(reference):
        return np.where(np.eye(reference.size, dtype=np.bool_), 0.0, np.nan)
    return _both_ways(np.triu(SWAP_COSTS[coefficient](reference), k=1))


@dataclass(frozen=True, eq=False)
class Contributions(Result):
    """How 1 - coefficient came about: its sum over pairs of systems.

    Attributes:
        statistic: The coefficient; nan where either side ties all systems.
        coefficient: Its name.
        costs: Shape (n_systems, n_systems), symmetric: what each pair costs. The upper triangle adds up to
            1 - statistic.
        systems: The names, in the order of rows and columns: by the reference, best first.
    """

    statistic: float
    coefficient: str
    costs: Floats = field(repr=False)
    systems: Labels = field(repr=False)
    _picture = "draw_contributions"

    @property
    def by_system(self) -> Floats:
        """Half of what the pairs of each system cost; they add up to 1 - statistic."""
        return np.asarray(self.costs.sum(axis=1) / 2)

    def _rows(self) -> Table:
        """The pairs with a cost, largest first: better and worse by the reference, cost, share of all costs."""
        better, worse = np.nonzero(np.triu(self.costs, k=1))
        order = np.argsort(-self.costs[better, worse], kind="stable")
        better, worse = better[order], worse[order]
        costs = self.costs[better, worse]
        names = np.array(self.systems, dtype=object)
        columns = (
            listed("better", WORD, names[better]),
            listed("worse", WORD, names[worse]),
            listed("cost", NUMBER, costs),
            listed("share", NUMBER, costs / costs.sum()),
        )
        return Table(columns, range(better.size))


def contributions(
    reference: object, estimate: object, coefficient: str = "tau_ap", *, missing: str = "error"
) -> Contributions:
    """How much each pair of systems, and so each system, lowers a coefficient.

    1 - coefficient is a sum over pairs, none of which is negative: for `tau`, `tau_ap` and `tau_gap` over the pairs
    that are in the wrong order, or tied, by their weights; for `pearson` and `spearman` of
    ((x_i - x_j) - (y_i - y_j))^2 / 2m of the standardised scores or ranks. O(m^2) time and memory.

    Args:
        reference, estimate: Scores of the same systems, as for `kendall_tau`, but no `Rankings`.
        coefficient: "tau", "tau_ap", "tau_gap", "pearson" or "spearman"; ties as each treats them by default.
        missing: As for `kendall_tau`.

    Returns:
        The costs, systems by the reference, best first; all nan, with a warning, where either ties all systems.

    Raises:
        TypeError, ValueError: As `kendall_tau`, and if there are more than 8192 systems or the coefficient is unknown.

    References:
        Gao, Oard, SIGIR 2015, equation 3 and theorem 3; Yilmaz, Aslam, Robertson, SIGIR 2008, section 3.

    Example:
        The only error of this ranking is that c stands above b:

        >>> found = contributions({"a": 4, "b": 3, "c": 2, "d": 1}, {"a": 4, "b": 2, "c": 3, "d": 1})
        >>> found.to_frame()
          better worse      cost  share
        0      b     c  0.333333    1.0
    """
    name = one_of("coefficient", coefficient, COEFFICIENTS)
    reference, estimate = in_common(reference, estimate, missing)
    first, second = as_vectors(reference, estimate, advice=ADVICE)
    for parameter, vector in (("reference", first), ("estimate", second)):
        _check_single(parameter, vector)
    check_number_of_systems("reference", first.size)
    order = np.argsort(-first, kind="stable")
    labels = labels_of(reference) or system_names(estimate, first.size)
    statistic = finish(COEFFICIENTS[name](first, second), name)
    undefined = all_tied(first) or all_tied(second)
    costs = np.full((first.size, first.size), np.nan) if undefined else PAIR_COSTS[name](first[order], second[order])
    return Contributions(float(statistic), name, costs, systems=tuple(labels[at] for at in order))


def _check_single(parameter: str, scores: Floats) -> None:
    if scores.ndim != 1:
        raise ValueError(f"`{parameter}` must be a single ranking, got rankings of shape {scores.shape}.")


def of_tau(reference: Floats, estimate: Floats) -> Floats:
    """A discordant pair costs twice what a tied one does."""
    agreement = _order(reference) * _order(estimate)
    costs = (1 - agreement) * 2 / (reference.size * (reference.size - 1))
    np.fill_diagonal(costs, 0.0)
    return costs


def of_tau_ap(reference: Floats, estimate: Floats) -> Floats:
    """A pair costs the weight of the ranks that its lower item can take; inside a tie it is wrong half of the time."""
    above = count_above(reference, estimate)
    wrong = np.where(estimate[:, np.newaxis] > estimate, (1 - _order(reference)) / 2, 0.0)
    costs = wrong * mean_weight_of_ranks(above)  # row above column
    inside = np.where(
        estimate[:, np.newaxis] == estimate, right_inside_tie(above) / np.maximum(above.group - 1, 1), 0.0
    )
    np.fill_diagonal(inside, 0.0)
    return _both_ways(costs + inside) * 2 / (reference.size - 1)


def of_tau_gap(reference: Floats, estimate: Floats) -> Floats:
    """A pair costs its gap, as a share of the gaps to all above its lower item.

    Where ties are broken, the mean over the ways in which `tau_gap` breaks them.
    """
    reference, order = normalise(reference), _order(reference)
    gaps = np.abs(_differences(reference)[order != 0.0])
    if (gaps < SMALLEST_GAP).any():
        raise ValueError(f"`reference` must have gaps of at least {SMALLEST_GAP:g} of its largest score.")
    costs: Floats = np.zeros((reference.size, reference.size))
    total = np.sum(gap_sums(reference, estimate), axis=0)
    for score in np.unique(estimate):
        members = np.flatnonzero(estimate == score)
        members = members[np.argsort(reference[members], kind="stable")]
        costs[:, members] = _of_tie(reference, estimate > score, members, total[members])
    costs = _both_ways(costs)
    # the number of ranks that count may differ between tie breaks: what they share out is settled here
    charged = costs.sum() / 2
    return costs * ((1 - tau_gap(reference, estimate)) / charged) if charged > 0 else costs


def _of_tie(reference: Floats, above: NDArray[np.bool_], members: Indices, total_above: Floats) -> Floats:
    """Row above column, one column a member: the wrong gap over all gaps, as a mean over ways of breaking the tie."""
    ways = tie_breaks(members.size)
    total = total_above + np.sum(gap_sums(reference[members], ways), axis=0)
    weight = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    wrong = np.maximum(reference[members] - reference[:, np.newaxis], 0.0)
    costs = np.where(above[:, np.newaxis], wrong * weight.mean(axis=0), 0.0)
    for way, weights in zip(ways, weight, strict=True):
        costs[members] += (way[:, np.newaxis] > way) * wrong[members] * weights / len(ways)
    return costs


def of_pearson(reference: Floats, estimate: Floats) -> Floats:
    """1 - r is half the squared distance of the standardised scores, which is a sum over pairs as well."""
    apart = _differences(_unit(reference)) - _differences(_unit(estimate))
    return np.asarray(apart**2 / (2 * reference.size))


def of_spearman(reference: Floats, estimate: Floats) -> Floats:
    """Pearson's, of the ranks."""
    return of_pearson(ranks(reference), ranks(estimate))


def _unit(scores: Floats) -> Floats:
    deviations = centre(scores)
    return np.asarray(deviations / np.linalg.norm(deviations))


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
