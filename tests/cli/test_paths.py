"""Patterns, names by run tag, and what is refused before anything is evaluated."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from pt_rankcorr.cli._input import scores_of
from pt_rankcorr.cli._parser import parse
from tests.cli.conftest import Cli, runs_of


@pytest.fixture
def tagged(folder: Path, tmp_path: Path) -> Path:
    """A folder of runs, each with a tag of its own."""
    for number, path in enumerate(sorted((folder / "runs").iterdir())):
        (tmp_path / path.name).write_text(path.read_text().replace(" tag\n", f" run{number}\n"))
    return tmp_path


def power(cli: Cli, folder: Path, *runs: object) -> Any:
    options = ("--qrels", folder / "qrels", "--measures", "AP", "--resamples", "20", "--seed", "1", "--test", "t")
    return cli("power", "--runs", *runs, *options)


def test_a_pattern_in_quotes_is_the_folder(cli: Cli, folder: Path) -> None:
    by_pattern = power(cli, folder, folder / "runs" / "*.run")
    assert by_pattern.status == 0
    assert by_pattern.out == power(cli, folder, folder / "runs").out


def test_a_picture_among_runs_is_named(cli: Cli, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "runs", tmp_path / "runs")
    (tmp_path / "runs" / "curve.png").write_bytes(b"\x89PNG\0")
    ran = power(cli, folder, tmp_path / "runs")
    assert ran.out == power(cli, folder, folder / "runs").out
    assert "warning: --runs has files of another kind, which are left out:" in ran.err
    assert "curve.png" in ran.err


def test_names_by_tag(cli: Cli, folder: Path, tagged: Path) -> None:
    given = ["--runs", str(tagged), "--qrels", str(folder / "qrels"), "--measures", "AP", "--names", "tag", "--quiet"]
    names = [f"run{number}" for number in range(len(list(tagged.iterdir())))]
    judged = cli("judgments", *given, "--against", folder / "far.qrels", "--resamples", 99, "--seed", 1)
    assert judged.status == 0
    assert list(scores_of(parse(["power", *given])).systems) == names


@pytest.mark.parametrize(
    ("measures", "more", "message"),
    [
        (["AP", "ndgc@10"], [], "--measures must be known to ir_measures or trec_eval, got 'ndgc@10'. Did you"),
        (["AP", "P@5"], ["--reference", "P@50"], "--reference must be among 'AP', 'P@5', got 'P@50'. Did you mean"),
        (["AP"], [], "compare must have at least 2 measures to compare, got AP. With one"),
    ],
)
def test_measures_are_checked_before_runs(
    measures: list[str], more: list[str], message: str, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluated(*_: object, **__: object) -> None:
        raise AssertionError("a run was read")

    monkeypatch.setattr("pt_rankcorr.adapters.runs.read_run", evaluated)
    ran = cli("compare", *runs_of(folder, *measures), *more)
    assert (ran.status, ran.out) == (1, "")
    assert message in ran.err
