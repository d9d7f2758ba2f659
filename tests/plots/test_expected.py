"""The pictures show what the result says, on the axes that were given."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.axes import Axes

from pt_rankcorr.plots.expected import draw_discordance, draw_expected_correlation
from pt_rankcorr.stats.expected.correlation import ExpectedCorrelationResult, expected_correlation
from pt_rankcorr.text import decimals


def result_of(n_systems: int = 6, **options: object) -> ExpectedCorrelationResult:
    rng = np.random.default_rng(1)
    scores = rng.normal(0.3, 0.1, (20, n_systems)) + rng.normal(0, 0.05, n_systems)
    return expected_correlation(scores, n_resamples=100, rng=1, **options)  # type: ignore[arg-type]


def legend(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_gap"])
def test_curve(coefficient: str) -> None:
    result = result_of(coefficient=coefficient)
    ax = draw_expected_correlation(result)
    numbers, values = ax.lines[0].get_data()
    assert values.tolist() == result.curve(numbers).tolist()
    assert ax.get_xlabel() == "number of topics"
    assert ax.get_ylabel().endswith("with the true ranking")
    assert f"20 topics: {decimals(result.value)}" in legend(ax)
    ax.figure.canvas.draw()


def test_curve_with_target() -> None:
    result = result_of()
    ax = draw_expected_correlation(result, target=0.95)
    needed = result.topics_needed(0.95)
    assert f"target 0.95: {needed:.0f} [{needed.low:.0f}, {needed.high:.0f}] topics" in legend(ax)
    assert ax.lines[-2].get_xdata().tolist() == [needed.low, min(needed.high, ax.get_xlim()[1])]  # type: ignore[union-attr]
    assert ax.get_xlim()[1] > needed
    half = draw_expected_correlation(result, target=0.95, level=0.5)
    fewest, most = needed.confidence_interval(0.5)
    assert f"target 0.95: {needed:.0f} [{fewest:.0f}, {most:.0f}] topics" in legend(half)
    assert "97.5% interval of the actual τ AP" in legend(draw_expected_correlation(result, level=0.975))
    scores = np.random.default_rng(1).random((20, 3))
    scores[:, 2] = scores[:, 1]
    tied = expected_correlation(scores, estimator="msqd", n_resamples=100, rng=1)
    assert "target 0.99: out of reach" in legend(draw_expected_correlation(tied, target=0.99))


def test_discordance_is_drawn_best_system_first() -> None:
    result = result_of()
    ax = draw_discordance(result)
    order = np.argsort(-result.means)
    assert (ax.images[0].get_array() == result.probabilities[np.ix_(order, order)]).all()
    assert [label.get_text() for label in ax.get_xticklabels()] == [result.systems[system] for system in order]


def test_many_systems_are_labelled_by_rank() -> None:
    ax = draw_discordance(result_of(60))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "11", "21", "31", "41", "51"]


def test_split_half_knows_of_no_pairs() -> None:
    with pytest.raises(ValueError, match="probabilities of pairs"):
        draw_discordance(result_of(estimator="split-half"))
    values = draw_expected_correlation(result_of(estimator="split-half")).lines[0].get_ydata()
    assert not any(math.isnan(value) for value in values)
