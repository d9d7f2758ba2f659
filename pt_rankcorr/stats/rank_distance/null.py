"""The null distributions of d_rank, and the p-values of rankings by them.

`Null.count` resamples until enough resamples are at least as far as each ranking. A block of
resamples is an array of distances, (size, k): a column for each of k rankings, or one for all.
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
from pt_rankcorr.stats.rank_distance.distance import (
    Covariance,
    Model,
    ReferenceSample,
    nearest_order,
)
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
# Of the three, this null's false-positive rate is closest to the nominal level (calibration page).
DEFAULT_NULL: choices.Null = "shrunken"
# Resampling ends when this many resamples are at least as far as the ranking. Then the relative
# standard error of p is at most 1 / sqrt(200), a fourteenth.
ENOUGH = 200


class Null:
    """The null distribution of a test: one a ranking by "shrunken", else one for all, kept.

    `n_ranking_topics` is how many topics rankings are measured on, which only "two-sample" uses.
    """

    def __init__(
        self,
        reference: ReferenceSample,
        null: str,
        n_resamples: int,
        n_ranking_topics: int,
        rng: RandomState,
        n_jobs: int | None,
    ) -> None:
        self.is_shared = null != "shrunken"
        self._reference, self._n_resamples, self._n_jobs = reference, n_resamples, n_jobs
        self._draw_shared: Callable[[ReferenceSample, Seeded], Floats] = _published
        if null == "two-sample":
            # this shift turns the means x into x_mean + l (x - x_mean), where l is their
            # reliability: its addend is (l - 1) (x - x_mean), shape (m,)
            shrink = reliability_of(reference.scores).mean - 1.0
            shift = shrink * (reference.model.means - reference.model.means.mean())
            self._draw_shared = partial(_two_sample, n_ranking_topics=n_ranking_topics, shift=shift)
        random = resampling.generator(rng)
        # If each ranking has its own null, the blocks are drawn again for each. They start from one
        # seed: so the p-value of a ranking does not depend on which others are tested with it.
        random = random if self.is_shared else resampling.generator(int(random.integers(2**63)))
        self._seeded = resampling.seeded_blocks(n_resamples, cells=reference.cells, rng=random)
        self._kept: list[Floats] = []

    def count(self, rankings: Floats, statistic: Floats, enough: int = ENOUGH) -> Counts:
        """Counts of resamples at least as far as each of k rankings, (k, m), from their distances.

        It resamples until enough are as far as each, or all are drawn.
        """
        counts, done = Counts(statistic, self._n_resamples, enough), 0
        undecided = counts.left.nonzero()[0]
        shifts = np.zeros(rankings[undecided].shape)
        if not self.is_shared:
            shifts = shifts_to_centres(self._reference, rankings[undecided])
        while undecided.size and done < len(self._seeded):
            # One worker draws a block at a time, and may stop after any. Several workers draw as
            # many blocks as were drawn before, so that they are started only about log2 times.
            workers = n_workers(self._n_jobs)
            n_blocks = max(workers, done) if workers > 1 else 1
            wanted = slice(done, done + n_blocks)
            least, left = counts.least[undecided], counts.left[undecided]
            for block in self._blocks(wanted, rankings[undecided], shifts, least, left):
                counts.add(block, undecided)
            done += n_blocks
            # rankings for which enough resamples counted leave; the others go on
            remain = counts.left[undecided] > 0
            undecided, shifts = undecided[remain], shifts[remain]
        return counts

    def distribution(self, rankings: Floats) -> Floats:
        """All distances, (B,) if shared or of a single ranking (m,), else (k, B) of (k, m).

        nan for rankings that tie all systems.
        """
        if self.is_shared:
            return self.shared()
        if rankings.ndim == 1:
            return np.asarray(self.distribution(rankings[np.newaxis])[0])
        distances = np.full((len(rankings), self._n_resamples), np.nan)
        is_defined = ~self._reference.is_undefined(rankings)
        if is_defined.any():
            rankings = rankings[is_defined]
            shifts = shifts_to_centres(self._reference, rankings)
            # every distance is at least 0, and B + 1 are never reached: so no resample is left out
            least, left = np.zeros(len(rankings)), np.full(len(rankings), self._n_resamples + 1)
            blocks = self._blocks(slice(None), rankings, shifts, least, left)
            distances[is_defined] = np.concatenate(blocks).T
        return distances

    def shared(self) -> Floats:
        """All distances of the shared distribution, read-only: shape (B,)."""
        self._keep(None)
        return read_only(np.concatenate(self._kept)[:, 0])

    def _keep(self, until: int | None) -> None:
        """Draws the blocks of the shared distribution up to this one, or all, if not yet kept."""
        seeded = self._seeded[len(self._kept) : until]
        self._kept += run_all(self._draw_shared, seeded, self._n_jobs, self._reference)

    def _blocks(
        self, wanted: slice, rankings: Floats, shifts: Floats, least: Floats, left: Indices
    ) -> list[Floats]:
        """The wanted blocks of resamples for k rankings, (size, k); the rest as for `_shrunken`."""
        if self.is_shared:
            self._keep(wanted.stop)
            return [block.repeat(len(rankings), axis=1) for block in self._kept[wanted]]
        work = partial(_shrunken, rankings=rankings, shifts=shifts, least=least, left=left)
        return run_all(work, self._seeded[wanted], self._n_jobs, self._reference)


# --- blocks of resamples --------------------------------------------------------------------------


def _published(reference: ReferenceSample, seeded: Seeded) -> Floats:
    """Algorithm 2: distances, (size, 1), of resampled means' rankings from the fixed reference."""
    child, wanted = seeded
    # a block is drawn whole, and cut to what is wanted: so its numbers do not depend on B
    size = resampling.block_size(reference.cells)
    weights = resampling.topic_weights(resampling.clone(child), size, reference.n_topics)
    # each resample gives a ranking, the order of its means; the model stays the reference's
    orders = reference.model.order(reference.means(weights)[:wanted])
    return _measured(reference, ((reference.model, order) for order in orders))


