import gzip
import json
import warnings
from itertools import product

import numpy as np
import pytest

from pt_rankcorr.io.leaderboard_files import FORMATS, named_leaderboards, read_leaderboard
from pt_rankcorr.warnings import AggregateMismatchWarning, SkippedFilesWarning

RUNS, TOPICS, MEASURES = ("a", "b b", "c"), ("1", "2", "12"), ("GRADE", "nDCG@10")
VALUES = np.random.default_rng(1).random((len(MEASURES), len(TOPICS), len(RUNS)))
TEXT = [name for name, reads in FORMATS.items() if reads]


def tabs(*fields):
    return "\t".join(map(str, fields))


LINES = {
    "trec_eval": lambda run, topic, measure, value: tabs(measure, topic, value),
    "tot": lambda run, topic, measure, value: tabs(run, measure, topic, value),
    "ir_measures": lambda run, topic, measure, value: tabs(run, topic, measure, value),
    "rag4reports": lambda run, topic, measure, value: tabs(topic, run, measure, value),
    "ranking": lambda run, topic, measure, value: tabs(topic, "Q0", run, 0, value, measure),
    "jsonl": lambda run, topic, measure, value: json.dumps(
        {"run_id": run, "topic_id": topic, "measure": measure, "value": value}
    ),
}


def line(form, *cell):
    return LINES[form](*cell)


def write(folder, form, *, summary=True, off=0.0, runs=RUNS):
    """A file, or a folder with one for each run where rows do not name it."""
    lines = {run: [] for run in runs}
    for (at, measure), (column, run) in product(enumerate(MEASURES), enumerate(runs)):
        lines[run] += [line(form, run, topic, measure, VALUES[at, row, column]) for row, topic in enumerate(TOPICS)]
        if summary:
            lines[run].append(line(form, run, "all", measure, float(VALUES[at, :, column].mean()) + off))
    if form != "trec_eval":
        path = folder / form
        path.write_text("\n".join(row for rows in lines.values() for row in rows) + "\n")
        return path
    (folder / form).mkdir()
    for run, rows in lines.items():
        (folder / form / run).write_text("\n".join([f"runid\tall\t{run}", *rows]) + "\n")
    return folder / form


def check(scores):
    assert (scores.measures, scores.topics, scores.systems) == (MEASURES, TOPICS, RUNS)
    assert np.array_equal([scores[name].values for name in MEASURES], VALUES)


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("summary", [True, False])
def test_all_formats_are_told_by_what_they_hold(tmp_path, form, summary):
    path = write(tmp_path, form, summary=summary)
    check(read_leaderboard(path))
    check(read_leaderboard(path, format=form))


def test_what_a_folder_holds_beside_files_is_named(tmp_path):
    path = write(tmp_path, "trec_eval")
    (path / "old").mkdir()
    (path / ".DS_Store").write_bytes(b"\0")
    with pytest.warns(SkippedFilesWarning, match=r"`path` has files of another kind, which are left out: '[^,]*old'"):
        check(read_leaderboard(path))


@pytest.mark.parametrize("form", TEXT[1:])
def test_a_header_is_no_score(tmp_path, form):
    path = write(tmp_path, form)
    header = "\t".join(name or "x" for name in FORMATS[form])
    path.write_text(f"{header}\n{path.read_text()}")
    check(read_leaderboard(path))
    check(read_leaderboard(path, format=form))


def test_gzip_folders_and_patterns_make_one_leaderboard(tmp_path):
    whole = write(tmp_path, "ir_measures").read_text().splitlines(keepends=True)
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "first.gz").write_bytes(gzip.compress("".join(whole[:8]).encode()))
    (parts / "second.txt").write_text("".join(whole[8:]))
    (parts / ".hidden").write_text("nothing")
    one_order = read_leaderboard(tmp_path / "ir_measures")
    for paths in (parts, str(parts / "*"), [parts / "first.gz", parts / "second.txt"]):
        assert read_leaderboard(paths) == one_order


