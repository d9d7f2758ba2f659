"""Hostile numbers: what was once found wrong."""

from __future__ import annotations

import numpy as np
import pytest

import pt_rankcorr as ptr
from pt_rankcorr import stats

SCORES = np.random.default_rng(0).random((6, 3))


def test_small_differences_of_large_scores_keep_their_correlation():
    steps = np.array([0.0, 1, 2, 3, 8])
    estimate = [1.0, 3, 2, 5, 4]
    assert stats.pearson(1e10 + steps, estimate) == pytest.approx(stats.pearson(steps, estimate), abs=1e-14)


def test_wilcoxon_ties_equal_differences_of_scores_of_any_size():
    thirds = np.array([[3, 2], [2, 1], [1, 0], [3, 1], [0, 3], [0, 3]])
    as_precision, as_counts = (ptr.discriminative_power(x, test="wilcoxon").pvalues for x in (thirds / 3, thirds))
    np.testing.assert_array_equal(as_precision, as_counts)


def test_a_statistic_may_sort_what_it_gets():
    def median(scores):
        scores.sort()
        return scores[scores.size // 2]

    x, y = SCORES[:5, 0].copy(), SCORES[:5, 1].copy()
    ours = stats.unpaired_bootstrap_test(x, y, statistic=median, n_resamples=50, rng=1)
    assert ours.pvalue == stats.unpaired_bootstrap_test(x, y, statistic=np.median, n_resamples=50, rng=1).pvalue
    np.testing.assert_array_equal(x, SCORES[:5, 0])


def test_an_interval_of_the_highest_level_has_ends():
    low, high = stats.kendall_interval(0.5, 10, level=1 - 2.0**-53)
    assert -1 < low < high < 1


def test_topics_needed_agrees_with_the_value():
    scores = np.arange(8.0)[:, np.newaxis] / 100 + np.array([0.1, 0.5, 0.9])
    scores[0] = 0.5, 0.3, 0.9
    result = ptr.expected_correlation(scores, estimator="resampling", n_resamples=50, rng=1)
    assert result.value == 1.0
    needed = result.topics_needed(1.0)
    assert needed <= result.n_topics
    assert result.curve(needed) == 1.0 > result.curve(needed - 1)


def test_a_singular_covariance_with_the_smallest_ridge_has_a_distance():
    baseline = np.random.default_rng(0).random((2, 5))
    ranking = np.random.default_rng(1).random(5)
    settings = {"n_resamples": 9, "covariance": "sample", "rng": 1}
    with pytest.warns(ptr.warnings.UnreliableResultWarning):
        least, more = (ptr.DRankTest(baseline, ridge=ridge, **settings).distance(ranking) for ridge in (1e-12, 1.1e-12))
    assert more < least < more * 1.1
