"""The null distributions of d_rank, and measures compared by it, against algorithm 2 as it stands; two workers."""

from __future__ import annotations

from functools import partial

import numpy as np
import quadprog

from pt_rankcorr import ScoreMatrix, Scores, compare
from pt_rankcorr.stats.core.resampling import block_size, topic_indices
from pt_rankcorr.stats.rank_distance.distance import Reference
from pt_rankcorr.stats.rank_distance.null import shifts_to_centres
from pt_rankcorr.stats.rank_distance.test import DRankTest
from tests.benchmarks.contests import PLAIN, Claim, Contest, Contests
from tests.benchmarks.growth import quietly
from tests.benchmarks.workload import Workload

RIDGE = 1e-5
AS_THE_SOLVERS = Claim(1e-5)  # quadprog of an inverted covariance is no more accurate than that
BEGIN = Claim(0.0, why="workers take about a second to begin, and share the cores with whatever else runs")


def contests(load: Workload) -> Contests:
    # in the package's own order of topics and systems, so that its samples can be drawn again
    scores, B = Reference.of(load.ap, "sample", RIDGE).scores, max(load.sizes.resamples // 4, 20)
    for null, loops in (("published", published), ("shrunken", shrunken)):
        theirs = partial(loops, scores, drawn(scores, B, null))
        subject = f"d_rank, {null} null, {load.sizes}, B = {B}"
        yield Contest(subject, PLAIN, partial(ours, scores, B, null), theirs, AS_THE_SOLVERS)
    yield of_workers(load.ap, f"{load.sizes}, B = {10 * load.sizes.resamples}", 10 * load.sizes.resamples)
    n_systems, n_measures, B = (4, 2, 20) if load.sizes.topics < 20 else (48, 6, 1000)
    yield of_measures(measured(load.half[:, :n_systems], n_measures), 10 * B)


def neighbours_swapped(scores: np.ndarray) -> np.ndarray:
    """A ranking for the null that needs one."""
    means = scores.mean(axis=0)
    return means + 0.2 * means.std() * np.random.default_rng(1).standard_normal(means.size)


def ours(scores: np.ndarray, n_resamples: int, null: str) -> np.ndarray:
    test = DRankTest(scores, n_resamples=n_resamples, null=null, covariance="sample", rng=1)
    return (test if null == "published" else test.test(neighbours_swapped(scores))).null_distribution


def drawn(scores: np.ndarray, n_resamples: int, null: str) -> np.ndarray:
    """The samples of topics that the package draws."""
    n_topics, n_systems = scores.shape
    size = block_size(max(n_topics, n_systems**2))
    seed = int(np.random.default_rng(1).integers(2**63)) if null == "shrunken" else 1
    children = np.random.default_rng(seed).spawn(-(-n_resamples // size))
    return np.concatenate([topic_indices(child, size, n_topics) for child in children])[:n_resamples]


# --- algorithms 1 and 2 ------------------------------------------------------------------------------


def published(scores: np.ndarray, samples: np.ndarray) -> list[float]:
    """Rankings by the means of resampled topics, against the scores as they are."""
    means = (scores[topics].mean(axis=0).round(12) for topics in samples)  # ties stay in the order of the scores
    return [distance(scores, np.argsort(ranking, kind="stable")) for ranking in means]


def shrunken(
    scores: np.ndarray, samples: np.ndarray, ranking: np.ndarray | None = None, shrinkage: float = 0.0
) -> list[float]:
    """The ranking under test against resampled topics, of columns shifted to the centre where it is true."""
    ranking = neighbours_swapped(scores) if ranking is None else ranking
    moved = scores + shifts_to_centres(Reference.of(scores, "sample", RIDGE), ranking[np.newaxis])[0]
    return [distance(moved[topics], np.argsort(ranking), shrinkage) for topics in samples]


def distance(scores: np.ndarray, order: np.ndarray, shrinkage: float = 0.0) -> float:
    """Algorithm 1 as it stands: covariance, inverse, and quadprog. The covariance of systems may be shrunken."""
    rows, m = np.diff(scores[:, order], axis=1), order.size
    delta, covariance = rows.mean(axis=0), np.cov(rows, rowvar=False).reshape(m - 1, m - 1)
    if shrinkage:
        contrasts, neighbours = scores - scores.mean(axis=1, keepdims=True), np.diff(np.eye(m), axis=0)
        variance = contrasts.var(axis=0, ddof=1).sum() / (m - 1)
        covariance = (1 - shrinkage) * covariance + shrinkage * variance * neighbours @ neighbours.T
    inverse = np.linalg.inv(covariance + RIDGE * np.eye(m - 1))
    inverse = (inverse + inverse.T) / 2
    theta = quadprog.solve_qp(inverse, inverse @ delta, np.eye(m - 1), np.zeros(m - 1))[0]
    return max(len(scores) * (theta - delta) @ inverse @ (theta - delta), 0.0) ** 0.5


# --- workers, and many measures ---------------------------------------------------------------------


def of_workers(scores: np.ndarray, size: str, B: int) -> Contest:
    def by(n_jobs: int) -> np.ndarray:
        test = DRankTest(scores, n_resamples=B, rng=1, n_jobs=n_jobs)
        return test.test(neighbours_swapped(scores)).null_distribution

    both = partial(by, 2), partial(by, 1)
    return Contest(f"d_rank, default, {size}, two workers", "one worker", *both, BEGIN, wall=True)


def measured(scores: np.ndarray, n_measures: int) -> Scores:
    """By measures that differ in their errors."""
    rng, spread = np.random.default_rng(1), scores.std()
    noisy = (scores + 0.3 * spread * rng.standard_normal(scores.shape) for _ in range(n_measures))
    return Scores([ScoreMatrix(np.clip(values, 0.0, 1.0), measure=f"M{number}") for number, values in enumerate(noisy)])


def of_measures(scores: Scores, B: int) -> Contest:
    """The rival draws a hundredth of the resamples for one pair of measures."""
    reference, other = scores["M0"].values, scores["M1"].values
    some = B // 100 or 1

    def plain() -> list[float]:
        samples = topic_indices(np.random.default_rng(1), some, len(reference))
        ranking, shrinkage = other.mean(axis=0), Reference.of(reference, "ledoit-wolf", RIDGE).shrinkage
        shrunken(reference, samples, ranking, shrinkage)
        return [distance(reference, np.argsort(ranking), shrinkage)]

    return Contest(
        f"compare, {len(scores)} measures, {len(scores.topics)} topics x {len(scores.systems)} systems, B = {B}",
        PLAIN,
        lambda: [quietly(compare, scores, n_resamples=B, rng=1).rows[0].d_rank],
        plain,
        AS_THE_SOLVERS,
        share=some / B / (len(scores) * (len(scores) - 1)),
    )
