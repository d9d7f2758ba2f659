"""Random rankings of a given correlation, and tests of unrelated rankings against all of them."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr import kendall_tau, tau_ap
from pt_rankcorr.stats import kendall_distance, random_rankings, spearman, spearman_test, tau_ap_test
from pt_rankcorr.stats.coefficients.random_rankings import CountTables
from pt_rankcorr.stats.core.rankings import Rankings


def truth(m):
    return np.arange(m, 0, -1)


def all_rankings(m):
    return np.array(list(itertools.permutations(range(1, m + 1))), dtype=float)


def assert_uniform_over(rankings, expected):
    counts = Counter(map(tuple, rankings.tolist()))
    assert set(counts) <= set(map(tuple, expected.tolist()))
    observed = [counts[tuple(ranking)] for ranking in expected.tolist()]
    assert scipy.stats.chisquare(observed).pvalue > 0.001


@pytest.mark.parametrize(
    ("coefficient", "asked"),
    [*((kendall_tau, {"tau": tau}) for tau in (-0.5, 0.0, 0.6)), (tau_ap, {"tau_ap": 0.5, "tolerance": 0.05})],
)
def test_uniform_among_all_that_have_at_least(coefficient, asked):
    everything, least = all_rankings(5), next(iter(asked.values()))
    expected = everything[coefficient(truth(5), Rankings(everything)) >= least - 1e-9]
    assert_uniform_over(random_rankings(5, 60 * len(expected), **asked, at_least=True, rng=3).values, expected)


class TestTau:
    @pytest.mark.parametrize("discordant", range(11))
    def test_uniform_among_all_rankings_that_have_it(self, discordant):
        everything = all_rankings(5)
        expected = everything[kendall_distance(truth(5), Rankings(everything)) == discordant]
        rankings = random_rankings(5, 100 * len(expected), tau=1 - discordant / 5, rng=discordant).values
        if len(expected) == 1:
            assert (rankings == expected).all()
        else:
            assert_uniform_over(rankings, expected)

    @given(st.integers(2, 60), st.floats(-1, 1), st.integers(0, 1000))
    def test_every_ranking_has_the_nearest_tau(self, m, tau, seed):
        rankings = random_rankings(m, 5, tau=tau, rng=seed)
        assert (np.sort(rankings) == np.arange(1, m + 1)).all()
        pairs = m * (m - 1) // 2
        assert set(kendall_distance(truth(m), rankings)) == {round(pairs * (1 - tau) / 2)}

    @given(st.integers(2, 40), st.floats(-1, 1), st.integers(0, 1000))
    def test_every_ranking_has_at_least(self, m, tau, seed):
        rankings = random_rankings(m, 5, tau=tau, at_least=True, rng=seed)
        assert (kendall_tau(truth(m), rankings) >= tau - 1e-9).all()

    def test_figure_6_left(self):
        """Lists of 50 with tau 0.9: 61 of 1225 pairs, and errors at any part of the list."""
        rankings = random_rankings(50, 400, rng=6)
        assert (kendall_distance(truth(50), rankings) == 61).all()
        moved = np.abs(rankings.values - truth(50)).mean(axis=0)
        assert moved[:10].mean() == pytest.approx(moved[-10:].mean(), rel=0.1)
        # as many errors at the head as elsewhere are more for each pair there: by theorem 2, tau_AP is smaller
        head_weighted = tau_ap(truth(50), rankings)
        assert head_weighted.mean() + 5 * head_weighted.std() / 20 < 0.9
        assert head_weighted.std() > 0.02

    @pytest.mark.parametrize("tau", [-1.0, -0.9, 0.0, 0.5, 0.9, 0.99, 1.0])
    def test_two_hundred_systems(self, tau):
        rankings = random_rankings(200, 20, tau=tau, rng=0)
        assert (kendall_distance(truth(200), rankings) == round(19900 * (1 - tau) / 2)).all()

    def test_nearly_reversed_rankings_mirror_nearly_right_ones(self):
        """With ten of 19900 pairs right, errors lie anywhere: those of every twenty systems move alike far."""
        m = 200
        near = np.abs(m + 1 - random_rankings(m, 1000, tau=0.999, rng=1).values - truth(m)[::-1]).mean(axis=0)
        far = np.abs(random_rankings(m, 1000, tau=-0.999, rng=2).values - truth(m)[::-1]).mean(axis=0)
        blocks = [moved.reshape(10, 20).mean(axis=1) for moved in (near, far)]
        np.testing.assert_allclose(*blocks, rtol=0.2)

    @pytest.mark.parametrize(("m", "discordant"), [(12, 20), (60, 300), (120, 3000)])
    def test_counts_are_exact(self, m, discordant):
        """Shares of the last rank's counts, against whole numbers without bound."""
        ways = [1] + [0] * discordant
        for rank in range(1, m):
            ways = [sum(ways[max(total - rank + 1, 0) : total + 1]) for total in range(discordant + 1)]
        exact = [ways[discordant - wrong] if wrong <= discordant else 0 for wrong in range(m)]
        tables = CountTables(weights=np.ones(m), least=discordant, most=discordant, grid=1)
        computed = tables.ways()[m - 1][discordant - np.arange(min(m, discordant + 1))]
        shares = [float(count / sum(exact)) if sum(exact) < 2**1000 else count / sum(exact) for count in exact]
        np.testing.assert_allclose(computed / computed.sum(), shares[: len(computed)], rtol=1e-11)


