"""Six measures compared with one another, and the report on them, against one statistic after the other."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np

from pt_rankcorr.comparison.measures import compare
from pt_rankcorr.reporting.reports import report
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy.best import best_systems
from pt_rankcorr.stats.core.resampling import topic_indices
from pt_rankcorr.stats.expected.correlation import expected_correlation
from pt_rankcorr.stats.rank_distance.model import Fitter
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.warnings import UnreliableResultWarning
from tests.benchmarks import rank_distance
from tests.benchmarks.contests import PLAIN, Contest, Entries
from tests.benchmarks.workload import Workload

MEASURES = 6


def contests(load: Workload) -> Entries:
    few = load.sizes.topics < 20
    scores = measured(load.half[:, : 8 if few else 48])
    yield _compare(scores, B=40 if few else 10_000)
    yield _report(measured(load.half), B=100 if few else 1000)


def measured(scores: np.ndarray) -> Scores:
    """By measures that differ in their errors."""
    rng, spread = np.random.default_rng(1), scores.std()
    noisy = (scores + 0.3 * spread * rng.standard_normal(scores.shape) for _ in range(MEASURES))
    return Scores([ScoreMatrix(np.clip(values, 0.0, 1.0), measure=f"M{number}") for number, values in enumerate(noisy)])


def size_of(scores: Scores) -> str:
    n_topics, n_systems = scores["M0"].values.shape
    return f"{MEASURES} measures, {n_topics} topics x {n_systems} systems"


def _compare(scores: Scores, B: int) -> Contest:
    """The rival draws a hundredth of the resamples for one pair of measures."""
    reference, other = scores["M0"].values, scores["M1"].values
    some = B // 100 or 1
    settings = {"n_resamples": B, "rng": 1}

    def plain() -> list[float]:
        samples = topic_indices(np.random.default_rng(1), some, len(reference))
        ranking, shrinkage = other.mean(axis=0), Fitter.of(reference, "ledoit-wolf", rank_distance.RIDGE).shrinkage
        rank_distance.shrunken(reference, samples, ranking, shrinkage)
        return [rank_distance.distance(reference, np.argsort(ranking), shrinkage)]

    return Contest(
        f"compare, {size_of(scores)}, B = {B}",
        PLAIN,
        lambda: [next(iter(quietly(partial(compare, scores, **settings)))).d_rank],
        plain,
        rank_distance.AS_THE_SOLVERS,
        share=some / B / (MEASURES * (MEASURES - 1)),
    )


def _report(scores: Scores, B: int) -> Contest:
    """The rival asks for the same statistics, one call each, and makes no page."""
    settings = {"n_resamples": B, "rng": 1}

    def one_by_one() -> list[float]:
        rows = compare(scores, **settings)
        discriminative_power(scores, **settings)
        best_systems(scores["M0"], **settings)
        for measure in scores:
            expected_correlation(scores[measure], **settings).topics_needed(0.9)
        return [row.d_rank for row in rows]

    def ours() -> list[float]:
        made = report(scores, **settings)
        made.to_html()
        return [row.d_rank for row in made.findings.comparison]

    subject = f"report, {size_of(scores)}, B = {B}"
    rival, more = "its statistics, one call each", "the page with its tables and pictures"
    return Contest(subject, rival, partial(quietly, ours), partial(quietly, one_by_one), why_slower=more)


def quietly(action):
    """Without what is said of close systems."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableResultWarning)
        return action()
