"""What nobody should write into a file or a frame, and somebody does: refused by name, or read as it is."""

from __future__ import annotations

import gzip
import os
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.io.measure_names import has_valid_parameters, resolve_measure
from pt_rankcorr.io.retrieved import read_qrels, read_run

QRELS = {"1": {"d1": 1, "d2": 0}}


def written(folder: Path, text: str | bytes, name: str = "AP.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# --- files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["1_0", "١", "0x10", "1e400", "nan", "3.5e38", "-1e39"])
def test_scores_of_a_run_that_are_no_numbers_of_trec_eval(number: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must (be a TREC run|have (finite )?scores)"):
        read_run("run", written(tmp_path, f"1 Q0 d1 1 {number} tag\n"))


@pytest.mark.parametrize("label", ["1_0", "١", "1.0", "nan", "1000001", "2147483648", "1" + 30 * "0", 5000 * "1"])
def test_labels_that_evaluators_cannot_count(label: str, tmp_path: Path) -> None:
    """trec_eval takes 16 GB for a label of 2 ** 31, and none for one of 2 ** 40."""
    with pytest.raises(ValueError, match=r"`qrels` must have|must be TREC qrels"):
        read_qrels(written(tmp_path, f"1 0 d1 {label}\n"))


def test_blanks_beyond_ascii_are_letters(tmp_path: Path) -> None:
    run = read_run("run", written(tmp_path, "1 Q0 d\u00a01 1 2.5 tag\n1 Q0 d\u30001 2 1.5 tag\n"))
    assert run == {"1": {"d\u00a01": 2.5, "d\u30001": 1.5}}
    with pytest.raises(ValueError, match="must be a TREC run"):
        read_run("run", written(tmp_path, "1 Q0 d1 1 2.5\u00a0tag\n"))


@pytest.mark.parametrize("byte", [b"\0", b"\x1c", b"\x1f"])
def test_bytes_that_no_text_has(byte: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="bytes that are not UTF-8 text"):
        read_run("run", written(tmp_path, b"1 Q0 d1" + byte + b" 1 2.5 tag\n"))


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    content = "topic,a,b\n" + "".join(f"{topic},{topic / 20_003},0.5\n" for topic in range(20_000))
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(content,))
    writer.start()
    assert ptr.read_scores(pipe)["pipe"].n_topics == 20_000
    writer.join()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_a_file_without_an_end() -> None:
    with pytest.raises(ValueError, match="got a device"):
        ptr.read_scores("/dev/zero")


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_names_no_file(path: str) -> None:
    with pytest.raises(ValueError, match="got a name that no file can have"):
        ptr.read_scores(path)


def test_a_path_that_is_none() -> None:
    with pytest.raises(TypeError, match=r"`path` must name files \(.*\), got 5"):
        ptr.read_scores(5)  # type: ignore[arg-type]


def test_line_ends_and_tabs_inside_quotes(tmp_path: Path) -> None:
    scores = ptr.read_scores(written(tmp_path, 'topic,"a\tb","c\rd"\r\n1,0.5,0.25\r\n2,0.1,0.2\r\n'))
    assert scores.systems == ("a\tb", "c\rd")
    assert ptr.read_scores(written(tmp_path, 'topic,"a\n\tb",c\n1,0.5,0.25\n')).systems == ("a\n\tb", "c")


# --- names and numbers in memory ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_evaluators_in_c_would_cut(name: str) -> None:
    for read in (lambda: read_run("run", {"1": {name: 1.0}}), lambda: read_qrels({name: {"d1": 1}})):
        with pytest.raises(ValueError, match="as names of topics"):
            read()


@pytest.mark.parametrize("name", [b"1", None, float("nan"), pd.NA])
def test_what_names_nothing(name: object) -> None:
    for call in (
        lambda: read_run("run", {name: {"d1": 1.0}}),
        lambda: read_qrels({"1": {name: 1}}),
        lambda: ptr.ScoreMatrix(np.eye(2), systems=["a", name]),
        lambda: ptr.scores_from_runs({name: QRELS, "b": QRELS}, QRELS, ["AP"]),
    ):
        with pytest.raises(TypeError, match="must be named by text or numbers"):
            call()


@pytest.mark.parametrize("names", [{"a", "b"}, 5, b"ab"])
def test_names_in_no_order(names: object) -> None:
    with pytest.raises(TypeError, match="`systems` must be a list of names"):
        ptr.ScoreMatrix(np.eye(2), systems=names)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["1_0", "١", b"1", 10**400, 1j])
