"""What is said on standard error: one line a message, in the words of the command line."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# warnings about code, which users of a command cannot change
ABOUT_CODE = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning, ResourceWarning)
# what Python calls an argument -> what the command line calls it
OPTIONS = {
    "alpha": "--alpha",
    "columns": "--columns",
    "dataset": "--irds",
    "download": "--download",
    "experiment": "--experiment",
    "level": "--level",
    "lower_is_better": "--lower-is-better",
    "measures": "--measures",
    "missing": "--missing",
    "n_resamples": "--resamples",
    "others": "--against",
    "path": "--output",
    "paths": "--trec-eval",
    "qrels": "--qrels",
    "runs": "--runs",
    "target": "--target",
}


@contextmanager
def warnings_as_messages(*, quiet: bool) -> Iterator[None]:
    """While it lasts, warnings are messages of one line, each said once; none, if all is to be quiet."""
    said: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if not quiet and str(message) not in said:
            said.add(str(message))
            say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in ABOUT_CODE:
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield


def say(message: str) -> None:
    """Says something, above the progress bar if one is shown."""
    from tqdm import tqdm  # type: ignore[import-untyped]  # its stubs are a package of their own

    tqdm.write(f"pt-rankcorr: {on_one_line(in_words_of_the_command_line(message))}", file=sys.stderr)


def in_words_of_the_command_line(message: str) -> str:
    """A message in which arguments of functions are options."""
    message = re.sub(r"`(\w+)(?:=\w*)?`", lambda name: OPTIONS.get(name[1], name[1]), message)
    return re.sub(r'\b(null|covariance)="([\w-]+)"', r"--\1 \2", message)


def on_one_line(text: str) -> str:
    """A text without line ends, and with what would control the terminal written out."""
    words = " ".join(text.split())
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in words)
