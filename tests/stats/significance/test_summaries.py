"""Summaries of samples of scores."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.significance.summaries import geometric_mean, resample_summaries, summarise
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices


@given(st.lists(st.floats(0, 1, width=16), min_size=1, max_size=20))
def test_geometric_mean_is_equation_7(scores):
    assert geometric_mean(scores) == pytest.approx(oracle.geometric_mean(scores), abs=1e-12)


def test_geometric_mean_along_an_axis_and_out_of_its_range():
    scores = np.random.default_rng(0).random((4, 3))
    np.testing.assert_allclose(geometric_mean(scores, axis=0), [oracle.geometric_mean(x) for x in scores.T.tolist()])
    assert geometric_mean(scores, axis=None) == geometric_mean(scores.ravel())
    with pytest.warns(DegenerateInputWarning, match="geometric mean is undefined"):
        assert np.isnan(geometric_mean([-0.5, 0.5]))


@given(score_matrices(min_topics=1), st.integers(0, 99))
def test_means_and_other_statistics_are_over_the_same_resamples(scores, seed):
    systems = [f"s{number}" for number in range(scores.shape[1])]
    samples = oracle.drawn_topics(len(scores), 20, seed)
    for ours, plain in (
        (np.mean, statistics.fmean),
        (lambda values: float(np.mean(values)), statistics.fmean),
        (geometric_mean, oracle.geometric_mean),
        (np.median, statistics.median),
    ):
        summaries = resample_summaries(scores, ours, 20, np.random.default_rng(seed), systems)
        np.testing.assert_allclose(summaries.T, oracle.system_values(scores, samples, plain), rtol=1e-9, atol=1e-12)


def test_a_single_number_has_no_geometric_mean():
    with pytest.raises(ValueError, match=r"`scores` must be of shape \(..., n_topics\), got the single number 0.5"):
        geometric_mean(0.5)


def test_a_statistic_may_return_a_whole_number_first():
    samples = np.array([[0.1, 0.2], [0.6, 0.9]])
    assert summarise(lambda values: max(0, values.mean() - 0.5), samples, "x").tolist() == [0.0, 0.25]


def test_a_statistic_with_an_axis_is_called_once():
    calls = []

    def counted(samples, axis=-1):
        calls.append(samples.shape)
        return samples.max(axis=axis)

    assert summarise(counted, np.ones((3, 4)), "x").tolist() == [1.0, 1.0, 1.0]
    assert calls == [(3, 4)]


def test_a_statistic_without_a_signature_is_called_sample_by_sample():
    class Largest:
        __signature__ = "none"

        def __call__(self, sample):
            return max(sample)

    samples = np.array([[0.1, 0.3], [0.5, 0.2]])
    assert summarise(Largest(), samples, "`x`").tolist() == [0.3, 0.5]
