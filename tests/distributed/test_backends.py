"""One result for one process, two processes, threads, a Dask cluster and a Ray cluster, bit by bit."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from pt_rankcorr.stats.core import workers as _workers
from pt_rankcorr.stats.core.workers import each
from pt_rankcorr.warnings import WorkersLostWarning
from tests.distributed.statistics import CALLS, bits

pytestmark = pytest.mark.whole

EACH = pytest.mark.parametrize("name", CALLS)
WORKERS = 2


@pytest.fixture(scope="module")
def alone() -> Callable[[str], bytes]:
    """What one process finds, computed when it is asked for."""
    found: dict[str, bytes] = {}

    def result(name: str) -> bytes:
        if name not in found:
            found[name] = bits(CALLS[name](n_jobs=1))
        return found[name]

    return result


@EACH
def test_two_processes(alone: Callable[[str], bytes], name: str) -> None:
    assert bits(CALLS[name](n_jobs=WORKERS)) == alone(name)


@EACH
def test_threads(alone: Callable[[str], bytes], name: str) -> None:
    with joblib.parallel_config(backend="threading", n_jobs=WORKERS):
        assert bits(CALLS[name]()) == alone(name)


@EACH
def test_data_are_sent_but_no_measures_and_systems(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []

    def noted(work: Any) -> tuple[bytes, list[np.ndarray]]:
        packed, arrays = pack(work)
        sent.append(packed)
        return packed, arrays

    pack = _workers._pack
    monkeypatch.setattr(_workers, "_pack", noted)
    CALLS[name](n_jobs=WORKERS)
    for packed in sent:
        assert not any(module in packed for module in (b"ir_measures", b"pyterrier", b"pandas", b"ir_datasets"))
        assert len(packed) < 10_000


def product(matrix: np.ndarray, item: int) -> float:
    return float((matrix @ matrix).sum()) + item


def weighted(weights: np.ndarray, more: np.ndarray, item: int) -> float:
    return float(weights.sum() + more.sum()) + item


def blas_threads(item: int) -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def where(item: int) -> int:
    time.sleep(0.05)
    return os.getpid()


@pytest.fixture(scope="class")
def dask_cluster() -> Iterator[None]:
    dask, distributed = (
        pytest.importorskip(name, reason="needs the extra `distributed`") for name in ("dask", "distributed")
    )
    # two threads a worker: they share its BLAS
    options = {"n_workers": WORKERS, "threads_per_worker": 2, "dashboard_address": ":0", "processes": True}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),  # workers take seconds to come back
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        yield


@pytest.mark.usefixtures("dask_cluster")
class TestDask:
    @EACH
    def test_bits(self, alone: Callable[[str], bytes], name: str) -> None:
        assert bits(CALLS[name]()) == alone(name)

    def test_it_is_the_cluster_that_works(self) -> None:
        pids = set(each(where, range(20), None))
        assert len(pids) == WORKERS
        assert os.getpid() not in pids

    def test_an_array_goes_to_the_cluster_once(self) -> None:
        sent: list[int] = []
        client = joblib.parallel.get_active_backend()[0].client
        scatter = client.scatter

        def noted(data: Any, *args: Any, **kwargs: Any) -> Any:
            sent.extend(array.nbytes for array in data)
            return scatter(data, *args, **kwargs)

        matrix = np.ones((300, 300))
        client.scatter = noted
        try:
            each(partial(product, matrix), range(40), None)
        finally:
            del client.scatter
        assert [size for size in sent if size >= matrix.nbytes] == [matrix.nbytes]

    def test_sums_of_arrays_that_a_callers_function_holds(self) -> None:
        weights = np.random.default_rng(3).random(50_001)  # an odd number, so that buffers arrive off any boundary
        work = partial(weighted, weights, weights[:7].copy())
        assert each(work, range(4), None) == [work(item) for item in range(4)]

    def test_blas_has_one_thread_in_every_worker(self) -> None:
        assert each(blas_threads, range(20), None) == [{1}] * 20

    def test_a_killed_worker_is_replaced(self, tmp_path: Path) -> None:
        work = partial(_kills_its_worker_once, os.getpid(), tmp_path / "died")
        assert each(work, range(20), None) == list(range(20))
        assert (tmp_path / "died").exists()

    def test_work_that_kills_every_worker_is_done_here(self) -> None:
        with pytest.warns(WorkersLostWarning, match="all those workers died"):
            assert each(partial(_kills_every_worker, os.getpid()), range(20), None) == list(range(20))


def _kills_every_worker(parent: int, item: int) -> int:
    if item == 3 and os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def _kills_its_worker_once(parent: int, mark: Path, item: int) -> int:
    if item == 3 and os.getpid() != parent and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


@pytest.fixture(scope="class")
def ray_cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="needs Ray, which is installed by hand: pip install ray")
    from ray.util.joblib import register_ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="error")
    register_ray()
    with joblib.parallel_config(backend="ray", n_jobs=WORKERS):
        yield
    ray.shutdown()


@pytest.mark.usefixtures("ray_cluster")
class TestRay:
    # actors take their time to start: a few, one of each kind of data
    @pytest.mark.parametrize(
        "name", ["d_rank, published", "simulate_topics", "unpaired_bootstrap_test, of a caller", "compare"]
    )
    def test_bits(self, alone: Callable[[str], bytes], name: str) -> None:
        assert bits(CALLS[name]()) == alone(name)

    def test_it_is_the_cluster_that_works(self) -> None:
        assert os.getpid() not in each(where, range(8), None)

    def test_work_that_kills_a_worker_is_done_here(self) -> None:
        with pytest.warns(WorkersLostWarning, match="blocks are computed in this process"):
            assert each(partial(_kills_every_worker, os.getpid()), range(8), None) == list(range(8))
