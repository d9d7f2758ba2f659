"""The command `tau`: rankings whose systems have one score each."""

import json

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
        "pt-rankcorr: 90% interval of tau: over the sampling of systems, by Kendall. tau_AP and tau_GAP weigh the top "
        f"of the reference, the first column.\n{TOLD}"
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


def test_a_matrix(files, cli):
    both = ["--scores", files / "arena.csv", files / "grades.md"]
    ran = cli("tau", *both, "--matrix", "--coefficient", "tau_ap", "--format", "jsonl")
    assert ran.err.endswith(TOLD)
    matrix = {row.pop("reference column"): row for row in map(json.loads, ran.out.splitlines())}
    assert list(matrix) == ["elo", "strict", "grade"]
    assert matrix["elo"]["grade"] == pytest.approx(rc.tau_ap(ELO, GRADE))
    assert matrix["grade"]["elo"] == pytest.approx(rc.tau_ap(GRADE, ELO))
    assert cli("tau", *both, "--matrix").out.splitlines()[0].split() == ["reference", "elo", "strict", "grade"]


def test_systems_that_a_column_lacks(files, cli):
    table = files / "arena.csv"
    table.write_text(table.read_text().replace("e,640", "e,-") + "6,f,500\n")
    given = ["tau", "--scores", table, files / "grades.md", "--columns", "elo", "strict"]
    ran = cli(*given)
    assert (ran.status, ran.out) == (1, "")
    assert "--scores must have a score of each system in all columns, got none for 'e' in 'elo'" in ran.err
    ran = cli(*given, "--only-shared-runs", "--format", "jsonl")
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
