"""Statistics take pandas series and frames, and match them by their labels."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr import ScoreMatrix, kendall_tau
from pt_rankcorr.judgments import cohen_kappa
from pt_rankcorr.stats import Rankings, prediction_quality
from pt_rankcorr.stats.core.inputs import prepare_matrix
from pt_rankcorr.stats.core.parsing import parse
from pt_rankcorr.warnings import AggregateMismatchWarning


def test_predictions_whose_topics_repeat_are_refused():
    scores = ScoreMatrix(np.random.default_rng(0).random((20, 3)), topics=[f"q{n}" for n in range(20)])
    twice = pd.Series(np.arange(21.0), index=[*scores.topics, "q0"])
    with pytest.raises(ValueError, match=r"`predicted` must .*got 'q0' more than once"):
        prediction_quality(scores, twice, n_resamples=5)


FRAME = pd.DataFrame([[0.1, 0.4], [0.3, 0.5]], index=["q1", "q2"], columns=["means", "columns"])


def test_a_score_matrix_keeps_the_labels_of_a_frame():
    matrix = ScoreMatrix(FRAME)
    assert (matrix.topics, matrix.systems) == (("q1", "q2"), ("means", "columns"))
    assert ScoreMatrix(matrix).systems == ("means", "columns")
    named = ScoreMatrix(FRAME, topics=["a", "b"], systems=["x", "y"])
    assert (named.topics, named.systems) == (("a", "b"), ("x", "y"))


def names_of(scores):
    labelled = parse(scores, "scores")
    return labelled.system_names, labelled.topic_names


def test_numbers_of_rows_and_columns_are_no_names():
    frame = pd.DataFrame(FRAME.to_numpy())
    assert names_of(frame) == (None, None)
    assert ScoreMatrix(frame).systems == ("s1", "s2")
    assert names_of(frame[[1, 0]]) == (("1", "0"), None)


def test_names_of_a_matrix_that_has_none_stay_none():
    matrix = ScoreMatrix(FRAME.to_numpy())
    for same in (matrix.select(), matrix.named("AP"), matrix.geometric(), pickle.loads(pickle.dumps(matrix))):
        assert names_of(same) == (None, None)
    chosen = matrix.select(systems=["s2"])
    assert names_of(chosen) == (("s2",), None)


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (FRAME.assign(wiki="x", note="y"), TypeError, "columns that hold no numbers: 'note', 'wiki'."),
        (FRAME.assign(topic=1, qid=2), ValueError, "one column that names its topics, got '', 'qid', 'topic'."),
        (FRAME.assign(qid=["a", "a"]), ValueError, "must have one column that names its topics, got '', 'qid'."),
        (FRAME.reset_index(drop=True).assign(qid="a"), ValueError, "distinct names of topics, got 'a' more than"),
        (FRAME.set_axis(["a", "a"], axis=1), ValueError, "must have distinct names of systems, got 'a' more than"),
        (FRAME.rename(columns={"means": np.nan}), TypeError, "must be named by text or numbers, got nan."),
        (pd.DataFrame([["x", "1", "AP", 0.5]], columns=["name", "qid", "measure", "value"]), TypeError,
         "read it with `scores_from_experiment`."),
    ],
)  # fmt: skip
def test_frames_that_are_refused(frame, error, message):
    for call, parameter in ((ScoreMatrix, "values"), (lambda given: kendall_tau(FRAME, given), "estimate")):
        with pytest.raises(error) as caught:
            call(frame)
        assert str(caught.value).startswith(f"`{parameter}` must")
        assert message in str(caught.value)


def test_series_in_a_list_would_lose_their_names():
    series = [pd.Series({"a": 1.0, "b": 2.0}), pd.Series({"b": 2.0, "a": 1.0})]
    for call in (Rankings, ScoreMatrix):
        with pytest.raises(TypeError, match="`values`"):
            call(series)
    assert kendall_tau(series[0], Rankings(pd.DataFrame(series))).tolist() == [1.0, 1.0]


def test_one_series_as_rankings_keeps_its_names():
    assert kendall_tau({"a": 1, "b": 2}, Rankings(pd.Series({"b": 2.0, "a": 1.0}))) == 1.0


class Table:
    """What other packages have for a frame: its names are elsewhere, and would be lost in an array."""

    columns = ("a", "b", "c")

    def __array__(self, dtype=None, copy=None):
        return np.eye(3, dtype=dtype)


@pytest.mark.parametrize("call", [ScoreMatrix, Rankings, lambda table: kendall_tau(table, [1, 2, 3]), cohen_kappa])
def test_tables_that_are_none_of_pandas_are_refused(call):
    with pytest.raises(TypeError, match=r"^`\w+` must keep the names of its columns, got a table of type Table: "):
        call(Table())


def test_columns_of_data_are_no_names():
    with pytest.raises(TypeError, match=r"^`systems` must be named by text or numbers, got array\(\[1\., 0\."):
        ScoreMatrix(np.eye(3), systems=list(np.eye(3)))
    assert ScoreMatrix(np.eye(2), systems=list(np.array(["x", "y"]))).systems == ("x", "y")


@pytest.mark.parametrize("summary", ["mean", "amean", "all", "All"])
def test_rows_over_all_topics_are_no_topics(summary):
    frame = pd.concat([FRAME, FRAME.mean().rename(summary).to_frame().T])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AggregateMismatchWarning)
        assert ScoreMatrix(frame) == ScoreMatrix(FRAME)
    frame.loc[summary] = 0.9
    with pytest.warns(AggregateMismatchWarning):
        assert prepare_matrix(frame).values.tolist() == FRAME.to_numpy().tolist()


def test_missing_values_of_nullable_columns_are_named():
    frame = pd.DataFrame({"a": [0.1, pd.NA], "b": [0.2, 0.3]}, index=["q1", "q2"], dtype="Float64")
    with pytest.raises(ValueError, match=r"`values` must .*got nan for system 'a' on topic 'q2'\.$"):
        ScoreMatrix(frame)
    assert ScoreMatrix(frame.fillna(0.5)).values.tolist() == [[0.1, 0.2], [0.5, 0.3]]


def test_one_matrix_that_is_transposed_is_refused():
    frame = pd.DataFrame(np.eye(3) / 2, index=["bm25", "dph", "tfidf"], columns=["301", "302", "303"])
    numbered = frame.rename(index=lambda name: f"{name} 1", columns=lambda name: f"q{name}")
    for table in (frame, numbered):
        with pytest.raises(ValueError, match="`scores`"):
            prepare_matrix(table)
        prepare_matrix(table.T)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_other_libraries_become_frames_of_pandas(library):
    pytest.importorskip("pyarrow")
    module = pytest.importorskip(library)
    columns = {"qid": ["q1", "q2"], "means": [0.1, 0.3], "columns": [0.4, 0.5]}
    table = module.DataFrame(columns) if library == "polars" else module.table(columns)
    assert ScoreMatrix(table) == ScoreMatrix(FRAME)
    assert Rankings(table).systems == ("means", "columns")
    assert kendall_tau(table, FRAME) == 1.0


def test_a_table_whose_library_lacks_one_says_what_to_install():
    class Lacking(Table):
        def to_pandas(self):
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    with pytest.raises(ImportError, match=r"^`reference` must become a frame of pandas.*: pip install pyarrow$"):
        kendall_tau(Lacking(), [1, 2, 3])


@pytest.mark.parametrize("as_order", [list, tuple, np.array, pd.Index, lambda names: np.array(names, dtype=object)])
def test_names_are_an_order_best_first(as_order):
    order, other = ["b, tuned", "a", "c"], ["a", "b, tuned", "c"]
    assert rc.kendall_tau(as_order(order), other) == pytest.approx(1 / 3)
    assert rc.stats.contributions(other, as_order(order)).statistic == rc.tau_ap([3, 2, 1], [2, 3, 1])
    scores = rc.ScoreMatrix(np.random.default_rng(1).random((12, 3)), systems=other)
    by_place = rc.d_rank(scores, {name: -place for place, name in enumerate(order)}, n_resamples=99, rng=1)
    assert rc.d_rank(scores, as_order(order), n_resamples=99, rng=1).statistic == by_place.statistic
