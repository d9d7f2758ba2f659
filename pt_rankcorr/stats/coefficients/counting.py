"""For each item of a ranking: how many items stand above it, and how far these are from it in the reference.

Tau and tau_AP are computed from the numbers, tau_GAP from the sums of gaps. All pairs of items are compared, of many
rankings at once; beyond `PAIRWISE_UP_TO` items a sort counts in O(m log m) time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import begins_of, ends_of_runs, pair_blocks, starts_of_runs
from pt_rankcorr.stats.core.types import Floats, Indices

# All of these decide speed and memory only, and no result.
# Rankings of more items are counted by sorting, which is then faster than comparing all pairs.
PAIRWISE_UP_TO = 512
# A comparison of all pairs makes arrays of at most this many cells at once, so that they stay in
# the cache; gaps are floats, and have fewer.
PAIRWISE_CELLS, PAIRWISE_GAPS = 2**18, 2**16
# In rankings of more than LONG items, gaps to LONG_BLOCK items at once are sums of sorted scores.
LONG, LONG_BLOCK = 2**10, 2**8
# This many signs of pairs are multiplied at once. Single precision holds whole numbers up to 2**24,
# so their sums are exact.
SIGNS = 2**22
# This many items, of several rows, are sorted at once: enough to be quick, few enough for the
# cache.
SORTING_CELLS = 2**17


class Known(NamedTuple):
    """The cache of `sharing_counts`: integer ranks and counts of arrays, which are found by identity."""

    ranks: list[tuple[Floats, NDArray[Any]]]  # integer ranks
    counts: list[tuple[Floats, Floats, CountsAbove]]


_known: ContextVar[Known | None] = ContextVar("_known", default=None)


class CountsAbove(NamedTuple):
    """For each item, the numbers of other items that stand above it or tie with it.

    All arrays have the shape of the scores.
    """

    estimate: Floats  # that the estimate puts strictly above
    both: Floats  # that both put strictly above
    # that the estimate puts strictly above and the reference ties with this one
    tied_in_reference: Floats
    tie_size: Floats  # that the estimate ties with this one, itself included

    @property
    def has_no_ties(self) -> bool:
        """Whether neither side ties two items."""
        return bool((self.tie_size == 1).all() and not self.tied_in_reference.any())


class GapSums(NamedTuple):
    """For each item, the sums of gaps in the reference to the items that the estimate puts strictly above it."""

    rightly: Floats  # to those that the reference puts above it, too
    wrongly: Floats  # to those that the reference puts below it

    def of(self, items: Any) -> GapSums:
        """The sums of some items, by any index of arrays."""
        return GapSums(self.rightly[items], self.wrongly[items])


@contextmanager
def sharing_counts() -> Iterator[None]:
    """A context in which coefficients of the same two arrays count once, which takes most of their time.

    In a context within another one, arrays that were ranked in the outer one are not ranked again.
    """
    outer = _known.get()
    token = _known.set(Known([] if outer is None else outer.ranks, []))
    try:
        yield
    finally:
        _known.reset(token)


def count_above(reference: Floats, estimate: Floats) -> CountsAbove:
    """The counts of each item, over the last axis."""
    known = _known.get()
    if known is None:
        return _count_above(reference, estimate)
    for first, second, counts in known.counts:
        if first is reference and second is estimate:
            return counts
        # the same items are above in both
        if first is estimate and second is reference and counts.has_no_ties:
            return counts._replace(estimate=reference.shape[-1] - 1 - _ranks_of(estimate).astype(np.float64))
    known.counts.append((reference, estimate, _count_above(reference, estimate)))
    return known.counts[-1][-1]


def _count_above(reference: Floats, estimate: Floats) -> CountsAbove:
    """`count_above` without the cache."""
    if reference.shape != estimate.shape:
        reference, estimate = np.broadcast_arrays(reference, estimate)
    n_items, shape = reference.shape[-1], reference.shape
    if n_items <= PAIRWISE_UP_TO:
        # (n_items, n_rows): rankings side by side, so that one comparison of two items serves all
        # of them
        ranks = (_ranks_of(scores).reshape(-1, n_items).T for scores in (reference, estimate))
        counts = _count_by_pairs(*ranks)
        return CountsAbove(*(count.T.reshape(shape).astype(np.float64) for count in counts))
    references, estimates = reference.reshape(-1, n_items), estimate.reshape(-1, n_items)
    step = max(1, SORTING_CELLS // n_items)
    # blocks of rows; then each of the four counts is put together from its pieces
    blocks = [slice(start, start + step) for start in range(0, len(references), step)]
    pieces = [_count_by_sorting(references[block], estimates[block]) for block in blocks]
    return CountsAbove(
        *(np.concatenate(counts, dtype=np.float64).reshape(shape) for counts in zip(*pieces, strict=True))
    )


def _ranks_of(scores: Floats) -> NDArray[Any]:
    """The integer ranks of scores, ranked once within `sharing_counts`."""
    known = _known.get()
    if known is None:
        return integer_ranks(scores)
    for array, ranks in known.ranks:
        if array is scores:
            return ranks
    known.ranks.append((scores, integer_ranks(scores)))
    return known.ranks[-1][-1]


def integer_ranks(scores: Floats) -> NDArray[Any]:
    """For each item, how many others have a lower score, over the last axis.

    Unsigned integers of the least size, which are quick to compare; in memory, the rows follow each other item by item.
    """
    n_items = scores.shape[-1]
    rows = scores.reshape(-1, n_items)
    # a broadcast array has one ranking for all rows (a stride of 0): it is ranked once
    rankings = rows[:1] if rows.strides[0] == 0 else rows
    order = np.argsort(rankings, axis=-1)
    # where a new score begins in ascending order; to sort again is quicker than to take by the
    # order
    begins = begins_of(np.sort(rankings, axis=-1))
    # the place in ascending order is the number of lower items; in a tie, the place where the tie
    # begins
    below = np.arange(n_items, dtype=np.min_scalar_type(n_items))
    ranks = np.empty((n_items, len(rankings)), dtype=below.dtype)
    ranks[order, np.arange(len(rankings))[:, np.newaxis]] = below if begins.all() else starts_of_runs(begins, below)
    return np.broadcast_to(ranks.T, rows.shape).reshape(scores.shape)


def _count_by_pairs(reference: NDArray[Any], estimate: NDArray[Any]) -> list[NDArray[Any]]:
    """The four counts of integer ranks, all of shape (n_items, n_rows), by comparing a block of pairs at a time."""
    n_items, n_rows = reference.shape
    # ranks without ties are 0 ... m - 1, whose sum is m (m - 1) / 2; ties make it smaller
    has_ties = [int(ranks.sum()) < n_rows * n_items * (n_items - 1) // 2 for ranks in (reference, estimate)]
    both, tied_in_reference, tie_size = (np.full(reference.shape, start, reference.dtype) for start in (0, 0, 1))
    # blocks of `columns` rankings and `step` items, each item against all n_items others
    columns = max(1, min(n_rows, PAIRWISE_CELLS // n_items))
    step = PAIRWISE_CELLS // (n_items * columns)
    for row in range(0, n_rows, columns):
        rows = slice(row, row + columns)
        for item in range(0, n_items, step):
            block = slice(item, item + step), rows
            # (n_items, step, columns): whether another item stands above an item of the block
            above = estimate[:, np.newaxis, rows] > estimate[block]
            _count_others(above & (reference[:, np.newaxis, rows] > reference[block]), both[block])
            if has_ties[0]:
                _count_others(above & (reference[:, np.newaxis, rows] == reference[block]), tied_in_reference[block])
            if has_ties[1]:
                _count_others(estimate[:, np.newaxis, rows] == estimate[block], tie_size[block])
    # above = all items, less those in the tie, less those below, whose number is the rank itself
    return [n_items - tie_size - estimate, both, tied_in_reference, tie_size]


def _count_others(pairs: NDArray[np.bool_], totals: NDArray[Any]) -> None:
    """Writes into totals, shape (step, columns), how many other items, along the first axis, are true."""
    np.add.reduce(pairs.view(np.uint8), axis=0, dtype=totals.dtype, out=totals)


def _count_by_sorting(reference: Floats, estimate: Floats) -> list[NDArray[Any]]:
    """The four counts, of scores of shape (n_rows, n_items); each count is of the same shape."""
    # best first by the estimate; inside a tie the worse first by the reference, so that no pair of
    # it counts
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
    # among items of equal reference, in the order of the estimate: how many come before, how many
    # are strictly above
    run = starts_of_runs(begins_run)
    strictly_above = starts_of_runs(begins_run | begins_of(np.take_along_axis(above, by_reference, -1)))
    # both: read by the reference, best first, the earlier items with a smaller place; without those
    # of the item's own run, which the reference ties
    both = smaller_before(_scattered(place, by_reference)) - _scattered(place - run, by_reference)
    tied_in_reference = _scattered(strictly_above - run, by_reference)
    tie_size = ends_of_runs(begins_tie) - above
    return [_scattered(counts, order) for counts in (above, both, tied_in_reference, tie_size)]


def _best_first(scores: Floats, then_ascending: NDArray[Any]) -> Indices:
    """The order of descending scores, shape (n_rows, n_items); ties, if there are any, by an ascending second key."""
    order = np.argsort(-scores, axis=-1)
    if begins_of(np.take_along_axis(scores, order, -1)).all():
        return order
    return np.lexsort((then_ascending, -scores), axis=-1)


def _scattered(values: NDArray[Any], places: Indices) -> NDArray[Any]:
    """Rows in which the values of each row stand at its places, a permutation: the inverse of `np.take_along_axis`."""
    scattered = np.empty_like(values)
    np.put_along_axis(scattered, places, values, -1)
    return scattered


def gap_sums(reference: Floats, estimate: Floats) -> GapSums:
    """The sums of gaps of each item, over the last axis: by taking all pairs of items, a block of pairs at a time.

    Only gaps are added up, never signed differences or scores, so each sum has a relative error of at most m machine
    epsilons.
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
    columns = max(1, min(n_rows, PAIRWISE_GAPS // n_items))
    step = max(1, PAIRWISE_GAPS // (n_items * columns))
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
            np.subtract.reduce(np.minimum(gaps, 0.0, out=gaps), axis=0, initial=0.0, out=wrongly[block])
    return GapSums(*(_scattered(sums.T, order).reshape(shape) for sums in (rightly, wrongly)))


def _gap_sums_of_blocks(scores: Floats, n_above: Indices) -> tuple[Floats, Floats]:
    """Both sums of gaps of a long ranking, shape (m,), from scores in its order and how many items stand above each.

    An item's gaps to a block that stands above it as a whole are sums of the block's sorted scores; all pairs are taken
    within each block alone. O(m^1.5) time, where all pairs take O(m^2).
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
    references: Floats,
    estimates: Floats,
    weigh: Callable[..., Floats] | None = None,
) -> Floats:
    """The concordant pairs of systems less the discordant ones, of each reference (row) with each estimate (column).

    Shape (n, k), of scores of shape (n, m) and (k, m). `weigh` weighs the signs of pairs in the estimates, given the
    positions of the pairs' systems and the signs, of shape (n_pairs, k). Blocks of pairs keep memory from growing with
    m^2.
    """
    # (m, n) and (m, k): a row of each is a system, so that pairs are differences of rows
    sides = [np.ascontiguousarray(integer_ranks(scores).T) for scores in (references, estimates)]
    total = np.zeros((len(references), len(estimates)))
    # single precision is faster, and exact for signs; weights need double precision
    dtype = np.float32 if weigh is None else np.float64
    cells = len(references) + len(estimates)
    for first, second in pair_blocks(references.shape[1], cells, at_once=SIGNS):
        # (n_pairs, n) and (n_pairs, k) of 1, 0 and -1; a product of matrices sums over the pairs
        signs = [(ranks[first] > ranks[second]).view(np.int8) - (ranks[first] < ranks[second]) for ranks in sides]
        weighted = signs[1] if weigh is None else weigh(first, second, signs[1])
        total += signs[0].astype(dtype).T @ weighted.astype(dtype)
    return total


def smaller_before(permutations: Indices) -> Indices:
    """For each place of a permutation of 0 ... m-1, how many earlier values are smaller: one permutation a row.

    Values are sorted bit by bit from the highest, stably. At each bit an item with a one overtakes the earlier zeros of
    its group (those with the same higher bits): these are smaller, and every smaller one is met at exactly one bit. The
    number of the row makes the highest bits. O(m log m) time for many items, O(m) memory, all in array operations.
    """
    rows, items = permutations.shape
    # The length becomes a power of two: then every group has as many ones as zeros. Values that are
    # added come last and are largest, and so change no count.
    padded = 1 << (items - 1).bit_length()
    sequence = np.empty((rows, padded), dtype=np.intp)
    sequence[:, :items] = permutations
    sequence[:, items:] = np.arange(items, padded)
    # the number of the row as the highest bits: rows stay apart while all are sorted as one
    # sequence
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
