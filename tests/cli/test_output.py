"""What is printed, and where."""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pt_rankcorr.cli.output import Results, in_terminal
from pt_rankcorr.tables import WORD, Table, constant, joined, kind_of
from tests.cli.conftest import Cli, Ran, runs_of

NAMES = ["=1+1", "+a", "-b", "@c", "\tx", "plain, comma", 'a "quote"', "two\nlines"]


def of(*rows: dict[str, object]) -> Iterator[Table]:
    """A table of each row."""
    for row in rows:
        kinds = (WORD if isinstance(value, str) else kind_of(name) for name, value in row.items())
        columns = (constant(*item, kind) for item, kind in zip(row.items(), kinds, strict=True))
        yield Table(tuple(columns), [row])


def write(tables: Iterator[Table], form: str) -> None:
    with Results(form) as output:
        for table in tables:
            output.add(table)


# --- forms --------------------------------------------------------------------------------------------------


def test_csv_is_safe_in_spreadsheets_and_complete(capsys: pytest.CaptureFixture[str]) -> None:
    write(of(*({"measure": name, "tau": -0.1 - 0.2, "n": 3, "low": math.nan} for name in NAMES)), "csv")
    header, *rows = csv.reader(capsys.readouterr().out.splitlines(keepends=True))
    assert header == ["measure", "tau", "n", "low"]
    assert [row[0] for row in rows] == [f"'{name}" for name in NAMES[:5]] + NAMES[5:]
    assert {tuple(row[1:]) for row in rows} == {("-0.30000000000000004", "3", "")}


def test_json_lines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Without halves of characters, such as names of files that are no UTF-8 have: strict readers refuse them."""
    write(of({"measure": "caf\udce9\nline", "low": math.nan, "topics": math.inf, "n": 3, "p": 1e-300}), "jsonl")
    line = capsys.readouterr().out
    expected = {"measure": "caf\\udce9\nline", "low": None, "topics": "inf", "n": 3, "p": 1e-300}
    assert json.loads(line) == expected


def test_a_narrow_terminal_gets_parts_with_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
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


# --- what is done is kept -----------------------------------------------------------------------------------


def interrupted() -> Iterator[Table]:
    yield from of({"measure": "AP", "tau": 0.5})
    raise KeyboardInterrupt


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "latex"])
def test_an_interrupt_keeps_what_is_done(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        write(interrupted(), form)
    write(of({"measure": "AP", "tau": 0.5}), form)
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :] != ""


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    options = map(str, runs_of(folder, "AP", "RR", "P@5", "P@10"))
    command = [sys.executable, "-m", "pt_rankcorr", *arguments, *options, "--seed", "1"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_an_interrupt_while_libraries_load(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def loading(**_: object) -> None:
        raise ImportError("initialization failed") from KeyboardInterrupt()

    monkeypatch.setattr("pt_rankcorr.demo.study.run", loading)
    assert cli("demo") == Ran(130, "", "interrupted\n")


# --- processes ----------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_a_reader_that_has_had_enough(folder: Path) -> None:
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
def test_a_full_disk(arguments: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # with it, argparse itself says nothing of what it cannot say
    options = [*arguments.split(), "--quiet", *map(str, runs_of(folder, "AP"))]
    command = [sys.executable, "-m", "pt_rankcorr", *options]
    with open("/dev/full", "w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == "pt-rankcorr: error: cannot write the results: No space left on device\n"


def test_warnings_are_messages_said_once(cli: Cli, folder: Path) -> None:
    options = [*runs_of(folder, "AP", "RR", "P@5"), "--seed", 1]
    published = ["--null", "published", "--covariance", "sample", "--resamples", 99]
    ran = cli("compare", *options, *published)
    (warning,) = [line for line in ran.err.splitlines() if "warning" in line]
    assert warning.startswith("pt-rankcorr: warning: 6 systems on 12 topics: the covariance is poorly estimated")
    assert " Use --null " in warning
    assert cli("compare", *options, *published, "--quiet") == Ran(0, ran.out, "")
