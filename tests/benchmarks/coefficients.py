"""Coefficients of two rankings: of systems, of many rankings at once, and of very many items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.stats

from pt_rankcorr.stats.coefficients.ap import tau_ap
from pt_rankcorr.stats.coefficients.gap import tau_gap
from pt_rankcorr.stats.coefficients.kendall import kendall_distance, kendall_tau
from pt_rankcorr.stats.coefficients.moments import pearson, spearman
from pt_rankcorr.stats.coefficients.weights import swap_weights
from pt_rankcorr.stats.core.rankings import Rankings
from tests.benchmarks.contests import PLAIN, SAME, Claim, Contest, Entries, Entry, entry, other
from tests.benchmarks.workload import Workload, two_rankings
from tests.stats import oracles

TIES_OF_TAU_AP = (
    "made for rankings without ties: a pair tied in one ranking counts as wrong, in both as right, and items tied in "
    "the estimate weigh as they happen to stand"
)
TIES_OF_TRECTOOLS = "breaks ties by the names of systems, so that renaming them changes the value"
WEIGHTED = (
    "a pair weighs by the sum of 1/rank of its items, on average over both rankings; in tau_AP, the estimate's alone"
)
N_RANKINGS = 1000
CHECKED = "ours also checks its input, and rounds it to twelve digits, so that means that are equal tie"


OF_LONG = (
    f"{CHECKED}: a dozen passes over each vector, of which the logarithm takes most. Of both vectors that is longer "
    "than all that scipy does, and the sums come on top"
)


def contests(load: Workload) -> Entries:
    yield from _of_two_rankings(load)
    yield from _tau_ap_elsewhere(load)
    yield from _of_many_rankings(load)
    yield from _of_many_items(load.sizes.items)
    yield _of_all_swaps(load)


def _of_two_rankings(load: Workload) -> Entries:
    against = partial(_pair, size=f"{load.sizes.systems} systems")
    tied, untied = load.tied(), load.untied()
    tau_b = partial(kendall_tau, ties="b")
    yield against("kendall_tau, ties b", PLAIN, tau_b, oracles.kendall_tau_b, tied)
    yield against("kendall_tau, ties b", "scipy.stats.kendalltau", tau_b, first(scipy.stats.kendalltau), tied)
    yield against("kendall_tau, ties a", PLAIN, kendall_tau, oracles.kendall_tau_a, tied)
    yield against("tau_gap", PLAIN, tau_gap, oracles.tau_gap_untied, untied)
    yield against("kendall_distance", PLAIN, kendall_distance, oracles.kendall_distance, tied)
    yield against("pearson", PLAIN, pearson, oracles.pearson, tied)
    yield against("pearson", "scipy.stats.pearsonr", pearson, first(scipy.stats.pearsonr), tied)
    yield against("spearman", PLAIN, spearman, oracles.spearman, tied)
    yield against("spearman", "scipy.stats.spearmanr", spearman, first(scipy.stats.spearmanr), tied)


def _pair(
    name: str,
    rival: str,
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    vectors: tuple[np.ndarray, np.ndarray],
    claim: Claim = SAME,
    *,
    size: str,
) -> Contest:
    """Loops are given lists, as these are faster to loop over than arrays."""
    given = [vector.tolist() for vector in vectors] if rival == PLAIN else vectors
    why = CHECKED if rival == PLAIN else ""  # loops over the pairs of few systems take no longer than that
    return Contest(f"{name}, {size}", rival, partial(ours, *vectors), partial(theirs, *given), claim, why_slower=why)


def first(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: function(*given)[0]


# --- tau_AP by other packages ---------------------------------------------------------------------------


def _tau_ap_elsewhere(load: Workload) -> Entries:
    size = f"{load.sizes.systems} systems"
    untied, tied = load.untied(), load.tied()
    yield _pair("tau_ap", PLAIN, tau_ap, oracles.tau_ap_untied, untied, size=size)
    yield _entry("tau_ap", "tau_ap.tau_ap", "tau_ap", by_tau_ap, untied, SAME, size)
    yield _entry("tau_ap", "trectools, tauap", "trectools", by_trectools, untied, SAME, size)
    weighted = first(scipy.stats.weightedtau)
    yield _pair("tau_ap", "scipy.stats.weightedtau", tau_ap, weighted, untied, other(WEIGHTED), size=size)
    yield _pair("tau_ap, ties a", PLAIN, tau_ap, oracles.tau_ap_a, tied, size=size)
    yield _entry("tau_ap, ties a", "tau_ap.tau_ap", "tau_ap", by_tau_ap, tied, other(TIES_OF_TAU_AP), size)
    yield _entry("tau_ap, ties a", "trectools, tauap", "trectools", by_trectools, tied, other(TIES_OF_TRECTOOLS), size)
    yield _pair("tau_ap, ties b", PLAIN, partial(tau_ap, ties="b"), oracles.tau_ap_b, tied, size=size)


def _entry(
    name: str,
    rival: str,
    module: str,
    theirs: Callable[..., Any],
    vectors: tuple[np.ndarray, np.ndarray],
    claim: Claim,
    size: str,
) -> Entry:
    return entry(_pair(name, rival, tau_ap, theirs, vectors, claim, size=size), module)


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


# --- many rankings, many items --------------------------------------------------------------------------


def _of_many_rankings(load: Workload) -> Entries:
    truth, _ = load.untied()
    number = min(N_RANKINGS, load.sizes.resamples)
    estimates = truth + np.random.default_rng(1).random((number, truth.size)) / 2
    rankings = Rankings(estimates)
    subject = f"{number} rankings of {truth.size} systems"
    yield Contest(
        f"kendall_tau, {subject}",
        "scipy.stats.kendalltau, one by one",
        lambda: kendall_tau(truth, rankings),
        lambda: [scipy.stats.kendalltau(truth, estimate)[0] for estimate in estimates],
    )
    yield Contest(
        f"spearman, {subject}",
        "scipy.stats.spearmanr, one by one",
        lambda: spearman(truth, rankings),
        lambda: [scipy.stats.spearmanr(truth, estimate)[0] for estimate in estimates],
    )
    few = estimates[:20]
    yield entry(
        Contest(
            f"tau_ap, {subject}",
            "tau_ap.tau_ap, one by one",
            lambda: tau_ap(truth, rankings),
            lambda: [by_tau_ap(truth, estimate) for estimate in few],
            share=len(few) / number,
            part=lambda values: values[: len(few)],
        ),
        "tau_ap",
    )


def _of_many_items(items: int) -> Entries:
    truth, estimate = two_rankings(items)
    tied = np.round(estimate * items / 5)  # ties of about five
    against = partial(_pair, size=f"{items:,} items")
    tau_b = partial(kendall_tau, ties="b")
    by_scipy = against(
        "kendall_tau, ties b", "scipy.stats.kendalltau", tau_b, first(scipy.stats.kendalltau), (truth, tied)
    )
    yield replace(by_scipy, why_slower=f"scipy counts in compiled code; {CHECKED}")
    yield against("spearman", "scipy.stats.spearmanr", spearman, first(scipy.stats.spearmanr), (truth, tied))
    by_scipy = against("pearson", "scipy.stats.pearsonr", pearson, first(scipy.stats.pearsonr), (truth, tied))
    yield replace(by_scipy, why_slower=OF_LONG)
    few = min(items, 1000)
    vectors = truth[:few], tied[:few]
    yield _pair("tau_ap, ties a", PLAIN, tau_ap, oracles.tau_ap_a, vectors, size=f"{few:,} items")
    yield _pair("tau_gap", PLAIN, tau_gap, oracles.tau_gap_untied, (truth[:few], estimate[:few]), size=f"{few:,} items")


def _of_all_swaps(load: Workload) -> Contest:
    """The weights of the swaps of the best system with each other one, which are as much work as any."""
    truth = np.sort(load.untied()[0])[::-1]
    later = range(1, min(truth.size, 40))

    def by_loops() -> list[float]:
        return [1 - oracles.tau_ap_untied(truth.tolist(), _swapped(truth, at)) for at in later]

    return Contest(
        f"swap_weights, tau_ap, {truth.size} systems",
        PLAIN,
        lambda: swap_weights(truth, "tau_ap").values,
        by_loops,
        share=len(later) / (truth.size * (truth.size - 1) / 2),
        part=lambda values: values[0, later],
    )


def _swapped(truth: np.ndarray, at: int) -> list[float]:
    swapped = truth.copy()
    swapped[[0, at]] = truth[[at, 0]]
    return swapped.tolist()
