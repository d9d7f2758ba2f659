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
from tests.benchmarks.contests import PLAIN, Claim, Contest, Entries
from tests.benchmarks.workload import Workload

RIDGE = 1e-5
AS_THE_SOLVERS = Claim(1e-5)  # quadprog of an inverted covariance is no more accurate than that


def contests(load: Workload) -> Entries:
    # in the package's own order of topics and systems, so that its samples can be drawn again
    scores = Reference.of(load.ap, "sample", RIDGE).fitter.scores
    B = max(load.sizes.resamples // 4, 20)
    for null in LOOPS:
        samples = _samples(scores, B, null)
        yield Contest(
            f"d_rank, {null} null, {load.sizes}, B = {B}",
            PLAIN,
            partial(_null, scores, B, null),
            partial(LOOPS[null], scores, samples),
            AS_THE_SOLVERS,
            flops=COVARIANCES[null] * B * load.ap.size * load.sizes.systems,  # which are symmetric
        )
    yield from _workers(load)
    for how, swapped in (("far", -1.0), ("near", 1.0)):
        yield _of_many(load, how, swapped)


def _ranking(scores: np.ndarray) -> np.ndarray:
    """A ranking for the null that needs one: with neighbours swapped."""
    means = scores.mean(axis=0)
    return means + 0.2 * means.std() * np.random.default_rng(1).standard_normal(means.size)


def _null(scores: np.ndarray, n_resamples: int, null: str) -> np.ndarray:
    test = DRankTest(scores, n_resamples=n_resamples, null=null, covariance="sample", rng=1)
    return test.test(_ranking(scores)).null_distribution if null == "shrunken" else test.null_distribution


def _samples(scores: np.ndarray, n_resamples: int, null: str) -> np.ndarray:
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
    ranking = _ranking(scores) if ranking is None else ranking
    moved = scores + centres.shrunken(Reference.of(scores, "sample", RIDGE).fitter, ranking[np.newaxis])[0]
    return [distance(moved[topics], np.argsort(ranking), shrinkage) for topics in samples]


def distance(scores: np.ndarray, order: np.ndarray, shrinkage: float = 0.0) -> float:
    delta, theta, inverse = _nearest(scores, order, shrinkage)
    return max(len(scores) * (theta - delta) @ inverse @ (theta - delta), 0.0) ** 0.5


def _nearest(scores: np.ndarray, order: np.ndarray, shrinkage: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Algorithm 1 as it stands: covariance, inverse, and quadprog. The covariance of systems may be shrunken."""
    rows, m = np.diff(scores[:, order], axis=1), order.size
    delta, covariance = rows.mean(axis=0), np.cov(rows, rowvar=False).reshape(m - 1, m - 1)
    if shrinkage:
        contrasts, neighbours = scores - scores.mean(axis=1, keepdims=True), np.diff(np.eye(m), axis=0)
        variance = contrasts.var(axis=0, ddof=1).sum() / (m - 1)
        covariance = (1 - shrinkage) * covariance + shrinkage * variance * neighbours @ neighbours.T
    inverse = np.linalg.inv(covariance + RIDGE * np.eye(m - 1))
    inverse = (inverse + inverse.T) / 2
    return delta, quadprog.solve_qp(inverse, inverse @ delta, np.eye(m - 1), np.zeros(m - 1))[0], inverse


LOOPS = {"published": published, "shrunken": shrunken}
COVARIANCES = {"published": 0.0, "shrunken": 1.0}  # estimated for each resample


# --- workers -----------------------------------------------------------------------------------------


def _workers(load: Workload) -> Entries:
    scores, B = load.ap, 10 * load.sizes.resamples
    ranking = _ranking(scores)

    def by(n_jobs: int) -> np.ndarray:
        return DRankTest(scores, n_resamples=B, rng=1, n_jobs=n_jobs).test(ranking).null_distribution

    subject = f"d_rank, default, {load.sizes}, B = {B}, two workers"
    begin = "workers take about a second to begin, and share the cores with whatever else runs"
    yield Contest(subject, "one worker", lambda: by(2), lambda: by(1), Claim(0.0), wall=True, why_slower=begin)


# --- p-values alone ----------------------------------------------------------------------------------


def _of_many(load: Workload, how: str, swapped: float) -> Contest:
    """Twenty rankings that the resamples never come near, or that they soon do; as far as resamples are wanted."""
    scores, B = load.ap, 10 * load.sizes.resamples
    means = scores.mean(axis=0)
    noise = 0.1 * means.std() * np.random.default_rng(1).standard_normal((20, means.size))
    rankings = Rankings(swapped * means + noise)

    def ours() -> np.ndarray:
        return np.asarray(DRankTest(scores, n_resamples=B, rng=1).test(rankings).pvalue)

    def whole() -> np.ndarray:
        """By the same rule, from all distances."""
        result = DRankTest(scores, n_resamples=B, rng=1).test(rankings)
        counts = Counts(least_as_far(result.statistic), B)
        rows = np.zeros((B, 20, 2))
        rows[..., 0] = result.null_distribution.T
        counts.add(rows, np.arange(20))
        return counts.pvalues()

    return Contest(
        f"p-values of d_rank, 20 {how} rankings, {load.sizes}, B = {B}", "all resamples", ours, whole, Claim(0.0)
    )
