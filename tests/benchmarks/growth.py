"""How time and memory of every public statistic grow with systems or items, topics and resamples."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tests.benchmarks.growth_cases import CASES, GRID, HELD, MEANINGS, SMALLEST
from tests.benchmarks.printing import memory, seconds

LEAST_SECONDS = 0.02  # of a timing: shorter calls are repeated
TOO_SMALL = 2**20  # bytes that are not shown
NAME, CELL = 37, 19


@dataclass(frozen=True)
class Measured:
    """Of one call: CPU seconds, and the most memory it took beyond its input, in bytes."""

    seconds: float
    memory: float


@dataclass(frozen=True)
class Curve:
    """One statistic along one axis of GRID, as far as time allowed."""

    name: str
    axis: str
    points: Mapping[int, Measured]

    def power(self, quantity: str, least: float = 0.0) -> float:
        """The slope of the last step on log-log axes; nan where there is none above the least."""
        sizes, values = list(self.points), [getattr(point, quantity) for point in self.points.values()]
        if len(sizes) < 2 or not min(values[-2:]) > least:
            return math.nan
        return math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2])


def curves(limit: float, progress: Callable[[str], None], *, most: float = math.inf) -> Iterator[Curve]:
    """Along each axis all statistics, sizes up to `most`; a curve ends before the first that may exceed the limit."""
    for axis, sizes in GRID.items():
        for name, case in CASES.items():
            if axis in case.axes:
                progress(f"growth: {name}, {MEANINGS[axis]}")
                case.prepare(SMALLEST)()  # whatever is imported or built once
                yield Curve(name, axis, _points(name, axis, [size for size in sizes if size <= most], limit))


def _points(name: str, axis: str, sizes: list[int], limit: float) -> dict[int, Measured]:
    points: dict[int, Measured] = {}
    for size in sizes:
        before = max(points, default=size)
        if points and points[before].seconds * (size / before) ** 2 > limit:
            break
        held = replace(HELD, **{"m" if axis == "items" else axis: size})
        points[size] = measured(CASES[name].prepare(held))
    return points


def measured(call: Callable[[], object]) -> Measured:
    """Memory of a first call, which its watching slows down; time of as many further ones as it takes."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    calls, taken = 0, 0.0
    while taken < LEAST_SECONDS:
        start = time.thread_time()
        call()
        calls, taken = calls + 1, taken + time.thread_time() - start
    return Measured(taken / calls, float(most))


def lines(found: Iterator[Curve], limit: float) -> Iterator[str]:
    """One table an axis, a line a curve: time and memory at each size, and the powers of the size they end with."""
    yield (
        f"CPU time of one call, about {limit:g} s at most, and peak memory beyond the input (-: below 1 MiB).\n"
        f"While one varies, the others are held at {HELD.m} systems, {HELD.n} topics and {HELD.B} resamples. The last "
        "columns are slopes of the last step on log-log axes."
    )
    axis = ""
    for curve in found:
        if curve.axis != axis:
            axis = curve.axis
            yield f"\n{MEANINGS[axis]:<{NAME}}" + "".join(f"{size:>{CELL},}" for size in GRID[axis]) + "    time memory"
        cells = "".join(f"{_cell(point):>{CELL}}" for point in curve.points.values())
        powers = f"{_power(curve.power('seconds')):>6} {_power(curve.power('memory', TOO_SMALL)):>6}"
        yield f"{curve.name:<{NAME}}{cells:<{CELL * len(GRID[axis])}}  {powers}"


def _cell(point: Measured) -> str:
    held = memory(point.memory) if point.memory >= TOO_SMALL else "-"
    return f"{seconds(point.seconds)} {held:>8}"


def _power(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1f}"
