"""d_rank of three systems: two differences, their distribution, and the nearest point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.inputs import ScoresLike, as_matrix
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance import solver
from pt_rankcorr.stats.rank_distance.model import unit_of
from pt_rankcorr.stats.rank_distance.reference import Reference, warn_of_undefined
from pt_rankcorr.stats.rank_distance.settings import COVARIANCES, DEFAULT_COVARIANCE, as_ridge
from pt_rankcorr.stats.rank_distance.ties import nearest_order
from pt_rankcorr.tables.kinds import NUMBER, WORD
from pt_rankcorr.tables.table import Table, of_values


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
        reference: Scores of shape (n_topics, 3), or a score matrix: n >= 2.
        ranking: Scores that rank these systems, as `d_rank` takes them.
        covariance, ridge: As for `d_rank`; the paper's figure uses "sample".

    Returns:
        The points, and the covariance of the means.

    Raises:
        TypeError: If scores are not numbers.
        ValueError: If there are not three systems, scores are not finite, or systems do not match.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009: section 3.1, figure 2.

    Example:
        >>> geometry = rank_geometry([[0.1, 0.5, 0.4], [0.2, 0.4, 0.5], [0.1, 0.5, 0.3]], [1, 2, 3])
        >>> geometry.systems, geometry.mean.round(4).tolist(), geometry.nearest.round(4).tolist()
        (('1', '2', '3'), [0.3333, -0.0667], [0.2902, 0.0])
    """
    prepared = Reference.of(reference, one_of("covariance", covariance, COVARIANCES), as_ridge(ridge))
    if prepared.n_systems != 3:
        raise ValueError(f"`reference` must have 3 systems, got {prepared.n_systems}.")
    unit = unit_of(as_matrix(reference))
    rankings = prepared.rankings_of(ranking)
    if not rankings.is_single:
        raise ValueError(f"`ranking` must be a single ranking, of shape (3,), got shape {rankings.scores.shape}.")
    scores = rankings.scores[0]
    undefined = prepared.is_undefined(scores)
    warn_of_undefined(undefined)
    return _geometry(prepared, scores, unit, bool(undefined))


def _geometry(reference: Reference, scores: Floats, unit: float, is_undefined: bool) -> RankGeometry:
    """From scores in canonical order."""
    order = nearest_order(reference.model, scores)
    mean, spread = reference.model.differences(order), reference.model.spread(order)
    active, _ = solver.solve(spread, mean)
    distance = float(np.sqrt(reference.n_topics * active.squared_distance(mean)))
    labels = reference.labels or ("1", "2", "3")
    first, second, third = (labels[at] for at in reference.systems[order])
    return RankGeometry(
        statistic=float("nan") if is_undefined else distance,
        systems=(first, second, third),
        mean=unit * mean,
        covariance=unit**2 * spread / reference.n_topics,
        ranking=np.diff(scores[order]),
        nearest=unit * active.nearest_point(spread, mean),
        n_topics=reference.n_topics,
    )
