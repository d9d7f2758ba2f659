"""Pictures of what coefficients weigh: heat maps of swaps, what an agreement cost, and random rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.plots._axes import axes, plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pt_rankcorr.stats.weights import Contributions, SwapWeights

NAMES = {"tau": "τ", "tau_ap": "τ AP", "tau_gap": "τ GAP", "pearson": "Pearson's r", "spearman": "Spearman's ρ"}
BLUE, ORANGE = "#0072B2", "#D55E00"
SHOWN_AT_MOST = 20  # bars whose labels can be read


def draw_swap_weights(weights: SwapWeights, *, largest: float | None = None, ax: Axes | None = None) -> Axes:
    """A heat map of what each swap of two systems would cost a coefficient; darker is dearer.

    Args:
        weights: Of `swap_weights`.
        largest: The weight at the dark end of the scale, by default the largest there is. Heat maps of several
            coefficients compare if all have the same.
        ax: Where to draw; by default a new figure.

    Returns:
        The axes.
    """
    ax = axes(ax)
    n = len(weights.systems)
    top = weights.values.max() if largest is None else largest
    corners = (0.5, n + 0.5, n + 0.5, 0.5)
    image = ax.imshow(weights.values, cmap="Blues", vmin=0, vmax=top, extent=corners, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="cost of the swap (1 − coefficient)", shrink=0.8)
    ax.set_title(NAMES[weights.coefficient])
    ax.set_xlabel("rank of one system (1 = best)")
    ax.set_ylabel("rank of the other (1 = best)")
    return ax


def draw_contributions(contributions: Contributions, *, ax: Axes | None = None) -> Axes:
    """Bars of the pairs of systems that cost an agreement most, dearest on top: at most twenty.

    Args:
        contributions: Of `contributions`.
        ax: Where to draw; by default a new figure.

    Returns:
        The axes.
    """
    ax = axes(ax)
    pairs = contributions.to_frame()
    shown = pairs.head(SHOWN_AT_MOST)
    labels = [plain_text(f"{better} / {worse}") for better, worse in zip(shown["better"], shown["worse"], strict=True)]
    places = np.arange(len(shown))
    ax.barh(places, 100 * shown["share"], color=BLUE)
    ax.set_yticks(places, labels)
    ax.invert_yaxis()
    coefficient = NAMES[contributions.coefficient]
    ax.set_xlabel(f"share of 1 − {coefficient} = {1 - contributions.statistic:.3f} (%)")
    ax.set_ylabel("better / worse system by the truth")
    ax.set_title(f"{len(shown)} dearest of {len(pairs)} pairs")
    return ax


def draw_rankings(rankings: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """The ranks that systems take in many rankings against their rank by the truth, as in figure 6 of Yilmaz et al.

    Args:
        rankings: Of `random_rankings`: scores, shape (n_rankings, n_systems), systems in the order of the truth.
        ax: Where to draw; by default a new figure.

    Returns:
        The axes.
    """
    ax = axes(ax)
    scores = np.asarray(rankings, dtype=float)
    n_rankings, m = scores.shape
    truth = np.tile(np.arange(1, m + 1), n_rankings)
    ax.plot([1, m], [1, m], color="black", lw=1, zorder=1)
    ax.scatter(truth, (m + 1 - scores).ravel(), s=9, color=BLUE, alpha=max(0.1, 0.6 / n_rankings**0.3), lw=0, zorder=2)
    ax.set(xlim=(0, m + 1), ylim=(0, m + 1), aspect="equal")
    ax.set_xlabel("rank by the truth (1 = best)")
    ax.set_ylabel(f"rank in each of {n_rankings} rankings")
    return ax


def draw_coefficients(
    horizontal: ArrayLike, vertical: ArrayLike, *, names: tuple[str, str] = ("tau", "tau_ap"), ax: Axes | None = None
) -> Axes:
    """One coefficient of many rankings against another, as in figure 3 of Yilmaz et al.

    Args:
        horizontal: The values of the one coefficient, one a ranking.
        vertical: Those of the other.
        names: The names of both.
        ax: Where to draw; by default a new figure.

    Returns:
        The axes.
    """
    ax = axes(ax)
    ax.plot([-1, 1], [-1, 1], color=ORANGE, lw=1.5, label="equal", zorder=2)
    ax.scatter(horizontal, vertical, s=4, color=BLUE, lw=0, zorder=1, rasterized=True)
    ax.set_aspect("equal")
    ax.set_xlabel(NAMES[names[0]])
    ax.set_ylabel(NAMES[names[1]])
    ax.legend(loc="upper left", frameon=False)
    return ax
