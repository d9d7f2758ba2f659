"""Long comparisons that were stopped anywhere go on from there, to the same bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ir_measures import AP, RR, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.comparison import _checkpoint
from tests import small

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
    others = {"b": ptr.sample_judgments(QRELS, 0.5, rng=1), "a": QRELS.assign(label=QRELS["label"].clip(upper=1))}
    return ptr.compare_judgments(RUNS, QRELS, others, [nDCG, AP], **{**SETTINGS, **more})


def page(**more: Any) -> object:
    return ptr.report({"all": SCORES, "half": HALF}, **{**SETTINGS, **more}).to_dict()


def same(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) if hasattr(one, "equals") else repr(one) == repr(other) and str(one) == str(other)


PARTS = [(curve, 4), (measures, 6), (judgments, 4), (page, 6)]


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
    with pytest.raises(TypeError, match="`rng` must be a seed where `resume` is given, got None"):
        function(resume=resume, rng=None)
    assert not resume.exists()
    function(resume=resume)
    with pytest.raises(ValueError, match=r"`resume` must be a file of this very .*, got other n_resamples in '.*file'"):
        function(resume=resume, n_resamples=51)
    with pytest.raises(IsADirectoryError, match="`resume` cannot be written: Is a directory"):
        function(resume=tmp_path)
