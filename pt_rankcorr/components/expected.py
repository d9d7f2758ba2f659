"""A component for the expected correlation with the true ranking."""

from __future__ import annotations

from typing import Any

from pt_rankcorr import choices
from pt_rankcorr.components.base import OfEachMeasure, level_or_none, with_ends
from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.expected.correlation import ESTIMATORS, expected_correlation


class ExpectedCorrelation(OfEachMeasure, label="E[tau]"):
    """Adds a column such as "E[tau_ap]": how well a measure's ranking is expected to agree with the true one.

    The true ranking is the one over all topics that there could be. Near 1, the ranking would hardly change with
    other topics.

    Args:
        coefficient: The name of a coefficient, or a `stats.Coefficient`, as `expected_correlation` takes it.
        estimator: "shrunken", "msqd", "ml", "resampling", "kde", "split-half" or "split-half-replace".
        interval: A level: adds "... low" and "... high", for the actual correlation with the true ranking.
        n_resamples: Resamples of topics, where the estimator or the interval needs them.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Example:
        >>> ExpectedCorrelation("tau", interval=0.95)
        ExpectedCorrelation('tau', interval=0.95)
    """

    def __init__(
        self,
        coefficient: CoefficientLike = "tau_ap",
        *,
        estimator: choices.Estimator = "shrunken",
        interval: float | None = None,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.coefficient, self.estimator = coefficient, one_of("estimator", estimator, ESTIMATORS)
        self.interval: float | None = level_or_none("interval", interval)
        self.resample_with(n_resamples, rng, n_jobs)
        self.columns: tuple[str, ...] = with_ends(f"E[{as_coefficient(coefficient).column}]", self.interval)

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[float, ...]:
        """The expected correlation, and the ends of its interval where one is asked for."""
        found = expected_correlation(matrix, coefficient=self.coefficient, estimator=self.estimator, **resampling)
        return (found.value, *(() if self.interval is None else found.confidence_interval(self.interval)))
