"""Two noisy rankings: a model of the true means of systems by two measures, and draws from it.

A share p/2 of the draws has one true ranking, p being that of the test in `one_ranking`. Equations are those of the
page "Models of the population" of the documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy.special import gammaincinv, ndtri

from pt_rankcorr.stats.core.covariance import effective_systems
from pt_rankcorr.stats.core.means import rounded
from pt_rankcorr.stats.core.ordering import in_given_order, lexsorted
from pt_rankcorr.stats.core.resampling import one_blas_thread
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.truth import constants
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.reliability import mean_differences
from pt_rankcorr.stats.truth.shrunken import noise_of_means

NOISE_FREE = 1e-4  # of the spread of a side's means: a side with less noise has so much
NOISELESS = 1e-9  # an eigenvalue of the correlation R of noise that counts as 0
INVERTIBLE = 1e-12  # of the size of the t statistics: what is added to C, so that it has an inverse
CLOSE = 1e-6  # a step of the maximum likelihood estimate of C by a smaller share is the last


@dataclass(frozen=True)
class PairsModel:
    """The scatter C of the t statistics of pairs, in coordinates in which the correlation R of noise is the identity.

    R has k = 2 dimensions; 1 if the noise of both measures is the same, 0 if neither has any.
    """

    units: Floats  # the standard deviation of the noise of each measure, shape (2,)
    whiten: Floats  # takes measures to coordinates, shape (k, 2)
    unwhiten: Floats  # takes coordinates to measures, shape (2, k)
    scatter: Floats  # the estimate of C, shape (k, k)
    degrees: float  # its degrees of freedom

    def draw(self, means: Floats, errors: Floats, n_one_ranking: int, rng: np.random.Generator) -> tuple[Floats, Flags]:
        """Draws of the true means by both measures (eq. 8 to 10), and which of them have one true ranking: (n_draws,).

        Draws are of the shape of those of the noise, (n_draws, 2, n_systems), measured means of shape (2, n_systems).
        So many draws have one true ranking: those in which C is nearest to noise alone.
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
        """The shrinkage Lambda = I - R C^-1 of means (eq. 9), and its root, which scales their noise: (n, 2, 2) each.

        From eigenvalues of C, at least 1, shape (n, k), and its eigenvectors. What has no noise is not shrunk.
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

        From uniform numbers, shape (n, k (k + 1) / 2). Too few degrees of freedom are filled up by those of noise.
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
    """Fits the model to two score matrices (eq. 6 and 7); unless topics are shared, noise is not."""
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
    """The maximum likelihood estimate, (k, k), of the scatter of multivariate t about 0, shape (k, n_pairs)."""
    k, n_pairs = t.shape
    size = float((t * t).mean()) if t.size else 0.0
    scatter, least = np.eye(k), max(NOISELESS, INVERTIBLE * size) * np.eye(k)
    for _ in range(constants.MOST_STEPS if t.size else 0):  # each weighs pairs by their distance in the one before
        distances = np.einsum("ip,ip->p", t, np.linalg.solve(scatter, t))
        previous, scatter = scatter, t * ((freedom + k) / (freedom + distances)) @ t.T / n_pairs + least
        if np.abs(scatter - previous).max() <= CLOSE * np.abs(scatter).max():
            break
    return scatter


def t_of_pairs(matrices: Sequence[Floats], noise_free_errors: Floats) -> Floats:
    """The t statistics of the pairs of systems that vary by both measures, shape (2, n_pairs).

    Errors, shape (2,), are those of all pairs by a measure without noise, else 0. Of many systems some are taken, the
    same ones whatever their order.
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
    """Both score matrices, with means as close as true ones: so resamples have the noise of one sample, not of two."""
    model = pairs_model([reference, estimate], shared=shared)
    values, vectors = np.linalg.eigh(model.scatter)
    _, root = model.shrinkage(np.maximum(values, 1.0)[np.newaxis], vectors[np.newaxis])
    means = np.stack([scores.mean(axis=0) for scores in (reference, estimate)])
    deviations = means - means.mean(axis=1, keepdims=True)
    units = model.units[:, np.newaxis]
    moved = (root[0] + model.noise_free) @ (deviations / units) * units - deviations
    first, second = map(mean_of_equals, moved, (reference, estimate))
    return reference + first, estimate + second


# --- draws --------------------------------------------------------------------------------------------------


