"""How every coefficient ends: nan with a warning where there is no ranking, a float where there is one pair of them."""

from __future__ import annotations

import warnings
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.warnings import DegenerateInputWarning, level_of_the_caller

Correlations: TypeAlias = float | Floats


def clip(coefficient: Floats, reference: Floats, estimate: Floats) -> Floats:
    """Within [-1, 1], beyond which rounding may carry a sum of shares; nan where either vector ties all systems."""
    undefined = all_tied(reference) | all_tied(estimate)
    clipped = np.minimum(np.maximum(coefficient, -1.0), 1.0)
    return np.where(undefined, np.nan, clipped) if undefined.any() else clipped


def finish(coefficient: Floats, name: str) -> Correlations:
    """A float where there is no batch; with a warning where it is nan."""
    if coefficient.ndim == 0 and coefficient == coefficient:
        return float(coefficient)
    if np.isnan(coefficient).any():
        warn_of_ties(name)
    return float(coefficient) if coefficient.ndim == 0 else coefficient


def warn_of_ties(name: str) -> None:
    message = f"{name} is undefined where all systems are tied: the result is nan."
    warnings.warn(message, DegenerateInputWarning, stacklevel=level_of_the_caller())


def all_tied(scores: Floats) -> NDArray[np.bool_]:
    """Whether all systems have one score, for each vector of a batch."""
    differ = scores[..., 0] != scores[..., -1]
    if differ.all():  # as most often: the same, at once
        return np.zeros(differ.shape, dtype=np.bool_)
    return np.asarray((scores == scores[..., :1]).all(axis=-1))
