"""Which resamples are surely nearer to a ranking than the observed means are: found without a quadratic program.

A resample is shifted to a centre that keeps the ranking. So its distance from the ranking is at most that from the
centre, which is Hotelling's T^2. Where no systems tie in the rankings, all of them have the same T^2.
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
    """Of some rankings, those that are so far that T^2 may tell.

    Attributes:
        bounded: Their numbers.
        nearer: For each, the squared distance for one topic below which a resample is surely nearer.
        places: Their centres, less the shift of the means to it, a row each.
    """

    bounded: Order
    nearer: Floats
    places: Floats

    @classmethod
    def of(cls, fitter: Fitter, rankings: Floats, shifts: Floats, least: Floats) -> Bounds:
        """For k rankings and the shifts to their centres, shape (k, m), where `least` counts as far, shape (k,)."""
        n_topics, n_systems = fitter.scores.shape
        is_far = (least**2 > n_systems - 1.0) & np.isfinite(least)  # about what is expected of T^2
        bounded = (is_far & (fitter.shrinkage > LEAST_SHRINKAGE)).nonzero()[0]
        places = [_pooled(fitter.measured + shifts[at], rankings[at]) - shifts[at] for at in bounded]
        nearer = least[bounded] ** 2 * (1.0 - SLACK) / n_topics
        return cls(bounded, nearer, np.array(places).reshape(-1, n_systems))

    def surely_nearer(self, model: Model) -> NDArray[np.bool_]:
        """Whether a resample is, for each of those rankings."""
        return np.asarray(model.most_squared_distances(self.places) < self.nearer)


def _pooled(means: Floats, ranking: Floats) -> Floats:
    """Means, those of systems that the ranking ties replaced by their mean: they keep it in whatever order."""
    _, groups = np.unique(ranking, return_inverse=True)
    return np.asarray((np.bincount(groups, means) / np.bincount(groups))[groups])
