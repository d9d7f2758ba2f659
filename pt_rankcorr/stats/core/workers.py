"""How work is shared out to workers, wherever joblib finds them: processes, threads, a Dask or a Ray cluster.

Each worker gets the arrays of the work once. What a lost worker leaves undone is done here.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import whole_number
from pt_rankcorr.warnings import WorkersLostWarning, warn

BOUNDARY = 16  # bytes
MOST_WORKERS = 4096
WATCH = "pt_rankcorr: ends a worker whose parent is gone"
LOOK_EVERY = 1.0  # seconds, for whether the process that started a worker lives
TERMINATED = 143  # the exit status that shells give a process which a SIGTERM ended
# of BLAS that are loaded; newer versions look for them only after an import, as that takes a while
LIBRARIES: Any = getattr(threadpoolctl, "get_cached_controller", threadpoolctl.ThreadpoolController)
Item = TypeVar("Item")
Result = TypeVar("Result")


class OneBlasThread:
    """One BLAS thread for the whole process, from the first that enters to the last that leaves.

    With more, large products differ in the last bit, small ones are slower, and workers take each other's cores.
    """

    _lock: ClassVar = threading.RLock()
    _inside: ClassVar[int] = 0
    _limits: ClassVar[Any] = None

    def __enter__(self) -> None:
        with self._lock:
            if not OneBlasThread._inside:
                OneBlasThread._limits = _change(lambda: LIBRARIES().limit(limits=1, user_api="blas"))
            OneBlasThread._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            OneBlasThread._inside -= 1
            if not OneBlasThread._inside:
                _change(OneBlasThread._limits.restore_original_limits)


if hasattr(os, "register_at_fork"):  # a child forked while another thread has the lock would wait for it forever
    _lock = OneBlasThread._lock
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def _change(limits: Callable[[], Result]) -> Result:
    """Sets limits, or lifts them: from threadpoolctl 3.8 on one thread alone may do so, until it is released."""
    openblas = getattr(threadpoolctl, "OpenBLASController", None)
    release = getattr(openblas, "clear_controlling_thread", lambda force: None)
    release(force=True)
    try:
        return limits()
    finally:
        release(force=True)


def each(work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None) -> list[Result]:
    """What `work` makes of each item, in their order.

    Work may use only the item and the data that it holds, and change neither. Items are sent one by one.
    """
    _check(n_jobs)
    done: list[Result] = []
    with OneBlasThread():
        if n_jobs != 1 and len(items) > 1:
            try:
                with _terminated_by_an_exception():
                    done.extend(_share_out(work, items, n_jobs))
            except _losses() as loss:
                _warn_of(loss, len(items) - len(done), len(items))
        done.extend(work(item) for item in items[len(done) :])
    return done


def n_workers(n_jobs: int | None) -> int:
    """How many `each` has, as far as joblib knows."""
    _check(n_jobs)
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):  # whoever configures joblib has imported it
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _check(n_jobs: int | None) -> None:
    if n_jobs is not None and not whole_number("n_jobs", n_jobs, at_least=-sys.maxsize):
        raise ValueError("`n_jobs` must be None or an integer other than 0, got 0.")
    if n_jobs is not None and n_jobs > MOST_WORKERS:
        raise ValueError(f"`n_jobs` must be at most {MOST_WORKERS}, got {n_jobs}.")


@contextmanager
def _terminated_by_an_exception() -> Iterator[None]:
    """While it lasts, a SIGTERM that would end this process at once raises SystemExit, so that workers end with it."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end_by_an_exception)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end_by_an_exception(*_: object) -> None:
    sys.exit(TERMINATED)


def _end_at_once() -> None:
    """In a forked worker, which a SIGTERM ends as well: an exception might be lost, and then it would live on."""
    if signal.getsignal(signal.SIGTERM) is _end_by_an_exception:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_at_once)


def _share_out(work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None) -> Any:
    """Results one by one; none, if this process is to do it all."""
    from joblib import Parallel, delayed, effective_n_jobs  # takes longer to import than many statistics to compute
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    if hasattr(backend, "client"):
        return _share_out_to_dask(backend, work, items)
    if effective_n_jobs(n_jobs) == 1:
        return ()
    # what is finished comes at once where the backend can do that, and is not lost with a worker
    return_as = "generator" if backend.supports_return_generator else "list"
    parallel = Parallel(n_jobs=n_jobs, return_as=return_as)
    if getattr(backend, "supports_sharedmem", False):  # threads
        return parallel(delayed(work)(item) for item in items)
    packed, arrays = _pack(work)
    return parallel(delayed(_work_for)(os.getpid(), packed, item, *arrays) for item in items)


def _share_out_to_dask(backend: Any, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """As joblib would get them, but that joblib waits forever for work on which too many workers died."""
    packed, arrays = _pack(work)
    with backend.retrieval_context():  # work inside of work makes room for it
        shared = backend.client.scatter(arrays, hash=False) if arrays else []
        submit = partial(backend.client.submit, _unpack_and_work, packed, pure=False, **backend.submit_kwargs)
        for result in [submit(item, *shared) for item in items]:
            yield result.result()


def _pack(work: Callable[[Item], Result]) -> tuple[bytes, list[NDArray[np.uint8]]]:
    import cloudpickle  # functions of a notebook too

    buffers: list[pickle.PickleBuffer] = []
    try:
        packed = cloudpickle.dumps(work, protocol=5, buffer_callback=buffers.append)
    except Exception as error:  # whatever a caller's own objects raise: TypeError, RuntimeError, RecursionError ...
        raise pickle.PicklingError(str(error)) from error
    return packed, [np.asarray(buffer.raw()) for buffer in buffers]


def _work_for(parent: int, packed: bytes, item: Item, *arrays: NDArray[np.uint8]) -> Any:  # pragma: no cover
    """In a worker, which ends with the process that started it: one that was killed cannot end its workers."""
    is_child = os.getppid() == parent or multiprocessing.current_process().name.startswith("LokyProcess")
    if os.name == "posix" and is_child and WATCH not in {each.name for each in threading.enumerate()}:
        threading.Thread(target=_end_with, args=[parent], name=WATCH, daemon=True).start()
    return _unpack_and_work(packed, item, *arrays)


def _end_with(parent: int) -> None:  # pragma: no cover: in workers, whose lines are not counted
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    os.kill(os.getpid(), signal.SIGKILL)


def _unpack_and_work(packed: bytes, item: Item, *arrays: NDArray[np.uint8]) -> Any:
    # off the boundary at which arrays begin, as Dask delivers them, numpy adds in another order
    work = pickle.loads(packed, buffers=[a if a.ctypes.data % BOUNDARY == 0 else a.copy() for a in arrays])
    with OneBlasThread():
        return work(item)


def _losses() -> tuple[type[BaseException], ...]:
    """What is raised where workers fail, and not the work."""
    losses: list[type[BaseException]] = [BrokenProcessPool, pickle.PicklingError]
    if distributed := sys.modules.get("distributed"):
        losses += [distributed.KilledWorker, distributed.comm.core.CommClosedError, CancelledError]
    if ray := sys.modules.get("ray"):
        errors = ray.exceptions
        losses += [errors.RayActorError, errors.WorkerCrashedError, errors.OutOfMemoryError]
    return tuple(losses)


def _warn_of(loss: BaseException, left: int, total: int) -> None:
    reason = str(loss).partition("\n")[0] or type(loss).__name__
    warn(
        f"Workers were lost, so {left} of {total} blocks are computed in this process, with the same result: {reason}",
        WorkersLostWarning,
    )
