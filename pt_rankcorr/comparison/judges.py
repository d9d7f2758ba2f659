"""Which judge is better? Judges in order, each pair tested over the same resamples of topics."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison._per_case import CORRELATION_RESAMPLES
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.numbers import decimals
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.difference import clusters_of, contests
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.tables.kinds import COEFFICIENT, COUNT, FLAG, PVALUE, WORD
from pt_rankcorr.tables.table import Column, Table, listed
from pt_rankcorr.warnings import DegenerateInputWarning, level_of_the_caller

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class JudgeRanking(Result):
    """Judges in the order of their agreement with a reference over all topics, the best first.

    Attributes:
        judges: Their names.
        reference: The trusted measure.
        measure: The measure of the judges.
        coefficient: The coefficient of the agreement.
        correlations: The coefficients on these topics, one per judge.
        estimates: The coefficients over all topics, one per judge: the median of draws of the true means.
        intervals: The intervals of these, one per judge.
        standard_errors: The standard error of the difference of each pair of judges, shape (n_judges, n_judges).
        pvalues: Two-sided p-values, of each pair alone; 1 on the diagonal.
        corrected: The same for all pairs together: the chance that any pair of equal judges has a p-value of at most
            alpha is alpha.
        clusters: The judges, split where all above are significantly better than all below.
        may_be_best: Judges that are first in more than alpha / n_judges of the draws.
        alpha: The level, after correction.
        level: The confidence level of the intervals.
        n_topics: The number of topics.
        n_resamples: The number of draws of the true means.
    """

    judges: Labels
    reference: str
    measure: str
    coefficient: str
    correlations: Floats = field(repr=False)
    estimates: Floats = field(repr=False)
    intervals: tuple[ConfidenceInterval, ...] = field(repr=False)
    standard_errors: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    corrected: Floats = field(repr=False)
    clusters: tuple[Labels, ...]
    may_be_best: Labels
    alpha: float
    level: float
    n_topics: int
    n_resamples: int
    _of: Coefficient = field(repr=False, compare=False)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Row i, column j: whether judge i is significantly better than judge j."""
        ahead = self.estimates[:, np.newaxis] > self.estimates
        return np.asarray(ahead & (self.corrected <= self.alpha))

    def cluster_of(self, judge: str) -> int:
        """The number of the cluster of a judge, from 1."""
        return next(at for at, judges in enumerate(self.clusters, 1) if judge in judges)

    def pairs(self) -> pd.DataFrame:
        """One line per pair of judges, the better first: difference, its standard error, both p-values."""
        first, second = np.triu_indices(len(self.judges), k=1)
        return pd.DataFrame(
            {
                "better": [self.judges[at] for at in first],
                "worse": [self.judges[at] for at in second],
                "difference": self.estimates[first] - self.estimates[second],
                "standard_error": self.standard_errors[first, second],
                "pvalue": self.pvalues[first, second],
                "corrected": self.corrected[first, second],
            }
        )

    def _rows(self) -> Table:
        """One line per judge."""
        name, title, symbol = self._of.column, self._of.title, self._of.symbol
        clusters = [self.cluster_of(judge) for judge in self.judges]
        best = [judge in self.may_be_best for judge in self.judges]
        first = ["", *self.corrected[0, 1:]]
        columns = (
            listed("judge", WORD, self.judges),
            listed(name, COEFFICIENT, list(self.correlations), title, symbol=symbol),
            Column(
                f"{name} estimate",
                f"{title} over all topics [{self.level:.0%}]",
                COEFFICIENT,
                self.estimates.__getitem__,
                self.intervals.__getitem__,
                ends=(f"{name} low", f"{name} high"),
                symbol=f"{symbol} over all topics [{self.level:.0%}]",
            ),
            listed("against the first", PVALUE, first, "p against the first", machine=False),
            listed("cluster", COUNT, clusters),
            Column("may be best", "may be best", FLAG, best.__getitem__, strong=best.__getitem__),
            listed("better than", COUNT, self.significant.sum(axis=1), shown=False),
            listed("worse than", COUNT, self.significant.sum(axis=0), shown=False),
        )
        return Table(columns, range(len(self.judges)))

    @property
    def note(self) -> str:
        """What was compared, and how."""
        return (
            f"{self.measure} of judges against {self.reference}, {self.n_topics} topics; {self.level:.0%} intervals. "
            f"Judges differ significantly where p <= {decimals(self.alpha)}, corrected for all {len(self.judges)} "
            f"judges. May be best: those that are best in more than {decimals(self.alpha)}/{len(self.judges)} of draws."
        )

    def _note(self) -> str:
        return self.note


def rank_judges(
    reference: ScoreMatrix,
    judges: Mapping[str, ScoreMatrix],
    coefficient: CoefficientLike,
    settings: Settings,
    n_jobs: int | None,
) -> JudgeRanking:
    """Orders judges, all with the reference's systems and topics; those that tie all systems are left out."""
    of, alpha = as_coefficient(coefficient), settings.alpha
    ranking = {name: scores for name, scores in judges.items() if len(set(scores.means)) > 1}
    if len(set(reference.means)) < 2 or len(ranking) < 2:
        raise ValueError(
            f"`judges` must be at least 2 that do not tie all systems, nor may the reference, got {len(ranking)}."
        )
    if left_out := judges.keys() - ranking:
        warnings.warn(
            f"Judges that tie all systems are left out: {listing(left_out)}.",
            DegenerateInputWarning,
            stacklevel=level_of_the_caller(),
        )
    trusted, estimates = reference.rows, [scores.rows for scores in ranking.values()]
    how: dict[str, Any] = {"n_resamples": CORRELATION_RESAMPLES, "n_jobs": n_jobs, **settings.drawn_by()}
    found = contests(trusted, estimates, of, **how)
    keys = [(-each.estimate, -each.low, name) for name, each in zip(ranking, found.results, strict=True)]
    best = sorted(range(len(ranking)), key=keys.__getitem__)
    names, grid = tuple(list(ranking)[at] for at in best), np.ix_(best, best)
    results = [found.results[at] for at in best]
    return JudgeRanking(
        judges=names,
        reference=str(reference.measure),
        measure=" ".join(dict.fromkeys(str(scores.measure) for scores in ranking.values())),
        coefficient=of.name,
        correlations=np.array([each.statistic for each in results]),
        estimates=np.array([each.estimate for each in results]),
        intervals=tuple(ConfidenceInterval(each.low, each.high) for each in results),
        standard_errors=found.standard_errors[grid],
        pvalues=found.pvalues[grid],
        corrected=found.corrected[grid],
        clusters=tuple(tuple(names[at] for at in own) for own in clusters_of(found.better(alpha)[grid])),
        may_be_best=tuple(names[at] for at in np.flatnonzero(found.may_be_best(alpha)[best])),
        alpha=alpha,
        level=settings.level,
        n_topics=reference.n_topics,
        n_resamples=CORRELATION_RESAMPLES,
        _of=of,
    )
