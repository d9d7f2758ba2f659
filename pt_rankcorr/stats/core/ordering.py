"""Orders of topics and systems that the scores themselves set, and the way back from them.

Resamples are drawn by position. So a statistic takes topics in an order that their scores set, and
systems, too, where it draws for them: shuffled input then gives the same result but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats, Indices

Value = TypeVar("Value", bound=np.generic)


def in_one_order(matrix: Floats) -> Floats:
    """A score matrix, (n, m), with its topics in an order set by their scores."""
    return np.ascontiguousarray(matrix[topic_order(matrix)])


def topic_order(matrix: Floats) -> Indices:
    """Topics, (n,), by their sorted scores; equal ones by the scores of systems in one order."""
    # systems by their sorted scores
    systems = lexsorted(np.sort(matrix, axis=0))
    return lexsorted([*matrix.T[systems], *np.sort(matrix, axis=1).T])


def system_order(matrix: Floats) -> Indices:
    """Systems, (m,), by their sorted scores; equal ones by their scores on topics in one order.

    Those of several matrices have one order by `np.vstack` of them.
    """
    return lexsorted([*matrix, *np.sort(matrix, axis=0)])


def in_given_order(values: NDArray[Value], order: Indices) -> NDArray[Value]:
    """Values, (..., m), that were taken in an order, (m,), back in the one that was given."""
    restored = np.empty_like(values)
    restored[..., order] = values
    return restored


def lexsorted(keys: Sequence[Floats] | Floats) -> Indices:
    """The order that `np.lexsort` gives of finite keys, the last of which mostly ties nothing."""
    # one sort by the last key; only if that ties something do the other keys matter
    order = np.argsort(keys[-1], kind="stable")
    ranked = keys[-1][order]
    return np.asarray(np.lexsort(keys) if (ranked[1:] == ranked[:-1]).any() else order)


def clearest_first(differences: Floats, pvalues: Floats) -> tuple[Indices, Indices]:
    """The better and the worse system of each pair, (n_pairs,), by p-value, then by difference.

    Both arguments have shape (m, m), with nan as the p-value of no pair: `differences` are of the
    row's system less the column's.
    """
    # each pair once, above the diagonal; a negative difference says that its second is better
    first, second = np.nonzero(np.triu(~np.isnan(pvalues), k=1))
    worse_first = differences[first, second] < 0
    better, worse = np.where(worse_first, second, first), np.where(worse_first, first, second)
    order = np.lexsort((-differences[better, worse], pvalues[better, worse]))
    return better[order], worse[order]
