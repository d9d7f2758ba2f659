"""Pictures of what other topics would change: correlations, significance, stability, swaps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.plots import _axes
from pt_rankcorr.stats.core import arguments
from pt_rankcorr.text import confidence, decimals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pt_rankcorr.plots._axes import OneOrMore
    from pt_rankcorr.stats.expected.expected_correlation import ExpectedCorrelationResult
    from pt_rankcorr.stats.significance.power import DiscriminativePowerResult
    from pt_rankcorr.stats.significance.stability import StabilityResult
    from pt_rankcorr.stats.significance.swap import SwapCurveResult, SwapRatesResult


def draw_expected_correlation(
    result: ExpectedCorrelationResult,
    *,
    target: float | None = None,
    level: float = LEVEL,
    ax: Axes | None = None,
) -> Axes:
    """The expected correlation with the true ranking by the number of topics, with its interval.

    A dot marks the topics at hand, lines the target and the topics needed, a bar their interval.

    Args:
        result: A result of `expected_correlation`.
        target: The target for the expected correlation.
        level: The confidence level of the interval.
        ax: Where to draw; by default on a new figure.
    """
    ax = _axes.axes(ax)
    n_topics, name = result.n_topics, _axes.symbol(result.coefficient)
    needed = None if target is None else result.topics_needed(target)
    # from few topics to twice as many as there are or are needed, unless those are out of reach
    last = 2 * n_topics
    if needed is not None and n_topics < needed <= 20 * n_topics:
        last = max(last, round(1.25 * needed))
    numbers = np.unique(np.rint(np.append(np.geomspace(min(5, n_topics), last, 25), n_topics)))
    points = []
    for number in numbers:  # both of one number after the other, as they come of the same draws
        points.append((*result.confidence_interval(level, n_topics=number), result.curve(number)))
    low, high, values = np.array(points).T
    interval = f"{confidence(level)} interval of the actual {name}"
    ax.fill_between(numbers, low, high, color=_axes.BLUE, alpha=0.2, lw=0, label=interval)
    ax.plot(numbers, values, color=_axes.BLUE, lw=2, label=f"expected {name}")
    here = f"{n_topics} topics: {decimals(result.value)}"
    ax.plot(n_topics, result.value, "o", color="black", ms=7, label=here)
    ax.set(xlabel="number of topics", ylabel=f"{name} with the true ranking")
    ax.set_xlim(numbers[0], numbers[-1])
    if target is not None and needed is not None:
        reached = "out of reach"
        if math.isfinite(needed):
            fewest, most = needed.confidence_interval(level)
            ends = [fewest, min(most, numbers[-1])]
            reached = f"{needed.rounded(level)} topics"
            ax.axvline(needed, color=_axes.ORANGE, ls=":", lw=1.2)
            ax.plot(ends, [target, target], color=_axes.ORANGE, lw=5, alpha=0.4)
        label = f"target {target:g}: {reached}"
        ax.axhline(target, color=_axes.ORANGE, ls="--", lw=1.5, label=label)
    ax.legend(loc="lower right", facecolor="white", edgecolor="none", framealpha=0.9)
    return ax


def draw_discordance(result: ExpectedCorrelationResult, *, ax: Axes | None = None) -> Axes:
    """A heat map of the probability that the true ranking swaps two systems, best system first.

    The result is one of `expected_correlation`.

    Raises:
        ValueError: If the estimator is one of the split-half baselines, which do not use pairs.
    """
    if result.estimator.startswith("split-half"):
        seen = f"one of the estimator {result.estimator!r}"
        raise ValueError(f"`result` must have probabilities of pairs, got {seen}.")
    ax = _axes.square(ax, result.n_systems)
    best_first = np.argsort(-result.means, kind="stable")
    probabilities = result.probabilities[np.ix_(best_first, best_first)]
    _axes.heat_map(ax, probabilities, "probability of a swap", vmax=0.5)  # that of a coin
    _axes.name_systems(ax, [result.systems[system] for system in best_first])
    return ax


def draw_asl_curves(
    results: OneOrMore[DiscriminativePowerResult], *, ax: Axes | None = None
) -> Axes:
    """The p-values of all pairs, largest first, for several measures: lower is more sensitive.

    They are results of `discriminative_power` by measure, of one test at one level, or one result.
    The legend has the discriminative power, most sensitive measure first. A line marks the level.

    References:
        Figures 7, 8 of Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.
    """
    results, ax = _axes.by_measure(results), _axes.axes(ax)
    any_result = next(iter(results.values()))
    curves = sorted(_axes.styles(results.items()), key=lambda drawn: -drawn[0][1].statistic)
    for (measure, result), style in curves:
        label = f"{_axes.plain_text(measure)} ({result.statistic:.1%})"
        style |= {"label": label, "marker": "", "lw": 1.8}
        ax.plot(np.arange(1, result.n_pairs + 1), result.asl_curve[::-1], **style)
    _mark_level(ax, any_result.alpha)
    ax.set(xlim=(0, any_result.n_pairs), ylim=(0, min(1.0, 4 * any_result.alpha)))
    ax.set(xlabel=f"pairs of systems, by p-value ({any_result.title})", ylabel="p-value")
    ax.legend(title="measure (significant pairs)", frameon=False)
    return ax


def draw_stability(results: OneOrMore[StabilityResult], *, ax: Axes | None = None) -> Axes:
    """The minority rate against the proportion of ties, by measure: nearer to the corner is better.

    Points are of results of `stability`, from the smallest fuzziness value (left) to the largest.

    References:
        Figure 10 of Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.
    """
    results, ax = _axes.by_measure(results), _axes.axes(ax)
    for (measure, result), style in _axes.styles(results.items()):
        label = _axes.plain_text(measure)
        ax.plot(result.proportion_of_ties, result.minority_rate, label=label, **style)
    ax.set(xlabel="proportion of ties", ylabel="minority rate", xlim=(0, None), ylim=(0, None))
    ax.legend(title="measure", frameon=False)
    return ax


def draw_swap_rates(results: OneOrMore[SwapRatesResult], *, ax: Axes | None = None) -> Axes:
    """How often other topics reverse a difference, by its size, for several measures.

    They are results of `swap_rates`, with one accepted rate, which a line marks. The legend gives
    the required difference, and how many comparisons reach it.
    """
    results, ax = _axes.by_measure(results), _axes.axes(ax)
    any_result = next(iter(results.values()))
    for (measure, result), style in _axes.styles(results.items()):
        needed = "none is enough"
        if result.sensitivity > 0:
            needed = f"≥ {result.required_difference:.2g}: {result.sensitivity:.0%}"
        label = f"{_axes.plain_text(measure)} ({needed})"
        ax.plot(result.edges, result.rates, label=label, **style)
    _mark_level(ax, any_result.max_rate)
    ax.set(xlabel="difference in the first topic set, from", ylim=(0, None))
    ax.set_ylabel("swap rate in the second topic set")
    ax.legend(title="measure (difference needed: comparisons that reach it)", frameon=False)
    return ax


def draw_swap_curve(
    result: SwapCurveResult, *, n_topics: int | None = None, ax: Axes | None = None
) -> Axes:
    """How swap rates fall with the number of topics, by size of difference: points, fitted curves.

    It shows at most seven bins, named by their lower ends. Curves are dashed beyond the sizes of
    the compared sets. A horizontal line marks the accepted rate; the title of the legend has the
    required difference with all topics.

    Args:
        result: A result of `swap_curve`.
        n_topics: The largest number of topics on the curves, at least 1; by default all topics.
        ax: Where to draw; by default on a new figure.

    References:
        Voorhees, Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002.
    """
    if n_topics is not None:
        arguments.whole_number("n_topics", n_topics, at_least=1)
    ax, sizes = _axes.axes(ax), result.topic_set_sizes
    last = max(n_topics or result.n_topics, sizes[-1])
    bins = np.flatnonzero(~np.isnan(result.slopes))
    if bins.size:  # of those with a curve, up to seven, evenly spread
        bins = bins[np.unique(np.linspace(0, bins.size - 1, 7).round().astype(int))]
    for index, style in _axes.styles(bins.tolist()):
        for start, end, line in ((sizes[0], sizes[-1], "-"), (sizes[-1], last, "--")):
            x = np.linspace(start, end, 50)
            rates = [result.rates_with(size)[index] for size in x]
            ax.plot(x, rates, color=style["color"], ls=line, lw=1.2)
        style |= {"label": f"{result.edges[index]:.2g}", "ls": ""}
        ax.plot(sizes, result.rates[:, index], **style)
    _mark_level(ax, result.max_rate)
    ax.set(xlabel="topics in each of two sets", ylabel="swap rate")
    ax.set(xlim=(0, last), ylim=(0, None))
    needed = result.required_difference(result.n_topics)
    required = "no difference is enough" if np.isnan(needed) else f"≥ {needed:.2g} is needed"
    handles, labels = ax.get_legend_handles_labels()  # none, if nothing was ever swapped
    title = f"difference from\n({required} with {result.n_topics} topics)"
    ax.legend(handles, labels, title=title, frameon=False)
    return ax


def draw_significant_pairs(result: DiscriminativePowerResult, *, ax: Axes | None = None) -> Axes:
    """The p-values of `discriminative_power`, best system first: dark where significant."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    ax = _axes.square(ax, result.n_systems)
    order = np.argsort(-result.summaries, kind="stable")
    limits = [0.0, result.alpha / 50, result.alpha / 5, result.alpha, 1.0]
    shades = ListedColormap(["#08306B", "#2979B9", "#9DCAE1", "#FFFFFF"])
    pvalues = np.minimum(result.pvalues[np.ix_(order, order)], np.nextafter(1.0, 0.0))
    edges = np.arange(len(order) + 1) + 0.5  # the centre of a cell is a rank
    norm = BoundaryNorm(limits, shades.N)
    grid: dict[str, Any] = {}
    if len(order) <= _axes.NAMES_UP_TO:  # of more systems lines would hide the cells
        grid = {"edgecolors": "0.85", "linewidth": 0.5}
    mesh = ax.pcolormesh(edges, edges, pvalues, cmap=shades, norm=norm, **grid)
    ax.set_aspect("equal")
    ax.invert_yaxis()
    _axes.name_systems(ax, [result.systems[system] for system in order])
    bar = ax.figure.colorbar(mesh, ax=ax, spacing="uniform", shrink=0.9)
    bar.set_label(f"p-value, {result.title}", fontsize="small")
    bar.set_ticks(limits, labels=[f"{limit:g}" for limit in limits])
    significant = f"{result.n_significant} of {result.n_pairs} pairs"
    ax.set_title(f"{significant} significant ({result.statistic:.1%})")
    return ax


def _mark_level(ax: Axes, level: float) -> None:
    """A thin line across the picture at a level, with the number at its right end."""
    ax.axhline(level, color="0.4", lw=0.8)
    where = (1, level), (3, -3), ("axes fraction", "data"), "offset points"
    ax.annotate(f"{level:g}", *where, color="0.4", fontsize="small")
