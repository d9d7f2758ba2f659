"""The null distributions of d_rank, each a block of resamples for `resampling.blockwise`, and their p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np

from pt_rankcorr.stats.core.resampling import block_size, blockwise, seeded_blocks, topic_weights
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import OneBlasThread
from pt_rankcorr.stats.rank_distance.bounds import NO_BOUNDS, Bounds
from pt_rankcorr.stats.rank_distance.centres import CENTRES
from pt_rankcorr.stats.rank_distance.many import Measure, measure_for, one_by_one
from pt_rankcorr.stats.rank_distance.model import Fitter, Model, Order

TOLERANCE = 100 * float(np.finfo(np.float64).eps)

Ordering: TypeAlias = Callable[[Model], Order]
Null: TypeAlias = Callable[..., Iterator[Floats]]  # of a generator, a number of resamples, a fitter and a hypothesis


NO_SHIFTS: Floats = np.empty((0, 0))


class Hypothesis(NamedTuple):
    """What the nulls know of the rankings under test.

    Attributes:
        n_ranking_topics: How many topics they were measured on.
        rankings: Shape (k, m), systems in canonical order: for the nulls that depend on the ranking.
        shifts: For these, what centres the reference where each ranking is true: shape (k, m).
        bounds: For these, the resamples that are surely nearer.
        measure: What solves their quadratic programs.
    """

    n_ranking_topics: int
    rankings: Floats
    shifts: Floats = NO_SHIFTS
    bounds: Bounds = NO_BOUNDS
    measure: Measure = one_by_one


def resample(
    null: str,
    fitter: Fitter,
    hypothesis: Hypothesis,
    n_resamples: int,
    rng: np.random.Generator,
    n_jobs: int | None,
    least: Floats | None = None,
) -> tuple[Floats, int]:
    """The null distribution, shape (B,) or (k, B), and how many of its distances needed quadprog.

    `least`, of shape (k,), is what counts as far, if only the number of resamples so far from each ranking is wanted.
    """
    if null in CENTRES:  # once, not once a block
        with OneBlasThread():  # as in every block
            shifts = CENTRES[null](fitter, hypothesis.rankings)
            bounds = Bounds.of(fitter, hypothesis.rankings, shifts, least)
        measure = measure_for(fitter, n_resamples * len(shifts))
        hypothesis = hypothesis._replace(shifts=shifts, bounds=bounds, measure=measure)
    compute = partial(NULLS[null], fitter=fitter, hypothesis=hypothesis)
    found = blockwise(compute, n_resamples, cells=cells_of(fitter), rng=rng, n_jobs=n_jobs)
    squared, by_quadprog = found.T
    return _scaled(squared, fitter), int(by_quadprog.sum())


def _scaled(squared: Floats, fitter: Fitter) -> Floats:
    """Distances from squared ones for one topic."""
    return np.asarray(np.sqrt(len(fitter.scores) * squared))


def cells_of(fitter: Fitter) -> int:
    """What a resample needs at once: the weights of topics, and the covariance of differences."""
    n_topics, n_systems = fitter.scores.shape
    return int(max(n_topics, n_systems**2))


def published_null(rng: np.random.Generator, size: int, fitter: Fitter, hypothesis: Hypothesis) -> Iterator[Floats]:
    """Algorithm 2: rankings by resampled means, measured against the reference as it is."""
    rankings = fitter.means(topic_weights(rng, size, len(fitter.scores)))
    model = fitter.model
    return (distance(model, order) for order in model.order(rankings))


def refit_null(rng: np.random.Generator, size: int, fitter: Fitter, hypothesis: Hypothesis) -> Iterator[Floats]:
    """The reference's own ranking, measured against resampled references."""
    order = ordering(fitter.model.means)
    return (distance(model, order(model)) for model in _draw_models(rng, size, fitter))


def centred_null(rng: np.random.Generator, size: int, fitter: Fitter, hypothesis: Hypothesis) -> Iterator[Floats]:
    """Each ranking under test, measured against the same resampled references, shifted to a centre that keeps it."""
    bounds, shifts, order = hypothesis.bounds, hypothesis.shifts, _order_of_each(hypothesis)
    for model in _draw_models(rng, size, fitter):
        found, at = bounds.known.copy(), bounds.undecided(model)
        if at:
            found[at] = hypothesis.measure(model, shifts[at], order(model, at))
        yield found


