"""What is said on standard error: one line a message, in the words of the command line."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from pt_rankcorr.text import on_one_line
from pt_rankcorr.warnings import hear_of_scores

# arguments of functions whose option has the same name
SAME_NAMES = (
    "against alpha bins clusters coefficient columns covariance depths download estimator experiment fuzziness groups "
    "input_format intervals judges level lower_is_better max_rate measures method missing names null of per_topic "
    "qrels reference reference_measure repetitions resume runs shares simultaneous strata target test ties top "
    "topic_set_size"
)
# what Python calls an argument -> what the command line calls it
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in SAME_NAMES.split()} | {
    "dataset": "--irds",
    "measure": "--measures",
    "n_jobs": "--jobs",
    "n_resamples": "--resamples",
    "n_topics": "--topics",
    "others": "--against",
    "path": "--output",
    "plot": "--plot",
    "paths": "--trec-eval",
    "reference_qrels": "--qrels",
    "rng": "--seed",
    **dict.fromkeys(
        ("estimate", "matrices", "ranking", "result_or_scores", "scores", "scores_or_collections"), "the scores"
    ),
}


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


def in_words_of_the_command_line(message: str) -> str:
    """A message in which arguments of functions are options."""
    message = re.sub(r"`(\w+)(?:=\w*)?`", lambda name: OPTIONS.get(name[1], name[1]), message)
    return re.sub(r'\b(null|covariance|missing)="([\w-]+)"', r"--\1 \2", message)
