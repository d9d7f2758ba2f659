"""For each place of permutations: how many earlier values are smaller."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Indices

BYTE_ITEMS = 256  # items whose counts fit into a byte
FEWEST_ROWS = 64  # of so few items, from which all rows at once are faster, a distance of two places after the other


def smaller_before(permutations: Indices) -> Indices:
    """For each place of a permutation of 0 ... m-1, how many earlier values are smaller: one permutation a row.

    O(m log m) time for many items, O(m) memory, all in array operations.
    """
    rows, items = permutations.shape
    if rows >= FEWEST_ROWS and items <= BYTE_ITEMS:
        columns = np.ascontiguousarray(permutations.T, dtype=np.uint8)
        before = np.zeros_like(columns)
        for distance in range(1, items):
            before[distance:] += (columns[:-distance] < columns[distance:]).view(np.uint8)
        return np.ascontiguousarray(before.T, dtype=np.intp)
    counts = np.zeros((rows, padded_length(items)), dtype=np.intp)
    for groups, is_zero, ones in bit_by_bit(permutations):
        counts.ravel()[groups.ravel()[ones]] += np.cumsum(is_zero, axis=1).ravel()[ones]
    return np.take_along_axis(counts, permutations, -1)


def bit_by_bit(permutations: Indices) -> Iterator[tuple[Indices, NDArray[np.bool_], Indices]]:
    """The values of permutations of 0 ... m-1, one a row, as they are sorted bit by bit from the highest, stably.

    At each bit an item with a one overtakes the earlier zeros of its group (those with the same higher bits): these are
    smaller, and every smaller one is met at exactly one bit. The number of the row makes the highest bits.

    Yields:
        For each bit the groups before they are sorted, one a row; which of their values have a zero; and where the
        others stand in all groups, one after the other.
    """
    rows, items = permutations.shape
    padded = padded_length(items)
    sequence = np.empty((rows, padded), dtype=np.intp)
    sequence[:, :items] = permutations
    sequence[:, items:] = np.arange(items, padded)  # these come last and are largest
    sequence += np.arange(rows)[:, np.newaxis] * padded
    half = padded // 2
    while half:
        groups = sequence.reshape(-1, 2 * half)
        is_zero = groups & half == 0
        zeros, ones = np.flatnonzero(is_zero), np.flatnonzero(~is_zero)
        yield groups, is_zero, ones
        both = (groups.ravel()[places].reshape(-1, half) for places in (zeros, ones))
        sequence = np.concatenate(tuple(both), axis=1)
        half //= 2


def padded_length(items: int) -> int:
    """The next power of two: then every group has as many ones as zeros."""
    return 1 << (items - 1).bit_length()
