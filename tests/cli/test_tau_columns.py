"""The command `tau`: rankings whose systems have one score each."""

import json
import re
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

import pt_rankcorr as rc
from tests.cli.conftest import lines

ELO, GRADE, STRICT = [1204, 990, 1010, 870, 640], [0.7, 0.66, 0.59, 0.66, 0.31], [0.6, 0.5, 0.55, 0.3, 0.2]
NAMES = ["a", "b", "c", "d", "e"]
TOLD = "pt-rankcorr: Without scores of topics nothing can be said about the sampling of topics.\n"


@pytest.fixture
def files(tmp_path):
    rows = enumerate(zip(NAMES, ELO, strict=True), 1)
    (tmp_path / "arena.csv").write_text("rank,model,elo\n" + "".join(f"{n},{name},{elo}\n" for n, (name, elo) in rows))
    table = "".join(f"| {name} | 30 | {s} | {g} |\n" for name, s, g in zip(NAMES, STRICT, GRADE, strict=True))
    (tmp_path / "grades.md").write_text(f"| System | n_topics | strict | grade |\n|---|---|---|---|\n{table}")
    return tmp_path


def test_two_columns(files, cli):
    given = ["--scores", files / "arena.csv", files / "grades.md", "--columns", "elo", "grade"]
    (row,) = lines(cli("tau", *given, "--format", "jsonl", "--quiet"))
    assert (row["reference"], row["compared"], row["n_systems"]) == ("elo", "grade", 5)
    assert row["tau"] == rc.kendall_tau(ELO, GRADE)
    assert (row["tau low"], row["tau high"]) == rc.stats.kendall_interval(row["tau"], 5)
    assert row["tau_b"] == pytest.approx(kendalltau(ELO, GRADE)[0])
    assert row["tau_ap"] == rc.tau_ap(ELO, GRADE) != rc.tau_ap(GRADE, ELO)
    assert row["tau_gap"] == rc.tau_gap(ELO, GRADE)
    assert row["spearman"] == pytest.approx(spearmanr(ELO, GRADE)[0])
    assert row["pearson"] == pytest.approx(pearsonr(ELO, GRADE)[0])
    ran = cli("tau", *given, "--level", 0.9)
    assert ran.err == (
        "pt-rankcorr: Of 10 pairs, 'elo' ties 0 and 'grade' 1. If rounding made these ties, tau of the exact scores is "
        "between .40 and .60.\npt-rankcorr: 90% interval of tau: Kendall's bound, over the sampling of independent "
        "systems, which runs of one team are not. tau_AP and tau_GAP weigh the top of the reference, the first "
        f"column.\n{TOLD}"
    )
    assert "tau [90%]" in ran.out
    assert ran.out.splitlines()[1].split()[:3] == ["elo", "grade", "5"]


def test_the_only_two_columns_of_one_file_or_two(files, cli):
    ran = cli("tau", "--scores", files / "grades.md", "--format", "csv")
    assert ran.out.splitlines()[1].startswith("strict,grade,5,")
    assert "Columns left out: 'n_topics' (the same for all)." in ran.err
    (files / "mine.txt").write_text("".join(f"{name} {5 - n}.5\n" for n, name in enumerate(reversed(NAMES))))
    ran = cli("tau", "--scores", files / "arena.csv", files / "mine.txt", "--format", "jsonl")
    row = json.loads(ran.out)
    assert (row["reference"], row["compared"], row["tau"]) == ("elo", "mine", -0.8)
    assert "Columns left out: 'rank' (ranks)." in ran.err


def test_ranks(files, cli):
    given = ["--scores", files / "arena.csv", "--columns", "rank", "elo", "--format", "jsonl"]
    ran = cli("tau", *given)
    assert "'rank' has the numbers from 1 to 5, each once. If these are ranks, --lower-is-better says so." in ran.err
    assert json.loads(ran.out)["tau"] == -0.8
    (row,) = lines(cli("tau", *given, "--lower-is-better", "rank", "--quiet"))
    assert row["tau"] == 0.8
    (files / "tied.csv").write_text("system,rank,AP\na,1,.9\nb,1,.8\nc,3,.7\nd,4,.6\n")
    told = cli("tau", "--scores", files / "tied.csv", "--columns", "rank", "AP").err
    assert "'rank' is called as ranks are. If these are ranks, --lower-is-better says so." in told


