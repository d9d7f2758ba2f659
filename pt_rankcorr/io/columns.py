"""Lines with equal numbers of fields as columns: read by pandas or, if lines are irregular, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from csv import QUOTE_NONE
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.io.fields import SEPARATORS, fields
from pt_rankcorr.io.files import line_error, open_text
from pt_rankcorr.io.paths import PathName

BLOCK = 1 << 21  # characters that are parsed at a time
# which gives the nearest float: later ones do without being told
NEAREST: Any = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}


class Layout(NamedTuple):
    """What the lines of a file hold.

    Attributes:
        expected: The file in words, for messages.
        names: Its fields; "" where they are not read.
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
                found = pd.DataFrame(rows, columns=[*layout.names]).drop(columns="", errors="ignore")
            if len(found):
                yield found
            first += block.count("\n")


def _parsed(block: str, layout: Layout) -> pd.DataFrame | None:
    """The lines as pandas parses them; None where it may see other fields or numbers than those that are there."""
    if not block.isascii() or "\v" in block or "\f" in block:
        return None
    text = block.encode() + b"\n" * (not block.endswith("\n"))
    separator = _separator(text, len(layout.names))
    if separator is None:
        return None
    read = {at: name for at, name in enumerate(layout.names) if name}
    found = pd.read_csv(
        BytesIO(text),
        sep=separator,
        header=None,
        usecols=[*read],
        dtype={at: object for at, name in read.items() if name != layout.number},
        quoting=QUOTE_NONE,
        na_filter=False,
        low_memory=False,
        **NEAREST,
    ).rename(columns=read)
    numbers = found[layout.number]
    plain = numbers.dtype.kind in layout.kinds and numbers.between(-layout.largest, layout.largest).all()
    return found if plain else None


def _separator(text: bytes, n_fields: int) -> str | None:
    """What stands between the fields of lines; None unless each has so many, of which pandas would say nothing."""
    characters = np.frombuffer(text, np.uint8)
    is_end = characters == ord("\n")
    is_blank = is_end | (characters == ord(" ")) | (characters == ord("\t"))
    begins, ends = np.flatnonzero(np.append(True, is_blank[:-1]) & ~is_blank), np.flatnonzero(is_end)
    if len(begins) != n_fields * len(ends):
        return None
    if (begins[n_fields - 1 :: n_fields] > ends).any() or (begins[n_fields::n_fields] < ends[:-1]).any():
        return None
    is_one_space = b"\t" not in text and np.count_nonzero(is_blank) == len(begins)
    return " " if is_one_space else r"\s+"  # which takes twice as long
