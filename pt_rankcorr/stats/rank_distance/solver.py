"""The quadratic program of d_rank: the nearest point to mean differences that keeps a ranking.

That point is theta = argmin over theta >= 0 of (theta - delta)' S^-1 (theta - delta), for positive
definite S. Its multipliers v >= 0 solve the dual, the minimum of v' S v / 2 + delta' v; then
theta = delta + S v, and the squared distance is v' S v = -v' delta. The dual needs no inverse of S,
and only its active set, where theta = 0, counts.

Pivoting looks for that set, and is quickest; with many systems on few topics it takes S as a
product of few columns and a tridiagonal matrix (`Factored`). Where it cycles, as it often does for
more systems than topics, Newton's method takes a twelfth of the time of quadprog (400 systems on 50
topics); quadprog solves what Newton's method cannot for rounding, at ridges of 1e-6 or less. The
multipliers are computed from the set in one place: solvers that agree on it agree on every bit.

Everywhere, `differences` are delta, of shape (m - 1,) for m systems: in the ranking, from the
worst, the mean of each system less that of the one below. `covariance` is S, (m - 1, m - 1).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.blas import ddot, dgemv
from scipy.linalg.lapack import dposv, dpstrf, dptsv

from pt_rankcorr.stats.core.types import Floats, Indices

# Newton's method fails after this many steps; some twenty are enough for 400 systems.
NEWTON_STEPS = 100
# A theta below this breaks its constraint theta >= 0. Differences are of order 1, and come from
# means that are rounded to twelve digits, so what is smaller is rounding.
BROKEN = -1e-12


class Solved(NamedTuple):
    """The v that solves S v = -delta on a set of k constraints; elsewhere it is 0."""

    multipliers: Floats  # v on the set, shape (k,)
    product: Floats  # S v, shape (m - 1,)
    is_definite: bool  # whether S was positive definite on the set


def solve_on(covariance: Floats, indices: Indices, differences: Floats) -> Solved:
    """The multipliers if exactly the constraints at these indices, (k,), hold with equality."""
    if not indices.size:
        return Solved(np.empty(0), np.zeros(differences.size), True)
    rows = covariance.take(indices, 0)
    # S on the set, shape (k, k). A symmetric matrix is its own transpose, and the transpose of a
    # row-major array is column-major, as LAPACK wants it: nothing is copied.
    within = rows.take(indices, 1).T
    _, multipliers, info = dposv(within, -differences.take(indices), overwrite_a=1, overwrite_b=1)
    # S v for all m - 1 differences; scipy's own BLAS belongs to that LAPACK, numpy's may be another
    return Solved(multipliers, dgemv(1.0, rows.T, multipliers), info == 0)


class Factored(NamedTuple):
    """S as G G' + T, the sum of a product of k columns and a tridiagonal matrix T."""

    factors: Floats  # G, shape (m - 1, k)
    diagonal: float  # of T; the same everywhere, as what is
    beside: float  # it


def solve_on_factors(covariance: Factored, indices: Indices, differences: Floats) -> Solved:
    """`solve_on` in O(m k^2) time, by Woodbury's identity."""
    # T on the set, and 1 on the diagonal elsewhere, where the right sides, G and -delta, are 0
    inside = np.zeros(differences.size, dtype=np.bool_)
    inside[indices] = True
    diagonal = np.where(inside, covariance.diagonal, 1.0)
    beside = np.where(inside[1:] & inside[:-1], covariance.beside, 0.0)
    factors = covariance.factors * inside[:, np.newaxis]
    _, _, solved, info = dptsv(diagonal, beside, np.column_stack([factors, -differences * inside]))
    # (T + G G')^-1 b = T^-1 b - T^-1 G (I + G' T^-1 G)^-1 G' T^-1 b, where b is -delta on the set
    by_factors, multipliers = solved[:, :-1], solved[:, -1]
    within = factors.T @ by_factors
    within.ravel()[:: len(within) + 1] += 1.0
    _, weights, is_indefinite = dposv(within, factors.T @ multipliers)
    multipliers = multipliers - by_factors @ weights
    product = covariance.factors @ (factors.T @ multipliers) + covariance.diagonal * multipliers
    product[1:] += covariance.beside * multipliers[:-1]
    product[:-1] += covariance.beside * multipliers[1:]
    return Solved(multipliers[indices], product, info == 0 and is_indefinite == 0)


