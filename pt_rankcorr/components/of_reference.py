"""Components that compare each measure's ranking of the systems with a reference's: correlations, and d_rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.components.base import Component, Measured, level_or_none, measure_or_none
from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL, RESAMPLES
from pt_rankcorr.io.paths import MeasureLike
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_interval
from pt_rankcorr.stats.coefficients.ap import TAU_AP, TAU_AP_SYMMETRIC
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.coefficients.gap import TAU_GAP
from pt_rankcorr.stats.coefficients.kendall import TAU
from pt_rankcorr.stats.coefficients.registry import with_variant
from pt_rankcorr.stats.core.arguments import flag, one_of, share
from pt_rankcorr.stats.core.matrix import Rankings
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.stats.rank_distance.distance import as_ridge, covariance_for
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL, NULLS
from pt_rankcorr.stats.rank_distance.test import DRankTest
from pt_rankcorr.warnings import DegenerateInputWarning, silencing


class _Correlation(Component):
    """The coefficient of each measure's ranking with the reference's, perhaps also in the topic population."""

    of: Any  # as `correlation_interval` takes it; a `Coefficient` where no interval is wanted

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        level: float | None = None,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        self.reference: MeasureLike | None = measure_or_none(reference)
        self.level: float | None = level_or_none("level", level)
        self.resample_with(n_resamples, rng, None, at_least=2)
        name, over_all = self._column(), ("estimate", "low", "high", "p-value") if self.level is not None else ()
        self.columns: tuple[str, ...] = (name, *(f"{name} {what}" for what in over_all))

    def _column(self) -> str:
        """What both variants of ties are called."""
        return str(self.of.family)

    def compute(self, scores: Scores) -> Measured:
        """The columns of every measure but the reference itself."""
        reference, seed = self.reference_among(scores.measures), seed_of(self.rng)
        measured: dict[str, dict[str, float]] = {}
        for measure, matrix in scores.items():
            if measure == reference:
                continue
            if self.level is None:
                values: tuple[float, ...] = (float(self.of(scores[reference], matrix)),)
            else:
                how: dict[str, Any] = {"level": self.level, "n_resamples": self.n_resamples, "n_jobs": self.n_jobs}
                with silencing(DegenerateInputWarning):  # a column of nan says so
                    result = correlation_interval(scores[reference], matrix, self.of, rng=seed, **how)
                values = result.statistic, result.estimate, result.low, result.high, result.pvalue
            measured[measure] = dict(zip(self.columns, values, strict=True))
        return measured


class Correlation(_Correlation, label="correlation"):
    """Adds how alike each measure and the reference rank the systems, on these topics and in the topic population.

    For the coefficient "tau" it adds the columns "tau", for the topics at hand; "tau estimate", "tau low" and "tau
    high", in the topic population; and "tau p-value", for the hypothesis that both would then rank alike. The
    values are those of `correlation_interval`.

    Args:
        reference: The measure that the others are compared with, as ir_measures measure or by name; by default the
            first in the frame.
        coefficient: As for `correlation_interval`: "tau", "tau_ap", "tau@10", ..., a `stats.Coefficient`, or a function
            of two vectors.
        level: The confidence level of the interval.
        n_resamples, rng, n_jobs: Draws, seed or generator, and workers.

    Example:
        >>> Correlation("AP", coefficient="tau_ap", rng=1).columns
        ('tau_ap', 'tau_ap estimate', 'tau_ap low', 'tau_ap high', 'tau_ap p-value')
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        coefficient: CoefficientLike = "tau",
        level: float = LEVEL,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.of = self.coefficient = coefficient
        super().__init__(reference, level=share("level", level), n_resamples=n_resamples, rng=rng)
        self.n_jobs = n_jobs

    def _column(self) -> str:
        return Coefficients.named(self.coefficient).columns[-1]


