"""Comparisons that were stopped anywhere go on from there, to the same bits, and no file of others is touched."""

import json
import os
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from ir_measures import AP, RR, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.comparison import engine
from pt_rankcorr.comparison.engine import finished_rows
from tests import fixtures

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")  # judges of few labels

TOPICS, QRELS = fixtures.topics(), fixtures.qrels()
RUNS = {name: system(TOPICS) for name, system in list(fixtures.systems().items())[:4]}
SCORES = ptr.scores_from_runs(RUNS, QRELS, [AP, RR, nDCG])
HALF = SCORES.select(topics=SCORES.topics[::2])
LABELS = {"b": ptr.judgments.sample_judgments(QRELS, 0.5, rng=1), "a": QRELS.assign(label=QRELS["label"].clip(upper=1))}
SETTINGS = {"n_resamples": 50, "rng": 1}
OF_JUDGES = {"missing": "skip", "per_topic": True, "top": 3}

# comparison -> the function of further arguments, and in how many parts it is finished
COMPARISONS = {
    "curve": (partial(ptr.judgment_curve, RUNS, QRELS, [AP, nDCG], shares=[0.2, 0.6], repetitions=2, **SETTINGS), 2),
    "measures": (partial(ptr.compare, {"all": SCORES, "half": HALF}, **SETTINGS), 6),
    "judgments": (partial(ptr.compare_judgments, RUNS, QRELS, LABELS, [nDCG, AP], **SETTINGS), 2),
    "leaderboards": (partial(ptr.compare_leaderboards, SCORES, {"b": SCORES, "a": HALF}, **OF_JUDGES, **SETTINGS), 3),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_stopped_before_and_after_each_part(name, tmp_path, monkeypatch):
    (function, n_parts), path, added = COMPARISONS[name], tmp_path / "file", []

    @contextmanager
    def stopping(*arguments):
        with finished_rows(*arguments) as (rows, add):

            def stopped(more):
                if len(added) % 2:
                    add(more)
                added.append(more)
                if len(added) < 2 * n_parts:
                    raise KeyboardInterrupt

            yield rows, stopped

    with monkeypatch.context() as patched:
        patched.setattr(engine, "finished_rows", stopping)
        for _ in range(2 * n_parts - 1):  # each part once lost, and once kept
            with pytest.raises(KeyboardInterrupt):
                function(resume=path)
        resumed = function(resume=path)
        assert function(resume=path).rows == resumed.rows
        assert len(added) == 2 * n_parts  # what is finished is not computed again
    assert resumed.to_frame().equals(function().to_frame())
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", COMPARISONS)
def test_needs_a_seed_and_a_file_of_its_own(name, tmp_path):
    function, resume = COMPARISONS[name][0], tmp_path / "file"
    with pytest.raises(TypeError, match="`rng` must be a seed if `resume` is given, got None"):
        function(resume=resume, rng=None)
    assert not resume.exists()
    function(resume=resume)
    with pytest.raises(ValueError, match=r"wrote with the same input, got other n_resamples in '.*file'"):
        function(resume=resume, n_resamples=51)
    with pytest.raises(IsADirectoryError, match="`resume` cannot be written: Is a directory"):
        function(resume=tmp_path)


def with_two_documents_swapped(run):
    """Both are relevant: no score under all judgments tells this run from the other."""
    judged = run.merge(QRELS, on=["qid", "docno"])
    labels = judged.groupby(["qid", "label"]).head(2).groupby(["qid", "label"])["docno"]
    pairs = [(qid, *docnos) for (qid, _), docnos in labels.apply(list).items() if len(docnos) == 2]
    other = {(qid, a): b for qid, first, second in pairs for a, b in ((first, second), (second, first))}
    docnos = [other.get((qid, docno), docno) for qid, docno in zip(run["qid"], run["docno"], strict=True)]
    return run.assign(docno=docnos)


@pytest.mark.parametrize("places", [{"depths": [1, 2]}, {"shares": [0.2, 0.6], "repetitions": 2}])
def test_other_runs_of_the_same_scores_are_refused(places, tmp_path):
    others = {name: with_two_documents_swapped(run) for name, run in RUNS.items()}
    assert (ptr.scores_from_runs(others, QRELS, [AP])["AP"].values == SCORES["AP"].values).all()
    settings = {**SETTINGS, **places, "resume": tmp_path / "file"}
    made = ptr.judgment_curve(RUNS, QRELS, [AP], **settings)
    in_other_rows = {name: run.iloc[::-1] for name, run in RUNS.items()}
    assert ptr.judgment_curve(in_other_rows, QRELS, [AP], **settings).rows == made.rows
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
def test_a_file_of_another_curve_is_refused(changed, message, tmp_path):
    arguments = {"runs": RUNS, "qrels": QRELS, "measures": [AP], "depths": [1], **SETTINGS}
    ptr.judgment_curve(**arguments, resume=tmp_path / "file")
    with pytest.raises(ValueError, match=f"judgment_curve wrote with the same input, got {message}"):
        ptr.judgment_curve(**{**arguments, **changed}, resume=tmp_path / "file")


def test_other_judges_are_refused(tmp_path):
    ptr.compare_leaderboards(SCORES, {"a": SCORES}, resume=tmp_path / "file", **SETTINGS)
    with pytest.raises(ValueError, match="that compare_leaderboards wrote with the same input, got other data, keys"):
        ptr.compare_leaderboards(SCORES, {"b": SCORES}, resume=tmp_path / "file", **SETTINGS)


@pytest.mark.parametrize(
    ("function", "compared"),
    [
        (ptr.compare, {"all": SCORES, "half": HALF}),
        (partial(ptr.compare_judgments, RUNS, QRELS, measures=[AP], test="t"), LABELS),
    ],
)
def test_what_is_compared_in_another_order(function, compared, tmp_path):
    """Rows that are finished are reported again, and nothing is written."""
    resume, swapped, rows = tmp_path / "file", dict(reversed(compared.items())), list[Any]()
    made = function(compared, resume=resume, **SETTINGS)
    before = resume.read_bytes()
    resumed = function(swapped, resume=resume, on_row=rows.append, **SETTINGS)
    assert tuple(rows) == made.rows
    assert resume.read_bytes() == before
    assert resumed.to_frame().equals(function(swapped, **SETTINGS).to_frame())


HEADER = {"seed": 1, "places": (0.1, 1 / 3), "name": "\ud800 é", "data": {"b": 1, "a": {"d": 2}}}
ROWS = {("AP", 0.1): {"tau": 1 / 3, "n": 3}, ("AP", 1 / 3): {"tau": float("inf")}, ("RR\n", 0.1): {}}


def rows_in(path, header=HEADER):
    with finished_rows(path, "compare", header) as (rows, _):
        return rows


@pytest.fixture
def path(tmp_path):
    """Holds the rows."""
    with finished_rows(tmp_path / "file", "compare", HEADER) as (_, add):
        for key, row in ROWS.items():
            add({key: row})
    return tmp_path / "file"


def test_rows_come_back(path):
    assert rows_in(path) == rows_in(path, dict(reversed(HEADER.items()))) == ROWS
    assert all(json.loads(line) for line in path.read_text().splitlines())
    assert list(path.parent.iterdir()) == [path]  # and no lock


def test_a_last_line_that_is_cut_off_is_dropped(path):
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for size in (0, *range(first, len(whole), 7)):
        path.write_bytes(whole[:size])
        n_rows = max(whole[:size].count(b"\n") - 1, 0)
        with finished_rows(path, "compare", HEADER) as (rows, add):
            assert rows == dict(list(ROWS.items())[:n_rows])
            for key, row in list(ROWS.items())[n_rows:]:
                add({key: row})
        assert path.read_bytes() == whole


@pytest.mark.parametrize("line", ["[]", "null", "{}", '{"key": 1, "row": 1}', "", '{"key": [1]'])
def test_a_damaged_line_is_named(line, path):
    header, first, *others = path.read_text().splitlines(keepends=True)
    path.write_text("".join([header, first, line, "\n", *others]))
    with pytest.raises(ValueError, match=rf"that compare wrote, got a damaged line 3 in '{path}'\. Delete"):
        rows_in(path)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"no line end", b"\n", b"[1]\n", b"\xff\x00"])
