"""Swap rates over numbers of topics, and their extrapolation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pt_rankcorr.stats.significance.swap import SwapCurveResult, _fit, swap_curve, swap_rates
from pt_rankcorr.warnings import DegenerateInputWarning

SCORES = np.random.default_rng(0).random((40, 8)) + np.linspace(0, 0.4, 8)


def weighted_line(x: list[float], y: list[float], weights: list[float]) -> tuple[float, float]:
    """The normal equations of weighted least squares."""
    total = math.fsum(weights)
    mean_x = math.fsum(w * a for w, a in zip(weights, x, strict=True)) / total
    mean_y = math.fsum(w * b for w, b in zip(weights, y, strict=True)) / total
    across = math.fsum(w * (a - mean_x) * (b - mean_y) for w, a, b in zip(weights, x, y, strict=True))
    slope = across / math.fsum(w * (a - mean_x) ** 2 for w, a in zip(weights, x, strict=True))
    return slope, mean_y - slope * mean_x


@pytest.mark.filterwarnings("ignore:No difference:pt_rankcorr.warnings.DegenerateInputWarning")
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


def test_the_extrapolation_comes_near_what_more_topics_show():
    scores = np.random.default_rng(3).random((200, 10)) + np.linspace(0, 0.3, 10)
    curve = swap_curve(scores, topic_set_sizes=[10, 20, 30, 40, 50], bins=[0.0], rng=1)
    seen = swap_rates(scores, of="halves", topic_set_size=100, bins=[0.0], max_rate=0.9, rng=2)
    assert curve.rates_with(50)[0] == pytest.approx(curve.rates[-1, 0], abs=0.02)
    assert curve.rates_with(100)[0] == pytest.approx(seen.rates[0], abs=0.04)
    assert curve.rates_with(100)[0] < curve.rates_with(50)[0]


def made(slopes: list[float], intercepts: list[float]) -> SwapCurveResult:
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


def test_several_measures_and_no_warnings_of_small_sets(recwarn: pytest.WarningsRecorder):
    curves = swap_curve({"a": SCORES, "b": SCORES**2}, topic_set_sizes=[1, 2], n_resamples=30, rng=1)
    assert list(curves) == ["a", "b"]
    assert not [each for each in recwarn if each.category is DegenerateInputWarning]
