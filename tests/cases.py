"""Every public statistic that draws at random, and how it is called with scores and others by the same systems.

What must hold of all of them, for any order, any workers and any size, is tested with the rows of this table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

import pt_rankcorr as ptr
from pt_rankcorr import stats
from pt_rankcorr.scores import ScoreMatrix

Inputs = Callable[[ScoreMatrix, ScoreMatrix], tuple[Any, ...]]


# --- what is given to a statistic, in any order of topics and systems ---------------------------------------


def alone(scores: ScoreMatrix, _: ScoreMatrix) -> tuple[Any, ...]:
    return (scores,)


def beside(scores: ScoreMatrix, other: ScoreMatrix) -> tuple[Any, ...]:
    return scores, other


def three(scores: ScoreMatrix, other: ScoreMatrix) -> tuple[Any, ...]:
    return scores, other, ScoreMatrix(np.round(other.values, 1), other.topics, other.systems)


def two_systems(scores: ScoreMatrix, other: ScoreMatrix) -> tuple[Any, ...]:
    name = sorted(scores.systems)[1]
    return tuple(each.select(systems=[name]).values[:, 0] for each in (scores, other))


def predicted(scores: ScoreMatrix, other: ScoreMatrix) -> tuple[Any, ...]:
    first, second = sorted(scores.systems)[:2]
    return scores.select(systems=[first]), pd.Series(other.select(systems=[second]).values[:, 0], other.topics)


def half_judged(scores: ScoreMatrix, other: ScoreMatrix) -> tuple[Any, ...]:
    half = set(sorted(scores.topics)[: scores.n_topics // 2])
    return scores.select(topics=[topic for topic in scores.topics if topic in half]), other


def measures(scores: ScoreMatrix, other: ScoreMatrix) -> tuple[Any, ...]:
    return ([scores.named("one"), other.named("other")],)


# --- statistics ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A statistic, its inputs, and settings that are no default."""

    function: Callable[..., Any]
    inputs: Inputs = alone
    settings: dict[str, Any] = field(default_factory=dict)

    def takes(self, name: str) -> bool:
        return name in inspect.signature(self.function).parameters

    def how(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Its own settings, and those of the given ones that it takes."""
        return {name: value for name, value in settings.items() if self.takes(name)} | self.settings

    def __call__(self, scores: ScoreMatrix, other: ScoreMatrix, **settings: Any) -> Any:
        return self.function(*self.inputs(scores, other), **self.how(settings))


@wraps(ptr.expected_correlation)
def interval(*given: Any, **settings: Any) -> Any:
    return ptr.expected_correlation(*given, **settings).confidence_interval(0.9)


def highest_mean(scores: Any) -> float:
    return float(np.sort(np.asarray(scores), axis=0).mean(axis=0).max())


def middle(scores: Any) -> float:
    """A statistic that a caller may bring."""
    return float(np.median(scores))


def rows(function: Callable[..., Any], name: str, *values: str, inputs: Inputs = alone) -> dict[str, Call]:
    """A row for each value of one setting."""
    return {f"{function.__name__}, {value}": Call(function, inputs, {name: value}) for value in values}


CALLS: dict[str, Call] = {
    **rows(ptr.rank_intervals, "method", "shrunken", "percentile", "pairwise"),
    **rows(ptr.best_systems, "method", "pairwise", "shrunken"),
    **rows(ptr.expected_correlation, "estimator", "shrunken", "ml", "msqd", "resampling", "kde", "split-half"),
    "expected_correlation, its interval": Call(interval, settings={"estimator": "kde"}),
    "shrunken_truth": Call(stats.shrunken_truth, settings={"n_draws": 50}),
    "d_rank": Call(ptr.d_rank, beside),
    **rows(ptr.d_rank, "null", "published", "two-sample", inputs=beside),
    "allowed_ranks": Call(stats.allowed_ranks, settings={"n_null_resamples": 39}),
    "randomized_tukey_hsd": Call(stats.randomized_tukey_hsd),
    "significant_agreement": Call(stats.significant_agreement, beside),
    **rows(ptr.discriminative_power, "test", "tukey-hsd", "paired-bootstrap", "unpaired-bootstrap"),
    "stability": Call(stats.stability),
    "swap_rates": Call(stats.swap_rates),
    "swap_curve": Call(stats.swap_curve, settings={"topic_set_sizes": [2, 5]}),
    "paired_bootstrap_test": Call(ptr.stats.paired_bootstrap_test, two_systems),
    "unpaired_bootstrap_test": Call(stats.unpaired_bootstrap_test, two_systems),
    "unpaired_bootstrap_test, of a caller": Call(stats.unpaired_bootstrap_test, two_systems, {"statistic": middle}),
    "bootstrap_standard_error": Call(stats.bootstrap_standard_error, lambda scores, _: (highest_mean, scores)),
    **rows(ptr.correlation_interval, "coefficient", "tau", "tau_ap", "tau_ap_b", "pearson", inputs=beside),
    "correlation_difference": Call(ptr.stats.correlation_difference, three),
    "compare": Call(ptr.compare, measures, {"per_topic": True, "top": 3, "test": "tukey-hsd"}),
    "prediction_powered": Call(ptr.stats.prediction_powered, half_judged),
    "prediction_quality": Call(stats.prediction_quality, predicted, {"coefficients": ["tau"]}),
    "simulate_topics": Call(stats.simulate_topics, settings={"n_topics": 50}),
    "random_rankings": Call(stats.random_rankings, lambda *_: (10, 40), {"tau_ap": 0.9, "tolerance": 0.02}),
}
