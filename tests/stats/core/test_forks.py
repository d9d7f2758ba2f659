"""A process may fork while another of its threads computes: the child must be able to compute, too."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import pt_rankcorr
from pt_rankcorr.stats.core.lazy import cached_property

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

LOCK = """if True:
    import os, threading, warnings
    warnings.simplefilter("ignore")
    seen = []
    os.register_at_fork(before=lambda: seen.append(free()))  # the first to be registered is the last to be run

    from pt_rankcorr.stats.core.workers import OneBlasThread

    def try_it(found):
        found.append(OneBlasThread._lock.acquire(blocking=False))
        if found[0]:
            OneBlasThread._lock.release()

    def free():
        "Whether another thread could have the lock."
        found = []
        thread = threading.Thread(target=try_it, args=(found,))
        thread.start()
        thread.join()
        return found[0]

    child = os.fork()
    if not child:
        os._exit(0 if free() else 1)
    print(*seen, free(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

COMPUTE = """if True:
    import os, signal, threading, warnings
    warnings.simplefilter("ignore")
    import numpy as np
    import pt_rankcorr as ptr

    scores, stop = np.random.default_rng(1).random((20, 6)), threading.Event()

    def compute():
        ptr.d_rank(scores, scores[:, ::-1], n_resamples=20, rng=1)

    def go_on():
        while not stop.is_set():
            compute()

    compute()
    other = threading.Thread(target=go_on)
    other.start()
    ended = []
    for _ in range(150):
        child = os.fork()
        if not child:
            signal.alarm(60)
            compute()
            os._exit(0)
        ended.append(os.waitpid(child, 0)[1])
    stop.set()
    other.join()
    print(sum(map(bool, ended)))
"""


def run(code: str) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    ).stdout


@posix
def test_no_other_thread_has_our_lock_while_a_process_forks() -> None:
    """Then it is free again, on both sides."""
    assert run(LOCK).split() == ["False", "True", "0"]


@posix
@pytest.mark.slow
def test_children_that_are_forked_at_any_moment_compute() -> None:
    assert run(COMPUTE).split() == ["0"]


class Lazy:
    """Its property can be computed by two threads at once, or by none."""

    both = threading.Barrier(2, timeout=60)

    @cached_property
    def value(self) -> int:
        return self.both.wait()


def test_threads_compute_properties_at_once() -> None:
    """A lock would be held by one of them, perhaps while the process forks."""
    one, other = Lazy(), Lazy()
    thread = threading.Thread(target=lambda: other.value)
    thread.start()
    values = {one.value, one.value}
    thread.join()
    assert values | {other.value} == {0, 1}


PACKAGE = Path(pt_rankcorr.__file__).parent
COMPUTING = [*PACKAGE.glob("stats/**/*.py"), *PACKAGE.glob("comparison/*.py"), PACKAGE / "scores.py"]


@pytest.mark.parametrize("path", COMPUTING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nobody_takes_the_property_that_locks(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "functools" and path.name != "lazy.py":
            assert "cached_property" not in {alias.name for alias in node.names}
