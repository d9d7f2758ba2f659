"""Report data: everything that a report says, computed once, unrounded; and its tables, which have captions here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pt_rankcorr import tables
from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judge_ranking import JudgeRanking
from pt_rankcorr.comparison.judging import JudgeComparison
from pt_rankcorr.comparison.pairs_of_measures import MeasureComparison
from pt_rankcorr.comparison.rows import RankingAgreement, columns_of, d_rank_columns
from pt_rankcorr.defaults import ALPHA, CHECKED, LEVEL, RESAMPLES, UnnamedCollection
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy.ranks import BestSystems, RankIntervals, best_of, rank_intervals
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.coefficients.weights import contributions
from pt_rankcorr.stats.core.types import ByMeasure
from pt_rankcorr.stats.expected.expected_correlation import ExpectedCorrelationResult, expected_correlation
from pt_rankcorr.stats.significance.pairwise import TESTS
from pt_rankcorr.stats.significance.power import POWER, DiscriminativePowerResult, discriminative_power
from pt_rankcorr.tables import Column, Table, listed
from pt_rankcorr.text import D_RANK, TAU, TAU_AP, confidence, d_rank_by, decimals, percent
from pt_rankcorr.warnings import silencing

TARGETS = (0.8, 0.9, 0.95)  # expected tau_AP that topics are planned for


@dataclass(frozen=True)
class CollectionData:
    """What there is to say of the scores on one collection."""

    name: str
    scores: Scores
    reference: str  # the measure that is trusted
    intervals: RankIntervals  # by the reference, as the next
    best: BestSystems
    sensitivity: Mapping[str, DiscriminativePowerResult]  # of each measure, as the next
    expected: Mapping[str, ExpectedCorrelationResult]
    agreements: tuple[RankingAgreement, ...]  # of the other measures with the reference

    @property
    def place(self) -> str:
        """The name of the collection, if it has one."""
        return "" if isinstance(self.name, UnnamedCollection) else self.name

    @property
    def prefix(self) -> str:
        """The name of the collection before a sentence."""
        return f"{self.place}: " if self.place else ""


@dataclass(frozen=True)
class MeasurePair:
    """Judges by one measure against one of the reference's."""

    title: str
    rows: tuple[RankingAgreement, ...]  # one a judge, the best first
    ranking: JudgeRanking | None  # None where fewer than two rank systems


@dataclass(frozen=True)
class JudgeData:
    """What there is to say of judges."""

    comparison: JudgeComparison
    pairs: tuple[MeasurePair, ...]
    bias: JudgeBias | None


@dataclass(frozen=True)
class ReportData:
    """What there is to say of all collections, and how it was computed."""

    collections: tuple[CollectionData, ...]
    comparison: MeasureComparison | None  # None where no collection has two measures
    judges: JudgeData | None
    n_resamples: int
    seed: int
    warnings: tuple[str, ...]


def of_collection(
    name: str, scores: Scores, reference: str, comparison: MeasureComparison | None, **settings: Any
) -> CollectionData:
    """The data of one collection; `settings` are resamples, seed and workers.

    Ranks and expected correlations take at least their default number of draws, so that they are those of the commands
    and functions with the same seed.
    """
    draws = {**settings, "n_resamples": max(settings["n_resamples"], RESAMPLES)}
    intervals = rank_intervals(scores[reference], level=LEVEL, **draws)
    return CollectionData(
        name=name,
        scores=scores,
        reference=reference,
        intervals=intervals,
        best=best_of(intervals),
        sensitivity=discriminative_power(scores, alpha=ALPHA, **settings),
        expected={measure: expected_correlation(scores[measure], **draws) for measure in scores},
        agreements=tuple(row for row in comparison or () if (row.collection, row.reference) == (name, reference)),
    )


def of_judges(comparison: JudgeComparison, bias: JudgeBias | None, n_jobs: int | None) -> JudgeData:
    """The data of compared judges: for each pair of measures, judges in their order."""
    pairs = []
    for reference, measure in dict.fromkeys((row.reference, row.measure) for row in comparison):
        rows = [row for row in comparison if (row.reference, row.measure) == (reference, measure)]
        ranking = None
        if sum(row.is_defined for row in rows) > 1:
            with silencing(Warning):  # the comparison said which judges rank nothing
                ranking = comparison.judges(reference=reference, measure=measure, n_jobs=n_jobs)
        places = {} if ranking is None else {judge: place for place, judge in enumerate(ranking.judges)}
        ranked = sorted(rows, key=lambda row: (not row.is_defined, places.get(row.judge, 0)))
        title = measure if measure == reference else f"{measure} against {reference}"
        pairs.append(MeasurePair(title, tuple(ranked), ranking))
    return JudgeData(comparison, tuple(pairs), bias)


