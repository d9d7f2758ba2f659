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

# parameters that commands give themselves -> what they are on the command line
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
    """While it lasts, warnings are messages of one line, each said once; none, if all is to be quiet."""
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
    """Processes that clean up after workers do so without a word, where an interrupt left them something to clean."""
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
    """Says something, above the progress bar if one is shown; to nobody, if standard error takes no more."""
    if sys.stderr is None:
        return
    with suppress(OSError), above_progress(sys.stderr):
        print(f"pt-rankcorr: {on_one_line(in_words_of_the_command_line(message))}", file=sys.stderr)  # noqa: T201


def is_seen(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal: a progress bar in a file or a log is of no use."""
    return stream is not None and stream.isatty()


@contextmanager
def above_progress(stream: TextIO) -> Iterator[None]:
    """While it lasts, the progress bar is out of the way of what is written, if both go to a terminal."""
    from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are a package of their own

    with tqdm.external_write_mode(file=stream):
        yield


def speak_of(options: Mapping[str, str]) -> None:
    """Sets the options that messages speak of where functions speak of parameters."""
    OPTIONS.clear()
    OPTIONS.update(options)


def in_words_of_the_command_line(message: str, options: Mapping[str, str] = OPTIONS) -> str:
    """A message in which parameters of functions are options."""
    words = {**OTHERS, **options}
    message = re.sub(r"`(\w+)(?:=\w*)?`", lambda found: words.get(found[1], found[1]), message)
    return re.sub(
        r"\b(\w+)=(?:([\"'])(.*?)\2|([\d.]*\d))", lambda found: _as_option(found, options.get(found[1])), message
    )


def _as_option(found: re.Match[str], option: str | None) -> str:
    value = found[4] or (repr(found[3]) if " " in found[3] else found[3])
    return f"{option} {value}" if option else found[0]
