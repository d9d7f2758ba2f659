"""For each item of a ranking: how many stand above it, and how far these are in the reference.

Tau and tau_AP are computed from the numbers, tau_GAP from the sums of gaps. The items above an item
are the bits of words of 64 bits: what two rankings have in common is then an "and" of words, of
many rankings at once. Beyond `BITS_UP_TO` items a sort counts in O(m log m) time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import begins_of, ends_of_runs, pair_blocks, starts_of_runs
from pt_rankcorr.stats.core.types import Flags, Floats, Indices

# All of these decide speed and memory only, and no result.
# Rankings of more items are counted by sorting, which is then faster than sets of items.
BITS_UP_TO = 512
# A word of a set has this many bits, one an item.
WORD = 64
# Rankings are compared by arrays of at most this many words, items of several rows to be sorted, or
# twice as many signs, which are half as long: enough to be quick, few enough for the cache.
CELLS = 2**18
# In rankings of more than LONG items, gaps to LONG_BLOCK items at once are sums of sorted scores.
LONG, LONG_BLOCK = 2**10, 2**8
# A merge sort begins with blocks of at most this many items, of which all pairs are compared.
BLOCK = 16


class SetsAbove(NamedTuple):
    """For each item of each ranking the set of items above it: shape (n_words, n_rows, n_items)."""

    strictly: NDArray[np.uint64]
    # also with those that tie with it, and itself; None where no ranking has ties
    or_tied: NDArray[np.uint64] | None
    # the sizes of the first, shape (n_rows, n_items)
    n_above: Floats


Sets: TypeAlias = list[tuple[Floats, SetsAbove]]


class Known(NamedTuple):
    """The cache of `sharing_counts`: sets and counts of arrays, which are found by identity."""

    sets: Sets
    counts: list[tuple[Floats, Floats, CountsAbove]]


_known: ContextVar[Known | None] = ContextVar("_known", default=None)


class CountsAbove(NamedTuple):
    """For each item, the numbers of other items that stand above it or tie with it.

    All arrays broadcast to the shape of the scores: the last two are one number without any ties.
    """

    estimate: Floats  # that the estimate puts strictly above
    both: Floats  # that both put strictly above
    tied_in_reference: Floats  # that the estimate puts strictly above and the reference ties
    tie_size: Floats  # that the estimate ties with this one, itself included


class GapSums(NamedTuple):
    """Each item's sums of gaps in the reference to items that the estimate puts strictly above."""

    rightly: Floats  # to those that the reference puts above it, too
    wrongly: Floats  # to those that the reference puts below it

    def of(self, items: Any) -> GapSums:
        """The sums of some items, by any index of arrays."""
        return GapSums(self.rightly[items], self.wrongly[items])


@contextmanager
def sharing_counts(sets: Sets | None = None) -> Iterator[None]:
    """A context in which coefficients of the same two arrays count once, which takes most time.

    Arrays in the given list were ranked before; those that are ranked now are added to it. Without
    one it is that of the context around this one, if there is any.
    """
    outer = _known.get()
    if sets is None:
        sets = [] if outer is None else outer.sets
    token = _known.set(Known(sets, []))
    try:
        yield
    finally:
        _known.reset(token)


def count_above(reference: Floats, estimate: Floats) -> CountsAbove:
    """The counts of each item, over the last axis of scores whose shapes, (..., m), broadcast."""
    known = _known.get()
    if known is None:
        return _count_above(reference, estimate)
    for first, second, counts in known.counts:
        if first is reference and second is estimate:
            return counts
    known.counts.append((reference, estimate, _count_above(reference, estimate)))
    return known.counts[-1][-1]


