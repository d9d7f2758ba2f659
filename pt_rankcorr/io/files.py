"""Files as they come: gzipped or not, of any line ends; nothing in them is trusted."""

from __future__ import annotations

import csv
import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader, RawIOBase, TextIOWrapper
from itertools import chain, islice
from typing import Any, BinaryIO, TextIO, TypeAlias, cast

from pt_rankcorr.io.paths import GZIP, PathName, name_of
from pt_rankcorr.stats.core.arguments import whole_number
from pt_rankcorr.text import shown, shown_name

Row: TypeAlias = tuple[int, list[str]]  # the number of its line, its fields

QUOTED = re.compile(r'"[^"]*(?:"|$)')
LONGEST_LINE = 1 << 24  # bytes
MOST_BYTES = 1 << 31  # of a file, unpacked
BLOCK = 1 << 17  # bytes that are read at a time
AT_ONCE = 1 << 9  # rows that are taken apart at a time

_most_bytes = ContextVar("most_bytes", default=MOST_BYTES)


@contextmanager
def reading_at_most(max_bytes: object) -> Iterator[None]:
    """Within it no file of more bytes is read."""
    token = _most_bytes.set(whole_number("max_bytes", max_bytes, at_least=1))
    try:
        yield
    finally:
        _most_bytes.reset(token)


@contextmanager
def open_text(path: PathName, expected: str, *, newline: str | None = None, never: bytes = b"\0") -> Iterator[TextIO]:
    """Opens a UTF-8 text, gzipped or not, whatever its name says: a file, or a pipe, which is read only once.

    Args:
        path: The file.
        expected: What the file should be, for the message.
        newline: As for `open`.
        never: Characters that such a text does not hold.
    """
    rule = f"{name_of(path)!r} must be {expected}"
    with _open(path, expected) as raw:
        source = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if raw.peek(2)[:2] == GZIP else raw
        checked = BufferedReader(_Checked(source, never, rule), BLOCK)
        try:
            with TextIOWrapper(checked, encoding="utf-8-sig", newline=newline) as text:
                text._CHUNK_SIZE = BLOCK  # type: ignore[attr-defined]  # else it asks for 8 KiB at a time
                yield text
        except UnicodeDecodeError as error:
            raise ValueError(f"{rule}, got bytes that are not UTF-8 text.") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{rule}, got a damaged gzip file ({error}).") from error


def _open(path: PathName, expected: str) -> BufferedReader:
    try:
        file = open(path, "rb")  # noqa: SIM115  # by whoever called
    except ValueError:  # no file can have such a name
        raise ValueError(f"{shown(name_of(path))} must be {expected}, got a name that no file can have.") from None
    if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):  # some have no end
        file.close()
        raise ValueError(f"{name_of(path)!r} must be {expected}, got a device.")
    return file


class _Checked(RawIOBase):
    """The bytes of a text, which ends with an error where they are those of no text, or too many."""

    def __init__(self, source: BinaryIO, never: bytes, rule: str) -> None:
        self._source, self._never, self._rule = source, never, rule
        self._left, self._of_line = _most_bytes.get(), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._source.read(len(buffer))
        found = next((byte for byte in self._never if byte in block), None)
        if found is not None:
            raise ValueError(f"{self._rule}, got bytes that are not UTF-8 text ({found:#04x}).")
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        self._of_line = len(block) - end if end else self._of_line + len(block)
        self._left -= len(block)
        if self._of_line > LONGEST_LINE:
            raise ValueError(f"{self._rule}, got a line of more than {LONGEST_LINE >> 20} MiB.")
        if self._left < 0:
            seen = f"more than {_most_bytes.get():,} bytes (unpacked)"
            raise ValueError(f"{self._rule}, got {seen}. In Python, `max_bytes=` raises the limit.")
        buffer[: len(block)] = block
        return len(block)


def rows_of_csv(path: PathName, text: TextIO, first: str, expected: str) -> Iterator[Row]:
    """The rows of a table in CSV, separated by commas or tabs, all as long as the first; cells as they stand there."""
    delimiter = "\t" if "\t" in QUOTED.sub("", first) else ","
    second = text.readline()
    if delimiter not in first and ";" in first and (";" in second or not second):  # commas may be those of decimals
        raise ValueError(f"{name_of(path)!r} must be {expected}, separated by commas or tabs, got semicolons.")
    reader, width = csv.reader(chain([first, second], text), delimiter=delimiter, strict=True), 0
    try:
        for row in filter(None, reader):
            width = width or len(row)
            if len(row) != width:
                seen = f"{len(row)} fields instead of {width} in line {reader.line_num}"
                raise ValueError(f"{name_of(path)!r} must be {expected}, got {seen}.")
            yield reader.line_num, row
    except csv.Error as error:
        seen = f"{shown_name(error)} in line {reader.line_num}"
        raise ValueError(f"{name_of(path)!r} must be {expected}, got {seen}.") from None


def in_columns(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """The columns of rows, some rows at a time: they stay in the cache."""
    rows = iter(rows)
    while block := list(islice(rows, AT_ONCE)):
        yield list(zip(*block, strict=True))


def line_error(path: PathName, number: int, line: str, expected: str, hint: str = "") -> ValueError:
    """The error for a file that is not what it should be: which file, which line, and what was expected there."""
    seen = f"{shown(' '.join(line.split()))} in line {number}"
    return ValueError(f"{name_of(path)!r} must be {expected}, got {seen}.{hint}")


def empty_error(path: PathName, expected: str) -> ValueError:
    """The error for a file with nothing in it."""
    return ValueError(f"{name_of(path)!r} must be {expected}, got an empty file.")
