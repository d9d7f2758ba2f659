"""What all pictures share: axes to draw on, and names that are shown as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes(ax: Axes | None) -> Axes:
    """The axes that were given, or those of a new figure.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install pt-rankcorr[plot]") from error
    return plt.subplots(layout="constrained")[1]


def plain_text(name: object) -> str:
    """A name that matplotlib shows as it is, without reading a formula into its dollar signs."""
    return str(name).replace("$", r"\$")
