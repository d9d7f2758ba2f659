import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.stats import t as student

from pt_rankcorr.stats.accuracy.group_bias import overlaps, shifts_of

CELLS = np.array([0, 0, 0, 1, 1, 1, 1, 2])
GROUPS = np.array([CELLS == 0, CELLS == 2])


def scores(seed, n_topics=30, noise=1.0):
    """Of systems whose means are always the same."""
    means = np.array([3.0, 2.0, 1.0, 2.5, 1.5, 0.5, 0.0, 2.2])
    return means + noise * np.random.default_rng(seed).standard_normal((n_topics, len(means)))


def curve_by_definition(first, second, cells, at):
    """The parabola that never falls between the ends of `at`, by least squares with an offset for each cell.

    One more row holds what a bend costs.
    """
    low, high = at.min(), at.max()

    def parts(x):
        return np.column_stack([(x - low) ** 2, -((high - x) ** 2)])

    offsets = np.eye(cells.max() + 1)[cells]
    inner = parts(first) - offsets @ (np.linalg.pinv(offsets) @ parts(first))
    cost = np.sqrt(0.001) * np.sqrt((inner**2).sum())
    rows = np.vstack([np.hstack([parts(first), offsets]), [cost, -cost, *np.zeros(offsets.shape[1])]])
    bounds = ([0, 0] + [-np.inf] * offsets.shape[1], np.inf)
    fitted = lsq_linear(rows, np.append(second, 0.0), bounds, tol=1e-14)
    return parts(at) @ fitted.x[:2]


def without_noise(reference, estimate, cells):
    """What true means are expected to be within groups, and the estimate less what noise has in common."""
    n, (first, second) = len(reference), (scores.mean(axis=0) for scores in (reference, estimate))
    noise = common = 0.0
    for cell in np.unique(cells):
        ours, theirs = (scores[:, cells == cell] for scores in (reference, estimate))
        ours, theirs = (each - each.mean(axis=1, keepdims=True) for each in (ours, theirs))
        covariances = [np.cov(x, y) for x, y in zip(ours.T, theirs.T, strict=True)]
        noise += sum(each[0, 0] for each in covariances) / n
        common += sum(each[0, 1] for each in covariances) / n
    centre = np.array([first[cells == cell].mean() for cell in cells])
    taken = noise / ((first - centre) ** 2).sum() * (first - centre)
    return first - taken, second - taken * common / noise


@pytest.mark.parametrize("bend", [0.0, 0.3, -0.3, 2.0])
def test_shifts_are_as_defined(bend):
    reference = scores(1)
    judge = reference + bend * reference.mean(axis=0) ** 2 + scores(2) / 10
    found, first = shifts_of(reference, judge, GROUPS), reference.mean(axis=0)
    heights = curve_by_definition(*without_noise(reference, judge, CELLS), CELLS, first)
    over = judge.mean(axis=0) - heights
    ends = first.argmax(), first.argmin()
    assert found.slope == pytest.approx((heights[ends[0]] - heights[ends[1]]) / np.ptp(first), abs=1e-5)
    assert found.scores == pytest.approx(over - over.mean(), abs=1e-4)
    for number, inside in enumerate(GROUPS):
        assert found.of_groups[number] == pytest.approx(over[inside].mean() - over[~inside].mean(), abs=1e-4)
    assert shifts_of(reference, judge, GROUPS, same_scale=True).slope == 1.0


@pytest.mark.parametrize(
    "scale", [lambda x: 0.5 * x + 7.0, lambda x: 100 * x, lambda x: 0.1 * (x + 9.0) ** 2, lambda x: -x]
)
def test_a_scale_of_the_reference_favours_nobody(scale):
    """Straight, lenient, bent or upside down."""
    reference = scores(1, 400, noise=0.0) + np.random.default_rng(1).standard_normal((400, 1)) * 1e-6
    judge = np.repeat(scale(reference.mean(axis=0))[np.newaxis], 400, axis=0)
    found = shifts_of(reference, judge, GROUPS)
    assert np.abs(found.scores).max() < 2e-3 * np.ptp(judge)


def test_what_a_group_gets_for_nothing_is_its_shift():
    reference = scores(1)
    found = shifts_of(reference, 2 * reference + 3.0 * (CELLS == 0), GROUPS)
    assert found.of_groups == pytest.approx([3.0, -9.0 / 7.0])
    same = shifts_of(reference, reference, GROUPS)
    assert not same.of_groups.any()
    assert same.pvalue(0) == 1.0
    assert found.pvalue(0) < 1e-9


def test_on_one_scale_without_noise_it_is_welch_s_test():
    """Of the errors about the systems of both groups, where the smaller group has the larger ones."""
    rng = np.random.default_rng(0)
    group = np.arange(30) < 10
    means = rng.standard_normal(30)
    errors = np.where(group, 0.6, 0.2) * rng.standard_normal(30)
    reference, judge = (np.repeat(each[np.newaxis], 40, axis=0) for each in (means, means + errors))
    found = shifts_of(reference, judge, group[np.newaxis], same_scale=True)
    parts = np.array([errors[group].var(ddof=1) / 10, errors[~group].var(ddof=1) / 20])
    assert parts[0] * 10 > parts[1] * 20
    error = np.sqrt(parts.sum())
    assert found.errors[0] == pytest.approx(error)
    pooled = ((errors[group] - errors[group].mean()) ** 2).sum() + ((errors[~group] - errors[~group].mean()) ** 2).sum()
    careful = np.maximum(parts, pooled / 28 / [10, 20])
    df = min(each.sum() ** 2 / (each**2 / [9, 19]).sum() for each in (parts, careful))
    assert found.df[0] == pytest.approx(df)
    shift = errors[group].mean() - errors[~group].mean()
    assert found.pvalue(0) == pytest.approx(2 * student.sf(abs(shift) / error, df))
    margin = student.ppf(0.95, df) * error
    assert found.interval(0, 0.9) == pytest.approx((shift - margin, shift + margin))
    assert 0.0 in np.round(found.interval(0, 1.0 - found.pvalue(0)), 9) + 0.0


