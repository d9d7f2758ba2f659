"""Scores that look rounded: to how many decimals, and the warning about it."""

from __future__ import annotations

import numpy as np

from pt_rankcorr.stats.core.arguments import EXACT_INTEGERS
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.warnings import RoundedScoresWarning, warn

DECIMALS = (2, 3, 4, 5)  # to which tools round scores
FEWEST_VALUES = 20  # distinct ones that tell a rounded measure from a coarse one
ROUNDED = (
    "Rounding makes ties and hides small differences. Evaluate without rounding if you can (pt.Experiment without "
    "`round=`), and round only what you show."
)


def warn_if_rounded(scores: Floats, parameter: str) -> None:
    """Warns if scores look rounded to three decimals or more; ratios of counts, such as P@20, have two."""
    if (decimals := decimals_of(scores)) in DECIMALS[1:]:
        warn(f"`{parameter}` looks rounded to {decimals} decimals. {ROUNDED}", RoundedScoresWarning)


@np.errstate(over="ignore", invalid="ignore")
def decimals_of(scores: Floats) -> int | None:
    """The decimals that all of many distinct scores have, if they are few, as if somebody had rounded them."""

    def have(values: Floats, decimals: int) -> bool:
        return bool(np.abs(np.round(values, decimals) - values).max(initial=0.0) < 1e-9)

    if not have(scores.ravel()[:100], DECIMALS[-1]):  # as most often; all of them would be sorted
        return None
    distinct = np.unique(scores)
    if len(distinct) < FEWEST_VALUES:
        return None
    decimals = next((decimals for decimals in DECIMALS if have(distinct, decimals)), None)
    if decimals is None:
        return None
    units = np.round(distinct * 10.0**decimals)
    is_exact = np.abs(units).max() < EXACT_INTEGERS and np.gcd.reduce(units.astype(np.int64)) > 1
    return None if is_exact else decimals  # multiples of 1 / k, such as P@40, are as they are
