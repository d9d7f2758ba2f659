"""The test of d_rank whose null hypothesis is the ranking under test: the bootstrap from the nearest such means."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.rank_distance import solver
from pt_rankcorr.stats.rank_distance.reference import Reference
from pt_rankcorr.stats.rank_distance.test import DRankTest, d_rank
from pt_rankcorr.stats.rank_distance.ties import nearest_order
from pt_rankcorr.warnings import UnreliableResultWarning
from tests.stats import oracles_rank_distance as oracle
from tests.stats.rank_distance.test_d_rank import problems, ranks_nothing

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

COVARIANCES = ("sample", "ledoit-wolf")


def close_systems(n_topics=40, n_systems=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.beta(2, 3, (n_topics, 1)) / 2 + 0.2 + 0.05 * rng.standard_normal((n_topics, n_systems))


def constrained(scores, **kwargs):
    return DRankTest(scores, **{"null": "constrained", "n_resamples": 99, "rng": 5, **kwargs})


def samples_of(test, scores):
    """The samples of topics that a test draws, of topics in canonical order."""
    child = resampling.generator(test._null.seed).spawn(1)[0]
    size = resampling.block_size(max(len(scores), scores.shape[1] ** 2))
    return resampling.topic_indices(child, size, len(scores))


# --- the definition ---------------------------------------------------------------------------------


@given(problems(), st.integers(0, 100))
@settings(deadline=None, max_examples=60)
def test_is_its_definition(problem, seed):
    scores, ranking = problem
    ranking = np.argsort(np.argsort(ranking, kind="stable"))  # ties would be broken anew in each resample
    assume(not ranks_nothing(scores, ranking))
    canonical = Reference.of(scores, "sample", 1e-5).fitter.scores
    test = constrained(canonical, covariance="sample", n_resamples=8, rng=seed)
    found = test.test(ranking).null_distribution
    expected = oracle.resampled_from_the_nearest(canonical, ranking, samples_of(test, canonical)[:8])
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_of_two_systems_is_the_bootstrap_of_students_t():
    scores = close_systems(20, 2)
    test = constrained(scores)
    canonical = test._reference.fitter.scores
    gap = canonical[:, 1] - canonical[:, 0]
    drawn = (gap - gap.mean())[samples_of(test, canonical)[:99]]
    t = np.sqrt(20) * drawn.mean(axis=1) / np.sqrt(drawn.var(axis=1, ddof=1) + 1e-5)
    found = test.test(-scores.mean(axis=0)).null_distribution
    assert found == pytest.approx(np.maximum(t, 0), abs=1e-9)


@given(problems())
@settings(deadline=None)
def test_the_shifted_means_are_the_nearest_that_keep_the_ranking(problem):
    scores, ranking = problem
    reference = Reference.of(scores, "sample", 1e-5)
    scores_in_order = reference.rankings_of(ranking).scores
    order = nearest_order(reference.model, scores_in_order[0])
    shift = reference.model.shift_to(order)
    assert np.diff((reference.model.means + shift)[order]).min() >= -1e-10
    moved = np.diff(shift[order])
    squared = moved @ np.linalg.solve(reference.model.spread(order).whole(), moved)
    if not reference.is_undefined(scores_in_order)[0]:
        expected = reference.distances(scores_in_order)[0]
        assert np.sqrt(len(scores) * squared) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(problems())
@settings(deadline=None, max_examples=40)
def test_a_ranking_that_is_the_references_own_has_p_1(problem):
    scores, _ = problem
    if np.ptp(scores.mean(axis=0).round(12)) > 0:
        assert tuple(constrained(scores, n_resamples=9).test(scores.mean(axis=0))) == (0.0, 1.0)


def test_of_a_ranking_that_is_kept_it_is_refit():
    """Nothing is shifted if the ranking is that of the means: both nulls are one."""
    scores = close_systems()
    test = constrained(scores)
    refit = DRankTest(scores, n_resamples=99, null="refit", rng=test._null.seed)
    assert test.test(scores.mean(axis=0)).null_distribution == pytest.approx(refit.null_distribution, abs=1e-9)


def test_pvalues_by_their_definition():
    rankings = Rankings(np.random.default_rng(0).random((20, 8)))
    result = constrained(close_systems()).test(rankings)
    assert result.null_distribution.shape == (20, 99)
    for at in range(20):
        at_least = sum(d >= result.statistic[at] for d in result.null_distribution[at])
        assert result.pvalue[at] == (1 + at_least) / 100


# --- the same bits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_several_rankings_at_once_are_each_alone(covariance):
    rankings = Rankings(np.random.default_rng(0).random((3, 8)))
    test = constrained(close_systems(), covariance=covariance)
    together = test.test(rankings)
    for at, ranking in enumerate(rankings.values):
        alone = test.test(ranking)
        assert np.array_equal(alone.null_distribution, together.null_distribution[at])
        assert alone.pvalue == together.pvalue[at]
        assert alone.statistic == pytest.approx(together.statistic[at], rel=1e-9)
    assert test.test(Rankings(np.empty((0, 8)))).pvalue.shape == (0,)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_same_seed_same_bits_for_any_number_of_workers(covariance):
    rankings = Rankings(np.random.default_rng(0).random((2, 8)))
    kwargs = {"n_resamples": 300, "covariance": covariance}
    one, two, more = (
        constrained(close_systems(), **{**kwargs, **given}).test(rankings).null_distribution
        for given in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_resamples": 400})
    )
    assert np.array_equal(one, two)
    assert np.array_equal(one, more[:, :300])
    drawn = [constrained(close_systems(), rng=np.random.default_rng(3)).test(rankings).pvalue for _ in range(2)]
    assert np.array_equal(*drawn)


def test_permuting_topics_and_systems_changes_no_bit():
    scores, ranking = np.round(close_systems(), 1), np.arange(8)
    rng = np.random.default_rng(0)
    systems = rng.permutation(8)
    permuted = scores[np.ix_(rng.permutation(40), systems)]
    one, other = constrained(scores).test(ranking), constrained(permuted).test(ranking[systems])
    assert np.array_equal(one.null_distribution, other.null_distribution)


def test_resamples_solved_by_quadprog_are_equal_and_counted(monkeypatch):
    test, ranking = constrained(close_systems()), np.arange(8)
    pivoting = test.test(ranking)
    assert pivoting.fallbacks == 0
    monkeypatch.setattr(solver, "by_pivoting", lambda covariance, differences: None)
    monkeypatch.setattr(solver, "by_nnls", lambda covariance, differences: None)
    quadprog = test.test(ranking)
    assert quadprog.null_distribution == pytest.approx(pivoting.null_distribution, abs=1e-8)
    assert quadprog.fallbacks == np.count_nonzero(quadprog.null_distribution)


# --- a null for each ranking ------------------------------------------------------------------------


def test_beyond_the_critical_value_of_a_ranking_and_only_there_p_is_at_most_alpha():
    test = constrained(close_systems())
    for ranking in np.random.default_rng(0).random((10, 8)):
        tested = test.test(ranking)
        for alpha in (0.05, 0.3, 0.9):
            assert (tested.pvalue <= alpha) == (tested.statistic > test.critical_value(alpha, ranking=ranking))


def test_other_nulls_need_no_ranking_for_their_critical_value():
    test = constrained(close_systems(), null="refit")
    assert test.critical_value(0.1, ranking=range(8)) == test.critical_value(0.1)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda test: test.critical_value(0.05), "`null` must be one that all rankings share, got 'constrained'"),
        (
            lambda test: test.critical_value(0.05, Rankings(np.eye(3, 8))),
            "`ranking` must be a single ranking, got several",
        ),
        (lambda test: test.null_distribution, "`null` must be one that all rankings share, got 'constrained'"),
        (lambda test: test.fallbacks, "`null` must be one that all rankings share, got 'constrained'"),
    ],
)
def test_says_that_the_null_depends_on_the_ranking(use, message):
    with pytest.raises(ValueError, match=message):
        use(constrained(close_systems()))


def test_there_is_nothing_to_save(tmp_path):
    with pytest.raises(ValueError, match="`null` must be one that all rankings share, got 'constrained'"):
        constrained(close_systems()).save(tmp_path / "null.npz")
    assert not list(tmp_path.iterdir())


def test_d_rank_and_the_test_agree():
    scores, ranking = close_systems(), np.arange(8)
    settings = {"null": "constrained", "n_resamples": 99, "rng": 5}
    result = d_rank(scores, ranking, **settings)
    assert result.to_dict() == DRankTest(scores, **settings).test(ranking).to_dict()
    assert (result.null, result.covariance) == ("constrained", "ledoit-wolf")


# --- levels -----------------------------------------------------------------------------------------


def rejections(draw, repetitions, **kwargs):
    """The share of true rankings that are rejected: `draw` gives scores and their true ranking."""
    pvalues = []
    for repetition in range(repetitions):
        rng = np.random.default_rng([2009, repetition])
        with warnings.catch_warnings():
            warnings.simplefilter("error", UnreliableResultWarning)
            pvalues.append(d_rank(*draw(rng), n_resamples=199, rng=rng, **kwargs).pvalue)
    return np.mean(np.array(pvalues) <= 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("n_systems", [2, 5, 10])
def test_rejects_little_more_than_alpha_where_all_means_are_equal(n_systems):
    """Not alpha itself: where the true means are equal, the nearest ones are still some way apart."""

    def draw(rng):
        difficulty = 0.2 + rng.beta(2, 3, (50, 1)) / 2
        return difficulty + 0.1 * rng.standard_normal((50, n_systems)), np.arange(n_systems)

    assert 0.02 <= rejections(draw, 400) <= 0.11
    assert rejections(draw, 100, null="refit", covariance="ledoit-wolf") > 0.12  # which is why there is another null


@pytest.mark.slow
@pytest.mark.parametrize("n_systems", [2, 10])
def test_keeps_its_level_for_systems_adjacent_in_rank(trec, n_systems):
    population = trec("robust2004_ap")
    by_rank = population[:, np.argsort(population.mean(axis=0))]

    def draw(rng):
        first = rng.integers(0, by_rank.shape[1] - n_systems + 1)
        truth = by_rank[:, first : first + n_systems]
        return truth[rng.integers(0, len(truth), 50)], truth.mean(axis=0)

    assert 0.02 <= rejections(draw, 300) <= 0.09