class Active(NamedTuple):
    """The constraints that hold with equality, and their multipliers v > 0."""

    indices: Indices
    multipliers: Floats

    def squared_distance(self, differences: Floats) -> float:
        """v' S v, which is -v' delta."""
        if not self.indices.size:
            return 0.0
        # max takes its first argument if both are equal: with 0.0 in front it never is -0.0
        return max(0.0, -float(ddot(self.multipliers, differences.take(self.indices))))

    def nearest_point(self, covariance: Floats, differences: Floats) -> Floats:
        """theta = delta + S v: the nearest differences, (m - 1,), exactly 0 on the active set."""
        point: Floats = differences + solve_on(covariance, self.indices, differences).product
        point[self.indices] = 0.0
        return point


def solve(covariance: Floats, differences: Floats, ridge: float) -> Active:
    """The active set and its multipliers, by the first solver that finds them, else a ValueError.

    `ridge` was added to the diagonal of the covariance: Newton's method takes a root without it.
    """
    active = by_pivoting(covariance, differences) or by_newton(covariance, differences, ridge)
    active = active or by_quadprog(covariance, differences)
    if active is None:
        rule = "`ridge` must be large enough for a covariance that is positive definite in floats"
        raise ValueError(f"{rule}.")
    return active


def by_pivoting(
    covariance: Any,
    differences: Floats,
    solve_on: Callable[[Any, Indices, Floats], Solved] = solve_on,
) -> Active | None:
    """Block principal pivoting (Portugal, Judice, Vicente 1994; Kim and Park 2011).

    Every round solves S v = -delta on the set, then exchanges all offenders at once: members with
    v <= 0 leave, others with theta < 0 join. It starts from the constraints that the differences
    break, and gives up where it cycles.
    """
    inside = differences < 0.0
    # After three rounds without fewer offenders than ever before it may be in a cycle, and gives
    # up. Three is chosen, not tuned.
    fewest, rounds_left = differences.size + 1, 3
    while rounds_left:
        indices = inside.nonzero()[0]
        multipliers, product, is_definite = solve_on(covariance, indices, differences)
        if not is_definite:
            return None
        # the next set: outside, those whose theta = delta + S v breaks its constraint; inside,
        # those whose multiplier is positive
        following = np.less(np.add(product, differences, out=product), BROKEN)
        following[indices] = multipliers > 0.0
        offenders = (following != inside).nonzero()[0].size
        if not offenders:
            return Active(indices, multipliers)
        if offenders < fewest:
            fewest, rounds_left = offenders, 3
        else:
            rounds_left -= 1
        inside = following
    return None


def by_newton(covariance: Floats, differences: Floats, ridge: float) -> Active | None:
    """Newton's method with exact line searches (as Madsen and Nielsen 1990). None if it fails.

    With S = G G' + r I, G of shape (m - 1, rank), the dual is the least |y|^2 / 2 + |u|^2 / (2 r),
    where u = max(0, -delta - G y): then y = G' v and v = u / r. This is convex, and quadratic as
    long as the same u are above 0. The unknowns are as many as the rank of the covariance: few
    where systems are more than topics.
    """
    # a Cholesky factor with pivoting of S - r I, whose rank is at most n - 1: rows come back in the
    # order of the pivots (counted from 1), so G, shape (m - 1, rank), takes them to their places
    upper, pivots, rank, _ = dpstrf(covariance - ridge * np.eye(differences.size))
    factors = np.empty((differences.size, rank))
    factors[pivots - 1] = np.triu(upper)[:rank].T
    y, identity = np.zeros(rank), ridge * np.eye(rank)
    for _ in range(NEWTON_STEPS):
        # r v = max(0, excess); `inside` are the constraints on which the dual is now quadratic in y
        excess = -differences - factors @ y
        inside = excess > 0.0
        on_set = factors[inside]
        # the Newton step goes to the minimum of that quadratic: (G_s' G_s + r I) y = -G_s' delta_s
        system = on_set.T @ on_set + identity
        direction = np.linalg.solve(system, -(on_set.T @ differences[inside])) - y
        change = factors @ direction
        left = excess - change
        # If the full step leaves the set as it is, the quadratic is the dual itself there: the
        # minimum. Values of order 1 that are nearer to 0 than 1e-13 may have either sign by
        # rounding alone, and do not count.
        if (((left > 0.0) == inside) | (np.abs(left) < 1e-13)).all():
            return _confirm(covariance, differences, inside.nonzero()[0])
        slope, curvature = ridge * float(y @ direction), ridge * float(direction @ direction)
        y += _least_on_line(excess, change, slope, curvature) * direction
    return None


