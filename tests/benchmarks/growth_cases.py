"""The public statistics as functions of the number of systems (or items), topics and resamples."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pt_rankcorr.stats.accuracy.best import best_systems
from pt_rankcorr.stats.accuracy.correlation import correlation_interval
from pt_rankcorr.stats.accuracy.difference import correlation_difference
from pt_rankcorr.stats.accuracy.prediction import prediction_quality
from pt_rankcorr.stats.accuracy.prediction_powered import prediction_powered
from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.accuracy.standard_error import bootstrap_standard_error
from pt_rankcorr.stats.coefficients.ap import tau_ap
from pt_rankcorr.stats.coefficients.gap import tau_gap
from pt_rankcorr.stats.coefficients.kendall import kendall_distance, kendall_tau
from pt_rankcorr.stats.coefficients.moments import pearson, spearman
from pt_rankcorr.stats.coefficients.rankings import random_rankings
from pt_rankcorr.stats.coefficients.weights import contributions, swap_weights
from pt_rankcorr.stats.core.summaries import geometric_mean
from pt_rankcorr.stats.expected.correlation import expected_correlation
from pt_rankcorr.stats.expected.simulation import simulate_topics
from pt_rankcorr.stats.rank_distance.allowed import allowed_ranks
from pt_rankcorr.stats.rank_distance.test import d_rank
from pt_rankcorr.stats.significance.bootstrap import paired_bootstrap_test, unpaired_bootstrap_test
from pt_rankcorr.stats.significance.power import discriminative_power, significant_agreement
from pt_rankcorr.stats.significance.swap import stability, swap_rates
from pt_rankcorr.stats.significance.swap_curve import swap_curve
from pt_rankcorr.stats.significance.tukey import randomized_tukey_hsd
from pt_rankcorr.stats.truth import shrunken_truth


@dataclass(frozen=True)
class Size:
    """What is varied; the defaults are what the others are held at."""

    m: int = 50
    n: int = 50
    B: int = 100


HELD = Size()
SMALLEST = Size(m=10, n=10, B=300)  # more than one block of resamples, so that joblib has been imported
MEANINGS = {"items": "items", "m": "systems", "n": "topics", "B": "resamples or rankings"}
GRID = {
    "items": (100, 1000, 10_000, 100_000),
    "m": (10, 30, 100, 300, 1000),
    "n": (10, 100, 1000, 10_000, 100_000),
    "B": (100, 1000, 10_000),
}


@dataclass(frozen=True)
class Case:
    """A statistic and what it grows with.

    Attributes:
        axes: Those of GRID it is measured along.
        prepare: Makes the input of a size, and returns the call to be measured.
    """

    axes: tuple[str, ...]
    prepare: Callable[[Size], Callable[[], Any]]


def _largest_gap(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one.mean(axis=0) - other.mean(axis=0)).max())


def matrix(size: Size, seed: int = 0) -> np.ndarray:
    """Scores of which some systems are better than others; made in place, so that it costs no memory but its own."""
    rng = np.random.default_rng(seed)
    scores = rng.random((size.n, size.m))
    scores *= np.linspace(0.5, 1.0, size.m)
    return scores


def vectors(size: Size) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.random(size.m)
    return truth, truth + rng.random(size.m) / 2


def tied(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Ties of about five in the estimate."""
    truth, estimate = vectors(size)
    return truth, np.round(estimate * size.m / 5)


def _of_vectors(statistic: Callable[..., Any], make: Callable[[Size], Any] = vectors, **options: Any) -> Case:
    return Case(("items",), lambda size: _call(statistic, *make(size), **options))


def _of_matrix(axes: str, statistic: Callable[..., Any], **options: Any) -> Case:
    def prepare(size: Size) -> Callable[[], Any]:
        resampled = {"n_resamples": size.B, "rng": 1} if "B" in axes else {}
        return _call(statistic, matrix(size), **resampled, **options)

    return Case(tuple(axes), prepare)


def _of_two(axes: str, statistic: Callable[..., Any], **options: Any) -> Case:
    """Of a matrix, and a ranking, predictions, or more matrices."""

    def prepare(size: Size) -> Callable[[], Any]:
        first = matrix(size)
        second = {
            significant_agreement: lambda: [first[::2].mean(axis=0)],
            prediction_quality: lambda: [first.mean(axis=1) + np.random.default_rng(1).random(size.n)],
            prediction_powered: lambda: [matrix(Size(size.m, 2 * size.n, size.B), 1)],
            d_rank: lambda: [first[::2].mean(axis=0)],
            correlation_difference: lambda: [matrix(size, 1), matrix(size, 2)],
        }.get(statistic, lambda: [matrix(size, 1)])()
        given = [first, *second]
        resampled = {"n_resamples": size.B, "rng": 1} if "B" in axes else {}
        return _call(statistic, *given, **resampled, **options)

    return Case(tuple(axes), prepare)


