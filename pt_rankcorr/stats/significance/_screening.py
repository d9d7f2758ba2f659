"""The paired bootstrap of many pairs in single precision: most of what it tells is sure, the rest is left open.

z are the centred differences of a pair, and w is how often a resample holds each of n topics. Its |t| is a rising
function of r = |sum w z| / sqrt(n sum w z^2), in [0, 1]. A sum of n products in single precision, added in any order,
misses by at most g sum w |z|, with g = k u / (1 - k u), u = 2^-24 and k roundings on the way of each term (Higham,
"Accuracy and stability of numerical algorithms", 2002, section 3.1). By Cauchy and Schwarz sum w |z| is at most
sqrt(n sum w z^2), and sum w z^2 misses by at most g times itself. So r misses by at most g + g/2, and what is of
second order in g: for all scores by less than the margin 2 g. No square is too small for single precision, as z is in
units of the largest, and 0 if it is below 1e-12 of the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.pairs import Pairs
from pt_rankcorr.stats.core.resampling import BLOCK_CELLS, TopicSamples
from pt_rankcorr.stats.core.studentised import (
    PAIR_CELLS,
    TOLERANCE,
    PairedDifferences,
    largest,
    lower_limit,
    nth_largest,
    paired_differences,
    students_t,
)
from pt_rankcorr.stats.core.types import Floats

Singles: TypeAlias = NDArray[np.float32]

OTHER_ROUNDINGS = 8  # of a term beside its n sums: of z, its square, the product, the quotient, and limits
ENDS = np.array([[-1.0], [1.0]])  # at least, at most
LEAST_TOPICS, MOST_TOPICS = 25, 2000  # of fewer, too many resamples tie at a limit; of more, too many are near it
LEAST_PAIRS = 200
UNSURE = TOLERANCE / 2  # of what is computed in double precision: ties are four times as far from their limit
MOST_OPEN = 1 / 32  # of the resamples of a pair, that are cheaper to compute one by one than all together


def is_worthwhile(samples: TopicSamples, n_pairs: int) -> bool:
    """Whether pairs are computed faster so: if they are many, of resamples that can be held."""
    can_be_held = samples.n_topics * samples.n_resamples <= BLOCK_CELLS
    return can_be_held and LEAST_TOPICS <= samples.n_topics <= MOST_TOPICS and n_pairs >= LEAST_PAIRS


def held_weights(samples: TopicSamples) -> Singles:
    """How often each resample holds each topic, shape (n_resamples, n_topics)."""
    return np.concatenate([block.astype(np.float32) for block in samples.weights()])


def screen(matrix: Floats, weights: Singles, rank: int, pairs: Pairs) -> tuple[Floats, NDArray[np.bool_]]:
    """The resamples at least as extreme as each pair, and which pairs must be computed in double precision.

    Those are the ones whose count is open, here nan, and those that may need the largest difference of all these pairs,
    at the rank-th largest |t|.
    """
    systems, step, found = np.ascontiguousarray(matrix.T), max(1, PAIR_CELLS // max(weights.shape)), []
    room = np.empty(3 * step * len(weights), dtype=np.float32)  # the system is slow to give it anew for each step
    for at in range(0, pairs.first.size, step):
        first, second = (systems[side[at : at + step]] for side in pairs)
        found.append(_screen(paired_differences(first, second), weights, rank, room))
    counts, *needed = map(np.hstack, zip(*found, strict=True))
    is_open = np.isnan(counts)
    for least, most in needed:
        is_open |= most >= least.max()
    return counts, is_open


def _screen(observed: PairedDifferences, weights: Singles, rank: int, room: Singles) -> tuple[Floats, Floats, Floats]:
    resampled = Screened.of(observed.centred, weights, room)
    critical = np.sqrt(nth_largest(resampled.shares, rank), dtype=np.float64)
    return _counts(resampled, observed.shares), _required(resampled, critical), _published(resampled, critical)


@dataclass(frozen=True)
class Screened:
    """Resamples of pairs, in single precision.

    Attributes:
        unit: Of the differences, shape (n_pairs, 1).
        differences: The centred differences in this unit, in double precision, shape (n_pairs, n_topics).
        weights: How often each resample holds each topic, shape (n_resamples, n_topics).
        sums: sum w z, shape (n_pairs, n_resamples).
        squares: n sum w z^2, of the same shape.
        shares: r^2, of the same shape.
    """

    unit: Floats
    differences: Floats
    weights: Singles
    sums: Singles
    squares: Singles
    shares: Singles

    @classmethod
    def of(cls, centred: Floats, weights: Singles, room: Singles) -> Screened:
        """In the given room, which is overwritten."""
        (n_pairs, n_topics), n_resamples = centred.shape, len(weights)
        unit = largest(centred)
        differences = centred / unit
        values = np.empty((2, n_pairs, n_topics), dtype=np.float32)
        values[0] = differences
        np.multiply(values[0] ** 2, np.float32(n_topics), out=values[1])
        sums, squares, shares = room[: 3 * n_pairs * n_resamples].reshape(3, n_pairs, n_resamples)
        np.matmul(values.reshape(-1, n_topics), weights.T, out=room[: 2 * sums.size].reshape(-1, n_resamples))
        np.square(sums, out=shares)
        shares /= np.maximum(squares, np.finfo(np.float32).tiny, out=squares)
        return cls(unit, differences, weights, sums, squares, shares)

    @property
    def n_topics(self) -> int:
        return int(self.weights.shape[1])

    @property
    def margin(self) -> float:
        """By which r may be wrong."""
        roundings = (self.n_topics + OTHER_ROUNDINGS) * 2.0**-24
        return 2 * roundings / (1 - roundings)

    def between(self, ends: Floats) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Where r is not outside of the ends of each pair, shape (2, n_pairs), in the raveled array; and above them."""
        low, high = (np.maximum(ends, 0.0) ** 2).astype(np.float32)[:, :, np.newaxis]
        above = self.shares > high
        return np.flatnonzero((self.shares >= low) != above), above


