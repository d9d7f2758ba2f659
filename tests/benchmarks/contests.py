"""The package against a rival, in one run: how many times as long that takes, and whether it gives the same values."""

import math
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
    goal: float | None = None  # of the ratio, where there is one
    kernel: Action | None = None  # what the package's call computes once inputs are arrays, where that explains a limit

    def difference(self):
        """The largest difference of both, in the unit of the margin; nan equals nan."""
        values = np.asarray(self.part(self.package_call()), dtype=float)
        rival_values = np.asarray(self.rival_call(), dtype=float)
        if (np.isnan(values) != np.isnan(rival_values)).any():
            return math.inf
        scale = max(1.0, float(np.nanmax(np.abs(values), initial=0.0)))
        return float(np.nanmax(np.abs(values - rival_values), initial=0.0)) / scale

    def seconds(self, budget):
        """What each side takes, (n, 2): the package and the rival, timed in turn for about so many seconds."""
        clock = time.perf_counter if self.wall else time.process_time
        timers = [timeit.Timer(call, timer=clock) for call in (self.package_call, self.rival_call)]
        calls = [math.ceil(LEAST_SECONDS / max(timer.timeit(1), 1e-7)) for timer in timers]
        taken = []
        end = time.monotonic() + budget
        while len(taken) < FEWEST_PAIRS or (time.monotonic() < end and len(taken) < MOST_PAIRS):
            taken.append([timer.timeit(number) / number for timer, number in zip(timers, calls, strict=True)])
        return np.array(taken) / [1.0, self.share]

    def share_of_kernel(self, package_seconds):
        """How much of the package's time the kernel alone takes, as text; nothing where there is none."""
        if self.kernel is None:
            return ""
        number = math.ceil(LEAST_SECONDS / package_seconds)
        taken = timeit.repeat(self.kernel, timer=time.process_time, number=number, repeat=MOST_PAIRS)
        return f"  kernel {np.median(taken) / number / package_seconds:.0%}"


def table(contests, budget):
    """A line a contest, with whether the values are the same: medians of both sides, and of the ratio of each turn."""
    ratio_title = "ratio [quartiles]"
    yield (True, f"{'':<66}{'against':<34}{'rival, ms':>11}{'package, ms':>13}{ratio_title:>26}{'goal':>6}  difference")
    for contest in contests:
        difference, seconds = contest.difference(), contest.seconds(budget)
        low, ratio, high = np.quantile(seconds[:, 1] / seconds[:, 0], [0.25, 0.5, 0.75])
        package, rival = 1000.0 * np.median(seconds, axis=0)
        figures, goal = f"{ratio:.3g} [{low:.3g}, {high:.3g}]", "" if contest.goal is None else f"{contest.goal:g}"
        holds = difference <= contest.margin
        verdict = f"{difference:.0e}" if holds else f"NOT THE SAME: {difference:.2g}"
        sides = f"{contest.subject:<66}{contest.rival:<34}{rival:>11.3g}{package:>13.3g}"
        yield holds, f"{sides}{figures:>26}{goal:>6}  {verdict}{contest.share_of_kernel(package / 1000.0)}"
