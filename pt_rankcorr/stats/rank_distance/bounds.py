"""Which resamples are surely nearer to a ranking than the observed means: without a quadratic program.

A resample is shifted to its centre, and the centre keeps the ranking. So the resample is no further from the ranking
than from the centre, and that distance is Hotelling's T^2: the same for all rankings, but for ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.model import Fitter, Model, Order

SLACK = 1e-6  # of squared distances: far more than rounding errors
LEAST_SHRINKAGE = 1e-6  # of a covariance that is surely invertible in floats


class Bounds(NamedTuple):
    """What is known of distances from k rankings, where only the number of those at least as far as observed matters.

    Attributes:
        known: What stands for the squared distance where it needs no program: infinity if the observed distance is 0,
            as nothing is nearer, else nan; and that quadprog found none; shape (k, 2).
        is_open: Whether a distance needs a program, unless the resample is nearer; shape (k,).
        is_bounded: Numbers of the rankings for which T^2 may be less than observed.
        nearer: For each of these, the squared distance for one topic from the centre below which a resample is nearer.
        places: Their centres, without the shifts, a row each.
    """

    known: Floats
    is_open: NDArray[np.bool_]
    is_bounded: Order
    nearer: Floats
    places: Floats

    @classmethod
    def of(cls, fitter: Fitter, rankings: Floats, shifts: Floats, least: Floats | None) -> Bounds:
        every = np.arange(len(rankings))
        if least is None:
            return NO_BOUNDS._replace(known=np.empty((every.size, 2)), is_open=every >= 0)
        n_topics, n_systems = fitter.scores.shape
        is_zero, is_far = least == 0.0, least**2 > n_systems - 1.0  # about what is expected of T^2
        is_bounded = every[is_far & (fitter.shrinkage > LEAST_SHRINKAGE)]
        places = [_pooled(fitter.measured + shifts[at], rankings[at]) - shifts[at] for at in is_bounded]
        known = np.column_stack((np.where(is_zero, np.inf, np.nan), np.zeros(every.size)))
        nearer = least[is_bounded] ** 2 * (1.0 - SLACK) / n_topics
        return cls(known, ~is_zero, is_bounded, nearer, np.array(places).reshape(-1, n_systems))

    def undecided(self, model: Model) -> list[np.intp]:
        """The rankings whose distances from a resample need a program."""
        if not self.is_bounded.size:
            return list(self.is_open.nonzero()[0])
        remain = self.is_open.copy()
        remain[self.is_bounded] = model.most_squared_distances(self.places) >= self.nearer
        return list(remain.nonzero()[0])


NO_BOUNDS = Bounds(
    np.empty((0, 2)), np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.intp), np.empty(0), np.empty((0, 0))
)


def _pooled(means: Floats, ranking: Floats) -> Floats:
    """Means, those of systems that the ranking ties replaced by their mean: they keep it in whatever order."""
    _, groups = np.unique(ranking, return_inverse=True)
    return np.asarray((np.bincount(groups, means) / np.bincount(groups))[groups])