class KendallTau(_Correlation, label=TAU.title):
    """Adds the column "tau": Kendall's tau between each measure's ranking of the systems and the reference's.

    Args:
        reference: The measure that the others are compared with, as ir_measures measure or by name; by default the
            first in the frame.
        variant: "a" or "b", see `kendall_tau`.
        level: A confidence level, which adds "tau estimate", "tau low", "tau high" and "tau p-value": those of
            `correlation_interval`, in the topic population.
        n_resamples, rng: Resamples of topics for the interval, and seed or generator.

    Example:
        >>> KendallTau("AP", variant="b")
        KendallTau('AP', variant='b')
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        variant: choices.Variant = "a",
        level: float | None = None,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        self.variant = one_of("variant", variant, ("a", "b"))
        self.of = with_variant(TAU, self.variant)
        super().__init__(reference, level=level, n_resamples=n_resamples, rng=rng)


class TauAP(_Correlation, label=TAU_AP.title):
    """Adds the column "tau_ap": AP correlation of each measure's ranking of the systems with the reference's.

    The reference is the trusted ranking; errors near the top weigh more.

    Args:
        reference, level, n_resamples, rng: As for `KendallTau`; a level adds "tau_ap estimate" and so on.
        variant: "a" or "b", see `tau_ap`.
        symmetric: Whether to take the mean of both directions.

    Example:
        >>> from ir_measures import AP
        >>> TauAP(AP)
        TauAP(AP)
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        variant: choices.Variant = "a",
        symmetric: bool = False,
        level: float | None = None,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        self.variant, self.symmetric = one_of("variant", variant, ("a", "b")), flag("symmetric", symmetric)
        is_mean = self.symmetric and variant == "a"
        self.of = TAU_AP_SYMMETRIC if is_mean else with_variant(TAU_AP, self.variant)
        super().__init__(reference, level=level, n_resamples=n_resamples, rng=rng)


class TauGAP(_Correlation, label=TAU_GAP.title, of=TAU_GAP):
    """Adds the column "tau_gap": AP correlation in which each pair weighs by its gap under the reference.

    Args:
        reference, level, n_resamples, rng: As for `KendallTau`; a level adds "tau_gap estimate" and so on.

    Example:
        >>> TauGAP("AP", level=0.95, rng=1)
        TauGAP('AP', level=0.95, rng=1)
    """


class DRank(Component, label="d_rank", columns=("d_rank", "d_rank p-value")):
    """Adds the columns "d_rank" and "d_rank p-value": the distance of each measure's ranking from the reference's.

    A small p-value says that the measure's order could not be the reference's true order. A large one says that, as far
    as these topics can tell, it could. If a measure or the reference ties all systems, both columns are nan, with a
    warning.

    Args:
        reference: The reference measure, as ir_measures measure or by name; by default the first in the frame.
        n_resamples: The largest number of resamples of topics for the test.
        null: "shrunken" or "published", see `DRankTest`.
        covariance: "ledoit-wolf" or "sample"; by default the one that goes with the null.
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
        self.null = one_of("null", null, NULLS)
        if self.null == "two-sample":
            raise ValueError(
                "`null` must be 'shrunken' or 'published', got 'two-sample', which is for a ranking from other topics: "
                "all measures of an experiment are computed on the same ones."
            )
        self.covariance = None if covariance is None else covariance_for(self.null, covariance)
        self.ridge: float = as_ridge(ridge)

    def compute(self, scores: Scores) -> Measured:
        """Distance and p-value of every measure but the reference itself, all over the same resamples."""
        reference = self.reference_among(scores.measures)
        others = [measure for measure in scores if measure != reference]
        test = DRankTest(
            scores[reference],
            n_resamples=self.n_resamples,
            null=self.null,
            covariance=self.covariance,
            ridge=self.ridge,
            rng=self.rng,
            n_jobs=self.n_jobs,
        )
        means = np.reshape([scores[measure].means for measure in others], (len(others), test.n_systems))
        tested = test.test(Rankings(means, scores.systems))
        results = zip(others, tested.statistic, tested.pvalue, strict=True)  # type: ignore[arg-type]
        return {measure: dict(zip(self.columns, result, strict=True)) for measure, *result in results}
