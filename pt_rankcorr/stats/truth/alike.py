"""Draws of the true means by two measures, if systems that are alike on topics are alike in truth.

Scores are centred by topic and taken to m - 1 contrasts of systems. Measured means x = (reference, estimate) are true
means and noise, N(0, S), S the covariance of means over topics, shrunk to blocks of a multiple of the identity (Ledoit
and Wolf 2004). True means are N(0, Omega (x) B): Omega is 2 x 2, over measures; B is the similarity of systems, the
mean of both measures' covariances with a fifth of the identity. So identical systems have no true difference and near
ones a small one.

Omega has a grid: variances about what the means show, correlations from -.8 to .98, and 1, at which the estimate errs
about no system. The likelihood counts half, as contrasts are no independent pieces of evidence. How many draws have the
correlation 1 is said from outside: the test of one ranking knows better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

from pt_rankcorr.stats.core.types import Floats

MIX = 0.8  # of B, that comes from the scores
TEMPER = 0.5  # power of the likelihood
INVERTIBLE, NEGLIGIBLE = 1e-12, 1e-6  # of what means show, and of noise: less noise is as good as this much
LEAST = 0.05  # of what a side's means show: the least that is true
CELLS = 2**17  # of the matrices that are factored at once: they stay in the cache
INFINITE = 1e280

OURS = np.array([0.6, 0.8, 1.0, 1.25, 1.6])  # times the variance that the reference's means show, noise taken off
THEIRS = np.geomspace(0.02, 1.5, 9)  # times what the estimate's show
CORRELATIONS = np.append(np.linspace(-0.8, 0.95, 15), 0.98)


@dataclass(frozen=True)
class Alike:
    """What is known, in contrasts.

    Attributes:
        contrasts: Shape (n_systems, q).
        scale: The noise of the two sides, shape (2,), in which all else is.
        means: Both sides' contrasts of measured means, shape (2 * q,).
        covariance: Of their noise, shape (2 * q, 2 * q).
        similarity: B, shape (q, q).
        shrunk: How much of the covariance is that of independent systems.
        white: A root of that, of one system, shape (2, 2).
    """

    contrasts: Floats
    scale: Floats
    means: Floats
    covariance: Floats
    similarity: Floats
    shrunk: float
    white: Floats

    @classmethod
    def of(cls, means: Floats, noise: Floats) -> Alike:
        """From means, shape (2, n_systems), and rows of noise, shape (2, n_rows, n_systems)."""
        across = _contrasts(means.shape[1])
        q, n_rows = across.shape[1], noise.shape[1]
        contrasts = noise @ across
        scale = np.sqrt((contrasts**2).sum(axis=(1, 2)) / q)
        x = (means / scale[:, np.newaxis] @ across).ravel()
        rows = np.hstack(list(contrasts / scale[:, np.newaxis, np.newaxis]))
        covariance = rows.T @ rows
        blocks = covariance.reshape(2, q, 2, q)
        per_system = np.einsum("iqjq->ij", blocks) / q
        white = np.kron(per_system, np.eye(q))
        lengths = np.einsum("tq,tq->t", rows, rows)
        squares, off = (covariance**2).sum(), ((covariance - white) ** 2).sum()
        spread = (lengths**2).sum() - squares / n_rows
        shrunk = min(1.0, max(spread / off, 1.0 / n_rows**2)) if off > 0.0 else 1.0  # of two topics the spread is 0
        alike = sum(blocks[i, :, i] / np.trace(blocks[i, :, i]) for i in (0, 1)) * (q / 2.0)
        similarity = MIX * ((1.0 - shrunk) * alike + shrunk * np.eye(q)) + (1.0 - MIX) * np.eye(q)
        mixed = (1.0 - shrunk) * covariance + shrunk * white
        mixed += max(0.0, INVERTIBLE * (x @ x) / x.size - NEGLIGIBLE) * np.eye(x.size)
        return cls(across, scale, x, mixed, similarity, shrunk, np.linalg.cholesky(per_system))

    def draw(
        self, errors: Floats, perfect: NDArray[np.bool_], ours: np.random.Generator, theirs: np.random.Generator
    ) -> Floats:
        """Draws of the true means, each less their mean over systems.

        Args:
            errors: Draws of the noise of means, shape (n_draws, 2, n_systems).
            perfect: Those in which the estimate errs about no system, shape (n_draws,).
            ours: For what all estimates with one reference share.
            theirs: For this estimate.

        Returns:
            Shape (n_draws, 2, n_systems).
        """
        size, q = len(errors), len(self.similarity)
        errors = errors / self.scale[:, np.newaxis] @ self.contrasts
        normals = np.stack([(ours, theirs)[side].standard_normal((size, 2, q)) for side in (0, 1)], axis=1)
        errors *= np.sqrt(1.0 - self.shrunk)
        errors += np.sqrt(self.shrunk) * np.einsum("ij,sjq->siq", self.white, normals[:, :, 0])
        spread = normals[:, :, 1] @ np.linalg.cholesky(self.similarity).T
        omegas = self._grid()
        log_weights, quantiles = TEMPER * self._log_likelihoods(omegas), (np.arange(size) + theirs.random()) / size
        places = theirs.permutation(quantiles)
        which = np.where(
            perfect,
            _drawn(log_weights, omegas, places, perfect=True),
            _drawn(log_weights, omegas, places, perfect=False),
        )
        truths = np.empty((size, 2 * q))
        for at in np.unique(which):
            chosen = which == at
            truths[chosen] = self._given(omegas[at], errors[chosen], spread[chosen])
        return np.asarray(truths.reshape(size, 2, q) @ self.contrasts.T * self.scale[:, np.newaxis])

    def _given(self, omega: Floats, errors: Floats, spread: Floats) -> Floats:
        """A draw of prior and noise, moved to what was measured: x* = t + K (K + S)^-1 (x - t - e)."""
        blocks = omega[:, np.newaxis, :, np.newaxis] * self.similarity[:, np.newaxis]
        prior = blocks.reshape(self.covariance.shape)
        drawn = np.einsum("ij,sjq->siq", _root(omega), spread).reshape(len(spread), -1)
        missed = self.means - drawn - errors.reshape(drawn.shape)
        factor = np.linalg.cholesky(prior + self.covariance)
        return np.asarray(drawn + cho_solve((factor, True), missed.T, check_finite=False).T @ prior)

    def _grid(self) -> Floats:
        """The Omegas, shape (n, 2, 2)."""
        q = len(self.similarity)
        noise = np.einsum("iqiq->i", self.covariance.reshape(2, q, 2, q)) / q
        shown = (self.means.reshape(2, q) ** 2).mean(axis=1)
        ours = max(shown[0] - noise[0], LEAST * shown[0]) * OURS
        theirs = shown[1] * THEIRS
        v, w, r = (each.ravel() for each in np.meshgrid(ours, theirs, np.append(CORRELATIONS, 1.0), indexing="ij"))
        both = r * np.sqrt(v * w)
        return np.stack([np.stack([v, both], -1), np.stack([both, w], -1)], -1)

    def _log_likelihoods(self, omegas: Floats) -> Floats:
        """Of each Omega: of the reference's contrasts, and of the estimate's given those, of the Schur complement.

        Omegas of one variance of the reference share the first. The last row of a factor with x below is L^-1 x.
        """
        q, found = len(self.similarity), np.empty(len(omegas))
        covariance, similarity, means = self.covariance, self.similarity, self.means.reshape(2, q)
        step = max(1, CELLS // (q + 1) ** 2)
        for ours in np.unique(omegas[:, 0, 0]):
            factor = np.linalg.cholesky(ours * similarity + covariance[:q, :q])
            beside = np.column_stack([similarity, covariance[:q, q:], means[0]])
            alike, noise, x = np.split(solve_triangular(factor, beside, lower=True, check_finite=False), [q, 2 * q], 1)
            own = -np.log(factor.diagonal()).sum() - (x**2).sum() / 2.0
            left = (
                covariance[q:, q:] - noise.T @ noise,
                similarity,
                alike.T @ noise + noise.T @ alike,
                alike.T @ alike,
            )
            missed, moved = means[1] - noise.T @ x[:, 0], alike.T @ x[:, 0]
            chosen = (omegas[:, 0, 0] == ours).nonzero()[0]
            for start in range(0, chosen.size, step):
                some = chosen[start : start + step]
                both, theirs = omegas[some, 0, 1], omegas[some, 1, 1]
                bordered = np.empty((some.size, q + 1, q + 1))
                weights = np.stack([np.ones(some.size), theirs, -both, -(both**2)], axis=1)
                bordered[:, :-1, :-1] = np.tensordot(weights, left, axes=1)
                bordered[:, -1, :-1] = missed - both[:, np.newaxis] * moved
                bordered[:, -1, -1] = INFINITE
                factors = np.linalg.cholesky(bordered)
                diagonals = np.diagonal(factors, axis1=1, axis2=2)[:, :-1]
                given = -np.log(diagonals).sum(axis=1) - (factors[:, -1, :-1] ** 2).sum(axis=1) / 2.0
                found[some] = own + given
        return found


def _drawn(log_weights: Floats, omegas: Floats, quantiles: Floats, *, perfect: bool) -> NDArray[np.intp]:
    """Which Omegas of the grid stand at these quantiles of the posterior: those of correlation 1, or all others."""
    singular = omegas[:, 0, 1] ** 2 >= omegas[:, 0, 0] * omegas[:, 1, 1] * (1.0 - 1e-9)
    among = (singular == perfect).nonzero()[0]
    weights = np.exp(log_weights[among] - log_weights[among].max())
    places = np.searchsorted(np.cumsum(weights) / weights.sum(), quantiles)
    return np.asarray(among[np.minimum(places, among.size - 1)])


def _root(omega: Floats) -> Floats:
    first = np.sqrt(omega[0, 0])
    second = omega[0, 1] / first
    return np.array([[first, 0.0], [second, np.sqrt(max(omega[1, 1] - second**2, 0.0))]])


def _contrasts(n_systems: int) -> Floats:
    """Orthonormal, shape (n_systems, n_systems - 1)."""
    found = np.zeros((n_systems, n_systems - 1))
    for k in range(1, n_systems):
        found[:k, k - 1], found[k, k - 1] = 1.0 / np.sqrt(k * (k + 1.0)), -k / np.sqrt(k * (k + 1.0))
    return found
