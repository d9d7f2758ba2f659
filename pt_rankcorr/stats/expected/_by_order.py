"""The expected correlation where only the order of systems matters, without the correlation of each draw.

A search for the topics needed asks of many numbers of topics whether a target is reached. The mean over draws then
needs no more than how many systems, over all draws, stand rightly above each place.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.coefficients.counting import count_before
from pt_rankcorr.stats.core.types import Floats

CLOSE = 1e-9  # to a target: far more than rounding errors of a mean over draws
SURELY_APART = 2.0**-35  # of the largest size: rounding to twelve digits moves two means by less


def mean_by_order(coefficient: str, truths: NDArray[np.uint8], means: Floats, size: float) -> float:
    """The mean tau or tau_AP of untied orders with means before rounding, both of shape (n_draws, n_systems).

    Digits of means count from `size` at most. The result is nan where some means of a draw are so near that their
    order may not outlast rounding.
    """
    n_draws, n_systems = means.shape
    _, exponent = math.frexp(max(size, float(means.max()), -float(means.min())))
    keys = (means * -(2.0 ** (54 - exponent))).astype(np.int64)  # best first
    keys <<= 8
    keys |= truths  # in the lowest bits: sorting brings them along
    keys.sort(axis=-1)
    if (keys[:, 1:] - keys[:, :-1]).min() < SURELY_APART * 2.0**62:
        return math.nan
    above = count_before(np.ascontiguousarray((keys & 255).astype(np.uint8).T), np.greater)
    rightly = above.sum(axis=1, dtype=np.int64)[1:] / n_draws
    if coefficient == "tau":
        return float(4.0 * rightly.sum() / (n_systems * (n_systems - 1)) - 1.0)
    return float(2.0 * (rightly / np.arange(1, n_systems)).sum() / (n_systems - 1) - 1.0)
