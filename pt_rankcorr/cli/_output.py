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
from pt_rankcorr.stats._text import cut, on_one_line

Cells: TypeAlias = Mapping[str, Any]

FORMATS = ("table", "csv", "jsonl", "latex")
GAP = " "


class CannotWriteError(Exception):
    """Standard output takes no more, as on a full disk."""


@dataclass(frozen=True)
class Line:
    """A line of results.

    Attributes:
        values: All there is, unrounded, for machines.
        shown: What people want to see first; all lines of a result have the same columns.
    """

    values: Cells
    shown: Cells


def write(lines: Iterable[Line], form: str, n_names: int = 1) -> None:
    """Writes results: line by line as they are done, or as a table of all that are done when the last one is.

    Args:
        lines: They are taken one by one. If that fails, or is interrupted, the table of those that are done is written.
        form: One of `FORMATS`.
        n_names: How many columns say what a line is about.
    """
    if form in ("csv", "jsonl"):
        for text in _csv(lines) if form == "csv" else _json(lines):
            emit(text)
        return
    done: list[Cells] = []
    try:
        for line in lines:
            done.append(line.shown)
    finally:
        if done:
            emit(table(done, n_names) if form == "table" else latex(done, n_names))


def emit(text: str) -> None:
    """Writes a text and a line end to standard output, at once.

    Raises:
        BrokenPipeError: If nobody reads it any more.
        CannotWriteError: If it cannot be written.
    """
    if sys.stdout is None:
        raise CannotWriteError("cannot write the results: there is no standard output")
    encoding = sys.stdout.encoding or "utf-8"
    with above_progress(sys.stdout), written():
        print(text.encode(encoding, "backslashreplace").decode(encoding))  # noqa: T201


@contextmanager
def written() -> Iterator[None]:
    """Sees to it that what is written to standard output while it lasts is there when it ends.

    Raises:
        BrokenPipeError: If nobody reads it any more.
        CannotWriteError: If it cannot be written.
    """
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
    columns = [_aligned(column, rows, left=at < n_names) for at, column in enumerate(rows[0])]
    names, others = columns[:n_names], columns[n_names:]
    parts = _parts(names, others, shutil.get_terminal_size((0, 0)).columns or sys.maxsize)
    return "\n\n".join("\n".join(GAP.join(cells).rstrip() for cells in zip(*part, strict=True)) for part in parts)


def _aligned(column: str, rows: Sequence[Cells], *, left: bool) -> list[str]:
    texts = [cut(on_one_line(text)) for text in (column, *(cell(column, row[column]) for row in rows))]
    width = max(map(len, texts))
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def _parts(names: list[list[str]], others: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    part = list(names)
    for column in others:
        if len(part) > len(names) and sum(len(each[0]) + len(GAP) for each in [*part, column]) - len(GAP) > width:
            yield part
            part = list(names)
        part.append(column)
    yield part


def cell(column: str, value: Any) -> str:
    """A value as people want it: three decimals, and for p-values and ranks digits of their own."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return ""
    if "p-value" in column:
        return f"{value:.2g}"  # never 0
    return f"{value:g}" if " rank" in column and not column.endswith("first") else f"{round(value, 3) + 0.0:.3f}"


def latex(rows: Sequence[Cells], n_names: int) -> str:
    """A tabular with the rules of the package booktabs."""
    from pt_rankcorr.reporting.latex import escaped  # here, for --help is not to wait for it

    header = list(rows[0])
    lines = [header, *([cell(column, row[column]) for column in header] for row in rows)]
    head, *body = (" & ".join(escaped(on_one_line(text)) for text in line) + r" \\" for line in lines)
    alignment = "l" * n_names + "r" * (len(header) - n_names)
    begin = [f"\\begin{{tabular}}{{{alignment}}}", r"\toprule", head, r"\midrule"]
    return "\n".join([*begin, *body, r"\bottomrule", r"\end{tabular}"])


# --- for machines -------------------------------------------------------------------------------------------


def _csv(lines: Iterable[Line]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == 0:
            yield _csv_row(line.values.keys())
        yield _csv_row(line.values.values())


def _csv_row(values: Iterable[Any]) -> str:
    text = StringIO()
    csv.writer(text).writerow(map(_csv_cell, values))
    return text.getvalue().removesuffix("\r\n")


def _csv_cell(value: Any) -> Any:
    return as_cell(value) if isinstance(value, str) else "" if _is_nan(value) else value


def _json(lines: Iterable[Line]) -> Iterator[str]:
    for line in lines:
        yield json.dumps({name: _json_value(value) for name, value in line.values.items()}, allow_nan=False)


def _json_value(value: Any) -> Any:
    """JSON has neither nan nor infinity."""
    return None if _is_nan(value) else str(value) if isinstance(value, float) and math.isinf(value) else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
