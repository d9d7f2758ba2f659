import copy
import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats import swap_weights
from pt_rankcorr.stats.core.arguments import real_number, whole_number
from pt_rankcorr.stats.core.inputs import prepare_matrix, prepare_pair, prepare_ranking, prepare_sides, prepare_vectors
from pt_rankcorr.stats.core.means import ranks, round_means, system_means
from pt_rankcorr.stats.core.ordering import lexsorted
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.warnings import RoundedScoresWarning, UnmatchedNamesWarning
from tests.stats import oracles

LABELLED = (ScoreMatrix, Rankings)
COMPLEX, MASKED = np.eye(2, dtype=complex), np.ma.masked_less(np.eye(2), 0.5)
BOTH = Scores([ScoreMatrix(np.eye(2), measure=name) for name in ("AP", "RR")])


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        ([1, 2], {}, ValueError, "`scores` must be of shape (n_topics, n_systems), got shape (2,)."),
        ([[1], [2]], {}, ValueError, "`scores` must have at least 2 systems, got 1."),
        ([[1, 2]], {"min_topics": 2}, ValueError, "`scores` must have at least 2 topics, got 1."),
        ([[1, 2], [3]], {}, TypeError, "`scores` must be an array of numbers, got an object of type list."),
        (None, {}, TypeError, "`scores` must be an array of numbers, got None."),
        (object(), {}, TypeError, "`scores` must be an array of numbers, got an object of type object."),
        ([["0.1", "0.2"]], {}, TypeError, "`scores` must be an array of numbers, got an object of type list."),
        (COMPLEX, {}, TypeError, "`scores` must be an array of numbers, got an array of type complex128."),
        (MASKED, {}, ValueError, "`scores` must not be masked, got masked values."),
        (BOTH, {}, TypeError, "`scores` must be an array of numbers, got several measures, 'AP', 'RR': choose"),
        ({"x": Rankings([[1, 2]])}, {}, TypeError, "`scores` must be an array of numbers, got several measures, 'x'"),
    ],
)
def test_matrices_that_are_refused(scores, options, error, message):
    with pytest.raises(error) as caught:
        prepare_matrix(scores, **options)
    assert str(caught.value).startswith(message)


class TestVectors:
    @pytest.mark.parametrize(
        "carrier",
        [dict, pd.Series, *(lambda s, kind=kind: kind([list(s.values())], systems=list(s)) for kind in LABELLED)],
    )
    @given(data=st.data())
    def test_labels_are_matched(self, carrier, data):
        scores = {"d": 4.0, "a": 1.0, "c": 3.0, "b": 2.0}
        reordered = {label: scores[label] for label in data.draw(st.permutations(list(scores)))}
        reference, estimate = prepare_vectors(scores, carrier(reordered))
        assert reference.tolist() == estimate.ravel().tolist()

    @pytest.mark.parametrize("sides", [("reference", "estimate"), ("ap", "p10")])
    def test_names_on_one_side_are_said(self, sides):
        with pytest.warns(UnmatchedNamesWarning, match=f"`{sides[1]}` names its systems and `{sides[0]}` does not"):
            _, estimate = prepare_sides([1, 2], {"b": 5, "a": 3}, sides)
        assert estimate.means.tolist() == [5, 3]

    def test_default_names_are_no_names(self):
        matrix = ScoreMatrix([[1, 2, 3]])
        prepare_vectors(matrix, [3, 1, 2])
        prepare_vectors(matrix, pd.Series([3, 1, 2]))
        prepare_vectors(pd.DataFrame([[1, 2, 3]]), matrix)
        with pytest.warns(UnmatchedNamesWarning):
            prepare_vectors(matrix, {"a": 1, "b": 2, "c": 3})

    def test_default_names_that_were_reordered_are_matched(self):
        matrix, series = ScoreMatrix([[1, 2, 3]]), pd.Series([1, 2, 3])
        for scores, reordered in ((matrix, matrix.select(systems=["s3", "s1", "s2"])), (series, series[[2, 0, 1]])):
            assert prepare_vectors(scores, reordered)[1].tolist() == [1, 2, 3]

    def test_rankings_are_a_batch(self):
        reference, estimate = prepare_vectors({"a": 1, "b": 2}, Rankings([[1, 2], [3, 4], [4, 3]], systems=["b", "a"]))
        assert (reference.shape, estimate.tolist()) == ((2,), [[2, 1], [4, 3], [3, 4]])

    def test_more_dimensions_are_refused(self):
        with pytest.raises(ValueError, match=r"got shape \(2, 2, 2\) \(many rankings at once: `rc.stats.Rankings`\)"):
            prepare_ranking(np.ones((2, 2, 2)), "estimate")

    def test_different_systems_are_listed(self):
        message = r"^`estimate` must rank the same systems, got differences in 'a', 'b', 'd', 'e', 'f' and 4 more\.$"
        with pytest.raises(ValueError, match=message):
            prepare_sides(dict.fromkeys("abc", 1), dict.fromkeys("cdefghij", 1), advice="")

    @given(st.lists(st.floats(0.1, 1), min_size=1, max_size=9))
    def test_vectors_are_rounded_as_means_are(self, scores):
        rounded = prepare_ranking(scores, "reference").means
        np.testing.assert_array_equal(rounded, np.round(scores, 12))
        np.testing.assert_array_equal(prepare_ranking(rounded, "reference").means, rounded)

    def test_what_is_left_of_topics_that_cancel_is_rounded_away(self):
        column = np.random.default_rng(3).standard_normal(100)
        scores = np.column_stack([column, -column, np.concatenate([column[:50], -column[:50]]), column - column[::-1]])
        means = prepare_ranking(scores.mean(axis=0), "reference").means
        assert means[2:].tolist() == [0.0, 0.0]
        assert means[0] == -means[1] != 0.0


