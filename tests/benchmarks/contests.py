"""Ours against an alternative, in one run: how many times as long that takes, and whether it says the same."""

from __future__ import annotations

import math
import statistics
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Action: TypeAlias = Callable[[], Any]

PLAIN = "the plain definition"
FEWEST_PAIRS, MOST_PAIRS = 3, 15
LEAST_SECONDS = 0.01  # of one timing: shorter actions are repeated within it
WIDTH = 106


class Claim(NamedTuple):
    """What is said of an alternative's values: that they are within `margin` of ours, or beyond it; and why.

    The margin is absolute for values up to 1, and a share of the largest of ours beyond.
    """

    margin: float
    same: bool = True
    why: str = ""

    def verdict(self, ours: Any, theirs: Any) -> tuple[bool, str]:
        """Whether the claim holds, and what was found."""
        distance = largest_difference(ours, theirs)
        if (distance <= self.margin) != self.same:
            return False, f"NOT AS CLAIMED: they differ by {distance:.2g}"
        return True, (
            "same" if distance == 0 else f"same to {distance:.0e}"
        ) if self.same else f"differ by {distance:.2g}"


SAME = Claim(1e-9)


def drawn(margin: float) -> Claim:
    """The same quantity, from resamples of its own: equal but for the luck of the draw."""
    return Claim(margin, why="the same quantity, of other draws")


def other(why: str) -> Claim:
    """Another quantity."""
    return Claim(1e-9, same=False, why=why)


def largest_difference(ours: Any, theirs: Any) -> float:
    """The largest |ours - theirs| as a share of the largest |ours|, if that is more than 1; nan equals nan."""
    first, second = np.broadcast_arrays(np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float))
    if (np.isnan(first) != np.isnan(second)).any():
        return math.inf
    kept = ~np.isnan(first)
    scale = max(1.0, np.abs(first[kept]).max(initial=0.0))
    return float(np.abs(first[kept] - second[kept]).max(initial=0.0) / scale)


@dataclass(frozen=True)
class Contest:
    """Two actions that give the numbers to be compared.

    Attributes:
        subject: What is computed, and of what size.
        rival: Who else computes it.
        ours: Without arguments.
        theirs: Without arguments.
        claim: What is said of the rival's values.
        share: The part of the work that the rival does; its time is scaled up.
        part: What of our values belongs to that part.
        wall: Whether to take wall-clock time, where others than this process do the work, instead of its CPU time.
        needs: A module without which there is no rival.
    """

    subject: str
    rival: str
    ours: Action
    theirs: Action
    claim: Claim = SAME
    share: float = 1.0
    part: Callable[[Any], Any] = field(default=lambda values: values)
    wall: bool = False
    needs: str = "numpy"

    def verdict(self) -> tuple[bool, str]:
        """Whether the rival's values are what they are claimed to be, and how they compare with ours."""
        return self.claim.verdict(self.part(self.ours()), self.theirs())

    def ratios(self, budget: float) -> list[tuple[float, float]]:
        """Seconds of one call of each, timed in turn for about so many seconds."""
        clock = time.perf_counter if self.wall else time.process_time
        calls = [math.ceil(LEAST_SECONDS / max(timed(each, 1, clock), 1e-7)) for each in (self.ours, self.theirs)]
        pairs, end = [], time.monotonic() + budget
        while len(pairs) < FEWEST_PAIRS or (time.monotonic() < end and len(pairs) < MOST_PAIRS):
            ours, theirs = timed(self.ours, calls[0], clock), timed(self.theirs, calls[1], clock)
            pairs.append((ours, theirs / self.share))
        return pairs


Contests: TypeAlias = Iterator[Contest]


def timed(action: Action, calls: int, clock: Callable[[], float]) -> float:
    """Seconds of one call, as a mean over a number of calls."""
    start = clock()
    for _ in range(calls):
        action()
    return (clock() - start) / calls


def missing(module: str) -> str:
    """Why a module cannot be used, in a few words; empty if it can."""
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        return f"{module} is not installed" if error.name == module else f"{module} needs {error.name}"
    except Exception as error:  # whatever an old package may raise with new libraries
        return f"{module} cannot be imported: {type(error).__name__}"
    return ""


# --- as it is printed ---------------------------------------------------------------------------------------


def table(part: str, contests: Iterable[Contest], budget: float) -> Iterator[tuple[bool, str]]:
    """What of ours was timed stands above its rivals; each line with whether values are what they are claimed to be."""
    yield True, f"\n{part:<42}{'ours':>11}{'theirs':>11}{'theirs / ours [quartiles]':>27}  values\n{'-' * WIDTH}"
    subject = ""
    for contest in contests:
        if subject != (subject := contest.subject + ", wall-clock time" * contest.wall):
            yield True, subject
        yield line(contest, budget)


def line(contest: Contest, budget: float) -> tuple[bool, str]:
    if why := missing(contest.needs):
        return True, f"    {contest.rival:<40}skipped: {why}"
    (holds, verdict), pairs = contest.verdict(), contest.ratios(budget)
    low, ratio, high = statistics.quantiles([theirs / ours for ours, theirs in pairs], n=4, method="inclusive")
    ours, theirs = (seconds(statistics.median(side)) for side in zip(*pairs, strict=True))
    figures = f"{ours:>11}{theirs:>11}{f'{ratio:.3g} [{low:.3g}, {high:.3g}]':>27}"
    remark = textwrap.indent(textwrap.fill(contest.claim.why, WIDTH - 8), " " * 8)
    return holds, f"    {contest.rival:<38}{figures}  {verdict}" + (f"\n{remark}" if remark else "")


def seconds(value: float) -> str:
    """A duration, three digits."""
    unit, size = next(((u, s) for u, s in (("s ", 1.0), ("ms", 1e-3)) if value >= s), ("us", 1e-6))
    return f"{value / size:.3g} {unit}"
