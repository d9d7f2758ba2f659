"""The means of systems, rounded, their ranks, and orders of topics and systems.

Equal means may differ in their last bits by the order of summation. So every ranking is taken from means that are
rounded to twelve digits after the point, for scores of at most 1 in size: rounding errors tie nothing and part nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr.stats.core.types import Floats, Indices

Value = TypeVar("Value", bound=np.generic)

DIGITS = 12
NEGLIGIBLE = 10.0**-DIGITS  # of a score: what is smaller is its rounding error
TOLERANCE = 100 * float(np.finfo(np.float64).eps)
DIGITS_OF_SINGLES = 6  # of means of scores that were kept in single precision


def system_means(scores: Floats) -> Floats:
    """The mean of each column of scores, shape (n_topics, n_systems), rounded."""
    return round_means(scores.mean(axis=0), scores)


def round_means(means: Floats, scores: Floats) -> Floats:
    """Means of these scores, or over resamples of their topics, rounded."""
    return rounded(means, np.abs(scores).max(initial=0.0), _digits_of(scores))


def rounded_scores(scores: Floats) -> Floats:
    """Scores of systems, along the last axis, rounded as means are: they may be means."""
    return rounded(scores, np.abs(scores).max(axis=-1, keepdims=True, initial=0.0), _digits_of(scores))


def rounded(values: Floats, size: ArrayLike, digits: int = DIGITS) -> Floats:
    """Values to so many digits after the point, in units of the power of ten that spans the size."""
    spanning = np.ceil(np.log10(np.where(np.asarray(size) > 0.0, size, 1.0)) - 1e-9)
    units = 10.0 ** (digits - spanning)
    return np.asarray(np.rint(values * units) / units + 0.0)  # -0.0 becomes 0.0


def _digits_of(scores: Floats) -> int:
    """Fewer for scores that were kept in single precision: all of them are, and not all are short decimals."""
    with np.errstate(over="ignore"):
        for part in (scores.ravel()[:100], scores):  # the first part mostly says it
            if not np.array_equal(part.astype(np.float32), part):
                return DIGITS
    return DIGITS if np.array_equal(scores.round(DIGITS), scores) else DIGITS_OF_SINGLES


def ranks(values: ArrayLike) -> Floats:
    """Ranks along the last axis: 1 for the highest value, ties share their average rank."""
    scores = np.asarray(values, dtype=np.float64)
    order, places = np.argsort(-scores, axis=-1), np.arange(scores.shape[-1])
    ordered, begins = np.take_along_axis(scores, order, -1), np.ones(scores.shape, dtype=np.bool_)
    np.not_equal(ordered[..., 1:], ordered[..., :-1], out=begins[..., 1:])
    shared = np.broadcast_to(places + 1.0, scores.shape)
    if not begins.all():
        first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
        ends = np.concatenate((begins[..., 1:], np.ones_like(begins[..., :1])), axis=-1)
        last = np.minimum.accumulate(np.where(ends, places, places[-1])[..., ::-1], axis=-1)[..., ::-1]
        shared = (first + last) / 2.0 + 1.0
    ranked = np.empty(scores.shape)
    np.put_along_axis(ranked, order, shared, -1)
    return ranked


def in_one_order(matrix: Floats) -> Floats:
    """The topics of a score matrix in an order set by their scores, as resamples are drawn by position."""
    return np.ascontiguousarray(matrix[topic_order(matrix)])


def topic_order(matrix: Floats) -> Indices:
    """Topics by their sorted scores; equal ones by the scores of the systems, in an order of their sorted scores."""
    systems = lexsorted(np.sort(matrix, axis=0))
    return lexsorted([*matrix.T[systems], *np.sort(matrix, axis=1).T])


def system_order(matrix: Floats) -> Indices:
    """Systems by their sorted scores; equal ones by their scores on the topics, which are in one order already.

    What is drawn for systems by position, and sums over systems, are taken in this order. Those of several matrices
    have one order by `np.vstack` of them.
    """
    return lexsorted([*matrix, *np.sort(matrix, axis=0)])


def in_given_order(values: NDArray[Value], order: Indices) -> NDArray[Value]:
    """Values along the last axis, taken in an order, back in the one that was given."""
    restored = np.empty_like(values)
    restored[..., order] = values
    return restored


def lexsorted(keys: Sequence[Floats] | Floats) -> Indices:
    """The order that `np.lexsort` gives of finite keys.

    The last key sorts first, and mostly ties nothing: then no other is sorted.
    """
    order = np.argsort(keys[-1], kind="stable")
    ranked = keys[-1][order]
    return np.asarray(np.lexsort(keys) if (ranked[1:] == ranked[:-1]).any() else order)
