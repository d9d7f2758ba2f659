"""Readers of files: any bytes, and valid files that were damaged, against plain readers where there is one."""

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt_rankcorr as rc
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.single_scores import read_columns
from pt_rankcorr.io.trec import read_qrels, read_run
from tests.fuzz.contract import contract
from tests.fuzz.strategies import files, names, numbers

RUN = b"1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1.5 tag\n2 Q0 d1 1 -3e-1 tag\n10\tQ0\td9\t1\t0\ttag\n"
QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n2 0 d3 -1\n10 0 d9 1\n"
TREC_EVAL = (
    b"runid                 \tall\tbm25\nmap                   \t1\t0.2500\nP_10                  \t1\t0.1000\n"
    b"map                   \t2\t0.5000\nP_10                  \t2\t0.3000\nmap                   \tall\t0.3750\n"
)
IR_MEASURES = b"1\tAP\t0.25\n1\tP@10\t0.1\n2\tAP\t0.5\n2\tP@10\t0.3\nall\tAP\t0.375\n"
WIDE = b"topic,bm25,dph,tf\n1,0.5,0.25,0.75\n2,0.1,0.2,0.3\n3,1,0,0.5\n"
QUOTED = b'topic,"b""m, 25","d\nph"\n"1",0.5,0.25\n2,"0.1",0.2\n'
LONG = b"name,qid,measure,value\na,1,AP,0.5\na,2,AP,0.25\nb,1,AP,0.1\nb,2,AP,0.3\nb,all,AP,0.2\n"
LEADERBOARD = b"a AP 1 0.5\na AP 2 0.25\nb AP 1 0.1\nb AP 2 0.3\n"
TOT = b"a\tM\t1\t0.5\na\tM\tall\t0.5\nb\tM\t1\t0.1\n"
RANKING = b"1 Q0 a 0 0.5 M\n1 Q0 b 0 0.25 M\nall Q0 a 0 0.5 M\n"
JSONL = b"".join(b'{"run_id": "%c", "topic_id": 1, "measure": "M", "value": %d}\n' % (run, run) for run in b"ab")
MEANS = b"model,x,y\na,1.5,7\nb,2,-\nc,.5,9\n"
MEANS_IN_JSON = b'{"model": "a", "x": 1.5}\n{"model": "b", "x": 2, "y": null}\n'
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def written(folder, content, name="file"):
    path = folder / name
    path.write_bytes(content)
    return path


def plain_text(content):
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None


@given(files(RUN))
def test_runs(folder, content):
    with contract():
        read_run("run", written(folder, content))


@given(files(QRELS))
def test_qrels(folder, content):
    with contract():
        read_qrels(written(folder, content))


@given(files(TREC_EVAL, IR_MEASURES))
def test_trec_eval(folder, content):
    """Each score is in a line of three fields, whichever of topic and measure comes first."""
    with contract():
        scores = rc.scores_from_trec_eval(
            {name: written(folder, content, name) for name in "ab"}, missing="drop-topics"
        )
        if (text := plain_text(content)) is None:
            return
        lines = [line.strip() for line in re.split("\r\n|\r|\n", text)]
        by_tabs, by_blanks = ([re.split(mark, line) for line in lines] for mark in (r"[ \t]*\t[ \t]*", r"[ \t]+"))
        fields = [tuple(field.strip() for field in line) for line in by_tabs + by_blanks if len(line) == 3]
        known = {frozenset(line[:2]): float(line[2]) for line in fields if NUMBER.fullmatch(line[2])}
        for measure, matrix in scores.items():
            for topic, row in zip(matrix.topics, matrix.values, strict=True):
                assert set(row) == {known[frozenset((topic, measure))]}


def check_cells(scores, content):
    """Scores are those that Python's reader of CSV finds, in long and in wide tables."""
    text = plain_text(content)
    if text is None or "\0" in text or "\t" in text or "'" in text or "," not in text.split("\n")[0]:
        return
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error:  # it has limits of its own
        return
    header, *body = [[cell.strip() for cell in row] for row in rows]
    if [name.lower() for name in header] == ["name", "qid", "measure", "value"]:
        cells = [tuple(row) for row in body if row[1] != "all"]
    elif header[0].lower() in ("", "topic", "qid", "query") and len(scores) == 1:
        cells = [(name, row[0], "AP", value) for row in body for name, value in zip(header[1:], row[1:], strict=True)]
    else:
        return
    for name, topic, measure, value in cells:
        if topic in scores.topics and measure in scores and name in scores.systems:
            expected = 0.0 if value.lower() in ("", "na", "nan", "-nan") else float(value)
            assert scores[measure].select(topics=[topic], systems=[name]).values.item() == expected


@given(files(WIDE, QUOTED, LONG, LEADERBOARD))
def test_tables(folder, content):
    with contract():
        check_cells(rc.read_scores(written(folder, content, "AP.csv"), missing="zero"), content)


@given(files(LONG))
def test_per_query_results(folder, content):
    with contract():
        check_cells(rc.scores_from_experiment(written(folder, content, "perquery.csv"), missing="zero"), content)


@given(files(MEANS, b"| m | x | y |\n|---|--:|---|\n| a | 1.5 | 50% |\n| b | **2** | - |\n", MEANS_IN_JSON))
def test_one_score_a_system(folder, content):
    with contract():
        read_columns([written(folder, content)])


@given(files(TOT, RANKING, JSONL, IR_MEASURES, TREC_EVAL))
def test_leaderboards(folder, content):
    with contract():
        scores = rc.read_leaderboard([written(folder, content, "a"), written(folder, content, "b")])
        assert all(np.isfinite(matrix.values).all() for matrix in scores.values())


column = st.one_of(st.sampled_from(["run", "topic", "measure", "value", "_", "name", "qid"]), names)
columns = st.one_of(st.none(), st.just(["run", "measure", "topic", "value"]), st.lists(column, max_size=5), names)
formats = st.sampled_from([None, None, "long", "wide", "other"])


@given(files(LONG, LEADERBOARD, WIDE), columns, formats, st.one_of(st.none(), names))
def test_tables_of_named_columns(folder, content, columns, format, measure):
    with contract():
        scores = rc.read_scores(written(folder, content, "AP.csv"), columns=columns, format=format, measure=measure)
        assert all(np.isfinite(matrix.values).all() for matrix in scores.values())


measure_names = st.one_of(
    st.sampled_from(["AP", "nDCG@10", "P_10", "map", "ERR@20", "nDCG(dcg='exp-log2')@5", "P", "num_q", "official"]),
    st.builds("{}@{}".format, st.sampled_from(["P", "nDCG", "RBP", "(", "1"]), numbers),
    st.builds("nDCG({}={})@10".format, st.sampled_from(["dcg", "judged_only", "cutoff", "", "x"]), numbers),
    st.text(alphabet="APnDCG@()=.,'\"\\1203_[]{}:+- ", max_size=30),
    names,
)


@given(st.lists(measure_names, max_size=3))
def test_names_of_measures(measures):
    with contract():
        resolve_measures(measures)
