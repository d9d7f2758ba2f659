"""Hostile frames, names and objects, degenerate scores, and options with any value."""

import contextlib
import io
import linecache
import math
import re
import traceback
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import pt_rankcorr as rc
from pt_rankcorr.cli import main
from pt_rankcorr.io.measure_names import MeasureTypeError, UnknownMeasureError, resolve_measures
from pt_rankcorr.io.trec import read_qrels, read_run
from tests.cases import CASES

NAMES = (
    *("bm25", "a b", 'say "hi"', "it's", "two\nlines", "carriage\rreturn", "tab\tbed", "a,b", "'", "-", "|", "`code`"),
    *("<script>alert(1)</script>", "</td><b onmouseover=alert(1)>&amp;", r"\input{/etc/passwd}", "^^5cinput"),
    *(r"\immediate\write18{id}", "100%_$x$ & #1 {a} ~^", "$\\frac{", "\x1b[31mred\x1b[0m", "\x07bell"),
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''=1", "＝1+1", '=HYPERLINK("http://x","y")'),
    *("\u202eright to left", "שלום", "مرحبا", "运行", "\u200bzero width", "non\u00a0breaking", "line\u2028separator"),
    *("next\x85line", "e\u0301", "é", "NA", "nan", "None", "all", "topic", "name", "0.5", "1e5", "1_0", "١"),
    *("a" * 10_000, "b" * 5_000 + "c" + "b" * 5_000),
)
NUMBERS = (
    *("0", "1", "0.5", "-0.5", "+0.5", ".5", "5.", "-0.0", "5e-324", "1e308", "1e400", "inf", "-inf", "+Infinity"),
    *("nan", "NaN", "-nan", "NA", "", " ", "1_0", "1__0", "_1", "١", "0x10", "0x1p3", "1e5", "1E5", "1,5", "1.5.2"),
    *("--1", "1 ", "٠.٥", "1e", "9" * 400, "0." + "1" * 400, "2147483648", "18446744073709551616", "true", "½"),
)
names = st.one_of(st.sampled_from(NAMES), st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
numbers = st.sampled_from(NUMBERS)

PERQUERY = pd.DataFrame(
    [(name, qid, measure, (len(name) * 7 + int(qid) * 3 + len(measure)) % 10 / 10) for name in ("a", "bb", "ccc")
     for qid in ("1", "2", "3") for measure in ("AP", "RR")],
    columns=["name", "qid", "measure", "value"],
)  # fmt: skip
RUN = pd.DataFrame([("1", "d1", 2.5), ("1", "d2", 1.5), ("2", "d1", 0.5)], columns=["qid", "docno", "score"])
QRELS = pd.DataFrame([("1", "d1", 1), ("1", "d2", 0), ("2", "d1", 2)], columns=["qid", "docno", "label"])
DTYPES = ("category", "string", "object", "int64", "float64", "float32", "Int64", "Float64", "bool", "datetime64[ns]")

values = st.one_of(
    st.sampled_from([None, math.nan, math.inf, -0.0, 5e-324, 1e308, 10**400, 2**63, True, b"a", pd.NA, pd.NaT]),
    st.sampled_from([1, 0.5, "0.5", "1_0", "١", 1j, (), Decimal("0.5"), np.float32(0.1), np.int8(3), object]),
    names,
)
CHANGES = (
    lambda frame, row, column, value, dtype: frame.assign(
        **{column: [value if number == row else cell for number, cell in enumerate(frame[column])]}
    ),
    lambda frame, row, column, value, dtype: frame.drop(columns=column),
    lambda frame, row, column, value, dtype: frame.astype({column: dtype}),
    lambda frame, row, column, value, dtype: pd.concat([frame, frame[[column]]], axis=1),
    lambda frame, row, column, value, dtype: frame.set_axis([0] * len(frame)),
    lambda frame, row, column, value, dtype: frame.iloc[:row],
    lambda frame, row, column, value, dtype: frame.rename(columns={column: str(value)}),
    lambda frame, row, column, value, dtype: pd.concat([frame, frame.iloc[[row]]]),
)


PACKAGE = str(Path(rc.__file__).parent)
NAMES_THE_INPUT = re.compile(r"`[\w.]+`|'[^']*'|\"[^\"]*\"")
LONGEST_MESSAGE = 2000


@contextlib.contextmanager
def contract():
    """What the package promises of any input: a value, nan with a named warning, or an error that names the input.

    Accepts errors that the package raises itself for an input, and warnings of its own; all else fails the test.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except AssertionError:
            raise
        except Exception as error:
            check_error(error)
    for warning in caught:
        assert warning.category.__module__.startswith("pt_rankcorr"), f"{warning.filename}: {warning.message}"
        check_message(str(warning.message))


def check_error(error):
    """It is raised by a line of the package, and its message names what is wrong."""
    if isinstance(error, OSError):
        return
    raised = (ValueError, TypeError, UnknownMeasureError, MeasureTypeError)
    assert type(error) in raised, f"{type(error).__name__}: {error!a}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    # an error of a library in C has no frame of its own: the line would only call it
    line = linecache.getline(last.filename, last.lineno or 0).strip() if last.filename.startswith(PACKAGE) else ""
    assert line.startswith("raise "), f"{type(error).__name__} comes from deep inside: {error!a}"
    assert NAMES_THE_INPUT.search(str(error).split(", got")[0]), f"the error names no input: {error!a}"
    check_message(str(error))


def check_message(text):
    """A message is short, and cannot do anything to a terminal."""
    assert len(text) <= LONGEST_MESSAGE
    assert text.isprintable(), f"a message with control characters: {text!a}"


@st.composite
def changed(draw, frame):
    """The frame after a few changes; one that pandas does not make is left out."""
    for change in draw(st.lists(st.sampled_from([*CHANGES, CHANGES[0]]), max_size=3)):
        row, column = draw(st.integers(0, len(frame))), draw(st.sampled_from(list(frame.columns) or ["none"]))
        try:
            frame = change(frame, row, column, draw(values), draw(st.sampled_from(DTYPES)))
        except Exception:  # of pandas, before the frame is ours
            continue
    return frame


def component(frame):
    with contextlib.suppress(pt.validate.InputValidationError):  # the host's own
        assert len(rc.TauAP()(frame)) == len(frame)


TAKES_FRAMES = {
    "scores_from_experiment": (PERQUERY, rc.scores_from_experiment),
    "by_system": (PERQUERY, rc.by_system),
    "by_measure": (PERQUERY, rc.by_measure),
    "a component": (PERQUERY, component),
    "a run": (RUN, lambda frame: read_run("run", frame)),
    "qrels": (QRELS, read_qrels),
}


@pytest.mark.parametrize("name", TAKES_FRAMES)
@given(st.data())
def test_frames(name, data):
    frame, call = TAKES_FRAMES[name]
    frame = data.draw(changed(frame))
    with contract():
        result = call(frame)
        assert not isinstance(result, rc.Scores) or all(np.isfinite(it.values).all() for it in result.values())


@given(changed(RUN), changed(QRELS))
def test_frames_that_are_evaluated(run, qrels):
    with contract():
        scores = rc.scores_from_runs({"a": run, "b": RUN}, qrels, ["AP", "P@1"], missing="zero", verbose=False)
        assert all(np.isfinite(matrix.values).all() for matrix in scores.values())


@given(values, values, values)
def test_dicts(qid, docno, value):
    with contract():
        read_run("run", {qid: {docno: value}})
    with contract():
        read_qrels({qid: {docno: value}})


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


@given(st.lists(values, min_size=2, max_size=2))
def test_names_of_systems(systems):
    with contract():
        rc.ScoreMatrix(np.eye(2), systems=systems)


DOCUMENTS = ("d1", "d2", "d3")
RUNS = {
    name: pd.DataFrame([(qid, *pair) for qid in "12" for pair in zip(DOCUMENTS, scores, strict=True)], columns=[*RUN])
    for name, scores in {"a": (3.0, 2.0, 1.0), "b": (1.0, 2.0, 3.0), "c": (1.0, 3.0, 2.0)}.items()
}
MEASURES = ("AP", "nDCG@2", "P@1", "Bpref", "infAP", "Rprec", "ERR@2", "Compat", "Judged@2", "SetF", "RR")
labels = st.sampled_from([*range(-5, 4)] * 15 + [-(2**63), -(2**31), 2**31 - 1, 2**31, 2**32, 2**63 - 1, 10**6])


@given(st.lists(labels, min_size=6, max_size=6), st.sampled_from(MEASURES))
def test_any_labels(labels, measure):
    """Evaluators get only what they can stand, and labels below 0 are as good as 0 where nothing is relevant."""
    qrels = pd.DataFrame([(qid, docno) for qid in "12" for docno in DOCUMENTS], columns=["qid", "docno"])
    qrels["label"] = labels
    with contract():
        scores = rc.scores_from_runs(RUNS, qrels, [measure], verbose=False)
        for topic, row in zip(scores.topics, scores[measure].values, strict=True):
            assert qrels[qrels["qid"] == topic]["label"].max() > 0 or measure == "Judged@2" or not row.any()
    with contract():
        topics = pd.DataFrame({"qid": ["1", "2"], "query": ["a", "b"]})
        table = rc.Experiment(list(RUNS.values()), topics, qrels, ["map", "ndcg_cut_2", "bpref"], names=list(RUNS))
        assert np.isfinite(table.drop(columns="name").to_numpy()).all()


cells = st.sampled_from([0.0, 0.0, 0.5, 0.5, 1 / 3, 1.0, 0.1, -1.0, 1e-9, 1e6])
shapes = st.tuples(st.integers(1, 7), st.integers(2, 4))


@pytest.mark.parametrize("name", CASES)
@given(
    shapes.flatmap(lambda shape: st.tuples(arrays(float, shape, elements=cells), arrays(float, shape, elements=cells)))
)
def test_few_topics_ties_and_constants(name, scores):
    with contract():
        CASES[name](*map(rc.ScoreMatrix, scores), n_resamples=9, n_draws=9, rng=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    table = "topic,bm25,dph,tf\n1,0.5,0.25,0.75\n2,0.1,0.2,0.3\n3,1,0,0.5\n"
    (folder / "AP.csv").write_text(table)
    (folder / "RR.csv").write_text(table.replace("0.5", "0.4"))
    return folder


def run(arguments):
    """Done, bad input or wrong usage, said in lines; never a traceback."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as stopped:  # of the parser
            status = int(str(stopped.code))
    assert status in (0, 1, 2)
    assert (status == 0) == bool(out.getvalue()), "what is done has results, and nothing else has"
    assert "Traceback" not in err.getvalue()
    for line in err.getvalue().split("\n") if status == 1 else ():
        check_message(line.strip("\r"))  # of the progress bar, above which messages stand
    return status


OPTIONS = {
    "compare": "--reference --measures --columns --missing --lower-is-better --null --covariance --seed --format",
    "drank": "--reference --measures --null --covariance --seed --resamples --jobs --format",
    "expected": "--coefficient --estimator --target --topics --level --measures --seed --resamples --format",
    "power": "--test --alpha --measures --seed --resamples --format --names --qrels --irds",
}
WORDS = ["AP", "RR", "Accuracy", "AP(rel=2147483648)", "P@0", "nDCG(x=1)@5", "", "nan", "-1", "1e400", "published"]
options = st.sampled_from([(command, option) for command in OPTIONS for option in OPTIONS[command].split()])


@given(options, st.one_of(numbers, names, st.sampled_from(WORDS)), st.booleans())
def test_options_with_any_value(folder, option, value, both):
    command, name = option
    scores = [str(folder / file) for file in ("AP.csv", "RR.csv")[: 1 + both]]
    run([command, "--scores", *scores, "--resamples", "20", "--seed", "1", f"{name}={value}"])
