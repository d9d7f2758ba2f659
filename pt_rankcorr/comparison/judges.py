"""Which judge is better? Judges in order, each pair tested over the same resamples of topics."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison._engine import ceilings
from pt_rankcorr.comparison._per_case import CORRELATION_RESAMPLES
from pt_rankcorr.comparison.table import Ceiling, column
from pt_rankcorr.numbers import decimals, pvalue, with_interval
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.several import Wanted, clusters_of, contests, correlation_errors
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import listing, share
from pt_rankcorr.stats.core.means import topic_order
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.warnings import DegenerateInputWarning, level_of_the_caller

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class JudgeRanking(Result):
    """Judges in the order of their agreement with a reference, the best first.

    Attributes:
        judges: Their names.
        reference: The measure that is trusted.
        measure: The measure of the judges.
        coefficient: Of the agreement.
        correlations: One a judge.
        intervals: One a judge, over topics.
        ceiling: What a perfect judge can be expected to reach; None where that is not known.
        standard_errors: Of the difference of each pair of judges, shape (n_judges, n_judges).
        pvalues: Two-sided, of each pair alone; 1 on the diagonal.
        corrected: The same for all pairs together: any pair of equal judges has one of at most alpha with
            the chance alpha.
        clusters: The judges, parted where all above are significantly better than all below.
        may_be_best: Judges that no other one is significantly better than.
        alpha: The level, after correction.
        n_topics: The number of topics.
        n_resamples: Resamples of topics, which all judges share.
    """

    judges: Labels
    reference: str
    measure: str
    coefficient: str
    correlations: Floats = field(repr=False)
    intervals: tuple[ConfidenceInterval, ...] = field(repr=False)
    ceiling: Ceiling | None
    standard_errors: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    corrected: Floats = field(repr=False)
    clusters: tuple[Labels, ...]
    may_be_best: Labels
    alpha: float
    n_topics: int
    n_resamples: int
    _picture = "draw_judges"

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Row i, column j: whether judge i is significantly better than judge j."""
        ahead = self.correlations[:, np.newaxis] > self.correlations
        return np.asarray(ahead & (self.corrected <= self.alpha))

    def to_frame(self) -> pd.DataFrame:
        """One line a judge, unrounded."""
        name = column(self.coefficient)
        cluster = {judge: at for at, judges in enumerate(self.clusters, 1) for judge in judges}
        lines = [
            {
                "judge": judge,
                name: correlation,
                f"{name} low": interval.low,
                f"{name} high": interval.high,
                "cluster": cluster[judge],
                "may be best": judge in self.may_be_best,
                "better than": int(better),
                "worse than": int(worse),
            }
            for judge, correlation, interval, better, worse in zip(
                self.judges,
                self.correlations,
                self.intervals,
                self.significant.sum(axis=1),
                self.significant.sum(axis=0),
                strict=True,
            )
        ]
        return pd.DataFrame(lines)

    def pairs(self) -> pd.DataFrame:
        """One line a pair of judges, the better first: difference, its standard error, both p-values."""
        first, second = np.triu_indices(len(self.judges), k=1)
        return pd.DataFrame(
            {
                "better": [self.judges[at] for at in first],
                "worse": [self.judges[at] for at in second],
                "difference": self.correlations[first] - self.correlations[second],
                "standard_error": self.standard_errors[first, second],
                "pvalue": self.pvalues[first, second],
                "corrected": self.corrected[first, second],
            }
        )

    def texts(self) -> pd.DataFrame:
        """The table as people are shown it."""
        frame = self.to_frame()
        shown = map(with_interval, self.correlations, self.intervals)
        against_best = ["", *(pvalue(p) for p in self.corrected[0, 1:])]
        return pd.DataFrame(
            {
                "judge": frame["judge"],
                column(self.coefficient): list(shown),
                "p against the first": against_best,
                "cluster": frame["cluster"],
                "may be best": ["yes" if best else "" for best in frame["may be best"]],
            }
        )

    @property
    def note(self) -> str:
        """What was compared, and how."""
        ceiling = ""
        if self.ceiling is not None:
            value, low, high = self.ceiling
            ceiling = f" A perfect judge can be expected to reach {with_interval(value, (low, high))}."
        return (
            f"{self.measure} of judges against {self.reference}, {self.n_topics} topics.{ceiling} Judges differ "
            f"significantly where p <= {decimals(self.alpha)}, corrected for all {len(self.judges)} judges."
        )

    def _table(self) -> dict[str, list[str]]:
        return {str(name): list(map(str, texts)) for name, texts in self.texts().to_dict("list").items()}

    def _note(self) -> str:
        return self.note


def rank_judges(
    reference: ScoreMatrix,
    judges: Mapping[str, ScoreMatrix],
    coefficient: CoefficientLike,
    *,
    level: float,
    alpha: float,
    seed: int,
    n_jobs: int | None,
) -> JudgeRanking:
    """Judges whose scores are of the reference's systems on its topics; those that tie all systems are left out."""
    of = as_coefficient(coefficient)
    level, alpha = share("level", level), share("alpha", alpha)
    ranking = {name: scores for name, scores in judges.items() if len(set(scores.means)) > 1}
    if len(set(reference.means)) < 2 or len(ranking) < 2:
        raise ValueError(f"`judges` must be at least two that rank systems, as the reference does, got {len(ranking)}.")
    if left_out := judges.keys() - ranking:
        warnings.warn(
            f"Judges that tie all systems rank none, and are left out: {listing(left_out)}.",
            DegenerateInputWarning,
            stacklevel=level_of_the_caller(),
        )
    order = topic_order(reference.rows)
    trusted = np.ascontiguousarray(reference.rows[order])
    estimates = [np.ascontiguousarray(scores.rows[order]) for scores in ranking.values()]
    resampling: dict[str, Any] = {"n_resamples": CORRELATION_RESAMPLES, "seed": seed, "n_jobs": n_jobs}
    found = contests(trusted, estimates, of, **resampling)
    best = sorted(range(len(ranking)), key=lambda at: (-found.correlations[at], list(ranking)[at]))
    wanted = Wanted((of,), None, np.arange(reference.n_systems))
    errors = [correlation_errors(trusted, estimates[at], wanted, **resampling)[of.name] for at in best]
    names = tuple(list(ranking)[at] for at in best)
    correlations, grid = found.correlations[best], np.ix_(best, best)
    worse = (correlations[:, np.newaxis] > correlations) & (found.corrected[grid] <= alpha)
    return JudgeRanking(
        judges=names,
        reference=str(reference.measure),
        measure=" ".join(dict.fromkeys(str(scores.measure) for scores in ranking.values())),
        coefficient=of.name,
        correlations=correlations,
        intervals=tuple(error.confidence_interval(level) for error in errors),
        ceiling=ceilings(reference, level, seed, n_jobs).get(of.name),
        standard_errors=found.standard_errors[grid],
        pvalues=found.pvalues[grid],
        corrected=found.corrected[grid],
        clusters=tuple(tuple(names[at] for at in cluster) for cluster in clusters_of(worse)),
        may_be_best=tuple(
            name for name, beaten in zip(names, np.any(worse, axis=0).tolist(), strict=True) if not beaten
        ),
        alpha=alpha,
        n_topics=reference.n_topics,
        n_resamples=CORRELATION_RESAMPLES,
    )
