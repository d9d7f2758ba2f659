"""Pictures of rankings: d_rank, allowed ranks, rank intervals, and the weights of coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.plots import _axes
from pt_rankcorr.present.accuracy import guarantee
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.rank_distance.allowed_ranks import AllowedRanks
from pt_rankcorr.stats.rank_distance.d_rank import DRankResult, DRankTest
from pt_rankcorr.stats.rank_distance.distance import RankGeometry
from pt_rankcorr.text import ONE_TRUE_RANKING, confidence, decimals, p_equals, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pt_rankcorr.stats.accuracy.correlation_interval import CorrelationResult
    from pt_rankcorr.stats.accuracy.ranks import BestSystems, RankIntervals
    from pt_rankcorr.stats.coefficients.weights import Contributions, SwapWeights


LONGEST_OF_TWO = 30  # characters of either name of a pair


def draw_rank_geometry(geometry: RankGeometry, *, ax: Axes | None = None) -> Axes:
    """The geometry of d_rank for three systems: mean differences, distribution, the nearest point.

    It draws a result of `rank_geometry`. Ellipses hold 2.5, 25, 50, 75 and 97.5% of the normal
    distribution of the mean differences. Lines divide the plane into the regions of the six
    rankings, best system first; the region of the ranking at hand is shaded.
    """
    ax = _axes.axes(ax, (7.5, 5.0))
    # all points and ellipses are inside of the picture
    spread = 2.9 * np.sqrt(geometry.covariance.diagonal().max())
    points = np.stack([geometry.mean, geometry.ranking, geometry.nearest])
    reach = float(1.1 * max(np.abs(geometry.mean).max() + spread, np.abs(points).max()))
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    # the ranking at hand has both differences above 0; on the lines, two of the three systems tie
    ax.fill_between([0, reach], 0, reach, color="0.92", lw=0)
    across = [-reach, reach]
    for line in ((across, [0, 0]), ([0, 0], across), (across, [reach, -reach])):
        ax.plot(*line, color="0.5", lw=1)
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    # the unit circle as the covariance stretches it, (2, 200); the squared distance from the mean
    # is chi-square with two degrees of freedom: a share p is within the radius sqrt(-2 log(1 - p))
    circle = np.linalg.cholesky(geometry.covariance) @ np.stack([np.cos(angles), np.sin(angles)])
    for inside in (0.025, 0.25, 0.5, 0.75, 0.975):
        ellipse = geometry.mean[:, np.newaxis] + np.sqrt(-2.0 * np.log1p(-inside)) * circle
        ax.plot(*ellipse, color=_axes.BLUE, lw=1, alpha=0.8)
    ax.plot(*np.transpose([geometry.mean, geometry.nearest]), color=_axes.ORANGE, ls="--", lw=1.5)
    for point, marker, color, label in (
        (geometry.mean, "o", "black", "reference's means"),
        (geometry.ranking, "s", _axes.GREEN, "ranking's scores"),
        (geometry.nearest, "D", _axes.ORANGE, "nearest point\nin its region"),
    ):
        ax.plot(*point, marker, color=color, ms=5, ls="none", label=label, zorder=3)
    worst, second, best = (_axes.plain_text(name, 14) for name in geometry.systems)
    behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1.0}
    # the ranking of each region, at the border of the picture and inside of it
    for x, y, ha, va, ranking in (
        (0.98, 0.98, "right", "top", (best, second, worst)),
        (0.98, 0.32, "right", "center", (second, best, worst)),
        (0.55, 0.02, "left", "bottom", (second, worst, best)),
        (0.02, 0.02, "left", "bottom", (worst, second, best)),
        (0.02, 0.68, "left", "center", (worst, best, second)),
        (0.45, 0.98, "right", "top", (best, worst, second)),
    ):
        style: dict[str, Any] = {"ha": ha, "va": va, "fontsize": 8, "color": "0.3", "bbox": behind}
        ax.text(x, y, "\n".join(ranking), transform=ax.transAxes, **style)
    longest = _axes.LONGEST_AT_SQUARES
    worst, second, best = (_axes.plain_text(name, longest) for name in geometry.systems)
    ax.set_xlabel(f"mean of {second} less mean of {worst}")
    ax.set_ylabel(f"mean of {best} less mean of {second}")
    ax.set_aspect("equal")
    ax.locator_params(nbins=5)
    title = f"d_rank = {geometry.statistic:.2f}"
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, title=title)
    return ax


def draw_null(
    test: DRankTest | DRankResult,
    observed: Mapping[str, float] | None = None,
    *,
    alpha: float = ALPHA,
    ax: Axes | None = None,
) -> Axes:
    """The null distribution of d_rank, its critical value, and observed distances.

    Args:
        test: The result of the test of one ranking, or a test whose null all rankings share.
        observed: Names of rankings, and their distances; by default that of a result.
        alpha: The level of the critical value.
        ax: Where to draw; by default on a new figure.

    Raises:
        ValueError: If `test` is the result of several rankings without a shared null or without
            observed distances, or one side ties all systems.
    """
    if isinstance(test, DRankResult):
        if test.null_distribution.ndim > 1 or (observed is None and np.ndim(test.statistic)):
            raise ValueError("`test` must be the result of one ranking, got one of several.")
        if np.isnan(test.statistic).any():
            rule = "`test` must be of rankings that order systems"
            raise ValueError(f"{rule}, got one that ties all: d_rank is undefined.")
    ax = _axes.axes(ax)
    ax.hist(test.null_distribution, bins="auto", color="0.75", label="under the null hypothesis")
    critical = float(test.critical_value(alpha))
    if np.isfinite(critical):
        label = f"critical value {critical:.2f} at α = {alpha:g}"
        ax.axvline(critical, color=_axes.BLUE, ls="--", label=label)
    if observed is None and isinstance(test, DRankResult):
        observed = {f"observed, {p_equals(float(test.pvalue))}": float(test.statistic)}
    ax.set(xlabel="d_rank", ylabel=f"number of resamples (of {test.null_distribution.size})")
    finite = {name: value for name, value in (observed or {}).items() if np.isfinite(value)}
    right, top = max(ax.get_xlim()[1], 1.05 * max(finite.values(), default=0.0)), ax.get_ylim()[1]
    ax.set(xlim=(0.0, right), ylim=(0.0, top))
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    style: dict[str, Any] = {"textcoords": "offset points", "va": "top", "bbox": behind}
    for step, (name, distance) in enumerate(sorted(finite.items(), key=lambda item: item[1])):
        # of the picture's height: names in ten steps, so that neighbours do not meet
        height = 0.97 - 0.08 * (step % 10)
        ax.axvline(distance, ymax=height, color=_axes.ORANGE, lw=1.5)
        # on the side where there is room for the name
        side, offset = ("left", 5) if distance < right / 2 else ("right", -5)
        where = (distance, height * top), (offset, 0)
        ax.annotate(_axes.plain_text(name), *where, ha=side, zorder=4, **style)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=2, frameon=False)
    return ax


def draw_allowed_ranks(
    allowed: AllowedRanks, *, ax: Sequence[Axes] | None = None
) -> tuple[Axes, Axes]:
    """Heat maps of `allowed_ranks`, by tau and d_rank, side by side, on one logarithmic scale.

    `ax` has two axes to draw on, which are returned; by default those of a new figure.
    """
    from matplotlib.colors import LogNorm

    if ax is None:
        left = _axes.axes(None, (9.5, 4.4))
        grid = left.figure.add_gridspec(1, 2)
        left.set_subplotspec(grid[0])
        ax = (left, left.figure.add_subplot(grid[1], sharey=left))
    left, right = ax
    edge = len(allowed.order) + 0.5
    extent, norm = (0.5, edge, 0.5, edge), LogNorm(1.0 / allowed.n_resamples, 1.0)
    for panel, shares in ((left, allowed.by_tau), (right, allowed.by_distance)):
        # rows are ranks; a cell with a share of 0 is empty
        known = np.ma.masked_equal(shares[allowed.order].T, 0.0)
        image = panel.imshow(known, origin="lower", extent=extent, norm=norm, cmap="viridis")
        panel.set_xlabel("system, by its rank in the reference")
        panel.locator_params(integer=True)
    left.set(title=f"τ ≥ {allowed.tau:g}", ylabel="rank it may have")
    critical = allowed.critical_value
    criterion = "accepted by d_rank" if critical is None else f"d_rank ≤ {critical:.2f}"
    right.set(title=f"{criterion} (α = {allowed.alpha:g})")
    right.figure.colorbar(image, ax=[left, right], label="share of rankings")
    return left, right


def draw_rank_intervals(
    intervals: RankIntervals, *, best: BestSystems | None = None, ax: Axes | None = None
) -> Axes:
    """The rank of each system with its interval, best on top; those that may be best stand out.

    A new figure names up to 150 systems, given axes up to 40.

    Args:
        intervals: A result of `rank_intervals`.
        best: A result of `best_systems`, for the same scores.
        ax: Where to draw; by default on a new figure.

    Raises:
        ValueError: If `best` has other numbers of systems or topics.
    """
    sizes = (intervals.n_systems, intervals.n_topics)
    if best is not None and (best.n_systems, best.n_topics) != sizes:
        seen = f"{best.n_systems} and {best.n_topics}"
        raise ValueError(f"`best` must be of the same systems and topics, got {seen}.")
    at_most = 150 if ax is None else _axes.NAMES_UP_TO
    ax = _axes.axes(ax, (7.5, 1.2 + min(max(0.16 * sizes[0], 1.6), 24.0)))
    order = np.argsort(intervals.rank, kind="stable")
    chosen = np.isin(order, [] if best is None else best.positions)
    label = "" if best is None else f"the best is one of these ({confidence(best.level)})"
    # systems that may be the best are drawn last, and `rows` are their places from the top
    groups = (~chosen, _axes.BLUE, "o", ""), (chosen, _axes.GREEN, "D", label)
    for mark, colour, marker, text in groups:
        rows, systems = np.flatnonzero(mark), order[mark]
        low, high = intervals.low[systems], intervals.high[systems]
        ax.hlines(rows, low, high, color=colour, lw=4, alpha=0.45, label=text)
        ax.plot(intervals.rank[systems], rows, marker, color=colour, ms=4)
    details = f"{guarantee(intervals)}; {intervals.n_topics} topics"
    ax.set_xlabel(f"rank, with {intervals.method} intervals ({details})")
    ax.set(xlim=(0.5, order.size + 0.5))
    ax.locator_params(axis="x", integer=True)
    size = 10 if order.size <= 20 else 8 if order.size <= _axes.NAMES_UP_TO else 7
    _axes.name_rows(ax, [intervals.names[system] for system in order], fontsize=size)
    if order.size > at_most:
        ax.set_yticks([])
        ax.set_ylabel(f"{order.size} systems, best on top")
    ax.grid(axis="x", alpha=0.3)
    if best is not None:
        ax.legend(loc="lower left", frameon=False)
    return ax


def draw_best_systems(best: BestSystems, *, ax: Axes | None = None) -> Axes:
    """How often each of `best_systems` is first in draws of the true means, best mean on top."""
    ax = _axes.axes(ax, (6.0, 1.2 + min(max(0.25 * len(best.systems), 1.0), 24.0)))
    ax.barh(range(len(best.systems)), best.probabilities, color=_axes.GREEN)
    _axes.name_rows(ax, best.systems)
    ax.set(xlim=(0.0, 1.0), ylim=(len(best.systems) - 0.4, -0.6))
    details = f"{confidence(best.level)}; {best.n_topics} topics"
    ax.set_xlabel(f"first in draws; the best is one of these ({details})")
    return ax


def draw_swap_weights(
    weights: SwapWeights, *, largest: float | None = None, ax: Axes | None = None
) -> Axes:
    """A heat map of the cost of each swap of two systems to a coefficient: the darker, the more.

    Args:
        weights: A result of `swap_weights`.
        largest: The weight at the dark end of the scale, by default the largest weight. Heat maps
            of several coefficients are comparable if all have the same.
        ax: Where to draw; by default on a new figure.
    """
    ax = _axes.axes(ax)
    top = weights.values.max() if largest is None else largest
    _axes.heat_map(ax, weights.values, "cost of the swap (1 − coefficient)", vmax=top)
    ax.set(xlabel="rank of one system (1 = best)", ylabel="rank of the other (1 = best)")
    ax.set_title(_axes.symbol(weights.coefficient))
    return ax


def draw_contributions(contributions: Contributions, *, ax: Axes | None = None) -> Axes:
    """Bars of the pairs of `contributions` of the largest cost, which is on top: at most twenty."""
    pairs = contributions.to_frame()
    first = pairs.head(20)  # labels of more cannot be read
    names = []
    for pair in zip(first["better"], first["worse"], strict=True):
        names.append(" / ".join(_axes.plain_text(name, LONGEST_OF_TWO) for name in pair))
    ax = _axes.axes(ax, (8.0, 1.6 + 0.22 * len(first)))
    ax.barh(range(len(first)), 100 * first["share"], color=_axes.BLUE, height=0.7)
    ax.set_ylim(-0.75, max(len(first) - 0.25, 1.0))
    ax.set_yticks(range(len(first)), names)
    ax.invert_yaxis()
    coefficient = _axes.symbol(contributions.coefficient)
    ax.set_xlabel(f"share of 1 − {coefficient} = {1 - contributions.statistic:.3f} (%)")
    some = "" if len(first) == len(pairs) else f", the first {len(first)} of {len(pairs)}"
    ax.set_title(f"better / worse system by the reference{some}", fontsize="medium", loc="right")
    return ax


def draw_one_true_ranking(
    result: CorrelationResult, *, names: tuple[str, str] | None = None, ax: Axes | None = None
) -> Axes:
    """What carries the difference of two measures: means, and true means that rise together.

    It draws a result of `correlation_interval`, or one of `row.correlations` of a comparison. Bars
    are one standard error of a mean to either side, without what a topic does to all systems alike.
    The curve has the fitted true means if both have one true ranking. Orange, and the legend, have
    the five pairs that both reverse most surely, the surer the wider: the first `reversed_pairs()`.

    Args:
        result: The correlation.
        names: What both sides are called; by default their measures, where they are known.
        ax: Where to draw; by default on a new figure.
    """
    ax, fitted, pairs = _axes.axes(ax, (6.5, 5.5)), result.fitted_means(), result.reversed_pairs()
    means = np.stack(fitted.means)  # (2, n_systems)
    of_reference, of_estimate = fitted.noise
    label = f"measured, ± a standard error of {of_reference:.2g}, {of_estimate:.2g}"
    style: dict[str, Any] = {"color": _axes.BLUE, "ecolor": "0.75", "elinewidth": 0.8, "zorder": 2}
    ax.errorbar(means[0], means[1], of_estimate, of_reference, "o", ms=4, label=label, **style)
    ax.plot(*fitted.curve, color="0.4", lw=1.6, zorder=3, label=f"if {ONE_TRUE_RANKING}")
    for place in range(min(5, pairs.shares.size)):
        both = [pairs.first[place], pairs.second[place]]
        better, worse = (_axes.plain_text(pairs.systems[system], LONGEST_OF_TWO) for system in both)
        label = f"reversed: {better} and {worse}"
        width = 1.0 + 2.5 * pairs.shares[place] / pairs.shares[0]
        ax.plot(*means[:, both], "-o", color=_axes.ORANGE, lw=width, ms=4, zorder=4, label=label)
    names = names or result.measures or ("the reference", "the estimate")
    horizontal, vertical = map(_axes.plain_text, names)
    ax.set(xlabel=f"mean by {horizontal}", ylabel=f"mean by {vertical}")
    title = f"{_axes.symbol(result.coefficient)} = {decimals(result.statistic)}"
    if not np.isnan(result.one_true_ranking.mean):
        title += f"; {result.one_true_ranking.sentence()}"
    ax.set_title(title, fontsize="medium", loc="left")
    ax.legend(loc="best", frameon=False, fontsize="small")
    return ax


def draw_rankings(rankings: Rankings, *, ax: Axes | None = None) -> Axes:
    """Ranks in many rankings against the rank by the reference, as in figure 6 of Yilmaz et al.

    `random_rankings` makes them, (n_rankings, n_systems), with systems in the reference's order.
    """
    if not isinstance(rankings, Rankings) or len(rankings.shape) != 2:
        seen = shown(rankings)
        raise TypeError(f"`rankings` must be `rc.stats.Rankings`, one a row, got {seen}.")
    ax = _axes.axes(ax)
    scores = rankings.values
    n_rankings, m = scores.shape
    reference, ranks = np.tile(np.arange(1, m + 1), n_rankings), (m + 1 - scores).ravel()
    alpha = max(0.1, 0.6 / n_rankings**0.3)
    ax.plot([1, m], [1, m], color="black", lw=1, zorder=1)
    ax.scatter(reference, ranks, s=9, color=_axes.BLUE, alpha=alpha, lw=0, zorder=2)
    ax.set(xlim=(0, m + 1), ylim=(0, m + 1), aspect="equal")
    ax.set_xlabel("rank by the reference (1 = best)")
    ax.set_ylabel(f"rank in each of {n_rankings} rankings")
    return ax


def draw_coefficients(
    horizontal: ArrayLike,
    vertical: ArrayLike,
    *,
    names: tuple[str, str] = ("tau", "tau_ap"),
    ax: Axes | None = None,
) -> Axes:
    """One coefficient of many rankings against another, as in figure 3 of Yilmaz et al.

    Args:
        horizontal: The values of one coefficient, one per ranking.
        vertical: Those of the other.
        names: The names of both.
        ax: Where to draw; by default on a new figure.
    """
    ax = _axes.axes(ax)
    ax.plot([-1, 1], [-1, 1], color=_axes.ORANGE, lw=1.5, label="equal", zorder=2)
    ax.scatter(horizontal, vertical, s=4, color=_axes.BLUE, lw=0, zorder=1, rasterized=True)
    ax.set(aspect="equal", xlabel=_axes.symbol(names[0]), ylabel=_axes.symbol(names[1]))
    ax.legend(loc="upper left", frameon=False)
    return ax
