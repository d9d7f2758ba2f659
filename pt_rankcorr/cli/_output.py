"""Results on standard output: a table for people, CSV, JSON lines or LaTeX."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pt_rankcorr.cli._messages import above_progress
from pt_rankcorr.tables import Table, joined
from pt_rankcorr.writers import csv_line, json_line

FORMATS = ("table", "csv", "jsonl", "latex")


class CannotWriteError(Exception):
    """Standard output cannot be written, as on a full disk."""


class Output:
    """Results on standard output, in one of `FORMATS`: rows when they are finished, or a table at the end.

    Use it in a `with` statement: after an error or an interrupt, the table has the finished rows.
    """

    def __init__(self, form: str, *, wide: bool = True) -> None:
        self._form, self._wide = form, wide
        self._done: list[Table] = []

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        if self._done and self._form in TABLES:
            emit(TABLES[self._form](joined(self._done), wide=self._wide))

    def add(self, table: Table) -> None:
        """Adds the rows of a table, whose columns are always the same."""
        if self._form not in TABLES:
            records = table.records()
            if self._form == "csv" and not self._done and records:
                emit(csv_line(records[0]))
            for record in records:
                emit(csv_line(record.values()) if self._form == "csv" else json_line(record))
        self._done.append(table)


def emit(text: str) -> None:
    """Writes a text and a line end to standard output, without delay."""
    if sys.stdout is None:
        raise CannotWriteError("cannot write the results: there is no standard output")
    encoding = sys.stdout.encoding or "utf-8"
    with above_progress(sys.stdout), flush_output():
        print(text.encode(encoding, "backslashreplace").decode(encoding))  # noqa: T201


@contextmanager
def flush_output() -> Iterator[None]:
    """Flushes standard output when it ends."""
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
    """Discards what was not written, so that Python does not try again when it ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- for people ---------------------------------------------------------------------------------------------


def in_terminal(table: Table, *, wide: bool = True) -> str:
    """Columns side by side; in a narrow terminal in several parts, each with the names."""
    width = shutil.get_terminal_size((0, 0)).columns or sys.maxsize
    return table.text(wide=wide, width=width)


TABLES = {"table": in_terminal, "latex": Table.latex}  # formats that need all rows
