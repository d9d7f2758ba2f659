"""How the weights of swaps, and what pairs of systems cost a coefficient, are shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.present.generic import in_a_line, table_of
from pt_rankcorr.stats.coefficients.weights import Contributions, SwapWeights
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.tables import NUMBER, WORD, Table, of_values


@table_of.register
def swap_weights_table(result: SwapWeights) -> Table:
    """The pairs, the dearest swap first."""
    pairs = np.triu_indices(len(result.systems), k=1)
    names, costs = _dearest_first(result.values, pairs, result.systems)
    table = of_values({WORD: names, NUMBER: {"cost of the swap": costs}})
    return replace(table, notes=(in_a_line(result),))


@table_of.register
def contributions_table(result: Contributions) -> Table:
    """The pairs with a cost, largest first: better and worse by the reference, cost, share."""
    pairs = np.nonzero(np.triu(result.costs, k=1))
    names, costs = _dearest_first(result.costs, pairs, result.systems)
    table = of_values({WORD: names, NUMBER: {"cost": costs, "share": costs / costs.sum()}})
    return replace(table, notes=(in_a_line(result),))


def _dearest_first(
    costs: Floats, pairs: tuple[Indices, ...], systems: Labels
) -> tuple[dict[str, NDArray[np.object_]], Floats]:
    """Names of both systems, and costs, of each pair, largest first, from (m, m) and positions."""
    pair_costs, names = costs[pairs], np.array(systems, dtype=object)
    order = np.argsort(-pair_costs, kind="stable")
    better, worse = (names[side[order]] for side in pairs)
    return {"better": better, "worse": worse}, pair_costs[order]
