"""How results show themselves: printed, in a notebook, as LaTeX, and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from pt_rankcorr.numbers import column
from pt_rankcorr.text import cut, on_one_line, visible, visible_lines

if TYPE_CHECKING:
    import pandas as pd

    from pt_rankcorr.latex import Entry, Grid

MOST = 30  # rows that are shown: a result of many systems has thousands of pairs
LINES_OF_A_PAGE = 40  # of LaTeX


class Shown:
    """A table between sentences: what `_answer`, `_table` and `_note` say is printed, and shown in notebooks.

    LaTeX is the table alone.
    """

    _picture: ClassVar[str | None] = None  # the function of `pt_rankcorr.plots` that draws it
    _instead: ClassVar[str] = "see `pt_rankcorr.plots` for those there are"  # what to draw where there is none

    def _table(self) -> Mapping[str, Any]:
        """Name of a column -> a value a row, unrounded or as a text, what matters most first."""
        raise NotImplementedError

    def _answer(self) -> str:
        """What was found, in plain words, above the table."""
        return ""

    def _note(self) -> str:
        """What was computed, and how."""
        return ""

    def to_frame(self) -> pd.DataFrame:
        """The table, unrounded."""
        import pandas as pd

        return pd.DataFrame(dict(self._table()))

    def to_latex(self) -> str:
        """All rows as a `tabular` with the rules of the package booktabs; several, or a `longtable`, if it is large."""
        from pt_rankcorr.latex import Entry

        table = self._table()
        columns = {on_one_line(name): [*map(on_one_line, column(name, values))] for name, values in table.items()}
        rows = [[Entry(text) for text in row] for row in zip(*columns.values(), strict=True)]
        return tabulars(list(columns), rows, _n_names(table))

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
        columns, n_names, notes = self._first_rows()
        aligned = [_aligned([name, *texts], left=at < n_names) for at, (name, texts) in enumerate(columns.items())]
        lines = ("  ".join(row).rstrip() for row in zip(*aligned, strict=True))
        return visible_lines("\n".join([*filter(None, [self._answer()]), *lines, *notes]))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython prints."""
        printer.text(type(self).__name__ if cycle else str(self))

    def _repr_html_(self) -> str:
        columns, n_names, notes = self._first_rows()
        head = "".join(_html("th", name, left=at < n_names) for at, name in enumerate(columns))
        rows = (
            "".join(_html("td", text, left=at < n_names) for at, text in enumerate(row))
            for row in zip(*columns.values(), strict=True)
        )
        body = "\n".join(f"<tr>{row}</tr>" for row in rows)
        above, below = _paragraphs(filter(None, [self._answer()])), _paragraphs(notes)
        return f"{above}<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{below}"

    def _first_rows(self) -> tuple[dict[str, list[str]], int, list[str]]:
        """What is shown: the columns, how many of them name the rows, and the sentences below."""
        table = self._table()
        n_rows = max(map(len, table.values()), default=0)
        more = f"... and {n_rows - MOST} rows more, which to_frame() has." if n_rows > MOST else ""
        first = {name: values[:MOST] for name, values in table.items()}
        return _texts(first), _n_names(first), [text for text in (more, self._note()) if text]


def _texts(table: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names on one line and not too long, numbers with few digits."""
    return {
        cut(on_one_line(name)): [cut(on_one_line(text)) for text in column(name, values)]
        for name, values in table.items()
    }


def _n_names(table: Mapping[str, Any]) -> int:
    """The number of columns in front that hold words."""
    words = [all(isinstance(value, str) for value in values) for values in table.values()]
    return words.index(False) if False in words else min(1, len(words))


def _aligned(texts: Sequence[str], *, left: bool) -> list[str]:
    width = max(map(len, texts))
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{escape(visible(on_one_line(sentence)))}</p>" for sentence in sentences)


def _html(tag: str, text: str, *, left: bool) -> str:
    return f'<{tag} style="text-align: {"left" if left else "right"}">{escape(text)}</{tag}>'


# --- LaTeX --------------------------------------------------------------------------------------------------


def tabulars(heads: Sequence[str], rows: Sequence[Sequence[Entry]], n_names: int) -> str:
    """A tabular with the rules of the package booktabs; several, or a longtable, where a page is too small.

    The first `n_names` columns say what a row is about, and are repeated in each part. Below stands what was cut.
    """
    from pt_rankcorr.latex import grids, with_letters_told

    parts, key = grids(heads, rows, [at < n_names for at in range(len(heads))], n_names)
    return with_letters_told("\n\n".join([*map(_tabular, parts), *filter(None, [key])]))


def _tabular(grid: Grid) -> str:
    head, *body = grid.lines
    kind, more = ("longtable", [r"\endhead"]) if grid.height > LINES_OF_A_PAGE else ("tabular", [])
    begin = [f"\\begin{{{kind}}}{{{grid.alignment}}}", r"\toprule", head, r"\midrule", *more]
    lines = [*begin, *body, r"\bottomrule", f"\\end{{{kind}}}"]
    return "\n".join(["{" + grid.type.source, *lines, "}"] if grid.type.source else lines)
