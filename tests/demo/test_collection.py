"""The demonstration: the same collection everywhere, and files that give the same scores."""

import errno
import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr import demo
from pt_rankcorr.cli import main


@pytest.fixture(scope="module")
def collection():
    return demo.collection()


def test_collection_is_pinned():
    """As are with it all properties that were looked at when it was made."""
    collection = demo.collection(90)
    frames = (collection.topics, collection.qrels, *collection.runs.values())
    text = "".join(frame.to_csv(index=False, lineterminator="\n") for frame in frames)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "c8a88d2c60eb6612"


def test_fewer_topics_are_the_first_of_more(collection):
    small = demo.collection(7)
    pd.testing.assert_frame_equal(small.topics, collection.topics.head(7))
    pd.testing.assert_frame_equal(small.qrels, collection.qrels[collection.qrels["qid"].isin(small.topics["qid"])])
    for name, run in small.runs.items():
        of_more = collection.runs[name]
        pd.testing.assert_frame_equal(run, of_more[of_more["qid"].isin(small.topics["qid"])])


@pytest.mark.parametrize(
    ("n_topics", "rule"), [(0, "of at least 1, got 0"), (-1, "of at least 1, got -1"), (91, "of at most 90, got 91")]
)
def test_number_of_topics_is_checked(n_topics, rule):
    with pytest.raises(ValueError, match=f"`n_topics` must be an integer {rule}"):
        demo.collection(n_topics)


def test_systems_return_what_they_found_for_the_topics_they_are_asked(collection):
    system = demo.pipelines(collection)["BM25"]
    found = system(collection.topics.iloc[[3, 1]])
    assert list(found) == ["qid", "query", "docno", "score", "rank"]
    assert list(found["qid"].unique()) == ["4", "2"]
    stranger = pd.DataFrame({"qid": ["none of them"], "query": ["water"]})
    assert len(system(stranger)) == 0
    assert list(system(collection.topics.head(0))) == list(found)


def test_files_hold_what_the_demonstration_measures(tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    assert main(["demo", "--write", str(folder), "--topics", "5"]) == 0
    assert "29 runs" in capsys.readouterr().out
    data = demo.collection(5)
    runs = {name: system(data.topics) for name, system in demo.pipelines(data).items()}
    expected = rc.scores_from_runs(runs, data.qrels, ["AP", "nDCG@10"], verbose=False)
    found = rc.scores_from_runs(folder / "runs", folder / "reference.qrels", ["AP", "nDCG@10"], verbose=False)
    assert sorted(found.systems) == sorted(runs)
    for measure in ("AP", "nDCG@10"):
        values = found[measure].select(systems=list(runs)).values
        np.testing.assert_allclose(values, expected[measure].select(systems=list(runs)).values, rtol=1e-12)
    assert rc.read_scores(folder / "ap.csv")["AP"].select(systems=list(runs)) == expected["AP"].named("ap")
    judged = rc.scores_from_runs(folder / "runs", folder / "model.qrels", ["P@10"], verbose=False)["P@10"]
    assert judged.select(systems=["TF-IDF"]).values == pytest.approx(1.0)
    assert judged.ranking[0] == "TF-IDF"
    agreement = rc.judgments.compare_labels(data.qrels, [folder / "strict.qrels"]).agreement["strict"]
    assert {(one - other) for one, row in agreement.confusion.iterrows() for other in row.index[row > 0]} == {0, 1}


def test_only_a_new_or_empty_folder_is_written_into(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("kept")
    assert main(["demo", "--write", str(tmp_path)]) == 1
    assert "must be new or empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_full_disk_leaves_no_half_of_a_folder(tmp_path, monkeypatch):
    n_written = 0

    def until_full(path, content):
        nonlocal n_written
        n_written += 1
        if n_written == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        Path(path).write_bytes(content)

    folder = tmp_path / "demo"
    with monkeypatch.context() as full:
        full.setattr("pt_rankcorr.demo.study.write_whole", until_full)
        assert main(["demo", "--write", str(folder), "--topics", "2"]) == 1
    assert not folder.exists()
    assert main(["demo", "--write", str(folder), "--topics", "2"]) == 0
