"""How time and memory of every public statistic grow with systems, topics and resamples."""

import time
import tracemalloc
import warnings
from functools import partial

import numpy as np

from pt_rankcorr.scores import ScoreMatrix
from tests import cases

LEAST_SECONDS = 0.02  # of a timing: shorter calls are repeated


HELD = {"systems": 50, "topics": 50, "resamples": 100}
SIZES = {"systems": (10, 100, 1000), "topics": (10, 1000, 100_000), "resamples": (100, 1000, 10_000)}


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


def lines(limit, largest):
    """Time and memory of each statistic at growing sizes, up to the first that may take longer than the limit."""
    yield f"CPU seconds of one call, and MiB of memory beyond the input; held: {HELD}"
    for axis, sizes in SIZES.items():
        yield f"\n{axis:<45}" + "".join(f"{size:>18,}" for size in sizes if size <= largest)
        for name, call in cases.CASES.items():
            cells, seconds, before = [], 0.0, sizes[0]
            for size in sizes:
                if size > largest or seconds * (size / before) ** 2 > limit:
                    break
                of_size = HELD | {axis: size}
                given = call.inputs(matrix(of_size, 0), matrix(of_size, 1))
                how = call.how({"n_resamples": of_size["resamples"], "rng": 1})
                seconds, memory = measured(partial(quietly, call.function, *given, **how))
                cells.append(f"{seconds:10.3g} {memory:5.0f} M")
                before = size
            yield f"{name:<45}" + " ".join(cells)
