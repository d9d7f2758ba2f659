"""Bootstrap samples of topics that are drawn anew wherever they are needed, the same each time.

All samples at once would be n x B numbers, which for the topics of a query log is more than there is memory.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pt_rankcorr.stats.order import Floats
from pt_rankcorr.stats.resampling import block_size, topic_indices, topic_weights

Drawn = TypeVar("Drawn", bound=np.ndarray[tuple[int, ...], np.dtype[np.generic]])


@dataclass(frozen=True)
class TopicSamples:
    """The samples that `resampling.blockwise` would draw, in blocks of 32 MiB.

    Attributes:
        n_topics: Of each sample, and from which it is drawn.
        n_resamples: How many samples.
        children: A generator for each block; none is ever used, but copies of it.
    """

    n_topics: int
    n_resamples: int
    children: tuple[np.random.Generator, ...]

    @classmethod
    def of(cls, n_topics: int, n_resamples: int, rng: np.random.Generator) -> TopicSamples:
        """One child is spawned from the generator for every block."""
        blocks = -(-n_resamples // block_size(n_topics))
        return cls(n_topics, n_resamples, tuple(rng.spawn(blocks)))

    def indices(self) -> Iterator[np.ndarray[tuple[int, ...], np.dtype[np.intp]]]:
        """The topics of each sample: shape (size, n_topics) a block."""
        return self._blocks(topic_indices)

    def weights(self) -> Iterator[Floats]:
        """How often each topic was drawn: shape (size, n_topics) a block."""
        return self._blocks(topic_weights)

    def _blocks(self, draw: Callable[[np.random.Generator, int, int], Drawn]) -> Iterator[Drawn]:
        size = block_size(self.n_topics)
        for at, child in enumerate(self.children):
            wanted = min(size, self.n_resamples - at * size)
            yield draw(copy.deepcopy(child), size, self.n_topics)[:wanted]  # type: ignore[misc]
