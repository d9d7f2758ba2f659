"""Rank correlations as sums over pairs: what the discordance of each pair costs, given the observed ranking."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pt_rankcorr.stats.coefficients.ap import mean_weight_of_ranks, right_inside_tie
from pt_rankcorr.stats.coefficients.counting import count_above
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.expected.discordance import RankedPairs


def expected_value(weights: Floats, probabilities: Floats) -> float:
    """The expectation of 1 - 2 * (the weight of the discordant pairs)."""
    return float(1.0 - 2.0 * (weights * probabilities).sum())


def _tau_weights(pairs: RankedPairs) -> Floats:
    """All pairs weigh the same (equation 3)."""
    return np.full(pairs.gaps.size, 1.0 / pairs.gaps.size)


def _tau_ap_weights(pairs: RankedPairs) -> Floats:
    """1/(i - 1) for the pairs of the system at rank i with those above it (equation 4), a mean over tie breaks."""
    above, worse = count_above(pairs.means, pairs.means), pairs.indices[1]
    # either of two tied systems may be the lower one, beside each of the others of their tie
    inside_tie = 4.0 * right_inside_tie(above) / np.maximum(above.group - 1.0, 1.0)
    per_pair = np.where(pairs.gaps == 0.0, inside_tie[worse], mean_weight_of_ranks(above)[worse])
    return np.asarray(per_pair / (pairs.means.size - 1))


def _tau_gap_weights(pairs: RankedPairs) -> Floats:
    """The gap of a pair, as a share of the gaps between the worse system and all above it."""
    ranks_above = np.arange(1, pairs.means.size)
    sums = np.cumsum(ranks_above * -np.diff(pairs.means))[pairs.indices[1] - 1]
    below_top = pairs.means < pairs.means[0]
    shares = np.divide(pairs.gaps, sums, out=np.zeros_like(sums), where=sums > 0.0)
    return np.asarray(shares / below_top.sum())


WEIGHTS: dict[str, Callable[[RankedPairs], Floats]] = {
    "tau": _tau_weights,
    "tau_ap": _tau_ap_weights,
    "tau_gap": _tau_gap_weights,
}
