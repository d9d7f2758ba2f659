"""The topics on which systems are compared once more: new ones, resamples of those at hand, or disjoint sets of them.

What new topics would show is drawn: the truth, and for each draw what samples of as many topics would measure.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices
from pt_rankcorr.stats.core.arguments import one_of, resample_count, whole_number
from pt_rankcorr.stats.core.inputs import refuse_design
from pt_rankcorr.stats.core.means import rounded
from pt_rankcorr.stats.core.resampling import RandomState, generator, topic_subsets, twin
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.significance._family import Family, family_of
from pt_rankcorr.stats.significance._summaries import Statistic, as_statistic, resample_summaries, summaries
from pt_rankcorr.stats.truth.reliability import ESTIMATION, Fits, Reliability

LEAST: dict[choices.OtherTopics, int] = {"new topics": 2, "resamples": 1, "halves": 2}  # topics
NEGLIGIBLE = 1e-9  # of two variances: the rounding errors of a difference that does not vary


class Samples(NamedTuple):
    """The statistic of each system over sets of samples of so many topics, and over the truth where that is drawn.

    Arrays are of shape (n_systems, n_resamples). The n-th sample of one set of halves shares no topic with the n-th of
    another.
    """

    family: Family
    size: int
    truths: Floats | None
    sets: list[Floats]

    @property
    def counts(self) -> dict[str, int]:
        """What results say of how much there is."""
        of_family = {name: getattr(self.family, name) for name in ("n_pairs", "n_topics", "n_systems")}
        return {**of_family, "n_resamples": self.sets[0].shape[1], "topic_set_size": self.size}


def draw_samples(
    scores: ArrayLike,
    of: choices.OtherTopics,
    topic_set_size: object,
    n_resamples: int,
    statistic: Statistic,
    rng: RandomState,
    n_jobs: int | None,
    *,
    n_sets: int,
) -> Samples:
    """Samples of new topics, bootstrap samples of all topics, or random sets of so many, by default half of them."""
    if one_of("of", of, tuple(LEAST)) == "halves":
        refuse_design(scores, "scores", "of others take `of='new topics'`, not halves of topics", unless_even=True)
    family = family_of(scores, min_topics=LEAST[of], statistic=statistic)
    n_resamples, statistic, random = resample_count(n_resamples), as_statistic(statistic), generator(rng)
    size = family.n_topics // 2 if of == "halves" else family.n_topics
    if topic_set_size is not None:
        if of != "halves":
            raise ValueError(f"`topic_set_size` must be left out unless `of` is 'halves', got {topic_set_size!r}.")
        size = whole_number("topic_set_size", topic_set_size, at_least=1, at_most=family.n_topics // n_sets)
    if of == "new topics":
        return Samples(family, size, *draw_new_topics(family, statistic, n_resamples, random, n_sets, n_jobs))
    given = family.systems, n_jobs
    compute = partial(resample_summaries, family.matrix, statistic, n_resamples)
    if of == "resamples":
        return Samples(family, size, None, [compute(random, *given) for _ in range(n_sets)])
    parts = [partial(topic_subsets, of=size, at=at) for at in range(n_sets)]
    return Samples(family, size, None, [compute(twin(random), *given, part) for part in parts])


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
    centre, size = observed.mean(), np.abs(family.matrix).max()

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
        row[:] = rounded(centre + share * (value - centre) + row, size)
    for _ in range(n_samples):
        sample = errors()
        for row, truth in zip(sample, truths, strict=True):
            row[:] = rounded(truth + spread * row, size)
        samples.append(sample)
    return truths, samples


def _reliability(observed: Floats, errors: Floats, n_topics: int) -> Reliability:
    """By the t of all pairs whose difference varies over resamples; 1 if none does: then there is no error."""
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
