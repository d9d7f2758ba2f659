"""Readers of files: arbitrary bytes, and valid files that were damaged, held against the plain definitions."""

from __future__ import annotations

import contextlib
import gzip
import io
import math
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr.cli import main
from pt_rankcorr.comparison.engine import finished_rows
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.trec import read_qrels, read_run
from tests.fuzz import oracles
from tests.fuzz.contract import check_message
from tests.fuzz.hostile import damaged, names, numbers
from tests.fuzz.registry import Target

_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # a disk would take most of the time
_FOLDER = TemporaryDirectory(prefix="fuzz", dir=_MEMORY)  # gone when the process ends
FOLDER = Path(_FOLDER.name)

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
SCORES = np.random.default_rng(1).random((100, 3))
SETTINGS = {"measure": "AP", "seed": 1}


def content(*valid: bytes) -> st.SearchStrategy[bytes]:
    utf16, latin = valid[0].decode().encode("utf-16"), valid[0].replace(b"d1", b"d\xe9")
    packed = gzip.compress(valid[0], mtime=0)
    return st.one_of(
        damaged(valid), damaged((packed, utf16, latin, b"\xef\xbb\xbf" + valid[0])), st.binary(max_size=80)
    )


def written(data: bytes, name: str = "file") -> Path:
    path = FOLDER / name
    path.write_bytes(data)
    return path


def plain(data: bytes) -> bool:
    return not data.startswith(b"\x1f\x8b")


def _trec_eval(data: bytes) -> object:
    paths = {name: written(data, name) for name in ("a", "b")}
    scores = ptr.scores_from_trec_eval(paths, missing="drop-topics")
    expected = oracles.evaluation(data) if plain(data) else None
    for measure, matrix in scores.items():
        for topic, row in zip(matrix.topics, matrix.values, strict=True):
            assert expected is None or set(row) == {expected[frozenset((topic, measure))]}
    return scores


def _table(data: bytes) -> object:
    scores = ptr.read_scores(written(data, "AP.csv"), missing="zero")
    rows = oracles.table(data) if plain(data) else None
    if rows and b"\t" not in data and b"'" not in data and any("," in line for line in data.decode().splitlines()[:1]):
        _compare(scores, [[cell.strip(" \t\r\n\v\f") for cell in row] for row in rows])
    return scores


def _compare(scores: ptr.Scores, rows: list[list[str]]) -> None:
    header, *body = rows
    if [name.lower() for name in header] == ["name", "qid", "measure", "value"]:
        cells = [tuple(row) for row in body if row[1] != "all"]
    elif header[0].lower() in ("", "topic", "qid", "query") and len(scores) == 1:
        cells = [(name, row[0], "AP", value) for row in body for name, value in zip(header[1:], row[1:], strict=True)]
    else:
        return
    for name, topic, measure, value in cells:
        if topic in scores.topics and measure in scores and name in scores.systems:
            expected = 0.0 if value.lower() in oracles.MISSING else oracles.number(value)
            assert scores[measure].select(topics=[topic], systems=[name]).values.item() == expected


def _experiment(data: bytes) -> object:
    path = written(data, "perquery.csv")
    scores = ptr.scores_from_experiment(path, missing="zero")
    rows = oracles.table(data) if plain(data) else None
    if rows and rows[0] == ["name", "qid", "measure", "value"] and b"'" not in data:
        for name, topic, measure, value in rows[1:]:
            if measure in scores and topic in scores.topics:
                expected = 0.0 if value == "" else oracles.number(value.strip(" \t\r\n\v\f"))
                assert scores[measure].select(topics=[topic], systems=[name]).values.item() == expected
    return scores


def _command(data: bytes) -> object:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["power", "--scores", str(written(data, "AP.csv")), "--test", "t", "--format", "table"])
    assert status in (0, 1)
    assert (status == 0) == bool(out.getvalue())
    for line in [*out.getvalue().split("\n"), *err.getvalue().split("\n")]:
        check_message(line.strip("\r"))  # of the progress bar, above which messages stand
    return out.getvalue()


def _curve() -> bytes:
    path = FOLDER / "new curve"
    with finished_rows(path, "judgment_curve", SETTINGS) as (_, add):
        add({("AP", 1): {"tau": 0.25}})
    return path.read_bytes()


def _load_curve(data: bytes) -> object:
    with finished_rows(written(data, "curve"), "judgment_curve", SETTINGS) as (rows, _):
        return rows  # a damaged line that is still one of JSON is read as it stands


def _measures(case: list[str]) -> object:
    return resolve_measures(case)


def _leaderboard(data: bytes) -> object:
    scores = ptr.read_leaderboard([written(data, "a"), written(data, "b")])
    assert all(math.isfinite(value) for matrix in scores.values() for value in matrix.values.flat)
    return scores


def _told(case: tuple[bytes, Any, Any, Any]) -> object:
    data, columns, layout, measure = case
    scores = ptr.read_scores(written(data, "AP.csv"), columns=columns, format=layout, measure=measure)
    assert all(math.isfinite(value) for matrix in scores.values() for value in matrix.values.flat)
    return scores


column = st.one_of(st.sampled_from(["run", "topic", "measure", "value", "_", "name", "qid"]), names)
told = st.tuples(
    content(LONG, LEADERBOARD, WIDE),
    st.one_of(st.none(), st.just(["run", "measure", "topic", "value"]), st.lists(column, max_size=5), names),
    st.sampled_from([None, None, "long", "wide", "other"]),
    st.one_of(st.none(), names),
)
measure = st.one_of(
    st.sampled_from(["AP", "nDCG@10", "P_10", "map", "ERR@20", "nDCG(dcg='exp-log2')@5", "P", "num_q", "official"]),
    st.builds("{}@{}".format, st.sampled_from(["P", "nDCG", "RBP", "(", "1"]), numbers),
    st.builds("nDCG({}={})@10".format, st.sampled_from(["dcg", "judged_only", "cutoff", "", "x"]), numbers),
    st.text(alphabet="APnDCG@()=.,'\"\\1203_[]{}:+- ", max_size=30),
    names,
)

TARGETS = (
    Target("run", content(RUN), lambda data: read_run("run", written(data))),
    Target("qrels", content(QRELS), lambda data: read_qrels(written(data))),
    Target("trec_eval", content(TREC_EVAL, IR_MEASURES), _trec_eval),
    Target("table", content(WIDE, QUOTED, LONG, LEADERBOARD), _table),
    Target("table, told", told, _told),
    Target("leaderboard", content(TOT, RANKING, JSONL, IR_MEASURES, TREC_EVAL), _leaderboard),
    Target("perquery.csv", content(LONG), _experiment),
    Target("command line", content(WIDE, QUOTED, LONG, LEADERBOARD), _command),
    Target("saved curve", st.one_of(damaged((_curve(),)), st.binary(max_size=80)), _load_curve),
    Target("measures", st.lists(measure, max_size=3), _measures),
)
