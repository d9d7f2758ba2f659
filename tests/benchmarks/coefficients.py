"""Coefficients of two rankings: of systems, of many rankings at once, and of very many items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import kendalltau, pearsonr, spearmanr, weightedtau

from pt_rankcorr import kendall_tau, tau_ap, tau_gap
from pt_rankcorr.stats import Rankings, kendall_distance, pearson, spearman, swap_weights
from tests.benchmarks.contests import PLAIN, SAME, Claim, Contest, Contests, other
from tests.benchmarks.workload import Workload, two_rankings
from tests.stats import oracles

Vectors = tuple[np.ndarray, np.ndarray]

TIES_OF_TAU_AP = other(
    "made for rankings without ties: a pair tied in one ranking counts as wrong, in both as right, and items tied in "
    "the estimate weigh as they happen to stand"
)
TIES_OF_TRECTOOLS = other("breaks ties by the names of systems, so that renaming them changes the value")
WEIGHTED = other(
    "a pair weighs by the sum of 1/rank of its items, on average over both rankings; in tau_AP, the estimate's alone"
)


def contests(load: Workload) -> Contests:
    yield from of_two_rankings(load)
    yield from of_many_rankings(load)
    yield from of_many_items(load.sizes.items)
    yield of_all_swaps(load)


def of_two_rankings(load: Workload) -> Contests:
    against = partial(pair, f"{load.sizes.systems} systems")
    tied, untied = load.tied(), load.untied()
    tau_b, tau_ap_b = partial(kendall_tau, variant="b"), partial(tau_ap, variant="b")
    yield against("kendall_tau, ties b", tau_b, PLAIN, oracles.kendall_tau_b, tied)
    yield against("kendall_tau, ties b", tau_b, "scipy.stats.kendalltau", kendalltau, tied)
    yield against("kendall_tau, ties a", kendall_tau, PLAIN, oracles.kendall_tau_a, tied)
    yield against("tau_gap", tau_gap, PLAIN, oracles.tau_gap_untied, untied)
    yield against("kendall_distance", kendall_distance, PLAIN, oracles.kendall_distance, tied)
    yield against("pearson", pearson, PLAIN, oracles.pearson, tied)
    yield against("pearson", pearson, "scipy.stats.pearsonr", pearsonr, tied)
    yield against("spearman", spearman, PLAIN, oracles.spearman, tied)
    yield against("spearman", spearman, "scipy.stats.spearmanr", spearmanr, tied)
    yield against("tau_ap", tau_ap, PLAIN, oracles.tau_ap_untied, untied)
    yield against("tau_ap", tau_ap, "tau_ap.tau_ap", by_tau_ap, untied)
    yield against("tau_ap", tau_ap, "trectools, tauap", by_trectools, untied)
    yield against("tau_ap", tau_ap, "scipy.stats.weightedtau", weightedtau, untied, WEIGHTED)
    yield against("tau_ap, ties a", tau_ap, PLAIN, oracles.tau_ap_a, tied)
    yield against("tau_ap, ties a", tau_ap, "tau_ap.tau_ap", by_tau_ap, tied, TIES_OF_TAU_AP)
    yield against("tau_ap, ties a", tau_ap, "trectools, tauap", by_trectools, tied, TIES_OF_TRECTOOLS)
    yield against("tau_ap, ties b", tau_ap_b, PLAIN, oracles.tau_ap_b, tied)


def pair(
    size: str,
    name: str,
    ours: Callable[..., Any],
    rival: str,
    theirs: Callable[..., Any],
    vectors: Vectors,
    claim: Claim = SAME,
) -> Contest:
    """Loops are given lists, as these are faster to loop over than arrays."""
    given = [vector.tolist() for vector in vectors] if rival == PLAIN else vectors
    both = partial(ours, *vectors), partial(first, theirs, *given)
    return Contest(f"{name}, {size}", rival, *both, claim, needs=OTHERS.get(theirs, "scipy"))


def first(function: Callable[..., Any], *given: Any) -> float:
    """The statistic, of functions that return a p-value, too."""
    found = function(*given)
    return float(found if isinstance(found, int | float) else found[0])


def by_tau_ap(truth: np.ndarray, estimate: np.ndarray) -> float:
    """It goes through the items as they stand, so they are sorted by the estimate first."""
    from tau_ap import tau_ap as theirs

    order = np.argsort(-estimate, kind="stable")
    return float(theirs(truth[order], estimate[order]))


def by_trectools(truth: np.ndarray, estimate: np.ndarray) -> float:
    """Of lists as its `sort_systems_by` makes them; the first is the one to be trusted."""
    from trectools import misc

    names = [f"system{at:06}" for at in range(truth.size)]
    listed = [
        sorted(zip(scores.tolist(), names, strict=True), key=lambda pair: (-pair[0], pair[1]))
        for scores in (truth, estimate)
    ]
    return float(misc.get_correlation(*listed, correlation="tauap")[0])


OTHERS = {by_tau_ap: "tau_ap", by_trectools: "trectools"}


def of_many_rankings(load: Workload) -> Contests:
    truth, _ = load.untied()
    number, few = min(1000, load.sizes.resamples), 20
    estimates = truth + np.random.default_rng(1).random((number, truth.size)) / 2
    for ours, rival, theirs in (
        (kendall_tau, "scipy.stats.kendalltau", kendalltau),
        (spearman, "scipy.stats.spearmanr", spearmanr),
        (tau_ap, "tau_ap.tau_ap", by_tau_ap),
    ):
        yield Contest(
            f"{ours.__name__}, {number} rankings of {truth.size} systems",
            f"{rival}, one by one",
            partial(ours, truth, Rankings(estimates)),
            lambda theirs=theirs: [first(theirs, truth, estimate) for estimate in estimates[:few]],
            share=few / number,
            part=lambda values: values[:few],
            needs=OTHERS.get(theirs, "scipy"),
        )


def of_many_items(items: int) -> Contests:
    truth, estimate = two_rankings(items)
    few, size, shorter = min(items, 1000), f"{items:,} items", f"{min(items, 1000):,} items"
    ties = truth, np.round(estimate * items / 5)  # of about five
    yield pair(
        size, "kendall_tau, ties b", partial(kendall_tau, variant="b"), "scipy.stats.kendalltau", kendalltau, ties
    )
    yield pair(size, "spearman", spearman, "scipy.stats.spearmanr", spearmanr, ties)
    yield pair(size, "pearson", pearson, "scipy.stats.pearsonr", pearsonr, ties)
    yield pair(shorter, "tau_ap, ties a", tau_ap, PLAIN, oracles.tau_ap_a, (truth[:few], ties[1][:few]))
    yield pair(shorter, "tau_gap", tau_gap, PLAIN, oracles.tau_gap_untied, (truth[:few], estimate[:few]))


def of_all_swaps(load: Workload) -> Contest:
    """The weights of the swaps of the best system with each other one, which are as much work as any."""
    truth = np.sort(load.untied()[0])[::-1]
    later = range(1, min(truth.size, 40))

    def swapped(at: int) -> list[float]:
        scores = truth.copy()
        scores[[0, at]] = truth[[at, 0]]
        return scores.tolist()

    return Contest(
        f"swap_weights, tau_ap, {truth.size} systems",
        PLAIN,
        lambda: swap_weights(truth, "tau_ap").values,
        lambda: [1 - oracles.tau_ap_untied(truth.tolist(), swapped(at)) for at in later],
        share=len(later) / (truth.size * (truth.size - 1) / 2),
        part=lambda values: values[0, later],
    )
