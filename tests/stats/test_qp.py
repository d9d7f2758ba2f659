"""The quadratic program of d_rank: its three solvers, and covariances that stay in factors."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from pt_rankcorr.stats import _qp
from pt_rankcorr.stats._drank_baseline import Baseline
from pt_rankcorr.stats._drank_model import Estimator
from pt_rankcorr.stats._drank_null import Hypothesis, resample
from pt_rankcorr.stats._qp_covariance import Factored, Whole


@st.composite
def programs(draw):
    """A covariance in factors, with or without a target, and mean differences."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_topics, n_differences = draw(st.integers(1, 12)), draw(st.integers(1, 40))
    factors = rng.standard_normal((n_topics, n_differences + 1)) * draw(st.sampled_from([0.01, 0.1, 1.0]))
    target, ridge = draw(st.sampled_from([0.0, 1e-4, 0.1])), draw(st.sampled_from([1e-5, 1e-2]))
    differences = np.diff(rng.standard_normal(n_differences + 1)) * draw(st.sampled_from([0.01, 1.0]))
    return Factored(np.diff(factors, axis=1), target, ridge), differences


def by_definition(covariance: Factored) -> np.ndarray:
    size = covariance.factors.shape[1]
    operator = np.diff(np.eye(size + 1), axis=0)
    return (
        covariance.factors.T @ covariance.factors
        + covariance.target * operator @ operator.T
        + covariance.ridge * np.eye(size)
    )


def by_nnls(cells: np.ndarray, differences: np.ndarray) -> float:
    """The squared distance, from the dual as least squares."""
    root = np.linalg.cholesky(cells)
    return -float(nnls(root.T, -np.linalg.solve(root, differences))[0] @ differences)


# --- factors ----------------------------------------------------------------------------------------


@given(programs(), st.integers(0, 1000), st.sampled_from([0.0, 0.3]))
@settings(deadline=None)
def test_factors_solve_what_the_whole_covariance_does(program, seed, softening):
    covariance, differences = program
    cells = by_definition(covariance)
    assert covariance.whole() == pytest.approx(cells, rel=1e-9, abs=1e-12)
    chosen = np.flatnonzero(np.random.default_rng(seed).random(differences.size) < 0.7)
    ours = covariance.solved(chosen, differences, softening)
    theirs = Whole(cells, covariance.ridge).solved(chosen, differences, softening)
    assert ours.is_definite
    assert theirs.is_definite
    scale = np.abs(theirs.multipliers).max(initial=0.0)
    assert ours.multipliers == pytest.approx(theirs.multipliers, rel=1e-6, abs=1e-7 * scale)
    assert ours.product == pytest.approx(theirs.product, rel=1e-6, abs=1e-6 * np.abs(differences).max())
    assert ours.product[chosen] == pytest.approx(-differences[chosen], abs=1e-6 * np.abs(differences).max())


@pytest.mark.parametrize("covariance", ["sample", "ledoit-wolf"])
@pytest.mark.parametrize(("n_topics", "n_systems"), [(5, 6), (12, 40), (40, 41)])
def test_more_systems_than_topics_have_the_same_covariance_in_factors(covariance, n_topics, n_systems):
    """Of any sample of topics, drawn topics alone being kept."""
    rng = np.random.default_rng(n_systems)
    estimator = Estimator.of(rng.beta(2, 3, (n_topics, n_systems)), covariance, 1e-5)
    weights = rng.multinomial(n_topics, np.full(n_topics, 1 / n_topics)).astype(float)
    model = estimator.refitted(weights, estimator.means(weights[np.newaxis])[0])
    mean = weights @ estimator.residuals / n_topics
    whole = estimator._whole(weights, mean, float(n_topics))
    order = rng.permutation(n_systems)
    assert model.spread(order).whole() == pytest.approx(whole.of_differences(order, 1e-5).whole(), abs=1e-14)
    assert len(model.systems.factors) == np.count_nonzero(weights)


# --- solvers ----------------------------------------------------------------------------------------


@given(programs())
@settings(deadline=None)
def test_solvers_agree_with_each_other_and_with_non_negative_least_squares(program):
    covariance, differences = program
    cells = by_definition(covariance)
    reference = _qp.by_quadprog(Whole(cells, covariance.ridge), differences).squared_distance(differences)
    assert by_nnls(cells, differences) == pytest.approx(reference, rel=1e-6, abs=1e-9)
    rounding = max(1e-9, 1e-15 * np.linalg.norm(cells, 2) / covariance.ridge)
    for form in (covariance, Whole(cells, covariance.ridge)):
        for solver in (_qp.by_quadprog, _qp.by_pivoting, _qp._by_damped_blocks):
            found = solver(form, differences)
            assert found is not None
            assert found.squared_distance(differences) == pytest.approx(reference, rel=rounding, abs=1e-14)


@given(programs())
@settings(deadline=None)
def test_the_nearest_point_keeps_the_ranking_and_is_as_far_as_they_say(program):
    covariance, differences = program
    active = _qp.by_pivoting(covariance, differences)
    point = active.nearest_point(covariance, differences)
    assert point.min() >= _qp.BROKEN
    assert (active.multipliers > 0).all()
    moved = point - differences
    squared = moved @ np.linalg.solve(by_definition(covariance), moved)
    assert active.squared_distance(differences) == pytest.approx(squared, rel=1e-5, abs=1e-12)


