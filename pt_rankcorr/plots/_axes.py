"""What all pictures share: axes to draw on, and names that are shown as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt_rankcorr.reporting.latex import escaped
from pt_rankcorr.stats._text import cut, on_one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST = 40  # characters of a name in a picture


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
    """A name that matplotlib shows as it is, without reading a formula into its dollar signs; cut if it is long."""
    import matplotlib

    text = cut(on_one_line(str(name)), LONGEST)
    return escaped(text) if matplotlib.rcParams["text.usetex"] else text.replace("$", r"\$")
