"""Files as they come: gzipped or not, of any line ends, named after what they hold; nothing in them is trusted."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO, TextIO, TypeAlias, TypeGuard, cast

from pt_rankcorr.stats.checks import listing

PathName: TypeAlias = str | PathLike[str]
Row: TypeAlias = tuple[int, list[str]]  # the number of its line, its fields

GZIP = b"\x1f\x8b"
SUFFIXES = frozenset({".gz", ".run", ".res", ".txt", ".eval", ".csv", ".tsv"})
SUMMARIES = frozenset({"aggregated.csv", "perquery.csv"})  # PyTerrier writes them beside the runs in its save_dir


@contextmanager
def open_text(path: PathName, expected: str) -> Iterator[TextIO]:
    """Opens a UTF-8 text, gzipped or not, whatever its name says.

    Args:
        path: The file.
        expected: What the file should be, for the message.

    Raises:
        OSError: If the file cannot be opened.
        ValueError: If it is damaged or not text.
    """
    with open(path, "rb") as raw:
        compressed = raw.read(2) == GZIP
        raw.seek(0)
        binary = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if compressed else raw
        try:
            with TextIOWrapper(binary, encoding="utf-8-sig") as text:
                yield text
        except UnicodeDecodeError as error:
            raise ValueError(f"{name_of(path)!r} must be {expected}, got bytes that are not UTF-8 text.") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{name_of(path)!r} must be {expected}, got a damaged gzip file ({error}).") from error


def read_table(path: PathName, expected: str) -> list[Row]:
    """The rows of a table in CSV, separated by commas or tabs, the header first, all as long as it.

    Raises:
        OSError: If the file cannot be opened.
        ValueError: If it is empty or no table.
    """
    with open_text(path, expected) as text:
        first = text.readline()
        reader = csv.reader(chain([first], text), delimiter="\t" if "\t" in first else ",", strict=True)
        try:
            rows = [(reader.line_num, row) for row in reader if row]
        except csv.Error as error:
            raise ValueError(f"{name_of(path)!r} must be {expected}, got {error} in line {reader.line_num}.") from None
    if not rows:
        raise empty(path, expected)
    width = len(rows[0][1])
    for number, row in rows:
        if len(row) != width:
            seen = f"{len(row)} fields instead of {width} in line {number}"
            raise ValueError(f"{name_of(path)!r} must be {expected}, got {seen}.")
    return rows


def not_as_expected(path: PathName, number: int, line: str, expected: str) -> ValueError:
    """The error for a file that is not what it should be: which file, which line, and what was expected there."""
    seen = " ".join(line.split())
    shown = seen if len(seen) <= 60 else f"{seen[:60]}..."
    return ValueError(f"{name_of(path)!r} must be {expected}, got {shown!r} in line {number}.")


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
        named = {str(name): path for name, path in paths.items()}
        _check_paths(named.values(), parameter)
    else:
        named = _by_stem(_listed(paths, parameter), parameter)
    if not named:
        raise ValueError(f"`{parameter}` must name at least one file, got none.")
    return named


def _listed(paths: object, parameter: str) -> list[PathName]:
    if is_path(paths):
        return _files_in(Path(paths), parameter) if Path(paths).is_dir() else [paths]
    if not isinstance(paths, Iterable):
        raise TypeError(f"`{parameter}` must be paths, got {paths!r}.")
    listed = list(paths)
    _check_paths(listed, parameter)
    return listed


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
            raise ValueError(f"`{parameter}` must be one file a system, got two for {name!r}: {both}.")
        named[name] = path
    return named
