"""CPU seconds of whole commands, beside those of the imports that they cannot do without, and of long calls."""

import os
import subprocess
import sys
import time
from functools import partial
from tempfile import TemporaryDirectory

import pt_rankcorr as rc
from tests.benchmarks.growth import quietly
from tests.benchmarks.statistics import scores_of

RUNS = ("--runs", "files/runs", "--qrels", "files/reference.qrels", "--seed", "1")
COMMANDS = {
    "compare --help": ("compare", "--help"),
    "compare, 3 measures": ("compare", *RUNS, "--measures", "AP", "nDCG@10", "P@10"),
    "judgments, one judge": ("judgments", *RUNS, "--against", "files/model.qrels", "--measures", "nDCG@10"),
    "report, 3 measures": ("report", *RUNS, "--measures", "AP", "nDCG@10", "P@10", "--output", "page.html"),
}


def cpu_of(folder, *words):
    """CPU seconds of a process of Python."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    before = os.times()
    subprocess.run([sys.executable, *words], cwd=folder, env=environment, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def lines(*, quick=False):
    yield f"{'command':<66}{'CPU seconds':>12}{'imports alone':>15}"
    with TemporaryDirectory() as folder:
        cpu_of(folder, "-m", "pt_rankcorr", "demo", "--write", "files")
        imports = min(
            cpu_of(folder, "-c", "import numpy, scipy.special, pandas, ir_measures, joblib") for _ in range(3)
        )
        for name, words in COMMANDS.items():
            seconds = min(cpu_of(folder, "-m", "pt_rankcorr", *words) for _ in range(1 if quick else 3))
            yield f"{name:<66}{seconds:>12.2f}{imports:>15.2f}"
    n_systems, n_kde, B = (50, 20, 200) if quick else (400, 129, 10_000)
    scores = scores_of(50, n_systems)
    yield f"\n{'call':<66}{'CPU seconds':>12}"
    for name, call in {
        f"rank_intervals, pairwise, 50 x {n_systems}": partial(rc.rank_intervals, scores, method="pairwise", rng=1),
        f"d_rank, published, 50 x {n_systems}, B = {B}": partial(
            rc.d_rank, scores, scores.mean(axis=0)[::-1], null="published", n_resamples=B, rng=1
        ),
        f"expected_correlation, kde, 50 x {n_kde}": partial(
            rc.expected_correlation, scores_of(50, n_kde), estimator="kde", rng=1
        ),
    }.items():
        start = time.process_time()
        quietly(call)
        yield f"{name:<66}{time.process_time() - start:>12.2f}"
