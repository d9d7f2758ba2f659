"""The studentised paired bootstrap for many pairs at once, from two matrix products.

For a vector z of n differences, Student's t is a rising function of the share of the sum of squares that the mean
explains, q = (sum z)^2 / (n sum z^2): t^2 = (n - 1) q / (1 - q). To compare |t| is to compare q, and q needs no
difference of nearly equal squares. t is 0 where the mean is 0, and infinite where only the standard deviation is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import NEGLIGIBLE, TOLERANCE
from pt_rankcorr.stats.core.pairs import CACHED_CELLS
from pt_rankcorr.stats.core.resampling import BLOCK_CELLS, TopicSamples, topic_weights
from pt_rankcorr.stats.core.types import Floats, Indices

Real = TypeVar("Real", bound=np.floating[Any])


class PairedDifferences(NamedTuple):
    """Differences of the scores of pairs of systems.

    Attributes:
        means: Shape (n_pairs,).
        shares: q of the differences, shape (n_pairs,).
        centred: The differences less their mean, shape (n_pairs, n_topics), sorted: whatever is drawn from them depends
            neither on the order of the topics nor on which system of a pair comes first.
        signs: 1, or -1 where `centred` are those of the second system less the first, shape (n_pairs,).
    """

    means: Floats
    shares: Floats
    centred: Floats
    signs: Floats


def paired_differences(first: Floats, second: Floats) -> PairedDifferences:
    """Differences of scores, of shape (n_pairs, n_topics) each; what is but rounding error of the scores becomes 0."""
    magnitudes = np.maximum(np.abs(first), np.abs(second))
    highest = magnitudes.max(axis=-1, keepdims=True)
    differences = np.sort(_clean(first - second, magnitudes), axis=-1)
    signs = _signs(differences, highest)
    negative = signs[:, 0] < 0.0
    differences[negative] = -differences[negative, ::-1]
    means = _clean(differences.mean(axis=-1), magnitudes.mean(axis=-1))
    centred = _clean(differences - means[:, np.newaxis], highest)
    shares = _ratio(means**2, means**2 + (centred**2).mean(axis=-1))
    return PairedDifferences(means * signs[:, 0], shares, centred, signs[:, 0])


def _signs(ascending: Floats, magnitudes: Floats) -> Floats:
    """By which sorted differences are multiplied, so that those of (x, y) and of (y, x) become the same."""
    half = (ascending.shape[1] + 1) // 2
    skew = _clean(ascending[:, :half] + ascending[:, : -half - 1 : -1], magnitudes)  # all 0 if it does not matter
    first = (skew != 0.0).argmax(axis=-1)[:, np.newaxis]
    return np.where(np.take_along_axis(skew, first, axis=-1) < 0.0, -1.0, 1.0)


def _clean(values: Floats, magnitudes: Floats) -> Floats:
    """Overwrites the values."""
    np.copyto(values, 0.0, where=np.abs(values) <= NEGLIGIBLE * magnitudes)
    return values


def _ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 0 for 0 / 0; overwrites both."""
    np.maximum(whole, np.finfo(np.float64).tiny, out=whole)
    return np.divide(part, whole, out=part)


class Resampled(NamedTuple):
    """The mean and the share q of each bootstrap sample of centred differences, shape (n_pairs, n_resamples)."""

    means: Floats
    shares: Floats


def resample(centred: Floats, samples: TopicSamples) -> Iterator[tuple[slice, Resampled]]:
    """The bootstrap samples of centred differences, as slices of pairs whose arrays stay in the cache.

    Weights of 32 MiB at most are drawn once, for one slice after the other; of more, for all pairs block by block.
    """
    n_resamples, step = samples.n_resamples, max(1, CACHED_CELLS // samples.n_resamples)
    are_held = n_resamples * samples.n_topics <= BLOCK_CELLS
    weights = [np.concatenate(list(samples.weights()))] if are_held else samples.weights()
    sums = None if are_held else _sums(centred, weights, n_resamples)
    for at in range(0, len(centred), step):
        some = slice(at, at + step)
        yield some, resampled(*(_sums(centred[some], weights, n_resamples) if sums is None else sums[:, some]))


def _sums(differences: Floats, weights: Iterable[Floats], n_resamples: int) -> Floats:
    """Weighted means of differences and of their squares, shape (2, n_pairs, n_resamples)."""
    squared, sums, at = differences**2, np.empty((2, len(differences), n_resamples)), 0
    for block in weights:
        for into, values in zip(sums, (differences, squared), strict=True):
            np.matmul(values, block.T, out=into[:, at : at + len(block)])
        at += len(block)
    sums /= differences.shape[1]
    return sums


def draw_sums(differences: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Of a single pair: weighted means of its differences and of their squares, shape (size, 2)."""
    weights = topic_weights(rng, size, differences.size)
    return np.stack([weights @ differences, weights @ differences**2], axis=1) / differences.size


def resampled(means: Floats, squares: Floats) -> Resampled:
    """From means of differences, shape (n_pairs, n_resamples), and of their squares, which are overwritten."""
    return Resampled(means, _ratio(means**2, squares))


def count_as_extreme(shares: Floats, observed: Floats) -> Floats:
    """How many samples have |t| at least as large as the observed shares, shape (n_pairs,): all if that t is 0."""
    counts = (shares > lower_limit(observed)[:, np.newaxis]).sum(axis=-1, dtype=np.float64)
    return np.where(observed == 0.0, float(shares.shape[-1]), counts)


def lower_limit(shares: Floats) -> Floats:
    """What a share q must exceed to be as large, given its rounding error, which goes with sqrt(q)."""
    return np.maximum(shares - 2 * TOLERANCE * np.sqrt(shares), 0.0)


def standard_errors(centred: Floats) -> Floats:
    """sd / sqrt(n) of centred differences, shape (n_pairs, n_topics)."""
    return np.asarray(np.sqrt((centred**2).mean(axis=-1) / (centred.shape[1] - 1)))


def mean_at(samples: Resampled, critical: Floats) -> tuple[Floats, Floats]:
    """|mean| of the sample with the critical share, of each pair, and which sample; the largest where samples tie."""
    at_rank = critical[:, np.newaxis]
    tied = np.abs(samples.shares - at_rank) <= 2 * TOLERANCE * np.sqrt(at_rank)
    sizes = np.where(tied, np.abs(samples.means), 0.0)
    at = first_largest(sizes)
    return sizes[np.arange(at.size), at], at.astype(np.float64)


def first_largest(values: Floats) -> Indices:
    """Where the largest value stands along the last axis: the first of those that equal it but for rounding errors."""
    return np.asarray((values >= values.max(axis=-1, keepdims=True) * (1.0 - NEGLIGIBLE)).argmax(axis=-1))


def nth_largest(values: NDArray[Real], rank: int) -> NDArray[Real]:
    """The rank-th largest value along the last axis, 1 for the largest."""
    at = values.shape[-1] - rank
    return np.array(np.partition(values, at, axis=-1)[..., at])  # a copy: a view would keep all the values


def students_t(means: Floats, shares: Floats, n_topics: int) -> Floats:
    """Student's t, with the sign of the means."""
    unexplained = np.where(shares >= 1.0 - TOLERANCE, 0.0, 1.0 - shares)
    with np.errstate(divide="ignore"):
        size = np.sqrt((n_topics - 1) * shares / unexplained)
    return np.asarray(np.copysign(np.where(shares > 0.0, size, 0.0), means))
