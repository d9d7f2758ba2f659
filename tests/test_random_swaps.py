"""The experiment of Gao and Oard (SIGIR 2015, section 4), as the example runs it."""

from __future__ import annotations

import numpy as np
import pytest

from examples.random_swaps import correlations, drawn, significant_pairs, swapped
from pt_rankcorr.stats.core.means import system_means


@pytest.fixture(scope="module")
def runs(trec):
    """The means of the 61 runs of TREC 5, the pairs of them, and which pairs differ significantly."""
    scores = trec("adhoc5_ap")
    truth = system_means(scores)
    assert truth.size == 61
    return truth, np.column_stack(np.triu_indices(truth.size, k=1)), significant_pairs(scores)


def test_share_of_significant_pairs(runs):
    assert runs[2].mean() == pytest.approx(0.63, abs=0.01)  # figure 1


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_swaps_far_apart_cost_tau_gap_more_and_close_by_less(runs, seed, as_printed):
    truth, pairs, significant = runs
    rng = np.random.default_rng(seed)
    tau, head, gap = correlations(truth, pairs[significant], rng, as_printed=as_printed).mean(axis=1)
    assert gap < head < tau
    _, head, gap = correlations(truth, pairs[~significant], rng, as_printed=as_printed).mean(axis=1)
    assert gap > head


def test_figures_of_the_paper(runs):
    truth, pairs, significant = runs
    rng, draws = np.random.default_rng(1), 500
    for chosen, printed in ((significant, (0.70, 0.68, 0.65)), (~significant, (None, 0.92, 0.97))):
        found = correlations(truth, pairs[chosen], rng, draws, as_printed=True)
        errors = found.std(axis=1) * np.sqrt(1 / draws + 1 / 50)  # the paper's are means of 50 draws
        for mean, error, figure in zip(found.mean(axis=1), errors, printed, strict=True):
            assert figure is None or abs(mean - figure) < 3 * error + 0.005  # of rounding


def test_disjoint_pairs_are_of_different_systems():
    pairs = np.column_stack(np.triu_indices(12, k=1))
    for seed in range(20):
        assert np.unique(drawn(pairs, np.random.default_rng(seed), disjoint=True)).size == 10


def test_swaps_follow_each_other():
    assert swapped(np.array([3.0, 2.0, 1.0]), np.array([[0, 1], [1, 2]])).tolist() == [2.0, 1.0, 3.0]
