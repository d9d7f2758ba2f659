"""All pairs of systems, in blocks that keep memory bounded, and the matrices made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pt_rankcorr.stats.core.inputs import labels_of
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.tables import NUMBER, PVALUE, WORD, Table, of_values

MOST_SYSTEMS = 8192  # whose table of all pairs takes 512 MiB
CACHED_CELLS = 2**15  # cells of an array of 256 KiB: several stay in the cache


class Pairs(NamedTuple):
    """The positions of the two systems of each pair."""

    first: Indices
    second: Indices


def check_number_of_systems(parameter: str, n_systems: int) -> None:
    if n_systems > MOST_SYSTEMS:
        raise ValueError(
            f"`{parameter}` must have at most {MOST_SYSTEMS} systems, as tables of all pairs of more do not fit into "
            f"memory, got {n_systems}: choose some of them."
        )


def pair_blocks(n_systems: int, cells: int, *, at_once: int = CACHED_CELLS) -> Iterator[Pairs]:
    """Every pair once, the first system before the second, in blocks of pairs that need so many cells each."""
    ends = np.cumsum(np.arange(n_systems - 1, 0, -1))  # of the pairs of each first system
    step = max(1, at_once // max(cells, 1))
    for start in range(0, int(ends[-1]), step):
        pairs = np.arange(start, min(start + step, int(ends[-1])))
        first = np.searchsorted(ends, pairs, side="right")
        yield Pairs(first, pairs - ends[first] + n_systems)


def symmetric(of_pairs: Floats, n_systems: int, diagonal: float) -> Floats:
    """The symmetric matrix of values of pairs that are in the order of `pair_blocks`."""
    matrix = np.full((n_systems, n_systems), diagonal)
    pairs = np.triu_indices(n_systems, k=1)
    matrix[pairs] = of_pairs
    matrix.T[pairs] = of_pairs
    return matrix


def system_names(scores: object, n_systems: int) -> Labels:
    """The names of the systems, or "s1", "s2", ... where they have none."""
    return labels_of(scores) or tuple(f"s{number}" for number in range(1, n_systems + 1))


def pair_table(systems: Labels, differences: Floats, pvalues: Floats) -> Table:
    """One row a pair whose p-value is known, the better system first, by p-value and then by difference."""
    first, second = np.nonzero(np.triu(~np.isnan(pvalues), k=1))
    worse_first = differences[first, second] < 0
    better, worse = np.where(worse_first, second, first), np.where(worse_first, first, second)
    order = np.lexsort((-differences[better, worse], pvalues[better, worse]))
    better, worse = better[order], worse[order]
    names = np.array(systems, dtype=object)
    numbers = {NUMBER: {"difference": differences[better, worse]}, PVALUE: {"p-value": pvalues[better, worse]}}
    return of_values({WORD: {"system": names[better], "other": names[worse]}, **numbers})
