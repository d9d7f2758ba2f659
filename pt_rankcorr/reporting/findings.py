"""Everything that a report says, computed once, unrounded."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pt_rankcorr.adapters.experiment import scores_from_experiment
from pt_rankcorr.adapters.files import by_name
from pt_rankcorr.adapters.measures import find_measure
from pt_rankcorr.comparison._checkpoint import Checkpoint
from pt_rankcorr.comparison._rankings import DistanceSettings, seed_of, warn_of_undefined
from pt_rankcorr.comparison.measures import MeasureAgreement, MeasureComparison, compared
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import WorkersLostWarning, level_of_the_caller, listing, resample_count
from pt_rankcorr.stats.expected import ExpectedCorrelationResult, expected_correlation
from pt_rankcorr.stats.rank_distance import DRankTest
from pt_rankcorr.stats.rank_intervals import RankIntervals, rank_intervals
from pt_rankcorr.stats.resampling import RandomState
from pt_rankcorr.stats.sensitivity import DiscriminativePowerResult, discriminative_power
from pt_rankcorr.stats.weights import contributions

ALPHA, LEVEL = 0.05, 0.95
TARGETS = (0.8, 0.9, 0.95)  # expected tau_AP that topics are planned for
ALONE = "scores"  # the name of a collection that came without one

# one null for all measures, so that a picture can show them on it; the page says where it rejects too often
DISTANCE: dict[str, Any] = {"null": "refit", "covariance": "ledoit-wolf"}


@dataclass(frozen=True)
class Swap:
    """The pair of systems that costs an agreement most, as the reference has it, and its share of the cost."""

    better: str
    worse: str
    share: float


@dataclass(frozen=True)
class CollectionFindings:
    """What there is to say of the scores on one collection.

    Attributes:
        name: Of the collection.
        scores: Of its systems, with the report of how they were aligned.
        reference: The measure that is trusted.
        intervals: The ranks of systems by the reference.
        sensitivity: Measure -> how well it tells systems apart.
        expected: Measure -> the expected tau_AP of its ranking with the true one.
        agreements: How the other measures rank systems, against the reference.
        null: The test of d_rank with the reference as baseline; None where there is nothing to test.
        swaps: Other measure -> the swap that costs its tau_AP most; absent where there is none.
    """

    name: str
    scores: Scores
    reference: str
    intervals: RankIntervals
    sensitivity: Mapping[str, DiscriminativePowerResult]
    expected: Mapping[str, ExpectedCorrelationResult]
    agreements: tuple[MeasureAgreement, ...]
    null: DRankTest | None
    swaps: Mapping[str, Swap]


@dataclass(frozen=True)
class Findings:
    """What there is to say of all collections, and how it was computed.

    Attributes:
        collections: One each.
        comparison: Measures against measures; None where no collection has two.
        n_resamples: Of topics, for all that is resampled.
        seed: What to give as `rng` for the same report.
        warnings: What the statistics said of themselves.
    """

    collections: tuple[CollectionFindings, ...]
    comparison: MeasureComparison | None
    n_resamples: int
    seed: int
    warnings: tuple[str, ...]


def collections_of(given: Any) -> dict[str, Scores]:
    """Collection -> scores, from all that a report is made of.

    Raises:
        TypeError: If it is nothing of the kind.
        ValueError: If there is no collection, two are of one name, or one has less than two systems or topics.
    """
    if isinstance(given, Mapping) and not isinstance(given, Scores):
        if not given:
            raise ValueError("`result_or_scores` must hold at least one collection, got none.")
        together = all(isinstance(value, ScoreMatrix) for value in given.values())
        several = {} if together else by_name(given, "result_or_scores")
        found = {ALONE: Scores(given)} if together else {name: _scores(each) for name, each in several.items()}
    else:
        found = {ALONE: _scores(given)}
    for name, scores in found.items():
        if min(len(scores.systems), len(scores.topics)) < 2:
            raise ValueError(
                f"`result_or_scores` must have at least 2 systems and 2 topics, got {len(scores.systems)} and "
                f"{len(scores.topics)} for {name!r}."
            )
    return found


def _scores(given: Any) -> Scores:
    if isinstance(given, Scores):
        return given
    if isinstance(given, ScoreMatrix):
        return Scores({given.measure or "score": given})
    if isinstance(given, (str, os.PathLike)) or hasattr(given, "columns") or isinstance(given, tuple):
        return scores_from_experiment(given)
    raise TypeError(
        "`result_or_scores` must be scores, a per-query experiment, or a mapping from collections to scores, "
        f"got {type(given).__name__}."
    )


def found(
    given: Any,
    reference: object = None,
    *,
    n_resamples: int = 1000,
    rng: RandomState = None,
    n_jobs: int | None = None,
    finished: Checkpoint | None = None,
) -> Findings:
    """Computes everything; what the statistics warn of becomes part of it.

    Args:
        given: As for `report`, and so are all arguments but the last.
        reference: The measure that is trusted.
        n_resamples: Of topics.
        rng: Seed or generator.
        n_jobs: The number of workers.
        finished: Keeps what measures against measures say, which takes longest.
    """
    collections = collections_of(given)
    references = {name: _reference(name, scores, reference) for name, scores in collections.items()}
    resample_count(n_resamples, at_least=2)
    settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": seed_of(rng), "n_jobs": n_jobs}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        several = {name: scores for name, scores in collections.items() if len(scores) > 1}
        comparison = _compared(several, settings, finished or Checkpoint(None, "report")) if several else None
        findings = tuple(
            _of_collection(name, scores, references[name], comparison, settings) for name, scores in collections.items()
        )
    return Findings(findings, comparison, n_resamples, settings["rng"], _messages(caught))


def _messages(caught: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    """What was warned of the scores, each once; what was of the machine is said to the caller and not to the reader."""
    for warning in caught:
        if issubclass(warning.category, WorkersLostWarning):
            warnings.warn(warning.message, stacklevel=level_of_the_caller())
    return tuple(dict.fromkeys(str(w.message) for w in caught if not issubclass(w.category, WorkersLostWarning)))


def _compared(
    collections: Mapping[str, Scores], settings: Mapping[str, Any], finished: Checkpoint
) -> MeasureComparison:
    distance = DistanceSettings(settings["n_resamples"], **DISTANCE)
    comparison = compared(collections, ALPHA, distance, settings["rng"], settings["n_jobs"], finished)
    warn_of_undefined(comparison.undefined)
    return comparison


def _reference(name: str, scores: Scores, reference: object) -> str:
    if reference is None:
        return scores.measures[0]
    try:
        return find_measure(reference, scores.measures)
    except ValueError:
        raise ValueError(
            f"`reference` must be among {listing(scores.measures)}, got {shown(str(reference))} for {shown(name)}."
        ) from None


def _of_collection(
    name: str, scores: Scores, reference: str, comparison: MeasureComparison | None, settings: dict[str, Any]
) -> CollectionFindings:
    agreements = tuple(row for row in comparison or () if (row.collection, row.baseline) == (name, reference))
    truth = scores[reference]
    return CollectionFindings(
        name=name,
        scores=scores,
        reference=reference,
        intervals=rank_intervals(truth, level=LEVEL, **settings),
        sensitivity=discriminative_power(scores, test="t", alpha=ALPHA),
        expected={measure: expected_correlation(scores[measure], **settings) for measure in scores},
        agreements=agreements,
        null=_null(truth, comparison, settings["n_jobs"]) if agreements else None,
        swaps={row.measure: swap for row in agreements if (swap := _dearest(truth, scores[row.measure]))},
    )


def _null(truth: ScoreMatrix, comparison: MeasureComparison | None, n_jobs: int | None) -> DRankTest | None:
    """The test that gave the p-values of the comparison, once more."""
    return None if comparison is None else comparison.distance.test(truth, comparison.seed, n_jobs)


def _dearest(truth: ScoreMatrix, estimate: ScoreMatrix) -> Swap | None:
    if np.ptp(truth.means) == 0 or np.ptp(estimate.means) == 0:
        return None
    found = contributions(truth, estimate, "tau_ap")
    costs, means = np.triu(found.costs, k=1), estimate.select(systems=found.systems).means
    swapped = np.where(means[:, np.newaxis] < means, costs, 0.0)  # ties cost as well, but are no swaps
    if not swapped.any():
        return None
    better, worse = np.unravel_index(swapped.argmax(), swapped.shape)
    return Swap(found.systems[better], found.systems[worse], float(swapped[better, worse] / costs.sum()))
