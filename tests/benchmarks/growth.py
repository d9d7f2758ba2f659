"""How time and memory of every public statistic grow with systems or items, topics and resamples."""

from __future__ import annotations

import itertools
import math
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import pt_rankcorr as ptr
from pt_rankcorr import stats
from pt_rankcorr.scores import ScoreMatrix
from tests import every
from tests.benchmarks.contests import seconds

LEAST_SECONDS = 0.02  # of a timing: shorter calls are repeated
TOO_SMALL = 2**20  # bytes that are not shown
NAME, CELL = 38, 19
MEANINGS = {"items": "items", "m": "systems", "n": "topics", "B": "resamples or rankings"}
GRID = {
    "items": (100, 1000, 10_000, 100_000),
    "m": (10, 30, 100, 300, 1000),
    "n": (10, 100, 1000, 10_000, 100_000),
    "B": (100, 1000, 10_000),
}


# --- what is called -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Size:
    """What is varied; the defaults are what the others are held at."""

    m: int = 50
    n: int = 50
    B: int = 100


HELD = Size()
SMALLEST = Size(m=10, n=10, B=300)  # more than one block of resamples, so that joblib has been imported


class Case(NamedTuple):
    """The axes of GRID that a statistic is measured along, and what makes the call of a size."""

    axes: tuple[str, ...]
    prepare: Callable[[Size], Callable[[], Any]]


def matrix(size: Size, seed: int) -> ScoreMatrix:
    """Scores of which some systems are better than others."""
    return ScoreMatrix(np.random.default_rng(seed).random((size.n, size.m)) * np.linspace(0.5, 1.0, size.m))


def vectors(size: Size, *, tied: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """A ranking and an estimate of it, perhaps with ties of about five."""
    rng = np.random.default_rng(0)
    truth = rng.random(size.m)
    estimate = truth + rng.random(size.m) / 2
    return truth, np.round(estimate * size.m / 5) if tied else estimate


def of_scores(call: every.Call) -> Case:
    def prepare(size: Size) -> Callable[[], Any]:
        given = call.inputs(matrix(size, 0), matrix(size, 1))
        return partial(quietly, call.function, *given, **call.how({"n_resamples": size.B, "rng": 1}))

    return Case(("m", "n", "B") if call.takes("n_resamples") else ("m", "n"), prepare)


def of_vectors(statistic: Callable[..., Any], *axes: str, tied: bool = False, **options: Any) -> Case:
    return Case(axes or ("items",), lambda size: partial(quietly, statistic, *vectors(size, tied=tied), **options))


def of_rankings(**options: Any) -> Case:
    return Case(("m", "B"), lambda size: partial(quietly, stats.random_rankings, size.m, size.B, rng=1, **options))


def quietly(statistic: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
    with warnings.catch_warnings():  # few topics, or more systems than topics
        warnings.simplefilter("ignore")
        return statistic(*given, **options)


PAIRS = (ptr.kendall_tau, ptr.tau_ap, ptr.tau_gap, stats.pearson, stats.spearman, stats.kendall_distance)
CASES: dict[str, Case] = {
    **{statistic.__name__: of_vectors(statistic) for statistic in PAIRS},
    "kendall_tau, ties": of_vectors(ptr.kendall_tau, tied=True, variant="b"),
    **{f"{statistic.__name__}, ties": of_vectors(statistic, tied=True) for statistic in (ptr.tau_ap, ptr.tau_gap)},
    "geometric_mean": Case(("n",), lambda size: partial(quietly, stats.geometric_mean, matrix(size, 0).values.T)),
    "swap_weights": Case(("m",), lambda size: partial(quietly, stats.swap_weights, vectors(size)[0])),
    "contributions": of_vectors(stats.contributions, "m"),
    "random_rankings, tau .9": of_rankings(tau=0.9),
    "random_rankings, tau_ap .9": of_rankings(tau_ap=0.9, tolerance=0.02),
    **{name: of_scores(call) for name, call in every.CALLS.items() if name not in ("compare", "random_rankings")},
}


# --- what is measured ---------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """Of one call: CPU seconds, and the most memory it took beyond its input, in bytes."""

    seconds: float
    memory: float


class Curve(NamedTuple):
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
    for (axis, sizes), (name, case) in itertools.product(GRID.items(), CASES.items()):
        if axis in case.axes:
            progress(f"growth: {name}, {MEANINGS[axis]}")
            case.prepare(SMALLEST)()  # whatever is imported or built once
            yield Curve(name, axis, _points(case, axis, [size for size in sizes if size <= most], limit))


def _points(case: Case, axis: str, sizes: list[int], limit: float) -> dict[int, Measured]:
    points: dict[int, Measured] = {}
    for size in sizes:
        before = max(points, default=size)
        if points and points[before].seconds * (size / before) ** 2 > limit:
            break
        points[size] = measured(case.prepare(replace(HELD, **{"m" if axis == "items" else axis: size})))
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


# --- as it is printed ---------------------------------------------------------------------------------------


def lines(found: Iterator[Curve], limit: float) -> Iterator[str]:
    """One table an axis, a line a curve: time and memory at each size, and the powers of the size they end with."""
    yield (
        f"\nCPU time of one call, about {limit:g} s at most, and peak memory beyond the input (-: below 1 MiB).\n"
        f"While one varies, the others are held at {HELD.m} systems, {HELD.n} topics and {HELD.B} resamples. The last "
        "columns are slopes of the last step on log-log axes."
    )
    for axis, of_axis in itertools.groupby(found, lambda curve: curve.axis):
        yield f"\n{MEANINGS[axis]:<{NAME}}" + "".join(f"{size:>{CELL},}" for size in GRID[axis]) + "    time memory"
        for curve in of_axis:
            cells = "".join(f"{_cell(point):>{CELL}}" for point in curve.points.values())
            powers = curve.power("seconds"), curve.power("memory", TOO_SMALL)
            said = ("" if math.isnan(power) else f"{power:.1f}" for power in powers)
            yield f"{curve.name:<{NAME}}{cells:<{CELL * len(GRID[axis])}}  " + " ".join(f"{each:>6}" for each in said)


def _cell(point: Measured) -> str:
    held = f"{point.memory / 2**20:,.0f} MiB" if point.memory >= TOO_SMALL else "-"
    return f"{seconds(point.seconds)} {held:>8}"
