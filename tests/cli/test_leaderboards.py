"""The commands about leaderboards and labels of judges say what the functions say."""

import csv
import json
import shutil

import pytest

from pt_rankcorr import compare_judgments, compare_leaderboards, read_leaderboard, report, scores_from_runs
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.judgments import Judges, Qrels
from tests.cli.conftest import runs_of

QUICK = ["--seed", 1, "--resamples", 99, "--test", "t"]
COLUMNS = ("tau", "tau b", "tau_ap", "tau_ap b", "tau_gap", "spearman", "pearson")


def run(cli, boards, *options):
    given = ["--reference", boards / "truth.jsonl", "--judges", boards / "judges" / "*"]
    return cli("leaderboards", *given, *QUICK, *options)


def test_a_row_of_csv_has_the_columns_and_numbers_of_the_function(cli, boards):
    ran = run(cli, boards, "--format", "csv", "--quiet", "--top", 3, "--per-topic")
    assert (ran.status, ran.err) == (0, "")
    assert len(ran.out.splitlines()) == 3  # the order of judges is for people
    rows = list(csv.DictReader(ran.out.splitlines()))
    files = boards / "truth.jsonl", str(boards / "judges" / "*")
    result = compare_leaderboards(*files, test="t", n_resamples=99, rng=1, top=3).per_topic()
    assert [row["judge"] for row in rows] == ["good", "poor"]
    for row, expected in zip(rows, result, strict=True):
        values = expected.to_dict()
        for name in COLUMNS:
            for column in (name, f"{name}@3", f"{name} per topic"):
                assert float(row[column] or "nan") == pytest.approx(values[column], nan_ok=True)
        for name in ("tau low", "tau high", "tau standard error", "tau_ap low", "tau@3 low"):
            assert float(row[name] or "nan") == pytest.approx(values[name], nan_ok=True)
        assert float(row["tau p same true ranking"] or "nan") == pytest.approx(expected.pvalue, nan_ok=True)


def test_a_table_for_people(cli, boards):
    narrow, wide = run(cli, boards), run(cli, boards, "--wide", "--d-rank")
    assert narrow.out.split()[:3] == ["judge", "tau", f"[{LEVEL:.0%}]"]  # there is one measure
    assert "5 runs on 10 topics" in narrow.err
    for column in ("tau_GAP", "d_rank", "balanced accuracy", "soft"):
        assert wide.out.count(column) > narrow.out.count(column)
    assert "tau_AP b" in run(cli, boards, "--coefficients", "tau_b", "tau_ap_b", "--no-intervals").out


def test_judges_in_order(cli, boards):
    ran = run(cli, boards)
    _, order = ran.out.split("\n\n")
    result = compare_leaderboards(
        boards / "truth.jsonl", str(boards / "judges" / "*"), test="t", n_resamples=99, rng=1
    ).judges()
    assert order.strip().splitlines() == result.to_text(wide=False, width=1000).splitlines()[1:4]
    assert "p against the first" in order
    assert "GRADE of judges against nDCG@10" in ran.err
    assert result.sentence() in ran.err
    one = cli("leaderboards", "--reference", boards / "truth.jsonl", "--judges", boards / "judges" / "good.txt", *QUICK)
    assert "against the first" not in one.out
    assert cli("leaderboards", "--rank", "tau").status == 2


def test_groups_of_runs_have_a_table_of_their_own(cli, boards, tmp_path):
    ran = run(cli, boards, "--no-intervals", "--group", "odd=[ad]", "even=c")
    parts = ran.out.split("\n\n")
    (second,) = (part for part in parts if "shift [95%]" in part)
    assert parts[0].split()[0] == second.split()[0] == "judge"
    assert [line.split()[:2] for line in second.splitlines()[1:]] == [
        [judge, group] for judge in ("good", "poor") for group in ("odd", "even")
    ]
    assert "For runs of this kind: errors about single runs count as chance" in ran.err
    (tmp_path / "groups").write_text("a odd\nd odd\nc even\n")
    told = run(cli, boards, "--no-intervals", "--groups", tmp_path / "groups")
    assert told.out == ran.out
    lines = run(cli, boards, "--no-intervals", "--groups", tmp_path / "groups", "--format", "csv").out.splitlines()
    rows = list(csv.DictReader(lines))
    result = compare_leaderboards(boards / "truth.jsonl", str(boards / "judges" / "*"), test="t", n_resamples=99, rng=1)
    expected = result.bias({"odd": "[ad]", "even": ["c"]}).groups
    for name in ("shift", "shift low", "pvalue", "tau without"):
        assert [float(row[name] or "nan") for row in rows] == pytest.approx(list(expected[name]), nan_ok=True)


