"""Sums of the gaps in truth to the items above, for all items at once: the computation behind tau_GAP."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pt_rankcorr.stats._dominance import (
    PAIRWISE_CELLS,
    PAIRWISE_UP_TO,
    Indices,
    best_first,
    padded_length,
    parted,
    rows_to_sort,
    with_rows_as_high_bits,
)
from pt_rankcorr.stats.order import Floats

LARGEST_EXPONENT = 960  # of scores, in base 2: 2^64 of them have a sum


class GapSums(NamedTuple):
    """For each item, gaps in truth to the items that the estimate puts strictly above it.

    Attributes:
        rightly: The sum over those that the truth puts above it, too.
        wrongly: The sum over those that the truth puts below it.
    """

    rightly: Floats
    wrongly: Floats


def gap_sums(truth: Floats, estimate: Floats) -> GapSums:
    """Sums over the last axis: by comparing all pairs where items are few, else by sorting.

    Only gaps are added up, never signed differences or scores, so that one huge gap does not drown the others: each sum
    has a relative error of at most m machine epsilons. O(m log m) time and O(m) memory for long vectors; gaps must not
    overflow (see `scaled`).
    """
    truth, estimate = np.broadcast_arrays(truth, estimate)
    shape, items = truth.shape, truth.shape[-1]
    truths, estimates = truth.reshape(-1, items), estimate.reshape(-1, items)
    few = items <= PAIRWISE_UP_TO
    add_up, step = (_by_pairs, PAIRWISE_CELLS // items**2) if few else (_by_sorting, rows_to_sort(items))
    sums = np.empty((2, *truths.shape))
    for at in range(0, len(truths), step):
        sums[:, at : at + step] = add_up(truths[at : at + step], estimates[at : at + step])
    return GapSums(*sums.reshape(2, *shape))


def scaled(truth: Floats) -> Floats:
    """Divided, where sums of gaps could overflow, by a power of two, which is exact but for what vanishes."""
    _, exponent = np.frexp(np.abs(truth).max(axis=-1, keepdims=True))
    return np.asarray(np.ldexp(truth, np.minimum(LARGEST_EXPONENT - exponent, 0)))


def normalised(values: Floats) -> Floats:
    """Divided by a power of two such that the largest is just below 1, and no square overflows."""
    _, exponent = np.frexp(np.abs(values).max(axis=-1, keepdims=True))
    return np.asarray(np.ldexp(values, -exponent))


def _by_pairs(truth: Floats, estimate: Floats) -> GapSums:
    gaps = truth[:, :, np.newaxis] - truth[:, np.newaxis, :]  # row j, column i: how far j is better than i
    gaps *= estimate[:, :, np.newaxis] > estimate[:, np.newaxis, :]
    return GapSums(np.maximum(gaps, 0.0).sum(axis=-2), -np.minimum(gaps, 0.0).sum(axis=-2))


def _by_sorting(truth: Floats, estimate: Floats) -> GapSums:
    """Gaps to the better ones above, and the same in the reversed truth."""
    return GapSums(_to_better_above(truth, estimate), _to_better_above(-truth, estimate))


def _to_better_above(truth: Floats, estimate: Floats) -> Floats:
    """For each item, the sum of gaps to the items that both put strictly above it."""
    by_truth = best_first(truth, np.arange(truth.shape[-1]))
    place = np.empty_like(by_truth)
    np.put_along_axis(place, by_truth, np.arange(truth.shape[-1]), -1)
    # best first by the estimate; inside a tie the worse first by truth, so that no pair of it counts
    order = best_first(estimate, -place)
    sums = _gaps_to_smaller_before(np.take_along_axis(place, order, -1), np.take_along_axis(truth, by_truth, -1))
    return np.take_along_axis(sums, place, -1)


def _gaps_to_smaller_before(permutations: Indices, truth: Floats) -> Floats:
    """For each value of a permutation of 0 ... m-1, the sum of truth[smaller] - truth[value] over smaller ones before.

    Each row of `truth` descends. As in `_dominance.smaller_before`, values are sorted bit by bit from the highest,
    stably, and each pair meets at exactly one bit, where the larger value has a one. There the gap of the pair is cut
    in two at the best truth among the ones: what the smaller values before have above the cut is a running sum, and
    what the larger one has below it counts once for each of them.
    """
    rows, items = permutations.shape
    sequence, half = with_rows_as_high_bits(permutations), padded_length(items) // 2
    truth = np.pad(truth, ((0, 0), (0, 2 * half - items)), mode="edge").ravel()
    sums = np.zeros(sequence.size)
    while half:
        groups = sequence.reshape(-1, 2 * half)
        is_zero = groups & half == 0
        zeros, ones = np.flatnonzero(is_zero), np.flatnonzero(~is_zero)
        beyond = truth[groups] - truth[half :: 2 * half, np.newaxis]  # the cut: positive for zeros, negative for ones
        above_cut = np.cumsum(np.where(is_zero, beyond, 0.0), axis=1).ravel()[ones]
        before = np.cumsum(is_zero, axis=1).ravel()[ones]
        sums[sequence[ones]] += above_cut - before * beyond.ravel()[ones]
        sequence = parted(sequence, zeros, ones, half)
        half //= 2
    return sums.reshape(rows, padded_length(items))[:, :items]
