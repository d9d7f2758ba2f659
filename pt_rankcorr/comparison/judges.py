"""Which judge is better, by how much do families of judges differ, and how much of it is topic sampling error?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.table import Settings
from pt_rankcorr.defaults import RESAMPLES
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.correlation import CorrelationResult, over_all_topics, rows_by_topic_name
from pt_rankcorr.stats.accuracy.difference import clusters_of, contests_of, correlations_with
from pt_rankcorr.stats.accuracy.families import FactorDeviation, components_of, sampling_error_between
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.tables import COEFFICIENT, COUNT, FLAG, NUMBER, PERCENT, PVALUE, WORD, Column, Table, listed
from pt_rankcorr.text import decimals, in_a_sentence, shown
from pt_rankcorr.warnings import DegenerateInputWarning, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOPIC_SAMPLING_ERROR = "topic sampling error"
CELLS = 2**22  # of draws by pairs of judges, which fit in memory


@dataclass(frozen=True, eq=False)
class JudgeRanking(Result):
    """Judges in the order of their agreement with a reference in the topic population, the best first.

    Attributes:
        reference, measure: The trusted measure, and that of the judges.
        correlations: The coefficients on these topics, one per judge.
        estimates, intervals: Those in the topic population, medians of draws of the true means, with intervals.
        standard_errors: The standard error of the difference of each pair of judges, shape (n_judges, n_judges).
        pvalues: Two-sided p-values, of each pair alone; 1 on the diagonal.
        corrected: The same for all pairs together: the chance that any pair of equal judges has a p-value of at most
            alpha is alpha.
        clusters: The judges, split where all above are significantly better than all below.
        may_be_best: Judges that are first in more than alpha / n_judges of the draws.
        alpha, level: The level of the tests, after correction, and the confidence level of the intervals.
        n_resamples: The number of draws of the true means that decide: fewer where judges are many.
        n_collections: The number of collections, over which all numbers are means, each counting equally.
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
    n_collections: int
    _of: Coefficient = field(repr=False, compare=False)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Row i, column j: whether judge i is significantly better than judge j."""
        ahead = self.estimates[:, np.newaxis] > self.estimates
        return np.asarray(ahead & (self.corrected <= self.alpha))

    def cluster_of(self, judge: str) -> int:
        """The number of the cluster of a judge, from 1."""
        return next(index for index, judges in enumerate(self.clusters, 1) if judge in judges)

    def pairs(self) -> pd.DataFrame:
        """One line per pair of judges, the better first: difference, its standard error, both p-values."""
        first, second = np.triu_indices(len(self.judges), k=1)
        return pd.DataFrame(
            {
                "better": [self.judges[index] for index in first],
                "worse": [self.judges[index] for index in second],
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
        against = [math.nan, *self.corrected[0, 1:]]
        texts = ["", *PVALUE.texts(against[1:])]
        columns = (
            listed("judge", WORD, self.judges),
            listed(name, COEFFICIENT, list(self.correlations), title, symbol=symbol),
            Column(
                f"{name} estimate",
                f"population {title} [{self.level:.0%}]",
                COEFFICIENT,
                self.estimates.__getitem__,
                self.intervals.__getitem__,
                ends=(f"{name} low", f"{name} high"),
                symbol=f"population {symbol} [{self.level:.0%}]",
            ),
            listed("p against the first", PVALUE, against, text=texts.__getitem__),
            listed("cluster", COUNT, clusters),
            Column("may be best", "may be best", FLAG, best.__getitem__, strong=best.__getitem__),
            listed("better than", COUNT, self.significant.sum(axis=1), shown=False),
            listed("worse than", COUNT, self.significant.sum(axis=0), shown=False),
        )
        return Table(columns, range(len(self.judges)))

    @property
    def note(self) -> str:
        """What was compared, and how."""
        several = f" in {self.n_collections} collections, of which each counts equally" * (self.n_collections > 1)
        return (
            f"{self.measure} of judges against {self.reference}, {self.n_topics} topics{several}; {self.level:.0%} "
            "intervals. "
            f"Judges differ significantly where p <= {decimals(self.alpha)}, corrected for all {len(self.judges)} "
            f"judges. May be best: those that are best in more than {decimals(self.alpha)}/{len(self.judges)} of "
            f"{self.n_resamples} draws."
        )

    def _note(self) -> str:
        return self.note


def rank_judges(
    collections: Sequence[tuple[ScoreMatrix, Mapping[str, ScoreMatrix]]],
    coefficient: CoefficientLike,
    settings: Settings,
    n_jobs: int | None,
) -> JudgeRanking:
    """Orders judges by their mean over collections; those that tie all systems are left out.

    Each collection has the reference, and the same judges with its systems and topics.
    """
    of, alpha = as_coefficient(coefficient), settings.alpha
    every = list(collections[0][1])
    ranking = [name for name in every if all(len(set(judges[name].means)) > 1 for _, judges in collections)]
    if any(len(set(reference.means)) < 2 for reference, _ in collections) or len(ranking) < 2:
        raise ValueError(
            f"`judges` must be at least 2 that do not tie all systems, nor may the reference, got {len(ranking)}."
        )
    if left_out := set(every) - set(ranking):
        warn(f"Judges that tie all systems are left out: {listing(left_out)}.", DegenerateInputWarning)

    def correlations(n_resamples: int) -> list[CorrelationResult]:
        how = {**settings.drawn_by(), "n_resamples": n_resamples, "n_jobs": n_jobs}
        of_collections = []
        for reference, judges in collections:
            matrices = [judges[name] for name in ranking]
            trusted, *estimates = rows_by_topic_name(reference, matrices, shared=settings.shared)
            of_collections.append(correlations_with(trusted, estimates, of, **how))
        return [mean_over_collections(of_judge, settings.seed) for of_judge in zip(*of_collections, strict=True)]

    n_resamples = settings.drawn_by()["n_resamples"]
    n_draws = min(max(CELLS // math.comb(len(ranking), 2), n_resamples), RESAMPLES)
    results = correlations(n_resamples)
    contests = contests_of(results if n_draws == n_resamples else correlations(n_draws))
    keys = [(-result.estimate, -result.low, name) for name, result in zip(ranking, results, strict=True)]
    order = sorted(range(len(ranking)), key=keys.__getitem__)
    results, names = [results[index] for index in order], tuple(ranking[index] for index in order)
    grid = np.ix_(order, order)
    measures = (str(judges[name].measure) for _, judges in collections for name in ranking)
    return JudgeRanking(
        judges=names,
        reference=" ".join(dict.fromkeys(str(reference.measure) for reference, _ in collections)),
        measure=" ".join(dict.fromkeys(measures)),
        coefficient=of.name,
        correlations=np.array([result.statistic for result in results]),
        estimates=np.array([result.estimate for result in results]),
        intervals=tuple(ConfidenceInterval(result.low, result.high) for result in results),
        standard_errors=contests.standard_errors[grid],
        pvalues=contests.pvalues[grid],
        corrected=contests.corrected[grid],
        clusters=tuple(tuple(names[index] for index in own) for own in clusters_of(contests.better(alpha)[grid])),
        may_be_best=tuple(names[index] for index in np.flatnonzero(contests.may_be_best(alpha)[order])),
        alpha=alpha,
        level=settings.level,
        n_topics=sum(reference.n_topics for reference, _ in collections),
        n_resamples=n_draws,
        n_collections=len(collections),
        _of=of,
    )


def mean_over_collections(results: Sequence[CorrelationResult], seed: int) -> CorrelationResult:
    """The mean coefficient, each collection counting equally, over the draws of all of them.

    One seed gives two collections the same random numbers, but their topics are independent samples. So the draws of
    each are shuffled, for all judges in one way.
    """
    if len(results) == 1:
        return results[0]
    shuffles = np.random.default_rng(seed).spawn(len(results))
    shuffled = [child.permutation(result.draws) for child, result in zip(shuffles, results, strict=True)]
    draws = np.mean(shuffled, axis=0)
    return replace(
        results[0],
        statistic=float(np.mean([result.statistic for result in results])),
        **over_all_topics(draws, results[0].level)._asdict(),
        pvalue=math.nan,
        n_topics=sum(result.n_topics for result in results),
        n_systems=sum(result.n_systems for result in results),
        n_undefined=int(np.isnan(draws).sum()),
        draws=draws,
    )


# --- families -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class JudgeFamilies(Result):
    """How much the agreement with the reference varies between families of judges, and by topic sampling error.

    Attributes:
        factors: The factors of judges, such as model and prompt; each is within those before.
        components: For each factor, the standard deviation of the true coefficient, with an interval.
        sampling_error: The standard deviation that topic sampling error gives judges that agree equally well.
        best: One row per group of the first factor with several judges: the judges that may be its best, and
            whether none can be told from another.
    """

    factors: Labels
    components: tuple[FactorDeviation, ...]
    sampling_error: float
    best: pd.DataFrame = field(repr=False, compare=False)
    coefficient: str
    n_judges: int
    level: float
    alpha: float
    _of: Coefficient = field(repr=False, compare=False)

    @property
    def shares(self) -> Floats:
        """The shares of each factor, and of sampling error, in the variance of measured coefficients."""
        variances = np.array([*(factor.deviation for factor in self.components), self.sampling_error]) ** 2
        return np.asarray(variances / variances.sum()) if variances.any() else variances

    def _rows(self) -> Table:
        nested = [" within ".join(self.factors[index::-1]) for index in range(len(self.factors))]
        values = [*(factor.deviation for factor in self.components), self.sampling_error]
        ends = [(factor.low, factor.high) for factor in self.components]
        columns: tuple[Column[int], ...] = (
            listed("variation", WORD, [*nested, TOPIC_SAMPLING_ERROR]),
            listed("sd", NUMBER, values, f"sd of {self._of.title}", interval=[*ends, None].__getitem__),
            listed("share", PERCENT, self.shares, "share of variance"),
        )
        return Table(columns, range(len(nested) + 1))

    def _note(self) -> str:
        best = [
            f"{row['group']}: {row['may be best'] if row['told'] else 'none can be told from another'}."
            for row in self.best.to_dict("records")
        ]
        how = (
            f"{self.n_judges} judges; {self.level:.0%} intervals; {self._of.title} with the reference in the topic "
            f"population. Topic sampling error: the error of measuring {self._of.title} on these topics. A share of "
            "0% is an estimate: a deviation up to the end of its interval is possible."
        )
        return f"{how} May be best: {' '.join(best)}" if best else how


def judge_families(
    reference: ScoreMatrix,
    judges: Mapping[str, ScoreMatrix],
    factors: Any,
    coefficient: CoefficientLike,
    settings: Settings,
    n_jobs: int | None,
) -> JudgeFamilies:
    """The variation between judges, all with the reference's systems and topics."""
    of, table = as_coefficient(coefficient), factor_table(factors, list(judges))
    trusted, *estimates = rows_by_topic_name(reference, judges.values(), shared=settings.shared)
    results = correlations_with(trusted, estimates, of, n_jobs=n_jobs, **settings.drawn_by())
    draws = np.stack([result.draws for result in results])
    if np.isnan(draws).any():
        tied = [name for name, of_judge in zip(judges, draws, strict=True) if np.isnan(of_judge).any()]
        raise ValueError(f"`judges` must not tie all systems, but {listing(tied)} do.")
    for (name, scores), (other, others) in combinations(zip(judges, estimates, strict=True), 2):
        if np.array_equal(scores, others):
            raise ValueError(
                f"`judges` must differ, got the same scores from {listing([name, other])}: are these the same labels "
                "under two names? Leave one out."
            )
    nested = [table.groupby(list(table.columns[: index + 1]), sort=False).ngroup() for index in range(table.shape[1])]
    estimate, sampling_error = np.array([result.estimate for result in results]), np.cov(draws)
    components = components_of(estimate, sampling_error, [groups.to_numpy() for groups in nested], settings.level)
    best = []
    for group, own in table.groupby(table.columns[0], sort=False):
        if len(own) > 1:
            members = [list(judges).index(name) for name in own.index]
            may_be_best = contests_of([results[index] for index in members]).may_be_best(settings.alpha)
            names = [name for name, may in zip(own.index, may_be_best, strict=True) if may]
            best.append((group, len(own), in_a_sentence(names), not may_be_best.all()))
    return JudgeFamilies(
        factors=tuple(map(str, table.columns)),
        components=tuple(components),
        sampling_error=sampling_error_between(sampling_error),
        best=pd.DataFrame(best, columns=["group", "n_judges", "may be best", "told"]),
        coefficient=of.name,
        n_judges=len(judges),
        level=settings.level,
        alpha=settings.alpha,
        _of=of,
    )


