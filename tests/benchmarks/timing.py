"""Two ways of doing one thing, timed in turn in one run, and the ratio between them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """How many times longer the alternative takes than ours: median, lowest and highest over the pairs of runs."""

    label: str
    ours: float
    alternative: float
    median: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        return (
            f"{self.label:<66} {seconds(self.ours)} against {seconds(self.alternative)}: "
            f"{self.median:7.1f} times [{self.lowest:.1f}, {self.highest:.1f}]"
        )


def ratio(
    label: str, ours: Callable[[], object], alternative: Callable[[], object], *, pairs: int = 5, calls: int = 1
) -> Ratio:
    """Times both in turn, after one warm-up each; `calls` is how many of each make one timing."""
    ours(), alternative()
    times = [(timed(ours, calls), timed(alternative, calls)) for _ in range(pairs)]
    ratios = [theirs / mine for mine, theirs in times]
    return Ratio(
        label,
        statistics.median(mine for mine, _ in times),
        statistics.median(theirs for _, theirs in times),
        statistics.median(ratios),
        min(ratios),
        max(ratios),
    )


def timed(action: Callable[[], object], calls: int = 1) -> float:
    """Seconds of one call, as a mean over a number of calls."""
    start = time.perf_counter()
    for _ in range(calls):
        action()
    return (time.perf_counter() - start) / calls


def seconds(value: float) -> str:
    """A duration in the unit that reads best."""
    for unit, size in (("s ", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:7.2f} {unit}"
    return f"{value / 1e-6:7.1f} us"
