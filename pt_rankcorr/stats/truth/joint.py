"""Draws that stand for the true means by several measures of the same topics, which share their sampling error.

The model of one measure, with matrices in place of numbers. Let R be the correlation of the noise of k measures, of
what neither topic nor system explains, and x the means of a system by each, in units of their noise. The k values of t
of a pair of systems are spread as a multivariate t of n - 1 degrees of freedom with scatter C = R + G; G is the scatter
of the true differences, in any shape. Given C, true means are Lambda x + Lambda^(1/2) e*, with Lambda = I - R C^-1, and
e* the noise of means over as many topics. Of C only what is at least R is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import NEGLIGIBLE
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.pairs import Indices, mean_differences

MOST_SYSTEMS = 512  # of more, the pairs of so many tell C
CONTRASTS = 0.75  # each of the m - 1 contrasts counts as so many: by simulation, as systems are alike in groups
NOISELESS = 1e-9  # of the noise of all measures: a combination of them with less is known
INVERTIBLE = 1e-12  # of the size of differences: where they are all alike, so much tells directions apart
STEPS, CLOSE = 100, 1e-6


@dataclass(frozen=True)
class Joint:
    """What is known of the true means by k measures, in directions in which their noise is one.

    Attributes:
        units: The noise of each measure, shape (k,).
        into: Takes measures to directions with noise, shape (number of directions, k).
        back: Takes directions to measures, the inverse of `into` where there is noise.
        scatter: The estimate of C, in directions, where R is the identity.
        weight: How many independent differences the estimate stands for.
    """

    units: Floats
    into: Floats
    back: Floats
    scatter: Floats
    weight: float

    @property
    def n_measures(self) -> int:
        return self.units.size

    def spectra(self, rng: np.random.Generator, size: int) -> tuple[Floats, Floats]:
        """Draws of the eigenvalues of C, ascending, and of its eigenvectors."""
        values, directions = np.linalg.eigh(self._draw_scatters(rng, size))
        return _at_least_one(values, self.weight, rng), directions

    def maps_of(self, values: Floats, directions: Floats) -> tuple[Floats, Floats]:
        """Lambda and its root for eigenvalues and eigenvectors of C, shape (size, k, k)."""
        ways = self.back @ directions, np.swapaxes(directions, -1, -2) @ self.into
        shares = (1.0 - 1.0 / values)[:, np.newaxis, :]
        known = np.eye(self.n_measures) - self.back @ self.into
        return ways[0] * shares @ ways[1] + known, ways[0] * np.sqrt(shares) @ ways[1]

    def _draw_scatters(self, rng: np.random.Generator, size: int) -> Floats:
        """From the inverse Wishart distribution, Jeffreys' posterior; noise alone makes up for too few systems."""
        k = len(self.scatter)
        added = max(0.0, k - self.weight)
        root = np.linalg.cholesky(self.weight * self.scatter + added * np.eye(k))
        lower = np.tril(rng.standard_normal((size, k, k)), -1)
        freedom = self.weight + added - np.arange(k)
        lower[:, np.arange(k), np.arange(k)] = np.sqrt(rng.chisquare(freedom, size=(size, k)))
        half = np.linalg.solve(lower, np.broadcast_to(root.T, lower.shape))
        return np.asarray(np.swapaxes(half, -1, -2) @ half)


def _at_least_one(values: Floats, weight: float, rng: np.random.Generator) -> Floats:
    """Eigenvalues of C below 1 are impossible: what is possible near 1 is about exponential."""
    rates = (weight * np.maximum(1.0 - values, 0.0) + np.sqrt(2.0 * weight)) / 2.0
    possible = 1.0 + rng.exponential(1.0 / rates)
    return np.where(values < 1.0, possible, values)


def without_noise(reference: Floats, estimate: Floats, *, shared: bool = True) -> tuple[Floats, Floats]:
    """Both score matrices, with the means of systems brought together until they vary as true means do."""
    scale = [np.abs(scores).max() or 1.0 for scores in (reference, estimate)]
    scaled = [scores / unit for scores, unit in zip((reference, estimate), scale, strict=True)]
    joint = joint_model(scaled, shared=shared)
    values, directions = np.linalg.eigh(joint.scatter)
    known = np.eye(2) - joint.back @ joint.into
    _, root = joint.maps_of(np.maximum(values, 1.0)[np.newaxis], directions[np.newaxis])
    means = np.stack([scores.mean(axis=0) for scores in scaled])
    apart = means - means.mean(axis=1, keepdims=True)
    units = joint.units[:, np.newaxis]
    moved = (root[0] + known) @ (apart / units) * units - apart
    for at, scores in enumerate(scaled):
        group = np.unique(scores, axis=1, return_inverse=True)[1].ravel()
        moved[at] = mean_of_equals(moved[np.newaxis, at], group)[0]
    return reference + moved[0] * scale[0], estimate + moved[1] * scale[1]


def mean_of_equals(truths: Floats, group: Indices) -> Floats:
    if np.bincount(group).max() == 1:
        return truths
    member = np.eye(group.max() + 1)[group]
    return np.asarray((truths @ member / member.sum(axis=0))[..., group])


def joint_model(matrices: Sequence[Floats], *, shared: bool = True) -> Joint:
    """Of scores up to about 1 in size; unless topics are shared, noise is not, and numbers of topics may differ."""
    n_topics, n_systems = np.array([len(matrix) for matrix in matrices], dtype=np.float64), matrices[0].shape[1]
    residuals = [_interaction(matrix).ravel() for matrix in matrices]
    together = np.array(residuals) if shared else None
    covariance = np.diag([each @ each for each in residuals]) if together is None else together @ together.T
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
    return Joint(units, into, directions * values, scatter, CONTRASTS * (n_systems - 1))


def _interaction(scores: Floats) -> Floats:
    by_topic = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(by_topic - by_topic.mean(axis=0))


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


def _t_of_pairs(matrices: Sequence[Floats], noisy: NDArray[np.bool_]) -> Floats:
    """The t statistics of pairs by each measure, shape (k, n_pairs): pairs that vary by every noisy measure."""
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
