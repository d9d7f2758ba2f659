"""Draws of the true means by two measures, if systems that are alike on topics are alike in truth.

Ranks do not depend on a scale, but normal models do. So means go to normal scores, g = Phi^-1(F(x)), F a smooth
distribution function of the means of one side; noise is multiplied by the slope of that curve, and draws come back by
linear interpolation between systems. There, scores are taken to m - 1 orthonormal contrasts of systems. Measured means
x of both sides are true means and noise, N(0, S), S the covariance of means over topics, shrunk to blocks of a multiple
of the identity (Ledoit and Wolf 2004). True means are N(0, Omega (x) B): Omega is 2 x 2, over measures; B is the
similarity of systems, the mean of both measures' covariances with a twentieth of the identity. So identical systems
have no true difference, and similar ones a small one.

Omega has a grid: variances about what means show beyond their noise, correlations from -.8 to .98 at even steps of tau,
and 1, at which no measure has an error about a system. How many draws have the correlation 1 is an argument: the test
of one true ranking gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_solve, solve_triangular
from scipy.special import ndtr, ndtri

from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.truth.joint import independent_share

BANDWIDTH, LEAST_BANDWIDTH = 0.6, 0.5  # of a distribution of means: in sd m^(-1/5), and in standard errors
NEGLIGIBLE = 1e-12  # a variance of noise, in normal scores: as good as none
MIX = 0.95  # of B, that comes from the scores
VARIANCES = np.array([0.6, 0.8, 1.0, 1.25, 1.6])  # times what a side's means show beyond their noise
LEAST = 0.05  # of what a side's means show: the least that is true
CORRELATIONS = np.sin(np.pi / 2.0 * np.linspace(-0.6, 0.87, 16))  # of normal variables with these taus
CELLS = 2**17  # of the matrices that are factored at once: they stay in the cache
INFINITE = 1e280


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
    scores, slopes = np.stack([scale.scores for scale in scales]), np.stack([scale.slopes for scale in scales])
    contrasts = _contrasts(means.shape[1])
    measured = MeasuredContrasts.of(scores @ contrasts, (noise * slopes[:, np.newaxis]) @ contrasts)
    n_draws, q = len(errors), contrasts.shape[1]
    normals = np.stack([side.standard_normal((n_draws, 2, q)) for side in of_sides], axis=1)
    independent = np.einsum("ij,sjq->siq", np.linalg.cholesky(measured.per_system), normals[:, :, 0])
    errors = np.sqrt(1.0 - measured.shrunk) * (errors * slopes) @ contrasts + np.sqrt(measured.shrunk) * independent
    spread = normals[:, :, 1] @ np.linalg.cholesky(measured.similarity).T
    drawn = np.empty(errors.shape)
    for correlations, draws in ((CORRELATIONS, np.flatnonzero(~perfect)), ([1.0], np.flatnonzero(perfect))):
        omegas = measured.grid(correlations)
        log_likelihoods = measured.log_likelihoods(omegas)
        shares = np.cumsum(np.exp(log_likelihoods - log_likelihoods.max()))
        quantiles = rng.permutation((np.arange(draws.size) + rng.random()) / max(draws.size, 1))
        places = np.searchsorted(shares, quantiles * shares[-1])
        for place in np.unique(places):
            of_place = draws[places == place]
            drawn[of_place] = measured.true_means(omegas[place], errors[of_place], spread[of_place])
    back = drawn @ contrasts.T + scores.mean(axis=1, keepdims=True)
    return np.stack([scale.back(back[:, side]) for side, scale in enumerate(scales)], axis=1)


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


class MeasuredContrasts(NamedTuple):
    """What is measured, in q contrasts.

    Attributes:
        means: Of both sides, shape (2, q).
        covariance: S, of their noise, shape (2 * q, 2 * q).
        per_system: The noise of one system, to whose multiple of the identity S is shrunk, shape (2, 2).
        shrunk: By which share.
        similarity: B, shape (q, q).
    """

    means: Floats
    covariance: Floats
    per_system: Floats
    shrunk: float
    similarity: Floats

    @classmethod
    def of(cls, means: Floats, noise: Floats) -> MeasuredContrasts:
        """From contrasts of means, shape (2, q), and of rows of noise, shape (2, n_rows, q)."""
        q, rows = means.shape[1], np.hstack(list(noise))
        covariance = rows.T @ rows
        blocks = covariance.reshape(2, q, 2, q)
        per_system = np.einsum("iqjq->ij", blocks) / q + NEGLIGIBLE * np.eye(2)
        target = np.kron(per_system, np.eye(q))
        shrunk = independent_share(noise, q)
        alike = (blocks[0, :, 0] / per_system[0, 0] + blocks[1, :, 1] / per_system[1, 1]) / 2.0
        similarity = MIX * ((1.0 - shrunk) * alike + shrunk * np.eye(q)) + (1.0 - MIX) * np.eye(q)
        return cls(means, (1.0 - shrunk) * covariance + shrunk * target, per_system, shrunk, similarity)

    def grid(self, correlations: ArrayLike) -> Floats:
        """The Omegas of these correlations, shape (n, 2, 2)."""
        shown, noise = (self.means**2).mean(axis=1), np.diag(self.per_system)
        first, second = np.outer(np.maximum(shown - noise, LEAST * shown + NEGLIGIBLE), VARIANCES)
        v, w, r = (axis.ravel() for axis in np.meshgrid(first, second, correlations, indexing="ij"))
        both = r * np.sqrt(v * w)
        return np.stack([np.stack([v, both], -1), np.stack([both, w], -1)], -1)

    def log_likelihoods(self, omegas: Floats) -> Floats:
        """Of each Omega: of the first side's contrasts, and of the second's given those, of the Schur complement.

        Omegas of one variance of the first side share its factor. The last row of a factor with x below is L^-1 x.
        """
        q, found = len(self.similarity), np.empty(len(omegas))
        covariance, similarity = self.covariance, self.similarity
        step = max(1, CELLS // (q + 1) ** 2)
        for variance in np.unique(omegas[:, 0, 0]):
            factor = np.linalg.cholesky(variance * similarity + covariance[:q, :q])
            beside = np.column_stack([similarity, covariance[:q, q:], self.means[0]])
            alike, noise, x = np.split(solve_triangular(factor, beside, lower=True, check_finite=False), [q, 2 * q], 1)
            own = -np.log(factor.diagonal()).sum() - (x**2).sum() / 2.0
            left = (
                covariance[q:, q:] - noise.T @ noise,
                similarity,
                alike.T @ noise + noise.T @ alike,
                alike.T @ alike,
            )
            missed, moved = self.means[1] - noise.T @ x[:, 0], alike.T @ x[:, 0]
            chosen = (omegas[:, 0, 0] == variance).nonzero()[0]
            for start in range(0, chosen.size, step):
                some = chosen[start : start + step]
                both, second = omegas[some, 0, 1], omegas[some, 1, 1]
                bordered = np.empty((some.size, q + 1, q + 1))
                weights = np.stack([np.ones(some.size), second, -both, -(both**2)], axis=1)
                bordered[:, :-1, :-1] = np.tensordot(weights, left, axes=1)
                bordered[:, -1, :-1] = missed - both[:, np.newaxis] * moved
                bordered[:, -1, -1] = INFINITE
                factors = np.linalg.cholesky(bordered)
                diagonals = np.diagonal(factors, axis1=1, axis2=2)[:, :-1]
                given = -np.log(diagonals).sum(axis=1) - (factors[:, -1, :-1] ** 2).sum(axis=1) / 2.0
                found[some] = own + given
        return found

    def true_means(self, omega: Floats, errors: Floats, spread: Floats) -> Floats:
        """Draws of prior t and noise e, moved to what was measured: t + K (K + S)^-1 (x - t - e), K = Omega (x) B.

        `spread` has the covariance B for each side; it and the errors are of shape (n_draws, 2, q).
        """
        first = np.sqrt(omega[0, 0])
        second = omega[0, 1] / first
        root = np.array([[first, 0.0], [second, np.sqrt(max(omega[1, 1] - second**2, 0.0))]])
        prior = np.kron(omega, self.similarity)
        drawn = np.einsum("ij,sjq->siq", root, spread)
        missed = (self.means - drawn - errors).reshape(len(drawn), -1)
        factor = np.linalg.cholesky(prior + self.covariance)
        moved = cho_solve((factor, True), missed.T, check_finite=False).T @ prior
        return np.asarray(drawn + moved.reshape(drawn.shape))


def _contrasts(n_systems: int) -> Floats:
    """Orthonormal, shape (n_systems, n_systems - 1): each system against the mean of those before it."""
    found = np.zeros((n_systems, n_systems - 1))
    for k in range(1, n_systems):
        found[:k, k - 1], found[k, k - 1] = 1.0 / np.sqrt(k * (k + 1.0)), -k / np.sqrt(k * (k + 1.0))
    return found
