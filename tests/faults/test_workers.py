"""A worker that is killed in the midst of a long comparison: the same bits, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CURVE = """if True:
    import json, sys, warnings
    warnings.simplefilter("always")
    import pt_rankcorr as ptr
    from tests import small
    runs = {name: system(small.topics()) for name, system in small.systems().items()}
    print("started", flush=True)
    curve = ptr.judgment_curve(runs, small.qrels(), ["AP"], shares=[0.5, 0.8], repetitions=2, n_resamples=3000,
                               resume=sys.argv[1], rng=1, n_jobs=int(sys.argv[2]))
    print(json.dumps([list(row.to_dict().values()) for row in curve]))
"""


def curve(path: Path, jobs: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", CURVE, str(path), str(jobs)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )


@pytest.mark.slow
def test_a_curve_that_is_killed_again_and_again(tmp_path: Path) -> None:
    """Until it is done: the points are those of one that was left in peace."""
    alone = curve(tmp_path / "alone", 1)
    for patience in (5, 6, 7, 8, 60, 60):
        with curve(tmp_path / "file", 1) as process:
            try:
                out, _ = process.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                process.kill()
                continue
        break
    assert out.split("\n")[1] == alone.communicate()[0].split("\n")[1]


def workers(group: int) -> list[int]:
    """The processes of joblib in a group."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,pgid=,args="], capture_output=True, text=True, check=True).stdout
    rows = (line.split(maxsplit=2) for line in listed.splitlines())
    return [int(pid) for pid, pgid, *args in rows if int(pgid) == group and "popen_loky" in "".join(args)]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_a_curve_of_which_a_worker_is_killed(tmp_path: Path) -> None:
    alone = curve(tmp_path / "alone", 1)
    with curve(tmp_path / "file", 2) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        while not workers(process.pid) and process.poll() is None:
            time.sleep(0.05)
        for worker in workers(process.pid)[:1]:
            os.kill(worker, signal.SIGKILL)
        out, err = process.stdout.read(), process.stderr.read() if process.stderr else ""
    assert process.returncode == 0, err
    expected = alone.communicate()[0].splitlines()[1]
    assert out.strip() == expected
    assert "Workers were lost" in err
    assert len(json.loads(expected)) == 4
    assert (tmp_path / "file").read_bytes() == (tmp_path / "alone").read_bytes()
