"""One seed gives one result, however resamples are divided into blocks, and blocks among workers."""

import os
import time
from contextlib import suppress
from functools import partial

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import pt_rankcorr as rc
from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.resampling import (
    block_size,
    blockwise,
    clone,
    generator,
    n_workers,
    one_blas_thread,
    run_all,
    topic_indices,
    topic_weights,
)
from tests.benchmarks.cluster import bytes_sent


def means_of_draws(rng, size):
    return rng.random((size, 3))


class TestGenerator:
    def test_a_seed_gives_the_same_numbers(self):
        assert generator(7).random() == generator(np.int64(7)).random() == np.random.default_rng(7).random()

    def test_a_generator_is_used_as_it_is(self):
        rng = np.random.default_rng(1)
        assert generator(rng) is rng

    def test_none_is_unpredictable(self):
        assert generator(None).random() != generator(None).random()

    @pytest.mark.parametrize(
        ("rng", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError), (np.random.RandomState(0), TypeError)]
    )
    def test_what_is_refused(self, rng, error):
        with pytest.raises(error, match="`rng`"):
            generator(rng)


class TestTwins:
    @pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
    def test_they_draw_and_spawn_the_same(self, bits):
        rng = np.random.Generator(bits(5)).spawn(2)[1]
        rng.random(3)
        rng.spawn(2)
        other = clone(rng)
        assert other.random() == rng.random()
        assert [child.random() for child in other.spawn(2)] == [child.random() for child in rng.spawn(2)]
        other.random(5)
        other.spawn(1)
        third = clone(rng)
        assert third.random() == rng.random()
        assert third.spawn(1)[0].random() == rng.spawn(1)[0].random()

    def test_seeds_of_a_kind_of_their_own_are_kept(self):
        class Seeds(np.random.SeedSequence):
            pass

        rng = np.random.Generator(np.random.PCG64(Seeds(5)))
        other = clone(rng)
        assert type(other.bit_generator.seed_seq) is Seeds
        assert other.random() == rng.random()


class TestBlocks:
    @pytest.mark.parametrize(
        ("cells", "size"), [(0, 128), (1, 128), (2**15, 128), (2**15 + 1, 127), (2**22, 1), (2**30, 1)]
    )
    def test_their_size_depends_on_the_cells_alone(self, cells, size):
        assert block_size(cells) == size

    @given(st.integers(1, 700), st.integers(1, 2**22))
    def test_the_first_rows_do_not_depend_on_how_many_follow(self, n_resamples, cells):
        def resamples(n):
            return blockwise(means_of_draws, n, cells=cells, rng=np.random.default_rng(5))

        rows = resamples(n_resamples)
        assert rows.shape == (n_resamples, 3)
        np.testing.assert_array_equal(resamples(n_resamples + 200)[:n_resamples], rows)

    def test_backends_do_not_change_a_bit(self):
        one = blockwise(means_of_draws, 300, cells=1, rng=np.random.default_rng(5))
        with joblib.parallel_config(backend="threading", n_jobs=2):
            other = blockwise(means_of_draws, 300, cells=1, rng=np.random.default_rng(5))
        np.testing.assert_array_equal(one, other)

    def test_two_calls_with_one_generator_differ(self):
        rng = np.random.default_rng(5)
        first, second = (blockwise(means_of_draws, 4, cells=1, rng=rng) for _ in range(2))
        assert (first != second).any()

    def test_blocks_do_not_repeat_each_other(self):
        rows = blockwise(means_of_draws, 512, cells=1, rng=np.random.default_rng(5))
        assert len(np.unique(rows)) == rows.size


class TestWeights:
    @given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 60))
    def test_weights_count_the_indices(self, seed, size, n_topics):
        indices = topic_indices(np.random.default_rng(seed), size, n_topics)
        weights = topic_weights(np.random.default_rng(seed), size, n_topics)
        assert weights.shape == (size, n_topics)
        for row, counts in zip(indices, weights, strict=True):
            assert counts.tolist() == [float((row == topic).sum()) for topic in range(n_topics)]


class TestPermutedMeans:
    """Of the rows of a matrix, for Tukey's test."""

    @pytest.mark.parametrize("shape", [(2, 2), (300, 2), (50, 40), (7, 256), (7, 257), (129, 256)])
    @pytest.mark.parametrize("size", [1, 128])
    def test_they_are_those_of_permuted_copies(self, shape, size):
        matrix = np.random.default_rng(1).random(shape)
        copies = np.random.default_rng(2).permuted(np.broadcast_to(matrix, (size, *shape)), axis=-1)
        found = resampling.permuted_means(np.random.default_rng(2), size, matrix)
        np.testing.assert_array_equal(found, copies.mean(axis=1))
        with resampling.sharing_permutations():
            shared = resampling.permuted_means(np.random.default_rng(2), size, matrix)
        np.testing.assert_array_equal(shared, found)

    @staticmethod
    def drawn_by(scores):
        """The permutations that each of several measures takes."""
        drawn = []

        @resampling.over_measures
        def statistic(scores, *, rng):
            drawn.append(resampling._permutations(resampling._shared.get(), rng, 4, scores.shape))

        statistic(scores, rng=np.random.default_rng(3))
        return drawn

    def test_measures_share_permutations_of_one_shape_and_state(self):
        one, other = np.random.default_rng(1).random((2, 6, 5))
        drawn = self.drawn_by({"one": one, "other": other, "narrow": one[:, :4]})
        assert drawn[0] is drawn[1]
        assert drawn[2].shape == (6, 4, 4)
        alone = resampling._permutations({}, np.random.default_rng(3), 4, one.shape)
        np.testing.assert_array_equal(alone, drawn[0])
        assert resampling._shared.get() is None

    def test_too_many_are_not_kept(self, monkeypatch):
        monkeypatch.setattr(resampling, "SHARED_BYTES", 4 * 6 * 5 - 1)
        one, other = np.random.default_rng(1).random((2, 6, 5))
        drawn = self.drawn_by({"one": one, "other": other})
        assert drawn[0] is not drawn[1]
        np.testing.assert_array_equal(*drawn)


