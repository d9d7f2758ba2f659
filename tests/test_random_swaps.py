"""The experiment of Gao and Oard (SIGIR 2015, section 4), as the example runs it."""

from __future__ import annotations

import numpy as np
import pytest

from examples.random_swaps import mean_correlations, significant_pairs, swapped
from pt_rankcorr.stats.order import system_means


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_swaps_far_apart_cost_tau_gap_more_and_close_by_less(trec, seed):
    scores = trec("adhoc5_ap")
    truth, rng = system_means(scores), np.random.default_rng(seed)
    significant = significant_pairs(scores)
    assert truth.size == 61
    assert significant.mean() == pytest.approx(0.63, abs=0.01)  # figure 1
    pairs = np.column_stack(np.triu_indices(truth.size, k=1))

    tau, head, gap = mean_correlations(truth, pairs[significant], rng)
    assert gap < head < tau
    assert (tau, head, gap) == pytest.approx((0.70, 0.68, 0.65), abs=0.07)

    _, head, gap = mean_correlations(truth, pairs[~significant], rng)
    assert gap > head
    assert (head, gap) == pytest.approx((0.92, 0.97), abs=0.03)


def test_swaps_follow_each_other():
    assert swapped(np.array([3.0, 2.0, 1.0]), np.array([[0, 1], [1, 2]])).tolist() == [2.0, 1.0, 3.0]