def test_values_that_are_no_numbers(value: object) -> None:
    frame = pd.DataFrame(
        {"name": ["a", "b"], "qid": "1", "measure": "AP", "value": pd.Series([0.5, value], dtype=object)}
    )
    with pytest.raises(ValueError, match="`experiment` must be finite numbers"):
        ptr.scores_from_experiment(frame)
    with pytest.raises(ValueError, match="must have numbers as scores"):
        read_run("run", {"1": {"d1": value}})
    with pytest.raises(ValueError, match="`qrels` must have"):
        read_qrels({"1": {"d1": value}})


def test_columns_that_repeat_and_names_that_are_lists() -> None:
    frame = pd.DataFrame({"name": ["a", "b"], "qid": "1", "measure": "AP", "value": 0.5})
    for call in (ptr.scores_from_experiment, ptr.by_system, ptr.by_measure):
        with pytest.raises(ValueError, match="must have each column once"):
            call(pd.concat([frame, frame[["name"]]], axis=1))
        with pytest.raises(TypeError, match="must have names in the column 'qid', got objects of type 'list'"):
            call(frame.assign(qid=pd.Series([[1], [2]])))
    run = pd.DataFrame([["1", "1", "d1", 1.0]], columns=["qid", "qid", "docno", "score"])
    with pytest.raises(ValueError, match="`runs` must have each column once, got 2"):
        read_run("run", run)


@pytest.mark.parametrize("form", ["dict", "file"])
def test_no_judgments_at_all_to_choose_from(form: str, tmp_path: Path) -> None:
    runs = {"a": {"1": {"d1": 1.0}}}
    qrels = {} if form == "dict" else written(tmp_path, "")
    with pytest.raises(ValueError, match=r"must hold judgments|got an empty file"):
        ptr.judgments.pool(runs, qrels, 1)
    with pytest.raises(ValueError, match=r"must hold judgments|got an empty file"):
        ptr.judgments.single_run_judgments(runs["a"], qrels)
    assert ptr.judgments.pool(runs, {"2": {"d1": 1}}, 1).empty


# --- measures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["P@0", "nDCG@0", "P_0", "AP(rel=0)", "AP(rel='a')"])
def test_parameters_at_which_trec_eval_ends_the_process(measure: str) -> None:
    assert not has_valid_parameters(resolve_measure(measure))
    with pytest.raises(ValueError, match="must have valid parameters"):
        ptr.scores_from_runs({"a": QRELS, "b": QRELS}, QRELS, [measure])


@pytest.mark.parametrize("name", ["(" * 1000, "P@" + "9" * 5000, "AP;AP", '"\\d"', "1is", "official", "a" * 10_000])
def test_names_that_parsers_stumble_over(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="`measure` must be known to ir_measures or trec_eval") as refused:
        resolve_measure(name)
    assert len(str(refused.value)) < 200
    assert capsys.readouterr().out == ""


def test_parameters_that_measures_have() -> None:
    for name in ("IPrec@0.1", "nDCG(dcg='exp-log2',judged_only=True)@10", "P(rel=2)@5", "SetF(beta=0.5)"):
        assert resolve_measure(name) is not None


# --- more than memory holds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "read",
    [
        lambda path: read_run("run", path),
        lambda path: ptr.scores_from_runs({"a": path, "b": path}, {"1": {"d1": 1}}, ["AP"]),
        read_qrels,
        ptr.scores_from_trec_eval,
        ptr.read_scores,
    ],
)
def test_one_long_line_is_refused_before_it_fills_memory(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "long.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(40):
            file.write(b"x" * (1 << 20))
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"long\.gz' must be .*, got a line of more than 16 MiB\."):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20


def test_no_more_is_unpacked_than_is_allowed(tmp_path: Path) -> None:
    for name in ("a.run.gz", "b.run.gz"):
        with gzip.open(tmp_path / name, "wt") as file:
            file.writelines(f"1 Q0 d{n} {n} {-n} tag\n" for n in range(2000))
    qrels = {"1": {"d1": 1}}
    with pytest.raises(
        ValueError, match=r"a\.run\.gz' must be .* got more than 1,000 bytes \(unpacked\)\. In Python, `max_bytes=`"
    ):
        ptr.scores_from_runs(tmp_path, qrels, ["AP"], max_bytes=1000)
    assert ptr.scores_from_runs(tmp_path, qrels, ["AP"], max_bytes=10**6)["AP"].shape == (1, 2)
    with pytest.raises(ValueError, match="`max_bytes` must be an integer of at least 1, got 0"):
        ptr.scores_from_runs(tmp_path, qrels, ["AP"], max_bytes=0)
