from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.leaderboards import compare_leaderboards
from pt_rankcorr.plots.judges import draw_judges
from tests.comparison.test_leaderboards import JUDGES, REFERENCE


@pytest.fixture(scope="module")
def ranking() -> JudgeRanking:
    return compare_leaderboards(REFERENCE, JUDGES, intervals=False, test=None, n_resamples=99, rng=1).judges()


def test_judges_are_drawn_best_first_with_intervals(ranking: JudgeRanking) -> None:
    ax = draw_judges(ranking)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(ranking.judges)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_legend_handles_labels()[1] == ["may be the best", "not the best", "on these topics"]
    *estimated, observed = [line for line in ax.lines if line.get_marker() == "o"]
    drawn = {float(x) for line in estimated for x in line.get_xdata()}  # type: ignore[union-attr]
    assert drawn == set(map(float, ranking.estimates))
    assert list(observed.get_xdata()) == list(ranking.correlations)


def test_axes_that_are_given_are_used() -> None:
    result = compare_leaderboards(REFERENCE, JUDGES, intervals=False, test=None, n_resamples=99, rng=1)
    _, ax = plt.subplots()
    assert draw_judges(result.judges(coefficient="pearson"), ax=ax) is ax
