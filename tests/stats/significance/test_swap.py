"""Swap rates, against the paper's loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.stats.significance.swap import swap_rates
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices

B = 30


BINS = st.sampled_from([21, 2, 7, "published", (0.0, 0.003, 0.1, 0.3), (0.0,)])
may_be_nan = pytest.mark.filterwarnings("ignore:No difference:pt_rankcorr.warnings.DegenerateInputWarning")


@may_be_nan
@given(score_matrices(min_topics=1), st.integers(0, 99), st.booleans(), BINS)
def test_is_the_paper_s_algorithm(scores, seed, geometric, bins):
    ours, plain = oracle.STATISTICS["geometric" if geometric else "mean"]
    scores = in_one_order(scores)
    result = swap_rates(scores, of="resamples", n_resamples=B, statistic=ours, bins=bins, rng=seed)
    root = np.random.default_rng(seed)
    samples, others = (oracle.drawn_topics(len(scores), B, root) for _ in range(2))
    counts, swaps, largest = oracle.swap_counts(scores, samples, others, result.edges, m=plain)
    values = oracle.system_values(scores, samples, m=plain)
    seen = max(max(of_sample) - min(of_sample) for of_sample in values)
    if seen > 0 or not isinstance(bins, int):  # without any difference all bins are one
        assert result.counts.tolist() == counts
        assert result.swaps.tolist() == swaps
    assert result.largest_value == pytest.approx(largest)
    if isinstance(bins, int):
        assert result.edges == pytest.approx(np.linspace(0, seen / 2, bins))
    required, sensitivity = oracle.required_by_swap(counts, swaps, 0.05, result.edges)
    if seen == 0:
        required, sensitivity = np.nan, 0.0
    assert result.required_difference == pytest.approx(required, nan_ok=True)
    assert result.sensitivity == pytest.approx(sensitivity)
    relative = required / largest if largest > 1e-12 else np.nan
    assert result.relative_difference == pytest.approx(relative, nan_ok=True)


def test_published_bins_are_those_of_the_paper():
    result = swap_rates(np.random.default_rng(0).random((20, 5)) + np.linspace(0, 0.9, 5), bins="published", rng=1)
    assert result.edges.tolist() == [hundredths / 100 for hundredths in range(21)]


@pytest.mark.parametrize(("collection", "like"), [("adhoc5_ap", 0.05), ("robust2004_p10", 0.04), ("web2012_ap", 0.04)])
def test_default_bins_come_near_the_published_ones_on_trec_tracks(trec, collection, like):
    scores = trec(collection)
    ours, published = (swap_rates(scores, of="resamples", bins=bins, rng=1) for bins in (21, "published"))
    assert 0.005 < ours.edges[1] < 0.015
    assert published.required_difference == like
    assert ours.required_difference == pytest.approx(like, abs=0.01)


def test_well_spread_systems_do_not_end_in_the_last_bin():
    """The published bins hold all that is above .2."""
    scores = np.random.default_rng(0).random((10, 8)) * 2 + np.linspace(0, 4, 8)
    result = swap_rates(scores, of="resamples", rng=1)
    assert 0 < np.flatnonzero(result.edges == result.required_difference)[0] < 20
    assert swap_rates(scores, of="resamples", bins="published", max_rate=0.01, rng=1).edges[-1] == 0.2


def test_negative_scores_are_compared():
    scores = np.random.default_rng(0).random((40, 12)) + np.linspace(0, 0.5, 12)
    plain, negative = swap_rates(scores, rng=1), swap_rates(scores - 2, rng=1)
    assert negative.required_difference == pytest.approx(plain.required_difference, rel=1e-9)
    assert negative.relative_difference == negative.required_difference / negative.largest_value
    assert 1 < negative.largest_value < 2


@may_be_nan
@pytest.mark.parametrize("scale", [1, 0.1, 10])
def test_rounding_errors_of_scores_that_cancel_are_no_swaps(scale):
    """Of whole scores, whose sums are exact, and of the same in tenths, which are not."""
    scores = np.array([[1.0, 3.0], [2.0, 3.0], [-3.0, -6.0]])
    exact, scaled = (swap_rates(matrix, n_resamples=1000, rng=0) for matrix in (scores, scores / 10 * scale))
    assert scaled.swaps.sum() == exact.swaps.sum() > 100


@may_be_nan
def test_the_first_set_of_topics_is_that_of_the_other_methods():
    scores = in_one_order(np.random.default_rng(0).random((5, 3)))
    samples = oracle.drawn_topics(5, B, 7)
    first = np.array(oracle.system_values(scores, samples))
    differences = np.abs(first[:, [0, 0, 1]] - first[:, [1, 2, 2]])
    result = swap_rates(scores, of="resamples", n_resamples=B, bins=[0, 0.2], rng=7)
    assert result.counts[1] == (differences >= 0.2).sum()


@may_be_nan
def test_bins_begin_at_their_lower_end():
    for hundredths in range(20):
        scores = np.array([[0.1, 0.1 + hundredths / 100]] * 3)
        assert swap_rates(scores, of="resamples", n_resamples=5, bins="published", rng=1).counts[hundredths] == 5


def test_a_large_difference_is_swapped_less():
    scores = np.random.default_rng(0).random((40, 12)) + np.linspace(0, 0.2, 12)
    result = swap_rates(scores, of="resamples", rng=1)
    assert result.rates[0] > 0.4
    assert result.rates[0] > result.rates[10] > result.rates[20]
    assert 0 < result.sensitivity < 1
    assert result.counts.sum() == 66_000


def test_identical_systems_have_no_required_difference():
    with pytest.warns(DegenerateInputWarning, match="the required difference is nan"):
        result = swap_rates(np.full((4, 3), 0.5), rng=1)
    assert np.isnan(result.required_difference)
    assert (result.swaps.sum(), result.counts[0], result.sensitivity) == (0, 3000, 0.0)
    assert np.isnan(result.rates[1:]).all()
    assert str(result).startswith("No difference is so large that other topics reverse at most 5% of comparisons.")


@pytest.mark.parametrize("bins", [21, "published", [0.0, 0.05]])
def test_nan_beyond_the_last_bin_with_a_warning(bins):
    with pytest.warns(DegenerateInputWarning, match="swap rate of at most 0.001 from there on") as caught:
        result = swap_rates(np.random.default_rng(0).random((2, 6)), of="resamples", max_rate=0.001, bins=bins, rng=1)
    assert caught[0].filename == __file__
    assert np.isnan(result.required_difference)
    assert np.isnan(result.relative_difference)
    assert result.sensitivity == 0.0
