"""What a coefficient weighs: what each swap would cost it, and what each pair of a given agreement did cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pt_rankcorr.stats._finished import Coefficient
from pt_rankcorr.stats._pair_costs import PAIR_COSTS
from pt_rankcorr.stats._pairs import check_number_of_systems, system_names
from pt_rankcorr.stats.checks import one_of
from pt_rankcorr.stats.coefficients import COEFFICIENTS
from pt_rankcorr.stats.order import Floats, Labels, as_floats, as_matrix, as_vector, as_vectors, labels_of, system_means
from pt_rankcorr.stats.results import Result

if TYPE_CHECKING:
    import pandas as pd

Correlate: TypeAlias = Callable[[object, object], Coefficient]


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

    def to_frame(self) -> pd.DataFrame:
        """The matrix, with names."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.systems), columns=list(self.systems))


def swap_weights(scores: object, coefficient: str = "tau_ap") -> SwapWeights:
    """What it would cost a coefficient if two systems changed places, for each pair of systems.

    The weight of systems i and j is f(truth, truth) - f(truth, truth with the scores of i and j exchanged), which is
    1 - f(truth, exchanged) unless `tau` or `tau_ap` meet ties of the truth, where f(truth, truth) < 1. It lies in
    [0, 2]; for tied systems it is 0, and where all are tied it is nan, with a warning. Time is that of m^2/2
    coefficients of m systems, minutes for 1000 of them; memory m^2 cells and those of m coefficients at once.

    Args:
        scores: The truth: a score matrix or an array of shape (n_topics, n_systems), whose means are taken, or a vector
            or mapping of the scores of systems.
        coefficient: "tau", "tau_ap", "tau_gap", "pearson" or "spearman".

    Returns:
        The weights, systems by rank, best first; tied ones in the order in which they came.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If they are not finite, there are less than two systems or more than 8192, or the coefficient is
            unknown.

    References:
        Gao, Oard, SIGIR 2015, section 4, figures 4 to 6.

    Example:
        The swap of the first two of four costs tau_ap most of the neighbouring ones:

        >>> weights = swap_weights([4, 3, 2, 1], "tau_ap").values
        >>> weights.diagonal(1).round(4).tolist()
        [0.6667, 0.3333, 0.2222]
    """
    correlate = COEFFICIENTS[one_of("coefficient", coefficient, COEFFICIENTS)]
    means = _means(scores)
    check_number_of_systems("scores", means.size)
    order, names = np.argsort(-means, kind="stable"), system_names(scores, means.size)
    return SwapWeights(
        values=_costs_of_swaps(means[order], correlate),
        systems=tuple(names[at] for at in order),
        coefficient=coefficient,
    )


def _means(scores: object) -> Floats:
    """The scores of systems; labels aside, a plain matrix is one of topics by systems."""
    if hasattr(scores, "means") or isinstance(scores, Mapping):
        means = as_vector(scores, "scores")
    else:
        values = as_floats(scores, "scores")
        means = values if values.ndim == 1 else system_means(as_matrix(values))
    return as_vectors(means, means, ("scores", "scores"))[0]


def _costs_of_swaps(truth: Floats, correlate: Correlate) -> Floats:
    unharmed = correlate(truth, truth)
    costs = np.zeros((truth.size, truth.size))
    for first in range(truth.size - 1):
        later = np.arange(first + 1, truth.size)
        swapped = np.tile(truth, (later.size, 1))
        swapped[:, first] = truth[later]
        swapped[np.arange(later.size), later] = truth[first]
        costs[first, later] = costs[later, first] = unharmed - correlate(truth, swapped)
    return costs


@dataclass(frozen=True, eq=False)
class Contributions(Result):
    """How 1 - coefficient came about: its sum over pairs of systems.

    Attributes:
        statistic: The coefficient.
        coefficient: Its name.
        costs: Shape (n_systems, n_systems), symmetric: what each pair costs. The upper triangle adds up to
            1 - statistic.
        systems: The names, in the order of rows and columns: by the truth, best first.
    """

    statistic: float
    coefficient: str
    costs: Floats = field(repr=False)
    systems: Labels = field(repr=False)

    @property
    def by_system(self) -> Floats:
        """Half of what the pairs of each system cost; they add up to 1 - statistic."""
        return np.asarray(self.costs.sum(axis=1) / 2)

    def to_frame(self) -> pd.DataFrame:
        """The pairs that cost anything, dearest first: better and worse by the truth, cost, and share of all costs."""
        import pandas as pd

        better, worse = np.nonzero(np.triu(self.costs, k=1))
        order = np.argsort(-self.costs[better, worse], kind="stable")
        better, worse = better[order], worse[order]
        costs = self.costs[better, worse]
        names = np.array(self.systems, dtype=object)
        columns = {"better": names[better], "worse": names[worse], "cost": costs, "share": costs / costs.sum()}
        return pd.DataFrame(columns)


def contributions(truth: object, estimate: object, coefficient: str = "tau_ap") -> Contributions:
    """Which pairs of systems, and so which systems, cost an agreement how much.

    1 - coefficient is a sum over pairs, none of which is negative: for `tau`, `tau_ap` and `tau_gap` over the pairs
    that are in the wrong order, or tied, by their weights; for `pearson` and `spearman` of
    ((x_i - x_j) - (y_i - y_j))^2 / 2m of the standardised scores or ranks. O(m^2) time and memory.

    Args:
        truth: Scores of m >= 2 systems, higher is better: a vector, a score matrix (its means), or a mapping.
        estimate: The same systems scored otherwise.
        coefficient: "tau", "tau_ap", "tau_gap", "pearson" or "spearman"; ties as each treats them by default.

    Returns:
        The costs, systems by the truth, best first.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If the vectors do not match, are not finite or have less than two systems or more than 8192, either
            ties all, or the coefficient is unknown.

    References:
        Gao, Oard, SIGIR 2015, equation 3 and theorem 3; Yilmaz, Aslam, Robertson, SIGIR 2008, section 3.

    Example:
        All that tau_ap has to say against this ranking is that c stands above b:

        >>> found = contributions({"a": 4, "b": 3, "c": 2, "d": 1}, {"a": 4, "b": 2, "c": 3, "d": 1})
        >>> found.to_frame()
          better worse      cost  share
        0      b     c  0.333333    1.0
    """
    name = one_of("coefficient", coefficient, COEFFICIENTS)
    first, second = as_vectors(truth, estimate)
    for parameter, vector in (("truth", first), ("estimate", second)):
        _check_ranking(parameter, vector)
    check_number_of_systems("truth", first.size)
    order = np.argsort(-first, kind="stable")
    labels = labels_of(truth) or system_names(estimate, first.size)
    return Contributions(
        statistic=float(COEFFICIENTS[name](first, second)),
        coefficient=name,
        costs=PAIR_COSTS[name](first[order], second[order]),
        systems=tuple(labels[at] for at in order),
    )


def _check_ranking(parameter: str, scores: Floats) -> None:
    if scores.ndim != 1:
        raise ValueError(f"`{parameter}` must be of shape (n_systems,), got shape {scores.shape}.")
    if (scores == scores[0]).all():
        raise ValueError(f"`{parameter}` must not tie all systems, got {scores[0]} for each.")
