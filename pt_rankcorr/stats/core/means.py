"""The means of systems, rounded, their ranks, and all pairs of systems.

Equal means may differ in their last bits by the order of summation. So every ranking is taken from
means that are rounded to twelve digits after the point, for scores of at most 1 in size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr.stats.core.types import Flags, Floats, Indices

# Means are rounded to this many digits after the point, for scores of at most 1 in size. Double
# precision has some 16, and sums of thousands of scores lose two or three.
DIGITS = 12
# What is smaller than this share of a score is its rounding error.
NEGLIGIBLE = 10.0**-DIGITS
# Arrays of this many cells, 256 KiB, are made at a time: several of them stay in the cache.
CACHED_CELLS = 2**15


def system_means(scores: Floats) -> Floats:
    """The mean of each column of scores, shape (n_topics, n_systems), rounded."""
    return round_means(scores.mean(axis=0), scores)


def round_means(means: Floats, scores: Floats) -> Floats:
    """Means of these scores, or of resamples of them, of any shape, rounded in the scores' unit."""
    # the largest in size, without an array of sizes: many blocks of resamples look for it
    largest = np.maximum(scores.max(initial=0.0), -scores.min(initial=0.0))
    return rounded(means, largest, _digits_of(scores))


def rounded_scores(scores: Floats) -> Floats:
    """Scores of systems, (..., m), rounded as means are, as they may be means."""
    largest = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    return rounded(scores, largest, _digits_of(scores))


def rounded(values: Floats, size: ArrayLike, digits: int = DIGITS) -> Floats:
    """Values, of any shape, rounded to so many digits, in a power of ten that spans `size`."""
    # the power of ten that spans the size; 1e-9 keeps a size of 1 from being spanned by 10
    spanning = np.ceil(np.log10(np.where(np.asarray(size) > 0.0, size, 1.0)) - 1e-9)
    units = 10.0 ** (digits - spanning)
    whole = np.asarray(values * units)
    np.rint(whole, out=whole)
    whole /= units
    # -0.0 becomes 0.0, so that equal means have equal bytes
    whole += 0.0
    return whole


def _digits_of(scores: Floats) -> int:
    """The digits to round to: 6 of single precision (all fit, not all short decimals), else 12."""
    with np.errstate(over="ignore", under="ignore"):
        # a hundred scores mostly show already that they are in double precision
        for part in (scores.ravel()[:100], scores):
            if not np.array_equal(part.astype(np.float32), part):
                return DIGITS
    return DIGITS if np.array_equal(scores.round(DIGITS), scores) else 6


def ranks(values: ArrayLike) -> Floats:
    """Ranks of values, (..., m), along the last axis: 1 for the highest, ties share the average."""
    scores = np.asarray(values, dtype=np.float64)
    # in descending order, a tie from place a to b - 1, from 0 on, has the average (a + b + 1) / 2
    order = np.argsort(-scores, axis=-1)
    begins = begins_of(np.take_along_axis(scores, order, -1))
    shared = np.broadcast_to(np.arange(1.0, scores.shape[-1] + 1.0), scores.shape)
    if not begins.all():
        shared = (starts_of_runs(begins) + ends_of_runs(begins) + 1.0) / 2.0
    ranked = np.empty(scores.shape)
    np.put_along_axis(ranked, order, shared, -1)
    return ranked


def begins_of(values: NDArray[Any]) -> Flags:
    """Whether each place of sorted sequences, (..., m), begins a new value."""
    changes = np.ones(values.shape, dtype=np.bool_)
    changes[..., 1:] = values[..., 1:] != values[..., :-1]
    return changes


def starts_of_runs(changes: Flags, places: Indices | None = None) -> Indices:
    """For each place of sorted sequences, (..., m): where its run of equal values begins.

    `changes` are those of `begins_of`; `places` are 0 ... m - 1, if they are to have another type.
    """
    places = np.arange(changes.shape[-1]) if places is None else places
    return np.asarray(np.maximum.accumulate(np.where(changes, places, places[:1]), axis=-1))


def ends_of_runs(changes: Flags) -> Indices:
    """For each place of sorted sequences, (..., m): where the next run begins, or m."""
    items = changes.shape[-1]
    begins = np.full(changes.shape, items)
    begins[..., :-1] = np.where(changes[..., 1:], np.arange(1, items), items)
    return np.asarray(np.minimum.accumulate(begins[..., ::-1], axis=-1)[..., ::-1])


class Pairs(NamedTuple):
    """The positions of the two systems of each pair."""

    first: Indices
    second: Indices


def pair_blocks(n_systems: int, cells: int, *, at_once: int = CACHED_CELLS) -> Iterator[Pairs]:
    """Every pair of systems once, (0, 1), (0, 2), ..., (1, 2), ..., in blocks.

    Each pair needs `cells` array cells, and a block has at most `at_once`.
    """
    # pairs are numbered by their first system, which has m - 1, m - 2, ...: the ends of its runs
    ends = np.cumsum(np.arange(n_systems - 1, 0, -1))
    step = max(1, at_once // max(cells, 1))
    for start in range(0, int(ends[-1]), step):
        pairs = np.arange(start, min(start + step, int(ends[-1])))
        first = np.searchsorted(ends, pairs, side="right")
        yield Pairs(first, pairs - ends[first] + n_systems)


def symmetric(of_pairs: Floats, n_systems: int, diagonal: float) -> Floats:
    """The symmetric matrix, (m, m), of values of pairs, (n_pairs,), in `pair_blocks`' order."""
    matrix = np.full((n_systems, n_systems), diagonal)
    pairs = np.triu_indices(n_systems, k=1)
    matrix[pairs] = of_pairs
    matrix.T[pairs] = of_pairs
    return matrix
