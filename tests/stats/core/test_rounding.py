"""Scores that somebody rounded are warned of."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.core.matrix import decimals_of
from pt_rankcorr.warnings import RoundedScoresWarning

SCORES = np.random.default_rng(0).random((12, 4)) + np.arange(4.0)  # systems that are far apart


@pytest.mark.parametrize("decimals", [2, 3, 4, 5])
def test_decimals_are_those_that_all_scores_have(decimals):
    assert decimals_of(SCORES.round(decimals)) == decimals


def test_few_values_and_many_decimals_tell_nothing():
    assert decimals_of(SCORES) is None
    assert decimals_of(SCORES[:4].round(4)) is None  # 16 values
    assert decimals_of(np.append(np.linspace(0.0, 1.0, 401), np.pi)) is None  # the last one alone


def test_rounded_frames_are_warned_of():
    for decimals in (3, 4, 5):
        with pytest.warns(RoundedScoresWarning, match=f"`scores` looks rounded to {decimals} decimals. Rounding makes"):
            rank_intervals(pd.DataFrame(SCORES.round(decimals)), n_resamples=19, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank_intervals(pd.DataFrame(SCORES), n_resamples=19, rng=1)
        rank_intervals(pd.DataFrame(np.round(SCORES * 20) / 20), n_resamples=19, rng=1)  # as those of P@20
        rank_intervals(SCORES.round(4), n_resamples=19, rng=1)  # an array that somebody made
