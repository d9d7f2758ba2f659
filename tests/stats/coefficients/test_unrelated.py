"""Tests of unrelated rankings: against all rankings, random ones, and scipy."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from pt_rankcorr.stats import Rankings, spearman, spearman_test, tau_ap_test
from pt_rankcorr.stats.coefficients import tau_ap


@pytest.mark.parametrize("m", [2, 3, 5, 7])
def test_exact_for_few_systems(m: int) -> None:
    everything = Rankings(np.array(list(permutations(range(m))), dtype=float))
    for coefficient, test in ((tau_ap, tau_ap_test), (spearman, spearman_test)):
        values = np.asarray(coefficient(np.arange(m), everything))
        for value in np.unique(values.round(9))[::7].tolist():
            as_far = (np.abs(values) >= abs(value) - 1e-8).mean()
            assert test(value, m).pvalue == pytest.approx(as_far), (test, value)
        z = test(1.0, m).statistic
        assert z == pytest.approx(1 / values.std())


def tails_of_tau_ap(m: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """|tau_AP| and its two-sided tail by convolution over ranks on a grid of so fine steps that rounding is lost."""
    ways = np.ones(1)
    for above in range(1, m):
        one = np.zeros(steps + 1)
        np.add.at(one, np.rint(np.arange(above + 1) * steps / above).astype(int), 1 / (above + 1))
        ways = np.convolve(ways, one)
    correlations = 1 - 2 * np.arange(ways.size) / (ways.size - 1)
    at = np.linspace(0.01, 0.9, 60)
    return at, np.array([ways[np.abs(correlations) >= value].sum() for value in at])


@pytest.mark.parametrize("m", [13, 20, 50])
def test_close_to_exact_for_more(m: int) -> None:
    at, tails = tails_of_tau_ap(m, steps=2000)
    ours = [tau_ap_test(value, m).pvalue for value in at]
    np.testing.assert_allclose(ours, tails, atol=3e-4)


@pytest.mark.whole
def test_no_jump_where_the_approximation_begins() -> None:
    exact = tau_ap_test(0.4, 12)
    at, tails = tails_of_tau_ap(12, steps=27720)
    assert exact.pvalue == pytest.approx(np.interp(0.4, at, tails), abs=2e-3)
    assert tau_ap_test(0.4, 13).pvalue < exact.pvalue


@pytest.mark.parametrize("m", [9, 30, 1000])
def test_spearman_as_scipy_has_it(m: int) -> None:
    x, y = np.random.default_rng(m).random((2, m))
    found = spearman_test(spearman(x, y), m)
    assert found.pvalue == pytest.approx(stats.spearmanr(x, y).pvalue)
    assert found.statistic == pytest.approx(abs(found.correlation) * math.sqrt(m - 1))


@pytest.mark.parametrize("test", [tau_ap_test, spearman_test])
def test_ends(test) -> None:
    assert test(0.0, 2).pvalue == 1.0
    assert test(-1.0, 2).pvalue == 1.0
    for m in (13, 1_000_000, 2**53):
        assert test(0.0, m).pvalue == 1.0
        assert test(1.0, m).pvalue < 1e-6
        assert test(-0.5, m).pvalue == test(0.5, m).pvalue
    statistic, pvalue = test(0.5, 10)
    assert statistic > 0 < pvalue < 1
