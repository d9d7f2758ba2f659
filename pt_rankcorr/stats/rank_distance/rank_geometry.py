"""The distance of a ranking of three systems, on the plane of their two differences: figure 2 of Carterette 2009."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.inputs import ScoresLike
from pt_rankcorr.stats.core.types import Floats, Result
from pt_rankcorr.stats.rank_distance.distance import (
    COVARIANCES,
    DEFAULT_COVARIANCE,
    Reference,
    as_ridge,
    nearest_order,
)
from pt_rankcorr.tables import NUMBER, WORD, Table, of_values


@dataclass(frozen=True, eq=False)
class RankGeometry(Result):
    """The two differences of three systems that are adjacent in a ranking, in the unit of the scores.

    Attributes:
        statistic: d_rank; nan where the ranking or the reference ties all systems.
        systems: Names from worst to best by the ranking.
        mean: The reference's mean differences: second less worst, best less second; shape (2,).
        covariance: The covariance of these means over samples of topics, with the ridge; shape (2, 2).
        ranking: The differences of the scores of the ranking; shape (2,).
        nearest: The point nearest to the mean, by this covariance, that keeps the ranking; shape (2,).
        n_topics: Number of topics.
    """

    statistic: float
    systems: tuple[str, str, str]
    mean: Floats
    covariance: Floats = field(repr=False)
    ranking: Floats
    nearest: Floats
    n_topics: int

    def _rows(self) -> Table:
        """One row per difference of two systems."""
        names = {"better": self.systems[1:], "worse": self.systems[:-1]}
        differences = {"reference's difference": self.mean, "ranking's difference": self.ranking}
        return of_values({WORD: names, NUMBER: {**differences, "nearest": self.nearest}})


def rank_geometry(
    reference: ScoresLike, ranking: ScoresLike, *, covariance: str = DEFAULT_COVARIANCE, ridge: float = 1e-5
) -> RankGeometry:
    """The distance of three systems on the plane of their two differences.

    Args:
        reference, ranking: As for `d_rank`, of three systems.
        covariance, ridge: As for `d_rank`; the paper's figure uses "sample".

    Returns:
        The points, and the covariance of the means.

    Raises:
        TypeError, ValueError: As `d_rank`, and if there are not three systems.

    References:
        Carterette, SIGIR 2009: section 3.1, figure 2.

    Example:
        >>> geometry = rank_geometry([[0.1, 0.5, 0.4], [0.2, 0.4, 0.5], [0.1, 0.5, 0.3]], [1, 2, 3])
        >>> geometry.systems, geometry.mean.round(4).tolist(), geometry.nearest.round(4).tolist()
        (('1', '2', '3'), [0.3333, -0.0667], [0.2902, 0.0])
    """
    prepared = Reference.of(reference, one_of("covariance", covariance, COVARIANCES), as_ridge(ridge))
    if prepared.n_systems != 3:
        raise ValueError(f"`reference` must have 3 systems, got {prepared.n_systems}.")
    rankings, is_single = prepared.rankings_of(prepared.prepare(ranking))
    if not is_single:
        raise ValueError(f"`ranking` must be a single ranking, of shape (3,), got shape {rankings.shape}.")
    scores, model, unit = rankings[0], prepared.model, prepared.unit
    order = nearest_order(model, scores)
    labels = prepared.side.system_names or ("1", "2", "3")
    worst, second, best = (labels[system] for system in prepared.systems[order])
    return RankGeometry(
        statistic=float(prepared.distances(rankings)[0]),
        systems=(worst, second, best),
        mean=unit * model.differences(order),
        covariance=unit**2 * model.spread(order) / prepared.n_topics,
        ranking=np.diff(scores[order]),
        nearest=unit * model.nearest_differences(order),
        n_topics=prepared.n_topics,
    )
