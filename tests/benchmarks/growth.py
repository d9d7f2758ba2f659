"""What large inputs take, as tables of `large_data.rst`, and how time and memory of every public statistic grow."""

import math
import multiprocessing
import time
import tracemalloc
import warnings
from functools import partial
from itertools import chain
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory

import numpy as np

import pt_rankcorr as rc
from pt_rankcorr.scores import ScoreMatrix
from tests import cases

LEAST_SECONDS = 0.02  # of a timing: shorter calls are repeated

LARGE = ((100, 100), (1000, 100), (100, 1000), (1000, 1000), (50, 100_000))  # systems, topics

DOCUMENTS = [f"FBIS-{number:07}" for number in range(1000)]

HELD = {"systems": 50, "topics": 50, "resamples": 100}
SIZES = {
    "systems": (50, 100, 200, 400, 800),
    "topics": (100, 1000, 10_000, 100_000),
    "resamples": (100, 400, 1600, 6400),
    "measures": (3, 6, 12, 24),  # of `compare`, which has a row for each pair
}
# the exponent of time that no statistic is to exceed by much: results of all pairs grow with the square
MOST = {"systems": 2, "topics": 1, "resamples": 1, "measures": 2}
MARGIN = 0.3  # of an exponent, for fixed costs and caches


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


def large_scores(n_systems, n_topics):
    """Name -> a call: statistics of so many scores, with their default settings unless the name says otherwise."""
    scores, other = (matrix({"topics": n_topics, "systems": n_systems}, seed) for seed in (0, 1))
    both = rc.Scores([scores.named("one"), other.named("other")])
    return {
        "``d_rank``, 1000 resamples": partial(rc.d_rank, scores, other, n_resamples=1000, rng=1),
        "``d_rank``, published, 100": partial(rc.d_rank, scores, other, null="published", n_resamples=100, rng=1),
        "``rank_intervals``": partial(rc.rank_intervals, scores, rng=1),
        "``best_systems``": partial(rc.best_systems, scores, rng=1),
        "``expected_correlation``": partial(rc.expected_correlation, scores, rng=1),
        "``discriminative_power``": partial(rc.discriminative_power, scores, rng=1),
        "``correlation_interval``": partial(rc.correlation_interval, scores, other, rng=1),
        "``compare``, two measures": partial(rc.compare, both, rng=1),
    }


def large_runs(folder, *, quick):
    """Name -> a call that reads and evaluates up to 1 GB of runs."""
    n_topics, most = (10, 8) if quick else (1000, 32)
    lines = [f" Q0 {name} {rank} {(1001 - rank) / 100:.2f} tag\n" for rank, name in enumerate(DOCUMENTS, 1)]
    runs = {number: folder / f"run{number}" for number in range(most)}
    for path in runs.values():
        path.write_text("".join(f"{topic}{line}" for topic in range(n_topics) for line in lines))
    judged = folder / "judged"
    judged.write_text("".join(f"{topic} 0 {name} 1\n" for topic in range(n_topics) for name in DOCUMENTS[::10]))
    for n in (most // 4, most // 2, most):
        some = {number: runs[number] for number in range(n)}
        megabytes = sum(path.stat().st_size for path in some.values()) / 1e6
        call = partial(rc.scores_from_runs, some, judged, ["AP", "nDCG@10", "P@10"], verbose=False)
        yield f"``scores_from_runs``, {n} runs, {megabytes:,.0f} MB", call


def large_judgments(folder, *, quick):
    """Name -> a call that reads up to ten million judgments: for two runs of a document a topic, or two sets."""
    labels = [f" 0 {name} {place % 3}\n" for place, name in enumerate(DOCUMENTS)]
    for n_topics in (10, 100) if quick else (2500, 10_000):
        path = folder / f"judged{n_topics}"
        with path.open("w") as file:
            file.writelines(f"{topic}{line}" for topic in range(n_topics) for line in labels)
        runs = {number: {str(topic): {DOCUMENTS[number]: 1.0} for topic in range(n_topics)} for number in (1, 2)}
        size = f"{n_topics * len(labels):,} judgments"
        yield f"``scores_from_runs``, {size}", partial(rc.scores_from_runs, runs, path, ["P@10"], verbose=False)
        yield f"``compare_labels``, two sets of {size}", partial(rc.judgments.compare_labels, path, {"same": path})


def table(heads, rows):
    """Lines of a simple table of reStructuredText, each as soon as its row is measured."""
    widths = [48, *(max(15, len(head)) for head in heads[1:])]
    rule = " ".join("=" * width for width in widths)
    yield from (rule, in_columns(heads, widths), rule)
    for row in rows:
        yield in_columns(row, widths)
    yield rule


def in_columns(cells, widths):
    return " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def cell(call):
    """What a call takes, such as "34 s, 72 MiB"."""
    seconds, memory = alone(call)
    return f"{seconds:{'.1f' if seconds < 10 else '.0f'}} s, {memory:.0f} MiB"


def rows_of_scores(sizes):
    at_size = [large_scores(*size) for size in sizes]
    for name in at_size[0]:
        yield name, *(cell(calls[name]) for calls in at_size)


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
    yield from large_inputs(quick=quick)
    yield from exponents(quick=quick)


def large_inputs(*, quick):
    """The tables of `large_data.rst`."""
    yield "CPU seconds, and MiB of memory beyond the input; systems x topics"
    sizes = [(50, 50), (100, 50)] if quick else LARGE
    yield from table(["statistic", *(f"{m:,} x {k:,}" for m, k in sizes)], rows_of_scores(sizes))
    yield ""
    with TemporaryDirectory() as folder:
        calls = chain(large_runs(Path(folder), quick=quick), large_judgments(Path(folder), quick=quick))
        yield from table(["reading", "takes"], ((name, cell(call)) for name, call in calls))


def exponents(*, quick):
    """Time and memory of each statistic at growing sizes, as long as a call may take some seconds at most.

    The exponent is the slope of the logarithm of time over that of the size, from the second size on: the first is
    mostly fixed costs.
    """
    limit, largest = (1.0, 1000) if quick else (5.0, math.inf)
    yield f"\nCPU seconds of one call, and MiB of memory beyond the input; held: {HELD}"
    for axis, sizes in SIZES.items():
        sizes = [size for size in sizes if size <= largest]
        yield f"\n{axis:<45}" + "".join(f"{size:>18,}" for size in sizes) + f"   exponent, at most about {MOST[axis]}"
        seconds, cells = {}, {}
        for size in sizes:
            for name, call in calls_at(axis, size).items():
                times = seconds.setdefault(name, [])
                if len(times) == sizes.index(size) and (
                    not times or times[-1] * (size / sizes[len(times) - 1]) ** MOST[axis] <= limit
                ):
                    taken, memory = measured(partial(quietly, call))
                    times.append(taken)
                    cells.setdefault(name, []).append(f"{taken:10.3g} {memory:5.0f} M")
        for name, times in seconds.items():
            last = slice(1, len(times))
            exponent = np.polyfit(np.log(sizes[last]), np.log(times[last]), 1)[0] if len(times) > 2 else math.nan
            more = "  MORE" if exponent > MOST[axis] + MARGIN else ""
            yield f"{name:<45}" + " ".join(cells[name]) + f" {exponent:10.2f}{more}"
