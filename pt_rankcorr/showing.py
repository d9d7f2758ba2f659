"""How results show themselves: printed, in a notebook, as LaTeX, and as a picture."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from pt_rankcorr.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST = 30  # rows that are shown: a result of many systems has thousands of pairs
WIDTH = 100  # characters of a line that pages and most terminals show whole


# Name of a class of results, or of several by measure as "...s" -> what draws it. The room of pictures stands above,
# and fills this when it is loaded, which the first picture does: nothing here knows what there is.
PICTURES: dict[str, Callable[..., Any]] = {}
ROOM_OF_PICTURES = "pt_rankcorr.plots"


class Shown:
    """What prints as its table, and is shown as that in notebooks, in frames and as LaTeX."""

    _width: ClassVar[int] = sys.maxsize  # of lines, where there is one
    _instead: ClassVar[str] = "see `pt_rankcorr.plots` for those there are"  # what to draw where there is none

    def table(self) -> Table:
        """Everything that is shown: columns, rows, and the sentences above and below."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """The table, unrounded."""
        return self.table().frame()

    def to_latex(self) -> str:
        """All rows as a `tabular`, or several if they are many; a comment says which packages it needs."""
        return self.table().latex()

    def plot(self, ax: Axes | None = None, **how: Any) -> Axes:
        """Draws the result with the function of `pt_rankcorr.plots` that is for it.

        Args:
            ax: Where to draw; by default on a new figure.
            how: Further arguments of that function.

        Returns:
            The axes.

        Raises:
            TypeError: If there is no picture of such a result.
            ImportError: If matplotlib is not installed.
        """
        import_module(ROOM_OF_PICTURES)
        draw = next((PICTURES[name] for name in self._drawn() if name in PICTURES), None)
        if draw is None:
            raise TypeError(f"There is no picture of a {type(self).__name__}: {self._instead}.")
        drawn: Axes = draw(self, ax=ax, **how)
        return drawn

    def _drawn(self) -> tuple[str, ...]:
        """The names under which its picture may be registered."""
        return tuple(kind.__name__ for kind in type(self).__mro__)

    def __str__(self) -> str:
        return self.table().text(most=MOST, width=self._width)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython prints."""
        printer.text(type(self).__name__ if cycle else str(self))

    def _repr_html_(self) -> str:
        return self.table().html(most=MOST)
