"""d_rank of three systems as a picture shows it: two differences, their distribution, the nearest point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pt_rankcorr.stats import _qp
from pt_rankcorr.stats._drank_baseline import Baseline, checked_ridge
from pt_rankcorr.stats._drank_model import unit_of
from pt_rankcorr.stats.order import Floats, as_matrix, of_ordinary_size
from pt_rankcorr.stats.results import Result

SMALLEST_UNIT = 1e-150  # of scores: variances are in its square


@dataclass(frozen=True, eq=False)
class RankGeometry(Result):
    """The two differences of three systems that are adjacent in a ranking, in the unit of the scores.

    Attributes:
        statistic: d_rank.
        systems: Names from worst to best by the ranking.
        mean: The baseline's mean differences: second less worst, best less second; shape (2,).
        covariance: Of these means over samples of topics, with the ridge; shape (2, 2).
        ranking: The differences of the scores that rank; shape (2,).
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


def rank_geometry(baseline: object, ranking: object, *, ridge: float = 1e-5) -> RankGeometry:
    """What d_rank minimises for three systems, on the plane of two differences.

    Args:
        baseline: Scores of shape (n_topics, 3), or a score matrix: n >= 2.
        ranking: Scores that rank these systems, as `d_rank` takes them.
        ridge: As for `d_rank`.

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
        (('1', '2', '3'), [0.3333, -0.0667], [0.2857, 0.0])
    """
    prepared = Baseline.of(baseline, "sample", checked_ridge(ridge))
    if prepared.n_systems != 3:
        raise ValueError(f"`baseline` must have 3 systems, got {prepared.n_systems}.")
    unit = unit_of(as_matrix(baseline))  # type: ignore[arg-type]
    if not SMALLEST_UNIT <= unit <= 1 / SMALLEST_UNIT:
        raise ValueError(f"`baseline` must span scores whose squares are floats, got scores in the unit {unit:g}.")
    order, scores = prepared.order(ranking), of_ordinary_size(prepared.scores_of(ranking), "ranking")
    if order.ndim != 1:
        raise ValueError(f"`ranking` must be a single ranking, of shape (3,), got shape {order.shape}.")
    mean = prepared.model.differences(order)
    spread = prepared.model.spread(order)
    active, _ = _qp.by_either(spread, mean)
    labels = prepared.labels or ("1", "2", "3")
    first, second, third = (labels[at] for at in prepared.systems[order])
    return RankGeometry(
        statistic=float(np.sqrt(prepared.n_topics * active.squared_distance(mean))),
        systems=(first, second, third),
        mean=unit * mean,
        covariance=unit**2 * spread.whole() / prepared.n_topics,
        ranking=np.diff(scores[order]),
        nearest=unit * active.nearest_point(spread, mean),
        n_topics=prepared.n_topics,
    )