@pytest.mark.parametrize(
    ("kept", "flag"),
    [
        (lambda run, topic: topic != "3", "--missing drop-topics"),
        (lambda run, topic: run != "b", "--missing drop-systems"),
        (lambda run, topic: run != "b" and topic != "3", "--missing skip"),
        (lambda run, topic: (run, topic) != ("b", "3"), "--missing says what to do: 'drop-topics'"),
    ],
)
def test_what_differs_is_refused_with_the_flag_that_goes_on(kept, flag, cli, boards, tmp_path):
    lines = (boards / "judges" / "good.txt").read_text().splitlines()
    (tmp_path / "less").write_text("\n".join(line for line in lines if kept(line.split()[0], line.split()[2])))
    given = ["leaderboards", "--reference", boards / "truth.jsonl", "--judges", tmp_path / "less", *QUICK]
    ran = cli(*given, "--no-intervals")
    assert (ran.status, ran.out) == (1, "")
    assert flag in ran.err
    assert "`" not in ran.err
    for policy in ("skip", "default"):
        assert cli(*given, "--no-intervals", "--missing", policy).status == 0
    only_topics = cli(*given, "--no-intervals", "--missing", "drop-topics")
    assert only_topics.status == ("skip" in flag or "systems" in flag)


PATTERN = r"(?P<model>[a-z]+)-(?P<prompt>.+)"


@pytest.fixture
def judges(folder, tmp_path):
    """A folder of judges: two that can be used, and one whose labels contradict each other."""
    for name in ("near", "far"):
        shutil.copy(folder / f"{name}.qrels", tmp_path / f"{name}.qrels")
    text = (folder / "far.qrels").read_text()
    (tmp_path / "twice.qrels").write_text(f"{text}302 0 d0 9\n")
    return tmp_path


def given(folder, judges, *more):
    runs = ["judgments", *runs_of(folder, "nDCG@10"), "--against", judges]
    return [*runs, "--seed", 1, "--resamples", 99, "--test", "t", "--no-intervals", *more]


def test_one_bad_judge_fails_alone_and_the_end_says_so(cli, folder, judges):
    ran = cli(*given(folder, judges))
    assert ran.status == 1
    labels, rows, order = ran.out.split("\n\n")
    assert {line.split()[0] for line in order.splitlines()} == {"judge", "far", "near"}
    assert [line.split()[0] for line in labels.splitlines()] == ["labels", "the", "far", "near", "twice"]
    assert [line.split()[0] for line in rows.splitlines()] == ["judge", "far", "near"]
    error = ran.err.splitlines()[-1]
    assert error.startswith("pt-rankcorr: error: --against: 1 of 3 judges cannot be used, and are left out: 'twice': ")
    assert f"{str(judges / 'twice.qrels')!r} must have one label per document" in error
    assert error.endswith("the second in line 361.")
    found = [json.loads(line) for line in cli(*given(folder, judges, "--format", "jsonl")).out.splitlines()]
    assert [(row["judge"], row["n_outside"]) for row in found] == [("far", 0), ("near", 0)]
    (judges / "twice.qrels").unlink()
    assert cli(*given(folder, f"{judges}/*.qrels")).status == 0


@pytest.mark.parametrize(
    ("option", "values", "message"),
    [
        ("--relevance-threshold", ["1", "2"], "judge once, got '*' twice"),
        ("--relevance-threshold", ["near=1", "near=2"], "judge once, got 'near' twice"),
        ("--label-map", ["near:2=1", "near:2=0"], "label of a judge once, got ('near', 2.0) twice"),
    ],
)
def test_nothing_said_twice_of_a_judge_is_dropped(option, values, message, cli, folder, judges):
    ran = cli(*given(folder, judges, option, *values))
    assert (ran.status, ran.err) == (1, f"pt-rankcorr: error: {option} must have each {message}.\n")