def test_a_matrix(files, cli):
    both = ["--scores", files / "arena.csv", files / "grades.md"]
    ran = cli("tau", *both, "--matrix", "--coefficient", "tau_ap", "--format", "jsonl")
    assert ran.err.endswith(TOLD)
    matrix = {row.pop("reference column"): row for row in map(json.loads, ran.out.splitlines())}
    assert list(matrix) == ["elo", "strict", "grade"]
    assert matrix["elo"]["grade"] == pytest.approx(rc.tau_ap(ELO, GRADE))
    assert matrix["grade"]["elo"] == pytest.approx(rc.tau_ap(GRADE, ELO))
    assert cli("tau", *both, "--matrix").out.splitlines()[0].split() == ["reference", "elo", "strict", "grade"]


def test_a_matrix_has_the_range_over_ties_that_pairs_have(files, cli):
    both = ["--scores", files / "arena.csv", files / "grades.md", "--format", "jsonl"]
    ran = cli("tau", *both, "--matrix")
    rows = {row["reference column"]: row for row in map(json.loads, ran.out.splitlines())}
    for pair in combinations(rows, 2):
        (row,) = lines(cli("tau", *both, "--columns", *pair, "--quiet"))
        for first, second in permutations(pair):
            ends = [rows[first][f"{second} {end}"] for end in ("least", "most")]
            assert ends == [row["tau least"], row["tau most"]]
    said = r"Ties leave tau of 2 of 3 pairs .* 'elo' and 'grade', widest open, is between \.40 and \.60"
    assert re.search(said, ran.err)


def test_systems_that_a_column_lacks(files, cli):
    table = files / "arena.csv"
    table.write_text(table.read_text().replace("e,640", "e,-") + "6,f,500\n")
    given = ["tau", "--scores", table, files / "grades.md", "--columns", "elo", "strict"]
    ran = cli(*given)
    assert (ran.status, ran.out) == (1, "")
    assert "--scores must have a score of each system in all columns, got none for 'e' in 'elo'" in ran.err
    ran = cli(*given, "--missing", "skip", "--format", "jsonl")
    assert "Left out, since not all columns have them: 'e', 'f'." in ran.err
    assert json.loads(ran.out)["n_systems"] == 4


def test_a_column_that_ties_all(files, cli):
    ran = cli("tau", "--scores", files / "grades.md", "--columns", "n_topics", "grade", "--format", "jsonl")
    assert "'n_topics' ties all systems: its coefficients are undefined." in ran.err
    assert json.loads(ran.out)["tau"] is None


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ("{arena} {grades}", 2, "must name those to compare among 'elo', 'strict', 'grade'; --matrix compares"),
        ("{arena}", 1, "--scores must have at least 2 columns of scores, got 'elo'"),
        ("{grades} --columns grades strict", 1, "got 'grades'. Did you mean 'grade'?"),
        ("{grades} --columns grade", 1, "--columns must name at least 2 columns, each once, got 'grade'"),
        ("{grades} --columns grade grade", 1, "each once, got 'grade', 'grade'"),
        ("{grades} --lower-is-better rank", 1, "--lower-is-better must be among"),
        ("{text} --columns elo note", 1, "must have numbers, got in 'note' of '{text}' 'ok' in line 2. It is no"),
        ("{text} --columns elo", 1, "--columns must name at least 2 columns, each once, got 'elo'"),
    ],
)  # fmt: skip
def test_wrong_columns(options, status, message, files, cli):
    (files / "text.csv").write_text("model,elo,note\na,1.5,ok\nb,2.5,1\n")
    places = {"arena": files / "arena.csv", "grades": files / "grades.md", "text": files / "text.csv"}
    ran = cli("tau", "--scores", *(option.format(**places) for option in options.split()))
    assert (ran.status, ran.out) == (status, "")
    assert message.format(**places) in ran.err
    assert "`" not in ran.err


def test_summaries_groups_directions_and_tables_of_a_page(cli, tmp_path):
    path = tmp_path / "lb.md"
    table = "| model | score | latency (ms) | Average |\n|---|---|---|---|\n| a | 3 | 10 | 1 |\n| b | 2 | 20 | 2 |\n"
    path.write_text(f"# First\n{table}| mean | 2.5 | 15 | 1.5 |\n\n# Second\n{table}| c | 1 | 5 | 9 |\n")
    assert (
        "--table chooses one, by its number or the heading above it: '1', '2', 'First'"
        in cli("tau", "--scores", path).err
    )
    ran = cli("tau", "--scores", path, "--table", "First", "--format", "jsonl")
    assert json.loads(ran.out)["tau"] == 1.0
    for said in ("left out: 'mean'", "Lower is better, as headings say: 'latency (ms)'", "'Average' (over the others"):
        assert said in ran.err
    ran = cli("tau", "--scores", path, "--table", "1", "--keep", "mean", "--format", "jsonl")
    assert json.loads(ran.out)["n_systems"] == 3
    (tmp_path / "by.csv").write_text("algorithm,item,score\nelo,x,3\nelo,y,2\nelo,z,1\nwins,x,3\nwins,y,1\nwins,z,2\n")
    assert "--groups names the column that tells them apart" in cli("tau", "--scores", tmp_path / "by.csv").err
    ran = cli("tau", "--scores", tmp_path / "by.csv", "--groups", "algorithm", "--format", "jsonl")
    assert json.loads(ran.out)["tau"] == pytest.approx(1 / 3)


