"""Standard error, interval and difference of correlations between measures."""

from __future__ import annotations

import functools

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.checks import DegenerateInputWarning
from pt_rankcorr.stats.coefficients import COEFFICIENTS, kendall_tau
from pt_rankcorr.stats.correlation_error import (
    correlation_difference,
    correlation_interval,
    correlation_standard_error,
)
from tests.stats import oracles_sensitivity as oracle

B = 30


def two_measures(seed: int, n_topics: int = 12, n_systems: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    quality = rng.random(n_systems) * 0.4
    return quality + rng.random((n_topics, n_systems)) / 2, quality + rng.random((n_topics, n_systems)) / 2


def replicates(a: np.ndarray, b: np.ndarray, coefficient, seed: int) -> list[float]:
    samples = oracle.drawn_topics(len(a), B, seed)
    means = zip(oracle.system_values(a, samples), oracle.system_values(b, samples), strict=True)
    return [coefficient(truth, estimate) for truth, estimate in means]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 999), st.sampled_from(sorted(COEFFICIENTS)))
def test_is_the_standard_deviation_over_resamples(seed, name):
    a, b = two_measures(seed)
    result = correlation_standard_error(a, b, name, n_resamples=B, rng=seed)
    expected = replicates(a, b, COEFFICIENTS[name], seed)
    np.testing.assert_allclose(result.replicates, expected, rtol=1e-9)
    assert result.standard_error == pytest.approx(oracle.standard_error(expected), rel=1e-9)
    assert result.statistic == pytest.approx(COEFFICIENTS[name](a.mean(axis=0), b.mean(axis=0)))


def test_any_function_is_a_coefficient():
    a, b = two_measures(0)
    tau_b = functools.partial(kendall_tau, ties="b")
    result = correlation_standard_error(a, b, tau_b, rng=1)
    assert result.statistic == pytest.approx(kendall_tau(a.mean(axis=0), b.mean(axis=0)))
    assert correlation_standard_error(a, b, kendall_tau, rng=1).coefficient == "kendall_tau"


def test_a_measure_and_itself():
    a, _ = two_measures(0)
    result = correlation_standard_error(a, a, rng=1)
    assert (result.statistic, result.standard_error) == (1.0, 0.0)
    assert result.confidence_interval() == (1.0, 1.0)
    assert correlation_difference(a, a, a, rng=1).pvalue == 1.0


def test_systems_and_topics_are_matched_by_name():
    a, b = two_measures(0)
    systems, topics = list("abcdef"), [f"q{number}" for number in range(12)]
    order, rows = [3, 1, 5, 0, 2, 4], np.random.default_rng(0).permutation(12)
    one = ScoreMatrix(a, topics, systems)
    other = ScoreMatrix(b[np.ix_(rows, order)], [topics[at] for at in rows], [systems[at] for at in order])
    matched = correlation_standard_error(one, other, rng=1)
    np.testing.assert_array_equal(matched.replicates, correlation_standard_error(a, b, rng=1).replicates)


def test_undefined_resamples_are_left_out_and_counted():
    a = np.array([[0.1, 0.2], [0.3, 0.3], [0.3, 0.3]])
    result = correlation_standard_error(a, a, n_resamples=400, rng=1)
    assert 80 < result.n_undefined < 160  # (2/3)^3 of 400
    assert result.standard_error == 0.0
    assert np.isnan(result.replicates).sum() == result.n_undefined


def test_all_tied_is_nan_with_a_warning():
    a = np.full((4, 3), 0.5)
    with pytest.warns(UserWarning, match="undefined"):
        result = correlation_standard_error(a, a, rng=1)
    assert np.isnan([result.statistic, result.standard_error, *result.confidence_interval()]).all()


@pytest.mark.parametrize("function", [correlation_standard_error, correlation_interval])
def test_the_warning_points_at_the_caller(function):
    a, b = np.full((4, 3), 0.5), np.random.default_rng(0).random((4, 3))
    with pytest.warns(DegenerateInputWarning, match="undefined") as told:
        function(a, b, rng=1)
    with pytest.warns(DegenerateInputWarning, match="undefined") as told_by_difference:
        correlation_difference(b, a, b, rng=1)
    assert [warning.filename for warning in (*told, *told_by_difference)] == [__file__, __file__]


@pytest.mark.parametrize("coefficient", [lambda a, b: kendalltau(a, b).statistic, lambda a, b: 0.5])
def test_a_function_for_one_pair_of_vectors_is_refused(coefficient):
    a, b = two_measures(0)
    with pytest.raises(ValueError, match="`coefficient` must return one number for each row"):
        correlation_standard_error(a, b, coefficient, rng=1)


def test_workers_do_not_change_a_bit():
    a, b = two_measures(0)
    with joblib.parallel_config("threading"):
        one, two = (correlation_standard_error(a, b, n_resamples=300, rng=1, n_jobs=jobs).replicates for jobs in (1, 2))
    assert np.array_equal(one, two)


