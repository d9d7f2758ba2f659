"""Statistics take pandas series and frames, and match them by their labels."""

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.coefficients import kendall_tau
from pt_rankcorr.stats.correlation_error import correlation_standard_error
from pt_rankcorr.stats.order import as_matrix, as_vectors, labels_of, topics_of
from pt_rankcorr.stats.prediction import prediction_quality
from pt_rankcorr.stats.rank_distance import d_rank
from pt_rankcorr.stats.weights import swap_weights


def test_values_and_labels():
    frame = pd.DataFrame({"a": [1, 2], "systems": [3, 4]}, index=["q1", "q2"])
    assert as_matrix(frame).tolist() == [[1, 3], [2, 4]]
    assert labels_of(frame) == ("a", "systems")
    assert topics_of(frame) == ("q1", "q2")
    assert labels_of(pd.Series([1, 2], index=["x", "y"])) == ("x", "y")


@pytest.mark.parametrize("order", ["dacb", "bdca", "abcd"])
def test_series_are_matched_by_name(order):
    scores = {"d": 4.0, "a": 1.0, "c": 3.0, "b": 2.0}
    truth, estimate = as_vectors(scores, pd.Series(scores)[list(order)])
    assert truth.tolist() == estimate.tolist()


def test_frames_are_matched_by_name():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((12, 4)), columns=list("abcd"), index=[f"q{n}" for n in range(12)])
    shuffled = frame.sample(frac=1, random_state=1)[list("dbca")]
    assert kendall_tau(frame.mean(), shuffled.mean()) == 1.0
    assert (kendall_tau(frame, frame[list("dbca")]) == 1.0).all()
    assert correlation_standard_error(frame, shuffled, n_resamples=5, rng=1).statistic == 1.0
    assert d_rank(frame, frame.mean()[::-1], null="refit", n_resamples=5, rng=1).statistic == 0.0
    assert swap_weights(frame).systems == swap_weights(frame.mean()).systems


@pytest.mark.parametrize(("first", "second"), [("aab", "aab"), ("aab", "abb"), ("aab", "ab"), ("ab", "aab")])
def test_names_that_repeat_are_refused(first, second):
    truth, estimate = (pd.Series(range(len(names)), index=list(names)) for names in (first, second))
    with pytest.raises(ValueError, match=r"^`estimate` must be matched by distinct names, got more than once 'a'"):
        as_vectors(truth, estimate)


def test_predictions_are_matched_by_topic():
    rng = np.random.default_rng(0)
    scores = ScoreMatrix(rng.random((20, 3)), topics=[f"q{n}" for n in range(20)])
    predicted = pd.Series(scores.values.mean(axis=1), index=scores.topics)
    expected = prediction_quality(predicted.to_numpy(), scores, rng=0, n_resamples=20)
    found = prediction_quality(predicted[::-1], scores, rng=0, n_resamples=20)
    np.testing.assert_array_equal(found.bootstrap_distribution, expected.bootstrap_distribution)
    twice = pd.concat([predicted, predicted[:1]])
    with pytest.raises(ValueError, match=r"^`predicted` must name each topic once, got more than once 'q0'\.$"):
        prediction_quality(twice, scores, n_resamples=5)


def test_frames_whose_names_repeat_are_refused():
    frame = pd.DataFrame(np.random.default_rng(0).random((6, 3)), columns=list("aab"))
    with pytest.raises(ValueError, match=r"^`scores_b` must be matched by distinct names, got more than once 'a'\.$"):
        correlation_standard_error(frame, frame, n_resamples=5)
