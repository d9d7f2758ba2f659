"""The parts of a row that are computed for each ranking alone: intervals, means over topics, decisions about pairs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from pt_rankcorr.comparison.columns import PAIRS
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import Estimate, PerTopic, SignificantPairs
from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.judgments.alpha import jackknife_interval
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_errors
from pt_rankcorr.stats.accuracy.decisions import Moments, decide, decision_intervals, in_unit
from pt_rankcorr.stats.accuracy.pair_accuracy import calibrated, pair_accuracies, tie_thresholds
from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.means import round_significant, system_means
from pt_rankcorr.stats.core.results import ConfidenceInterval
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST, TESTS
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.stats.truth.sides import Sides
from pt_rankcorr.warnings import DegenerateInputWarning

CORRELATION_RESAMPLES = FEWER_RESAMPLES  # as `correlation_interval` takes
DECISION_RESAMPLES = 100  # of which only a standard deviation is taken
DECIDED = {  # what rows call the decisions that have an interval
    "agreements": "n_active_agreements",
    "false_positives": "n_false_positives",
    "false_negatives": "n_false_negatives",
    "balanced_accuracy": "balanced_accuracy",
    "soft_accuracy": "soft_accuracy",
}


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateInputWarning)  # the whole table says it once
            return {
                **(self._over_all_topics(scores) if self.settings.intervals else self._on_these_topics(sides)),
                "per_topic": self._per_topic(sides) if self.settings.per_topic else {},
                "pairs": None if self.settings.test is None else self._pairs(scores, sides),
            }

    def _on_these_topics(self, sides: Sides) -> dict[str, Any]:
        found = self.coefficients.of(*map(system_means, sides.matrices), systems=sides.systems)
        return {"coefficients": dict(zip(self.coefficients.columns, map(float, found), strict=True))}

    def _over_all_topics(self, scores: ScoreMatrix) -> dict[str, Any]:
        """Each coefficient, also over all topics; nan where one of the rankings ties all systems."""
        how: dict[str, Any] = {"n_resamples": CORRELATION_RESAMPLES, "n_jobs": 1, **self.settings.drawn_by()}
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

    def _pairs(self, scores: ScoreMatrix, sides: Sides) -> SignificantPairs:
        better, better_here = self._better, self._significantly_better(scores)
        by_both = [Moments.of(in_unit(rows)).pvalues() for rows in sides.matrices]
        decided = decide(better, better_here, *by_both)
        ends: dict[str, ConfidenceInterval] = {}
        if self.settings.intervals:
            ends = decision_intervals(
                *sides.matrices,
                decided,
                alpha=self.settings.alpha,
                corrected=TESTS[self.settings.test or DEFAULT_TEST].corrected,
                n_resamples=DECISION_RESAMPLES,
                **self.settings.drawn_by(),
            )
        systems = self.reference.systems
        return SignificantPairs(
            n_significant=int(better.sum()),
            n_significant_other=int(better_here.sum()),
            n_active_agreements=int(decided.agreements),
            active_disagreements=tuple(
                (systems[first], systems[second]) for first, second in np.argwhere(better & better_here.T)
            ),
            n_pairs=len(systems) * (len(systems) - 1) // 2,
            n_false_positives=int(decided.false_positives),
            n_false_negatives=int(decided.false_negatives),
            balanced_accuracy=decided.balanced_accuracy,
            soft_accuracy=decided.soft_accuracy,
            intervals={DECIDED[name]: interval for name, interval in ends.items()},
        )
