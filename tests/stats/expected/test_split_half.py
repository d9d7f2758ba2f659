"""The split-half baseline: which topics make the halves, and how their correlations are extrapolated."""

import math

import numpy as np
import pytest

from pt_rankcorr.stats.expected.expected_correlation import expected_correlation
from pt_rankcorr.stats.expected.published import Decay, _trials, fit_decay, half_sizes, with_ties_as_agreement
from tests.stats.oracles import COEFFICIENTS

N_TOPICS = 12
SIZES = half_sizes(N_TOPICS)


def halves(replace, trials=50):
    """How often each topic is in each half, shape (2, n_trials, n_sizes, n_topics): read off means of unit vectors."""
    means = []

    def keep(truth, estimate):
        means.extend((np.asarray(truth), np.asarray(estimate)))
        return np.zeros(np.shape(truth)[:-1])

    _trials(np.eye(N_TOPICS), SIZES, keep, replace, np.random.default_rng(1), trials)
    return np.rint(np.stack(means) * SIZES[:, np.newaxis])


@pytest.mark.parametrize(
    ("n_topics", "sizes"),
    [(4, [1, 2]), (6, [2, 3]), (10, [2, 3, 4, 5]), (43, list(range(2, 22))), (82, list(range(3, 42, 2))), (1000, None)],
)
def test_up_to_20_sizes_up_to_half_of_the_topics(n_topics, sizes):
    found = half_sizes(n_topics).tolist()
    assert found == (sizes or found)
    assert found[-1] == n_topics // 2
    assert len(found) == min(20, n_topics // 2 - found[0] + 1)
    assert np.ptp(np.diff(found)) <= 1


def test_halves_without_replacement_are_disjoint():
    truth, estimate = halves(replace=False)
    assert ((truth + estimate) <= 1).all()
    assert (truth.sum(axis=-1) == SIZES).all()
    assert (estimate.sum(axis=-1) == SIZES).all()


def test_halves_with_replacement_are_independent():
    truth, estimate = halves(replace=True, trials=4000)
    assert (truth.sum(axis=-1) == SIZES).all()
    in_truth, in_estimate = truth[:, -1, 0], estimate[:, -1, 0]
    assert in_truth.max() > 1
    assert in_truth.mean() == pytest.approx(SIZES[-1] / N_TOPICS, abs=0.05)
    assert np.corrcoef(in_truth, in_estimate)[0, 1] == pytest.approx(0, abs=0.06)


def test_line_through_the_logarithms():
    sizes, noise = np.arange(1, 21), np.random.default_rng(1).normal(0, 0.1, (100, 20))
    correlations = 1 - 2 * np.exp(-0.7 - 0.05 * sizes + noise - noise.mean(axis=0))
    decay = fit_decay(sizes, correlations)
    assert (decay.intercept, decay.slope) == pytest.approx((-0.7, -0.05))
    assert decay.at(40) == pytest.approx(1 - 2 * math.exp(-2.7))


def test_undefined_and_perfect_trials_are_left_out():
    sizes = np.array([1, 2, 3])
    decay = fit_decay(sizes, np.array([[0.0, 0.5, 1.0], [math.nan, 1.0 - 1e-15, 1.0]]))
    assert decay.at(1) == pytest.approx(0.0)
    assert decay.at(2) == pytest.approx(0.5)
    assert fit_decay(sizes, np.ones((2, 3))).at(50) == 1.0
    assert math.isnan(fit_decay(sizes[:1], np.zeros((2, 1))).at(50))
    assert math.isnan(fit_decay(sizes, np.full((2, 3), math.nan)).at(50))


def test_correlations_stay_in_their_range():
    assert Decay(0.5, 0.1).at(10) == -1.0
    assert Decay(-0.5, 0.0).at(math.inf) == 1 - 2 * math.exp(-0.5)


def test_only_strict_discordances_count():
    rng = np.random.default_rng(1)
    for truth, estimate in rng.integers(0, 4, (200, 2, 7)).astype(float):
        ahead = np.argsort(-estimate, kind="stable")  # any order of what ties is as good
        discordant = np.subtract.outer(truth, truth) * np.subtract.outer(estimate, estimate) < 0.0
        above = [discordant[ahead[rank], ahead[:rank]].mean() for rank in range(1, 7)]
        wanted = {"tau": 1.0 - 2.0 * discordant.sum() / 42, "tau_ap": 1.0 - 2.0 * np.mean(above)}
        found = {name: with_ties_as_agreement(COEFFICIENTS[name].kernel, True, truth, estimate) for name in wanted}
        assert found["tau"] == pytest.approx(wanted["tau"])
        if np.unique(estimate).size == 7:
            assert found["tau_ap"] == pytest.approx(wanted["tau_ap"])


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_gap"])
def test_twins_do_not_make_halves_disagree(coefficient):
    """Halves that agree on all but a pair of identical systems agree, and are left out."""
    rng = np.random.default_rng(1)
    apart = rng.normal(0.0, 0.05, (30, 5)) + 0.5 * np.arange(5)
    scores = np.hstack((apart, apart[:, :1]))
    for estimator in ("split-half", "split-half-replace"):
        assert expected_correlation(scores, coefficient=coefficient, estimator=estimator, rng=1).value == 1.0


@pytest.mark.parametrize("estimator", ["split-half", "split-half-replace"])
def test_agrees_with_the_plain_definition(estimator):
    rng = np.random.default_rng(1)
    scores = rng.normal(0.3, 0.1, (24, 8)) + rng.normal(0, 0.05, 8)
    replace = estimator == "split-half-replace"
    points = []
    for size in range(2, 13):
        for _ in range(500):
            topics = rng.integers(0, 24, 24) if replace else rng.permutation(24)
            truth, estimate = scores[topics[:size]].mean(axis=0), scores[topics[size : 2 * size]].mean(axis=0)
            tau = np.sign(np.subtract.outer(truth, truth) * np.subtract.outer(estimate, estimate)).sum() / 56
            points += [(size, math.log((1 - tau) / 2))] if tau < 1 else []
    slope, intercept = np.polyfit(*np.transpose(points), 1)
    ours = [expected_correlation(scores, coefficient="tau", estimator=estimator, rng=seed).value for seed in range(20)]
    assert np.mean(ours) == pytest.approx(1 - 2 * math.exp(intercept + slope * 24), abs=0.015)
