"""Rankings in files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pt_rankcorr as ptr
from pt_rankcorr.cli.inputs import read_ranking
from tests.cli.conftest import MEASURES, QUICK, Cli, lines, runs_of


@pytest.fixture(scope="module")
def scores(folder: Path) -> ptr.Scores:
    return ptr.scores_from_runs(folder / "runs", folder / "qrels", MEASURES, verbose=False)


@pytest.fixture
def run(cli: Cli, folder: Path) -> Callable[..., list[dict[str, Any]]]:
    """The lines of a command for these runs and measures."""

    def run(command: str, *options: object, measures: list[str] = MEASURES) -> list[dict[str, Any]]:
        return lines(cli(command, *runs_of(folder, *measures), *QUICK, *options))

    return run


def test_rankings_in_files(run: Any, scores: ptr.Scores, tmp_path: Path) -> None:
    systems = scores.systems
    (tmp_path / "names").write_text("\n".join(systems) + "\n")
    (tmp_path / "scores").write_text("".join(f"{name}\t{at / 10}\n" for at, name in enumerate(systems)))
    found = run("drank", "--ranking", tmp_path / "names", tmp_path / "scores", measures=["AP"])
    assert [line["ranking"] for line in found] == ["names", "scores"]
    for line, values in zip(found, ([-float(at) for at in range(6)], [float(at) for at in range(6)]), strict=True):
        ranking = dict(zip(systems, values, strict=True))
        expected = ptr.d_rank(scores["AP"], ranking, n_resamples=99, rng=1)
        assert (line["d_rank"], line["pvalue"]) == tuple(expected)
        assert line["tau"] == ptr.kendall_tau(scores["AP"], ranking)


def test_files_of_one_name_are_told_apart(run: Any, scores: ptr.Scores, tmp_path: Path) -> None:
    paths = [tmp_path / folder / "names" for folder in ("first", "second")]
    for path, systems in zip(paths, (scores.systems, scores.systems[::-1]), strict=True):
        path.parent.mkdir()
        path.write_text("\n".join(systems))
    found = run("drank", "--ranking", *paths, measures=["AP"])
    assert [line["ranking"] for line in found] == [str(path) for path in paths]
    assert found[0]["tau"] == -found[1]["tau"]


def test_rankings_of_other_systems(cli: Cli, folder: Path, scores: ptr.Scores, tmp_path: Path) -> None:
    (tmp_path / "fewer").write_text("\n".join(["unknown", *scores.systems[1:]]))
    given = ["drank", *runs_of(folder, "AP"), "--resamples", 99]
    given += ["--seed", 1, "--format", "jsonl", "--ranking", tmp_path / "fewer"]
    refused = cli(*given)
    assert (refused.status, refused.out) == (1, "")
    assert "--ranking must rank the same systems as the scores, got differences in" in refused.err
    assert "--only-shared-runs leaves these out" in refused.err
    ran = cli(*given, "--only-shared-runs")
    ranking = read_ranking(str(tmp_path / "fewer"))
    expected = ptr.d_rank(scores["AP"], ranking, n_resamples=99, rng=1, missing="skip")
    line = json.loads(ran.out)
    assert (line["d_rank"], line["pvalue"], line["n_systems"]) == (*expected, 5)
    assert line["tau"] == ptr.kendall_tau(scores["AP"], ranking, missing="skip")
    assert "fewer: 5 systems; left out, since only one side has them" in ran.err
    (tmp_path / "fewer").write_text(f"x\n{scores.systems[0]}\n")
    assert (
        "--ranking must share at least 2 systems with the scores, got 1 in 'fewer'"
        in cli(*given, "--only-shared-runs").err
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc\n", {"a": 0.0, "b": -1.0, "c": -2.0}),
        ("a 0.5\nb\t-1e-3\n two words  7\n", {"a": 0.5, "b": -0.001, "two words": 7.0}),
        ("a,0.5\nb, 7\n", {"a": 0.5, "b": 7.0}),
        ("run 1\nrun x\n", {"run 1": 0.0, "run x": -1.0}),
        ("5\n7\n", {"5": 0.0, "7": -1.0}),
        ("", "must have a system on each line, got the empty file"),
        ("a\nb\na\n", "must have every system once, got 'a' twice"),
        ("a 1\na 2\n", "must have every system once, got 'a' twice"),
    ],
)
def test_lines_are_systems_or_systems_and_scores(tmp_path: Path, text: str, expected: dict[str, float] | str) -> None:
    """A message, where the file is refused."""
    path = tmp_path / "ranking"
    path.write_text(text)
    if isinstance(expected, dict):
        assert read_ranking(str(path)) == expected
        return
    with pytest.raises(ValueError, match=expected):
        read_ranking(str(path))
