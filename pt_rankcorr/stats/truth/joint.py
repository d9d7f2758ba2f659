"""Draws of the true means by two measures, if errors about systems are independent.

The model of one measure (`shrunken`), with matrices in place of numbers. Let R be the correlation of the noise of both
measures, of what neither topic nor system explains, and x the means of a system by each, in units of their noise. The
two values of t of a pair of systems are spread as a multivariate t of n - 1 degrees of freedom with scatter C = R + G;
G is the scatter of the true differences, in any shape. Given C, true means are Lambda x + Lambda^(1/2) e*, with
Lambda = I - R C^-1, and e* the noise of means over as many topics. Of C only what is at least R is possible. Where the
least eigenvalue of C is that of R, no measure has an error about a system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pt_rankcorr.stats.core.means import NEGLIGIBLE
from pt_rankcorr.stats.core.types import Flags, Floats, Indices
from pt_rankcorr.stats.truth.reliability import mean_differences

MOST_SYSTEMS = 512  # of more, the pairs of so many tell C
EACH = 0.8  # an independent difference counts as so many: by simulation, as their number is estimated
FEWEST = 3.0  # independent differences of systems
NOISELESS = 1e-9  # of the noise of all measures: a combination of them with less is known
INVERTIBLE = 1e-12  # of the size of differences: where they are all alike, so much tells directions apart
STEPS, CLOSE = 100, 1e-6


@dataclass(frozen=True)
class PairsModel:
    """What is known of the true means by two measures, in directions in which their noise is one.

    Attributes:
        units: The noise of each measure, shape (2,).
        into: Takes measures to directions with noise, shape (number of directions, 2).
        back: Takes directions to measures, the inverse of `into` where there is noise.
        scatter: The estimate of C, in directions, where R is the identity.
        weight: How many independent differences the estimate stands for.
    """

    units: Floats
    into: Floats
    back: Floats
    scatter: Floats
    weight: float

    def draw(self, means: Floats, errors: Floats, n_perfect: int, rng: np.random.Generator) -> tuple[Floats, Flags]:
        """Draws of the true means by both measures.

        Args:
            means: Measured means, shape (2, n_systems).
            errors: Draws of the noise of means, shape (n_draws, 2, n_systems).
            n_perfect: How many draws are to be without an error about a system: those that have least.
            rng: What draws.

        Returns:
            Draws of shape (n_draws, 2, n_systems), and which of them are without an error, shape (n_draws,).
        """
        values, directions = np.linalg.eigh(self.draw_scatters(rng, len(errors)))
        # eigenvalues below 1 are impossible: what is possible near 1 is about exponential
        rates = (self.weight * np.maximum(1.0 - values, 0.0) + np.sqrt(2.0 * self.weight)) / 2.0
        values = np.where(values < 1.0, 1.0 + rng.exponential(1.0 / rates), values)
        perfect = np.zeros(len(errors), dtype=np.bool_)
        if values.shape[1] == 2:
            perfect[np.argsort(values[:, 0], kind="stable")[:n_perfect]] = True
            values[perfect, 0] = 1.0
        centre, units = means.mean(axis=1, keepdims=True), self.units[:, np.newaxis]
        shrink, root = self.maps_of(values, directions)
        drawn = (shrink @ ((means - centre) / units) + root @ (errors / units)) * units
        line = drawn[perfect] - drawn[perfect].mean(axis=2, keepdims=True)
        falls = line.prod(axis=1).sum(axis=1) < 0.0
        drawn[perfect, 1] *= np.where(falls, -1.0, 1.0)[:, np.newaxis]
        return drawn + centre, perfect

    def maps_of(self, values: Floats, directions: Floats) -> tuple[Floats, Floats]:
        """Lambda and its root for eigenvalues and eigenvectors of C, shape (n, 2, 2)."""
        ways = self.back @ directions, np.swapaxes(directions, -1, -2) @ self.into
        shares = (1.0 - 1.0 / values)[:, np.newaxis, :]
        known = np.eye(2) - self.back @ self.into
        return ways[0] * shares @ ways[1] + known, ways[0] * np.sqrt(shares) @ ways[1]

    def draw_scatters(self, rng: np.random.Generator, size: int) -> Floats:
        """From the inverse Wishart distribution, Jeffreys' posterior; noise alone makes up for too few systems."""
        k = len(self.scatter)
        added = max(0.0, k - self.weight)
        root = np.linalg.cholesky(self.weight * self.scatter + added * np.eye(k))
        lower = np.tril(rng.standard_normal((size, k, k)), -1)
        freedom = self.weight + added - np.arange(k)
        lower[:, np.arange(k), np.arange(k)] = np.sqrt(rng.chisquare(freedom, size=(size, k)))
        half = np.linalg.solve(lower, np.broadcast_to(root.T, lower.shape))
        return np.asarray(np.swapaxes(half, -1, -2) @ half)


def pairs_model(matrices: Sequence[Floats], *, shared: bool = True) -> PairsModel:
    """Of scores up to about 1 in size; unless topics are shared, noise is not, and numbers of topics may differ."""
    n_topics, n_systems = np.array([len(matrix) for matrix in matrices], dtype=np.float64), matrices[0].shape[1]
    rests = [scores - scores.mean(axis=1, keepdims=True) for scores in matrices]
    rests = [rest - rest.mean(axis=0) for rest in rests]  # what neither topic nor system explains
    covariance = np.diag([(rest**2).sum() for rest in rests])
    if shared:
        covariance[0, 1] = covariance[1, 0] = (rests[0] * rests[1]).sum()
    covariance /= (n_topics - 1.0) * max(n_systems - 1, 1)
    units = np.sqrt(np.diag(covariance))
    noisy = units > NEGLIGIBLE
    units = np.where(noisy, units, 1.0)
    values, directions = np.linalg.eigh(covariance / np.outer(units, units))
    with_noise = values > NOISELESS
    values, directions = np.sqrt(values[with_noise]), directions[:, with_noise]
    into = (directions / values).T
    scatter = scatter_of(into @ _t_of_pairs(matrices, noisy), int(n_topics.min()) - 1)
    units = units * np.sqrt(n_topics[0] / n_topics)  # of a mean, and those of the first are any
    independent = np.mean([effective_systems(rest, len(rest) - 1, n_systems - 1) for rest in rests])
    weight = min(EACH * (n_systems - 1), max(EACH * float(independent), FEWEST))
    return PairsModel(units, into, directions * values, scatter, weight)


