"""Tables as people have them: what is no topic or system is left out, what is plain is read, the rest is refused."""

import gzip
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr.io.single_scores import read_columns, read_ranking
from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.stats.core import headings
from pt_rankcorr.warnings import AggregateMismatchWarning

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")

SYSTEMS = ["bm25", "dph", "splade", "tasb"]
NUMBERS = [str(number) for number in range(401, 409)]
TASKS = ["arguana", "climate-fever", "dbpedia", "fiqa", "hotpotqa", "nfcorpus", "quora", "scifact"]
VALUES = np.random.default_rng(8).random((8, 4)).round(4)
FRAME = pd.DataFrame(VALUES, index=pd.Index(NUMBERS, name="topic"), columns=SYSTEMS)
GOOD = FRAME.to_csv()


def summary(kind, frame=FRAME):
    kinds = {
        "mean": frame.mean(),
        "sum": frame.sum(),
        "sd": frame.std(),
        "population sd": frame.std(ddof=0),
        "median": frame.median(),
        "max": frame.max(),
        "min": frame.min(),
        "count": frame.count().astype(float),
        "quartile": frame.quantile(0.25),
    }
    return kinds[kind]


def heard(read):
    """What comes out, and the one warning of what is left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AggregateMismatchWarning)
        result = read()
    (message,) = [str(each.message) for each in caught if each.category is AggregateMismatchWarning]
    return result, message


def below(frame, rows):
    """The frame with summaries of its rows, by their labels."""
    more = pd.DataFrame({label: summary(kind, frame) for label, kind in rows.items()}).T
    return pd.concat([frame, more]).rename_axis(index=frame.index.name)


SUMMARY_ROWS = [
    {"Overall": "mean"},
    {"Total": "sum"},
    {"SUM": "sum"},
    {"Avg.": "mean"},
    {"Macro avg": "mean"},
    {"Std. dev.": "sd"},
    {"Median": "median"},
    {"Max": "max"},
    {"Min": "min"},
    {"N": "count"},
    {"gm": "median"},
    {"": "mean"},
    {"Mean (8 queries)": "mean"},
    {"mean": "mean", "std": "population sd"},
    {"Average": "mean", "Median": "median", "Stdev": "sd"},
    {"count": "count", "mean": "mean", "std": "sd", "min": "min", "25%": "quartile", "50%": "median", "max": "max"},
]


@pytest.mark.parametrize("rows", SUMMARY_ROWS, ids=lambda rows: "+".join(rows) or "no label")
@pytest.mark.parametrize("topics", [NUMBERS, TASKS], ids=["numbers", "names"])
@pytest.mark.parametrize("form", ["wide", "top", "long", "frame"])
def test_rows_over_all_topics_are_left_out_with_one_warning(rows, topics, form, tmp_path):
    frame = below(FRAME.set_axis(topics).rename_axis("topic"), rows).round(4)
    frame = pd.concat([frame.iloc[8:], frame.iloc[:8]]) if form == "top" else frame
    path = tmp_path / "AP.csv"
    if form == "long":
        frame = frame.rename_axis("topic").reset_index().melt("topic", var_name="system", value_name="score")
    frame.to_csv(path, index=form != "long", index_label="topic" if form != "long" else None)
    matrix, message = heard(lambda: rc.ScoreMatrix(frame) if form == "frame" else rc.read_scores(path)["AP"])
    assert message.startswith("Rows over all topics are left out: ")
    assert all(repr(label) in message for label in rows)
    assert set(matrix.topics) == set(topics)
    assert matrix.select(topics=topics).values.tolist() == VALUES.tolist()


@pytest.mark.parametrize("label", ["Zeile", "topic 9", "MAP"])
@pytest.mark.parametrize("kind", ["mean", "sum"])
@pytest.mark.parametrize("topics", [NUMBERS, TASKS], ids=["numbers", "names"])
def test_a_row_that_is_a_summary_by_its_numbers_alone_is_kept_with_a_warning(label, kind, topics, tmp_path):
    frame = below(FRAME.set_axis(topics).rename_axis("topic"), {label: kind}).round(4)
    matrix, message = heard(lambda: rc.ScoreMatrix(frame))
    assert matrix.topics == (*topics, label)
    assert re.search(f"row {label!r} is the {kind} of the others in every row.* They are kept: `drop` leaves", message)
    assert matrix.drop(topics=[label]).values.tolist() == VALUES.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error", AggregateMismatchWarning)
        assert rc.ScoreMatrix(frame, keep=[label]) == matrix
        frame.to_csv(tmp_path / "AP.csv")
        assert rc.read_scores(tmp_path / "AP.csv", keep=[label])["AP"] == matrix.named("AP")


def test_names_and_scores_that_changed_places_are_told(tmp_path):
    for topics in (NUMBERS, TASKS):
        frame = FRAME.set_axis([*topics[:3], "0.4123", *topics[4:]])
        matrix, message = heard(lambda frame=frame: rc.ScoreMatrix(frame))
        assert matrix.topics[3] == "0.4123"
        assert "row '0.4123' is named as a score is" in message
    (tmp_path / "board.csv").write_text("model,human\n3.5,.5\n4.0,.7\n")
    assert read_columns([tmp_path / "board.csv"])["human"].scores == {"3.5": 0.5, "4.0": 0.7}


def test_each_data_set_has_rows_over_all_of_its_own(tmp_path):
    cells = FRAME.rename_axis("qid").reset_index().melt("qid", var_name="name").assign(measure="AP")
    parts = [cells.assign(dataset=name) for name in ("old", "new")]
    means = cells.groupby("name")["value"].mean().rename("value").reset_index().assign(measure="AP", qid="all")
    frame = pd.concat([*parts, *(means.assign(dataset=name) for name in ("old", "new"))])
    scores = rc.scores_from_experiment(frame)
    assert len(scores.topics) == 16
    assert not any("all" in topic for topic in scores.topics)
    frame.loc[frame["qid"] == "all", "qid"] = "Overall"
    with pytest.warns(AggregateMismatchWarning, match="^Rows over all topics are left out: 'Overall'"):
        assert rc.scores_from_experiment(frame).topics == scores.topics
    frame.to_csv(tmp_path / "long.csv", index=False)
    with pytest.warns(AggregateMismatchWarning, match="^Rows over all topics are left out: 'Overall'"):
        assert rc.read_scores(tmp_path / "long.csv") == scores
    whole = means.assign(dataset="Average", qid="all")
    with pytest.warns(AggregateMismatchWarning, match="left out: 'dataset Average'"):
        assert rc.scores_from_experiment(pd.concat([*parts, whole])) == scores


OVER_SYSTEMS = {
    "mean": lambda frame: frame.mean(axis=1),
    "Average": lambda frame: frame.mean(axis=1) * 0.9,
    "max_ndcg": lambda frame: frame.max(axis=1),
    "Std. dev.": lambda frame: frame.std(axis=1),
    "Ø": lambda frame: frame.mean(axis=1),
    "Median score": lambda frame: frame.median(axis=1),
    "difficulty": lambda frame: 1 - frame.mean(axis=1),
    "query length": lambda frame: frame.rank().iloc[:, 0],
}


def with_column(name, values, place, form, path):
    """The matrix of a table with one more column, and the one warning of it."""
    frame = FRAME.copy()
    frame.insert(place, name, values.round(4))
    if form == "long":
        frame = frame.reset_index().melt("topic", var_name="system", value_name="score")
    frame.to_csv(path, index=form != "long")
    return heard(lambda: rc.ScoreMatrix(frame) if form == "frame" else rc.read_scores(path)["AP"])


@pytest.mark.parametrize("name", OVER_SYSTEMS)
@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize("form", ["wide", "long", "frame"])
def test_columns_over_all_systems_are_left_out_by_name_with_one_warning(name, place, form, tmp_path):
    matrix, message = with_column(name, OVER_SYSTEMS[name](FRAME), place, form, tmp_path / "AP.csv")
    assert message == f"Columns over all systems are left out: {name!r}. `keep` takes them."
    assert matrix.systems == tuple(SYSTEMS)
    assert matrix.values.tolist() == VALUES.tolist()
    if form != "frame":
        assert name in rc.read_scores(tmp_path / "AP.csv", keep=[name, "extra"]).systems


LOOKS = {
    "selective": ("the largest", lambda frame: frame.max(axis=1)),
    "worst": ("the smallest", lambda frame: frame.min(axis=1)),
    "fusion": ("the mean", lambda frame: frame.mean(axis=1)),
    "all": ("the sum", lambda frame: frame.sum(axis=1)),
    "docs": ("whole numbers", lambda frame: pd.Series(range(30, 38), frame.index, dtype=float)),
}


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("place", [0, 4])
@pytest.mark.parametrize("form", ["wide", "long", "frame"])
def test_columns_that_only_look_like_it_are_kept_with_a_warning(name, place, form, tmp_path):
    looks, of = LOOKS[name]
    matrix, message = with_column(name, of(FRAME), place, form, tmp_path / "AP.csv")
    assert name in matrix.systems
    assert re.search(f"column {name!r} is (of )?{looks}.* They are kept", message)
    assert matrix.select(systems=SYSTEMS).values.tolist() == VALUES.tolist()


def test_a_name_that_alone_stands_in_quotes_is_kept(tmp_path):
    frame = FRAME.assign(mean=FRAME.min(axis=1) * 0.5)
    (tmp_path / "AP.csv").write_text(frame.to_csv().replace(",mean", ',"mean"', 1))
    assert rc.read_scores(tmp_path / "AP.csv").systems == (*SYSTEMS, "mean")
    frame.to_csv(tmp_path / "AP.csv", quoting=1)
    with pytest.warns(AggregateMismatchWarning, match="left out: 'mean'"):
        assert rc.read_scores(tmp_path / "AP.csv").systems == tuple(SYSTEMS)


@pytest.mark.parametrize("name", ["num_rel", "n_docs_judged", "Num Rel", "judged_count", "fold"])
def test_counts_are_no_systems(name, tmp_path):
    FRAME.assign(**{name: range(3, 11)}).to_csv(tmp_path / "AP.csv")
    with pytest.warns(AggregateMismatchWarning, match=f"left out: '{name}'"):
        assert rc.read_scores(tmp_path / "AP.csv").systems == tuple(SYSTEMS)


@pytest.mark.parametrize(
    "values",
    [
        [[0.25, 0.5, 0.75], [0.5, 0.25, 0.125]],
        [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]],
        [[0.2, 0.4, 0.9], [0.4, 0.2, 0.1], [0.3, 0.3, 0.5]],
        np.arange(24.0).reshape(6, 4) / 32,
        np.eye(5),
        [[0.0, 0.0, 0.0, 0.0]] * 4 + [[0.5, 0.25, 0.125, 1.0]],
        np.random.default_rng(1).integers(0, 2, (8, 5)).astype(float),
        np.random.default_rng(2).integers(1, 6, (5, 3)).astype(float),
        np.random.default_rng(3).normal(size=(5, 3)),
        np.repeat(np.random.default_rng(4).random((6, 1)), 4, axis=1),
    ],
)
def test_nothing_is_left_out_of_good_tables(values):
    values = np.array(values)
    frame = pd.DataFrame(values, index=TASKS[: len(values)], columns=list("uvwxy")[: values.shape[1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error", AggregateMismatchWarning)
        assert rc.ScoreMatrix(frame).shape == values.shape
        assert rc.ScoreMatrix(frame.set_axis(NUMBERS[: len(values)])).shape == values.shape


def test_the_worst_system_of_graded_scores_is_no_minimum():
    graded = np.random.default_rng(6).binomial(1, [0.5] * 6, (60, 6)).astype(float)
    graded[:, 0] = graded[:, 1:].min(axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AggregateMismatchWarning)
        assert rc.ScoreMatrix(pd.DataFrame(graded, [f"q{row}" for row in range(60)], list("uvwxyz"))).shape == (60, 6)


def test_a_frame_of_summaries_alone_is_one_of_topics():
    frame = FRAME.iloc[:2].set_axis(["all", "mean"])
    assert rc.ScoreMatrix(frame).topics == ("all", "mean")  # there is nothing else


@pytest.mark.whole
def test_real_tables_lose_nothing(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error", AggregateMismatchWarning)
        for path in sorted((data / "trec").glob("*.csv")):
            n_rows = len(path.read_text().splitlines())
            assert len(rc.read_scores(path).topics) == n_rows - 1, path.name


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "heading", ["Model", "method", "approach", "system_id", "Run Tag", "submission", "Team", "retriever"]
)
def test_frames_with_systems_in_rows_are_refused(heading):
    frame = FRAME.T.rename(columns="task {}".format).rename_axis(columns=None)
    for table in (frame.rename_axis(heading), frame.rename_axis(heading).reset_index()):
        with pytest.raises(ValueError, match=f"got one row for each of .* named by column {heading!r}.* transpose it"):
            rc.ScoreMatrix(table)
    long = FRAME.reset_index().melt("topic", var_name=heading, value_name="AP")
    with pytest.raises(ValueError, match=r"one row for each system and topic, .* pivot it"):
        rc.ScoreMatrix(long)


# --- what is read -------------------------------------------------------------------------------------------

LINES = GOOD.splitlines()
READ = {
    "an empty last column": "".join(f"{line},\n" for line in LINES),
    "two empty columns": "".join(f"{line},,\n" for line in LINES),
    "empty rows": GOOD + ",,,,\n,,,,\n",
    "a line sep=": "sep=,\n" + GOOD,
    "sep= and semicolons": '"sep=;"\n' + GOOD.replace(",", ";"),
    "comments": "# by hand\n#\n" + GOOD + "# the end\n",
    "a comment that is the header": "#" + GOOD,
    "a title": "Results of spring\n" + GOOD,
    "a title with empty cells": "Results of spring,,,,\nAP,,,,\n" + GOOD,
    "semicolons": GOOD.replace(",", ";"),
    "semicolons and decimal commas": GOOD.replace(",", ";").replace(".", ","),
    "tabs": GOOD.replace(",", "\t"),
    "blanks": GOOD.replace(",", "   "),
    "quotes": FRAME.to_csv(quoting=1),
    "a heading": GOOD.replace("topic", "Topic No.", 1),
}


@pytest.mark.parametrize("form", READ)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_tables_of_spreadsheets_are_read(form, end, tmp_path):
    path = tmp_path / "AP.csv"
    path.write_bytes(gzip.compress(READ[form].replace("\n", end).encode("utf-8-sig")))
    scores = rc.read_scores(path)["AP"]
    assert (scores.topics, scores.systems) == (tuple(NUMBERS), tuple(SYSTEMS))
    assert scores.values.tolist() == VALUES.tolist()


def test_separators_and_decimal_marks_may_be_named(tmp_path):
    path = tmp_path / "AP.csv"
    for sep, decimal, mark in [("tab", ",", "\t"), ("pipe", None, "|"), (";", ".", ";"), ("semicolon", ",", ";")]:
        text = GOOD.replace(",", mark)
        path.write_text(text.replace(".", ",") if decimal == "," else text)
        assert rc.read_scores(path, sep=sep, decimal=decimal)["AP"].values.tolist() == VALUES.tolist()
    path.write_text(GOOD.replace(",", ";"))
    with pytest.raises(ValueError, match=r"column 'bm25'. It is no number|column 'bm25'"):
        rc.read_scores(path, decimal=",")
    with pytest.raises(ValueError, match=r"`sep` must be 'comma', 'tab', .* or the character, got 'dots'"):
        rc.read_scores(path, sep="dots")
    with pytest.raises(ValueError, match=r"`decimal` must be '.' or ',', got '·'"):
        rc.read_scores(path, decimal="·")


@pytest.mark.parametrize("mark", ["", "NA", "N/A", "n/a", "#N/A", "null", "None", "nan", "-", "--", "–"])
def test_marks_of_missing_scores(mark, tmp_path):
    path = tmp_path / "AP.csv"
    path.write_text(GOOD.replace(f"{VALUES[2, 1]}", mark, 1))
    with pytest.raises(ValueError, match="got none for 'dph' on topics '403'"):
        rc.read_scores(path)
    assert len(rc.read_scores(path, missing="drop-topics").topics) == 7


LONG = FRAME.reset_index().melt("topic", var_name="run", value_name="strict")


def test_a_column_for_each_measure(tmp_path):
    frame = LONG.assign(lenient=LONG["strict"] / 2, n_criteria=7, note="free text", rank=3)
    for columns in (list(frame), ["run", "n_criteria", "lenient", "topic", "strict", "rank", "note"]):
        frame[columns].to_csv(tmp_path / "cells.csv", index=False)
        scores = rc.read_scores(tmp_path / "cells.csv")
        assert set(scores.measures) == {"strict", "lenient"}
        assert scores.alignment.ignored_measures == ("n_criteria",)
        assert scores["strict"].values.tolist() == VALUES.tolist()
        assert scores["lenient"].values.tolist() == (VALUES / 2).tolist()


def test_an_index_of_topics_beside_a_system_of_that_name_keeps_both(tmp_path):
    frame = FRAME.rename(columns={"dph": "query"})
    matrix = rc.ScoreMatrix(frame)
    assert (matrix.topics, matrix.systems) == (tuple(NUMBERS), ("bm25", "query", "splade", "tasb"))
    assert rc.ScoreMatrix(frame.set_axis(TASKS)).systems == matrix.systems
    frame.to_csv(tmp_path / "AP.csv")
    assert rc.read_scores(tmp_path / "AP.csv")["AP"] == matrix.named("AP")
    topics = FRAME.reset_index().rename(columns={"topic": "qid"})
    assert rc.ScoreMatrix(topics.set_axis([9, 4, 2, 1, 7, 5, 3, 8])).topics == tuple(NUMBERS)
    with pytest.raises(ValueError, match="must have one column that names its topics, got 'query', 'topic'"):
        rc.ScoreMatrix(FRAME.assign(query="words"))
    with pytest.raises(ValueError, match="must have one column that names its topics, got 'qid', 'topic'"):
        rc.ScoreMatrix(FRAME.assign(qid=[int(number) for number in NUMBERS]))


def test_ranks_in_place_of_scores_are_warned_of():
    means, places = {"a": 0.5, "b": 0.4, "c": 0.1}, {"a": 1, "b": 2, "c": 3}
    with pytest.warns(
        rc.warnings.UnreliableResultWarning, match=r"^`estimate` has the ranks 1 to 3 as scores.*Rankings"
    ):
        assert rc.kendall_tau(means, places) == -1.0
    ranked = rc.stats.Rankings(pd.Series(places), lower_is_better=True)
    assert rc.kendall_tau(means, ranked) == 1.0
    assert rc.kendall_tau(places, {"a": 2, "b": 1, "c": 3}) == pytest.approx(1 / 3)


@pytest.mark.parametrize("make", [dict, pd.Series])
def test_nan_is_missing_wherever_missing_is(make):
    x, y = make({"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}), make({"a": 0.5, "b": np.nan, "c": 0.2, "d": 0.3})
    assert rc.kendall_tau(x, y, missing="skip") == pytest.approx(1 / 3)
    with pytest.warns(rc.warnings.MissingTopicsWarning, match="left out: 'b'"):
        rc.tau_ap(y, x, missing="warn")
    with pytest.raises(ValueError, match="`estimate` must be finite, got nan for 'b': `missing='skip'` leaves"):
        rc.kendall_tau(x, y)
    arrays = [0.4, 0.3, 0.2, 0.1], [0.5, np.nan, 0.2, 0.3]
    assert rc.kendall_tau(*arrays, missing="skip") == pytest.approx(1 / 3)
    with pytest.warns(rc.warnings.MissingTopicsWarning, match="left out: 1"):
        rc.kendall_tau(*arrays, missing="warn")
    with pytest.raises(ValueError, match="`estimate` must be finite, got nan at 1: `missing"):
        rc.kendall_tau(*arrays)
    with pytest.raises(ValueError, match="as many systems as each other, got 3 and 4"):
        rc.kendall_tau([0.1, 0.2, 0.3], arrays[1], missing="skip")
    gaps = FRAME.mask(FRAME.eq(FRAME.iloc[0, 0]))
    assert rc.kendall_tau(FRAME, gaps, missing="skip") == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc\n", {"a": 0.0, "b": -1.0, "c": -2.0}),
        ("a 0.5\nb\t-1e-3\n two words  7\n", {"a": 0.5, "b": -0.001, "two words": 7.0}),
        ("run 1\nrun x\n", {"run 1": 0.0, "run x": -1.0}),
        ("5\n7\n", {"5": 0.0, "7": -1.0}),
        ("run,score\na,0.5\nb,0.25\n", {"a": 0.5, "b": 0.25}),
        ("rank,run_id,score\n1,a,0.5\n2,b,0.25\n", {"a": 0.5, "b": 0.25}),
        ("run;score\na;0,5\nb;0,25\n", {"a": 0.5, "b": 0.25}),
        ("# mine\na,0.5\nb,0.25\n", {"a": 0.5, "b": 0.25}),
        ('"a, b",0.5\nb,0.25\n', {"a, b": 0.5, "b": 0.25}),
        ("system\trank\na\t1\nb\t2\n", {"a": -1.0, "b": -2.0}),
        ("system score\na 0.5\nb 0.25\n", {"a": 0.5, "b": 0.25}),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_rankings_in_files(text, expected, compress, tmp_path):
    (tmp_path / "ranking").write_bytes(compress(text.encode()))
    assert dict(read_ranking(tmp_path / "ranking")) == expected


@pytest.mark.parametrize("read", [rc.scores_from_experiment, rc.read_scores, rc.scores_from_trec_eval])
def test_frames_of_polars_are_to_become_those_of_pandas(read):
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match=r"\.to_pandas\(\)"):
        read(polars.DataFrame({"name": ["a"], "qid": ["1"], "measure": ["AP"], "value": [0.5]}))


# --- forms ------------------------------------------------------------------------------------------------------


def test_repetitions_are_averaged_where_a_column_tells_them_apart(tmp_path):
    path = tmp_path / "AP.csv"
    parts = [LONG.assign(seed=seed, strict=LONG["strict"] + shift) for seed, shift in ((1, 0.25), (2, -0.25))]
    pd.concat(parts).to_csv(path, index=False)
    scores = rc.read_scores(path)
    np.testing.assert_allclose(scores["strict"].values, VALUES)
    assert scores.alignment.averaged == "2 for each system and topic, by 'seed 1', 'seed 2'"
    assert "Scores are means of 2 for each system and topic" in str(scores.alignment)
    pd.concat(parts).drop(columns="seed").to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"got several for .* `repeats='mean'` averages them"):
        rc.read_scores(path)
    np.testing.assert_allclose(rc.read_scores(path, repeats="mean")["strict"].values, VALUES)
    wide = pd.concat([FRAME.assign(rater=rater) for rater in "xy"])
    wide.to_csv(path)
    assert rc.read_scores(path)["AP"].values.tolist() == VALUES.tolist()


def test_the_direction_that_a_heading_says_is_followed(tmp_path):
    frame = LONG.rename(columns={"strict": "latency (ms)"}).assign(**{"AP \u2191": LONG["strict"]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    scores = rc.read_scores(tmp_path / "x.csv")
    assert [matrix.negated for matrix in scores.values()] == [True, False]
    assert "Lower is better, as the names say: 'latency (ms)'" in str(scores.alignment)


@pytest.mark.parametrize(
    ("heading", "better"),
    [("cost", "lower"), ("Loss \u2193", "lower"), ("rank", "lower"), ("Avg. rank", "lower"), ("gain \u2191", "higher"),
     ("recip_rank", ""), ("ERR@20", ""), ("tokens per second", ""), ("error reduction", ""), ("nDCG", "")],
)  # fmt: skip
def test_directions_of_headings(heading, better):
    assert headings.direction(heading) == better


def test_json_that_is_nested_by_system_or_topic(tmp_path):
    path = tmp_path / "AP.json"
    for content in (FRAME, FRAME.T):
        path.write_text(content.to_json())
        assert rc.read_scores(path)["AP"].values.tolist() == VALUES.tolist()
    for outer in (TASKS, list("12345678")):  # numbers from 1 on may as well be systems
        path.write_text(FRAME.set_axis(outer).T.to_json())
        with pytest.raises(ValueError, match="shows what its first column has, got 'key' above"):
            rc.read_scores(path)


@pytest.mark.parametrize("topics", [NUMBERS, list("12345678"), [f"PLAIN-{task}" for task in TASKS]])
def test_dictionaries_of_pytrec_eval(topics, tmp_path):
    for name in SYSTEMS:
        of_system = pd.DataFrame({"map": FRAME[name], "ndcg_cut_10": FRAME[name] / 2}).set_axis(topics)
        (tmp_path / f"{name}.json").write_text(of_system.T.to_json())
    scores = rc.read_scores([tmp_path / f"{name}.json" for name in SYSTEMS])
    assert (scores.systems, scores.topics, scores.measures) == (tuple(SYSTEMS), tuple(topics), ("map", "ndcg_cut_10"))
    assert scores["map"].values.tolist() == VALUES.tolist()
    with pytest.raises(ValueError, match=r"columns of measures: 'map', 'ndcg_cut_10'\. If rows are topics"):
        rc.read_scores(tmp_path / "dph.json")


def test_a_file_a_system_with_a_column_a_measure(tmp_path):
    for name in SYSTEMS:
        pd.DataFrame({"AP": FRAME[name], "ndcg@10": FRAME[name] / 2, "num_rel": 3}).to_csv(tmp_path / f"{name}.csv")
    scores = rc.read_scores([tmp_path / f"{name}.csv" for name in SYSTEMS])
    assert (scores.systems, scores.measures) == (tuple(SYSTEMS), ("AP", "ndcg@10"))
    assert scores["AP"].values.tolist() == VALUES.tolist()


def test_a_list_of_names_is_an_order_and_text_is_no_score():
    assert rc.kendall_tau(["a", "b", "c"], ["b", "a", "c"]) == pytest.approx(1 / 3)
    with pytest.raises(TypeError, match=r"must be numbers, or names of systems, got the text '0\.4'"):
        rc.kendall_tau(["0.4", "0.2"], [1, 2])
    with pytest.raises(TypeError, match=r"`reference` must have numbers as scores, got the text '0\.4' for 'a'"):
        rc.kendall_tau({"a": "0.4", "b": "50.1%"}, {"a": 1, "b": 2})


@pytest.mark.parametrize("mark", [" ", ",", "\t"])
def test_ranks_that_are_headed_so_are_negated(tmp_path, mark):
    (tmp_path / "ranks").write_text(f"system{mark}rank\na{mark}1\nb{mark}2\nc{mark}3\n")
    assert read_ranking(tmp_path / "ranks") == [("a", -1.0), ("b", -2.0), ("c", -3.0)]
    (tmp_path / "ranks").write_text(f"system{mark}rank\na{mark}1\nb{mark}2\nc{mark}n/a\n")
    with pytest.raises(ValueError, match=r"must have a score (on each line|of each system).*got '(c )?n/a'"):
        read_ranking(tmp_path / "ranks")


def test_pages_and_json_are_no_lists_of_names(tmp_path):
    (tmp_path / "page").write_text("NDCG@10\n\n| Model | Avg |\n|---|--:|\n| a b | **.5** |\n| c | .7 |\n")
    assert read_ranking(tmp_path / "page") == [("a b", 0.5), ("c", 0.7)]
    (tmp_path / "page").write_text(
        '{"model_names": ["m", "k"], "m": {"scores": {"AP": 0.5}}, "k": {"scores": {"AP": 0.7}}}'
    )
    assert read_ranking(tmp_path / "page") == [("m", 0.5), ("k", 0.7)]


def test_columns_of_signs_and_titles_above_headers(tmp_path):
    rows = ["| of exams | | | |", "|:--|---|---|---|", "| method | exam | +/- | +/- |", "| a | .5 | +/- | +/- |"]
    (tmp_path / "board.md").write_text(
        "\n".join([*rows, "| b | .7 | +/- | +/- |", r"| \_overall\_ | .6 | +/- | +/- |"])
    )
    with pytest.warns(AggregateMismatchWarning, match="'_overall_'"):
        columns = read_columns([tmp_path / "board.md"])
    assert columns["exam"].scores == {"a": 0.5, "b": 0.7}


def test_output_of_evaluation_tools_is_read_where_tables_are(tmp_path):
    (tmp_path / "run").write_text("num_ret \t1\t1000\nmap \t1\t0.5\nmap \t2\t0.25\nmap \tall\t0.375\n")
    with pytest.raises(ValueError, match="at least 2 systems to rank, got 'run'"):
        rc.read_scores(tmp_path / "run")
    (tmp_path / "other").write_text((tmp_path / "run").read_text())
    assert rc.read_scores([tmp_path / "run", tmp_path / "other"])["map"].values.tolist() == [[0.5, 0.5], [0.25, 0.25]]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_names_that_are_numbered_from_1_may_be_runs_or_topics(n, tmp_path):
    rows = [f"{run} topic{topic} AP 0.{run}{topic}" for run in range(1, n + 1) for topic in (1, 2, 4)]
    (tmp_path / "board").write_text("\n".join(rows).replace("topic1", "one").replace("topic2", "two"))
    for read in (rc.read_scores, rc.read_leaderboard):
        with pytest.raises(ValueError, match="show which columns have runs"):
            read(tmp_path / "board")
    found = rc.read_scores(tmp_path / "board", columns=["run", "topic", "measure", "value"])
    assert found.systems == tuple(map(str, range(1, n + 1)))
    rows = [f"{run} AP {topic} 0.{topic}" for run in ("one", "two") for topic in range(1, n + 1)]
    (tmp_path / "board").write_text("\n".join(rows))  # only one format has measures second
    assert rc.read_leaderboard(tmp_path / "board").systems == ("one", "two")


def test_rows_over_all_systems_are_no_systems_of_coefficient_matrices():
    scores = pd.DataFrame({"x": [3.0, 1, 2, 9], "y": [3.0, 2, 1, 0]}, index=["a", "b", "c", "Average"])
    with pytest.warns(AggregateMismatchWarning, match="Rows over all systems are left out: 'Average'"):
        assert rc.stats.coefficient_matrix(scores).loc["x", "y"] == pytest.approx(1 / 3)


def test_cells_may_go_over_lines(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text('run,topic,AP,note\na,1,.5,"x, y,\nz"\nb,1,.3,"say ""so"""\na,"2\n3",.5,t\nb,"2\n3",.4,t\n')
    assert rc.read_scores(path).topics == ("1", "2\n3")


