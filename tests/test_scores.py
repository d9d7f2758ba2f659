import json
import pickle

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RR

import pt_rankcorr as rc
from pt_rankcorr import ScoreMatrix, Scores, scores_from_experiment
from pt_rankcorr.scores import Alignment

VALUES = [[0.2, 0.4, 0.3], [0.5, 0.9, 0.4]]


@pytest.fixture
def matrix():
    return ScoreMatrix(VALUES, topics=["001", "002"], systems=["bm25", "dph", "NA"], measure="AP")


@pytest.fixture
def scores(matrix):
    other = ScoreMatrix([[1.0, 0.5, 0.25], [0.5, 1.0, 0.25]], matrix.topics, matrix.systems, "RR")
    return Scores([matrix, other], Alignment(matrix.topics, matrix.systems, unjudged_topics=("003",)))


def test_a_matrix_knows_its_labels_and_means(matrix):
    assert (matrix.shape, matrix.n_topics, matrix.n_systems) == ((2, 3), 2, 3)
    assert matrix.topics == ("001", "002")
    assert matrix.means.tolist() == [0.35, 0.65, 0.35]
    assert matrix.ranks.tolist() == [2.5, 1.0, 2.5]
    assert matrix.ranking == ("dph", "NA", "bm25")
    assert matrix.mean_of("dph") == 0.65
    assert repr(matrix) == "ScoreMatrix('AP', 2 topics x 3 systems, means 0.35 to 0.65, best 'dph')"


def test_labels_have_defaults():
    matrix = ScoreMatrix(VALUES)
    assert (matrix.topics, matrix.systems, matrix.measure) == (("t1", "t2"), ("s1", "s2", "s3"), None)
    assert repr(matrix).startswith("ScoreMatrix(2 topics x 3 systems")


def test_a_matrix_never_changes(matrix):
    with pytest.raises(ValueError, match="read-only"):
        matrix.values[0, 0] = 1.0
    with pytest.raises(AttributeError):
        matrix.measure = "RR"
    source = np.array(VALUES)
    copied = ScoreMatrix(source)
    source[0, 0] = 99.0
    assert copied.values[0, 0] == 0.2


def test_a_matrix_stands_for_its_values(matrix):
    np.testing.assert_array_equal(np.asarray(matrix), VALUES)
    assert np.asarray(matrix, dtype=np.float32).dtype == np.float32
    copied = np.array(matrix)
    copied[0, 0] = 1.0
    assert matrix.values[0, 0] == 0.2


def test_a_matrix_goes_through_frames_and_pickles(matrix):
    frame = matrix.to_frame()
    assert frame.loc["002", "dph"] == 0.9
    assert (frame.index.name, frame.columns.name) == ("topic", "system")
    assert ScoreMatrix(frame, measure="AP") == matrix
    assert pickle.loads(pickle.dumps(matrix)) == matrix
    assert pickle.loads(pickle.dumps(Scores([matrix]))) == Scores([matrix])


def test_equality_is_of_values_and_labels(matrix):
    same = ScoreMatrix(VALUES, matrix.topics, matrix.systems, "AP")
    assert matrix == same
    assert hash(matrix) == hash(same)
    assert matrix != same.named("RR")
    assert matrix != ScoreMatrix(VALUES, measure="AP")
    assert matrix != ScoreMatrix(np.array(VALUES) / 2, matrix.topics, matrix.systems, "AP")
    assert matrix != VALUES


def test_systems_and_topics_are_selected_in_the_order_of_their_names(matrix):
    selected = matrix.select(systems=["NA", "bm25"], topics=["002"])
    assert selected.values.tolist() == [[0.4, 0.5]]
    assert (selected.systems, selected.topics, selected.measure) == (("NA", "bm25"), ("002",), "AP")
    assert matrix.select() == matrix


def test_systems_and_topics_are_dropped(matrix):
    assert matrix.drop(systems=["dph"], topics=["001"]).values.tolist() == [[0.5, 0.4]]
    assert matrix.drop() == matrix


def test_the_worst_are_those_below_the_quantile_of_the_means():
    matrix = ScoreMatrix([[0.8, 0.1, 0.5, 0.3]])
    assert matrix.drop_worst(0.25).systems == ("s1", "s3", "s4")
    assert matrix.drop_worst(0.5).systems == ("s1", "s3")


