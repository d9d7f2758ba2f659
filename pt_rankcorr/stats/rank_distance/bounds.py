"""Which resamples are surely nearer to a ranking than the observed means are: found without a quadratic program.

The distance from a ranking is that to the nearest means that keep it. So it is no more than the distance to any means
that keep it. Bounds are measured without the ridge, which only makes distances less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.stats.rank_distance.model import Fitter, Model

SLACK = 1e-6  # of squared distances: far more than rounding errors
LEAST_SHRINKAGE = 1e-6  # of a covariance that is surely invertible in floats
FAR = 0.25  # squared distances for each difference, below which a bound seldom tells


def changes_to_keep(means: Floats, orders: Indices) -> Floats:
    """What to take off means, so that they keep an order of systems, worst first; both of shape (..., m).

    From the worst system to the best, the largest mean until then and the least one from then on never decrease. Half
    of their sum does not, either, and is near the means.
    """
    ascending = np.take_along_axis(means, orders, -1)
    until = np.maximum.accumulate(ascending, axis=-1)
    from_then = np.minimum.accumulate(ascending[..., ::-1], axis=-1)[..., ::-1]
    changes = np.empty_like(means)
    np.put_along_axis(changes, orders, ascending - (until + from_then) / 2.0, -1)
    return np.asarray(changes - changes.mean(axis=-1, keepdims=True))


class Bounds:
    """Tells resamples that are surely nearer than rankings whose distances are so much, shape (k,).

    Attributes:
        nearer: The squared distances for one topic below which a resample surely is nearer; nan where none is.
        tells: Whether there is any such ranking.
    """

    def __init__(self, fitter: Fitter, least: Floats) -> None:
        n_topics, n_systems = fitter.scores.shape
        squared = np.where(fitter.shrinkage > LEAST_SHRINKAGE, least**2, np.nan)
        self.nearer = np.where(squared > FAR * (n_systems - 1), squared * (1.0 - SLACK) / n_topics, np.nan)
        self.tells = bool(np.isfinite(self.nearer).any())

    def surely_nearer(self, model: Model, changes: Floats) -> NDArray[np.bool_]:
        """For each ranking, from the model of a resample and what `changes_to_keep` takes off, shape (k, m)."""
        return np.asarray(model.squared_lengths(changes) < self.nearer)
