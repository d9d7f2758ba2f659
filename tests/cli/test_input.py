"""The same scores in every form give the same results; what is wrong is said in one line."""

import json
import os
import re

import numpy as np
import pytest

from pt_rankcorr import ScoreMatrix, Scores, scores_from_runs
from pt_rankcorr.cli.score_options import INPUTS, as_option
from tests.cli.conftest import MEASURES, QUICK, lines, runs_of


@pytest.fixture
def forms(folder, tmp_path):
    """Form -> the options that name scores in it."""
    frame = scores_from_runs(folder / "runs", folder / "qrels", MEASURES).to_frame()
    frame.to_csv(tmp_path / "perquery.csv", index=False)
    frame[["name", "measure", "qid", "value"]].to_csv(tmp_path / "board", sep="\t", index=False, header=False)
    frame.assign(rank=1)[["rank", "name", "measure", "qid", "value"]].to_csv(
        tmp_path / "odd", index=False, header=False
    )
    for what in ("evaluated", "wide"):
        (tmp_path / what).mkdir()
    for name, rows in frame.groupby("name", sort=False):
        rows[["measure", "qid", "value"]].to_csv(
            tmp_path / "evaluated" / f"{name}.eval", sep="\t", index=False, header=False
        )
    for measure, rows in frame.groupby("measure", sort=False):
        rows.pivot(index="qid", columns="name", values="value").to_csv(tmp_path / "wide" / f"{measure}.csv")
    return {
        "experiment": ["--experiment", tmp_path / "perquery.csv"],
        "save_dir": ["--experiment", tmp_path],
        "long": ["--scores", tmp_path / "perquery.csv"],
        "leaderboard": ["--scores", tmp_path / "board"],
        "columns": ["--scores", tmp_path / "odd", "--columns", "_,run,measure,topic,value"],
        "wide": ["--scores", *(tmp_path / "wide" / f"{measure}.csv" for measure in MEASURES)],
        "trec_eval": ["--trec-eval", tmp_path / "evaluated"],
        "files": ["--trec-eval", *(tmp_path / "evaluated").iterdir()],
        "runs": runs_of(folder, *MEASURES),
    }


def test_every_form_of_input(cli, forms):
    results = {name: cli("power", *options, "--test", "t", "--seed", 1) for name, options in forms.items()}
    table = results["runs"].out
    assert [line.split()[0] for line in table.splitlines()] == ["measure", *MEASURES]
    for result in results.values():
        assert (result.status, result.out) == (0, table)
        assert "6 systems on 12 topics" in result.err


def test_judgments_of_ir_datasets(cli, forms, folder, register):
    expected = cli("power", *forms["runs"], "--test", "t", "--seed", 1).out
    register("of-the-cli", qrels_trec=folder / "qrels")
    options = ["--runs", folder / "runs", "--irds", "of-the-cli", "--measures", *MEASURES]
    assert cli("power", *options, "--test", "t", "--seed", 1).out == expected
    against = ["--against", folder / "near.qrels", "--resamples", 99, "--seed", 1]
    by_file = cli("judgments", *runs_of(folder, "AP"), *against)
    assert cli("judgments", *options[:4], "--measures", "AP", *against) == by_file


def test_measures_are_chosen_by_any_name(cli, forms):
    ran = cli("power", *forms["experiment"], "--test", "t", "--measures", "P_5", "map", "--seed", 1)
    assert [line.split()[0] for line in ran.out.splitlines()] == ["measure", "P@5", "AP"]


def test_missing_and_lower_is_better(cli, tmp_path):
    (tmp_path / "mrt.csv").write_text("topic,a,b,c\n1,0.5,0.25,\n2,0.5,0.125,0.5\n3,0.5,0.375,0.25\n")
    options = ["power", "--scores", tmp_path / "mrt.csv", "--test", "t", "--seed", 1]
    refused = cli(*options)
    assert (refused.status, refused.out) == (1, "")
    assert "got none for 'c' on topics '1'. --missing says what to do" in refused.err
    ran = cli(*options, "--missing", "drop-systems", "--lower-is-better", "mrt")
    assert ran.status == 0
    assert "Systems without scores for some topics, left out: 1 ('c')" in ran.err