def test_a_file_of_something_else_is_refused_and_left_alone(content, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ValueError, match=r"a file that compare wrote, got another one in '.*file'\. Name"):
        rows_in(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == content


def test_other_settings_functions_and_versions(path, monkeypatch):
    with pytest.raises(ValueError, match=f"compare wrote with the same input, got other name, seed in '{path}'. Name"):
        rows_in(path, {**HEADER, "seed": 2, "name": ""})
    with (
        pytest.raises(ValueError, match="a file that report wrote with the same input, got other function"),
        finished_rows(path, "report", HEADER),
    ):
        pass
    monkeypatch.setattr(engine, "VERSION", 1)
    with pytest.raises(ValueError, match="got other version in"):
        rows_in(path)


def test_files_of_the_user_stay(tmp_path):
    """Also one that has the name of a file to resume from with the ending of locks."""
    (tmp_path / "uv.lock").write_text("mine")
    ptr.compare(SCORES, resume=tmp_path / "uv", **SETTINGS)
    assert (tmp_path / "uv.lock").read_text() == "mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["uv", "uv.lock"]


def test_what_is_no_regular_file(tmp_path):
    with pytest.raises(TypeError, match="`resume` must be a path, got int"):
        ptr.compare(SCORES, resume=5, rng=1)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(ValueError, match=r"must be a regular file, got '.*pipe', which is a pipe or a device"):
            ptr.compare(SCORES, resume=tmp_path / "pipe", rng=1)


def test_one_at_a_time(path):
    (path.parent / "link").symlink_to(path)
    with finished_rows(path, "compare", HEADER):
        for name in ("file", "link"):
            with pytest.raises(ValueError, match=f"that no other process uses, got '.*{name}', in use"):
                rows_in(path.parent / name)
    assert rows_in(path) == ROWS
