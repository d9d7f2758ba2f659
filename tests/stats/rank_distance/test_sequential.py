"""Sequential p-values against a loop, to the bit, and the bounds that spare quadratic programs."""

import pickle

import numpy as np
import pytest

from pt_rankcorr.stats.core.resampling import topic_weights
from pt_rankcorr.stats.rank_distance import null as null_module
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest, Rankings
from pt_rankcorr.stats.rank_distance.distance import Covariance, Model, ReferenceSample
from pt_rankcorr.stats.rank_distance.null import Counts, changes_to_keep, shifts_to_centres
from tests.stats import oracles_rank_distance as oracle

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

NULLS = ("shrunken", "published", "two-sample")
SHAPES = [(2, 2), (20, 2), (3, 12), (40, 8), (60, 25), (12, 45)]  # the last in factors


def scores_of(n_topics, n_systems):
    rng = np.random.default_rng(n_topics + n_systems)
    return np.clip(np.linspace(0.2, 0.6, n_systems) + 0.15 * rng.standard_normal((n_topics, n_systems)), 0.0, 1.0)


def rankings_of(scores):
    """From that of the means to its reverse; some with ties, one that ties all."""
    rng, means = np.random.default_rng(1), scores.mean(axis=0)
    noise = means.std() * rng.standard_normal((6, means.size)) * np.array([[0.05], [0.2], [0.5], [1.0], [2.0], [9.0]])
    tied = np.round((means + noise) * 8)
    return Rankings(np.vstack([means, -means, means + noise, tied, np.zeros(means.size)]))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("covariance", ["ledoit-wolf", "sample"])
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_pvalues_are_those_of_a_loop_over_the_null_distribution(shape, null, covariance):
    scores = scores_of(*shape)
    test = DRankTest(scores, n_resamples=450, null=null, covariance=covariance, rng=3)
    found = test.test(rankings_of(scores))
    nulls = np.broadcast_to(found.null_distribution, (found.pvalue.size, 450))
    results = zip(found.pvalue, found.pvalue_standard_error, found.n_used, strict=True)
    for statistic, distances, result in zip(found.statistic, nulls, results, strict=True):
        if np.isnan(statistic):
            assert result[2] == 0
            assert np.isnan(result[:2]).all()
        else:
            assert result == pytest.approx(oracle.sequential(statistic, distances), rel=1e-14)


@pytest.mark.parametrize("null", NULLS)
def test_alone_among_others_and_for_any_workers_a_ranking_has_one_result(null, monkeypatch):
    scores = scores_of(40, 8)
    rankings = Rankings(rankings_of(scores).values[:-1])
    settings = {"n_resamples": 1000, "null": null, "rng": 5}
    one, two = (DRankTest(scores, n_jobs=jobs, **settings).test(rankings) for jobs in (1, 2))
    monkeypatch.setattr(null_module, "n_workers", lambda n_jobs: 3)
    three = DRankTest(scores, **settings).test(rankings)
    assert one == two == three
    assert 200 <= one.n_used.min() < one.n_used.max() == 1000
    test = DRankTest(scores, **settings)
    for at, ranking in enumerate(rankings.values):
        alone = test.test(ranking)
        assert (alone.pvalue, alone.n_used) == (one.pvalue[at], one.n_used[at])
        assert isinstance(alone.n_used, int)
    whole = np.atleast_2d(one.null_distribution)
    assert np.array_equal(np.atleast_2d(two.null_distribution), whole)
    few = DRankTest(scores, **settings | {"n_resamples": 300}).test(rankings)
    assert np.array_equal(np.atleast_2d(few.null_distribution), whole[:, :300])
    assert test.test(Rankings(np.empty((0, 8)))).pvalue.shape == (0,)


@pytest.mark.parametrize("null", NULLS)
def test_a_result_that_was_stored_has_its_null_distribution(null):
    scores = scores_of(30, 8)
    result = DRankTest(scores, n_resamples=300, null=null, rng=1, n_jobs=2).test(
        Rankings(rankings_of(scores).values[:5])
    )
    stored = pickle.loads(pickle.dumps(result))
    assert np.array_equal(stored.null_distribution, result.null_distribution)
    assert stored == result


