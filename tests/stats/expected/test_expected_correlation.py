"""Expected correlations against their definitions, published numbers, and the hard cases."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pt_rankcorr import kendall_tau, tau_ap
from pt_rankcorr.stats.expected.expected_correlation import ESTIMATORS
from pt_rankcorr.stats.expected.expected_correlation import expected_correlation as by_any
from pt_rankcorr.stats.expected.published import (
    WEIGHTS,
    of_smooth_resamples,
    pairs_of,
    plug_in_bandwidths,
    quantile_deviations,
)
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_expected as oracle
from tests.stats.oracles_expected import plug_in_bandwidth, scores_of

expected_correlation = partial(by_any, estimator="msqd")

PAIRWISE = ("ml", "msqd", "resampling", "kde")
COEFFICIENTS = ("tau", "tau_ap", "tau_gap")
discrete = arrays(
    float, st.tuples(st.integers(2, 7), st.integers(2, 5)), elements=st.integers(0, 10).map(lambda k: k / 10)
)


@pytest.mark.parametrize(
    ("collection", "estimator", "tau", "ap"),
    [
        ("adhoc6_ap", "msqd", 0.8600266, 0.8160990),
        ("adhoc6_ap", "ml", 0.8560612, 0.8126929),
        ("adhoc7_ap", "ml", 0.8911348, 0.8232283),
        ("adhoc7_ap", "msqd", 0.8891992, 0.8194832),
    ],
)
def test_published_values(trec, collection, estimator, tau, ap):
    """Those of "msqd" were ranked with the rounding errors of differences, where we have ties."""
    result, close = expected_correlation(trec(collection), estimator=estimator), 2e-6 if estimator == "msqd" else 1e-6
    assert result.value == pytest.approx(ap, abs=close)
    assert result.with_coefficient("tau").value == pytest.approx(tau, abs=close)


@pytest.mark.parametrize(
    ("collection", "estimator", "tau"),
    [("adhoc6_ap", "resampling", 0.8618), ("adhoc7_ap", "resampling", 0.8950), ("adhoc6_ap", "kde", 0.8581)],
)
def test_published_values_of_resampling(trec, collection, estimator, tau):
    result = expected_correlation(trec(collection), coefficient="tau", estimator=estimator, rng=1)
    assert result.value == pytest.approx(tau, abs=0.004)


@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (10, 6), (50, 5)])
@pytest.mark.parametrize("estimator", ["ml", "msqd"])
def test_probabilities_of_the_t_distribution(estimator, shape):
    scores = scores_of(*shape)
    expected = oracle.probability_matrix(scores, getattr(oracle, estimator))
    result = expected_correlation(scores, estimator=estimator)
    np.testing.assert_allclose(result.probabilities, expected, atol=1e-10)


@given(discrete)
def test_ml_of_discrete_scores(scores):
    pairs = expected_correlation_quietly(scores, estimator="ml").probabilities
    np.testing.assert_allclose(pairs, oracle.probability_matrix(scores, oracle.ml), atol=1e-9)


def expected_correlation_quietly(scores, **options):
    """As all means may be tied."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        return expected_correlation(scores, **options)


def resampled_means(scores, seed, n_resamples):
    """The means of resampled topics that a seed stands for."""
    return expected_correlation(scores, estimator="resampling", n_resamples=n_resamples, rng=seed).estimation.truths


def swapped_smoothly(differences, means):
    bandwidth = oracle.plug_in_bandwidth(differences)
    return oracle.share_swapped_smoothly(means, bandwidth, differences.size)


@pytest.mark.parametrize("shape", [(4, 3), (10, 6), (40, 5)])
@pytest.mark.parametrize(
    ("estimator", "definition", "close"),
    [("resampling", lambda _, means: oracle.share_swapped(means), 1e-9), ("kde", swapped_smoothly, 1e-4)],
)
def test_swaps_are_those_of_resampled_means(estimator, definition, close, shape):
    scores = scores_of(*shape)
    result = expected_correlation(scores, estimator=estimator, n_resamples=250, rng=5)
    estimation = result.estimation
    for first, second in zip(*estimation.pairs.indices, strict=True):
        i, j = estimation.pairs.order[[first, second]]
        means = estimation.truths[:, first] - estimation.truths[:, second]
        assert result.probabilities[i, j] == pytest.approx(definition(scores[:, i] - scores[:, j], means), abs=close)


