"""The bootstrap standard error of any number, against its definition."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.accuracy.standard_error import bootstrap_standard_error
from pt_rankcorr.stats.core.means import topic_order
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices

B = 40


def first_less_second(a: np.ndarray) -> float:
    return a[:, 0].mean() - a[:, 1].mean()


def largest_gap(a: np.ndarray, b: np.ndarray) -> float:
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


def test_of_a_difference_of_means_is_near_the_formula():
    scores = np.random.default_rng(0).random((200, 2))
    found = bootstrap_standard_error(first_less_second, scores, n_resamples=4000, rng=1).standard_error
    assert found == pytest.approx(np.std(scores[:, 0] - scores[:, 1], ddof=1) / np.sqrt(200), rel=0.05)


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


def test_the_size_of_the_number_does_not_matter():
    scores = np.random.default_rng(0).random((9, 3))
    plain = bootstrap_standard_error(lambda a: a[:, 0].mean(), scores, n_resamples=50, rng=1).standard_error
    for power in (-300, 300):
        scaled = bootstrap_standard_error(lambda a, p=power: a[:, 0].mean() * 2.0**p, scores, n_resamples=50, rng=1)
        assert scaled.standard_error == plain * 2.0**power
