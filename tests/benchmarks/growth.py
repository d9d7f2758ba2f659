"""How time and memory of every public statistic grow with systems, topics and resamples, and what large inputs take."""

import math
import multiprocessing
import time
import tracemalloc
import warnings
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory

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


def alone(call):
    """CPU seconds of a call in a process of its own, and the most memory that it takes beyond its input, in MiB."""

    def work(sender):
        before = getrusage(RUSAGE_SELF)
        quietly(call)
        after = getrusage(RUSAGE_SELF)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        sender.send((seconds, (after.ru_maxrss - before.ru_maxrss) / 2**10))

    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(sender,))
    process.start()
    sender.close()
    measured = receiver.recv()
    process.join()
    return measured


def large_inputs(folder, *, quick):
    """Name -> a call: statistics of 1000 x 1000 scores, runs of 1 GB in all, ten million judgments."""
    n, n_runs, n_topics, n_judged = (100, 2, 10, 100) if quick else (1000, 22, 1000, 10_000)
    scores, other = (matrix({"topics": n, "systems": n}, seed) for seed in (0, 1))
    size = f"{n} x {n}"
    yield f"d_rank, {size}", partial(rc.d_rank, scores, other, n_resamples=1000, rng=1)
    yield f"rank_intervals, {size}", partial(rc.rank_intervals, scores, rng=1)
    yield f"expected_correlation, {size}", partial(rc.expected_correlation, scores, rng=1)
    yield f"discriminative_power, {size}", partial(rc.discriminative_power, scores, rng=1)
    yield f"correlation_interval, {size}", partial(rc.correlation_interval, scores, other, rng=1)
    documents = [f"FBIS-{number:07}" for number in range(1000)]
    lines = [f" Q0 {name} {rank} {(1001 - rank) / 100:.2f} tag\n" for rank, name in enumerate(documents, 1)]
    run = "".join(f"{topic}{line}" for topic in range(n_topics) for line in lines)
    for number in range(n_runs):
        (folder / f"run{number}").write_text(run)
    (folder / "few").write_text(
        "".join(f"{topic} 0 {name} 1\n" for topic in range(n_topics) for name in documents[::10])
    )
    labels = [f" 0 {name} {place % 3}\n" for place, name in enumerate(documents)]
    with (folder / "many").open("w") as file:
        file.writelines(f"{topic}{line}" for topic in range(n_judged) for line in labels)
    runs = {number: folder / f"run{number}" for number in range(n_runs)}
    of_runs = f"scores_from_runs, {n_runs} runs of {len(run) / 2**20:.0f} MiB, 3 measures"
    yield of_runs, partial(rc.scores_from_runs, runs, folder / "few", ["AP", "nDCG@10", "P@10"], verbose=False)
    few = {number: {str(topic): {"FBIS-0000001": 1.0} for topic in range(n_judged)} for number in range(2)}
    of_judgments = f"scores_from_runs, {1000 * n_judged:,} judgments, two runs of a document a topic"
    yield of_judgments, partial(rc.scores_from_runs, few, folder / "many", ["P@10"])


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
    yield f"{'large inputs':<80}{'CPU seconds':>12}{'MiB beyond':>12}"
    with TemporaryDirectory() as folder:
        for name, call in large_inputs(Path(folder), quick=quick):
            seconds, memory = alone(call)
            yield f"{name:<80}{seconds:>12.2f}{memory:>12.0f}"
    limit, largest = (1.0, 1000) if quick else (3.0, math.inf)
    yield f"\nCPU seconds of one call, and MiB of memory beyond the input; held: {HELD}"
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
