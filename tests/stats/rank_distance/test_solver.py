"""The quadratic program of d_rank: its three solvers, and the covariance that they are given."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from pt_rankcorr.stats.rank_distance import solver
from pt_rankcorr.stats.rank_distance.distance import Model, ReferenceSample


@st.composite
def programs(draw):
    """A covariance, of fewer or more topics than differences and with or without a target, and mean differences."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_topics, n_differences = draw(st.integers(1, 12)), draw(st.integers(1, 40))
    rows = rng.standard_normal((n_topics, n_differences + 1)) * draw(st.sampled_from([0.01, 0.1, 1.0]))
    target, ridge = draw(st.sampled_from([0.0, 1e-4, 0.1])), draw(st.sampled_from([1e-5, 1e-2]))
    differences = np.diff(rng.standard_normal(n_differences + 1)) * draw(st.sampled_from([0.01, 1.0]))
    factors, operator = np.diff(rows, axis=1).T, np.diff(np.eye(n_differences + 1), axis=0)
    return factors @ factors.T + target * operator @ operator.T + ridge * np.eye(n_differences), differences, ridge


def order_of(reference, ranking):
    return reference.model.order(reference.rankings_of(reference.prepare(ranking))[0][0])


def by_nnls(cells, differences):
    """The squared distance, from the dual as least squares."""
    root = np.linalg.cholesky(cells)
    return -float(nnls(root.T, -np.linalg.solve(root, differences))[0] @ differences)


@pytest.mark.parametrize("covariance", ["sample", "ledoit-wolf"])
@pytest.mark.parametrize(("n_topics", "n_systems"), [(5, 6), (12, 40), (40, 41)])
def test_the_covariance_of_differences_is_that_of_the_sample_with_its_shrinkage_and_ridge(
    covariance, n_topics, n_systems
):
    """Of any sample of topics."""
    rng = np.random.default_rng(n_systems)
    reference = ReferenceSample.of(rng.beta(2, 3, (n_topics, n_systems)), covariance, 1e-5)
    weights = rng.multinomial(n_topics, np.full(n_topics, 1 / n_topics)).astype(float)
    model = Model(reference.model.means, reference.covariance(weights), 1e-5)
    mean = weights @ reference.residuals / n_topics
    by_topic = np.repeat(reference.residuals, weights.astype(int), axis=0) - mean
    sample = by_topic.T @ by_topic / (n_topics - 1)
    target = np.trace(sample) / (n_systems - 1) * np.eye(n_systems)
    order = rng.permutation(n_systems)
    operator = np.diff(np.eye(n_systems), axis=0)[:, np.argsort(order)]
    of_systems = (1 - reference.shrinkage) * sample + reference.shrinkage * target
    expected = operator @ of_systems @ operator.T + 1e-5 * np.eye(n_systems - 1)
    assert model.spread(order) == pytest.approx(expected, abs=1e-14)


@given(programs())
@settings(deadline=None)
def test_solvers_agree_with_each_other_and_with_non_negative_least_squares(program):
    covariance, differences, ridge = program
    reference = solver.by_quadprog(covariance, differences).squared_distance(differences)
    assert by_nnls(covariance, differences) == pytest.approx(reference, rel=1e-6, abs=1e-9)
    rounding = max(1e-9, 1e-15 * np.linalg.norm(covariance, 2) / ridge)
    found = solver.by_newton(covariance, differences, ridge)
    assert found.squared_distance(differences) == pytest.approx(reference, rel=rounding, abs=1e-14)


@given(programs())
@settings(deadline=None)
def test_the_nearest_point_keeps_the_ranking_and_is_as_far_as_they_say(program):
    covariance, differences, ridge = program
    active = solver.solve(covariance, differences, ridge)
    point = active.nearest_point(covariance, differences)
    assert point.min() >= solver.BROKEN
    assert (active.multipliers > 0).all()
    moved = point - differences
    squared = moved @ np.linalg.solve(covariance, moved)
    assert active.squared_distance(differences) == pytest.approx(squared, rel=1e-5, abs=1e-12)


def many_systems(n_topics, n_systems, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n_topics, n_systems)) + rng.standard_normal((n_topics, 1))
    return 1 / (1 + np.exp(-noise - np.sort(rng.normal(0, 0.5, n_systems))))