@pytest.mark.parametrize(("measures", "named"), [([], ["AP (4", "RR (3"]), (["AP"], ["AP (4"]), (["P@7"], [])])
def test_only_measures_that_are_asked_for_are_checked(measures, named, cli, tmp_path):
    scores = np.random.default_rng(0).random((40, 6))
    decimals = {"AP": 4, "RR": 3, "P@7": 12}
    rounded = Scores([ScoreMatrix(scores.round(digits), measure=name) for name, digits in decimals.items()])
    rounded.to_frame().to_csv(tmp_path / "perquery.csv", index=False)
    asked = ["--measures", *measures] if measures else []
    said = cli("power", "--experiment", tmp_path / "perquery.csv", *asked, "--test", "t", "--seed", 1).err
    assert [name for name in ("AP (4", "RR (3", "P@7 (") if name in said] == named


GIVEN, JUDGES = "--runs {runs} --qrels {qrels} --measures", "leaderboards --reference a --judges b"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("power --runs {nowhere} --qrels {qrels} --measures AP", "{nowhere}: No such file or direct"),
        *((f"power --runs {{runs}} {{folder}}/{name} --qrels {{qrels}} --measures AP", f"{{folder}}/{name}")
          for name in ("*.gz", "nowhere", "nowhere/*.run")),
        ("power --scores {nowhere}", "{nowhere}: No such file or directory"),
        ("power --experiment {folder}", "got the folder '{folder}' without one"),
        ("power --experiment {qrels}", "--experiment must have the columns name, qid, measure, value"),
        ("power --trec-eval {runs}", "must be per-topic scores as trec_eval -q"),
        ("power --scores {qrels}", "must be a table with a header"),
        ("power --scores {qrels} --columns run,points", "must be run, topic, measure, value, repeat, dataset or"),
        ("power --runs {runs} --qrels {runs}/dph.run --measures AP", "must be TREC qrels"),
        (f"power {GIVEN} AP XY", "--measures must be known to"),
        (f"power {GIVEN} AP --names tag", "--runs must have one file per tag, got two for 'tag'"),
        (f"power {GIVEN} AP --resamples 5", "--resamples must be at least 1 / alpha = 20, got 5"),
        ("power --runs {runs} --irds no-such --measures AP", "--irds must be known to ir-datasets"),
        ("power --runs {runs}/dph.run --qrels {qrels} --measures AP", "--runs must be at least 2"),
        *((f"{command} {GIVEN} AP", f"{command} must have at least 2 measures to compare, got AP. With one measure use")
          for command in ("compare", "drank")),
        (f"compare {GIVEN} {'a' * 9999}", f"at least 2 measures to compare, got {'a' * 20}"),
        *((f"{command} {GIVEN} AP P@5 --reference nDGC", "--reference must be among 'AP', 'P@5', got 'nDGC'")
          for command in ("compare", "drank", "report --output {folder}/page.html")),
        (f"judgments {GIVEN} AP --against {{qrels}} {{qrels}}", "must be files of different names, got two for"),
        (f"report {GIVEN} AP --output {{qrels}}", "--output must be another file than those that are read"),
        (f"drank {GIVEN} AP --ranking {{nowhere}}", "{nowhere}: No such file"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(arguments, message, cli, folder):
    places = {"runs": folder / "runs", "qrels": folder / "qrels", "folder": folder, "nowhere": folder / "nowhere"}
    ran = cli(*(argument.format(**places) for argument in [*arguments.split(), "--quiet"]))
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("pt-rankcorr: error: ")
    assert message.format(**places) in ran.err
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 1000
    assert "`" not in ran.err
    assert places["qrels"].read_text().startswith("301 0 d0 ")  # no output replaces an input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("power", f"One of the options {' '.join(map(as_option, INPUTS))} is required"),
        ("power --scores a --experiment b", "--scores is not allowed with --experiment"),
        ("power --runs a --measures AP", "--runs needs either --qrels FILE or --irds ID, got neither"),
        ("power --runs a --qrels b --irds c", "needs either --qrels FILE or --irds ID, got --qrels and"),
        ("power --runs a --qrels b", "--runs needs --measures"),
        ("power --runs a --qrels b --measures AP --download", "--download can only be used with --irds"),
        ("power --experiment a --columns run,topic,value", "--columns can only be used with --scores"),
        ("power --experiment a --sep tab", "--sep can only be used with --scores"),
        ("power --experiment a --decimal ,", "--decimal can only be used with --scores"),
        ("power --scores a --alpha 2", '"2.0" for --alpha. Must be < 1.'),
        ("power --scores a --resamples 1", "for --resamples. Must be >= 2."),
        ("power --scores a --seed -1", "for --seed. Must be >= 0."),
        ("power --scores a --format xml", 'Invalid value "xml" for --format. Choose from'),
        ("expected --scores a --target nan", "for --target. Must be <= 1."),
        ("drank --scores a --null two-sample", 'Invalid value "two-sample" for --null'),
        ("judgments --runs a --qrels b --measures AP", "--against requires an argument"),
        ("judgments --against c", "--runs is required"),
        ("report --scores a", "--output requires an argument"),
        ("power --scores a --sed=3", "Unknown option: --sed. Did you mean --seed?"),
        ("power --scorse a", "Unknown option: --scorse. Did you mean --scores?"),
        ("judgments --scores a --against c", "judgments has no --scores. Commands with it: compare, drank, expected, "),
        ("judgments --scores=a --against c", "report. With scores under each judge's labels, use leaderboards."),
        ("power --against a", "power has no --against. Commands with it: judgments, labels, report."),
        (
            "compare --runs a --qrels b c --measures AP",
            "--runs must name a folder or a pattern in quotes for each",
        ),
        ("demo --topics 1", "--topics. Must be >= 2."),
        ("demo --topics many", 'unable to convert "many" into int'),
        ("powr", 'Unknown command "powr". Did you mean "power"?'),
        ("power AP.csv", "AP.csv needs an option before it, as pt-rankcorr power --help shows"),
        ("power --scores a --measures , --seed 1", "must have at least one name, got none"),
        ("power --scores a --measures --seed 1", "--measures requires at least 1 element"),
        ("swap --scores a --topics 5 --of halves", "--of is not allowed with --topics"),
        ("drank --scores a --only-shared-runs", "--only-shared-runs can only be used with --ranking"),
        ("curve --runs a --qrels b --measures AP", "One of the options --depths --shares is required"),
        ("ranks --scores a --plot ranks.doc", "must end in .png, .pdf or .svg, got ranks.doc"),
        (f"{JUDGES} --group a", "must be NAME=PATTERN, got a"),
        ("power --scores a --alpha .1 --alpha .2", "Parameter --alpha specified multiple times"),
        (f"{JUDGES} --group a=b --groups c", "--groups is not allowed with --group"),
        ("judgments --runs a --qrels b --measures AP --against c --label-map x=1", "Labels must be numbers, got x"),
        ("power --scores a --clusters (", "It must be a file or a regular expression, got '('"),
    ],
)
def test_wrong_usage(arguments, message, cli):
    ran = cli(*arguments.split())
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("pt-rankcorr: error: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_several_collections_of_runs(cli, folder, tmp_path, register):
    """They are those of several files of judgments, or datasets, and each has a folder of runs."""
    qrels = [line.split() for line in (folder / "qrels").read_text().splitlines()]
    halves = {name: [row for row in qrels if (int(row[0]) % 2 == 0) == (name == "even")] for name in ("odd", "even")}
    for name, rows in halves.items():
        (tmp_path / f"{name}.qrels").write_text("\n".join(map(" ".join, rows)))
        register(f"{name}-of-the-cli", qrels_trec=tmp_path / f"{name}.qrels")
    given = ["compare", "--runs", folder / "runs", folder / "runs", "--measures", "AP", "P@5", *QUICK]
    by_name = {}
    for option, names in (
        ("--qrels", [tmp_path / "odd.qrels", tmp_path / "even.qrels"]),
        ("--irds", ["odd-of-the-cli", "irds:even-of-the-cli"]),
        ("--qrels", ["irds:odd-of-the-cli", tmp_path / "even.qrels"]),
    ):
        rows = lines(cli(*given, option, *names))
        by_name[tuple(dict.fromkeys(row["collection"] for row in rows))] = [row["tau"] for row in rows]
    assert list(by_name) == [
        ("odd", "even"), ("irds:odd-of-the-cli", "irds:even-of-the-cli"), ("irds:odd-of-the-cli", "even")
    ]  # fmt: skip
    first, *others = by_name.values()
    assert all(values == first for values in others)
    refused = cli("power", *map(str, given[1:]), "--qrels", *(tmp_path / f"{name}.qrels" for name in halves))
    assert "--qrels must be one, got 2; only compare takes several." in refused.err
    twice = cli(*given, "--qrels", tmp_path / "odd.qrels", tmp_path / "odd.qrels")
    assert "--qrels must have each name of a folder or file once, got 'odd' twice" in twice.err


def test_measures_are_between_blanks_or_commas(cli, forms):
    expected = cli("power", *forms["wide"], "--measures", "AP", "P@5", "--test", "t", "--seed", 1).out
    for form in (forms["runs"][:-4], forms["wide"]):
        for written in (["AP,P@5"], ["AP,", "P@5"], ["AP ,P@5,"]):
            assert cli("power", *form, "--measures", *written, "--test", "t", "--seed", 1).out == expected


def test_a_table_with_a_comma_in_its_name_is_a_measure(cli, tmp_path):
    (tmp_path / "a,b.csv").write_text("topic,x,y\n1,0.5,0.25\n2,0.5,0.125\n3,0.5,0.375\n")
    ran = cli("power", "--scores", tmp_path / "a,b.csv", "--test", "t", "--measures", "a,b")
    assert "a,b: " in ran.err  # the column of one measure is left out


@pytest.mark.parametrize("wrong", ["AP ndgc@10", "AP P@5 --reference P@50", "AP"])
def test_measures_are_checked_before_runs(wrong, cli, folder, monkeypatch):
    monkeypatch.delattr("pt_rankcorr.io.trec.read_run")  # which would fail with another message
    ran = cli("compare", *runs_of(folder, *wrong.split()))
    assert (ran.status, ran.out) == (1, "")
    assert re.search(r"known to .* Did you|--reference must be among|must have at least 2 measures", ran.err)


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="the system has no such file")
@pytest.mark.parametrize("name", ["long", "wide"])
def test_a_dash_is_standard_input(cli, forms, name):
    path, standard_input = forms[name][1], os.dup(0)
    expected = lines(cli("ranks", "--scores", path, *QUICK))
    try:
        with open(path, "rb") as file:
            os.dup2(file.fileno(), 0)
        found = lines(cli("ranks", "--scores", "-", *QUICK))
    finally:
        os.dup2(standard_input, 0)
        os.close(standard_input)
    if name == "wide":  # whose measure is the name of the file
        assert {row["measure"] for row in found} == {"stdin"}
        expected = [{**row, "measure": "stdin"} for row in expected]
    assert found == expected


def test_systems_and_topics_may_be_dropped_and_kept(cli, tmp_path):
    path = tmp_path / "AP.csv"
    path.write_text("topic,a,b,c,mean\n1,.1,.2,.3,.9\n2,.3,.1,.2,.8\n3,.2,.4,.1,.7\nTotal,.6,.7,.6,.1\n")
    ran = cli("ranks", "--scores", path, "--drop", "c", "2", *QUICK)
    assert [row["system"] for row in map(json.loads, ran.out.splitlines())] == ["b", "a"]
    ran = cli("ranks", "--scores", path, "--keep", "mean", "Total", *QUICK)
    assert json.loads(ran.out.splitlines()[0])["system"] == "mean"
    assert (
        "--drop must be among '1', '2', '3', 'a', 'b' and 1 more, got 'd'"
        in cli("ranks", "--scores", path, "--drop", "d").err
    )
    assert (
        "--keep cannot be used with --runs"
        in cli("ranks", "--runs", path, "--qrels", path, "--measures", "AP", "--keep", "x").err
    )
