"""Six measures compared with one another, and the report on them, against one statistic after the other."""

from __future__ import annotations

from functools import partial

import numpy as np

from pt_rankcorr import ScoreMatrix, Scores, best_systems, compare, discriminative_power, expected_correlation, report
from pt_rankcorr.stats.core.resampling import topic_indices
from pt_rankcorr.stats.rank_distance.model import Fitter
from tests.benchmarks import rank_distance
from tests.benchmarks.contests import PLAIN, Contest, Contests
from tests.benchmarks.growth import quietly
from tests.benchmarks.workload import Workload


def contests(load: Workload) -> Contests:
    n_systems, n_measures, B = (4, 2, 20) if load.sizes.topics < 20 else (48, 6, 1000)
    yield of_measures(measured(load.half[:, :n_systems], n_measures), 10 * B)
    yield of_report(measured(load.half, n_measures), B)


def measured(scores: np.ndarray, n_measures: int) -> Scores:
    """By measures that differ in their errors."""
    rng, spread = np.random.default_rng(1), scores.std()
    noisy = (scores + 0.3 * spread * rng.standard_normal(scores.shape) for _ in range(n_measures))
    return Scores([ScoreMatrix(np.clip(values, 0.0, 1.0), measure=f"M{number}") for number, values in enumerate(noisy)])


def subject(what: str, scores: Scores, B: int) -> str:
    return f"{what}, {len(scores)} measures, {len(scores.topics)} topics x {len(scores.systems)} systems, B = {B}"


def of_measures(scores: Scores, B: int) -> Contest:
    """The rival draws a hundredth of the resamples for one pair of measures."""
    reference, other = scores["M0"].values, scores["M1"].values
    some = B // 100 or 1

    def plain() -> list[float]:
        samples = topic_indices(np.random.default_rng(1), some, len(reference))
        ranking, shrinkage = other.mean(axis=0), Fitter.of(reference, "ledoit-wolf", rank_distance.RIDGE).shrinkage
        rank_distance.shrunken(reference, samples, ranking, shrinkage)
        return [rank_distance.distance(reference, np.argsort(ranking), shrinkage)]

    return Contest(
        subject("compare", scores, B),
        PLAIN,
        lambda: [quietly(compare, scores, n_resamples=B, rng=1).rows[0].d_rank],
        plain,
        rank_distance.AS_THE_SOLVERS,
        share=some / B / (len(scores) * (len(scores) - 1)),
    )


def of_report(scores: Scores, B: int) -> Contest:
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

    both, more = (partial(quietly, each) for each in (ours, one_by_one)), "the page with its tables and pictures"
    return Contest(subject("report", scores, B), "its statistics, one call each", *both, why_slower=more)
