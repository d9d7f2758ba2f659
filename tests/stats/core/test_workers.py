from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from pt_rankcorr.stats.core import workers as _workers
from pt_rankcorr.stats.core.workers import OneBlasThread, each
from pt_rankcorr.warnings import WorkersLostWarning

ITEMS = list(range(12))
NINE = np.arange(9.0).reshape(3, 3)


def square(item):
    return item**2


def product(matrix, item):
    return matrix @ np.full(len(matrix), float(item))


def blas_threads(_=None):
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def dies_once(parent, marks, item):
    """Item 5 takes its worker with it: once, and never the process that asked for it."""
    mark = marks / "died"
    if item == 5 and os.getpid() != parent and not mark.exists():
        mark.touch()
        time.sleep(0.2)  # so that others are done before
        os.kill(os.getpid(), signal.SIGKILL)
    (marks / f"{item} {time.monotonic_ns()}").touch()
    return item**2


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_items(n_jobs):
    assert each(square, ITEMS, n_jobs) == [item**2 for item in ITEMS]


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_the_backend_is_the_callers_choice(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        pids = set(each(lambda _: (time.sleep(0.01), os.getpid())[1], ITEMS, None))
    assert (os.getpid() in pids) == (backend == "threading")


def test_no_items_no_results():
    assert each(square, [], 2) == []


@pytest.mark.parametrize("n_jobs", ["2", 1.5, True, 0])
def test_a_wrong_number_of_workers_is_refused_in_our_words(n_jobs):
    with pytest.raises((TypeError, ValueError), match=r"^`n_jobs` must be .* got "):
        each(square, ITEMS, n_jobs)


class TestData:
    def test_large_arrays_are_mapped_not_copied(self):
        matrix = np.ones((400, 400))  # 1.2 MiB: joblib maps what is larger than 1 MiB

        def kind_of_memory(item, matrix=matrix):
            base = matrix
            while base.base is not None and not isinstance(base, np.memmap):
                base = base.base if not isinstance(base.base, memoryview) else base.base.obj
            return isinstance(base, np.memmap)

        assert all(each(kind_of_memory, ITEMS, 2))

    def test_what_goes_with_every_item_is_without_the_contents_of_arrays(self):
        packed, arrays = _workers._pack(partial(product, np.ones((300, 300))))
        assert len(packed) < 2000
        assert [array.nbytes for array in arrays] == [8 * 300 * 300]

    @pytest.mark.parametrize(
        "matrix",
        [
            np.ones((0, 0)),
            np.ones((3, 3)),
            np.asfortranarray(np.arange(9.0).reshape(3, 3)),
            np.arange(36.0).reshape(6, 6)[::2, ::2],
        ],
        ids=["empty", "C", "Fortran", "strided"],
    )
    def test_arrays_of_every_layout_arrive(self, matrix):
        expected = [product(matrix, item) for item in ITEMS]
        np.testing.assert_array_equal(each(partial(product, matrix), ITEMS, 2), expected)

    def test_functions_without_a_name_can_be_sent(self):
        factor = 3
        assert each(lambda item: factor * item, ITEMS, 2) == [3 * item for item in ITEMS]


@pytest.mark.whole
class TestLosses:
    def test_a_killed_worker_costs_time_and_nothing_else(self, tmp_path):
        work = partial(dies_once, os.getpid(), tmp_path)
        with pytest.warns(WorkersLostWarning, match=r"^Workers were lost, so \d+ of 12 blocks are") as warned:
            found = each(work, ITEMS, 2)
        assert found == [item**2 for item in ITEMS]
        assert warned[0].filename == __file__  # the line that called the package
        assert each(square, ITEMS, 2) == found  # and the next call has workers again

    def test_what_was_finished_is_not_computed_again(self, tmp_path):
        with pytest.warns(WorkersLostWarning):
            each(partial(dies_once, os.getpid(), tmp_path), ITEMS, 2)
        computed = [int(path.name.split()[0]) for path in tmp_path.iterdir() if path.name != "died"]
        assert computed.count(0) == 1

    def test_work_that_cannot_be_sent_is_done_here(self):
        lock = threading.Lock()

        def guarded(item):
            with lock:
                return item**2

        with pytest.warns(WorkersLostWarning, match="12 of 12 blocks"):
            assert each(guarded, ITEMS, 2) == [item**2 for item in ITEMS]

    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_an_error_of_the_work_is_the_callers(self, n_jobs):
        def fails(item):
            raise ValueError(f"not {item}")

        with warnings.catch_warnings(), pytest.raises(ValueError, match="not"):
            each(fails, ITEMS, n_jobs)

    def test_an_error_that_cannot_travel(self):
        class Odd(Exception):
            def __init__(self, lock):
                super().__init__(lock)

        def fails(item):
            raise Odd(threading.Lock())

        with pytest.raises(Odd), pytest.warns(WorkersLostWarning):
            each(fails, ITEMS, 2)


class TestBlasThreads:
    @pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
    def test_there_is_one_in_every_worker(self, backend):
        with joblib.parallel_config(backend=backend, n_jobs=2):
            assert each(blas_threads, ITEMS, None) == [{1}] * len(ITEMS)

    def test_the_limit_is_lifted_by_the_last_to_leave(self):
        with OneBlasThread():
            with OneBlasThread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert OneBlasThread._inside == 0

    def test_threads_do_not_lift_it_for_each_other(self):
        before, inside, leave = blas_threads(), threading.Barrier(2), threading.Event()
        seen = []

        def stays():
            with OneBlasThread():
                inside.wait()
                leave.wait()
                seen.append(blas_threads())

        other = threading.Thread(target=stays)
        other.start()
        with OneBlasThread():
            inside.wait()
        seen.append(blas_threads())
        leave.set()
        other.join()
        assert seen == [{1}, {1}]
        assert blas_threads() == before


def test_losses_are_of_the_workers_alone():
    assert not any(issubclass(kind, (ValueError, TypeError, MemoryError, OSError)) for kind in _workers._losses()[:2])
    assert pickle.PicklingError in _workers._losses()


def test_losses_of_ray_are_known_where_it_is_used(monkeypatch):
    class Lost(Exception):
        pass

    names = ("RayActorError", "WorkerCrashedError", "OutOfMemoryError")
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(exceptions=SimpleNamespace(**dict.fromkeys(names, Lost))))
    assert Lost in _workers._losses()


