"""Pictures of d_rank: labels, what is marked, names as they are, nothing computed anew."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt

from pt_rankcorr import DRankTest, ScoreMatrix, best_systems, correlation_interval, rank_intervals
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.plots import (
    draw_allowed_ranks,
    draw_null,
    draw_one_true_ranking,
    draw_rank_geometry,
    draw_rank_intervals,
)
from pt_rankcorr.stats import Rankings, allowed_ranks, rank_geometry
from pt_rankcorr.text import p_equals
from pt_rankcorr.warnings import DegenerateInputWarning

VALUES = np.random.default_rng(0).beta(2, 3, (40, 4)) + np.linspace(0, 0.2, 4)
SCORES = ScoreMatrix(VALUES, systems=["a$x$", "b", "c", "d"])


def drawn(ax):
    """The texts of a picture after it was drawn, which fails on broken formulas."""
    ax.figure.canvas.draw()
    return [text.get_text() for text in ax.texts]


def test_three_systems():
    three = SCORES.select(systems=["a$x$", "b", "c"])
    geometry = rank_geometry(three, {"a$x$": 0.3, "b": 0.1, "c": 0.2})
    ax = draw_rank_geometry(geometry)
    regions = drawn(ax)
    assert len(set(regions)) == 6
    assert regions[0] == "a\\$x\\$\nc\nb"
    assert ax.get_xlabel() == "mean of c less mean of b"
    frame = ax.get_window_extent()
    assert all(frame.contains(*corner) for text in ax.texts for corner in text.get_window_extent().corners())
    points = {line.get_label(): line.get_xydata()[0] for line in ax.lines if line.get_marker() != "None"}
    assert points["reference's means"] == pytest.approx(geometry.mean)
    assert points["nearest point\nin its region"] == pytest.approx(geometry.nearest)


def test_null_with_observed_distances():
    test = DRankTest(SCORES, n_resamples=200, null="two-sample", rng=0)
    given = plt.subplots()[1]
    ax = draw_null(test, {"P@10": 2.5, "$": 3.0}, ax=given)
    assert ax is given
    assert drawn(ax) == ["P@10", "\\$"]
    assert {2.5, 3.0, test.critical_value()} <= {line.get_xdata()[0] for line in ax.lines}
    assert ax.get_ylabel() == "number of resamples (of 200)"


def test_null_of_one_ranking():
    """By the default test each ranking has a null of its own, which is in its result."""
    result = DRankTest(VALUES, n_resamples=200, rng=0).test([4, 1, 2, 3])
    ax = draw_null(result, {"P@10": result.statistic})
    assert drawn(ax) == ["P@10"]
    assert {result.statistic, result.critical_value()} <= {line.get_xdata()[0] for line in ax.lines}
    assert drawn(result.plot()) == [f"observed, {p_equals(result.pvalue)}".replace("\u00a0", " ")]
    several = DRankTest(VALUES, n_resamples=20, rng=0).test(Rankings([[4, 1, 2, 3], [1, 2, 3, 4]]))
    with pytest.raises(ValueError, match="`test` must be the result of one ranking, got one of several"):
        draw_null(several)


def test_null_without_a_critical_value():
    ax = draw_null(DRankTest(SCORES, n_resamples=5, null="two-sample", rng=0), alpha=0.01)
    assert not ax.lines
    assert drawn(ax) == []


@pytest.mark.parametrize("null", ["shrunken", "published"])
def test_allowed_ranks_side_by_side(null):
    allowed = allowed_ranks(SCORES, n_resamples=100, null=null, rng=0)
    left, right = draw_allowed_ranks(allowed)
    drawn(left)
    assert left.get_title() == "τ ≥ 0.9"
    of_published = f"d_rank ≤ {allowed.critical_value or 0:.2f}"
    assert right.get_title() == f"{'accepted by d_rank' if null == 'shrunken' else of_published} (α = 0.05)"
    assert right.images[0].get_array().filled(0.0) == pytest.approx(allowed.by_distance[allowed.order].T)
    assert left.images[0].get_clim() == right.images[0].get_clim()


@pytest.mark.parametrize("null", ["shrunken", "two-sample"])
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_a_null_of_nothing_is_not_drawn(null):
    scores = np.random.default_rng(0).random((20, 4))
    tied, test = np.ones(4), DRankTest(scores, null=null, n_resamples=30, rng=1)
    with pytest.raises(ValueError, match="must be of rankings that order systems, got one that ties all"):
        test.test(tied).plot()


@pytest.mark.parametrize("n_systems", [4, 60])
def test_rank_intervals(n_systems):
    scores = SCORES if n_systems == 4 else np.random.default_rng(0).random((30, 60)) + np.linspace(0, 1, 60)
    intervals = rank_intervals(scores, n_resamples=50, rng=0)
    ax = draw_rank_intervals(intervals)
    drawn(ax)
    names = [label.get_text() for label in ax.get_yticklabels()]
    best_first = np.argsort(intervals.rank)
    given = SCORES.systems if n_systems == 4 else [f"s{number}" for number in range(1, 61)]
    assert names == [given[at].replace("$", "\\$") for at in best_first]
    n_topics = len(scores.values if n_systems == 4 else scores)
    assert ax.get_xlabel() == f"rank, with {intervals.method} intervals ({LEVEL:.0%} on average; {n_topics} topics)"


def test_systems_that_may_be_the_best_stand_out():
    scores = np.random.default_rng(0).random((30, 60)) + np.linspace(0, 0.5, 60)
    intervals = rank_intervals(scores, method="pairwise", simultaneous=True, rng=0)
    best = best_systems(scores, rng=0)
    ax = draw_rank_intervals(intervals, best=best)
    drawn(ax)
    points = [line for line in ax.lines if line.get_marker() == "D"]
    order = np.argsort(intervals.rank)
    assert [order[at] for at in points[0].get_ydata()] == list(best.positions)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"the best is one of these ({LEVEL:.0%})"]
    assert ax.get_xlabel() == f"rank, with pairwise intervals ({LEVEL:.0%} all together; 30 topics)"
    small = draw_rank_intervals(intervals, ax=plt.subplots()[1])
    assert small.get_ylabel() == "60 systems, best on top"
    with pytest.raises(ValueError, match="`best` must be of the same systems and topics, got 60 and 29"):
        draw_rank_intervals(intervals, best=best_systems(scores[1:], rng=0))


def test_one_true_ranking_is_drawn_with_the_pairs_that_are_reversed():
    random, quality = np.random.default_rng(0), np.linspace(0.0, 0.5, 8)
    ap = ScoreMatrix(quality + random.random((20, 8)), systems=[f"s$_{n}$" for n in range(8)], measure="AP")
    rr = ScoreMatrix(quality[[1, 0, 2, 3, 4, 7, 6, 5]] + random.random((20, 8)), systems=ap.systems, measure="R$R$")
    result = correlation_interval(ap, rr, n_resamples=99, rng=1)
    pairs, fitted = result.reversed_pairs(), result.fitted_means()
    ax = result.plot()
    ax.figure.canvas.draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean by AP", r"mean by R\$R\$")
    joined = [line.get_xydata() for line in ax.lines if line.get_color() == "#D55E00"]
    expected = [
        np.stack([matrix.means[[a, b]] for matrix in (ap, rr)], axis=1)
        for a, b in zip(pairs.first, pairs.second, strict=True)
    ]
    np.testing.assert_allclose(joined, expected[:5])
    labels = [text.get_text().replace("\\", "") for text in ax.get_legend().get_texts()]
    first = f"reversed: {ap.systems[pairs.first[0]]} and {ap.systems[pairs.second[0]]}"
    assert first == next(label for label in labels if label.startswith("reversed"))
    assert all((np.diff(line) >= 0.0).all() for line in fitted.curve)  # both rise together
    assert result.one_true_ranking.sentence() in ax.get_title(loc="left")


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_sides_without_noise_or_reversed_pairs_are_drawn():
    means = np.tile(np.arange(5.0), (6, 1))
    with pytest.warns(DegenerateInputWarning):
        result = correlation_interval(means, means * 2.0, n_resamples=9, rng=1)
    ax = draw_one_true_ranking(result, names=("a", "b"))
    assert result.fitted_means().noise == (0.0, 0.0)
    assert (ax.get_xlabel(), len(ax.texts)) == ("mean by a", 0)
    ax.figure.canvas.draw()
