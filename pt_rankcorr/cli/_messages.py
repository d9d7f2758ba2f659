"""Messages on standard error: one line each, in the words of the command line."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from pt_rankcorr.text import on_one_line
from pt_rankcorr.warnings import hear_of_scores

# parameters that the commands themselves set -> their name on the command line
OTHERS = {
    "dataset": "--irds",
    "judges": "--against",
    "measure": "--measures",
    "reference_qrels": "--qrels",
    **dict.fromkeys(
        ("estimate", "matrices", "ranking", "result_or_scores", "scores", "scores_or_collections"), "the scores"
    ),
}
OPTIONS: dict[str, str] = {}  # parameter -> option, of the command that runs


@contextmanager
def warnings_as_messages(*, quiet: bool) -> Iterator[None]:
    """Within it, warnings are messages of one line, each printed once; with `quiet` there are none."""
    said: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if not quiet and str(message) not in said:
            said.add(str(message))
            say(f"warning: {message}")

    with warnings.catch_warnings(), _silence_leaks():
        hear_of_scores()
        warnings.showwarning = show
        yield


@contextmanager
def _silence_leaks() -> Iterator[None]:
    """Silences the warnings of joblib's processes that clean up after an interrupt."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker"]))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def say(message: str) -> None:
    """Prints a message on standard error, above any progress bar; errors of writing it are ignored."""
    if sys.stderr is None:
        return
    with suppress(OSError), above_progress(sys.stderr):
        print(f"pt-rankcorr: {on_one_line(in_words_of_the_command_line(message))}", file=sys.stderr)  # noqa: T201


def is_seen(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal: a progress bar is of no use in a file or a log."""
    return stream is not None and stream.isatty()


@contextmanager
def above_progress(stream: TextIO) -> Iterator[None]:
    """Within it, what is written to the terminal does not break the progress bar."""
    from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are a package of their own

    with tqdm.external_write_mode(file=stream):
        yield


def speak_of(options: Mapping[str, str]) -> None:
    """Sets the options that messages name in place of the parameters of functions."""
    OPTIONS.clear()
    OPTIONS.update(options)


def in_words_of_the_command_line(message: str, options: Mapping[str, str] = OPTIONS) -> str:
    """The message of a function, with options in place of parameters."""
    words = {**OTHERS, **options}
    message = re.sub(r"`(\w+)(?:=\w*)?`", lambda found: words.get(found[1], found[1]), message)
    return re.sub(
        r"\b(\w+)=(?:([\"'])(.*?)\2|([\d.]*\d))", lambda found: _as_option(found, options.get(found[1])), message
    )


def _as_option(found: re.Match[str], option: str | None) -> str:
    value = found[4] or (repr(found[3]) if " " in found[3] else found[3])
    return f"{option} {value}" if option else found[0]
