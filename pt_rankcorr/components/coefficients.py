"""Components for correlation coefficients: how each measure's ranking of the systems agrees with a reference."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from pt_rankcorr.components.base import Component, Measured, level_or_none, measure_or_none, with_ends
from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy.correlation import correlation_interval
from pt_rankcorr.stats.coefficients.ap import TAU_AP, tau_ap
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.gap import TAU_GAP, tau_gap
from pt_rankcorr.stats.coefficients.kendall import TAU, kendall_tau
from pt_rankcorr.stats.coefficients.undefined import Correlations
from pt_rankcorr.stats.core.arguments import flag, one_of
from pt_rankcorr.stats.core.resampling import RandomState, seed_of


class _Correlation(Component):
    """The coefficient of each measure's system means with those of the reference measure, perhaps with an interval."""

    family: ClassVar[Coefficient]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.schematic = {"label": cls.family.title, "help_url": None}  # PyTerrier's convention

    def __init__(self, reference: object, interval: float | None, n_resamples: int, rng: RandomState) -> None:
        self.reference = measure_or_none(reference)
        self.interval = level_or_none("interval", interval)
        self.resample_with(n_resamples, rng, None, at_least=2)
        self.columns = with_ends(self.family.column, self.interval)

    def compute(self, scores: Scores) -> Measured:
        """The columns of every measure but the reference itself."""
        reference = self.reference_among(scores.measures)
        seed = seed_of(self.rng)
        return {
            measure: dict(zip(self.columns, self._values(scores[reference], matrix, seed), strict=True))
            for measure, matrix in scores.items()
            if measure != reference
        }

    def _values(self, reference: ScoreMatrix, estimate: ScoreMatrix, seed: int) -> tuple[float, ...]:
        value = float(self.coefficient(reference, estimate))
        if self.interval is None:
            return (value,)
        ends = correlation_interval(
            reference, estimate, self.coefficient, level=self.interval, n_resamples=self.n_resamples, rng=seed
        )
        return (value, *ends)

    @abstractmethod
    def coefficient(self, reference: object, estimate: object) -> Correlations:
        """The coefficient with this component's settings."""


class KendallTau(_Correlation):
    """Adds the column "tau": Kendall's tau between each measure's ranking of the systems and the reference's.

    Args:
        reference: The measure that the others are compared with, as ir_measures measure or by name; by default the
            first in the frame.
        ties: "a" or "b", see `kendall_tau`.
        interval: A confidence level, which adds "tau low" and "tau high": the ends of `correlation_interval`, for the
            value over all topics there could be.
        n_resamples, rng: Resamples of topics for the interval, and seed or generator.

    Example:
        >>> KendallTau("AP", ties="b")
        KendallTau('AP', ties='b')
    """

    family = TAU

    def __init__(
        self,
        reference: object = None,
        *,
        ties: str = "a",
        interval: float | None = None,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        super().__init__(reference, interval, n_resamples, rng)
        self.ties = one_of("ties", ties, ("a", "b"))

    def coefficient(self, reference: object, estimate: object) -> Correlations:
        """Kendall's tau with the component's policy for ties."""
        return kendall_tau(reference, estimate, ties=self.ties)


class TauAP(_Correlation):
    """Adds the column "tau_ap": AP correlation of each measure's ranking of the systems with the reference's.

    The reference is the ranking that is trusted; errors near its top weigh more.

    Args:
        reference, interval, n_resamples, rng: As for `KendallTau`; the interval is "tau_ap low" to "tau_ap high".
        ties: "a" or "b", see `tau_ap`.
        symmetric: Whether to take the mean of both directions.

    Example:
        >>> from ir_measures import AP
        >>> TauAP(AP)
        TauAP(AP)
    """

    family = TAU_AP

    def __init__(
        self,
        reference: object = None,
        *,
        ties: str = "a",
        symmetric: bool = False,
        interval: float | None = None,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        super().__init__(reference, interval, n_resamples, rng)
        self.ties = one_of("ties", ties, ("a", "b"))
        self.symmetric = flag("symmetric", symmetric)

    def coefficient(self, reference: object, estimate: object) -> Correlations:
        """AP correlation with the component's policy for ties."""
        return tau_ap(reference, estimate, ties=self.ties, symmetric=self.symmetric)


class TauGAP(_Correlation):
    """Adds the column "tau_gap": AP correlation in which each pair weighs by its gap under the reference.

    Args:
        reference, interval, n_resamples, rng: As for `KendallTau`; the interval is "tau_gap low" to "tau_gap high".

    Example:
        >>> TauGAP("AP", interval=0.95, rng=1)
        TauGAP('AP', interval=0.95, rng=1)
    """

    family = TAU_GAP

    def __init__(
        self,
        reference: object = None,
        *,
        interval: float | None = None,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        super().__init__(reference, interval, n_resamples, rng)

    def coefficient(self, reference: object, estimate: object) -> Correlations:
        """Gap-sensitive AP correlation."""
        return tau_gap(reference, estimate)
