"""The null distributions of d_rank, against algorithm 2 as it stands and by two workers, and p-values without them."""

from __future__ import annotations

from functools import partial
from unittest import mock

import numpy as np
import quadprog

from pt_rankcorr.stats.core.resampling import block_size, topic_indices
from pt_rankcorr.stats.rank_distance import many, nulls
from pt_rankcorr.stats.rank_distance.reference import Reference
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
    yield _of_far_rankings(load)
    yield _compiled(load)


def _ranking(scores: np.ndarray) -> np.ndarray:
    """A ranking for the null that needs one: with neighbours swapped."""
    means = scores.mean(axis=0)
    return means + 0.2 * means.std() * np.random.default_rng(1).standard_normal(means.size)


def _null(scores: np.ndarray, n_resamples: int, null: str) -> np.ndarray:
    test = DRankTest(scores, n_resamples=n_resamples, null=null, covariance="sample", rng=1)
    return (
        test.test(_ranking(scores), whole_null=True).null_distribution
        if null == "constrained"
        else test.null_distribution
    )


def _samples(scores: np.ndarray, n_resamples: int, null: str) -> np.ndarray:
    """The samples of topics that the package draws."""
    n_topics, n_systems = scores.shape
    size = block_size(max(n_topics, n_systems**2))
    seed = int(np.random.default_rng(1).integers(2**63)) if null == "constrained" else 1
    children = np.random.default_rng(seed).spawn(-(-n_resamples // size))
    return np.concatenate([topic_indices(child, size, n_topics) for child in children])[:n_resamples]


# --- algorithms 1 and 2 ------------------------------------------------------------------------------


def published(scores: np.ndarray, samples: np.ndarray) -> list[float]:
    """Rankings by the means of resampled topics, against the scores as they are."""
    means = (scores[topics].mean(axis=0).round(12) for topics in samples)  # ties stay in the order of the scores
    return [distance(scores, np.argsort(ranking, kind="stable")) for ranking in means]


def refitted(scores: np.ndarray, samples: np.ndarray) -> list[float]:
    """The ranking of the scores, against resampled topics."""
    order = np.argsort(scores.mean(axis=0))
    return [distance(scores[topics], order) for topics in samples]


def constrained(
    scores: np.ndarray, samples: np.ndarray, ranking: np.ndarray | None = None, shrinkage: float = 0.0
) -> list[float]:
    """The ranking under test against resampled topics, of columns shifted to the nearest means that keep it."""
    order = np.argsort(_ranking(scores) if ranking is None else ranking)
    delta, theta, _ = _nearest(scores, order, shrinkage)
    moved = scores.copy()
    moved[:, order[1:]] += np.cumsum(np.maximum(theta, 0.0) - delta)
    return [distance(moved[topics], order, shrinkage) for topics in samples]


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


LOOPS = {"published": published, "refit": refitted, "constrained": constrained}


COVARIANCES = {"published": 0.0, "refit": 1.0, "constrained": 1.0}  # estimated for each resample


# --- workers -----------------------------------------------------------------------------------------


def _workers(load: Workload) -> Entries:
    scores, B = load.ap, 10 * load.sizes.resamples
    ranking = _ranking(scores)

    def by(n_jobs: int) -> np.ndarray:
        return DRankTest(scores, n_resamples=B, rng=1, n_jobs=n_jobs).test(ranking, whole_null=True).null_distribution

    subject = f"d_rank, default, {load.sizes}, B = {B}, two workers"
    begin = "workers take about a second to begin, and share the cores with whatever else runs"
    yield Contest(subject, "one worker", lambda: by(2), lambda: by(1), Claim(0.0), wall=True, why_slower=begin)


# --- p-values alone ----------------------------------------------------------------------------------


def _of_far_rankings(load: Workload) -> Contest:
    """Twenty rankings that the resamples never come near."""
    scores, B = load.ap, load.sizes.resamples
    means = scores.mean(axis=0)
    rankings = Rankings(-means + means.std() * np.random.default_rng(1).standard_normal((20, means.size)))

    def by(whole_null: bool) -> np.ndarray:
        test = DRankTest(scores, n_resamples=B, rng=1)
        return np.asarray(test.test(rankings, whole_null=whole_null).pvalue)

    subject = f"p-values of d_rank, 20 far rankings, {load.sizes}, B = {B}"
    return Contest(subject, "with all distances of the null", lambda: by(False), lambda: by(True), Claim(0.0))


# --- compiled code -----------------------------------------------------------------------------------


def _compiled(load: Workload) -> Contest:
    """The null distributions of six rankings, as comparisons of measures want them; the bits are to be equal."""
    scores, B = load.ap, 10 * load.sizes.resamples
    means = scores.mean(axis=0)
    rankings = Rankings(means + 0.2 * means.std() * np.random.default_rng(1).standard_normal((6, means.size)))

    def by(measure: many.Measure) -> np.ndarray:
        with mock.patch.object(nulls, "measure_for", return_value=measure):
            tested = DRankTest(scores, n_resamples=B, rng=1).test(rankings, whole_null=True)
        return tested.null_distribution

    subject = f"nulls of d_rank, 6 rankings, {load.sizes}, B = {B}, by numba"
    return Contest(subject, "without numba", lambda: by(many.by_compiled), lambda: by(many.one_by_one), Claim(0.0))
