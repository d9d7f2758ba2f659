"""Report data: everything that a report says, computed once, unrounded."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pt_rankcorr.comparison import leaderboards
from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.measures import MeasureComparison
from pt_rankcorr.comparison.table import ALONE, RankingAgreement
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy.best import BestSystems, best_of
from pt_rankcorr.stats.accuracy.ranks import RankIntervals, rank_intervals
from pt_rankcorr.stats.expected.correlation import ExpectedCorrelationResult, expected_correlation
from pt_rankcorr.stats.significance.power import DiscriminativePowerResult, discriminative_power

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
        return "" if self.name == ALONE else self.name

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

    comparison: leaderboards.JudgeComparison
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
    """The data of one collection; `settings` are resamples, seed and workers."""
    intervals = rank_intervals(scores[reference], level=LEVEL, **settings)
    return CollectionData(
        name=name,
        scores=scores,
        reference=reference,
        intervals=intervals,
        best=best_of(intervals, scores.systems),
        sensitivity=discriminative_power(scores, alpha=ALPHA, **settings),
        expected={measure: expected_correlation(scores[measure], **settings) for measure in scores},
        agreements=tuple(row for row in comparison or () if (row.collection, row.reference) == (name, reference)),
    )


def of_judges(comparison: leaderboards.JudgeComparison, bias: JudgeBias | None, n_jobs: int | None) -> JudgeData:
    """The data of compared judges: for each pair of measures, judges in their order."""
    rows_of: dict[tuple[str, str], list[RankingAgreement]] = {}
    for row in comparison:
        rows_of.setdefault((row.reference, row.measure), []).append(row)
    pairs = []
    for (reference, measure), rows in rows_of.items():
        ranking = None
        if sum(row.is_defined for row in rows) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the comparison said which judges rank nothing
                ranking = comparison.judges(reference=reference, measure=measure, n_jobs=n_jobs)
        places = {} if ranking is None else {judge: place for place, judge in enumerate(ranking.judges)}
        ranked = sorted(rows, key=lambda row: (not row.is_defined, places.get(row.judge, 0)))
        title = measure if measure == reference else f"{measure} against {reference}"
        pairs.append(MeasurePair(title, tuple(ranked), ranking))
    return JudgeData(comparison, tuple(pairs), bias)
