"""Any number of workers of any kind gives what one process gives."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

import pt_rankcorr as ptr
from pt_rankcorr.stats.core.workers import one_blas_thread, run_all

ITEMS = list(range(12))
SCORES = np.random.default_rng(1).random((30, 6))


def square(item: int) -> int:
    return item**2


def total(matrix: np.ndarray, item: int) -> float:
    return float((matrix @ np.full(matrix.shape[1], float(item))).sum() + matrix.sum())


def blas_threads(_: object = None) -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def process(_: object) -> int:
    time.sleep(0.01)
    return os.getpid()


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_items(n_jobs: int | None) -> None:
    assert run_all(square, ITEMS, n_jobs) == [item**2 for item in ITEMS]
    assert run_all(square, [], n_jobs) == []


@pytest.mark.parametrize("n_jobs", ["2", 1.5, True, 0])
def test_a_wrong_number_of_workers_is_refused(n_jobs: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^`n_jobs` must be None or an integer.* got "):
        run_all(square, ITEMS, n_jobs)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_the_backend_is_the_callers_choice(backend: str) -> None:
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert (os.getpid() in run_all(process, ITEMS, None)) == (backend == "threading")
        assert run_all(blas_threads, ITEMS, None) == [{1}] * len(ITEMS)


def test_large_arrays_are_mapped_into_the_memory_of_workers() -> None:
    matrix = np.ones((400, 400))  # 1.2 MiB: joblib maps what is larger than 1 MiB

    def is_mapped(_: int, matrix: np.ndarray = matrix) -> bool:
        return isinstance(matrix, np.memmap) or isinstance(matrix.base, np.memmap)

    assert all(run_all(is_mapped, ITEMS, 2))


def test_limits_of_threads_nest() -> None:
    before = blas_threads()
    with one_blas_thread():
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_of_the_work_is_the_callers(n_jobs: int) -> None:
    def fails(item: int) -> None:
        raise ValueError(f"not {item}")

    with pytest.raises(ValueError, match="not"):
        run_all(fails, ITEMS, n_jobs)


@pytest.fixture(scope="module")
def dask_cluster() -> Iterator[None]:
    distributed = pytest.importorskip("distributed", reason="needs the extra `distributed`")
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": ":0", "processes": True}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        yield


@pytest.mark.whole
@pytest.mark.usefixtures("dask_cluster")
def test_a_dask_cluster() -> None:
    weights = np.random.default_rng(3).random((50_001, 3))  # an odd size, so that buffers need not begin at a boundary
    here = partial(ptr.d_rank, SCORES, SCORES[:, ::-1], n_resamples=400, rng=1)
    with joblib.parallel_config(backend="dask"):
        assert os.getpid() not in run_all(process, range(20), None)
        assert run_all(partial(total, weights), ITEMS, None) == [total(weights, item) for item in ITEMS]
        assert run_all(blas_threads, ITEMS, None) == [{1}] * len(ITEMS)
        computed = here()
    np.testing.assert_array_equal(computed.null_distribution, here().null_distribution)
