"""Long comparisons that were stopped anywhere go on from there, to the same bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from ir_measures import AP, RR, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.comparison import _checkpoint
from tests import small

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")  # judges of few labels

TOPICS, QRELS = small.topics(), small.qrels()
RUNS = {name: system(TOPICS) for name, system in list(small.systems().items())[:4]}
SCORES = ptr.scores_from_runs(RUNS, QRELS, [AP, RR, nDCG])
HALF = SCORES.select(topics=SCORES.topics[::2])
SETTINGS: dict[str, Any] = {"n_resamples": 50, "rng": 1}


def curve(**more: Any) -> object:
    return ptr.judgment_curve(
        RUNS, QRELS, [AP, nDCG], shares=[0.2, 0.6], repetitions=2, **{**SETTINGS, **more}
    ).to_frame()


def measures(**more: Any) -> object:
    made = ptr.compare({"all": SCORES, "half": HALF}, **{**SETTINGS, **more})
    return made.to_frame()


def judgments(**more: Any) -> object:
    others = {
        "b": ptr.judgments.sample_judgments(QRELS, 0.5, rng=1),
        "a": QRELS.assign(label=QRELS["label"].clip(upper=1)),
    }
    return ptr.compare_judgments(RUNS, QRELS, others, [nDCG, AP], **{**SETTINGS, **more})


def leaderboards(**more: Any) -> object:
    judges = more.pop("judges", {"b": SCORES, "a": HALF})
    return ptr.compare_leaderboards(SCORES, judges, missing="skip", per_topic=True, top=3, **{**SETTINGS, **more})


def same(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) if hasattr(one, "equals") else repr(one) == repr(other) and str(one) == str(other)


PARTS = [(curve, 2), (measures, 6), (judgments, 2), (leaderboards, 3)]  # what is finished at once


@pytest.mark.parametrize(("function", "parts"), PARTS, ids=lambda each: getattr(each, "__name__", each))
def test_stopped_before_and_after_each_part(
    function: Callable[..., object], parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, path, added = _checkpoint.Checkpoint.add, tmp_path / "file", []

    def stopped(self: Any, part: Any) -> None:
        if len(added) % 2:
            add(self, part)
        added.append(part)
        if len(added) < 2 * parts:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(_checkpoint.Checkpoint, "add", stopped)
        for _ in range(2 * parts - 1):  # each part once lost, and once kept
            with pytest.raises(KeyboardInterrupt):
                function(resume=path)
        resumed = function(resume=path)
    assert len(added) == 2 * parts
    assert same(resumed, function())

    def nothing(*_: object, **__: object) -> None:
        raise AssertionError("what is finished is computed again")

    monkeypatch.setattr(_checkpoint.Checkpoint, "add", nothing)
    assert same(function(resume=path), resumed)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("function", [function for function, _ in PARTS], ids=lambda each: each.__name__)
def test_needs_a_seed_and_a_file_of_its_own(function: Callable[..., object], tmp_path: Path) -> None:
    resume = tmp_path / "file"
    with pytest.raises(TypeError, match="`rng` must be a seed if `resume` is given, got None"):
        function(resume=resume, rng=None)
    assert not resume.exists()
    function(resume=resume)
    with pytest.raises(
        ValueError,
        match=r"`resume` must be a file that .* wrote with the same input, got other n_resamples in '.*file'",
    ):
        function(resume=resume, n_resamples=51)
    with pytest.raises(IsADirectoryError, match="`resume` cannot be written: Is a directory"):
        function(resume=tmp_path)


# --- what is the same, and what is not ----------------------------------------------------------------------


def with_two_documents_swapped(run: pd.DataFrame) -> pd.DataFrame:
    """Both are relevant: no score under all judgments tells this run from the other."""
    judged = run.merge(QRELS, on=["qid", "docno"])
    labels = judged.groupby(["qid", "label"]).head(2).groupby(["qid", "label"])["docno"]
    pairs = [(qid, *docnos) for (qid, _), docnos in labels.apply(list).items() if len(docnos) == 2]
    other = {(qid, a): b for qid, first, second in pairs for a, b in ((first, second), (second, first))}
    docnos = [other.get((qid, docno), docno) for qid, docno in zip(run["qid"], run["docno"], strict=True)]
    return run.assign(docno=docnos)


@pytest.mark.parametrize("places", [{"depths": [1, 2]}, {"shares": [0.2, 0.6], "repetitions": 2}])
def test_other_runs_of_the_same_scores_are_refused(places: dict[str, Any], tmp_path: Path) -> None:
    others = {name: with_two_documents_swapped(run) for name, run in RUNS.items()}
    scores = ptr.scores_from_runs(others, QRELS, [AP])["AP"]
    assert (scores.values == SCORES["AP"].values).all()
    settings = {**SETTINGS, **places, "resume": tmp_path / "file"}
    made = ptr.judgment_curve(RUNS, QRELS, [AP], **settings)
    in_other_rows = {name: run.iloc[::-1] for name, run in RUNS.items()}
    assert same(ptr.judgment_curve(in_other_rows, QRELS, [AP], **settings).to_frame(), made.to_frame())
    with pytest.raises(ValueError, match="that judgment_curve wrote with the same input, got other data in"):
        ptr.judgment_curve(others, QRELS, [AP], **settings)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rng": 2}, "other seed"),
        ({"qrels": QRELS.iloc[1:]}, "other data, n_judgments"),
        ({"measures": [nDCG]}, "other data"),
        ({"depths": None, "shares": [0.5]}, "other intervals, kind, places, repetitions"),
    ],
)
def test_a_file_of_another_curve_is_refused(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"runs": RUNS, "qrels": QRELS, "measures": [AP], "depths": [1], **SETTINGS}
    ptr.judgment_curve(**given, resume=tmp_path / "file")
    with pytest.raises(ValueError, match=f"judgment_curve wrote with the same input, got {message}"):
        ptr.judgment_curve(**{**given, **changed}, resume=tmp_path / "file")


def test_other_judges_are_refused(tmp_path: Path) -> None:
    leaderboards(resume=tmp_path / "file")
    with pytest.raises(ValueError, match="that compare_leaderboards wrote with the same input, got other data in"):
        leaderboards(resume=tmp_path / "file", judges={"b": SCORES, "a": SCORES})


def test_rows_that_were_finished_are_told_again(tmp_path: Path) -> None:
    settings = {**SETTINGS, "resume": tmp_path / "file"}
    first: list[Any] = []
    again: list[Any] = []
    made = ptr.compare(SCORES, on_row=first.append, **settings)
    assert ptr.compare(SCORES, on_row=again.append, **settings).rows == made.rows
    assert tuple(first) == tuple(again) == made.rows


LABELS = {"b": QRELS.assign(label=QRELS["label"].clip(upper=1)), "a": ptr.judgments.sample_judgments(QRELS, 0.7, rng=1)}


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (ptr.compare, {"all": SCORES, "half": HALF}),
        (partial(ptr.compare_judgments, RUNS, QRELS, measures=[AP], test="t"), LABELS),
    ],
)
def test_what_is_compared_in_another_order(function: Callable[..., Any], given: Any, tmp_path: Path) -> None:
    resume, turned = tmp_path / "file", dict(reversed(given.items()))
    function(given, resume=resume, **SETTINGS)
    before = resume.read_bytes()
    resumed = function(turned, resume=resume, **SETTINGS)
    assert resume.read_bytes() == before
    assert same(resumed.to_frame(), function(turned, **SETTINGS).to_frame())
