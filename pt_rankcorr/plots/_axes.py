"""What all pictures share: axes to draw on, and names that are shown as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from pt_rankcorr.reporting.latex import escaped
from pt_rankcorr.stats._text import cut, on_one_line, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

R = TypeVar("R")

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


def by_measure(results: Mapping[str, R]) -> R:
    """Any of the results of several measures.

    Raises:
        TypeError: If they are not a mapping.
        ValueError: If there are none.
    """
    if not isinstance(results, Mapping):
        raise TypeError(f"`results` must be a mapping of measures to results, got {shown(results)}.")
    if not results:
        raise ValueError("`results` must have at least one measure, got none.")
    return next(iter(results.values()))


def plain_text(name: object) -> str:
    """A name that matplotlib shows as it is, without reading a formula into its dollar signs; cut if it is long."""
    import matplotlib

    text = cut(on_one_line(str(name)), LONGEST)
    return escaped(text) if matplotlib.rcParams["text.usetex"] else text.replace("$", r"\$")