ITEMS = list(range(12))
SCORES = np.random.default_rng(1).random((30, 6))


def square(item):
    return item**2


def total(matrix, item):
    return float((matrix @ np.full(matrix.shape[1], float(item))).sum() + matrix.sum())


def blas_threads(_=None):
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def process(_):
    time.sleep(0.01)
    return os.getpid()


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_items(n_jobs):
    assert run_all(square, ITEMS, n_jobs) == [item**2 for item in ITEMS]
    assert run_all(square, [], n_jobs) == []


@pytest.mark.parametrize("n_jobs", ["2", 1.5, True, 0])
def test_a_wrong_number_of_workers_is_refused(n_jobs):
    with pytest.raises((TypeError, ValueError), match="`n_jobs`"):
        run_all(square, ITEMS, n_jobs)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_the_backend_is_the_callers_choice(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert (os.getpid() in run_all(process, ITEMS, None)) == (backend == "threading")
        assert run_all(blas_threads, ITEMS, None) == [{1}] * len(ITEMS)


def test_limits_of_threads_nest():
    before = blas_threads()
    with one_blas_thread():
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == before


@pytest.fixture(scope="module")
def dask_cluster():
    distributed = pytest.importorskip("distributed", reason="needs the extra `distributed`")
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": ":0", "processes": True}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        yield


class Held:
    def __init__(self, matrix):
        self.matrix = matrix


def total_of(data, item):
    return total(data.matrix, item)


@pytest.mark.whole
@pytest.mark.usefixtures("dask_cluster")
def test_dask_workers_get_data_once():
    data = Held(np.random.default_rng(3).random((50_001, 3)))
    with joblib.parallel_config(backend="dask"):
        assert run_all(total_of, ITEMS, None, data) == [total(data.matrix, item) for item in ITEMS]
        with bytes_sent() as sizes:
            assert run_all(total_of, ITEMS, None, data) == run_all(total_of, ITEMS, 1, data)
    assert 0 < sum(sizes) < data.matrix.nbytes / 4


@pytest.mark.whole
@pytest.mark.usefixtures("dask_cluster")
def test_dask_workers_get_equal_data_after_each_other():
    matrix = np.random.default_rng(3).random((500, 3))
    with joblib.parallel_config(backend="dask"):
        for _ in range(5):  # the first are released when the next ones are sent
            assert run_all(total_of, ITEMS, None, Held(matrix)) == [total(matrix, item) for item in ITEMS]


def total_of_both(folder, matrix, data, item):
    """The first two workers that come here die."""
    for name in ("first", "second"):
        with suppress(FileExistsError):
            os.mkdir(os.path.join(folder, name))
            os._exit(1)
    return total(matrix, item) + total_of(data, item)


@pytest.mark.whole
@pytest.mark.usefixtures("dask_cluster")
def test_blocks_of_dask_workers_that_die_are_computed_by_others(tmp_path):
    matrix, data = np.random.default_rng(2).random((500, 3)), Held(np.random.default_rng(3).random((500, 3)))
    with joblib.parallel_config(backend="dask"):
        sums = run_all(partial(total_of_both, tmp_path, matrix), ITEMS, None, data)
    assert sums == [total(matrix, item) + total_of(data, item) for item in ITEMS]
    assert len(list(tmp_path.iterdir())) == 2


def totals_and_workers(matrix):
    return run_all(partial(total, matrix), ITEMS, None), n_workers(None)


@pytest.mark.whole
@pytest.mark.usefixtures("dask_cluster")
def test_work_on_dask_does_not_share_out_its_own_work():
    matrix = np.random.default_rng(3).random((500, 3))
    alone = totals_and_workers(matrix)
    assert alone[1] == 1
    with joblib.parallel_config(backend="dask"):
        assert run_all(totals_and_workers, [matrix] * 3, None) == [alone] * 3


@pytest.mark.whole
@pytest.mark.usefixtures("dask_cluster")
def test_a_dask_cluster():
    weights = np.random.default_rng(3).random((50_001, 3))  # an odd size, so that buffers need not begin at a boundary
    here = partial(rc.d_rank, SCORES, SCORES[:, ::-1], n_resamples=400, rng=1)
    with joblib.parallel_config(backend="dask"):
        assert os.getpid() not in run_all(process, range(20), None)
        assert run_all(partial(total, weights), ITEMS, None) == [total(weights, item) for item in ITEMS]
        assert run_all(blas_threads, ITEMS, None) == [{1}] * len(ITEMS)
        computed = here()
    np.testing.assert_array_equal(computed.null_distribution, here().null_distribution)


def test_blas_has_its_threads_back_when_the_last_has_left():
    """The first to enter must not lift the limit of those that are still inside."""
    with threadpool_limits(2, user_api="blas"):
        before, first = blas_threads(), one_blas_thread()
        first.__enter__()
        with one_blas_thread():
            first.__exit__(None, None, None)
            assert blas_threads() == {1}
        assert blas_threads() == before