# --- tables -------------------------------------------------------------------------------------------------


def captioned(table: Table, caption: str) -> Table:
    """The table with a caption, which says what stands above and below it elsewhere."""
    return replace(table, answer="", notes=(), caption=caption)


def systems_table(collection: CollectionData) -> Table:
    """Every system with its rank, the interval of it, and its means; best first."""
    scores, intervals = collection.scores, collection.intervals
    caption = (
        f"Systems by {collection.reference}, with {intervals.method} intervals of their ranks, over "
        f"{intervals.n_resamples} draws; their tiers, and their mean scores. Each title says what its level is of. "
        "Tier 1 has the systems that may be the best, tier 2 those that may be the best of the others, and so on. A "
        "test of its own decides this, so that their intervals may not reach rank 1."
    )
    columns: list[Column[int]] = []
    for measure, matrix in scores.items():
        means = -matrix.means + 0.0 if matrix.negated else matrix.means
        columns.append(
            listed(f"mean {measure}", tables.SCORE, means, f"{measure}{' (lower is better)' * matrix.negated}")
        )
    best_first = np.lexsort((np.array(scores.systems), intervals.rank))
    return captioned(replace(intervals.table(), rows=best_first).followed_by(*columns), caption)


def sensitivity_table(collection: CollectionData) -> Table:
    """How well each measure tells systems apart, and how sure its ranking is."""
    some = collection.sensitivity[collection.reference]
    caption = (
        f"The share of the {some.n_pairs} pairs of systems that differ significantly ({TESTS[some.test].full_title}, "
        f"p <= {decimals(ALPHA)}); the difference of two means beyond which every pair does, an estimate; the true "
        f"difference that a paired t test detects with a probability of {decimals(POWER)}; and the expected "
        f"correlation of the ranking with the true one, with {confidence(LEVEL)} intervals of the actual ones."
    )
    table = ByMeasure(collection.sensitivity).table()  # it has one row a measure, by number
    for coefficient in ("tau_ap", "tau"):
        results = {
            measure: result if np.isnan(result.value) else result.with_coefficient(coefficient)
            for measure, result in collection.expected.items()
        }
        name = f"expected_{coefficient}"
        value = ByMeasure(results).table().column("value")
        table = table.followed_by(replace(value, name=name, ends=(f"{name}_low", f"{name}_high")))
    return captioned(table, caption)


def agreement_table(collection: CollectionData) -> Table:
    """How the other measures rank systems, against the reference."""
    caption = (
        f"Rankings of the systems against that by {collection.reference}. Bold: p <= {ALPHA:g}. "
        f"The last column has the swap of two systems that costs {TAU_AP} most, and its share of the cost."
    )
    table = Table(columns_of(collection.agreements), collection.agreements).without(
        "reference", "collection", "d_rank", "d_rank pvalue", "d_rank pvalue standard error"
    )
    swap: Column[RankingAgreement] = Column(
        "swap", "swap that costs most", tables.WORD, lambda row: costliest_swap(collection.scores, row)
    )
    return captioned(table.in_full().followed_by(swap), caption)


def distances_table(collection: CollectionData) -> Table:
    """d_rank of the other measures, and its p-value."""
    rows, error = collection.agreements, "± (Monte Carlo)"
    caption = f"{D_RANK} of the order by each measure from the scores by {collection.reference}. Bold: p <= {ALPHA:g}."
    columns = (
        Column("measure", "measure", tables.WORD, lambda row: row.measure),
        *d_rank_columns(rows[0].settings),
        Column(error, error, tables.PVALUE, lambda row: row.d_rank_pvalue_standard_error, strong=lambda _: False),
    )
    return captioned(Table(columns, rows), caption)


def costliest_swap(scores: Scores, row: RankingAgreement) -> str:
    """The two systems that cost an agreement most, which the measure swaps, and their share."""
    if not row.is_defined:
        return "none"
    reference, estimate = scores[row.reference], scores[row.measure]
    pairs, mean = contributions(reference, estimate, "tau_ap").table().records(), estimate.mean_of
    swapped = [pair for pair in pairs if mean(pair["better"]) < mean(pair["worse"])]  # ties cost, but are none
    return next(("{worse} above {better} ({})".format(percent(pair["share"]), **pair) for pair in swapped), "none")


