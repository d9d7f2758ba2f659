"""The quadratic program of d_rank: the nearest point to a vector of mean differences that keeps a ranking.

That point is theta = argmin over theta >= 0 of (theta - delta)' S^-1 (theta - delta), for positive definite S. Its
multipliers v >= 0 solve the dual, the minimum of v' S v / 2 + delta' v; then theta = delta + S v, and the squared
distance is v' S v = -v' delta. The dual needs no inverse of S, and only its active set, where theta = 0, counts.

Pivoting looks for that set, and is quickest. Where it cycles, as it often does for more systems than topics, Newton's
method takes a twelfth of the time of quadprog (400 systems on 50 topics); quadprog solves what Newton's method cannot
for rounding, at ridges of 1e-6 or less. The multipliers are computed from the set in one place, so solvers that agree
on the set agree on every bit of the distance.

Everywhere, `covariance` is S, of shape (m - 1, m - 1), and `differences` are delta, of shape (m - 1,).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.blas import ddot, dgemv
from scipy.linalg.lapack import dposv, dpstrf

from pt_rankcorr.stats.core.types import Floats, Indices

MOST_STEPS = 100  # of Newton's method; some twenty are enough for 400 systems
PATIENCE = 3  # rounds without fewer offenders than ever before, after which pivoting gives up
BROKEN = -1e-12  # a theta below this breaks its constraint: differences are of order 1, from means of twelve digits
UNDECIDED = 1e-13  # a difference of order 1 that is smaller may be on either side of 0, for rounding
MULTIPLIER_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)  # a share of a sum of multipliers
ZERO_MULTIPLIER = -1e-9  # a share of the largest multiplier: one above this is 0 but for rounding errors


class Solved(NamedTuple):
    """The v of S v = -delta on a set (elsewhere it is 0), S v everywhere, and whether S was positive definite."""

    multipliers: Floats
    product: Floats
    is_definite: bool


def solve_on(covariance: Floats, indices: Indices, differences: Floats) -> Solved:
    """The multipliers if exactly the constraints at these indices hold with equality."""
    if not indices.size:
        return Solved(np.empty(0), np.zeros(differences.size), True)
    rows = covariance.take(indices, 0)
    # the transpose of a row-major symmetric matrix is itself, in the order that LAPACK wants
    within = rows.take(indices, 1).T
    _, multipliers, info = dposv(within, -differences.take(indices), overwrite_a=1, overwrite_b=1)
    return Solved(multipliers, dgemv(1.0, rows.T, multipliers), info == 0)  # by the BLAS of that LAPACK


class Active(NamedTuple):
    """The constraints that hold with equality, and their multipliers v > 0."""

    indices: Indices
    multipliers: Floats

    def squared_distance(self, differences: Floats) -> float:
        """v' S v, which is -v' delta."""
        if not self.indices.size:
            return 0.0
        return max(0.0, -float(ddot(self.multipliers, differences.take(self.indices))))  # in this order never -0.0

    def nearest_point(self, covariance: Floats, differences: Floats) -> Floats:
        """theta = delta + S v: the nearest differences, shape (m - 1,), exactly 0 on the active set."""
        point: Floats = differences + solve_on(covariance, self.indices, differences).product
        point[self.indices] = 0.0
        return point


def solve(covariance: Floats, differences: Floats, ridge: float) -> Active:
    """The active set and its multipliers; the covariance includes the ridge. A ValueError if no solver finds them."""
    active = by_pivoting(covariance, differences) or by_newton(covariance, differences, ridge)
    active = active or by_quadprog(covariance, differences)
    if active is None:
        raise ValueError("`ridge` must be large enough for a covariance that is positive definite in floats.")
    return active


def by_pivoting(covariance: Floats, differences: Floats) -> Active | None:
    """Block principal pivoting (Portugal, Judice, Vicente 1994; Kim and Park 2011).

    Every round solves S v = -delta on the set, then exchanges all offenders at once: members with v <= 0 leave, others
    with theta < 0 join. It starts from the constraints that the differences break, and gives up where it cycles.
    """
    inside = differences < 0.0
    fewest, patience = differences.size + 1, PATIENCE
    while patience:
        indices = inside.nonzero()[0]
        multipliers, product, is_definite = solve_on(covariance, indices, differences)
        if not is_definite:
            return None
        following = np.less(np.add(product, differences, out=product), BROKEN)
        following[indices] = multipliers > 0.0
        offenders = (following != inside).nonzero()[0].size
        if not offenders:
            return Active(indices, multipliers)
        fewest, patience = (offenders, PATIENCE) if offenders < fewest else (fewest, patience - 1)
        inside = following
    return None


def by_newton(covariance: Floats, differences: Floats, ridge: float) -> Active | None:
    """Newton's method with exact line searches (as Madsen and Nielsen 1990). None if it fails.

    With S = G G' + r I, G of shape (m - 1, rank), the dual is the least |y|^2 / 2 + |u|^2 / (2 r), where
    u = max(0, -delta - G y): then y = G' v and v = u / r. This is convex, and quadratic as long as the same u are
    above 0. The unknowns are as many as the rank of the covariance: few where systems are more than topics.
    """
    upper, pivots, rank, _ = dpstrf(covariance - ridge * np.eye(differences.size))
    factors = np.empty((differences.size, rank))
    factors[pivots - 1] = np.triu(upper)[:rank].T
    y, identity = np.zeros(rank), ridge * np.eye(rank)
    for _ in range(MOST_STEPS):
        excess = -differences - factors @ y
        inside = excess > 0.0
        on_set = factors[inside]
        direction = np.linalg.solve(on_set.T @ on_set + identity, -(on_set.T @ differences[inside])) - y
        change = factors @ direction
        left = excess - change
        if (((left > 0.0) == inside) | (np.abs(left) < UNDECIDED)).all():
            return _confirm(covariance, differences, inside.nonzero()[0])
        slope, curvature = ridge * float(y @ direction), ridge * float(direction @ direction)
        y += _least_on_line(excess, change, slope, curvature) * direction
    return None


def _least_on_line(excess: Floats, change: Floats, slope: float, curvature: float) -> float:
    """The step t > 0 along a direction at which the dual is least: where its derivative, which rises, is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = excess / change  # between which the derivative is linear
    ends = np.append(0.0, np.sort(ends[ends > 0.0]))

    def derivative(t: float) -> float:
        return slope + t * curvature - float(np.maximum(excess - t * change, 0.0) @ change)

    place = bisect_left(ends, 0.0, lo=1, key=derivative)
    low, high = ends[place - 1], ends[place] if place < ends.size else ends[place - 1] + 1.0
    at_low, at_high = derivative(low), derivative(high)
    return float(low - at_low * (high - low) / (at_high - at_low))


