"""Text as columns: the fields of many lines are cut at once, and of a column each distinct text is kept once.

What is not as plain as files mostly are is `Irregular`: it is read line by line elsewhere, where errors are told, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Places: TypeAlias = NDArray[np.int64]

BLOCK = 1 << 16  # bytes that are taken apart at a time: their fields stay in the cache
UNLIKE = (b'"', b"\0")  # what no plain table holds


class Irregular(Exception):
    """A text that is not plain enough to be read as columns."""


def columns_between_blanks(text: bytes, n_fields: int) -> Iterator[list[list[str]]]:
    """The fields between blanks, a list a column, some lines at a time.

    Raises:
        Irregular: If a line has another number of fields; empty lines are left out.
    """
    for block in blocks(text):
        _check_lines(block, n_fields)
        is_ascii = block.isascii()  # else Python would split at blanks of other scripts
        fields = block.decode().split() if is_ascii else [field.decode() for field in block.split()]
        yield [fields[at::n_fields] for at in range(n_fields)]


def columns_between(separator: str, text: bytes, n_fields: int) -> Iterator[list[list[str]]]:
    """The same of fields between commas or tabs, as they stand there.

    Raises:
        Irregular: If a line has another number of fields, or anything is quoted.
    """
    for block in blocks(text):
        bytes_ = np.frombuffer(block, np.uint8)
        is_end = bytes_ == ord("\n")
        ends = is_end[is_end | (bytes_ == ord(separator))]
        if len(ends) % n_fields or any(mark in block for mark in UNLIKE):
            raise Irregular
        by_line = ends.reshape(-1, n_fields)
        if not by_line[:, -1].all() or by_line[:, :-1].any() or block.count(b"\r") != block.count(b"\r\n"):
            raise Irregular
        fields = block.decode().replace("\r\n", "\n").replace("\n", separator).split(separator)
        yield [fields[at:-1:n_fields] for at in range(n_fields)]


def blocks(text: bytes) -> Iterator[bytes]:
    """Whole lines, each with its end."""
    begin = 0
    while begin < len(text):
        end = text.find(b"\n", begin + BLOCK) + 1 or len(text)
        block = text[begin:end]
        yield block if block.endswith(b"\n") else block + b"\n"
        begin = end


def _check_lines(block: bytes, n_fields: int) -> None:
    """Whether each line has so many fields, or none."""
    bytes_ = np.frombuffer(block, np.uint8)
    blank = np.flatnonzero(bytes_ <= ord(" "))
    kind = bytes_[blank]
    if ((kind < ord("\t")) | ((kind > ord("\r")) & (kind < ord(" ")))).any():  # other controls
        raise Irregular
    is_end = (kind == ord("\n")) | (kind == ord("\r"))
    line_of_field = (np.cumsum(is_end) - is_end)[np.diff(blank, prepend=-1) > 1]
    if len(line_of_field) % n_fields:
        raise Irregular
    lines = line_of_field.reshape(-1, n_fields)
    if (lines[:, 0] != lines[:, -1]).any() or (lines[1:, 0] == lines[:-1, -1]).any():
        raise Irregular


def stretches(codes: Places) -> Iterator[tuple[int, int]]:
    """Where each stretch of equal codes begins, and where it has ended."""
    ends = [*(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    return pairwise([0, *ends])


class Numbering(dict[str, int]):
    """The number of each text, by first appearance."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number

    def of(self, texts: Iterable[str]) -> Places:
        return np.fromiter(map(self.__getitem__, texts), np.int64)


class Column(NamedTuple):
    """The texts of a column.

    Attributes:
        codes: Which of the distinct texts is in each row.
        texts: The distinct texts, by first appearance.
    """

    codes: Places
    texts: list[str]

    @classmethod
    def of_blocks(cls, blocks: Iterable[list[list[str]]], n_columns: int) -> list[Column]:
        """The columns of texts that come some rows at a time."""
        numberings = [Numbering() for _ in range(n_columns)]
        codes: list[list[Places]] = [[np.empty(0, np.int64)] for _ in range(n_columns)]
        for block in blocks:
            for numbering, parts, texts in zip(numberings, codes, block, strict=True):
                parts.append(numbering.of(texts))
        return [cls(np.concatenate(parts), list(texts)) for parts, texts in zip(codes, numberings, strict=True)]

    def mapped(self, change: Callable[[str], str]) -> Column:
        """The column with each text changed."""
        changed = [change(text) for text in self.texts]
        if changed == self.texts:
            return self
        numbering = Numbering()
        return Column(numbering.of(changed)[self.codes], list(numbering))

    def where(self, is_so: Callable[[str], bool]) -> NDArray[np.bool_]:
        """The rows whose text is so."""
        return np.array([is_so(text) for text in self.texts], dtype=np.bool_)[self.codes]

    def keep(self, rows: NDArray[np.bool_]) -> Column:
        """The column of some of its rows."""
        codes, used = pd.factorize(self.codes[rows])
        return Column(codes.astype(np.int64), [self.texts[at] for at in used])
