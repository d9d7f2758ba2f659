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
        judges: Their names.
        reference: The trusted measure.
        measure: The measure of the judges.
        coefficient: The coefficient of the agreement.
        correlations: The coefficients on these topics, one per judge.
        estimates: The coefficients in the topic population, one per judge: the median of draws of the true means.
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

    Args:
        collections: For each the reference, and the same judges with its systems and topics.
        coefficient, settings, n_jobs: As for `JudgeComparison`.
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
        found = []
        for reference, judges in collections:
            matrices = [judges[name] for name in ranking]
            trusted, *estimates = rows_by_topic_name(reference, matrices, shared=settings.shared)
            found.append(correlations_with(trusted, estimates, of, **how))
        return [mean_over_collections(of_judge, settings.seed) for of_judge in zip(*found, strict=True)]

    n_resamples = settings.drawn_by()["n_resamples"]
    n_draws = min(max(CELLS // math.comb(len(ranking), 2), n_resamples), RESAMPLES)
    rows = correlations(n_resamples)
    found = contests_of(rows if n_draws == n_resamples else correlations(n_draws))
    keys = [(-each.estimate, -each.low, name) for name, each in zip(ranking, rows, strict=True)]
    best = sorted(range(len(ranking)), key=keys.__getitem__)
    names, grid = tuple(ranking[at] for at in best), np.ix_(best, best)
    results = [rows[at] for at in best]
    measures = (str(judges[name].measure) for _, judges in collections for name in ranking)
    return JudgeRanking(
        judges=names,
        reference=" ".join(dict.fromkeys(str(reference.measure) for reference, _ in collections)),
        measure=" ".join(dict.fromkeys(measures)),
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
    shuffled = [child.permutation(each.draws) for child, each in zip(shuffles, results, strict=True)]
    draws = np.mean(shuffled, axis=0)
    return replace(
        results[0],
        statistic=float(np.mean([each.statistic for each in results])),
        **over_all_topics(draws, results[0].level)._asdict(),
        pvalue=math.nan,
        n_topics=sum(each.n_topics for each in results),
        n_systems=sum(each.n_systems for each in results),
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
        coefficient: The coefficient of the agreement.
        n_judges: The number of judges.
        level: The confidence level of the intervals.
        alpha: The level of the tests.
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
        variances = np.array([*(each.deviation for each in self.components), self.sampling_error]) ** 2
        return np.asarray(variances / variances.sum()) if variances.any() else variances

    def _rows(self) -> Table:
        nested = [" within ".join(self.factors[at::-1]) for at in range(len(self.factors))]
        values = [*(each.deviation for each in self.components), self.sampling_error]
        ends = [(each.low, each.high) for each in self.components]
        columns: tuple[Column[int], ...] = (
            listed("variation", WORD, [*nested, TOPIC_SAMPLING_ERROR]),
            listed("sd", NUMBER, values, f"sd of {self._of.title}", interval=[*ends, None].__getitem__),
            listed("share", PERCENT, self.shares, "share of variance"),
        )
        return Table(columns, range(len(nested) + 1))

    def _note(self) -> str:
        told = [
            f"{row['group']}: {row['may be best'] if row['told'] else 'none can be told from another'}."
            for row in self.best.to_dict("records")
        ]
        how = (
            f"{self.n_judges} judges; {self.level:.0%} intervals; {self._of.title} with the reference in the topic "
            f"population. Topic sampling error: the error of measuring {self._of.title} on these topics. A share of "
            "0% is an estimate: a deviation up to the end of its interval is possible."
        )
        return f"{how} May be best: {' '.join(told)}" if told else how


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
    found = correlations_with(trusted, estimates, of, n_jobs=n_jobs, **settings.drawn_by())
    draws = np.stack([each.draws for each in found])
    if np.isnan(draws).any():
        tied = [name for name, own in zip(judges, draws, strict=True) if np.isnan(own).any()]
        raise ValueError(f"`judges` must not tie all systems, but {listing(tied)} do.")
    for (name, scores), (other, others) in combinations(zip(judges, estimates, strict=True), 2):
        if np.array_equal(scores, others):
            raise ValueError(
                f"`judges` must differ, got the same scores from {listing([name, other])}: are these the same labels "
                "under two names? Leave one out."
            )
    sampling_error = np.cov(draws)
    nested = [table.groupby(list(table.columns[: at + 1]), sort=False).ngroup() for at in range(table.shape[1])]
    components = components_of(
        np.array([each.estimate for each in found]),
        sampling_error,
        [each.to_numpy() for each in nested],
        settings.level,
    )
    rows = []
    for group, own in table.groupby(table.columns[0], sort=False):
        members = [list(judges).index(name) for name in own.index]
        if len(members) > 1:
            best = contests_of([found[at] for at in members]).may_be_best(settings.alpha)
            told = in_a_sentence([name for name, may in zip(own.index, best, strict=True) if may])
            rows.append({"group": group, "n_judges": len(members), "may be best": told, "told": not best.all()})
    frame = pd.DataFrame(rows, columns=["group", "n_judges", "may be best", "told"])
    settled = of.name, len(judges), settings.level, settings.alpha, of
    return JudgeFamilies(
        tuple(map(str, table.columns)), tuple(components), sampling_error_between(sampling_error), frame, *settled
    )


def factor_table(factors: Any, judges: Sequence[str]) -> pd.DataFrame:
    """One row per judge, one column per factor: from a pattern with named groups, or a table.

    Raises:
        TypeError: If it is neither.
        ValueError: If a judge has no factors, or a factor has one group, or there are none.
    """
    if isinstance(factors, str):
        try:
            pattern = re.compile(factors)
        except re.error as error:
            raise ValueError(f"`factors` must be a regular expression, got {shown(factors)} ({error}).") from None
        fits = {name: pattern.search(name) for name in judges}
        found = {name: list(fit.groupdict("").values()) for name, fit in fits.items() if fit}
        table = pd.DataFrame.from_dict(found, orient="index", columns=list(pattern.groupindex))
    elif isinstance(factors, (pd.DataFrame, Mapping)):
        given = pd.DataFrame.from_dict(dict(factors), orient="index") if isinstance(factors, Mapping) else factors
        given = given.set_index("judge") if "judge" in given else given
        table = given.set_axis(given.index.map(str)).loc[lambda rows: rows.index.isin(judges)]
        table = table.astype(str).mask(table.isna(), "")
    else:
        raise TypeError(f"`factors` must be a pattern with named groups or a table, got {type(factors).__name__}.")
    if missing := set(judges) - set(table.index):
        raise ValueError(f"`factors` must have every judge, got none for {listing(missing)}.")
    if not table.index.is_unique:
        raise ValueError(
            f"`factors` must have each judge once, got several of {listing({*table.index[table.index.duplicated()]})}."
        )
    table = table.loc[list(judges)]
    if without := [name for name, empty in (table.apply(lambda of: of.str.strip()) == "").any(axis=1).items() if empty]:
        raise ValueError(f"`factors` must have a group of every judge, got an empty one of {listing(without)}.")
    if flat := [name for name in table if table[name].nunique() < 2]:
        raise ValueError(f"`factors` must differ between judges, got the same {listing(flat)} for all.")
    if table.shape[1] < 1 or len(table) < 3:
        raise ValueError(
            f"`factors` must have at least 1 factor of at least 3 judges, got {table.shape[1]} of {len(table)}."
        )
    return table
