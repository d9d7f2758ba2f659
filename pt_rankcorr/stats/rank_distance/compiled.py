"""The distances of many rankings from one resample, in code that numba compiles: the extra "fast".

It does what `Model.squared_distance` does with all cells of a covariance, by `solver.by_pivoting`, and calls the same
routines of LAPACK and BLAS: so it changes no bit of a distance. Where pivoting gives up, the distance is nan.

Nothing that is compiled may read a constant of another file: numba keeps its code until this file changes.
"""

from __future__ import annotations

import numpy as np
from llvmlite import binding
from numba import config, njit, types
from numba.extending import get_cython_function_address

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.model import Order

if config.DISABLE_JIT:
    raise ImportError("numba is not to compile anything")

UPPER, PLAIN = ord("U"), ord("N")


def _routine(module: str, name: str, result: types.Type, arguments: int) -> types.ExternalFunction:
    """One of scipy's, which takes addresses, as in Fortran. Compiled code that is kept must know it by a name."""
    binding.add_symbol(f"pt_rankcorr_{name}", get_cython_function_address(f"scipy.linalg.{module}", name))
    return types.ExternalFunction(f"pt_rankcorr_{name}", result(*[types.intp] * arguments))


dposv = _routine("cython_lapack", "dposv", types.void, 8)
dgemv = _routine("cython_blas", "dgemv", types.void, 11)
ddot = _routine("cython_blas", "ddot", types.float64, 5)


# coverage cannot see what compiled code runs: a test compares all of it with the solver
@njit(cache=True)
def squared_distances(
    covariance: Floats, means: Floats, shifts: Floats, orders: Order, ridge: float, broken: float, patience: int
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
            found[at] = by_pivoting(cells, differences, broken, patience)
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
def by_pivoting(cells: Floats, differences: Floats, broken: float, patience: int) -> float:  # pragma: no cover
    """The squared distance, as `solver.by_pivoting` has it; nan where it gives up."""
    count = differences.size
    inside, indices, chosen = differences < 0.0, np.empty(count, dtype=np.intp), np.empty(count)
    rows, system, multipliers, theta = np.empty(count**2), np.empty(count**2), np.empty(count), np.empty(count)
    fewest, left = count + 1, patience
    while left:
        size = 0
        for place in range(count):
            if inside[place]:
                indices[size], chosen[size], multipliers[size] = place, differences[place], -differences[place]
                size += 1
        if not solve_on(cells, indices[:size], rows, system, multipliers):
            return np.nan
        multiply(rows, multipliers, size, theta)
        theta += differences
        offenders = exchange(inside, multipliers, theta, broken)
        if not offenders:
            return max(0.0, -product(multipliers, chosen, size))
        fewest, left = (offenders, patience) if offenders < fewest else (fewest, left - 1)
    return np.nan


# numbers for LAPACK and BLAS stand in 64 bits, of which those that count 32 bits read the lower half


@njit(cache=True)
def solve_on(
    cells: Floats, indices: Order, rows: Floats, system: Floats, multipliers: Floats
) -> bool:  # pragma: no cover
    """Solves S v = -delta on the set, -delta being the multipliers at first; fills in its rows.

    Whether S is positive definite.
    """
    size, count = indices.size, len(cells)
    if not size:
        return True
    for at in range(size):
        row = cells[indices[at]]
        rows[at * count : (at + 1) * count] = row
        for other in range(at + 1):
            system[at * size + other] = row[indices[other]]
    numbers = np.array([size, 1, 0, UPPER])
    order, step = numbers.ctypes.data, numbers.itemsize
    one, info, letter = order + step, order + 2 * step, order + 3 * step
    dposv(letter, order, one, system.ctypes.data, order, multipliers.ctypes.data, order, info)
    return numbers[2] == 0


@njit(cache=True)
def multiply(rows: Floats, multipliers: Floats, size: int, theta: Floats) -> None:  # pragma: no cover
    """S v everywhere."""
    theta[:] = 0.0
    if size:
        numbers, factors = np.array([theta.size, size, 1, PLAIN]), np.array([1.0, 0.0])
        count, step = numbers.ctypes.data, numbers.itemsize
        columns, one, letter = count + step, count + 2 * step, count + 3 * step
        alpha, beta = factors.ctypes.data, factors.ctypes.data + factors.itemsize
        vector, into = multipliers.ctypes.data, theta.ctypes.data
        dgemv(letter, count, columns, alpha, rows.ctypes.data, count, vector, one, beta, into, one)


@njit(cache=True)
def exchange(inside: np.ndarray, multipliers: Floats, theta: Floats, broken: float) -> int:  # pragma: no cover
    """Members with v <= 0 leave the set, others with theta < 0 join it; how many there are."""
    offenders = at = 0
    for place in range(inside.size):
        if inside[place]:
            belongs = multipliers[at] > 0.0
            at += 1
        else:
            belongs = theta[place] < broken
        offenders += belongs != inside[place]
        inside[place] = belongs
    return offenders


@njit(cache=True)
def product(first: Floats, second: Floats, size: int) -> float:  # pragma: no cover
    numbers = np.array([size, 1])
    length = numbers.ctypes.data
    one = length + numbers.itemsize
    return ddot(length, first.ctypes.data, one, second.ctypes.data, one)
