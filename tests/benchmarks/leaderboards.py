"""Leaderboards of judges: intervals of all coefficients of all judges, over the same resamples of topics."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import kendalltau, pearsonr, spearmanr

from pt_rankcorr import ScoreMatrix, Scores, compare_leaderboards
from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_errors
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from tests.benchmarks.contests import Contest, Contests
from tests.benchmarks.workload import Workload
from tests.stats.oracles import kendall_tau_a, tau_ap_a
from tests.stats.oracles_sensitivity import drawn_topics

NAMES = ("tau", "tau_b", "tau_ap", "spearman", "pearson")


def contests(load: Workload) -> Contests:
    yield of_resamples(load)
    yield of_many_judges(load)


def of_resamples(load: Workload) -> Contest:
    B = min(load.sizes.resamples, 100)
    wanted = Coefficients(tuple(COEFFICIENTS[name] for name in NAMES))

    def ours() -> np.ndarray:
        found = correlation_errors(load.ap, load.p10, wanted, n_resamples=B, seed=1)
        return np.array([found[name].standard_error for name in NAMES])

    def one_by_one() -> np.ndarray:
        rows = []
        for topics in drawn_topics(len(load.ap), B, 1):
            both = [scores[topics].mean(axis=0).round(12) for scores in (load.ap, load.p10)]
            first, third = (plain(*(means.tolist() for means in both)) for plain in (kendall_tau_a, tau_ap_a))
            rows.append([first, kendalltau(*both)[0], third, spearmanr(*both)[0], pearsonr(*both)[0]])
        return np.std(rows, axis=0, ddof=1)

    size = f"{len(NAMES)} coefficients, {load.sizes}, B = {B}"
    return Contest(f"standard errors, {size}", "scipy and loops, one resample after the other", ours, one_by_one)


def of_many_judges(load: Workload) -> Contest:
    """The whole table at once, against one call a judge."""
    rng = np.random.default_rng(1)
    n_judges, measures = (3, ["AP"]) if load.sizes.topics < 20 else (12, ["AP", "RR"])

    def board(noise: float) -> Scores:
        drawn = {name: ScoreMatrix(load.ap + rng.normal(0, noise, load.ap.shape)) for name in measures}
        return Scores(drawn)

    reference = board(0.0).select(measures=["AP"])
    judges = {f"judge {number}": board(0.02 * (1 + number)) for number in range(n_judges)}

    def ours(names: list[str]) -> list[list[float]]:
        chosen = {name: judges[name] for name in names}
        found = compare_leaderboards(reference, chosen, reference_measure="AP", n_resamples=99, rng=1, verbose=False)
        return [[row.tau, row.d_rank, *row.estimates["tau_ap"]] for row in found]

    subject = f"compare_leaderboards, {n_judges} judges x {len(measures)} measures, {load.sizes}"
    one_by_one = partial(map, lambda name: ours([name]), judges)
    return Contest(subject, "a call for each judge", lambda: ours([*judges]), lambda: np.concatenate([*one_by_one()]))
