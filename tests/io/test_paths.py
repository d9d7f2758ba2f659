"""A path is a path: folders, patterns, files of another kind, names."""

import gzip
import os
import re
from functools import partial

import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr.comparison.compare_judgments import compare_judgments
from pt_rankcorr.io.leaderboard_files import scores_from_trec_eval
from pt_rankcorr.io.paths import stem
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.io.score_tables import read_scores
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.warnings import SkippedFilesWarning

QRELS = {"1": {"d1": 1, "d2": 0}}


def run_file(path, first="d1", tag="tag"):
    second = "d2" if first == "d1" else "d1"
    path.write_text(f"1 Q0 {first} 1 2.0 {tag}\n\n1 Q0 {second} 2 1.0 {tag}\n")
    return path


@pytest.fixture
def folder(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    run_file(runs / "a.run", "d1", "first")
    run_file(runs / "b.run", "d2", "second")
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    return runs


@pytest.mark.parametrize("name", ["absent", "absent/", "*.gz", "absent/*.run", "a[12].run", "absent.run"])
@pytest.mark.parametrize("several", [False, True])
def test_what_is_not_there_is_no_such_file(name, several, folder):
    path = os.path.join(folder, name)
    with pytest.raises(FileNotFoundError, match=re.escape(repr(path))):
        scores_from_runs([str(folder / "a.run"), path] if several else path, QRELS, ["AP"])
    with pytest.raises(FileNotFoundError, match=re.escape(repr(path))):
        scores_from_trec_eval(path)
    with pytest.raises(FileNotFoundError, match=re.escape(repr(path))):
        read_scores(path)


def test_a_run_in_a_mapping_or_qrels_that_are_not_there(folder):
    with pytest.raises(FileNotFoundError, match="absent"):
        scores_from_runs({"a": folder / "a.run", "b": folder / "absent.run"}, QRELS, ["AP"])
    with pytest.raises(FileNotFoundError, match="no-qrels"):
        scores_from_runs(folder, folder / "no-qrels", ["AP"])
    with pytest.raises(FileNotFoundError, match="no-qrels"):
        compare_judgments(folder, folder.parent / "qrels", {"other": folder / "no-qrels"}, ["AP"])


@pytest.mark.parametrize(
    "ending",
    ["run.gz", "trec", "res.txt", "eval", "eval.txt", "trec_eval", "qrels", "qrel.gz", "sampleval", "QRELS.TXT"],
)
def test_endings_that_say_what_a_file_holds_are_no_part_of_its_name(ending):
    """Runs, judges and leaderboards are named alike."""
    assert stem(f"some/my-bm25.v1.{ending}") == "my-bm25.v1"
    assert stem(f"some/{ending.split('.')[0]}") == ending.split(".")[0]


def test_a_pattern_names_files(folder):
    run_file(folder / "c.txt")
    (folder / "d.gz").write_bytes(gzip.compress((folder / "a.run").read_bytes()))
    for pattern, systems in [("*.run", ("a", "b")), ("[ac].*", ("a", "c")), ("?.gz", ("d",))]:
        more = [] if len(systems) > 1 else [folder / "a.run"]
        scores = scores_from_runs([folder / pattern, *more], folder.parent / "qrels", ["AP"])
        assert set(systems) <= set(scores.systems) == {*systems, *(["a"] if more else [])}


def test_a_file_whose_name_has_the_letters_of_a_pattern_is_itself(folder):
    run_file(folder / "a[1].run")
    runs = [folder / "a[1].run", folder / "b.run"]
    assert scores_from_runs(runs, QRELS, ["AP"]).systems == ("a[1]", "b")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("curve.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("page.HTML", b"<html></html>"),
        ("notes.md", b"# Notes\n"),
        ("notes.json.gz", gzip.compress(b"{}", mtime=0)),
        ("README", b"These are runs.\n"),
        ("Readme.txt", b"These are runs.\n"),
        ("older", None),
    ],
)
def test_what_plainly_is_no_run_is_named_and_left_out(name, content, folder):
    """Also a folder in a folder."""
    path = folder / name
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    for runs in (folder, folder / "*"):
        message = f"`runs` has files of another kind, which are left out: .*{name}'"
        with pytest.warns(SkippedFilesWarning, match=message) as caught:
            assert scores_from_runs(runs, QRELS, ["AP"]).systems == ("a", "b")
        assert caught[0].filename == __file__


