"""The bootstrap standard error of any number, against its definition."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.core.ordering import topic_order
from pt_rankcorr.stats.significance.bootstrap import bootstrap_standard_error
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices

B = 40


def first_less_second(a):
    return a[:, 0].mean() - a[:, 1].mean()


def largest_gap(a, b):
    return np.abs(a - b).max()


@given(score_matrices(min_topics=2, min_systems=2), st.integers(0, 99))
def test_is_the_standard_deviation_over_resamples(scores, seed):
    other = np.roll(scores, 1, axis=0)
    for statistic, matrices in ((first_less_second, [scores]), (largest_gap, [scores, other])):
        result = bootstrap_standard_error(statistic, *matrices, n_resamples=B, rng=seed)
        order = topic_order(np.hstack(matrices))
        samples = oracle.drawn_topics(len(scores), B, seed)
        expected = [float(statistic(*(matrix[order][topics] for matrix in matrices))) for topics in samples]
        assert result.replicates.tolist() == pytest.approx(expected)
        assert result.standard_error == pytest.approx(statistics.stdev(expected), abs=1e-12)
        assert result.statistic == pytest.approx(float(statistic(*matrices)))


def test_resamples_without_a_number_are_left_out():
    result = bootstrap_standard_error(
        lambda a: np.nan if a[:, 0].min() > 0 else a.mean(), [[0, 1], [1, 0], [1, 1]], n_resamples=300, rng=1
    )
    assert 0 < result.n_undefined < 300
    assert result.standard_error == pytest.approx(np.nanstd(result.replicates, ddof=1))


def test_it_says_where_the_number_is_undefined():
    scores = np.array([[0.0, 1.0], [0.0, 0.5], [1.0, 0.0]])
    with pytest.warns(DegenerateInputWarning, match="nan over the topics at hand"):
        result = bootstrap_standard_error(lambda a: np.nan, scores, n_resamples=9, rng=1)
    assert np.isnan(result.statistic)
    assert result.n_undefined == 9
