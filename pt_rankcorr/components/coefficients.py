"""Components for correlation coefficients: how each measure's ranking of the systems agrees with a reference."""

from __future__ import annotations

from abc import abstractmethod

from pt_rankcorr.components.base import Component, Measured, checked_rng, measure_or_none, shared_seed, with_ends
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats._finished import Coefficient
from pt_rankcorr.stats.checks import one_of, resample_count, share
from pt_rankcorr.stats.coefficients import kendall_tau, tau_ap
from pt_rankcorr.stats.correlation_error import correlation_interval
from pt_rankcorr.stats.gap import tau_gap
from pt_rankcorr.stats.resampling import RandomState


class _Correlation(Component):
    """The coefficient of each measure's system means with those of the reference measure, perhaps with an interval."""

    column: str

    def __init__(self, reference: object, interval: float | None, n_resamples: int, rng: RandomState) -> None:
        self.reference = measure_or_none(reference)
        self.interval = None if interval is None else share("interval", interval)
        self.n_resamples = resample_count(n_resamples, at_least=2)
        self.rng = checked_rng(rng)
        self.columns = with_ends(self.column, self.interval)

    def measured(self, scores: Scores) -> Measured:
        """The columns of every measure but the reference itself."""
        reference = self.reference_among(scores.measures)
        seed = shared_seed(self.rng)
        return {
            measure: dict(zip(self.columns, self._values(scores[reference], matrix, seed), strict=True))
            for measure, matrix in scores.items()
            if measure != reference
        }

    def _values(self, truth: ScoreMatrix, estimate: ScoreMatrix, seed: int) -> tuple[float, ...]:
        value = float(self.coefficient(truth, estimate))
        if self.interval is None:
            return (value,)
        ends = correlation_interval(
            truth, estimate, self.coefficient, level=self.interval, n_resamples=self.n_resamples, rng=seed
        )
        return (value, *ends)

    @abstractmethod
    def coefficient(self, truth: object, estimate: object) -> Coefficient:
        """The coefficient with this component's settings."""


class KendallTau(_Correlation):
    """Adds the column "tau": Kendall's tau between each measure's ranking of the systems and the reference's.

    Args:
        reference: The measure that the others are compared with, as ir_measures measure or by name; by default the
            first in the frame.
        ties: "a" or "b", see `kendall_tau`.
        interval: A confidence level: adds "tau low" and "tau high", the ends of `correlation_interval` over topics:
            an interval for the value over all topics there could be.
        n_resamples: Resamples of topics for the interval.
        rng: Seed or generator for the interval.

    Example:
        >>> KendallTau("AP", ties="b")
        KendallTau('AP', ties='b')
    """

    column = "tau"
    schematic = {"label": "tau", "help_url": None}  # noqa: RUF012  # PyTerrier's convention

    def __init__(
        self,
        reference: object = None,
        *,
        ties: str = "a",
        interval: float | None = None,
        n_resamples: int = 1000,
        rng: RandomState = None,
    ) -> None:
        super().__init__(reference, interval, n_resamples, rng)
        self.ties = one_of("ties", ties, ("a", "b"))

    def coefficient(self, truth: object, estimate: object) -> Coefficient:
        """Kendall's tau with the component's policy for ties."""
        return kendall_tau(truth, estimate, ties=self.ties)


class TauAP(_Correlation):
    """Adds the column "tau_ap": AP correlation of each measure's ranking of the systems with the reference's.

    The reference is the ranking that is trusted; errors near its top weigh more.

    Args:
        reference: The measure that the others are compared with, as ir_measures measure or by name; by default the
            first in the frame.
        ties: "a" or "b", see `tau_ap`.
        symmetric: Whether to take the mean of both directions.
        interval: A confidence level: adds "tau_ap low" and "tau_ap high", the ends of `correlation_interval`:
            an interval for the value over all topics there could be.
        n_resamples: Resamples of topics for the interval.
        rng: Seed or generator for the interval.

    Example:
        >>> from ir_measures import AP
        >>> TauAP(AP)
        TauAP(AP)
    """

    column = "tau_ap"
    schematic = {"label": "tau_AP", "help_url": None}  # noqa: RUF012

    def __init__(
        self,
        reference: object = None,
        *,
        ties: str = "a",
        symmetric: bool = False,
        interval: float | None = None,
        n_resamples: int = 1000,
        rng: RandomState = None,
    ) -> None:
        super().__init__(reference, interval, n_resamples, rng)
        self.ties = one_of("ties", ties, ("a", "b"))
        self.symmetric = symmetric

    def coefficient(self, truth: object, estimate: object) -> Coefficient:
        """AP correlation with the component's policy for ties."""
        return tau_ap(truth, estimate, ties=self.ties, symmetric=self.symmetric)


class TauGAP(_Correlation):
    """Adds the column "tau_gap": AP correlation in which each pair weighs by its gap under the reference.

    Args:
        reference: The measure that the others are compared with, whose gaps count, as ir_measures measure or by
            name; by default the first in the frame.
        interval: A confidence level: adds "tau_gap low" and "tau_gap high", the ends of `correlation_interval`:
            an interval for the value over all topics there could be.
        n_resamples: Resamples of topics for the interval.
        rng: Seed or generator for the interval.

    Example:
        >>> TauGAP("AP", interval=0.95, rng=1)
        TauGAP('AP', interval=0.95, rng=1)
    """

    column = "tau_gap"
    schematic = {"label": "tau_GAP", "help_url": None}  # noqa: RUF012

    def __init__(
        self,
        reference: object = None,
        *,
        interval: float | None = None,
        n_resamples: int = 1000,
        rng: RandomState = None,
    ) -> None:
        super().__init__(reference, interval, n_resamples, rng)

    def coefficient(self, truth: object, estimate: object) -> Coefficient:
        """Gap-sensitive AP correlation."""
        return tau_gap(truth, estimate)
