"""The warnings that this package gives, so that a caller can turn each into an error or silence it."""

from __future__ import annotations

import sys
import warnings

__all__ = [
    "AggregateMismatchWarning",
    "CloseSystemsWarning",
    "DegenerateInputWarning",
    "DistortedLabelsWarning",
    "FailedJudgesWarning",
    "MissingPicturesWarning",
    "MissingTopicsWarning",
    "NothingRetrievedWarning",
    "RepeatedJudgmentsWarning",
    "RoundedScoresWarning",
    "SkippedFilesWarning",
    "UnjudgedTopicsWarning",
    "UnmatchedNamesWarning",
    "UnreliableResultWarning",
    "WorkersLostWarning",
]

# said to whoever writes code, which readers of results cannot change
ABOUT_CODE = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning, ResourceWarning)


class DegenerateInputWarning(UserWarning):
    """The input is legal, but the statistic is undefined for it: the result is nan."""


class UnreliableResultWarning(UserWarning):
    """The result is defined, but the input is too small or too special for it to be trusted."""


class CloseSystemsWarning(UnreliableResultWarning):
    """The topics do not show that the systems differ at all: what is expected of their ranking is partly a guess.

    Without it systems may be close all the same: the luck of a sample can make neighbours in rank look apart.
    """


class WorkersLostWarning(RuntimeWarning):
    """Workers failed, so this process does their work: the result is the same, later."""


def level_of_the_caller() -> int:
    """The stacklevel of a warning of the calling function that points at the line which called this package."""
    frame, level, found = sys._getframe(1), 1, 1
    while frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        if frame.f_globals.get("__name__", "").startswith("pt_rankcorr."):
            found = level  # what others call in between, such as functools, is no caller
    return found + 1


def hear_of_scores() -> None:
    """Inside `catch_warnings`: all are heard, each time, but those about code."""
    warnings.simplefilter("always")
    for category in ABOUT_CODE:
        warnings.simplefilter("ignore", category)


class RoundedScoresWarning(UserWarning):
    """The scores look rounded: systems that differ may appear tied."""


class UnjudgedTopicsWarning(UserWarning):
    """Some topics have no judgments: they have no scores and are left out of averages and rankings."""


class NothingRetrievedWarning(UserWarning):
    """A measure is 0 for every system on every topic: perhaps the runs are not of the collection that was judged."""


class MissingTopicsWarning(UserWarning):
    """Some systems have no results for topics that others have: they score 0 there, or are left out.

    Or one of two rankings lacks systems of the other, which are left out.
    """


class MissingPicturesWarning(UserWarning):
    """A page lacks its pictures, since matplotlib is not installed."""


class SkippedFilesWarning(UserWarning):
    """Files that are plainly of another kind were left out of a folder or a pattern."""


class RepeatedJudgmentsWarning(UserWarning):
    """Some documents have several labels on one topic, of several iterations: the highest counts."""


class UnmatchedNamesWarning(UserWarning):
    """One of two inputs names its systems or topics and the other does not: they are taken to be in one order.

    Or a ranking was measured on other topics than the reference, and the test takes no notice of that.
    """


class AggregateMismatchWarning(UserWarning):
    """Rows over all topics in a leaderboard are not the means of its rows of topics, of which alone the scores are."""


class DistortedLabelsWarning(UserWarning):
    """Labels of a judge are such that they distort how it ranks systems: few, of another scale, or nearly all alike."""


class FailedJudgesWarning(UserWarning):
    """Some judges cannot be used, and are left out: the others are compared."""