def matrix_table(comparison: MeasureComparison, collection: str, statistic: str) -> Table:
    """A statistic of every measure against every reference."""
    distance = d_rank_by(comparison.settings.covariance, D_RANK)
    symbol = distance if statistic == "d_rank" else COEFFICIENTS[statistic].symbol
    with_p = " (p-value)" if statistic == "d_rank" else ""
    caption = (
        f"{symbol}{with_p} of the ranking by each measure (column) against that by each reference (row). "
        f"Bold: {'p of ' + D_RANK if statistic == 'd_rank' else 'p (same true ranking)'} <= {ALPHA:g}."
    )
    return captioned(comparison.matrix(statistic, collection).table(), caption)


def topics_table(collection: CollectionData) -> Table:
    """How many topics each measure needs for rankings that are worth so much."""
    here = len(collection.scores.topics)
    caption = (
        f"Expected {TAU_AP} with the true ranking over {here} topics and over twice as many, and the topics needed for "
        f"an expected {TAU_AP} of {', '.join(decimals(target) for target in TARGETS)}. An asterisk marks numbers "
        f"beyond {CHECKED * here} topics: these are extrapolated further than simulations have checked."
    )

    measures, results = [*collection.expected], [*collection.expected.values()]
    columns = [
        listed("measure", tables.WORD, measures),
        listed("here", tables.COEFFICIENT, [result.value for result in results], f"{TAU_AP}, {here} topics"),
        listed(
            "twice",
            tables.COEFFICIENT,
            [float(result.curve(2 * here)) for result in results],
            f"{TAU_AP}, {2 * here} topics",
        ),
    ]
    for target in TARGETS:
        needed = [result.topics_needed(target) for result in results]
        title = f"topics for {TAU_AP} {decimals(target)}"
        shown: dict[str, Any] = {"text": [repr(topics) for topics in needed].__getitem__}
        shown |= {"interval": [topics.confidence_interval() for topics in needed].__getitem__}
        columns.append(listed(f"topics for {decimals(target)}", tables.COUNT, needed, title, **shown))
    return Table(tuple(columns), range(len(measures)), caption=caption)


def collections_table(comparison: MeasureComparison) -> Table:
    """On how many collections the noise of topics does not explain how each measure differs from each reference."""
    caption = (
        "On how many collections the noise of topics does not explain how both rankings differ (p (same true ranking) "
        f"<= {ALPHA:g}). Nowhere does not mean that the rankings are the same: the topics may be too few to tell."
    )
    return captioned(tables.of_frame(comparison.agreements()), caption)


def labels_table(comparison: JudgeComparison) -> Table | None:
    """What is wrong with labels, before it is said how good judges are."""
    if comparison.hygiene is None:
        return None
    caption = (
        "The labels of each judge beside the reference's: what is judged, labels outside of the reference's scale, "
        "fractions, lines that repeat or contradict others, the commonest label, and how many of the first ten "
        "documents of systems are judged."
    )
    return captioned(comparison.hygiene.table().in_full(), caption)


def judges_table(comparison: JudgeComparison, pair: MeasurePair) -> Table:
    """Judges, the best first; which can be told apart, and which may be the best."""
    tested = (
        "; of the pairs that differ significantly by the reference, those that are reversed; soft pairwise accuracy"
    )
    caption = (
        f"Judges by {pair.title}: correlations with the reference, with "
        f"{confidence(comparison.settings.level)} intervals for as many topics; "
        f"p (same true ranking){tested if pair.rows[0].pairs else ''}."
    )
    table = captioned(replace(comparison, rows=pair.rows).table().without("reference", "measures"), caption)
    if pair.ranking is None:
        return table
    best = pair.ranking.may_be_best
    return table.followed_by(Column("may be best", "may be best", tables.FLAG, lambda row: row.judge in best))


def bias_table(bias: JudgeBias, n_pairs: int) -> Table:
    """What judges add for groups of systems."""
    caption = (
        f"Shifts of groups, for systems of these kinds. Bold: p <= {bias.alpha:g}. Intervals and p-values are "
        f"corrected alike for all rows. {TAU} without the group is that over all other systems, on these topics."
    )
    table = bias.table() if n_pairs > 1 else bias.table().without("measures")
    return captioned(table, caption)
