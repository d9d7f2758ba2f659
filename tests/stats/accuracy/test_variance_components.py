"""How much true values vary between groups, by the restricted likelihood."""

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal

from pt_rankcorr.stats.accuracy.variance_components import MOST_DEVIATION, components_of, sampling_error_between

MODELS, PROMPTS = np.repeat(np.arange(6), 4), np.arange(24)


def drawn(seed, between, within, noise):
    """Estimates of six models of four prompts, whose sampling errors are partly shared, and its covariance."""
    rng = np.random.default_rng(seed)
    sampling_error = noise**2 * (0.5 + 0.5 * np.eye(24))
    truth = 0.6 + rng.normal(0, between, 6)[MODELS] + rng.normal(0, within, 24)
    return truth + rng.multivariate_normal(np.zeros(24), sampling_error), sampling_error


def deviance(estimates, sampling_error, deviations):
    """-2 log density of the differences of neighbours, of which the mean is no part."""
    covariance = sampling_error + sum(
        own**2 * (groups[:, np.newaxis] == groups) for own, groups in zip(deviations, (MODELS, PROMPTS), strict=True)
    )
    moves = np.diff(np.eye(24), axis=0)
    return -2 * float(multivariate_normal.logpdf(np.diff(estimates), cov=moves @ covariance @ moves.T))


def test_one_factor_is_that_of_an_analysis_of_variance():
    """With errors alike and independent: the variance of the means of models, less what sampling error gives them."""
    estimates, _ = drawn(1, 0.1, 0.0, 0.03)
    (found,) = components_of(estimates, 0.03**2 * np.eye(24), [MODELS], 0.95)
    means = estimates.reshape(6, 4).mean(axis=1)
    assert found.deviation == pytest.approx(np.sqrt(means.var(ddof=1) - 0.03**2 / 4), rel=1e-4)
    assert found.low < found.deviation < found.high


@pytest.mark.parametrize(("between", "within"), [(0.1, 0.05), (0.02, 0.05), (0.0, 0.0)])
def test_estimates_and_intervals_are_those_of_the_restricted_likelihood(between, within):
    estimates, sampling_error = drawn(2, between, within, 0.03)
    found = components_of(estimates, sampling_error, [MODELS, PROMPTS], 0.9)
    best = [each.deviation for each in found]
    grid = [
        deviance(estimates, sampling_error, [x, y]) for x in np.linspace(0, 0.3, 13) for y in np.linspace(0, 0.15, 13)
    ]
    lowest = deviance(estimates, sampling_error, best)
    assert lowest <= min(grid) + 1e-6
    for at, each in enumerate(found):
        for end in (each.low, each.high):
            others = np.linspace(0, 0.3, 151)
            profile = min(
                deviance(estimates, sampling_error, [end, other] if at == 0 else [other, end]) for other in others
            )
            expected = chi2.ppf(0.9, 1)
            if end == 0.0:
                assert profile - lowest <= expected
            else:
                assert profile - lowest == pytest.approx(expected, abs=0.05)


def test_two_groups_can_differ_by_anything():
    (found,) = components_of(np.array([0.5, 0.7, 0.5, 0.7]), 1e-4 * np.eye(4), [np.array([0, 1, 0, 1])], 0.999)
    assert found.high == MOST_DEVIATION


def test_equal_estimates_without_sampling_error_do_not_differ():
    (found,) = components_of(np.full(4, 0.5), np.zeros((4, 4)), [np.array([0, 1, 0, 1])], 0.95)
    assert found == pytest.approx((0.0, 0.0, 0.0), abs=1e-5)


def test_sampling_error_is_what_separates_equal_values():
    rng = np.random.default_rng(3)
    sampling_error = 0.04**2 * (0.7 + 0.3 * np.eye(5))
    samples = rng.multivariate_normal(np.zeros(5), sampling_error, size=200_000)
    assert sampling_error_between(sampling_error) == pytest.approx(
        np.sqrt(samples.var(axis=1, ddof=1).mean()), rel=0.01
    )
    assert sampling_error_between(sampling_error) == pytest.approx(0.04 * np.sqrt(0.3))