def test_the_table_of_the_normal_distribution_is_close_to_it():
    rng, pairs = np.random.default_rng(1), pairs_of(scores_of(12, 4))
    resampled = pairs.means + 0.1 * rng.standard_normal((500, 4)).round(1)
    noise = np.array([1e-320, 0.0, 0.001, 0.03, 0.2, 5.0])
    found = of_smooth_resamples(pairs, resampled, noise)
    for pair, (better, worse) in enumerate(zip(*pairs.indices, strict=True)):
        differences = resampled[:, better] - resampled[:, worse]
        with np.errstate(over="ignore", divide="ignore"):
            expected = scipy.stats.norm.cdf(-differences / noise[pair]).mean()
        assert found[pair] == pytest.approx(expected, abs=6e-5)


def test_resampled_means_are_those_of_a_bootstrap():
    scores = scores_of(12, 3)
    means = resampled_means(scores, 3, 20_000)
    order = np.argsort(-scores.mean(axis=0))
    np.testing.assert_allclose(means.mean(axis=0), scores.mean(axis=0)[order], atol=5 * 0.05 / 20_000**0.5)
    np.testing.assert_allclose(np.cov(means.T), np.cov(scores[:, order].T, ddof=0) / 12, rtol=0.06)


def test_kde_is_the_bootstrap_of_the_kernel_estimate():
    """Drawing from the kernel estimate, as the paper does, gives what the noise integrated out gives."""
    differences = np.array([0.1, 0.25, -0.2, 0.05, 0.3, -0.1, 0.02, -0.15])
    rng = np.random.default_rng(1)
    bandwidth = oracle.plug_in_bandwidth(differences)
    draws = rng.choice(differences, (100_000, 8)) + bandwidth * rng.standard_normal((100_000, 8))
    scores = np.column_stack((differences, np.zeros(8)))
    result = expected_correlation(scores, estimator="kde", n_resamples=100_000, rng=2)
    assert result.probabilities[0, 1] == pytest.approx((draws.mean(axis=1) < 0).mean(), abs=0.008)


def test_kde_falls_back_to_ml_where_half_of_the_differences_are_equal():
    scores = np.column_stack(([0.5] * 9 + [0.1, 0.9], [0.4] * 9 + [0.3, 0.1]))
    kde, ml = (expected_correlation(scores, estimator=name, rng=1).value for name in ("kde", "ml"))
    assert kde == ml


@given(discrete)
def test_expectations_are_means_over_tie_breaks(scores):
    result = expected_correlation_quietly(scores, coefficient="tau", estimator="ml")
    if math.isnan(result.value):
        return
    p, means = result.probabilities, result.means
    plain = {
        "tau": lambda order: oracle.expected_tau(p[np.ix_(order, order)]),
        "tau_ap": lambda order: oracle.expected_tau_ap(p[np.ix_(order, order)]),
        "tau_gap": lambda order: oracle.expected_tau_gap(p[np.ix_(order, order)], means[list(order)]),
    }
    for coefficient in COEFFICIENTS:
        expected = oracle.over_tie_breaks(means, plain[coefficient])
        assert result.with_coefficient(coefficient).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("coefficient", "function"), [("tau", kendall_tau), ("tau_ap", tau_ap)])
def test_with_certain_swaps_it_is_the_coefficient_itself(coefficient, function):
    observed, truth = np.random.default_rng(4).random((2, 9))
    pairs = pairs_of(observed[np.newaxis])
    better, worse = pairs.indices
    swapped = truth[pairs.order[better]] < truth[pairs.order[worse]]
    value = 1.0 - 2.0 * (WEIGHTS[coefficient](pairs) * swapped).sum()
    assert value == pytest.approx(function(truth, observed))


def test_msqd_minimises_the_squared_quantile_deviations_of_tied_differences():
    differences = [0.3] * 6 + [0.1, 0.0, -0.2, 0.5, 0.5]
    scores = np.column_stack((np.array(differences) + 1, np.ones(11)))
    deviation = pairs_of(scores).over_topics(quantile_deviations, rounded=True)[0]
    exact = [x - y for x, y in scores.tolist()]
    assert deviation == pytest.approx(oracle.msqd_deviation_by_search(exact), rel=1e-5)


def test_msqd_of_a_system_that_nearly_always_wins_by_the_same():
    """Equation 9 gives a negative deviation here, and the certainty of a swap."""
    differences = [0.3] * 49 + [0.2]
    assert oracle.msqd(differences) > 0.99
    scores = np.column_stack((differences, np.zeros(50)))
    assert expected_correlation(scores).probabilities[0, 1] < 1e-10


@pytest.mark.parametrize("estimator", PAIRWISE)
def test_tied_means_are_swapped_half_of_the_time(estimator):
    scores = np.array([[0.1, 0.3, 0.5], [0.2, 0.1, 0.2], [0.3, 0.2, 0.4]])
    result = expected_correlation(scores, estimator=estimator, rng=1)
    assert result.probabilities[0, 1] == result.probabilities[1, 0] == 0.5


