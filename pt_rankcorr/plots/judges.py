"""Pictures of judges: which of them agree best with the reference, and which cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pt_rankcorr.plots._axes import BLUE, MAY_BE_BEST, axes, grow, plain_text, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pt_rankcorr.comparison.judges import JudgeRanking


def draw_judges(ranking: JudgeRanking, *, ax: Axes | None = None) -> Axes:
    """Judges by their agreement with the reference over all topics, best at the top, with intervals.

    Hollow dots are what these topics show. Lines part clusters: all judges above are significantly better than all
    below. A bar on the right joins a judge with the judges below it that it is not significantly better than. Green
    judges may be the best.

    Args:
        ranking: Of `judges()` of `compare_leaderboards` or `compare_judgments`.
        ax: Where to draw; by default on a new figure.
    """
    given, ax = ax, axes(ax)
    places = np.arange(len(ranking.judges))
    grow(given, ax, 7.0, 1.6 + 0.35 * max(len(places), 3))
    best = np.isin(ranking.judges, ranking.may_be_best)
    for chosen, colour, label in ((best, MAY_BE_BEST, "may be the best"), (~best, BLUE, "not the best")):
        ends = np.array(ranking.intervals)[chosen]
        ax.hlines(places[chosen], ends[:, 0], ends[:, 1], color=colour, lw=1.6)
        ax.plot(ranking.estimates[chosen], places[chosen], "o", color=colour, ms=6, label=label)
    ax.plot(ranking.correlations, places, "o", mfc="none", color="0.4", ms=5, label="on these topics")
    for cluster in np.cumsum([len(judges) for judges in ranking.clusters[:-1]]):
        ax.axhline(cluster - 0.5, color="0.5", lw=1.0)
    _join_equals(ax, ranking)
    ax.set_yticks(places, [plain_text(name) for name in ranking.judges])
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_xlabel(f"{symbol(ranking.coefficient)} with the reference over all topics, and its interval")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize="small")
    return ax


def _join_equals(ax: Axes, ranking: JudgeRanking) -> None:
    """A bar for each judge down to the last that it is not significantly better than, but those inside of another."""
    bars = [(at, int(np.flatnonzero(~row[at:])[-1]) + at) for at, row in enumerate(ranking.significant)]
    longest = [bar for bar in bars if bar[1] > bar[0] and not any(_is_inside(bar, other) for other in bars)]
    for number, (start, end) in enumerate(longest):
        x = 1.02 + 0.02 * (number % 4)
        ax.plot([x, x], [start, end], color="0.5", lw=2.5, transform=ax.get_yaxis_transform(), clip_on=False)


def _is_inside(bar: tuple[int, int], other: tuple[int, int]) -> bool:
    return bar != other and other[0] <= bar[0] and bar[1] <= other[1]
