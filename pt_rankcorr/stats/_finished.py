"""How every coefficient ends: nan with a warning where there is no ranking, a float where there is no batch."""

from __future__ import annotations

import warnings
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.checks import DegenerateInputWarning
from pt_rankcorr.stats.order import Floats

Coefficient: TypeAlias = "float | Floats"


def finished(coefficient: Floats, truth: Floats, estimate: Floats, name: str) -> Coefficient:
    """nan, with a warning, where either vector ties all systems; a float where there is no batch.

    Rounding may carry a sum of shares just beyond the ends of [-1, 1], which other functions then would refuse.
    """
    coefficient = np.clip(coefficient, -1.0, 1.0)
    undefined = all_tied(truth) | all_tied(estimate)
    if undefined.any():
        coefficient = np.where(undefined, np.nan, coefficient)
        warnings.warn(
            f"{name} is undefined where all systems are tied: the result is nan.", DegenerateInputWarning, stacklevel=3
        )
    return float(coefficient) if np.ndim(coefficient) == 0 else coefficient


def all_tied(scores: Floats) -> NDArray[np.bool_]:
    """Whether all systems have one score, for each vector of a batch."""
    return np.asarray((scores == scores[..., :1]).all(axis=-1))
