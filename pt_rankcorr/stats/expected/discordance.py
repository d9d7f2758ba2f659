"""Probabilities that two systems are swapped in the true ranking, for all pairs at once.

An estimator is fitted once and gives the probabilities at any number of topics: the differences between systems stay as
observed, and their standard errors shrink with the square root of that number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, ndtri, stdtr

from pt_rankcorr.stats.core.means import round_significant, sizes_of, system_means, system_order
from pt_rankcorr.stats.core.resampling import blockwise, topic_weights
from pt_rankcorr.stats.core.results import cached_property
from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.stats.expected._bandwidth import GRID, plug_in_bandwidths

PAIR_CELLS = 2**18  # cells of one block of pairs: 2 MiB, which stays in the cache


@dataclass(frozen=True)
class RankedPairs:
    """All pairs of systems, the better one first.

    Attributes:
        scores: Shape (n_systems, n_topics), best system first.
        means: Their rounded means, descending.
        order: Where each of them stands in the matrix that was given.
    """

    scores: Floats
    means: Floats
    order: Indices

    @property
    def n_topics(self) -> int:
        return int(self.scores.shape[1])

    @property
    def n_systems(self) -> int:
        return int(self.scores.shape[0])

    @cached_property
    def indices(self) -> tuple[Indices, Indices]:
        """The better and the worse system of each pair."""
        better, worse = np.triu_indices(self.n_systems, 1)
        return better, worse

    @cached_property
    def gaps(self) -> Floats:
        better, worse = self.indices
        return np.asarray(self.means[better] - self.means[worse])

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """The pairs without variance, but for rounding errors."""
        tolerances = 100 * np.finfo(np.float64).eps * self.magnitudes
        return np.asarray(self.over_topics(lambda differences: np.ptp(differences, axis=1)) <= tolerances)

    @cached_property
    def magnitudes(self) -> Floats:
        """The largest score of each pair, which the rounding error of its differences goes with."""
        (better, worse), largest = self.indices, np.abs(self.scores).max(axis=1)
        return np.asarray(np.maximum(largest[better], largest[worse]))

    def over_topics(self, statistic: Callable[[Floats], Floats], cells: int = 1, *, rounded: bool = False) -> Floats:
        """A statistic of the differences over topics: takes (n_pairs, n_topics), returns (n_pairs,), in blocks.

        `cells` is what the statistic needs for a pair. Rounded differences tie where exact ones do: 0.3 - 0.2 is 0.1.
        """
        step = max(1, PAIR_CELLS // max(self.n_topics, cells))
        blocks = (slice(at, at + step) for at in range(0, self.gaps.size, step))
        return np.concatenate([statistic(self._differences(block, rounded)) for block in blocks])

    def _differences(self, block: slice, rounded: bool) -> Floats:
        better, worse = (index[block] for index in self.indices)
        differences = self.scores[better] - self.scores[worse]
        return round_significant(differences, self.magnitudes[block, np.newaxis]) if rounded else differences

    def by_row(self, statistic: Callable[[int, slice], Floats]) -> Floats:
        """A statistic of one system and all below it: takes the system, and where its pairs stand among all."""
        ends = np.cumsum(np.arange(self.n_systems - 1, 0, -1)).tolist()
        return np.concatenate([statistic(row, slice(*ends_of)) for row, ends_of in enumerate(pairwise([0, *ends]))])

    def as_matrix(self, values: Floats) -> Floats:
        """Values of pairs as a symmetric matrix, in the order of systems that was given; the diagonal is 0."""
        matrix = np.zeros((self.n_systems, self.n_systems))
        better, worse = (self.order[index] for index in self.indices)
        matrix[better, worse] = matrix[worse, better] = values
        return matrix


def pairs_of(scores: Floats) -> RankedPairs:
    """The pairs of the systems of a matrix of shape (n_topics, n_systems), its topics in one order."""
    systems, means = system_order(scores), system_means(scores)
    order = systems[np.argsort(-means[systems], kind="stable")]
    return RankedPairs(np.ascontiguousarray(scores[:, order].T), means[order], order)


@dataclass(frozen=True)
class Resamples:
    """The observed means, and those of resampled topics, shape (n_resamples, n_systems), not rounded.

    The digits of rounded means count from the sizes of the scores, shape (n_systems,).
    """

    observed: Floats
    means: Floats
    sizes: Floats
    n_topics: int

    def at(self, n_topics: float) -> Floats:
        """The means as they would scatter around the observed ones, had there been so many topics."""
        shrinkage = math.sqrt(self.n_topics / n_topics)
        return round_significant(self.observed + (self.means - self.observed) * shrinkage, self.sizes)


def resample(pairs: RankedPairs, n_resamples: int, rng: np.random.Generator, n_jobs: int | None) -> Resamples:
    """The bootstrap over topics, jointly for all systems."""
    compute = partial(_resample_means, np.ascontiguousarray(pairs.scores.T))
    means = blockwise(compute, n_resamples, cells=sum(pairs.scores.shape), rng=rng, n_jobs=n_jobs)
    return Resamples(pairs.means, means, sizes_of(pairs.scores.T), pairs.n_topics)


def _resample_means(scores: Floats, rng: np.random.Generator, size: int) -> Floats:
    n_topics = scores.shape[0]
    return np.asarray(topic_weights(rng, size, n_topics) @ scores / n_topics)


# The probabilities of discordance of all pairs at any number of topics.
Estimator: TypeAlias = Callable[[float], Floats]


def _of_student(pairs: RankedPairs, deviations: Floats, n_topics: float) -> Floats:
    """The mean difference follows a t distribution (section 3.1.1 of Urbano and Marrero, equation 5)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -math.sqrt(n_topics) * pairs.gaps / deviations
    return swapped(pairs, stdtr(pairs.n_topics - 1, t))


