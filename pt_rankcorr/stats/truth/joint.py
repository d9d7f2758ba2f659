"""The model of two measures: what the scores say about the true means of systems by both.

Equations are those of the page "Models of the population" of the documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, ndtri

from pt_rankcorr.stats.core.covariance import effective_systems
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.truth import constants
from pt_rankcorr.stats.truth.reliability import mean_differences

NOISE_FREE = 1e-4  # of the spread of a side's means: a side with less noise has so much
NOISELESS = 1e-9  # an eigenvalue of the correlation R of noise that counts as 0
INVERTIBLE = 1e-12  # of the size of the t statistics: what is added to C, so that it has an inverse
CLOSE = 1e-6  # a step of the maximum likelihood estimate of C by a smaller share is the last


@dataclass(frozen=True)
class PairsModel:
    """The scatter C of the t statistics of pairs, in coordinates in which the correlation R of noise is the identity.

    R has k = 2 dimensions; 1 if the noise of both measures is the same, 0 if neither has any.

    Attributes:
        units: The standard deviation of the noise of each measure, shape (2,).
        whiten: Takes measures to coordinates, shape (k, 2).
        unwhiten: Takes coordinates to measures, shape (2, k).
        scatter: The estimate of C, shape (k, k).
        degrees: Its degrees of freedom.
    """

    units: Floats
    whiten: Floats
    unwhiten: Floats
    scatter: Floats
    degrees: float

    def draw(self, means: Floats, errors: Floats, n_one_ranking: int, rng: np.random.Generator) -> tuple[Floats, Flags]:
        """Draws of the true means by both measures (eq. 8 to 10).

        Args:
            means: Measured means, shape (2, n_systems).
            errors: Draws of the noise of means, shape (n_draws, 2, n_systems).
            n_one_ranking: How many draws have one true ranking: those in which C is nearest to noise alone.
            rng: The generator of the draws of C.

        Returns:
            Draws of shape (n_draws, 2, n_systems), and which of them have one true ranking, shape (n_draws,).
        """
        k, n_draws = len(self.scatter), len(errors)
        uniforms = latin_hypercube(rng, n_draws, k * (k + 3) // 2)
        values, vectors = np.linalg.eigh(self.scatters(uniforms[:, k:]))
        # eigenvalues below 1 are impossible: what is possible near 1 is about exponential
        rates = (self.degrees * np.maximum(1.0 - values, 0.0) + np.sqrt(2.0 * self.degrees)) / 2.0
        values = np.where(values < 1.0, 1.0 - np.log(uniforms[:, :k]) / rates, values)
        has_one_ranking = np.zeros(n_draws, dtype=np.bool_)
        if k > 0:
            has_one_ranking[np.argsort(values[:, 0], kind="stable")[:n_one_ranking]] = True
        if k == 2:
            values[has_one_ranking, 0] = 1.0
        centre, units = means.mean(axis=1, keepdims=True), self.units[:, np.newaxis]
        shrink, root = self.shrinkage(values, vectors)
        drawn = (shrink @ ((means - centre) / units) + root @ (errors / units)) * units
        line = drawn[has_one_ranking] - drawn[has_one_ranking].mean(axis=2, keepdims=True)
        descends = line.prod(axis=1).sum(axis=1) < 0.0
        drawn[has_one_ranking, 1] *= np.where(descends, -1.0, 1.0)[:, np.newaxis]
        return drawn + centre, has_one_ranking

    def shrinkage(self, values: Floats, vectors: Floats) -> tuple[Floats, Floats]:
        """The shrinkage Lambda = I - R C^-1 of means (eq. 9), and its root, which scales their noise.

        Args:
            values: Eigenvalues of C, shape (n, k), at least 1.
            vectors: Its eigenvectors, shape (n, k, k).

        Returns:
            Two arrays of shape (n, 2, 2), in measures. What has no noise is not shrunk.
        """
        out, back = self.unwhiten @ vectors, np.swapaxes(vectors, -1, -2) @ self.whiten
        shares = (1.0 - 1.0 / values)[:, np.newaxis, :]
        return out * shares @ back + self.noise_free, out * np.sqrt(shares) @ back

    @property
    def noise_free(self) -> Floats:
        """The projection on what has no noise, shape (2, 2)."""
        return np.asarray(np.eye(2) - self.unwhiten @ self.whiten)

    def scatters(self, uniforms: Floats) -> Floats:
        """Draws of C from the inverse Wishart distribution (eq. 8) by Bartlett's decomposition, shape (n, k, k).

        They are made of uniform numbers, shape (n, k (k + 1) / 2). Too few degrees of freedom are filled up by those of
        noise.
        """
        k = len(self.scatter)
        added = max(0.0, k - self.degrees)
        root = np.linalg.cholesky(self.degrees * self.scatter + added * np.eye(k))
        lower, diagonal = np.zeros((len(uniforms), k, k)), np.arange(k)
        rows, columns = np.tril_indices(k, -1)
        lower[:, rows, columns] = ndtri(uniforms[:, k:])
        chi_squares = 2.0 * gammaincinv((self.degrees + added - diagonal) / 2.0, uniforms[:, :k])
        lower[:, diagonal, diagonal] = np.sqrt(chi_squares)
        half = np.linalg.solve(lower, np.broadcast_to(root.T, lower.shape))
        return np.asarray(np.swapaxes(half, -1, -2) @ half)


def latin_hypercube(rng: np.random.Generator, n_draws: int, n_columns: int) -> Floats:
    """Uniform numbers, shape (n_draws, n_columns), of which each column has one in each n-th part of (0, 1)."""
    parts = rng.permuted(np.tile(np.arange(n_draws), (n_columns, 1)), axis=1).T
    return np.asarray((parts + rng.uniform(1e-9, 1.0, parts.shape)) / n_draws)


def pairs_model(matrices: Sequence[Floats], *, shared: bool = True) -> PairsModel:
    """Fits the model to two score matrices (eq. 6 and 7).

    Unless topics are shared, noise is not, and numbers of topics may differ.
    """
    n_topics, n_systems = np.array([len(matrix) for matrix in matrices], dtype=np.float64), matrices[0].shape[1]
    residuals = [scores - scores.mean(axis=1, keepdims=True) for scores in matrices]
    residuals = [rows - rows.mean(axis=0) for rows in residuals]  # what neither topic nor system explains
    covariance = np.diag([(rows**2).sum() for rows in residuals])
    if shared:
        covariance[0, 1] = covariance[1, 0] = (residuals[0] * residuals[1]).sum()
    covariance /= (n_topics - 1.0) * max(n_systems - 1, 1)
    units = np.sqrt(np.diag(covariance))
    least = NOISE_FREE * np.array([scores.mean(axis=0).std() for scores in matrices])
    is_noise_free = units <= least
    units = np.where(is_noise_free, np.where(least > 0.0, least, 1.0), units)
    correlation = covariance / np.outer(units, units)
    correlation[is_noise_free] = correlation[:, is_noise_free] = 0.0
    values, vectors = np.linalg.eigh(correlation + np.diag(is_noise_free.astype(np.float64)))
    has_noise = (values > NOISELESS) & ~is_noise_free.all()
    values, vectors = np.sqrt(values[has_noise]), vectors[:, has_noise]
    whiten = (vectors / values).T
    t = t_of_pairs(matrices, np.where(is_noise_free, units * np.sqrt(2.0 / n_topics), 0.0))
    scatter = scatter_of(whiten @ t, int(n_topics.min()) - 1)
    units = units * np.sqrt(n_topics[0] / n_topics)  # of a mean, times one number
    independent = float(np.mean([effective_systems(rows, len(rows) - 1, n_systems - 1) for rows in residuals]))
    per_system = constants.DEGREES_PER_SYSTEM
    degrees = min(per_system * (n_systems - 1), max(per_system * independent, constants.LEAST_DEGREES))
    return PairsModel(units, whiten, vectors * values, scatter, degrees)


def scatter_of(t: Floats, freedom: int) -> Floats:
    """The maximum likelihood estimate of the scatter of a multivariate t distribution about 0, shape (k, k).

    The values t are of shape (k, n_pairs). Each step weighs pairs by their distance in the estimate before.
    """
    k, n_pairs = t.shape
    size = float((t * t).mean()) if t.size else 0.0
    scatter, least = np.eye(k), max(NOISELESS, INVERTIBLE * size) * np.eye(k)
    for _ in range(constants.MOST_STEPS if t.size else 0):
        distances = np.einsum("ip,ip->p", t, np.linalg.solve(scatter, t))
        previous, scatter = scatter, t * ((freedom + k) / (freedom + distances)) @ t.T / n_pairs + least
        if np.abs(scatter - previous).max() <= CLOSE * np.abs(scatter).max():
            break
    return scatter


def t_of_pairs(matrices: Sequence[Floats], noise_free_errors: Floats) -> Floats:
    """The t statistics of pairs of systems by both measures, shape (2, n_pairs), of those that vary by both.

    Of many systems some are taken, the same ones whatever their order. A measure without noise has one standard error
    for all pairs, shape (2,); 0 stands for the other measures, whose errors are their own.
    """
    systems = np.arange(matrices[0].shape[1])
    if systems.size > constants.MOST_COMPARED_SYSTEMS:
        scores = np.vstack(matrices)
        shuffled = np.random.default_rng(0).permutation(np.lexsort(np.sort(scores, axis=0)))
        systems = shuffled[: constants.MOST_COMPARED_SYSTEMS]
    pairs = np.triu_indices(systems.size, k=1)
    tables = np.array([[table[pairs] for table in mean_differences(matrix[:, systems])] for matrix in matrices])
    differences, errors = np.swapaxes(tables, 0, 1)
    errors = np.where(noise_free_errors[:, np.newaxis] > 0.0, noise_free_errors[:, np.newaxis], errors)
    varies = (errors > 0.0).all(axis=0)
    return np.asarray(differences[:, varies] / errors[:, varies])


def mean_of_equals(truths: Floats, scores: Floats) -> Floats:
    """Draws of true means along the last axis, the same for systems whose scores are equal on every topic."""
    group = np.unique(scores, axis=1, return_inverse=True)[1].ravel()
    if np.bincount(group).max() == 1:
        return truths
    member = np.eye(group.max() + 1)[group]
    return np.asarray((truths @ member / member.sum(axis=0))[..., group])


def without_noise(reference: Floats, estimate: Floats, *, shared: bool = True) -> tuple[Floats, Floats]:
    """Both score matrices, with the means of systems brought together until they vary as true means do.

    Resamples of these topics then have the noise of one sample, not of two.
    """
    model = pairs_model([reference, estimate], shared=shared)
    values, vectors = np.linalg.eigh(model.scatter)
    _, root = model.shrinkage(np.maximum(values, 1.0)[np.newaxis], vectors[np.newaxis])
    means = np.stack([scores.mean(axis=0) for scores in (reference, estimate)])
    deviations = means - means.mean(axis=1, keepdims=True)
    units = model.units[:, np.newaxis]
    moved = (root[0] + model.noise_free) @ (deviations / units) * units - deviations
    first, second = map(mean_of_equals, moved, (reference, estimate))
    return reference + first, estimate + second
