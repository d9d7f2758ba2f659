"""Everything that a report says, computed once, unrounded."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.leaderboards import JudgeComparison, compare_leaderboards
from pt_rankcorr.comparison.measures import MeasureComparison, collections_of, compare, reference_among
from pt_rankcorr.comparison.table import RankingAgreement
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy.best import BestSystems, best_of
from pt_rankcorr.stats.accuracy.ranks import RankIntervals, rank_intervals
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import resample_count
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.stats.expected.correlation import ExpectedCorrelationResult, expected_correlation
from pt_rankcorr.stats.significance.power import DiscriminativePowerResult, discriminative_power
from pt_rankcorr.warnings import hear_of_scores

LEAST_RESAMPLES = round(1 / ALPHA)  # that a test at this level can do with
TARGETS = (0.8, 0.9, 0.95)  # expected tau_AP that topics are planned for


@dataclass(frozen=True)
class CollectionFindings:
    """What there is to say of the scores on one collection.

    Attributes:
        name: Of the collection.
        scores: Of its systems, with the report of how they were aligned.
        reference: The measure that is trusted.
        intervals: The ranks of systems by the reference, and their tiers.
        best: The systems that may be the best by the reference.
        sensitivity: Measure -> how well it tells systems apart.
        expected: Measure -> the expected tau_AP of its ranking with the true one.
        agreements: How the other measures rank systems, against the reference.
    """

    name: str
    scores: Scores
    reference: str
    intervals: RankIntervals
    best: BestSystems
    sensitivity: Mapping[str, DiscriminativePowerResult]
    expected: Mapping[str, ExpectedCorrelationResult]
    agreements: tuple[RankingAgreement, ...]


@dataclass(frozen=True)
class OfOnePair:
    """Judges by one measure against one of the reference's.

    Attributes:
        title: The measures.
        rows: One a judge, the best first.
        ranking: All pairs of judges tested; None where fewer than two rank systems.
    """

    title: str
    rows: tuple[RankingAgreement, ...]
    ranking: JudgeRanking | None


@dataclass(frozen=True)
class JudgeFindings:
    """What there is to say of judges.

    Attributes:
        comparison: Of the judges with the reference.
        pairs: One for each pair of measures.
        bias: For groups of systems, if there are any.
    """

    comparison: JudgeComparison
    pairs: tuple[OfOnePair, ...]
    bias: JudgeBias | None


@dataclass(frozen=True)
class Findings:
    """What there is to say of all collections, and how it was computed.

    Attributes:
        collections: One each.
        comparison: Measures against measures; None where no collection has two.
        judges: Of judges against the reference; None where there are none.
        n_resamples: Of topics, for all that is resampled.
        seed: What to give as `rng` for the same report.
        warnings: What the statistics said of themselves.
    """

    collections: tuple[CollectionFindings, ...]
    comparison: MeasureComparison | None
    n_resamples: int
    seed: int
    warnings: tuple[str, ...]
    judges: JudgeFindings | None = None


def _collections(given: Any) -> dict[str, Scores]:
    found = collections_of(given, "result_or_scores")
    for name, scores in found.items():
        if min(len(scores.systems), len(scores.topics)) < 2:
            raise ValueError(
                f"`result_or_scores` must have at least 2 systems and 2 topics, got {len(scores.systems)} and "
                f"{len(scores.topics)} for {name!r}."
            )
    return found


def compute_findings(
    given: Any,
    reference: object = None,
    against: object = None,
    groups: Mapping[str, object] | None = None,
    *,
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
    on_row: Callable[[RankingAgreement], object] | None = None,
) -> Findings:
    """Computes everything from the arguments of `report`; warnings of the statistics become part of the findings."""
    collections = _collections(given)
    references = {
        name: scores.measures[0] if reference is None else reference_among(reference, scores, name)
        for name, scores in collections.items()
    }
    resample_count(n_resamples, at_least=LEAST_RESAMPLES)
    _check_judges(collections, against, groups)
    settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": seed_of(rng), "n_jobs": n_jobs}
    of_rows: dict[str, Any] = {"alpha": ALPHA, "coefficients": coefficients, "on_row": on_row}
    with warnings.catch_warnings(record=True) as caught:
        hear_of_scores()
        several = {name: scores for name, scores in collections.items() if len(scores) > 1}
        comparison = compare(several, **of_rows, **settings) if several else None
        judges = None
        if against is not None:
            (scores,), (trusted,) = collections.values(), references.values()
            chosen = None if reference is None else trusted
            judges = _of_judges(scores, against, chosen, groups, {**settings, **of_rows})
        findings = tuple(
            _of_collection(name, scores, references[name], comparison, settings) for name, scores in collections.items()
        )
    return Findings(findings, comparison, n_resamples, settings["rng"], _messages(caught), judges)


def _check_judges(collections: Mapping[str, Scores], against: object, groups: object) -> None:
    if against is not None and len(collections) > 1:
        raise ValueError(f"`result_or_scores` must be one collection where `against` is given, got {len(collections)}.")
    if groups is not None and against is None:
        raise ValueError("`groups` must be None where `against` is not given: judges may favour them.")


def _messages(caught: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    """What was warned of the scores, each once."""
    return tuple(dict.fromkeys(str(warning.message) for warning in caught))


def _of_collection(
    name: str, scores: Scores, reference: str, comparison: MeasureComparison | None, settings: dict[str, Any]
) -> CollectionFindings:
    agreements = tuple(row for row in comparison or () if (row.collection, row.reference) == (name, reference))
    trusted = scores[reference]
    intervals = rank_intervals(trusted, level=LEVEL, **settings)
    return CollectionFindings(
        name=name,
        scores=scores,
        reference=reference,
        intervals=intervals,
        best=best_of(intervals, trusted.systems),
        sensitivity=discriminative_power(scores, alpha=ALPHA, **settings),
        expected={measure: expected_correlation(scores[measure], **settings) for measure in scores},
        agreements=agreements,
    )


def _of_judges(
    scores: Scores, against: Any, reference: str | None, groups: Mapping[str, object] | None, settings: dict[str, Any]
) -> JudgeFindings:
    """Of a finished comparison, or of judges as `compare_leaderboards` takes them, by `reference` or all they share."""
    if not isinstance(against, JudgeComparison):
        how: dict[str, Any] = {"reference_measure": reference, "groups": groups, "verbose": False}
        against = compare_leaderboards(scores, against, **how, **settings)
    n_jobs = settings["n_jobs"]
    bias = None if groups is None else against.bias(groups, n_jobs=n_jobs)
    return JudgeFindings(against, tuple(_of_pairs(against, n_jobs)), bias)


def _of_pairs(comparison: JudgeComparison, n_jobs: int | None) -> Iterator[OfOnePair]:
    for key in dict.fromkeys((row.reference, row.measure) for row in comparison):
        rows = [row for row in comparison if (row.reference, row.measure) == key]
        ranking = None
        if sum(row.is_defined for row in rows) > 1:
            chosen: dict[str, Any] = dict(zip(("reference", "measure"), key, strict=True))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the comparison said which judges rank nothing
                ranking = comparison.judges(**chosen, n_jobs=n_jobs)
        places = {} if ranking is None else {judge: at for at, judge in enumerate(ranking.judges)}
        ranked = sorted(rows, key=lambda row: (not row.is_defined, places.get(row.judge, 0)))
        title = " against ".join(dict.fromkeys(reversed(key)))
        yield OfOnePair(title, tuple(ranked), ranking)
