"""Pictures of statistics show what the results say: expected correlations, costs of swaps, rankings, sensitivity."""

import math

import numpy as np
import pytest

from pt_rankcorr import ScoreMatrix, discriminative_power, expected_correlation
from pt_rankcorr.plots import (
    draw_asl_curves,
    draw_coefficients,
    draw_contributions,
    draw_discordance,
    draw_expected_correlation,
    draw_rankings,
    draw_significant_pairs,
    draw_stability,
    draw_swap_curve,
    draw_swap_rates,
    draw_swap_weights,
)
from pt_rankcorr.stats import contributions, random_rankings, stability, swap_curve, swap_rates, swap_weights
from pt_rankcorr.text import decimals
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats.oracles import COEFFICIENTS

plt = pytest.importorskip("matplotlib.pyplot")


def result_of(n_systems=6, **options):
    rng = np.random.default_rng(1)
    scores = rng.normal(0.3, 0.1, (20, n_systems)) + rng.normal(0, 0.05, n_systems)
    return expected_correlation(scores, n_resamples=100, rng=1, **options)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_gap"])
def test_curve(coefficient):
    result = result_of(coefficient=coefficient)
    ax = draw_expected_correlation(result)
    numbers, values = ax.lines[0].get_data()
    assert values.tolist() == result.curve(numbers).tolist()
    assert ax.get_xlabel() == "number of topics"
    assert ax.get_ylabel().endswith("with the true ranking")
    assert f"20 topics: {decimals(result.value)}" in legend(ax)
    ax.figure.canvas.draw()


def test_curve_with_target():
    result = result_of()
    ax = draw_expected_correlation(result, target=0.95)
    needed = result.topics_needed(0.95)
    assert f"target 0.95: {needed} topics" in legend(ax)
    assert ax.lines[-2].get_xdata().tolist() == [needed.low, min(needed.high, ax.get_xlim()[1])]
    assert ax.get_xlim()[1] > needed
    half = draw_expected_correlation(result, target=0.95, level=0.5)
    assert f"target 0.95: {needed.rounded(0.5)} topics" in legend(half)
    assert "97.5% interval of the actual τ AP" in legend(draw_expected_correlation(result, level=0.975))
    scores = np.random.default_rng(1).random((20, 3))
    scores[:, 2] = scores[:, 1]
    tied = expected_correlation(scores, estimator="msqd", n_resamples=100, rng=1)
    assert "target 0.99: out of reach" in legend(draw_expected_correlation(tied, target=0.99))


def test_discordance_is_drawn_best_system_first():
    result = result_of()
    ax = draw_discordance(result)
    order = np.argsort(-result.means)
    assert (ax.images[0].get_array() == result.probabilities[np.ix_(order, order)]).all()
    assert [label.get_text() for label in ax.get_xticklabels()] == [result.systems[system] for system in order]


def test_many_systems_are_labelled_by_rank():
    ax = draw_discordance(result_of(60))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "11", "21", "31", "41", "51"]


def test_split_half_knows_of_no_pairs():
    with pytest.raises(ValueError, match="probabilities of pairs"):
        draw_discordance(result_of(estimator="split-half"))
    values = draw_expected_correlation(result_of(estimator="split-half")).lines[0].get_ydata()
    assert not any(math.isnan(value) for value in values)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_swap_weights(coefficient):
    weights = swap_weights([5, 4, 2, 1], coefficient)
    ax = draw_swap_weights(weights)
    ax.figure.canvas.draw()
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), weights.values)
    assert image.get_clim() == (0, weights.values.max())
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    _, given = plt.subplots()
    assert draw_swap_weights(weights, largest=0.7, ax=given) is given
    assert given.images[0].get_clim() == (0, 0.7)


def test_contributions():
    rng = np.random.default_rng(0)
    names = [f"$run_{at}$" for at in range(30)]
    found = contributions(dict(zip(names, rng.random(30), strict=True)), dict(zip(names, rng.random(30), strict=True)))
    ax = draw_contributions(found)
    ax.figure.canvas.draw()  # names with dollar signs are no formulas
    assert len(ax.patches) == 20
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == pytest.approx(100 * found.to_frame()["share"][0])
    assert ax.get_xlabel()
    assert ax.get_title("right") == "better / worse system by the reference, the first 20 of 213"
    assert not draw_contributions(contributions([3, 2, 1], [3, 2, 1])).patches
    long = {f"{'x' * 40}{at}": 1.0 - at for at in range(3)}
    texts = [
        tick.get_text()
        for tick in draw_contributions(contributions(long, dict(zip(long, [0, 1, 2], strict=True)))).get_yticklabels()
    ]
    assert sorted([name[-1] for name in text.split(" / ")] for text in texts) == [["0", "1"], ["0", "2"], ["1", "2"]]


