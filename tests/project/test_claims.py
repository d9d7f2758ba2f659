"""The scripts that check published tables: on small data of our own, and on the public data where they are there."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "claims"


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs a script on a folder; returns what it prints."""

    def run(name, folder):
        monkeypatch.syspath_prepend(str(FOLDER))
        monkeypatch.delitem(sys.modules, "common", raising=False)
        monkeypatch.setattr(sys, "argv", [f"{name}.py", "--folder", str(folder)])
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    yield run
    sys.modules.pop("common", None)  # the scripts of the papers have another one


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "equal"), [("llmjudge2024", ["33 of 33"] * 2), ("syndl", ["2 of 2"]), ("compatibility", ["13 of 13"] * 2)]
)
def test_the_published_numbers_come_out(run, data, name, equal):
    text = run(name, data / "claims" / name)
    assert [line.removesuffix(" equal.") for line in text.splitlines() if line.endswith(" equal.")] == equal
    assert "A paper may write:" in text


def test_a_number_that_differs_is_counted(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    common = runpy.run_path(str(FOLDER / "common.py"))
    table, conclusion = common["beside"]({"a": 0.1235, "b": 0.5}, {"a": 0.12346, "b": 0.4994}, 4)
    assert conclusion == "1 of 2 equal"
    assert table["equal"].tolist() == ["", "no"]
    with pytest.raises(KeyError):
        common["beside"]({"a": 0.1}, {}, 4)


def table(path, n_topics, quality, seed):
    scores = quality + np.random.default_rng(seed).normal(0.0, 0.1, (n_topics, quality.size))
    topics = pd.Index([f"q{number}" for number in range(n_topics)], name="topic")
    pd.DataFrame(scores, topics, [f"system {number}" for number in range(quality.size)]).to_csv(path)


def test_a_table_of_tasks(run, tmp_path):
    table(tmp_path / "mteb_eng_v2_41tasks.csv.gz", 30, np.array([0.1, 0.9, 0.3]), 1)
    text = run("mteb", tmp_path)
    assert "is one of 1: system 1." in text
    assert "determine the rank of 3 of 3 models" in text


def test_two_sets_of_topics(run, tmp_path):
    for year in (2019, 2022):
        for seed, (side, n_topics) in enumerate({"people": 20, "syndl": 30}.items()):
            table(tmp_path / f"dl{year}_{side}_ndcg10.csv.gz", n_topics, np.arange(6) / 6, seed)
    text = run("syndl", tmp_path)
    assert "0 of 2 equal" in text
    assert "2019: 20 topics of people and 30 of GPT-4" in text


def test_two_sets_of_labels(run, tmp_path):
    (tmp_path / "qrels.rag25.test.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 0\n3 0 a 0\n3 0 b 1\n")
    (tmp_path / "qrels.rag25.test-umbrela2.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 1\n3 0 a 0\n3 0 b 1\n")
    text = run("rag25", tmp_path)
    assert "On 6 pairs, kappa is 0.67" in text
    assert "people label 75% relevant" in text
