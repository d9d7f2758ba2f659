"""Covariances of the differences between adjacent systems, as d_rank's quadratic program uses them.

With more systems than topics they stay in factors, which have far fewer cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.linalg.blas import dgemv, dsyrk
from scipy.linalg.lapack import dposv, dptsv

from pt_rankcorr.stats.core.types import Floats, Indices


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
        multipliers, is_definite = _solution(rows.take(indices, 1), differences.take(indices))
        return Solved(multipliers, _product(multipliers, rows), is_definite)

    def whole(self) -> Floats:
        return self.cells


@dataclass(frozen=True)
class Factored:
    """S = F F' + target P P' + ridge I, with P the difference operator of adjacent systems.

    Attributes:
        factors: F, shape (n_systems - 1, n_topics).
        target: The variance towards which that of systems is shrunk, times the share of the shrinkage.
        ridge: As above.
    """

    factors: Floats
    target: float
    ridge: float

    def solve_on(self, indices: Indices, differences: Floats) -> Solved:
        chosen = differences.take(indices)
        if indices.size > self.factors.shape[1]:
            multipliers, by_topic, is_definite = self._by_topics(indices, chosen)
        else:
            multipliers, by_topic, is_definite = self._by_differences(indices, chosen)
        product = self.factors @ by_topic
        product[indices] += (self.ridge + 2.0 * self.target) * multipliers
        spread = np.zeros(differences.size)
        spread[indices] = self.target * multipliers
        product[1:] -= spread[:-1]
        product[:-1] -= spread[1:]
        return Solved(multipliers, product, is_definite)

    def _by_differences(self, indices: Indices, differences: Floats) -> tuple[Floats, Floats, bool]:
        """The v of S v = -delta on the set, F' v, and whether S was positive definite."""
        factors = self.factors.take(indices, 0)
        multipliers, is_definite = _solution(self._cells(factors, indices), differences)
        return multipliers, multipliers @ factors, is_definite

    def _by_topics(self, indices: Indices, differences: Floats) -> tuple[Floats, Floats, bool]:
        """The same for fewer topics than differences: with T all of S but F F', w = F' v solves (Woodbury)

            (I + F' T^-1 F) w = -F' T^-1 delta, and v = -T^-1 (delta + F w).

        With T = L D L', both matrices are made of D^-1/2 L^-1 F, and the first is one of these times itself.
        """
        roots, of_differences = self._roots(indices, differences)
        cells = dsyrk(1.0, roots.T)  # half of them: the other half is never read
        _diagonal(cells.T)[:] += 1.0
        _, by_topic, info = dposv(cells, -(of_differences @ roots), overwrite_a=1, overwrite_b=1)
        beyond = differences + (self.factors @ by_topic).take(indices)
        return -self._without_factors(indices, beyond), by_topic, info == 0

    def _roots(self, indices: Indices, differences: Floats) -> tuple[Floats, Floats]:
        """D^-1/2 L^-1 of F and of delta, in another order: of all runs of neighbours the first, then all second ..."""
        if not self.target:
            root = np.sqrt(self.ridge)
            return self.factors.take(indices, 0) / root, differences / root
        order, counts = _by_place_in_run(indices)
        roots, of_differences = self.factors.take(indices.take(order), 0), differences.take(order)
        pivots, begin = [2.0 * self.target + self.ridge], 0
        for before, count in pairwise(counts):
            share, end = self.target / pivots[-1], begin + before
            roots[end : end + count] += share * roots[begin : begin + count]
            of_differences[end : end + count] += share * of_differences[begin : begin + count]
            pivots.append(pivots[0] - self.target * share)
            begin = end
        scales = (1.0 / np.sqrt(pivots)).repeat(counts)
        roots *= scales[:, np.newaxis]
        return roots, of_differences * scales

    def _without_factors(self, indices: Indices, differences: Floats) -> Floats:
        """T^-1 delta."""
        if not self.target:
            return differences / self.ridge
        diagonal = np.full(indices.size, 2.0 * self.target + self.ridge)
        neighbours = np.where(np.diff(indices) == 1, -self.target, 0.0)
        return np.asarray(dptsv(diagonal, neighbours, differences)[2])

    def whole(self) -> Floats:
        return self._cells(self.factors, np.arange(len(self.factors)))

    def _cells(self, factors: Floats, indices: Indices) -> Floats:
        """S on a set. P P' has 2 on the diagonal, and -1 for two differences that share a system."""
        cells: Floats = factors @ factors.T
        for added in (2.0 * self.target, self.ridge):
            _diagonal(cells)[:] += added
        neighbours = np.flatnonzero(np.diff(indices) == 1)
        cells[neighbours, neighbours + 1] -= self.target
        cells[neighbours + 1, neighbours] -= self.target
        return cells


Covariance: TypeAlias = Whole | Factored  # of differences, with the ridge


def _by_place_in_run(indices: Indices) -> tuple[Indices, list[int]]:
    """An order of ascending numbers by their places in runs of neighbours, and how many have each place.

    Longer runs come first, so that whatever follows the first numbers of one place are the first of the next.
    """
    begins = np.flatnonzero(np.diff(indices, prepend=indices[0] - 2) != 1)
    lengths = np.diff(begins, append=indices.size)
    places = np.arange(indices.size) - begins.repeat(lengths)
    return np.lexsort((-lengths.repeat(lengths), places)), np.bincount(places).tolist()


def _diagonal(square: Floats) -> Floats:
    return square.reshape(-1)[:: len(square) + 1]


def _product(vector: Floats, rows: Floats) -> Floats:
    """By scipy's BLAS, whose LAPACK found the vector."""
    if not vector.size:
        return np.zeros(rows.shape[1])
    product: Floats = dgemv(1.0, rows.T, vector)
    return product


def _solution(covariance: Floats, differences: Floats) -> tuple[Floats, bool]:
    """The v of S v = -delta, and whether S was positive definite; overwrites S."""
    if not differences.size:
        return differences, True
    # the transpose of a row-major symmetric matrix is itself, in the order that LAPACK wants
    _, multipliers, info = dposv(covariance.T, -differences, overwrite_a=1, overwrite_b=1)
    return multipliers, info == 0
