"""The distances of many rankings from one resample after the other: one by one, or compiled where that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance import solver
from pt_rankcorr.stats.rank_distance.model import Fitter, Model, Order, WholeSystems

MANY = 600_000  # systems of all programs together, that take as long as it takes to load what is compiled
MOST_SYSTEMS = 300  # beyond, compiled code is no faster

# of a model, with each of k shifts of its means, and an order for each, as `distances`
Measure: TypeAlias = Callable[[Model, Floats, Order], Floats]


class Asked:
    """How many systems all programs had together that this process was asked for and could compile."""

    systems = 0


def measure_for(fitter: Fitter, n_programs: int) -> Measure:
    """The way for so many quadratic programs, which changes no bit of them: compiled once there have been many."""
    n_systems = fitter.scores.shape[1]
    if fitter.in_factors or n_systems > MOST_SYSTEMS:
        return one_by_one
    Asked.systems += n_programs * n_systems
    return by_compiled if Asked.systems >= MANY and compiled() is not None else one_by_one


def distances(cases: Iterable[tuple[Model, Order]]) -> Floats:
    """The squared distance for one topic, and whether only quadprog could find it, a row each."""
    return np.array([model.squared_distance(order) for model, order in cases], dtype=np.float64).reshape(-1, 2)


def one_by_one(model: Model, shifts: Floats, orders: Order) -> Floats:
    return distances((model.shift_by(shift), order) for shift, order in zip(shifts, orders, strict=True))


def by_compiled(model: Model, shifts: Floats, orders: Order) -> Floats:
    if not isinstance(model.systems, WholeSystems) or (solve := compiled()) is None:
        return one_by_one(model, shifts, orders)
    found, covariance = np.zeros((len(orders), 2)), model.systems.covariance
    found[:, 0] = solve(covariance, model.means, shifts, orders, model.ridge, solver.BROKEN, solver.PATIENCE)
    if (rest := np.isnan(found[:, 0])).any():
        found[rest] = one_by_one(model, shifts[rest], orders[rest])
    return found


@cache
def compiled() -> Any:
    """What numba compiles, tried once; None where numba is not there, or not as it should be."""
    try:
        from pt_rankcorr.stats.rank_distance.compiled import squared_distances

        first = np.array([[1.0, 0.0]])  # two systems in the wrong order, of variance 1
        found = squared_distances(np.eye(2), first[0], np.zeros((1, 2)), np.array([[0, 1]]), 2.0, 0.0, 1)
    except Exception:  # whatever a library raises that is broken, too old or too new, or cannot write what it keeps
        return None
    return squared_distances if found.tolist() == [0.25] else None
