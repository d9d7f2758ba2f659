"""One seed gives one result, to nine digits for any order of systems and topics, and to the last for any workers."""

import itertools
from functools import cache, partial

import joblib
import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr import stats
from pt_rankcorr.comparison.compare import MeasureComparison
from pt_rankcorr.stats import Rankings
from pt_rankcorr.stats.accuracy.ranks import BestSystems
from pt_rankcorr.stats.core.ordering import in_given_order, in_one_order, system_order
from pt_rankcorr.stats.core.types import Result
from pt_rankcorr.stats.significance.other_topics import WHICH_TOPICS
from tests import cases, fixtures
from tests.cases import Case

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::pt_rankcorr.warnings.{name}")
    for name in ("UnreliableResultWarning", "DegenerateInputWarning")
]

N_TOPICS, SYSTEMS = 24, list("abcdefg")
TOPICS = [f"q{number}" for number in range(N_TOPICS)]
HOW = {"n_resamples": 60, "rng": 5, "n_jobs": 1}
COMPUTED = {"null_distribution", "probabilities", "replicates"}  # when they are asked for
OF_INPUT = {"systems", "topics", "values", "order", "published_topics"}  # are in its order, or places in it
OF_RANKS = {"by_distance", "by_tau"}  # on their second axis
ESTIMATED = itertools.product(("shrunken", "msqd", "kde", "split-half-replace"), ("tau", "tau_ap", "tau_gap"))
CASES = cases.that_take("rng") | {
    f"expected_correlation, {estimator}, {name}": Case(
        rc.expected_correlation, settings={"estimator": estimator, "coefficient": name}
    )
    for estimator, name in ESTIMATED
}
CASES |= cases.rows(
    rc.correlation_interval, "coefficient", "tau_b", "tau_gap", "spearman", "tau@4", inputs=cases.beside
)
CASES |= cases.rows(stats.stability, "of", *WHICH_TOPICS) | cases.rows(stats.swap_rates, "of", *WHICH_TOPICS)
CASES["unpaired_bootstrap_test, published"] = Case(
    stats.unpaired_bootstrap_test, cases.two_systems, {"method": "published"}
)

Scores = rc.ScoreMatrix


def table(result, systems):
    """What a result says to nine digits, and draws to eight, in an order of its own: of systems by their names."""
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
    found = {name: shown(value) for name, value in result.to_dict().items()}
    for name in (set(vars(result)) | COMPUTED & set(dir(result))) - OF_INPUT:
        values = getattr(result, name)
        if isinstance(values, np.ndarray):
            axes = [by_name if size == by_name.size else np.arange(size) for size in values.shape]
            ordered = values[np.ix_(*axes[:1]) if name in OF_RANKS else np.ix_(*axes)]
            found[name] = (np.round(ordered.astype(float), 8) + 0.0).tobytes()  # no -0
    return found


def shown(value):
    return f"{value:.9g}" if isinstance(value, float) else repr(value)


def scores_of(kind):
    rng = np.random.default_rng(3)
    base = 0.6 * rng.beta(2, 3, (N_TOPICS, 1))
    values = np.clip(base + 0.5 * rng.beta(2, 4, (N_TOPICS, 7)) + np.linspace(0, 0.06, 7), 0, 1)
    other = np.clip(values + 0.15 * rng.standard_normal(values.shape), 0, 1)
    digits = 1 if kind == "tenths" else 12
    return Scores(np.round(values, digits), TOPICS, SYSTEMS), Scores(np.round(other, digits), TOPICS, SYSTEMS)


@pytest.mark.parametrize("kind", ["any", "tenths"])
@pytest.mark.parametrize("name", CASES)
def test_the_order_of_systems_and_topics_changes_nothing(name, kind):
    scores, other = scores_of(kind)
    plain = table(CASES[name](scores, other, **HOW), scores.systems)
    rng = np.random.default_rng(0)
    order = {"topics": rng.permutation(TOPICS).tolist(), "systems": rng.permutation(SYSTEMS).tolist()}
    again = CASES[name](scores.select(**order), other.select(**order), **HOW)
    assert table(again, tuple(order["systems"])) == plain


@pytest.mark.parametrize("seed", range(5))
def test_systems_have_one_order(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, (8, 6)) / 5
    scores[:, 5] = scores[:, 2]  # twins
    topics, systems = rng.permutation(8), rng.permutation(6)
    one, other = (in_one_order(matrix) for matrix in (scores, scores[np.ix_(topics, systems)]))
    order = system_order(one)
    np.testing.assert_array_equal(one[:, order], other[:, system_order(other)])
    np.testing.assert_array_equal(in_given_order(one[:, order], order), one)


RNG = np.random.default_rng(20)
VALUES = np.clip(0.4 + RNG.normal(0.0, 0.1, 12) + RNG.normal(0.0, 0.2, (60, 12)), 0.0, 1.0)
SCORES, OTHER = map(rc.ScoreMatrix, (VALUES, np.clip(VALUES + RNG.normal(0.0, 0.1, VALUES.shape), 0.0, 1.0)))
QRELS = fixtures.qrels()
RUNS = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}
MANY = {"n_resamples": 400, "rng": 1}  # at least four blocks
CALLS = {
    **{name: partial(case, SCORES, OTHER, **MANY) for name, case in cases.that_take("n_jobs").items()},
    "random_rankings": partial(rc.stats.random_rankings, 10, 400, rng=1),
    "compare_judgments": partial(
        rc.compare_judgments, RUNS, QRELS, {"pool": rc.judgments.pool(RUNS, QRELS, 5)}, ["AP"], **MANY
    ),
    "judgment_curve": partial(rc.judgment_curve, RUNS, QRELS, ["AP"], depths=[2, 10], **MANY),
}


@cache
def alone(name):
    return CALLS[name](n_jobs=1)


def check(name, result):
    if isinstance(result, Result):
        assert result == alone(name)
        np.testing.assert_array_equal(*(getattr(it, "null_distribution", ()) for it in (result, alone(name))))
    elif hasattr(result, "to_frame"):
        pd.testing.assert_frame_equal(result.to_frame(), alone(name).to_frame(), check_exact=True)
    else:
        np.testing.assert_array_equal(*(getattr(it, "values", it) for it in (result, alone(name))))


@pytest.mark.whole
@pytest.mark.parametrize("name", CALLS)
def test_two_processes(name):
    check(name, CALLS[name](n_jobs=2))


@pytest.mark.whole
@pytest.mark.parametrize("name", CALLS)
def test_threads(name):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        check(name, CALLS[name]())
