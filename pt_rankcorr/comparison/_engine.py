"""The one way in which rankings are compared: a trusted score matrix against others, row by row.

What a row has beside d_rank is computed for each ranking alone: intervals, means over topics, decisions about pairs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from pt_rankcorr.comparison._checkpoint import Checkpoint
from pt_rankcorr.comparison.columns import PAIRS
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import Estimate, PerTopic, RankingAgreement
from pt_rankcorr.judgments.alpha import jackknife_interval
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_errors
from pt_rankcorr.stats.accuracy.decisions import Moments, decide, decision_intervals, in_unit
from pt_rankcorr.stats.accuracy.pair_accuracy import calibrated, pair_accuracies, tie_thresholds
from pt_rankcorr.stats.core.matrix import Rankings
from pt_rankcorr.stats.core.means import round_significant, system_means
from pt_rankcorr.stats.core.resampling import sharing_permutations
from pt_rankcorr.stats.core.results import ConfidenceInterval, cached_property
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import run_all
from pt_rankcorr.stats.rank_distance.test import DRankTest
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST, TESTS
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.stats.truth.sides import Sides
from pt_rankcorr.warnings import DegenerateInputWarning, silencing

DECISION_RESAMPLES = 100  # of which only a standard deviation is taken
DECIDED = {  # what rows call the decisions that have an interval
    "agreements": "n_active_agreements",
    "false_positives": "n_false_positives",
    "false_negatives": "n_false_negatives",
    "balanced_accuracy": "balanced_accuracy",
    "soft_accuracy": "soft_accuracy",
}
BLOCK = 16  # rows that are computed, and kept in the file to resume from, together

OnRow = Callable[[RankingAgreement], object]
Key = tuple[Hashable, ...]


class Case(NamedTuple):
    """A row to be computed."""

    key: Mapping[str, Any]  # distinguishes it from the others
    reference: ScoreMatrix
    scores: ScoreMatrix  # of the reference's systems on its topics, in their order
    more: Mapping[str, Any]  # further columns of its row


class Engine:
    """Computes rows, all over the same resamples of topics, and keeps those that are finished.

    Use it in a `with` statement: it holds the file to resume from.

    Args:
        caller: The public function that compares, for messages.
        settings: How it does so.
        resume: A file for finished rows.
        n_jobs: The number of workers; no row depends on it.
        on_row: Called with every row once it is finished, and with those that `resume` has.
    """

    def __init__(
        self,
        caller: str,
        settings: Settings,
        *,
        resume: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        on_row: OnRow | None = None,
    ) -> None:
        self.settings = settings
        self._n_jobs = n_jobs
        self._on_row = on_row or (lambda _: None)
        self._per_case: dict[int, PerCase] = {}  # by the reference
        self._tests: dict[tuple[int, int | None], DRankTest] = {}  # also by how many topics rankings have of their own
        self._finished = Checkpoint(resume, caller)

    def __enter__(self) -> Engine:
        self._finished.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._finished.__exit__(*error)

    def begin(self, **data: Any) -> None:
        """Takes the rows that are finished, if they are of these data and settings."""
        self._finished.begin({**self.settings.to_dict(), "coefficients": sorted(self.settings.columns), **data})
        for key in self._finished.parts:
            self._on_row(self._row(key))

    def has(self, keys: Iterable[Mapping[str, Any]]) -> bool:
        """Whether all rows of these keys are finished."""
        return all(tuple(key.values()) in self._finished.parts for key in keys)

    def compute(
        self, cases: Sequence[Case], done: Callable[[int], object] = lambda _: None
    ) -> tuple[RankingAgreement, ...]:
        """The rows of all cases, in their order; those that are finished are not computed again.

        Args:
            cases: What to compare with what.
            done: Called with the number of rows of each block, once it is finished.
        """
        missing = [case for case in cases if not self.has([case.key])]
        done(len(cases) - len(missing))
        for which in dict.fromkeys(id(case.reference) for case in missing):
            own = [case for case in missing if id(case.reference) == which]
            for at in range(0, len(own), BLOCK):
                block = own[at : at + BLOCK]
                self._add(block[0].reference, block)
                done(len(block))
        return self.rows(case.key for case in cases)

    def _add(self, reference: ScoreMatrix, cases: Sequence[Case]) -> None:
        """Computes the rows of cases with one reference, and keeps them."""
        rankings = [case.scores for case in cases]
        if id(reference) not in self._per_case:
            self._per_case[id(reference)] = PerCase.of(reference, self.settings)
        with silencing(DegenerateInputWarning):  # the whole table says it once
            distances = self._distances(reference, rankings)
            with sharing_permutations():
                computed = run_all(self._per_case[id(reference)].compute, rankings, self._n_jobs)
        distances[[np.isnan(found["coefficients"]["tau"]) for found in computed]] = np.nan  # which ranks nothing
        found: dict[Key, Any] = {
            tuple(case.key.values()): {
                "key": dict(case.key),
                "n_topics": reference.n_topics,
                "n_systems": reference.n_systems,
                **dict(zip(("d_rank", "pvalue", "pvalue_standard_error"), distance, strict=True)),
                **of_case,
                "more": dict(case.more),
            }
            for case, distance, of_case in zip(cases, distances.tolist(), computed, strict=True)
        }
        self._finished.add(found)
        for key in found:
            self._on_row(self._row(key))

    def _distances(self, reference: ScoreMatrix, rankings: Sequence[ScoreMatrix]) -> Floats:
        """d_rank, its p-value and the error of that, shape (n_rankings, 3)."""
        own = [None if self.settings.shared else scores.n_topics for scores in rankings]
        found = np.empty((len(rankings), 3))
        for n_topics in dict.fromkeys(own):
            key, at = (id(reference), n_topics), [place for place, number in enumerate(own) if number == n_topics]
            if key not in self._tests:
                how = {**self.settings.distance_arguments(), "n_ranking_topics": n_topics, "n_jobs": self._n_jobs}
                self._tests[key] = DRankTest(reference, **how)
            means = np.stack([rankings[place].means for place in at])
            tested = self._tests[key].test(Rankings(means, reference.systems))
            found[at] = np.stack([tested.statistic, tested.pvalue, tested.pvalue_standard_error], axis=-1)
        return found

    def rows(self, keys: Iterable[Mapping[str, Any]]) -> tuple[RankingAgreement, ...]:
        """The finished rows, in the order of their keys."""
        return tuple(self._row(tuple(key.values())) for key in keys)

    def _row(self, key: Key) -> RankingAgreement:
        return RankingAgreement.of_part(self._finished.parts[key], self.settings)


@dataclass(frozen=True)
class PerCase:
    """Compares rankings with a reference one by one, all over the same resamples of topics."""

    reference: ScoreMatrix
    coefficients: Coefficients
    settings: Settings

    @classmethod
    def of(cls, reference: ScoreMatrix, settings: Settings) -> PerCase:
        """For the coefficients that rows have, of all systems and of the best ones."""
        if settings.top is not None and settings.top > reference.n_systems:
            raise ValueError(f"`top` must be at most the number of systems, {reference.n_systems}, got {settings.top}.")
        if settings.per_topic and settings.two_samples:
            raise ValueError("`per_topic` must be False if judges have topics of their own, got True.")
        if settings.per_topic and reference.design is not None:
            raise ValueError("`per_topic` must be False for topics in clusters or strata, got True.")
        places = np.argsort(np.argsort(reference.systems, kind="stable"))
        found = cls(reference, Coefficients(settings.computed, settings.top, places), settings)
        if settings.test is not None:
            found._better  # noqa: B018  # here, rather than by each worker
        return found

    def compute(self, scores: ScoreMatrix) -> dict[str, Any]:
        """The fields of a row."""
        sides = Sides.of(self.reference.rows, scores.rows, shared=self.settings.shared)
        with silencing(DegenerateInputWarning):  # also where this is another process
            return {
                **(self._over_all_topics(scores) if self.settings.intervals else self._on_these_topics(sides)),
                "per_topic": self._per_topic(sides) if self.settings.per_topic else {},
                "pairs": None if self.settings.test is None else self._pairs(scores, sides),
            }

    def _on_these_topics(self, sides: Sides) -> dict[str, Any]:
        found = self.coefficients.of(*map(system_means, sides.matrices), systems=sides.systems)
        coefficients = dict(zip(self.coefficients.columns, map(float, found), strict=True))
        return {"coefficients": coefficients, "estimates": {}, "one_ranking": None}

    def _over_all_topics(self, scores: ScoreMatrix) -> dict[str, Any]:
        """Each coefficient, also over all topics; nan where one of the rankings ties all systems."""
        how: dict[str, Any] = {"n_jobs": 1, **self.settings.drawn_by()}
        found = correlation_errors(self.reference.rows, scores.rows, self.coefficients, **how)
        return {
            "coefficients": {name: each.statistic for name, each in found.items()},
            "estimates": {name: Estimate(each.estimate, each.low, each.high) for name, each in found.items()},
            "one_ranking": next(iter(found.values())).pvalue,
        }

    def _per_topic(self, sides: Sides) -> dict[str, PerTopic]:
        """Means with the interval of Student's t; nan where fewer than two topics define the coefficient."""
        level, of_all = self.settings.level, replace(self.coefficients, top=None)
        by_topic = of_all.of(*map(round_significant, sides.matrices), systems=sides.systems)
        found = {}
        for name, values in zip(of_all.columns, by_topic.T, strict=True):
            defined = values[~np.isnan(values)]
            mean = float(defined.mean()) if defined.size else float("nan")
            error = defined.std(ddof=1) / np.sqrt(defined.size) if defined.size > 1 else float("nan")
            half = -float(stdtrit(max(defined.size - 1, 1), (1.0 - level) / 2.0)) * float(error)
            low, high = (float(np.clip(mean + end, -1.0, 1.0)) for end in (-half, half))
            found[name] = PerTopic(mean, low, high, values.size - defined.size)
        thresholds = tie_thresholds([*sides.estimate])
        accuracies = np.array([pair_accuracies(*scores, thresholds) for scores in zip(*sides.matrices, strict=True)])
        accuracy, _, without = calibrated(accuracies)
        return {**found, PAIRS: PerTopic(accuracy, *jackknife_interval(accuracy, without, level, least=0.0), 0)}

    @cached_property
    def _better(self) -> NDArray[np.bool_]:
        return self._significantly_better(self.reference)

    def _significantly_better(self, scores: ScoreMatrix) -> NDArray[np.bool_]:
        settings = self.settings
        test = settings.test or DEFAULT_TEST
        power = discriminative_power(scores, test=test, alpha=settings.alpha, rng=settings.seed, n_jobs=1)
        return np.asarray(power.significant & (scores.means[:, np.newaxis] > scores.means))

    def _pairs(self, scores: ScoreMatrix, sides: Sides) -> dict[str, Any]:
        """Fields of `SignificantPairs`."""
        better, better_here = self._better, self._significantly_better(scores)
        by_both = [Moments.of(in_unit(rows)).pvalues() for rows in sides.matrices]
        decided = decide(better, better_here, *by_both)
        ends: dict[str, ConfidenceInterval] = {}
        if self.settings.intervals:
            corrected = TESTS[self.settings.test or DEFAULT_TEST].corrected
            how = {**self.settings.drawn_by(), "n_resamples": DECISION_RESAMPLES, "alpha": self.settings.alpha}
            ends = decision_intervals(*sides.matrices, decided, corrected=corrected, **how)
        systems = self.reference.systems
        return {
            "n_significant": int(better.sum()),
            "n_significant_other": int(better_here.sum()),
            "n_active_agreements": int(decided.agreements),
            "active_disagreements": [(systems[at], systems[to]) for at, to in np.argwhere(better & better_here.T)],
            "n_pairs": len(systems) * (len(systems) - 1) // 2,
            "n_false_positives": int(decided.false_positives),
            "n_false_negatives": int(decided.false_negatives),
            "balanced_accuracy": decided.balanced_accuracy,
            "soft_accuracy": decided.soft_accuracy,
            "intervals": {DECIDED[name]: interval for name, interval in ends.items()},
        }
