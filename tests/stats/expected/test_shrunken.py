"""The expected correlation by draws of the shrunken truth."""

from __future__ import annotations

import numpy as np
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.warnings import CloseSystemsWarning

SCORES = in_one_order(np.random.default_rng(4).beta(2, 3, (30, 8)) + np.linspace(0, 0.3, 8))  # as resampled
FUNCTIONS = {"tau": ptr.kendall_tau, "tau_ap": ptr.tau_ap, "tau_gap": ptr.tau_gap}


def result(coefficient: str = "tau", scores=SCORES, **settings):
    return ptr.expected_correlation(scores, coefficient=coefficient, estimator="shrunken", rng=1, **settings)


@pytest.mark.parametrize("coefficient", FUNCTIONS)
def test_it_is_the_mean_over_draws_and_its_interval_their_quantiles(coefficient: str) -> None:
    found = result(coefficient, n_resamples=150)
    evidence = found._evidence
    values = [FUNCTIONS[coefficient](truth, evidence.pairs.means) for truth in evidence.truths]
    assert found.value == pytest.approx(np.mean(values))
    assert found.confidence_interval(0.9) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))


def test_pairs_agree_with_the_draws() -> None:
    found = result(n_resamples=20_000)
    m = SCORES.shape[1]
    assert 1 - 2 * found.probabilities.sum() / (m * (m - 1)) == pytest.approx(found.value, abs=0.01)
    assert (found.probabilities == found.probabilities.T).all()
    assert found.probabilities.max() <= 0.5


def test_the_curve_rises_from_few_topics_to_all_there_are() -> None:
    found = result("tau_ap")
    values = found.curve([2, 5, 10, 20, 29, 30, 31, 50, 100, 1000, 1e6])
    assert (np.diff(values) > -0.01).all()
    assert values[5] == found.value
    assert values[6] == pytest.approx(found.value, abs=0.02)
    assert values[4] == pytest.approx(found.value, abs=0.02)
    assert values[-1] > 0.99
    needed = found.topics_needed(0.9)
    assert found.curve(needed) >= 0.9 > found.curve(needed - 1) - 0.01


def test_one_set_of_draws_serves_all_coefficients() -> None:
    assert result("tau").with_coefficient("tau_gap").value == result("tau_gap").value


def test_close_systems_are_promised_less_than_by_msqd() -> None:
    rng = np.random.default_rng(7)
    close = rng.normal(np.linspace(0, 0.02, 20), 0.2, size=(10, 20))
    with pytest.warns(CloseSystemsWarning, match=r"10 topics do not show that the 20 systems differ.*interval"):
        found = result(scores=close)
    assert found.value < ptr.expected_correlation(close, coefficient="tau", estimator="msqd").value - 0.05


def test_it_is_the_default() -> None:
    assert ptr.expected_correlation(SCORES, coefficient="tau", rng=1) == result()


def test_close_systems_are_warned_of_once_and_where_the_caller_is() -> None:
    noise = np.random.default_rng(9).normal(size=(20, 10))
    with pytest.warns(CloseSystemsWarning) as caught:
        found = ptr.expected_correlation(noise, rng=1)
    assert [warning.filename for warning in caught] == [__file__]
    assert found.with_coefficient("tau").value < 0.5  # without a warning


def test_systems_far_apart_are_promised_the_same() -> None:
    rng = np.random.default_rng(8)
    apart = rng.normal(np.linspace(0, 10, 20), 0.2, size=(50, 20))
    assert result(scores=apart).value == pytest.approx(1.0)
