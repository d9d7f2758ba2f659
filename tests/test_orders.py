"""One seed gives the same bits for any order of systems and topics: every function that takes a seed, one row each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as ptr
from pt_rankcorr import stats
from pt_rankcorr.stats.core.means import in_given_order, in_one_order, system_order

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

N_TOPICS, SYSTEMS = 24, list("abcdefg")
TOPICS = [f"q{number}" for number in range(N_TOPICS)]
HOW: dict[str, Any] = {"n_resamples": 60, "rng": 5}
OF_SYSTEMS = {"rank", "low", "high", "tier", "share_first", "measured", "means", "draws", "values"}
SUMS = ["tau", "tau_ap_b", "pearson"]  # whose last bits differ by the order of sums
OF_PAIRS = {"probabilities", "differences", "pvalues", "covariance"}

Scores = ptr.ScoreMatrix
Call = Callable[[Scores, Scores], Any]


def alone(function: Callable[..., Any], **how: Any) -> Call:
    return lambda scores, _: function(scores, **how)


def beside(function: Callable[..., Any], **how: Any) -> Call:
    return lambda scores, other: function(scores, other, **how)


def pair(function: Callable[..., Any], **how: Any) -> Call:
    return lambda scores, _: function(*(scores.select(systems=[name]).values[:, 0] for name in "bd"), **how)


def difference(scores: Scores, other: Scores) -> Any:
    third = Scores(np.round(other.values, 1), other.topics, other.systems)
    return ptr.correlation_difference(scores, other, third, **HOW)


def prediction_powered(scores: Scores, other: Scores) -> Any:
    few = set(TOPICS[:12])
    return ptr.prediction_powered(scores.select(topics=[name for name in scores.topics if name in few]), other, rng=5)


def quality(scores: Scores, other: Scores) -> Any:
    reference = scores.select(systems=["b"])
    predicted = pd.Series(other.values[:, other.systems.index("c")], other.topics)
    return stats.prediction_quality(reference, predicted, ["tau"], **HOW)


def best(scores: Scores, _: Scores, **how: Any) -> Any:
    found = ptr.best_systems(scores, **how, **HOW)
    return pd.DataFrame({"system": found.systems, "probability": found.probabilities})


def compared(scores: Scores, other: Scores) -> Any:
    measures = [scores.named("one"), other.named("other")]
    return ptr.compare(measures, per_topic=True, top=3, test="tukey-hsd", n_jobs=1, **HOW).to_frame()


def simulated(scores: Scores, _: Scores) -> Any:
    return pd.DataFrame(stats.simulate_topics(scores, 5, rng=5), columns=list(scores.systems)).T.reset_index()


CALLS: dict[str, Call] = {
    **{
        f"rank_intervals, {method}": alone(ptr.rank_intervals, method=method, **HOW)
        for method in ("shrunken", "percentile", "guaranteed")
    },
    **{f"best_systems, {method}": partial(best, method=method) for method in ("guaranteed", "shrunken")},
    **{
        f"expected_correlation, {estimator}, {name}": alone(
            ptr.expected_correlation, coefficient=name, estimator=estimator, **HOW
        )
        for estimator in ("shrunken", "msqd", "kde", "split-half-replace")
        for name in ("tau", "tau_ap", "tau_gap")
    },
    "shrunken_truth": alone(stats.shrunken_truth, n_draws=50, rng=5),
    "d_rank": beside(ptr.d_rank, **HOW),
    "allowed_ranks": alone(stats.allowed_ranks, n_resamples=30, n_null_resamples=39, rng=5),
    "randomized_tukey_hsd": alone(stats.randomized_tukey_hsd, **HOW),
    "significant_agreement": beside(stats.significant_agreement, **HOW),
    "discriminative_power": alone(ptr.discriminative_power, **HOW),
    "discriminative_power, paired-bootstrap": alone(ptr.discriminative_power, test="paired-bootstrap", **HOW),
    "stability": alone(stats.stability, **HOW),
    "swap_rates": alone(stats.swap_rates, **HOW),
    "swap_curve": alone(stats.swap_curve, topic_set_sizes=[4, 8], **HOW),
    "paired_bootstrap_test": pair(ptr.paired_bootstrap_test, **HOW),
    "unpaired_bootstrap_test": pair(stats.unpaired_bootstrap_test, **HOW),
    "bootstrap_standard_error": alone(lambda scores: stats.bootstrap_standard_error(highest_mean, scores, **HOW)),
    **{f"correlation_interval, {name}": beside(ptr.correlation_interval, coefficient=name, **HOW) for name in SUMS},
    "correlation_difference": difference,
    "compare": compared,
    "prediction_powered": prediction_powered,
    "prediction_quality": quality,
    "simulate_topics": simulated,
}
# components and comparisons call these; others draw no topics, or take no scores
OTHERS = {
    "DRankTest", "PairedBootstrap", "compare_judgments", "compare_leaderboards", "judgment_curve", "report",
    "random_rankings",
}  # fmt: skip


def highest_mean(scores: Any) -> float:
    return float(np.sort(np.asarray(scores), axis=0).mean(axis=0).max())


def test_every_function_with_a_seed_has_a_row() -> None:
    seeded = {
        name
        for room in (ptr, stats)
        for name in dir(room)
        if not name.startswith("_") and callable(getattr(room, name)) and "rng" in parameters(getattr(room, name))
    }
    components = {name for name in seeded if isinstance(getattr(ptr, name, None), type)} | {"Experiment"}
    assert {name.split(",")[0] for name in CALLS} == seeded - components - OTHERS


def parameters(function: Any) -> set[str]:
    try:
        return set(inspect.signature(function).parameters)
    except ValueError:
        return set()


# --- the same bits ----------------------------------------------------------------------------------


def table(result: Any, systems: tuple[str, ...]) -> dict[str, Any]:
    """What a result says, in an order of its own: of systems by their names."""
    if isinstance(result, dict):
        return {name: table(value, systems) for name, value in result.items()}
    if isinstance(result, pd.DataFrame):
        return {"rows": sorted(map(repr, result.itertuples(index=False)))}
    if isinstance(result, tuple):
        return {"values": tuple(map(repr, result))}
    by_name = np.argsort(systems)
    found: dict[str, Any] = dict(result.to_dict())
    for name in OF_SYSTEMS & set(vars(result)):
        values = np.asarray(getattr(result, name))
        if name != "values" and values.shape[-1:] == by_name.shape:
            found[name] = values[..., by_name].tobytes()
    for name in OF_PAIRS & set(dir(result)):
        matrix = getattr(result, name)
        if isinstance(matrix, np.ndarray) and matrix.shape == (len(systems),) * 2:
            found[name] = matrix[np.ix_(by_name, by_name)].tobytes()
    return found


def scores_of(kind: str) -> tuple[Scores, Scores]:
    rng = np.random.default_rng(3)
    base = 0.6 * rng.beta(2, 3, (N_TOPICS, 1))
    values = np.clip(base + 0.5 * rng.beta(2, 4, (N_TOPICS, 7)) + np.linspace(0, 0.06, 7), 0, 1)
    other = np.clip(values + 0.15 * rng.standard_normal(values.shape), 0, 1)
    digits = 1 if kind == "tenths" else 12
    return Scores(np.round(values, digits), TOPICS, SYSTEMS), Scores(np.round(other, digits), TOPICS, SYSTEMS)


@pytest.mark.parametrize("kind", ["any", "tenths"])
@pytest.mark.parametrize("name", CALLS)
def test_the_order_of_systems_and_topics_changes_no_bit(name: str, kind: str) -> None:
    scores, other = scores_of(kind)
    plain = table(CALLS[name](scores, other), scores.systems)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        order = {"topics": rng.permutation(TOPICS).tolist(), "systems": rng.permutation(SYSTEMS).tolist()}
        again = CALLS[name](scores.select(**order), other.select(**order))
        assert table(again, tuple(order["systems"])) == plain


@pytest.mark.parametrize("seed", range(30))
def test_systems_have_one_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, (8, 6)) / 5
    scores[:, 5] = scores[:, 2]  # twins
    topics, systems = rng.permutation(8), rng.permutation(6)
    one, other = (in_one_order(matrix) for matrix in (scores, scores[np.ix_(topics, systems)]))
    order = system_order(one)
    np.testing.assert_array_equal(one[:, order], other[:, system_order(other)])
    np.testing.assert_array_equal(in_given_order(one[:, order], order), one)
