"""The package against a rival, in one run: how many times as long that takes, and whether it gives the same values."""

import math
import statistics
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Action = Callable[[], Any]
FEWEST_PAIRS, MOST_PAIRS = 3, 15
LEAST_SECONDS = 0.01  # of one timing: shorter actions are repeated within it


@dataclass(frozen=True)
class Contest:
    """Two calls that give the numbers to be compared."""

    subject: str  # what is computed, and of what size
    rival: str  # who else computes it
    package_call: Action
    rival_call: Action
    margin: float = 1e-9  # of the values: absolute up to 1, and beyond as a share of the largest
    share: float = 1.0  # the part of the work that the rival does; its time is scaled up
    part: Callable[[Any], Any] = lambda values: values  # of the package's values, what belongs to that part
    wall: bool = False  # wall-clock time, where others than this process do the work, instead of its CPU time

    def difference(self):
        """The largest difference of both, in the unit of the margin; nan equals nan."""
        values = np.asarray(self.part(self.package_call()), dtype=float)
        rival_values = np.asarray(self.rival_call(), dtype=float)
        if (np.isnan(values) != np.isnan(rival_values)).any():
            return math.inf
        scale = max(1.0, float(np.nanmax(np.abs(values), initial=0.0)))
        return float(np.nanmax(np.abs(values - rival_values), initial=0.0)) / scale

    def ratios(self, budget):
        """The rival's time over the package's, timed in turn for about so many seconds."""
        clock = time.perf_counter if self.wall else time.process_time
        timers = [timeit.Timer(call, timer=clock) for call in (self.package_call, self.rival_call)]
        calls = [math.ceil(LEAST_SECONDS / max(timer.timeit(1), 1e-7)) for timer in timers]
        ratios = []
        end = time.monotonic() + budget
        while len(ratios) < FEWEST_PAIRS or (time.monotonic() < end and len(ratios) < MOST_PAIRS):
            seconds = [timer.timeit(number) / number for timer, number in zip(timers, calls, strict=True)]
            ratios.append(seconds[1] / self.share / seconds[0])
        return ratios


def table(contests, budget):
    """A line a contest, with whether the values are the same."""
    yield True, f"{'':<66}{'against':<34}{'rival / package [quartiles]':>29}  difference"
    for contest in contests:
        difference, ratios = contest.difference(), contest.ratios(budget)
        low, ratio, high = statistics.quantiles(ratios, n=4, method="inclusive")
        figures = f"{ratio:.3g} [{low:.3g}, {high:.3g}]"
        holds = difference <= contest.margin
        verdict = f"{difference:.0e}" if holds else f"NOT THE SAME: {difference:.2g}"
        yield holds, f"{contest.subject:<66}{contest.rival:<34}{figures:>29}  {verdict}"
