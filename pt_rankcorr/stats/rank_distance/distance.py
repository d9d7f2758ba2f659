"""The distance of a ranking from a reference: means, covariance of systems, and order of ties.

n is the number of topics, m that of systems. An `order` holds positions, (m,), from worst to best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain, pairwise, permutations, product
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from pt_rankcorr import choices
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.coefficients.coefficient import all_tied, warn_of_ties
from pt_rankcorr.stats.core.arguments import check_number_of_systems, one_of, real_number
from pt_rankcorr.stats.core.covariance import ledoit_wolf_shrinkage
from pt_rankcorr.stats.core.inputs import Prepared, ScoresLike, prepare_matrix, prepare_sides
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import NEGLIGIBLE, round_means, system_means
from pt_rankcorr.stats.core.ordering import lexsorted
from pt_rankcorr.stats.core.resampling import one_blas_thread
from pt_rankcorr.stats.core.types import Floats, Indices, Result, cached_property
from pt_rankcorr.stats.rank_distance import solver

COVARIANCES: tuple[choices.Covariance, ...] = get_args(choices.Covariance)
# Every null but the published one, whose paper takes "sample", takes this covariance by default.
DEFAULT_COVARIANCE: choices.Covariance = "ledoit-wolf"
SIDES = ("reference", "ranking")
# If both sides tie some systems, up to this many of their orders are all tried (120 = 5!). Beyond,
# only exchanges of neighbours are. Chosen, not tuned.
MOST_ORDERS = 120


def covariance_for(null: str, covariance: object) -> choices.Covariance:
    """The covariance asked for, or the default of the null."""
    if covariance is None:
        return "sample" if null == "published" else DEFAULT_COVARIANCE
    return one_of("covariance", covariance, COVARIANCES)


def as_ridge(ridge: object) -> float:
    """The ridge as a number, checked."""
    number = real_number("ridge", ridge)
    # rounding makes some singular covariances indefinite at a ridge below 1e-7, most below 1e-12
    if not 1e-12 <= number < np.inf:
        raise ValueError(f"`ridge` must be finite and at least 1e-12, got {ridge!r}.")
    return number


# --- means and covariance -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Covariance:
    """A covariance of m systems, F' F + a I, of which F is kept: most resamples need no more."""

    factors: Floats  # F, a row for each topic that was drawn, shape (k, m)
    constant: float  # a

    @cached_property
    def matrix(self) -> Floats:
        """All of it, shape (m, m); computed on first use."""
        # one matrix times itself: half the work, and the same bits for any number of threads
        covariance: Floats = self.factors.T @ self.factors
        covariance.ravel()[:: len(covariance) + 1] += self.constant
        return covariance

    def squared_lengths(self, changes: Floats) -> Floats:
        """D' C^-1 D of each row D of changes, (j, m), of sum 0; inf if C is not positive definite.

        With fewer topics than systems it is (D' D - (F D)' (a I + F F')^-1 F D) / a, which is
        O(k^2 m) instead of O(m^3) time (Woodbury's identity).
        """
        if self.constant == 0.0:
            return np.full(len(changes), np.inf)
        # with at least as many topics as systems the whole of C is solved for, else a I + F F'
        if len(self.factors) >= self.factors.shape[1]:
            _, solutions, info = dposv(self.matrix.T, changes.T)
            squared = (changes * solutions.T).sum(axis=1)
        else:
            within, products = self.factors @ self.factors.T, changes @ self.factors.T
            within.ravel()[:: len(within) + 1] += self.constant
            _, solutions, info = dposv(within.T, products.T)
            explained = (products * solutions.T).sum(axis=1)
            squared = ((changes**2).sum(axis=1) - explained) / self.constant
        return np.full(len(changes), np.inf) if info else np.asarray(squared)