def _least_on_line(excess: Floats, change: Floats, slope: float, curvature: float) -> float:
    """The step t > 0 along a direction at which the dual is least: where its derivative is 0.

    u = max(0, excess - t change), (m - 1,); slope + t curvature is the derivative of r |y|^2 / 2.
    """
    # the steps at which some u passes 0; between two of them the derivative is linear in t
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = excess / change
    ends = np.append(0.0, np.sort(ends[ends > 0.0]))

    def derivative(t: float) -> float:
        """Of the dual along the direction, at the step t."""
        return slope + t * curvature - float(np.maximum(excess - t * change, 0.0) @ change)

    # the derivative rises with t: bisect for the piece on which it passes 0, then solve that line;
    # the last piece has no end, so any second point of it will do
    place = bisect_left(ends, 0.0, lo=1, key=derivative)
    low = ends[place - 1]
    high = ends[place] if place < ends.size else low + 1.0
    at_low, at_high = derivative(low), derivative(high)
    return float(low - at_low * (high - low) / (at_high - at_low))


def by_quadprog(covariance: Floats, differences: Floats) -> Active | None:
    """Algorithm 1's QPsolve, the primal problem, by a triangular U, S = U U'; None if it fails."""
    try:
        # under the GPL, and so imported only here: everything else works without it
        import quadprog
    except ImportError as error:
        need = "d_rank needs quadprog for a distance that no other solver found"
        raise ImportError(f"{need}: pip install quadprog") from error
    bounds, constraints = np.zeros(differences.size), np.eye(differences.size)
    try:
        # S = U U' with U upper triangular: the Cholesky factor of S with rows and columns reversed
        upper = cholesky(covariance[::-1, ::-1], lower=True)[::-1, ::-1]
        # quadprog minimises x' H x / 2 - a' x; here H = S^-1 and a = S^-1 delta
        linear = solve_triangular(upper, solve_triangular(upper, differences), trans="T")
        upper = np.ascontiguousarray(upper)
        solution = quadprog.solve_qp(upper, linear, constraints, bounds, 0, True)
    except (ValueError, np.linalg.LinAlgError):
        return None
    # the sixth value is the active set, whose constraints quadprog counts from 1
    indices = np.sort(solution[5]).astype(np.intp) - 1
    return _confirm(covariance, differences, indices)


def _confirm(covariance: Floats, differences: Floats, indices: Indices) -> Active | None:
    """The solution on a set of constraints, (k,); None if it breaks any beyond rounding errors."""
    multipliers, product, is_definite = solve_on(covariance, indices, differences)
    theta = product + differences
    # Theta should be exactly 0 on the set. What is left there shows how much rounding to allow off
    # the set; rounding also goes with the sum of the multipliers, as S v rounds each term.
    on_set = 4.0 * np.abs(theta[indices]).max(initial=0.0)
    in_sums = 4.0 * np.finfo(np.float64).eps * np.abs(multipliers).sum()
    rounding = max(-BROKEN, float(on_set), float(in_sums))
    largest = multipliers.max(initial=0.0)
    # one that is negative by less than this share of the largest is 0 but for rounding errors
    is_negative = multipliers.min(initial=0.0) < -1e-9 * largest
    if not is_definite or theta.min() < -rounding or is_negative:
        return None
    positive = multipliers > 0.0
    return Active(indices[positive], multipliers[positive])
