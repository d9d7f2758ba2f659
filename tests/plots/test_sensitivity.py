"""Pictures of sensitivity: what is drawn is what the results say."""

from __future__ import annotations

import numpy as np
import pytest

from pt_rankcorr import ScoreMatrix, correlation_interval, discriminative_power
from pt_rankcorr.plots import (
    draw_asl_curves,
    draw_correlation_errors,
    draw_significant_pairs,
    draw_stability,
    draw_swap_curve,
    draw_swap_rates,
)
from pt_rankcorr.stats import stability, swap_curve, swap_rates
from pt_rankcorr.warnings import DegenerateInputWarning

rng = np.random.default_rng(0)
QUALITY = np.linspace(0, 0.3, 6)
MEASURES = {"P@10": ScoreMatrix(QUALITY + rng.random((15, 6))), "AP": ScoreMatrix(QUALITY + rng.random((15, 6)) / 5)}


def labels(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_asl_curves_are_sorted_by_sensitivity():
    results = discriminative_power(MEASURES, test="t")
    ax = draw_asl_curves(results)
    assert [label.split()[0] for label in labels(ax)] == ["AP", "P@10"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), results["AP"].asl_curve[::-1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("pairs of systems, by p-value", "p-value, paired t-test, uncorrected")


def test_two_systems_and_differences_that_are_never_enough():
    draw_asl_curves({"AP": discriminative_power(MEASURES["AP"].values[:, :2], test="t")})
    with pytest.warns(DegenerateInputWarning, match="the required difference is nan"):
        never = {"AP": swap_rates(np.random.default_rng(0).random((2, 6)), max_rate=0.001, of="resamples", rng=1)}
    assert labels(draw_swap_rates(never)) == ["AP (none is enough)"]


def test_stability_and_swap_rates_draw_one_line_a_measure():
    steady, swaps = stability(MEASURES, rng=1), swap_rates(MEASURES, rng=1)
    ax = draw_stability(steady)
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), steady["AP"].minority_rate)
    assert labels(ax) == ["P@10", "AP"]
    assert labels(draw_stability(steady["AP"])) == ["this measure"]
    ax = draw_swap_rates(swaps)
    np.testing.assert_array_equal(ax.lines[1].get_xdata(), swaps["AP"].edges)
    assert labels(ax)[1].startswith(f"AP (≥ {swaps['AP'].required_difference:.2g}")


def test_a_swap_curve_has_points_and_fitted_curves():
    curve = swap_curve(MEASURES["P@10"], rng=1)
    ax = curve.plot(n_topics=40)
    bins = [int(at) for at in np.flatnonzero(~np.isnan(curve.slopes))]
    within, beyond, points = ax.lines[:3]
    np.testing.assert_array_equal(points.get_ydata(), curve.rates[:, bins[0]])
    np.testing.assert_array_equal(points.get_xdata(), curve.topic_set_sizes)
    assert within.get_ydata()[0] == curve.rates_with(curve.topic_set_sizes[0])[bins[0]]
    assert (beyond.get_linestyle(), beyond.get_xdata()[-1], ax.get_xlim()[1]) == ("--", 40.0, 40.0)
    assert len(labels(ax)) == min(len(bins), 7)
    assert labels(ax)[0] == f"{curve.edges[bins[0]]:.2g}"
    assert "with 15 topics" in ax.get_legend().get_title().get_text()


def test_a_swap_curve_without_swaps_and_of_two_systems():
    never = swap_curve(np.array([[0.0, 1.0]] * 8) + rng.random((8, 1)) / 10, rng=1)
    assert labels(draw_swap_curve(never)) == []
    few = swap_curve(rng.random((8, 2)), max_rate=0.001, bins=[0.0, 0.1], rng=1)
    assert "no difference is enough" in draw_swap_curve(few).get_legend().get_title().get_text()
    with pytest.raises(ValueError, match="`n_topics` must be"):
        draw_swap_curve(few, n_topics=0)


def test_correlations_are_drawn_with_their_errors():
    noise = np.random.default_rng(1).random((15, 6)) / 3
    results = {
        name: correlation_interval(MEASURES["AP"], MEASURES["AP"].values + factor * noise, rng=1)
        for name, factor in (("$far$", 3), ("near", 0.5))
    }
    ax = draw_correlation_errors(results)
    near, far = results["near"], results["$far$"]
    assert [bar.get_width() for bar in ax.patches] == [near.statistic, far.statistic]
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown[0] == f"near: {near.statistic:.3f} ± {near.standard_error:.3f}"
    assert shown[1].startswith(r"\$far\$: ")
    assert ax.get_xlabel() == "τ, with its bootstrap standard error (15 topics)"


def test_significant_pairs_are_ordered_by_mean():
    result = discriminative_power(MEASURES["AP"], test="t")
    ax = draw_significant_pairs(result)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["s6", "s5", "s4", "s3", "s2", "s1"]
    drawn = ax.collections[0].get_array()
    assert drawn[0, 5] == result.pvalues[5, 0]
    assert ax.get_title() == f"{result.n_significant} of 15 pairs significant ({result.statistic:.1%})"
    label = "p-value, paired t-test, uncorrected"
    assert draw_asl_curves({"AP": result}).get_ylabel() == ax.figure.axes[-1].get_ylabel() == label


def test_no_lines_hide_the_cells_of_many_systems():
    few, many = (draw_significant_pairs(discriminative_power(rng.random((5, m)), test="t")) for m in (40, 41))
    assert len(few.collections[0].get_edgecolor()) > 0 == len(many.collections[0].get_edgecolor())