def test_a_table_of_families_has_each_judge_once(cli, folder, judges, tmp_path):
    (judges / "twice.qrels").unlink()
    table = tmp_path / "families.csv"
    table.write_text("judge,model\nnear,a\nfar,b\nnear,b\n")
    ran = cli(*given(folder, judges, "--families", table, "--quiet"))
    assert (ran.status, ran.out) == (1, "")  # before anything is computed
    assert ran.err == "pt-rankcorr: error: --families must have each judge once, got 'near' twice.\n"


def test_families_and_groups(cli, boards, tmp_path):
    texts = [(boards / "judges" / f"{name}.txt").read_text() for name in ("good", "poor")]
    for at, name in enumerate(("gpt-a", "gpt-b", "llama-a", "llama-b")):
        (tmp_path / f"{name}.txt").write_text(texts[at % 2].replace("0.", f"0.{at}"))
    reference = boards / "truth.jsonl"
    how = ["leaderboards", "--reference", reference, "--judges", f"{tmp_path}/*.txt", "--seed", 1, "--no-intervals"]
    lines = cli(*how, "--families", PATTERN, "--format", "jsonl").out.splitlines()
    result = compare_leaderboards(reference, f"{tmp_path}/*.txt", rng=1, n_resamples=0)
    expected = result.families(PATTERN).to_frame()["sd"]
    assert [json.loads(line)["sd"] for line in lines] == pytest.approx(list(expected))
    settings = {"coefficient": "tau", "level": LEVEL, "seed": 1}
    assert all(json.loads(line).items() >= settings.items() for line in lines)
    (tmp_path / "factors.csv").write_text(
        "judge,model,prompt\n"
        + "".join(f"{model}-{prompt},{model},{prompt}\n" for model in ("gpt", "llama") for prompt in "ab")
    )
    told = cli(*how, "--families", tmp_path / "factors.csv")
    assert "prompt within model" in told.out
    assert "May be best" in told.err
    ran = cli(*how, "--group", "x=[ab]", "y=[bc]")
    assert ran.status == 1  # the rows stand: their computation may have taken long
    assert "judge" in ran.out
    assert "--groups must have each run once" in ran.err


@pytest.mark.whole
def test_the_page_of_judges(cli, folder, boards, tmp_path):
    """Of labels, by which runs are evaluated, and of leaderboards."""
    files, page, few = (folder / "runs", folder / "qrels"), tmp_path / "page.md", {"n_resamples": 50, "rng": 7}
    how = ["--seed", 7, "--resamples", 50, "--quiet", "--output", page, "--group"]
    given = ["--runs", files[0], "--qrels", files[1], "--measures", "AP", "--against", folder / "near.qrels"]
    assert cli("report", *given, *how, "named=[bd]*").status == 0
    compared = compare_judgments(*files, [folder / "near.qrels"], ["AP"], **few)
    made = report(scores_from_runs(*files, ["AP"]), against=compared, groups={"named": "[bd]*"}, **few)
    assert page.read_text() == made.to_markdown()
    assert rf"| judge | kappa | τ \[{LEVEL:.0%}\] |" in page.read_text()
    given = ["--leaderboard", boards / "truth.jsonl", "--against", *sorted((boards / "judges").iterdir())]
    assert cli("report", *given, *how, "first=[ab]").status == 0
    people = read_leaderboard(boards / "truth.jsonl")
    made = report(people, against=f"{boards}/judges/*", groups={"first": "[ab]"}, **few)
    assert page.read_text() == made.to_markdown()


