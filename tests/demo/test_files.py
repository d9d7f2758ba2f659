"""The demonstration's files give the scores of the demonstration."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.cli import main
from pt_rankcorr.demo import collection, pipelines


def test_files_hold_what_the_demonstration_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "folder"
    assert main(["demo", "--write", str(folder), "--topics", "5"]) == 0
    assert "29 runs" in capsys.readouterr().out
    data = collection(5)
    runs = {name: system(data.topics) for name, system in pipelines(data).items()}
    expected = ptr.scores_from_runs(runs, data.qrels, ["AP", "nDCG@10"], verbose=False)
    found = ptr.scores_from_runs(folder / "runs", folder / "reference.qrels", ["AP", "nDCG@10"], verbose=False)
    assert sorted(found.systems) == sorted(runs)
    for measure in ("AP", "nDCG@10"):
        values = found[measure].select(systems=list(runs)).values
        np.testing.assert_allclose(values, expected[measure].select(systems=list(runs)).values, rtol=1e-12)
    assert ptr.read_scores(folder / "ap.csv")["AP"].select(systems=list(runs)) == expected["AP"].named("ap")
    judged = ptr.scores_from_runs(folder / "runs", folder / "model.qrels", ["P@10"], verbose=False)["P@10"]
    assert judged.select(systems=["TF-IDF"]).values == pytest.approx(1.0)
    assert judged.ranking[0] == "TF-IDF"
    agreement = ptr.judgments.compare_labels(data.qrels, [folder / "strict.qrels"]).agreement["strict.qrels"]
    assert {(one - other) for one, row in agreement.confusion.iterrows() for other in row.index[row > 0]} == {0, 1}


def test_only_a_new_or_empty_folder_is_written_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    assert main(["demo", "--write", str(tmp_path)]) == 1
    assert "must be new or empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_full_disk_leaves_no_half_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_written = 0

    def until_full(path: str, content: bytes) -> None:
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
