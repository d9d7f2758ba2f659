import json
from dataclasses import FrozenInstanceError, dataclass, field

import numpy as np
import pytest

import pt_rankcorr
from pt_rankcorr import stats
from pt_rankcorr.stats.core.types import TestResult, cached_property


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
    assert Outcome(1.0, 1.0).to_dict()["label"] is None
    assert type(outcome.to_dict()["statistic"]) is float
    assert json.loads(json.dumps(outcome.to_dict())) == outcome.to_dict()


def test_results_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Outcome(1.0, 1.0).pvalue = 0.0


def test_results_with_nan_are_equal_and_those_of_other_scores_are_not():
    constant = [pt_rankcorr.discriminative_power(np.full((12, 4), 0.5), n_resamples=20, rng=1) for _ in range(2)]
    assert constant[0] == constant[1]
    assert hash(constant[0]) == hash(constant[1])
    assert stats.swap_weights([3, 2, 1]) != stats.swap_weights([4, 3, 1], "tau_gap")
    assert stats.swap_weights([3, 2, 1]) != 1


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
