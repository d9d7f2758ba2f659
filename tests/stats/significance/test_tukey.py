"""The randomised Tukey HSD test: against loops, its family of pairs, and its family-wise error rate."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from pt_rankcorr.stats.significance.pairwise import randomized_tukey_hsd
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices


@given(score_matrices(min_topics=1), st.integers(0, 99))
def test_pvalues_count_the_null_distribution(scores, seed):
    result = randomized_tukey_hsd(scores, n_resamples=50, rng=seed)
    means = scores.mean(axis=0)
    for i, j in np.ndindex(result.pvalues.shape):
        extreme = (result.null_distribution >= abs(means[i] - means[j]) - 1e-13).sum()
        assert result.pvalues[i, j] == (1.0 if i == j else (extreme + 1) / 51)
    assert result.pvalue == result.pvalues.min()
    assert result.statistic == pytest.approx(np.ptp(means))


def test_null_distribution_is_that_of_the_loop():
    scores = np.random.default_rng(0).random((6, 4))
    ours = randomized_tukey_hsd(scores, n_resamples=3000, rng=1).null_distribution
    plain = oracle.tukey_null(scores, 3000, np.random.default_rng(2))
    assert ks_2samp(ours, plain).pvalue > 0.01


def test_baselines_are_tested_against_the_largest_difference_from_one_of_them():
    """All permutations of a small matrix, one by one: the null of one baseline is max |mean_0 - mean_j|."""
    scores = np.array([[0.0, 0.1, 0.4], [0.2, 0.3, 0.9]])
    result = randomized_tukey_hsd(scores, baselines=0, n_resamples=20_000, rng=1)
    rng, null = np.random.default_rng(5), []
    for _ in range(20_000):
        means = np.array([rng.permutation(row) for row in scores]).mean(axis=0)
        null.append(max(abs(means[0] - means[1]), abs(means[0] - means[2])))
    assert ks_2samp(result.null_distribution, null).pvalue > 0.01
    assert np.isnan(result.pvalues[1, 2])
    assert not np.isnan(result.pvalues[0]).any()


def test_an_integer_is_a_name_first():
    scores = pd.DataFrame(np.random.default_rng(0).random((4, 4)), columns=[3, 0, 1, 7])
    found = [
        randomized_tukey_hsd(scores, baselines=baselines, rng=1).baselines for baselines in (3, [0, np.int64(7)], 2)
    ]
    assert found == [("3",), ("0", "7"), ("1",)]


@pytest.mark.parametrize("baselines", [1, np.int64(1), [np.int64(1)], np.array([1]), "s2"])
def test_a_baseline_may_come_from_numpy(baselines):
    scores = np.random.default_rng(0).random((4, 3))
    assert randomized_tukey_hsd(scores, baselines=baselines, rng=1).baselines == ("s2",)
