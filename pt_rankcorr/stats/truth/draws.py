"""Draws that stand for the true means, given those of a sample of topics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from pt_rankcorr.stats.core.means import rounded
from pt_rankcorr.stats.core.resampling import blockwise, topic_weights
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.reliability import Reliability


def draw_truths(
    scores: Floats, reliability: Reliability, n_draws: int, rng: np.random.Generator, n_jobs: int | None
) -> Floats:
    """Draws of the true means: grand mean + lambda* (means - grand mean) + sqrt(lambda*) e*.

    lambda* is drawn from its posterior. e* is the noise of resampled means, their deviation from the measured ones,
    times sqrt(n / (n - 1)), since resampling underrates it by that, and times sqrt((n - 1) / chi^2_{n-1}), since the
    variances are known from n topics only.

    Returns:
        Shape (n_draws, n_systems), rounded as all means are.
    """
    compute = Truths.of(scores, reliability)
    return blockwise(compute, n_draws, cells=sum(scores.shape), rng=rng, n_jobs=n_jobs)


@dataclass(frozen=True)
class Truths:
    """Draws a block of them, from what is the same for all blocks.

    Attributes:
        centre: The grand mean.
        shifts: The means less the grand mean, shape (n_systems,).
        centred: The scores less their means, shape (n_topics, n_systems).
        size: The largest score, from which the digits of means count.
        reliability: lambda's posterior.
    """

    centre: float
    shifts: Floats
    centred: Floats
    size: float
    reliability: Reliability

    @classmethod
    def of(cls, scores: Floats, reliability: Reliability) -> Truths:
        means = scores.mean(axis=0)
        centre = means.mean()
        return cls(centre, means - centre, scores - means, float(np.abs(scores).max()), reliability)

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        share = self.reliability.draw(rng, size)[:, np.newaxis]
        drawn = noise(rng, size, centred=self.centred)
        drawn *= np.sqrt(share)
        drawn += share * self.shifts
        drawn += self.centre
        return rounded(drawn, self.size)


def noise_of_means(scores: Floats, n_draws: int, rng: np.random.Generator, n_jobs: int | None) -> Floats:
    """Draws of the error e* of means over as many topics: shape (n_draws, n_systems)."""
    compute = partial(noise, centred=scores - scores.mean(axis=0))
    return blockwise(compute, n_draws, cells=sum(scores.shape), rng=rng, n_jobs=n_jobs)


def noise(rng: np.random.Generator, size: int, *, centred: Floats) -> Floats:
    """One block of them, from scores less their means."""
    n_topics = len(centred)
    drawn: Floats = topic_weights(rng, size, n_topics) @ centred
    drawn /= np.sqrt(n_topics * rng.chisquare(n_topics - 1, size=(size, 1)))  # n, and sqrt(n/(n-1) * (n-1)/chi^2)
    return drawn