@pytest.mark.parametrize("estimator", PAIRWISE)
@pytest.mark.parametrize("step", [0.1, 1e-9])
def test_a_pair_without_variance_is_never_swapped(estimator, step):
    scores = scores_of(20, 3)
    scores[:, 2] = scores[:, 1] + step
    assert expected_correlation(scores, estimator=estimator, rng=1).probabilities[1, 2] == 0.0


@pytest.mark.parametrize("scale", [100.0, 1 / 3])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_scale_does_not_matter(estimator, scale):
    scores = scores_of(20, 5).round(1)
    given, scaled = (expected_correlation(x, estimator=estimator, rng=1) for x in (scores, scores * scale))
    assert scaled.value == pytest.approx(given.value, abs=1e-9)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_all_systems_identical_have_no_ranking(estimator):
    scores = np.repeat(scores_of(10, 1), 4, axis=1)
    with pytest.warns(DegenerateInputWarning):
        result = expected_correlation(scores, estimator=estimator, rng=1)
    assert math.isnan(result.value)
    assert math.isnan(result.topics_needed(0.5))
    assert math.isnan(result.confidence_interval().low)
    assert np.isnan(result.probabilities).all() or (result.probabilities == 0.5 * (1 - np.eye(4))).all()


@pytest.mark.parametrize("estimator", ["split-half", "split-half-replace"])
def test_too_few_topics_to_halve(estimator):
    with pytest.warns(DegenerateInputWarning):
        assert math.isnan(expected_correlation(scores_of(3, 5), estimator=estimator, rng=1).value)


def test_halves_that_disagree_at_one_size_only():
    """Any two of these four topics have a positive mean difference, one alone may not."""
    scores = np.column_stack(([1.0, 1.0, 1.0, -0.5], np.zeros(4)))
    with pytest.warns(DegenerateInputWarning, match="halves of 4 topics disagree at fewer than two sizes"):
        assert math.isnan(expected_correlation(scores, estimator="split-half", rng=1).value)


@pytest.mark.parametrize("estimator", ["ml", "msqd"])
def test_a_hundred_thousand_topics(estimator):
    scores = np.random.default_rng(1).normal(size=(100_000, 2))
    scores[:, 1] -= scores[:, 1].mean() - scores[:, 0].mean() + 0.004
    z = 0.004 / ((scores[:, 0] - scores[:, 1]).std() / 100_000**0.5)
    p = expected_correlation(scores, estimator=estimator).probabilities[0, 1]
    assert p == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, rel=2e-3)


def samples(kind, n):
    rng = np.random.default_rng(n)
    return {
        "normal": rng.normal(size=n),
        "uniform": rng.uniform(size=n) * 1e-3,
        "two humps": np.concatenate((rng.normal(-3, 1, n // 2), rng.normal(3, 0.5, n - n // 2))),
        "heavy tails": rng.standard_t(3, size=n),
        "discrete": rng.integers(-4, 6, size=n) / 10,
    }[kind]


@pytest.mark.parametrize("kind", ["normal", "uniform", "two humps", "heavy tails", "discrete"])
@pytest.mark.parametrize("n", [10, 50, 200])
def test_agrees_with_the_unbinned_formulas(kind, n):
    sample = samples(kind, n)
    assert plug_in_bandwidths(sample) == pytest.approx(plug_in_bandwidth(sample), rel=2e-3)


def test_normal_sample_gets_the_bandwidth_of_a_normal_density():
    n = 100_000
    bandwidth = plug_in_bandwidths(np.random.default_rng(1).normal(size=n))
    assert bandwidth == pytest.approx((4 / (3 * n)) ** 0.2, rel=0.02)


def test_follows_location_and_scale():
    sample = samples("heavy tails", 60)
    assert plug_in_bandwidths(1e4 * sample + 7) == pytest.approx(1e4 * plug_in_bandwidths(sample), rel=1e-9)


def test_rows_do_not_mix():
    rows = np.stack([samples(kind, 40) for kind in ("normal", "two humps", "discrete")])
    assert plug_in_bandwidths(rows).tolist() == pytest.approx(
        [float(plug_in_bandwidths(row)) for row in rows], rel=1e-12
    )


@pytest.mark.parametrize(
    "sample", [np.zeros(9), np.full(9, 0.3), np.array([0.1] * 8 + [0.9])], ids=["0", "constant", "half equal"]
)
def test_no_scale_no_bandwidth(sample):
    assert np.isnan(plug_in_bandwidths(sample))


def test_rounding_errors_are_no_scale():
    differences = np.array([0.3 - 0.2, 0.2 - 0.1, 0.9 - 0.8, 0.7 - 0.6, 0.5 - 0.4, 0.9])
    assert np.isnan(plug_in_bandwidths(differences))