def test_rankings():
    rankings = random_rankings(10, 7, rng=0)
    ax = draw_rankings(rankings)
    ax.figure.canvas.draw()
    points = ax.collections[0].get_offsets()
    assert len(points) == 70
    assert points[3].tolist() == [4, 11 - rankings.values[0, 3]]
    assert ax.get_ylabel() == "rank in each of 7 rankings"


def test_coefficients():
    ax = draw_coefficients([0.1, 0.2], [0.3, 0.4], names=("tau", "tau_gap"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("τ", "τ GAP")
    assert ax.collections[0].get_offsets().tolist() == [[0.1, 0.3], [0.2, 0.4]]


rng = np.random.default_rng(0)
QUALITY = np.linspace(0, 0.3, 6)
MEASURES = {"P@10": ScoreMatrix(QUALITY + rng.random((15, 6))), "AP": ScoreMatrix(QUALITY + rng.random((15, 6)) / 5)}


def test_asl_curves_are_sorted_by_sensitivity():
    results = discriminative_power(MEASURES, test="t")
    ax = draw_asl_curves(results)
    assert [label.split()[0] for label in legend(ax)] == ["AP", "P@10"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), results["AP"].asl_curve[::-1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "pairs of systems, by p-value (paired t-test, uncorrected)",
        "p-value",
    )


def test_two_systems_and_differences_that_are_never_enough():
    draw_asl_curves({"AP": discriminative_power(MEASURES["AP"].values[:, :2], test="t")})
    with pytest.warns(DegenerateInputWarning, match="the required difference is nan"):
        never = {"AP": swap_rates(np.random.default_rng(0).random((2, 6)), max_rate=0.001, of="resamples", rng=1)}
    assert legend(draw_swap_rates(never)) == ["AP (none is enough)"]


def test_stability_and_swap_rates_draw_one_line_a_measure():
    steady, swaps = stability(MEASURES, rng=1), swap_rates(MEASURES, rng=1)
    ax = draw_stability(steady)
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), steady["AP"].minority_rate)
    assert legend(ax) == ["P@10", "AP"]
    assert legend(draw_stability(steady["AP"])) == ["this measure"]
    ax = draw_swap_rates(swaps)
    np.testing.assert_array_equal(ax.lines[1].get_xdata(), swaps["AP"].edges)
    assert legend(ax)[1].startswith(f"AP (≥ {swaps['AP'].required_difference:.2g}")


def test_a_swap_curve_has_points_and_fitted_curves():
    curve = swap_curve(MEASURES["P@10"], rng=1)
    ax = curve.plot(n_topics=40)
    bins = [int(at) for at in np.flatnonzero(~np.isnan(curve.slopes))]
    within, beyond, points = ax.lines[:3]
    np.testing.assert_array_equal(points.get_ydata(), curve.rates[:, bins[0]])
    np.testing.assert_array_equal(points.get_xdata(), curve.topic_set_sizes)
    assert within.get_ydata()[0] == curve.rates_with(curve.topic_set_sizes[0])[bins[0]]
    assert (beyond.get_linestyle(), beyond.get_xdata()[-1], ax.get_xlim()[1]) == ("--", 40.0, 40.0)
    assert len(legend(ax)) == min(len(bins), 7)
    assert legend(ax)[0] == f"{curve.edges[bins[0]]:.2g}"
    assert "with 15 topics" in ax.get_legend().get_title().get_text()


def test_a_swap_curve_without_swaps_and_of_two_systems():
    never = swap_curve(np.array([[0.0, 1.0]] * 8) + rng.random((8, 1)) / 10, rng=1)
    assert legend(draw_swap_curve(never)) == []
    few = swap_curve(rng.random((8, 2)), max_rate=0.001, bins=[0.0, 0.1], rng=1)
    assert "no difference is enough" in draw_swap_curve(few).get_legend().get_title().get_text()


def test_significant_pairs_are_ordered_by_mean():
    result = discriminative_power(MEASURES["AP"], test="t")
    ax = draw_significant_pairs(result)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["s6", "s5", "s4", "s3", "s2", "s1"]
    drawn = ax.collections[0].get_array()
    assert drawn[0, 5] == result.pvalues[5, 0]
    assert ax.get_title() == f"{result.n_significant} of 15 pairs significant ({result.statistic:.1%})"
    assert ax.figure.axes[-1].get_ylabel() == "p-value, paired t-test, uncorrected"
