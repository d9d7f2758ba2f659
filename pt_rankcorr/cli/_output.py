"""Results on standard output: a table for people, CSV, JSON lines or LaTeX."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from pt_rankcorr.cli._messages import above_progress
from pt_rankcorr.tables.kinds import WORD, kind_of
from pt_rankcorr.tables.machines import csv_line, json_line
from pt_rankcorr.tables.table import Table, constant, joined

Cells: TypeAlias = Mapping[str, Any]

FORMATS = ("table", "csv", "jsonl", "latex")
GAP = " "


class CannotWriteError(Exception):
    """Standard output takes no more, as on a full disk."""


@dataclass(frozen=True)
class Line:
    """A line of results, as a table of one row."""

    values: Cells  # everything, unrounded, for machines
    shown: Cells  # what people see; all lines of a result have the same columns

    def table(self, n_names: int) -> Table:
        """The first columns that people see say what a line is about."""
        machine = (constant(name, value, shown=False) for name, value in self.values.items())
        kinds = [*[WORD] * n_names, *map(kind_of, [*self.shown][n_names:])]
        people = (
            constant(f"shown {name}", value, kind, title=name, machine=False)
            for (name, value), kind in zip(self.shown.items(), kinds, strict=False)
        )
        return Table((*machine, *people), [self], n_names)


class Output:
    """Results on standard output, in one of `FORMATS`: line by line as they are finished, or as a table at the end.

    Use it in a `with` statement: if the statement fails or is interrupted, the table has the lines that are finished.
    Of a `Line`, the first `n_names` columns say what it is about.
    """

    def __init__(self, form: str, n_names: int = 1, *, wide: bool = True) -> None:
        self._form, self._n_names, self._wide = form, n_names, wide
        self._done: list[Table] = []

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        if self._done and self._form in TABLES:
            emit(TABLES[self._form](joined(self._done), wide=self._wide))

    def add(self, finished: Line | Table) -> None:
        """One line more, or the rows of a table of the same columns."""
        table = finished.table(self._n_names) if isinstance(finished, Line) else finished
        if self._form not in TABLES:
            records = table.records()
            if self._form == "csv" and not self._done and records:
                emit(csv_line(records[0]))
            for record in records:
                emit(csv_line(record.values()) if self._form == "csv" else json_line(record))
        self._done.append(table)


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


def in_terminal(table: Table, *, wide: bool = True) -> str:
    """Columns side by side; in a terminal that is too narrow in several parts, each with the names."""
    width = shutil.get_terminal_size((0, 0)).columns or sys.maxsize
    return table.text(wide=wide, gap=GAP, width=width)


TABLES = {"table": in_terminal, "latex": Table.latex}  # forms that need all lines


def table(rows: Sequence[Cells], n_names: int = 1) -> str:
    """Lines that people see, as a table."""
    return in_terminal(joined([Line({}, row).table(n_names) for row in rows]))
