"""Decisions about pairs of systems, by their definitions."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import studentized_range, ttest_rel

from pt_rankcorr.stats.accuracy.decisions import Decisions, Moments, decide, decision_intervals, without_noise


def scores(seed, noise=0.3, topics=9, systems=6):
    truth = np.random.default_rng(0).random((topics, systems)) + np.linspace(0, 0.5, systems)
    return truth + noise * np.random.default_rng(seed).standard_normal(truth.shape)


def test_t_and_p_are_those_of_scipy():
    matrix = scores(1)
    moments = Moments.of(matrix)
    pairs = list(itertools.combinations(range(6), 2))
    expected = [ttest_rel(matrix[:, one], matrix[:, other], alternative="greater") for one, other in pairs]
    assert moments.students_t()[np.triu_indices(6, k=1)] == pytest.approx([test.statistic for test in expected])
    assert moments.pvalues() == pytest.approx([test.pvalue for test in expected])
    assert moments.pvalues(nearly=True) == pytest.approx([test.pvalue for test in expected], abs=1e-6)
    two_sided = [ttest_rel(matrix[:, one], matrix[:, other]).pvalue < 0.05 for one, other in pairs]
    better = moments.better(0.05, by_range=False)
    assert [bool(better[pair] or better[pair[::-1]]) for pair in pairs] == two_sided


def test_the_corrected_test_is_tukey_s_of_a_two_way_table():
    matrix = scores(1)
    residuals = matrix - matrix.mean(axis=0) - matrix.mean(axis=1, keepdims=True) + matrix.mean()
    error = (residuals**2).sum() / (8 * 5)
    required = studentized_range.ppf(0.95, 6, 40) * np.sqrt(error / 9)
    gaps = matrix.mean(axis=0)[:, np.newaxis] - matrix.mean(axis=0)
    assert np.array_equal(Moments.of(matrix).better(0.05, by_range=True), gaps >= required)


def test_a_resample_of_all_topics_has_their_moments():
    found, expected = Moments.resampled(scores(1), np.ones(9)), Moments.of(scores(1))
    assert found.means == pytest.approx(expected.means)
    assert found.covariance == pytest.approx(expected.covariance * 9 / 8)  # as resamples vary less


def test_equal_systems_are_no_better_and_constant_differences_surely():
    matrix = np.array([[1.0, 1.0, 2.0], [0.0, 0.0, 1.0], [4.0, 4.0, 5.0]])
    assert Moments.of(matrix).pvalues().tolist() == [0.5, 1.0, 1.0]


def test_without_one_kind_of_pairs_there_is_no_balanced_accuracy():
    none, half = np.zeros((3, 3), dtype=bool), np.full(3, 0.5)
    assert decide(none, none, half, half)[:4] == (0, 0, 0, 0)
    assert math.isnan(decide(none, none, half, half).balanced_accuracy)
    every = np.triu(np.ones((3, 3), dtype=bool), k=1)
    assert decide(every, every.T, half, half)[:4] == (0, 3, 0, 0)


@pytest.mark.parametrize(
    ("test", "correction"), [("t", None), ("tukey-hsd", None), ("max-t", None), ("t", "holm"), ("wilcoxon", "fdr")]
)
def test_intervals_hold_what_was_observed(test, correction):
    reference, estimate = scores(1, topics=30), scores(2, topics=30)
    first, second = Moments.of(reference), Moments.of(estimate)
    level = 0.05 / 15 if correction == "holm" else 0.05
    better = [moments.better(level, by_range=test == "tukey-hsd") for moments in (first, second)]
    observed = decide(*better, first.pvalues(), second.pvalues())
    settings = {"alpha": 0.05, "test": test, "level": 0.9, "n_resamples": 50, "seed": 1, "correction": correction}
    found = decision_intervals(reference, estimate, observed, **settings)
    assert list(found) == [name for name in Decisions._fields if name != "reversals"]
    for name, (low, high) in found.items():
        assert 0 <= low <= getattr(observed, name) <= high <= (1 if name.endswith("accuracy") else 15)


# --- means without noise ------------------------------------------------------------------------------------


def two_measures(seed=0, n_topics=25, n_systems=12):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n_systems) * 0.1
    topic = rng.normal(size=(n_topics, n_systems)) * 0.2
    return [quality + topic + rng.normal(size=topic.shape) * 0.2 for _ in range(2)]


def means_without_noise(a, b):
    return [scores.mean(axis=0) for scores in without_noise(a, b)]


def test_means_without_noise_covary_as_true_ones():
    """Two measures of known quality, measured through noise; on average over 60 experiments."""
    rng = np.random.default_rng(0)
    observed, estimated = [], []
    for _ in range(60):
        quality = rng.multivariate_normal([0.5, 0.5], np.array([[1.0, 0.8], [0.8, 1.0]]) * 0.01, size=60).T
        a, b = (means + rng.normal(size=(40, 60)) * 0.4 for means in quality)
        observed.append(np.corrcoef(a.mean(axis=0), b.mean(axis=0))[0, 1])
        estimated.append(np.corrcoef(*means_without_noise(a, b))[0, 1])
    assert np.mean(observed) < 0.75
    assert abs(np.mean(estimated) - 0.8) < 0.03


def test_what_has_no_noise_stays():
    quality = np.array([[0.1, 0.4, 0.2, 0.8], [0.2, 0.3, 0.1, 0.9]])
    difficulty = np.linspace(0, 1, 7)[:, np.newaxis]
    np.testing.assert_allclose(means_without_noise(*(difficulty + each for each in quality)), quality + 0.5)
    constant = np.full((5, 4), 0.5)
    np.testing.assert_allclose(means_without_noise(quality[[0] * 5], constant), [quality[0], constant[0]])


def test_systems_that_are_equal_on_every_topic_stay_equal_without_noise():
    a, b = two_measures()
    b[:, 3] = b[:, 1]
    first, second = means_without_noise(a, b)
    assert second[1] == pytest.approx(second[3], abs=1e-15)
    assert abs(first[1] - first[3]) > 1e-3


@pytest.mark.parametrize(("one", "other"), [(1e9, 1.0), (100.0, 1e-7)])
def test_means_without_noise_keep_their_units(one, other):
    a, b = two_measures()
    first, second = means_without_noise(a, b)
    np.testing.assert_allclose(means_without_noise(a * one, b * other), [first * one, second * other], rtol=1e-6)
