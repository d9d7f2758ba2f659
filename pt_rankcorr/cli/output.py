"""What commands write: results on standard output, messages on standard error, and pictures."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are a package of their own

from pt_rankcorr import atomic_write
from pt_rankcorr.defaults import UnnamedCollection
from pt_rankcorr.tables import Table, facts, joined
from pt_rankcorr.text import on_one_line
from pt_rankcorr.warnings import shown_by
from pt_rankcorr.writers import csv_line, json_line


class UsageError(Exception):
    """Options that do not fit together."""


RESULTS = "standard output"  # in the place of a file's name


# --- results --------------------------------------------------------------------------------------


class Results:
    """Results on standard output, in one of four formats: finished rows, or a table at the end.

    Use it in a `with` statement: after an error or an interrupt, the table has the finished rows.
    """

    def __init__(self, form: str, *, wide: bool = True) -> None:
        self._form, self._wide = form, wide
        self._done: list[Table] = []
        # the collection and both measures of rows that stand for two directions
        self._pairs: set[Any] = set()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        if self._done and self._form in TABLES:
            emit(TABLES[self._form](joined(self._done), wide=self._wide))

    def add(self, table: Table, **settings: Any) -> None:
        """Adds the rows of a table, always with the same columns; machines get the settings, too.

        CSV and JSON lines are written at once; other formats need all rows for widths of columns.
        """
        table = table.with_trailing_columns(*facts(settings, shown=False))
        if self._form not in TABLES:
            records = table.records()
            if self._form == "csv" and not self._done and records:
                emit(csv_line(records[0]))
            for record in records:
                emit(csv_line(record.values()) if self._form == "csv" else json_line(record))
        self._done.append(table)

    def add_row(self, row: Any, only: Collection[str] = ()) -> None:
        """Adds a `RankingAgreement`: all its columns, or those of its key and `only` some others.

        Narrow tables have a pair of measures once, where a symmetric coefficient is all that they
        show of it. The name of an unnamed collection is left out.
        """
        is_narrow = self._form in TABLES and not self._wide
        is_symmetric = row.settings.shown[0].symmetric and not row.settings.d_rank
        of_measures = set(row.key) == {"collection", "reference", "measure"}
        if is_narrow and is_symmetric and of_measures:
            pair = (row.key["collection"], frozenset(row.sides))
            if pair in self._pairs:
                return
            self._pairs.add(pair)
        table = row.table()
        left_out = {column.name for column in table.columns} - {*row.key, *only} if only else set()
        if isinstance(row.key.get("collection"), UnnamedCollection):
            left_out.add("collection")
        self.add(table.without(*left_out), **row.settings.to_dict())


def in_terminal(table: Table, *, wide: bool = True) -> str:
    """Columns side by side; in a narrow terminal in several parts, each with the names."""
    return table.to_text(wide=wide, width=shutil.get_terminal_size((0, 0)).columns or None)


TABLES = {"table": in_terminal, "latex": Table.to_latex}  # formats that need all rows


def emit(text: str) -> None:
    """Writes a text and a line end to standard output, without delay."""
    encoding = sys.stdout.encoding or "utf-8"  # characters that it lacks become escapes
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    with flush_output():
        tqdm.write(text, sys.stdout)  # above a progress bar


@contextmanager
def flush_output() -> Iterator[None]:
    """Flushes standard output when it ends; errors of writing, as on a full disk, then name it."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        error.filename = RESULTS
        raise


def leave_output() -> None:
    """Discards what was not written: when Python flushes at its end, it does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- messages -------------------------------------------------------------------------------------


def say(message: str) -> None:
    """Prints a message on standard error, above any progress bar."""
    tqdm.write(f"pt-rankcorr: {on_one_line(message)}", sys.stderr)


@contextmanager
def messages_of_command(options: Mapping[str, str], *, quiet: bool) -> Iterator[None]:
    """Within it, warnings are messages of one line, each printed once, or none if `quiet`.

    These and errors call a parameter, such as `rng`, by what `options` has for it, "--seed".
    """
    printed: set[str] = set()

    # in place of `warnings.showwarning`
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if not quiet and str(message) not in printed:
            printed.add(str(message))
            say(f"warning: {name_options(str(message), options)}")

    with shown_by(show):
        try:
            yield
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.strerror:
                error.strerror = name_options(error.strerror, options)
            else:
                error.args = (name_options(str(error), options),)
            raise


def name_options(message: str, options: Mapping[str, str]) -> str:
    """The message of a function with options in place of the parameters between its backticks.

    A parameter may have a value: "`download=True`" becomes "--download", "`null='published'`"
    becomes "--null published". Parameters that are no options lose their backticks.
    """
    parts = message.split("`")
    for index in range(1, len(parts), 2):
        name, _, value = parts[index].partition("=")
        if not name.isidentifier():
            parts[index] = f"`{parts[index]}`"
        elif name in options:
            value = "" if value == "True" else value if " " in value else value.strip("'\"")
            parts[index] = f"{options[name]} {value}".rstrip()
    return "".join(parts)


# --- pictures -------------------------------------------------------------------------------------


def pictures_of(path: str | None, parts: Sequence[str], inputs: Sequence[str]) -> dict[str, str]:
    """Part, such as a measure -> its file: that of --plot, or one each; {} without --plot.

    A file for a part must not be among the `inputs`; that of --plot itself has passed `check_plot`.
    """
    if path is None:
        return {}
    if len(parts) == 1:
        return {parts[0]: path}
    stem, ending = os.path.splitext(path)
    files: dict[str, str] = {}
    for part in parts:
        safe = re.sub(r"[^A-Za-z0-9@._=()-]", "_", part)[:100]  # some hosts allow 255 bytes
        name = f"{stem}-{safe}"
        # some file systems ignore case
        while f"{name}{ending}".lower() in map(str.lower, files.values()):
            name += "_"
        files[part] = f"{name}{ending}"
        _check_file(files[part], inputs)
    return files


def check_plot(path: str | None, inputs: Sequence[str]) -> None:
    """Refuses a picture that cannot be drawn or written, before anything is computed."""
    if path is None:
        return
    try:
        import matplotlib
    except ImportError:
        raise ImportError("--plot needs matplotlib: pip install matplotlib") from None
    matplotlib.use("agg")  # there may be no screen
    _check_file(path, inputs)
    atomic_write.check_writable(path, "plot")


def _check_file(path: str, inputs: Sequence[str]) -> None:
    """Refuses to write over an input, or over a file that is no picture."""
    atomic_write.refuse_inputs(path, inputs, "plot")
    begins_with = {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<?xml"}
    atomic_write.check_replaces(path, begins_with[os.path.splitext(path)[1].lower()], "plot")


def draw(path: str | None, result: Any, *, title: str | None = None, **arguments: Any) -> None:
    """Draws a result by its `plot` with these arguments, if there is a file for it."""
    if path is None:
        return
    from matplotlib import pyplot as plt

    ax = result.plot(**arguments)
    figure = ax.figure
    if title is not None:
        ax.set_title(title.replace("$", r"\$"))  # no formula
    picture = io.BytesIO()
    ending = os.path.splitext(path)[1][1:].lower()
    # publishers refuse fonts of type 3
    with plt.rc_context({"pdf.fonttype": 42, "ps.fonttype": 42}):
        figure.savefig(picture, format=ending, dpi=150)
    plt.close(figure)
    atomic_write.write_whole(path, picture.getvalue(), "plot")
