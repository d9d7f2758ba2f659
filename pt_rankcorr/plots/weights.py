"""Pictures of the weights of coefficients: heat maps of swaps, the costs of pairs, and random rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.plots._axes import BLUE, ORANGE, axes, heat_map, plain_text, symbol
from pt_rankcorr.stats.core.matrix import Rankings
from pt_rankcorr.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pt_rankcorr.stats.coefficients.weights import Contributions, SwapWeights

SHOWN_AT_MOST = 20  # bars whose labels can be read
LONGEST_OF_TWO = 30  # characters of either name of a pair


def draw_swap_weights(weights: SwapWeights, *, largest: float | None = None, ax: Axes | None = None) -> Axes:
    """A heat map of the cost of each swap of two systems to a coefficient: the darker, the more.

    Args:
        weights: A result of `swap_weights`.
        largest: The weight at the dark end of the scale, by default the largest weight. Heat maps of several
            coefficients are comparable if all have the same.
        ax: Where to draw; by default on a new figure.
    """
    ax = axes(ax)
    top = weights.values.max() if largest is None else largest
    heat_map(ax, weights.values, "cost of the swap (1 − coefficient)", vmax=top)
    ax.set(xlabel="rank of one system (1 = best)", ylabel="rank of the other (1 = best)")
    ax.set_title(symbol(weights.coefficient))
    return ax


def draw_contributions(contributions: Contributions, *, ax: Axes | None = None) -> Axes:
    """Bars of the pairs of systems that cost the coefficient most, the largest cost on top: at most twenty.

    Args:
        contributions: A result of `contributions`.
        ax: Where to draw; by default on a new figure.
    """
    pairs = contributions.to_frame()
    first = pairs.head(SHOWN_AT_MOST)
    better, worse = ([plain_text(name, LONGEST_OF_TWO) for name in first[side]] for side in ("better", "worse"))
    ax = axes(ax, 8.0, 1.6 + 0.22 * len(first))
    ax.barh(range(len(first)), 100 * first["share"], color=BLUE, height=0.7)
    ax.set_ylim(-0.75, max(len(first) - 0.25, 1.0))
    ax.set_yticks(range(len(first)), [" / ".join(names) for names in zip(better, worse, strict=True)])
    ax.invert_yaxis()
    coefficient = symbol(contributions.coefficient)
    ax.set_xlabel(f"share of 1 − {coefficient} = {1 - contributions.statistic:.3f} (%)")
    some = "" if len(first) == len(pairs) else f", the first {len(first)} of {len(pairs)}"
    ax.set_title(f"better / worse system by the reference{some}", fontsize="medium", loc="right")
    return ax


def draw_rankings(rankings: Rankings, *, ax: Axes | None = None) -> Axes:
    """The ranks that systems take in many rankings against their rank by the reference, as in figure 6 of Yilmaz et al.

    Args:
        rankings: A result of `random_rankings`, shape (n_rankings, n_systems), systems in the order of the reference.
        ax: Where to draw; by default on a new figure.
    """
    if not isinstance(rankings, Rankings) or len(rankings.shape) != 2:
        raise TypeError(f"`rankings` must be `ptr.stats.Rankings`, one a row, got {shown(rankings)}.")
    ax = axes(ax)
    scores = rankings.values
    n_rankings, m = scores.shape
    reference, alpha = np.tile(np.arange(1, m + 1), n_rankings), max(0.1, 0.6 / n_rankings**0.3)
    ax.plot([1, m], [1, m], color="black", lw=1, zorder=1)
    ax.scatter(reference, (m + 1 - scores).ravel(), s=9, color=BLUE, alpha=alpha, lw=0, zorder=2)
    ax.set(xlim=(0, m + 1), ylim=(0, m + 1), aspect="equal")
    ax.set(xlabel="rank by the reference (1 = best)", ylabel=f"rank in each of {n_rankings} rankings")
    return ax


def draw_coefficients(
    horizontal: ArrayLike, vertical: ArrayLike, *, names: tuple[str, str] = ("tau", "tau_ap"), ax: Axes | None = None
) -> Axes:
    """One coefficient of many rankings against another, as in figure 3 of Yilmaz et al.

    Args:
        horizontal: The values of one coefficient, one per ranking.
        vertical: Those of the other.
        names: The names of both.
        ax: Where to draw; by default on a new figure.
    """
    ax = axes(ax)
    ax.plot([-1, 1], [-1, 1], color=ORANGE, lw=1.5, label="equal", zorder=2)
    ax.scatter(horizontal, vertical, s=4, color=BLUE, lw=0, zorder=1, rasterized=True)
    ax.set(aspect="equal", xlabel=symbol(names[0]), ylabel=symbol(names[1]))
    ax.legend(loc="upper left", frameon=False)
    return ax