def effective_systems(noise: Floats, freedom: int, most: int) -> float:
    """How many independent systems noise of shape (n_topics, n_systems) stands for."""
    products = _smaller_products(noise)
    first, second = np.trace(products), (products**2).sum()
    if freedom > 1:
        second = freedom**2 / ((freedom - 1.0) * (freedom + 2.0)) * (second - first**2 / freedom)
    return float(np.clip(first**2 / max(second, 1e-300), 1.0, most))


def independent_share(noise: Floats, n_contrasts: int) -> float:
    """How far a covariance of noise is to be shrunk to blocks of a multiple of the identity (Ledoit and Wolf 2004).

    Of rows of shape (2, n_rows, n), whose sums of squares and products are the covariances. Each side counts alike, in
    units of its noise.
    """
    per_system = np.einsum("itq,jtq->ij", noise, noise) / max(n_contrasts, 1)
    units = np.sqrt(np.diag(per_system))
    units[units == 0.0] = 1.0
    rows = np.hstack(list(noise / units[:, np.newaxis, np.newaxis]))
    size = (_smaller_products(rows) ** 2).sum()
    apart = size - n_contrasts * ((per_system / np.outer(units, units)) ** 2).sum()
    spread = ((rows**2).sum(axis=1) ** 2).sum() - size / len(rows)
    return float(min(1.0, max(spread / apart, 1.0 / len(rows) ** 2))) if apart > 0.0 else 1.0  # of two topics it is 0


def _smaller_products(rows: Floats) -> Floats:
    """Products of rows or of columns, whichever are fewer: both have one trace, squared as well."""
    return rows @ rows.T if len(rows) <= rows.shape[1] else rows.T @ rows


def scatter_of(t: Floats, freedom: int) -> Floats:
    """The maximum likelihood estimate of a multivariate t distribution about 0, of values of shape (k, n_pairs)."""
    k, n_pairs = t.shape
    size = float((t * t).mean()) if t.size else 0.0
    scatter, least = np.eye(k), max(NOISELESS, INVERTIBLE * size) * np.eye(k)
    for _ in range(STEPS if t.size else 0):
        distances = np.einsum("ip,ip->p", t, np.linalg.solve(scatter, t))
        found = t * ((freedom + k) / (freedom + distances)) @ t.T / n_pairs + least
        done = np.abs(found - scatter).max() <= CLOSE * np.abs(found).max()
        scatter = found
        if done:
            break
    return scatter


def _t_of_pairs(matrices: Sequence[Floats], noisy: Flags) -> Floats:
    """The t statistics of pairs by each measure, shape (2, n_pairs): pairs that vary by every noisy measure."""
    some = _some_systems(np.vstack(matrices))
    pairs = np.triu_indices(some.size, k=1)
    tables = np.array([[table[pairs] for table in mean_differences(matrix[:, some])] for matrix in matrices])
    differences, errors = np.swapaxes(tables, 0, 1)
    t = np.divide(differences, errors, out=np.zeros_like(errors), where=errors > 0.0)
    return np.asarray(t[:, (errors[noisy] > 0.0).all(axis=0)])


def _some_systems(scores: Floats) -> Indices:
    """All of few systems, some of many, the same ones whatever their order."""
    n_systems = scores.shape[1]
    if n_systems <= MOST_SYSTEMS:
        return np.arange(n_systems)
    order = np.lexsort(np.sort(scores, axis=0))
    return np.random.default_rng(0).permutation(order)[:MOST_SYSTEMS]


def mean_of_equals(truths: Floats, scores: Floats) -> Floats:
    """Draws along the last axis, the same for systems that are equal on every topic."""
    group = np.unique(scores, axis=1, return_inverse=True)[1].ravel()
    if np.bincount(group).max() == 1:
        return truths
    member = np.eye(group.max() + 1)[group]
    return np.asarray((truths @ member / member.sum(axis=0))[..., group])


def without_noise(reference: Floats, estimate: Floats, *, shared: bool = True) -> tuple[Floats, Floats]:
    """Both score matrices, with the means of systems brought together until they vary as true means do."""
    scale = [np.abs(scores).max() or 1.0 for scores in (reference, estimate)]
    scaled = [scores / unit for scores, unit in zip((reference, estimate), scale, strict=True)]
    model = pairs_model(scaled, shared=shared)
    values, directions = np.linalg.eigh(model.scatter)
    known = np.eye(2) - model.back @ model.into
    _, root = model.maps_of(np.maximum(values, 1.0)[np.newaxis], directions[np.newaxis])
    means = np.stack([scores.mean(axis=0) for scores in scaled])
    apart = means - means.mean(axis=1, keepdims=True)
    units = model.units[:, np.newaxis]
    moved = (root[0] + known) @ (apart / units) * units - apart
    moved = np.stack([mean_of_equals(side, scores) for side, scores in zip(moved, scaled, strict=True)])
    return reference + moved[0] * scale[0], estimate + moved[1] * scale[1]
