"""Resampling in seeded blocks, work shared out by joblib: all bootstraps and permutations use it.

The size of a block depends on the data alone, and each block has a random generator of its own,
spawned from the caller's. So workers and backends never change a bit of the result.
"""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from inspect import signature
from itertools import islice
from threading import Lock
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar, cast, overload
from warnings import catch_warnings, filterwarnings
from weakref import WeakKeyDictionary

import cloudpickle
import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import ThreadpoolController

from pt_rankcorr.stats.core.arguments import whole_number
from pt_rankcorr.stats.core.means import CACHED_CELLS
from pt_rankcorr.stats.core.types import Floats, Indices, by_measure
from pt_rankcorr.text import shown

RandomState: TypeAlias = int | np.random.Generator | None
# of a size: as many rows, one a resample
Block: TypeAlias = Callable[[np.random.Generator, int], Floats]
# of a block, and how many of its resamples are wanted
Seeded: TypeAlias = tuple[np.random.Generator, int]
# of a size and n_topics, as `topic_indices`
DrawTopics: TypeAlias = Callable[[np.random.Generator, int, int], Indices]
P = ParamSpec("P")
R = TypeVar("R")
Item = TypeVar("Item")

Permutations: TypeAlias = dict[bytes, NDArray[np.integer[Any]]]

# The largest array of a block has this many cells: 32 MiB of floats. These two numbers decide how
# generators are spawned, so another one changes every resampled result.
BLOCK_CELLS = 2**22
# A block has at most this many resamples: enough to vectorise, few enough to share out.
BLOCK_RESAMPLES = 128
# Measures share permutations of up to this many bytes: 64 MiB.
SHARED_BYTES = 2**26

# The limit of BLAS threads, once for each open context: the first sets it, the last lifts it.
_blas_limits: list[Any] = []
_blas_lock = Lock()
# data -> the id of a client of a cluster -> the future of the data there
_futures: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
_shared: ContextVar[Permutations | None] = ContextVar("_shared", default=None)


def generator(rng: RandomState) -> np.random.Generator:
    """The random generator that a public function makes, once, of its `rng` argument."""
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    try:
        return np.random.default_rng(whole_number("rng", rng, at_least=0))
    except TypeError:
        rule = "`rng` must be an integer, a numpy.random.Generator or None"
        raise TypeError(f"{rule}, got {shown(rng)}.") from None


def seed_of(rng: RandomState) -> int:
    """A seed that gives the same numbers again: the one given, or one drawn from the generator."""
    random = generator(rng)
    if rng is None or isinstance(rng, np.random.Generator):
        return int(random.integers(2**53))
    return int(rng)


def clone(rng: np.random.Generator) -> np.random.Generator:
    """A generator in the same state, with the same children."""
    return copy.deepcopy(rng)


