"""For each place of permutations: how many earlier values are smaller."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

LAST_GROUP = 16  # items of which all pairs are compared when sorting has come so far
EARLIER = np.triu(np.ones((LAST_GROUP, LAST_GROUP), dtype=np.bool_), k=1)

Indices: TypeAlias = NDArray[np.intp]


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
        sequence = part(sequence, zeros, ones, half)
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


def part(sequence: Indices, zeros: Indices, ones: Indices, half: int) -> Indices:
    """The sequence with the zeros of each group before its ones, both in their order."""
    return np.concatenate((sequence[zeros].reshape(-1, half), sequence[ones].reshape(-1, half)), axis=1).ravel()
