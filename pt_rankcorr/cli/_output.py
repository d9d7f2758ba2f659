"""Results on standard output: a table for people, CSV, JSON lines or LaTeX."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import Any, TypeAlias

from pt_rankcorr.adapters.spreadsheets import as_cell
from pt_rankcorr.cli._messages import above_progress
from pt_rankcorr.numbers import column
from pt_rankcorr.showing import tabulars
from pt_rankcorr.text import cut, on_one_line

Cells: TypeAlias = Mapping[str, Any]

FORMATS = ("table", "csv", "jsonl", "latex")
GAP = " "


class CannotWriteError(Exception):
    """Standard output takes no more, as on a full disk."""


@dataclass(frozen=True)
class Line:
    """A line of results."""

    values: Cells  # everything, unrounded, for machines
    shown: Cells  # what people see; all lines of a result have the same columns


class Output:
    """Results on standard output, in one of `FORMATS`: line by line as they are finished, or as a table at the end.

    Use it in a `with` statement: if the statement fails or is interrupted, the table has the lines that are finished.
    The first `n_names` columns say what a line is about.
    """

    def __init__(self, form: str, n_names: int = 1) -> None:
        self._form, self._n_names = form, n_names
        self._done: list[Cells] = []

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        if self._done and self._form in TABLES:
            emit(TABLES[self._form](self._done, self._n_names))

    def add(self, line: Line) -> None:
        """One line more."""
        if self._form == "csv" and not self._done:
            emit(_csv(line.values.keys()))
        if self._form not in TABLES:
            emit(_csv(line.values.values()) if self._form == "csv" else _json(line.values))
        self._done.append(line.shown)


def emit(text: str) -> None:
    """Writes a text and a line end to standard output, at once."""
    if sys.stdout is None:
        raise CannotWriteError("cannot write the results: there is no standard output")
    encoding = sys.stdout.encoding or "utf-8"
    with above_progress(sys.stdout), flush_output():
        print(text.encode(encoding, "backslashreplace").decode(encoding))  # noqa: T201


@contextmanager
def flush_output() -> Iterator[None]:
    """Sees to it that what is written to standard output while it lasts is there when it ends."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWriteError(f"cannot write the results: {error.strerror}") from error


def leave_output() -> None:
    """Lets what was not written go nowhere, so that Python does not try again when it ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- for people ---------------------------------------------------------------------------------------------


def table(rows: Sequence[Cells], n_names: int) -> str:
    """Columns side by side; in a terminal that is too narrow in several parts, each with the names."""
    columns = [_align(name, rows, left=at < n_names) for at, name in enumerate(rows[0])]
    names, others = columns[:n_names], columns[n_names:]
    parts = _parts(names, others, shutil.get_terminal_size((0, 0)).columns or sys.maxsize)
    return "\n\n".join("\n".join(GAP.join(cells).rstrip() for cells in zip(*part, strict=True)) for part in parts)


def _align(name: str, rows: Sequence[Cells], *, left: bool) -> list[str]:
    texts = [cut(text) for text in (on_one_line(name), *_texts(name, rows))]
    width = max(map(len, texts))
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def _parts(names: list[list[str]], others: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    part = list(names)
    for each in others:
        if len(part) > len(names) and sum(len(cells[0]) + len(GAP) for cells in [*part, each]) - len(GAP) > width:
            yield part
            part = list(names)
        part.append(each)
    yield part


def _texts(name: str, rows: Sequence[Cells]) -> list[str]:
    """A column as all tables show it; nothing where there is no value."""
    return [on_one_line(text) for text in column(name, [row[name] for row in rows], undefined="")]


def latex(rows: Sequence[Cells], n_names: int) -> str:
    """LaTeX with the rules of the package booktabs."""
    from pt_rankcorr.latex import Entry

    columns = [_texts(name, rows) for name in rows[0]]
    entries = [[Entry(text) for text in texts] for texts in zip(*columns, strict=True)]
    return tabulars([*map(on_one_line, rows[0])], entries, n_names)


TABLES = {"table": table, "latex": latex}  # forms that need all lines


# --- for machines -------------------------------------------------------------------------------------------


def _csv(values: Iterable[Any]) -> str:
    text = StringIO()
    csv.writer(text).writerow(map(_csv_cell, values))
    return text.getvalue().removesuffix("\r\n")


def _csv_cell(value: Any) -> Any:
    return as_cell(value) if isinstance(value, str) else "" if _is_nan(value) else value


def _json(values: Cells) -> str:
    return json.dumps({name: _json_value(value) for name, value in values.items()}, allow_nan=False)


def _json_value(value: Any) -> Any:
    """JSON has neither nan nor infinity, nor the halves of characters that names of files may hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return None if _is_nan(value) else str(value) if isinstance(value, float) and math.isinf(value) else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
