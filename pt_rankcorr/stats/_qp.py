"""The quadratic program of d_rank: the nearest point to a vector of mean differences that keeps a ranking.

That point is theta = argmin over theta >= 0 of (theta - delta)' S^-1 (theta - delta), for positive definite S. Its
multipliers v >= 0 solve the dual, the minimum of v' S v / 2 + delta' v; then theta = delta + S v, and the squared
distance is v' S v = -v' delta. The dual needs no inverse of S, and only its active set, where theta = 0, counts.

There are three ways to find that set: pivoting, damped pivoting, and quadprog, each asked where the one before fails.
The multipliers are computed from it in one place, so that wherever they agree on the set they agree on the distance to
the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import quadprog
from scipy.linalg import cholesky, solve_triangular

from pt_rankcorr.stats._qp_covariance import Covariance, Indices
from pt_rankcorr.stats.order import Floats

PATIENCE = 3  # rounds without fewer offenders than ever before, after which pivoting is going round in circles
MOST_DAMPED_ROUNDS = 1000  # these take about forty, and each comes nearer
SOFTENINGS = (100.0, 10.0, 1.0)  # times the ridge: each problem starts from the solution of a better conditioned one
BROKEN = -1e-12  # theta below this breaks its constraint: differences are of order 1, from means of twelve digits
EPSILONS = 4.0 * float(np.finfo(np.float64).eps)
NEGLIGIBLE = -1e-9  # of the largest multiplier: one above this is 0 but for rounding errors


class Active(NamedTuple):
    """The constraints that hold with equality, and their multipliers v > 0."""

    indices: Indices
    multipliers: Floats

    def squared_distance(self, differences: Floats) -> float:
        """-v' delta."""
        return max(0.0, -float(self.multipliers @ differences.take(self.indices)))  # in this order never -0.0

    def nearest_point(self, covariance: Covariance, differences: Floats) -> Floats:
        """theta = delta + S v."""
        point: Floats = differences + covariance.solved(self.indices, differences).product
        point[self.indices] = 0.0
        return point


def by_either(covariance: Covariance, differences: Floats) -> tuple[Active, bool]:
    """By pivoting, and whether that failed so that quadprog was asked.

    Raises:
        ValueError: If the ridge is so small that rounding errors hide the solution from all.
    """
    active = by_pivoting(covariance, differences)
    if active is not None:
        return active, False
    active = by_quadprog(covariance, differences)
    if active is None:
        raise ValueError("`ridge` must be large enough for a covariance that is positive definite in floats.")
    return active, True


def by_pivoting(covariance: Covariance, differences: Floats) -> Active | None:
    """Block principal pivoting, damped if need be; None if both fail."""
    return _by_blocks(covariance, differences) or _by_damped_blocks(covariance, differences)


def _by_blocks(covariance: Covariance, differences: Floats) -> Active | None:
    """Block principal pivoting (Portugal, Judice, Vicente 1994; Kim and Park 2011).

    Every round solves S v = -delta on the set, then exchanges all offenders at once: members with v <= 0 leave, others
    with theta < 0 join. It starts from the constraints that the differences break, and gives up where it goes round.
    """
    inside = differences < 0.0
    fewest, patience = differences.size + 1, PATIENCE
    while patience:
        indices = inside.nonzero()[0]
        multipliers, product, is_definite = covariance.solved(indices, differences)
        if not is_definite:
            return None
        following = _following(indices, multipliers, product + differences)
        offenders = int(np.count_nonzero(following != inside))
        if not offenders:
            return Active(indices, multipliers)
        fewest, patience = (offenders, PATIENCE) if offenders < fewest else (fewest, patience - 1)
        inside = following
    return None


