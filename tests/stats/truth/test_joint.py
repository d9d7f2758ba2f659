"""The joint model of several measures: against plain definitions, and what it must not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import invwishart, kstest, multivariate_t

from pt_rankcorr.stats.truth import constants
from pt_rankcorr.stats.truth.two_rankings import PairsModel, pairs_model, scatter_of, without_noise


def two_measures(seed=0, n_topics=25, n_systems=12):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n_systems) * 0.1
    topic = rng.normal(size=(n_topics, n_systems)) * 0.2
    return [quality + topic + rng.normal(size=topic.shape) * 0.2 for _ in range(2)]


def test_scatter_is_the_maximum_likelihood_of_a_multivariate_t():
    t = np.random.default_rng(1).normal(size=(2, 200)) * [[3.0], [1.0]] + np.random.default_rng(2).normal(size=200)
    found = scatter_of(t, 9)

    def likelihood(scatter):
        return multivariate_t(shape=scatter, df=9).logpdf(t.T).sum()

    for change in ([[0.05, 0], [0, 0]], [[0, 0.05], [0.05, 0]], [[0, 0], [0, 0.05]]):
        assert likelihood(found) > max(likelihood(found + sign * np.array(change)) for sign in (-1, 1))
    assert np.array_equal(scatter_of(np.empty((2, 0)), 9), np.eye(2))


def test_scatters_are_drawn_from_the_inverse_wishart_distribution():
    scatter = np.array([[4.0, 1.0], [1.0, 2.0]])
    joint = PairsModel(np.ones(2), np.eye(2), np.eye(2), scatter, 9.0)
    drawn = joint.scatters(np.random.default_rng(0).random((3000, 3)))
    expected = invwishart(df=9, scale=9 * scatter).rvs(3000, random_state=1)
    for i, j in ((0, 0), (0, 1), (1, 1)):
        assert kstest(drawn[:, i, j], expected[:, i, j]).pvalue > 0.01


def test_given_the_scatter_means_are_those_of_the_formula():
    """Lambda = I - C^-1 in directions whose noise is one; its root squared is itself."""
    joint = pairs_model(two_measures())
    scatters = joint.scatters(np.random.default_rng(3).random((5, 3))) + np.eye(2)  # above 1: all possible
    shrink, root = joint.shrinkage(*np.linalg.eigh(scatters))
    noise = joint.unwhiten @ joint.unwhiten.T  # the correlation of the noise, R
    for scatter, found, half in zip(scatters, shrink, root, strict=True):
        in_measures = joint.unwhiten @ scatter @ joint.unwhiten.T
        np.testing.assert_allclose(found, np.eye(2) - noise @ np.linalg.inv(in_measures), atol=1e-9)
        np.testing.assert_allclose(half @ noise @ half.T, found @ noise, atol=1e-9)


def test_draws_of_one_ranking_are_on_a_rising_line():
    matrices = two_measures()
    means, errors = (
        np.stack([scores.mean(axis=0) for scores in matrices]),
        np.random.default_rng(0).normal(size=(50, 2, 12)),
    )
    drawn, one = pairs_model(matrices).draw(means, errors, 10, np.random.default_rng(1))
    assert one.sum() == 10
    correlations = np.array([np.corrcoef(*draw)[0, 1] for draw in drawn])
    np.testing.assert_allclose(correlations[one], 1.0)
    assert (correlations[~one] < 1.0 - 1e-9).all()


def test_of_many_systems_some_tell_the_scatter(monkeypatch):
    """The same ones in any order."""
    a, b = two_measures(n_systems=40)
    monkeypatch.setattr(constants, "MOST_COMPARED_SYSTEMS", 20)
    shuffled = np.random.default_rng(0).permutation(40)
    found, again = pairs_model([a, b]).scatter, pairs_model([a[:, shuffled], b[:, shuffled]]).scatter
    np.testing.assert_allclose(found, again, rtol=1e-9)
    monkeypatch.undo()
    assert not np.allclose(found, pairs_model([a, b]).scatter)


# --- means without noise ------------------------------------------------------------------------------------


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
