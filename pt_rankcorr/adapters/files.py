"""Files as they come: gzipped or not, of any line ends, named after what they hold; nothing in them is trusted."""

from __future__ import annotations

import csv
import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader, RawIOBase, TextIOWrapper
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeAlias, TypeGuard, cast

from pt_rankcorr.adapters.spreadsheets import as_name
from pt_rankcorr.labels import labels
from pt_rankcorr.stats._text import shown, shown_name
from pt_rankcorr.stats.checks import listing

PathName: TypeAlias = str | PathLike[str]
Row: TypeAlias = tuple[int, list[str]]  # the number of its line, its fields

GZIP = b"\x1f\x8b"
QUOTED = re.compile(r'"[^"]*(?:"|$)')
SUFFIXES = frozenset({".gz", ".run", ".res", ".txt", ".eval", ".csv", ".tsv"})
SUMMARIES = frozenset({"aggregated.csv", "perquery.csv"})  # PyTerrier writes them beside the runs in its save_dir


@contextmanager
def open_text(path: PathName, expected: str, *, newline: str | None = None, never: bytes = b"\0") -> Iterator[TextIO]:
    """Opens a UTF-8 text, gzipped or not, whatever its name says: a file, or a pipe, which is read only once.

    Args:
        path: The file.
        expected: What the file should be, for the message.
        newline: As for `open`.
        never: Characters that such a text does not hold.

    Raises:
        OSError: If the file cannot be opened.
        ValueError: If it is damaged, not text or no file.
    """
    with _opened(path, expected) as raw:
        compressed = raw.peek(2)[:2] == GZIP
        binary = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if compressed else raw
        checked = BufferedReader(_Checked(binary, never, f"{name_of(path)!r} must be {expected}"))
        try:
            with TextIOWrapper(checked, encoding="utf-8-sig", newline=newline) as text:
                yield text
        except UnicodeDecodeError as error:
            raise ValueError(f"{name_of(path)!r} must be {expected}, got bytes that are not UTF-8 text.") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{name_of(path)!r} must be {expected}, got a damaged gzip file ({error}).") from error


def _opened(path: PathName, expected: str) -> BufferedReader:
    try:
        file = open(path, "rb")  # noqa: SIM115  # by whoever called
    except ValueError:  # no file can have such a name
        raise ValueError(f"{shown(name_of(path))} must be {expected}, got no name of a file.") from None
    if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):  # some have no end
        file.close()
        raise ValueError(f"{name_of(path)!r} must be {expected}, got a device.")
    return file


class _Checked(RawIOBase):
    """The bytes of a text, which ends with an error where they are those of no text."""

    def __init__(self, source: BinaryIO, never: bytes, rule: str) -> None:
        self._source, self._never, self._rule = source, never, rule

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._source.read(len(buffer))
        found = next((byte for byte in self._never if byte in block), None)
        if found is not None:
            raise ValueError(f"{self._rule}, got bytes that are not UTF-8 text ({found:#04x}).")
        buffer[: len(block)] = block
        return len(block)


def read_table(path: PathName, expected: str) -> list[Row]:
    """The rows of a table in CSV, separated by commas or tabs, the header first, all as long as it.

    Raises:
        OSError: If the file cannot be opened.
        ValueError: If it is empty or no table.
    """
    with open_text(path, expected, newline="") as text:
        rows = table_in(path, text.readline(), text, expected)
    return [(number, list(map(as_name, row))) for number, row in rows]


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
        raise empty(path, expected)
    width = len(rows[0][1])
    if width == 1 and all(";" in ",".join(row) for _, row in rows[:2]):  # commas may be those of decimals
        raise ValueError(f"{name_of(path)!r} must be {expected}, separated by commas or tabs, got semicolons.")
    for number, row in rows:
        if len(row) != width:
            seen = f"{len(row)} fields instead of {width} in line {number}"
            raise ValueError(f"{name_of(path)!r} must be {expected}, got {seen}.")
    return rows


def not_as_expected(path: PathName, number: int, line: str, expected: str) -> ValueError:
    """The error for a file that is not what it should be: which file, which line, and what was expected there."""
    return ValueError(f"{name_of(path)!r} must be {expected}, got {shown(' '.join(line.split()))} in line {number}.")


def empty(path: PathName, expected: str) -> ValueError:
    """The error for a file with nothing in it."""
    return ValueError(f"{name_of(path)!r} must be {expected}, got an empty file.")


def is_path(value: object) -> TypeGuard[PathName]:
    """Whether a value names a file."""
    return isinstance(value, (str, PathLike))


def name_of(path: PathName) -> str:
    """The path as text, for messages."""
    return str(fspath(path))


def stem(path: PathName) -> str:
    """The name of what a file holds: its own without .gz, .run, .res, .txt, .eval, .csv and .tsv at the end."""
    name = Path(path).name
    while len(name) > len(suffix := Path(name).suffix) and suffix.lower() in SUFFIXES:
        name = name[: -len(suffix)]
    return name


def named_files(paths: object, parameter: str) -> dict[str, PathName]:
    """Name -> file, from a folder, one file or several, which are named by `stem`, or from a mapping of that kind.

    Raises:
        TypeError: If something is not a path.
        ValueError: If there are none, or two files have one name.
    """
    if isinstance(paths, Mapping):
        named = by_name(paths, parameter)
        _check_paths(named.values(), parameter)
    else:
        named = _by_stem(_listed(paths, parameter), parameter)
    if not named:
        raise ValueError(f"`{parameter}` must name at least one file, got none.")
    return named


def by_name(mapping: Mapping[Any, Any], parameter: str) -> dict[str, Any]:
    """The mapping with names as text.

    Raises:
        TypeError: If a name is none.
        ValueError: If two names are one and the same text.
    """
    names = labels(list(mapping), len(mapping), parameter, "")
    return dict(zip(names, mapping.values(), strict=True))


def _listed(paths: object, parameter: str) -> list[PathName]:
    if is_path(paths):
        return _files_in(Path(paths), parameter) if Path(paths).is_dir() else [paths]
    return listed(paths, parameter)


def listed(paths: object, parameter: str) -> list[PathName]:
    """Several paths.

    Raises:
        TypeError: If they are something else.
    """
    if not isinstance(paths, Iterable) or isinstance(paths, (bytes, bytearray)):
        raise TypeError(f"`{parameter}` must be paths, got {shown(paths)}.")
    several = list(paths)
    _check_paths(several, parameter)
    return several


def _files_in(folder: Path, parameter: str) -> list[PathName]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    kept: list[PathName] = [path for path in files if path.name not in SUMMARIES]
    if not kept:
        raise ValueError(f"`{parameter}` must be a folder with files in it, got {name_of(folder)!r} without any.")
    return kept


def _check_paths(paths: Iterable[object], parameter: str) -> None:
    kinds = {type(path).__name__ for path in paths if not is_path(path)}
    if kinds:
        raise TypeError(f"`{parameter}` must be paths (or a mapping from names), got objects of type {listing(kinds)}.")


def _by_stem(paths: Iterable[PathName], parameter: str) -> dict[str, PathName]:
    named: dict[str, PathName] = {}
    for path in paths:
        name = stem(path)
        if name in named:
            both = f"{name_of(named[name])!r} and {name_of(path)!r}"
            raise ValueError(f"`{parameter}` must be one file a system, got two for {shown(name)}: {both}.")
        named[name] = path
    return named
