"""Report data: everything that a report says, computed once, unrounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.compare import MeasureComparison
from pt_rankcorr.comparison.judge_comparison import JudgeComparison
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.rows import RankingAgreement
from pt_rankcorr.defaults import ALPHA, LEVEL, RESAMPLES, UnnamedCollection
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy.ranks import BestSystems, RankIntervals, best_of, rank_intervals
from pt_rankcorr.stats.coefficients.weights import contributions
from pt_rankcorr.stats.expected.expected_correlation import (
    ExpectedCorrelationResult,
    expected_correlation,
)
from pt_rankcorr.stats.significance.power import DiscriminativePowerResult, discriminative_power
from pt_rankcorr.warnings import silencing

# systems: d_rank of 500 takes some seconds for each order of each pair of measures
MOST_FOR_D_RANK = 200


@dataclass(frozen=True)
class CollectionData:
    """The results for the scores on one collection."""

    name: str
    place: str  # the name in texts: "" for the only collection, if nobody named it
    scores: Scores
    reference: str  # the measure that is trusted
    intervals: RankIntervals  # by the reference, as the next
    best: BestSystems
    sensitivity: Mapping[str, DiscriminativePowerResult]  # of each measure, as the next
    expected: Mapping[str, ExpectedCorrelationResult]
    agreements: tuple[RankingAgreement, ...]  # of the other measures with the reference
    # other measure, where its ranking is defined -> its `costliest_swap`
    swaps: Mapping[str, tuple[str, str, float] | None]

    @property
    def prefix(self) -> str:
        """What stands before a sentence about the collection, such as its name and a colon."""
        return f"{self.place}: " if self.place else ""


@dataclass(frozen=True)
class MeasurePair:
    """Judges by one measure against one of the reference's."""

    title: str
    rows: tuple[RankingAgreement, ...]  # one a judge, the best first
    ranking: JudgeRanking | None  # None where fewer than two rank systems


@dataclass(frozen=True)
class ReportData:
    """All that a report says, and how it was computed."""

    collections: tuple[CollectionData, ...]
    comparison: MeasureComparison | None  # None where no collection has two measures
    judges: JudgeComparison | None
    pairs: tuple[MeasurePair, ...]  # of judges, as the next
    bias: JudgeBias | None
    n_resamples: int
    seed: int
    warnings: tuple[str, ...]


def collection_data(
    name: str,
    scores: Scores,
    reference: str,
    comparison: MeasureComparison | None,
    on_step: Callable[[str], object],
    **settings: Any,
) -> CollectionData:
    """The data of one collection, by `settings` of resampling; agreements come from the comparison.

    Ranks and expected correlations take at least their default number of draws, so that they are
    those of the commands and functions with the same seed. `on_step` is told what is computed next:
    one step, and one for each measure.
    """
    draws = settings | {"n_resamples": max(settings["n_resamples"], RESAMPLES)}
    on_step("ranks, and pairs of systems")
    intervals = rank_intervals(scores[reference], level=LEVEL, **draws)
    sensitivity = discriminative_power(scores, alpha=ALPHA, **settings)
    expected = {}
    for measure in scores:
        on_step(f"expected correlations by {measure}")
        expected[measure] = expected_correlation(scores[measure], **draws)
    rows = [row for row in comparison or () if row.key["collection"] == name]
    agreements = [row for row in rows if row.reference == reference]
    ranked = [row.measure for row in agreements if row.is_defined]
    return CollectionData(
        name=name,
        place="" if isinstance(name, UnnamedCollection) else name,
        scores=scores,
        reference=reference,
        intervals=intervals,
        best=best_of(intervals),
        sensitivity=sensitivity,
        expected=expected,
        agreements=tuple(agreements),
        swaps={other: costliest_swap(scores[reference], scores[other]) for other in ranked},
    )


def costliest_swap(reference: ScoreMatrix, estimate: ScoreMatrix) -> tuple[str, str, float] | None:
    """The two systems, better one first, whose swap lowers tau_AP most; its share of 1 - tau_AP."""
    with silencing(Warning):  # the comparison gave those of these scores
        pairs = contributions(reference, estimate, "tau_ap").table().records()  # dearest pair first
    for pair in pairs:
        better, worse = pair["better"], pair["worse"]
        in_order = reference.mean_of(better) > reference.mean_of(worse)
        is_reversed = estimate.mean_of(better) < estimate.mean_of(worse)
        if in_order and is_reversed:  # ties cost, too, but are no swaps
            return better, worse, float(pair["share"])
    return None


def measure_pairs(comparison: JudgeComparison, n_jobs: int | None) -> tuple[MeasurePair, ...]:
    """For each pair of measures by which judges are compared, the judges in their order."""
    pairs = []
    for reference, measure in dict.fromkeys((row.reference, row.measure) for row in comparison):
        rows = [row for row in comparison if (row.reference, row.measure) == (reference, measure)]
        ranking = None
        if sum(row.is_defined for row in rows) > 1:
            with silencing(Warning):  # the comparison said which judges rank nothing
                ranking = comparison.judges(reference=reference, measure=measure, n_jobs=n_jobs)
        order = () if ranking is None else ranking.judges
        places = {judge: place for place, judge in enumerate(order)}
        ranked = sorted(rows, key=lambda row: (not row.is_defined, places.get(row.judge, 0)))
        title = measure if measure == reference else f"{measure} against {reference}"
        pairs.append(MeasurePair(title, tuple(ranked), ranking))
    return tuple(pairs)
