"""Do scores look as if somebody had rounded them? Then systems that differ may appear tied."""

from __future__ import annotations

import warnings

import numpy as np

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.warnings import RoundedScoresWarning, level_of_the_caller

DECIMALS = (2, 3, 4, 5)  # that tools print
OF_ANY_MEASURE = DECIMALS[1:]  # ratios of counts, such as P@20 and P@100, have two
FEW_VALUES = 20  # no fewer distinct values can tell a rounded measure from a coarse one
ADVICE = (
    "Rounding makes ties and hides small differences: where the evaluator does not round, evaluate without rounding "
    "(`round=` of pt.Experiment), and round what you show."
)


def decimals_of(scores: Floats, decimals: tuple[int, ...] = DECIMALS) -> int | None:
    """The decimals that all of many distinct scores have, if they are few; else None."""
    distinct = np.unique(scores)
    if len(distinct) < FEW_VALUES:
        return None
    return next((each for each in decimals if np.abs(np.round(distinct, each) - distinct).max() < 1e-9), None)


def warn_if_rounded(scores: Floats, parameter: str) -> None:
    """Warns of scores whose measure is not known."""
    found = decimals_of(scores)
    if found in OF_ANY_MEASURE:
        warnings.warn(
            f"`{parameter}` looks rounded to {found} decimals. {ADVICE}",
            RoundedScoresWarning,
            stacklevel=level_of_the_caller(),
        )
