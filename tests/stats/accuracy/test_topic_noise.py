"""The noise that a sample of topics brings into the means of systems."""

from __future__ import annotations

import numpy as np
import pytest

from pt_rankcorr.stats.accuracy._topic_noise import noise_free_means


def test_the_correlation_of_the_true_means_is_found_again():
    """Two measures of known quality, seen through noise; on average over 60 experiments."""
    rng = np.random.default_rng(0)
    true_covariance = np.array([[1.0, 0.8], [0.8, 1.0]]) * 0.01
    observed, estimated = [], []
    for _ in range(60):
        quality = rng.multivariate_normal([0.5, 0.5], true_covariance, size=60).T
        difficulty = rng.normal(size=(2, 40, 1)) * 0.2
        a, b = (level + hard + rng.normal(size=(40, 60)) * 0.4 for level, hard in zip(quality, difficulty, strict=True))
        observed.append(np.corrcoef(a.mean(axis=0), b.mean(axis=0))[0, 1])
        estimated.append(np.corrcoef(*noise_free_means(a, b))[0, 1])
    assert np.mean(observed) < 0.62
    assert abs(np.mean(estimated) - 0.8) < 0.03


def test_without_noise_nothing_changes():
    quality = np.array([0.1, 0.4, 0.2, 0.8])
    other = np.array([0.2, 0.3, 0.1, 0.9])
    difficulty = np.linspace(0, 1, 7)[:, np.newaxis]
    shrunk = noise_free_means(difficulty + quality, difficulty + other)
    np.testing.assert_allclose(shrunk, [quality + 0.5, other + 0.5])


def test_the_same_measure_twice_and_constant_means_are_left_alone():
    scores = np.random.default_rng(0).random((5, 4))
    for a, b in ((scores, scores), (scores, np.full_like(scores, 0.5))):
        np.testing.assert_allclose(noise_free_means(a, b), [a.mean(axis=0), b.mean(axis=0)], rtol=1e-11)


@pytest.mark.parametrize(("one", "other"), [(1e9, 1.0), (1e90, 1e-90), (100.0, 1e-7)])
def test_the_units_of_the_measures_do_not_matter(one, other):
    a, b = np.random.default_rng(1).random((2, 20, 6)) + np.linspace(0, 0.4, 6)
    shrunk_a, shrunk_b = noise_free_means(a, b)
    np.testing.assert_allclose(noise_free_means(a * one, b * other), [shrunk_a * one, shrunk_b * other], rtol=1e-9)


def test_equal_systems_stay_equal():
    a, b = np.random.default_rng(0).random((2, 20, 6))
    b[:, 3] = b[:, 1]
    shrunk_a, shrunk_b = noise_free_means(a, b)
    assert shrunk_b[1] == shrunk_b[3]
    assert len(np.unique(shrunk_b)) == 5
    assert len(np.unique(shrunk_a)) == 6
