"""The null distributions of d_rank, against algorithm 2 as it stands and by two workers, and p-values without them."""

from __future__ import annotations

from functools import partial

import numpy as np
import quadprog

from pt_rankcorr.stats.core.resampling import block_size, topic_indices
from pt_rankcorr.stats.rank_distance import centres
from pt_rankcorr.stats.rank_distance.reference import Reference
from pt_rankcorr.stats.rank_distance.sequential import Counts, least_as_far
from pt_rankcorr.stats.rank_distance.test import DRankTest, Rankings
from tests.benchmarks.contests import PLAIN, Claim, Contest, Contests
from tests.benchmarks.workload import Workload

RIDGE = 1e-5
AS_THE_SOLVERS = Claim(1e-5)  # quadprog of an inverted covariance is no more accurate than that
BEGIN = "workers take about a second to begin, and share the cores with whatever else runs"


def contests(load: Workload) -> Contests:
    # in the package's own order of topics and systems, so that its samples can be drawn again
    scores, B = Reference.of(load.ap, "sample", RIDGE).fitter.scores, max(load.sizes.resamples // 4, 20)
    for null, loops in (("published", published), ("shrunken", shrunken)):
        theirs = partial(loops, scores, drawn(scores, B, null))
        subject = f"d_rank, {null} null, {load.sizes}, B = {B}"
        yield Contest(subject, PLAIN, partial(ours, scores, B, null), theirs, AS_THE_SOLVERS)
    yield of_workers(load.ap, f"{load.sizes}, B = {10 * load.sizes.resamples}", 10 * load.sizes.resamples)
    for how, swapped in (("far", -1.0), ("near", 1.0)):
        yield of_many(load, how, swapped)


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
    moved = scores + centres.shrunken(Reference.of(scores, "sample", RIDGE).fitter, ranking[np.newaxis])[0]
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


# --- workers, and p-values alone ---------------------------------------------------------------------


def of_workers(scores: np.ndarray, size: str, B: int) -> Contest:
    def by(n_jobs: int) -> np.ndarray:
        test = DRankTest(scores, n_resamples=B, rng=1, n_jobs=n_jobs)
        return test.test(neighbours_swapped(scores)).null_distribution

    both = partial(by, 2), partial(by, 1)
    return Contest(
        f"d_rank, default, {size}, two workers", "one worker", *both, Claim(0.0), wall=True, why_slower=BEGIN
    )


def of_many(load: Workload, how: str, swapped: float) -> Contest:
    """Twenty rankings that the resamples never come near, or that they soon do; as far as resamples are wanted."""
    scores, B = load.ap, 10 * load.sizes.resamples
    means = scores.mean(axis=0)
    noise = 0.1 * means.std() * np.random.default_rng(1).standard_normal((20, means.size))
    test, rankings = partial(DRankTest, scores, n_resamples=B, rng=1), Rankings(swapped * means + noise)

    def whole() -> np.ndarray:
        """By the same rule, from all distances."""
        result = test().test(rankings)
        counts = Counts(least_as_far(result.statistic), B)
        rows = np.zeros((B, 20, 2))
        rows[..., 0] = result.null_distribution.T
        counts.add(rows, np.arange(20))
        return counts.pvalues()

    subject = f"p-values of d_rank, 20 {how} rankings, {load.sizes}, B = {B}"
    return Contest(subject, "all resamples", lambda: test().test(rankings).pvalue, whole, Claim(0.0))
