"""Sure orders of systems, and the sets of those that may be the best, by their definitions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pt_rankcorr.stats.accuracy.contrasts import FIRST_DRAWS, contrasts_of, may_be_best, surely_apart, tiers_of
from pt_rankcorr.stats.accuracy.ranks import best_of, best_systems, rank_intervals
from pt_rankcorr.stats.core.covariance import ledoit_wolf_shrinkage

SCORES = np.random.default_rng(4).beta(2, 3, (30, 6)) + np.linspace(0, 0.3, 6)


def of(scores, n_draws=200, seed=1):
    return contrasts_of(np.asarray(scores, dtype=float), n_draws, np.random.default_rng(seed), None)


def drawn(contrasts):
    """The draws, shape (n_draws, m)."""
    return contrasts.noise.T


def as_t(contrasts, quantile):
    return float(stats.t.isf(stats.norm.sf(quantile), contrasts.n_topics - 1))


def stepwise_by_definition(contrasts, pairs, level):
    def size(draw, i, j):
        return abs(draw[i] - draw[j]) / contrasts.widths[i, j]

    apart = set()
    while True:
        left = pairs - apart
        largest = sorted(max((size(draw, i, j) for i, j in left), default=0.0) for draw in drawn(contrasts))
        single, bonferroni = (stats.t.isf((1 - level) / 2 / k, contrasts.n_topics - 1) for k in (1, len(left) or 1))
        bound = min(max(single, as_t(contrasts, largest[math.ceil(level * len(largest)) - 1])), bonferroni)
        beyond = {(i, j) for i, j in left if abs(contrasts.t[i, j]) > bound}
        if not beyond:
            return apart
        apart |= beyond


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_surely_apart_by_its_definition(level):
    contrasts = of(SCORES)
    every = {(i, j) for i in range(6) for j in range(6) if i != j}
    upper = {(i, j) for i, j in every if i < j}
    together = surely_apart(contrasts, level, simultaneous=True)
    assert (together == together.T).all()
    found = {tuple(map(int, pair)) for pair in np.argwhere(np.triu(together))}
    assert found == stepwise_by_definition(contrasts, upper, level)
    one_by_one = surely_apart(contrasts, level, simultaneous=False)
    for i in range(6):
        family = {pair for pair in every if pair[0] == i}
        assert {(i, int(j)) for j in np.flatnonzero(one_by_one[i])} == stepwise_by_definition(contrasts, family, level)
    assert (one_by_one >= together).all()


def best_by_definition(contrasts, among, level):
    kept = set()
    for j in among:
        others = [k for k in among if k != j]
        largest = sorted(
            max(((d[k] - d[j]) / contrasts.widths[j, k] for k in others), default=0.0) for d in drawn(contrasts)
        )
        single, bonferroni = (stats.t.isf((1 - level) / k, contrasts.n_topics - 1) for k in (1, len(others) or 1))
        bound = min(max(single, as_t(contrasts, largest[math.ceil(level * len(largest)) - 1])), bonferroni)
        if max((contrasts.t[k, j] for k in others), default=0.0) <= bound:
            kept.add(j)
    return kept


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_tiers_are_sets_of_what_may_be_best_of_the_rest(level):
    for seed in range(4):
        contrasts = of(np.random.default_rng(seed).beta(2, 3, (25, 8)) + np.linspace(0, 0.5, 8), seed=seed)
        tiers, left, tier = tiers_of(contrasts, level), list(range(8)), 0
        while left:
            tier += 1
            best = best_by_definition(contrasts, left, level)
            assert set(np.flatnonzero(tiers == tier)) == best
            left = [system for system in left if system not in best]
        assert tier > 1
        every = np.ones(8, dtype=bool)
        assert (may_be_best(contrasts, level, every) == (tiers == 1)).all()


@pytest.mark.parametrize("spread", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("level", [0.3, 0.8, 0.95])
def test_quantiles_are_those_of_the_plain_definition(level, spread):
    """Bounds of blocks skip contrasts that cannot decide; near twins have small widths."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(20, 40)) + np.linspace(0, spread, 40)
    scores[:, 1::4] = scores[:, ::4] + 0.01 * rng.normal(size=(20, 10))
    contrasts = of(scores, 1003)
    draws = drawn(contrasts)
    sizes = (draws[:, np.newaxis] - draws[:, :, np.newaxis]) / contrasts.widths  # column less row
    others = np.triu(rng.random((40, 40)) < 0.7, k=1)
    whole = np.quantile(np.abs(sizes)[:, others].max(axis=1), level, method="inverted_cdf")
    found = contrasts.quantile(np.arange(40), others, level)
    assert found == pytest.approx(whole, rel=1e-12)
    for system in (0, 1, 39):
        single = np.quantile(sizes[:, system].max(axis=1), level, method="inverted_cdf")
        every = np.ones(40, dtype=bool)
        assert contrasts.reaches(single * (1 - 1e-9), system, every, level)
        assert not contrasts.reaches(single * (1 + 1e-9), system, every, level)