@pytest.mark.parametrize("null", ["published", "two-sample"])
def test_a_shared_null_is_computed_as_far_as_it_is_needed(null, monkeypatch):
    computed = []
    plain = null_module.run_all
    monkeypatch.setattr(
        null_module, "run_all", lambda work, blocks, *how: computed.extend(blocks) or plain(work, blocks, *how)
    )
    scores = scores_of(30, 8)
    test = DRankTest(scores, n_resamples=1280, null=null, rng=1)
    assert not computed
    assert test.test(scores.mean(axis=0)).n_used == 200
    assert not computed  # nothing is nearer than 0
    near = test.test(scores.mean(axis=0) + 0.01 * np.random.default_rng(1).standard_normal(8))
    assert len(computed) == -(-near.n_used // 128) < 10
    test.test(-scores.mean(axis=0))
    test.critical_value()
    assert len(computed) == 10


def decided(share, n_resamples, enough, rng):
    """Rankings that each resample is at least as far from with a given probability."""
    counts = Counts(np.ones(share.size), n_resamples, enough)
    rows = rng.random((n_resamples, share.size)) < share
    for at in range(0, n_resamples, 100):
        counts.add(rows[at : at + 100], np.arange(share.size))
    return counts


@pytest.mark.parametrize("share", [0.02, 0.1, 0.2, 0.5, 0.9])
def test_the_standard_error_is_that_of_many_repetitions(share):
    counts = decided(np.full(2000, share), 1000, 200, np.random.default_rng(1))
    errors, spread = counts.standard_errors(), counts.pvalues().std()
    assert np.sqrt((errors**2).mean()) == pytest.approx(spread, rel=0.06)
    assert counts.pvalues().mean() == pytest.approx(share, rel=0.06)


def test_sequential_pvalues_reject_as_often_as_those_of_all_resamples():
    """Of true hypotheses, whose share of resamples at least as far is uniform."""
    rng = np.random.default_rng(2)
    share = rng.random(4000)
    found = decided(share, 1999, 200, rng).pvalues()
    whole = decided(share, 1999, 10_000, rng).pvalues()
    for alpha in (0.01, 0.05, 0.2):
        by_rule, by_all = ((pvalues <= alpha).mean() for pvalues in (found, whole))
        assert by_rule == pytest.approx(by_all, abs=0.003)
        assert by_rule == pytest.approx(alpha, abs=4 * np.sqrt(alpha * (1 - alpha) / share.size))


def test_the_last_resample_may_be_the_one_that_is_enough():
    rows = np.zeros((5, 1, 2))
    rows[[1, 4], 0, 0] = 1.0
    counts = Counts(np.ones(1), 5, 2)
    counts.add(rows, np.zeros(1, dtype=np.intp))
    assert (counts.pvalues().tolist(), counts.used.tolist()) == ([0.4], [5])
    counts.add(rows, np.zeros(1, dtype=np.intp))  # nothing is added to what is decided
    assert (counts.as_far.tolist(), counts.used.tolist()) == ([2], [5])


SIZES = [(3, 12), (8, 3), (40, 8), (60, 25), (12, 45)]


@pytest.mark.parametrize("shape", SIZES)
def test_no_distance_is_beyond_its_bound(shape):
    """Even where systems or topics are equal, and whatever the ranking ties."""
    scores = scores_of(*shape)
    scores[:, 1] = scores[:, 0]
    reference = ReferenceSample.of(scores, "ledoit-wolf", 1e-5)
    rankings, _ = reference.rankings_of(Rankings(rankings_of(scores).values[:-1]))
    shifts, weights = shifts_to_centres(reference, rankings), topic_weights(np.random.default_rng(5), 60, shape[0])
    n_finite = 0
    for mean, weight in zip(reference.means(weights), weights, strict=True):
        means, covariance = mean + shifts, reference.covariance(weight)
        orders = np.lexsort((means, rankings), axis=-1)
        changes = changes_to_keep(means, orders)
        kept = np.take_along_axis(means - changes, orders, -1)
        assert (np.diff(kept, axis=-1) >= -1e-12).all()
        most = covariance.squared_lengths(changes)
        cases = zip(means, orders, strict=True)
        exact = [Model(shifted, covariance, 1e-5).squared_distance(order) for shifted, order in cases]
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
    reference = ReferenceSample.of(scores_of(*shape), "ledoit-wolf", 1e-5)
    weights = topic_weights(np.random.default_rng(2), 1, shape[0])
    covariance = reference.covariance(weights[0])
    changes = reference.means(weights)[0] - reference.model.means
    changes -= changes.mean()
    contrasts = np.linalg.qr(np.eye(shape[1]) - 1.0 / shape[1])[0][:, :-1]
    within = contrasts.T @ covariance.matrix @ contrasts
    expected = changes @ contrasts @ np.linalg.solve(within, contrasts.T @ changes)
    assert covariance.squared_lengths(changes[np.newaxis]) == pytest.approx([expected], rel=1e-8)


def test_an_indefinite_covariance_has_no_bound():
    for constant in (0.0, -3.0):
        assert Covariance(np.ones((2, 2)), constant).squared_lengths(np.array([[1.0, -1.0]])).tolist() == [np.inf]


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
