"""What names topics and systems: which column, which rows are over all, and which systems two rankings share."""

import warnings

import numpy as np
import pytest

from pt_rankcorr import ScoreMatrix, d_rank, kendall_tau, tau_ap, tau_gap
from pt_rankcorr.stats import Rankings, contributions, kendall_distance, pearson, spearman
from pt_rankcorr.stats.core.summary_rows import sure_rows, unlike_means, warn_of_rows
from pt_rankcorr.warnings import AggregateMismatchWarning, MissingTopicsWarning

SCORES = np.array([[0.1, 0.5], [0.2, 0.9]])


def test_rows_over_all_topics():
    names = ["1", "all", "All", "mean", " amean", "Average", "over it all", 7]
    assert sure_rows(names).tolist() == [False, True, True, True, True, True, False, False]


@pytest.mark.parametrize("given", [[0.15, 0.7], [0.15, np.nan], [0.1, 0.7]])
def test_a_mean_that_is_one_needs_no_word(given):
    unlike, _ = unlike_means(np.array(given), SCORES)  # .15 is .1 or .2 where it has one decimal
    assert unlike == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_rows({"all"})


def test_a_row_that_is_no_mean():
    assert unlike_means(np.array([0.15, 0.9]), SCORES) == ([1], 2)
    with pytest.warns(AggregateMismatchWarning, match=r"^1 of 2 scores over all topics are not the mean .* \('b'\)"):
        warn_of_rows({"all"}, ["b"], 2)
    with pytest.warns(AggregateMismatchWarning, match=r"^Rows over all topics are left out: 'All', 'mean'\."):
        warn_of_rows({"mean", "All"})


COEFFICIENTS = (kendall_tau, kendall_distance, tau_ap, tau_gap, pearson, spearman)
REFERENCE = {"a": 0.5, "b": 0.4, "c": 0.3, "x": 0.9, "d": 0.1}
ESTIMATE = {"d": 0.3, "y": 0.8, "b": 0.7, "c": 0.6, "z": 0.1, "a": 0.65}
SHARED = [0.5, 0.4, 0.3, 0.1], [0.65, 0.7, 0.6, 0.3]


def matrix(seed, systems):
    return ScoreMatrix(np.random.default_rng(seed).random((8, len(systems))), systems=list(systems))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_only_the_systems_of_both_count(coefficient):
    expected = coefficient(*SHARED)
    assert coefficient(REFERENCE, ESTIMATE, missing="skip") == expected
    many = Rankings([list(ESTIMATE.values())] * 2, list(ESTIMATE))
    assert np.array_equal(coefficient(REFERENCE, many, missing="skip"), [expected, expected])
    first, second = matrix(1, "abcde"), matrix(2, "fdcba")
    chosen = coefficient(first.select(systems=list("abcd")), second.select(systems=list("abcd")))
    assert coefficient(first.to_frame(), second, missing="skip") == chosen


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_without_it_the_message_says_what_to_do(coefficient):
    with pytest.raises(ValueError, match="differences in 'x', 'y', 'z': `missing='skip'` compares the systems that"):
        coefficient(REFERENCE, ESTIMATE)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_skip_changes_nothing_where_all_are_shared_or_have_no_names(coefficient):
    reordered = dict(reversed(REFERENCE.items())) | {"a": 0.35}
    assert coefficient(REFERENCE, reordered, missing="skip") == coefficient(REFERENCE, reordered)
    assert coefficient(*SHARED, missing="skip") == coefficient(*SHARED)


def test_warn_says_which_are_left_out():
    with pytest.warns(MissingTopicsWarning, match="left out: 'x', 'y', 'z'") as caught:
        kendall_tau(REFERENCE, ESTIMATE, missing="warn")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kendall_tau(REFERENCE, REFERENCE, missing="warn")


def test_two_systems_must_be_shared():
    with pytest.raises(ValueError, match=r"`estimate` must .*got 1"):
        kendall_tau(REFERENCE, {"a": 1, "q": 2}, missing="skip")
    with pytest.raises(ValueError, match=r"`ranking` must .*got 0"):
        d_rank(matrix(1, "abcd"), {"p": 1, "q": 2}, missing="skip")


@pytest.mark.parametrize("missing", ["drop", "", None, 1])
def test_unknown_words_are_refused(missing):
    with pytest.raises((TypeError, ValueError), match="`missing`"):
        kendall_tau(REFERENCE, ESTIMATE, missing=missing)


def test_what_pairs_cost_names_the_shared_systems():
    found = contributions(REFERENCE, ESTIMATE, missing="skip")
    assert found.systems == ("a", "b", "c", "d")
    assert np.array_equal(found.costs, contributions(*SHARED).costs)


@pytest.mark.filterwarnings("ignore:The topics in:pt_rankcorr.warnings.UnreliableResultWarning")
@pytest.mark.parametrize(("clusters", "n_topics"), [(None, 8), ("ppqqrrss", 4)])
def test_d_rank_is_that_of_the_shared_systems_and_keeps_clusters(clusters, n_topics):
    scores = matrix(1, "abxcd").with_design(clusters=list(clusters) if clusters else None)
    ranking = {name: value for name, value in ESTIMATE.items() if name in "abcd"}
    expected = d_rank(scores.select(systems=list("abcd")), ranking, n_resamples=49, rng=1)
    result = d_rank(scores, ESTIMATE, n_resamples=49, rng=1, missing="skip")
    assert (result.n_topics, result.n_systems) == (n_topics, 4)
    assert tuple(result) == tuple(expected)