def test_a_matrix_of_a_measure_that_is_better_when_lower_says_so():
    matrix = ScoreMatrix([[-1.0, -2.0]], measure="mrt", negated=True)
    assert matrix.ranking == ("s1", "s2")
    assert "negated because lower is better" in repr(matrix)
    assert matrix.select(systems=["s2"]).negated
    assert matrix.named("time").negated


def test_names_are_escaped_in_notebooks():
    html = ScoreMatrix(VALUES, systems=["<b>", "b", "c"], measure="<i>")._repr_html_()
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;b&gt;" in html
    averages = Scores([ScoreMatrix(VALUES, systems=["<b>", "b", "c"], measure="AP")])._repr_html_()
    assert "&lt;b&gt;" in averages


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"values": [[0.1, np.nan]]}, ValueError, r"`values` must be finite, got nan at \(0, 1\)"),
        ({"values": np.empty((0, 3))}, ValueError, "at least 1 topics, got 0"),
        ({"values": pd.DataFrame({"when": pd.to_datetime([]), "a": [], "b": []})}, ValueError, "1 topics, got 0"),
        ({"systems": {"a", "b", "c"}}, TypeError, "list of names in order, got a set"),
        ({"values": np.empty((2, 0))}, ValueError, "at least 1 systems, got 0"),
        ({"systems": ["a", "b"]}, ValueError, "`systems` must name all 3 systems, got 2 names"),
        ({"topics": ["1", "2", "3"]}, ValueError, "`topics` must name all 2 topics, got 3 names"),
        ({"systems": ["a", "b", "a"]}, ValueError, "`systems` must be distinct, got 'a' more than once"),
        ({"topics": [1, "1"]}, ValueError, "`topics` must be distinct, got '1' more than once"),
        ({"systems": "abc"}, TypeError, "`systems` must be a list of names, got the single name 'abc'"),
    ],
)
def test_matrices_that_are_refused(arguments, kind, message):
    with pytest.raises(kind, match=message):
        ScoreMatrix(**{"values": VALUES, **arguments})


@pytest.mark.parametrize(
    ("names", "kind", "message"),
    [
        (["zap", "dph", "gap"], ValueError, "`systems` must be among 'NA', 'bm25', 'dph', got 'gap', 'zap'"),
        (["dph", "dph"], ValueError, "`systems` must be distinct, got 'dph' more than once"),
        ("dph", TypeError, "got the single name 'dph'"),
        ([], ValueError, "at least 1 systems, got 0"),
    ],
)
def test_selections_that_are_refused(names, kind, message, matrix, scores):
    with pytest.raises(kind, match=message):
        matrix.select(systems=names)
    with pytest.raises(kind, match=message):
        scores.select(systems=names)


def test_not_everything_can_be_dropped(matrix):
    with pytest.raises(ValueError, match="at least 1 systems, got 0"):
        matrix.drop(systems=matrix.systems)


def test_scores_map_measures_to_matrices(scores, matrix):
    assert list(scores) == ["AP", "RR"]
    assert len(scores) == 2
    assert scores["AP"] == scores[AP] == matrix
    assert AP in scores
    assert "zap" not in scores
    assert (scores.measures, scores.systems, scores.topics) == (("AP", "RR"), matrix.systems, matrix.topics)
    assert repr(scores) == "Scores(2 topics x 3 systems x 2 measures: AP, RR)"
    with pytest.raises(KeyError, match="no measure 'zap'; there are AP, RR"):
        scores["zap"]


def test_scores_by_name(matrix):
    named = Scores({"mine": matrix})
    assert named["mine"].measure == "mine"
    assert str(named.alignment) == "3 systems on 2 topics."


def test_selections_keep_measures_aligned_and_the_report(scores):
    selected = scores.select(systems=["dph", "NA"], topics=["002"], measures=[RR])
    assert selected["RR"].values.tolist() == [[1.0, 0.25]]
    assert selected.measures == ("RR",)
    assert selected.alignment.systems == ("dph", "NA")
    assert selected.alignment.unjudged_topics == ("003",)
    assert scores.drop(topics=["001"]).topics == ("002",)
    assert scores.drop_worst(0.5, measure="RR").systems == ("bm25", "dph")


def test_scores_go_through_a_frame_of_the_host(scores):
    frame = scores.to_frame()
    assert list(frame.columns) == ["name", "qid", "measure", "value"]
    assert len(frame) == 12
    assert scores_from_experiment(frame) == scores


