"""Sure orders of systems, and the sets of those that may be the best, by their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pt_rankcorr.stats.accuracy import best_systems, rank_intervals
from pt_rankcorr.stats.accuracy import ranks as of_ranks
from pt_rankcorr.stats.accuracy.best import best_of
from pt_rankcorr.stats.accuracy.contrasts import Contrasts, contrasts_of, may_be_best, surely_apart
from pt_rankcorr.stats.accuracy.ranks import _tiers

SCORES = np.random.default_rng(4).beta(2, 3, (30, 6)) + np.linspace(0, 0.3, 6)


def of(scores, n_draws: int = 200, seed: int = 1) -> Contrasts:
    return contrasts_of(np.asarray(scores, dtype=float), n_draws, np.random.default_rng(seed), None)


def width(contrasts: Contrasts, i: int, j: int) -> float:
    """The standard deviation of a difference of two systems' noise."""
    share = contrasts.shrinkage
    return math.sqrt((1 - share) * contrasts.errors[i, j] ** 2 + 2 * share * contrasts.target)


def as_t(contrasts: Contrasts, quantile: float) -> float:
    return float(stats.t.isf(stats.norm.sf(quantile), contrasts.n_topics - 1))


def stepwise_by_definition(contrasts: Contrasts, pairs: set[tuple[int, int]], level: float) -> set[tuple[int, int]]:
    def drawn(draw: np.ndarray, i: int, j: int) -> float:
        return abs(draw[i] - draw[j]) / width(contrasts, i, j)

    apart: set[tuple[int, int]] = set()
    while True:
        left = pairs - apart
        largest = sorted(max((drawn(draw, i, j) for i, j in left), default=0.0) for draw in contrasts.noise.T)
        single, bonferroni = (stats.t.isf((1 - level) / 2 / k, contrasts.n_topics - 1) for k in (1, len(left) or 1))
        bound = min(max(single, as_t(contrasts, largest[math.ceil(level * len(largest)) - 1])), bonferroni)
        beyond = {(i, j) for i, j in left if abs(contrasts.t[i, j]) > bound}
        if not beyond:
            return apart
        apart |= beyond


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_surely_apart_by_its_definition(level: float) -> None:
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


def test_may_be_best_by_its_definition() -> None:
    contrasts = of(SCORES)
    kept = []
    for j in range(6):
        others = [k for k in range(6) if k != j]
        largest = sorted(max((d[k] - d[j]) / width(contrasts, j, k) for k in others) for d in contrasts.noise.T)
        observed = max(contrasts.t[k, j] for k in others)
        kept.append(observed <= as_t(contrasts, max(0.0, largest[math.ceil(0.95 * len(largest)) - 1])))
    assert may_be_best(contrasts, 0.95).tolist() == kept
    assert best_systems(SCORES, n_resamples=500, rng=1).positions[0] == int(SCORES.mean(axis=0).argmax())


def test_noise_has_the_shrunken_covariance() -> None:
    scores = SCORES / 2  # below 1, where the unit is 1
    contrasts = of(scores, 40_000)
    centred = scores - scores.mean(axis=1, keepdims=True)
    sample, share = np.cov(centred.T) / 30, contrasts.shrinkage
    assert contrasts.target == pytest.approx(np.trace(sample) / 5)
    assert 0 < share < 1
    found = np.cov(contrasts.noise)
    assert found == pytest.approx((1 - share) * sample + share * contrasts.target * np.eye(6), abs=0.03 * found.max())
    assert (found[0, 0] + found[1, 1] - 2 * found[0, 1]) ** 0.5 == pytest.approx(width(contrasts, 0, 1), rel=0.02)


def test_a_single_pair_is_compared_with_students_t() -> None:
    scores = np.random.default_rng(3).normal(size=(9, 2))
    contrasts = of(scores)
    level = 1 - stats.ttest_rel(*scores.T).pvalue
    assert surely_apart(contrasts, level - 1e-6, simultaneous=True).any()
    assert not surely_apart(contrasts, level + 1e-6, simultaneous=True).any()
    worse = int(scores.mean(axis=0).argmin())
    one_sided = 1 - (1 - level) / 2
    assert not may_be_best(contrasts, one_sided - 1e-6)[worse]
    assert may_be_best(contrasts, one_sided + 1e-6)[worse]


def test_equal_systems_of_few_topics_are_rarely_apart() -> None:
    """Ten systems on ten topics: 45 pairs with variances of their own, and a covariance that fits the noise."""
    rng, apart = np.random.default_rng(2), 0
    for _ in range(400):
        contrasts = contrasts_of(rng.normal(size=(10, 10)), 200, rng, None)
        apart += bool(surely_apart(contrasts, 0.95, simultaneous=True).any())
    assert apart <= 34  # of 20, and three standard errors; by a common chi-square 48 to 60


