"""Work shared out by joblib: to processes, threads, or the cluster that `joblib.parallel_config` names."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeVar

import cloudpickle
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from pt_rankcorr.text import shown

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_all(work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None) -> list[Result]:
    """What `work` makes of each item, in their order.

    Work may use only the item and the data that it holds, and change neither. joblib maps large arrays that it holds
    into the memory of worker processes, once.
    """
    with one_blas_thread():
        if n_workers(n_jobs) == 1 or len(items) < 2:
            return [work(item) for item in items]
        if hasattr(get_active_backend()[0], "client"):  # Dask's arrays begin anywhere, and numpy adds these otherwise
            work = partial(_unpickle_and_run, cloudpickle.dumps(work))
        return list(Parallel(n_jobs=n_jobs)(delayed(_with_one_blas_thread)(work, item) for item in items))


def n_workers(n_jobs: int | None) -> int:
    """How many workers `run_all` has; None is one, unless `joblib.parallel_config` says otherwise."""
    try:
        wanted = None if n_jobs is None else operator.index(n_jobs)
    except TypeError:
        raise TypeError(f"`n_jobs` must be None or an integer, got {shown(n_jobs)}.") from None
    if wanted == 0 or isinstance(n_jobs, bool):
        raise ValueError(f"`n_jobs` must be None or an integer other than 0, got {shown(n_jobs)}.")
    return int(effective_n_jobs(wanted))


def one_blas_thread() -> Any:
    """A context in which linear algebra runs in one thread.

    With more, large products differ in the last bit, small ones are slower, and workers take each other's cores.
    """
    return _blas().limit(limits=1, user_api="blas")


@cache  # as it takes a millisecond to find the libraries
def _blas() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  # loads another than numpy's

    return ThreadpoolController()


def _with_one_blas_thread(work: Callable[[Item], Result], item: Item) -> Result:
    with one_blas_thread():
        return work(item)


def _unpickle_and_run(pickled: bytes, item: Any) -> Any:  # pragma: no cover: in workers, whose lines are not counted
    return pickle.loads(pickled)(item)
