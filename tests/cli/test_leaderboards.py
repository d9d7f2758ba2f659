"""The command about leaderboards of judges says what the function says."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pt_rankcorr.comparison.leaderboards import compare_leaderboards
from tests.cli.conftest import Cli, Ran

QUICK = ["--seed", 1, "--resamples", 99, "--test", "t"]
COLUMNS = ("tau", "tau b", "tau_ap", "tau_ap b", "tau_gap", "spearman", "pearson")


def run(cli: Cli, boards: Path, *options: object) -> Ran:
    given = ["--reference", boards / "truth.jsonl", "--judges", boards / "judges" / "*"]
    return cli("leaderboards", *given, *QUICK, *options)


def test_a_row_of_csv_has_the_columns_and_numbers_of_the_function(cli: Cli, boards: Path) -> None:
    ran = run(cli, boards, "--format", "csv", "--quiet", "--top", 3, "--per-topic")
    assert (ran.status, ran.err) == (0, "")
    rows = list(csv.DictReader(ran.out.splitlines()))
    result = compare_leaderboards(
        boards / "truth.jsonl", str(boards / "judges" / "*"), test="t", n_resamples=99, rng=1, top=3, per_topic=True
    )
    assert [row["judge"] for row in rows] == ["good", "poor"]
    for row, expected in zip(rows, result, strict=True):
        values = expected.to_dict()
        for name in COLUMNS:
            for column in (name, f"{name} low", f"{name} high", f"{name}@3", f"{name} per topic"):
                assert float(row[column] or "nan") == pytest.approx(values[column], nan_ok=True)
        assert float(row["one_ranking"]) == expected.one_ranking


def test_a_table_for_people(cli: Cli, boards: Path) -> None:
    narrow, wide = run(cli, boards), run(cli, boards, "--wide")
    assert narrow.out.split()[:3] == ["judge", "measure", "tau"]
    assert "5 runs on 10 topics" in narrow.err
    for column in ("tau_GAP", "d_rank", "balanced accuracy", "soft"):
        assert wide.out.count(column) > narrow.out.count(column)
    assert "tau_AP b" in run(cli, boards, "--variant", "b", "--no-intervals").out


def test_judges_in_order(cli: Cli, boards: Path) -> None:
    ran = run(cli, boards, "--rank", "tau_ap", "--format", "jsonl")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert (rows[0]["judge"], rows[0]["measure"], rows[0]["cluster"]) == ("good", "GRADE", 1)
    assert "GRADE of judges against nDCG@10" in ran.err
    assert "p against the first" in run(cli, boards, "--rank", "tau").out


def test_groups_of_runs_have_a_table_of_their_own(cli: Cli, boards: Path, tmp_path: Path) -> None:
    ran = run(cli, boards, "--no-intervals", "--group", "odd=[ad]", "even=c")
    parts = ran.out.split("\n\n")
    (second,) = (part for part in parts if "score shift" in part)
    assert parts[0].split()[0] == second.split()[0] == "judge"
    assert [[line.split()[0], *line.split()[4:6]] for line in second.splitlines()[1:]] == [
        [judge, *group] for judge in ("good", "poor") for group in (("odd", "2"), ("even", "1"))
    ]
    assert "only this one supports the claim that the judge favours them" in ran.err
    (tmp_path / "groups").write_text("a odd\nd odd\nc even\n")
    told = run(cli, boards, "--no-intervals", "--groups", tmp_path / "groups")
    assert told.out == ran.out
    lines = run(cli, boards, "--no-intervals", "--groups", tmp_path / "groups", "--format", "csv").out.splitlines()
    rows = list(csv.DictReader(lines))
    result = compare_leaderboards(
        boards / "truth.jsonl", str(boards / "judges" / "*"), test="t", n_resamples=99, rng=1, intervals=False
    )
    expected = result.bias({"odd": "[ad]", "even": ["c"]}).groups
    for name in ("score shift", "score shift low", "score shift corrected", "tau without high"):
        assert [float(row[name]) for row in rows] == pytest.approx(list(expected[name]))


def test_wrong_groups_are_refused(cli: Cli, boards: Path) -> None:
    ran = run(cli, boards, "--no-intervals", "--group", "a=x")
    assert "--groups must each have some of the runs" in ran.err
    assert ran.status == 1
    twice = run(cli, boards, "--no-intervals", "--group", "a=x", "--group", "a=y")
    assert (twice.status, twice.err) == (1, "pt-rankcorr: error: --group must have each name once, got 'a' twice.\n")


@pytest.mark.parametrize(
    ("kept", "flag"),
    [
        (lambda run, topic: topic != "3", "--missing drop-topics"),
        (lambda run, topic: run != "b", "--missing drop-systems"),
        (lambda run, topic: run != "b" and topic != "3", "--missing skip"),
        (lambda run, topic: (run, topic) != ("b", "3"), "--missing says what to do: 'drop-topics'"),
    ],
)
def test_what_differs_is_refused_with_the_flag_that_goes_on(
    kept: Callable[[str, str], bool], flag: str, cli: Cli, boards: Path, tmp_path: Path
) -> None:
    lines = (boards / "judges" / "good.txt").read_text().splitlines()
    (tmp_path / "less").write_text("\n".join(line for line in lines if kept(line.split()[0], line.split()[2])))
    given = ["leaderboards", "--reference", boards / "truth.jsonl", "--judges", tmp_path / "less", *QUICK]
    ran = cli(*given, "--no-intervals")
    assert (ran.status, ran.out) == (1, "")
    assert flag in ran.err
    assert "`" not in ran.err
    for options in (["--on-missing", "skip"], ["--only-shared-topics", "--only-shared-runs"], ["--missing", "default"]):
        assert cli(*given, "--no-intervals", *options).status == 0
    assert cli(*given, "--no-intervals", "--only-shared-topics").status == ("skip" in flag or "systems" in flag)
