"""Which column names the topics, and which rows are over all of them: one rule for frames and files."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from pt_rankcorr.stats.core.names import TOPIC_COLUMNS, over_all, topic_column, warn_of_summaries
from pt_rankcorr.warnings import AggregateMismatchWarning

SCORES = np.array([[0.1, 0.5], [0.2, 0.9]])


@pytest.mark.parametrize("heading", [*sorted(TOPIC_COLUMNS), "Topic ID", "QUERY", "topic_no"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_known_heading_names_the_topics_wherever_it_stands(heading: str, place: int) -> None:
    headings = ["bm25", "dph"]
    headings.insert(place, heading)
    assert topic_column(headings, lambda _: False, "`scores`") == (place, None)


def test_an_index_without_a_name() -> None:
    assert topic_column(["", "bm25"], lambda _: False, "`scores`") == (0, None)
    assert topic_column(["Unnamed: 0", "topic", "bm25"], lambda _: True, "`scores`") == (1, 0)
    assert topic_column(["bm25", "dph", 7], lambda _: False, "`scores`") == (None, None)
    assert topic_column([], lambda _: False, "`scores`") == (None, None)


@pytest.mark.parametrize("headings", [["qid", "query", "bm25"], ["bm25", "topic", "id"], ["", "topic", "bm25"]])
def test_two_columns_of_topics_are_refused(headings: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^`scores` must have one column that names its topics, got '"):
        topic_column(headings, lambda _: False, "`scores`")


def test_rows_over_all_topics() -> None:
    names = ["1", "all", "All", "mean", " amean", "Average", "overall", 7]
    assert over_all(names).tolist() == [False, True, True, True, True, True, False, False]


@pytest.mark.parametrize("given", [[0.15, 0.7], [0.15, np.nan], [0.1, 0.7]])
def test_a_mean_that_is_one_needs_no_word(given: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_summaries({"all"}, np.array(given), SCORES, ["a", "b"])  # .15 is .1 or .2 where it has one decimal


def test_a_row_that_is_no_mean() -> None:
    with pytest.warns(AggregateMismatchWarning, match=r"^1 of 2 scores over all topics are not the mean .* \('b'\)"):
        warn_of_summaries({"all"}, np.array([0.15, 0.9]), SCORES, ["a", "b"])
    with pytest.warns(AggregateMismatchWarning, match=r"^Rows over all topics are left out: 'All', 'mean'\."):
        warn_of_summaries({"mean", "All"}, np.array([0.15, 0.7]), SCORES, ["a", "b"])