def by_quadprog(covariance: Floats, differences: Floats) -> Active | None:
    """Algorithm 1's QPsolve: the primal problem, with S^-1 = (U U')^-1 given by the triangular U. None if it fails."""
    try:
        import quadprog  # under the GPL: all that it does not solve works without it
    except ImportError as error:
        missing = "d_rank needs quadprog for a distance that no other solver found: pip install quadprog"
        raise ImportError(missing) from error
    nothing = np.zeros(differences.size)
    try:
        upper = cholesky(covariance[::-1, ::-1], lower=True)[::-1, ::-1]
        linear = solve_triangular(upper, solve_triangular(upper, differences), trans="T")
        solution = quadprog.solve_qp(np.ascontiguousarray(upper), linear, np.eye(nothing.size), nothing, 0, True)
    except (ValueError, np.linalg.LinAlgError):
        return None
    indices = np.sort(solution[5]).astype(np.intp) - 1  # it counts constraints from 1
    return _confirm(covariance, differences, indices)


def _confirm(covariance: Floats, differences: Floats, indices: Indices) -> Active | None:
    """The solution on a set, if it breaks no constraint by more than rounding errors."""
    multipliers, product, is_definite = solve_on(covariance, indices, differences)
    theta = product + differences
    # rounding shows in theta on the set, where it should be 0, and goes with the sum of multipliers
    on_set, in_sums = 4.0 * np.abs(theta[indices]).max(initial=0.0), MULTIPLIER_ROUNDING * np.abs(multipliers).sum()
    rounding = max(-BROKEN, float(on_set), float(in_sums))
    largest = multipliers.max(initial=0.0)
    if not is_definite or theta.min() < -rounding or multipliers.min(initial=0.0) < ZERO_MULTIPLIER * largest:
        return None
    positive = multipliers > 0.0
    return Active(indices[positive], multipliers[positive])
