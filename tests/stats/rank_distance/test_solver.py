"""The quadratic program of d_rank: its three solvers, and covariances that stay in factors."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from pt_rankcorr.stats.rank_distance import nulls, solver
from pt_rankcorr.stats.rank_distance.kinds import null_of
from pt_rankcorr.stats.rank_distance.model import Fitter, WholeSystems
from pt_rankcorr.stats.rank_distance.reference import Reference
from pt_rankcorr.stats.rank_distance.sequential import Counts
from pt_rankcorr.stats.rank_distance.settings import Settings
from pt_rankcorr.stats.rank_distance.spread import Factored, Whole


@st.composite
def programs(draw):
    """A covariance in factors, with or without a target, and mean differences."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_topics, n_differences = draw(st.integers(1, 12)), draw(st.integers(1, 40))
    factors = rng.standard_normal((n_topics, n_differences + 1)) * draw(st.sampled_from([0.01, 0.1, 1.0]))
    target, ridge = draw(st.sampled_from([0.0, 1e-4, 0.1])), draw(st.sampled_from([1e-5, 1e-2]))
    differences = np.diff(rng.standard_normal(n_differences + 1)) * draw(st.sampled_from([0.01, 1.0]))
    return Factored(np.diff(factors, axis=1).T, target, ridge), differences


def by_definition(covariance: Factored) -> np.ndarray:
    size = len(covariance.factors)
    operator = np.diff(np.eye(size + 1), axis=0)
    return (
        covariance.factors @ covariance.factors.T
        + covariance.target * operator @ operator.T
        + covariance.ridge * np.eye(size)
    )


def order_of(reference: Reference, ranking) -> np.ndarray:
    return reference.model.order(reference.rankings_of(ranking).scores[0])


def by_nnls(cells: np.ndarray, differences: np.ndarray) -> float:
    """The squared distance, from the dual as least squares."""
    root = np.linalg.cholesky(cells)
    return -float(nnls(root.T, -np.linalg.solve(root, differences))[0] @ differences)


# --- factors ----------------------------------------------------------------------------------------


@given(programs(), st.integers(0, 1000))
@settings(deadline=None)
def test_factors_solve_what_the_whole_covariance_does(program, seed):
    covariance, differences = program
    cells = by_definition(covariance)
    assert covariance.whole() == pytest.approx(cells, rel=1e-9, abs=1e-12)
    chosen = np.flatnonzero(np.random.default_rng(seed).random(differences.size) < 0.7)
    ours = covariance.solve_on(chosen, differences)
    theirs = Whole(cells).solve_on(chosen, differences)
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
    fitter = Fitter.of(rng.beta(2, 3, (n_topics, n_systems)), covariance, 1e-5)
    weights = rng.multinomial(n_topics, np.full(n_topics, 1 / n_topics)).astype(float)
    model = fitter.refit(weights, fitter.means(weights[np.newaxis])[0])
    mean = weights @ fitter.residuals / n_topics
    by_topic = np.repeat(fitter.residuals, weights.astype(int), axis=0) - mean
    sample = by_topic.T @ by_topic / (n_topics - 1)
    target = np.trace(sample) / (n_systems - 1) * np.eye(n_systems)
    whole = WholeSystems((1 - fitter.shrinkage) * sample + fitter.shrinkage * target)
    order = rng.permutation(n_systems)
    assert model.spread(order).whole() == pytest.approx(whole.of_differences(order, 1e-5).whole(), abs=1e-14)
    if covariance == "sample" or n_systems > 2.5 * n_topics:
        assert len(model.systems.factors) == np.count_nonzero(weights)


# --- solvers ----------------------------------------------------------------------------------------


@given(programs())
@settings(deadline=None)
def test_solvers_agree_with_each_other_and_with_non_negative_least_squares(program):
    covariance, differences = program
    cells = by_definition(covariance)
    reference = solver.by_quadprog(Whole(cells), differences).squared_distance(differences)
    assert by_nnls(cells, differences) == pytest.approx(reference, rel=1e-6, abs=1e-9)
    rounding = max(1e-9, 1e-15 * np.linalg.norm(cells, 2) / covariance.ridge)
    for form in (covariance, Whole(cells)):
        for solve in (solver.by_quadprog, solver.by_nnls):
            found = solve(form, differences)
            assert found is not None
            assert found.squared_distance(differences) == pytest.approx(reference, rel=rounding, abs=1e-14)


@given(programs())
@settings(deadline=None)
def test_the_nearest_point_keeps_the_ranking_and_is_as_far_as_they_say(program):
    covariance, differences = program
    active, _ = solver.solve(covariance, differences)
    point = active.nearest_point(covariance, differences)
    assert point.min() >= solver.BROKEN
    assert (active.multipliers > 0).all()
    moved = point - differences
    squared = moved @ np.linalg.solve(by_definition(covariance), moved)
    assert active.squared_distance(differences) == pytest.approx(squared, rel=1e-5, abs=1e-12)


def many_systems(n_topics, n_systems, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n_topics, n_systems)) + rng.standard_normal((n_topics, 1))
    return 1 / (1 + np.exp(-noise - np.sort(rng.normal(0, 0.5, n_systems))))


