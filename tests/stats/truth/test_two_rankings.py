"""Two noisy rankings: their model against plain definitions, its edges, and what it must not depend on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.stats import f as f_distribution
from scipy.stats import kendalltau

from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients, PopulationDraws
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.covariance import effective_systems
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures, _p_across, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.two_rankings import draw_two_rankings, n_of_one_ranking


def two_measures(seed=0, n_topics=25, n_systems=12, error=0.0, noise=0.5):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n_systems) * 0.3
    topic_error = rng.normal(size=(n_topics, n_systems))
    judged = quality + error * rng.normal(size=n_systems)
    return quality + topic_error, judged + 0.5 * topic_error + noise * rng.normal(size=topic_error.shape)


def pvalue(reference, estimate, **how):
    return pvalue_of_one_ranking(TwoMeasures(reference, estimate, **how))


def taus(drawn):
    return COEFFICIENTS["tau_b"].kernel(drawn.reference, drawn.estimate)


# --- is it one ranking? -------------------------------------------------------------------------------------


def plain_p_across(means, noise):
    """Of curves of the first side over the second: they rise where the slope is 0 or more."""
    (across, along), (noise_across, noise_along) = means, noise
    freedom, m = len(noise_across) - 1, across.size
    order = np.argsort(along)
    sums = np.append(0.0, np.cumsum(across[order]))
    isotonic = np.empty(m)
    for k in range(m):  # max over what begins, and min over what ends it, of means
        isotonic[order[k]] = max(min((sums[j + 1] - sums[i]) / (j + 1 - i) for j in range(k, m)) for i in range(k + 1))
    basis = np.isclose(isotonic[:, np.newaxis], np.unique(isotonic.round(9)))
    misfit = np.log(np.mean((across - isotonic) ** 2))
    curves = [(m * misfit + 2 * basis.shape[1] * np.log(m), 1.0 * basis, np.zeros(m))]
    for n_knots in range(2, 2 + (m - 1) // 3):
        spline = CubicSpline(np.quantile(along, np.linspace(0.0, 1.0, n_knots)), np.eye(n_knots), bc_type="natural")
        basis, rises = spline(along), spline(along, 1)
        heights = np.linalg.lstsq(basis, across)[0]
        left, slopes = across - basis @ heights, rises @ heights
        units = variances_of_slopes(slopes, noise)
        schwarz = m * (np.log(np.mean(left**2 / units)) + np.mean(np.log(units)))
        by_chance = np.trace(rises @ np.linalg.inv(basis.T @ basis) @ rises.T) * (left @ left) / (m - n_knots)
        shrunk = slopes * np.sqrt(max(0.0, 1.0 - by_chance / (slopes @ slopes)))
        if n_knots == 2 or np.mean(slopes < -0.5) <= 0.2:
            curves.append((schwarz + n_knots * np.log(m), basis, np.maximum(shrunk, 0.0)))
    _, basis, slopes = min(curves, key=lambda curve: curve[0])
    units = np.sqrt(variances_of_slopes(slopes, noise))
    basis, rows = basis / units[:, np.newaxis], (noise_across - slopes * noise_along) / units
    left = np.eye(m) - basis @ np.linalg.pinv(basis)
    measured, expected = ((left @ (across / units)) ** 2).sum(), ((rows @ left) ** 2).sum()
    independent = effective_systems(rows @ left, freedom, m - basis.shape[1])
    return f_distribution.sf(measured / expected, independent, freedom * independent), basis.shape[1]


def variances_of_slopes(slopes, noise):
    """Across a curve, of all systems on average."""
    m = noise.shape[2]
    return np.array([((noise[0] - slope * noise[1]) ** 2).sum() / (m - 1) for slope in slopes])


@pytest.mark.parametrize(
    ("steepness", "noise", "least"), [(0.2, 1.0, 2), (3.0, 1.0, 3), (12.0, 1.0, 4), (3.0, 0.05, 8)]
)
def test_p_is_that_of_the_definition(steepness, noise, least):
    """Of a line, of more knots, and of steps, where there is little noise."""
    rng = np.random.default_rng(0)
    quality, topics = rng.normal(size=30), noise * rng.normal(size=(40, 30))
    reference = 1.0 / (1.0 + np.exp(-steepness * quality)) + 0.1 * topics
    sides = TwoMeasures(reference, quality + 0.5 * topics + 0.5 * noise * rng.normal(size=topics.shape))
    means, noise = (part - part.mean(axis=-1, keepdims=True) for part in (sides.means, sides.noise()))
    units = np.sqrt((noise**2).sum(axis=(1, 2)) / 29)[:, np.newaxis]
    means, noise = means / units, noise / units[:, np.newaxis]
    expected, n_knots = plain_p_across(means, noise)
    assert n_knots >= least
    covariance = np.einsum("itm,jtm->ij", noise, noise) / 29
    assert _p_across(np.eye(2), means, noise, covariance, 39) == pytest.approx(expected, rel=1e-6)


def test_p_is_the_same_either_way_round_and_in_any_order():
    reference, estimate = two_measures(1, error=0.1)
    rows, columns = np.random.default_rng(0).permutation(25), np.random.default_rng(1).permutation(12)
    expected = pvalue(reference, estimate)
    assert 0.0 < expected < 1.0
    assert pvalue(estimate, reference) == pytest.approx(expected, rel=1e-12)
    assert pvalue(reference[rows][:, columns], estimate[rows][:, columns]) == pytest.approx(expected, rel=1e-12)


def test_p_keeps_its_level():
    rejected = [pvalue(*two_measures(seed, noise=1.0)) <= 0.05 for seed in range(300)]
    assert np.mean(rejected) <= 0.08
    assert np.mean([pvalue(*two_measures(seed, error=0.3)) <= 0.05 for seed in range(50)]) > 0.3


def test_a_bent_scale_is_no_other_ranking():
    """Scales that bend more, or saturate, are in tests/calibration/parts/two_rankings.py."""
    rng = np.random.default_rng(0)
    rejected = []
    for _ in range(100):
        means = np.sort(rng.random(20)) * 2.0
        bent, slope = means**2 / 2.0, means
        topic_error = rng.normal(size=(40, 20))
        rejected.append(
            pvalue(means + topic_error, bent + slope * topic_error + 0.5 * rng.normal(size=topic_error.shape)) <= 0.05
        )
    assert np.mean(rejected) <= 0.1
    hump = 1.0 - (means - 1.0) ** 2
    assert pvalue(means + 0.2 * topic_error, hump + 0.2 * rng.normal(size=topic_error.shape)) < 0.001


@pytest.mark.parametrize(
    ("make", "least", "most"),
    [
        (lambda x: 3.0 + 2.0 * x, 1.0, 1.0),
        (lambda x: 1.0 - x, 0.0, 1e-6),
        (lambda x: x + np.resize([0.0, 5.0], 12), 0.0, 1e-5),
        (lambda x: np.broadcast_to(x.mean(axis=0), x.shape), 0.8, 1.0),
        (lambda x: np.broadcast_to(-x.mean(axis=0), x.shape), 0.0, 1e-6),
    ],
    ids=["affine", "reversed", "an error without noise", "without noise", "reversed, without noise"],
)
def test_edges_of_p(make, least, most):
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 3, 12) + rng.normal(size=(25, 12))
    assert least <= pvalue(scores, make(scores)) <= most
    assert least <= pvalue(make(scores), scores) <= most


@pytest.mark.parametrize("n_systems", [3, 4, 6, 8, 12])
def test_few_systems_far_apart_may_have_any_scale(n_systems):
    """Of which nothing is known, so that only an exchange of two is another ranking."""
    rng, true = np.random.default_rng(0), np.arange(float(n_systems))
    reference, bent = (side + 0.1 * rng.normal(size=(25, n_systems)) for side in (true, true + true**2))
    assert pvalue(reference, bent) == 1.0
    assert pvalue(reference, bent[:, [1, 0, *range(2, n_systems)]]) < 0.01


def test_a_side_that_tells_no_system_apart():
    """Though it differs between topics, and rounding errors between systems."""
    flat = np.repeat([[0.7], [0.3], [0.2], [1.0], [0.1]], 6, axis=1)
    for seed in range(20):
        assert pvalue(flat, np.arange(6.0) + np.random.default_rng(seed).standard_normal((5, 6))) == 1.0


def test_p_where_one_side_has_noise_alone():
    """The line is one of the axes then, and a slope of it has no bound."""
    patterns = np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]]).T[:, :, np.newaxis]
    noise = patterns * np.array([[1.0, -1.0, 1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0, 1.0, -1.0]])
    scores, flat = np.arange(6.0) + noise[:, 0], noise[:, 1]
    assert pvalue(scores, flat) == pvalue(flat, scores) == 1.0


def test_p_of_what_has_no_noise_at_all():
    known = np.tile(np.arange(5.0), (6, 1))
    assert pvalue(known, 2.0 * known) == 1.0
    assert pvalue(known, known**2) == 1.0
    assert 0.0 < pvalue(known, -known) == pvalue(known, known[:, ::-1]) < 1e-100


# --- draws ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [0.0, 0.3])
@pytest.mark.parametrize("shared", [True, False])
def test_exchanging_the_sides_exchanges_the_draws(error, shared):
    reference, estimate = two_measures(3, error=error)
    one = draw_two_rankings(reference, estimate, 60, 1, shared=shared)
    other = draw_two_rankings(estimate, reference, 60, 1, shared=shared)
    assert np.array_equal(one.reference, other.estimate)
    assert np.array_equal(one.estimate, other.reference)
    assert one.pvalue == other.pvalue


def test_the_order_of_systems_changes_no_draw():
    reference, estimate = two_measures(3, error=0.1)
    systems = np.random.default_rng(0).permutation(12)
    drawn = draw_two_rankings(reference, estimate, 60, 1)
    again = draw_two_rankings(reference[:, systems], estimate[:, systems], 60, 1)
    assert np.array_equal(drawn.reference[:, systems], again.reference)
    assert np.array_equal(drawn.estimate[:, systems], again.estimate)


def test_all_measures_of_one_reference_share_the_sampling_of_topics():
    """So true means by the reference vary together over draws, whichever measure it is compared with."""
    reference, _ = two_measures(1, n_topics=40)
    means = [draw_two_rankings(reference, two_measures(seed, n_topics=40)[1], 200, 1).reference for seed in range(4)]
    for first, second in itertools.combinations(means, 2):
        assert np.corrcoef(first[::2, 0], second[::2, 0])[0, 1] > 0.8


def test_units_change_nothing():
    reference, estimate = two_measures(1, error=0.1)
    one, other = (taus(draw_two_rankings(reference * unit, estimate / unit + 1.0, 60, 1)) for unit in (1.0, 1000.0))
    np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n_draws", [1000, 9999, 10_000])
def test_an_interval_reaches_1_where_the_test_does_not_reject_and_only_there(level, n_draws):
    """At the usual levels, also right beside them, as far as one draw can tell."""
    alpha = 1.0 - level
    for pvalue in (1e-9, 0.3 * alpha, alpha, alpha + 2.0 / n_draws, 2.0 * alpha, 0.9, 1.0):
        has_one = 1.0 * (np.arange(n_draws) < n_of_one_ranking(pvalue, n_draws))
        assert (np.quantile(has_one, 1.0 - alpha / 2.0) == 1.0) == (pvalue > alpha)


@pytest.mark.parametrize("n_systems", [3, 4, 6, 12])
def test_the_share_of_draws_with_one_ranking_is_half_the_p_value(n_systems):
    """Of few systems, too, whose errors often change no order."""
    tested = 0
    for seed in range(12):
        reference, estimate = two_measures(seed, n_systems=n_systems, error=0.4, noise=0.3)
        drawn = draw_two_rankings(reference, estimate, 400, 1)
        has_one = (taus(drawn) > 1.0 - 1e-12).sum()
        assert has_one >= n_of_one_ranking(drawn.pvalue, 400)
        if drawn.pvalue <= 0.2:
            assert has_one == n_of_one_ranking(drawn.pvalue, 400)
            tested += 1
    assert tested > 0


def test_measures_that_share_all_noise_and_one_order_have_one_ranking_in_half_of_the_draws():
    """Though the small differences that are measured between them have no noise."""
    reference, _ = two_measures(n_systems=8)
    order = np.argsort(reference.mean(axis=0))
    offsets = np.empty(8)
    offsets[order] = np.linspace(0.0, 0.5, 8) ** 2
    drawn = draw_two_rankings(reference, reference + offsets, 200, 1)
    assert drawn.pvalue == 1.0
    assert 0.5 <= (taus(drawn) > 1.0 - 1e-12).mean() < 1.0


def test_one_true_ranking_is_held_and_another_excluded():
    same = [np.quantile(taus(draw_two_rankings(*two_measures(seed), 100, 1)), 0.975) for seed in range(20)]
    assert np.mean(np.array(same) > 1.0 - 1e-12) >= 0.9
    other = draw_two_rankings(*two_measures(0, n_topics=200, error=0.5), 200, 1)
    assert np.quantile(taus(other), 0.975) < 1.0


def test_sides_of_one_rank_pattern_have_the_same_draws_in_any_order_of_systems():
    reference, _ = two_measures()
    estimate, order = np.exp(reference), np.random.default_rng(1).permutation(reference.shape[1])
    drawn = draw_two_rankings(reference, estimate, 40, 1)
    for both in ((reference, estimate), (estimate, reference)):
        again = draw_two_rankings(*(scores[:, order] for scores in both), 40, 1)
        sides = (again.reference, again.estimate) if both[0] is reference else (again.estimate, again.reference)
        np.testing.assert_array_equal(sides, np.stack([drawn.reference, drawn.estimate])[..., order])


def test_a_side_without_noise_has_the_true_ranking_or_not():
    rng, held = np.random.default_rng(3), []
    for _ in range(20):
        means = rng.normal(size=20)
        known, noisy = np.tile(means, (50, 1)), means + 3.0 * rng.normal(size=(50, 20))
        held.append(np.quantile(taus(draw_two_rankings(known, noisy, 200, 1)), 0.975) > 1.0 - 1e-12)
    assert np.mean(held) >= 0.85


@pytest.mark.parametrize("n_draws", [200, 300, 999, 1000])
def test_an_interval_whose_test_hardly_accepts_reaches_1(n_draws):
    rng = np.random.default_rng(148)
    means = rng.normal(size=20)
    measured = means + 0.25 * rng.normal(size=20)
    both = means + rng.normal(size=(50, 20)), measured + rng.normal(size=(50, 20))
    drawn = draw_two_rankings(*both, n_draws, 1)
    assert 0.05 < drawn.pvalue < 0.051
    assert np.quantile(taus(drawn), 1.0 - 0.9999 * drawn.pvalue / 2.0) > 1.0 - 1e-12


def test_topics_of_one_side_need_not_be_those_of_the_other():
    reference, estimate = two_measures(5, n_topics=40)
    drawn = draw_two_rankings(reference[:15], estimate[15:], 100, 1, shared=False)
    assert drawn.reference.shape == (100, 12)
    assert drawn.pvalue == pytest.approx(pvalue(estimate[15:], reference[:15], shared=False), rel=1e-12)


@pytest.mark.parametrize("factor", [1.0, -2.0])
def test_a_line_has_the_same_truth(factor):
    reference, _ = two_measures()
    drawn = draw_two_rankings(reference, 3.0 + factor * reference, 50, 0)
    np.testing.assert_allclose(drawn.estimate, 3.0 + factor * drawn.reference, rtol=1e-9, atol=1e-9)


def test_systems_that_a_side_scores_equally_stay_equal_by_it():
    reference, estimate = two_measures()
    estimate[:, 3] = estimate[:, 1]
    drawn = draw_two_rankings(reference, estimate, 40, 0)
    without_error = taus(drawn) > 1.0 - 1e-12
    equal = drawn.estimate[:, 1] == drawn.estimate[:, 3]
    assert (equal != without_error).all()
    assert not (drawn.reference[:, 1] == drawn.reference[:, 3]).any()


def test_systems_that_both_sides_score_equally_are_equal():
    reference, estimate = two_measures()
    for scores in (reference, estimate):
        scores[:, 3] = scores[:, 1]
    drawn = draw_two_rankings(reference, estimate, 40, 0)
    for means in (drawn.reference, drawn.estimate):
        assert (means[:, 1] == means[:, 3]).all()


@pytest.mark.parametrize(("n_topics", "n_systems"), [(2, 2), (2, 3), (2, 8), (3, 30), (10, 2), (5, 250)])
def test_few_topics_and_many_systems(n_topics, n_systems):
    drawn = draw_two_rankings(*two_measures(5, n_topics, n_systems), 20, 0)
    assert np.isfinite(drawn.reference).all()
    assert np.isfinite(drawn.estimate).all()
    assert 0.0 <= drawn.pvalue <= 1.0


def test_of_two_systems_nothing_is_known_where_noise_may_swap_them():
    rng = np.random.default_rng(0)
    reference, estimate = rng.normal(loc=[0.0, 0.05], size=(2, 20, 2))
    assert set(taus(draw_two_rankings(reference, estimate, 200, 0))) == {-1.0, 1.0}


def test_sides_on_topics_of_their_own_have_a_population():
    reference, estimate = two_measures(5, n_topics=40)
    draws = PopulationDraws(reference[:15], estimate[15:], Coefficients.named("tau", np.arange(12)), 1, False)
    found = draws.of("tau", 0.95)
    assert found.low <= found.estimate <= found.high
    assert found.n_draws == found.draws.size


@pytest.mark.parametrize("noise", [1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [0, 2, 1, 4, 3]])
def test_noise_far_below_the_differences_leaves_the_order_that_is_measured(noise, order):
    rng, means = np.random.default_rng(0), np.arange(5) / 5.0
    reference, estimate = (each + noise * rng.standard_normal((12, 5)) for each in (means, means[order]))
    assert taus(draw_two_rankings(reference, estimate, 40, 0)) == pytest.approx(kendalltau(means, means[order])[0])
