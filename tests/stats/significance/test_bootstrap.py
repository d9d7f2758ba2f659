"""Bootstrap tests of two systems against the paper's loops and on hard cases; standard errors of any number."""

import statistics

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from pt_rankcorr.stats import PairedBootstrap, bootstrap_standard_error, paired_bootstrap_test, unpaired_bootstrap_test
from pt_rankcorr.stats.core.ordering import topic_order
from pt_rankcorr.stats.core.resampling import BLOCK_RESAMPLES, topic_indices
from pt_rankcorr.stats.significance.other_topics import resampled_means
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.oracles import score_matrices

B = 60


@given(score_matrices(max_systems=2), st.integers(0, 99))
@example(np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]), 0)  # the mean is 0, and a difference too
@example(np.array([[0.6, 0.1], [0.4, 0.2], [0.5, 0.6]]), 0)
def test_paired_is_the_paper_s_algorithm(scores, seed):
    x, y = scores.T
    result = paired_bootstrap_test(x, y, n_resamples=B, rng=seed)
    assert result.asl == oracle.paired_asl(*oracle.by_difference(x, y), oracle.drawn_topics(len(x), B, seed))
    assert result.pvalue == (round(result.asl * B) + 1) / (B + 1)
    assert result.statistic == pytest.approx(oracle.students_t((x - y).tolist()), rel=1e-9)


@given(score_matrices(max_systems=2), st.integers(0, 99))
def test_unpaired_is_the_paper_s_algorithm(scores, seed):
    x, y = np.sort(scores.T)
    result = unpaired_bootstrap_test(x, y, method="published", n_resamples=B, rng=seed)
    samples = oracle.drawn_topics(2 * len(x), B, seed)
    assert result.asl == oracle.unpaired_asl(x.tolist(), y.tolist(), samples)
    assert result.pvalue == (round(result.asl * B) + 1) / (B + 1)


def test_unpaired_takes_samples_of_different_sizes():
    x, y = np.linspace(0.2, 0.9, 8), np.linspace(0.1, 0.5, 5)
    result = unpaired_bootstrap_test(x, y, method="published", n_resamples=B, rng=3)
    assert result.asl == oracle.unpaired_asl(x.tolist(), y.tolist(), oracle.drawn_topics(13, B, 3))


def resampled_alone(n_first, n_second, seed):
    """Topics of each sample in each resample, as they are drawn from one generator a block."""
    (child,) = np.random.default_rng(seed).spawn(1)
    return [topic_indices(child, BLOCK_RESAMPLES, size)[:B].tolist() for size in (n_first, n_second)]


def welch_t(x, y):
    difference = statistics.fmean(x) - statistics.fmean(y)
    error = (statistics.variance(x) / len(x) + statistics.variance(y) / len(y)) ** 0.5
    if abs(difference) <= 1e-12:
        return 0.0
    return difference / error if error > 1e-12 else float(np.copysign(np.inf, difference))


@given(score_matrices(max_systems=2), st.integers(0, 99), st.integers(0, 2))
@example(np.array([[0.1, 0.3], [0.1, 0.3], [0.1, 0.3]]), 0, 0)
def test_by_default_each_sample_is_resampled_alone(scores, seed, fewer):
    x, y = np.sort(scores[:, 0]).tolist(), np.sort(scores[: max(2, len(scores) - fewer), 1]).tolist()
    samples = list(zip(*resampled_alone(len(x), len(y), seed), strict=True))
    result = unpaired_bootstrap_test(x, y, n_resamples=B, rng=seed)
    v, w = ([value - statistics.fmean(z) for value in z] for z in (x, y))
    drawn = [welch_t([v[at] for at in first], [w[at] for at in second]) for first, second in samples]
    assert result.statistic == pytest.approx(welch_t(x, y), rel=1e-7)
    assert result.asl == np.mean([abs(t) >= abs(welch_t(x, y)) * (1 - 1e-9) for t in drawn])


