"""Rows, columns and cells that are no scores of topics, put into good tables: refused, or left out with a warning."""

import re
import warnings

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

import pt_rankcorr as rc
from pt_rankcorr.warnings import AggregateMismatchWarning
from tests.fuzz.contract import check_error

TOPICS = {
    "numbers": [str(number) for number in range(301, 313)],
    "queries": [f"q{number}" for number in range(1, 13)],
    "turns": [f"{31 + number // 3}_{number % 3 + 1}" for number in range(12)],
    "tasks": "arguana climate dbpedia fever fiqa hotpotqa nfcorpus quora scidocs scifact touche covid".split(),
}
SYSTEMS = ["bm25", "dph", "splade", "colbert"]
ROWS = {  # how a summary is computed -> its labels
    "mean": (
        pd.DataFrame.mean,
        ["Overall", "AVERAGE", "avg.", "Mean (all)", "macro-avg", "all topics", "MAP", "", "Ø"],
    ),
    "sum": (pd.DataFrame.sum, ["Total", "Sum", "Grand total", "Σ"]),
    "sd": (pd.DataFrame.std, ["Std", "STDEV", "Std. dev.", "σ", "standard deviation"]),
    "median": (pd.DataFrame.median, ["Median", "med", "Median score"]),
    "least": (pd.DataFrame.min, ["Min", "worst", "Minimum"]),
    "largest": (pd.DataFrame.max, ["Max", "best", "maximum"]),
    "count": (pd.DataFrame.count, ["Count", "N", "#"]),
    "other means": (lambda frame: frame.mean() * 0.9, ["Overall", "weighted average", "gmean", "95% CI"]),
}
COLUMNS = {
    "mean": (pd.DataFrame.mean, ["mean", "Average", "all", "avg_ndcg", "Ø", "fused"]),
    "largest": (pd.DataFrame.max, ["max", "oracle", "max_ndcg", "best of all", "upper"]),
    "sd": (pd.DataFrame.std, ["std", "Std. dev.", "spread"]),
    "median": (pd.DataFrame.median, ["median", "middle"]),
}
CELLS = ["0,31", "31%", "0.31*", "0.31 ± 0.02", "1.031,5", "high", "n.a.", "(0.31)", "<0.31", "0.3.1", "O.31", "↑0.31"]
FORMS = ("wide", "long", "long with measures", "frame")


@st.composite
def good(draw):
    """A table of few topics and systems, and its form."""
    n, m = draw(st.integers(4, 12)), draw(st.integers(3, 4))
    values = np.random.default_rng(draw(st.integers(0, 10**6))).random((n, m)).round(draw(st.sampled_from([3, 4, 9])))
    topics = TOPICS[draw(st.sampled_from(sorted(TOPICS)))][:n]
    return pd.DataFrame(values, pd.Index(topics, name="topic"), SYSTEMS[:m]), draw(st.sampled_from(FORMS))


def labelled(kinds):
    return st.sampled_from([(of, label) for of, labels in kinds.values() for label in labels])


def read(frame, form, path):
    """The scores of a frame in some form, and the warnings of what was left out; None if it is refused."""
    if form != "frame":
        name = "AP" if form == "long with measures" else "score"
        long = frame.rename_axis("topic").reset_index().melt("topic", var_name="run", value_name=name)
        (frame.to_csv if form == "wide" else long.to_csv)(path, index=form == "wide")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            matrix = rc.ScoreMatrix(frame) if form == "frame" else rc.read_scores(path)["AP"]
        except (TypeError, ValueError) as error:
            check_error(error)
            return None, str(error)
    return matrix, [str(each.message) for each in caught if each.category is AggregateMismatchWarning]


def check_same(matrix, frame):
    assert set(matrix.topics) == set(frame.index)
    assert matrix.systems == tuple(frame.columns)
    assert matrix.select(topics=list(frame.index)).values.tolist() == frame.to_numpy().tolist()


@given(good())
def test_good_tables_lose_nothing(tmp_path_factory, table):
    frame, form = table
    matrix, messages = read(frame, form, tmp_path_factory.getbasetemp() / "AP.csv")
    assert messages == []
    check_same(matrix, frame)


@given(good(), st.lists(labelled(ROWS), min_size=1, max_size=3, unique_by=lambda row: row[1]), st.booleans())
def test_rows_over_all_topics(tmp_path_factory, table, rows, at_the_top):
    frame, form = table
    more = pd.DataFrame({label: of(frame) for of, label in rows}).T.astype(float).round(4)
    parts = [more, frame] if at_the_top else [frame, more]
    matrix, messages = read(pd.concat(parts).rename_axis("topic"), form, tmp_path_factory.getbasetemp() / "AP.csv")
    assert matrix is None or len(messages) == 1
    if matrix is not None:
        check_same(matrix, frame)


@given(good(), labelled(COLUMNS), st.integers(0, 3))
def test_columns_over_all_systems(tmp_path_factory, table, column, place):
    frame, form = table
    of, name = column
    over_all = of(frame, axis=1)
    assume(name != "upper" or not frame.eq(over_all, axis=0).all().any())  # of one that is always the best
    wider = frame.copy()
    wider.insert(place, name, over_all)
    matrix, messages = read(wider, form, tmp_path_factory.getbasetemp() / "AP.csv")
    assert matrix is None or messages == [f"Columns over all systems are left out: {name!r}."]
    if matrix is not None:
        check_same(matrix, frame)


@given(good(), st.sampled_from(CELLS), st.integers(0, 3), st.integers(0, 2))
def test_cells_that_are_no_numbers_are_named(tmp_path_factory, table, cell, row, column):
    frame, form = table
    changed = frame.astype(object)
    changed.iloc[row, column] = cell
    matrix, message = read(changed, form, tmp_path_factory.getbasetemp() / "AP.csv")
    assert matrix is None
    if form == "frame":
        assert frame.columns[column] in message
    else:
        assert cell in message
        assert re.search(r"in line \d+, column '", message)
