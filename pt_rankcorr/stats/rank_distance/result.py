"""The result of a test of d_rank."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.numbers import is_borderline, p_equals
from pt_rankcorr.stats.core.arguments import share
from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.results import TestResult
from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.stats.rank_distance.kinds import Null
from pt_rankcorr.stats.rank_distance.nulls import upper_quantile
from pt_rankcorr.stats.rank_distance.reference import RankingsGiven
from pt_rankcorr.tables.kinds import COUNT, NUMBER, PVALUE
from pt_rankcorr.tables.table import Column, Table, facts, listed, of_values

AT_MOST_ALPHA = f"p <= {ALPHA:g}".replace("0.", ".")


@dataclass(frozen=True, eq=False)
class DRankResult(TestResult):
    """A d_rank, or several against one reference, with the p-value of the bootstrap test.

    Attributes:
        statistic: d_rank: 0 if the ranking is that of the reference's means, unbounded above; nan where the ranking or
            the reference ties all systems. A float, or an array of shape (k,) for k rankings.
        pvalue: 200/l, if the l-th resample is the 200th that is at least as far as the statistic; (b + 1)/(B + 1), if
            only b of all B are. It has the shape of the statistic.
        pvalue_standard_error: The Monte Carlo standard error of the p-value p: sqrt(p (1 - p)/n_used).
        n_used: The number of resamples that the p-value took, l or B; 0 where it is undefined.
        n_resamples: B, the largest number of resamples.
        null: Which null hypothesis: see `DRankTest`.
        covariance: How the covariance of systems was estimated.
        ridge: The addition to the variances of differences, in the square of the scores' unit.
        n_topics: The number of topics of the reference.
        n_systems: The number of ranked systems.
        fallbacks: The number of distances for the p-value that only quadprog, the slowest of three solvers, could find.
    """

    statistic: float | Floats  # type: ignore[assignment]
    pvalue: float | Floats  # type: ignore[assignment]
    pvalue_standard_error: float | Floats
    n_used: int | Indices
    n_resamples: int
    null: str
    covariance: str
    ridge: float
    n_topics: int
    n_systems: int
    fallbacks: int
    _null: Null = field(repr=False, compare=False)
    _rankings: RankingsGiven = field(repr=False, compare=False)

    @cached_property
    def null_distribution(self) -> Floats:
        """The B distances under the null hypothesis, read-only; of shape (k, B) where each of k rankings has its own.

        All of them are computed on first use, from the same resamples as the p-value.
        """
        return self._null.distribution(self._rankings)

    def _answer(self) -> str:
        """Whether the ranking could be the true one by the reference, at the usual level; of several, how many not."""
        pvalues = np.atleast_1d(self.pvalue)
        if pvalues.size > 1:
            n_different = int((pvalues <= ALPHA).sum())
            true = "rankings are significantly different from the true ranking by the reference"
            return f"{n_different} of {pvalues.size} {true} ({AT_MOST_ALPHA})."
        pvalue, found = float(pvalues[0]), float(np.atleast_1d(self.statistic)[0])
        if math.isnan(pvalue):
            return "Whether the ranking could be the true one is undefined: it or the reference ties all systems."
        if found == 0.0:
            return "The ranking is that of the reference."
        said = p_equals(pvalue)
        if is_borderline(pvalue, float(np.atleast_1d(self.pvalue_standard_error)[0]), ALPHA):
            undecided = "too near .05 to say whether the ranking could be the true one"
            return f"{said} is {undecided}: other resamples may decide otherwise."
        differs = pvalue <= ALPHA
        could = "is significantly different from" if differs else "could be"
        explain = "does not explain" if differs else "may explain"
        return (
            f"The ranking {could} the true ranking by the reference ({said}): the choice of {self.n_topics} topics "
            f"{explain} why the reference ranks otherwise."
        )

    def _facts(self) -> tuple[Column[Any], ...]:
        titles = {"statistic": "d_rank", "pvalue": "p-value", "pvalue_standard_error": "standard error of p"}
        titles |= {"n_systems": "systems", "n_topics": "topics"}
        known = {column.name: column for column in facts(self.to_dict())}
        others = known.keys() - titles
        return (
            *(replace(known[name], title=title) for name, title in titles.items()),
            *(replace(column, shown=False) for name, column in known.items() if name in others),
        )

    def _note(self) -> str:
        return f"Null {self.null}; covariance {self.covariance}; {self.n_resamples} resamples."

    def _rows(self) -> Table | None:
        """One row per ranking, if there are several."""
        if np.ndim(self.statistic) == 0:
            return None
        error = listed("standard error of p", NUMBER, np.asarray(self.pvalue_standard_error))
        numbers = {NUMBER: {"d_rank": np.asarray(self.statistic)}, PVALUE: {"p-value": np.asarray(self.pvalue)}}
        return of_values({COUNT: {"ranking": range(1, np.size(self.statistic) + 1)}, **numbers}).followed_by(error)

    def critical_value(self, alpha: float = ALPHA) -> float | Floats:
        """The distance beyond which (b + 1)/(B + 1) <= alpha, between 0 and 1; an array if each ranking has a null.

        It is infinite if there are too few resamples for any p-value to reach alpha.
        """
        level = share("alpha", alpha)
        if self.null_distribution.ndim == 1:
            return upper_quantile(self.null_distribution, level)
        return np.array([upper_quantile(distances, level) for distances in self.null_distribution])
