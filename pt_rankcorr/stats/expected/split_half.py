"""The split-half baseline: correlations between small halves of the topics, extrapolated to all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.coefficients.coefficient import Kernel
from pt_rankcorr.stats.core.means import round_means
from pt_rankcorr.stats.core.resampling import blockwise, topic_indices
from pt_rankcorr.stats.core.types import Floats, Indices

SIZES = 20
TRIALS = 100
ROUNDING = 1e-9  # of a correlation of 1, whose logarithm would rule the line


@dataclass(frozen=True)
class Decay:
    """The correlation at n topics is 1 - 2 exp(intercept + slope * n) (section 4.2 of Urbano and Marrero)."""

    intercept: float
    slope: float

    def at(self, n_topics: float) -> float:
        exponent = self.intercept + (self.slope * n_topics if self.slope else 0.0)
        return 1.0 - 2.0 * math.exp(min(exponent, 0.0))


def split_half(
    scores: Floats,
    correlation: Kernel,
    *,
    by_order: bool,
    replace: bool,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Decay:
    """Fits the decay to the correlations between two halves, at up to 20 sizes of 100 trials each.

    A trial draws the topics of the largest halves once, and the smaller halves are the first of these. Halves are drawn
    with replacement, or are disjoint. A pair that ties in a half is concordant, as in the paper, which counts what is
    discordant: identical systems would otherwise keep halves that agree from being left out.
    """
    sizes = half_sizes(scores.shape[0])
    strictly = partial(with_ties_as_agreement, correlation, by_order)
    compute = partial(_trials, scores, sizes, strictly, replace)
    correlations = blockwise(compute, TRIALS, cells=scores.size + sizes.size * scores.shape[1], rng=rng, n_jobs=n_jobs)
    return fit_decay(sizes, correlations)


def half_sizes(n_topics: int) -> Indices:
    """Of 21 sizes spread evenly from one topic to half of them all but the first, as in the authors' released study.

    One topic is a size where that would leave a single one.
    """
    sizes = np.unique(np.rint(np.linspace(1.0, n_topics // 2, SIZES + 1)).astype(np.intp))
    return sizes[1:] if sizes.size > 2 else sizes


def _trials(
    scores: Floats, sizes: Indices, correlation: Kernel, replace: bool, rng: np.random.Generator, size: int
) -> Floats:
    """The correlation between two halves of each size, shape (size, n_sizes)."""
    n_topics, half = scores.shape[0], int(sizes[-1])
    every_topic = np.tile(np.arange(n_topics), (size, 1))
    drawn = topic_indices(rng, size, n_topics) if replace else rng.permuted(every_topic, axis=1)
    starts, means = np.concatenate(([0], sizes[:-1])), []
    for topics in (drawn[:, :half], drawn[:, half : 2 * half]):
        sums = np.add.reduceat(scores[topics], starts, axis=1).cumsum(axis=1)
        means.append(round_means(sums / sizes[:, np.newaxis], scores))
    return correlation(*means)


def with_ties_as_agreement(correlation: Kernel, by_order: bool, truth: Floats, estimate: Floats) -> Floats:
    """The coefficient where a pair that ties on either side is concordant.

    Ties of each side are put in the order of the other one; what ties on both has the order of the systems on both.
    A coefficient that does not go by order alone has the scores of the truth, where ties weigh nothing.
    """
    some = _has_ties(truth) | _has_ties(estimate)
    both = [scores.copy() for scores in (truth, estimate)]
    position = np.broadcast_to(np.arange(truth.shape[-1]), truth[some].shape)
    for scores, ties_broken_by in zip(both, (estimate, truth), strict=True):
        order = np.lexsort((position, ties_broken_by[some], scores[some]), axis=-1)
        scores[some] = order.argsort(axis=-1)
    return correlation(both[0] if by_order else truth, both[1])


def _has_ties(scores: Floats) -> NDArray[np.bool_]:
    ordered = np.sort(scores, axis=-1)
    return np.asarray((ordered[..., 1:] == ordered[..., :-1]).any(axis=-1))


def fit_decay(sizes: Indices, correlations: Floats) -> Decay:
    """The least squares line through log((1 - E) / 2) of all trials over their sizes.

    Trials that agree perfectly have no logarithm and are left out. If that leaves no trial, there is no discordance; if
    it leaves one size, or no trial has a ranking, the result is nan.
    """
    discordance = (1.0 - correlations) / 2.0
    usable = discordance > ROUNDING
    if not usable.any():
        return Decay(-math.inf if np.isfinite(correlations).any() else math.nan, 0.0)
    usable_sizes = np.broadcast_to(sizes, usable.shape)[usable]
    if usable_sizes.min() == usable_sizes.max():
        return Decay(math.nan, math.nan)
    slope, intercept = np.polyfit(usable_sizes, np.log(discordance[usable]), 1)
    return Decay(float(intercept), float(slope))
