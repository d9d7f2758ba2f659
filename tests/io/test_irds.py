from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_datasets
import pytest
from ir_measures import AP, nDCG

from pt_rankcorr.io import irds
from pt_rankcorr.io.runs import scores_from_irds, scores_from_runs

FIRST = {"1": {"d1": 2.0}, "2": {"d3": 1.0}, "3": {"d2": 1.0, "d1": 0.5}}
SECOND = {"1": {"d2": 2.0}, "2": {"d3": 1.0}, "3": {"d1": 1.0}}


@pytest.fixture
def registered(collection: Any, tmp_path: Path) -> Any:
    """A dataset of files on this machine."""
    collection.write(tmp_path)
    ir_datasets.registry.register("awkward-names", ir_datasets.create_dataset(qrels_trec=str(tmp_path / "qrels")))
    yield "awkward-names"
    del ir_datasets.registry._registered["awkward-names"]


def test_judgments_of_a_registered_dataset(registered: str, collection: Any, assert_same: Callable[..., None]) -> None:
    expected = scores_from_runs(collection.runs, collection.qrels, [AP, nDCG])
    assert_same(scores_from_irds(registered, collection.runs, [AP, nDCG]), expected)


def test_an_unknown_dataset_and_one_without_judgments() -> None:
    with pytest.raises(ValueError, match="`dataset` must be known to ir-datasets, got 'no-such-set'"):
        scores_from_irds("no-such-set", {"a": FIRST, "b": SECOND}, [AP])
    with pytest.raises(ValueError, match="`dataset` must have judgments, got 'wikir'"):
        scores_from_irds("wikir", {"a": FIRST, "b": SECOND}, [AP])


class NoNetwork(Exception):
    pass


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A dataset whose judgments would have to be fetched into a folder, and that folder."""

    def refused(self: object) -> None:
        raise NoNetwork

    monkeypatch.setattr(ir_datasets.util.RequestsDownload, "stream", refused)
    util, home = ir_datasets.util, tmp_path / "home"
    fetched = util.Download([util.RequestsDownload("https://example.org/qrels")], cache_path=str(home / "fetched"))
    handler = ir_datasets.formats.TrecQrels(util.Cache(util.GzipExtract(fetched), home / "qrels"), {})
    ir_datasets.registry.register("far-away", ir_datasets.Dataset(handler))
    yield home
    del ir_datasets.registry._registered["far-away"]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_nothing_is_downloaded_unless_asked(downloads: Path) -> None:
    runs = {"a": FIRST, "b": SECOND}
    with pytest.raises(FileNotFoundError, match="'far-away' are not on this machine; with `download=True` ir-datasets"):
        scores_from_irds("far-away", runs, [AP])
    assert not downloads.exists()
    with pytest.raises(NoNetwork):
        scores_from_irds("far-away", runs, [AP], download=True)


@pytest.mark.parametrize(("name", "pack"), [("qrels", bytes), ("fetched", gzip.compress)])
def test_what_was_downloaded_before_is_used(name: str, pack: Callable[[bytes], bytes], downloads: Path) -> None:
    downloads.mkdir()
    (downloads / name).write_bytes(pack(b"1 0 d1 1\n2 0 d3 1\n3 0 d1 1\n"))
    assert scores_from_irds("far-away", {"a": FIRST, "b": SECOND}, [AP]).topics == ("1", "2", "3")


def test_every_dataset_of_the_library_is_known_to_be_far_away() -> None:
    """No handler of ir-datasets hides its downloads from us: with no local copy, none passes for local."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(irds, "exists", lambda _: False)
        hidden = [
            name
            for name, dataset in ir_datasets.registry._registered.items()
            if dataset.has_qrels() and irds._is_here(dataset.qrels_handler(), set())
        ]
    assert hidden == []
