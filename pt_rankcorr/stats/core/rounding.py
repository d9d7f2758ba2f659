"""Do scores look as if somebody had rounded them? Then systems that differ may appear tied."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.warnings import RoundedScoresWarning, warn

DECIMALS = (2, 3, 4, 5)  # that tools print
OF_ANY_MEASURE = DECIMALS[1:]  # ratios of counts, such as P@20 and P@100, have two
FEW_VALUES = 20  # no fewer distinct values can tell a rounded measure from a coarse one
SOME = 100  # scores that tell most of those that nobody rounded
ADVICE = (
    "Rounding makes ties and hides small differences. Evaluate without rounding if you can (pt.Experiment without "
    "`round=`), and round only what you show."
)


def decimals_of(scores: Floats) -> int | None:
    """The decimals that all of many distinct scores have, if they are few; else None."""
    if not _have(scores.ravel()[:SOME], DECIMALS[-1]):  # as most often; all of them would be sorted
        return None
    distinct = np.unique(scores)
    if len(distinct) < FEW_VALUES:
        return None
    return next((each for each in DECIMALS if _have(distinct, each)), None)


def _have(scores: Floats, decimals: int) -> bool:
    """Whether they have so many decimals, or fewer."""
    return bool(np.abs(np.round(scores, decimals) - scores).max(initial=0.0) < 1e-9)


def warn_if_rounded(scores: Floats, parameter: str) -> None:
    """Warns of scores whose measure is not known."""
    found = decimals_of(scores)
    if found in OF_ANY_MEASURE:
        warn(f"`{parameter}` looks rounded to {found} decimals. {ADVICE}", RoundedScoresWarning)
