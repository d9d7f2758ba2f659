"""A component for the expected correlation with the true ranking."""

from __future__ import annotations

from pt_rankcorr.components.base import Component, Measured, checked_rng, shared_seed, with_ends
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats._pair_weights import WEIGHTS
from pt_rankcorr.stats.checks import one_of, resample_count, share
from pt_rankcorr.stats.expected import ESTIMATORS, expected_correlation
from pt_rankcorr.stats.resampling import RandomState


class ExpectedCorrelation(Component):
    """Adds a column such as "E[tau_ap]": how well a measure's ranking is expected to agree with the true one.

    The true ranking is the one over all topics that there could be. Near 1, the ranking would hardly change with
    other topics.

    Args:
        coefficient: "tau", "tau_ap" or "tau_gap".
        estimator: "msqd", "ml", "resampling", "kde", "split-half" or "split-half-replace".
        interval: A level: adds "... low" and "... high", for the actual correlation with the true ranking.
        n_resamples: Resamples of topics, where the estimator or the interval needs them.
        rng: Seed or generator.
        n_jobs: Workers, as joblib counts them.

    Example:
        >>> ExpectedCorrelation("tau", interval=0.95)
        ExpectedCorrelation('tau', interval=0.95)
    """

    compares = False
    schematic = {"label": "E[tau]", "help_url": None}  # noqa: RUF012  # PyTerrier's convention

    def __init__(
        self,
        coefficient: str = "tau_ap",
        *,
        estimator: str = "msqd",
        interval: float | None = None,
        n_resamples: int = 1000,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.coefficient = one_of("coefficient", coefficient, WEIGHTS)
        self.estimator = one_of("estimator", estimator, ESTIMATORS)
        self.interval = None if interval is None else share("interval", interval)
        self.n_resamples = resample_count(n_resamples)
        self.rng, self.n_jobs = checked_rng(rng), n_jobs
        self.columns = with_ends(f"E[{self.coefficient}]", self.interval)

    def measured(self, scores: Scores) -> Measured:
        """The columns of every measure, from the same resamples of topics."""
        seed = shared_seed(self.rng)
        return {
            measure: dict(zip(self.columns, self._values(matrix, seed), strict=True))
            for measure, matrix in scores.items()
        }

    def _values(self, matrix: ScoreMatrix, seed: int) -> tuple[float, ...]:
        expected = expected_correlation(
            matrix,
            coefficient=self.coefficient,
            estimator=self.estimator,
            n_resamples=self.n_resamples,
            rng=seed,
            n_jobs=self.n_jobs,
        )
        ends = () if self.interval is None else expected.confidence_interval(self.interval)
        return (expected.value, *ends)
