import gzip
import sys
from itertools import permutations

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, NumRet, P, nDCG
from ir_measures.__main__ import main_cli

from pt_rankcorr.io.leaderboard_files import read_leaderboard, scores_from_trec_eval
from pt_rankcorr.io.measure_names import resolve_measure
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.io.score_tables import read_labels, read_scores
from pt_rankcorr.warnings import AggregateMismatchWarning

MEASURES = [AP, nDCG @ 10, P @ 5]
TREC_NAMES = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_5": "P@5"}
PRINTED = 5.1e-5  # what four decimals lose

rounded = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")


@pytest.fixture(scope="module")
def expected(collection):
    return scores_from_runs(collection.runs, collection.qrels, MEASURES)


def printed_by_trec_eval(qrels, run, name):
    """What `trec_eval -q -m num_ret -m map -m ndcg_cut.10 -m P.5` prints."""
    measures = {"num_ret": NumRet, "map": AP, "ndcg_cut_10": nDCG @ 10, "P_5": P @ 5}
    inputs = (list(measures.values()), pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(run))
    values = {(metric.query_id, metric.measure): metric.value for metric in ir_measures.iter_calc(*inputs)}
    means = ir_measures.calc_aggregate(*inputs)
    lines = [("runid", "all", name), ("num_q", "all", str(run["qid"].nunique()))]
    for qid in dict.fromkeys(run["qid"]):
        lines += [(label, qid, f"{values[qid, measure]:6.4f}") for label, measure in measures.items()]
    lines += [(label, "all", f"{means[measure]:6.4f}") for label, measure in measures.items()]
    return "".join(f"{label:<22}\t{qid}\t{value}\n" for label, qid, value in lines)


@pytest.fixture
def trec_eval(collection, tmp_path):
    for name, run in collection.runs.items():
        (tmp_path / f"{name}.eval").write_text(printed_by_trec_eval(collection.qrels, run, "a tag"))
    return tmp_path


@rounded
def test_what_trec_eval_prints(trec_eval, expected, assert_same):
    files = sorted(trec_eval.iterdir())
    for paths in (trec_eval, str(trec_eval), files, {path.stem: path for path in files}):
        scores = scores_from_trec_eval(paths)
        assert_same(scores, expected, PRINTED, TREC_NAMES)
        assert scores.alignment.ignored_measures == ("num_ret",)


@rounded
@pytest.mark.parametrize("options", [["-q"], ["-q", "-n"], ["-q", "-p", "12"]], ids=" ".join)
def test_what_ir_measures_prints(options, collection, expected, tmp_path, capsys, monkeypatch, assert_same):
    (tmp_path / "printed").mkdir()
    monkeypatch.setattr(ir_measures, "parse_measure", resolve_measure)  # its own does not run on Python 3.14
    for path in collection.write(tmp_path).iterdir():
        command = ["ir_measures", str(tmp_path / "qrels"), str(path), *map(str, MEASURES), *options]
        monkeypatch.setattr(sys, "argv", command)
        main_cli()
        (tmp_path / "printed" / path.name).write_text(capsys.readouterr().out)
    tolerance = 1e-12 if "12" in options else PRINTED
    assert_same(scores_from_trec_eval(tmp_path / "printed"), expected, tolerance)


ALIGNED = {
    "trec_eval": "map                   \t1\t0.5\nP10                   \t1\t0.25\nmap\t2\t0.75\nP10\t2\t0\n",
    "several tabs": "map\t\t1\t\t0.5\nP10\t\t\t1\t0.25\n\nmap\t\t2\t\t0.75\nP10\t2\t    0\n",
    "blanks": "map   1   0.5\n  P10 1  0.25\nmap   2\t0.75\n\tP10\t2\t0\t\n",
    "ends with tabs": "map\t1\t0.5\t\nP10\t1\t0.25\t\nmap\t2\t0.75\t\nP10\t2\t0\t\n",
    "comments": "# by hand\nmap 1 0.5\n#map 2 0.9\nP10 1 0.25\n  # more\nmap 2 0.75\nP10 2 0\n",
    "no quality": "runid all BM25\nrelstring_10 1 '-1-'\nmap 1 0.5\nunj_10 1 0.3\nP10 1 0.25\n"
    "rbp_resid 1 .1\ninum_rel 1 20.5\nmap 2 0.75\nP10 2 0\nJudged@10 2 0.9\nprefs_num_prefs_poss 2 7\nnum_ret 2 9\n",
    "old headings": "Queryid (Num): 1\nmap\t1\t0.5\nP10\t1\t0.25\nQueryid (Num): 2\nmap\t2\t0.75\nP10 2 0\nmap 3 nan\n",
    "ir_measures": "1 map 0.5\n1\tP10  0.25\n2 map\t0.75\n2 P10 0\nall map 0.625\n",
}


