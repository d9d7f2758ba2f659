"""The bases of all results: they print, and become frames, LaTeX, Markdown, sentences and pictures.

A result holds numbers. How it looks is said in the packages `present` and `plots`, which find it by
its class. They know all results, and so are imported late, when a result is displayed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are a package of their own

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pt_rankcorr.tables import Table


def progress_bar(*items: Any, **options: Any) -> Any:
    """A progress bar of `tqdm`: of PyTerrier's kind if that is loaded, else of text."""
    return getattr(sys.modules.get("pyterrier"), "tqdm", tqdm)(*items, **options)


class Displayable:
    """A base for results: they display themselves as their table, also in notebooks."""

    def table(self, **options: Any) -> Table:
        """Everything that is shown: columns, rows, and the sentences above and below.

        `options` are those of the function in `present` for such results, as a level of intervals.
        """
        from pt_rankcorr.present import table_of

        return table_of(self, **options)

    @property
    def note(self) -> str:
        """The text below the table, on what was computed and how."""
        return " ".join(self.table().notes)

    def to_frame(self) -> pd.DataFrame:
        """The table, unrounded."""
        return self.table().to_frame()

    def to_text(self, *, wide: bool = True, width: int | None = None) -> str:
        """All rows as plain text, with all columns if `wide`.

        Lines have at most `width` characters, by default any number if `wide`, else 100.
        """
        return self.table().to_text(wide=wide, width=width)

    def to_latex(self, *, wide: bool = False) -> str:
        """All rows as `tabular`s, with all columns if `wide`; a comment names needed packages."""
        return self.table().to_latex(wide=wide)

    def to_markdown(self, *, wide: bool = False) -> str:
        """All rows as a table in Markdown, with all columns if `wide`."""
        return self.table().to_markdown(wide=wide)

    def __str__(self) -> str:
        return str(self.table())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(type(self).__name__ if cycle else str(self))

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class Drawable(Displayable):
    """A base for results of which `pt_rankcorr.plots` has a picture."""

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws it with the function of `pt_rankcorr.plots` for such results; returns the axes.

        `options` are those of that function.

        Raises:
            ImportError: If matplotlib is not installed.
        """
        from pt_rankcorr import plots

        names = [name for name in self._picture_names() if name in plots.PICTURES]
        function = plots.PICTURES[names[0]]
        axes: Axes = getattr(plots, function)(self, ax=ax, **options)
        return axes

    def _picture_names(self) -> tuple[str, ...]:
        """The names of its picture in `plots.PICTURES`: those of its class and their bases."""
        return tuple(kind.__name__ for kind in type(self).__mro__)


class Quotable(Displayable):
    """A base for results whose outcome is a sentence that a paper may print."""

    def sentence(self) -> str:
        """The outcome, as a paper may print it."""
        from pt_rankcorr.present import sentence_of

        return sentence_of(self)