def many_systems(n_topics, n_systems, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n_topics, n_systems)) + rng.standard_normal((n_topics, 1))
    return 1 / (1 + np.exp(-noise - np.sort(rng.normal(0, 0.5, n_systems))))


@pytest.mark.parametrize("n_systems", [70, 110, 300])
def test_where_blocks_go_round_damped_ones_arrive(n_systems):
    """Resampled rankings of more systems than topics, by the sample covariance: block pivoting alone fails for most."""
    baseline = Baseline.of(many_systems(30, n_systems), "sample", 1e-5)
    rng = np.random.default_rng(1)
    rankings = baseline.estimator.means(rng.multinomial(30, np.full(30, 1 / 30), size=12).astype(float))
    damped = 0
    for order in baseline.model.order(rankings):
        spread, differences = baseline.model.spread(order), baseline.model.differences(order)
        damped += _qp._by_blocks(spread, differences) is None
        squared, fell_back = baseline.model.squared_distance(order)
        assert not fell_back
        assert squared == pytest.approx(_qp.by_quadprog(spread, differences).squared_distance(differences), rel=1e-9)
    assert damped >= 4


def test_a_step_is_the_best_on_its_line():
    """The exact line search, against the least of many points of the convex function itself."""
    rng = np.random.default_rng(4)
    factors, ridge, differences = rng.standard_normal((6, 20)), 1e-3, rng.standard_normal(20)

    def objective(u):
        return u @ u / 2 + (np.minimum(differences + factors.T @ u, 0.0) ** 2).sum() / (2 * ridge)

    for _ in range(20):
        point, towards = rng.standard_normal(20), rng.standard_normal(20)
        u, move = factors @ point, factors @ towards
        step = _qp._step(point, towards, differences + factors.T @ u, factors.T @ move, ridge)
        shares = np.linspace(0, 1, 2001)
        least = min(objective(u + share * move) for share in shares)
        assert 0.0 <= step <= 1.0
        assert objective(u + step * move) <= least * (1 + 1e-12)


# --- memory -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("null", "covariance"), [("baseline", "sample"), ("constrained", "ledoit-wolf")])
def test_many_systems_need_no_matrix_of_all_pairs_of_them(null, covariance):
    """Ten arrays like the scores, and weights in blocks of 32 MiB: 900 x 900 would be thirty times the scores."""
    n_topics, n_systems = 30, 900
    baseline = Baseline.of(many_systems(n_topics, n_systems), covariance, 1e-5)
    ranking = baseline.estimator.scores[:1]
    tracemalloc.start()
    resample(null, baseline.estimator, Hypothesis(n_topics, ranking), 8, np.random.default_rng(1), 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * n_topics * n_systems * 8


# --- rounding errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_topics", "n_systems"), [(3, 12), (5, 7), (5, 10), (20, 20)])
@pytest.mark.parametrize("ridge", [1e-5, 1e-6, 1e-7])
def test_constraints_that_hold_just_so_do_not_keep_damped_blocks_from_arriving(n_topics, n_systems, ridge):
    """Means and covariances of zeros and ones are full of them: their multipliers are 0 but for rounding errors."""
    rng = np.random.default_rng(8)
    for _ in range(60):
        baseline = Baseline.of(rng.integers(0, 2, (n_topics, n_systems)), "sample", ridge)
        order = baseline.order(rng.permutation(n_systems))
        spread, differences = baseline.model.spread(order), baseline.model.differences(order)
        damped = _qp._by_damped_blocks(spread, differences)
        assert damped is not None
        assert (damped.multipliers > 0).all()
        wanted = by_nnls(spread.whole(), differences)
        assert damped.squared_distance(differences) == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_quadprog_is_not_believed_where_it_stops_too_early():
    baseline = Baseline.of([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]], "sample", 1e-8)
    order = baseline.order([1, 4, 2, 3, 0])
    assert _qp.by_quadprog(baseline.model.spread(order), baseline.model.differences(order)) is None


def test_says_that_a_ridge_is_too_small():
    scores = [[0, 1, 1, 0, 1], [1, 1, 1, 1, 0], [0, 1, 1, 0, 1]]
    with pytest.raises(ValueError, match="`ridge` must be large enough for a covariance that is positive definite in"):
        Baseline.of(scores, "sample", 1e-12).distances([4, 2, 0, 1, 3])
    assert Baseline.of(scores, "sample", 1e-7).distances([4, 2, 0, 1, 3]) > 0


def test_damped_blocks_give_up_where_no_step_helps():
    """The ridge is lost in rounding errors: quickly none, not after a thousand rounds that change nothing."""
    baseline = Baseline.of([[0, 1, 1, 0, 0], [0, 1, 0, 1, 1], [1, 1, 1, 0, 0]], "sample", 1e-12)
    order = baseline.order([4, 0, 2, 3, 1])
    assert _qp._by_damped_blocks(baseline.model.spread(order), baseline.model.differences(order)) is None