@pytest.mark.parametrize("name", ALIGNED)
def test_any_blanks_separate_and_comments_and_counts_are_left_out(name, tmp_path):
    (tmp_path / "a.trec_eval").write_text(ALIGNED[name])
    (tmp_path / "b.eval.txt").write_text(ALIGNED[name])
    scores = scores_from_trec_eval(tmp_path)
    assert (scores.systems, scores.topics) == (("a", "b"), ("1", "2"))
    assert {name: matrix.values[:, 0].tolist() for name, matrix in scores.items()} == {
        "map": [0.5, 0.75],
        "P10": [0.25, 0],
    }


def test_names_may_have_blanks_where_tabs_stand_between_fields(tmp_path):
    rows = [f"{run}\t{measure}\t{topic}\t0.{topic}{place}" for place, run in enumerate(("my run", "b"))
            for topic in (1, 3) for measure in ("AP", "my grade")]  # fmt: skip
    (tmp_path / "tot").write_text("\n".join(rows))
    assert read_leaderboard(tmp_path / "tot").systems == ("my run", "b")
    (tmp_path / "tot").write_text("# all\n" + "\n".join(row.replace("\t", "\t\t", 1) for row in rows))
    assert read_leaderboard(tmp_path / "tot")["my grade"].values.tolist() == [[0.1, 0.11], [0.3, 0.31]]


def written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("names", ["name,qid,measure,value", "RUN,Topic,Metric,Score", "system,query_id,measure,score"])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_long_tables_by_their_headers(names, separator, expected, tmp_path, assert_same):
    frame = expected.to_frame().set_axis(names.split(","), axis=1)
    frame.to_csv(tmp_path / "scores.gz", sep=separator, compression="gzip")  # with a column of row numbers
    assert_same(read_scores(str(tmp_path / "scores.gz")), expected, 1e-15)


@pytest.mark.parametrize("options", [{}, {"index_label": ""}, {"index_label": "Unnamed: 0"}, {"sep": "\t"}])
def test_wide_tables_with_topics(options, expected, tmp_path, assert_same):
    expected["AP"].to_frame().to_csv(tmp_path / "AP.csv", **options)
    assert_same(read_scores(tmp_path / "AP.csv"), expected.select(measures=[AP]), 1e-15)


@rounded
def test_the_tables_of_trec(data, trec):
    robust = read_scores(data / "trec" / "robust2004_ap.csv", measure="AP")["AP"]
    assert robust.shape == (249, 110)
    np.testing.assert_array_equal(robust.values, trec("robust2004_ap"))
    web = read_scores(data / "trec" / "web2012_ap.csv")
    assert web.measures == ("web2012_ap",)
    np.testing.assert_array_equal(web["web2012_ap"].values, trec("web2012_ap"))


FOUR = ["run", "measure", "topic", "value"]
ODD_NAMES = '\ufefftopic,"a, ""b""",NA,007\r\n001,1e-1,0.5,0.25\r\n\r\nNA,0.2,0.3,.4'
GAPS = "topic,a,b\n1,0.5,\n2,NA,0.25\n3,nan,-NaN\n4,0.5,0.75\n5,0.5,-nan\n"
FIVE = "x a q1 0.5 0.9\nx b q1 0.25 0.9\n"


@pytest.mark.parametrize(
    ("text", "arguments", "measure", "topics", "systems", "values"),
    [
        (ODD_NAMES, {}, "AP", ("001", "NA"), ('a, "b"', "NA", "007"), [[0.1, 0.5, 0.25], [0.2, 0.3, 0.4]]),
        (GAPS, {"missing": "drop-topics"}, "AP", ("4",), ("a", "b"), [[0.5, 0.75]]),
        ("run,topic,score\na,1,0.5\nb,1 ,0.25\n", {}, "AP", ("1",), ("a", "b"), [[0.5, 0.25]]),
        ("run,topic,score\na,1,0.5\nb,1,0.25\n", {"measure": "RR"}, "RR", ("1",), ("a", "b"), [[0.5, 0.25]]),
        ("topic,run,score\n1,0.5,0.25\n", {"format": "wide"}, "AP", ("1",), ("run", "score"), [[0.5, 0.25]]),
        ("a,b\n1,0\n0,1\n", {}, "AP", ("t1", "t2"), ("a", "b"), [[1, 0], [0, 1]]),
        ("topic,1,2\n1,1,0\n2,0,1\n", {}, "AP", ("1", "2"), ("1", "2"), [[1, 0], [0, 1]]),
        ("1,2\n0.5,1\n0.25,0\n", {}, "AP", ("t1", "t2"), ("1", "2"), [[0.5, 1], [0.25, 0]]),
        ("a,AP,q1,0.5\nb,AP,q1,0.25\n", {}, "AP", ("q1",), ("a", "b"), [[0.5, 0.25]]),
        (FIVE, {"columns": ["_", "system", "qid", "score", "_"]}, "AP", ("q1",), ("a", "b"), [[0.5, 0.25]]),
        (FIVE, {"columns": "_ run topic score _".split(), "measure": "RR"}, "RR", ("q1",), ("a", "b"), [[0.5, 0.25]]),
    ],
)
def test_tables_that_are_read(text, arguments, measure, topics, systems, values, tmp_path):
    scores = read_scores(written(tmp_path / "AP.csv", text), **arguments)
    assert (scores.measures, scores.topics, scores.systems) == ((measure,), topics, systems)
    assert scores[measure].values.tolist() == values
    assert scores.alignment.unjudged_topics == (("3",) if text == GAPS else ())


