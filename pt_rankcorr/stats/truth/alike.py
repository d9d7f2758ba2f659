"""Draws of the true means by two measures, if systems that are alike on topics are alike in truth.

Ranks do not depend on a scale, but normal models do. So means go to normal scores, g = Phi^-1(F(x)), F a smooth
distribution function of the means of one side; noise is multiplied by the slope of that curve, and draws come back by
linear interpolation between systems. There, scores are centred by topic and taken to m - 1 contrasts of systems.
Measured means x of both sides are true means and noise, N(0, S), S the covariance of means over topics, shrunk to
blocks of a multiple of the identity (Ledoit and Wolf 2004). True means are N(0, Omega (x) B): Omega is 2 x 2, over
measures; B is the similarity of systems, the mean of both measures' covariances with a fifth of the identity. So
identical systems have no true difference, and similar ones a small one.

Omega has a grid: variances about what means show beyond their noise, correlations from -.8 to .98, and 1, at which no
measure has an error about a system. The likelihood counts half, as contrasts are not independent pieces of evidence.
How many draws have the correlation 1 is an argument: the test of one ranking knows better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.special import ndtr, ndtri

from pt_rankcorr.stats.core.types import Flags, Floats, Indices

MIX = 0.8  # of B, that comes from the scores
INVERTIBLE, NEGLIGIBLE = 1e-12, 1e-6  # of what means show, and of noise: less noise is as good as this much
LEAST = 0.05  # of what a side's means show: the least that is true
TEMPER = 0.5  # power of the likelihood
CELLS = 2**17  # of the matrices that are factored at once: they stay in the cache
INFINITE = 1e280
BANDWIDTH, LEAST_BANDWIDTH = 0.6, 0.5  # of a distribution of means: in sd m^(-1/5), and in standard errors

VARIANCES = np.array([0.6, 0.8, 1.0, 1.25, 1.6])  # times what a side's means show beyond their noise
CORRELATIONS = np.append(np.linspace(-0.8, 0.95, 15), 0.98)


def draw_alike(
    means: Floats,
    noise: Floats,
    errors: Floats,
    perfect: Flags,
    of_sides: Sequence[np.random.Generator],
    rng: np.random.Generator,
) -> Floats:
    """Draws of the true means by both measures.

    Args:
        means: Measured means, shape (2, n_systems).
        noise: Rows whose sums of squares and products are the covariances of the means, (2, n_rows, n_systems).
        errors: Draws of the noise of means, shape (n_draws, 2, n_systems).
        perfect: Those without an error about a system, shape (n_draws,).
        of_sides: For what is drawn for a side alone.
        rng: For what is drawn for both.

    Returns:
        Shape (n_draws, 2, n_systems).
    """
    scales = [NormalScores.of(*side) for side in zip(means, noise, strict=True)]
    straight, slopes = np.stack([scale.scores for scale in scales]), np.stack([scale.slopes for scale in scales])
    drawn = Alike.of(straight, noise * slopes[:, np.newaxis]).draw(errors * slopes, perfect, of_sides, rng)
    drawn += straight.mean(axis=1, keepdims=True)
    return np.stack([scale.back(drawn[:, side]) for side, scale in enumerate(scales)], axis=1)


@dataclass(frozen=True)
class NormalScores:
    """The means of one side, and what they are as quantiles of the normal distribution.

    Attributes:
        means: Shape (n_systems,).
        scores: Their normal scores.
        slopes: Of the curve that takes means to scores, at each system.
    """

    means: Floats
    scores: Floats
    slopes: Floats

    @classmethod
    def of(cls, means: Floats, noise: Floats) -> NormalScores:
        """From means and rows of noise: that of single systems bounds how fine the distribution can be."""
        m = means.size
        error = np.sqrt((noise**2).sum(axis=0)).mean()
        bandwidth = max(BANDWIDTH * means.std() * m**-0.2, LEAST_BANDWIDTH * error) or 1.0
        apart = (means[:, np.newaxis] - means) / bandwidth
        scores = ndtri((ndtr(apart).sum(axis=1) + 0.5) / (m + 1))
        densities = np.exp(-(apart**2) / 2.0).sum(axis=1) / (bandwidth * (m + 1))
        return cls(means, scores, densities / np.exp(-(scores**2) / 2.0))

    def back(self, scores: Floats) -> Floats:
        """The means that belong to normal scores; on by the slopes of the ends beyond them."""
        means, first = np.unique(self.means, return_index=True)
        known, slopes = self.scores[first], self.slopes[first]
        below, above = np.minimum(scores - known[0], 0.0), np.maximum(scores - known[-1], 0.0)
        return np.asarray(np.interp(scores, known, means) + below / slopes[0] + above / slopes[-1])


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
        self, errors: Floats, perfect: Flags, of_sides: Sequence[np.random.Generator], rng: np.random.Generator
    ) -> Floats:
        """Draws of the true means, each less their mean over systems; arguments as of `draw_alike`."""
        size, q = len(errors), len(self.similarity)
        errors = errors / self.scale[:, np.newaxis] @ self.contrasts
        normals = np.stack([side.standard_normal((size, 2, q)) for side in of_sides], axis=1)
        errors *= np.sqrt(1.0 - self.shrunk)
        errors += np.sqrt(self.shrunk) * np.einsum("ij,sjq->siq", self.white, normals[:, :, 0])
        spread = normals[:, :, 1] @ np.linalg.cholesky(self.similarity).T
        omegas = self._grid()
        log_weights = TEMPER * self._log_likelihoods(omegas)
        places = rng.permutation((np.arange(size) + rng.random()) / size)
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
        first, second = (max(shown[k] - noise[k], LEAST * shown[k]) * VARIANCES for k in (0, 1))
        v, w, r = (axis.ravel() for axis in np.meshgrid(first, second, np.append(CORRELATIONS, 1.0), indexing="ij"))
        both = r * np.sqrt(v * w)
        return np.stack([np.stack([v, both], -1), np.stack([both, w], -1)], -1)

    def _log_likelihoods(self, omegas: Floats) -> Floats:
        """Of each Omega: of the first side's contrasts, and of the second's given those, of the Schur complement.

        Omegas of one variance of the first side share its factor. The last row of a factor with x below is L^-1 x.
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


def _drawn(log_weights: Floats, omegas: Floats, quantiles: Floats, *, perfect: bool) -> Indices:
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
