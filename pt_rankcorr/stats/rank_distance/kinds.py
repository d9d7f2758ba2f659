"""Null distributions in the order of their resamples: one for all rankings, and one for each ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias

import numpy as np

from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.resampling import RandomState, Seeded, block_size, generator, seeded_blocks, twin
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import each, n_workers
from pt_rankcorr.stats.rank_distance.model import Fitter
from pt_rankcorr.stats.rank_distance.nulls import (
    OF_EACH_RANKING,
    Block,
    Centred,
    cells_of,
    published_block,
    two_sample_block,
)
from pt_rankcorr.stats.rank_distance.reference import RankingsGiven, Reference
from pt_rankcorr.stats.rank_distance.sequential import Counts
from pt_rankcorr.stats.rank_distance.settings import Settings


class SharedNull:
    """One null distribution for all rankings, of which each block is computed when it is first needed."""

    def __init__(self, block: Block, size: int, seeded: Sequence[Seeded], n_jobs: int | None) -> None:
        self._work, self._seeded, self._n_jobs = partial(_rows, block, size), seeded, n_jobs
        self._known: list[Floats] = []

    @classmethod
    def known(cls, rows: Floats) -> SharedNull:
        """One whose resamples are, as `storage` has them, of shape (B, 2)."""
        null = cls(lambda rng, size: iter(()), len(rows), [(np.random.default_rng(), len(rows))], None)
        null._known.append(rows[:, np.newaxis])
        return null

    def count(self, rankings: Floats, counts: Counts) -> None:
        """Adds resamples to the counts, until they are decided or there are no more."""
        every = np.arange(len(rankings))
        for rows in self._blocks():
            counts.add(rows.repeat(every.size, axis=1), every)
            if not counts.left.any():
                return

    def distribution(self, rankings: RankingsGiven) -> Floats:
        """All distances, shape (B,)."""
        return self.rows[:, 0]

    @cached_property
    def rows(self) -> Floats:
        """Of all resamples the distance, and whether only quadprog could find it: shape (B, 2)."""
        return np.concatenate(list(self._blocks()))[:, 0]

    def _blocks(self) -> Iterator[Floats]:
        for at in range(len(self._seeded)):
            if at == len(self._known):
                self._known += each(self._work, self._seeded[at : at + _at_once(at, self._n_jobs)], self._n_jobs)
            yield self._known[at]


class NullOfEachRanking:
    """A null distribution for each ranking; all of them meet the same resamples."""

    def __init__(self, reference: Reference, n_resamples: int, seed: int, n_jobs: int | None) -> None:
        self._reference, self._n_resamples, self._n_jobs = reference, n_resamples, n_jobs
        self.seed = seed

    def count(self, rankings: Floats, counts: Counts) -> None:
        """Adds resamples to the counts, until they are decided or there are no more."""
        count_each(self._reference.fitter, rankings, counts, self._n_resamples, self.seed, self._n_jobs)

    def distribution(self, rankings: RankingsGiven) -> Floats:
        """All distances, shape (B,) for one ranking, (k, B) for several; nan for rankings that tie all systems."""
        defined = ~self._reference.is_undefined(rankings.scores)
        distances = np.full((defined.size, self._n_resamples), np.nan)
        if defined.any():
            fitter = self._reference.fitter
            block = Centred.of(fitter, rankings.scores[defined]).whole_block
            seeded = seeded_blocks(self._n_resamples, cells=cells_of(fitter), rng=generator(self.seed))
            found = each(partial(_rows, block, block_size(cells_of(fitter))), seeded, self._n_jobs)
            distances[defined] = np.concatenate(found)[..., 0].T
        return np.asarray(rankings.results(distances))


Null: TypeAlias = SharedNull | NullOfEachRanking


def null_of(reference: Reference, settings: Settings, rng: RandomState, n_jobs: int | None) -> Null:
    fitter = reference.fitter
    if settings.null == OF_EACH_RANKING:
        return NullOfEachRanking(reference, settings.n_resamples, int(generator(rng).integers(2**63)), n_jobs)
    block: Block = partial(published_block, fitter=fitter)
    if settings.null == "two-sample":
        block = partial(two_sample_block, fitter=fitter, n_ranking_topics=settings.n_ranking_topics)
    seeded = seeded_blocks(settings.n_resamples, cells=cells_of(fitter), rng=generator(rng))
    return SharedNull(block, block_size(cells_of(fitter)), seeded, n_jobs)


def count_each(
    fitter: Fitter, rankings: Floats, counts: Counts, n_resamples: int, seed: int, n_jobs: int | None
) -> None:
    """Adds resamples of each ranking's own null to the counts, until they are decided or there are no more."""
    counts.add_all(counts.least == 0.0, n_resamples)  # nothing is nearer than that
    at = ((counts.left > 0) & (counts.used < n_resamples)).nonzero()[0]
    if not at.size:
        return
    centred, cells = Centred.of(fitter, rankings[at]), cells_of(fitter)
    seeded, done = seeded_blocks(n_resamples, cells=cells, rng=generator(seed)), 0
    while at.size and done < len(seeded):
        block = partial(centred.counted_block, least=counts.least[at], left=counts.left[at])
        some = seeded[done : done + _at_once(done, n_jobs)]
        for rows in each(partial(_rows, block, block_size(cells)), some, n_jobs):
            counts.add(rows, at)
        remain = counts.left[at] > 0
        at, centred, done = at[remain], centred.take(remain), done + len(some)


def _at_once(done: int, n_jobs: int | None) -> int:
    """How many blocks to compute after so many, which may be enough: one, or for several workers more each time."""
    workers = n_workers(n_jobs)
    return max(workers, done) if workers > 1 else 1


def _rows(block: Block, size: int, seeded: Seeded) -> Floats:
    """The resamples of a block that are wanted; its generator stays as it is, as an interrupted block begins anew."""
    child, wanted = seeded
    return np.stack(list(islice(block(twin(child), size), wanted)))