def _two_sample(
    reference: ReferenceSample, seeded: Seeded, n_ranking_topics: int, shift: Floats
) -> Floats:
    """Distances, (size, 1), of resampled rankings from independently resampled references."""
    child, wanted = seeded
    rng = resampling.clone(child)
    size = resampling.block_size(reference.cells)
    n_topics = reference.n_topics
    # the ranking: means over as many of the reference's topics as it was measured on
    drawn = rng.multinomial(n_ranking_topics, np.full(n_topics, 1.0 / n_topics), size=size)
    rankings = reference.means(drawn.astype(np.float64))[:wanted] + shift
    # the reference: an independent resample of all its topics, with the covariance of that resample
    weights = resampling.topic_weights(rng, size, n_topics)
    means = reference.means(weights) + shift
    # covariances are lazy: those beyond the wanted rankings are never computed
    covariances = map(reference.covariance, weights)
    models = (Model(*parts, reference.ridge) for parts in zip(means, covariances, strict=True))
    pairs = zip(rankings, models, strict=False)
    return _measured(reference, ((model, model.order(ranking)) for ranking, model in pairs))


def _measured(reference: ReferenceSample, pairs: Iterator[tuple[Model, Indices]]) -> Floats:
    """The distance of each order of systems from its model: a block of one column, (size, 1)."""
    squared = np.array([model.squared_distance(order) for model, order in pairs], dtype=np.float64)
    return np.sqrt(reference.n_topics * squared)[:, np.newaxis]


