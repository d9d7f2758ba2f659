"""Ours against an alternative, in one run: how many times as long that takes, and whether it gives the same values."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Action: TypeAlias = Callable[[], Any]
FEWEST_PAIRS, MOST_PAIRS = 3, 15
LEAST_SECONDS = 0.01  # of one timing: shorter actions are repeated within it


@dataclass(frozen=True)
class Contest:
    """Two actions that give the numbers to be compared.

    Attributes:
        subject: What is computed, and of what size.
        rival: Who else computes it.
        ours: Without arguments.
        theirs: Without arguments.
        margin: How far the rival's values may be from ours: absolute up to 1, and beyond as a share of the largest.
        share: The part of the work that the rival does; its time is scaled up.
        part: What of our values belongs to that part.
        wall: Whether to take wall-clock time, where others than this process do the work, instead of its CPU time.
    """

    subject: str
    rival: str
    ours: Action
    theirs: Action
    margin: float = 1e-9
    share: float = 1.0
    part: Callable[[Any], Any] = lambda values: values
    wall: bool = False

    def difference(self) -> float:
        """The largest difference of both, in the unit of the margin; nan equals nan."""
        ours, theirs = (np.asarray(each, dtype=float) for each in (self.part(self.ours()), self.theirs()))
        if (np.isnan(ours) != np.isnan(theirs)).any():
            return math.inf
        scale = max(1.0, float(np.nanmax(np.abs(ours), initial=0.0)))
        return float(np.nanmax(np.abs(ours - theirs), initial=0.0)) / scale

    def ratios(self, budget: float) -> list[float]:
        """Theirs over ours, timed in turn for about so many seconds."""
        clock = time.perf_counter if self.wall else time.process_time
        calls = [math.ceil(LEAST_SECONDS / max(_timed(each, 1, clock), 1e-7)) for each in (self.ours, self.theirs)]
        ratios: list[float] = []
        end = time.monotonic() + budget
        while len(ratios) < FEWEST_PAIRS or (time.monotonic() < end and len(ratios) < MOST_PAIRS):
            ours, theirs = _timed(self.ours, calls[0], clock), _timed(self.theirs, calls[1], clock)
            ratios.append(theirs / self.share / ours)
        return ratios


def _timed(action: Action, calls: int, clock: Callable[[], float]) -> float:
    """Seconds of one call, as a mean over a number of calls."""
    start = clock()
    for _ in range(calls):
        action()
    return (clock() - start) / calls


def table(contests: Iterable[Contest], budget: float) -> Iterator[tuple[bool, str]]:
    """A line a contest, with whether the values are the same."""
    yield True, f"{'':<66}{'against':<34}{'theirs / ours [quartiles]':>27}  difference"
    for contest in contests:
        difference, ratios = contest.difference(), contest.ratios(budget)
        low, ratio, high = statistics.quantiles(ratios, n=4, method="inclusive")
        figures = f"{ratio:.3g} [{low:.3g}, {high:.3g}]"
        holds = difference <= contest.margin
        verdict = f"{difference:.0e}" if holds else f"NOT THE SAME: {difference:.2g}"
        yield holds, f"{contest.subject:<66}{contest.rival:<34}{figures:>27}  {verdict}"
