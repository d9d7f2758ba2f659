"""Components for d_rank and for the uncertainty of ranks."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.adapters.given import MeasureLike
from pt_rankcorr.components.base import Component, Measured, OfEachMeasure, measure_or_none
from pt_rankcorr.defaults import LEVEL, RESAMPLES
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy.ranks import DEFAULT_METHOD, METHODS, check_method, rank_intervals
from pt_rankcorr.stats.core.arguments import one_of, share
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL, NULLS, as_ridge, covariance_for
from pt_rankcorr.stats.rank_distance.test import DRankTest


class DRank(Component, label="d_rank", columns=("d_rank", "d_rank p-value")):
    """Adds the columns "d_rank" and "d_rank p-value": the distance of each measure's ranking from the reference's.

    A small p-value says: the order by the measure could not be the true one by the reference. A large one says: as far
    as these topics can tell, it could. If a measure or the reference ties all systems, both columns are nan, with a
    warning.

    Args:
        reference: The reference measure, as ir_measures measure or by name; by default the first in the frame.
        n_resamples: The most resamples of topics for the test.
        null: "shrunken" or "published", see `DRankTest`.
        covariance: "ledoit-wolf" or "sample"; by default what goes with the null.
        ridge: Added to the variances of differences, see `d_rank`.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Example:
        >>> DRank("AP", null="published")
        DRank('AP', null='published')
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        n_resamples: int = RESAMPLES,
        null: choices.Null = DEFAULT_NULL,
        covariance: choices.Covariance | None = None,
        ridge: float = 1e-5,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.reference: MeasureLike | None = measure_or_none(reference)
        self.resample_with(n_resamples, rng, n_jobs)
        self.null = _null_of_the_same_topics(null)
        self.covariance = None if covariance is None else covariance_for(self.null, covariance)
        self.ridge: float = as_ridge(ridge)

    def compute(self, scores: Scores) -> Measured:
        """Distance and p-value of every measure but the reference itself, all over the same resamples."""
        reference = self.reference_among(scores.measures)
        others = {measure: matrix.means for measure, matrix in scores.items() if measure != reference}
        test = DRankTest(
            scores[reference],
            n_resamples=self.n_resamples,
            null=self.null,
            covariance=self.covariance,
            ridge=self.ridge,
            rng=self.rng,
            n_jobs=self.n_jobs,
        )
        rankings = Rankings(np.reshape(list(others.values()), (len(others), test.n_systems)), scores.systems)
        found = test.test(rankings)
        results = zip(others, found.statistic, found.pvalue, strict=True)  # type: ignore[arg-type]
        return {measure: dict(zip(self.columns, result, strict=True)) for measure, *result in results}


def _null_of_the_same_topics(null: object) -> choices.Null:
    """All measures of an experiment come from the same topics, and "two-sample" is for rankings from others."""
    known = one_of("null", null, NULLS)
    if known == "two-sample":
        raise ValueError(
            "`null` must be 'shrunken' or 'published', got 'two-sample', which is for a ranking from other topics: all "
            "measures of an experiment are computed on the same ones."
        )
    return known


class RankInterval(OfEachMeasure, label="rank", columns=("rank", "rank low", "rank high", "rank first", "rank tier")):
    """Adds where each system ranks by each measure: "rank", "rank low", "rank high", "rank first", "rank tier".

    The rank among the systems, the interval of the true rank, the share of draws in which the system is first (of
    shrunken ones where the intervals come from pairwise tests), and its tier: 1 for systems that no other one surely
    beats, by paired tests that hold at the level for all systems together.

    Args:
        method, simultaneous: How the intervals are found, see `rank_intervals`; by default as there.
        level: The probability with which an interval holds the true rank.
        n_resamples: Draws, or resamples of topics; the same for all measures.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Example:
        >>> RankInterval(method="pairwise", level=0.9)
        RankInterval(method='pairwise', level=0.9)
    """

    def __init__(
        self,
        *,
        method: choices.RankMethod = DEFAULT_METHOD,
        simultaneous: bool = False,
        level: float = LEVEL,
        n_resamples: int = RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = one_of("method", method, METHODS)
        check_method(self.method, simultaneous=simultaneous)
        self.simultaneous, self.level = simultaneous, share("level", level)
        self.resample_with(n_resamples, rng, n_jobs)

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[Floats, ...]:
        """Ranks of all systems."""
        intervals = partial(rank_intervals, matrix, level=self.level, **resampling)
        found = intervals(method=self.method, simultaneous=self.simultaneous)
        first = found if found.method != "pairwise" else intervals(method="shrunken")
        return found.rank, found.low, found.high, first.share_first, found.tier
