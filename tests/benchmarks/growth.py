"""How time and memory of every public statistic grow with systems, topics and resamples."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pt_rankcorr.scores import ScoreMatrix
from tests import cases

LEAST_SECONDS = 0.02  # of a timing: shorter calls are repeated


@dataclass(frozen=True)
class Size:
    """What is varied; the defaults are what the others are held at."""

    systems: int = 50
    topics: int = 50
    resamples: int = 100


SIZES = {"systems": (10, 100, 1000), "topics": (10, 1000, 100_000), "resamples": (100, 1000, 10_000)}


def matrix(size: Size, seed: int) -> ScoreMatrix:
    """Scores of which some systems are better than others."""
    scores = np.random.default_rng(seed).random((size.topics, size.systems)) * np.linspace(0.5, 1.0, size.systems)
    return ScoreMatrix(scores)


def quietly(statistic: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
    with warnings.catch_warnings():  # few topics, or more systems than topics
        warnings.simplefilter("ignore")
        return statistic(*given, **options)


def measured(call: Callable[[], object]) -> tuple[float, float]:
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


def lines(limit: float, largest: float) -> Iterator[str]:
    """Time and memory of each statistic at growing sizes, up to the first that may take longer than the limit."""
    yield f"CPU seconds of one call, and MiB of memory beyond the input; held: {Size()}"
    for axis, sizes in SIZES.items():
        yield f"\n{axis:<45}" + "".join(f"{size:>18,}" for size in sizes if size <= largest)
        for name, call in cases.CASES.items():
            cells, seconds, before = [], 0.0, sizes[0]
            for size in sizes:
                if size > largest or seconds * (size / before) ** 2 > limit:
                    break
                of_size = replace(Size(), **{axis: size})
                given = call.inputs(matrix(of_size, 0), matrix(of_size, 1))
                how = call.how({"n_resamples": of_size.resamples, "rng": 1})
                seconds, memory = measured(partial(quietly, call.function, *given, **how))
                cells.append(f"{seconds:10.3g} {memory:5.0f} M")
                before = size
            yield f"{name:<45}" + " ".join(cells)
