"""How fast d_rank's nulls are, in ratios to the plain loop, and how they grow.

Run as `python -m tests.benchmarks.rank_distance [picture.png]`, with OMP_NUM_THREADS=1 so that one worker is one core.
"""

from __future__ import annotations

import os
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import quadprog

from pt_rankcorr.stats.rank_distance import RECOMMENDED, DRankTest
from tests.benchmarks.timing import ratio, seconds, timed

DATA = Path(os.environ.get("PT_RANKCORR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
RESAMPLES = 10_000
PLAIN_SHARE = 20  # the plain loop runs this part of the resamples, and is scaled up


def robust2004():
    return np.loadtxt(DATA / "trec" / "robust2004_ap.csv", delimiter=",", skiprows=1)[:, 1:]


def plain_loop(scores, n_resamples):
    """Algorithm 2 as it stands: covariance, inverse and quadprog for each resample."""
    rng = np.random.default_rng(0)
    n_topics, n_systems = scores.shape
    for _ in range(n_resamples):
        order = np.argsort(scores[rng.integers(0, n_topics, n_topics)].mean(axis=0))
        rows = np.diff(scores[:, order], axis=1)
        delta = rows.mean(axis=0)
        inverse = np.linalg.inv(np.cov(rows, rowvar=False) + 1e-5 * np.eye(n_systems - 1))
        inverse = (inverse + inverse.T) / 2
        quadprog.solve_qp(inverse, inverse @ delta, np.eye(n_systems - 1), np.zeros(n_systems - 1))


def null(scores, n_resamples=RESAMPLES, **kwargs):
    return DRankTest(scores, n_resamples=n_resamples, rng=0, **kwargs)


def against_the_plain_loop(scores):
    for jobs in (1, 2):
        measured = ratio(
            f"published null, B = {RESAMPLES}, workers: {jobs}",
            lambda jobs=jobs: null(scores, n_jobs=jobs),
            lambda: plain_loop(scores, RESAMPLES // PLAIN_SHARE),
            pairs=3,
        )
        scaled = [PLAIN_SHARE * value for value in (measured.median, measured.lowest, measured.highest)]
        print(
            f"{measured.label:<44}{seconds(measured.ours)}, plain loop {seconds(measured.alternative * PLAIN_SHARE)}: "
            f"{scaled[0]:.1f} times [{scaled[1]:.1f}, {scaled[2]:.1f}]"
        )


def other_nulls(scores):
    ranking = np.random.default_rng(1).permutation(scores.mean(axis=0))
    for name in ("refit", "two-sample", "constrained"):
        for covariance in ("sample", "ledoit-wolf"):
            took = timed(lambda n=name, c=covariance: null(scores, 1000, null=n, covariance=c).test(ranking))
            print(f"{f'{name}, {covariance}, B = 1000':<44}{seconds(took)}")


def second_ranking(scores):
    test = null(scores)
    rng = np.random.default_rng(1)
    print(f"{'one more ranking, the null being there':<44}{seconds(timed(lambda: test.test(rng.random(110)), 20))}")
    many = rng.random((1000, 110))
    print(f"{'each of 1000 rankings at once':<44}{seconds(timed(lambda: test.test(many)) / 1000)}")


def growth(n_topics, n_systems):
    """Seconds a resample and the peak of memory for simulated scores, by the recommended test.

    The sample covariance of more systems than topics is another matter: there pivoting fails and quadprog does it all.
    """
    rng = np.random.default_rng(0)
    scores = rng.beta(2, 3, (n_topics, 1)) * rng.random((n_topics, n_systems)) + np.linspace(0, 0.1, n_systems)
    ranking = scores.mean(axis=0) + 0.01 * rng.standard_normal(n_systems)
    n_resamples = 128 if n_systems < 500 else 16
    took = timed(lambda: null(scores, n_resamples, **RECOMMENDED).test(ranking)) / n_resamples
    tracemalloc.start()
    null(scores, n_resamples, **RECOMMENDED).test(ranking)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{f'{n_topics} topics, {n_systems} systems':<44}{seconds(took)} a resample, peak {peak / 2**20:.0f} MiB")
    return took


def draw_growth(path, by_systems, by_topics):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained", sharey=True)
    for ax, (sizes, times), label in zip(
        axes, (by_systems, by_topics), ("systems (250 topics)", "topics (50 systems)"), strict=True
    ):
        ax.loglog(sizes, [1e3 * time for time in times], "o-", color="0.2")
        ax.set_xlabel(label)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("milliseconds a resample")
    figure.savefig(path, dpi=150)


def main():
    warnings.simplefilter("ignore")
    scores = robust2004()
    against_the_plain_loop(scores)
    other_nulls(scores)
    second_ranking(scores)
    systems, topics = (10, 30, 100, 300, 1000), (50, 500, 5_000, 50_000, 100_000)
    by_systems = systems, [growth(250, size) for size in systems]
    by_topics = topics, [growth(size, 50) for size in topics]
    if len(sys.argv) > 1:
        draw_growth(sys.argv[1], by_systems, by_topics)


if __name__ == "__main__":
    main()
