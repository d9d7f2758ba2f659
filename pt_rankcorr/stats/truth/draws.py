"""Draws that stand for the true means, given those of a sample of topics."""

from __future__ import annotations

from functools import partial

import numpy as np

from pt_rankcorr.stats.core.means import round_significant, sizes_of
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
    compute = partial(truths, scores=scores, reliability=reliability)
    return blockwise(compute, n_draws, cells=sum(scores.shape), rng=rng, n_jobs=n_jobs)


def truths(rng: np.random.Generator, size: int, *, scores: Floats, reliability: Reliability) -> Floats:
    """One block of them."""
    means = scores.mean(axis=0)
    share = reliability.draw(rng, size)[:, np.newaxis]
    drawn = noise(rng, size, scores=scores)
    drawn *= np.sqrt(share)
    drawn += share * (means - means.mean())
    drawn += means.mean()
    return round_significant(drawn, sizes_of(scores))


def noise_of_means(scores: Floats, n_draws: int, rng: np.random.Generator, n_jobs: int | None) -> Floats:
    """Draws of the error e* of means over as many topics: shape (n_draws, n_systems)."""
    return blockwise(partial(noise, scores=scores), n_draws, cells=sum(scores.shape), rng=rng, n_jobs=n_jobs)


def noise(rng: np.random.Generator, size: int, *, scores: Floats) -> Floats:
    n_topics = len(scores)
    drawn: Floats = topic_weights(rng, size, n_topics) @ (scores - scores.mean(axis=0))
    drawn /= np.sqrt(n_topics * rng.chisquare(n_topics - 1, size=(size, 1)))  # n, and sqrt(n/(n-1) * (n-1)/chi^2)
    return drawn