def blockwise(
    compute: Block,
    n_resamples: int,
    *,
    cells: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> Floats:
    """The results of all resamples, (n_resamples, ...); asked for more, the first stay the same.

    `compute` takes a generator and a number of resamples, returns one row a resample, and needs so
    many array cells for each. It may run on another machine: see `run_all`.
    """
    block = partial(_block, compute, block_size(cells))
    return np.concatenate(run_all(block, seeded_blocks(n_resamples, cells=cells, rng=rng), n_jobs))


def _block(compute: Block, size: int, seeded: Seeded) -> Floats:
    """One block of results: drawn whole, so that numbers do not depend on how many are wanted."""
    child, wanted = seeded
    return compute(child, size)[:wanted]


def seeded_blocks(n_resamples: int, *, cells: int, rng: np.random.Generator) -> list[Seeded]:
    """For each block a generator spawned from the given one, and how many resamples are wanted."""
    size = block_size(cells)
    wanted = [min(size, n_resamples - start) for start in range(0, n_resamples, size)]
    return list(zip(rng.spawn(len(wanted)), wanted, strict=True))


def block_size(cells: int) -> int:
    """The number of resamples in a block, if each needs `cells` array cells."""
    return max(1, min(BLOCK_RESAMPLES, BLOCK_CELLS // max(cells, 1)))


def topic_indices(rng: np.random.Generator, size: int, n_topics: int) -> Indices:
    """Bootstrap samples of topics: shape (size, n_topics), each row drawn with replacement."""
    return rng.integers(0, n_topics, size=(size, n_topics), dtype=np.intp)


def topic_weights(rng: np.random.Generator, size: int, n_topics: int) -> Floats:
    """How often each topic is in the samples of `topic_indices`: shape (size, n_topics)."""
    return count_draws(topic_indices(rng, size, n_topics), n_topics).astype(np.float64)


def topic_subsets(
    rng: np.random.Generator, size: int, n_topics: int, *, of: int, at: int
) -> Indices:
    """The `at`-th of several disjoint random sets of `of` topics each: shape (size, of)."""
    shuffled = rng.permuted(np.tile(np.arange(n_topics, dtype=np.intp), (size, 1)), axis=1)
    return shuffled[:, at * of : (at + 1) * of]


def count_draws(drawn: Indices, n_items: int) -> Indices:
    """How often each item is in each sample: (size, n_items), of samples (size, n_drawn)."""
    # item j of sample i is cell i n_items + j of a table: one count of the cells fills it
    samples = len(drawn)
    cells = drawn + np.arange(samples)[:, np.newaxis] * n_items
    return np.bincount(cells.ravel(), minlength=samples * n_items).reshape(samples, n_items)


@dataclass(frozen=True)
class TopicSamples:
    """The bootstrap samples of topics that `blockwise` draws, the same at each use."""

    n_topics: int
    n_resamples: int
    seeded: tuple[Seeded, ...]  # for each block a generator, of which only clones are used

    @classmethod
    def of(cls, n_topics: int, n_resamples: int, rng: np.random.Generator) -> TopicSamples:
        """So many samples of n topics, from blocks whose generators are spawned now."""
        blocks = seeded_blocks(n_resamples, cells=n_topics, rng=rng)
        return cls(n_topics, n_resamples, tuple(blocks))

    def weights(self) -> Iterator[Floats]:
        """How often each topic was drawn: (size, n_topics), of as many blocks as 32 MiB hold."""
        blocks = self._blocks()
        at_once = max(1, BLOCK_CELLS // (block_size(self.n_topics) * self.n_topics))
        while several := list(islice(blocks, at_once)):
            yield np.concatenate(several) if len(several) > 1 else several[0]

    def weights_of(self, sample: int) -> Floats:
        """How often each topic was drawn for one sample: shape (n_topics,)."""
        block, row = divmod(sample, block_size(self.n_topics))
        of_block = replace(self, seeded=self.seeded[block : block + 1])
        return np.asarray(next(of_block._blocks())[row])

    def _blocks(self) -> Iterator[Floats]:
        """How often each topic was drawn, block by block: shape (size, n_topics)."""
        size = block_size(self.n_topics)
        for child, wanted in self.seeded:
            yield topic_weights(clone(child), size, self.n_topics)[:wanted]


class OverMeasures(Protocol[P, R]):
    """A statistic of a score matrix, and of a mapping of measure names to score matrices."""

    @overload
    def __call__(
        self, scores: Mapping[str, ArrayLike], /, *args: Any, **kwargs: Any
    ) -> dict[str, R]: ...

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


def permuted_means(rng: np.random.Generator, size: int, matrix: Floats) -> Floats:
    """The means of columns, (size, n_columns), of copies of a matrix with each row permuted.

    Inside `sharing_permutations`, generators in one state share these, which take most of the time.
    """
    known, (n_rows, n_columns) = _shared.get(), matrix.shape
    means = np.zeros((size, n_columns))
    # nothing to share: whole copies of the matrix are permuted, some at a time
    if known is None:
        step = max(1, CACHED_CELLS // matrix.size)
        for start in range(0, size, step):
            copies = np.repeat(matrix[np.newaxis], min(step, size - start), axis=0)
            rng.permuted(copies, axis=-1, out=copies).mean(axis=1, out=means[start : start + step])
        return means
    # sum over rows of their permuted scores, (size, n_columns) each
    for row, places in zip(matrix, _permutations(known, rng, size, matrix.shape), strict=True):
        means += row.take(places)
    means /= n_rows
    return means


def _permutations(
    known: Permutations, rng: np.random.Generator, size: int, shape: tuple[int, ...]
) -> NDArray[np.integer[Any]]:
    """Random orders of the columns for each row, (n_rows, size, n_columns), kept in `known`."""
    key = pickle.dumps((rng.bit_generator.state, size, shape))
    if key in known:
        return known[key]
    drawn = rng.permuted(np.broadcast_to(np.arange(shape[1]), (size, *shape)), axis=-1)
    drawn = np.ascontiguousarray(drawn.swapaxes(0, 1), dtype=np.min_scalar_type(shape[1] - 1))
    if drawn.nbytes + sum(kept.nbytes for kept in tuple(known.values())) <= SHARED_BYTES:
        known[key] = drawn
    return drawn


@contextmanager
def sharing_permutations() -> Iterator[None]:
    """A context in which `permuted_means` of equal generators share up to `SHARED_BYTES`."""
    token = _shared.set({})
    try:
        yield
    finally:
        _shared.reset(token)


def over_measures(statistic: Callable[P, R]) -> OverMeasures[P, R]:
    """The statistic, also of several measures, each of which gets a generator in the same state."""
    first = next(iter(signature(statistic).parameters))

    @wraps(statistic)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        scores = args[0] if args else kwargs.get(first)
        if not isinstance(scores, Mapping):
            return statistic(*args, **kwargs)
        if not scores:
            raise ValueError(f"`{first}` must have at least one measure, got none.")
        # the last measure takes the caller's generator, which so moves on; the others take clones
        args, root = args[1:], generator(kwargs.pop("rng", None))
        kwargs.pop(first, None)
        copies = [*(clone(root) for _ in range(len(scores) - 1)), root]
        with sharing_permutations():
            return by_measure(
                (str(measure), cast(Any, statistic)(matrix, *args, **kwargs, rng=copied))
                for (measure, matrix), copied in zip(scores.items(), copies, strict=True)
            )

    return cast("OverMeasures[P, R]", wrapper)


# --- workers: processes, threads, or the cluster that `joblib.parallel_config` names --------------


def run_all(
    work: Callable[..., R], items: Sequence[Any], n_jobs: int | None, data: object = None
) -> list[R]:
    """The results of `work` for each item, in order; `data`, if given, is its first argument.

    Work may use only the item and the data that it holds, and change neither. joblib maps large
    arrays that it holds into the memory of worker processes, once. Dask's workers get `work` once a
    call, and `data` once as long as they live; blocks of one that dies are computed by another.
    """
    with one_blas_thread():
        client = getattr(get_active_backend()[0], "client", None)
        here = work if data is None else partial(work, data)
        if n_workers(n_jobs) == 1 or len(items) < 2:
            return [here(item) for item in items]
        parallel = Parallel(n_jobs=n_jobs)
        if client is None:
            return list(parallel(delayed(_with_one_blas_thread)(here, item) for item in items))
        # a cluster of Dask: work is sent once a call, data once as long as the workers live
        of_call = _on_cluster(client, work)
        of_data = None if data is None else _kept_on_cluster(client, data)
        return list(parallel(delayed(_unpickle_and_run)(of_call, of_data, item) for item in items))


def _on_cluster(client: Any, value: object) -> Any:
    """The future of a pickled value on a cluster of Dask.

    It is the result of a task, which Dask repeats where the workers that hold it have died. What is
    scattered, also by joblib, would be lost with them, and all that depends on it. Not under a key
    of its content: Dask loses it if other data with one content have just been released.
    """
    with catch_warnings():
        filterwarnings("ignore", "Sending large graph")  # once, and it is nothing but the value
        return client.submit(bytes, cloudpickle.dumps(value), pure=False)


def _kept_on_cluster(client: Any, data: object) -> Any:
    """The future of data that are sent once as long as they and the cluster live."""
    futures = _futures.setdefault(data, {})
    if client.id not in futures or futures[client.id].cancelled():  # as after `client.restart()`
        futures[client.id] = _on_cluster(client, data)
    return futures[client.id]


def n_workers(n_jobs: int | None) -> int:
    """How many workers `run_all` has; None is one, if `joblib.parallel_config` says no other."""
    try:
        wanted = None if n_jobs is None else operator.index(n_jobs)
    except TypeError:
        raise TypeError(f"`n_jobs` must be None or an integer, got {shown(n_jobs)}.") from None
    if wanted == 0 or isinstance(n_jobs, bool):
        raise ValueError(f"`n_jobs` must be None or an integer other than 0, got {shown(n_jobs)}.")
    return int(effective_n_jobs(wanted))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context of linear algebra in one thread: with more, products differ in the last bit.

    The limit is of the process: the first of several threads sets it, and the last one lifts it.
    """
    # contexts may be nested, or open in several threads: a stack, each item of which is the limit
    with _blas_lock:
        limit = _blas_limits[-1] if _blas_limits else _blas().limit(limits=1, user_api="blas")
        _blas_limits.append(limit)
    try:
        yield
    finally:
        with _blas_lock:
            _blas_limits.pop()
            if not _blas_limits:
                limit.restore_original_limits()


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of this process, found once, as that takes a millisecond."""
    import scipy.linalg  # noqa: F401  # loads another than numpy's

    return ThreadpoolController()


def _with_one_blas_thread(work: Callable[[Item], R], item: Item) -> R:
    """What a worker process runs: the limit of threads of one process does not hold in another."""
    with one_blas_thread():
        return work(item)


def _unpickle_and_run(pickled: bytes, data: bytes | None, item: Any) -> Any:  # pragma: no cover
    """What a worker of Dask runs: `work` for the data, if any, and the item, from their pickles."""
    # arrays that Dask itself sends begin anywhere in memory, which changes how numpy adds
    work = pickle.loads(pickled)
    here = work if data is None else partial(work, pickle.loads(data))
    # work that shares out its own would wait for a place that it takes itself
    with parallel_config("sequential"):
        return _with_one_blas_thread(here, item)
