"""Covariances of the differences between adjacent systems, as d_rank's quadratic program uses them.

Of more systems than topics the covariance has far more cells than the scores that it is made of. Then it stays in
factors, which are all that solving needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv, dptsv

from pt_rankcorr.stats.order import Floats

Indices: TypeAlias = NDArray[np.intp]


class Solved(NamedTuple):
    """The solution of S v = -delta on a set of rows and columns.

    Attributes:
        multipliers: v on the set; elsewhere it is 0.
        product: S v, everywhere.
        is_definite: Whether S was positive definite to working precision.
    """

    multipliers: Floats
    product: Floats
    is_definite: bool


class Covariance(Protocol):
    """A covariance S of differences, of which `ridge` can be taken off the diagonal."""

    @property
    def ridge(self) -> float: ...

    def solved(self, indices: Indices, differences: Floats, softening: float = 0.0) -> Solved:
        """For S + softening I."""

    def whole(self) -> Floats:
        """S itself."""


@dataclass(frozen=True)
class Whole:
    """All cells of S."""

    cells: Floats
    ridge: float

    def solved(self, indices: Indices, differences: Floats, softening: float = 0.0) -> Solved:
        rows = self.cells.take(indices, 0)
        inside = rows.take(indices, 1)
        if softening:
            _diagonal(inside)[:] += softening
        multipliers, is_definite = _solution(inside, differences.take(indices))
        product = multipliers @ rows
        if softening:
            product[indices] += softening * multipliers
        return Solved(multipliers, product, is_definite)

    def whole(self) -> Floats:
        return self.cells


@dataclass(frozen=True)
class Factored:
    """S = F' F + target P P' + ridge I, with P the difference operator of adjacent systems.

    Attributes:
        factors: F, shape (n_topics, n_systems - 1).
        target: The variance towards which that of systems is shrunk, times the share of the shrinkage.
        ridge: As above.
    """

    factors: Floats
    target: float
    ridge: float

    def solved(self, indices: Indices, differences: Floats, softening: float = 0.0) -> Solved:
        ridge, factors = self.ridge + softening, self.factors.take(indices, 1)
        solution = self._by_topics if indices.size > len(factors) else self._by_differences
        multipliers, is_definite = solution(factors, ridge, indices, differences.take(indices))
        product = (factors @ multipliers) @ self.factors
        product[indices] += (ridge + 2.0 * self.target) * multipliers
        if self.target:
            spread = np.zeros(differences.size)
            spread[indices] = self.target * multipliers
            product[1:] -= spread[:-1]
            product[:-1] -= spread[1:]
        return Solved(multipliers, product, is_definite)

    def _by_differences(
        self, factors: Floats, ridge: float, indices: Indices, differences: Floats
    ) -> tuple[Floats, bool]:
        inside = factors.T @ factors
        self._add_target(inside, indices)
        _diagonal(inside)[:] += ridge
        return _solution(inside, differences)

    def _by_topics(self, factors: Floats, ridge: float, indices: Indices, differences: Floats) -> tuple[Floats, bool]:
        """For fewer topics than differences: with T all of S but F' F, a system of I + F T^-1 F' (Woodbury)."""
        of_factors, of_differences = self._without_factors(factors, ridge, indices, differences)
        # without a target F T^-1 F' is one matrix times itself, which takes half the work
        by_topic = of_factors @ factors.T if self.target else factors @ factors.T / ridge
        _diagonal(by_topic)[:] += 1.0
        weights, is_definite = _solution(by_topic, factors @ of_differences)
        return -(of_differences + weights @ of_factors), is_definite

    def _without_factors(
        self, factors: Floats, ridge: float, indices: Indices, differences: Floats
    ) -> tuple[Floats, Floats]:
        """T^-1 F', as rows, and T^-1 delta."""
        if not self.target:
            return factors / ridge, differences / ridge
        diagonal = np.full(indices.size, 2.0 * self.target + ridge)
        neighbours = np.where(np.diff(indices) == 1, -self.target, 0.0)
        columns = np.vstack((factors, differences)).T
        inverse = dptsv(diagonal, neighbours, columns, overwrite_b=1)[2].T
        return inverse[:-1], inverse[-1]

    def _add_target(self, inside: Floats, indices: Indices) -> None:
        """P P' has 2 on the diagonal, and -1 for two differences that share a system."""
        _diagonal(inside)[:] += 2.0 * self.target
        neighbours = np.flatnonzero(np.diff(indices) == 1)
        inside[neighbours, neighbours + 1] -= self.target
        inside[neighbours + 1, neighbours] -= self.target

    def whole(self) -> Floats:
        cells = self.factors.T @ self.factors
        self._add_target(cells, np.arange(len(cells)))
        _diagonal(cells)[:] += self.ridge
        return np.asarray(cells)


def _diagonal(square: Floats) -> Floats:
    """A view of the diagonal of a contiguous matrix."""
    return square.reshape(-1)[:: len(square) + 1]


def _solution(covariance: Floats, differences: Floats) -> tuple[Floats, bool]:
    """The v of S v = -delta, and whether S was positive definite; overwrites S."""
    if not differences.size:
        return differences, True
    # the transpose of a row-major symmetric matrix is itself, in the order that LAPACK wants
    _, multipliers, info = dposv(covariance.T, -differences, overwrite_a=1, overwrite_b=1)
    return multipliers, info == 0
