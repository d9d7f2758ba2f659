import warnings

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr.io import align as aligning
from pt_rankcorr.io.align import COLUMNS, cube_of
from pt_rankcorr.warnings import AggregateMismatchWarning, RoundedScoresWarning

NAN = float("nan")


def cells(values, measure="AP"):
    """One row a cell of a matrix of systems a, b, ... on topics 1, 2, ..."""
    matrix = np.array(values, dtype=float)
    rows = [
        ("abcdefg"[column], str(row + 1), measure, matrix[row, column])
        for column in range(matrix.shape[1])
        for row in range(matrix.shape[0])
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def align(frame, lower_is_better=(), **options):
    return aligning.align(cube_of(frame, lower_is_better=lower_is_better), **options)


FULL = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
HOLES = [[0.1, 0.2, 0.3], [0.4, NAN, 0.6], [NAN, NAN, NAN]]


def test_cells_become_a_matrix_in_their_order():
    scores = align(cells(FULL))
    assert scores.topics == ("1", "2")
    assert scores.systems == ("a", "b", "c")
    assert align(cells(FULL).astype({"name": "category", "qid": pd.CategoricalDtype(list("421"))})) == scores
    np.testing.assert_array_equal(scores["AP"], FULL)
    assert str(scores.alignment) == "3 systems on 2 topics."


@pytest.mark.parametrize("policy", ["drop-topics", "drop-systems", "zero"])
def test_a_topic_without_any_score_is_left_out_and_reported(policy):
    alignment = align(cells(HOLES), missing=policy).alignment
    assert alignment.unjudged_topics == ("3",)
    assert "Topics without any judgment, left out: 1 ('3')." in str(alignment)


def test_what_is_partly_missing_is_an_error_by_default():
    with pytest.raises(ValueError, match="every system on every topic") as error:
        align(cells(HOLES))
    assert str(error.value) == (
        "`scores` must have a score of every system on every topic, got none for 'b' on topics '2'. "
        "`missing=` says what to do: 'drop-topics', 'drop-systems' or 'zero'."
    )


def test_the_policies():
    topics = align(cells(HOLES), missing="drop-topics")
    assert (topics.topics, topics.alignment.dropped_topics) == (("1",), ("2",))
    systems = align(cells(HOLES), missing="drop-systems")
    assert (systems.systems, systems.alignment.dropped_systems) == (("a", "c"), ("b",))
    zero = align(cells(HOLES), missing="zero")
    assert zero.alignment.filled == {"b": ("2",)}
    np.testing.assert_array_equal(zero["AP"], [[0.1, 0.2, 0.3], [0.4, 0.0, 0.6]])


def test_zero_is_the_default_of_the_measure():
    scores = align(cells(HOLES), missing="zero", defaults={"AP": 0.5})
    assert scores["AP"].values[1, 1] == 0.5


@pytest.mark.parametrize(
    ("frame", "arguments", "message"),
    [
        (cells(FULL), {"missing": "ignore"}, "`missing` must be 'error' or .* got 'ignore'"),
        (cells(FULL).iloc[:0], {}, "`scores` must hold at least one score, got none"),
        (cells(FULL, "num_ret"), {}, "`scores` must have a measure that ranks systems, got only counts: 'num_ret'"),
        (cells([[0.1], [0.2]]), {}, "`scores` must have at least 2 systems to rank, got 'a'"),
        (cells([[NAN, NAN]]), {}, "`scores` must have at least one topic with judgments, got none"),
        (cells([[0.1, NAN], [NAN, 0.2]]), {}, "got none for 'a', 'b' on topics '1', '2'. No topic is common"),
        (cells([[0.1, NAN], [NAN, 0.2]]), {"missing": "drop-topics"}, "must have a topic on which all systems have"),
        (cells([[0.1, NAN], [NAN, 0.2]]), {"missing": "drop-systems"}, "at least 2 systems to rank, got none"),
        (cells([[0.1, np.inf]]), {}, "finite numbers, got inf for system 'b' on topic '1' by AP"),
        (cells(FULL).assign(value="high"), {}, "finite numbers, got 'high' for system 'a' on topic '1' by AP"),
        (cells(FULL).assign(name="a"), {}, "several for 'a' .the first on topic '1' by AP.*two systems of one name"),
        (cells(HOLES), {"missing": "zero", "lower_is_better": ["map"]}, "must not be 'zero' for 'AP': lower is better"),
        (cells(FULL), {"lower_is_better": ["RR"]}, "`lower_is_better` must be among 'AP', got 'RR'"),
    ],
)
def test_bad_input_is_refused_with_the_offenders(frame, arguments, message):
    with pytest.raises(ValueError, match=message):
        align(frame, **arguments)


@pytest.mark.parametrize("column", ["name", "qid", "measure"])
@pytest.mark.parametrize("nothing", [None, NAN])
def test_a_label_read_as_a_missing_value_is_refused(column, nothing):
    frame = cells(FULL).astype({column: object})
    frame.loc[0, column] = nothing
    with pytest.raises(ValueError, match=f"a name in each row of the column '{column}', got none in 1 rows"):
        rc.scores_from_experiment(frame)


def test_lower_is_better_turns_a_measure_round():
    frame = pd.concat([cells(FULL), cells(FULL, "mrt"), cells(FULL, "effort")])
    scores = align(frame, lower_is_better=["effort"])
    assert [name for name in scores if scores[name].negated] == ["mrt", "effort"]
    np.testing.assert_array_equal(scores["effort"], -np.array(FULL))
    assert scores["effort"].ranking == ("a", "b", "c")


def test_lower_is_better_knows_aliases_and_leaves_no_negative_zero():
    scores = align(cells([[0.0, 0.5]], "map"), lower_is_better=["AP"])
    assert scores["map"].negated
    assert not np.signbit(scores["map"].values[0, 0])


@pytest.mark.parametrize("decimals", [2, 3, 4, 5])
def test_rounded_scores_are_noticed(decimals):
    values = np.random.default_rng(1).random((50, 4)).round(decimals)
    with pytest.warns(RoundedScoresWarning, match=rf"look rounded: AP \({decimals} decimals\)"):
        scores = align(cells(values))
    assert scores.alignment.rounded == {"AP": decimals}
    assert not align(cells(values), may_be_rounded=["nDCG"]).alignment.rounded
    with pytest.warns(RoundedScoresWarning, match="Their evaluator prints no more decimals"):
        align(cells(values, "ERR@20"), may_be_rounded=["ERR@20"])


@pytest.mark.parametrize("measure", ["P@100", "P_100", "P(rel=2)@100", "Success@5", "R@50"])
def test_measures_that_are_coarse_are_not_taken_for_rounded(measure):
    values = np.random.default_rng(1).random((50, 4)).round(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        align(cells(values, measure))


def test_the_argument_that_the_caller_wrote_is_blamed(tmp_path):
    (tmp_path / "AP.csv").write_text("qid,x,y\n1,.5,\n")
    (tmp_path / "x.eval").write_text("map\t1\t0.5\n")
    run = {"1": {"d": 1.0}}
    for read, parameter in [
        (lambda: rc.scores_from_experiment(cells([[0.1], [0.2]])), "experiment"),
        (lambda: rc.scores_from_runs({"a": run, "b": {"2": {"d": 1.0}}}, {**run, "2": {"d": 1}}, ["AP"]), "runs"),
        (lambda: rc.read_scores(tmp_path / "AP.csv"), "path"),
        (lambda: rc.scores_from_experiment(cells(FULL), lower_is_better=["RR"]), "lower_is_better"),
        (lambda: rc.scores_from_runs({"a": run, "b": run}, run, ["AP"], lower_is_better=["RR"]), "lower_is_better"),
        (lambda: rc.read_scores(tmp_path / "AP.csv", missing="zero", lower_is_better=["RR"]), "lower_is_better"),
        (lambda: rc.scores_from_trec_eval([tmp_path / "x.eval"]), "path"),
        (lambda: rc.by_system(cells([[float("inf"), 1.0]])), "frame"),
        (lambda: rc.judgments.compare_labels({"1": {"d": "x"}}, {"a": {"1": {"d": 1}}}), "reference"),
        (lambda: rc.judgments.compare_labels({"1": {"d": 1}}, {"a": {"1": 3}}), "judges"),
        (lambda: rc.judgments.single_run_judgments(5, {"1": {"d": 1}}), "run"),
        (lambda: rc.agreement.DocumentTauAP(5), "other"),
    ]:
        with pytest.raises((TypeError, ValueError), match=f"^`{parameter}` must"):
            read()


def test_systems_with_all_scores_of_an_earlier_one_are_named():
    both = pd.concat([cells([[0.1, 0.1, 0.1], [0.4, 0.4, 0.4]]), cells([[1, 1, 2], [3, 3, 3]], "P@5")])
    scores = align(both)
    assert scores.alignment.equal_systems == ("b",)  # "c" differs by P@5
    assert "same scores as an earlier one on all topics (copies of a run?): 1 ('b')." in str(scores.alignment)


def test_means_of_each_measure_may_be_rounded_in_their_own_way():
    values = np.random.default_rng(1).random((7, 3))
    means = {"AP": values.mean(axis=0), "P@5": values.mean(axis=0).round(2)}
    rows = [("abc"[column], "all", name, of[column]) for name, of in means.items() for column in range(3)]
    both = pd.concat([cells(values), cells(values, "P@5"), pd.DataFrame(rows, columns=COLUMNS)])
    align(both)  # no warning: those of P@5 have two decimals
    both.iloc[-1, -1] += 0.02
    with pytest.warns(AggregateMismatchWarning, match=r"1 of 6 scores .* are not the mean over topics \('c by P@5'\)"):
        align(both)
