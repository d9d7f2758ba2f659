"""Coefficients over resamples of topics, and the standard errors that follow.

Resamples of topics lie about the sample, not about the population. Where noise fills the means of a
side, they stay near the observed order, and spread too little. So each is resampled twice more: by
how much the spread shrinks from resamples to their resamples says by how much the first is to be
widened (a nested bootstrap: Beran, "Prepivoting test statistics", JASA 83, 1988, uses one for
levels of tests).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from pt_rankcorr.stats.coefficients.counting import Sets, sharing_counts
from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.means import round_means
from pt_rankcorr.stats.core.types import TOLERANCE, Flags, Floats
from pt_rankcorr.stats.truth.one_true_ranking import OneRanking

# References share so many blocks of resamples, as 2000 resamples have: 64 MiB of means, and of
# ranks as much for each 64 systems.
SHARED, SHARED_BYTES = 16, 2**26


def replicate(
    coefficients: Callable[[Floats, Floats], Floats],
    reference: Floats,
    estimates: Sequence[Floats],
    n_resamples: int,
    seed: int,
    *,
    samples: Sequence[int] | None = None,
    nested: bool = True,
    n_jobs: int | None = None,
) -> Floats:
    """Coefficients of a reference with several estimates, in resamples of topics and of these.

    In B resamples, and in two resamples of each. Shape (3, B, n_estimates, n_columns), (1, B, ...)
    unless nested, from scores of shape (n_topics, n_systems) and a function of two arrays of means,
    (..., n_systems), to (..., n_columns). One seed gives the same first resamples, however many
    there are. Estimates with one number in `samples` have the same topics in the same rows; 0, the
    default, are those of the reference.
    """
    samples = [0] * len(estimates) if samples is None else samples
    compute = partial(_block, coefficients, reference, estimates, samples, nested)
    # the reference alone sets the size of a block: draws do not depend on which estimates there are
    cells, rng = 2 * reference.size, resampling.generator(seed)
    drawn = resampling.blockwise(compute, n_resamples, cells=cells, rng=rng, n_jobs=n_jobs)
    return np.moveaxis(drawn, 1, 0)


def _block(
    coefficients: Callable[[Floats, Floats], Floats],
    reference: Floats,
    estimates: Sequence[Floats],
    samples: Sequence[int],
    nested: bool,
    rng: np.random.Generator,
    size: int,
) -> Floats:
    """One block of replicates, shape (size, 3 or 1, n_estimates, n_columns)."""
    n_topics = {0: len(reference)} | dict(zip(samples, map(len, estimates), strict=True))
    block = _resampled_block(n_topics, rng, size, nested=nested)
    # means of shape (3 or 1, size, m); inside the context each of them is ranked once
    reference_means = block.means_of(0, reference)
    with sharing_counts(block.sets):
        values = [
            coefficients(reference_means, block.means_of(sample, estimate))
            for sample, estimate in zip(samples, estimates, strict=True)
        ]
    block.trim(SHARED_BYTES // SHARED)
    # (3 or 1, size, n_estimates, n_columns); resamples go first, as blocks are joined along them
    return np.moveaxis(np.stack(values, axis=2), 0, 1)


def _shares_of_samples(
    n_topics: Mapping[int, int], rng: np.random.Generator, size: int, *, nested: bool
) -> dict[int, Floats]:
    """Number of a sample of topics -> their shares in resamples, and in two resamples of each.

    Shares are of shape (3, size, n_topics), (1, ...) unless nested.
    """
    parent = cast(np.random.SeedSequence, rng.bit_generator.seed_seq)
    shares = {}
    for sample, n in n_topics.items():
        # the generator follows from the sample's number, not from which other samples there are
        key = (*parent.spawn_key, sample)
        own = np.random.default_rng(np.random.SeedSequence(parent.entropy, spawn_key=key))
        drawn = resampling.topic_indices(own, size, n)
        counts = [resampling.count_draws(drawn, n)]
        # a resample of a resample: draw positions within the first draw, shape (size, n_topics)
        for _ in range(2 * nested):
            again = np.take_along_axis(drawn, resampling.topic_indices(own, size, n), axis=1)
            counts.append(resampling.count_draws(again, n))
        shares[sample] = np.stack(counts) / n
    return shares


class Resampled(NamedTuple):
    """One block of resamples of topics, and what was computed of it."""

    # number of a sample of topics -> the shares of topics, (3 or 1, size, n_topics): sides on the
    # same topics are resampled together
    shares: dict[int, Floats]
    # by the sample and the bytes of the scores, shape (3 or 1, size, m)
    means: dict[tuple[int, bytes], Floats]
    # their ranks: the arrays of means, found by identity, each with the sets of systems above each
    sets: Sets

    def means_of(self, sample: int, scores: Floats) -> Floats:
        """The resampled means of scores, (n_topics, m), of a sample: shape (3 or 1, size, m)."""
        key = sample, scores.tobytes()
        if key not in self.means:
            self.means[key] = round_means(self.shares[sample] @ scores, scores)
        return self.means[key]

    def trim(self, nbytes: int) -> None:
        """Forgets the last means until the others take at most so many bytes, and their ranks."""
        while sum(means.nbytes for means in self.means.values()) > nbytes:
            self.means.popitem()
        kept = {id(means) for means in self.means.values()}
        self.sets[:] = [known for known in self.sets if id(known[0]) in kept]


_resampled: ContextVar[dict[bytes, Resampled] | None] = ContextVar("_resampled", default=None)


@contextmanager
def sharing_resamples() -> Iterator[None]:
    """A context in which references share resampled means, and their ranks, in `SHARED` blocks.

    So measures that are compared with several references are resampled and ranked once for a seed.
    """
    token = _resampled.set({})
    try:
        yield
    finally:
        _resampled.reset(token)


def _resampled_block(
    n_topics: Mapping[int, int], rng: np.random.Generator, size: int, *, nested: bool
) -> Resampled:
    """The resamples of one block, found again inside `sharing_resamples`."""
    known = _resampled.get()
    key = pickle.dumps((rng.bit_generator.state, size, nested, sorted(n_topics.items())))
    if known is not None and key in known:
        return known[key]
    block = Resampled(_shares_of_samples(n_topics, rng, size, nested=nested), {}, [])
    if known is not None and len(known) < SHARED:
        known[key] = block
    return block


# --- under one true ranking -----------------------------------------------------------------------


def null_replicate(
    coefficients: Callable[[Floats, Floats], Floats],
    reference: Floats,
    estimates: Sequence[Floats],
    pairs: Sequence[OneRanking],
    n_resamples: int,
    seed: int,
    *,
    samples: Sequence[int] | None = None,
    n_known: int = 0,
    n_jobs: int | None = None,
) -> Floats:
    """Coefficients of a reference with several estimates if each had one true ranking with it.

    Shape (B, n_estimates, n_columns). The arguments are those of `replicate`, and the resamples of
    topics are its first ones. Pairs are the reference with each estimate. If the first `n_known`
    replicates are known, those in whole blocks are left out.
    """
    samples = [0] * len(estimates) if samples is None else samples
    quantiles = [pair.quantiles() for pair in pairs]
    compute = partial(_null_block, coefficients, reference, estimates, samples, pairs, quantiles)
    cells, rng = 2 * reference.size, resampling.generator(seed)
    size = resampling.block_size(cells)
    n_blocks = n_known // size
    # the generators of the blocks that are left out
    rng.spawn(n_blocks)
    n_left = n_resamples - n_blocks * size
    return resampling.blockwise(compute, n_left, cells=cells, rng=rng, n_jobs=n_jobs)


def _null_block(
    coefficients: Callable[[Floats, Floats], Floats],
    reference: Floats,
    estimates: Sequence[Floats],
    samples: Sequence[int],
    pairs: Sequence[OneRanking],
    quantiles: Sequence[tuple[Floats, Floats]],
    rng: np.random.Generator,
    size: int,
) -> Floats:
    """One block of coefficients under one true ranking, shape (size, n_estimates, n_columns)."""
    # One normal number a replicate and system decides the system's position. Resamples of topics
    # have generators of their own, so these are the first resamples of `replicate`, with one seed.
    normals = rng.standard_normal((size, reference.shape[1]))
    n_topics = {0: len(reference)} | dict(zip(samples, map(len, estimates), strict=True))
    shares = _shares_of_samples(n_topics, rng, size, nested=False)
    values = []
    for pair, tables, sample in zip(pairs, quantiles, samples, strict=True):
        # eq. 6: draws of the true means of both, plus errors of resampled topics, (size, m) each
        means = pair.draws(tables, normals)
        errors = pair.errors((shares[0][0], shares[sample][0]))
        # both are in units of noise about the mean system: back to scores, in place
        for side, means_of_side, error in zip(pair.sides, means, errors, strict=True):
            means_of_side += error
            means_of_side *= side.noise
            means_of_side += side.centre
        values.append(coefficients(*means))
    return np.stack(values, axis=1)


def standard_errors(replicates: Floats, n_topics: int | Floats) -> Floats:
    """The standard errors of statistics over topic samples of this size.

    The standard deviation over resamples (Sakai 2006, section 4), times sqrt(n / (n - 1)), as they
    vary by so much less than samples; and times the ratio of the spread of resamples to that of
    their resamples.

    Replicates are of shape (3, B, ...), as of `replicate`, or their differences and means; numbers
    of independent topics and the result of shape (...). Those that are nan are left out; a result
    is nan if fewer than two are left.
    """
    # Resamples become the last axis, contiguous: a sum along it has the same bits, however many
    # statistics there are.
    by_statistic = np.ascontiguousarray(np.moveaxis(replicates, 1, -1))
    # for the ratio, a resample counts only if its own define the statistic, too: (..., B) each
    resampled, *again = np.where(np.isnan(by_statistic).any(axis=0), np.nan, by_statistic)
    spread, of_nested = _spread(by_statistic[0]), _spread(resampled)
    # the variance of one resample of a resample is half the mean square of the difference of two
    is_known = ~np.isnan(of_nested)
    apart = np.where(is_known[..., np.newaxis], again[0] - again[1], 0.0)
    spread_again = np.sqrt(np.nanmean(apart**2, axis=-1) / 2.0)
    # spread of samples / spread of resamples is taken to be spread of resamples / spread of theirs;
    # the ratio is 1 where nothing varies
    varies = is_known & (spread_again > TOLERANCE)
    ratio = np.divide(of_nested, spread_again, out=np.ones_like(spread), where=varies)
    resample_to_sample = np.sqrt(n_topics / (np.asarray(n_topics) - 1.0))
    # the ends of the ratio are chosen, not tuned; the calibration page has the coverage
    return np.asarray(spread * ratio.clip(0.8, 1.5) * resample_to_sample)


def resamples_tell(values: Floats, resampled: Floats) -> tuple[Flags, Flags]:
    """Whether enough resamples define, and enough change, each statistic for a standard error.

    Shape (...) each, as values on these topics; resampled ones (B, ...), nan where undefined.
    """
    n_undefined = np.isnan(resampled).sum(axis=0)
    n_changed = (np.abs(resampled - values) > TOLERANCE).sum(axis=0)
    # where less than one in a hundred changes the value, the spread says nothing; chosen, not tuned
    return n_undefined <= 0.01 * len(resampled), n_changed > 0.01 * len(resampled)


def _spread(resampled: Floats) -> Floats:
    """The standard deviation of defined values, (..., B) to (...); nan of fewer than two."""
    n_defined = (~np.isnan(resampled)).sum(axis=-1)
    is_defined = n_defined > 1
    # numpy warns of a row that is all nan: such rows become 0 first, and their deviation nan after
    filled = np.where(is_defined[..., np.newaxis], resampled, 0.0)
    deviation = np.where(is_defined, np.nanstd(filled, axis=-1), np.nan)
    # from divisor B to divisor B - 1
    return np.asarray(deviation * np.sqrt(n_defined / np.maximum(n_defined - 1, 1)))