def test_a_wide_small_sample_is_not_significant_by_its_spread():
    """As the published test has it."""
    narrow, wide = np.linspace(-0.1, 0.1, 50) + 0.5, np.linspace(-0.6, 0.6, 8) + 0.65
    published, ours = (unpaired_bootstrap_test(narrow, wide, method=how, rng=1) for how in ("published", "separate"))
    assert published.pvalue < 0.05 < 0.3 < ours.pvalue


def test_null_distribution_has_the_t_of_each_resample():
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 12))
    result = paired_bootstrap_test(x, y, n_resamples=B, rng=5)
    sign = 1 if oracle.by_difference(x, y)[0][0] in x else -1
    x, y = oracle.by_difference(x, y)
    w = oracle.centred(x, y)
    expected = [oracle.students_t([w[at] for at in sample]) for sample in oracle.drawn_topics(12, B, 5)]
    np.testing.assert_allclose(result.null_distribution, np.multiply(expected, sign), rtol=1e-9)


@pytest.mark.parametrize("n_topics", [2, 3, 50])
def test_identical_systems_are_never_different(n_topics):
    x = np.random.default_rng(0).random(n_topics)
    for result in (paired_bootstrap_test(x, x, rng=1), unpaired_bootstrap_test(x, x, rng=1)):
        assert result.pvalue == result.asl == 1.0
        assert result.statistic == 0.0


def test_systems_that_differ_by_rounding_errors_are_identical():
    x = np.random.default_rng(0).random(30)
    assert paired_bootstrap_test(x, x * (1 + 1e-15), rng=1).pvalue == 1.0


@pytest.mark.parametrize("constant", [0.1, -1e-3, 1e-7])
def test_a_constant_difference_has_the_least_p(constant):
    x = np.random.default_rng(0).random(20)
    result = paired_bootstrap_test(x + constant, x, n_resamples=99, rng=1)
    assert result.asl == 0.0
    assert result.pvalue == 0.01
    assert result.statistic == np.copysign(np.inf, constant)
    assert result.confidence_interval() == (result.difference, result.difference)


def test_resamples_of_one_topic_are_infinitely_extreme():
    result = paired_bootstrap_test([0.3, 0.4], [0.2, 0.1], rng=1)
    assert set(np.abs(result.null_distribution)) == {0.0, np.inf}
    assert 0.4 < result.asl < 0.6  # half of the resamples draw one topic twice


def test_p_is_never_zero_and_a_result_unpacks():
    statistic, pvalue = paired_bootstrap_test(np.arange(30) + 100.0, np.zeros(30), rng=1)
    assert pvalue == 1 / 1001
    assert statistic > 10
    result = unpaired_bootstrap_test(np.arange(30) + 100.0, np.zeros(30), rng=1)
    assert result[1] == 1 / 1001
    assert result.to_dict()["n_resamples"] == 1000


def test_the_same_seed_gives_the_same_bits_and_more_resamples_begin_alike():
    x, y = np.random.default_rng(5).random((2, 40))
    few, many = (paired_bootstrap_test(x, y, n_resamples=size, rng=7).null_distribution for size in (100, 1000))
    np.testing.assert_allclose(few, many[:100], rtol=1e-12)
    test = PairedBootstrap(n_resamples=1000, rng=7)
    assert np.array_equal(test(x, y).null_distribution, many)
    assert repr(test) == "PairedBootstrap(n_resamples=1000, rng=7)"


def test_confidence_interval_is_that_of_students_t_on_normal_data():
    x, y = np.random.default_rng(1).normal(0.5, 0.1, (2, 50))
    result = paired_bootstrap_test(x, y, n_resamples=10_000, rng=1)
    low, high = result.confidence_interval(0.9)
    expected = ttest_rel(x, y).confidence_interval(0.9)
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.005)
    drawn = np.sort(result.null_distribution) * np.std(x - y, ddof=1) / np.sqrt(50)
    ends = (x - y).mean() - drawn[[9499, 499]]  # the 95% and the 5% of 10 000
    assert (low, high) == pytest.approx(tuple(ends))


