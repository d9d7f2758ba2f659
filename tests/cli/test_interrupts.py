"""Ctrl-C at the command line: no traceback, no leftovers, and what is done is shown."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pt_rankcorr.comparison import engine

pytestmark = pytest.mark.whole


def command(folder, name, page, n_resamples):
    options = ["--runs", folder / "runs", "--qrels", folder / "qrels", "--measures", "AP", "RR", "P@5", "--seed", "1"]
    options += {"judgments": ["--against", folder / "near.qrels"], "report": ["--output", page]}[name]
    return [sys.executable, "-m", "pt_rankcorr", name, *map(str, options), "--resamples", str(n_resamples)]


def alive(group):
    """The processes of a group, without those that have ended and wait for somebody to be told."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return [int(pid) for pid, pgid, state in rows if int(pgid) == group and not state.startswith("Z")]


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_in_the_midst_of_it(folder, tmp_path, monkeypatch):
    """With workers, of which the first process alone is told: nothing is left, neither files nor processes."""
    for name in ("TMPDIR", "JOBLIB_TEMP_FOLDER"):
        monkeypatch.setenv(name, str(tmp_path))
    report = [*command(folder, "report", tmp_path / "page.html", 10**6), "--jobs", "2"]
    with subprocess.Popen(
        report, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        line = ""
        while "systems on" not in line:
            line = process.stderr.readline()
            assert line, "it ended before it was interrupted"
        time.sleep(1)
        os.kill(process.pid, signal.SIGINT)
        messages = process.stderr.read()
    assert process.wait() in (130, -signal.SIGINT)  # Python ends by the signal if it came during an `eval`
    assert messages.replace("\r", "\n").splitlines()[-1].strip() == "interrupted"
    assert "Traceback" not in messages
    for _ in range(200):  # what watches over workers ends after them
        if not alive(process.pid):
            break
        time.sleep(0.1)
    assert alive(process.pid) == []
    assert list(tmp_path.iterdir()) == []


LOADING = """
import os, signal, sys
from pt_rankcorr import __main__

class Interrupting:
    def find_spec(self, name, *_):
        if name == "cyclopts":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
__main__.main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_while_it_loads():
    ran = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "interrupted\n")


def test_what_was_finished_is_printed(cli, folder, tmp_path, monkeypatch):
    rows_of, parts = engine.Engine._rows, []

    def stopping(*arguments):
        if len(parts) == 2:
            raise KeyboardInterrupt
        parts.append(rows_of(*arguments))
        return parts[-1]

    monkeypatch.setattr(engine.Engine, "_rows", stopping)
    ran = cli(*command(folder, "judgments", None, 99)[3:])
    assert ran.status == 130
    assert [line.split()[:2] for line in ran.out.splitlines()[1:3]] == [["near", "AP"], ["near", "RR"]]
    assert ran.err.endswith("interrupted\n")
    assert list(tmp_path.iterdir()) == []