@pytest.mark.parametrize("kind", ["labels", "leaderboards"])
@pytest.mark.whole
def test_a_page_compares_judges_over_the_same_clusters(kind, cli, folder, boards, tmp_path):
    runs, qrels, near = folder / "runs", folder / "qrels", folder / "near.qrels"
    trusted, judge = boards / "truth.jsonl", boards / "judges" / "good.txt"
    few = {"n_resamples": 50, "rng": 7}
    scores = scores_from_runs(runs, qrels, ["AP"]) if kind == "labels" else read_leaderboard(trusted)
    clusters = {topic: str(int(topic) // 2) for topic in scores.topics}
    designed = scores.with_design(clusters=clusters)
    (tmp_path / "turns.tsv").write_text("".join(f"{topic}\t{label}\n" for topic, label in clusters.items()))
    if kind == "labels":
        options = [*runs_of(folder, "AP"), "--against", near]
        compared = compare_judgments(runs, Qrels(qrels, clusters=clusters), [near], ["AP"], **few)
    else:
        options = ["--leaderboard", trusted, "--against", judge]
        compared = [judge]
    page, design = tmp_path / "page.md", ["--clusters", tmp_path / "turns.tsv"]
    assert cli("report", *options, *design, "--seed", 7, "--resamples", 50, "--quiet", "--output", page).status == 0
    assert page.read_text() == report(designed, against=compared, **few).to_markdown()


def test_only_what_is_asked_for_is_checked(cli, boards, tmp_path):
    """The judge has a measure that is rounded, and whose rows over all topics are wrong."""
    text = (boards / "judges" / "good.txt").read_text()
    other = "\n".join(line.replace("GRADE", "map")[:20] for line in text.splitlines())
    (tmp_path / "good").write_text(f"{text}\n{other}\na\tmap\tall\t77\n")
    how = ["leaderboards", "--reference", boards / "truth.jsonl", "--judges", tmp_path / "good", "--seed", 1]
    assert "map" in cli(*how, "--no-intervals").err
    asked = cli(*how, "--no-intervals", "--measures", "GRADE")
    assert asked.status == 0
    assert "map" not in asked.err
    assert "--measures must be among 'GRADE', 'map', got 'AP@3'" in cli(*how, "--measures", "AP@3").err


def test_panels_repeated_runs_and_margins(cli, boards, tmp_path):
    texts = [(boards / "judges" / f"{name}.txt").read_text() for name in ("good", "poor")]
    for at, name in enumerate(("gpt-1", "gpt-2", "llama-1", "llama-2")):
        (tmp_path / f"{name}.txt").write_text(texts[at // 2].replace("0.", f"0.{at}"))
    reference, judges = boards / "truth.jsonl", f"{tmp_path}/*.txt"
    how = ["leaderboards", "--reference", reference, "--judges", judges, *QUICK, "--panel", "all=*", "gpts=gpt*"]
    pattern = r"(?P<model>\w+)-(?P<run>\d)"
    options = ["--combine", "median", "--margin", 0.2, "--families", pattern, "--repetition", "run"]
    ran = cli(*how, *options)
    panels = {"all": "*", "gpts": "gpt*"}
    result = compare_leaderboards(
        reference, Judges(judges, panels=panels, combine="median"), test="t", n_resamples=99, rng=1
    )
    order, of_panels = result.judges(margin=0.2), result.panels()
    repetitions = result.families(r"(?P<model>\w+)-(?P<run>\d)", repetition="run").repetitions
    for shown in (order, of_panels, repetitions):
        for line in shown.to_text(wide=False, width=10_000).splitlines()[1 : 1 + len(shown.to_frame())]:
            assert " ".join(line.split()[:4]) in " ".join(ran.out.split())
    assert "p (within .20 of the first)" in ran.out
    assert "Effective: so many independent ones would err as much" in ran.err
    assert "Enough: endless runs would shorten the error by less than 10%" in ran.err
    rows = cli(*how, "--format", "csv", "--quiet").out.splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["gpt-1", "gpt-2", "llama-1", "llama-2", "all", "gpts"]
    for options, message in (
        (["--panel", "all"], "--panel must be NAME=PATTERN, got all."),
        (["--panel", "a=*", "a=x*"], "--panel must have each name once, got 'a' twice."),
        (["--repetition", "run"], "--repetition can only be used with --families."),
        (["--margin", 3], "Must be <= 2."),
    ):
        assert message in cli(*how[:-3], *options).err
