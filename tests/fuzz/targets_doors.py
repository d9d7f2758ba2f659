"""Judgments with any label at every door, outputs that are inputs, and options of the command line with any value."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr.cli import main
from tests.fuzz.contract import check_message
from tests.fuzz.hostile import names, numbers
from tests.fuzz.registry import Target
from tests.fuzz.targets_readers import FOLDER, QRELS, RUN, WIDE

# --- labels -------------------------------------------------------------------------------------------------

DOCUMENTS = ("d1", "d2", "d3")
RUNS = {
    name: {topic: dict(zip(DOCUMENTS, scores, strict=True)) for topic in ("1", "2")}
    for name, scores in {"a": (3.0, 2.0, 1.0), "b": (1.0, 2.0, 3.0), "c": (1.0, 3.0, 2.0)}.items()
}
MEASURES = ("AP", "nDCG@2", "P@1", "Bpref", "infAP", "Rprec", "ERR@2", "Compat", "Judged@2", "SetF", "RR")
LARGEST = 1_000_000
beyond = (-(2**63), -(2**31), 2**31 - 1, 2**31, 2**32, 2**63 - 1, 10**6)
label = st.sampled_from([*range(-5, 4)] * 15 + [*beyond])
some_labels = st.lists(st.lists(label, min_size=3, max_size=3), min_size=2, max_size=2)


def _frame(labels: list[list[int]]) -> pd.DataFrame:
    rows = [
        (topic, docno, one)
        for topic, row in zip("12", labels, strict=True)
        for docno, one in zip(DOCUMENTS, row, strict=True)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


def _judged(case: tuple[list[list[int]], str, str]) -> object:
    """Evaluators get only what they can stand, and labels below 0 are as good as 0 where nothing is relevant."""
    labels, measure, form = case
    qrels: Any = _frame(labels)
    if form == "dicts":
        qrels = {topic: dict(zip(DOCUMENTS, row, strict=True)) for topic, row in zip("12", labels, strict=True)}
    if form == "file":
        qrels = FOLDER / "qrels of labels"
        lines = (f"{topic} 0 {docno} {one}\n" for topic, docno, one in _frame(labels).itertuples(index=False))
        qrels.write_text("".join(lines))
    found = ptr.scores_from_runs(RUNS, qrels, [measure])
    assert max(abs(one) for row in labels for one in row) <= LARGEST
    for topic, row in zip(found.topics, found[measure].values, strict=True):
        if max(labels["12".index(topic)]) <= 0 and measure != "Judged@2":
            assert not row.any(), f"{measure} of {labels} is {row}"
    return found


def _experiment(labels: list[list[int]]) -> object:
    frames = [
        pd.DataFrame([(topic, docno, score) for topic, row in run.items() for docno, score in row.items()],
                     columns=["qid", "docno", "score"])
        for run in RUNS.values()
    ]  # fmt: skip
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["a", "b"]})
    found = ptr.Experiment(frames, topics, _frame(labels), ["map", "ndcg_cut_2", "bpref"], names=list(RUNS))
    assert np.isfinite(found.drop(columns="name").to_numpy()).all()
    return found


# --- outputs that are inputs --------------------------------------------------------------------------------

AP, RR = FOLDER / "inputs" / "AP.csv", FOLDER / "inputs" / "RR.csv"
INPUTS = {
    AP: WIDE,
    RR: WIDE.replace(b"0.5", b"0.4"),
    FOLDER / "inputs" / "a.run": RUN,
    FOLDER / "inputs" / "qrels": QRELS,
}
WAYS = ("as it is", "by a detour", "by a symbolic link", "by a hard link")


def _named(path: Path, way: str) -> Path:
    link = path.parent / "link"
    link.unlink(missing_ok=True)
    if way == "by a detour":
        return path.parent / ".." / path.parent.name / path.name
    if way == "by a symbolic link":
        link.symlink_to(path)
    if way == "by a hard link":
        link.hardlink_to(path)
    return path if way == "as it is" else link


def _written_over(case: tuple[str, Path, str]) -> object:
    """No output takes the place of an input, whatever it is called."""
    what, path, way = case
    AP.parent.mkdir(exist_ok=True)
    for each, content in INPUTS.items():
        each.unlink(missing_ok=True)
        each.write_bytes(content)
    scores = ptr.read_scores([AP, RR])
    try:
        return OUTPUTS[what](scores, _named(path, way))
    finally:
        changed = [each.name for each, content in INPUTS.items() if each.read_bytes() != content]
        assert not changed, f"{what} changed {changed}"


def _commanded(_: ptr.Scores, output: Path) -> object:
    given = ["report", "--scores", str(AP), str(RR), "--output", str(output), "--resamples", "20", "--seed", "1"]
    with contextlib.redirect_stderr(io.StringIO()):
        return main(given)


OUTPUTS = {
    "report": lambda scores, path: ptr.report(scores, path, n_resamples=20, rng=1),
    "report --output": _commanded,
    "compare": lambda scores, path: ptr.compare(scores, n_resamples=9, resume=path, rng=1),
}

# --- the command line ---------------------------------------------------------------------------------------

INPUT = (["--scores", str(AP), str(RR)], ["--scores", str(AP)], ["--runs", str(AP.parent), "--qrels", str(AP)])
nonsense = st.one_of(
    numbers,
    names.filter(lambda name: "\0" not in name),
    st.sampled_from(
        ["AP", "RR", "Accuracy", "AP(rel=2147483648)", "P@0", "nDCG(x=1)@5", "", "nan", "-1", "1e400", "published"]
    ),
)
OPTIONS = {
    "compare": "--reference --measures --columns --missing --lower-is-better --null --covariance --seed --format",
    "drank": "--reference --measures --null --covariance --seed --resamples --jobs --format",
    "expected": "--coefficient --estimator --target --topics --level --measures --seed --resamples --format",
    "power": "--test --alpha --measures --seed --resamples --format --names --qrels --irds",
}  # fmt: skip
option = st.sampled_from(sorted(OPTIONS)).flatmap(
    lambda command: st.tuples(
        st.just(command),
        st.sampled_from(INPUT),
        st.lists(st.tuples(st.sampled_from(OPTIONS[command].split()), nonsense), min_size=1, max_size=2),
    )
)


def _options(case: tuple[str, list[str], list[tuple[str, str]]]) -> object:
    """Done, bad input or wrong usage, said in lines; never a traceback."""
    command, given, more = case
    AP.parent.mkdir(exist_ok=True)
    for each, content in INPUTS.items():
        each.write_bytes(content)
    resampled = ["--resamples", "20", "--seed", "1"]
    arguments = [command, *given, *resampled, *(f"{name}={value}" for name, value in more)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as stopped:  # of the parser
            status = int(str(stopped.code))
    assert status in (0, 1, 2), f"status {status}"
    assert (status == 0) == bool(out.getvalue()), "what is done has results, and nothing else has"
    assert "Traceback" not in err.getvalue()
    if status == 1:
        for line in err.getvalue().split("\n"):
            check_message(line.strip("\r"))
    return status


TARGETS = (
    Target(
        "labels of judgments",
        st.tuples(some_labels, st.sampled_from(MEASURES), st.sampled_from(["frame", "dicts", "file"])),
        _judged,
    ),
    Target("labels in an experiment", some_labels, _experiment),
    Target(
        "outputs that are inputs",
        st.tuples(st.sampled_from(sorted(OUTPUTS)), st.sampled_from(sorted(INPUTS)), st.sampled_from(WAYS)),
        _written_over,
    ),
    Target("options", option, _options),
)
