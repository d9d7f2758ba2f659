"""Whole processes whose streams are closed or narrow."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.whole, pytest.mark.skipif(os.name != "posix", reason="the shell is that of POSIX")]


def run(command, **environment):
    shell = f'"{sys.executable}" -m pt_rankcorr {command}'
    return subprocess.run(shell, shell=True, capture_output=True, text=True, env={**os.environ, **environment})


def test_results_are_written_where_standard_error_is_closed(tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("topic,a,b,c\n" + "".join(f"q{n},.{n}1,.{n}5,.{n}3\n" for n in range(1, 7)))
    done = run(f'ranks --scores "{scores}" --seed 1 --resamples 50 --format csv 2>&-')
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("measure,system")
    assert len(done.stdout.splitlines()) == 4


@pytest.mark.parametrize("columns", ["1", "20"])
def test_help_is_printed_on_any_terminal(columns):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run("power --help", COLUMNS=columns, **plain)
    assert done.returncode == 0
    assert "--alpha" in done.stdout