@dataclass(frozen=True)
class Model:
    """The means and covariance that distances are measured by: of a reference, or a resample."""

    means: Floats  # of the systems, shape (m,); scores are in their unit
    covariance: Covariance  # C, of systems over topics, of which only differences are ever taken
    ridge: float  # added to the variances of the differences

    def order(self, scores: Floats) -> Indices:
        """Systems by score, (..., m), worst first; ties by the means, then by position."""
        return np.asarray(np.lexsort((np.broadcast_to(self.means, scores.shape), scores), axis=-1))

    def differences(self, order: Indices) -> Floats:
        """Delta: the mean differences of systems adjacent in the order, shape (m - 1,)."""
        means = self.means.take(order)
        return means[1:] - means[:-1]

    def spread(self, order: Indices) -> Floats:
        """S = P C P' + ridge I, the covariance of the differences, shape (m - 1, m - 1)."""
        # P takes differences: of adjacent rows, then of adjacent columns, without a product
        rows = self.covariance.matrix.take(order, 0)
        rows = (rows[1:] - rows[:-1]).take(order, 1)
        covariance: Floats = rows[:, 1:] - rows[:, :-1]
        # a view of the diagonal of a contiguous square array
        covariance.ravel()[:: covariance.shape[1] + 1] += self.ridge
        return covariance

    def squared_distance(self, order: Indices) -> float:
        """d^2 for one topic: min over theta >= 0 of (theta - delta)' S^-1 (theta - delta)."""
        differences = self.differences(order)
        # the means have this order themselves: theta = delta, and no program is solved
        if differences.min() >= 0.0:
            return 0.0
        factors, constant = self.covariance.factors, self.covariance.constant
        # With more than six systems for each topic that was drawn, factors are quicker than the
        # whole covariance: 1.6 times for 200 systems and 34 topics, 40 times for 1000.
        if constant > 0.0 and self.means.size > 6 * len(factors):
            # S = (F P')' (F P') + a P P' + ridge I; P P' has 2 on its diagonal and -1 beside it
            of_differences = np.diff(factors.take(order, 1), axis=1).T
            spread = solver.Factored(of_differences, 2.0 * constant + self.ridge, -constant)
            if active := solver.by_pivoting(spread, differences, solver.solve_on_factors):
                return active.squared_distance(differences)
        active = solver.solve(self.spread(order), differences, self.ridge)
        return active.squared_distance(differences)

    def nearest_differences(self, order: Indices) -> Floats:
        """Theta: the differences of the nearest means that keep the order, shape (m - 1,)."""
        differences, spread = self.differences(order), self.spread(order)
        return solver.solve(spread, differences, self.ridge).nearest_point(spread, differences)

    def nearest_means(self, order: Indices) -> Floats:
        """The means nearest to these, but for a constant, that keep the order: shape (m,)."""
        nearest = np.zeros_like(self.means)
        nearest[order[1:]] = np.cumsum(self.nearest_differences(order))
        return nearest


