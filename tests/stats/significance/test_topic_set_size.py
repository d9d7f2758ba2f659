"""How many topics a paired t test needs: published numbers, statsmodels, simulation, and the hard cases."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.power import TTestPower

from pt_rankcorr import discriminative_power
from pt_rankcorr.stats import topics_to_detect
from pt_rankcorr.stats.significance.power import pooled_deviation, power_of_t_test

UNIT = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, -1.0]])  # two systems whose difference has a standard deviation of 1


def test_published_numbers():
    """By G*Power, for paired t tests at .05: 10 pairs for an effect of 1, 34 for .5; and 25 pairs detect 1/3 with .360.

    The first is the example of UCLA's page on that power analysis, the second Cohen's medium effect, the third that of
    K. Wuensch's lesson.
    """
    assert topics_to_detect(UNIT, 1.0).topics_needed == 10
    assert topics_to_detect(UNIT, 0.5).topics_needed == 34
    assert power_of_t_test(1 / 3, 25, 0.05) == pytest.approx(0.360, abs=5e-4)


@pytest.mark.parametrize("n_topics", [3, 10, 50, 10_000])
@pytest.mark.parametrize("standard_errors", [0.1, 1.0, 2.8])
def test_power_is_that_of_statsmodels(n_topics, standard_errors):
    effect = standard_errors / math.sqrt(n_topics)
    expected = TTestPower().power(effect, n_topics, 0.05)
    assert power_of_t_test(effect, n_topics, 0.05) == pytest.approx(expected, abs=1e-6)


def test_power_of_few_topics_by_simulation():
    """Where the noncentral t distribution of scipy fails."""
    samples = np.random.default_rng(1).normal(20.0, 1.0, (20_000, 3))
    share = (ttest_1samp(samples, 0.0, axis=1).pvalue < 0.001).mean()
    assert power_of_t_test(20.0, 3, 0.001) == pytest.approx(share, abs=0.015)


def test_the_variance_is_the_mean_of_those_of_all_pairs():
    scores = np.random.default_rng(0).random((12, 5))
    pairs = itertools.combinations(range(5), 2)
    variances = [(scores[:, i] - scores[:, j]).var(ddof=1) for i, j in pairs]
    assert pooled_deviation(scores) == pytest.approx(np.sqrt(np.mean(variances)))


@pytest.mark.parametrize("settings", [{}, {"power": 0.95, "alpha": 0.001}, {"power": 0.2, "alpha": 0.1}])
@pytest.mark.parametrize("difference", [1e-6, 0.02, 0.3, 100.0])
def test_it_is_the_first_number_of_topics_with_that_power(difference, settings):
    scores = np.random.default_rng(0).random((12, 5))
    result = topics_to_detect(scores, difference, **settings)
    effect, n = difference / result.standard_deviation, int(result.topics_needed)
    assert power_of_t_test(effect, n, result.alpha) >= result.power
    assert n == 2 or power_of_t_test(effect, n - 1, result.alpha) < result.power
    detected = result.detectable_difference / result.standard_deviation
    assert power_of_t_test(detected, 12, result.alpha) == pytest.approx(result.power)


def test_systems_that_differ_by_a_constant_need_two_topics():
    result = topics_to_detect(np.array([[0.1, 0.3], [0.2, 0.4], [0.7, 0.9]]), 0.01)
    assert (result.topics_needed, result.detectable_difference, result.standard_deviation) == (2, 0.0, 0.0)


def test_a_difference_out_of_reach_needs_endless_topics():
    assert topics_to_detect(UNIT, 1e-12).topics_needed == math.inf


def test_discriminative_power_says_what_its_topics_detect():
    scores = np.random.default_rng(0).random((12, 5))
    results = discriminative_power({"AP": scores}, test="t")
    assert results["AP"].detectable_difference == topics_to_detect(scores, 0.1).detectable_difference
    assert "difference detected" in str(results)
    assert discriminative_power(scores, test="t", alpha=0.9).detectable_difference == 0.0