def _call(statistic: Callable[..., Any], *given: Any, **options: Any) -> Callable[[], Any]:
    def call() -> Any:
        with warnings.catch_warnings():  # few topics, or more systems than topics
            warnings.simplefilter("ignore")
            return statistic(*given, **options)

    return call


def _interval(scores: np.ndarray, n_resamples: int, rng: int) -> Any:
    return expected_correlation(scores, n_resamples=n_resamples, rng=rng).confidence_interval()


def _two_columns(statistic: Callable[..., Any]) -> Case:
    def prepare(size: Size) -> Callable[[], Any]:
        x, y = matrix(Size(2, size.n, size.B)).T.copy()
        return _call(statistic, x, y, n_resamples=size.B, rng=1)

    return Case(("n", "B"), prepare)


def _rankings(**options: Any) -> Case:
    return Case(("m", "B"), lambda size: _call(random_rankings, size.m, size.B, rng=1, **options))


CASES = {
    "kendall_tau": _of_vectors(kendall_tau),
    "kendall_tau, ties": _of_vectors(kendall_tau, tied, ties="b"),
    "tau_ap": _of_vectors(tau_ap),
    "tau_ap, ties": _of_vectors(tau_ap, tied),
    "tau_gap": _of_vectors(tau_gap),
    "tau_gap, ties": _of_vectors(tau_gap, tied),
    "pearson": _of_vectors(pearson),
    "spearman": _of_vectors(spearman),
    "kendall_distance": _of_vectors(kendall_distance),
    "geometric_mean": Case(("n",), lambda size: _call(geometric_mean, matrix(size).T)),
    "swap_weights": Case(("m",), lambda size: _call(swap_weights, vectors(size)[0])),
    "contributions": Case(("m",), lambda size: _call(contributions, *vectors(size))),
    "random_rankings, tau .9": _rankings(tau=0.9),
    "random_rankings, tau_ap .9": _rankings(tau_ap=0.9, tolerance=0.02),
    "d_rank, published": _of_two("mnB", d_rank, null="published"),
    "d_rank, default": _of_two("mnB", d_rank),
    "allowed_ranks": _of_matrix("mnB", allowed_ranks),
    "rank_intervals": _of_matrix("mnB", rank_intervals),
    "rank_intervals, shrunken": _of_matrix("mnB", rank_intervals, method="shrunken"),
    "best_systems": _of_matrix("mnB", best_systems),
    "shrunken_truth": _of_matrix("mn", shrunken_truth),
    "expected_correlation, ml": _of_matrix("mn", expected_correlation, estimator="ml"),
    "expected_correlation, msqd": _of_matrix("mn", expected_correlation, estimator="msqd"),
    "expected_correlation, resampling": _of_matrix("mnB", expected_correlation, estimator="resampling"),
    "expected_correlation, kde": _of_matrix("mnB", expected_correlation, estimator="kde"),
    "expected_correlation, split-half": _of_matrix("mn", expected_correlation, estimator="split-half", rng=1),
    "expected_correlation, its interval": _of_matrix("mnB", _interval),
    "paired_bootstrap_test": _two_columns(paired_bootstrap_test),
    "unpaired_bootstrap_test": _two_columns(unpaired_bootstrap_test),
    "randomized_tukey_hsd": _of_matrix("mnB", randomized_tukey_hsd),
    "significant_agreement": _of_two("mn", significant_agreement),
    "discriminative_power, paired": _of_matrix("mnB", discriminative_power, test="paired-bootstrap"),
    "discriminative_power, unpaired": _of_matrix("mnB", discriminative_power, test="unpaired-bootstrap"),
    "stability": _of_matrix("mnB", stability),
    "swap_curve": _of_matrix("mnB", swap_curve, topic_set_sizes=[2, 5]),
    "swap_rates": _of_matrix("mnB", swap_rates),
    "bootstrap_standard_error": _of_two("mnB", partial(bootstrap_standard_error, _largest_gap)),
    "correlation_interval": _of_two("mnB", correlation_interval),
    "correlation_difference": _of_two("mnB", correlation_difference),
    "prediction_powered": _of_two("mn", prediction_powered),
    "prediction_quality": _of_two("mnB", prediction_quality),
    "simulate_topics": Case(("m", "n"), lambda size: _call(simulate_topics, matrix(size), size.n, rng=1)),
}