def draw_two_rankings(
    reference: Floats, estimate: Floats, n_draws: int, seed: int, *, shared: bool = True, n_jobs: int | None = None
) -> Floats:
    """Draws of the true means of systems by two measures, rounded as means are: shape (2, n_draws, n_systems).

    Scores are of shape (n_topics, n_systems); unless topics are shared, one side may have more of them. With one seed
    all measures compared with one reference share the sampling of topics. Exchanging the sides exchanges the draws, bit
    for bit: so sides stand in an order that their scores determine, and random numbers belong to topics, by position,
    to a side or to a pair of sides, by their scores.
    """
    in_order = [scores[:, lexsorted(scores[::-1])] for scores in (reference, estimate)]
    keys = [_number_of(scores) for scores in in_order]
    exchanged = (keys[0], in_order[0].tobytes()) > (keys[1], in_order[1].tobytes())
    if exchanged:
        reference, estimate, keys = estimate, reference, keys[::-1]
    keys[1] += keys[0] == keys[1]
    order = lexsorted(np.vstack([estimate, reference])[::-1])  # so that the order of systems changes no draw
    sides = TwoMeasures(np.ascontiguousarray(reference[:, order]), np.ascontiguousarray(estimate[:, order]), shared)
    rng = np.random.default_rng([seed, 1, *keys])
    with one_blas_thread():
        pvalue = pvalue_of_one_ranking(sides)
        errors = _errors(sides, n_draws, seed, keys, n_jobs)
        model = pairs_model(sides.matrices, shared=sides.shared)
        truths, is_one = model.draw(sides.means, errors, n_of_one_ranking(pvalue, n_draws), rng)
        # equal on every topic: by both measures in draws of one ranking, by one in the others
        truths[is_one] = mean_of_equals(truths[is_one], np.vstack(sides.matrices))
        for side, scores in enumerate(sides.matrices):
            truths[~is_one, side] = mean_of_equals(truths[~is_one, side], scores)
    sizes = np.array([np.abs(scores).mean(axis=0).max() for scores in sides.matrices])
    truths = rounded(np.swapaxes(truths, 0, 1), sizes[:, np.newaxis, np.newaxis])
    truths = _with_one_ranking(truths, is_one, pvalue, rng)
    return in_given_order(truths[::-1] if exchanged else truths, order)


def _number_of(in_order: Floats) -> int:
    """A number that stands for these scores, whatever their scale, given systems in an order that they determine."""
    places = np.unique(in_order, return_inverse=True)[1]
    return int.from_bytes(blake2b(places.astype("<i8").tobytes(), digest_size=16).digest(), "little")


def n_of_one_ranking(pvalue: float, n_draws: int) -> int:
    """How many draws have one ranking, so that a two-sided interval reaches 1 where p > 1 - level, else not (eq. 11).

    Where n_draws are too few to tell, an interval of one of the usual levels follows the test.
    """
    if pvalue * n_draws <= 2.0:
        return 0
    reached = int(np.ceil(1.0 + (n_draws - 1) * pvalue / 2.0))  # as quantiles lie between draws
    rejected = [1.0 - level for level in constants.LEVELS if pvalue <= 1.0 - level]
    return int(min([reached, n_draws, *(np.ceil((n_draws - 1) * alpha / 2.0) for alpha in rejected)]))


def _with_one_ranking(truths: Floats, is_one: Flags, pvalue: float, rng: np.random.Generator) -> Floats:
    """Gives one ranking to those draws, shape (2, n_draws, n_systems), that are to have one.

    Where the test rejects at a usual level, draws without one replace others that have one by chance.
    """
    reference, estimate = truths
    order = np.argsort(reference, axis=1)
    along = np.take_along_axis(estimate, order, axis=1)
    has_one = (np.diff(along) >= 0.0).all(axis=1)
    if (turned := is_one & ~has_one).any():
        in_order = estimate[turned]
        np.put_along_axis(in_order, order[turned], np.sort(in_order), axis=1)
        estimate[turned] = in_order
    others = np.flatnonzero(~is_one & ~has_one)
    if pvalue <= 1.0 - min(constants.LEVELS) and others.size:
        by_chance = np.flatnonzero(~is_one & has_one)
        truths[:, by_chance] = truths[:, rng.choice(others, by_chance.size)]
    return truths


def _errors(sides: TwoMeasures, n_draws: int, seed: int, keys: Sequence[int], n_jobs: int | None) -> Floats:
    """Draws of the noise of the means of both sides (eq. 4), shape (n_draws, 2, n_systems)."""
    samples = [(scores, [seed, 0, key]) for scores, key in zip(sides.matrices, keys, strict=True)]
    if sides.shared:  # one sample of topics, by position alone: alike for all measures compared with one reference
        samples = [(np.hstack(sides.matrices), [seed, 0])]
    drawn = [noise_of_means(rows, n_draws, np.random.default_rng(key), n_jobs) for rows, key in samples]
    return np.asarray(np.hstack(drawn).reshape(n_draws, 2, -1))