def test_workbooks(tmp_path):
    pytest.importorskip("openpyxl")
    book, board, judged = (tmp_path / f"{name}.xlsx" for name in ("AP", "board", "judge"))
    with pd.ExcelWriter(book) as sheets:
        FRAME.set_axis([f"{number:03}" for number in range(8)]).to_excel(
            sheets, sheet_name="first", index_label="topic"
        )
        FRAME.round(1).to_excel(sheets, sheet_name="P@5", startrow=2)
        pd.DataFrame([["of all systems"]]).to_excel(sheets, sheet_name="P@5", index=False, header=False)
    matrix = rc.read_scores(book)["AP"]
    assert (matrix.topics[7], matrix.values.tolist()) == ("007", VALUES.tolist())
    for table in ("2", "P@5"):
        assert rc.read_scores(book, table=table)["AP"].values.tolist() == VALUES.round(1).tolist()
    with pytest.raises(ValueError, match=r"`table` must be among '1', '2', 'P@5', 'first', got '3'"):
        rc.read_scores(book, table="3")
    pd.DataFrame({"system": ["a", "b"], "score": [0.5, 0.7]}).to_excel(board, index=False)
    assert read_ranking(board) == [("a", 0.5), ("b", 0.7)]
    assert read_columns([board])["score"].scores == {"a": 0.5, "b": 0.7}
    pd.DataFrame({"qid": ["1", "1"], "docno": ["d1", "d2"], "label": [1, 0]}).to_excel(judged, index=False)
    assert read_qrels(judged)["relevance"].tolist() == [1, 0]