def test_a_wide_table_for_each_measure(expected, tmp_path, assert_same):
    for name in expected:
        expected[name].to_frame().iloc[:, ::-1].to_csv(tmp_path / f"{name}.csv")
    paths = [tmp_path / f"{name}.csv" for name in expected]
    assert_same(read_scores(paths), expected, 1e-15)
    with pytest.raises(ValueError, match="`path` must name at least one file, got none"):
        read_scores([])


def test_the_table_without_scores_is_the_one_that_is_named(tmp_path):
    first, empty = written(tmp_path / "AP.csv", "topic,a,b\n1,0.5,0.25\n"), tmp_path / "empty.csv"
    for header in ("topic,a,b\n", "topic,system,value\n", "a,b\n"):
        with pytest.raises(ValueError, match=r"empty.csv' must be a table .* got no row below its header."):
            read_scores([first, written(empty, header)])
    with pytest.raises(ValueError, match=r"empty.csv' must be a table .* got no row below its header."):
        read_scores([first, written(empty, "r,t,s\n")], columns=["run", "topic", "score"])


def test_tables_of_different_systems_are_for_the_policy(tmp_path):
    first = written(tmp_path / "AP.csv", "topic,a,b,c\n1,0.5,0.25,0.5\n")
    second = written(tmp_path / "RR.csv", "topic,a,b\n1,0.5,0.25\n")
    with pytest.raises(ValueError, match=r"by every measure, got none of 'c' by RR. Has a system two names"):
        read_scores([first, second])
    other = written(tmp_path / "P.csv", "topic,A,B,c\n1,0.5,0.25,0.5\n")
    with pytest.raises(ValueError, match=r"got none of 'A', 'B' by AP, and none of 'a', 'b' by P. Has a system"):
        read_scores([first, other])
    assert read_scores([first, second], missing="drop-systems").systems == ("a", "b")


def test_several_tables_have_systems_and_topics_of_all(tmp_path):
    first = written(tmp_path / "first.csv", "system,topic,measure,value\na,1,AP,0.5\na,2,AP,0.75\nb,1,AP,0.25\n")
    second = written(tmp_path / "second.csv", "topic,system,measure,value\n2,b,AP,0.125\n")
    assert read_scores([first, second])["AP"].values.tolist() == [[0.5, 0.25], [0.75, 0.125]]
    second.write_text("topic,system,measure,value\n2,b,AP,0.125\n1,a,AP,0.5\n")
    with pytest.raises(ValueError, match=r"several for 'a' \(the first on topic '1' by AP\)"):
        read_scores([first, second])


TOPICS = pd.DataFrame({"topic": ["301", "302"], "bm25": [0.5, 0.25], "dph": [0.25, 0.75]})


@pytest.mark.parametrize("heading", ["topic", "Query ID", "topic-id", "QueryID", "id", "q", "num", "number", "index"])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("index", [True, False])
def test_topics_are_read_wherever_they_stand(heading, place, index, tmp_path):
    """Also beside the index that `to_csv` writes."""
    columns = ["bm25", "dph"]
    columns.insert(place, heading)
    TOPICS.rename(columns={"topic": heading})[columns].to_csv(tmp_path / "AP.csv", index=index)
    scores = read_scores(tmp_path / "AP.csv")["AP"]
    assert (scores.topics, scores.systems) == (("301", "302"), ("bm25", "dph"))


def test_the_margins_of_a_pivot_table(tmp_path):
    cells = TOPICS.melt("topic", var_name="system")
    cells.pivot_table("value", "topic", "system", margins=True).to_csv(tmp_path / "AP.csv")
    with pytest.warns(AggregateMismatchWarning) as caught:
        assert read_scores(tmp_path / "AP.csv")["AP"].systems == ("bm25", "dph")
    assert [str(each.message)[:20] for each in caught] == ["Columns over all sys", "Rows over all topics"]