def _counts(resampled: Screened, observed: Floats) -> Floats:
    """As `studentised.count_as_extreme` counts them; nan for pairs where too many resamples are near the limit."""
    n_pairs, n_resamples = resampled.shares.shape
    limits = lower_limit(observed)
    near, above = resampled.between(np.sqrt(limits) + resampled.margin * ENDS)
    pairs, resamples = np.divmod(near, n_resamples)
    is_open = np.bincount(pairs, minlength=n_pairs) > MOST_OPEN * n_resamples
    few = ~is_open[pairs]
    pairs, resamples = pairs[few], resamples[few]
    beyond = _exact_shares(resampled, pairs, resamples) - limits[pairs]
    is_open[pairs[np.abs(beyond) <= UNSURE * np.sqrt(limits[pairs])]] = True  # another order of sums may decide it
    extreme = beyond > 0.0
    counts = np.bitwise_count(np.packbits(above, axis=-1)).sum(axis=-1, dtype=np.float64)
    counts += np.bincount(pairs[extreme], minlength=n_pairs)
    return np.where(observed == 0.0, float(n_resamples), np.where(is_open, np.nan, counts))


def _exact_shares(resampled: Screened, pairs: NDArray[np.intp], resamples: NDArray[np.intp]) -> Floats:
    """r^2 of single resamples of pairs, in double precision."""
    drawn, differences = resampled.weights[resamples], resampled.differences[pairs]
    sums = np.einsum("ij,ij->i", drawn, differences)
    squares = np.einsum("ij,ij,ij->i", drawn, differences, differences)
    return np.asarray(sums**2 / np.maximum(resampled.n_topics * squares, np.finfo(np.float64).tiny))


def _required(resampled: Screened, critical: Floats) -> Floats:
    """The least and the most that the differences with the critical r can be, shape (2, n_pairs)."""
    n_topics = resampled.n_topics
    ends = np.clip(critical + resampled.margin * ENDS, 0.0, 1.0)
    squares = np.einsum("ij,ij->i", resampled.differences, resampled.differences)
    errors = resampled.unit[:, 0] * np.sqrt(squares / n_topics / (n_topics - 1))
    return np.asarray(students_t(np.ones(len(errors)), ends**2, n_topics) * errors)


def _published(resampled: Screened, critical: Floats) -> Floats:
    """The same of the mean differences of the resamples that have the critical r."""
    near, _ = resampled.between(critical + 2 * resampled.margin * ENDS)  # both r may be wrong
    sizes = np.abs(resampled.sums.ravel()[near], dtype=np.float64)
    lost = resampled.margin * np.sqrt(resampled.squares.ravel()[near], dtype=np.float64)
    n_pairs, n_resamples = resampled.shares.shape
    of_each_pair = np.searchsorted(near, np.arange(n_pairs) * n_resamples)
    ends = np.minimum.reduceat(sizes - lost, of_each_pair), np.maximum.reduceat(sizes + lost, of_each_pair)
    return np.array(ends) * (resampled.unit[:, 0] / resampled.n_topics)