def factor_table(factors: Any, judges: Sequence[str]) -> pd.DataFrame:
    """One row per judge, one column per factor: from a pattern with named groups, or a table."""
    if isinstance(factors, str):
        try:
            pattern = re.compile(factors)
        except re.error as error:
            raise ValueError(f"`factors` must be a regular expression, got {shown(factors)} ({error}).") from None
        matches = {name: match for name in judges if (match := pattern.search(name))}
        rows = {name: list(match.groupdict("").values()) for name, match in matches.items()}
        table = pd.DataFrame.from_dict(rows, orient="index", columns=list(pattern.groupindex))
    elif isinstance(factors, (pd.DataFrame, Mapping)):
        table = pd.DataFrame.from_dict(dict(factors), orient="index") if isinstance(factors, Mapping) else factors
        table = table.set_index("judge") if "judge" in table else table
        table = table.set_axis(table.index.map(str)).loc[lambda rows: rows.index.isin(judges)]
        table = table.astype(str).mask(table.isna(), "")
    else:
        raise TypeError(f"`factors` must be a pattern with named groups or a table, got {type(factors).__name__}.")
    is_empty = (table.apply(lambda column: column.str.strip()) == "").any(axis=1)
    if missing := set(judges) - set(table.index[~is_empty]):
        raise ValueError(f"`factors` must have a group of every judge, got none for {listing(missing)}.")
    if repeated := {*table.index[table.index.duplicated()]}:
        raise ValueError(f"`factors` must have each judge once, got several of {listing(repeated)}.")
    table = table.loc[list(judges)]
    if flat := [name for name in table if table[name].nunique() < 2]:
        raise ValueError(f"`factors` must differ between judges, got the same {listing(flat)} for all.")
    if table.shape[1] < 1 or len(table) < 3:
        raise ValueError(
            f"`factors` must have at least 1 factor of at least 3 judges, got {table.shape[1]} of {len(table)}."
        )
    return table