class TestTauAP:
    @pytest.mark.parametrize("target", [-0.4, 0.3, 0.75])
    def test_uniform_among_all_rankings_that_have_it(self, target):
        everything = all_rankings(5)
        expected = everything[np.abs(tau_ap(truth(5), Rankings(everything)) - target) <= 0.1 + 1e-9]
        assert len(expected) > 3
        assert_uniform_over(
            random_rankings(5, 80 * len(expected), tau_ap=target, tolerance=0.1, rng=1).values, expected
        )

    @pytest.mark.parametrize(("m", "target"), [(30, -0.8), (50, 0.0), (50, 0.9), (200, 0.9), (200, 0.99), (200, -0.99)])
    def test_within_the_tolerance(self, m, target):
        rankings = random_rankings(m, 40, tau_ap=target, rng=0)
        assert np.abs(tau_ap(truth(m), rankings) - target).max() <= 0.005 + 1e-9

    def test_figure_6_right(self):
        """Lists of 50 with tau_AP 0.9: the top is right, and errors tend to the bottom."""
        moved = np.abs(random_rankings(50, 400, tau_ap=0.9, rng=6).values - truth(50)).mean(axis=0)
        assert moved[:10].mean() < 0.5 * moved[-15:].mean()

    def test_ends(self):
        assert random_rankings(6, 2, tau_ap=1.0, tolerance=1e-3, rng=0).values.tolist() == [[6, 5, 4, 3, 2, 1]] * 2
        assert random_rankings(6, 2, tau_ap=-1.0, tolerance=1e-3, rng=0).values.tolist() == [[1, 2, 3, 4, 5, 6]] * 2


@pytest.mark.parametrize("m", [2, 3, 5, 7])
def test_exact_for_few_systems(m):
    everything = Rankings(all_rankings(m))
    for coefficient, test in ((tau_ap, tau_ap_test), (spearman, spearman_test)):
        values = np.asarray(coefficient(np.arange(m), everything))
        for value in np.unique(values.round(9))[::7].tolist():
            as_far = (np.abs(values) >= abs(value) - 1e-8).mean()
            assert test(value, m).pvalue == pytest.approx(as_far), (test, value)
        z = test(1.0, m).statistic
        assert z == pytest.approx(1 / values.std())


def tails_of_tau_ap(m, steps):
    """|tau_AP| and its two-sided tail by convolution over ranks on a grid of so fine steps that rounding is lost."""
    ways = np.ones(1)
    for above in range(1, m):
        further = np.zeros(ways.size + steps)
        for place in np.rint(np.arange(above + 1) * steps / above).astype(int):
            further[place : place + ways.size] += ways / (above + 1)
        ways = further
    correlations = 1 - 2 * np.arange(ways.size) / (ways.size - 1)
    at = np.linspace(0.01, 0.9, 60)
    return at, np.array([ways[np.abs(correlations) >= value].sum() for value in at])


@pytest.mark.parametrize("m", [13, 20, 50])
def test_close_to_exact_for_more(m):
    at, tails = tails_of_tau_ap(m, steps=2000)
    ours = [tau_ap_test(value, m).pvalue for value in at]
    np.testing.assert_allclose(ours, tails, atol=3e-4)


@pytest.mark.whole
def test_no_jump_where_the_approximation_begins():
    exact = tau_ap_test(0.4, 12)
    at, tails = tails_of_tau_ap(12, steps=27720)
    assert exact.pvalue == pytest.approx(np.interp(0.4, at, tails), abs=2e-3)
    assert tau_ap_test(0.4, 13).pvalue < exact.pvalue


@pytest.mark.parametrize("m", [9, 30, 1000])
def test_spearman_as_scipy_has_it(m):
    x, y = np.random.default_rng(m).random((2, m))
    found = spearman_test(spearman(x, y), m)
    assert found.pvalue == pytest.approx(scipy.stats.spearmanr(x, y).pvalue)
    assert found.statistic == pytest.approx(abs(found.correlation) * math.sqrt(m - 1))


@pytest.mark.parametrize("test", [tau_ap_test, spearman_test])
def test_ends(test):
    assert test(0.0, 2).pvalue == 1.0
    assert test(-1.0, 2).pvalue == 1.0
    for m in (13, 1_000_000, 2**53):
        assert test(0.0, m).pvalue == 1.0
        assert test(1.0, m).pvalue < 1e-6
        assert test(-0.5, m).pvalue == test(0.5, m).pvalue
    statistic, pvalue = test(0.5, 10)
    assert statistic > 0 < pvalue < 1
