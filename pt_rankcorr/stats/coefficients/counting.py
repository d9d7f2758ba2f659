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

PAIRWISE_UP_TO = 512  # items: beyond, sorting is faster than comparing all pairs
PAIRWISE_CELLS = 2**18  # cells of the arrays that the comparison of all pairs makes at once, so that they stay in cache
PAIRWISE_GAPS = 2**16  # the same for gaps, which are floats
LONG, LONG_BLOCK = 2**10, 2**8  # items: beyond the first, gaps to so many items at once are sums of sorted scores
SIGNS = 2**22  # of pairs that are multiplied at once; less than 2**24
SORTING_CELLS = 2**17  # items of all rows that are sorted at once: enough to be quick, few enough for the cache


class Known(NamedTuple):
    """What is known of some arrays of scores, by which object they are."""

    ranks: list[tuple[Floats, NDArray[Any]]]  # integer ranks
    counts: list[tuple[Floats, Floats, CountsAbove]]


_known: ContextVar[Known | None] = ContextVar("_known", default=None)


class CountsAbove(NamedTuple):
    """For each item: how many others there are of each description. All arrays have the shape of the scores."""

    estimate: Floats  # that the estimate puts strictly above
    both: Floats  # that both put strictly above
    tied_in_reference: Floats  # that the estimate puts strictly above and the reference ties with this one
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
        if first is estimate and second is reference and counts.has_no_ties:  # the same items are above in both
            return counts._replace(estimate=reference.shape[-1] - 1 - _ranks_of(estimate).astype(np.float64))
    known.counts.append((reference, estimate, _count_above(reference, estimate)))
    return known.counts[-1][-1]


