"""What commands write: results on standard output, messages of one line on standard error, pictures in files."""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from pt_rankcorr.cli.errors import CannotWriteError
from pt_rankcorr.tables import Table, facts, joined
from pt_rankcorr.text import on_one_line
from pt_rankcorr.warnings import hear_of_scores
from pt_rankcorr.whole_file import check_writable, refuse_inputs, write_whole
from pt_rankcorr.writers import csv_line, json_line

if TYPE_CHECKING:
    from pt_rankcorr.cli.options import Notes, Resampling

ALONE = "scores"  # the name of a single collection in comparisons
LONGEST_NAME = 100  # characters of a measure in the name of a file
# parameters that the commands themselves set -> their name on the command line
OTHERS = {
    "dataset": "--irds",
    "judges": "--against",
    "measure": "--measures",
    "others": "--against",
    "reference_qrels": "--qrels",
    **dict.fromkeys(
        ("estimate", "matrices", "ranking", "result_or_scores", "scores", "scores_or_collections"), "the scores"
    ),
}
OPTIONS: dict[str, str] = {}  # parameter -> option, of the command that runs


# --- results ------------------------------------------------------------------------------------------------


class Results:
    """Results on standard output, in one of four formats: rows when they are finished, or a table at the end.

    Use it in a `with` statement: after an error or an interrupt, the table has the finished rows.
    """

    def __init__(self, form: str, *, wide: bool = True) -> None:
        self._form, self._wide = form, wide
        self._done: list[Table] = []

    def __enter__(self) -> Results:
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


def in_terminal(table: Table, *, wide: bool = True) -> str:
    """Columns side by side; in a narrow terminal in several parts, each with the names."""
    return table.text(wide=wide, width=shutil.get_terminal_size((0, 0)).columns or None)


TABLES = {"table": in_terminal, "latex": Table.latex}  # formats that need all rows


def line_of(row: Any, only: Collection[str] = ()) -> Table:
    """A row of a comparison, with all columns or `only` some; the name of a single collection is left out."""
    table: Table = row.table()
    kept = {*row.key, *only} if only else {column.name for column in table.columns}
    if row.key.get("collection") == ALONE:
        kept.remove("collection")
    columns = (column for column in table.columns if column.name in kept)
    return replace(table, columns=(*columns, *facts(row.settings.to_dict(), shown=False)))


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


# --- messages -----------------------------------------------------------------------------------------------


def say(message: str) -> None:
    """Prints a message on standard error, above any progress bar; errors of writing it are ignored."""
    if sys.stderr is None:
        return
    with suppress(OSError), above_progress(sys.stderr):
        print(f"pt-rankcorr: {on_one_line(with_options(message))}", file=sys.stderr)  # noqa: T201


def note(output: Notes, text: str) -> None:
    """Prints a note on standard error, unless --quiet is given."""
    if not output.quiet:
        say(text)


@contextmanager
def warnings_as_messages(*, quiet: bool) -> Iterator[None]:
    """Within it, warnings are messages of one line, each printed once; with `quiet` there are none."""
    printed: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if not quiet and str(message) not in printed:
            printed.add(str(message))
            say(f"warning: {message}")

    before = os.environ.get("PYTHONWARNINGS")
    # joblib's processes that clean up after an interrupt warn of what they find
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker"]))
    try:
        with warnings.catch_warnings():
            hear_of_scores()
            warnings.showwarning = show
            yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def with_options(message: str, options: Mapping[str, str] = OPTIONS) -> str:
    """The message of a function, with options in place of parameters."""
    names = {**OTHERS, **options}

    def as_option(match: re.Match[str]) -> str:
        value = match[4] or (repr(match[3]) if " " in match[3] else match[3])
        return f"{options[match[1]]} {value}" if match[1] in options else match[0]

    message = re.sub(r"`(\w+)(?:=\w*)?`", lambda match: names.get(match[1], match[1]), message)
    return re.sub(r"\b(\w+)=(?:([\"'])(.*?)\2|([\d.]*\d))", as_option, message)


@contextmanager
def seeded(draws: Resampling, output: Notes) -> Iterator[dict[str, Any]]:
    """The arguments of functions that resample; a note at the end names a random seed, if there is a result of it."""
    sampling = {**vars(draws), "rng": secrets.randbits(32) if draws.rng is None else draws.rng}
    is_of_use = draws.rng is None
    try:
        yield sampling
    except (OSError, ValueError):
        is_of_use = False
        raise
    finally:
        if is_of_use:
            note(output, f"--seed {sampling['rng']} gives the same numbers again.")


@contextmanager
def above_progress(stream: TextIO) -> Iterator[None]:
    """Within it, what is written to the terminal does not break the progress bar."""
    from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are a package of their own

    with tqdm.external_write_mode(file=stream):
        yield


def progress(output: Notes, total: int | None) -> Any:
    """A progress bar on a terminal; none with --quiet or without a total."""
    import pyterrier as pt

    disable = output.quiet or total is None or None  # None: where standard error is no terminal
    return pt.tqdm(total=total, disable=disable, delay=2, leave=False)


# --- pictures -----------------------------------------------------------------------------------------------


def pictures_of(path: str | None, parts: Sequence[str], inputs: Sequence[str]) -> dict[str, str]:
    """Part, such as a measure -> its file: that of `--plot`, or for several parts one each. No file is an input."""
    if path is None or len(parts) == 1:
        return {} if path is None else {parts[0]: path}
    stem, ending = os.path.splitext(path)
    files: dict[str, str] = {}
    for part in parts:
        name = f"{stem}-{re.sub(r'[^A-Za-z0-9@._=()-]', '_', part)[:LONGEST_NAME]}"
        while f"{name}{ending}".lower() in map(str.lower, files.values()):
            name += "_"
        files[part] = f"{name}{ending}"
        refuse_inputs(files[part], inputs, "plot")
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
    refuse_inputs(path, inputs, "plot")
    check_writable(path, "plot")


def draw(path: str | None, result: Any, *, title: str | None = None, **how: Any) -> None:
    """Draws a result by its `plot` with the arguments `how`, if there is a file for it."""
    if path is None:
        return
    from matplotlib import pyplot as plt

    ax = result.plot(**how)
    figure = ax.figure
    if title is not None:
        ax.set_title(title.replace("$", r"\$"))
    picture = io.BytesIO()
    figure.savefig(picture, format=os.path.splitext(path)[1][1:].lower(), dpi=150)
    plt.close(figure)
    write_whole(path, picture.getvalue(), "plot")
