"""What each swap of two systems costs a coefficient, and the part of each pair in a given one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.coefficients.coefficient import (
    CoefficientLike,
    all_tied,
    finish,
    warn_of_ties,
)
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import check_number_of_systems
from pt_rankcorr.stats.core.inputs import ScoresLike, prepare_ranking, prepare_sides, vectors_of
from pt_rankcorr.stats.core.types import Floats, Labels, Result


@dataclass(frozen=True, eq=False)
class SwapWeights(Result, Drawable):
    """The cost of each swap of two systems to a coefficient.

    Attributes:
        values: Shape (n_systems, n_systems), symmetric; systems by rank, best first.
        systems: Their names, in the same order.
        coefficient: The name of the coefficient.
    """

    values: Floats = field(repr=False)
    systems: Labels = field(repr=False)
    coefficient: str

    def to_frame(self) -> pd.DataFrame:
        """The matrix, with names."""
        return pd.DataFrame(self.values, index=list(self.systems), columns=list(self.systems))


def swap_weights(scores: ScoresLike, coefficient: CoefficientLike = "tau_ap") -> SwapWeights:
    """For each pair of systems, how much lower a coefficient would be if the two changed places.

    It shows which swaps, such as those at the top, a coefficient punishes most. The weight of
    systems i and j is f(reference, reference) - f(reference, reference with the scores of i and j
    exchanged), in [0, 2] for the package's coefficients; for tied systems it is 0, and where all
    are tied it is nan, with a warning. O(m^2) time and memory for m systems. "tau_gap" takes O(m^3)
    time, with ties that of m^2/2 coefficients, as do those without a closed form.

    Args:
        scores: The reference: one score per system, or topics x systems.
        coefficient: The name of a coefficient, or a `stats.Coefficient`.

    Returns:
        The weights, systems by rank, best first; tied ones in the given order.

    Raises:
        TypeError, ValueError: As `contributions`.

    References:
        Gao, Oard, SIGIR 2015, section 4, figures 4 to 6.

    Example:
        Of the swaps of neighbours among four systems, that of the first two costs tau_ap most:

        >>> weights = swap_weights([4, 3, 2, 1], "tau_ap").values
        >>> weights.diagonal(1).round(4).tolist()
        [0.6667, 0.3333, 0.2222]
    """
    checked = as_coefficient(coefficient)
    ranking = prepare_ranking(scores, "scores")
    means, names = ranking.means, ranking.shown_systems
    _check_single("scores", means)
    if means.size < 2:
        raise ValueError(f"`scores` must have at least 2 systems, got {means.size}.")
    check_number_of_systems("scores", means.size)
    # closed forms take scores in descending order, and fill the upper triangle: the better first
    order = np.argsort(-means, kind="stable")
    reference = means[order]
    if all_tied(means):
        warn_of_ties("A swap weight")
        costs = np.full((means.size, means.size), np.nan)
    else:
        costs = checked.costs_of_swaps(reference)
    costs = np.triu(costs, k=1)
    by_rank = tuple(names[system] for system in order)
    return SwapWeights(costs + costs.T, systems=by_rank, coefficient=checked.name)


@dataclass(frozen=True, eq=False)
class Contributions(Result, Drawable):
    """The parts of 1 - coefficient: its sum over pairs of systems.

    Attributes:
        statistic: The coefficient; nan where either side ties all systems.
        coefficient: Its name.
        costs: Of pairs, (n_systems, n_systems), symmetric; the upper half adds to 1 - statistic.
        systems: The names, in the order of rows and columns: by the reference, best first.
    """

    statistic: float
    coefficient: str
    costs: Floats = field(repr=False)
    systems: Labels = field(repr=False)

    @property
    def by_system(self) -> Floats:
        """Half of the cost of each system's pairs, (n_systems,); these add up to 1 - statistic."""
        return np.asarray(self.costs.sum(axis=1) / 2)


def contributions(
    reference: ScoresLike,
    estimate: ScoresLike,
    coefficient: CoefficientLike = "tau_ap",
    *,
    missing: choices.MissingOfSides = "error",
) -> Contributions:
    """How much each pair of systems, and so each system, lowers a coefficient.

    1 - coefficient is a sum over pairs without negative terms. For `tau`, `tau_ap` and `tau_gap`
    these are the weights of the pairs that are in the wrong order or tied; for `pearson` and
    `spearman` they are ((x_i - x_j) - (y_i - y_j))^2 / 2m of the standardised scores or ranks. For
    other coefficients f, the cost of a pair is 1 - f times its share of all gains: the rises of f,
    if any, when two systems change places in the estimate; nan where there is none. Costs are of
    the means alone: `reversed_pairs()` of `correlation_interval` says how certain it is that a pair
    is reversed. O(m^2) time and memory; for other coefficients, the time of m^2/2 of them.

    Args:
        reference, estimate: Scores of the same systems, as for `kendall_tau`, but no `Rankings`.
        coefficient: The name of a coefficient, or a `stats.Coefficient`.
        missing: As for `kendall_tau`.

    Returns:
        The costs, by the reference, best first; nan, with a warning, if either ties all systems.

    Raises:
        TypeError, ValueError: As `kendall_tau`; of over 8192 systems, or an unknown coefficient.

    References:
        Gao, Oard, SIGIR 2015, equation 3 and theorem 3; Yilmaz, Aslam, Robertson, SIGIR 2008,
        section 3.

    Example:
        The only error of this ranking is that c stands above b:

        >>> reference = {"a": 4, "b": 3, "c": 2, "d": 1}
        >>> contributions(reference, {"a": 4, "b": 2, "c": 3, "d": 1}).to_frame()
          better worse      cost  share
        0      b     c  0.333333    1.0
    """
    checked = as_coefficient(coefficient)
    sides = prepare_sides(reference, estimate, missing=missing)
    first, second = vectors_of(*sides)
    for parameter, vector in (("reference", first), ("estimate", second)):
        _check_single(parameter, vector)
    check_number_of_systems("reference", first.size)
    # systems by the reference, best first: so are rows and columns of the costs
    order = np.argsort(-first, kind="stable")
    names = sides[0].system_names or sides[1].shown_systems
    statistic = finish(checked.kernel(first, second), checked.name)
    if all_tied(first) or all_tied(second):
        costs = np.full((first.size, first.size), np.nan)
    else:
        costs = checked.costs_of_pairs(first[order], second[order])
    by_rank = tuple(names[system] for system in order)
    return Contributions(float(statistic), checked.name, costs, systems=by_rank)


def _check_single(parameter: str, scores: Floats) -> None:
    """Refuses a batch of rankings."""
    if scores.ndim != 1:
        rule = f"`{parameter}` must be a single ranking"
        raise ValueError(f"{rule}, got rankings of shape {scores.shape}.")