def test_the_end_towards_the_noise_free_correlation_is_moved():
    a, b = two_measures(1, n_topics=20, n_systems=20)
    result = correlation_standard_error(a, b, rng=1)
    assert result.noise_free > result.statistic
    low, high = result.confidence_interval(0.9)
    plain_low, plain_high = np.quantile(result.replicates, [0.05, 0.95])
    assert low == pytest.approx(min(plain_low, result.statistic))
    assert high == pytest.approx(min(plain_high + result.noise_free - result.statistic, 1.0))
    assert correlation_interval(a, b, level=0.9, rng=1) == (low, high)


@given(seed=st.integers(0, 10**6), level=st.sampled_from([0.01, 0.5, 0.95]))
def test_the_interval_holds_the_observed_correlation(seed, level):
    result = correlation_standard_error(*two_measures(seed, n_topics=5, n_systems=4), n_resamples=20, rng=seed)
    low, high = result.confidence_interval(level)
    assert low <= result.statistic <= high


def test_difference_tells_a_close_measure_from_a_poor_one():
    rng = np.random.default_rng(0)
    reference = np.linspace(0, 0.5, 12) + rng.normal(size=(50, 12)) * 0.1
    close, poor = reference + rng.normal(size=(50, 12)) * 0.05, rng.normal(size=(50, 12))
    result = correlation_difference(reference, close, poor, rng=1)
    assert result.statistic == result.correlation_a - result.correlation_b > 0.3
    assert result.pvalue < 0.01
    mirrored = correlation_difference(reference, poor, close, rng=1)
    assert (mirrored.statistic, mirrored.pvalue) == (-result.statistic, result.pvalue)


def test_difference_is_that_of_the_loops():
    (a, b), (c, _) = two_measures(3), two_measures(4)
    result = correlation_difference(a, b, c, n_resamples=B, rng=3)
    expected = np.subtract(replicates(a, b, kendall_tau, 3), replicates(a, c, kendall_tau, 3))
    np.testing.assert_allclose(result.replicates, expected, atol=1e-12)
    extreme = sum(abs(value - expected.mean()) >= abs(result.statistic) - 1e-12 for value in expected)
    assert result.pvalue == (extreme + 1) / (B + 1)


def test_arguments_are_checked():
    a, b = two_measures(0)
    with pytest.raises(ValueError, match=r"`coefficient` must be 'tau' or .*, got 'taub'"):
        correlation_standard_error(a, b, "taub")
    with pytest.raises(ValueError, match=r"`scores_b` must have the shape of `scores_a`, \(12, 6\), got \(12, 5\)"):
        correlation_standard_error(a, b[:, :5])
    with pytest.raises(ValueError, match="`scores_b` must be of the same systems, got differences in 's6', 'x'"):
        correlation_standard_error(ScoreMatrix(a), ScoreMatrix(b, systems=["s1", "s2", "s3", "s4", "s5", "x"]))
    with pytest.raises(ValueError, match="`scores_b` must be on the same topics"):
        correlation_standard_error(ScoreMatrix(a), ScoreMatrix(b, topics=range(12)))


@pytest.mark.slow
@pytest.mark.parametrize(("n_systems", "n_topics"), [(10, 50), (30, 50), (60, 25)])
def test_coverage_of_the_interval(trec, n_systems, n_topics):
    """Robust 2004 is all topics there are; samples of its topics, with replacement, are the experiments."""
    ap, p10 = trec("robust2004_ap"), trec("robust2004_p10")
    rng, covered = np.random.default_rng(0), []
    for _ in range(200):
        systems, topics = rng.choice(ap.shape[1], n_systems, replace=False), rng.integers(0, len(ap), n_topics)
        truth = kendall_tau(ap[:, systems].mean(axis=0), p10[:, systems].mean(axis=0))
        cells = np.ix_(topics, systems)
        low, high = correlation_interval(ap[cells], p10[cells], n_resamples=400, rng=rng)
        covered.append(low <= truth <= high)
    assert np.mean(covered) > 0.8


@pytest.mark.slow
def test_type_i_error_of_the_difference():
    rng, rejected = np.random.default_rng(0), []
    for _ in range(500):
        quality = rng.normal(size=20) * 0.1
        reference, a, b = (quality + rng.normal(size=(50, 20)) * 0.2 for _ in range(3))
        rejected.append(correlation_difference(reference, a, b, n_resamples=300, rng=rng).pvalue <= 0.05)
    assert np.mean(rejected) < 0.07


def test_a_coefficient_of_ones_own_must_be_one():
    scores = np.random.default_rng(0).random((6, 4))
    with pytest.raises(ValueError, match=r"got 2\.0"):
        correlation_standard_error(
            scores, scores, lambda truth, estimate: np.full(truth.shape[:-1], 2.0), n_resamples=9
        )