def _count_above(reference: Floats, estimate: Floats) -> CountsAbove:
    """`count_above` without the cache of counts, in blocks of rows: all axes before the items'."""
    if reference.shape != estimate.shape:
        reference, estimate = np.broadcast_arrays(reference, estimate)
    n_items, shape = reference.shape[-1], reference.shape
    n_words = -(-n_items // WORD)
    if n_items <= BITS_UP_TO and reference.size * n_words <= CELLS:
        counts = _count_by_sets(_sets_of(reference), _sets_of(estimate))
        full = (count.reshape(shape) if count.size == reference.size else count for count in counts)
        return CountsAbove(*full)
    references, estimates = reference.reshape(-1, n_items), estimate.reshape(-1, n_items)
    count, step = _count_by_sorting, max(1, CELLS // n_items)
    if n_items <= BITS_UP_TO:
        count, step = _count_by_bits, max(1, CELLS // (n_items * n_words))
    # blocks of rows; then each of the four counts is put together from its pieces
    blocks = [slice(start, start + step) for start in range(0, len(references), step)]
    pieces = [np.broadcast_arrays(*count(references[block], estimates[block])) for block in blocks]
    joined = (np.concatenate(counts, dtype=np.float64) for counts in zip(*pieces, strict=True))
    return CountsAbove(*(counts.reshape(shape) for counts in joined))


def _sets_of(scores: Floats) -> SetsAbove:
    """The sets of items above each item, of scores (..., m), made once within `sharing_counts`."""
    known = _known.get()
    if known is None:
        return _sets_above(scores)
    for array, sets in known.sets:
        if array is scores:
            return sets
    known.sets.append((scores, _sets_above(scores)))
    return known.sets[-1][-1]


def _sets_above(scores: Floats) -> SetsAbove:
    """The bits of the items with a higher score, (n_words, n_rows, m), of scores (..., m).

    Item j is bit j % 64 of word j // 64. Read from the best item on, a set is the "or" of the items
    before.
    """
    n_items = scores.shape[-1]
    rows = scores.reshape(-1, n_items)
    # a broadcast array has one ranking for all rows (a stride of 0): it is ranked once
    rows = rows[:1] if rows.strides[0] == 0 else rows
    # (n_rows, n_items): the item at each place from the best on, and its cell of the ravelled rows
    order = np.argsort(-rows, axis=-1)
    cells = order + np.arange(len(rows))[:, np.newaxis] * n_items
    begins = begins_of(rows.take(cells))
    strictly = np.empty((-(-n_items // WORD), *rows.shape), dtype=np.uint64)
    or_tied = None if begins.all() else np.empty_like(strictly)
    step = max(1, 2**14 // n_items)  # so many items stay in the cache
    for block in (slice(start, start + step) for start in range(0, len(rows), step)):
        for word in range(len(strictly)):
            # the bit of the item, and 0 if that is before or beyond this word
            own = np.left_shift(np.uint64(1), (order[block] - WORD * word).view(np.uint64))
            so_far = np.bitwise_or.accumulate(own, axis=-1)
            before = np.bitwise_xor(so_far, own, out=own)
            if or_tied is not None:
                # all items of a tie have what stands before its first; with ties, up to its last
                before = np.take_along_axis(before, starts_of_runs(begins[block]), -1)
                so_far = np.take_along_axis(so_far, ends_of_runs(begins[block]) - 1, -1)
                or_tied[word].reshape(-1)[cells[block]] = so_far
            strictly[word].reshape(-1)[cells[block]] = before
    return SetsAbove(strictly, or_tied, _sizes(strictly))


def _count_by_bits(reference: Floats, estimate: Floats) -> list[Floats]:
    """The four counts, of scores of shape (n_rows, n_items), to which they broadcast."""
    return _count_by_sets(_sets_above(reference), _sets_above(estimate))


def _count_by_sets(reference: SetsAbove, estimate: SetsAbove) -> list[Floats]:
    """The four counts, which broadcast to (n_rows, n_items): how many are in a set, or in two."""
    both = _sizes(estimate.strictly & reference.strictly)
    tied_in_reference, tie_size = np.zeros(1), np.ones(1)
    if reference.or_tied is not None:
        tied_in_reference = _sizes(estimate.strictly & reference.or_tied) - both
    if estimate.or_tied is not None:
        tie_size = _sizes(estimate.or_tied) - estimate.n_above
    return [estimate.n_above, both, tied_in_reference, tie_size]


def _sizes(sets: NDArray[np.uint64]) -> Floats:
    """How many bits all words have: (n_rows, n_items), of sets of (n_words, n_rows, n_items)."""
    return np.asarray(np.bitwise_count(sets).sum(axis=0, dtype=np.float64))


def _count_by_sorting(reference: Floats, estimate: Floats) -> list[NDArray[Any]]:
    """The four counts, of scores of shape (n_rows, n_items); each count is of the same shape."""
    # best first by the estimate; a tie worst first by the reference, so that no pair of it counts
    order = _best_first(estimate, reference)
    reference = np.take_along_axis(reference, order, -1)
    estimate = np.take_along_axis(estimate, order, -1)
    # from here on items are in that order, and a place is an item's position in it
    place = np.broadcast_to(np.arange(reference.shape[-1]), reference.shape)
    by_reference = _best_first(reference, place)
    begins_tie = begins_of(estimate)
    begins_run = begins_of(np.take_along_axis(reference, by_reference, -1))
    # all items before the tie of an item stand strictly above it
    above = starts_of_runs(begins_tie)
    # among items of equal reference, by the estimate: how many come before, or are strictly above
    run = starts_of_runs(begins_run)
    begins_run_or_tie = begins_run | begins_of(np.take_along_axis(above, by_reference, -1))
    strictly_above = starts_of_runs(begins_run_or_tie)
    # both: read by the reference, best first, the earlier items with a smaller place; without those
    # of the item's own run, which the reference ties
    both = smaller_before(_scattered(place, by_reference)) - _scattered(place - run, by_reference)
    tied_in_reference = _scattered(strictly_above - run, by_reference)
    tie_size = ends_of_runs(begins_tie) - above
    return [_scattered(counts, order) for counts in (above, both, tied_in_reference, tie_size)]


def _best_first(scores: Floats, then_ascending: NDArray[Any]) -> Indices:
    """The order of descending scores, (n_rows, n_items); ties by an ascending second key."""
    order = np.argsort(-scores, axis=-1)
    if begins_of(np.take_along_axis(scores, order, -1)).all():
        return order
    return np.lexsort((then_ascending, -scores), axis=-1)


def _scattered(values: NDArray[Any], places: Indices) -> NDArray[Any]:
    """Values, (n_rows, m), put at the places of each row: the inverse of `np.take_along_axis`."""
    scattered = np.empty_like(values)
    np.put_along_axis(scattered, places, values, -1)
    return scattered


def gap_sums(reference: Floats, estimate: Floats) -> GapSums:
    """The sums of gaps of each item, over the last axis: by all pairs of items, in blocks of pairs.

    Only gaps are added up, never signed differences or scores, so each sum has a relative error of
    at most m machine epsilons.
    """
    reference, estimate = np.broadcast_arrays(reference, estimate)
    shape, n_items = reference.shape, reference.shape[-1]
    reference, estimate = reference.reshape(-1, n_items), estimate.reshape(-1, n_items)
    n_rows = len(reference)
    # items from best to worst by the estimate, and where each of its ties begins
    order = np.argsort(estimate, axis=-1)[:, ::-1]
    begins = begins_of(np.take_along_axis(estimate, order, -1))
    places = np.arange(n_items, dtype=np.min_scalar_type(n_items))
    if n_items > LONG:
        scores, n_above = np.take_along_axis(reference, order, -1), starts_of_runs(begins)
        sums = zip(*map(_gap_sums_of_blocks, scores, n_above), strict=True)
        return GapSums(*(_scattered(np.stack(rows), order).reshape(shape) for rows in sums))
    # (n_items, n_rows) each: how many items stand strictly above, and scores by the reference
    n_above = np.ascontiguousarray(starts_of_runs(begins, places).T)
    scores = np.ascontiguousarray(np.take_along_axis(reference, order, -1).T)
    rightly, wrongly = np.empty(scores.shape), np.empty(scores.shape)
    at_once = 2**16  # gaps, which stay in the cache
    columns = max(1, min(n_rows, at_once // n_items))
    step = max(1, at_once // (n_items * columns))
    for row in range(0, n_rows, columns):
        rows = slice(row, row + columns)
        for first in range(0, n_items, step):
            last = min(first + step, n_items)
            block = slice(first, last), rows
            # (last, step, columns): how much better by the reference an item is that stands higher;
            # those at or after the tie of the item do not, and are set to 0
            gaps = scores[:last, np.newaxis, rows] - scores[block]
            if step > 1 or not begins.all():
                gaps *= places[:last, np.newaxis, np.newaxis] < n_above[block]
            np.add.reduce(np.maximum(gaps, 0.0), axis=0, out=rightly[block])
            np.minimum(gaps, 0.0, out=gaps)
            np.subtract.reduce(gaps, axis=0, initial=0.0, out=wrongly[block])
    return GapSums(*(_scattered(sums.T, order).reshape(shape) for sums in (rightly, wrongly)))


def _gap_sums_of_blocks(scores: Floats, n_above: Indices) -> tuple[Floats, Floats]:
    """Both sums of gaps of a long ranking, (m,), from scores, best first, and how many are above.

    An item's gaps to a block that stands above it as a whole are sums of the block's sorted scores;
    all pairs are taken within each block alone. O(m^1.5) time, where all pairs take O(m^2).
    """
    rightly, wrongly = np.zeros(scores.size), np.zeros(scores.size)
    for start in range(0, scores.size, LONG_BLOCK):
        block = scores[start : start + LONG_BLOCK]
        # n_above ascends: from this item on, all stand below the whole block
        below = slice(np.searchsorted(n_above, start + block.size), None)
        # sums of numbers near 0 lose fewer digits: scores are taken from the mean of the block
        centre = block.mean()
        # For an item with score x: the block's scores above x add sum - n x to the right gaps,
        # those below add n x - sum to the wrong ones. Prefix sums of the sorted scores give both.
        ascending, rest = np.sort(block - centre), scores[below] - centre
        sums = np.concatenate([[0.0], np.cumsum(ascending)])
        n_lower = np.searchsorted(ascending, rest)
        rightly[below] += sums[-1] - sums[n_lower] - (block.size - n_lower) * rest
        wrongly[below] += n_lower * rest - sums[n_lower]
        # the other items from the block on stand below some of it: all pairs, with a mask
        partly = slice(start, below.start)
        is_above = np.arange(start, start + block.size)[:, np.newaxis] < n_above[partly]
        gaps = np.where(is_above, block[:, np.newaxis] - scores[partly], 0.0)
        rightly[partly] += np.maximum(gaps, 0.0).sum(axis=0)
        wrongly[partly] -= np.minimum(gaps, 0.0).sum(axis=0)
    return rightly, wrongly


def product_of_signs(
    references: Floats, estimates: Floats, weigh: Callable[..., Floats] | None = None
) -> Floats:
    """The concordant less the discordant pairs of systems of each reference with each estimate.

    Shape (n, k), of scores of shape (n, m) and (k, m). `weigh` weighs the signs of pairs in the
    estimates, given the positions of the pairs' systems and the signs, of shape (n_pairs, k).
    Blocks of pairs keep memory from growing with m^2.
    """
    # (m, n) and (m, k): a row of each is a system, so that pairs are differences of rows
    sides = [np.ascontiguousarray(references.T)]
    if estimates is not references:
        sides.append(np.ascontiguousarray(estimates.T))
    total = np.zeros((len(references), len(estimates)))
    # single precision is faster, and exact for signs; weights need double precision
    dtype = np.float32 if weigh is None else np.float64
    cells = len(references) + len(estimates)
    # single precision holds whole numbers up to 2**24: sums of fewer signs at once are exact
    for first, second in pair_blocks(references.shape[1], cells, at_once=2 * CELLS):
        # (n_pairs, n) and (n_pairs, k) of 1, 0 and -1; a product of matrices sums over the pairs,
        # in half of the time where it is that of a matrix with itself
        signs: list[NDArray[Any]] = [
            np.sign(scores[first] - scores[second]).astype(dtype) for scores in sides
        ]
        total += signs[0].T @ (signs[-1] if weigh is None else weigh(first, second, signs[-1]))
    return total


def clear_pairs(reference: Floats, estimate: Floats) -> tuple[int, int]:
    """How many pairs of items neither vector ties, and how many of these they order oppositely.

    By a merge sort, in O(m log^2 m) time: blocks of items are sorted in pairs of neighbours, and an
    item of the left block is ordered oppositely to each of the right that comes before it.
    """
    n_items, n_bits = reference.size, reference.size.bit_length()
    ranks, others = _n_lower(reference), _n_lower(estimate)
    # the sum of the ranks is the number of pairs that are not tied: here none is by the reference
    if ranks.sum() == math.comb(n_items, 2):
        ordered, n_clear = np.empty_like(others), int(others.sum())
        ordered[ranks] = others
    else:
        # in the order of the reference, and inside its ties of the estimate, which so count none:
        # the higher and the lower bits of one number an item are both ranks
        both = np.sort((ranks << n_bits) + others)
        ordered = both & ((1 << n_bits) - 1)
        # pairs that one vector does not tie, less those that only one does not
        n_clear = int(ranks.sum() + others.sum() - _untied(begins_of(both)))
    # blocks of `size` items, of which there is a power of two; items that are added come last
    n_blocks = 1 << max(0, math.ceil(math.log2(n_items / BLOCK)))
    size = -(-n_items // n_blocks)
    dtype = np.int32 if n_items < 2**29 else np.int64
    keys: NDArray[Any] = np.full(n_blocks * size, 2 * n_items, dtype)
    keys[:n_items] = ordered * 2
    # all pairs within blocks: whether the earlier item (row) is the larger one
    blocks = keys.reshape(n_blocks, size)
    is_larger = blocks[:, :, np.newaxis] > blocks[:, np.newaxis]
    is_larger &= np.tri(size, k=-1, dtype=np.bool_).T
    n_discordant = int(np.count_nonzero(is_larger))
    while size < keys.size:
        # the lowest bit says which block an item is of; in a tie the left item comes first
        keys.reshape(-1, 2, size)[:, 1] |= 1
        pairs = keys.reshape(-1, 2 * size)
        pairs.sort(axis=-1)
        # of a right item, at place p and with i right ones before it, size - (p - i) left ones come
        # after; i adds up to size (size - 1) / 2
        places = int((pairs & 1).sum(axis=0) @ np.arange(2 * size))
        n_discordant += len(pairs) * (size * size + size * (size - 1) // 2) - places
        keys &= -2
        size *= 2
    return n_clear, n_discordant


def _n_lower(scores: Floats) -> NDArray[np.int64]:
    """For each item of a vector, (m,), how many have a lower score."""
    order = np.argsort(scores)
    begins = begins_of(scores[order])
    ranks = np.empty(scores.size, dtype=np.int64)
    ranks[order] = np.arange(scores.size) if begins.all() else starts_of_runs(begins)
    return ranks


def untied_pairs(scores: Floats) -> Floats:
    """The number of pairs of systems that each ranking does not tie: (...), of scores (..., m)."""
    return _untied(begins_of(np.sort(scores, axis=-1)))


def _untied(begins: Flags) -> Floats:
    """`untied_pairs` from where sorted scores, (..., m), begin a new value."""
    n_systems = begins.shape[-1]
    n_pairs = np.full(begins.shape[:-1], math.comb(n_systems, 2), np.float64)
    if begins.all():
        return n_pairs
    # where ties begin, all rankings in a row, and their sizes: c systems tie in c (c - 1) / 2 pairs
    starts = np.flatnonzero(begins)
    sizes = np.diff(starts, append=begins.size)
    tied = np.bincount(starts // n_systems, sizes * (sizes - 1) / 2.0, minlength=n_pairs.size)
    return np.asarray(n_pairs - tied.reshape(n_pairs.shape))


def smaller_before(permutations: Indices) -> Indices:
    """For each place of a permutation of 0 ... m-1, one a row, how many earlier values are smaller.

    Values are sorted bit by bit from the highest, stably. At each bit an item with a one overtakes
    the earlier zeros of its group (those with the same higher bits): these are smaller, and every
    smaller one is met at exactly one bit. The number of the row makes the highest bits. O(m log m)
    time for many items, O(m) memory, all in array operations.
    """
    rows, items = permutations.shape
    # The length becomes a power of two: then every group has as many ones as zeros. Values that are
    # added come last and are largest, and so change no count.
    padded = 1 << (items - 1).bit_length()
    sequence = np.empty((rows, padded), dtype=np.intp)
    sequence[:, :items] = permutations
    sequence[:, items:] = np.arange(items, padded)
    # the number of the row as the highest bits: rows stay apart, though all are one sequence
    sequence += np.arange(rows)[:, np.newaxis] * padded
    counts = np.zeros(rows * padded, dtype=np.intp)
    half = padded // 2
    while half:
        values = sequence.ravel()
        is_zero = values & half == 0
        ones = np.flatnonzero(~is_zero)
        # a group has 2 half items: the cumulative sum counts the zeros of the group before each one
        counts[values[ones]] += np.cumsum(is_zero.reshape(-1, 2 * half), axis=1).ravel()[ones]
        # stable: in each group the zeros come first, then the ones, both in their old order
        both = (values[places].reshape(-1, half) for places in (np.flatnonzero(is_zero), ones))
        sequence = np.concatenate(tuple(both), axis=1)
        half //= 2
    return np.take_along_axis(counts.reshape(rows, padded), permutations, -1)
