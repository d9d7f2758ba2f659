"""Judges beyond their rows: which is better, by how much do families of judges differ, and is a judge biased?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.bias import JudgeBias, judge_bias
from pt_rankcorr.comparison.table import Comparison, RankingAgreement, population_column
from pt_rankcorr.comparison.table import Settings as Settings  # of a field
from pt_rankcorr.defaults import RESAMPLES
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.judgments.labels import LabelHygiene
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy import correlation, difference
from pt_rankcorr.stats.accuracy.difference import FactorDeviation, components_of, sampling_error_between
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import check_distinct, listing
from pt_rankcorr.stats.core.types import ConfidenceInterval, Flags, Floats, Labels, Result
from pt_rankcorr.tables import COEFFICIENT, COUNT, FLAG, NUMBER, PERCENT, PVALUE, WORD, Column, Table, listed
from pt_rankcorr.text import decimals, in_a_sentence, shown
from pt_rankcorr.warnings import DegenerateInputWarning, warn

ALIKE = " Each judge has another one: `read_scores(file, measure=...)` gives all the same name."
CELLS = 2**22  # of draws by pairs of judges, which fit in memory
Sides: TypeAlias = tuple[ScoreMatrix, dict[str, ScoreMatrix]]  # the scores by the reference, and of each judge


@dataclass(frozen=True, eq=False)
class JudgeRanking(Result):
    """Judges in the order of their agreement with a reference in the topic population, the best first.

    Attributes:
        reference, measure: The trusted measure, and that of the judges.
        correlations: The coefficients on these topics, one per judge.
        estimates, intervals: Those in the topic population, medians of draws of the true means, with intervals.
        standard_errors: The standard error of the difference of each pair of judges, shape (n_judges, n_judges).
        pvalues, corrected: Two-sided p-values, of each pair alone, and corrected for all; 1 on the diagonal.
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
    def significant(self) -> Flags:
        """Row i, column j: whether judge i is significantly better than judge j."""
        ahead = self.estimates[:, np.newaxis] > self.estimates
        return np.asarray(ahead & (self.corrected <= self.alpha))

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
        names = name, title, symbol = self._of.column, self._of.title, self._of.symbol
        cluster = {judge: number for number, judges in enumerate(self.clusters, 1) for judge in judges}
        best = [judge in self.may_be_best for judge in self.judges]
        against = [math.nan, *self.corrected[0, 1:]]
        texts = ["", *PVALUE.texts(against[1:])]
        columns = (
            listed("judge", WORD, self.judges),
            listed(name, COEFFICIENT, list(self.correlations), title, symbol=symbol),
            population_column(names, self.level, self.estimates.__getitem__, self.intervals.__getitem__),
            listed("p against the first", PVALUE, against, text=texts.__getitem__),
            listed("cluster", COUNT, [cluster[judge] for judge in self.judges]),
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


def mean_over_collections(results: Sequence[correlation.CorrelationResult], seed: int) -> correlation.CorrelationResult:
    """The mean coefficient, each collection counting equally, over the draws of all of them."""
    if len(results) == 1:
        return results[0]
    # one seed gives two collections the same random numbers, but their topics are independent samples
    shuffles = np.random.default_rng(seed).spawn(len(results))
    shuffled = [child.permutation(result.draws) for child, result in zip(shuffles, results, strict=True)]
    draws = np.mean(shuffled, axis=0)
    return replace(
        results[0],
        statistic=float(np.mean([result.statistic for result in results])),
        **correlation.over_all_topics(draws, results[0].level)._asdict(),
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
        best: One row per group of the first factor with several judges: the judges that may be its best.
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
            listed("variation", WORD, [*nested, "topic sampling error"]),
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


def factor_table(factors: Any, judges: Sequence[str]) -> pd.DataFrame:
    """One row per judge, one column per factor: from a pattern with named groups, or a table."""
    if isinstance(factors, str):
        try:
            rows = {name: match.groupdict("") for name in judges if (match := re.search(factors, name))}
        except re.error as error:
            raise ValueError(f"`factors` must be a regular expression, got {shown(factors)} ({error}).") from None
        table = pd.DataFrame.from_dict(rows, orient="index")
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
    check_distinct([*table.index], "factors", "have each judge once")
    table = table.loc[list(judges)]
    if flat := [name for name in table if table[name].nunique() < 2]:
        raise ValueError(f"`factors` must differ between judges, got the same {listing(flat)} for all.")
    if table.shape[1] < 1 or len(table) < 3:
        size = f"{table.shape[1]} of {len(table)}"
        raise ValueError(f"`factors` must have at least 1 factor of at least 3 judges, got {size}.")
    return table


# --- the questions --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgesCompared(Comparison):
    """Judges compared with a reference, on one collection or several."""

    def judges(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        alpha: float | None = None,
        n_jobs: int | None = None,
    ) -> JudgeRanking:
        """Judges in the order of their agreement with the reference in the topic population, each pair tested.

        The null hypothesis of a test: two judges agree equally well with the reference in the topic population, or, for
        several collections, on average over these. The test uses draws of the true means, over the same resampled
        topics. The p-values of all pairs are corrected together, by the stepwise test of the largest studentised
        difference.

        Args:
            measure, reference: The measures of the judges and of the reference, if rows have several.
            coefficient: The name of a coefficient, or a `stats.Coefficient`.
            alpha: The level after correction; by default that of the comparison.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            The judges, best first, with significantly different clusters, and the judges that may be the best.

        References:
            Romano and Wolf, "Stepwise multiple testing as formalized data snooping", Econometrica 73, 2005.
        """
        of, collections = as_coefficient(coefficient), self._sides(reference, measure)
        settings = self.settings if alpha is None else replace(self.settings, alpha=alpha)
        every = list(collections[0][1])
        ranking = [name for name in every if all(len(set(judges[name].means)) > 1 for _, judges in collections)]
        if any(len(set(trusted.means)) < 2 for trusted, _ in collections) or len(ranking) < 2:
            rule = "`judges` must be at least 2 that do not tie all systems, nor may the reference"
            raise ValueError(f"{rule}, got {len(ranking)}.")
        if left_out := set(every) - set(ranking):
            warn(f"Judges that tie all systems are left out: {listing(left_out)}.", DegenerateInputWarning)

        def correlations(n_resamples: int) -> list[correlation.CorrelationResult]:
            how = {**settings.drawn_by(), "n_resamples": n_resamples, "n_jobs": n_jobs}
            of_collections = []
            for trusted, judges in collections:
                matrices = [judges[name] for name in ranking]
                rows_of_trusted, *estimates = correlation.rows_by_topic_name(trusted, matrices, shared=settings.shared)
                of_collections.append(difference.correlations_with(rows_of_trusted, estimates, of, **how))
            return [mean_over_collections(of_judge, settings.seed) for of_judge in zip(*of_collections, strict=True)]

        n_resamples = settings.drawn_by()["n_resamples"]
        n_draws = min(max(CELLS // math.comb(len(ranking), 2), n_resamples), RESAMPLES)
        results = correlations(n_resamples)
        contests = difference.contests_of(results if n_draws == n_resamples else correlations(n_draws))
        keys = [(-result.estimate, -result.low, name) for name, result in zip(ranking, results, strict=True)]
        order = sorted(range(len(ranking)), key=keys.__getitem__)
        results, names = [results[index] for index in order], tuple(ranking[index] for index in order)
        grid = np.ix_(order, order)
        clusters = difference.clusters_of(contests.better(settings.alpha)[grid])
        measures = (str(judges[name].measure) for _, judges in collections for name in ranking)
        return JudgeRanking(
            judges=names,
            reference=" ".join(dict.fromkeys(str(trusted.measure) for trusted, _ in collections)),
            measure=" ".join(dict.fromkeys(measures)),
            coefficient=of.name,
            correlations=np.array([result.statistic for result in results]),
            estimates=np.array([result.estimate for result in results]),
            intervals=tuple(ConfidenceInterval(result.low, result.high) for result in results),
            standard_errors=contests.standard_errors[grid],
            pvalues=contests.pvalues[grid],
            corrected=contests.corrected[grid],
            clusters=tuple(tuple(names[index] for index in cluster) for cluster in clusters),
            may_be_best=tuple(names[index] for index in np.flatnonzero(contests.may_be_best(settings.alpha)[order])),
            alpha=settings.alpha,
            level=settings.level,
            n_topics=sum(trusted.n_topics for trusted, _ in collections),
            n_resamples=n_draws,
            n_collections=len(collections),
            _of=of,
        )

    def _sides(self, reference: object, measure: object) -> list[Sides]:
        """For each collection the reference, and the judges that are in all of them."""
        raise NotImplementedError


@dataclass(frozen=True)
class JudgeComparison(JudgesCompared):
    """Judges compared with a reference: a sequence of `RankingAgreement`, by pair of measures and judge.

    A judge is a leaderboard, or a set of judgments under which the runs were evaluated.

    Attributes:
        reference, others: The trusted scores, and judge -> its scores, of the runs and topics in use.
        dropped_topics, dropped_systems: Topics and runs that were left out, as not all sides have them.
        failed: Judge -> why it could not be used.
        hygiene: A table of the faults of judges' labels, if judges are sets of judgments.
    """

    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    dropped_systems: Labels
    failed: Mapping[str, str] = field(default_factory=dict)
    hygiene: LabelHygiene | None = field(default=None, repr=False)
    groups: Mapping[str, object] | None = field(default=None, repr=False)

    def families(
        self,
        factors: object,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeFamilies:
        r"""How much judges that are model x prompt x repetition differ by each of these, and by topic sampling error.

        The true coefficients are assumed normal: a mean, a deviation for each group of a factor, and the sampling
        error of topics. Standard deviations maximise the restricted likelihood; intervals come from its profile. In
        simulations of normal coefficients 95% intervals covered .92 to 1.00 with 4 to 8 models of 3 or 4 prompts,
        and .88 between 3 models (120 samples per cell).

        Args:
            factors: A pattern with named groups that is found in the names of judges, such as
                ``r"(?P<model>\w+)-(?P<prompt>\w+)"``; or a table, judge -> factor -> value, or a frame with one row per
                judge, named by its index or in the column "judge". The first factor contains the others: prompts are
                compared within a model.
            measure, coefficient, reference, n_jobs: As for `judges`.

        Returns:
            A table with one row per factor and one for topic sampling error, and `best`: for each model the judges that
            may be its best.

        References:
            Patterson and Thompson, "Recovery of inter-block information when block sizes are unequal", Biometrika 58,
            1971 (restricted likelihood).
        """
        ((trusted, judges),), settings = self._sides(reference, measure), self.settings
        of, table = as_coefficient(coefficient), factor_table(factors, list(judges))
        rows, *estimates = correlation.rows_by_topic_name(trusted, judges.values(), shared=settings.shared)
        results = difference.correlations_with(rows, estimates, of, n_jobs=n_jobs, **settings.drawn_by())
        draws = np.stack([result.draws for result in results])
        if tied := [name for name, of_judge in zip(judges, draws, strict=True) if np.isnan(of_judge).any()]:
            raise ValueError(f"`judges` must not tie all systems, but {listing(tied)} do.")
        for (name, scores), (other, others) in combinations(zip(judges, estimates, strict=True), 2):
            if np.array_equal(scores, others):
                raise ValueError(f"`judges` must differ, got the same scores from {listing([name, other])}.")
        factors_within = (list(table.columns[: index + 1]) for index in range(table.shape[1]))
        nested = [table.groupby(names, sort=False).ngroup().to_numpy() for names in factors_within]
        estimate, sampling_error = np.array([result.estimate for result in results]), np.cov(draws)
        components = components_of(estimate, sampling_error, nested, settings.level)
        best = []
        for group, own in table.groupby(table.columns[0], sort=False):
            if len(own) > 1:
                members = [list(judges).index(name) for name in own.index]
                may_be_best = difference.contests_of([results[index] for index in members]).may_be_best(settings.alpha)
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

    def _sides(self, reference: object, measure: object) -> list[Sides]:
        rows = self._rows_of(reference, measure)
        for name in ("reference", "measure"):
            measures = list(dict.fromkeys(row.key[name] for row in rows))
            if len(measures) > 1:
                advice = ALIKE if len(measures) == len(rows) else ""
                raise ValueError(f"`{name}` must be one of {listing(measures)}, got None.{advice}")
        return [(self.reference[rows[0].reference], {row.judge: self.others[row.judge][row.measure] for row in rows})]

    def bias(
        self,
        groups: Mapping[str, object] | None = None,
        *,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        same_scale: bool = False,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeBias:
        """Whether judges favour groups of runs, beyond what the reference sees in them.

        The score shift of a run is F - h(R), with R and F its mean scores by reference and judge. The curve h is a
        parabola that never falls, fitted to runs within groups, so a judge who is lenient or bends the scale favours
        nobody. The shift of a group is the mean over its runs less that over all others, in the topic population. Its
        interval and p-value are for runs of this kind: what the judge errs about single runs counts as chance. They
        are corrected alike for all rows (Bonferroni), so an interval leaves out 0 where p <= 1 - level. Groups chosen
        after looking have no valid p.

        Args:
            groups: Group -> its runs: a list of names, or a pattern such as ``"rerank-*"``. A run is in one group
                or in none. By default those of the comparison.
            measure, reference: A measure of the judges, and of the reference; by default all.
            coefficient: As for `judges`, for the correlation without each group, on these topics.
            same_scale: Whether judge and reference give the same run the same score, so that h(R) is R.
            n_jobs: As for `judges`.

        Returns:
            A table that prints itself, with `groups` and `runs`, two frames, and `sentence()` for a paper.

        Warns:
            DegenerateInputWarning: If a judge or the reference ties all runs, or those of each group: shifts are nan.
                If a group is better, or worse, than other runs in more than nine of ten pairs: it has no p-value.
        """
        return judge_bias(
            self._rows_of(reference, measure),
            self.reference,
            self.others,
            (self.groups or {}) if groups is None else groups,
            settings=self.settings,
            coefficient=coefficient,
            same_scale=same_scale,
            n_jobs=n_jobs,
        )

    @property
    def failures(self) -> str:
        """Which judges could not be used, and why; "" if all were."""
        reasons = "; ".join(f"{shown(name)}: {reason}" for name, reason in self.failed.items())
        of = len(self.failed) + len(self.others)
        return f"{len(self.failed)} of {of} judges cannot be used, and are left out: {reasons}" if self.failed else ""

    def _rows_of(self, reference: object, measure: object) -> list[RankingAgreement]:
        """The rows of these measures; None stands for all."""
        rows = list(self.rows)
        for name, wanted in (("measure", measure), ("reference", reference)):
            if wanted is not None:
                chosen = find_measure(wanted, dict.fromkeys(row.key[name] for row in rows), name)
                rows = [row for row in rows if row.key[name] == chosen]
        return rows

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_topics": len(self.reference.topics), "n_systems": len(self.reference.systems)}
        left_out = {"dropped_topics": list(self.dropped_topics), "dropped_systems": list(self.dropped_systems)}
        return {**sizes, **left_out, "failed": dict(self.failed)}

    def _subject(self) -> str:
        dropped = [
            f"{len(names)} {what}, {listing(names)}"
            for what, names in (("runs", self.dropped_systems), ("topics", self.dropped_topics))
            if names
        ]
        left_out = f" (left out, as not all have them: {'; '.join(dropped)})" if dropped else ""
        judges = "1 judge" if len(self.failed) == 1 else f"{len(self.failed)} judges"
        unused = f" {judges} could not be used: {listing(self.failed)}." if self.failed else ""
        sizes = f"{len(self.reference.systems)} runs on {len(self.reference.topics)} topics{left_out}"
        if self.settings.two_samples:
            others = sorted({len(scores.topics) for scores in self.others.values()})
            span = " to ".join(map(str, dict.fromkeys((others[0], others[-1]))))
            return f"{sizes}; judges on {span} topics of their own: two independent samples.{unused}"
        return f"{sizes}.{unused}"
