"""The null distributions of d_rank, each a block of resamples for `resampling.blockwise`, and their p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from pt_rankcorr.stats._drank_model import Estimator, Model, Order
from pt_rankcorr.stats.order import Floats
from pt_rankcorr.stats.resampling import blockwise, topic_weights

TOLERANCE = 100 * np.finfo(np.float64).eps

Null: TypeAlias = Callable[[np.random.Generator, int, Estimator, "Hypothesis"], Floats]


class Hypothesis(NamedTuple):
    """What the nulls know of the rankings to be tested, each as far as it needs it.

    Attributes:
        n_ranking_topics: How many topics they were measured on.
        rankings: Themselves, systems in canonical order, shape (k, m): for the null that depends on the ranking.
    """

    n_ranking_topics: int
    rankings: Floats


def resample(
    null: str,
    estimator: Estimator,
    hypothesis: Hypothesis,
    n_resamples: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> tuple[Floats, int]:
    """The null distribution, and how many of its distances needed quadprog.

    It is of shape (B,), or (k, B) where every ranking has one of its own.
    """
    compute = partial(_block, null=NULLS[null], estimator=estimator, hypothesis=hypothesis)
    n_topics, n_systems = estimator.scores.shape
    cells = max(n_topics, n_systems**2)  # the weights of topics, the covariance of differences
    found = blockwise(compute, n_resamples, cells=cells, rng=rng, n_jobs=n_jobs)
    squared, fell_back = found.T
    return np.sqrt(n_topics * squared), int(fell_back.sum())


def _block(rng: np.random.Generator, size: int, *, null: Null, estimator: Estimator, hypothesis: Hypothesis) -> Floats:
    return null(rng, size, estimator, hypothesis)


def from_baseline(rng: np.random.Generator, size: int, estimator: Estimator, hypothesis: Hypothesis) -> Floats:
    """Algorithm 2: rankings by resampled means, measured against the baseline as it is."""
    rankings = estimator.means(topic_weights(rng, size, len(estimator.scores)))
    model = estimator.model()
    return distances((model, order) for order in model.order(rankings))


def refitted(rng: np.random.Generator, size: int, estimator: Estimator, hypothesis: Hypothesis) -> Floats:
    """The baseline's own ranking, measured against resampled baselines."""
    ranking = estimator.model().means
    return distances((model, model.order(ranking)) for model in _resampled(rng, size, estimator))


def constrained(rng: np.random.Generator, size: int, estimator: Estimator, hypothesis: Hypothesis) -> Floats:
    """Each ranking under test, measured against resampled baselines whose columns are shifted to keep it.

    That is the bootstrap from the estimate under the hypothesis: the means are the point nearest to the measured ones,
    theta of algorithm 1, that the ranking orders. All rankings share resamples and covariances: no shift changes these.
    """
    observed = estimator.model()
    cases = [(ranking, observed.shift_to(observed.order(ranking))) for ranking in hypothesis.rankings]
    found = [
        distances((shifted, shifted.order(ranking)) for ranking, shifted in _shifted(model, cases))
        for model in _resampled(rng, size, estimator)
    ]
    return np.stack(found)


def _shifted(model: Model, cases: Iterable[tuple[Floats, Floats]]) -> Iterable[tuple[Floats, Model]]:
    return ((ranking, replace(model, means=model.means + shift)) for ranking, shift in cases)


def two_sample(rng: np.random.Generator, size: int, estimator: Estimator, hypothesis: Hypothesis) -> Floats:
    """Rankings by resampled means, each measured against a baseline resampled independently."""
    n_topics = len(estimator.scores)
    drawn = rng.multinomial(hypothesis.n_ranking_topics, np.full(n_topics, 1.0 / n_topics), size=size)
    rankings = estimator.means(drawn.astype(np.float64))
    models = _resampled(rng, size, estimator)
    return distances((model, model.order(ranking)) for model, ranking in zip(models, rankings, strict=True))


NULLS: dict[str, Null] = {
    "baseline": from_baseline,
    "refit": refitted,
    "two-sample": two_sample,
    "constrained": constrained,
}
OF_EACH_RANKING = "constrained"  # the others are computed once for all rankings


def distances(cases: Iterable[tuple[Model, Order]]) -> Floats:
    """One row a case: the squared distance for one topic, and whether it needed quadprog."""
    return np.array([model.squared_distance(order) for model, order in cases], dtype=np.float64).reshape(-1, 2)


def _resampled(rng: np.random.Generator, size: int, estimator: Estimator) -> Iterable[Model]:
    weights = topic_weights(rng, size, len(estimator.scores))
    means = estimator.means(weights)
    return (estimator.refitted(weight, mean) for weight, mean in zip(weights, means, strict=True))


# --- what is read off a null distribution ------------------------------------------------------------


def pvalues(statistic: Floats, null_distribution: Floats) -> Floats:
    """Of one shape, from a null distribution that they share, or from one each along the last axis."""
    least, n_resamples = statistic * (1.0 - TOLERANCE), null_distribution.shape[-1]
    if null_distribution.ndim == 1:
        at_least = n_resamples - np.searchsorted(np.sort(null_distribution), least, side="left")
    else:
        at_least = (null_distribution >= least[..., np.newaxis]).sum(axis=-1)
    return np.asarray((at_least + 1.0) / (n_resamples + 1.0))


def upper_quantile(distances: Floats, alpha: float) -> float:
    """The least distance d such that whatever lies beyond d has (b + 1)/(B + 1) <= alpha."""
    at_least = min(math.floor(alpha * (distances.size + 1) * (1.0 + TOLERANCE)), distances.size)
    return float(np.sort(distances)[-at_least]) if at_least >= 1 else math.inf
