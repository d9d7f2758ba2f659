"""What stands above each item, counted for all items at once: the one computation behind tau and tau_AP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.order import Floats

PAIRWISE_UP_TO = 256  # items: beyond, sorting is faster than comparing all pairs
PAIRWISE_CELLS = 2**22  # cells of the arrays that the comparison of all pairs makes at once
SORTING_CELLS = 2**15  # items of all rows that are sorted at once
LAST_GROUP = 16  # items of which all pairs are compared when sorting has come so far
EARLIER = np.triu(np.ones((LAST_GROUP, LAST_GROUP), dtype=np.bool_), k=1)

Indices: TypeAlias = NDArray[np.intp]


class Above(NamedTuple):
    """For each item: how many others there are of each kind. All arrays have the shape of the scores.

    Attributes:
        estimate: Items that the estimate puts strictly above.
        both: Items that both put strictly above.
        tied_in_truth: Items that the estimate puts strictly above and the truth ties with this one.
        group: Items that the estimate ties with this one, itself included.
    """

    estimate: Floats
    both: Floats
    tied_in_truth: Floats
    group: Floats


def count_above(truth: Floats, estimate: Floats) -> Above:
    """Counts over the last axis: by comparing all pairs where items are few, else by sorting.

    Time is O(m log m) and memory O(m) for long vectors; for short ones all pairs are compared. Rows of a batch are
    computed together, in pieces of a bounded size.
    """
    if truth.shape != estimate.shape:
        truth, estimate = np.broadcast_arrays(truth, estimate)
    shape, items = truth.shape, truth.shape[-1]
    truths, estimates = truth.reshape(-1, items), estimate.reshape(-1, items)
    few = items <= PAIRWISE_UP_TO
    count, step = (_by_pairs, PAIRWISE_CELLS // items**2) if few else (_by_sorting, rows_to_sort(items))
    pieces = [count(truths[at : at + step], estimates[at : at + step]) for at in range(0, max(len(truths), 1), step)]
    joined = pieces[0] if len(pieces) == 1 else [np.concatenate(counts) for counts in zip(*pieces, strict=True)]
    return Above(*(counts.reshape(shape).astype(np.float64) for counts in joined))


def rows_to_sort(items: int) -> int:
    """How many rows of a batch are sorted at once: enough to be quick, few enough to stay in the cache."""
    return max(1, SORTING_CELLS // items)


def _by_pairs(truth: Floats, estimate: Floats) -> Sequence[NDArray[Any]]:
    above, truth_above = _pairs(estimate, np.greater), _pairs(truth, np.greater)
    kinds = [above, above & truth_above]
    untied = len(truth) * truth.shape[-1] * (truth.shape[-1] - 1) // 2
    if np.count_nonzero(above) == untied == np.count_nonzero(truth_above):  # as most often; it halves the work
        counts = [_total(pairs) for pairs in kinds]
        return [*counts, np.zeros_like(counts[0]), np.ones_like(counts[0])]
    tied, truth_tied = _pairs(estimate, np.equal), _pairs(truth, np.equal)
    return [_total(pairs) for pairs in (*kinds, above & truth_tied, tied)]


def _total(pairs: NDArray[np.bool_]) -> NDArray[np.int16]:
    """How many j there are for each i."""
    return np.asarray(np.add.reduce(pairs.view(np.int8), axis=-2, dtype=np.int16))


def _pairs(scores: Floats, compare: Callable[[Floats, Floats], NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Row j, column i: how the score of j compares with that of i."""
    return compare(scores[:, :, np.newaxis], scores[:, np.newaxis, :])


def _by_sorting(truth: Floats, estimate: Floats) -> list[Indices]:
    # best first by the estimate; inside a tie the worse first by truth, so that no pair of it counts
    order = best_first(estimate, truth)
    truth, estimate = np.take_along_axis(truth, order, -1), np.take_along_axis(estimate, order, -1)
    above = _starts_of_runs(_changes(estimate))
    by_truth = best_first(truth, np.arange(truth.shape[-1]))
    changes = _changes(np.take_along_axis(truth, by_truth, -1))
    # among items of equal truth, in the order of the estimate: how many come before, how many are strictly above
    run = _starts_of_runs(changes)
    before = np.arange(truth.shape[-1]) - run
    tied_in_truth = _starts_of_runs(changes | _changes(np.take_along_axis(above, by_truth, -1))) - run
    both = smaller_before(_scattered(np.broadcast_to(np.arange(truth.shape[-1]), truth.shape), by_truth))
    both -= _scattered(before, by_truth)
    group = _ends_of_runs(_changes(estimate)) - above
    return [_scattered(counts, order) for counts in (above, both, _scattered(tied_in_truth, by_truth), group)]


