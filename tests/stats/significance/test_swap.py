"""Swap rates, their curves over numbers of topics, and stability: against the paper's loops, and new topics."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats import stability, swap_curve, swap_rates
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.core.resampling import blockwise
from pt_rankcorr.stats.significance.other_topics import draw_new_topics
from pt_rankcorr.stats.significance.swap import SwapCurveResult, _fit
from pt_rankcorr.stats.truth.shrunken import reliability_of, reliability_of_resamples
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.oracles import score_matrices

B = 30
EDGES = [hundredths / 100 for hundredths in range(21)]
BINS = st.sampled_from([21, 2, 7, "published", (0.0, 0.003, 0.1, 0.3), (0.0,)])
may_be_nan = pytest.mark.filterwarnings("ignore:No difference:pt_rankcorr.warnings.DegenerateInputWarning")


@may_be_nan
@given(score_matrices(min_topics=1), st.integers(0, 99), BINS)
def test_is_the_paper_s_algorithm(scores, seed, bins):
    scores = in_one_order(scores)
    result = swap_rates(scores, of="resamples", n_resamples=B, bins=bins, rng=seed)
    root = np.random.default_rng(seed)
    samples, others = (oracle.drawn_topics(len(scores), B, root) for _ in range(2))
    counts, swaps, largest = oracle.swap_counts(scores, samples, others, result.edges)
    values = oracle.system_values(scores, samples)
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


@may_be_nan
@pytest.mark.parametrize("scale", [1, 0.1, 10])
def test_rounding_errors_of_scores_that_cancel_are_no_swaps(scale):
    """Of whole scores, whose sums are exact, and of the same in tenths, which are not."""
    scores = np.array([[1.0, 3.0], [2.0, 3.0], [-3.0, -6.0]])
    exact, scaled = (swap_rates(matrix, n_resamples=1000, rng=0) for matrix in (scores, scores / 10 * scale))
    assert scaled.swaps.sum() == exact.swaps.sum() > 100


@may_be_nan
def test_bins_begin_at_their_lower_end():
    for hundredths in range(20):
        scores = np.array([[0.1, 0.1 + hundredths / 100]] * 3)
        assert swap_rates(scores, of="resamples", n_resamples=5, bins="published", rng=1).counts[hundredths] == 5


def test_identical_systems_have_no_required_difference():
    with pytest.warns(DegenerateInputWarning):
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


SHIFTS = st.sampled_from([0.0, 0.3, 2.0])


@given(score_matrices(min_topics=1), st.integers(0, 99), SHIFTS)
def test_stability_is_the_paper_s_algorithm(scores, seed, shift):
    """Margins of negative scores go with their size."""
    scores = in_one_order(np.round(scores - shift, 12) if shift else scores)  # decimals, as both sides read them
    result = stability(scores, fuzziness=[0.0, 0.05, 0.2, 0.5], of="resamples", n_resamples=B, rng=seed)
    samples = oracle.drawn_topics(len(scores), B, seed)
    expected = [oracle.stability(scores, samples, f) for f in result.fuzziness]
    np.testing.assert_allclose(result.minority_rate, [minority for minority, _ in expected], atol=1e-12)
    np.testing.assert_allclose(result.proportion_of_ties, [ties for _, ties in expected], atol=1e-12)


def test_fuzziness_trades_the_minority_rate_for_ties():
    result = stability(np.random.default_rng(0).random((20, 8)), rng=1)
    assert result.fuzziness.tolist() == [percent / 100 for percent in range(1, 21)]
    assert (np.diff(result.proportion_of_ties) >= 0).all()
    assert (np.diff(result.minority_rate) <= 0).all()


def test_a_difference_of_just_f_is_a_win():
    # 0.9 against 1.0: the margin at f = 0.1 is 0.1
    result = stability([[0.9, 1.0], [0.9, 1.0]], fuzziness=[0.1, 0.11], rng=1)
    assert result.proportion_of_ties.tolist() == [0.0, 1.0]


def close_systems(rng, n_topics=20):
    return np.linspace(0.4, 0.45, 8) + rng.normal(size=(n_topics, 8)) * 0.15


def drawn(scores, n_samples):
    return draw_new_topics(in_one_order(scores), B, np.random.default_rng(5), n_samples, None)


@may_be_nan
def test_swaps_and_wins_are_counted_in_the_draws():
    scores = close_systems(np.random.default_rng(0))
    pairs = list(itertools.combinations(range(8), 2))
    _, (once, again) = drawn(scores, 2)
    swaps = swap_rates(scores, n_resamples=B, rng=5)
    assert swaps.swaps.sum() == sum(((once[i] - once[j]) * (again[i] - again[j]) < 0).sum() for i, j in pairs)
    truths, (sample,) = drawn(scores, 1)
    wrong = ties = 0
    for i, j in pairs:
        gap = (sample[i] - sample[j]) / np.maximum(np.abs(sample[i]), np.abs(sample[j]))
        wrong += ((np.abs(gap) >= 0.1) & (gap * (truths[i] - truths[j]) < 0)).sum()
        ties += (np.abs(gap) < 0.1).sum()
    result = stability(scores, fuzziness=0.1, n_resamples=B, rng=5)
    assert result.minority_rate[0] == pytest.approx(wrong / (B * 28))
    assert result.proportion_of_ties[0] == pytest.approx(ties / (B * 28))


def test_the_reliability_is_that_of_the_standard_errors_of_the_mean():
    scores = close_systems(np.random.default_rng(1), 30)
    weights = np.random.default_rng(0).multinomial(30, np.full(30, 1 / 30), size=20_000) / 30
    errors = (weights @ scores).T - scores.mean(axis=0)[:, np.newaxis]
    found, expected = reliability_of_resamples(scores.mean(axis=0), errors, 30), reliability_of(scores)
    assert found.mean == pytest.approx(expected.mean, abs=0.02)


def test_equal_systems_stay_equal_and_steady_ones_apart():
    scores = np.random.default_rng(0).random((9, 3))
    scores[:, 1], scores[:, 2] = scores[:, 0], scores[:, 0] + 0.5
    result = stability(scores, fuzziness=0.0, rng=1)
    assert result.proportion_of_ties[0] == 1 / 3
    assert result.minority_rate[0] == 0.0


def shuffled_topics(n_topics, seed):
    draw = lambda child, size: child.permuted(np.tile(np.arange(n_topics), (size, 1)), axis=1)  # noqa: E731
    return blockwise(draw, B, cells=n_topics, rng=np.random.default_rng(seed), n_jobs=1)


@may_be_nan
@given(score_matrices(min_topics=2), st.integers(0, 99), st.floats(0, 1))
def test_swaps_between_disjoint_sets(scores, seed, part):
    scores = in_one_order(scores)
    size = 1 + int(part * (len(scores) // 2 - 1))
    result = swap_rates(scores, of="halves", topic_set_size=size, n_resamples=B, bins="published", rng=seed)
    topics = shuffled_topics(len(scores), seed)
    counts, swaps, largest = oracle.swap_counts(scores, topics[:, :size], topics[:, size : 2 * size], EDGES)
    assert result.counts.tolist() == counts
    assert result.swaps.tolist() == swaps
    assert result.largest_value == pytest.approx(largest)
    assert result.topic_set_size == size


@given(score_matrices(min_topics=2), st.integers(0, 99), st.floats(0, 1))
def test_stability_of_sets_without_replacement(scores, seed, part):
    scores = in_one_order(scores)
    size = 1 + int(part * (len(scores) - 1))
    result = stability(scores, of="halves", topic_set_size=size, fuzziness=[0, 0.05, 0.3], n_resamples=B, rng=seed)
    topics = shuffled_topics(len(scores), seed)[:, :size]
    expected = [oracle.stability(scores, topics, f) for f in result.fuzziness]
    np.testing.assert_allclose(np.stack([result.minority_rate, result.proportion_of_ties], 1), expected, atol=1e-12)


def test_by_default_a_set_is_half_of_the_topics():
    scores = np.random.default_rng(0).random((11, 4)) + np.arange(4)
    for method in (swap_rates, stability):
        default, five = (method(scores, of="halves", rng=1, **more) for more in ({}, {"topic_set_size": 5}))
        assert default == five
        assert default.topic_set_size == 5
        assert method(scores, of="resamples", rng=1).topic_set_size == 11


@pytest.mark.parametrize("of", ["new topics", "resamples", "halves"])
def test_counts_of_pairs_add_up_to_the_rates(of):
    scores = ScoreMatrix(np.random.default_rng(0).random((12, 6)), systems=list("abcdef"))
    result = stability(scores, of=of, n_resamples=200, rng=1)
    for at in (0, 4, 19):
        pairs = result.pairs(result.fuzziness[at])
        assert list(zip(pairs["system"], pairs["other"], strict=True)) == list(itertools.combinations("abcdef", 2))
        assert (pairs[["wins", "losses", "ties"]].sum(axis=1) == 200).all()
        assert pairs["ties"].sum() / (15 * 200) == pytest.approx(result.proportion_of_ties[at])
        if of != "new topics":
            minority = pairs[["wins", "losses"]].min(axis=1).sum() / (15 * 200)
            assert minority == pytest.approx(result.minority_rate[at])


SCORES = np.random.default_rng(0).random((40, 8)) + np.linspace(0, 0.4, 8)


def weighted_line(x, y, weights):
    """The normal equations of weighted least squares."""
    total = math.fsum(weights)
    mean_x = math.fsum(w * a for w, a in zip(weights, x, strict=True)) / total
    mean_y = math.fsum(w * b for w, b in zip(weights, y, strict=True)) / total
    across = math.fsum(w * (a - mean_x) * (b - mean_y) for w, a, b in zip(weights, x, y, strict=True))
    slope = across / math.fsum(w * (a - mean_x) ** 2 for w, a in zip(weights, x, strict=True))
    return slope, mean_y - slope * mean_x


@may_be_nan
def test_rates_are_those_of_disjoint_sets_and_lines_are_of_least_squares():
    curve = swap_curve(SCORES, topic_set_sizes=[3, 8, 20], n_resamples=200, rng=5)
    for at, (size, child) in enumerate(zip([3, 8, 20], np.random.default_rng(5).spawn(3), strict=True)):
        expected = swap_rates(SCORES, of="halves", topic_set_size=size, bins="published", n_resamples=200, rng=child)
        assert curve.counts[at].tolist() == expected.counts.tolist()
        assert curve.swaps[at].tolist() == expected.swaps.tolist()
    for at in range(curve.edges.size):
        usable = [k for k in range(3) if curve.swaps[k, at] > 0]
        if len(usable) < 2:
            assert math.isnan(curve.slopes[at])
            continue
        x, y = [float([3, 8, 20][k]) for k in usable], [math.log(curve.rates[k, at]) for k in usable]
        slope, intercept = weighted_line(x, y, [float(curve.swaps[k, at]) for k in usable])
        assert (curve.slopes[at], curve.intercepts[at]) == pytest.approx((slope, intercept))


def test_an_exponential_is_found_again():
    sizes, rates = np.array([2.0, 5.0, 10.0, 20.0]), np.array([[0.4, 0.1]])
    counts = np.full((4, 2), 1e6)
    slopes, intercepts = _fit(sizes, counts, counts * rates * np.exp(-0.03 * sizes[:, np.newaxis]))
    np.testing.assert_allclose(slopes, -0.03)
    np.testing.assert_allclose(np.exp(intercepts), rates[0])


def made(slopes, intercepts):
    cells = np.ones((2, len(slopes)))
    return SwapCurveResult(
        np.array([1.0, 2.0]), np.arange(len(slopes)) / 10, cells, cells, np.array(slopes), np.array(intercepts),
        0.05, 10, 3, 100,
    )  # fmt: skip


def test_required_differences_fall_with_the_number_of_topics():
    curve = made([-0.01, -0.05, math.nan], [math.log(0.4), math.log(0.2), math.nan])
    assert curve.required_difference(10) == 0.2  # .2 exp(-.5) = .12 in the second bin
    assert curve.required_difference(50) == 0.1  # .4 exp(-.5) = .24 in the first
    assert curve.required_difference(1000) == 0.0
    assert curve.rates_with(10)[:2] == pytest.approx([0.4 * math.exp(-0.1), 0.2 * math.exp(-0.5)])
    assert math.isnan(made([-0.001], [math.log(0.4)]).required_difference(10))
    assert made([0.1], [0.0]).rates_with(1000)[0] == 0.5


def test_sizes_by_default():
    assert swap_curve(SCORES[:9], n_resamples=50, rng=1).topic_set_sizes.tolist() == [1, 2, 3, 4]
    sizes = swap_curve(np.tile(SCORES, (3, 1)), n_resamples=20, rng=1).topic_set_sizes
    assert (sizes[0], sizes[-1], sizes.size) == (1, 60, 20)


def test_several_measures_and_no_warnings_of_small_sets(recwarn):
    curves = swap_curve({"a": SCORES, "b": SCORES**2}, topic_set_sizes=[1, 2], n_resamples=30, rng=1)
    assert list(curves) == ["a", "b"]
    assert not [each for each in recwarn if each.category is DegenerateInputWarning]
