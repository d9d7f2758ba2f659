"""How results show themselves: printed, in a notebook, as LaTeX, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from pt_rankcorr.tables.kinds import NUMBER, WORD
from pt_rankcorr.tables.table import Table, listed

if TYPE_CHECKING:
    import pandas as pd

MOST = 30  # rows that are shown: a result of many systems has thousands of pairs


class Shown:
    """What prints as its table, and is shown as that in notebooks, in frames and as LaTeX."""

    _picture: ClassVar[str | None] = None  # the function of `pt_rankcorr.plots` that draws it
    _instead: ClassVar[str] = "see `pt_rankcorr.plots` for those there are"  # what to draw where there is none

    def _table(self) -> Mapping[str, Any]:
        """Title of a column -> texts, for what has no `table` of its own yet."""
        raise NotImplementedError

    def _answer(self) -> str:
        """What was found, in plain words, above the table."""
        return ""

    def _note(self) -> str:
        """What was computed, and how."""
        return ""

    def table(self) -> Table:
        """Everything that is shown: columns, rows, and the sentences above and below."""
        texts = self._table()
        kinds = [WORD, *[NUMBER] * len(texts)]
        columns = tuple(listed(name, kind, texts[name]) for name, kind in zip(texts, kinds, strict=False))
        n_rows = max(map(len, texts.values()), default=0)
        return Table(columns, range(n_rows), answer=self._answer(), notes=(self._note(),))

    def to_frame(self) -> pd.DataFrame:
        """The table, unrounded."""
        return self.table().frame()

    def to_latex(self) -> str:
        """All rows as a `tabular`, or several if they are many; a comment says which packages it needs."""
        return self.table().latex()

    def plot(self, ax: Any = None, **how: Any) -> Any:
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
        if self._picture is None:
            raise TypeError(f"There is no picture of a {type(self).__name__}: {self._instead}.")
        return getattr(import_module("pt_rankcorr.plots"), self._picture)(self, ax=ax, **how)

    def __str__(self) -> str:
        return self.table().text(most=MOST)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython prints."""
        printer.text(type(self).__name__ if cycle else str(self))

    def _repr_html_(self) -> str:
        return self.table().html(most=MOST)
