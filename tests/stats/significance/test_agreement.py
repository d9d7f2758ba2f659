"""Agreement on significant pairs: the table of paper 000, and its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.significance.power import discriminative_power, significant_agreement
from pt_rankcorr.warnings import DegenerateInputWarning

# four topics; A is significantly worse than B and C, which are alike: the situation of Carterette's example
BASELINE = np.array([[0.10, 0.50, 0.45], [0.20, 0.50, 0.60], [0.05, 0.40, 0.42], [0.15, 0.45, 0.50]])


@pytest.mark.parametrize(
    ("ranking", "expected"), [("ABC", 0), ("ACB", 0), ("BAC", 0.5), ("CAB", 0.5), ("BCA", 1), ("CBA", 1)]
)
def test_the_row_of_discriminative_power_in_carterette_s_table(ranking, expected):
    scores = ScoreMatrix(BASELINE, systems=["A", "B", "C"])
    result = significant_agreement(scores, {system: -place for place, system in enumerate(ranking)}, rng=1)
    assert (result.n_significant, result.n_pairs) == (2, 3)
    assert result.statistic == expected


@given(st.integers(0, 9999))
def test_is_the_plain_count(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((10, 6)) + rng.random(6)
    ranking = np.round(rng.random(6), 1)
    agreed, significant = 0.0, 0
    for i, j in itertools.combinations(range(6), 2):
        if ttest_rel(scores[:, i], scores[:, j]).pvalue < 0.05:
            significant += 1
            product = (scores[:, i].mean() - scores[:, j].mean()) * (ranking[i] - ranking[j])
            agreed += 1.0 if product > 0 else 0.5 if product == 0 else 0.0
    if significant:
        result = significant_agreement(scores, ranking, test="t")
        assert (result.n_agreed, result.n_significant) == (agreed, significant)
        assert result.statistic == pytest.approx(agreed / significant)


def test_pairs_are_those_of_discriminative_power():
    """By default of a corrected test, and the result says so."""
    scores = np.random.default_rng(0).random((20, 8)) + np.linspace(0, 0.5, 8)
    for how in ({}, {"test": "t"}):
        agreement = significant_agreement(scores, np.arange(8), rng=1, **how).to_dict()
        power = discriminative_power(scores, rng=1, **how).to_dict()
        shared = ("n_significant", "test", "corrected", "alpha", "n_resamples")
        assert {key: agreement[key] for key in shared} == {key: power[key] for key in shared}
        assert agreement["corrected"] is not bool(how)


def test_no_significant_pair_is_nan_with_a_warning():
    with pytest.warns(DegenerateInputWarning, match="No pair of systems is significant"):
        assert np.isnan(significant_agreement([[0.1, 0.2], [0.2, 0.1]], [1, 2]).statistic)
