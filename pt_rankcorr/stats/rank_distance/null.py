"""The null distributions of d_rank, and the p-values of rankings by them.

`Null.count` resamples until enough resamples are at least as far as each ranking. A block of resamples is an array of
distances, shape (size, k): a column for each of k rankings, or one for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import get_args

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.means import round_means
from pt_rankcorr.stats.core.resampling import RandomState, Seeded, n_workers, run_all
from pt_rankcorr.stats.core.types import TOLERANCE, Floats, Indices, read_only
from pt_rankcorr.stats.rank_distance.distance import Covariance, Model, Reference, nearest_order
from pt_rankcorr.stats.truth.reliability import (
    GRID,
    PRIOR_OF_TESTS,
    log_likelihoods,
    log_probabilities_of_signs,
    posterior,
    varying_pairs,
)
from pt_rankcorr.stats.truth.shrunken import reliability_of

NULLS: tuple[choices.Null, ...] = get_args(choices.Null)
DEFAULT_NULL: choices.Null = "shrunken"  # everywhere: its level is nearest to the nominal one (calibration page)
ENOUGH = 200  # resamples at least as far: the standard error of p is then a fourteenth of p at most
STACKED, STACK_CELLS = 32, 2**18  # resamples whose means are shifted at once, and cells of these
PAIRS_AT_ONCE = 2**12  # of systems, whose likelihoods are computed for all values of lambda
SLACK = 1e-6  # of squared distances: far more than rounding errors
LEAST_SHRINKAGE = 1e-4  # of a covariance whose inverse is surely far more exact than that in floats
FAR = 0.25  # a squared distance, for each difference of systems, below which a bound seldom decides


class Null:
    """The null distribution of a test: one for each ranking by "shrunken", else one that all share, which is kept."""

    def __init__(
        self,
        reference: Reference,
        null: str,
        n_resamples: int,
        n_ranking_topics: int,
        rng: RandomState,
        n_jobs: int | None,
    ) -> None:
        self.is_shared = null != "shrunken"
        self._reference, self._n_resamples, self._n_jobs = reference, n_resamples, n_jobs
        self._draw_shared: Callable[[Reference, Seeded], Floats] = _published
        if null == "two-sample":
            shrink = reliability_of(reference.scores).mean - 1.0
            shift = shrink * (reference.model.means - reference.model.means.mean())
            self._draw_shared = partial(_two_sample, n_ranking_topics=n_ranking_topics, shift=shift)
        random = resampling.generator(rng)
        # each ranking's distribution is drawn from one seed, so that all rankings meet the same resamples
        random = random if self.is_shared else resampling.generator(int(random.integers(2**63)))
        self._seeded = resampling.seeded_blocks(n_resamples, cells=reference.cells, rng=random)
        self._kept: list[Floats] = []

    def count(self, rankings: Floats, statistic: Floats, enough: int = ENOUGH) -> Counts:
        """Counts of resamples at least as far as each of k rankings, shape (k, m), given their distances, shape (k,).

        It resamples until enough are as far as each, or all are drawn.
        """
        counts, done = Counts(statistic, self._n_resamples, enough), 0
        undecided = counts.left.nonzero()[0]
        first = rankings[undecided]
        shifts = np.zeros(first.shape) if self.is_shared else shifts_to_centres(self._reference, first)
        while undecided.size and done < len(self._seeded):
            workers = n_workers(self._n_jobs)
            n_blocks = max(workers, done) if workers > 1 else 1  # which may be enough
            wanted = slice(done, done + n_blocks)
            least, left = counts.least[undecided], counts.left[undecided]
            for block in self._blocks(wanted, rankings[undecided], shifts, least, left):
                counts.add(block, undecided)
            done += n_blocks
            remain = counts.left[undecided] > 0
            undecided, shifts = undecided[remain], shifts[remain]
        return counts

    def distribution(self, rankings: Floats) -> Floats:
        """All distances: shape (B,) if shared, else (k, B); nan for rankings that tie all systems."""
        if self.is_shared:
            return self.shared()
        distances = np.full((len(rankings), self._n_resamples), np.nan)
        is_defined = ~self._reference.is_undefined(rankings)
        if is_defined.any():
            rankings = rankings[is_defined]
            least, left = np.zeros(len(rankings)), np.full(len(rankings), self._n_resamples + 1)
            blocks = self._blocks(slice(None), rankings, shifts_to_centres(self._reference, rankings), least, left)
            distances[is_defined] = np.concatenate(blocks).T
        return distances

    def shared(self) -> Floats:
        """All distances of the shared distribution, read-only: shape (B,)."""
        self._keep(None)
        return read_only(np.concatenate(self._kept)[:, 0])

    def _keep(self, until: int | None) -> None:
        """Draws the blocks of the shared distribution up to this one, or all, unless they are kept already."""
        seeded = self._seeded[len(self._kept) : until]
        self._kept += run_all(self._draw_shared, seeded, self._n_jobs, self._reference)

    def _blocks(self, wanted: slice, rankings: Floats, shifts: Floats, least: Floats, left: Indices) -> list[Floats]:
        """The wanted blocks of resamples for k rankings, each of shape (size, k); arguments as for `_shrunken`."""
        if self.is_shared:
            self._keep(wanted.stop)
            return [block.repeat(len(rankings), axis=1) for block in self._kept[wanted]]
        work = partial(_shrunken, rankings=rankings, shifts=shifts, least=least, left=left)
        return run_all(work, self._seeded[wanted], self._n_jobs, self._reference)


# --- blocks of resamples ------------------------------------------------------------------------------------


def _published(reference: Reference, seeded: Seeded) -> Floats:
    """Algorithm 2: distances, shape (size, 1), of rankings by resampled means from the reference as it is."""
    child, wanted = seeded
    size = resampling.block_size(reference.cells)
    weights = resampling.topic_weights(resampling.twin(child), size, reference.n_topics)
    orders = reference.model.order(reference.means(weights)[:wanted])
    return _measured(reference, ((reference.model, order) for order in orders))


def _two_sample(reference: Reference, seeded: Seeded, n_ranking_topics: int, shift: Floats) -> Floats:
    """Distances, shape (size, 1), of resampled rankings from references resampled independently; means are shifted."""
    child, wanted = seeded
    rng, size, n_topics = resampling.twin(child), resampling.block_size(reference.cells), reference.n_topics
    drawn = rng.multinomial(n_ranking_topics, np.full(n_topics, 1.0 / n_topics), size=size)
    rankings = reference.means(drawn.astype(np.float64))[:wanted] + shift
    weights = resampling.topic_weights(rng, size, n_topics)
    means, covariances = reference.means(weights) + shift, map(reference.covariance, weights)
    models = (
        Model(mean, covariance.matrix(), reference.ridge) for mean, covariance in zip(means, covariances, strict=True)
    )
    pairs = zip(rankings, models, strict=False)
    return _measured(reference, ((model, model.order(ranking)) for ranking, model in pairs))


def _measured(reference: Reference, pairs: Iterator[tuple[Model, Indices]]) -> Floats:
    """The distance of each order of systems from its model: a block of one column."""
    squared = np.array([model.squared_distance(order) for model, order in pairs], dtype=np.float64)
    return np.sqrt(reference.n_topics * squared)[:, np.newaxis]


def _shrunken(
    reference: Reference, seeded: Seeded, rankings: Floats, shifts: Floats, least: Floats, left: Indices
) -> Floats:
    """Distances, shape (size, k), of k rankings from the same resampled references, shifted to each ranking's centre.

    Rankings and shifts are of shape (k, m). A resample counts for a ranking from its `least` distance on; less may be
    nan. When as many count as are `left` to count, the rest of a column is nan, and the block ends where all do.
    """
    (child, wanted), left = seeded, left.copy()
    means, covariances = _resampled(reference, resampling.twin(child), resampling.block_size(reference.cells))
    # the squared distance for one topic below which a resample is surely nearer; nan if no bound is worth its time
    least_squared = np.where(reference.shrinkage > LEAST_SHRINKAGE, least**2, np.nan)
    is_far = least_squared > FAR * (reference.n_systems - 1)
    nearer = np.where(is_far, least_squared * (1.0 - SLACK) / reference.n_topics, np.nan)
    rows: list[Floats] = []
    stack = max(1, min(STACKED, STACK_CELLS // rankings.size))
    for start in range(0, wanted, stack):
        shifted = means[start : min(start + stack, wanted), np.newaxis] + shifts
        orders = np.lexsort((shifted, np.broadcast_to(rankings, shifted.shape)), axis=-1)
        changes = changes_to_keep(shifted, orders) if is_far.any() else shifted
        for row_means, row_orders, row_changes, covariance in zip(shifted, orders, changes, covariances, strict=False):
            is_open = left > 0
            if not is_open.any():
                return np.array(rows)
            if is_far.any():
                is_open &= ~(covariance.squared_lengths(row_changes) < nearer)
            row = np.full(len(rankings), np.nan)
            open_places = is_open.nonzero()[0]
            matrix = covariance.matrix() if open_places.size else np.empty((0, 0))  # costly, and seldom needed
            for index in open_places:
                model = Model(row_means[index], matrix, reference.ridge)
                row[index] = math.sqrt(reference.n_topics * model.squared_distance(row_orders[index]))
            left -= row >= least
            rows.append(row)
    return np.array(rows)


def _resampled(reference: Reference, rng: np.random.Generator, size: int) -> tuple[Floats, Iterator[Covariance]]:
    """The means of resamples of topics, shape (size, m), and their covariances one by one."""
    if reference.n_systems > 2:
        weights = resampling.topic_weights(rng, size, reference.n_topics)
        return reference.means(weights), map(reference.covariance, weights)
    # Fisher's randomisation, as a resample of few differences is too often less far than a sample
    scores = reference.scores
    swaps = rng.integers(0, 2, (size, reference.n_topics)).astype(np.float64)
    means = ((1.0 - swaps) @ scores + swaps @ scores[:, ::-1]) / reference.n_topics
    gaps = (1.0 - 2.0 * swaps) * (scores[:, 1] - scores[:, 0])
    gap = np.array([[1.0, -1.0]]) / 2.0
    return round_means(means, scores), (Covariance(gap * deviation, 0.0) for deviation in gaps.std(axis=1, ddof=1))


# --- bounds: most resamples are nearer than a far ranking, which shows without a quadratic program ----------------


def changes_to_keep(means: Floats, orders: Indices) -> Floats:
    """What to take off means, so that they keep an order of systems, worst first; both of shape (..., m).

    From the worst system to the best, the largest mean until then and the least one from then on never decrease. Half
    of their sum does not, either, and is near the means. The distance of a ranking is that to the nearest means that
    keep it, so at most the length of these changes; the ridge only makes it less.
    """
    ordered = np.take_along_axis(means, orders, -1)
    largest_until = np.maximum.accumulate(ordered, axis=-1)
    least_from = np.minimum.accumulate(ordered[..., ::-1], axis=-1)[..., ::-1]
    changes = np.empty_like(means)
    np.put_along_axis(changes, orders, ordered - (largest_until + least_from) / 2.0, -1)
    return np.asarray(changes - changes.mean(axis=-1, keepdims=True))


# --- centres: true means near the measured ones, but closer together -----------------------------------------------


def shifts_to_centres(reference: Reference, rankings: Floats) -> Floats:
    """What to add to the measured means for the centre of each ranking's distribution, both of shape (k, m).

    Measured means are further apart than true ones, as sampling errors add to their differences. The nearest means that
    a ranking orders, theta of algorithm 1, put the systems that it reorders on one spot. So the centre is
    grand mean + l (w s + (1 - w) theta - grand mean): s are the measured means, sorted, given to the systems in the
    order of the ranking; l is the posterior mean of the reliability if the ranking is true; and w = l/2.
    """
    shifts, means = np.zeros(rankings.shape), reference.model.means
    if reference.n_systems == 2 or not len(rankings):  # two systems swap scores
        return shifts
    for row, reliability in enumerate(reliabilities_under(reference.scores, rankings)):
        order, sorted_means = nearest_order(reference.model, rankings[row]), np.empty_like(means)
        sorted_means[order] = np.sort(means)
        weight = reliability / 2.0
        centre = weight * sorted_means + (1.0 - weight) * reference.model.nearest_means(order)
        shifts[row] = reliability * (centre - centre.mean()) + means.mean() - means
    return shifts


def reliabilities_under(scores: Floats, rankings: Floats) -> list[float]:
    """For each ranking, shape (k, m), the posterior mean of the reliability lambda if true means are in its order."""
    n_topics, n_systems = scores.shape
    of_means, n_pairs, of_signs = np.zeros(GRID.size), 0, np.zeros((len(rankings), GRID.size))
    for pairs, t in varying_pairs(scores):
        of_means += log_likelihoods(t, n_topics)
        n_pairs += t.size
        for start in range(0, t.size, PAIRS_AT_ONCE):
            first, second = (systems[start : start + PAIRS_AT_ONCE] for systems in pairs)
            signs = (np.sign(ranking[first] - ranking[second]) for ranking in rankings)
            of_signs += log_probabilities_of_signs(t[start : start + PAIRS_AT_ONCE], signs, n_topics)
    return [posterior(of_means + row, n_pairs, n_systems, PRIOR_OF_TESTS).mean for row in of_signs]


# --- sequential p-values --------------------------------------------------------------------------------------------


class Counts:
    """How many resamples are at least as far as each of k rankings, until enough are (Besag and Clifford, 1991).

    The rule goes by the order of resamples, so that workers and blocks change no p-value.
    """

    def __init__(self, statistic: Floats, n_resamples: int, enough: int = ENOUGH) -> None:
        # the distance from which on a resample counts is the ranking's, but for rounding errors; nan if undefined
        self.least, self.n_resamples, self.enough = statistic * (1.0 - TOLERANCE), n_resamples, enough
        # how many count, and how many resamples there were until then
        self.as_far, self.used = (np.zeros(statistic.shape, dtype=np.intp) for _ in range(2))
        is_nearest = self.least == 0.0  # all resamples are as far
        self.as_far[is_nearest] = self.used[is_nearest] = min(enough, n_resamples)

    @property
    def left(self) -> Indices:
        """How many more are enough, for each ranking."""
        return np.where(np.isnan(self.least) | (self.used == self.n_resamples), 0, self.enough - self.as_far)

    def add(self, block: Floats, rankings: Indices) -> None:
        """The next resamples of some rankings, shape (size, j): what is nan, or beyond enough, does not count."""
        left = self.left
        for column, ranking in enumerate(rankings):
            if not left[ranking]:
                continue
            counting = (block[:, column] >= self.least[ranking]).nonzero()[0][: left[ranking]]
            self.as_far[ranking] += counting.size
            self.used[ranking] += counting[-1] + 1 if counting.size == left[ranking] else len(block)

    def pvalues(self) -> Floats:
        """The p-value of each ranking: h/l if the h-th resample as far is the l-th of all, else (b + 1)/(B + 1)."""
        ended = self.as_far >= self.enough
        whole = (self.as_far + 1.0) / (self.n_resamples + 1.0)
        return np.where(np.isnan(self.least), np.nan, np.where(ended, self.as_far / np.maximum(self.used, 1), whole))

    def standard_errors(self) -> Floats:
        """Of the p-values p, over Monte Carlo resamples: sqrt(p (1 - p) / the resamples used).

        The count among B is binomial. The number l until there are h is negative binomial, with variance h (1 - p)/p^2;
        so that of h/l is about p^2 (1 - p)/h, or p (1 - p)/l.
        """
        pvalues = self.pvalues()
        return np.asarray(np.sqrt(pvalues * (1.0 - pvalues) / np.maximum(self.used, 1)))


def upper_quantile(distances: Floats, alpha: float) -> float:
    """The least distance d such that whatever lies beyond d has (b + 1)/(B + 1) <= alpha."""
    at_least = count_to_accept(alpha, distances.size)
    return float(np.sort(distances)[-at_least]) if at_least >= 1 else math.inf


def count_to_accept(alpha: float, n_resamples: int) -> int:
    """The least b with (b + 1)/(B + 1) > alpha: so many resamples at least as far, and a ranking is accepted."""
    return min(math.floor(alpha * (n_resamples + 1) * (1.0 + TOLERANCE)), n_resamples)
