"""How time and memory of every public statistic grow with systems, topics and resamples."""

import math
import time
import tracemalloc
import warnings
from functools import partial

import numpy as np

import pt_rankcorr as rc
from pt_rankcorr.scores import ScoreMatrix
from tests import cases

LEAST_SECONDS = 0.02  # of a timing: shorter calls are repeated


HELD = {"systems": 50, "topics": 50, "resamples": 100}
SIZES = {
    "systems": (50, 100, 200, 400),
    "topics": (100, 1000, 10_000, 100_000),
    "resamples": (100, 400, 1600, 6400),
    "measures": (3, 6, 12, 24),  # of `compare`, which has a row for each pair
}


def matrix(size, seed):
    """Scores of which some systems are better than others."""
    shape = size["topics"], size["systems"]
    return ScoreMatrix(np.random.default_rng(seed).random(shape) * np.linspace(0.5, 1.0, shape[1]))


def quietly(statistic, /, *given, **options):
    with warnings.catch_warnings():  # few topics, or more systems than topics
        warnings.simplefilter("ignore")
        return statistic(*given, **options)


def measured(call):
    """CPU seconds of a call, and the most memory it takes beyond its input, in MiB."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    calls, taken = 0, 0.0
    while taken < LEAST_SECONDS:
        start = time.thread_time()
        call()
        calls, taken = calls + 1, taken + time.thread_time() - start
    return taken / calls, most / 2**20


def calls_at(axis, size):
    """Each statistic with inputs of this size; along the measures, `compare` alone."""
    of_size = HELD | {axis: size}
    if axis == "measures":
        scores = rc.Scores([matrix(of_size, seed).named(f"M{seed}") for seed in range(size)])
        return {"compare": partial(rc.compare, scores, rng=1)}
    options = {"n_resamples": of_size["resamples"], "rng": 1}
    return {
        name: partial(case.function, *case.inputs(matrix(of_size, 0), matrix(of_size, 1)), **case.how(options))
        for name, case in cases.CASES.items()
        if name != "rank_geometry"  # of three systems
    }


def lines(*, quick=False):
    """Time and memory of each statistic at growing sizes, up to the first that may take longer than some seconds.

    The exponent is the slope of the logarithm of time over that of the size, from the second size on: the first is
    mostly fixed costs.
    """
    limit, largest = (1.0, 1000) if quick else (3.0, math.inf)
    yield f"CPU seconds of one call, and MiB of memory beyond the input; held: {HELD}"
    for axis, sizes in SIZES.items():
        sizes = [size for size in sizes if size <= largest]
        yield f"\n{axis:<45}" + "".join(f"{size:>18,}" for size in sizes) + "   exponent"
        seconds, cells = {}, {}
        for size in sizes:
            for name, call in calls_at(axis, size).items():
                times = seconds.setdefault(name, [])
                if len(times) == sizes.index(size) and (
                    not times or times[-1] * (size / sizes[len(times) - 1]) ** 2 <= limit
                ):
                    taken, memory = measured(partial(quietly, call))
                    times.append(taken)
                    cells.setdefault(name, []).append(f"{taken:10.3g} {memory:5.0f} M")
        for name, times in seconds.items():
            last = slice(1, len(times))
            exponent = np.polyfit(np.log(sizes[last]), np.log(times[last]), 1)[0] if len(times) > 2 else math.nan
            yield f"{name:<45}" + " ".join(cells[name]) + f" {exponent:10.2f}"
