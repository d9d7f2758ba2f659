"""The warnings of this package, each of its own class; and how they are given, silenced, recorded.

Other modules import names from here, and never the standard module of the same name.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Filters of `warnings` are of all threads of a process. These are of one.
_silenced: ContextVar[tuple[type[Warning], ...]] = ContextVar("_silenced", default=())
_recorded: ContextVar[list[str] | None] = ContextVar("_recorded", default=None)


class DegenerateInputWarning(UserWarning):
    """The input is legal, but the statistic is undefined for it: the result is nan."""


class UnreliableResultWarning(UserWarning):
    """The result is defined, but the input is too small or too special for it to be trusted."""


class CloseSystemsWarning(UnreliableResultWarning):
    """The topics do not show that systems differ at all: an expected correlation is partly a guess.

    Systems may be close without it, too: sampling error can make neighbours in rank look apart.
    """


def level_of_the_caller() -> int:
    """The stacklevel that makes a warning point at the line which called this package."""
    frame, level, innermost = sys._getframe(1), 1, 1
    while frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        if frame.f_globals.get("__name__", "").startswith("pt_rankcorr."):
            innermost = level  # what others call in between, such as functools, is no caller
    return innermost + 1


def warn(message: str, category: type[Warning]) -> None:
    """Warns of the line which called this package, unless this thread silences or records it."""
    if issubclass(category, _silenced.get()):
        return
    recorded = _recorded.get()
    if recorded is not None:
        recorded.append(message)
        return
    warnings.warn(message, category, stacklevel=level_of_the_caller())


@contextmanager
def silencing(category: type[Warning]) -> Iterator[None]:
    """Ignores this package's warnings of a category, in this thread."""
    token = _silenced.set((*_silenced.get(), category))
    try:
        yield
    finally:
        _silenced.reset(token)


@contextmanager
def recording() -> Iterator[list[str]]:
    """Collects this package's warnings in a list instead of giving them, in this thread."""
    messages: list[str] = []
    token = _recorded.set(messages)
    try:
        yield messages
    finally:
        _recorded.reset(token)


@contextmanager
def shown_by(show: Callable[..., None]) -> Iterator[None]:
    """Gives every warning, each time, to a function in place of `warnings.showwarning`.

    Those about code are ignored: readers of results cannot change it.
    """
    about_code = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
    with warnings.catch_warnings(action="always"):
        for category in (*about_code, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield


@contextmanager
def ignoring_missing_letters() -> Iterator[None]:
    """Ignores what matplotlib says of letters that its font lacks, and nothing else."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
        yield


class RoundedScoresWarning(UserWarning):
    """The scores look rounded: systems that differ may appear tied."""


class UnjudgedTopicsWarning(UserWarning):
    """Some topics have no judgments: averages and rankings leave them out."""


class NothingRetrievedWarning(UserWarning):
    """A measure is 0 for every system on every topic: are runs and qrels of one collection?"""


class MissingTopicsWarning(UserWarning):
    """Some systems lack topics that others have, or one ranking lacks systems of the other.

    They score 0 there, or are left out.
    """


class MissingPicturesWarning(UserWarning):
    """A page lacks its pictures because matplotlib is not installed."""


class SkippedFilesWarning(UserWarning):
    """Files of a folder or a pattern were left out, as they are plainly of another kind."""


class RepeatedJudgmentsWarning(UserWarning):
    """Some documents have several labels on a topic, from iterations: the highest counts."""


class MissingLabelsWarning(UserWarning):
    """Some judgments have no label: they are left out."""


class UnmatchedNamesWarning(UserWarning):
    """One of two inputs names its systems or topics, the other does not: one order is assumed.

    It is also given where a ranking and the reference have different topics, which the test does
    not allow for.
    """


class AggregateMismatchWarning(UserWarning):
    """Rows over all topics, or columns over all systems, are left out.

    It is also given where rows of means are not the means of the topics.
    """


class DistortedLabelsWarning(UserWarning):
    """A judge's labels distort its ranking: they are few, on another scale, or nearly all alike."""


class FailedJudgesWarning(UserWarning):
    """Some judges cannot be used and are left out: the others are compared."""


__all__ = sorted(name for name in globals() if name.endswith("Warning"))