@pytest.mark.parametrize("n_systems", [70, 110, 300])
def test_where_blocks_go_round_nnls_arrives(n_systems):
    """Resampled rankings of more systems than topics, by the sample covariance: block pivoting alone fails for most."""
    reference = Reference.of(many_systems(30, n_systems), "sample", 1e-5)
    rng = np.random.default_rng(1)
    rankings = reference.fitter.means(rng.multinomial(30, np.full(30, 1 / 30), size=12).astype(float))
    round_and_round = 0
    for order in reference.model.order(rankings):
        spread, differences = reference.model.spread(order), reference.model.differences(order)
        round_and_round += solver.by_pivoting(spread, differences) is None
        squared, by_quadprog = reference.model.squared_distance(order)
        assert not by_quadprog
        wanted = solver.by_quadprog(spread, differences).squared_distance(differences)
        assert squared == pytest.approx(wanted, rel=1e-9)
    assert round_and_round >= 4


def test_each_solver_is_asked_where_the_one_before_fails(monkeypatch):
    spread, differences = Whole(np.eye(2)), np.array([-1.0, 1.0])
    for failing in ("by_pivoting", "by_nnls"):
        monkeypatch.setattr(solver, failing, lambda *_: None)
        active, by_quadprog = solver.solve(spread, differences)
        assert active.squared_distance(differences) == 1.0
        assert by_quadprog == (failing == "by_nnls")


def test_nnls_that_gives_up_is_not_believed(monkeypatch):
    def gives_up(*_):
        raise RuntimeError("too many iterations")

    monkeypatch.setattr(solver, "nnls", gives_up)
    assert solver.by_nnls(Whole(np.eye(2)), np.array([-1.0, 1.0])) is None
    monkeypatch.setattr(solver, "nnls", lambda *_: (np.zeros(2), 0.0))
    assert solver.by_nnls(Whole(np.eye(2)), np.array([-1.0, 1.0])) is None


# --- memory -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", ["published", "shrunken"])
def test_many_systems_need_no_matrix_of_all_pairs_of_them(null, monkeypatch):
    """Ten arrays like the scores, and weights in blocks of 32 MiB: 900 x 900 would be thirty times the scores."""
    n_topics, n_systems = 30, 900
    reference = Reference.of(many_systems(n_topics, n_systems), "ledoit-wolf", 1e-5)
    test = null_of(reference, Settings.of(null, "ledoit-wolf", 1e-5, 8, n_topics), 1, 1)
    ranking = reference.fitter.scores[:1]
    if null == "shrunken":
        monkeypatch.setattr(nulls, "shrunken", lambda fitter, rankings: np.zeros_like(rankings))  # is not of it
    tracemalloc.start()
    test.count(ranking, Counts(np.ones(1), 8))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * n_topics * n_systems * 8


# --- rounding errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_topics", "n_systems"), [(3, 12), (5, 7), (5, 10), (20, 20)])
@pytest.mark.parametrize("ridge", [1e-5, 1e-6, 1e-7])
def test_constraints_that_hold_just_so_do_not_keep_nnls_from_arriving(n_topics, n_systems, ridge):
    """Means and covariances of zeros and ones are full of them: their multipliers are 0 but for rounding errors."""
    rng = np.random.default_rng(8)
    for _ in range(60):
        reference = Reference.of(rng.integers(0, 2, (n_topics, n_systems)), "sample", ridge)
        order = order_of(reference, rng.permutation(n_systems))
        spread, differences = reference.model.spread(order), reference.model.differences(order)
        if differences.min() >= 0.0:
            continue
        found = solver.by_nnls(spread, differences)
        assert found is not None
        assert (found.multipliers > 0).all()
        wanted = by_nnls(spread.whole(), differences)
        assert found.squared_distance(differences) == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_where_quadprog_is_not_installed_the_other_solvers_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "quadprog", None)
    spread, differences = Whole(np.eye(2)), np.array([-1.0, 1.0])
    assert solver.solve(spread, differences)[0].squared_distance(differences) == 1.0
    for failing in ("by_pivoting", "by_nnls"):
        monkeypatch.setattr(solver, failing, lambda *_: None)
    with pytest.raises(ImportError, match=r"d_rank needs quadprog for a distance .*: pip install quadprog$"):
        solver.solve(spread, differences)


def test_quadprog_is_not_believed_where_it_stops_too_early():
    reference = Reference.of([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]], "sample", 1e-8)
    order = order_of(reference, [1, 4, 2, 3, 0])
    assert solver.by_quadprog(reference.model.spread(order), reference.model.differences(order)) is None


def test_says_that_a_ridge_is_too_small(monkeypatch):
    for each in ("by_pivoting", "by_nnls", "by_quadprog"):
        monkeypatch.setattr(solver, each, lambda *_: None)
    with pytest.raises(ValueError, match="`ridge` must be large enough for a covariance that is positive definite in"):
        solver.solve(Whole(np.eye(2)), np.array([-1.0, 1.0]))


def test_none_solves_a_covariance_that_is_not_positive_definite():
    spread, differences = Whole(np.array([[1.0, 2.0], [2.0, 1.0]])), np.array([-1.0, -1.0])
    for solve in (solver.by_pivoting, solver.by_nnls, solver.by_quadprog):
        assert solve(spread, differences) is None
