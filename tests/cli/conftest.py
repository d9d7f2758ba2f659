"""A small made-up collection in files, whose systems have awkward names, and the command line within this process."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from pt_rankcorr.cli import main
from tests.fixtures import write_qrels, write_run

SYSTEMS = ("=1+1", "100%_$x$", "<b>", "dph", "bm25", "NA")
TOPICS = [str(number) for number in range(301, 313)]
DOCUMENTS = [f"d{number}" for number in range(30)]
MEASURES = ["AP", "nDCG@10", "P@5"]
QUICK = ["--seed", "1", "--resamples", "99", "--quiet", "--format", "jsonl"]


class Ran(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


def runs_of(folder, *measures):
    """The options that name the runs and judgments of a folder, and measures."""
    return ["--runs", folder / "runs", "--qrels", folder / "qrels", *(["--measures", *measures] if measures else [])]


def lines(ran):
    """What a command that says nothing else printed as JSON lines."""
    assert (ran.status, ran.err) == (0, "")
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.fixture
def cli(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")  # tables are not folded, wherever the tests run

    def run(*arguments):
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Holds the folder `runs`, `qrels`, and the other judgments `near.qrels` and `far.qrels`."""
    path, random = tmp_path_factory.mktemp("collection"), np.random.default_rng(5)
    labels = {qid: random.integers(0, 3, len(DOCUMENTS)) * (random.random(len(DOCUMENTS)) < 0.5) for qid in TOPICS}
    noisy = {qid: np.where(random.random(len(DOCUMENTS)) < 0.8, row, 1) for qid, row in labels.items() if qid != "301"}
    other = {qid: random.permutation(row) for qid, row in labels.items()}
    for name, judged in [("qrels", labels), ("near.qrels", noisy), ("far.qrels", other)]:
        write_qrels(path / name, rows_of(judged))
    (path / "runs").mkdir()
    for number, system in enumerate(SYSTEMS):
        scores = {
            qid: row + (0.5 + 0.3 * number) * random.standard_normal(len(DOCUMENTS)) for qid, row in labels.items()
        }
        write_run(path / "runs" / f"{system}.run", rows_of(scores))
    return path


@pytest.fixture(scope="session")
def boards(tmp_path_factory):
    """Holds truth.jsonl, and the folder `judges` with files in the format tot."""
    path, random = tmp_path_factory.mktemp("leaderboards"), np.random.default_rng(3)
    runs, topics = ("a", "b", "c", "d", "e"), range(10)
    truth = np.linspace(0, 0.5, 5) + random.random((10, 5))
    (path / "judges").mkdir()
    rows = [(run, str(topic), at, topic) for topic in topics for at, run in enumerate(runs)]
    names = ("run_id", "topic_id", "measure", "value")
    lines = [dict(zip(names, (run, topic, "nDCG@10", truth[row, at]), strict=True)) for run, topic, at, row in rows]
    (path / "truth.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for name, noise in (("good", 0.1), ("poor", 2.0)):
        scores = truth + noise * random.standard_normal(truth.shape)
        (path / "judges" / f"{name}.txt").write_text(
            "\n".join(f"{run}\tGRADE\t{topic}\t{float(scores[row, at])!r}" for run, topic, at, row in rows)
        )
    return path


def rows_of(values):
    """Topic, document and value, of a value for each document of each topic."""
    return [(qid, doc, value) for qid, row in values.items() for doc, value in zip(DOCUMENTS, row, strict=True)]