def _shrunken(
    reference: ReferenceSample,
    seeded: Seeded,
    rankings: Floats,
    shifts: Floats,
    least: Floats,
    left: Indices,
) -> Floats:
    """Distances, (size, k), of k rankings from resampled references about each ranking's centre.

    Rankings and shifts are of shape (k, m). A resample counts for a ranking from its `least`
    distance on; less may be nan. When as many count as are `left` to count, the rest of a column is
    nan, and the block ends where all do.
    """
    (child, wanted), left = seeded, left.copy()
    size = resampling.block_size(reference.cells)
    means, covariances = _resampled(reference, resampling.clone(child), size)
    # A resample whose d^2 / n is surely below `nearer` cannot count, and its quadratic program is
    # left out: shape (k,), nan (so that no comparison holds) where the bound is not used. It is
    # used where the covariance is shrunk enough for an inverse in floats that is far more exact
    # than the 1e-6 by which the bound is lowered; and for rankings that are far, as it seldom
    # decides others.
    least_squared = np.where(reference.shrinkage > 1e-4, least**2, np.nan)
    is_far = least_squared > 0.25 * (reference.n_systems - 1)
    nearer = np.where(is_far, least_squared * (1.0 - 1e-6) / reference.n_topics, np.nan)
    rows: list[Floats] = []
    # how many resamples are shifted at once: it decides speed only, chosen and not tuned
    stack = max(1, min(32, 2**18 // rankings.size))
    for start in range(0, wanted, stack):
        # means of some resamples about each centre: (stack, 1, m) + (k, m) -> (stack, k, m)
        shifted = means[start : min(start + stack, wanted), np.newaxis] + shifts
        # systems in the order of each ranking, worst first; the shifted means break its ties
        orders = np.lexsort((shifted, np.broadcast_to(rankings, shifted.shape)), axis=-1)
        changes = changes_to_keep(shifted, orders) if is_far.any() else shifted
        # covariances are last in the zip: a stack that ends draws none in vain
        rows_of_stack = zip(shifted, orders, changes, covariances, strict=False)
        for row_means, row_orders, row_changes, covariance in rows_of_stack:
            # the rankings, shape (k,), whose distance from this resample is still needed
            is_open = left > 0
            if not is_open.any():
                return np.array(rows)
            if is_far.any():
                is_open &= ~(covariance.squared_lengths(row_changes) < nearer)
            row = np.full(len(rankings), np.nan)
            for index in is_open.nonzero()[0]:
                model = Model(row_means[index], covariance, reference.ridge)
                squared = model.squared_distance(row_orders[index])
                row[index] = math.sqrt(reference.n_topics * squared)
            left -= row >= least
            rows.append(row)
    return np.array(rows)


def _resampled(
    reference: ReferenceSample, rng: np.random.Generator, size: int
) -> tuple[Floats, Iterator[Covariance]]:
    """The means of resamples of topics, shape (size, m), and their covariances one by one."""
    if reference.n_systems > 2:
        weights = resampling.topic_weights(rng, size, reference.n_topics)
        return reference.means(weights), map(reference.covariance, weights)
    # Two systems: Fisher's randomisation, as a resample of few differences is too often less far
    # than a sample. Each topic swaps its two scores or not: swaps are 0 or 1, shape (size, n).
    scores = reference.scores
    swaps = rng.integers(0, 2, (size, reference.n_topics)).astype(np.float64)
    means = ((1.0 - swaps) @ scores + swaps @ scores[:, ::-1]) / reference.n_topics
    # A swap turns the sign of the topic's difference D. Less the topic's mean, the two scores are
    # -D/2 and D/2, so their covariance is var(D) / 4 times [[1, -1], [-1, 1]].
    gaps = (1.0 - 2.0 * swaps) * (scores[:, 1] - scores[:, 0])
    half_gap = np.array([[1.0, -1.0]]) / 2.0
    covariances = (Covariance(half_gap * deviation, 0.0) for deviation in gaps.std(axis=1, ddof=1))
    return round_means(means, scores), covariances


# --- bounds: most resamples are nearer than a far ranking, which shows without a quadratic program


def changes_to_keep(means: Floats, orders: Indices) -> Floats:
    """What to take off means so that they keep an order, worst first; both of shape (..., m).

    From the worst system to the best, the largest mean until then and the least one from then on
    never decrease. Half of their sum does not, either, and is near the means. The distance of a
    ranking is that to the nearest means that keep it, so at most the length of these changes; the
    ridge only makes it less.
    """
    ordered = np.take_along_axis(means, orders, -1)
    # both of shape (..., m): u_i = max of x_1 ... x_i, and l_i = min of x_i ... x_m
    largest_until = np.maximum.accumulate(ordered, axis=-1)
    least_from = np.minimum.accumulate(ordered[..., ::-1], axis=-1)[..., ::-1]
    # the change is x - (u + l) / 2, put back to the place of each system
    changes = np.empty_like(means)
    np.put_along_axis(changes, orders, ordered - (largest_until + least_from) / 2.0, -1)
    # distances are of differences alone, so a constant may go; contrasts must sum to 0
    return np.asarray(changes - changes.mean(axis=-1, keepdims=True))


# --- centres: true means near the measured ones, but closer together ------------------------------


def shifts_to_centres(reference: ReferenceSample, rankings: Floats) -> Floats:
    """What to add to the measured means for the centre of each ranking's distribution, (k, m).

    Measured means are further apart than true ones, as sampling errors add to their differences.
    The nearest means that a ranking orders, theta of algorithm 1, put the systems that it reorders
    on one spot. So the centre is grand mean + l (w s + (1 - w) theta - grand mean): s are the
    measured means, sorted, given to the systems in the order of the ranking; l is the posterior
    mean of the reliability if the ranking is true; and w = l/2.
    """
    shifts, means = np.zeros(rankings.shape), reference.model.means
    if reference.n_systems == 2 or not len(rankings):  # two systems swap scores
        return shifts
    for row, reliability in enumerate(reliabilities_under(reference.scores, rankings)):
        # s: the i-th worst system by the ranking gets the i-th lowest measured mean, shape (m,)
        order, sorted_means = nearest_order(reference.model, rankings[row]), np.empty_like(means)
        sorted_means[order] = np.sort(means)
        # w s + (1 - w) theta with w = l / 2: the more the means can be trusted, the more of their
        # gaps are kept for systems that the ranking reorders
        weight = reliability / 2.0
        centre = weight * sorted_means + (1.0 - weight) * reference.model.nearest_means(order)
        # shrink about the common mean by l, and subtract the measured means: a shift, not a centre
        shifts[row] = reliability * (centre - centre.mean()) + means.mean() - means
    return shifts


def reliabilities_under(scores: Floats, rankings: Floats) -> list[float]:
    """The posterior mean of lambda for each ranking, (k, m), if true means are in its order."""
    n_topics, n_systems = scores.shape
    # on the grid of lambda: the log likelihood of all t statistics, shape (n_grid,), which rankings
    # share; and of the signs that each ranking says the true differences have, shape (k, n_grid)
    of_means, n_pairs, of_signs = np.zeros(GRID.size), 0, np.zeros((len(rankings), GRID.size))
    for pairs, t in varying_pairs(scores):
        of_means += log_likelihoods(t, n_topics)
        n_pairs += t.size
        # 4096 pairs at once, each for all values of lambda, bound memory
        for start in range(0, t.size, 2**12):
            first, second = (systems[start : start + 2**12] for systems in pairs)
            # k arrays of 1, -1 or 0 (the ranking ties the pair, so its sign is open)
            signs = (np.sign(ranking[first] - ranking[second]) for ranking in rankings)
            t_of_block = t[start : start + 2**12]
            of_signs += log_probabilities_of_signs(t_of_block, signs, n_topics)
    # Bayes: log p(lambda | t, signs) = log p(t | lambda) + log p(signs | t, lambda) + log prior
    of_rankings = of_means + of_signs
    return [posterior(logs, n_pairs, n_systems, PRIOR_OF_TESTS).mean for logs in of_rankings]


# --- sequential p-values --------------------------------------------------------------------------


class Counts:
    """How many resamples are at least as far as each of k rankings, until enough are.

    The rule (Besag, Clifford 1991) goes by their order: workers and blocks change no p-value.
    """

    def __init__(self, statistic: Floats, n_resamples: int, enough: int = ENOUGH) -> None:
        # a resample counts from the ranking's own distance on, less rounding errors: shape (k,),
        # nan where the distance is undefined
        self.least = statistic * (1.0 - TOLERANCE)
        self.n_resamples, self.enough = n_resamples, enough
        # per ranking, shape (k,): how many resamples counted, and how many were drawn until then
        self.as_far, self.used = (np.zeros(statistic.shape, dtype=np.intp) for _ in range(2))
        # a distance of 0 needs no resample: every one is at least as far, and p is 1
        is_nearest = self.least == 0.0
        self.as_far[is_nearest] = self.used[is_nearest] = min(enough, n_resamples)

    @property
    def left(self) -> Indices:
        """How many more are enough, for each ranking: shape (k,), 0 where it is decided."""
        is_done = np.isnan(self.least) | (self.used == self.n_resamples)
        return np.where(is_done, 0, self.enough - self.as_far)

    def add(self, block: Floats, rankings: Indices) -> None:
        """The next resamples of some rankings, (size, j): nan, or beyond enough, does not count."""
        left = self.left
        for column, ranking in enumerate(rankings):
            if not left[ranking]:
                continue
            # positions in the block of the resamples that count, up to the one that makes it enough
            counting = (block[:, column] >= self.least[ranking]).nonzero()[0][: left[ranking]]
            self.as_far[ranking] += counting.size
            is_enough = counting.size == left[ranking]
            self.used[ranking] += counting[-1] + 1 if is_enough else len(block)

    def pvalues(self) -> Floats:
        """p-values: h/l if the h-th resample as far is the l-th of all, else (b + 1)/(B + 1)."""
        # a ranking without any resample (p = 1 at distance 0, or nan) must not divide by 0
        stopped_early = self.as_far >= self.enough
        if_stopped = self.as_far / np.maximum(self.used, 1)
        of_all = (self.as_far + 1.0) / (self.n_resamples + 1.0)
        pvalues = np.where(stopped_early, if_stopped, of_all)
        return np.where(np.isnan(self.least), np.nan, pvalues)

    def standard_errors(self) -> Floats:
        """The Monte Carlo standard errors, (k,), of p-values: sqrt(p (1 - p) / resamples used).

        The count among B is binomial. The number l until there are h is negative binomial, with
        variance h (1 - p)/p^2; so that of h/l is about p^2 (1 - p)/h, or p (1 - p)/l.
        """
        pvalues = self.pvalues()
        return np.asarray(np.sqrt(pvalues * (1.0 - pvalues) / np.maximum(self.used, 1)))


def upper_quantile(distances: Floats, alpha: float) -> float:
    """The critical value: the least distance d beyond which any has (b + 1)/(B + 1) <= alpha."""
    # a ranking is accepted if at least this many resamples are as far: d has that place from above
    at_least = count_to_accept(alpha, distances.size)
    return float(np.sort(distances)[-at_least]) if at_least >= 1 else math.inf


def count_to_accept(alpha: float, n_resamples: int) -> int:
    """The least b with (b + 1)/(B + 1) > alpha: a ranking with b resamples as far is accepted."""
    return min(math.floor(alpha * (n_resamples + 1) * (1.0 + TOLERANCE)), n_resamples)
