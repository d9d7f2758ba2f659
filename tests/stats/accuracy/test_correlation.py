"""Correlations of two measures in the topic population, their standard errors and differences."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import pt_rankcorr as ptr
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.stats.accuracy.correlation import correlation_interval
from pt_rankcorr.stats.accuracy.difference import correlation_difference
from pt_rankcorr.stats.coefficients.ap import tau_ap
from pt_rankcorr.stats.coefficients.kendall import kendall_tau
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.truth.two_rankings import draw_two_rankings
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.oracles import DEFINITIONS

B = 30


def two_measures(seed: int, n_topics: int = 12, n_systems: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    quality = rng.random(n_systems) * 0.4
    return quality + rng.random((n_topics, n_systems)) / 2, quality + rng.random((n_topics, n_systems)) / 2


def replicates(a: np.ndarray, b: np.ndarray, coefficient, seed: int) -> list[float]:
    samples = oracle.drawn_topics(len(a), B, seed)
    means = zip(oracle.system_values(a, samples), oracle.system_values(b, samples), strict=True)
    return [coefficient(truth, estimate) for truth, estimate in means]


@given(st.integers(0, 999), st.sampled_from(sorted(COEFFICIENTS)))
def test_is_the_standard_deviation_over_resamples(seed, name):
    a, b = two_measures(seed)
    result = correlation_interval(a, b, name, n_resamples=B, rng=seed)
    expected = replicates(a, b, DEFINITIONS[name], seed)
    np.testing.assert_allclose(result.replicates, expected, rtol=1e-9, atol=1e-10)
    assert result.standard_error == pytest.approx(oracle.standard_error(expected), rel=1e-9)
    assert result.statistic == pytest.approx(DEFINITIONS[name](a.mean(axis=0), b.mean(axis=0)))


def test_any_function_is_a_coefficient():
    a, b = two_measures(0)
    tau_b = functools.partial(kendall_tau, variant="b")
    result = correlation_interval(a, b, tau_b, rng=1)
    assert result.statistic == pytest.approx(kendall_tau(a.mean(axis=0), b.mean(axis=0)))
    assert correlation_interval(a, b, kendall_tau, rng=1).coefficient == "kendall_tau"


def test_a_measure_and_itself():
    a, _ = two_measures(0)
    result = correlation_interval(a, a, rng=1)
    assert (result.statistic, result.standard_error) == (1.0, 0.0)
    assert result.confidence_interval() == (1.0, 1.0)
    assert correlation_difference(a, a, a, rng=1).pvalue == 1.0


def test_undefined_resamples_are_left_out():
    a = np.array([[0.1, 0.2], [0.3, 0.3], [0.3, 0.3]])
    result = correlation_interval(a, a, n_resamples=400, rng=1)
    assert 80 < np.isnan(result.replicates).sum() < 160  # (2/3)^3 of 400
    assert (result.standard_error, result.n_undefined) == (0.0, 0)


def test_all_tied_is_nan_with_a_warning():
    a = np.full((4, 3), 0.5)
    with pytest.warns(UserWarning, match="undefined"):
        result = correlation_interval(a, a, rng=1)
    assert np.isnan([result.statistic, result.estimate, result.pvalue, result.standard_error]).all()
    assert np.isnan(result.confidence_interval()).all()
    assert "undefined" in str(result)


def test_the_warning_points_at_the_caller():
    a, b = np.full((12, 3), 0.5), np.random.default_rng(0).random((12, 3))
    with pytest.warns(DegenerateInputWarning, match="undefined") as told:
        correlation_interval(a, b, rng=1)
    with pytest.warns(DegenerateInputWarning, match="undefined") as told_by_difference:
        correlation_difference(b, a, b, rng=1)
    assert [warning.filename for warning in (*told, *told_by_difference)] == [__file__, __file__]


def test_a_difference_from_a_constant_is_undefined():
    (a, b), constant = two_measures(0), np.full((12, 6), 0.5)
    with pytest.warns(DegenerateInputWarning, match="undefined"):
        result = correlation_difference(a, b, constant, rng=1)
    assert np.isnan([result.statistic, result.estimate, result.pvalue]).all()
    assert "tau is undefined: one of the measures ties all systems." in str(result)


def test_a_function_is_called_for_one_pair_of_vectors():
    a, b = two_measures(0)
    theirs = correlation_interval(a, b, lambda first, second: kendalltau(first, second).statistic, rng=1)
    ours = correlation_interval(a, b, functools.partial(kendall_tau, variant="b"), rng=1)
    np.testing.assert_allclose(theirs.replicates, ours.replicates, rtol=1e-12)


def test_estimate_and_interval_are_those_of_draws_of_the_true_means():
    a, b = two_measures(1, n_topics=20, n_systems=20)
    result = correlation_interval(a, b, level=0.9, rng=1)
    assert result.estimate == pytest.approx(np.median(result.draws), rel=1e-12)
    assert result.estimate > result.statistic
    assert (result.low, result.high) == result.confidence_interval() == result.confidence_interval(0.9)
    assert result.confidence_interval(0.9) == pytest.approx(np.quantile(result.draws, [0.05, 0.95]), rel=1e-12)
    drawn = draw_two_rankings(a, b, 1000, 1)
    expected = [kendall_tau(*both) for both in zip(drawn.reference, drawn.estimate, strict=True)]
    np.testing.assert_allclose(result.draws, expected)
    assert result.pvalue == drawn.pvalue


@pytest.mark.parametrize("name", ["tau", "pearson"])
def test_either_way_round_there_is_one_result(name):
    a, b = two_measures(5, n_topics=30, n_systems=15)
    one, other = correlation_interval(a, b, name, rng=1), correlation_interval(b, a, name, rng=1)
    assert one.pvalue == other.pvalue
    np.testing.assert_allclose(one.draws, other.draws, rtol=1e-12)


def test_topics_are_sampled_by_name():
    rows, systems = np.random.default_rng(0).permutation(30), list("abcdef")
    a, b = two_measures(5, n_topics=30)
    topics = [f"q{number}" for number in range(30)]
    one = correlation_interval(ptr.ScoreMatrix(a, topics, systems), ptr.ScoreMatrix(b, topics, systems), rng=1)
    permuted = [ptr.ScoreMatrix(scores[rows], [topics[row] for row in rows], systems) for scores in (a, b)]
    assert correlation_interval(*permuted, rng=1) == one


def test_means_that_tie_though_topics_differ_are_undefined_and_nothing_else_is_said():
    tied = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]] * 4)
    with pytest.warns(DegenerateInputWarning, match="undefined"):
        assert np.isnan(correlation_interval(np.random.default_rng(0).random((12, 3)), tied, rng=1).estimate)


def test_the_best_of_the_reference():
    a, b = two_measures(3, n_systems=10)
    result = correlation_interval(a, b, "tau_ap@4", rng=1)
    best = np.argsort(-a.mean(axis=0))[:4]
    assert result.coefficient == "tau_ap@4"
    assert result.statistic == pytest.approx(tau_ap(a.mean(axis=0)[best], b.mean(axis=0)[best]))


def test_it_says_what_it_found():
    a, b = two_measures(4, n_systems=12)
    text = str(correlation_interval(a, b, rng=1))
    assert text.startswith("tau is .")
    assert f"tau  population tau [{LEVEL:.0%}]" in text
    assert "p (same true ranking)" in text
    assert f"12 systems, 12 topics, {LEVEL:.0%} interval." in text


def test_difference_tells_a_close_measure_from_a_poor_one():
    rng = np.random.default_rng(0)
    reference = np.linspace(0, 0.5, 12) + rng.normal(size=(50, 12)) * 0.1
    close, poor = reference + rng.normal(size=(50, 12)) * 0.05, rng.normal(size=(50, 12))
    result = correlation_difference(reference, close, poor, rng=1)
    assert result.statistic == result.first - result.second > 0.3
    assert result.pvalue < 0.05
    assert "one agrees more with the reference" in str(result)
    mirrored = correlation_difference(reference, poor, close, rng=1)
    assert (mirrored.statistic, mirrored.pvalue) == (-result.statistic, result.pvalue)


def test_a_difference_is_that_of_the_draws_of_both_intervals():
    a, b, c = *two_measures(3), two_measures(4)[0]
    result = correlation_difference(a, b, c, rng=3)
    ours, others = (correlation_interval(a, other, rng=3) for other in (b, c))
    np.testing.assert_array_equal(result.draws, ours.draws - others.draws)
    assert (result.first, result.second) == (ours.statistic, others.statistic)
    assert result.estimate == np.median(result.draws)
    assert result.confidence_interval() == (result.low, result.high)
    ends = np.quantile(result.draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    assert (result.low, result.high) == pytest.approx(tuple(ends), rel=1e-12)
    rarer = min((result.draws <= 0.0).sum(), (result.draws >= 0.0).sum())
    assert result.pvalue == 2 * (rarer + 1) / (1000 + 1)


def test_a_measure_that_only_varies_more_is_not_worse():
    """Over all topics: over as many as there are, it is."""
    rng = np.random.default_rng(1)
    reference = np.linspace(0, 0.2, 20) + rng.normal(size=(50, 20)) * 0.1
    close, noisy = (reference + rng.normal(size=(50, 20)) * noise for noise in (0.02, 0.4))
    result = correlation_difference(reference, close, noisy, rng=1)
    assert result.statistic > 0.2
    assert result.pvalue > 0.05