def _count_above(reference: Floats, estimate: Floats) -> CountsAbove:
    """`count_above`, whatever is known."""
    if reference.shape != estimate.shape:
        reference, estimate = np.broadcast_arrays(reference, estimate)
    n_items, shape = reference.shape[-1], reference.shape
    if n_items <= PAIRWISE_UP_TO:
        counts = _count_by_pairs(*(_ranks_of(scores).reshape(-1, n_items).T for scores in (reference, estimate)))
        return CountsAbove(*(count.T.reshape(shape).astype(np.float64) for count in counts))
    references, estimates = reference.reshape(-1, n_items), estimate.reshape(-1, n_items)
    step = max(1, SORTING_CELLS // n_items)
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
    rankings = rows[:1] if rows.strides[0] == 0 else rows  # one ranking for all rows
    order = np.argsort(rankings, axis=-1)
    begins = begins_of(np.sort(rankings, axis=-1))  # quicker than to take them in this order
    below = np.arange(n_items, dtype=np.min_scalar_type(n_items))
    ranks = np.empty((n_items, len(rankings)), dtype=below.dtype)
    ranks[order, np.arange(len(rankings))[:, np.newaxis]] = below if begins.all() else starts_of_runs(begins, below)
    return np.broadcast_to(ranks.T, rows.shape).reshape(scores.shape)


def _count_by_pairs(reference: NDArray[Any], estimate: NDArray[Any]) -> list[NDArray[Any]]:
    """The four counts of integer ranks, all of shape (n_items, n_rows), by comparing a block of pairs at a time."""
    n_items, n_rows = reference.shape
    has_ties = [int(ranks.sum()) < n_rows * n_items * (n_items - 1) // 2 for ranks in (reference, estimate)]
    both, tied_in_reference, tie_size = (np.full(reference.shape, start, reference.dtype) for start in (0, 0, 1))
    columns = max(1, min(n_rows, PAIRWISE_CELLS // n_items))
    step = PAIRWISE_CELLS // (n_items * columns)
    for row in range(0, n_rows, columns):
        rows = slice(row, row + columns)
        for item in range(0, n_items, step):
            block = slice(item, item + step), rows
            above = estimate[:, np.newaxis, rows] > estimate[block]  # for each other item, and item of the block
            _count_others(above & (reference[:, np.newaxis, rows] > reference[block]), both[block])
            if has_ties[0]:
                _count_others(above & (reference[:, np.newaxis, rows] == reference[block]), tied_in_reference[block])
            if has_ties[1]:
                _count_others(estimate[:, np.newaxis, rows] == estimate[block], tie_size[block])
    return [n_items - tie_size - estimate, both, tied_in_reference, tie_size]


def _count_others(pairs: NDArray[np.bool_], totals: NDArray[Any]) -> None:
    """Writes into totals for how many others, along the first axis, each pair is true."""
    np.add.reduce(pairs.view(np.uint8), axis=0, dtype=totals.dtype, out=totals)


def _count_by_sorting(reference: Floats, estimate: Floats) -> list[NDArray[Any]]:
    """The four counts, of scores of shape (n_rows, n_items); each count is of the same shape."""
    # best first by the estimate; inside a tie the worse first by the reference, so that no pair of it counts
    order = _best_first(estimate, reference)
    reference, estimate = np.take_along_axis(reference, order, -1), np.take_along_axis(estimate, order, -1)
    place = np.broadcast_to(np.arange(reference.shape[-1]), reference.shape)
    by_reference = _best_first(reference, place)
    begins_tie, begins_run = begins_of(estimate), begins_of(np.take_along_axis(reference, by_reference, -1))
    above = starts_of_runs(begins_tie)
    # among items of equal reference, in the order of the estimate: how many come before, how many are strictly above
    run = starts_of_runs(begins_run)
    strictly_above = starts_of_runs(begins_run | begins_of(np.take_along_axis(above, by_reference, -1)))
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
    order = np.argsort(estimate, axis=-1)[:, ::-1]  # best first
    begins = begins_of(np.take_along_axis(estimate, order, -1))
    places = np.arange(n_items, dtype=np.min_scalar_type(n_items))
    if n_items > LONG:
        scores, n_above = np.take_along_axis(reference, order, -1), starts_of_runs(begins)
        sums = zip(*map(_gap_sums_of_blocks, scores, n_above), strict=True)
        return GapSums(*(_scattered(np.stack(rows), order).reshape(shape) for rows in sums))
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
            gaps = scores[:last, np.newaxis, rows] - scores[block]  # how far what stands higher is better
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
        below = slice(np.searchsorted(n_above, start + block.size), None)  # all these items are below the whole block
        centre = block.mean()  # sums of what is near 0 keep their digits
        ascending, rest = np.sort(block - centre), scores[below] - centre
        sums, n_lower = np.concatenate([[0.0], np.cumsum(ascending)]), np.searchsorted(ascending, rest)
        rightly[below] += sums[-1] - sums[n_lower] - (block.size - n_lower) * rest
        wrongly[below] += n_lower * rest - sums[n_lower]
        partly = slice(start, below.start)
        is_above = np.arange(start, start + block.size)[:, np.newaxis] < n_above[partly]
        gaps = np.where(is_above, block[:, np.newaxis] - scores[partly], 0.0)
        rightly[partly] += np.maximum(gaps, 0.0).sum(axis=0)
        wrongly[partly] -= np.minimum(gaps, 0.0).sum(axis=0)
    return rightly, wrongly


def product_of_signs(references: Floats, estimates: Floats, weigh: Callable[..., Floats] | None = None) -> Floats:
    """The concordant pairs of systems less the discordant ones, of each reference (row) with each estimate (column).

    Shape (n, k), of scores of shape (n, m) and (k, m). `weigh` weighs the signs of pairs in the estimates, given the
    positions of the pairs' systems and the signs, of shape (n_pairs, k). Blocks of pairs keep memory from growing with
    m^2.
    """
    sides = [np.ascontiguousarray(integer_ranks(scores).T) for scores in (references, estimates)]
    total = np.zeros((len(references), len(estimates)))
    dtype = np.float32 if weigh is None else np.float64  # sums of so few signs are exact in single precision
    for first, second in pair_blocks(references.shape[1], len(references) + len(estimates), at_once=SIGNS):
        signs = [((ranks[first] > ranks[second]).view(np.int8) - (ranks[first] < ranks[second])) for ranks in sides]
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
    padded = 1 << (items - 1).bit_length()  # a power of two: then every group has as many ones as zeros
    sequence = np.empty((rows, padded), dtype=np.intp)
    sequence[:, :items] = permutations
    sequence[:, items:] = np.arange(items, padded)  # these come last and are largest
    sequence += np.arange(rows)[:, np.newaxis] * padded
    counts = np.zeros(rows * padded, dtype=np.intp)
    half = padded // 2
    while half:
        values = sequence.ravel()
        is_zero = values & half == 0
        ones = np.flatnonzero(~is_zero)
        counts[values[ones]] += np.cumsum(is_zero.reshape(-1, 2 * half), axis=1).ravel()[ones]
        both = (values[places].reshape(-1, half) for places in (np.flatnonzero(is_zero), ones))
        sequence = np.concatenate(tuple(both), axis=1)
        half //= 2
    return np.take_along_axis(counts.reshape(rows, padded), permutations, -1)