@given(score_matrices(min_topics=1), st.integers(0, 99))
def test_resampled_means_are_those_of_the_samples_of_topics(scores, seed):
    samples = oracle.drawn_topics(len(scores), 20, seed)
    resampled = resampled_means(scores, 20, np.random.default_rng(seed), None)
    np.testing.assert_allclose(resampled.T, oracle.system_values(scores, samples), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("margin", [0.01, 0.06, 0.2])
def test_equivalence_is_two_one_sided_tests(margin):
    random = np.random.default_rng(7)
    x = random.random(30)
    y = x + random.normal(0.02, 0.1, 30)
    result = paired_bootstrap_test(x, y, margin=margin, n_resamples=999, rng=1)
    plain = paired_bootstrap_test(x, y, n_resamples=999, rng=1)
    assert (plain.pvalue, plain.statistic) == (result.pvalue, result.statistic)
    assert np.isnan(plain.equivalence_pvalue)
    error = statistics.stdev(x - y) / 30**0.5
    above, below = (np.mean(x - y) + margin) / error, (np.mean(x - y) - margin) / error
    counts = sum(t >= above for t in plain.null_distribution), sum(t <= below for t in plain.null_distribution)
    assert result.equivalence_pvalue == (max(counts) + 1) / 1000
    swapped = paired_bootstrap_test(y, x, margin=margin, n_resamples=999, rng=1)
    assert swapped.equivalence_pvalue == result.equivalence_pvalue
    low, high = result.confidence_interval(0.9)
    assert (result.equivalence_pvalue <= 0.05) == (-margin < low and high < margin)


def test_equivalence_of_differences_that_do_not_vary():
    x = np.array([0.1, 0.4, 0.5])
    for other in (x, x + 0.1):  # no evidence of what differs on other topics
        with pytest.warns(DegenerateInputWarning):
            assert np.isnan(paired_bootstrap_test(other, x, margin=0.01, n_resamples=99, rng=1).equivalence_pvalue)
    rare = np.eye(1, 20)[0]
    with pytest.warns(UnreliableResultWarning):
        assert paired_bootstrap_test(rare, 0 * rare, margin=0.9, n_resamples=99, rng=1).equivalence_pvalue >= 0.01
    for margin in (0, -1, float("inf")):
        with pytest.raises(ValueError, match="`margin`"):
            paired_bootstrap_test(x, x, margin=margin)


# --- the standard error of any number -------------------------------------------------------------------------


def first_less_second(a):
    return a[:, 0].mean() - a[:, 1].mean()


def largest_gap(a, b):
    return np.abs(a - b).max()


@given(score_matrices(min_topics=2, min_systems=2), st.integers(0, 99))
def test_is_the_standard_deviation_over_resamples(scores, seed):
    other = np.roll(scores, 1, axis=0)
    for statistic, matrices in ((first_less_second, [scores]), (largest_gap, [scores, other])):
        result = bootstrap_standard_error(statistic, *matrices, n_resamples=B, rng=seed)
        order = topic_order(np.hstack(matrices))
        samples = oracle.drawn_topics(len(scores), B, seed)
        expected = [float(statistic(*(matrix[order][topics] for matrix in matrices))) for topics in samples]
        assert result.replicates.tolist() == pytest.approx(expected)
        assert result.standard_error == pytest.approx(statistics.stdev(expected), abs=1e-12)
        assert result.statistic == pytest.approx(float(statistic(*matrices)))


def test_resamples_without_a_number_are_left_out():
    result = bootstrap_standard_error(
        lambda a: np.nan if a[:, 0].min() > 0 else a.mean(), [[0, 1], [1, 0], [1, 1]], n_resamples=300, rng=1
    )
    assert 0 < result.n_undefined < 300
    assert result.standard_error == pytest.approx(np.nanstd(result.replicates, ddof=1))


def test_it_says_where_the_number_is_undefined():
    scores = np.array([[0.0, 1.0], [0.0, 0.5], [1.0, 0.0]])
    with pytest.warns(DegenerateInputWarning):
        result = bootstrap_standard_error(lambda a: np.nan, scores, n_resamples=9, rng=1)
    assert np.isnan(result.statistic)
    assert result.n_undefined == 9
