"""Covariances of the differences between adjacent systems, as d_rank's quadratic program uses them.

With more systems than topics they stay in factors, which have far fewer cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv, dptsv

from pt_rankcorr.stats.core.types import Floats

Indices: TypeAlias = NDArray[np.intp]


class Solved(NamedTuple):
    """The v of S v = -delta on a set (elsewhere it is 0), S v everywhere, and whether S was positive definite."""

    multipliers: Floats
    product: Floats
    is_definite: bool


@dataclass(frozen=True)
class Whole:
    """All cells of a covariance S of differences."""

    cells: Floats

    def solve_on(self, indices: Indices, differences: Floats) -> Solved:
        rows = self.cells.take(indices, 0)
        inside = rows.take(indices, 1)
        multipliers, is_definite = _solution(inside, differences.take(indices))
        product = multipliers @ rows
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

    def solve_on(self, indices: Indices, differences: Floats) -> Solved:
        factors = self.factors.take(indices, 1)
        solution = self._by_topics if indices.size > len(factors) else self._by_differences
        multipliers, is_definite = solution(factors, indices, differences.take(indices))
        product = (factors @ multipliers) @ self.factors
        product[indices] += (self.ridge + 2.0 * self.target) * multipliers
        if self.target:
            spread = np.zeros(differences.size)
            spread[indices] = self.target * multipliers
            product[1:] -= spread[:-1]
            product[:-1] -= spread[1:]
        return Solved(multipliers, product, is_definite)

    def _by_differences(self, factors: Floats, indices: Indices, differences: Floats) -> tuple[Floats, bool]:
        inside = factors.T @ factors
        self._add_target(inside, indices)
        _diagonal(inside)[:] += self.ridge
        return _solution(inside, differences)

    def _by_topics(self, factors: Floats, indices: Indices, differences: Floats) -> tuple[Floats, bool]:
        """For fewer topics than differences: with T all of S but F' F, a system of I + F T^-1 F' (Woodbury)."""
        of_factors, of_differences = self._without_factors(factors, indices, differences)
        # without a target F T^-1 F' is one matrix times itself, which takes half the work
        by_topic = of_factors @ factors.T if self.target else factors @ factors.T / self.ridge
        _diagonal(by_topic)[:] += 1.0
        weights, is_definite = _solution(by_topic, factors @ of_differences)
        return -(of_differences + weights @ of_factors), is_definite

    def _without_factors(self, factors: Floats, indices: Indices, differences: Floats) -> tuple[Floats, Floats]:
        """T^-1 F', as rows, and T^-1 delta."""
        if not self.target:
            return factors / self.ridge, differences / self.ridge
        diagonal = np.full(indices.size, 2.0 * self.target + self.ridge)
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


Covariance: TypeAlias = Whole | Factored  # of differences, with the ridge


def _diagonal(square: Floats) -> Floats:
    return square.reshape(-1)[:: len(square) + 1]


def _solution(covariance: Floats, differences: Floats) -> tuple[Floats, bool]:
    """The v of S v = -delta, and whether S was positive definite; overwrites S."""
    if not differences.size:
        return differences, True
    # the transpose of a row-major symmetric matrix is itself, in the order that LAPACK wants
    _, multipliers, info = dposv(covariance.T, -differences, overwrite_a=1, overwrite_b=1)
    return multipliers, info == 0