def _order_of_each(hypothesis: Hypothesis) -> Callable[[Model, list[np.intp]], Order]:
    """For a model, the orders of some of the rankings; without ties they are the same for all models."""
    rankings, shifts = hypothesis.rankings, hypothesis.shifts
    orders = np.argsort(rankings, axis=-1, kind="stable")
    if np.diff(np.take_along_axis(rankings, orders, -1)).all():
        return lambda model, at: orders[at]
    return lambda model, at: np.lexsort((model.means + shifts[at], rankings[at]), axis=-1)


def ordering(ranking: Floats) -> Ordering:
    """The order of a ranking for any model; without ties it is the same for all."""
    order = np.argsort(ranking, kind="stable")
    if np.diff(ranking[order]).all():
        return lambda model: order
    return lambda model: model.order(ranking)


def two_sample_null(rng: np.random.Generator, size: int, fitter: Fitter, hypothesis: Hypothesis) -> Iterator[Floats]:
    """Rankings by resampled means, each measured against a reference resampled independently."""
    n_topics = len(fitter.scores)
    drawn = rng.multinomial(hypothesis.n_ranking_topics, np.full(n_topics, 1.0 / n_topics), size=size)
    rankings = fitter.means(drawn.astype(np.float64))
    models = _draw_models(rng, size, fitter)
    return (distance(model, model.order(ranking)) for model, ranking in zip(models, rankings, strict=True))


NULLS: dict[str, Null] = {
    "published": published_null,
    "refit": refit_null,
    "two-sample": two_sample_null,
    **dict.fromkeys(CENTRES, centred_null),
}
OF_EACH_RANKING = frozenset(CENTRES)  # the others are computed once for all rankings


def distance(model: Model, order: Order) -> Floats:
    """The squared distance for one topic, and whether only quadprog could find it."""
    return np.array(model.squared_distance(order), dtype=np.float64)


def _draw_models(rng: np.random.Generator, size: int, fitter: Fitter) -> Iterator[Model]:
    weights = topic_weights(rng, size, len(fitter.scores))
    return fitter.refit_each(weights, fitter.means(weights))


def draw_models(fitter: Fitter, n_resamples: int, rng: np.random.Generator) -> Iterator[Model]:
    """The resampled references that a null of so many resamples meets, one after the other."""
    size = block_size(cells_of(fitter))
    for child, wanted in seeded_blocks(n_resamples, cells=cells_of(fitter), rng=rng):
        yield from islice(_draw_models(child, size, fitter), wanted)


def pvalues(statistic: Floats, null_distribution: Floats) -> Floats:
    """Of one shape, from a null distribution that they share, or from one each along the last axis."""
    n_resamples = null_distribution.shape[-1]
    if null_distribution.ndim == 1:
        at_least = n_resamples - np.searchsorted(np.sort(null_distribution), least_as_far(statistic), side="left")
    else:
        at_least = (null_distribution >= least_as_far(statistic)[..., np.newaxis]).sum(axis=-1)
    return np.where(np.isnan(statistic), np.nan, (at_least + 1.0) / (n_resamples + 1.0))


def least_as_far(statistic: Floats) -> Floats:
    """What counts as at least as far, but for rounding errors."""
    return np.asarray(statistic * (1.0 - TOLERANCE))


def upper_quantile(distances: Floats, alpha: float) -> float:
    """The least distance d such that whatever lies beyond d has (b + 1)/(B + 1) <= alpha."""
    at_least = count_to_accept(alpha, distances.size)
    return float(np.sort(distances)[-at_least]) if at_least >= 1 else math.inf


def count_to_accept(alpha: float, n_resamples: int) -> int:
    """The least b with (b + 1)/(B + 1) > alpha: so many resamples at least as far, and a ranking is accepted."""
    return min(math.floor(alpha * (n_resamples + 1) * (1.0 + TOLERANCE)), n_resamples)
