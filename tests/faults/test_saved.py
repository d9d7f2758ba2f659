"""The tables of a `save_dir`, under whatever may happen to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_datasets
import pandas as pd
import pytest
from ir_measures import AP, RR

import pt_rankcorr as ptr
from pt_rankcorr.experiment import _saved as saved_tables
from pt_rankcorr.experiment import run as experiment_module
from tests import small

NAMED = small.systems()
INPUTS = (small.topics(), small.qrels(), [AP])


def experiment(folder: Path, *names: str) -> Any:
    return ptr.Experiment({name: NAMED[name] for name in names}, *INPUTS, save_dir=str(folder))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Holds the tables of an experiment."""
    experiment(tmp_path, "noise 0", "noise 1")
    return tmp_path


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.csv")}


def test_stopped_while_the_host_writes_its_tables(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, write = tables(folder), pd.DataFrame.to_csv

    def stopped(self: pd.DataFrame, path: Any = None, **settings: Any) -> Any:
        if path is None:
            return write(self, path, **settings)
        Path(path).write_text("na")
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_csv", stopped)
    with pytest.raises(KeyboardInterrupt):
        experiment(folder, "noise 2")
    assert tables(folder) == before


@pytest.mark.parametrize(
    ("owner", "name", "turn"),
    [
        (saved_tables.SavedTables, "_beside_others", 1),
        (saved_tables, "write_whole", 1),
        (saved_tables, "write_whole", 2),
        (experiment_module, "_long_frame", 1),
        (experiment_module.Averages, "render", 1),
    ],
)
def test_stopped_after_the_host_has_written_its_tables(
    owner: Any, name: str, turn: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, whole, seen = tables(folder), getattr(owner, name), []

    def once(*given: Any, **more: Any) -> Any:
        seen.append(tables(folder))
        if len(seen) == turn:
            raise KeyboardInterrupt
        return whole(*given, **more)

    monkeypatch.setattr(owner, name, once)
    with pytest.raises(KeyboardInterrupt):
        experiment(folder, "noise 2")
    assert seen[turn - 1] != before  # the host had written them
    assert tables(folder) == before


def test_a_test_of_significance_that_fails(folder: Path) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("no test")

    before, systems = tables(folder), {name: NAMED[name] for name in ("noise 2", "noise 3")}
    with pytest.raises(RuntimeError, match="no test"):
        ptr.Experiment(systems, *INPUTS, save_dir=str(folder), baseline=0, test=fails)
    assert tables(folder) == before


UNJUDGED = pd.concat([small.topics(), pd.DataFrame({"qid": ["q99"], "query": ["words"]})])


@pytest.mark.parametrize(
    ("topics", "measures", "message"),
    [(UNJUDGED, [AP], "1 topic.s. not found in qrels"), (small.topics(), [AP, RR], "with other columns")],
)
def test_a_warning_that_is_an_error(topics: pd.DataFrame, measures: list[Any], message: str, folder: Path) -> None:
    before, systems = tables(folder), {"noise 2": NAMED["noise 2"]}
    settings = {"save_dir": str(folder), "filter_by_topics": False, "validate": "ignore"}
    with pytest.raises(UserWarning, match=message):  # as all warnings are errors in tests
        ptr.Experiment(systems, topics, small.qrels(), measures, **settings)
    assert tables(folder) == before


def test_an_evaluation_is_not_lost_where_a_table_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes, parameter: str) -> None:
        raise OSError(28, f"`{parameter}` cannot be written: No space left on device", str(path))

    monkeypatch.setattr(saved_tables, "write_whole", full)
    with pytest.warns(UserWarning, match="csv is not what it should be: .*`save_dir` cannot be written: No space left"):
        shown = experiment(folder, "noise 2")
    assert list(shown["name"]) == ["noise 2"]


@pytest.mark.parametrize("content", ["", "\n", "other,table\n1,2\n", "\0\1", 'a,"b\n'])
@pytest.mark.parametrize("name", ["aggregated.csv", "perquery.csv"])
def test_another_table_of_that_name_is_refused_before_any_system_runs(
    name: str, content: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a system was run")

    (folder / name).write_text(content)
    monkeypatch.setattr(small.Ranker, "transform", never)
    with pytest.raises(
        ValueError, match=f"`save_dir` must hold the tables that PyTerrier writes there, got '.*{name}'"
    ):
        experiment(folder, "noise 2")
    assert (folder / name).read_text() == content


# --- what ir-datasets keeps ---------------------------------------------------------------------------------


def test_judgments_of_ir_datasets_that_were_cut(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 d1 1\n1 0 d2 0\n2 0")
    ir_datasets.registry.register("damaged", ir_datasets.create_dataset(qrels_trec=str(path)))
    try:
        with pytest.raises(ValueError, match=r"got damaged judgments of 'damaged' .* Remove their file from"):
            ptr.scores_from_irds("damaged", {"a": {"1": {"d1": 1.0}}, "b": {"1": {"d2": 1.0}}}, [AP])
    finally:
        del ir_datasets.registry._registered["damaged"]
