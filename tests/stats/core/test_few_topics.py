"""All that generalises from topics warns where these are fewer than any it was checked on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from pt_rankcorr.stats.accuracy.best import best_systems
from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.expected.correlation import expected_correlation
from pt_rankcorr.stats.rank_distance.allowed import allowed_ranks
from pt_rankcorr.stats.rank_distance.test import DRankTest, d_rank
from pt_rankcorr.warnings import UnreliableResultWarning

SCORES = np.random.default_rng(0).normal([0.1, 0.5, 0.9], 0.1, (10, 3))
STATISTICS = {
    "d_rank": lambda scores: d_rank(scores, [1, 2, 3], n_resamples=19, rng=1),
    "DRankTest": lambda scores: DRankTest(scores, n_resamples=19, rng=1),
    "allowed_ranks": lambda scores: allowed_ranks(scores, n_resamples=19, n_null_resamples=19, rng=1),
    "expected_correlation": lambda scores: expected_correlation(scores, n_resamples=19, rng=1),
    "rank_intervals": lambda scores: rank_intervals(scores, n_resamples=19, rng=1),
    "best_systems": lambda scores: best_systems(scores, n_resamples=19, rng=1),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_few_topics_are_warned_of(name):
    for few in (3, 9):
        with pytest.warns(UnreliableResultWarning, match=f"^{few} topics are few: .* checked from 10 topics on"):
            STATISTICS[name](SCORES[:few])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        STATISTICS[name](SCORES)
