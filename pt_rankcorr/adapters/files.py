"""Files as they come: gzipped or not, of any line ends; nothing in them is trusted."""

from __future__ import annotations

import csv
import gzip
import os
import re
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from itertools import chain
from typing import Any, BinaryIO, TextIO, TypeAlias, cast

from pt_rankcorr.adapters.paths import GZIP, PathName, name_of
from pt_rankcorr.stats.core.arguments import whole_number
from pt_rankcorr.text import shown, shown_name

Row: TypeAlias = tuple[int, list[str]]  # the number of its line, its fields

QUOTED = re.compile(r'"[^"]*(?:"|$)')


LONGEST_LINE = 1 << 24  # bytes
MOST_BYTES = 1 << 31  # of a file, unpacked
BLOCK = 1 << 24  # bytes that are read at a time

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
def open_text(
    path: PathName, expected: str, *, newline: str | None = None, never: bytes = b"\0", content: Any = None
) -> Iterator[TextIO]:
    """Opens a UTF-8 text, gzipped or not, whatever its name says: a file, or a pipe, which is read only once.

    Args:
        path: The file.
        expected: What the file should be, for the message.
        newline: As for `open`.
        never: Characters that such a text does not hold.
        content: What was read of the file before, as a whole.
    """
    with _checked(path, expected, never, content) as source:
        encoding = "utf-8-sig" if content is None else "utf-8"
        with TextIOWrapper(BufferedReader(source), encoding=encoding, newline=newline) as text:
            yield text


def read_blocks(path: PathName, expected: str) -> list[bytes]:
    """The same text in blocks, without a byte order mark; characters that it may not hold are let through."""
    with _checked(path, expected, b"") as source:
        blocks = list(iter(partial(source.block, BLOCK), b""))
        if blocks and blocks[0].startswith(BOM_UTF8):
            blocks[0] = blocks[0][len(BOM_UTF8) :]
        if not all(map(bytes.isascii, blocks)):
            b"".join(blocks).decode()
    return blocks


@contextmanager
def _checked(path: PathName, expected: str, never: bytes, content: Any = None) -> Iterator[_Checked]:
    rule = f"{name_of(path)!r} must be {expected}"
    if content is not None:
        yield _Checked(BytesIO(content), never, rule)
        return
    with _open(path, expected) as raw:
        compressed = raw.peek(2)[:2] == GZIP
        try:
            yield _Checked(cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if compressed else raw, never, rule)
        except UnicodeDecodeError as error:
            raise ValueError(f"{rule}, got bytes that are not UTF-8 text.") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{rule}, got a damaged gzip file ({error}).") from error


def _open(path: PathName, expected: str) -> BufferedReader:
    try:
        file = open(path, "rb")  # noqa: SIM115  # by whoever called
    except ValueError:  # no file can have such a name
        raise ValueError(f"{shown(name_of(path))} must be {expected}, got no name of a file.") from None
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
        block = self.block(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def block(self, size: int) -> bytes:
        """At most so many bytes; none at the end."""
        block = self._source.read(size)
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
            raise ValueError(f"{self._rule}, got {seen}. In Python, `max_bytes=` lets more be read.")
        return block


def read_table(path: PathName, expected: str) -> list[Row]:
    """The rows of a table in CSV, separated by commas or tabs, the header first, all as long as it."""
    with open_text(path, expected, newline="") as text:
        return table_in(path, text.readline(), text, expected)


def table_in(path: PathName, first: str, rest: Iterable[str], expected: str) -> list[Row]:
    """The same of a file that is open, of which the first line was read; cells as they stand there."""
    delimiter = "\t" if "\t" in QUOTED.sub("", first) else ","
    reader = csv.reader(chain([first], rest), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ValueError(
            f"{name_of(path)!r} must be {expected}, got {shown_name(error)} in line {reader.line_num}."
        ) from None
    if not rows:
        raise empty_error(path, expected)
    width = len(rows[0][1])
    if width == 1 and all(";" in ",".join(row) for _, row in rows[:2]):  # commas may be those of decimals
        raise ValueError(f"{name_of(path)!r} must be {expected}, separated by commas or tabs, got semicolons.")
    for number, row in rows:
        if len(row) != width:
            seen = f"{len(row)} fields instead of {width} in line {number}"
            raise ValueError(f"{name_of(path)!r} must be {expected}, got {seen}.")
    return rows


def line_error(path: PathName, number: int, line: str, expected: str, hint: str = "") -> ValueError:
    """The error for a file that is not what it should be: which file, which line, and what was expected there."""
    seen = f"{shown(' '.join(line.split()))} in line {number}"
    return ValueError(f"{name_of(path)!r} must be {expected}, got {seen}.{hint}")


def empty_error(path: PathName, expected: str) -> ValueError:
    """The error for a file with nothing in it."""
    return ValueError(f"{name_of(path)!r} must be {expected}, got an empty file.")
