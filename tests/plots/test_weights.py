from __future__ import annotations

import numpy as np
import pytest

from pt_rankcorr.plots import draw_coefficients, draw_contributions, draw_rankings, draw_swap_weights
from pt_rankcorr.stats import contributions, random_rankings, swap_weights
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS

plt = pytest.importorskip("matplotlib.pyplot")


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
