"""Components for d_rank and for the uncertainty of ranks."""

from __future__ import annotations

from pt_rankcorr.components.base import Component, Measured, checked_rng, measure_or_none, shared_seed
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats._drank_baseline import COVARIANCES, checked_ridge
from pt_rankcorr.stats._drank_null import NULLS
from pt_rankcorr.stats.checks import one_of, resample_count, share
from pt_rankcorr.stats.order import Floats
from pt_rankcorr.stats.rank_distance import DRankTest
from pt_rankcorr.stats.rank_intervals import rank_intervals
from pt_rankcorr.stats.resampling import RandomState


class DRank(Component):
    """Adds the columns "d_rank" and "d_rank p-value": the distance of each measure's ranking from the reference's.

    A small p-value says: the measure ranks the systems differently from the reference, by more than the luck of the
    topics. A large one: it ranks them as the reference does, as far as these topics can tell.

    Args:
        reference: The baseline measure, as ir_measures measure or by name; by default the first in the frame.
        n_resamples: Resamples of topics for the test.
        null: "baseline" (as published), "constrained" (recommended), "refit" or "two-sample", see `DRankTest`.
        covariance: "sample" or "ledoit-wolf".
        ridge: Added to the variances of differences, see `d_rank`.
        rng: Seed or generator.
        n_jobs: Workers, as joblib counts them.

    Example:
        >>> DRank("AP", null="constrained", covariance="ledoit-wolf")
        DRank('AP', null='constrained', covariance='ledoit-wolf')
    """

    columns = ("d_rank", "d_rank p-value")
    schematic = {"label": "d_rank", "help_url": None}  # noqa: RUF012  # PyTerrier's convention

    def __init__(
        self,
        reference: object = None,
        *,
        n_resamples: int = 10_000,
        null: str = "baseline",
        covariance: str = "sample",
        ridge: float = 1e-5,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.reference = measure_or_none(reference)
        self.n_resamples = resample_count(n_resamples)
        self.null = one_of("null", null, tuple(NULLS))
        self.covariance = one_of("covariance", covariance, COVARIANCES)
        self.ridge = checked_ridge(ridge)
        self.rng, self.n_jobs = checked_rng(rng), n_jobs

    def measured(self, scores: Scores) -> Measured:
        """Distance and p-value of every measure but the reference itself, all from one null distribution."""
        reference = self.reference_among(scores.measures)
        test = DRankTest(
            scores[reference],
            n_resamples=self.n_resamples,
            null=self.null,
            covariance=self.covariance,
            ridge=self.ridge,
            rng=self.rng,
            n_jobs=self.n_jobs,
        )
        return {
            measure: dict(zip(self.columns, test.test(matrix), strict=True))
            for measure, matrix in scores.items()
            if measure != reference
        }


class RankInterval(Component):
    """Adds the columns "rank", "rank low", "rank high" and "rank first" of each system by each measure.

    The rank among the systems, the quantiles of that rank over resampled topics, and the share of resamples in which
    the system is first: no probability that it is the best, as the leader leads partly by luck (see `rank_intervals`).

    Args:
        level: How much of the resamples the interval holds.
        n_resamples: Resamples of topics; the same for all measures.
        rng: Seed or generator.
        n_jobs: Workers, as joblib counts them.

    Example:
        >>> RankInterval(level=0.9)
        RankInterval(level=0.9)
    """

    columns = ("rank", "rank low", "rank high", "rank first")
    compares = False
    schematic = {"label": "rank", "help_url": None}  # noqa: RUF012

    def __init__(
        self, *, level: float = 0.95, n_resamples: int = 10_000, rng: RandomState = None, n_jobs: int | None = None
    ) -> None:
        self.level = share("level", level)
        self.n_resamples = resample_count(n_resamples)
        self.rng, self.n_jobs = checked_rng(rng), n_jobs

    def measured(self, scores: Scores) -> Measured:
        """Ranks of all systems by every measure."""
        seed = shared_seed(self.rng)
        return {measure: self._columns_of(matrix, seed) for measure, matrix in scores.items()}

    def _columns_of(self, matrix: ScoreMatrix, seed: int) -> dict[str, Floats]:
        found = rank_intervals(matrix, level=self.level, n_resamples=self.n_resamples, rng=seed, n_jobs=self.n_jobs)
        return {
            "rank": found.rank,
            "rank low": found.low,
            "rank high": found.high,
            "rank first": found.share_first,
        }
