"""How work is shared out to workers, wherever joblib finds them: processes, threads, a Dask or a Ray cluster.

The data go to each worker once: whatever arrays the work holds on to are taken out of it, so that joblib maps them
into the memory of processes, and Dask scatters them. What a lost worker leaves undone is done here.
"""

from __future__ import annotations

import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from pt_rankcorr.stats.checks import WorkersLostWarning, level_of_the_caller, whole_number

BOUNDARY = 16  # bytes
Item = TypeVar("Item")
Result = TypeVar("Result")


class OneBlasThread:
    """One BLAS thread for as long as anybody in this process is inside.

    With more, large products differ in the last bit, small ones are slower, and workers take each other's cores. The
    limit is the process's, so the first to come sets it and the last to leave lifts it.
    """

    _lock: ClassVar = threading.Lock()
    _inside: ClassVar[int] = 0
    _limits: ClassVar[Any] = None

    def __enter__(self) -> None:
        with self._lock:
            if not OneBlasThread._inside:
                _release_control()
                OneBlasThread._limits = _libraries().limit(limits=1, user_api="blas")
            OneBlasThread._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            OneBlasThread._inside -= 1
            if not OneBlasThread._inside:
                _release_control()
                OneBlasThread._limits.restore_original_limits()
                _release_control()


def _libraries() -> Any:
    """Those that are loaded. To look for them takes a while, so newer versions do it only after an import."""
    return getattr(threadpoolctl, "get_cached_controller", threadpoolctl.ThreadpoolController)()


def _release_control() -> None:
    """From threadpoolctl 3.8 on, the thread that first set OpenBLAS's limit is alone in changing it, until released."""
    release = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
    if release is not None:
        release(force=True)


def each(work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None) -> list[Result]:
    """What `work` makes of each item, in their order.

    Args:
        work: Must depend on nothing but the item and what it holds on to, and change neither.
        items: Small: they are sent one by one.
        n_jobs: Workers, as joblib counts them; None is one, unless `joblib.parallel_config` says otherwise.

    Raises:
        TypeError: If `n_jobs` is not an integer or None.
        ValueError: If it is 0.
    """
    if n_jobs is not None and not whole_number("n_jobs", n_jobs, at_least=-sys.maxsize):
        raise ValueError("`n_jobs` must be None or an integer other than 0, got 0.")
    done: list[Result] = []
    with OneBlasThread():
        if n_jobs != 1 and len(items) > 1:
            try:
                done.extend(_from_workers(work, items, n_jobs))
            except _losses() as loss:
                _warn_of(loss, len(items) - len(done), len(items))
        done.extend(work(item) for item in items[len(done) :])
    return done


def _from_workers(work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None) -> Any:
    """Results one by one; none, if this process is to do it all."""
    from joblib import Parallel, delayed, effective_n_jobs  # takes longer to import than many statistics to compute
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    if hasattr(backend, "client"):
        return _from_dask(backend, work, items)
    if effective_n_jobs(n_jobs) == 1:
        return ()
    # what is finished comes at once where the backend can do that, and is not lost with a worker
    return_as = "generator" if backend.supports_return_generator else "list"
    parallel = Parallel(n_jobs=n_jobs, return_as=return_as)
    if getattr(backend, "supports_sharedmem", False):  # threads
        return parallel(delayed(work)(item) for item in items)
    packed, arrays = _packed(work)
    return parallel(delayed(_unpack_and_work)(packed, item, *arrays) for item in items)


def _from_dask(backend: Any, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """As joblib would get them, but that joblib waits forever for work on which too many workers died."""
    packed, arrays = _packed(work)
    with backend.retrieval_context():  # work inside of work makes room for it
        shared = backend.client.scatter(arrays, hash=False) if arrays else []
        submit = partial(backend.client.submit, _unpack_and_work, packed, pure=False, **backend.submit_kwargs)
        for result in [submit(item, *shared) for item in items]:
            yield result.result()


def _packed(work: Callable[[Item], Result]) -> tuple[bytes, list[NDArray[np.uint8]]]:
    """The work without the contents of its arrays, and these."""
    import cloudpickle  # functions of a notebook too

    buffers: list[pickle.PickleBuffer] = []
    try:
        packed = cloudpickle.dumps(work, protocol=5, buffer_callback=buffers.append)
    except Exception as error:  # whatever a caller's own objects raise: TypeError, RuntimeError, RecursionError ...
        raise pickle.PicklingError(str(error)) from error
    return packed, [np.asarray(buffer.raw()) for buffer in buffers]


def _unpack_and_work(packed: bytes, item: Item, *arrays: NDArray[np.uint8]) -> Any:
    # off the boundary at which arrays begin, as Dask delivers them, numpy adds in another order
    work = pickle.loads(packed, buffers=[a if a.ctypes.data % BOUNDARY == 0 else a.copy() for a in arrays])
    with OneBlasThread():
        return work(item)


def _losses() -> tuple[type[BaseException], ...]:
    """What is raised where workers fail, and not the work."""
    return (BrokenProcessPool, pickle.PicklingError, *_of_dask(), *_of_ray())


def _of_dask() -> Iterator[type[BaseException]]:
    if distributed := sys.modules.get("distributed"):
        yield from (distributed.KilledWorker, distributed.comm.core.CommClosedError, CancelledError)


def _of_ray() -> Iterator[type[BaseException]]:
    if ray := sys.modules.get("ray"):
        yield from (ray.exceptions.RayActorError, ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError)


def _warn_of(loss: BaseException, left: int, total: int) -> None:
    reason = str(loss).partition("\n")[0] or type(loss).__name__
    warnings.warn(
        f"Workers were lost, so {left} of {total} blocks are computed in this process, with the same result: {reason}",
        WorkersLostWarning,
        stacklevel=level_of_the_caller(),
    )
