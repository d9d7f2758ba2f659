"""Many quadratic programs at once: compiled code against the solver, bit by bit, and what decides between them."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

import numpy as np
import pytest

from pt_rankcorr.stats.rank_distance import many, solver
from pt_rankcorr.stats.rank_distance.allowed import allowed_ranks
from pt_rankcorr.stats.rank_distance.centres import CENTRES
from pt_rankcorr.stats.rank_distance.model import FactoredSystems, Fitter, Model, WholeSystems
from pt_rankcorr.stats.rank_distance.nulls import draw_models
from pt_rankcorr.stats.rank_distance.reference import Reference
from pt_rankcorr.stats.rank_distance.test import DRankTest, Rankings


@pytest.fixture(autouse=True)
def numba() -> Any:
    many.compiled.cache_clear()
    yield pytest.importorskip("numba")
    many.compiled.cache_clear()


def scores_of(n_topics: int, n_systems: int, digits: int = 15) -> np.ndarray:
    rng = np.random.default_rng(n_topics + n_systems)
    scores = np.linspace(0.3, 0.5, n_systems) + 0.15 * rng.standard_normal((n_topics, n_systems))
    return np.round(np.clip(scores, 0.0, 1.0), digits)


def rankings_of(scores: np.ndarray) -> np.ndarray:
    """The means, their reverse, near and far ones, and one with ties."""
    rng, means = np.random.default_rng(1), scores.mean(axis=0)
    noise = means.std() * rng.standard_normal((4, means.size)) * np.array([[0.1], [0.3], [1.0], [5.0]])
    return np.vstack([means, -means, means + noise, np.round(means * 8)])


SHAPES = [(2, 2), (3, 3), (5, 5), (40, 2), (40, 3), (30, 12), (60, 25), (46, 45)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("null", list(CENTRES))
@pytest.mark.parametrize("digits", [1, 15])
@pytest.mark.parametrize("covariance", ["ledoit-wolf", "sample"])
def test_compiled_distances_are_those_of_the_solver_to_the_last_bit(shape, null, digits, covariance):
    scores = scores_of(*shape, digits)
    reference = Reference.of(scores, covariance, 1e-5)
    rankings = reference.rankings_of(Rankings(rankings_of(scores))).scores
    shifts = CENTRES[null](reference.fitter, rankings)
    n_positive = 0
    for model in draw_models(reference.fitter, 40, np.random.default_rng(2)):
        orders = np.lexsort((model.means + shifts, rankings), axis=-1)
        found, expected = many.by_compiled(model, shifts, orders), many.one_by_one(model, shifts, orders)
        assert found.tolist() == expected.tolist()
        n_positive += int((expected[:, 0] > 0.0).sum())
    assert n_positive
    assert many.compiled() is not None


def cycling() -> tuple[Model, np.ndarray, np.ndarray]:
    """Systems of very different variances: pivoting goes round in circles for some orders."""
    rng = np.random.default_rng(7)
    factors = rng.standard_normal((12, 10)) * 10.0 ** rng.uniform(-3.0, 0.0, 10)
    model = Model(0.1 * rng.standard_normal(10), WholeSystems(factors.T @ factors), 1e-5)
    return model, np.zeros((30, 10)), np.argsort(rng.standard_normal((30, 10)), axis=1)


def test_where_pivoting_gives_up_the_other_solvers_take_over():
    model, shifts, orders = cycling()
    given = model.systems.covariance, model.means, shifts, orders, model.ridge
    raw = many.compiled()(*given, solver.BROKEN, solver.PATIENCE)
    failed = np.isnan(raw)
    pivoted = [solver.by_pivoting(model.spread(order), model.differences(order)) is None for order in orders]
    assert failed.tolist() == pivoted
    assert failed.any()
    assert many.by_compiled(model, shifts, orders).tolist() == many.one_by_one(model, shifts, orders).tolist()


def test_covariances_in_factors_are_not_compiled():
    rng = np.random.default_rng(3)
    model = Model(rng.standard_normal(9), FactoredSystems(rng.standard_normal((3, 9)), 0.1), 1e-5)
    orders, shifts = np.argsort(rng.standard_normal((4, 9)), axis=1), np.zeros((4, 9))
    assert many.by_compiled(model, shifts, orders).tolist() == many.one_by_one(model, shifts, orders).tolist()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_are_the_same_bits_with_compiled_code_and_without(monkeypatch, n_jobs):
    scores = scores_of(25, 10)
    rankings = Rankings(rankings_of(scores))

    def results() -> list[Any]:
        tested = DRankTest(scores, n_resamples=200, rng=3, n_jobs=n_jobs).test(rankings, whole_null=True)
        allowed = allowed_ranks(scores, n_resamples=150, n_null_resamples=39, rng=3, n_jobs=n_jobs)
        return [tested.pvalue.tolist(), tested.null_distribution.tolist(), allowed.by_distance.tolist()]

    plain = results()
    assert not many.compiled.cache_info().currsize
    monkeypatch.setattr(many, "MANY", 1)
    assert results() == plain
    assert many.compiled.cache_info().currsize
    assert many.compiled() is not None


def fitter_of(n_topics: int, n_systems: int) -> Fitter:
    return Reference.of(scores_of(n_topics, n_systems), "ledoit-wolf", 1e-5).fitter


def test_compiled_code_is_for_many_programs_of_covariances_that_are_not_in_factors():
    few = fitter_of(20, 10)
    assert many.measure_for(fitter_of(4, 50), 10**9) is many.one_by_one
    assert many.measure_for(fitter_of(200, many.MOST_SYSTEMS + 1), 10**9) is many.one_by_one
    assert many.measure_for(few, many.MANY // 10 - 1) is many.one_by_one
    assert not many.compiled.cache_info().currsize
    assert many.measure_for(few, 1) is many.by_compiled  # with those before they are many
    assert many.measure_for(few, 1) is many.by_compiled


@pytest.mark.parametrize("error", [ImportError, OSError, AttributeError, SystemError, TypeError, ValueError])
def test_a_broken_numba_is_not_used(monkeypatch, error):
    class Broken:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> None:
            if name == "pt_rankcorr.stats.rank_distance.compiled":
                raise error("broken")

    _forget(monkeypatch)
    monkeypatch.setattr(sys, "meta_path", [Broken, *sys.meta_path])
    assert many.measure_for(fitter_of(20, 10), 10**9) is many.one_by_one
    model, shifts, orders = cycling()
    assert many.by_compiled(model, shifts, orders).tolist() == many.one_by_one(model, shifts, orders).tolist()


def test_compiled_code_that_cannot_be_kept_or_is_wrong_is_not_used(monkeypatch):
    from pt_rankcorr.stats.rank_distance import compiled

    def full(*_: object) -> np.ndarray:
        raise OSError("no space left on device")

    for instead in (full, lambda *_: np.array([0.3])):
        many.compiled.cache_clear()
        monkeypatch.setattr(compiled, "squared_distances", instead)
        assert many.compiled() is None


def test_numba_that_is_told_not_to_compile_is_not_asked(monkeypatch, numba):
    _forget(monkeypatch)
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert many.compiled() is None


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    many.compiled.cache_clear()
    monkeypatch.delitem(sys.modules, "pt_rankcorr.stats.rank_distance.compiled", raising=False)
    monkeypatch.delattr("pt_rankcorr.stats.rank_distance.compiled", raising=False)


def test_compiled_code_depends_on_its_own_file_alone():
    """Numba keeps it until the file changes: constants of other files would be kept, too."""
    from pt_rankcorr.stats.rank_distance import compiled

    tree = ast.parse(inspect.getsource(compiled))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pt_rankcorr")
        for alias in node.names
    }
    assert len(functions) > 3
    for function in functions:
        used = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
        assert not used & imported, function.name