def best_first(scores: Floats, then_ascending: NDArray[Any]) -> Indices:
    """The order of descending scores, ties by a second key, which is looked at only if there are any: it takes long."""
    order = np.argsort(-scores, axis=-1)
    ranked = np.take_along_axis(scores, order, -1)
    if (ranked[..., 1:] == ranked[..., :-1]).any():
        return np.lexsort((np.broadcast_to(then_ascending, scores.shape), -scores))
    return order


def _changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a sorted sequence begins a new value."""
    changes = np.ones(values.shape, dtype=np.bool_)
    changes[..., 1:] = values[..., 1:] != values[..., :-1]
    return changes


def _starts_of_runs(changes: NDArray[np.bool_]) -> Indices:
    """For each place: where the run of equal values begins."""
    places = np.arange(changes.shape[-1])
    return np.asarray(np.maximum.accumulate(np.where(changes, places, 0), axis=-1))


def _ends_of_runs(changes: NDArray[np.bool_]) -> Indices:
    """For each place: where the next run begins."""
    items = changes.shape[-1]
    begins = np.full(changes.shape, items)
    begins[..., :-1] = np.where(changes[..., 1:], np.arange(1, items), items)
    return np.asarray(np.minimum.accumulate(begins[..., ::-1], axis=-1)[..., ::-1])


def _scattered(values: Indices, places: Indices) -> Indices:
    """The values, each put at its place."""
    scattered = np.empty_like(places)
    np.put_along_axis(scattered, places, values, -1)
    return scattered


def smaller_before(permutations: Indices) -> Indices:
    """For each place of a permutation of 0 ... m-1, how many earlier values are smaller: one permutation a row.

    The values are sorted bit by bit from the highest, stably. At each bit an item with a one overtakes the earlier
    zeros of its group (those with the same higher bits): these are smaller, and every smaller one is met at exactly one
    bit. The number of the row makes the highest bits. Once groups are small, all pairs of a group are compared at once.
    O(m log m) time, O(m) memory, all in array operations.
    """
    (rows, items), sequence = permutations.shape, with_rows_as_high_bits(permutations)
    counts = np.zeros(sequence.size, dtype=np.intp)
    half = padded_length(items) // 2
    while half >= LAST_GROUP:
        groups = sequence.reshape(-1, 2 * half)
        is_zero = groups & half == 0
        zeros, ones = np.flatnonzero(is_zero), np.flatnonzero(~is_zero)
        counts[sequence[ones]] += np.cumsum(is_zero, axis=1).ravel()[ones]
        sequence = parted(sequence, zeros, ones, half)
        half //= 2
    low_bits = (sequence & (LAST_GROUP - 1)).astype(np.int8).reshape(-1, LAST_GROUP)
    smaller = (low_bits[:, :, np.newaxis] < low_bits[:, np.newaxis, :]) & EARLIER
    counts[sequence] += np.einsum("gij->gj", smaller.view(np.int8)).ravel()
    by_value = counts.reshape(rows, padded_length(items))
    return np.take_along_axis(by_value, permutations, -1)


def padded_length(items: int) -> int:
    """The next power of two: then every group has as many ones as zeros."""
    return max(1 << (items - 1).bit_length(), LAST_GROUP)


def with_rows_as_high_bits(permutations: Indices) -> Indices:
    """All rows in one sequence, padded with values that come last and are largest."""
    rows, items = permutations.shape
    padded = padded_length(items)
    sequence = np.empty((rows, padded), dtype=np.intp)
    sequence[:, :items] = permutations
    sequence[:, items:] = np.arange(items, padded)
    sequence += np.arange(rows)[:, np.newaxis] * padded
    return sequence.ravel()


def parted(sequence: Indices, zeros: Indices, ones: Indices, half: int) -> Indices:
    """The sequence with the zeros of each group before its ones, both in their order."""
    return np.concatenate((sequence[zeros].reshape(-1, half), sequence[ones].reshape(-1, half)), axis=1).ravel()
