"""Where a test gets its resamples from, in their order: one null for all rankings, or one for each ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias

import numpy as np

from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.resampling import RandomState, Seeded, block_size, generator, seeded_blocks, twin
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import n_workers, run_all
from pt_rankcorr.stats.rank_distance.centres import without_a_ranking
from pt_rankcorr.stats.rank_distance.model import Fitter
from pt_rankcorr.stats.rank_distance.nulls import Block, Centred, cells_of, published_block, two_sample_block
from pt_rankcorr.stats.rank_distance.reference import RankingsGiven, Reference
from pt_rankcorr.stats.rank_distance.sequential import Counts
from pt_rankcorr.stats.rank_distance.settings import OF_EACH_RANKING, Settings

Work: TypeAlias = Callable[[Seeded], Floats]


class SharedNull:
    """One null distribution for all rankings, of which each block is computed when it is first needed."""

    def __init__(self, work: Work, seeded: Sequence[Seeded], n_jobs: int | None) -> None:
        self._work, self._seeded, self._n_jobs = work, seeded, n_jobs
        self._known: list[Floats] = []

    @cached_property
    def rows(self) -> Floats:
        """Of all resamples the distance, and whether only quadprog could find it: shape (B, 2)."""
        return np.concatenate(list(self._blocks()))[:, 0]

    def distribution(self, rankings: RankingsGiven) -> Floats:
        """All distances, shape (B,)."""
        return self.rows[:, 0]

    def count(self, rankings: Floats, counts: Counts) -> None:
        """Adds resamples to the counts until these are decided, or there are no more."""
        every = np.arange(len(rankings))
        for rows in self._blocks():
            counts.add(rows.repeat(every.size, axis=1), every)
            if not counts.left.any():
                return

    def _blocks(self) -> Iterator[Floats]:
        for done in range(len(self._seeded)):
            if done == len(self._known):
                some = self._seeded[done : done + _at_once(done, self._n_jobs)]
                self._known += run_all(self._work, some, self._n_jobs)
            yield self._known[done]


class NullOfEachRanking:
    """A null distribution for each ranking; all rankings meet the same resamples."""

    def __init__(self, reference: Reference, n_resamples: int, seed: int, n_jobs: int | None) -> None:
        self._reference, self._n_resamples, self._n_jobs = reference, n_resamples, n_jobs
        self.seed = seed

    def distribution(self, rankings: RankingsGiven) -> Floats:
        """All distances, shape (B,) for one ranking, (k, B) for several; nan for rankings that tie all systems."""
        defined = ~self._reference.is_undefined(rankings.scores)
        distances = np.full((defined.size, self._n_resamples), np.nan)
        if defined.any():
            fitter = self._reference.fitter
            work = _work(Centred.of(fitter, rankings.scores[defined]).whole_block, fitter)
            found = run_all(work, _seeded(fitter, self._n_resamples, self.seed), self._n_jobs)
            distances[defined] = np.concatenate(found)[..., 0].T
        return np.asarray(rankings.results(distances))

    def count(self, rankings: Floats, counts: Counts) -> None:
        """Adds resamples to the counts until these are decided, or there are no more."""
        count_each(self._reference.fitter, rankings, counts, self.seed, self._n_jobs)


Null: TypeAlias = SharedNull | NullOfEachRanking


def null_of(reference: Reference, settings: Settings, rng: RandomState, n_jobs: int | None) -> Null:
    n_resamples, fitter = settings.n_resamples, reference.fitter
    if settings.null == OF_EACH_RANKING:
        return NullOfEachRanking(reference, n_resamples, int(generator(rng).integers(2**63)), n_jobs)
    block: Block = partial(published_block, fitter=fitter)
    if settings.null == "two-sample":
        n_topics, shift = settings.n_ranking_topics, without_a_ranking(fitter)
        block = partial(two_sample_block, fitter=fitter, n_ranking_topics=n_topics, shift=shift)
    return SharedNull(_work(block, fitter), _seeded(fitter, n_resamples, rng), n_jobs)


def count_each(fitter: Fitter, rankings: Floats, counts: Counts, seed: int, n_jobs: int | None) -> None:
    """Adds resamples to the counts, each ranking's from its own null, until these are decided or there are no more."""
    counts.add_all(counts.least == 0.0)  # nothing is nearer than that
    at, done = counts.left.nonzero()[0], 0
    if not at.size:
        return
    centred, seeded = Centred.of(fitter, rankings[at]), _seeded(fitter, counts.n_resamples, seed)
    while at.size and done < len(seeded):
        block = partial(centred.counted_block, least=counts.least[at], left=counts.left[at])
        some = seeded[done : done + _at_once(done, n_jobs)]
        for rows in run_all(_work(block, fitter), some, n_jobs):
            counts.add(rows, at)
        remain = counts.left[at].nonzero()[0]
        at, centred, done = at[remain], centred.take(remain), done + len(some)


def _at_once(done: int, n_jobs: int | None) -> int:
    """How many blocks to compute after so many, which may be enough: one, or for several workers more each time."""
    workers = n_workers(n_jobs)
    return max(workers, done) if workers > 1 else 1


def _seeded(fitter: Fitter, n_resamples: int, rng: RandomState) -> list[Seeded]:
    return seeded_blocks(n_resamples, cells=cells_of(fitter), rng=generator(rng))


def _work(block: Block, fitter: Fitter) -> Work:
    return partial(_rows, block, block_size(cells_of(fitter)))


def _rows(block: Block, size: int, seeded: Seeded) -> Floats:
    """The resamples of a block that are wanted; its generator stays as it is, as an interrupted block begins anew."""
    child, wanted = seeded
    return np.stack(list(islice(block(twin(child), size), wanted)))
