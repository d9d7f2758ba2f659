from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from pt_rankcorr.stats.accuracy import group_bias
from pt_rankcorr.stats.accuracy.group_bias import Shifts, draw_shifts, overlaps

CELLS = np.array([0, 0, 0, 1, 1, 1, 1, 2])
GROUPS = np.array([CELLS == 0, CELLS == 2])
HOW = {"n_draws": 300, "seed": 1}


def scores(seed, n_topics=30, noise=1.0):
    """Of systems whose means are always the same."""
    means = np.array([3.0, 2.0, 1.0, 2.5, 1.5, 0.5, 0.0, 2.2])
    return means + noise * np.random.default_rng(seed).standard_normal((n_topics, len(means)))


def curve_by_definition(first, second, cells):
    """Of one draw: the parabola that never falls between the ends, by least squares with an offset for each cell.

    One more row holds what a bend costs.
    """
    low, high = first.min(), first.max()
    parts = np.column_stack([(first - low) ** 2, -((high - first) ** 2)])
    offsets = np.eye(cells.max() + 1)[cells]
    inner = parts - offsets @ (np.linalg.pinv(offsets) @ parts)
    cost = np.sqrt(0.001) * np.sqrt((inner**2).sum())
    rows = np.vstack([np.hstack([parts, offsets]), [cost, -cost, *np.zeros(offsets.shape[1])]])
    bounds = ([0, 0] + [-np.inf] * offsets.shape[1], np.inf)
    fitted = lsq_linear(rows, np.append(second, 0.0), bounds, tol=1e-14)
    return parts @ fitted.x[:2]


@pytest.mark.parametrize("bend", [0.0, 0.3, -0.3, 2.0])
def test_shifts_are_as_defined(bend, monkeypatch):
    first, noise = scores(1, 5), scores(2, 5) / 10
    drawn = first, first + bend * first**2 + noise
    order = np.lexsort(np.vstack([drawn[1], drawn[0]])[::-1])
    monkeypatch.setattr(group_bias, "_draw_means", lambda *_: [each[:, order] for each in drawn])
    found = draw_shifts(*drawn, GROUPS, n_draws=5, seed=1)
    assert draw_shifts(*drawn, GROUPS, n_draws=5, seed=1, same_scale=True).slope.tolist() == [1.0] * 5
    for at in range(5):
        heights = curve_by_definition(drawn[0][at], drawn[1][at], CELLS)
        over = drawn[1][at] - heights
        ends = drawn[0][at].argmax(), drawn[0][at].argmin()
        assert found.slope[at] == pytest.approx((heights[ends[0]] - heights[ends[1]]) / np.ptp(drawn[0][at]), abs=1e-5)
        assert found.scores[at] == pytest.approx(over - over.mean(), abs=1e-4)
        for number, inside in enumerate(GROUPS):
            assert found.of_groups[at, number] == pytest.approx(over[inside].mean() - over[~inside].mean(), abs=1e-4)


@pytest.mark.parametrize(
    "scale", [lambda x: 0.5 * x + 7.0, lambda x: 100 * x, lambda x: 0.1 * (x + 9.0) ** 2, lambda x: -x]
)
def test_a_scale_of_the_reference_favours_nobody(scale):
    """Straight, lenient, bent or upside down."""
    reference = scores(1, 400, noise=0.0) + np.random.default_rng(1).standard_normal((400, 1)) * 1e-6
    judge = np.repeat(scale(reference.mean(axis=0))[np.newaxis], 400, axis=0)
    found = draw_shifts(reference, judge, GROUPS, **HOW)
    assert np.abs(found.scores).max() < 2e-3 * np.ptp(judge)


def test_what_a_group_gets_for_nothing_is_its_shift():
    reference = scores(1)
    judge = 2 * reference + 3.0 * (CELLS == 0)
    of_groups = draw_shifts(reference, judge, GROUPS, **HOW).of_groups
    assert of_groups[:, 0] == pytest.approx(np.full(300, 3.0))
    assert of_groups[:, 1] == pytest.approx(np.full(300, -9.0 / 7.0))


def test_errors_about_single_systems_are_chance_for_runs_of_a_kind():
    rng = np.random.default_rng(0)
    groups = np.array([np.arange(30) < 10])
    means = rng.standard_normal(30)
    reference = means + 0.01 * rng.standard_normal((40, 30))
    errors = np.where(groups[0], 0.0, 0.3) + 0.5 * np.tile([-1.0, 1.0], 15)
    judge = means + errors + 0.01 * rng.standard_normal((40, 30))
    found = draw_shifts(reference, judge, groups, n_draws=4000, seed=1)
    assert found.of_groups.std() < 0.02
    assert found.freedom == 26
    assert found.errors.mean() == pytest.approx(0.5 * np.sqrt(1 / 10 + 1 / 20), rel=0.25)
    few = draw_shifts(reference[:, 8:12], judge[:, 8:12], groups[:, 8:12], **HOW)
    assert few.freedom < 1
    assert np.isnan([few.pvalue(0), *few.interval(0, 0.95)]).all()
    assert not np.isnan(few.of_groups).any()