class TestTopics:
    def test_paired_scores_are_matched_by_topic(self):
        x, y = pd.Series({"q1": 0.1, "q2": 0.2, "q3": 0.3}), {"q3": 3, "q1": 1, "q2": 2}
        assert [side.tolist() for side in prepare_pair(x, y)] == [[0.1, 0.2, 0.3], [1, 2, 3]]

    def test_names_of_topics_on_one_side_are_said(self):
        with pytest.warns(UnmatchedNamesWarning, match="`x` names its topics and `y` does not"):
            prepare_pair({"q1": 1, "q2": 2}, [1, 2])

    @pytest.mark.parametrize(
        ("x", "y", "message"),
        [
            ({"q1": 1, "q2": 2}, {"q1": 1, "q3": 2}, "`y` must be on the same topics, got differences in 'q2', 'q3'."),
            (
                {"q1": 1, "q2": 2},
                {"q01": 1, "q02": 2},
                "`y` must be on the same topics, got none in common: 'q01', 'q02' where `x` has 'q1', 'q2'.",
            ),
            ([1, 2, 3], [1, 2], "`x` and `y` must have as many topics as each other, got 3 and 2."),
            ([[1, 2]], [1, 2], "`x` must be of shape (n_topics,), got shape (1, 2)."),
            ([1], [1], "`x` must have at least 2 topics, got 1."),
        ],
    )
    def test_what_is_refused(self, x, y, message):
        with pytest.raises(ValueError, match=r"^`") as caught:
            prepare_pair(x, y)
        assert str(caught.value) == message


class TestRankings:
    def test_what_they_are(self):
        frame = pd.DataFrame([[3, 1], [2, 5]], columns=["a", "b"])
        rankings = Rankings(frame)
        assert (rankings.shape, rankings.n_systems, len(rankings), rankings.systems) == ((2, 2), 2, 2, ("a", "b"))
        assert repr(rankings) == "Rankings(shape (2, 2), named systems)"
        assert rankings[1].values.tolist() == [2, 5]
        assert rankings[:1].systems == ("a", "b")
        assert np.asarray(rankings).tolist() == frame.to_numpy().tolist()
        assert Rankings(rankings).systems == ("a", "b")
        assert Rankings(ScoreMatrix([[1, 2]])).systems is None
        with pytest.raises(ValueError, match="read-only"):
            rankings.values[0, 0] = 1
        with pytest.raises(IndexError, match="must choose rankings and no systems"):
            rankings[:, :1]

    @pytest.mark.parametrize(
        ("values", "systems", "message"),
        [
            (3, None, "`values` must be of shape (..., n_systems), got the single number 3.0."),
            ([[1, 2]], ["a"], "`systems` must name all 2 systems, got 1 names."),
            ([[1, 2]], ["a", "a"], "`systems` must be distinct, got 'a' more than once."),
        ],
    )
    def test_what_is_refused(self, values, systems, message):
        with pytest.raises(ValueError, match=r"^`") as caught:
            Rankings(values, systems)
        assert str(caught.value) == message

    def test_they_are_no_topics(self):
        with pytest.raises(ValueError, match="`scores`"):
            prepare_matrix(Rankings([[1, 2], [3, 4]]))


