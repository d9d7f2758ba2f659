from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pt_rankcorr.cli import main

pytestmark = pytest.mark.whole


def run(*arguments: str, columns: int = 150) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "pt_rankcorr", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture(scope="module")
def demo() -> subprocess.CompletedProcess[str]:
    return run("demo")


def test_demo_prints_two_tables_and_what_they_mean(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.returncode == 0
    what, by_system, by_measure, sentences = demo.stdout.split("\n\n")
    assert what == "A synthetic collection: generated documents, topics and labels."
    assert len(by_system.splitlines()) == 30
    assert by_system.split()[:2] == ["name", "AP"]
    assert by_measure.split()[:3] == ["measure", "tau", "tau_ap"]
    assert {line.split()[0] for line in by_measure.splitlines()[1:]} == {"AP", "nDCG@10", "P@10"}
    assert sentences.count(".\n") == 3
    assert "could not be the true ranking by AP (p < .001): " in sentences
    assert "nan" not in demo.stdout.lower()


def test_progress_is_for_terminals(demo: subprocess.CompletedProcess[str]) -> None:
    assert "29/29" not in demo.stderr
    assert "\r" not in demo.stderr
    assert "Warning" not in demo.stderr
    quiet = run("demo", "--quiet", "--topics", "10")
    assert quiet.returncode == 0
    assert not quiet.stderr


def test_bad_arguments_are_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in [
        (["demo", "--topics", "1"], "--topics. It must be from 2 to 90, got 1"),
        (["demo", "--topics", "many"], 'unable to convert "many" into int'),
        ([], "how alike measures rank systems"),
        (["dance"], "dance"),
    ]:
        assert main(arguments) == 2
        assert message in capsys.readouterr().err
