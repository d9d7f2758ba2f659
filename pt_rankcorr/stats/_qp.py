"""The quadratic program of d_rank: the nearest point to a vector of mean differences that keeps a ranking.

That point is theta = argmin over theta >= 0 of (theta - delta)' S^-1 (theta - delta), for positive definite S. Its
multipliers v >= 0 solve the dual, the minimum of v' S v / 2 + delta' v; then theta = delta + S v, and the squared
distance is v' S v = -v' delta. The dual needs no inverse of S, and only its active set, where theta = 0, counts.

There are two ways to find that set. The multipliers are computed from it in one place, so that wherever the two agree
on the set they agree on the distance to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import quadprog
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.lapack import dposv

from pt_rankcorr.stats.order import Floats

Indices: TypeAlias = NDArray[np.intp]

MOST_ROUNDS = 50  # block pivoting takes about six; one that takes fifty is going round in circles
BROKEN = -1e-12  # theta below this breaks its constraint: differences are of order 1, from means of twelve digits


class Active(NamedTuple):
    """The constraints that hold with equality, and their multipliers v > 0."""

    indices: Indices
    multipliers: Floats

    def squared_distance(self, differences: Floats) -> float:
        """-v' delta."""
        return max(0.0, -float(self.multipliers @ differences.take(self.indices)))  # in this order never -0.0

    def nearest_point(self, covariance: Floats, differences: Floats) -> Floats:
        """theta = delta + S v."""
        point: Floats = differences + self.multipliers @ covariance.take(self.indices, 0)
        point[self.indices] = 0.0
        return point


def by_either(covariance: Floats, differences: Floats) -> tuple[Active, bool]:
    """By pivoting, and whether that failed so that quadprog was asked."""
    active = by_pivoting(covariance, differences)
    return active or by_quadprog(covariance, differences), active is None


def by_pivoting(covariance: Floats, differences: Floats) -> Active | None:
    """Block principal pivoting (Portugal, Judice, Vicente 1994; Kim and Park 2011); None if it fails.

    Every round solves S v = -delta on the set, then exchanges all offenders at once: members with v <= 0 leave, others
    with theta < 0 join. It starts from the constraints that the differences break.
    """
    indices = (differences < 0.0).nonzero()[0]
    for _ in range(MOST_ROUNDS):
        rows = covariance.take(indices, 0)
        multipliers, solved = _multipliers(rows.take(indices, 1), differences.take(indices))
        if not solved:
            return None
        theta = multipliers @ rows
        theta += differences
        theta[indices] = -np.sign(multipliers)
        following = (theta < BROKEN).nonzero()[0]
        if following.size == indices.size and (following == indices).all():
            return Active(indices, multipliers)
        indices = following
    return None


def by_quadprog(covariance: Floats, differences: Floats) -> Active:
    """Algorithm 1's QPsolve: the primal problem, with S^-1 = (U U')^-1 given by the triangular U alone."""
    upper = cholesky(covariance[::-1, ::-1], lower=True)[::-1, ::-1]
    linear = solve_triangular(upper, solve_triangular(upper, differences), trans="T")
    nothing = np.zeros(differences.size)
    solution = quadprog.solve_qp(np.ascontiguousarray(upper), linear, np.eye(nothing.size), nothing, 0, True)
    indices = np.sort(solution[5]).astype(np.intp) - 1  # it counts constraints from 1
    multipliers, _ = _multipliers(covariance.take(indices, 0).take(indices, 1), differences.take(indices))
    return Active(indices, multipliers)


def _multipliers(covariance: Floats, differences: Floats) -> tuple[Floats, bool]:
    """The v of S v = -delta, and whether S was positive definite to working precision."""
    if not differences.size:
        return differences, True
    # the transpose of a row-major symmetric matrix is itself, in the order that LAPACK wants
    _, multipliers, info = dposv(covariance.T, -differences, overwrite_a=1, overwrite_b=1)
    return multipliers, info == 0