def bootstrap(pairs: RankedPairs, resamples: Resamples) -> Estimator:
    """The share of resamples in which the pair is swapped, ties counting one half (section 3.1.3, equation 10)."""
    return partial(_of_resamples, pairs, resamples)


def _of_resamples(pairs: RankedPairs, resamples: Resamples, n_topics: float) -> Floats:
    means = np.ascontiguousarray(resamples.at(n_topics).T)
    return swapped(pairs, pairs.by_row(partial(_share_swapped, means)))


def kernel(pairs: RankedPairs, resamples: Resamples) -> Estimator:
    """Bootstrap means of a Gaussian kernel estimate, their kernel noise integrated out (section 3.1.4).

    Such a resample is one of the data plus normal noise of deviation h, the direct plug-in bandwidth of the pair: its
    mean is negative with probability Phi(-mean* / (h / sqrt(n))). Where there is no bandwidth, maximum likelihood.
    """
    bandwidths, otherwise = pairs.over_topics(plug_in_bandwidths, cells=GRID), maximum_likelihood(pairs)
    return partial(_of_smooth_resamples, pairs, resamples, bandwidths, otherwise)


def _of_smooth_resamples(
    pairs: RankedPairs, resamples: Resamples, bandwidths: Floats, otherwise: Estimator, n_topics: float
) -> Floats:
    means = np.ascontiguousarray(resamples.at(n_topics).T)
    noise = bandwidths / math.sqrt(n_topics)
    with np.errstate(divide="ignore", invalid="ignore"):
        smooth = pairs.by_row(partial(_share_swapped_smoothly, means, noise))
    return np.where(np.isfinite(noise), swapped(pairs, smooth), otherwise(n_topics))


def _share_swapped(means: Floats, row: int, _: slice) -> Floats:
    above, below = means[row], means[row + 1 :]
    swapped, tied = (above < below).sum(axis=1), (above == below).sum(axis=1)
    return np.asarray((swapped + tied / 2.0) / above.size)


def _share_swapped_smoothly(means: Floats, noise: Floats, row: int, block: slice) -> Floats:
    differences = means[row + 1 :] - means[row]
    return np.asarray(ndtr(differences / noise[block, np.newaxis]).mean(axis=1))


def swapped(pairs: RankedPairs, probabilities: Floats) -> Floats:
    """The probabilities that pairs are: 1/2 for tied means, 0 for pairs without variance."""
    return np.where(pairs.gaps == 0.0, 0.5, np.where(pairs.constant, 0.0, probabilities))


def maximum_likelihood(pairs: RankedPairs) -> Estimator:
    """The unbiased standard deviation of normal differences (equations 6 and 7)."""
    n = pairs.n_topics
    log_correction = (math.log((n - 1) / 2) / 2) + gammaln((n - 1) / 2) - gammaln(n / 2)
    deviations = pairs.over_topics(lambda differences: np.asarray(differences.std(axis=1, ddof=1)))
    return partial(_of_student, pairs, deviations * math.exp(log_correction))


def minimum_squared_quantile_deviation(pairs: RankedPairs) -> Estimator:
    """The deviation that brings the differences closest to evenly spread normal quantiles (equations 8 and 9)."""
    return partial(_of_student, pairs, pairs.over_topics(_quantile_deviations, rounded=True))


def _quantile_deviations(differences: Floats) -> Floats:
    """The slope of the line through the differences as a function of their normal quantiles z_k = sqrt(2) e_k.

    Without ties this is equation 9, sum(D z) / sum(z^2). With ties only the slope minimises the squared deviations.
    """
    ascending = np.sort(differences, axis=1)
    quantiles = _normal_quantiles(ascending)
    quantiles = quantiles - quantiles.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(_row_products(ascending, quantiles) / _row_products(quantiles, quantiles))


def _normal_quantiles(ascending: Floats) -> Floats:
    """Those of R/(n + 1), R the average ranks in each row."""
    n = ascending.shape[1]
    quantiles = np.tile(ndtri(np.arange(1, n + 1) / (n + 1)), (len(ascending), 1))
    tied = (ascending[:, 1:] == ascending[:, :-1]).any(axis=1)
    if tied.any():
        from scipy.stats import rankdata  # takes longer to import than all of this package

        quantiles[tied] = ndtri(rankdata(ascending[tied], axis=1) / (n + 1))
    return quantiles


def _row_products(first: Floats, second: Floats) -> Floats:
    return np.asarray(np.einsum("pt,pt->p", first, second))
