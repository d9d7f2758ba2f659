"""Ctrl-C, full disks and readers that leave, at the command line: no traceback, no leftovers, what is done is shown."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pt_rankcorr.comparison import engine
from tests.cli.conftest import Ran
from tests.cli.conftest import cli as cli
from tests.cli.conftest import folder as folder

pytestmark = pytest.mark.whole

Cli = Callable[..., Ran]

posix = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
INTERRUPTED = {130, -signal.SIGINT}  # a shell says 130 of both: Python ends by the signal if it came during an `eval`
LONG = "1000000"
COMMANDS = {
    "compare": ["--resamples", LONG],
    "drank": ["--resamples", LONG],
    "expected": ["--resamples", LONG],
    "power": ["--resamples", LONG],
    "judgments": ["--resamples", LONG],
    "report": ["--resamples", LONG],
}


class Ended(NamedTuple):
    """A command that was interrupted."""

    status: int
    out: str
    err: str
    left: list[int]  # processes that live on
    in_time: bool = True  # whether it was not done before


def options(folder: Path, name: str, page: Path) -> list[str]:
    given = ["--runs", folder / "runs", "--qrels", folder / "qrels", "--measures", "AP", "RR", "P@5", "--seed", "1"]
    more = {"judgments": ["--against", folder / "near.qrels"], "report": ["--output", page]}.get(name, [])
    return [sys.executable, "-m", "pt_rankcorr", name, *map(str, [*given, *more]), *COMMANDS[name]]


def interrupted(
    command: Sequence[str], when: float | str, *, everybody: bool = True, by: signal.Signals = signal.SIGINT
) -> Ended:
    """Interrupts a command after some seconds, or once it has said something, as a terminal does: all its processes."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = ""
        while isinstance(when, str) and when not in said:
            said = process.stderr.readline()
            assert said, "it ended before it was interrupted"
        time.sleep(1 if isinstance(when, str) else when)
        in_time = process.poll() is None
        if in_time:
            (os.killpg if everybody else os.kill)(process.pid, by)
        err, out = process.stderr.read(), process.stdout.read()
    return Ended(process.wait(), out, err, left_behind(process.pid), in_time)


def left_behind(group: int) -> list[int]:
    """The processes of a group that do not end by themselves: what watches over workers ends after them."""
    for _ in range(200):
        if not (left := alive(group)):
            break
        time.sleep(0.1)
    return left


def alive(group: int) -> list[int]:
    """The processes of a group, without those that have ended and wait for somebody to be told."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return [int(pid) for pid, pgid, state in rows if int(pgid) == group and not state.startswith("Z")]


def check(ended: Ended) -> None:
    assert ended.status in INTERRUPTED, ended
    assert ended.err.replace("\r", "\n").splitlines()[-1].strip() == "interrupted"
    assert "Traceback" not in ended.err
    assert "rror" not in ended.err
    assert ended.left == []


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files and pages go, and nothing may be left."""
    for name in ("TMPDIR", "JOBLIB_TEMP_FOLDER"):
        monkeypatch.setenv(name, str(tmp_path))
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


@posix
def test_in_the_midst_of_it(folder: Path, empty: Path) -> None:
    """With workers, of which the first process alone is told."""
    check(interrupted([*options(folder, "report", empty / "page.html"), "--jobs", "2"], "systems on", everybody=False))


@posix
def test_terminated_with_workers(folder: Path, empty: Path) -> None:
    command = [*options(folder, "report", empty / "page.html"), "--jobs", "2"]
    ended = interrupted(command, "systems on", everybody=False, by=signal.SIGTERM)
    assert (ended.status, ended.left) == (143, [])
    assert "Traceback" not in ended.err


@posix
@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", COMMANDS)
def test_at_any_moment(name: str, jobs: str, folder: Path, empty: Path) -> None:
    """Of several processes the first alone: joblib's, while they start, would say where they were."""
    moments, command = random.Random(name + jobs), [*options(folder, name, empty / "page.html"), "--jobs", jobs]
    ends = [interrupted(command, moments.uniform(0.5, 8), everybody=jobs == "1" and turn % 2 == 0) for turn in range(6)]
    for ended in ends:
        if ended.in_time:
            check(ended)
    assert any(ended.in_time for ended in ends)


# --- what is done is shown ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rows"),
    [("judgments", [["near", "AP"], ["near", "RR"]]), ("report", [["AP", "RR"], ["AP", "P@5"], ["RR", "AP"]])],
)
def test_what_was_finished_is_printed(
    name: str, rows: list[list[str]], cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished_rows, parts = engine.finished_rows, []

    @contextmanager
    def stopping(*given: Any) -> Iterator[Any]:
        with finished_rows(*given) as (rows, add):

            def stopped(more: Any) -> None:
                if len(parts) == 2:
                    raise KeyboardInterrupt
                add(more)
                parts.append(more)

            yield rows, stopped

    monkeypatch.setattr(engine, "finished_rows", stopping)
    ran = cli(*options(folder, name, tmp_path / "page.html")[3:-1], "99")
    assert ran.status == 130
    assert [line.split()[:2] for line in ran.out.splitlines()[1:]][: len(rows)] == rows
    assert ran.err.endswith("interrupted\n")
    assert list(tmp_path.iterdir()) == []


# --- outputs that take no more ------------------------------------------------------------------------------


@posix
def test_help_that_nobody_reads() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    ran = subprocess.run(
        [sys.executable, "-m", "pt_rankcorr", "--help"], stdout=writes, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writes)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_nowhere_to_complain(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "wb", buffering=0) as full, io.TextIOWrapper(full, write_through=True) as stream:
        for nowhere in (stream, None):
            monkeypatch.setattr(sys, "stderr", nowhere)
            ran = cli("power", "--scores", "nothing.csv")
            assert (ran.status, ran.out) == (1, "")
        monkeypatch.undo()


# --- one terminal for results and progress ------------------------------------------------------------------

TERMINAL = """if True:
    import sys, time
    from pt_rankcorr.cli._messages import say
    from pt_rankcorr.cli._output import emit
    from tqdm import tqdm
    for number in tqdm(range(3), desc="bar", leave=False, mininterval=0):
        emit(f"result {number}")
        say(f"note {number}")
"""


@posix
def test_progress_is_not_glued_to_results() -> None:
    import pty

    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", TERMINAL], stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 2**16):
            shown += block
    except OSError:  # what is read last, on some systems
        pass
    os.close(ours)
    seen = [line.rpartition("\r")[2] for line in shown.decode().replace("\r\n", "\n").split("\n")]
    expected = [f"{what} {number}" for number in range(3) for what in ("result", "pt-rankcorr: note")]
    assert [line for line in seen if line.strip()] == expected