def _following(indices: Indices, multipliers: Floats, theta: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    theta[indices] = -np.sign(multipliers)
    following: np.ndarray[tuple[int], np.dtype[np.bool_]] = theta < BROKEN
    return following


def _unless_broken(indices: Indices, multipliers: Floats, theta: Floats) -> Active | None:
    """The solution on a set, if it breaks no constraint by more than rounding errors.

    How large these are shows in theta on the set itself, where it is 0. And as scores span up to 1, cells of S may be
    a few epsilons off, and S v as many times the sum of multipliers.
    """
    seen, feared = 4.0 * np.abs(theta[indices]).max(initial=0.0), EPSILONS * np.abs(multipliers).sum()
    rounding = max(-BROKEN, float(seen), float(feared))
    largest = multipliers.max(initial=0.0)
    if theta.min() < -rounding or multipliers.min(initial=0.0) < NEGLIGIBLE * largest:
        return None
    positive = multipliers > 0.0
    return Active(indices[positive], multipliers[positive])


# --- damped -------------------------------------------------------------------------------------------


def _by_damped_blocks(covariance: Covariance, differences: Floats) -> Active | None:
    """The same exchanges, each only as far as it brings the solution nearer: this cannot go round in circles.

    With S = A' A + r I and u = A v, the multipliers are v = max(0, -delta - A' u) / r, and u minimises the convex
    |u|^2 / 2 + |max(0, -delta - A' u)|^2 / (2 r). A round of block pivoting is a full Newton step towards that minimum;
    Newton's method with an exact line search reaches it after finitely many steps (Mangasarian 2002, "A finite Newton
    method for classification"). Here u is never needed, only A' u = (S - r I) v.
    """
    at = np.zeros_like(differences), np.zeros_like(differences)
    found: Active | None = None
    for softening in SOFTENINGS:
        found, at = _damped(covariance, differences, at, covariance.ridge * (softening - 1.0))
        if found is None:
            return None
    return found


def _damped(
    covariance: Covariance, differences: Floats, at: tuple[Floats, Floats], softening: float
) -> tuple[Active | None, tuple[Floats, Floats]]:
    """From a point (v, A' u) to the solution for a ridge that is so much larger, and its point."""
    ridge = covariance.ridge + softening
    point, image = at
    for _ in range(MOST_DAMPED_ROUNDS):
        inside = differences + image < 0.0  # of members this is -r v, which may be tiny though v is not
        indices = inside.nonzero()[0]
        multipliers, product, is_definite = covariance.solved(indices, differences, softening)
        if not is_definite:
            break
        target = np.zeros_like(point)
        target[indices] = multipliers
        target_image = product - ridge * target
        found = _unless_broken(indices, multipliers, product + differences)
        if found is not None:
            return found, (target, target_image)
        towards, image_towards = target - point, target_image - image
        step = _step(point, towards, differences + image, image_towards, ridge)
        if step == 0.0:
            break
        point, image = point + step * towards, image + step * image_towards
    return None, (point, image)


def _step(point: Floats, towards: Floats, theta: Floats, theta_towards: Floats, ridge: float) -> float:
    """The share in [0, 1] of a Newton step that is best: where the slope, piecewise linear and rising, is 0."""
    constant, rise = point @ theta_towards, towards @ theta_towards

    def slope(share: float) -> float:
        broken = np.minimum(theta + share * theta_towards, 0.0)
        return float(constant + share * rise + broken @ theta_towards / ridge)

    if slope(1.0) <= 0.0:
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        kinks = -theta / theta_towards
    kinks = np.concatenate(([0.0], np.sort(kinks[(kinks > 0.0) & (kinks < 1.0)]), [1.0]))
    low, high = 0, kinks.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if slope(kinks[middle]) > 0.0 else (middle, high)
    before, after = slope(kinks[low]), slope(kinks[high])
    share = before / (before - after) if before < 0.0 < after else 0.0
    return float(kinks[low] + share * (kinks[high] - kinks[low]))


# --- quadprog -----------------------------------------------------------------------------------------


def by_quadprog(covariance: Covariance, differences: Floats) -> Active | None:
    """Algorithm 1's QPsolve: the primal problem, with S^-1 = (U U')^-1 given by the triangular U alone.

    None if it fails, or stops where a constraint is still broken, as it may where S is nearly singular.
    """
    cells = covariance.whole()
    nothing = np.zeros(differences.size)
    try:
        upper = cholesky(cells[::-1, ::-1], lower=True)[::-1, ::-1]
        linear = solve_triangular(upper, solve_triangular(upper, differences), trans="T")
        solution = quadprog.solve_qp(np.ascontiguousarray(upper), linear, np.eye(nothing.size), nothing, 0, True)
    except (ValueError, np.linalg.LinAlgError):
        return None
    indices = np.sort(solution[5]).astype(np.intp) - 1  # it counts constraints from 1
    multipliers, product, is_definite = covariance.solved(indices, differences)
    return _unless_broken(indices, multipliers, product + differences) if is_definite else None
