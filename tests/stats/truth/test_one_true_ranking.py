"""What one true ranking would give: against plain definitions, and what it must not depend on."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.stats import norm

from pt_rankcorr.stats.accuracy.replicates import null_replicate
from pt_rankcorr.stats.coefficients.kendall import TAU
from pt_rankcorr.stats.truth.one_true_ranking import (
    OneRanking,
    OneTrueRanking,
    distribution_of_truth,
    mixture,
    mixtures,
    side_of,
)
from tests.stats import oracles_one_ranking as oracle
from tests.stats.oracles import DEFINITIONS


def two_measures(seed=0, n_topics=12, n_systems=7, spread=0.3):
    rng = np.random.default_rng(seed)
    quality, topics = rng.random(n_systems) * spread, rng.random((n_topics, n_systems)) / 4
    return tuple(quality + topics + rng.random((n_topics, n_systems)) / 4 for _ in range(2))


def taus(reference, estimate):
    return TAU.kernel(reference, estimate)[..., np.newaxis]


def null(reference, estimate, n_resamples=200, seed=1, **how):
    pair = OneRanking.of(reference, estimate, shared=True)
    return null_replicate(taus, reference, [estimate], [pair], n_resamples, seed, **how)[:, 0, 0]


# --- what is computed ---------------------------------------------------------------------------------------


def test_a_side_is_the_definition():
    scores, _ = two_measures()
    side, (means, errors, noise) = side_of(scores), oracle.in_units_of_noise(scores.tolist())
    np.testing.assert_allclose(side.means, means, atol=1e-9)
    np.testing.assert_allclose(side.errors, errors, atol=1e-12)
    assert (side.noise, side.centre) == pytest.approx((noise, scores.mean()))
    assert side.reliability == pytest.approx(1.0 - 1.0 / np.var(means))
    heavy = np.vstack([scores, 20.0 * scores[:1]])
    by_topic = (side_of(heavy).errors ** 2).sum(axis=1)
    assert side_of(heavy).share_of_one_topic == pytest.approx(by_topic[-1] / by_topic.sum())


@pytest.mark.parametrize(("n_systems", "spread"), [(7, 0.0), (7, 0.3), (7, 5.0), (16, 0.3)])
def test_the_distribution_of_true_means_is_the_definition(n_systems, spread):
    side = side_of(two_measures(n_systems=n_systems, spread=spread)[0])
    shares, fits = mixtures(side.means)
    assert len(fits) == (3 if n_systems == 16 else 1)
    parts = [None, *(list(zip(fit.weights, fit.centres, fit.variances, strict=True)) for fit in fits[1:])]
    places, below = oracle.distribution(side.means.tolist(), list(zip(shares, parts, strict=True)))
    found = distribution_of_truth(side)
    np.testing.assert_allclose(found.places, places)
    np.testing.assert_allclose(found.shares, below, atol=1e-9)


def test_replicates_are_the_definition():
    """But for normals that are rounded to a thirty-second: a tau of close means may differ."""
    reference, estimate = two_measures(3)
    found = null(reference, estimate, 100, seed=5)
    expected = np.array(oracle.replicates(DEFINITIONS["tau"], reference, estimate, 100, 5))
    assert (np.abs(found - expected) > 1e-12).mean() <= 0.1
    assert np.abs(found - expected).mean() < 0.01


def draws(reference, estimate, size=300):
    """Of true means of both sides, in the units of scores."""
    pair = OneRanking.of(reference, estimate, shared=True)
    normals = np.random.default_rng(4).standard_normal((size, reference.shape[1]))
    truths = pair.draws(pair.quantiles(), normals)
    return [truth * side.noise + side.centre for truth, side in zip(truths, pair.sides, strict=True)]


def test_true_means_rise_together_and_errors_are_those_of_topics():
    reference, estimate = two_measures(2, n_topics=30)
    truths, pair = draws(reference, estimate), OneRanking.of(reference, estimate, shared=True)
    order = np.argsort(truths[0], axis=1)
    assert (np.diff(np.take_along_axis(truths[1], order, axis=1)) >= 0.0).all()
    errors = pair.errors((np.eye(30)[:5], np.full((5, 30), 1 / 30)))
    rest = reference - reference.mean(axis=0)
    rest -= rest.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(errors[0] * pair.sides[0].noise, rest[:5] * np.sqrt(30 / 29), atol=1e-12)
    np.testing.assert_allclose(errors[1], 0.0, atol=1e-12)
    other = estimate - estimate.mean(axis=0)
    other -= other.mean(axis=1, keepdims=True)
    assert pair.correlation == pytest.approx((rest * other).sum() / np.sqrt((rest**2).sum() * (other**2).sum()))
    assert OneRanking.of(reference[:20], estimate, shared=False).correlation == 0.0


def test_a_mixture_finds_the_groups():
    rng = np.random.default_rng(0)
    means = np.concatenate([rng.normal(-8, 1, 20), rng.normal(0, 2, 20), rng.normal(9, 1, 10)])
    fit = mixture(means, 3)
    assert sorted(fit.centres) == pytest.approx([-8, 0, 9], abs=1.0)
    assert sorted(fit.weights) == pytest.approx([0.2, 0.4, 0.4], abs=0.05)
    total = np.sqrt(fit.variances + 1.0)
    density = (fit.weights * norm.pdf(means[:, np.newaxis], fit.centres, total)).sum(axis=1)
    constant = 50 * np.log(2 * np.pi) / 2
    assert fit.log_likelihood == pytest.approx(np.log(density).sum() + constant, abs=0.1)
    truth = (np.array([0.4, 0.4, 0.2]) * norm.pdf(3 * means[:, np.newaxis], [-24, 0, 27], [3, 6, 3])).sum(axis=1)
    assert mixture(3 * means, 3).log_likelihood - constant >= np.log(truth).sum()  # nothing is more likely than the fit
    shares, fits = mixtures(means)
    assert (shares[0] < 1e-6, len(fits)) == (True, 3)
    assert len(mixtures(means[:9])[1]) == 1
    assert mixtures(rng.normal(0, 3, 50))[0][0] > 0.8


def test_it_holds_where_systems_come_in_tight_groups():
    """Whose order within a group is all noise."""
    rng, apart = np.random.default_rng(1), []
    for seed in range(20):
        quality = np.repeat([0.2, 0.7], 12)
        sides = [quality + rng.normal(size=(40, 24)) * 0.3 for _ in range(2)]
        tau = float(TAU.kernel(*(side.mean(axis=0) for side in sides)))
        apart.append(null(*sides, 100, seed).mean() - tau)
    assert abs(np.mean(apart)) < 0.06


def test_it_holds_where_both_have_one_true_ranking():
    """40 experiments: p rejects few, and the value is near tau on average."""
    rng, rejected, apart = np.random.default_rng(0), 0, []
    for seed in range(40):
        quality = rng.normal(size=20)
        sides = [scale * (quality + rng.normal(size=(25, 20)) * 2.0) for scale in (1.0, 3.0)]
        tau, replicates = float(TAU.kernel(*(side.mean(axis=0) for side in sides))), null(*sides, 100, seed)
        rejected += ((replicates <= tau).sum() + 1) / 101 <= 0.05
        apart.append(replicates.mean() - tau)
    assert rejected <= 5
    assert abs(np.mean(apart)) < 0.04


# --- what makes no difference -------------------------------------------------------------------------------


def test_sides_scales_and_the_order_of_systems():
    reference, estimate = two_measures(4, n_topics=20, n_systems=15)
    found, shuffled = null(reference, estimate), np.random.default_rng(0).permutation(15)
    assert np.array_equal(found, null(estimate, reference))
    np.testing.assert_allclose(null(reference[:, shuffled], estimate[:, shuffled]), found, atol=1e-12)
    np.testing.assert_allclose(null(1000.0 * reference - 7.0, estimate / 64.0), found, atol=1e-12)
    assert np.array_equal(null(reference, estimate, 400)[:200], found)


def test_estimates_do_not_depend_on_each_other():
    reference, estimate = two_measures(4)
    other = estimate[::-1] + np.arange(7) / 9
    pairs = [OneRanking.of(reference, each, shared=True) for each in (other, estimate)]
    both = null_replicate(taus, reference, [other, estimate], pairs, 50, 1)
    np.testing.assert_allclose(both[:, 1, 0], null(reference, estimate, 50), atol=1e-12)


def test_sides_on_topics_of_their_own_err_apart():
    reference, estimate = two_measures(4, n_topics=20)
    pair = OneRanking.of(reference[:12], estimate, shared=False)
    found = null_replicate(taus, reference[:12], [estimate], [pair], 300, 1, samples=[7])[:, 0, 0]
    assert found.mean() < null(reference, estimate, 300).mean()
    again = OneRanking.of(estimate, reference[:12], shared=False)
    other = null_replicate(taus, estimate, [reference[:12]], [again], 300, 1, samples=[7])[:, 0, 0]
    assert other.mean() == pytest.approx(found.mean(), abs=0.05)


def test_many_systems_take_little_memory():
    rng = np.random.default_rng(0)
    sides = [rng.random((30, 200)) for _ in range(2)]
    tracemalloc.start()
    null(*sides, 1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


# --- degenerate scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 2), (2, 9), (9, 2), (3, 3)])
def test_few_systems_and_topics(shape):
    rng = np.random.default_rng(0)
    found = null(rng.random(shape), rng.random(shape))
    assert np.isfinite(found).all()
    assert (np.unique(found).size > 1) == (shape != (2, 2))  # whose errors are in one direction


def test_a_side_without_noise_has_its_means_for_truth():
    reference, estimate = two_measures()
    known = np.broadcast_to(np.repeat([0.1, 0.2, 0.3], [2, 2, 3]), reference.shape)
    assert side_of(known).is_noiseless
    assert np.isin(draws(known, estimate)[0].round(9), [0.1, 0.2, 0.3]).all()
    both = OneRanking.of(known, known[:, ::-1], shared=True)
    assert (both.correlation, both.reliability, both.n_copies) == (0.0, (1.0, 1.0), 0)
    assert np.isin(np.round(draws(known, known[:, ::-1]), 9), [0.1, 0.2, 0.3]).all()
    constant = np.full(reference.shape, 0.5)
    assert np.isnan(null(constant, constant)).all()
    assert np.isnan(null(constant, estimate)).all()
    assert np.isnan(null(np.zeros_like(constant), estimate)).all()
    assert OneRanking.of(constant, estimate, shared=True).reliability[0] in (0.0, 1.0)


def test_one_failed_run_changes_little():
    """Places of true means lie near each system, however far one is from all others."""
    reference, estimate = two_measures(1, n_topics=40, n_systems=20, spread=0.5)
    failed = [np.column_stack([side, side[:, 0] - 40.0]) for side in (reference, estimate)]
    share_of_others = 19 / 21 - 19 * 2 / (21 * 20)
    assert null(*failed).mean() > share_of_others * null(reference, estimate).mean()


def test_equal_sides_and_copies():
    reference, estimate = two_measures(n_topics=20, n_systems=12)
    assert OneRanking.of(reference, 2.0 * reference + 1.0, shared=True).are_equal
    assert not OneRanking.of(reference, estimate, shared=True).are_equal
    assert not OneRanking.of(reference[:19], reference, shared=False).are_equal
    noise = np.random.default_rng(0).normal(size=(6, 8)) / 10
    noise[1] = 1.5 * noise[0]
    scores = np.arange(8) / 10 + np.vstack([noise, -noise])
    assert not OneRanking.of(scores, scores[[1, 0, *range(2, 12)]], shared=True).are_equal  # but for two topics
    copied = [np.hstack([side[:, :4], side[:, :4], side[:, 4:8]]) for side in (reference, estimate)]
    assert OneRanking.of(*copied, shared=True).n_copies == 8
    assert OneRanking.of(reference, estimate, shared=True).n_copies == 0
    for truth in draws(*copied):
        assert (truth[:, :4] != truth[:, 4:8]).all()


# --- what is said -------------------------------------------------------------------------------------------


def result(statistic, values, reliability=(0.9, 0.9), **how):
    return OneTrueRanking.of(statistic, np.array(values), reliability, **how)


def test_numbers_are_those_of_replicates():
    values = np.linspace(0.5, 0.9, 99)
    found = result(0.5, values, level=0.9)
    assert (found.mean, found.pvalue) == (pytest.approx(0.7), pytest.approx(2 / 100))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))
    assert found.cap(0.6, 0.9) == pytest.approx(found.high)
    assert found.cap(0.95, 0.9) == 0.95
    assert result(0.5, values, (0.9, 0.4)).cap(0.6, 0.95) == 1.0
    assert result(0.5, [*values, np.nan]).pvalue == pytest.approx(2 / 100)
    assert found.swapped().reliability == (0.9, 0.9)
    nothing = result(np.nan, values)
    assert np.isnan([nothing.mean, nothing.low, nothing.high, nothing.pvalue]).all()
    assert (nothing.cap(0.6, 0.95), np.isnan(result(0.5, [np.nan]).mean)) == (1.0, True)
    assert np.isnan(result(0.5, values, (0.3, 0.9)).pvalue)
    assert np.isnan(result(1.0, [1.0], are_equal=True).pvalue)


def test_sentences():
    values = [0.8] * 50 + [0.9] * 49
    assert result(0.85, values).sentence() == "one true ranking would give .85 [.80, .90] (p = .51)"
    assert result(0.7, values).sentence() == "one true ranking would give .85 [.80, .90] (p = .010)"
    noisy = result(0.85, values, (0.2, 0.9)).sentence()
    assert noisy.endswith(" (no p: noise is half of how the means of one side vary)")