A, B = "{folder}/a.run", "{folder}/b.run"
SWAPPED = r"Are the runs and the qrels swapped\?"


@pytest.mark.parametrize(
    ("files", "runs", "qrels", "names", "message"),
    [
        ("a.res", "{folder}", QRELS, "file", r"files of different names, got two for 'a': '.*a\.res' and '.*a\.run'"),
        ("c.run", "{folder}", QRELS, "tag", r"one file per tag, got two for 'first': '.*a\.run' and '.*c\.run'"),
        ("b.run", "{folder}", QRELS, "tag", r"b\.run' must have one run tag .*, got 'second', and 'first' in line 4"),
        ("", "{folder}", QRELS, "stem", "`names` must be 'file' or 'tag', got 'stem'"),
        ("", {"a": A, "b": B}, QRELS, "tag", "`names` must be 'file' for a mapping, which names the runs"),
        ("", "{folder}/../qrels", "{folder}", "file", rf"`qrels` must be one file, got the folder '.*'. {SWAPPED}"),
        ("", dict.fromkeys("ab", "{folder}/../qrels"), QRELS, "file", f"It looks like TREC qrels. {SWAPPED}"),
        ("", "{folder}", A, "file", f"line 1. It looks like a TREC run. {SWAPPED}"),
    ],
)
def test_what_is_refused(files, runs, qrels, names, message, folder):
    if files:
        with (folder / files).open("a") as file:
            file.write("2 Q0 d1 1 1.0 first\n")
    if isinstance(runs, dict):
        runs = {name: path.format(folder=folder) for name, path in runs.items()}
    runs, qrels = (given if isinstance(given, dict) else given.format(folder=folder) for given in (runs, qrels))
    with pytest.raises(ValueError, match=message):
        scores_from_runs(runs, qrels, ["AP"], names=names)


def test_nothing_but_other_files(tmp_path):
    (tmp_path / "curve.png").write_bytes(b"\x89PNG\0")
    with pytest.raises(ValueError, match=r"must be a folder with files in it, got '.*' with none but '.*curve\.png'"):
        scores_from_runs(tmp_path, QRELS, ["AP"])


def test_a_file_that_is_given_twice(folder):
    table = folder.parent / "ap.csv"
    table.write_text("topic,a,b\n1,.5,.2\n2,.3,.1\n")
    for name, call in (
        ("runs", lambda: scores_from_runs([folder, folder / ".." / folder.name / "a.run"], QRELS, ["AP"])),
        ("path", lambda: read_scores([table, table])),
        ("judges", lambda: compare_judgments(folder, QRELS, [table, table], ["AP"])),
        ("judges", lambda: rc.compare_leaderboards(read_scores(table), [table, table])),
    ):
        with pytest.raises(ValueError, match=f"`{name}` must .*, got (two|several) for '(a|ap)'"):
            call()


def test_all_that_is_missing_is_named_at_once():
    for call in (scores_from_runs, partial(rc.judgment_curve, depths=[1])):
        with pytest.raises(FileNotFoundError, match=r"No such files or folders: 'no.qrels', 'nowhere/'"):
            call("nowhere/", "no.qrels", ["AP"])
    with pytest.raises(FileNotFoundError, match=r"No such files or folders: 'model', 'no.qrels', 'nowhere/'"):
        compare_judgments("nowhere/", "no.qrels", ["model"], ["AP"])
    with pytest.raises(FileNotFoundError, match="'nowhere/'"):
        scores_from_runs("nowhere/", QRELS, ["AP"])


def test_names_by_tag(folder):
    for runs in (folder, folder / "*.run", [folder / "a.run", folder / "b.run"]):
        scores = scores_from_runs(runs, QRELS, ["AP"], names="tag")
        assert scores.systems == ("first", "second")
        assert scores["AP"].means.tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    "given", [pd.DataFrame({"a": [1.0]}), pd.DataFrame({"a": [1.0]})["a"], ScoreMatrix([[1.0, 2.0]]), {"a": "b.csv"}]
)
def test_a_table_in_memory_is_told_where_to_go(given):
    with pytest.raises(TypeError, match=r"got an object of type .*`scores_from_experiment` .* `ScoreMatrix`"):
        rc.read_scores(given)