@pytest.mark.parametrize("start", [0, 1])
def test_buffers_that_begin_anywhere_are_numbers_again(start):
    packed, (contents,) = _workers._pack(partial(product, NINE))
    room = np.zeros(contents.size + 64, dtype=np.uint8)
    begin = -room.ctypes.data % _workers.BOUNDARY + start
    room[begin : begin + contents.size] = contents
    found = _workers._unpack_and_work(packed, 2, room[begin : begin + contents.size])
    np.testing.assert_array_equal(found, product(NINE, 2))


@pytest.mark.parametrize("own", [None, lambda *_: None])
def test_a_signal_to_end_raises_an_exception_while_workers_compute(own):
    """So that they end, too; what a caller does with the signal is left alone."""
    before = signal.signal(signal.SIGTERM, own or signal.SIG_DFL)
    try:
        with joblib.parallel_config("threading"):
            seen = set(each(lambda _: signal.getsignal(signal.SIGTERM), [1, 2, 3], 2))
        assert signal.getsignal(signal.SIGTERM) is (own or signal.SIG_DFL)
    finally:
        signal.signal(signal.SIGTERM, before)
    (handler,) = seen
    if own is None:
        with pytest.raises(SystemExit):
            handler()
    else:
        assert handler is own


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_worker_is_ended_at_once() -> None:
    with _workers._terminated_by_an_exception():
        child = os.fork()
        if child == 0:  # pragma: no cover
            with suppress(BaseException):
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(60)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
        assert signal.getsignal(signal.SIGTERM) is _workers._end_by_an_exception
        _workers._end_at_once()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with pytest.raises(SystemExit, match="143"):
        _workers._end_by_an_exception()


def test_more_workers_than_any_machine_has_are_refused():
    with pytest.raises(ValueError, match="`n_jobs` must be at most 4096, got 1000000000000"):
        each(abs, [1, 2], 10**12)
