"""Orders of topics and systems that the scores themselves set, and the way back to the order of the input.

Resamples are drawn by position. So a statistic takes topics in an order that their scores set, and systems, too, where
it draws numbers for them: a shuffled input then gives the same result, but for the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats, Indices

Value = TypeVar("Value", bound=np.generic)


def in_one_order(matrix: Floats) -> Floats:
    """A score matrix, (n, m), with its topics in an order set by their scores, as resamples are drawn by position."""
    return np.ascontiguousarray(matrix[topic_order(matrix)])


def topic_order(matrix: Floats) -> Indices:
    """Topics, (n,), by their sorted scores; equal ones by the scores of systems, in order of their sorted scores."""
    systems = lexsorted(np.sort(matrix, axis=0))
    return lexsorted([*matrix.T[systems], *np.sort(matrix, axis=1).T])


def system_order(matrix: Floats) -> Indices:
    """Systems, (m,), by their sorted scores; equal ones by their scores on the topics, which are in one order already.

    Those of several matrices have one order by `np.vstack` of them.
    """
    return lexsorted([*matrix, *np.sort(matrix, axis=0)])


def in_given_order(values: NDArray[Value], order: Indices) -> NDArray[Value]:
    """Values, (..., m), that were taken in an order, (m,), back in the one that was given."""
    restored = np.empty_like(values)
    restored[..., order] = values
    return restored


def lexsorted(keys: Sequence[Floats] | Floats) -> Indices:
    """The order that `np.lexsort` gives of finite keys; the last key mostly ties nothing, and no other is sorted."""
    # one sort by the last key; only if that ties something do the other keys matter
    order = np.argsort(keys[-1], kind="stable")
    ranked = keys[-1][order]
    return np.asarray(np.lexsort(keys) if (ranked[1:] == ranked[:-1]).any() else order)


def clearest_first(differences: Floats, pvalues: Floats) -> tuple[Indices, Indices]:
    """The better and the worse system of each pair with a p-value, (n_pairs,), by p-value and then by difference.

    Both arguments have shape (m, m): `differences` are of the row's system less the column's.
    """
    # each pair once, above the diagonal; where its difference is negative, its second system is the better one
    first, second = np.nonzero(np.triu(~np.isnan(pvalues), k=1))
    worse_first = differences[first, second] < 0
    better, worse = np.where(worse_first, second, first), np.where(worse_first, first, second)
    order = np.lexsort((-differences[better, worse], pvalues[better, worse]))
    return better[order], worse[order]