@pytest.mark.parametrize("n_systems", [70, 110, 300])
def test_where_blocks_go_round_newton_arrives(n_systems):
    """Resampled rankings of more systems than topics, by the sample covariance: block pivoting alone fails for most."""
    reference = ReferenceSample.of(many_systems(30, n_systems), "sample", 1e-5)
    rng = np.random.default_rng(1)
    rankings = reference.means(rng.multinomial(30, np.full(30, 1 / 30), size=12).astype(float))
    round_and_round = 0
    for order in reference.model.order(rankings):
        spread, differences = reference.model.spread(order), reference.model.differences(order)
        round_and_round += solver.by_pivoting(spread, differences) is None
        wanted = solver.by_quadprog(spread, differences).squared_distance(differences)
        newton = solver.by_newton(spread, differences, 1e-5).squared_distance(differences)
        assert newton == reference.model.squared_distance(order) == pytest.approx(wanted, rel=1e-9)
    assert round_and_round >= 4


@pytest.mark.parametrize("shape", [(3, 20), (5, 40), (12, 80), (25, 180)])
def test_factors_give_the_distance_of_the_whole_covariance(shape, monkeypatch):
    """For many systems on few topics, whose covariance as a whole takes many times as long."""
    reference = ReferenceSample.of(many_systems(*shape), "ledoit-wolf", 1e-5)
    model, whole = reference.model, []
    orders = [np.random.default_rng(seed).permutation(shape[1]) for seed in range(6)]
    monkeypatch.setattr(solver, "solve", lambda *given: whole.append(given))
    squared = [model.squared_distance(order) for order in orders]
    assert not whole
    monkeypatch.undo()
    monkeypatch.setattr(solver, "solve_on_factors", lambda *given: solver.Solved(given[2], given[2], False))
    assert squared == pytest.approx([model.squared_distance(order) for order in orders], rel=1e-12)


def test_each_solver_is_asked_where_the_one_before_fails(monkeypatch):
    spread, differences = np.eye(2), np.array([-1.0, 1.0])
    for failing in ("by_pivoting", "by_newton"):
        monkeypatch.setattr(solver, failing, lambda *_: None)
        assert solver.solve(spread, differences, 1e-5).squared_distance(differences) == 1.0


def test_newton_that_takes_too_many_steps_gives_up(monkeypatch):
    monkeypatch.setattr(solver, "NEWTON_STEPS", 1)
    reference = ReferenceSample.of(many_systems(30, 70), "sample", 1e-5)
    order = np.random.default_rng(1).permutation(70)
    spread, differences = reference.model.spread(order), reference.model.differences(order)
    assert solver.by_newton(spread, differences, 1e-5) is None


@pytest.mark.parametrize(("n_topics", "n_systems"), [(3, 12), (5, 7), (5, 10), (20, 20)])
@pytest.mark.parametrize("ridge", [1e-5, 1e-6, 1e-7])
def test_constraints_that_hold_just_so_do_not_keep_the_solvers_from_arriving(n_topics, n_systems, ridge):
    """Means and covariances of zeros and ones are full of them: their multipliers are 0 but for rounding errors."""
    rng = np.random.default_rng(8)
    for _ in range(60):
        reference = ReferenceSample.of(rng.integers(0, 2, (n_topics, n_systems)), "sample", ridge)
        order = order_of(reference, rng.permutation(n_systems))
        spread, differences = reference.model.spread(order), reference.model.differences(order)
        if differences.min() >= 0.0:
            continue
        found = solver.by_newton(spread, differences, ridge)
        if found is None:  # for rounding, by so small a ridge
            assert ridge < 1e-6
            found = solver.by_quadprog(spread, differences)
        assert (found.multipliers > 0).all()
        wanted = by_nnls(spread, differences)
        assert found.squared_distance(differences) == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_where_quadprog_is_not_installed_the_other_solvers_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "quadprog", None)
    spread, differences = np.eye(2), np.array([-1.0, 1.0])
    assert solver.solve(spread, differences, 1e-5).squared_distance(differences) == 1.0
    for failing in ("by_pivoting", "by_newton"):
        monkeypatch.setattr(solver, failing, lambda *_: None)
    with pytest.raises(ImportError, match=r"d_rank needs quadprog for a distance .*: pip install quadprog$"):
        solver.solve(spread, differences, 1e-5)


def test_quadprog_is_not_believed_where_it_stops_too_early():
    reference = ReferenceSample.of([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]], "sample", 1e-8)
    order = order_of(reference, [1, 4, 2, 3, 0])
    assert solver.by_quadprog(reference.model.spread(order), reference.model.differences(order)) is None


def test_says_that_a_ridge_is_too_small(monkeypatch):
    for each in ("by_pivoting", "by_newton", "by_quadprog"):
        monkeypatch.setattr(solver, each, lambda *_: None)
    with pytest.raises(ValueError, match="`ridge`"):
        solver.solve(np.eye(2), np.array([-1.0, 1.0]), 1e-5)


def test_none_solves_a_covariance_that_is_not_positive_definite():
    spread, differences = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([-1.0, -1.0])
    assert solver.by_pivoting(spread, differences) is None
    assert solver.by_quadprog(spread, differences) is None