def test_neither_scale_nor_order_of_systems_changes_what_is_sure() -> None:
    expected = rank_intervals(SCORES, method="pairwise", n_resamples=500, rng=1)
    for factor in (100.0, 1e-90, 1e90):
        found = rank_intervals(factor * SCORES, method="pairwise", n_resamples=500, rng=1)
        assert (found.low == expected.low).all()
        assert (found.high == expected.high).all()


def test_pairwise_intervals_count_the_systems_that_are_surely_better_and_worse() -> None:
    found = rank_intervals(SCORES, method="pairwise", n_resamples=500, rng=1)
    together = rank_intervals(SCORES, method="pairwise", simultaneous=True, n_resamples=500, rng=1)
    assert (together.low <= found.low).all()
    assert (together.high >= found.high).all()
    assert ((found.low <= found.rank) & (found.rank <= found.high)).all()
    assert np.isnan(found.share_first).all()
    assert (together.high - together.low).max() < 5


@pytest.mark.parametrize("simultaneous", [False, True])
def test_tiers(simultaneous: bool) -> None:
    found = rank_intervals(SCORES, method="pairwise", simultaneous=simultaneous, n_resamples=500, rng=1)
    assert found.tier.min() == 1
    assert found.tier.max() > 1
    assert (found.tier[found.low == 1] == 1).all()
    if simultaneous:
        assert ((found.tier == 1) == (found.low == 1)).all()
    assert (found.tier <= found.low).all()
    best = best_systems(SCORES, rng=1)
    assert (found.tier[list(best.positions)] == 1).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_tier_is_one_more_than_the_worst_of_those_that_are_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(7)
    beaten = np.zeros((7, 7), dtype=bool)
    for worse, better in zip(*np.tril_indices(7, -1), strict=True):
        beaten[order[worse], order[better]] = rng.random() < 0.4
    better = {system: set(np.flatnonzero(beaten[system])) for system in range(7)}

    def tier(system: int) -> int:
        return 1 + max(map(tier, better[system]), default=0)

    assert _tiers(beaten, order).tolist() == [tier(system) for system in range(7)]


@pytest.mark.parametrize("method", ["shrunken", "percentile", "pairwise"])
def test_tiers_are_the_same_whatever_the_method(method: str) -> None:
    given: dict[str, Any] = {"n_resamples": 500, "rng": 1}
    sure = rank_intervals(SCORES, method="pairwise", simultaneous=True, **given)
    assert rank_intervals(SCORES, method=method, **given).tier.tolist() == sure.tier.tolist()


@pytest.mark.parametrize("method", ["shrunken", "percentile", "pairwise"])
def test_intervals_know_the_best_systems_and_draw_contrasts_once(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, drawn = best_systems(SCORES, n_resamples=200, rng=3), []

    def count(*given: Any) -> Contrasts:
        drawn.append(given)
        return contrasts_of(*given)

    monkeypatch.setattr(of_ranks, "contrasts_of", count)
    intervals = rank_intervals(SCORES, method=method, n_resamples=200, rng=3)
    found = best_of(intervals, tuple(f"s{number}" for number in range(1, 7)))
    assert intervals.tier.min() == 1.0
    assert len(drawn) == 1
    assert (found.systems, found.positions) == (alone.systems, alone.positions)
    np.testing.assert_array_equal(found.probabilities, alone.probabilities)
    assert repr(found) == repr(alone)


def test_without_variance_a_difference_is_sure() -> None:
    base = np.random.default_rng(1).random(10)
    scores = np.column_stack([base, base + 0.1, base, base - 0.2])
    found = rank_intervals(scores, method="pairwise", n_resamples=100, rng=1)
    assert found.low.tolist() == [2, 1, 2, 4]
    assert found.high.tolist() == [3, 1, 3, 4]
    assert best_systems(scores, rng=1, n_resamples=100).positions == (1,)


def test_equal_systems_may_all_be_best() -> None:
    scores = np.tile(np.random.default_rng(1).random((10, 1)), (1, 3))
    for method in ("pairwise", "shrunken"):
        found = best_systems(scores, method=method, n_resamples=100, rng=1)
        assert found.systems == ("s1", "s2", "s3")
        assert found.probabilities == pytest.approx([1 / 3] * 3)


def test_shrunken_best_are_first_in_more_than_their_share_of_what_the_level_leaves() -> None:
    given: dict[str, Any] = {"n_resamples": 2000, "rng": 1}
    for level in (0.5, 0.9, 0.95):
        first = rank_intervals(SCORES, method="shrunken", **given).share_first
        best = best_systems(SCORES, level, method="shrunken", **given)
        assert set(best.positions) == set(np.flatnonzero(first > (1 - level) / 6))
        assert best.probabilities.tolist() == first[list(best.positions)].tolist()
