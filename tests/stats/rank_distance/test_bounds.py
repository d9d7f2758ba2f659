"""P-values without the programs that they do not need, against those from the whole null distribution."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from pt_rankcorr.stats import Rankings
from pt_rankcorr.stats.core.resampling import topic_weights
from pt_rankcorr.stats.rank_distance import bounds
from pt_rankcorr.stats.rank_distance.bounds import Bounds
from pt_rankcorr.stats.rank_distance.centres import CENTRES
from pt_rankcorr.stats.rank_distance.model import FactoredSystems, Model, WholeSystems
from pt_rankcorr.stats.rank_distance.nulls import draw_models, ordering
from pt_rankcorr.stats.rank_distance.reference import Reference
from pt_rankcorr.stats.rank_distance.test import DRankTest

SHAPES = [(2, 2), (2, 5), (3, 12), (8, 3), (40, 2), (40, 8), (60, 25), (12, 45)]  # the last in factors


def scores_of(n_topics: int, n_systems: int) -> np.ndarray:
    rng = np.random.default_rng(n_topics + n_systems)
    return np.clip(np.linspace(0.2, 0.6, n_systems) + 0.15 * rng.standard_normal((n_topics, n_systems)), 0.0, 1.0)


def rankings_of(scores: np.ndarray) -> Rankings:
    """From that of the means to its reverse; some with ties, one that ties all."""
    rng, means = np.random.default_rng(1), scores.mean(axis=0)
    noise = (
        means.std() * rng.standard_normal((6, means.size)) * np.array([0.05, 0.2, 0.5, 1.0, 2.0, 9.0])[:, np.newaxis]
    )
    tied = np.round((means + noise) * 8)
    return Rankings(np.vstack([means, -means, means + noise, tied, np.zeros(means.size)]))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("null", ["shrunken", "constrained"])
@pytest.mark.parametrize("covariance", ["ledoit-wolf", "sample"])
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
def test_pvalues_are_those_of_the_whole_null_distribution(shape, null, covariance):
    scores = scores_of(*shape)
    test = DRankTest(scores, n_resamples=150, null=null, covariance=covariance, rng=3)
    rankings = rankings_of(scores)
    quick, whole = test.test(rankings), test.test(rankings, whole_null=True)
    at_least = (whole.null_distribution >= quick.statistic[:, np.newaxis] * (1 - 1e-13)).sum(axis=1)
    defined = ~np.isnan(quick.statistic)
    assert quick.pvalue[defined].tolist() == ((at_least + 1) / 151)[defined].tolist()
    assert np.array_equal(quick.pvalue, whole.pvalue, equal_nan=True)
    assert np.array_equal(quick.null_distribution, whole.null_distribution, equal_nan=True)
    alone = test.test(rankings.values[1])
    assert alone.pvalue == quick.pvalue[1]
    assert np.array_equal(alone.null_distribution, whole.null_distribution[1])


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if min(shape) > 2])
@pytest.mark.parametrize("null", list(CENTRES))
def test_no_distance_is_beyond_its_bound(shape, null, monkeypatch):
    """Even where systems or topics are equal, and whatever the ranking ties."""
    scores = scores_of(*shape)
    scores[:, 1] = scores[:, 0]
    reference = Reference.of(scores, "ledoit-wolf", 1e-5)
    rankings = reference.rankings_of(rankings_of(scores)).scores[:-1]
    shifts = CENTRES[null](reference.fitter, rankings)
    monkeypatch.setattr(bounds, "LEAST_SHRINKAGE", -1.0)
    found = Bounds.of(reference.fitter, rankings, shifts, np.full(len(rankings), 1e9))
    assert found.is_bounded.size == len(rankings)
    n_finite = 0
    for model in draw_models(reference.fitter, 60, np.random.default_rng(5)):
        most = model.most_squared_distances(found.places)
        shifted = [model.shift_by(shift) for shift in shifts]
        exact = [one.squared_distance(ordering(row)(one))[0] for one, row in zip(shifted, rankings, strict=True)]
        assert (np.array(exact) <= most * (1.0 + 1e-9) + 1e-15).all()
        n_finite += int(np.isfinite(most).sum())
    assert n_finite


@pytest.mark.parametrize("shape", [(60, 25), (12, 45)])
def test_the_bound_is_hotelling_s(shape):
    fitter = Reference.of(scores_of(*shape), "ledoit-wolf", 1e-5).fitter
    weights = topic_weights(np.random.default_rng(2), 1, shape[0])
    model = fitter.refit(weights[0], fitter.means(weights)[0])
    changes = model.means - fitter.model.means
    contrasts = np.linalg.qr(np.eye(shape[1]) - 1.0 / shape[1])[0][:, :-1]
    within = contrasts.T @ model.systems.covariance @ contrasts
    expected = changes @ contrasts @ np.linalg.solve(within, contrasts.T @ changes)
    assert model.most_squared_distances(fitter.model.means[np.newaxis]) == pytest.approx([expected], rel=1e-8)


@pytest.fixture
def solved(monkeypatch):
    """How many programs have been solved."""
    calls = []
    plain = Model.squared_distance
    monkeypatch.setattr(Model, "squared_distance", lambda *given: calls.append(1) or plain(*given))
    return calls


def test_far_rankings_need_no_program_a_resample(solved):
    scores = scores_of(60, 25)
    result = DRankTest(scores, n_resamples=200, rng=1).test(-scores.mean(axis=0))
    assert result.pvalue == 1 / 201
    assert len(solved) < 100
    assert (result.null_distribution < result.statistic).all()
    assert len(solved) >= 200
    assert result.null_distribution is result.null_distribution
    assert not result.null_distribution.flags.writeable


def test_the_ranking_of_the_means_needs_none(solved):
    scores = scores_of(60, 25)
    result = DRankTest(scores, n_resamples=200, rng=1).test(scores.mean(axis=0))
    assert (result.statistic, result.pvalue, len(solved)) == (0.0, 1.0, 1)
    assert result.critical_value() > 0.0


def test_near_rankings_keep_their_distances(solved):
    scores = scores_of(60, 25)
    means = scores.mean(axis=0)
    result = DRankTest(scores, n_resamples=200, rng=1).test(means + 0.02 * np.random.default_rng(1).standard_normal(25))
    before = len(solved)
    assert before >= 200
    assert result.null_distribution.shape == (200,)
    assert len(solved) == before


def test_what_is_left_is_computed_after_a_result_was_stored():
    scores = scores_of(60, 25)
    rankings = rankings_of(scores).values[:-1]
    result = DRankTest(scores, n_resamples=130, rng=1, n_jobs=2).test(Rankings(rankings))
    stored = pickle.loads(pickle.dumps(result))
    assert np.array_equal(stored.null_distribution, result.null_distribution)
    assert stored == result


def test_an_indefinite_covariance_has_no_bound():
    change = np.array([[1.0, -1.0]])
    assert WholeSystems(np.array([[1.0, 2.0], [2.0, 1.0]])).squared_lengths(change).tolist() == [np.inf]
    assert FactoredSystems(np.zeros((1, 2)), -1.0).squared_lengths(change).tolist() == [np.inf]
