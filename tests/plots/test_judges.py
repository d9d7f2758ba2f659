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


def test_judges_are_drawn_best_first_with_intervals_and_the_ceiling(ranking: JudgeRanking) -> None:
    ax = draw_judges(ranking)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(ranking.judges)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["ceiling: a perfect judge", "may be the best", "not the best"]
    drawn = {float(x) for line in ax.lines if line.get_marker() == "o" for x in line.get_xdata()}  # type: ignore[union-attr]
    assert drawn == set(map(float, ranking.correlations))
    plt.close("all")


def test_a_coefficient_without_a_ceiling_is_drawn_where_it_is_told() -> None:
    result = compare_leaderboards(REFERENCE, JUDGES, intervals=False, test=None, n_resamples=99, rng=1)
    _, ax = plt.subplots()
    assert draw_judges(result.judges("pearson"), ax=ax) is ax
    assert "ceiling: a perfect judge" not in ax.get_legend_handles_labels()[1]
    plt.close("all")