class TestMeans:
    @pytest.mark.parametrize("topics", [1, 2, 50, 249, 3000])
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

    @pytest.mark.parametrize("percent", [1.0, 100.0, 1e4])
    def test_ties_do_not_depend_on_the_unit(self, percent):
        scores = np.array([[0.1, 0.3, 0.1], [0.2, 0.0, 0.2 + 1e-10]]) * percent
        first, second, third = system_means(scores)
        assert first == second < third
        assert first == pytest.approx(0.15 * percent, abs=1e-12 * percent)
        assert round_means(scores.mean(axis=0), scores).tolist() == [first, second, third]

    def test_means_of_single_precision_tie_as_those_of_double(self):
        scores = np.random.default_rng(2).integers(0, 11, (43, 60)) / 10
        singles = prepare_matrix(scores.astype(np.float32)).sample
        expected, computed = system_means(scores), system_means(singles)
        assert len(set(expected)) == len(set(computed)) < 60
        np.testing.assert_array_equal(ranks(computed), ranks(expected))
        np.testing.assert_array_equal(
            prepare_ranking(expected.astype(np.float32), "reference").means == computed[0], expected == expected[0]
        )


@given(st.lists(st.integers(0, 5), min_size=1, max_size=15))
def test_ranks_are_best_first_and_ties_share(scores):
    assert ranks(scores).tolist() == oracles.average_ranks(scores)


def test_pairs_of_rankings_that_do_not_fit_into_memory_are_refused():
    first, second = Rankings(np.ones((5000, 1, 3))), Rankings(np.ones((1, 5000, 3)))
    with pytest.raises(ValueError, match=r"must be of at most 33554432 pairs of scores, got 75000000 of \(5000, 1, 3"):
        prepare_vectors(first, second)
    assert prepare_vectors(first[:10], second)[0].shape == (10, 1, 3)


@pytest.mark.parametrize("n_values", [2, 5, 10**6])
def test_lexsorted_is_numpys(n_values):
    keys = np.random.default_rng(1).integers(n_values, size=(4, 30)) - n_values / 2.0
    np.testing.assert_array_equal(lexsorted(keys), np.lexsort(keys))
    np.testing.assert_array_equal(lexsorted([*keys]), np.lexsort(keys))


def test_a_frame_without_rows_is_no_vector():
    with pytest.raises(ValueError, match=r"`reference` must .*got 0"):
        prepare_ranking(pd.DataFrame({"a": [], "b": []}, dtype=float), "reference")


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers(value):
    number = whole_number("n_resamples", value, at_least=1)
    assert (number, type(number)) == (3, int)


@pytest.mark.parametrize("value", [2, np.float32(2), np.array(2.0), Decimal(2), "2"])
def test_real_numbers(value):
    number = real_number("ridge", value)
    assert (number, type(number)) == (2.0, float)


class TestSizes:
    @pytest.mark.parametrize("score", [1e151, -1e200, 1e-151])
    def test_sizes_have_one_bound(self, score):
        message = r"`reference` must be 0, or of sizes from 1e-150 to 1e\+150, got .* for the largest: scale them\."
        with pytest.raises(ValueError, match=message):
            prepare_ranking([0.0, score], "reference")

    @pytest.mark.parametrize("failed", [-1e9, 1e15])
    def test_ties_that_one_score_makes_of_others_are_said(self, failed):
        scores = [failed, 0.3, 0.30002, 0.5]
        with pytest.warns(RoundedScoresWarning, match=r"`estimate` ties 's\d' and 's\d', whose scores differ"):
            prepare_ranking(scores, "estimate")
        with pytest.warns(RoundedScoresWarning, match="of 's1': leave it out"):
            prepare_ranking([scores, scores], "estimate")

    def test_whole_numbers_beyond_twelve_digits_are_said(self):
        with pytest.warns(RoundedScoresWarning, match="12 digits of the largest score, 1e"):
            prepare_ranking([10**13 + number for number in range(4)], "reference")


class TestCopies:
    def test_what_the_caller_changes_later_does_not_matter(self):
        scores = np.array([[0.1, 0.2], [0.3, 0.5]])
        matrix = prepare_matrix(scores)
        scores[:] = 0.0
        assert matrix.values.tolist() == [[0.1, 0.2], [0.3, 0.5]]

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
    def test_copies_are_read_only(self, copied):
        matrix = copied(ScoreMatrix([[0.1, 0.2], [0.3, 0.5]]))
        weights = copied(swap_weights([0.1, 0.2, 0.4]))
        for values in (matrix.values, weights.values):
            with pytest.raises(ValueError, match="read-only"):
                values[0, 0] = 1.0
