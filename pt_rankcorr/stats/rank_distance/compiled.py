"""The distances of many rankings from one resample, in code that numba compiles: the extra "fast".

It does what `Model.squared_distance` does with all cells of a covariance, `solver.by_pivoting`, and calls the same
routines of LAPACK and BLAS for whatever the distance is computed from. So it changes no bit of a distance, unless theta
or a multiplier is so near its limit that rounding errors decide about the active set. Where pivoting gives up, the
distance is nan.
"""

from __future__ import annotations

import numpy as np
from llvmlite import binding
from numba import config, njit, types
from numba.extending import get_cython_function_address

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.model import Order
from pt_rankcorr.stats.rank_distance.solver import BROKEN, PATIENCE

if config.DISABLE_JIT:
    raise ImportError("numba is not to compile anything")

UPPER = ord("U")

binding.add_symbol("pt_rankcorr_dposv", get_cython_function_address("scipy.linalg.cython_lapack", "dposv"))
binding.add_symbol("pt_rankcorr_ddot", get_cython_function_address("scipy.linalg.cython_blas", "ddot"))
# arguments are addresses, as in Fortran; names rather than addresses in the code, so that it can be kept in a file
dposv = types.ExternalFunction("pt_rankcorr_dposv", types.void(*[types.intp] * 8))
ddot = types.ExternalFunction("pt_rankcorr_ddot", types.float64(*[types.intp] * 5))


# coverage cannot see what compiled code runs: a test compares all of it with the solver
@njit(cache=True)
def squared_distances(
    covariance: Floats, means: Floats, shifts: Floats, orders: Order, ridge: float
) -> Floats:  # pragma: no cover
    """Of the means plus each shift, shape (k, m), from each order, shape (k, m): for one topic, shape (k,)."""
    count = means.size - 1
    found = np.zeros(len(orders))
    cells, differences = np.empty((count, count)), np.empty(count)
    for at in range(len(orders)):
        order, shift = orders[at], shifts[at]
        for place in range(count):
            lower, upper = order[place], order[place + 1]
            differences[place] = (means[upper] + shift[upper]) - (means[lower] + shift[lower])
        if differences.min() < 0.0:
            fill_covariance(cells, covariance, order, ridge)
            found[at] = by_pivoting(cells, differences)
    return found


@njit(cache=True)
def fill_covariance(cells: Floats, covariance: Floats, order: Order, ridge: float) -> None:  # pragma: no cover
    """Of differences of adjacent systems, from that of systems."""
    row = np.empty(len(covariance))
    for place in range(len(cells)):
        lower, upper = covariance[order[place]], covariance[order[place + 1]]
        for system in range(row.size):
            row[system] = upper[system] - lower[system]
        for other in range(len(cells)):
            cells[place, other] = row[order[other + 1]] - row[order[other]]
        cells[place, place] += ridge


@njit(cache=True)
def by_pivoting(cells: Floats, differences: Floats) -> float:  # pragma: no cover
    """The squared distance, as `solver.by_pivoting` has it; nan where it gives up."""
    count = differences.size
    inside, indices = differences < 0.0, np.empty(count, dtype=np.intp)
    system, multipliers, chosen, theta = np.empty(count**2), np.empty(count), np.empty(count), np.empty(count)
    numbers = np.empty(4, dtype=np.intc)
    fewest, patience = count + 1, PATIENCE
    while patience:
        size = solve_on(cells, differences, inside, indices, system, multipliers, chosen, numbers)
        if size < 0:
            return np.nan
        theta[:] = differences
        for at in range(size):
            row, multiplier = cells[indices[at]], multipliers[at]
            for place in range(count):
                theta[place] += multiplier * row[place]
        offenders = exchange(inside, multipliers, theta)
        if not offenders:
            return max(0.0, -product(multipliers, chosen, size, numbers))
        fewest, patience = (offenders, PATIENCE) if offenders < fewest else (fewest, patience - 1)
    return np.nan


@njit(cache=True)
def solve_on(
    cells: Floats,
    differences: Floats,
    inside: np.ndarray,
    indices: Order,
    system: Floats,
    multipliers: Floats,
    chosen: Floats,
    numbers: np.ndarray,
) -> int:  # pragma: no cover
    """Solves S v = -delta on the set, and tells its size; -1 if S is not positive definite."""
    size = 0
    for place in range(differences.size):
        if inside[place]:
            indices[size], chosen[size], multipliers[size] = place, differences[place], -differences[place]
            size += 1
    for at in range(size):
        row = cells[indices[at]]
        for other in range(at + 1):
            system[at * size + other] = row[indices[other]]
    if size:
        numbers[0], numbers[1], numbers[2], numbers[3] = size, 1, 0, UPPER
        order, step = numbers.ctypes.data, numbers.itemsize
        one, info, letter = order + step, order + 2 * step, order + 3 * step
        dposv(letter, order, one, system.ctypes.data, order, multipliers.ctypes.data, order, info)
        if numbers[2]:
            return -1
    return size


@njit(cache=True)
def exchange(inside: np.ndarray, multipliers: Floats, theta: Floats) -> int:  # pragma: no cover
    """Members with v <= 0 leave the set, others with theta < 0 join it; how many there are."""
    offenders = at = 0
    for place in range(inside.size):
        if inside[place]:
            belongs = multipliers[at] > 0.0
            at += 1
        else:
            belongs = theta[place] < BROKEN
        offenders += belongs != inside[place]
        inside[place] = belongs
    return offenders


@njit(cache=True)
def product(first: Floats, second: Floats, size: int, numbers: np.ndarray) -> float:  # pragma: no cover
    numbers[0], numbers[1] = size, 1
    length = numbers.ctypes.data
    one = length + numbers.itemsize
    return ddot(length, first.ctypes.data, one, second.ctypes.data, one)
