from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, dataclass, field, fields

import numpy as np
import pytest

import pt_rankcorr
from pt_rankcorr import stats
from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result, TestResult


@dataclass(frozen=True)
class Outcome(TestResult):
    statistic: float
    pvalue: float
    label: str | None = None
    null_distribution: np.ndarray = field(default_factory=lambda: np.zeros(3), repr=False)


def test_a_test_result_unpacks():
    outcome = Outcome(2.5, 0.01)
    statistic, pvalue = outcome
    assert (statistic, pvalue) == (2.5, 0.01)
    assert (outcome[0], outcome[1], outcome[-1], len(outcome)) == (2.5, 0.01, 0.01, 2)
    with pytest.raises(IndexError):
        outcome[2]


def test_the_dictionary_is_flat_and_serialisable():
    outcome = Outcome(np.float64(2.5), 0.01, "AP")
    assert outcome.to_dict() == {"statistic": 2.5, "pvalue": 0.01, "label": "AP"}
    assert type(outcome.to_dict()["statistic"]) is float
    assert json.loads(json.dumps(outcome.to_dict())) == outcome.to_dict()


def test_missing_values_are_kept():
    assert Outcome(1.0, 1.0).to_dict()["label"] is None


def test_results_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Outcome(1.0, 1.0).pvalue = 0.0


def test_results_of_equal_arguments_are_equal():
    scores = np.random.default_rng(0).random((12, 4)) + np.arange(4)
    constant = np.full((12, 4), 0.5)
    for call in (
        lambda: pt_rankcorr.expected_correlation(scores, rng=1),
        lambda: pt_rankcorr.discriminative_power(constant, rng=1, n_resamples=20),
    ):
        first, second = call(), call()
        assert first == second
        assert hash(first) == hash(second)
    few, many = (pt_rankcorr.expected_correlation(some, rng=1) for some in (scores[::2], scores))
    assert few != many


def test_a_result_without_fields():
    @dataclass(frozen=True)
    class Empty(Result):
        pass

    assert Empty().to_dict() == {}


def test_intervals_have_names():
    interval = ConfidenceInterval(0.1, 0.9)
    assert (interval.low, interval.high) == tuple(interval) == (0.1, 0.9)


SCORES = np.random.default_rng(0).random((12, 4))
FEW = {"n_resamples": 20, "rng": 1}
RESULTS = {
    "swap_weights": lambda: stats.swap_weights(SCORES),
    "contributions": lambda: stats.contributions(SCORES, SCORES[:, ::-1]),
    "d_rank": lambda: pt_rankcorr.d_rank(SCORES, stats.Rankings(SCORES), null="two-sample", **FEW),
    "allowed_ranks": lambda: stats.allowed_ranks(SCORES, n_null_resamples=19, **FEW),
    "expected_correlation": lambda: pt_rankcorr.expected_correlation(SCORES + np.arange(4), **FEW),
    "rank_intervals": lambda: pt_rankcorr.rank_intervals(SCORES + np.arange(4), **FEW),
    "best_systems": lambda: pt_rankcorr.best_systems(SCORES, **FEW),
    "shrunken_truth": lambda: stats.shrunken_truth(SCORES, n_draws=9, rng=1),
    "correlation_interval": lambda: pt_rankcorr.correlation_interval(SCORES, SCORES**2, **FEW),
    "correlation_difference": lambda: pt_rankcorr.correlation_difference(SCORES, SCORES, SCORES**2, **FEW),
    "prediction_quality": lambda: stats.prediction_quality(SCORES, SCORES[:, 0], **FEW),
    "discriminative_power": lambda: pt_rankcorr.discriminative_power(SCORES, test="paired-bootstrap", **FEW),
    "randomized_tukey_hsd": lambda: stats.randomized_tukey_hsd(SCORES, **FEW),
    "stability": lambda: stats.stability(SCORES, **FEW),
    "swap_rates": lambda: stats.swap_rates(SCORES, max_rate=0.99, **FEW),
}


@pytest.mark.parametrize("name", RESULTS)
def test_arrays_of_results_are_read_only(name):
    """What is computed once and held by several must not be changed by one of them."""
    result = RESULTS[name]()
    held = {each.name: getattr(result, each.name) for each in fields(result)}
    arrays = {name: value for name, value in held.items() if isinstance(value, np.ndarray)}
    assert arrays
    assert [name for name, array in arrays.items() if array.flags.writeable] == []


def test_the_null_of_a_test_cannot_be_changed_by_a_result():
    test = pt_rankcorr.DRankTest(SCORES, null="two-sample", **FEW)
    for null in (test.null_distribution, test.test(SCORES[0]).null_distribution):
        with pytest.raises(ValueError, match="read-only"):
            null[:] = 0.0


def test_what_is_given_stays_writeable():
    given = np.array([0.0, 0.1])
    assert not Outcome(1.0, 1.0, null_distribution=given).null_distribution.flags.writeable
    given[0] = 1.0


def test_what_is_computed_once_is_read_only():
    class Computed:
        @cached_property
        def values(self):
            """Some numbers."""
            return np.zeros(3)

    computed = Computed()
    assert computed.values is computed.values
    assert not computed.values.flags.writeable
    assert Computed.values.__doc__ == "Some numbers."