@dataclass(frozen=True, eq=False)
class ReferenceSample:
    """The topics of a reference, as d_rank resamples them, in the unit of their scores."""

    # (n, m), divided by the unit; worst system first, topics in an order that their scores set
    scores: Floats
    residuals: Floats  # the scores without topic and system means
    shrinkage: float  # the share of the covariance that a multiple of the identity replaces
    ridge: float  # added to the variances of differences
    # the power of ten that spans the scores: 1 for measures in 0..1, 100 for percentages
    unit: float
    systems: Indices  # where each system of `scores` stood in the input
    side: ScoreMatrix  # the scores as they came in

    @classmethod
    def of(cls, scores: object, covariance: str, ridge: float) -> ReferenceSample:
        """The reference made of scores as callers give them, for one of `COVARIANCES`."""
        side = prepare_matrix(scores, "reference", min_topics=2)
        matrix = side.sample
        check_number_of_systems("reference", matrix.shape[1])
        # The ridge is added to variances of order 1: a measure in percent, divided by 100, gives
        # the same distance. NEGLIGIBLE keeps a span of 1 + rounding from becoming a unit of 10.
        span = float(np.ptp(matrix))
        unit = 10.0 ** math.ceil(math.log10(span) - NEGLIGIBLE) if span > 0.0 else 1.0
        matrix = matrix / unit
        means = system_means(matrix)
        by_mean = np.argsort(means, kind="stable")
        # Topics and systems are put in an order that depends on scores alone, as resamples are
        # drawn by position. Topics: by the scores of the systems, worst system first. Systems with
        # tied means are one group, shape (m,), and sorted within each topic: an offset that no
        # score reaches keeps the groups apart.
        group = np.append(0, np.cumsum(np.diff(means[by_mean]) > 0.0))
        offsets = group * 2.0 * (np.abs(matrix).max() + 1.0)
        topics = lexsorted(np.sort(matrix[:, by_mean] + offsets, axis=1).T)
        # systems: by mean (the last key), then by the scores on the topics in their new order
        systems = lexsorted([*matrix[topics], means])
        matrix = matrix[topics][:, systems]
        # the topic mean cancels in every difference of systems, so covariances are taken without it
        by_topic = matrix - matrix.mean(axis=1, keepdims=True)
        residuals = by_topic - by_topic.mean(axis=0)
        shrinkage = ledoit_wolf_shrinkage(residuals) if covariance == "ledoit-wolf" else 0.0
        return cls(matrix, residuals, shrinkage, ridge, unit, systems, side)

    @property
    def n_topics(self) -> int:
        return int(self.scores.shape[0])

    @property
    def n_systems(self) -> int:
        return int(self.scores.shape[1])

    @property
    def cells(self) -> int:
        """The array cells that a resample needs: weights of topics, or a covariance of systems."""
        return max(self.n_topics, self.n_systems**2)

    @cached_property
    def model(self) -> Model:
        """The means and the covariance by all topics."""
        return Model(system_means(self.scores), self.covariance(np.ones(self.n_topics)), self.ridge)

    def means(self, weights: Floats) -> Floats:
        """The rounded means of systems, (size, m), by how often samples have topics, (size, n)."""
        return round_means(weights @ self.scores / weights[0].sum(), self.scores)

    def covariance(self, weights: Floats) -> Covariance:
        """The covariance of systems by one sample of topics, weights (n,): (1 - s) C + s mu I.

        mu is the mean variance of the m - 1 contrasts, in which C lives. The shrinkage s stays that
        of all topics: one estimated from a sample with repeated topics would be too weak.
        """
        # topics that were not drawn, some 37% in a bootstrap sample, add nothing: they are left out
        drawn, n_topics = weights.nonzero()[0], weights.sum()
        counts, residuals = weights.take(drawn), self.residuals.take(drawn, 0)
        # rows sqrt(c_t / (n - 1)) (x_t - mean of the sample), so that C = factors' factors
        factors = residuals - counts @ residuals / n_topics
        factors *= np.sqrt(counts / (n_topics - 1.0))[:, np.newaxis]
        # the trace of C, whose mean over the m - 1 contrasts is mu
        total = np.vdot(factors, factors)
        factors *= np.sqrt(1.0 - self.shrinkage)
        return Covariance(factors, self.shrinkage * float(total) / (self.n_systems - 1))

    def prepare(self, ranking: object, *, any_topics: bool = False) -> Prepared:
        """The ranking that a caller gave, or several, systems in the reference's given order."""
        side, tested = prepare_sides(self.side, ranking, SIDES, any_topics=any_topics, advice="")
        if side is not self.side:
            rule = "`ranking` must be of independent topics, as `reference` is"
            seen = "clusters or strata: take `ScoreMatrix.with_design` for both"
            raise ValueError(f"{rule}, got {seen}.")
        return tested

    def rankings_of(self, tested: Prepared) -> tuple[Floats, bool]:
        """The scores of prepared rankings, (k, m), systems as in `scores`; whether it is one."""
        scores = tested.means
        # (m,) for a single ranking, (k, m) for several
        if scores.ndim > 2:
            rule = "`ranking` must be of shape (n_rankings, n_systems)"
            raise ValueError(f"{rule}, got shape {scores.shape}.")
        if scores.shape[-1] != self.n_systems:
            counts = f"{self.n_systems}, got {scores.shape[-1]}"
            raise ValueError(f"`ranking` must have as many systems as the reference, {counts}.")
        rankings = scores[..., self.systems].reshape(-1, self.n_systems)
        if self.is_undefined(rankings).any():
            warn_of_ties("d_rank")
        return rankings, scores.ndim == 1

    def is_undefined(self, rankings: Floats) -> NDArray[np.bool_]:
        """For every row, (k,), whether it or the reference ties all systems, and ranks nothing."""
        return all_tied(rankings) | all_tied(self.model.means)

    def distances(self, rankings: Floats) -> Floats:
        """d_rank of every row, shape (k,), systems as in `scores`: nan where `is_undefined`."""
        # sqrt(n d^2), d^2 being that for one topic; in one thread, as in every resample, so that a
        # ranking equals its own resample to the last bit
        with one_blas_thread():
            orders = (nearest_order(self.model, ranking) for ranking in rankings)
            squared = np.array([self.model.squared_distance(order) for order in orders])
        return np.where(self.is_undefined(rankings), np.nan, np.sqrt(self.n_topics * squared))


# --- ties -----------------------------------------------------------------------------------------


