"""Resampling in seeded blocks: every bootstrap and permutation of the package goes through here.

Resamples are drawn in blocks whose size depends on the data alone. Each block has a random generator of its
own, spawned from the caller's, and is computed as one piece. The number of workers, the backend and the way in
which blocks are handed to workers therefore never change a bit of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats._workers import each
from pt_rankcorr.stats.checks import whole_number
from pt_rankcorr.stats.order import Floats

RandomState: TypeAlias = int | np.random.Generator | None
Block: TypeAlias = Callable[[np.random.Generator, int], Floats]
Reduced = TypeVar("Reduced")

BLOCK_CELLS = 2**22  # cells of one block's largest array: 32 MiB of floats
BLOCK_RESAMPLES = 128  # resamples of one block at most: enough to vectorise, few enough to share out


def generator(rng: RandomState) -> np.random.Generator:
    """The random generator that a public function makes, once, of its `rng` argument.

    Raises:
        TypeError: If `rng` is not an integer, a numpy.random.Generator or None.
        ValueError: If it is a negative integer.
    """
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    return np.random.default_rng(whole_number("rng", rng, at_least=0))


def blockwise(
    compute: Block, n_resamples: int, *, cells: int, rng: np.random.Generator, n_jobs: int | None = None
) -> Floats:
    """The results of all resamples, one block after the other.

    Args:
        compute: Takes a generator and a number of resamples, returns an array with one row a resample. It is
            called once a block, perhaps on another machine: it must not depend on anything but its arguments and the
            data that it holds on to, and change neither.
        n_resamples: How many rows are wanted.
        cells: How many array cells `compute` needs at once for one resample; blocks are cut so that one
            takes about 32 MiB.
        rng: One child is spawned from it for every block.
        n_jobs: Workers, as joblib counts them; None is one, unless `joblib.parallel_config` says otherwise.

    Returns:
        Shape (n_resamples, ...). The first rows do not depend on how many more are asked for.
    """
    return np.concatenate(reduced_blocks(compute, np.asarray, n_resamples, cells=cells, rng=rng, n_jobs=n_jobs))


def reduced_blocks(
    compute: Block,
    reduce: Callable[[Floats], Reduced],
    n_resamples: int,
    *,
    cells: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> list[Reduced]:
    """What `reduce` makes of the rows of each block, one block after the other, where the rows themselves are too many.

    The other arguments are those of `blockwise`. At most one block a worker is in memory.
    """
    size = block_size(cells)
    children = rng.spawn(-(-n_resamples // size))
    wanted = [min(size, n_resamples - start) for start in range(0, n_resamples, size)]
    block = partial(_block, compute, reduce, size)
    return each(block, list(zip(children, wanted, strict=True)), n_jobs)


def _block(
    compute: Block, reduce: Callable[[Floats], Reduced], size: int, given: tuple[np.random.Generator, int]
) -> Reduced:
    child, wanted = given
    return reduce(compute(child, size)[:wanted])


def block_size(cells: int) -> int:
    """How many resamples make a block, if each needs so many array cells."""
    return max(1, min(BLOCK_RESAMPLES, BLOCK_CELLS // max(cells, 1)))


def topic_indices(rng: np.random.Generator, size: int, n_topics: int) -> NDArray[np.intp]:
    """Bootstrap samples of topics: shape (size, n_topics), each row drawn with replacement."""
    return rng.integers(0, n_topics, size=(size, n_topics), dtype=np.intp)


def topic_weights(rng: np.random.Generator, size: int, n_topics: int) -> Floats:
    """The same bootstrap samples as `topic_indices` draws, as how often each topic was drawn.

    A statistic that is a function of weighted sums over topics is computed faster from these.
    """
    indices = topic_indices(rng, size, n_topics)
    rows = np.arange(size)[:, np.newaxis] * n_topics
    counts = np.bincount((indices + rows).ravel(), minlength=size * n_topics)
    return counts.reshape(size, n_topics).astype(np.float64)
