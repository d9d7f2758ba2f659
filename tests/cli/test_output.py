"""What is printed, and where; the same bytes whatever order Python's sets have."""

import csv
import json
import math
import os
import re
import subprocess
import sys

import pytest

from pt_rankcorr.cli.output import Results, in_terminal
from pt_rankcorr.tables import WORD, Table, constant, joined, kind_of
from tests.cli.conftest import Ran, runs_of

NAMES = ["=1+1", "+a", "-b", "@c", "\tx", "plain, comma", 'a "quote"', "two\nlines"]


def of(*rows):
    """A table of each row."""
    for row in rows:
        kinds = (WORD if isinstance(value, str) else kind_of(name) for name, value in row.items())
        columns = (constant(*item, kind) for item, kind in zip(row.items(), kinds, strict=True))
        yield Table(tuple(columns), [row])


def write(tables, form):
    with Results(form) as output:
        for table in tables:
            output.add(table)


def test_csv_is_safe_in_spreadsheets_and_complete(capsys):
    write(of(*({"measure": name, "tau": -0.1 - 0.2, "n": 3, "low": math.nan} for name in NAMES)), "csv")
    header, *rows = csv.reader(capsys.readouterr().out.splitlines(keepends=True))
    assert header == ["measure", "tau", "n", "low"]
    assert [row[0] for row in rows] == [f"'{name}" for name in NAMES[:5]] + NAMES[5:]
    assert {tuple(row[1:]) for row in rows} == {("-0.30000000000000004", "3", "")}


def test_json_lines_are_json(capsys):
    """Without halves of characters, such as names of files that are no UTF-8 have: strict readers refuse them."""
    write(of({"measure": "caf\udce9\nline", "low": math.nan, "topics": math.inf, "n": 3, "p": 1e-300}), "jsonl")
    line = capsys.readouterr().out
    expected = {"measure": "caf\\udce9\nline", "low": None, "topics": "inf", "n": 3, "p": 1e-300}
    assert json.loads(line) == expected


def test_a_narrow_terminal_gets_parts_with_the_names(monkeypatch):
    rows = ({"measure": name, "first": 0.25, "second": 0.5, "third": 1.0} for name in ("AP", "nDCG@10"))
    table = joined([*of(*rows)])
    wide = "measure  first  second  third\nAP        .250    .500  1.000\nnDCG@10   .250    .500  1.000"
    first, last = "\n".join(line[:22] for line in wide.splitlines()), "measure  third\nAP       1.000\nnDCG@10  1.000"
    parts = f"{first}\n\n{last}"
    for columns, expected in [("29", wide), ("28", parts), ("22", parts), ("0", wide)]:
        monkeypatch.setenv("COLUMNS", columns)
        assert in_terminal(table) == expected
    monkeypatch.setenv("COLUMNS", "3")
    assert in_terminal(table).count("measure") == 3


def interrupted():
    yield from of({"measure": "AP", "tau": 0.5})
    raise KeyboardInterrupt


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "latex"])
def test_an_interrupt_keeps_what_is_done(form, capsys):
    with pytest.raises(KeyboardInterrupt):
        write(interrupted(), form)
    write(of({"measure": "AP", "tau": 0.5}), form)
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :] != ""


def started(folder, *arguments):
    options = map(str, runs_of(folder, "AP", "RR", "P@5", "P@10"))
    command = [sys.executable, "-m", "pt_rankcorr", *arguments, *options, "--seed", "1"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.whole
def test_a_reader_that_has_had_enough(folder):
    with started(folder, "power", "--test", "t", "--format", "csv", "--quiet") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    "arguments", ["compare --help", *(f"power --test t --format {form}" for form in ("table", "csv"))]
)
@pytest.mark.whole
def test_a_full_disk(arguments, folder, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # with it, argparse itself says nothing of what it cannot say
    options = [*arguments.split(), "--quiet", *map(str, runs_of(folder, "AP"))]
    command = [sys.executable, "-m", "pt_rankcorr", *options]
    with open("/dev/full", "w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == "pt-rankcorr: error: standard output: No space left on device\n"


def test_warnings_are_messages_said_once(cli, folder):
    options = [*runs_of(folder, "AP", "RR", "P@5"), "--seed", 1]
    published = ["--d-rank", "--null", "published", "--covariance", "sample", "--resamples", 99]
    ran = cli("compare", *options, *published)
    (warning,) = [line for line in ran.err.splitlines() if "warning" in line]
    assert warning.startswith("pt-rankcorr: warning: 6 systems on 12 topics: the covariance is poorly estimated")
    assert " Use --null " in warning
    assert cli("compare", *options, *published, "--quiet") == Ran(0, ran.out, "")


RUN_ALL = """if True:
    import contextlib, io, json, sys, warnings
    warnings.simplefilter("ignore")
    from pt_rankcorr.cli import main
    for arguments in json.loads(sys.argv[1]):
        for form in ("table", "csv"):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                status = main([*arguments, "--format", form])
            print("status", status, said.getvalue())
"""


@pytest.mark.whole
def test_outputs_do_not_depend_on_the_seed_of_hashes(folder, boards):
    source = f"--runs {folder}/runs --qrels {folder}/qrels --measures AP nDCG@10 P@5 --seed 1"
    quick, judges = f"{source} --resamples 99", f"--against {folder}/near.qrels {folder}/far.qrels"
    commands = [
        f"compare {quick} --top 3 --per-topic",
        f"drank {quick}",
        f"expected {quick}",
        f"ranks {quick}",
        f"power {quick}",
        f"swap {quick}",
        f"stability {quick} --fuzziness 0.05",
        f"judgments {quick} {judges} --group x=b* --label-map 2=1 --relevance-threshold near=2",
        f"judgments {quick} {judges} --d-rank --wide",
        f"leaderboards --reference {boards}/truth.jsonl --judges {boards}/judges/*.txt --missing skip --seed 1 "
        "--resamples 99",
        f"curve {quick} --depths 1 5",
        f"labels --qrels {folder}/qrels --against {folder}/near.qrels",
        f"alpha --judges {folder}/qrels {folder}/near.qrels",
    ]
    texts = json.dumps([command.split() for command in commands])
    outputs = []
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        ran = subprocess.run([sys.executable, "-c", RUN_ALL, texts], capture_output=True, env=environment, check=True)
        outputs.append(ran.stdout)
    assert outputs[0] == outputs[1]
    assert re.findall(rb"status [^0].*\n.*", outputs[0]) == []


def run(*arguments, columns=150):
    environment = {**os.environ, "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "pt_rankcorr", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture(scope="module")
def demo():
    return run("demo")


@pytest.mark.whole
def test_demo_prints_two_tables_and_what_they_mean(demo):
    assert demo.returncode == 0
    what, by_system, by_measure, sentences = demo.stdout.split("\n\n")
    assert what == "A synthetic collection: generated documents, topics and labels."
    assert len(by_system.splitlines()) == 30
    assert by_system.split()[:2] == ["name", "AP"]
    assert by_measure.split()[:5] == ["measure", "tau", "tau", "if", "one"]
    assert {line.split()[0] for line in by_measure.splitlines()[1:]} == {"AP", "nDCG@10", "P@10"}
    assert sentences.count(".\n") == 4
    assert "could not be the true ranking by AP (p < .001)." in sentences
    assert "nan" not in demo.stdout.lower()


@pytest.mark.whole
def test_progress_is_for_terminals(demo, cli):
    assert "29/29" not in demo.stderr
    assert "\r" not in demo.stderr
    assert "Warning" not in demo.stderr
    assert cli("demo", "--quiet", "--topics", "10").err == ""
