"""Swap rates, against the paper's loops."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_rankcorr.stats.summaries import geometric_mean
from pt_rankcorr.stats.swap import swap_rates
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices

B = 30


@settings(max_examples=40, deadline=None)
@given(score_matrices(min_topics=1), st.integers(0, 99), st.booleans())
def test_is_the_paper_s_algorithm(scores, seed, geometric):
    ours, plain = (geometric_mean, oracle.geometric_mean) if geometric else (np.mean, statistics.fmean)
    result = swap_rates(scores, n_resamples=B, statistic=ours, rng=seed)
    root = np.random.default_rng(seed)
    samples, others = (oracle.drawn_topics(len(scores), B, root) for _ in range(2))
    counts, swaps, highest = oracle.swap_counts(scores, samples, others, m=plain)
    assert result.counts.tolist() == counts
    assert result.swaps.tolist() == swaps
    assert result.highest_value == pytest.approx(highest)
    required, sensitivity = oracle.required_by_swap(counts, swaps, 0.05)
    assert result.required_difference == pytest.approx(required, nan_ok=True)
    assert result.sensitivity == pytest.approx(sensitivity)
    relative = required / highest if highest > 1e-12 else np.nan
    assert result.relative_difference == pytest.approx(relative, nan_ok=True)


@pytest.mark.parametrize("scale", [1, 0.1, 10])
def test_rounding_errors_of_scores_that_cancel_are_no_swaps(scale):
    """Of whole scores, whose sums are exact, and of the same in tenths, which are not."""
    scores = np.array([[1.0, 3.0], [2.0, 3.0], [-3.0, -6.0]])
    exact, scaled = (swap_rates(matrix, n_resamples=1000, rng=0) for matrix in (scores, scores / 10 * scale))
    assert scaled.swaps.sum() == exact.swaps.sum() == 309


def test_the_first_set_of_topics_is_that_of_the_other_methods():
    scores = np.random.default_rng(0).random((5, 3))
    samples = oracle.drawn_topics(5, B, 7)
    first = np.array(oracle.system_values(scores, samples))
    differences = np.abs(first[:, [0, 0, 1]] - first[:, [1, 2, 2]])
    assert swap_rates(scores, n_resamples=B, rng=7).counts[20] == (differences >= 0.2).sum()


def test_bins_begin_at_their_lower_end():
    for hundredths in range(20):
        scores = np.array([[0.1, 0.1 + hundredths / 100]] * 3)
        assert swap_rates(scores, n_resamples=5, rng=1).counts[hundredths] == 5


def test_a_large_difference_is_swapped_less():
    scores = np.random.default_rng(0).random((40, 12)) + np.linspace(0, 0.2, 12)
    result = swap_rates(scores, rng=1)
    assert result.rates[0] > 0.4
    assert result.rates[0] > result.rates[10] > result.rates[20]
    assert 0 < result.sensitivity < 1
    assert result.counts.sum() == 66_000


def test_equal_systems_swap_nothing():
    result = swap_rates(np.full((4, 3), 0.5), rng=1)
    assert result.swaps.sum() == 0
    assert np.isnan(result.rates[1:]).all()


def test_nan_where_no_difference_is_enough():
    result = swap_rates(np.random.default_rng(0).random((2, 6)), max_rate=0.001, rng=1)
    assert np.isnan(result.required_difference)
    assert np.isnan(result.relative_difference)
    assert result.sensitivity == 0.0


def test_results_can_be_compared_and_put_into_sets():
    one, other = (swap_rates([[0.1, 0.4], [0.2, 0.5]], n_resamples=20, rng=1) for _ in range(2))
    assert one == other
    assert len({one, other}) == 1


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="`max_rate` must be between 0 and 1"):
        swap_rates([[0.1, 0.2]], max_rate=5)
    with pytest.raises(ValueError, match="at least 2 systems"):
        swap_rates([[0.1]])
