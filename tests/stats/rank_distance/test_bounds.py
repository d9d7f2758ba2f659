"""Resamples that need no quadratic program: no bound is less than a distance, and few programs are left."""

from __future__ import annotations

import numpy as np
import pytest

from pt_rankcorr.stats.core.resampling import topic_weights
from pt_rankcorr.stats.rank_distance.distance import Model, Reference
from pt_rankcorr.stats.rank_distance.null import changes_to_keep, shifts_to_centres, squared_lengths
from pt_rankcorr.stats.rank_distance.test import DRankTest, Rankings
from tests.stats.rank_distance.test_sequential import rankings_of, scores_of

SHAPES = [(3, 12), (8, 3), (40, 8), (60, 25), (12, 45)]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_distance_is_beyond_its_bound(shape):
    """Even where systems or topics are equal, and whatever the ranking ties."""
    scores = scores_of(*shape)
    scores[:, 1] = scores[:, 0]
    reference = Reference.of(scores, "ledoit-wolf", 1e-5)
    rankings, _ = reference.rankings_of(Rankings(rankings_of(scores).values[:-1]))
    shifts, weights = shifts_to_centres(reference, rankings), topic_weights(np.random.default_rng(5), 60, shape[0])
    n_finite = 0
    for mean, weight in zip(reference.means(weights), weights, strict=True):
        means, covariance = mean + shifts, reference.covariance(weight)
        orders = np.lexsort((means, rankings), axis=-1)
        changes = changes_to_keep(means, orders)
        kept = np.take_along_axis(means - changes, orders, -1)
        assert (np.diff(kept, axis=-1) >= -1e-12).all()
        most = squared_lengths(covariance, changes)
        cases = zip(means, orders, strict=True)
        exact = [Model(shifted, covariance, 1e-5).squared_distance(order)[0] for shifted, order in cases]
        assert (np.array(exact) <= most * (1.0 + 1e-9) + 1e-15).all()
        n_finite += int(np.isfinite(most).sum())
    assert n_finite


def test_half_of_the_largest_until_then_and_the_least_from_then_on():
    means, order = np.array([0.3, 0.1, 0.6, 0.2]), np.array([0, 1, 2, 3])
    kept = np.array([[(max(means[: at + 1]) + min(means[at:])) / 2 for at in range(4)]])
    changes = changes_to_keep(means[np.newaxis], order[np.newaxis])
    assert changes == pytest.approx(means - kept - (means - kept).mean())


@pytest.mark.parametrize("shape", [(60, 25), (12, 45)])
def test_lengths_are_by_the_inverse_covariance_of_contrasts(shape):
    reference = Reference.of(scores_of(*shape), "ledoit-wolf", 1e-5)
    weights = topic_weights(np.random.default_rng(2), 1, shape[0])
    covariance = reference.covariance(weights[0])
    changes = reference.means(weights)[0] - reference.model.means
    changes -= changes.mean()
    contrasts = np.linalg.qr(np.eye(shape[1]) - 1.0 / shape[1])[0][:, :-1]
    within = contrasts.T @ covariance @ contrasts
    expected = changes @ contrasts @ np.linalg.solve(within, contrasts.T @ changes)
    assert squared_lengths(covariance, changes[np.newaxis]) == pytest.approx([expected], rel=1e-8)


def test_an_indefinite_covariance_has_no_bound():
    assert squared_lengths(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0, -1.0]])).tolist() == [np.inf]


@pytest.fixture
def solved(monkeypatch):
    """How many programs have been solved."""
    calls = []
    plain = Model.squared_distance
    monkeypatch.setattr(Model, "squared_distance", lambda *given: calls.append(1) or plain(*given))
    return calls


def test_far_rankings_need_hardly_a_program(solved):
    scores = scores_of(60, 25)
    result = DRankTest(scores, n_resamples=200, rng=1).test(-scores.mean(axis=0))
    assert (result.pvalue, result.n_used) == (1 / 201, 200)
    assert len(solved) < 10
    assert (result.null_distribution < result.statistic).all()
    assert len(solved) >= 200
    assert result.null_distribution is result.null_distribution
    assert not result.null_distribution.flags.writeable


def test_the_ranking_of_the_means_needs_none(solved):
    scores = scores_of(60, 25)
    result = DRankTest(scores, n_resamples=1000, rng=1).test(scores.mean(axis=0))
    assert (result.statistic, result.pvalue, result.n_used, len(solved)) == (0.0, 1.0, 200, 1)
    assert result.critical_value() > 0.0


def test_a_near_ranking_needs_few(solved):
    scores = scores_of(60, 25)
    near = scores.mean(axis=0) + 0.02 * np.random.default_rng(1).standard_normal(25)
    result = DRankTest(scores, n_resamples=10_000, rng=1).test(near)
    assert result.pvalue > 0.3
    assert len(solved) <= 1 + result.n_used < 1 + 200 / 0.3
