"""The options of comparisons, declared once: `Settings` checks them, and the command line flattens them.

This file imports no statistics, so that the help of commands appears at once. The public functions spell the same
options out in their signatures; `tests/comparison/test_options.py` compares both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pt_rankcorr import choices, defaults


@dataclass(frozen=True, kw_only=True)
class DRankOptions:
    """How d_rank is tested.

    Attributes:
        null: the null hypothesis of d_rank: shrunken, the default, or published (Carterette 2009)
        covariance: how the covariance of systems is estimated for d_rank (default: sample with --null published, else
            ledoit-wolf)
    """

    null: choices.Null | None = None
    covariance: choices.Covariance | None = None


@dataclass(frozen=True, kw_only=True)
class CurveOptions(DRankOptions):
    """The options of all comparisons, also of those with fewer judgments.

    Attributes:
        n_resamples: resamples of topics (default: 2000 for standard errors, 10 000 for d_rank)
        level: the confidence level of the intervals
        coefficients: the coefficients that tables show, the first in most detail
    """

    n_resamples: int | None = None
    level: float = defaults.LEVEL
    coefficients: Sequence[Any] | Any = None  # what `as_coefficients` takes


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions(CurveOptions):
    """The options of comparisons of measures and of judges.

    Attributes:
        intervals: whether to add standard errors, intervals and p (same true ranking)
        population: also show the coefficients in the topic population, as --wide does
        d_rank: also show d_rank and its p-value
        test: the test of pairs of systems; only tukey-hsd corrects for the number of pairs
        alpha: the level at which two rankings, or two systems, differ significantly
        variant: which variant of tau and tau_AP tables show
        top: how many of the reference's best systems get coefficients of their own, too
        per_topic: whether to add the means of the coefficients of single topics, and of the accuracy of pairs of
            systems on these
    """

    intervals: bool = True
    population: bool = False
    d_rank: bool = False
    test: choices.PairTest | None = defaults.PAIR_TEST
    alpha: float = defaults.ALPHA
    variant: choices.Variant = "a"
    top: int | None = None
    per_topic: bool = False
