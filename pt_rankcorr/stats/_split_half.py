"""The split-half baseline: correlations between small halves of the topics, extrapolated to all of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats._finished import Coefficient
from pt_rankcorr.stats.checks import DegenerateInputWarning
from pt_rankcorr.stats.order import Floats, round_significant
from pt_rankcorr.stats.resampling import blockwise, topic_indices

Sizes: TypeAlias = NDArray[np.intp]
Correlation: TypeAlias = Callable[[object, object], Coefficient]

SIZES = 20
TRIALS = 100


@dataclass(frozen=True)
class Decay:
    """The correlation at n topics is 1 - 2 exp(intercept + slope * n) (section 4.2 of Urbano and Marrero)."""

    intercept: float
    slope: float

    def at(self, n_topics: float) -> float:
        exponent = self.intercept + (self.slope * n_topics if self.slope else 0.0)
        return 1.0 - 2.0 * math.exp(min(exponent, 0.0))


def split_half(
    scores: Floats, correlation: Correlation, *, replace: bool, rng: np.random.Generator, n_jobs: int | None
) -> Decay:
    """Fits the decay to the mean correlation between two halves, at up to 20 sizes of 100 trials each.

    A trial draws the topics of the largest halves once; the smaller halves are the first topics of these. The cost
    is that of 2000 correlations.

    Args:
        scores: Shape (n_topics, n_systems).
        correlation: Takes (truth, estimate).
        replace: Whether a half is drawn with replacement from all topics, or both are disjoint.
        rng: Source of the draws.
        n_jobs: Workers.
    """
    sizes = half_sizes(scores.shape[0])
    compute = partial(_trials, scores, sizes, correlation, replace)
    correlations = blockwise(compute, TRIALS, cells=scores.size + sizes.size * scores.shape[1], rng=rng, n_jobs=n_jobs)
    return fitted_decay(sizes, correlations)


def half_sizes(n_topics: int) -> Sizes:
    """Evenly spread from one topic to half of them."""
    largest = n_topics // 2
    return np.unique(np.rint(np.linspace(1, largest, min(SIZES, largest))).astype(np.intp))


def _trials(
    scores: Floats,
    sizes: Sizes,
    correlation: Correlation,
    replace: bool,
    rng: np.random.Generator,
    size: int,
) -> Floats:
    n_topics, half = scores.shape[0], int(sizes[-1])
    drawn = topic_indices(rng, size, n_topics) if replace else _permutations(rng, size, n_topics)
    truth, estimate = (
        _means_of_first(scores, topics, sizes) for topics in (drawn[:, :half], drawn[:, half : 2 * half])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        return np.asarray(correlation(truth, estimate))


def _permutations(rng: np.random.Generator, size: int, n_topics: int) -> NDArray[np.intp]:
    return rng.permuted(np.tile(np.arange(n_topics), (size, 1)), axis=1)


def _means_of_first(scores: Floats, topics: NDArray[np.intp], sizes: Sizes) -> Floats:
    """Means over the first topics of each trial: shape (n_trials, n_sizes, n_systems)."""
    starts = np.concatenate(([0], sizes[:-1]))
    sums = np.add.reduceat(scores[topics], starts, axis=1).cumsum(axis=1)
    return round_significant(sums / sizes[:, np.newaxis])


def fitted_decay(sizes: Sizes, correlations: Floats) -> Decay:
    """The least squares line through log((1 - E) / 2) over the sizes, E the mean over trials where it is defined.

    Sizes at which all trials agree perfectly have no logarithm and are left out. Where all of them do there is no
    discordance at any size; where a single one is left, or none has a ranking, there is no line: nan.
    """
    defined = np.isfinite(correlations)
    means = np.where(defined, correlations, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    discordant = defined.any(axis=0) & (means < 1.0)
    if not discordant.any():
        return Decay(-math.inf if defined.any() else math.nan, 0.0)
    if discordant.sum() == 1:
        return Decay(math.nan, math.nan)
    slope, intercept = np.polyfit(sizes[discordant], np.log((1.0 - means[discordant]) / 2.0), 1)
    return Decay(float(intercept), float(slope))