def nearest_order(model: Model, scores: Floats) -> Indices:
    """The order of scores, shape (m,), of least distance; the means break ties of the ranking.

    Where means tie, too, it tries all orders; beyond `MOST_ORDERS`, swaps of neighbours that help.
    """
    order = model.order(scores)
    # runs of neighbours in this order that tie by the ranking and by the means: their order is open
    differs = (np.diff(model.means[order]) != 0.0) | (np.diff(scores[order]) != 0.0)
    ends = [0, *(differs.nonzero()[0] + 1).tolist(), order.size]
    tied = [range(first, last) for first, last in pairwise(ends) if last - first > 1]
    if not tied:
        return order
    if math.prod(math.factorial(len(places)) for places in tied) <= MOST_ORDERS:
        # all orders: the product over the runs of the permutations within each
        places, orders = list(chain.from_iterable(tied)), []
        for systems in product(*(permutations(order[list(group)]) for group in tied)):
            orders.append(order.copy())
            orders[-1][places] = list(chain.from_iterable(systems))
        return min(orders, key=lambda other: model.squared_distance(other))
    # Descent: keep any exchange of tied neighbours that lowers the distance, until a sweep keeps
    # none; two or three sweeps are mostly enough.
    least = model.squared_distance(order)
    for _ in range(20):
        before = least
        for place in chain.from_iterable(places[:-1] for places in tied):
            other = order.copy()
            other[[place, place + 1]] = order[[place + 1, place]]
            squared = model.squared_distance(other)
            # a share that is smaller is rounding
            if squared < least * (1.0 - 1e-9):
                order, least = other, squared
        if least == before:
            break
    return order


# --- three systems, on the plane of their two differences: figure 2 of Carterette 2009 ------------


@dataclass(frozen=True, eq=False)
class RankGeometry(Result, Drawable):
    """The two differences of three systems adjacent in a ranking, in the unit of the scores.

    Attributes:
        statistic: d_rank; nan where the ranking or the reference ties all systems.
        systems: Names from worst to best by the ranking.
        mean: The reference's mean differences: second less worst, best less second; shape (2,).
        covariance: That of these means over samples of topics, with the ridge; shape (2, 2).
        ranking: The differences of the scores of the ranking; shape (2,).
        nearest: The point nearest to the mean, by this covariance, that keeps the ranking; (2,).
        n_topics: Number of topics.
    """

    statistic: float
    systems: tuple[str, str, str]
    mean: Floats
    covariance: Floats = field(repr=False)
    ranking: Floats
    nearest: Floats
    n_topics: int


def rank_geometry(
    reference: ScoresLike,
    ranking: ScoresLike,
    *,
    covariance: str = DEFAULT_COVARIANCE,
    ridge: float = 1e-5,
) -> RankGeometry:
    """The distance of three systems on the plane of their two differences.

    Args:
        reference, ranking: As for `d_rank`, of three systems.
        covariance, ridge: As for `d_rank`; the paper's figure uses "sample".

    Raises:
        TypeError, ValueError: As `d_rank`, and if there are not three systems.

    References:
        Carterette, SIGIR 2009: section 3.1, figure 2.

    Example:
        >>> geometry = rank_geometry([[0.1, 0.5, 0.4], [0.2, 0.4, 0.5], [0.1, 0.5, 0.3]], [1, 2, 3])
        >>> geometry.systems, geometry.mean.round(4).tolist(), geometry.nearest.round(4).tolist()
        (('1', '2', '3'), [0.3333, -0.0667], [0.2902, 0.0])
    """
    covariance = one_of("covariance", covariance, COVARIANCES)
    prepared = ReferenceSample.of(reference, covariance, as_ridge(ridge))
    if prepared.n_systems != 3:
        raise ValueError(f"`reference` must have 3 systems, got {prepared.n_systems}.")
    rankings, is_single = prepared.rankings_of(prepared.prepare(ranking))
    if not is_single:
        rule = "`ranking` must be a single ranking, of shape (3,)"
        raise ValueError(f"{rule}, got shape {rankings.shape}.")
    # the model is in units of the scores' span: means go back with it, a covariance with its square
    scores, model, unit = rankings[0], prepared.model, prepared.unit
    order = nearest_order(model, scores)
    labels = prepared.side.system_names or ("1", "2", "3")
    worst, second, best = (labels[system] for system in prepared.systems[order])
    return RankGeometry(
        statistic=float(prepared.distances(rankings)[0]),
        systems=(worst, second, best),
        mean=unit * model.differences(order),
        covariance=unit**2 * model.spread(order) / prepared.n_topics,
        ranking=np.diff(scores[order]),
        nearest=unit * model.nearest_differences(order),
        n_topics=prepared.n_topics,
    )
