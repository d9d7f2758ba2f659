"""The distances of many rankings from one resample after the other: one by one, or compiled where that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.model import Model, Order, WholeSystems

MANY = 600_000  # systems of all programs together: these take as long as it takes to load what is compiled

# of a model, with each of k shifts of its means, and an order for each, as `distances`
Measure: TypeAlias = Callable[[Model, Floats, Order], Floats]


def measure_for(n_programs: int, n_systems: int) -> Measure:
    """The fastest way for so many quadratic programs; which one changes no bit of the result."""
    pays = n_programs * n_systems >= MANY or compiled.cache_info().currsize  # it is loaded already
    return by_compiled if pays and compiled() is not None else one_by_one


def distances(cases: Iterable[tuple[Model, Order]]) -> Floats:
    """The squared distance for one topic, and whether only quadprog could find it, a row each."""
    return np.array([model.squared_distance(order) for model, order in cases], dtype=np.float64).reshape(-1, 2)


def one_by_one(model: Model, shifts: Floats, orders: Order) -> Floats:
    return distances((model.shift_by(shift), order) for shift, order in zip(shifts, orders, strict=True))


def by_compiled(model: Model, shifts: Floats, orders: Order) -> Floats:
    solve, systems = compiled(), model.systems
    if solve is None or not isinstance(systems, WholeSystems):
        return one_by_one(model, shifts, orders)
    found = np.zeros((len(orders), 2))
    found[:, 0] = solve(systems.covariance, model.means, shifts, orders, model.ridge)
    if (rest := np.isnan(found[:, 0])).any():
        found[rest] = one_by_one(model, shifts[rest], orders[rest])
    return found


@cache
def compiled() -> Any:
    """What numba compiles; None without numba, or where it cannot work."""
    try:
        from pt_rankcorr.stats.rank_distance.compiled import squared_distances
    except (ImportError, RuntimeError):  # it is not there, or for another numpy, or has nowhere to keep its code
        return None
    return squared_distances