def orders(scores):
    """All rankings, as places, that break the ties of scores."""
    return [
        p for p in permutations(range(len(scores))) if all(p[i] < p[j] for i in p for j in p if scores[i] < scores[j])
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_range_of_tau_is_that_over_all_ways_to_break_ties(seed, cli, tmp_path):
    first, second = np.random.default_rng(seed).integers(0, 3, (2, 5))
    taus = [rc.kendall_tau(a, b) for a in orders(first) for b in orders(second)]
    table = "".join(f"{name},{a}.5,{b}.5\n" for name, a, b in zip(NAMES, first, second, strict=True))
    (tmp_path / "ties.csv").write_text(f"system,a,b\n{table}")
    row = json.loads(cli("tau", "--scores", tmp_path / "ties.csv", "--format", "jsonl").out)
    assert (row["tau least"], row["tau most"]) == pytest.approx((min(taus), max(taus)))
    assert row["tau"] == pytest.approx(np.mean(taus))
    of_pairs = [sum(a == b for a, b in combinations(side, 2)) for side in (first, second)]
    assert [row["tied pairs of reference"], row["tied pairs of compared"]] == of_pairs


def test_copies_of_a_run_are_named_and_dropped(cli, tmp_path):
    path = tmp_path / "lb.csv"
    path.write_text("system,x,y\na,.31,.4\ncopy,.31,.4\nc,.3,.5\nd,.2,.5\ne,.1,.2\n")
    ran = cli("tau", "--scores", path)
    assert "Equal in all columns: 'a', 'copy'. Copies of a run count as so many systems: --drop leaves" in ran.err
    ran = cli("tau", "--scores", path, "--drop", "copy", "--format", "jsonl")
    assert json.loads(ran.out)["n_systems"] == 4
    assert "Equal" not in ran.err
    assert "--drop must name systems of --scores, got 'f'" in cli("tau", "--scores", path, "--drop", "f").err


def test_tau_within_groups_and_their_mean_beside_the_pooled_one(cli, tmp_path):
    rows = [f"d{n},{name},{n + place / 9},{n - place / 9}" for n in range(3) for place, name in enumerate(NAMES)]
    path = tmp_path / "groups.csv"
    path.write_text("\n".join(["dataset,system,judge,human", *rows, "d9,a,10.5,10.5", ""]))
    ran = cli("tau", "--scores", path, "--format", "jsonl")
    pooled, *groups, mean = map(json.loads, ran.out.splitlines())
    assert (pooled["group"], pooled["n_systems"]) == ("all, pooled", 16)
    assert pooled["tau"] > 0
    assert [(row["group"], row["tau"]) for row in groups] == [(f"d{n}", -1.0) for n in range(3)]
    assert (mean["group"], mean["tau"], mean["tau low"]) == ("mean of 3", -1.0, None)
    assert "and -1.00 in their mean: groups differ in level" in ran.err
    assert "Groups of one system, which are in the pooled row alone: 'd9'." in ran.err
    assert "Systems of all groups are ranked together" in cli("tau", "--scores", path, "--matrix").err


def test_a_matrix_takes_the_systems_of_each_pair(cli, tmp_path):
    boards = {"x": "abcd", "y": "abce", "z": "abef"}
    for place, (name, systems) in enumerate(boards.items()):
        lines_of = [f"{system},{(place + 2) * ord(system) % 7}.5" for system in systems]
        (tmp_path / f"{name}.csv").write_text("\n".join(["system,score", *lines_of, ""]))
    given = ["tau", "--scores", *(tmp_path / f"{name}.csv" for name in boards), "--matrix"]
    assert "--missing skip leaves out of each pair what one of its two lacks" in cli(*given).err
    ran = cli(*given, "--missing", "skip", "--format", "jsonl")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    names = [row["reference column"] for row in rows]
    assert [[row[f"{name} systems"] for name in names] for row in rows] == [[4, 3, 2], [3, 4, 3], [2, 3, 4]]
    assert "share few systems, which say little: 'x score' with 'y score' 3, 'x score' with 'z score' 2" in ran.err
    assert "(2)" in cli(*given, "--missing", "skip").out
