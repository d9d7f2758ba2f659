"""Draws and means of the shrunken truth."""

from __future__ import annotations

import numpy as np
import pytest

from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.truth import shrunken_truth
from pt_rankcorr.stats.truth.reliability import Reliability
from pt_rankcorr.stats.truth.shrunken import draw_truths
from pt_rankcorr.warnings import DegenerateInputWarning

SCORES = np.random.default_rng(1).random((25, 6)) + np.linspace(0, 0.2, 6)


def certain(value: float) -> Reliability:
    return Reliability(np.array([value]), np.array([1.0]))


@pytest.mark.parametrize("value", [0.1, 0.6, 0.99])
def test_draws_have_the_moments_of_the_model(value: float) -> None:
    """Means lambda x, covariances lambda Sigma / n, with the heavier tails of unknown variances."""
    draws = draw_truths(SCORES, certain(value), 20_000, np.random.default_rng(2), None)
    means, n = SCORES.mean(axis=0), len(SCORES)
    assert draws.mean(axis=0) == pytest.approx(means.mean() + value * (means - means.mean()), abs=0.002)
    of_t = (n - 1) / (n - 3)
    expected = value * np.cov(SCORES.T) / n * of_t
    assert np.cov(draws.T) == pytest.approx(expected, abs=0.05 * expected.max())


def test_the_means_keep_their_order_and_come_nearer() -> None:
    truth = shrunken_truth(SCORES, rng=1)
    assert np.argsort(truth.means).tolist() == np.argsort(truth.measured).tolist()
    assert np.ptp(truth.means) == pytest.approx(truth.reliability * np.ptp(truth.measured))
    low, high = truth.reliability_interval()
    assert low <= truth.reliability <= high
    ends = truth.confidence_intervals()
    assert ((ends[:, 0] < truth.means) & (truth.means < ends[:, 1])).all()


def test_identical_systems_tie_in_every_draw() -> None:
    twins = np.column_stack([SCORES, SCORES[:, 2]])
    draws = shrunken_truth(twins, rng=1).draws
    assert (draws[:, 2] == draws[:, 6]).all()


def test_all_equal_scores_are_their_own_truth() -> None:
    with pytest.warns(DegenerateInputWarning, match="the reliability is nan"):
        truth = shrunken_truth(np.full((4, 3), 0.5), n_draws=20, rng=1)
    assert (truth.draws == 0.5).all()
    assert (truth.means == 0.5).all()
    assert np.isnan(truth.reliability)


def test_differences_that_are_the_same_on_every_topic_have_no_reliability() -> None:
    with pytest.warns(DegenerateInputWarning, match="No difference of two systems varies"):
        assert np.isnan(shrunken_truth([[0.1, 0.2, 0.4]] * 5, n_draws=20, rng=1).reliability)


def test_draws_of_systems_far_apart_in_size_do_not_overflow() -> None:
    scores = np.array([[1e90, 1.0, 1e-90], [-1e-99, -1e-99, 0.0]] * 5)
    found = rank_intervals(scores, n_resamples=20, rng=1)
    assert not np.isnan(found.low).any()
