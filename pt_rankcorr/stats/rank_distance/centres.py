"""Where nulls are centred: true means near the measured ones, but closer together."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.model import Fitter, Model
from pt_rankcorr.stats.rank_distance.ties import nearest_order
from pt_rankcorr.stats.truth.pairs import Varying, varying_pairs
from pt_rankcorr.stats.truth.reliability import GRID, NOTHING, TESTING, Fits, agreements
from pt_rankcorr.stats.truth.shrunken import reliability_of

PAIRS_AT_ONCE = 2**12  # by the values of lambda


def shrunken(fitter: Fitter, rankings: Floats) -> Floats:
    """What to add to the measured means for the centre of each of k rankings, shape (k, m).

    Measured means are further apart than true ones, as luck adds to their differences. The nearest means that a ranking
    orders, theta of algorithm 1, put the systems that it reorders on one spot. So the centre is
    grand mean + l (w s + (1 - w) theta - grand mean): s are the measured means, sorted, given to the systems in the
    order of the ranking; l is the posterior mean of the reliability if the ranking is true; and w = l/2.
    """
    observed = fitter.model
    shares = reliabilities_under(fitter.scores, rankings)
    shifts = [_shift(observed, ranking, share) for ranking, share in zip(rankings, shares, strict=True)]
    return np.array(shifts).reshape(rankings.shape)


def _shift(observed: Model, ranking: Floats, share: float) -> Floats:
    order, means = nearest_order(observed, ranking), observed.means
    theta, swapped = means + observed.shift_to(order), np.empty_like(means)
    swapped[order] = np.sort(means)
    centre = share / 2.0 * swapped + (1.0 - share / 2.0) * theta
    return np.asarray(share * (centre - centre.mean()) + means.mean() - means)


def without_a_ranking(fitter: Fitter) -> Floats:
    """What to add to the measured means for means that are closer together by their reliability, shape (m,)."""
    return np.asarray((reliability_of(fitter.scores).mean - 1.0) * (fitter.measured - fitter.measured.mean()))


def reliabilities_under(scores: Floats, rankings: Floats) -> list[float]:
    """For each ranking, the posterior mean of lambda if the true means are in its order; a uniform prior."""
    n_topics, n_systems = scores.shape
    fits, agreed = NOTHING, np.zeros((len(rankings), GRID.size))
    for block in varying_pairs(scores):
        fits += Fits.of(block.t, n_topics)
        agreed += _agreements(block, rankings, n_topics)
    return [(fits + Fits(row, 0)).posterior(n_systems, TESTING).mean for row in agreed]


def _agreements(block: Varying, rankings: Floats, n_topics: int) -> Floats:
    first, second = block.pairs
    agreed = np.zeros((len(rankings), GRID.size))
    for at in range(0, first.size, PAIRS_AT_ONCE):
        some = slice(at, at + PAIRS_AT_ONCE)
        signs = (np.sign(ranking[first[some]] - ranking[second[some]]) for ranking in rankings)
        agreed += agreements(block.t[some], signs, n_topics)
    return agreed