def test_a_guess_beyond_the_quantile_is_taken_back():
    """The first draws, from which it is guessed, may be larger than all others."""
    contrasts = of(SCORES, 1000)
    noise = contrasts.noise.copy()
    noise[:, :FIRST_DRAWS] *= 10
    contrasts = replace(contrasts, noise=noise)
    draws, others = drawn(contrasts), np.triu(np.ones((6, 6), dtype=bool), k=1)
    sizes = np.abs(draws[:, np.newaxis] - draws[:, :, np.newaxis]) / contrasts.widths
    whole = np.quantile(sizes[:, others].max(axis=1), 0.7, method="inverted_cdf")
    assert contrasts.quantile(np.arange(6), others, 0.7) == pytest.approx(whole, rel=1e-12)


def rare_wins(seed):
    """The best system wins one topic in twenty, by much."""
    rng = np.random.default_rng(seed)
    scores = 0.05 * rng.standard_normal((25, 1)) + 0.02 * rng.standard_normal((25, 10))
    scores[:, 0] += 0.7 * (rng.random(25) < 0.05) - 0.03
    return scores


CLOSE = np.random.default_rng(2).beta(2, 3, (60, 17)) + np.linspace(0, 0.2, 17)


@pytest.mark.parametrize("scores", [SCORES, CLOSE, *map(rare_wins, range(4))])
@pytest.mark.parametrize("method", ["shrunken", "percentile", "pairwise"])
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.CloseSystemsWarning")
def test_tier_1_may_be_best_and_what_is_marked_are_one_set(scores, method):
    given = {"n_resamples": 500, "rng": 1}
    best, found = best_systems(scores, **given), rank_intervals(scores, method=method, **given)
    first = np.flatnonzero(found.tier == 1).tolist()
    assert sorted(best.positions) == first
    assert best_of(found).positions == best.positions
    assert set(found.to_frame().query("tier == 1").system) == set(best.systems)
    assert best.positions[0] == int(scores.mean(axis=0).argmax())


def test_noise_has_the_shrunken_covariance():
    scores = SCORES / 2  # below 1, where the unit is 1
    contrasts = of(scores, 40_000)
    centred = scores - scores.mean(axis=1, keepdims=True)
    sample, share = np.cov(centred.T) / 30, ledoit_wolf_shrinkage(centred - centred.mean(axis=0))
    assert 0 < share < 1
    found, target = np.cov(drawn(contrasts).T), np.trace(sample) / 5
    assert found == pytest.approx((1 - share) * sample + share * target * np.eye(6), abs=0.03 * found.max())
    assert (found[0, 0] + found[1, 1] - 2 * found[0, 1]) ** 0.5 == pytest.approx(contrasts.widths[0, 1], rel=0.02)


def test_a_single_pair_is_compared_with_students_t():
    scores = np.random.default_rng(3).normal(size=(9, 2))
    contrasts = of(scores)
    level = 1 - stats.ttest_rel(*scores.T).pvalue
    assert surely_apart(contrasts, level - 1e-6, simultaneous=True).any()
    assert not surely_apart(contrasts, level + 1e-6, simultaneous=True).any()
    worse = int(scores.mean(axis=0).argmin())
    one_sided, both = 1 - (1 - level) / 2, np.ones(2, dtype=bool)
    assert not may_be_best(contrasts, one_sided - 1e-6, both)[worse]
    assert may_be_best(contrasts, one_sided + 1e-6, both)[worse]


def test_equal_systems_of_few_topics_are_rarely_apart():
    """Ten systems on ten topics: 45 pairs with variances of their own, and a covariance that fits the noise."""
    rng, apart = np.random.default_rng(2), 0
    for _ in range(400):
        contrasts = contrasts_of(rng.normal(size=(10, 10)), 200, rng, None)
        apart += bool(surely_apart(contrasts, 0.95, simultaneous=True).any())
    assert apart <= 34  # of 20, and three standard errors; by a common chi-square 48 to 60


def test_without_variance_a_difference_is_sure():
    base = np.random.default_rng(1).random(10)
    scores = np.column_stack([base, base + 0.1, base, base - 0.2])
    found = rank_intervals(scores, method="pairwise", n_resamples=100, rng=1)
    assert found.low.tolist() == [2, 1, 2, 4]
    assert found.high.tolist() == [3, 1, 3, 4]
    assert best_systems(scores, rng=1, n_resamples=100).positions == (1,)


def test_equal_systems_may_all_be_best():
    scores = np.tile(np.random.default_rng(1).random((10, 1)), (1, 3))
    for method in ("pairwise", "shrunken"):
        found = best_systems(scores, method=method, n_resamples=100, rng=1)
        assert found.systems == ("s1", "s2", "s3")
        assert found.probabilities == pytest.approx([1 / 3] * 3)


def test_shrunken_best_are_first_in_more_than_their_share_of_what_the_level_leaves():
    given = {"n_resamples": 2000, "rng": 1}
    for level in (0.5, 0.9, 0.95):
        first = rank_intervals(SCORES, method="shrunken", **given).share_first
        best = best_systems(SCORES, level, method="shrunken", **given)
        assert set(best.positions) == set(np.flatnonzero(first > (1 - level) / 6))
        assert best.probabilities.tolist() == first[list(best.positions)].tolist()
