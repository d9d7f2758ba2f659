"""Time and memory of one call, in a process of its own, which ends when its time or its memory is up."""

from __future__ import annotations

import math
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from threadpoolctl import threadpool_limits

from tests.benchmarks.growth_cases import CASES, SMALLEST, Size

GIB = 2**30
LEAST_SECONDS = 0.02  # of a timing: shorter calls are repeated
PATIENCE = 20  # times as much wall-clock time as CPU time


@dataclass(frozen=True)
class Measured:
    """Of one call: CPU seconds, the most memory it took beyond its input in bytes, or what went wrong."""

    seconds: float = math.nan
    memory: float = math.nan
    failure: str = ""


class Bench:
    """Starts a process for each measurement, from one that has imported everything already where there is fork."""

    def __init__(self, limit: float, memory: float = 2 * GIB) -> None:
        self.limit, self.memory = limit, memory
        methods = multiprocessing.get_all_start_methods()
        self._context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self._context.set_forkserver_preload([__name__])

    def measure(self, name: str, size: Size) -> Measured:
        """What one call of a case takes; it fails after the limit in CPU seconds, beside those to make its input."""
        receiving, sending = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_measure, args=(name, size, self.limit, self.memory, sending), daemon=True
        )
        process.start()
        sending.close()
        try:
            return self._result(receiving, process)
        finally:
            process.kill()
            process.join()
            process.close()

    def _result(self, receiving: Connection, process: BaseProcess) -> Measured:
        try:
            return receiving.recv() if receiving.poll(PATIENCE * self.limit + 60) else Measured(failure="hangs")
        except EOFError:
            process.join()
            return Measured(
                failure=f"> {self.limit:g} s" if process.exitcode == -getattr(signal, "SIGXCPU", 0) else "died"
            )


def _measure(name: str, size: Size, limit: float, memory: float, sending: Connection) -> None:
    limit_memory(memory)
    with threadpool_limits(limits=1):
        try:
            CASES[name].prepare(SMALLEST)()  # whatever is imported or built once
            call = CASES[name].prepare(size)
            limit_time(limit)
            sending.send(measured(call))
        except MemoryError:
            sending.send(Measured(failure=f"> {memory / GIB:g} GiB"))
        except Exception as error:  # to be seen in the table, beside all others
            sending.send(Measured(failure=type(error).__name__))


def measured(call: Callable[[], object]) -> Measured:
    """The first call gives the memory, and the time if it takes long enough.

    Time is that of the thread, which does all the work: the clock of a process is coarse where its time is limited.
    """
    before, start = most_memory(), time.thread_time()
    call()
    taken, memory = time.thread_time() - start, most_memory() - before
    if taken < LEAST_SECONDS:
        calls, start = math.ceil(LEAST_SECONDS / max(taken, 1e-6)), time.thread_time()
        for _ in range(calls):
            call()
        taken = (time.thread_time() - start) / calls
    return Measured(taken, memory)


def limit_time(seconds: float) -> None:
    """From now on, of CPU time, in whole seconds at least; then the process is killed, where a system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the killed one leaves no file behind
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hard))


def limit_memory(memory: float) -> None:
    """Beyond it there is a MemoryError; nothing happens where a system has no such limits."""
    try:
        import resource
    except ImportError:
        return
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))


def most_memory() -> float:
    """The most that this process has held so far, in bytes; nan where a system does not say."""
    try:
        import resource
    except ImportError:
        return math.nan
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(held if sys.platform == "darwin" else 1024 * held)