def test_p_values_and_intervals_are_those_of_endless_draws_of_kinds():
    """Of each draw's Student's t about its shift; an interval has 0 as its end where p is 1 - level."""
    rng, n_draws = np.random.default_rng(0), 400
    shifts = Shifts(
        np.ones(n_draws), np.zeros((n_draws, 1)), rng.normal(0.3, 0.1, (n_draws, 1)), np.full((n_draws, 1), 0.1), 5
    )
    many = shifts.of_groups + shifts.errors * rng.standard_t(5, (n_draws, 2000))
    assert shifts.pvalue(0) == pytest.approx(2.0 * (400 * (many <= 0.0).mean() + 1) / 401, rel=0.03)
    tail = (0.05 * 401 - 1) / 400
    assert shifts.interval(0, 0.9) == pytest.approx(np.quantile(many, (tail, 1.0 - tail)), abs=0.003)
    assert shifts.interval(0, 1.0 - shifts.pvalue(0)).low == pytest.approx(0.0, abs=1e-6)


def test_a_shift_without_any_error_is_known():
    def of(shift):
        return Shifts(np.ones(3), np.zeros((3, 1)), np.full((3, 1), shift), np.zeros((3, 1)), 2)

    assert of(0.0).pvalue(0) == 1.0
    assert of(0.3).pvalue(0) == 2.0 / 4.0
    assert of(0.3).interval(0, 0.95) == pytest.approx((0.3, 0.3))


def test_overlap_is_the_share_of_pairs_that_are_the_other_way_round():
    rng = np.random.default_rng(1)
    for _ in range(20):
        reference, group = rng.integers(0, 9, (3, 9)).astype(float), rng.random(9) < 0.5
        if 0 < group.sum() < 9:
            means = reference.mean(axis=0).round(9)
            pairs = np.sign(np.subtract.outer(means[group], means[~group]))
            wins = (1 + pairs.mean()) / 2
            assert overlaps(reference, group[np.newaxis]) == pytest.approx([min(wins, 1 - wins)])


def test_means_of_groups_are_not_shrunk_and_a_system_alone_is_a_group():
    """Their draws are the measured means, and their spread the standard error with that of its estimate."""
    reference, judge = scores(1, noise=5.0), scores(2, noise=5.0)
    of_scores = draw_shifts(reference, judge, GROUPS, n_draws=20_000, seed=1, same_scale=True).of_groups
    by_topic = judge - reference
    for number, inside in enumerate(GROUPS):
        contrast = by_topic[:, inside].mean(axis=1) - by_topic[:, ~inside].mean(axis=1)
        # those of the other groups weigh by their sizes, as measured
        error = contrast.std(ddof=1) / np.sqrt(30) * np.sqrt(29 / 27)
        assert of_scores[:, number].mean() == pytest.approx(contrast.mean(), abs=0.05 * error)
        assert of_scores[:, number].std() == pytest.approx(error, rel=0.05)


def test_neither_workers_nor_the_order_of_systems_change_a_bit():
    reference, judge = scores(1), scores(2)
    found = draw_shifts(reference, judge, GROUPS, **HOW)
    assert same(draw_shifts(reference, judge, GROUPS, **HOW, n_jobs=2), found)
    rng = np.random.default_rng(0)
    for _ in range(3):
        systems = rng.permutation(len(CELLS))
        turned = draw_shifts(reference[:, systems], judge[:, systems], GROUPS[:, systems], **HOW)
        assert same(replace(turned, scores=found.scores), found)
        np.testing.assert_array_equal(turned.scores, found.scores[:, systems])


def same(first, second):
    return all(np.array_equal(*both) for both in zip(vars(first).values(), vars(second).values(), strict=True))


def test_a_contrast_that_is_0_is_0():
    """Whatever the order of sums: two groups of runs that gain as much."""
    reference = (
        np.tile([0.1, 0.2, 0.3, 0.7, 0.1, 0.2, 0.3, 0.7], (12, 1)) + np.random.default_rng(0).random((12, 1)) / 10
    )
    group = np.array([np.arange(8) < 4])
    found = draw_shifts(reference, reference + 0.1, group, **HOW, same_scale=True)
    assert not found.of_groups.any()


@pytest.mark.parametrize("groups", [np.eye(8, dtype=bool), GROUPS])
def test_without_systems_that_differ_within_groups_there_is_no_curve(groups):
    reference = np.repeat(scores(1)[:, :3], (3, 4, 1), axis=1)  # groups of equal systems
    found = draw_shifts(reference, scores(2), groups, **HOW)
    assert np.isnan(found.slope).all()
    assert np.isnan(found.scores).all()
