"""One seed gives one result for any order of systems and topics: every function that takes a seed, one row each."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import pt_rankcorr as ptr
from pt_rankcorr import stats
from pt_rankcorr.comparison.measures import MeasureComparison
from pt_rankcorr.stats.accuracy.best import BestSystems
from pt_rankcorr.stats.core.matrix import Rankings
from pt_rankcorr.stats.core.means import in_given_order, in_one_order, system_order
from pt_rankcorr.stats.significance.swap import LEAST
from tests import cases
from tests.cases import Case

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::pt_rankcorr.warnings.{name}")
    for name in ("UnreliableResultWarning", "DegenerateInputWarning")
]

N_TOPICS, SYSTEMS = 24, list("abcdefg")
TOPICS = [f"q{number}" for number in range(N_TOPICS)]
HOW: dict[str, Any] = {"n_resamples": 60, "rng": 5, "n_jobs": 1}
COMPUTED = {"null_distribution", "probabilities", "replicates"}  # when they are asked for
OF_INPUT = {"systems", "topics", "values", "order", "published_topics"}  # are in its order, or places in it
OF_RANKS = {"by_distance", "by_tau"}  # on their second axis
ESTIMATED = itertools.product(("shrunken", "msqd", "kde", "split-half-replace"), ("tau", "tau_ap", "tau_gap"))
CASES = cases.that_take("rng") | {
    f"expected_correlation, {estimator}, {name}": Case(
        ptr.expected_correlation, settings={"estimator": estimator, "coefficient": name}
    )
    for estimator, name in ESTIMATED
}
CASES |= cases.rows(
    ptr.correlation_interval, "coefficient", "tau_b", "tau_gap", "spearman", "tau@4", inputs=cases.beside
)
CASES |= cases.rows(stats.stability, "of", *LEAST) | cases.rows(stats.swap_rates, "of", *LEAST)
CASES["stability, median"] = Case(stats.stability, settings={"statistic": np.median})
CASES["unpaired_bootstrap_test, published"] = Case(
    stats.unpaired_bootstrap_test, cases.two_systems, {"method": "published"}
)

Scores = ptr.ScoreMatrix


# --- the same bits ----------------------------------------------------------------------------------


def table(result: Any, systems: tuple[str, ...]) -> dict[str, Any]:
    """What a result says to nine digits, in an order of its own: of systems by their names."""
    if isinstance(result, dict):
        return {name: table(value, systems) for name, value in result.items()}
    if isinstance(result, BestSystems | MeasureComparison):
        return {"rows": sorted(map(repr, result.to_frame().round(9).itertuples(index=False)))}
    if isinstance(result, tuple | float):
        return {"values": tuple(map(shown, np.ravel(result).tolist()))}
    by_name = np.argsort(systems)
    if isinstance(result, np.ndarray):
        return {"values": np.round(result[..., by_name], 9).tobytes()}
    if isinstance(result, Rankings):
        return {"values": result.values.tobytes()}
    found: dict[str, Any] = {name: shown(value) for name, value in result.to_dict().items()}
    for name in (set(vars(result)) | COMPUTED & set(dir(result))) - OF_INPUT:
        values = getattr(result, name)
        if isinstance(values, np.ndarray):
            axes = [by_name if size == by_name.size else np.arange(size) for size in values.shape]
            ordered = values[np.ix_(*axes[:1]) if name in OF_RANKS else np.ix_(*axes)]
            found[name] = np.round(ordered.astype(float), 9).tobytes()
    return found


def shown(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else repr(value)


def scores_of(kind: str) -> tuple[Scores, Scores]:
    rng = np.random.default_rng(3)
    base = 0.6 * rng.beta(2, 3, (N_TOPICS, 1))
    values = np.clip(base + 0.5 * rng.beta(2, 4, (N_TOPICS, 7)) + np.linspace(0, 0.06, 7), 0, 1)
    other = np.clip(values + 0.15 * rng.standard_normal(values.shape), 0, 1)
    digits = 1 if kind == "tenths" else 12
    return Scores(np.round(values, digits), TOPICS, SYSTEMS), Scores(np.round(other, digits), TOPICS, SYSTEMS)


@pytest.mark.parametrize("kind", ["any", "tenths"])
@pytest.mark.parametrize("name", CASES)
def test_the_order_of_systems_and_topics_changes_nothing(name: str, kind: str) -> None:
    scores, other = scores_of(kind)
    plain = table(CASES[name](scores, other, **HOW), scores.systems)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        order = {"topics": rng.permutation(TOPICS).tolist(), "systems": rng.permutation(SYSTEMS).tolist()}
        again = CASES[name](scores.select(**order), other.select(**order), **HOW)
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
