"""Lines of equally many fields as columns: by the reader of pandas or, where lines are not so plain, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from csv import QUOTE_NONE
from io import BytesIO
from typing import Any, NamedTuple

import pandas as pd

from pt_rankcorr.adapters.fields import SEPARATORS, fields
from pt_rankcorr.adapters.files import line_error, open_text
from pt_rankcorr.adapters.paths import PathName

BLOCK = 1 << 21  # characters that are parsed at a time
LINE = 1 << 8  # of which the first line hardly ever has more
# which gives the nearest float: later ones do without being told
NEAREST: Any = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}


class Layout(NamedTuple):
    """What the lines of a file hold.

    Attributes:
        expected: The file in words, for messages.
        names: Its fields.
        number: Which of them is a number.
        kinds: The kinds of arrays that hold nothing but such numbers.
        largest: The largest size of such a number.
        hints: How many fields lines of another file have -> what is said of them.
    """

    expected: str
    names: Sequence[str]
    number: str
    kinds: str
    largest: float
    hints: dict[int, str]

    def row(self, path: PathName, number: int, line: str, as_number: Callable[[str], float]) -> list[Any]:
        """The fields of a line, none of an empty one; an error if it is no such line."""
        found: list[Any] = fields(line)
        try:
            if found and len(found) != len(self.names):
                raise ValueError
            at = self.names.index(self.number)
            found[at : at + 1] = map(as_number, found[at : at + 1])
        except ValueError:
            raise line_error(path, number, line, self.expected, self.hints.get(len(found), "")) from None
        return found


def blocks_of(path: PathName, layout: Layout, as_number: Callable[[str], float]) -> Iterator[pd.DataFrame]:
    """The lines of a file that are not empty, some at a time, a column a field.

    Args:
        path: The file.
        layout: What its lines hold.
        as_number: Makes a number of a text; ValueError if it is none. Of `kinds`, and up to `largest`, it takes all.
    """
    first = 1
    with open_text(path, layout.expected, never=SEPARATORS) as text:
        while block := text.read(BLOCK) + text.readline():
            found = _parsed(block, layout)
            if found is None:
                numbered = enumerate(block.split("\n"), first)
                rows = [row for each in numbered if (row := layout.row(path, *each, as_number))]
                found = pd.DataFrame(rows, columns=[*layout.names])
            if len(found):
                yield found
            first += block.count("\n")


def _parsed(block: str, layout: Layout) -> pd.DataFrame | None:
    """The lines as pandas parses them; None where these may be other fields or numbers than those that are there."""
    if not block.isascii() or "\v" in block or "\f" in block:
        return None
    text = [at for at, name in enumerate(layout.names) if name != layout.number]
    try:
        found = pd.read_csv(
            BytesIO(block.encode()),
            sep=r"\s+" if "\t" in block or "  " in block[:LINE] else " ",  # which takes half as long
            header=None,
            dtype=dict.fromkeys(text, object),
            quoting=QUOTE_NONE,
            na_filter=False,
            low_memory=False,
            **NEAREST,
        )
    except ValueError:
        return None
    # fields are empty where there are fewer, or two blanks
    if found.shape[1] != len(layout.names) or not all((found[at].to_numpy() != "").all() for at in text):
        return None
    found.columns = pd.Index(layout.names)
    numbers = found[layout.number]
    plain = numbers.dtype.kind in layout.kinds and numbers.between(-layout.largest, layout.largest).all()
    return found if plain else None