@pytest.mark.parametrize("form", LINES)
def test_a_row_over_all_topics_that_is_not_their_mean_is_told(tmp_path, form):
    path = write(tmp_path, form, off=0.001)
    with pytest.warns(AggregateMismatchWarning, match="^6 of 6 .*'a by GRADE'.*They are not used"):
        check(read_leaderboard(path))


def test_rounded_means_and_sums_are_no_mistake(tmp_path):
    values = {"a": (0.33333, 0.66667), "b": (0.1, 0.3)}
    rows = [f"{run} M {topic} {value:.4f}" for run, two in values.items() for topic, value in enumerate(two)]
    rows += [f"{run} M all {sum(two) / 2 + 4e-5:.4f}" for run, two in values.items()]
    rows += [f"{run} SUM {topic} 3" for run, topic in product("ab", "01")] + ["a SUM all 6", "b SUM all 6"]
    rows += ["a other all 7", "a gm_map all 0.2"]
    (tmp_path / "rounded").write_text("\n".join(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error", AggregateMismatchWarning)
        assert read_leaderboard(tmp_path / "rounded").measures == ("M", "SUM")


def test_policies_have_words_of_both(tmp_path):
    path = write(tmp_path, "tot", summary=False)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))  # "a" lacks GRADE on topic 1
    with pytest.raises(ValueError, match="got none for 'a' on topics '1'"):
        read_leaderboard(path)
    for word in ("skip", "warn", "drop-topics"):
        assert read_leaderboard(path, missing=word).topics == TOPICS[1:]
    assert read_leaderboard(path, missing="drop-systems").systems == RUNS[1:]
    for word in ("default", "zero"):
        filled = read_leaderboard(path, missing=word).select(topics=TOPICS, systems=RUNS)
        assert filled["GRADE"].values[0, 0] == 0.0
        assert dict(filled.alignment.filled) == {"a": ("1",)}
    with pytest.raises(ValueError, match="`missing` must be 'warn'"):
        read_leaderboard(path, missing="no")


def test_judges_are_named_after_their_files_or_folders(tmp_path):
    folder = write(tmp_path, "trec_eval").rename(tmp_path / "judge 1")
    packed = tmp_path / "judge-2.jsonl.gz"
    packed.write_bytes(gzip.compress(write(tmp_path, "jsonl").read_bytes()))
    found, failed = named_leaderboards([folder, str(tmp_path / "judge-*")], "judges")
    assert (list(found), failed) == (["judge 1", "judge-2"], {})
    for scores in found.values():
        check(scores)
    (tmp_path / "empty").touch()
    given, failed = named_leaderboards({"x": found["judge-2"], "y": packed, "z": tmp_path / "empty"}, "judges")
    assert (list(given), list(failed)) == (["x", "y"], ["z"])
    assert "got an empty file" in str(failed["z"])
    with pytest.raises(ValueError, match="got two for 'judge-2'"):
        named_leaderboards([packed, packed], "judges")
    with pytest.raises(ValueError, match=r"`judges` must name at least one file, got none\. This is 'x' of `judges`."):
        named_leaderboards({"x": []}, "judges")
    with pytest.raises(ValueError, match="at least one leaderboard"):
        named_leaderboards({}, "judges")


@pytest.mark.parametrize("form", LINES)
def test_truth_values_are_1_and_0(form, tmp_path):
    runs = {"a": [True, False], "b": [False, False]}
    for run, values in runs.items():
        rows = [line(form, run, topic, "IS_MATCH", value) for topic, value in zip("12", values, strict=True)]
        rows.append(line(form, run, "all", "IS_MATCH", sum(values) / 2))
        (tmp_path / run).write_text("\n".join(rows))
    assert read_leaderboard(tmp_path, format=form)["IS_MATCH"].values.tolist() == [[1, 0], [0, 0]]
