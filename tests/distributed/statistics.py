"""Every function with random numbers, called with few resamples: what it returns must not depend on who computed it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import pt_rankcorr as ptr
from tests import small

RNG = np.random.default_rng(20)
EFFECTS = RNG.normal(0.0, 0.1, 12)
SCORES = np.clip(0.4 + EFFECTS + RNG.normal(0.0, 0.2, (60, 12)), 0.0, 1.0)
OTHER = np.clip(SCORES + RNG.normal(0.0, 0.1, SCORES.shape), 0.0, 1.0)
THIRD = np.clip(SCORES + RNG.normal(0.0, 0.2, SCORES.shape), 0.0, 1.0)
MEANS = OTHER.mean(axis=0)
MANY = 400  # resamples: at least four blocks
QRELS = small.qrels()
RUNS = {name: system(small.topics()) for name, system in small.systems().items()}


def _scores(**matrices: np.ndarray) -> ptr.Scores:
    return ptr.Scores({name: ptr.ScoreMatrix(values, measure=name) for name, values in matrices.items()})


def middle(scores: np.ndarray) -> float:
    """A statistic that a caller may bring."""
    return float(np.median(scores))


Call = Callable[..., Any]

CALLS: Mapping[str, Call] = {
    "d_rank": lambda **how: ptr.d_rank(SCORES, MEANS, n_resamples=MANY, rng=1, **how),
    "d_rank, published": lambda **how: ptr.d_rank(SCORES, MEANS, null="published", n_resamples=MANY, rng=1, **how),
    "d_rank, two-sample": lambda **how: ptr.d_rank(SCORES, OTHER, null="two-sample", n_resamples=MANY, rng=1, **how),
    "rank_intervals": lambda **how: ptr.rank_intervals(SCORES, n_resamples=MANY, rng=1, **how),
    "expected_correlation, kde": lambda **how: ptr.expected_correlation(
        SCORES, estimator="kde", n_resamples=MANY, rng=1, **how
    ).confidence_interval(0.9),
    "expected_correlation, split-half": lambda **how: ptr.expected_correlation(
        SCORES, estimator="split-half", n_resamples=MANY, rng=1, **how
    ),
    "paired_bootstrap_test": lambda **how: ptr.paired_bootstrap_test(
        SCORES[:, 0], OTHER[:, 0], n_resamples=MANY, rng=1, **how
    ),
    "unpaired_bootstrap_test": lambda **how: ptr.stats.unpaired_bootstrap_test(
        SCORES[:, 0], OTHER[:30, 1], statistic=middle, n_resamples=MANY, rng=1, **how
    ),
    "randomized_tukey_hsd": lambda **how: ptr.stats.randomized_tukey_hsd(SCORES, n_resamples=MANY, rng=1, **how),
    "discriminative_power": lambda **how: ptr.discriminative_power(SCORES, n_resamples=MANY, rng=1, **how),
    "discriminative_power, paired": lambda **how: ptr.discriminative_power(
        SCORES, test="paired-bootstrap", n_resamples=MANY, rng=1, **how
    ),
    "discriminative_power, unpaired": lambda **how: ptr.discriminative_power(
        SCORES, test="unpaired-bootstrap", n_resamples=MANY, rng=1, **how
    ),
    "stability": lambda **how: ptr.stats.stability(SCORES, n_resamples=MANY, rng=1, **how),
    "swap_rates": lambda **how: ptr.stats.swap_rates(SCORES, n_resamples=MANY, rng=1, **how),
    "correlation_interval": lambda **how: ptr.correlation_interval(
        SCORES, OTHER, "tau_ap", n_resamples=MANY, rng=1, **how
    ),
    "bootstrap_standard_error": lambda **how: ptr.stats.bootstrap_standard_error(
        np.vdot, SCORES, OTHER, n_resamples=MANY, rng=1, **how
    ),
    "correlation_difference": lambda **how: ptr.correlation_difference(
        SCORES, OTHER, THIRD, "tau", n_resamples=MANY, rng=1, **how
    ),
    "prediction_quality": lambda **how: ptr.stats.prediction_quality(
        SCORES[:, [0]], OTHER[:, 0], n_resamples=MANY, rng=1, **how
    ),
    "simulate_topics": lambda **how: ptr.stats.simulate_topics(SCORES, 50, rng=1, **how),
    "random_rankings": lambda **how: ptr.stats.random_rankings(10, MANY, rng=1, **how),
    "compare": lambda **how: ptr.compare(_scores(AP=SCORES, RR=OTHER), n_resamples=MANY, rng=1, **how),
    "compare_judgments": lambda **how: ptr.compare_judgments(
        RUNS, QRELS, {"pool": ptr.judgments.pool(RUNS, QRELS, 5)}, ["AP"], n_resamples=MANY, rng=1, **how
    ),
    "judgment_curve": lambda **how: ptr.judgment_curve(
        RUNS, QRELS, ["AP"], depths=[2, 10], n_resamples=MANY, rng=1, **how
    ),
}


def bits(result: object) -> bytes:
    """All numbers of a result, as they stand in memory."""
    return pickle.dumps(_plain(result))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if hasattr(value, "to_dict") and not hasattr(value, "columns"):
        return _plain(value.to_dict()), _plain(getattr(value, "null_distribution", None))
    if hasattr(value, "to_frame"):
        return _plain(value.to_frame())
    if hasattr(value, "columns"):
        return [(name, [repr(cell) for cell in value[name]]) for name in value.columns]
    if isinstance(value, Mapping):
        return [(name, _plain(cell)) for name, cell in value.items()]
    if isinstance(value, tuple | list):
        return [_plain(cell) for cell in value]
    return repr(value)
