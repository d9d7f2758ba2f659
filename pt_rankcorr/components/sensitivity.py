"""A component for how well a measure tells systems apart."""

from __future__ import annotations

from pt_rankcorr.components.base import Component, Measured, checked_rng, shared_seed
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats._pairwise import TESTS
from pt_rankcorr.stats.checks import one_of, resample_count, share
from pt_rankcorr.stats.resampling import RandomState
from pt_rankcorr.stats.sensitivity import discriminative_power


class DiscriminativePower(Component):
    """Adds the column "power": the share of all pairs of systems that a measure tells apart significantly.

    Args:
        test: "paired-bootstrap", "unpaired-bootstrap", "tukey-hsd", "t" or "wilcoxon", see `discriminative_power`.
        alpha: The level of significance.
        n_resamples: Resamples of topics, the same for all measures.
        rng: Seed or generator.
        n_jobs: Workers, as joblib counts them.

    Example:
        >>> DiscriminativePower("t", alpha=0.01)
        DiscriminativePower('t', alpha=0.01)
    """

    columns = ("power",)
    compares = False
    schematic = {"label": "power", "help_url": None}  # noqa: RUF012  # PyTerrier's convention

    def __init__(
        self,
        test: str = "paired-bootstrap",
        *,
        alpha: float = 0.05,
        n_resamples: int = 1000,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.test, self.alpha = one_of("test", test, tuple(TESTS)), share("alpha", alpha)
        self.n_resamples = resample_count(n_resamples)
        self.rng, self.n_jobs = checked_rng(rng), n_jobs

    def measured(self, scores: Scores) -> Measured:
        """The share of significant pairs by every measure, over the same resamples."""
        results = discriminative_power(
            scores,
            test=self.test,
            alpha=self.alpha,
            n_resamples=self.n_resamples,
            rng=shared_seed(self.rng),
            n_jobs=self.n_jobs,
        )
        return {measure: {"power": result.statistic} for measure, result in results.items()}