def test_averages(scores):
    expected = pd.DataFrame({"name": ["bm25", "dph", "NA"], "AP": [0.35, 0.65, 0.35], "RR": [0.75, 0.75, 0.25]})
    pd.testing.assert_frame_equal(scores.averages(), expected)


def test_scores_are_equal_by_their_matrices(scores, matrix):
    same = Scores(dict(scores))
    assert scores == same
    assert hash(scores) == hash(same)
    assert scores != Scores([matrix])
    assert scores != 3


@pytest.mark.parametrize(
    ("matrices", "kind", "message"),
    [
        ([], ValueError, "`matrices` must hold at least one measure, got none"),
        ([VALUES], TypeError, "`matrices` must be score matrices, got list"),
        ([ScoreMatrix(VALUES)], ValueError, "`matrices` must each have a measure"),
        ([ScoreMatrix(VALUES, measure="AP")] * 2, ValueError, "`measures` must be distinct, got 'AP' more than once"),
        (
            {"AP": ScoreMatrix(VALUES), "RR": ScoreMatrix(VALUES, systems=["s1", "x", "s3"])},
            ValueError,
            "must share their systems, got differences in 's2', 'x' between AP and RR",
        ),
        (
            {"AP": ScoreMatrix(VALUES), "RR": ScoreMatrix(VALUES, topics=["t2", "t1"])},
            ValueError,
            "must share their topics, got another order between AP and RR",
        ),
    ],
)
def test_scores_that_are_refused(matrices, kind, message):
    with pytest.raises(kind, match=message):
        Scores(matrices)


def test_no_measure_is_no_selection(scores):
    with pytest.raises(ValueError, match="`measures` must name at least one measure, got none"):
        scores.select(measures=[])
    with pytest.raises(ValueError, match="`measures` must be among 'AP', 'RR', got 'zap'"):
        scores.select(measures=["zap"])


@pytest.mark.parametrize(
    ("field", "value", "note"),
    [
        ("filled", {}, ""),
        ("unjudged_topics", ("8", "7"), " Topics without any judgment, left out: 2 ('7', '8')."),
        ("unattempted_topics", ("9",), " Judged topics without results of any system, left out: 1 ('9')."),
        ("dropped_topics", ("3",), " Topics without scores for some systems, left out: 1 ('3')."),
        ("dropped_systems", ("d",), " Systems without scores for some topics, left out: 1 ('d')."),
        ("filled", {"a": ("4", "5")}, " Systems with the default score on topics where they have none: 1 ('a')."),
        ("ignored_measures", ("num_ret",), " Measures that do not rank systems, left out: 1 ('num_ret')."),
        ("rounded", {"AP": 4}, " Measures that look rounded: 1 ('AP')."),
        ("unjudged_topics", tuple("abcdefgh"), " Topics without any judgment, left out: 8 ('a', 'b', 'c', 'd', 'e"),
    ],
)
def test_everything_left_out_or_filled_is_said(field, value, note):
    alignment = Alignment(topics=("1", "2"), systems=("a", "b"), **{field: value})
    assert str(alignment).startswith(f"2 systems on 2 topics.{note}")
    for_machines = json.loads(json.dumps(alignment.to_dict()))
    assert for_machines[field] == json.loads(json.dumps(value))
    assert (for_machines["n_topics"], for_machines["n_systems"]) == (2, 2)


def test_geometric_means_are_means_of_logs():
    matrix = ScoreMatrix([[0.1, 0.0], [0.4, 0.3]], measure="AP")
    logs = matrix.geometric()
    np.testing.assert_allclose(logs.values, np.log(matrix.values + 0.00001))
    assert (logs.measure, logs.topics, logs.systems) == ("log AP", matrix.topics, matrix.systems)
    assert ScoreMatrix([[0.1, 0.2]]).geometric().measure is None
    with pytest.raises(ValueError, match=r"`values` must not be negative to have a geometric mean, got -0\.1"):
        ScoreMatrix([[-0.1, 0.2]]).geometric()


def test_scores_that_are_not_finite_are_named():
    wrong = np.array([[0.1, np.inf], [0.2, 0.3]])
    with pytest.raises(ValueError, match=r"`values` must be finite, got inf for system 'b' on topic 'q1'.$"):
        ScoreMatrix(pd.DataFrame(wrong, ["q1", "q2"], ["a", "b"]))
    with pytest.raises(ValueError, match=r"`reference` must be finite, got nan for 'x': `missing="):
        rc.kendall_tau({"x": np.nan, "y": 1.0}, {"x": 1.0, "y": 2.0})