def test_what_is_no_workbook_is_named(tmp_path):
    (tmp_path / "AP.xlsx").write_text("topic,a,b")
    with pytest.raises(ValueError, match=r"AP.xlsx' must be (a workbook|readable), got "):
        rc.read_scores(tmp_path / "AP.xlsx")


def test_exports_of_rag_evaluations(tmp_path):
    questions = ["What, exactly?", 'Who "built" it?', "When\nwas it?", "Why?"]
    texts = {"user_input": questions, "retrieved_contexts": "['a, b']", "response": 'In all, of a, b, "c".\n\n1. Yes,'}
    for place, name in enumerate(SYSTEMS):
        values = {"faithfulness": VALUES[:4, place], "factual_correctness(mode=f1)": VALUES[4:, place], "own": 0.5}
        pd.DataFrame(texts | values).to_csv(tmp_path / f"{name}.csv", index=False)
    scores = rc.read_scores([tmp_path / f"{name}.csv" for name in SYSTEMS])
    assert (scores.systems, scores.topics) == (tuple(SYSTEMS), tuple(questions))
    assert scores["faithfulness"].values.tolist() == VALUES[:4].tolist()
    assert scores["factual_correctness(mode=f1)"].values.tolist() == VALUES[4:].tolist()
    with pytest.raises(ValueError, match=r"got columns of measures: .*'faithfulness', 'own'\. If rows are topics"):
        rc.read_scores(tmp_path / "dph.csv")
