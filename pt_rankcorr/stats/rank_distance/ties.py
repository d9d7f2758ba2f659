"""The nearest order of systems that are tied in the ranking.

A tie of the ranking is broken as the reference orders the systems. Where the reference ties them too, the distance is
the least over all of their orders.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise, permutations, product

import numpy as np

from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.stats.rank_distance.model import Model

MOST_ORDERS = 120  # up to which all are tried: those of five tied systems
NEARER = 1e-9  # a share of the distance: less is rounding
MOST_SWEEPS = 20  # over all neighbours; two or three are enough


def nearest_order(model: Model, scores: Floats) -> Indices:
    """The order of scores, shape (m,), of least distance: of up to 120 orders, else such that no one swap helps."""
    order = model.order(scores)
    groups = _common_ties(model.means[order], scores[order])
    if not groups:
        return order
    if math.prod(math.factorial(len(group)) for group in groups) <= MOST_ORDERS:
        return min(_all_orders(order, groups), key=lambda one: model.squared_distance(one)[0])
    return _by_exchanges(model, order, [at for group in groups for at in group[:-1]])


def _common_ties(means: Floats, scores: Floats) -> list[range]:
    """The places of each group of tied systems, of sorted ones."""
    differs = (np.diff(means) != 0.0) | (np.diff(scores) != 0.0)
    ends = [0, *(differs.nonzero()[0] + 1).tolist(), means.size]
    return [range(first, last) for first, last in pairwise(ends) if last - first > 1]


def _all_orders(order: Indices, groups: Iterable[range]) -> Iterator[Indices]:
    places = list(chain.from_iterable(groups))
    for systems in product(*(permutations(order[list(group)]) for group in groups)):
        other = order.copy()
        other[places] = list(chain.from_iterable(systems))
        yield other


def _by_exchanges(model: Model, order: Indices, places: list[int]) -> Indices:
    """From one order on, exchanges of two tied neighbours, as long as one makes the distance less."""
    least, _ = model.squared_distance(order)
    for _ in range(MOST_SWEEPS):
        before = least
        for at in places:
            other = order.copy()
            other[[at, at + 1]] = order[[at + 1, at]]
            squared, _ = model.squared_distance(other)
            if squared < least * (1.0 - NEARER):
                order, least = other, squared
        if least == before:
            break
    return order