def test_data_sets_are_in_all_files_or_in_none(tmp_path):
    rows = {"AP": "run,topic,dataset,score\na,1,x,0.5\nb,1,x,0.25\n", "RR": "run,topic,score\na,1,0.5\nb,1,0.25\n"}
    with pytest.raises(ValueError, match="a column of data sets in all files, or in none, got one in some"):
        read_scores([written(tmp_path / name, text) for name, text in rows.items()])


def test_a_cell_of_any_length_in_any_alphabet(tmp_path):
    name = "x" * 200_000
    for quote in ("", '"'):
        path = written(tmp_path / "AP.csv", f"topic,{quote}{name}{quote},b\n1,0.5,0.25\n")
        assert read_scores(path).systems == (name, "b")
    path.write_bytes("topic,système,b\n1,0.5,0.25\n".encode("latin-1"))
    with pytest.raises(ValueError, match="got bytes that are not UTF-8 text"):
        read_scores(path)


LEADERBOARD = [
    (run, measure, topic, score)
    for run, shift in [("bm25", 0.0), ("dph", 0.125)]
    for measure, start in [("map", 0.25), ("P_5", 0.5)]
    for topic, score in [("301", start + shift), ("302", start), ("all", start + shift / 2)]
]
ORDERS = list(permutations(("run", "measure", "topic", "value")))
OF_TOOLS = [ORDERS[0], ("run", "topic", "measure", "value"), ("topic", "run", "measure", "value")]


def leaderboard(order, separator):
    rows = (dict(zip(("run", "measure", "topic", "value"), row, strict=True)) for row in LEADERBOARD)
    return "".join(separator.join(str(row[column]) for column in order) + "\n" for row in rows)


def check_leaderboard(scores):
    assert (scores.systems, scores.topics, scores.measures) == (("bm25", "dph"), ("301", "302"), ("map", "P_5"))
    assert scores["map"].values.tolist() == [[0.25, 0.375], [0.25, 0.25]]
    assert scores["P_5"].values.tolist() == [[0.5, 0.625], [0.5, 0.5]]


@pytest.mark.parametrize("separator", [",", "\t", "   ", "  \t"])
@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_leaderboards_in_any_order(order, separator, tmp_path):
    path = written(tmp_path / "board", leaderboard(order, separator))
    if order in OF_TOOLS:
        check_leaderboard(read_scores(path))
    check_leaderboard(read_scores(path, columns=order))
    written(path, f"{separator.join(order)}\n{path.read_text()}")
    check_leaderboard(read_scores(path, columns=order))
    if separator in (",", "\t"):
        check_leaderboard(read_scores(path))


def test_wide_tables_of_one_measure_may_be_in_parts(tmp_path):
    rows = {"AP.txt": "1,0.5,0.25", "AP.csv": "2,1,0"}
    paths = [written(tmp_path / name, f"topic,a,b\n{row}\n") for name, row in rows.items()]
    assert read_scores(paths)["AP"].values.tolist() == [[0.5, 0.25], [1, 0]]
    with pytest.raises(ValueError, match="one score for each system, topic and measure, got several for 'a', 'b'"):
        read_scores([*paths, written(tmp_path / "AP.tsv", "topic,a,b\n1,0.5,0.25\n")])


@pytest.mark.parametrize("separator", ["\t", ",", " ", ", ", " \t "])
def test_two_columns(tmp_path, separator):
    path = tmp_path / "labels"
    path.write_text(f"31_1{separator}31\n\n31_2{separator}31\r\n32_1{separator}a-b\n31_1{separator}31\n")
    assert read_labels(path) == {"31_1": "31", "31_2": "31", "32_1": "a-b"}


def test_labels_with_blanks_stand_between_tabs_and_files_may_be_gzipped(tmp_path):
    path = tmp_path / "labels.gz"
    path.write_bytes(gzip.compress(b"topic\tcluster\n1\tnew york, weather\n"))
    assert read_labels(path) == {"topic": "cluster", "1": "new york, weather"}


def test_a_measure_that_is_named_is_that_of_all_files(tmp_path):
    for name, systems in (("first", "a,b"), ("second", "c,d")):
        (tmp_path / f"{name}.csv").write_text(f"topic,{systems}\n1,.1,.2\n2,.3,.4\n")
    files = [tmp_path / "first.csv", tmp_path / "second.csv"]
    assert list(read_scores(files, measure="nDCG")) == ["nDCG"]
    (tmp_path / "second.csv").write_text("topic,a,b\n1,.5,.2\n2,.3,.4\n")
    assert list(read_scores(files)) == ["first", "second"]
    with pytest.raises(ValueError, match="got several for 'a', 'b'"):
        read_scores(files, measure="nDCG")
