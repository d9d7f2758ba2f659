"""Pictures of expected correlations: over numbers of topics, and the pairs of systems that may be swapped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.plots import _axes
from pt_rankcorr.stats.expected.topics_needed import TopicsNeeded
from pt_rankcorr.text import decimals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pt_rankcorr.stats.expected.correlation import ExpectedCorrelationResult

POINTS = 25  # of the curve


def draw_expected_correlation(
    result: ExpectedCorrelationResult, *, target: float | None = None, level: float = LEVEL, ax: Axes | None = None
) -> Axes:
    """The expected correlation with the true ranking against the number of topics, with its interval.

    A dot marks the topics at hand, dashed lines the target and the topics needed, and a bar the interval of these.

    Args:
        result: A result of `expected_correlation`.
        target: The target for the expected correlation.
        level: The confidence level of the interval.
        ax: Where to draw; by default on a new figure.
    """
    ax = _axes.axes(ax)
    n_topics, name = result.n_topics, _axes.symbol(result.coefficient)
    needed = TopicsNeeded(math.nan) if target is None else result.topics_needed(target)
    # from few topics to twice as many as there are or are needed, unless those are out of reach
    last = max(2 * n_topics, round(1.25 * needed) if n_topics < needed <= 20 * n_topics else 0)
    numbers = np.unique(np.rint(np.append(np.geomspace(min(5, n_topics), last, POINTS), n_topics)))
    # both of one number after the other, as they come of the same draws
    points = [(*result.confidence_interval(level, n_topics=number), result.curve(number)) for number in numbers]
    low, high, values = np.array(points).T
    ax.fill_between(
        numbers, low, high, color=_axes.BLUE, alpha=0.2, lw=0, label=f"{100 * level:g}% interval of the actual {name}"
    )
    ax.plot(numbers, values, color=_axes.BLUE, lw=2, label=f"expected {name}")
    here = f"{n_topics} topics: {decimals(result.value)}"
    ax.plot(n_topics, result.value, "o", color="black", ms=7, label=here)
    ax.set(xlabel="number of topics", ylabel=f"{name} with the true ranking", xlim=(numbers[0], numbers[-1]))
    reached = "out of reach"
    if target is not None and math.isfinite(needed):
        fewest, most = needed.confidence_interval(level)
        reached = f"{float(needed):.0f}{'' if math.isnan(fewest) else f' [{fewest:.0f}, {most:.0f}]'} topics"
        ax.axvline(needed, color=_axes.ORANGE, ls=":", lw=1.2)
        ax.plot([fewest, min(most, numbers[-1])], [target, target], color=_axes.ORANGE, lw=5, alpha=0.4)
    if target is not None:
        ax.axhline(target, color=_axes.ORANGE, ls="--", lw=1.5, label=f"target {target:g}: {reached}")
    ax.legend(loc="lower right", facecolor="white", edgecolor="none", framealpha=0.9)
    return ax


def draw_discordance(result: ExpectedCorrelationResult, *, ax: Axes | None = None) -> Axes:
    """A heat map of the probability that the true ranking swaps each pair of systems, best system first.

    Args:
        result: A result of `expected_correlation`, with an estimator that uses pairs.
        ax: Where to draw; by default on a new figure.

    Raises:
        ValueError: If the estimator is one of the split-half baselines, which do not use pairs.
    """
    if result.estimator.startswith("split-half"):
        raise ValueError(f"`result` must have probabilities of pairs, got one of the estimator {result.estimator!r}.")
    ax = _axes.square(ax, result.n_systems)
    best_first = np.argsort(-result.means, kind="stable")
    probabilities = result.probabilities[np.ix_(best_first, best_first)]
    _axes.heat_map(ax, probabilities, "probability of a swap", vmax=0.5)
    _axes.name_systems(ax, [result.systems[system] for system in best_first])
    return ax
