"""Ours against an alternative, in one run: how many times as long that takes, and whether it says the same."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

Action: TypeAlias = Callable[[], Any]
Clock: TypeAlias = Callable[[], float]

PLAIN = "the plain definition"
FEWEST_PAIRS, MOST_PAIRS = 3, 15
LEAST_SECONDS = 0.01  # of one timing: shorter actions are repeated within it


@dataclass(frozen=True)
class Claim:
    """What is said of an alternative's values: that they are within `margin` of ours, or beyond it; and why.

    The margin is absolute for values up to 1, and a share of the largest of ours beyond.
    """

    margin: float
    same: bool = True
    why: str = ""

    def verdict(self, ours: Any, theirs: Any) -> tuple[bool, str]:
        """Whether the claim holds, and what was found."""
        distance = largest_difference(ours, theirs)
        holds = (distance <= self.margin) == self.same
        if not holds:
            return False, f"NOT AS CLAIMED: they differ by {distance:.2g}"
        return (
            True,
            "same" if distance == 0 else f"same to {distance:.0e}" if self.same else f"differ by {distance:.2g}",
        )


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
        why_slower: If the rival may be faster though it computes the same: what ours does besides.
        flops: Floating-point operations that no way of computing ours can do without, where they are most of the work;
            those of single precision count half.
        bytes: Bytes of files that any way must read.
    """

    subject: str
    rival: str
    ours: Action
    theirs: Action
    claim: Claim = SAME
    share: float = 1.0
    part: Callable[[Any], Any] = field(default=lambda values: values)
    wall: bool = False
    why_slower: str = ""
    flops: float = 0.0
    bytes: float = 0.0


@dataclass(frozen=True)
class Skipped:
    """A rival that is not there."""

    subject: str
    rival: str
    why: str


Entry: TypeAlias = Contest | Skipped
Entries: TypeAlias = Iterator[Entry]


@dataclass(frozen=True)
class Row:
    """What came out: seconds of one call of each, and the ratio of the two over pairs of runs.

    Attributes:
        ours: The median of our times.
        theirs: The median of the rival's.
        low: The lower quartile of the ratio, theirs / ours.
        ratio: Its median.
        high: Its upper quartile.
        pairs: How many pairs of runs these are of.
        holds: Whether the rival's values are what they are claimed to be.
        verdict: How they compare with ours.
    """

    contest: Contest
    ours: float
    theirs: float
    low: float
    ratio: float
    high: float
    pairs: int
    holds: bool
    verdict: str

    @property
    def nobody_is_faster(self) -> str:
        """ "yes", "no, as" where a reason is given or the rival computes something else, else "NO"."""
        if self.high >= 1.0:
            return "yes"
        return "no, as" if self.contest.why_slower or not self.contest.claim.same else "NO"


def hold(contest: Contest, budget: float) -> Row:
    """Compares the values of both, then times them in turn for about so many seconds."""
    clock = time.perf_counter if contest.wall else time.process_time
    first, second = timed(contest.ours, 1, clock), timed(contest.theirs, 1, clock)
    holds, verdict = contest.claim.verdict(contest.part(first[1]), second[1])
    calls = [max(1, math.ceil(LEAST_SECONDS / max(taken, 1e-7))) for taken, _ in (first, second)]
    times = []
    end = time.monotonic() + budget
    while len(times) < FEWEST_PAIRS or (time.monotonic() < end and len(times) < MOST_PAIRS):
        mine, _ = timed(contest.ours, calls[0], clock)
        theirs, _ = timed(contest.theirs, calls[1], clock)
        times.append((mine, theirs / contest.share))
    low, ratio, high = statistics.quantiles([theirs / mine for mine, theirs in times], n=4, method="inclusive")
    ours, theirs = (statistics.median(side) for side in zip(*times, strict=True))
    return Row(contest, ours, theirs, low, ratio, high, len(times), holds, verdict)


def timed(action: Action, calls: int = 1, clock: Clock = time.process_time) -> tuple[float, Any]:
    """Seconds of one call, as a mean over a number of calls, and what the last one gave."""
    start = clock()
    for _ in range(calls):
        value = action()
    return (clock() - start) / calls, value


def missing(module: str) -> str:
    """Why a module cannot be used, in a few words; empty if it can."""
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        return "is not installed" if error.name == module else f"cannot be imported: it needs {error.name}"
    except Exception as error:  # whatever an old package may raise with new libraries
        return f"cannot be imported: {type(error).__name__}"
    return ""


def entry(contest: Contest, needs: str) -> Entry:
    """The contest, or that it is skipped as a module it needs is not there."""
    why = missing(needs)
    return Skipped(contest.subject, contest.rival, f"{needs} {why}") if why else contest
