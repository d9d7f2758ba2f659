"""The means of systems, rounded, and ranks.

Equal means may differ in their last bit by the order of summation. So every ranking is taken from `system_means`,
which rounds to twelve significant digits: the order of topics or systems changes no result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr.stats.core.types import Floats, Indices

Value = TypeVar("Value", bound=np.generic)

SIGNIFICANT_DIGITS = 12
OUT_OF_SCALE = 1e6
# A mean may lie halfway between two roundings, as P@10 over 4096 topics may: there the last bit would decide.
TILT = 0.0387  # of a unit in the last digit: moves such halves off the border


def system_means(scores: Floats) -> Floats:
    """The mean of each column of scores, shape (n_topics, n_systems), rounded to twelve significant digits.

    Where scores of both signs cancel, digits count from the size of the scores, with which rounding errors grow.
    """
    ordered = np.sort(np.ascontiguousarray(scores), axis=0)
    means = ordered.mean(axis=0)
    if ordered[0].min(initial=0.0) >= 0.0:  # as scores mostly are: nothing cancels
        return round_significant(means)
    cancels = np.abs(scores).mean(axis=0) > 2.0 * np.abs(means)
    return round_significant(means, sizes_of(scores) if cancels.any() else None)


def sizes_of(scores: Floats) -> Floats:
    """From what the digits of each system's means count where its scores may cancel: shape (n_systems,).

    The mean size of the scores of whichever system has the largest, so that equal means stay equal. Systems beyond a
    million times a system's own size do not count: one huge score must not round all other means to 0.
    """
    own = np.abs(scores).mean(axis=0)
    ordered, own = np.sort(own), np.where(own > 0.0, own, np.inf)  # what has no size takes that of all
    return np.asarray(ordered[np.searchsorted(ordered, OUT_OF_SCALE * own, side="right") - 1])


def round_means(means: Floats, scores: Floats) -> Floats:
    """Means over resamples of topics, shape (..., n_systems), rounded as those of all topics are."""
    cancel = scores.size and scores.min() < 0.0 < scores.max()
    return round_significant(means, np.broadcast_to(sizes_of(scores), means.shape) if cancel else None)


def rounded_scores(scores: Floats) -> Floats:
    """Scores of systems, along the last axis, rounded as means are: they may be means, summed in any order.

    Where a vector has scores of both signs, the digits of smaller ones count from the median size, as those may be
    rests of topics that cancelled.
    """
    sizes = np.abs(scores)
    if scores.size and scores.min() < 0.0 < scores.max():
        cancels = (scores.min(axis=-1, keepdims=True) < 0.0) & (scores.max(axis=-1, keepdims=True) > 0.0)
        typical = np.median(sizes, axis=-1, keepdims=True)
        sizes = np.where(cancels, np.maximum(sizes, typical), sizes)
    return round_significant(scores, sizes)


def round_significant(values: Floats, magnitude: Floats | None = None) -> Floats:
    """Values rounded to twelve significant digits, counted from the magnitude, by default each value's own."""
    magnitude = np.abs(values) if magnitude is None else magnitude
    if magnitude.size and magnitude.min() > 0.0:
        return _round(values, magnitude)
    has_digits = magnitude > 0.0
    rounded = _round(np.where(has_digits, values, 0.0), np.where(has_digits, magnitude, 1.0))
    return np.where(has_digits, rounded, values) + 0.0  # -0.0 becomes 0.0


def _round(values: Floats, magnitude: Floats) -> Floats:
    shift = SIGNIFICANT_DIGITS - 1 - np.floor(np.log10(magnitude))
    # a power of ten above 0 is exact up to 10^22, one below is not: multiply by the one, divide by the other
    up = 10.0 ** np.maximum(shift, 0.0)
    if shift.min(initial=0.0) >= 0.0:
        return np.asarray(np.rint(values * up + np.copysign(TILT, values)) / up + 0.0)
    down = 10.0 ** np.maximum(-shift, 0.0)
    return np.asarray(np.rint(values * up / down + np.copysign(TILT, values)) / up * down + 0.0)


def ranks(values: ArrayLike) -> Floats:
    """Ranks along the last axis: 1 for the highest value, ties share their average rank."""
    scores = np.asarray(values, dtype=np.float64)
    order, places = np.argsort(-scores, axis=-1), np.arange(scores.shape[-1])
    ranked, begins = np.take_along_axis(scores, order, -1), np.ones(scores.shape, dtype=np.bool_)
    np.not_equal(ranked[..., 1:], ranked[..., :-1], out=begins[..., 1:])
    found = np.broadcast_to(places + 1.0, scores.shape)
    if not begins.all():
        first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
        ends = np.concatenate((begins[..., 1:], np.ones_like(begins[..., :1])), axis=-1)
        last = np.minimum.accumulate(np.where(ends, places, places[-1])[..., ::-1], axis=-1)[..., ::-1]
        found = (first + last) / 2.0 + 1.0
    ranked = np.empty(scores.shape)
    np.put_along_axis(ranked, order, found, -1)
    return ranked


def in_one_order(matrix: Floats) -> Floats:
    """The topics of a score matrix in an order that their scores settle, as resamples are drawn by position."""
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
    given = np.empty_like(values)
    given[..., order] = values
    return given


def lexsorted(keys: Sequence[Floats] | Floats) -> Indices:
    """The order that `np.lexsort` gives of finite keys.

    The last key sorts first, and mostly ties nothing: then no other is sorted.
    """
    order = np.argsort(keys[-1], kind="stable")
    ranked = keys[-1][order]
    return np.asarray(np.lexsort(keys) if (ranked[1:] == ranked[:-1]).any() else order)
