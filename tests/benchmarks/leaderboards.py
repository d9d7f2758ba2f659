"""Leaderboards of judges: intervals of all coefficients of all judges, over the same resamples of topics."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau, pearsonr, spearmanr

from pt_rankcorr.comparison.leaderboards import compare_leaderboards
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_errors
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from tests.benchmarks.contests import Contest, Entries
from tests.benchmarks.workload import Workload
from tests.stats.oracles import kendall_tau_a, tau_ap_a
from tests.stats.oracles_sensitivity import drawn_topics

NAMES = ("tau", "tau_b", "tau_ap", "spearman", "pearson")
JUDGES, MEASURES = 12, 2


def contests(load: Workload) -> Entries:
    yield _of_resamples(load)
    yield _of_many_judges(load)


def _of_resamples(load: Workload) -> Contest:
    reference, estimate, B = load.ap, load.p10, min(load.sizes.resamples, 100)
    wanted = Coefficients(tuple(COEFFICIENTS[name] for name in NAMES))

    def ours() -> np.ndarray:
        found = correlation_errors(reference, estimate, wanted, n_resamples=B, seed=1)
        return np.array([found[name].standard_error for name in NAMES])

    def one_by_one() -> np.ndarray:
        rows = []
        for topics in drawn_topics(len(reference), B, 1):
            both = [scores[topics].mean(axis=0).round(12) for scores in (reference, estimate)]
            as_lists = [means.tolist() for means in both]
            first, third = kendall_tau_a(*as_lists), tau_ap_a(*as_lists)
            rows.append([first, kendalltau(*both)[0], third, spearmanr(*both)[0], pearsonr(*both)[0]])
        return np.std(rows, axis=0, ddof=1)

    size = f"{len(NAMES)} coefficients, {load.sizes}, B = {B}"
    return Contest(f"standard errors, {size}", "scipy and loops, one resample after the other", ours, one_by_one)


def _of_many_judges(load: Workload) -> Contest:
    """The whole table at once, against one call a judge."""
    rng, few = np.random.default_rng(1), load.sizes.topics < 20
    topics, systems = [str(at) for at in range(load.ap.shape[0])], [str(at) for at in range(load.ap.shape[1])]
    reference = Scores([ScoreMatrix(load.ap, topics, systems, "AP")])
    judges = {
        f"judge {number}": Scores(
            [
                ScoreMatrix(load.ap + rng.normal(0, 0.02 * (1 + number), load.ap.shape), topics, systems, f"M{at}")
                for at in range(1 if few else MEASURES)
            ]
        )
        for number in range(3 if few else JUDGES)
    }

    def ours(chosen: dict[str, Scores]) -> np.ndarray:
        found = compare_leaderboards(reference, chosen, n_resamples=99, rng=1, verbose=False)
        return np.array([[row.tau, row.d_rank, *row.estimates["tau_ap"]] for row in found])

    subject = f"compare_leaderboards, {len(judges)} judges x {1 if few else MEASURES} measures, {load.sizes}"
    one_by_one = lambda: np.concatenate([ours({name: scores}) for name, scores in judges.items()])  # noqa: E731
    return Contest(subject, "a call for each judge", lambda: ours(judges), one_by_one)
