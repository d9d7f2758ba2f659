from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.order import (
    as_floats,
    as_matrix,
    as_vector,
    as_vectors,
    labels_of,
    matching,
    ranks,
    round_significant,
    system_means,
)
from tests.stats import oracles


class Scored:
    """What a score matrix looks like from here."""

    def __init__(self, values, systems):
        self.values, self.systems = np.array(values, dtype=float), tuple(systems)
        self.means = system_means(self.values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or float)


class TestMatrices:
    def test_what_is_taken(self):
        assert as_matrix([[1, 2], [3, 4], [5, 6]]).shape == (3, 2)
        assert as_matrix(Scored([[1, 2]], "ab")).tolist() == [[1, 2]]

    @pytest.mark.parametrize(
        ("scores", "options", "error", "message"),
        [
            ([1, 2], {}, ValueError, "`scores` must be of shape (n_topics, n_systems), got shape (2,)."),
            ([[1], [2]], {}, ValueError, "`scores` must have at least 2 systems, got 1."),
            ([[1, 2]], {"min_topics": 2}, ValueError, "`scores` must have at least 2 topics, got 1."),
            ([[1, 2], [3, np.nan]], {}, ValueError, "`scores` must be finite, got nan at (1, 1)."),
            ([[1, 2], [3]], {}, TypeError, "`scores` must be an array of numbers, got an object of type list."),
            (None, {}, ValueError, "`scores` must be finite, got nan."),
            (object(), {}, TypeError, "`scores` must be an array of numbers, got an object of type object."),
        ],
    )
    def test_what_is_refused(self, scores, options, error, message):
        with pytest.raises(error) as caught:
            as_matrix(scores, **options)
        assert str(caught.value) == message

    def test_the_parameter_is_named(self):
        with pytest.raises(ValueError, match=r"^`baseline` must be finite"):
            as_floats([np.nan], "baseline")


class TestVectors:
    def test_a_score_matrix_stands_for_its_means(self):
        assert as_vector(Scored([[1, 4], [2, 6]], "ab"), "truth").tolist() == [1.5, 5]

    @pytest.mark.parametrize("carrier", [dict, lambda scores: Scored([list(scores.values())], scores)])
    @given(data=st.data())
    def test_labels_are_matched(self, carrier, data):
        scores = {"d": 4.0, "a": 1.0, "c": 3.0, "b": 2.0}
        reordered = {label: scores[label] for label in data.draw(st.permutations(list(scores)))}
        truth, estimate = as_vectors(scores, carrier(reordered))
        assert truth.tolist() == estimate.tolist()

    def test_without_labels_on_either_side_position_counts(self):
        _, estimate = as_vectors([1, 2], {"b": 5, "a": 3})
        assert estimate.tolist() == [5, 3]

    def test_batches_of_estimates_have_no_labels(self):
        truth, estimate = as_vectors({"a": 1, "b": 2}, [[1, 2], [3, 4]])
        assert (truth.shape, estimate.shape) == ((2,), (2, 2))

    @pytest.mark.parametrize(
        ("scores", "labels"),
        [
            ([1, 2], None),
            ((1, 2), None),
            (np.ones(2), None),
            ({"a": 1, 2: 2}, ("a", "2")),
            (Scored([[1, 2]], "ab"), ("a", "b")),
        ],
    )
    def test_labels(self, scores, labels):
        assert labels_of(scores) == labels

    def test_different_systems_are_listed(self):
        others = tuple("cdefghij")
        message = r"^`estimate` must rank the same systems, got differences in 'a', 'b', 'd', 'e', 'f' and 4 more\.$"
        with pytest.raises(ValueError, match=message):
            matching(("a", "b", "c"), others, "estimate")


class TestMeans:
    @pytest.mark.parametrize("topics", [1, 2, 50, 249, 3000, 4096])
    def test_the_order_of_topics_and_systems_changes_nothing(self, topics):
        rng = np.random.default_rng(topics)
        precision_at_10 = rng.integers(0, 11, (topics, 60)) / 10
        means = system_means(precision_at_10)
        for _ in range(20):
            shuffled = rng.permuted(precision_at_10, axis=0)  # every system in its own order of topics
            np.testing.assert_array_equal(system_means(shuffled), means)
            systems = rng.permutation(60)
            np.testing.assert_array_equal(system_means(precision_at_10[:, systems]), means[systems])

    @pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
    def test_equal_sums_of_different_scores_tie(self, layout):
        """0.1 + 0.2 is not 0.3 in floating point; the means are equal all the same."""
        scores = layout([[0.1, 0.3, 0.0], [0.2, 0.0, 0.2], [0.0, 0.0, 0.1]])
        assert len(set(system_means(scores))) == 1

    def test_real_data_keeps_its_ranking(self, trec):
        scores = trec("robust2004_p10")
        means = system_means(scores)
        exact = [math.fsum(column) / len(column) for column in scores.T]
        np.testing.assert_allclose(means, exact, rtol=1e-11)
        tied = sum(means[i] == means[j] for i in range(len(means)) for j in range(i))
        hits = (scores * 10).round().astype(int).sum(axis=0)  # whole numbers tie exactly
        assert tied == sum(hits[i] == hits[j] for i in range(len(hits)) for j in range(i)) > 0

    def test_scores_of_both_signs_that_cancel(self):
        rng = np.random.default_rng(3)
        column = rng.random(100)
        scores = np.array([rng.permutation(np.concatenate([column, -column])) for _ in range(5)]).T
        assert system_means(scores).tolist() == [0.0] * 5

    @given(st.floats(-1e300, 1e300))
    def test_rounding_keeps_twelve_digits(self, value):
        rounded = round_significant(np.array([value]))[0]
        assert rounded == pytest.approx(value, rel=1e-11, abs=0)
        assert round_significant(np.array([rounded]))[0] == rounded

    @given(st.integers(1, 999_999_999_999), st.integers(-20, 20))
    def test_twelve_digits_are_left_alone(self, digits, exponent):
        value = float(f"{digits}e{exponent}")
        assert round_significant(np.array([value]))[0] == pytest.approx(value, rel=4e-16)

    @pytest.mark.parametrize("value", [0.0, -0.0, 5e-324, 1e-300, 1.7e308])
    def test_extremes(self, value):
        rounded = round_significant(np.array([value]))[0]
        assert rounded == value
        assert not np.signbit(rounded)


class TestRanks:
    @given(st.lists(st.integers(0, 5), min_size=1, max_size=15))
    def test_best_is_first_and_ties_share(self, scores):
        assert ranks(scores).tolist() == oracles.average_ranks(scores)

    def test_batches(self):
        scores = np.random.default_rng(0).random((3, 4, 9))
        np.testing.assert_array_equal(ranks(scores)[1, 2], scipy.stats.rankdata(-scores[1, 2]))


@pytest.mark.parametrize("integers", [[2**53 + 1, 2**53], [-(2**53) - 1, -(2**53)], [2**53 - 1, 2**53, 2**53 + 1]])
def test_the_first_integers_that_floats_do_not_tell_apart_are_refused(integers):
    with pytest.raises(ValueError, match="must be numbers that floats tell apart, got"):
        as_vectors(integers, range(len(integers)))
    as_vectors([2**53 - 1, 2**53], [1, 2])
