"""What new topics would show: draws of the truth, and for each draw what samples of as many topics would measure."""

from __future__ import annotations

import math

import numpy as np

from pt_rankcorr.stats.core.means import round_significant
from pt_rankcorr.stats.core.summaries import Statistic, resample_summaries, summaries
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.significance._family import Family
from pt_rankcorr.stats.truth.reliability import ESTIMATION, Fits, Reliability

NEGLIGIBLE = 1e-9  # of two variances: the rounding errors of a difference that does not vary


def draw_new_topics(
    family: Family, statistic: Statistic, n_draws: int, rng: np.random.Generator, n_samples: int, n_jobs: int | None
) -> tuple[Floats, list[Floats]]:
    """Draws of the truth, and for each so many samples of as many new topics.

    The model is that of `stats.shrunken_truth`, for any statistic: the errors e* are those of the statistic in
    resamples, and the standard errors that tell the reliability come from them, too.

    Returns:
        Shape (n_systems, n_draws) each.
    """
    n_topics, observed = family.n_topics, summaries(family.matrix, statistic, family.systems)[:, np.newaxis]
    for_reliability, for_spread = rng.spawn(2)
    centre, size = observed.mean(), np.full(n_draws, np.abs(family.matrix).mean(axis=0).max())

    def errors() -> Floats:
        drawn = resample_summaries(family.matrix, statistic, n_draws, rng, family.systems, n_jobs)
        drawn -= observed
        return drawn

    truths = errors()
    share = _reliability(observed[:, 0], truths, n_topics).draw(for_reliability, n_draws)
    spread = math.sqrt(n_topics) / np.sqrt(for_spread.chisquare(n_topics - 1, size=n_draws))
    truths *= np.sqrt(share) * spread
    samples = []
    for row, value in zip(truths, observed[:, 0], strict=True):  # one by one, as rounding takes memory
        row[:] = round_significant(centre + share * (value - centre) + row, size)
    for _ in range(n_samples):
        sample = errors()
        for row, truth in zip(sample, truths, strict=True):
            row[:] = round_significant(truth + spread * row, size)
        samples.append(sample)
    return truths, samples


def _reliability(observed: Floats, errors: Floats, n_topics: int) -> Reliability:
    """By the t of all pairs whose difference varies over resamples; 1 if none does: then there is no luck."""
    centred = errors - errors.mean(axis=1, keepdims=True)
    covariance = centred @ centred.T / max(errors.shape[1] - 1, 1) * n_topics / (n_topics - 1)
    pairs = np.triu_indices(observed.size, k=1)
    both = np.add(*(np.diag(covariance)[side] for side in pairs))
    squares = both - 2.0 * covariance[pairs]
    varies = squares > NEGLIGIBLE * both
    if not varies.any():
        return Reliability(np.ones(1), np.ones(1))
    differences = (observed[pairs[0]] - observed[pairs[1]])[varies]
    return Fits.of(differences / np.sqrt(squares[varies]), n_topics).posterior(observed.size, ESTIMATION)