def test_of_four_systems_on_a_curve_nothing_is_known_of_kinds():
    rng = np.random.default_rng(0)
    group = np.array([[True, True, False, False]])
    reference, judge = rng.random((2, 40, 4))
    found = shifts_of(reference, judge + reference[:, ::-1], np.eye(4, dtype=bool))
    assert np.isnan(found.slope)
    few = shifts_of(reference, judge, np.array([[True, False, False, False], [False, True, False, False]]))
    assert np.isnan([few.pvalue(0), *few.interval(0, 0.95)]).all()
    assert not np.isnan(few.of_groups).any()
    assert not np.isnan(shifts_of(reference, judge, group, same_scale=True).pvalue(0))


def test_what_topics_do_to_a_whole_group_is_an_error_of_its_shift():
    """The standard error is that of the contrast over topics, which the residuals of systems do not show."""
    rng = np.random.default_rng(0)
    group = np.arange(20) < 8
    reference = rng.random(20) + 0.01 * rng.standard_normal((40, 20))
    judge = reference + 0.5 * rng.standard_normal((40, 1)) * group
    found = shifts_of(reference, judge, group[np.newaxis], same_scale=True)
    contrast = (judge - reference)[:, group].mean(axis=1)
    assert found.errors[0] == pytest.approx(contrast.std(ddof=1) / np.sqrt(40), rel=0.01)
    assert found.df[0] == pytest.approx(39, rel=0.02)


def test_a_system_alone_varies_as_all_others_do():
    reference, judge = scores(1, noise=0.1), scores(2, noise=0.1)
    judge[:, :7] += np.random.default_rng(3).standard_normal(7)
    found = shifts_of(reference, judge, GROUPS)
    assert found.errors[1] > 0.5
    assert not np.isnan(found.pvalue(1))


def test_groups_that_vary_unlike_keep_the_level_and_a_favour_is_found():
    """10 of 30 runs about which a fair judge errs four times as much; and a favour of half a standard deviation."""
    rng, group = np.random.default_rng(5), np.arange(30) < 10
    fair, favoured = [], []
    for _ in range(400):
        means = 0.3 * rng.standard_normal(30)
        shared, own = rng.standard_normal((2, 50, 30))
        reference, noise = means + shared, 0.35 * (shared + own)
        unlike = 0.5 * means + np.where(group, 0.2, 0.05) * rng.standard_normal(30)
        alike = 0.5 * means + 0.05 * rng.standard_normal(30) + 0.075 * group
        for results, true in ((fair, unlike), (favoured, alike)):
            results.append(shifts_of(reference, true + noise, group[np.newaxis]).pvalue(0) <= 0.05)
    assert 0.02 <= np.mean(fair) <= 0.08
    assert np.mean(favoured) >= 0.5


def test_overlap_is_the_share_of_pairs_that_are_the_other_way_round():
    rng = np.random.default_rng(1)
    for _ in range(20):
        reference, group = rng.integers(0, 9, (3, 9)).astype(float), rng.random(9) < 0.5
        if 0 < group.sum() < 9:
            means = reference.mean(axis=0).round(9)
            pairs = np.sign(np.subtract.outer(means[group], means[~group]))
            wins = (1 + pairs.mean()) / 2
            assert overlaps(reference, group[np.newaxis]) == pytest.approx([min(wins, 1 - wins)])


def test_the_order_of_systems_changes_no_bit():
    reference, judge = scores(1), scores(2)
    found = shifts_of(reference, judge, GROUPS)
    rng = np.random.default_rng(0)
    for _ in range(3):
        systems = rng.permutation(len(CELLS))
        turned = shifts_of(reference[:, systems], judge[:, systems], GROUPS[:, systems])
        for name, value in vars(found).items():
            by_system = name in ("scores", "margins")
            np.testing.assert_array_equal(getattr(turned, name), value[systems] if by_system else value)


def test_a_contrast_that_is_0_is_0():
    """Whatever the order of sums: two groups of runs that gain as much."""
    reference = (
        np.tile([0.1, 0.2, 0.3, 0.7, 0.1, 0.2, 0.3, 0.7], (12, 1)) + np.random.default_rng(0).random((12, 1)) / 10
    )
    group = np.array([np.arange(8) < 4])
    assert not shifts_of(reference, reference + 0.1, group, same_scale=True).of_groups.any()


@pytest.mark.parametrize("groups", [np.eye(8, dtype=bool), GROUPS])
def test_without_systems_that_differ_within_groups_there_is_no_curve(groups):
    reference = np.repeat(scores(1)[:, :3], (3, 4, 1), axis=1)  # groups of equal systems
    found = shifts_of(reference, scores(2), groups)
    assert np.isnan(found.slope)
    assert np.isnan(found.scores).all()
    assert np.isnan(found.pvalue(0))
