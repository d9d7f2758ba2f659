"""How time and memory of every public statistic grow with systems or items, topics and resamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tests.benchmarks.growth_cases import CASES, GRID, HELD, MEANINGS
from tests.benchmarks.measuring import Bench, Measured
from tests.benchmarks.printing import memory, seconds

TOO_SMALL = 2**20  # memory below that is in the noise of the allocator
NAME, CELL = 37, 19


@dataclass(frozen=True)
class Curve:
    """One statistic along one axis of GRID, as far as time and memory allowed."""

    name: str
    axis: str
    points: Mapping[int, Measured]

    @property
    def family(self) -> str:
        return CASES[self.name].family

    def series(self, quantity: str) -> tuple[list[int], list[float]]:
        """Sizes, and the seconds or the bytes there."""
        kept = {size: getattr(point, quantity) for size, point in self.points.items() if not point.failure}
        return list(kept), list(kept.values())

    def power(self, quantity: str, least: float = 0.0) -> float:
        """The slope of the last step on log-log axes; nan where there is none above the least."""
        sizes, values = self.series(quantity)
        if len(sizes) < 2 or not min(values[-2:]) > least:
            return math.nan
        return math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2])


def curves(bench: Bench, progress: Callable[[str], None], *, most: float = math.inf) -> Iterator[Curve]:
    """Along each axis all statistics, sizes up to `most`; a curve ends at the first size that fails."""
    for axis, sizes in GRID.items():
        for name, case in CASES.items():
            if axis in case.axes:
                progress(f"growth: {name}, {MEANINGS[axis]}")
                yield Curve(name, axis, _points(bench, name, axis, [size for size in sizes if size <= most]))


def _points(bench: Bench, name: str, axis: str, sizes: list[int]) -> dict[int, Measured]:
    points: dict[int, Measured] = {}
    for size in sizes:
        points[size] = bench.measure(name, replace(HELD, **{"m" if axis == "items" else axis: size}))
        if points[size].failure:
            break
    return points


# --- the table ---------------------------------------------------------------------------------------


def lines(found: Iterable[Curve], limit: float) -> Iterator[str]:
    """One table an axis, a line a curve: time and memory at each size, and the powers of the size they end with."""
    yield (
        f"One call in a process of its own, at most {limit:g} s of it: CPU time, and peak memory beyond the input "
        "(-: below 1 MiB).\n"
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
    return point.failure or f"{seconds(point.seconds)} {held:>8}"


def _power(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1f}"
