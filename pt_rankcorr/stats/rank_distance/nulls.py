"""The nulls of d_rank: blocks of resamples, and of each resample the distances under the null hypothesis.

A block is an iterator of arrays, one a resample: for each ranking, or for all, a distance and whether only quadprog
found it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np

from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.resampling import topic_weights
from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.stats.rank_distance.bounds import Bounds, changes_to_keep
from pt_rankcorr.stats.rank_distance.centres import shrunken
from pt_rankcorr.stats.rank_distance.model import Fitter, Model
from pt_rankcorr.stats.rank_distance.sequential import TOLERANCE

STACKED, STACK_CELLS = 32, 2**18  # resamples at once, and cells of their means, shifted for each ranking

Block: TypeAlias = Callable[[np.random.Generator, int], Iterator[Floats]]


def cells_of(fitter: Fitter) -> int:
    """What a resample needs at once: the weights of topics, and the covariance of differences."""
    n_topics, n_systems = fitter.scores.shape
    return int(max(n_topics, n_systems**2))


def published_block(rng: np.random.Generator, size: int, fitter: Fitter) -> Iterator[Floats]:
    """Algorithm 2: rankings by resampled means, measured against the reference as it is."""
    rankings = fitter.means(topic_weights(rng, size, len(fitter.scores)))
    return (distances(fitter, [(fitter.model, order)]) for order in fitter.model.order(rankings))


def two_sample_block(
    rng: np.random.Generator, size: int, fitter: Fitter, n_ranking_topics: int, shift: Floats
) -> Iterator[Floats]:
    """Rankings by resampled means, each measured against a reference resampled independently, both shifted."""
    n_topics = len(fitter.scores)
    drawn = rng.multinomial(n_ranking_topics, np.full(n_topics, 1.0 / n_topics), size=size)
    rankings = fitter.means(drawn.astype(np.float64)) + shift
    models = (model.shift_by(shift) for model in _resampled(rng, size, fitter))
    pairs = zip(models, rankings, strict=True)
    return (distances(fitter, [(model, model.order(ranking))]) for model, ranking in pairs)


@dataclass(frozen=True)
class Centred:
    """Rankings under test, each measured against the same resampled references, shifted to where it is true.

    Two systems swap their scores on random topics instead (Fisher's randomisation), as a resample of few differences is
    too often less far than a sample.

    Attributes:
        fitter: Of the reference.
        rankings: Shape (k, m), systems in canonical order, rounded as means are; none ties all systems.
        shifts: What to add to the means for the centre of each, shape (k, m).
    """

    fitter: Fitter
    rankings: Floats
    shifts: Floats

    @classmethod
    def of(cls, fitter: Fitter, rankings: Floats) -> Centred:
        two = rankings.shape[1] == 2
        return cls(fitter, rankings, np.zeros_like(rankings) if two else shrunken(fitter, rankings))

    def take(self, some: Indices) -> Centred:
        return Centred(self.fitter, self.rankings[some], self.shifts[some])

    def whole_block(self, rng: np.random.Generator, size: int) -> Iterator[Floats]:
        """All distances."""
        every = np.arange(len(self.rankings))
        for models, _, orders in self._stacks(rng, size):
            for model, order in zip(models, orders, strict=True):
                yield self._distances(model, order, every)

    def counted_block(self, rng: np.random.Generator, size: int, least: Floats, left: Indices) -> Iterator[Floats]:
        """The distances of at least so much, until there are so many for each ranking; others may be nan."""
        bounds, left = Bounds(self.fitter, least), left.copy()
        for models, means, orders in self._stacks(rng, size):
            changes = changes_to_keep(means, orders) if bounds.tells else means
            for at, model in enumerate(models):
                is_open = left > 0
                if not is_open.any():
                    return
                if bounds.tells:
                    is_open &= ~bounds.surely_nearer(model, changes[at])
                found, these = self._unknown.copy(), is_open.nonzero()[0]
                if these.size:
                    found[these] = self._distances(model, orders[at], these)
                    left -= found[:, 0] >= least
                yield found

    def _stacks(self, rng: np.random.Generator, size: int) -> Iterator[tuple[list[Model], Floats, Indices]]:
        """Some models at once; the means of each shifted for each ranking, and their orders, of shape (some, k, m)."""
        two = self.rankings.shape[1] == 2
        models = self.fitter.swap_each(rng, size) if two else _resampled(rng, size, self.fitter)
        while some := list(islice(models, max(1, min(STACKED, STACK_CELLS // self.rankings.size)))):
            means = np.array([model.means for model in some])[:, np.newaxis] + self.shifts
            yield some, means, np.lexsort((means, np.broadcast_to(self.rankings, means.shape)), axis=-1)

    def _distances(self, model: Model, orders: Indices, these: Indices) -> Floats:
        return distances(self.fitter, ((model.shift_by(self.shifts[at]), orders[at]) for at in these))

    @cached_property
    def _unknown(self) -> Floats:
        return np.tile([np.nan, 0.0], (len(self.rankings), 1))


def distances(fitter: Fitter, cases: Iterable[tuple[Model, Indices]]) -> Floats:
    """Of models and orders: the distance, and whether only quadprog could find it, a row each."""
    found = np.array([model.squared_distance(order) for model, order in cases], dtype=np.float64).reshape(-1, 2)
    found[:, 0] = np.sqrt(len(fitter.scores) * found[:, 0])
    return found


def _resampled(rng: np.random.Generator, size: int, fitter: Fitter) -> Iterator[Model]:
    weights = topic_weights(rng, size, len(fitter.scores))
    return map(fitter.refit, weights, fitter.means(weights))


def upper_quantile(distances: Floats, alpha: float) -> float:
    """The least distance d such that whatever lies beyond d has (b + 1)/(B + 1) <= alpha."""
    at_least = count_to_accept(alpha, distances.size)
    return float(np.sort(distances)[-at_least]) if at_least >= 1 else math.inf


def count_to_accept(alpha: float, n_resamples: int) -> int:
    """The least b with (b + 1)/(B + 1) > alpha: so many resamples at least as far, and a ranking is accepted."""
    return min(math.floor(alpha * (n_resamples + 1) * (1.0 + TOLERANCE)), n_resamples)
