"""Pictures of compared rankings: along fewer judgments, of measures, systems, and judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.io.paths import MeasureLike
from pt_rankcorr.plots import _axes
from pt_rankcorr.present.comparison import value_of
from pt_rankcorr.stats.coefficients.registry import headlines
from pt_rankcorr.text import ONE_TRUE_RANKING, P_SAME, confidence, d_rank_by, decimals, p_equals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pt_rankcorr.comparison.compare import MeasureMatrix
    from pt_rankcorr.comparison.judge_comparison import JudgeComparison
    from pt_rankcorr.comparison.judges import JudgeRanking
    from pt_rankcorr.comparison.judgment_curve import JudgmentCurve
    from pt_rankcorr.comparison.rows import RankingAgreement
    from pt_rankcorr.judgments.labels import LabelComparison

PVALUES = {"pvalue": P_SAME, "d_rank_pvalue": "p-value of d_rank"}
SAME = "0.65"  # the grey of what one true ranking would give
BELOW = 0.22  # how far that stands below its row, of the space of a row


def draw_judgment_curve(
    curve: JudgmentCurve, statistic: str = "tau", *, alpha: float = ALPHA, ax: Axes | None = None
) -> Axes:
    """Agreement with the ranking under all judgments by the number of judgments, a line a measure.

    Lines are medians over repetitions, bands the repetitions or, for pools, intervals over topics.
    A ring marks where d_rank ceases to find a significant difference; the legend has the number.

    Args:
        curve: A result of `judgment_curve`.
        statistic: "tau", "tau_ap", "tau_gap", "d_rank" or "d_rank_pvalue".
        alpha: The significance level of d_rank's test.
        ax: Where to draw; by default on a new figure.

    References:
        Figure 4 of Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.
    """
    ax, is_share = _axes.axes(ax), curve.kind == "share"
    for measure, style in _axes.styles(curve.measures):
        band, start = curve.band(measure, statistic), curve.indistinguishable_from(measure, alpha)
        place = f"{start:.0%}" if is_share else f"depth {start:.0f}"
        if np.isnan(start):
            place = "nowhere"
        ax.plot(band.x, band.middle, lw=1.6, label=f"{_axes.plain_text(measure)}: {place}", **style)
        ax.fill_between(band.x, band.low, band.high, color=style["color"], alpha=0.12, lw=0)
        reached = band.x == start
        ring = {"ms": 13, "mfc": "none", "mec": style["color"], "mew": 1.6}
        ax.plot(band.x[reached], band.middle[reached], "o", **ring)
    if statistic == "d_rank_pvalue":
        ax.axhline(alpha, color="0.4", lw=0.8)
    if is_share:
        ax.set_xlabel("judgments kept, relevant and other ones of each topic")
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        ax.set_xlim(0, 1)
    else:
        depths = [depth for depth in curve.band(curve.measures[0]).x if depth > 0]
        ax.set_xlabel("depth of the pool, documents of each run and topic")
        ax.set_xscale("log")
        ax.set_xticks(depths, [f"{depth:.0f}" for depth in depths])
        ax.set_xticks([], minor=True)
    ax.set_ylabel(PVALUES.get(statistic) or f"{_axes.symbol(statistic)}, against all judgments")
    ax.legend(title=f"no difference found (p > {alpha:g}) from", fontsize="small", frameon=False)
    return ax


def draw_measures(matrix: MeasureMatrix, *, ax: Axes | None = None) -> Axes:
    """A heat map between measures, of `compare(...).matrix(statistic)`: similar ones side by side.

    Dark is unlike: a low correlation or p-value, or a large distance. Bold and framed values are of
    rankings that differ significantly: by p (same true ranking), of d_rank by its own p-value.
    """
    from matplotlib.patches import Rectangle

    ax = _axes.axes(ax)
    clustered = matrix.clustered()
    values, differs = clustered.values.to_numpy(), clustered.significant.to_numpy()
    colours, low, high = "Blues_r", -1.0 if np.nanmin(values, initial=0.0) < 0.0 else 0.0, 1.0
    if matrix.statistic == "d_rank":
        colours, low, high = "Blues", 0.0, max(float(np.nanmax(values, initial=0.0)), 1.0)
    ax.set_facecolor("0.92")  # the diagonal, which is neither near nor far
    image = ax.imshow(values, cmap=colours, vmin=low, vmax=high, interpolation="nearest")
    label = PVALUES.get(matrix.statistic) or _axes.symbol(matrix.statistic)
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.85)
    size = "medium" if len(values) <= 8 else "small" if len(values) <= 14 else "xx-small"
    for row, column in zip(*np.nonzero(~np.isnan(values)), strict=True):
        shade = image.cmap(image.norm(values[row, column]))
        colour = "white" if np.dot(shade[:3], (0.299, 0.587, 0.114)) < 0.5 else "black"
        text, weight = decimals(values[row, column]), "bold" if differs[row, column] else "normal"
        ax.text(column, row, text, ha="center", va="center", size=size, color=colour, weight=weight)
        if differs[row, column]:
            corner = (column - 0.45, row - 0.45)
            ax.add_patch(Rectangle(corner, 0.9, 0.9, fill=False, ec=_axes.ORANGE, lw=1.6))
    names = [_axes.plain_text(name) for name in clustered.values.index]
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="measure that ranks", ylabel="reference measure")
    ax.set_title(f"framed: a significant difference, p <= {matrix.alpha:g}", fontsize="medium")
    return ax


def draw_correlations(rows: Iterable[RankingAgreement], *, ax: Axes | None = None) -> Axes:
    """The coefficient of each row of a comparison with its interval, and p (same true ranking).

    Grey, below it, is what one true ranking would give, with its range: what noise of topics alone
    leaves of 1. Orange is a ranking that differs from the reference's by more than that. Rows are
    those of `compare`, `compare_judgments`, `compare_leaderboards` or `judgment_curve`, or some.
    """
    rows = list(rows)
    ax = _rows_axes(rows, ax)
    name = (rows[0].settings.shown if rows else headlines())[0].name
    for place, row in enumerate(rows):
        colour = _axes.ORANGE if row.rules_out_one_ranking else _axes.BLUE
        if name in row.correlations:
            correlation = row.correlations[name]
            same = correlation.one_true_ranking
            ax.hlines(place, correlation.low, correlation.high, color=colour, lw=1.6)
            ax.hlines(place + BELOW, same.low, same.high, color=SAME, lw=5.0)
            ax.plot(same.mean, place + BELOW, "|", color="black", ms=8)
        ax.plot(row.coefficients[name], place, "o", color=colour, ms=6)
        if row.pvalue == row.pvalue:
            where = (1.0, place), (6, 0), ("axes fraction", "data"), "offset points"
            ax.annotate(p_equals(row.pvalue), *where, va="center", size="small")
    colours = "grey: if one true ranking; orange: p of that is small"
    ax.set_xlabel(f"{_axes.symbol(name)} with the reference; {colours}")
    return ax


def draw_distances(rows: Iterable[RankingAgreement], *, ax: Axes | None = None) -> Axes:
    """The d_rank of each row of a comparison, with its p-value.

    Orange is a ranking whose distance the choice of topics does not explain.

    Raises:
        ValueError: If there is no d_rank in a row, as without `d_rank=True`.
    """
    rows = list(rows)
    if not all(row.settings.d_rank for row in rows):
        rule = "`rows` must have d_rank, as comparisons with `d_rank=True` have"
        raise ValueError(f"{rule}, got rows without.")
    ax = _rows_axes(rows, ax)
    for place, row in enumerate(rows):
        colour = _axes.ORANGE if row.is_different else _axes.BLUE
        ax.hlines(place, 0.0, row.d_rank, color=colour, lw=1.2)
        ax.plot(row.d_rank, place, "o", color=colour, ms=6)
        text, where = p_equals(row.d_rank_pvalue), (row.d_rank, place)
        ax.annotate(text, where, (8, 0), textcoords="offset points", va="center")
    ax.margins(x=0.2)
    d_rank = d_rank_by(rows[0].settings.covariance) if rows else "d_rank"
    label = f"{d_rank} from the reference's ranking; orange: a significant difference"
    ax.set(xlabel=label, xlim=(0, None))
    return ax


def _rows_axes(rows: Sequence[RankingAgreement], ax: Axes | None) -> Axes:
    """Axes with a line a row, the first on top, named by what of keys differs, or measure."""
    ax = _axes.axes(ax, (7.0, 1.6 + 0.35 * max(len(rows), 2)))
    keys = [{part: str(value) for part, value in row.key.items()} for row in rows]
    parts = [part for part in keys[0] if len({key[part] for key in keys}) > 1] if keys else []
    parts = parts or ["measure"]
    names = [", ".join(_axes.plain_text(key[part]) for part in parts) for key in keys]
    ax.set_yticks(range(len(rows)), names)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    return ax


def draw_swaps(
    comparison: JudgeComparison, judgments: str, measure: MeasureLike, *, ax: Axes | None = None
) -> Axes:
    """Two rankings of the same systems, joined by lines; orange if in a significant reversal.

    A reversal is an active disagreement: two systems that differ significantly under both sets of
    judgments, in opposite ways. The more of them a system is in, the wider its line.

    Args:
        comparison: A result of `compare_judgments`.
        judgments: The name of the set on the right; the reference is on the left.
        measure: The measure.
        ax: Where to draw; by default on a new figure.

    Raises:
        KeyError: If there are no such judgments or measure.
    """
    row = comparison.row(judgments, measure)
    left, right = comparison.reference[measure], comparison.others[judgments][measure]
    if row.pairs is None:
        raise ValueError("`comparison` must have tested pairs of systems, got one that has not.")
    ax = _axes.axes(ax, (8.0, min(max(4.8, 1.5 + 0.2 * left.n_systems), 10.0)))
    # how many reversed pairs each system is in, by name; both sides have systems in one order
    reversals = Counter(system for pair in row.pairs.active_disagreements for system in pair)
    most = max(reversals.values(), default=1)
    for name, left_rank, right_rank in zip(left.systems, left.ranks, right.ranks, strict=True):
        colour = _axes.ORANGE if name in reversals else SAME
        width = 1.0 + 2.5 * reversals[name] / most
        ax.plot([0, 1], [left_rank, right_rank], "o-", color=colour, lw=width, ms=4, clip_on=False)
    ax.set(xlim=(0, 1), ylim=(len(left.systems) + 0.7, 0.3))
    ax.set_xticks([0, 1], ["reference", _axes.plain_text(judgments)])
    other = ax.secondary_yaxis("right")
    ax.spines[["top", "bottom"]].set_visible(False)
    size = "medium" if left.n_systems <= 15 else "small" if left.n_systems <= 25 else "x-small"
    sides = (ax, left, "{names}  {rank:g}"), (other, right, "{rank:g}  {names}")
    for axis, scores, text in sides:
        if left.n_systems <= _axes.NAMES_UP_TO:
            systems_at: dict[float, list[str]] = {}
            for name, rank in zip(scores.systems, scores.ranks, strict=True):
                systems_at.setdefault(rank, []).append(_axes.plain_text(name, 30))
            ranks = sorted(systems_at)
            texts = [text.format(names=", ".join(systems_at[rank]), rank=rank) for rank in ranks]
            axis.set_yticks(ranks, texts, fontsize=size)
    ax.set_ylabel(f"system, and its rank by {_axes.plain_text(measure)}")
    n_reversed, n_pairs = row.pairs.n_active_disagreements, row.pairs.n_significant
    pairs = f"{n_reversed} of {n_pairs} significant pairs reversed (orange)"
    ax.set_title(f"τ = {value_of(row, 'tau')}\n{pairs}", fontsize="medium")
    return ax


def draw_judges(ranking: JudgeRanking, *, ax: Axes | None = None) -> Axes:
    """Judges by their agreement with the reference, best at the top, with intervals.

    It draws the result of `judges()` of `compare_leaderboards` or `compare_judgments`. Intervals
    are over topic samples of this size.

    Grey, below a judge's, is what one true ranking with the reference would give: what noise of
    topics alone leaves. Lines separate clusters: all above are significantly better than all below.
    A bar on the right joins a judge to those below that are not significantly worse. Green judges
    may be the best.
    """
    places = np.arange(len(ranking.judges))
    ax = _axes.axes(ax, (7.0, 1.6 + 0.35 * max(len(places), 3)))
    best = np.isin(ranking.judges, ranking.may_be_best)
    intervals = [(result.statistic, result.low, result.high) for result in ranking.correlations]
    values, low, high = np.array(intervals).T
    groups = (best, _axes.GREEN, "may be the best"), (~best, _axes.BLUE, "not the best")
    for chosen, colour, label in groups:
        if chosen.any():  # else it is not in the legend, either
            ax.hlines(places[chosen], low[chosen], high[chosen], color=colour, lw=1.6)
            ax.plot(values[chosen], places[chosen], "o", color=colour, ms=6, label=label)
    nulls = [correlation.one_true_ranking for correlation in ranking.correlations]
    ends = [null.low for null in nulls], [null.high for null in nulls]
    ax.hlines(places + BELOW, *ends, color=SAME, lw=5.0, label=f"if {ONE_TRUE_RANKING}")
    # a bar from each judge to the last that it is not significantly better than, unless in another
    bars, lowest = [], 0
    for start, row in enumerate(ranking.significant):
        end = int(np.flatnonzero(~row)[-1])
        if end > max(start, lowest):
            bars.append((start, end))
            lowest = end
    # right of the axes, whose width is 1; bars that overlap stand side by side
    style: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "clip_on": False}
    for number, (start, end) in enumerate(bars):
        x = 1.02 + 0.02 * (number % 4)
        ax.plot([x, x], [start, end], color="0.5", lw=2.5, **style)
    _name_judges(ax, ranking.judges, ranking.clusters)
    ax.set_xlabel(f"{_axes.symbol(ranking.coefficient)} with the reference")
    return ax


def draw_labels(comparison: LabelComparison, *, ax: Axes | None = None) -> Axes:
    """Judges by kappa of labels with the reference's, best on top, and by alpha, with intervals.

    They are those of `judgments.compare_labels`. Lines separate clusters: the kappas of all judges
    above are significantly higher than those of all below.
    """
    places = np.arange(len(comparison.judges))
    ax = _axes.axes(ax, (7.0, 1.6 + 0.35 * max(len(places), 3)))
    frame = comparison.to_frame()
    for name, colour, shift in (("kappa", _axes.BLUE, -0.14), ("alpha", _axes.GREEN, 0.14)):
        ax.hlines(places + shift, frame[f"{name} low"], frame[f"{name} high"], color=colour, lw=1.6)
        ax.plot(frame[name], places + shift, "o", color=colour, ms=5, label=name)
    _name_judges(ax, comparison.judges, comparison.clusters)
    interval = f"{confidence(comparison.level)} interval over topics"
    ax.set_xlabel(f"agreement of labels with the reference, and its {interval}")
    return ax


def _name_judges(ax: Axes, judges: Sequence[str], clusters: Sequence[Sequence[str]]) -> None:
    """Names of judges, best on top, lines between clusters, in the same order, and a legend."""
    for cluster in np.cumsum([len(names) for names in clusters[:-1]]):
        ax.axhline(cluster - 0.5, color="0.5", lw=1.0)
    _axes.name_rows(ax, judges)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False, fontsize="small")
