"""Pictures of comparisons: what is drawn is what the results say."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, P, nDCG

from pt_rankcorr import ScoreMatrix, compare, compare_judgments, compare_leaderboards, judgment_curve
from pt_rankcorr.plots import (
    draw_correlations,
    draw_distances,
    draw_judges,
    draw_judgment_curve,
    draw_measures,
    draw_swaps,
)
from tests import fixtures
from tests.comparison.test_compare_leaderboards import JUDGES, REFERENCE

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")  # judges of few labels

QRELS = fixtures.qrels()
RUNS = {f"${name}$": system(fixtures.topics()) for name, system in fixtures.systems().items()}


@pytest.fixture(scope="module")
def curves():
    given = (RUNS, QRELS, [AP, nDCG])
    return [
        judgment_curve(*given, depths=[1, 5, 30], n_resamples=99, rng=1),
        judgment_curve(*given, shares=[0, 0.5, 1], repetitions=3, n_resamples=99, rng=1),
    ]


@pytest.mark.parametrize("statistic", ["tau", "tau_ap", "tau_gap", "d_rank", "d_rank_pvalue"])
def test_curves_are_drawn_with_their_bands(curves, statistic):
    for curve in curves:
        ax = draw_judgment_curve(curve, statistic)
        band = curve.band("AP", statistic)
        np.testing.assert_array_equal(ax.lines[0].get_xdata(), band.x)
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), band.middle)
        assert ax.get_xlabel()
        assert ax.get_ylabel()
        ax.figure.canvas.draw()


def test_the_legend_says_from_where_on(curves):
    for curve, unit in zip(curves, ("depth {:.0f}", "{:.0%}"), strict=True):
        texts = [text.get_text() for text in draw_judgment_curve(curve).get_legend().get_texts()]
        assert texts == [f"{name}: " + unit.format(curve.indistinguishable_from(name)) for name in curve.measures]
    texts = [text.get_text() for text in draw_judgment_curve(curves[1], alpha=0.9999).get_legend().get_texts()]
    assert texts[0] in ("AP: 100%", "AP: nowhere")


def test_measures_are_clustered_and_framed():
    random = np.random.default_rng(0)
    first, second = (np.arange(6) * slope + random.random((20, 6)) for slope in (0.1, -0.1))
    matrices = [ScoreMatrix(first, measure="a"), ScoreMatrix(second, measure="b$"), ScoreMatrix(first + 1, measure="c")]
    matrix = compare(matrices, n_resamples=99, rng=1).matrix()
    ax = draw_measures(matrix)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(names) == ["a", r"b\$", "c"]
    assert abs(names.index("a") - names.index("c")) == 1
    assert len(ax.patches) == int(matrix.significant.to_numpy().sum())
    assert len(ax.texts) == 6
    ax.figure.canvas.draw()


def test_swaps_join_the_ranks_and_show_reversals():
    rows = [(f"q{n}", f"d{document}") for n in range(1, 13) for document in range(30)]
    judged = pd.DataFrame(rows, columns=["qid", "docno"]).merge(QRELS, how="left").fillna({"label": 0})
    contrary = judged.assign(label=judged["label"] == 0)
    result = compare_judgments(RUNS, judged, {"$contrary$": contrary}, [P @ 10], test="t", n_resamples=99, rng=1)
    row = result.rows[0]
    ax = draw_swaps(result, "$contrary$", P @ 10)
    ends = np.array([line.get_ydata() for line in ax.lines])
    np.testing.assert_array_equal(ends[:, 0], result.reference["P@10"].ranks)
    np.testing.assert_array_equal(ends[:, 1], result.others["$contrary$"]["P@10"].ranks)
    red = [line.get_color() == "#D55E00" for line in ax.lines]
    assert sum(red) == len({system for pair in row.pairs.active_disagreements for system in pair}) > 0
    assert f"{len(row.pairs.active_disagreements)} of {row.pairs.n_significant}" in ax.get_title()
    ax.figure.canvas.draw()
    with pytest.raises(KeyError):
        draw_swaps(result, "$contrary$", AP)


def test_distances_are_drawn_with_what_is_significant():
    random = np.random.default_rng(0)
    up = np.arange(6) * 0.1 + random.random((20, 6))
    matrices = [ScoreMatrix(up, measure="AP"), ScoreMatrix(up[:, ::-1], measure="back$"), ScoreMatrix(up, measure="c")]
    rows = compare(matrices, reference="AP", d_rank=True, n_resamples=99, rng=1).rows
    ax = draw_distances(rows)
    assert [label.get_text() for label in ax.get_yticklabels()] == [r"back\$", "c"]
    assert [line.get_xdata()[0] for line in ax.lines] == [row.d_rank for row in rows]
    differs = [row.d_rank_pvalue <= 0.05 for row in rows]
    assert [line.get_color() == "#D55E00" for line in ax.lines] == differs == [True, False]
    ax.figure.canvas.draw()
    with pytest.raises(ValueError, match="`rows` must have d_rank, as comparisons with `d_rank=True` have"):
        draw_distances(compare(matrices, reference="AP", n_resamples=99, rng=1))


def test_correlations_are_drawn_with_intervals_and_p():
    result = compare_leaderboards(REFERENCE, {**JUDGES, "$same$": REFERENCE}, test=None, n_resamples=99, rng=1)
    ax = result.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == [*JUDGES, r"\$same\$"]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in dots] == [row.tau for row in result]
    assert [line.get_color() == "#D55E00" for line in dots] == [row.pvalue <= 0.05 for row in result]
    means = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "|"]
    nulls = [row.correlations["tau"].one_true_ranking for row in result]
    assert means == [null.mean for null in nulls]
    ends = [segment[:, 0].tolist() for part in ax.collections for segment in part.get_segments() if segment.size]
    of_tau = [[row.correlations["tau"].low, row.correlations["tau"].high] for row in result][:3]  # the last has none
    assert sorted(ends) == sorted(of_tau + [[null.low, null.high] for null in nulls])
    assert [text.get_text()[:1] for text in ax.texts] == ["p" for row in result if row.pvalue == row.pvalue]
    ax.figure.canvas.draw()
    plain = compare_leaderboards(REFERENCE, JUDGES, test=None, n_resamples=0, rng=1)
    assert not draw_correlations(plain).collections
    assert not draw_correlations(plain).texts


def test_judges_are_drawn_best_first_with_intervals():
    compared = compare_leaderboards(REFERENCE, JUDGES, test=None, n_resamples=99, rng=1)
    ranking = compared.judges(coefficient="pearson")
    ax = draw_judges(ranking)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(ranking.judges)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    labels = ax.get_legend_handles_labels()[1]
    assert labels[0] == "may be the best"
    assert labels[1:-1] == ["not the best"] * (len(ranking.may_be_best) < 3)
    assert labels[-1] == "if one true ranking"
    drawn = {float(x) for line in ax.lines if line.get_marker() == "o" for x in line.get_xdata()}
    assert drawn == {correlation.statistic for correlation in ranking.correlations}
