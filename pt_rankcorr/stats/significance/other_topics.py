"""Means of systems on other topics: new ones, resamples of those at hand, or disjoint sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices
from pt_rankcorr.stats.core.arguments import one_of, resample_count, whole_number
from pt_rankcorr.stats.core.inputs import prepare_matrix, refuse_design
from pt_rankcorr.stats.core.means import rounded
from pt_rankcorr.stats.core.resampling import (
    DrawTopics,
    RandomState,
    blockwise,
    clone,
    count_draws,
    generator,
    topic_indices,
    topic_subsets,
)
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.stats.significance.pairwise import family_of
from pt_rankcorr.stats.truth import shrunken

WHICH_TOPICS: dict[choices.OtherTopics, str] = {
    "new topics": "Other topics: new ones, from this package's model; "
    "Sakai (2006) resamples those at hand, which is of='resamples'.",
    "resamples": "Other topics: resamples of those at hand, as in Sakai (2006).",
    "halves": "Other topics: sets of those at hand, as in Voorhees and Buckley (2002).",
}


@dataclass(frozen=True)
class OtherTopics:
    """Means of systems in samples of other topics."""

    systems: Labels
    counts: dict[str, int]  # the numbers of all there is, as fields of a result
    # the mean of each system in each sample of each set, shape (n_sets, n_systems, n_resamples)
    sets: Floats
    # behind each sample, shape (n_systems, n_resamples); None where topics are those at hand
    truths: Floats | None


def draw_other_topics(
    scores: ArrayLike,
    of: choices.OtherTopics,
    topic_set_size: object,
    n_resamples: int,
    rng: RandomState,
    n_jobs: int | None,
    *,
    n_sets: int,
) -> OtherTopics:
    """Draws sets of samples: of new or resampled topics, or halves of `topic_set_size` topics.

    The n-th sample of one set of halves shares no topic with the n-th of another: the clones of one
    generator shuffle topics alike, and each set takes another part of them, by default half.
    """
    of = one_of("of", of, tuple(WHICH_TOPICS))
    prepared = prepare_matrix(scores, min_topics=1 if of == "resamples" else 2)
    if of == "halves":
        advice = "of others take `of='new topics'`, not halves of topics"
        refuse_design(prepared, "scores", advice, unless_even=True)
    family = family_of(prepared)
    matrix, n_topics = family.matrix, family.n_topics
    n_resamples, random, truths = resample_count(n_resamples), generator(rng), None
    size = n_topics // 2 if of == "halves" else n_topics
    if topic_set_size is not None:
        if of != "halves":
            rule = "`topic_set_size` must be left out unless `of` is 'halves'"
            raise ValueError(f"{rule}, got {topic_set_size!r}.")
        at_most = n_topics // n_sets
        size = whole_number("topic_set_size", topic_set_size, at_least=1, at_most=at_most)
    means_of_set = partial(resampled_means, matrix, n_resamples, n_jobs=n_jobs)
    if of == "new topics":
        truths, sets = draw_new_topics(matrix, n_resamples, random, n_sets, n_jobs)
    elif of == "resamples":
        sets = np.stack([means_of_set(random) for _ in range(n_sets)])
    else:
        parts = [partial(topic_subsets, of=size, at=number) for number in range(n_sets)]
        sets = np.stack([means_of_set(clone(random), draw=part) for part in parts])
    counts = family.counts | {"n_resamples": n_resamples, "topic_set_size": size}
    return OtherTopics(family.systems, counts, sets, truths)


def resampled_means(
    scores: Floats,
    n_resamples: int,
    rng: np.random.Generator,
    n_jobs: int | None,
    draw: DrawTopics = topic_indices,
) -> Floats:
    """The mean of each system over samples of topics, shape (n_systems, n_resamples).

    `draw` takes a generator, how many samples and n_topics, and returns positions of topics, a
    sample a row; by default it draws bootstrap samples. One seed draws the same topics for all
    systems and measures. Means are rounded as system means are: equal systems stay equal.
    """
    n_topics, largest = len(scores), np.abs(scores).max()

    def compute(child: np.random.Generator, size: int) -> Floats:
        drawn = draw(child, size, n_topics)
        weights = count_draws(drawn, n_topics).astype(np.float64)
        return rounded(weights @ scores / drawn.shape[1], largest)

    means = blockwise(compute, n_resamples, cells=n_topics, rng=rng, n_jobs=n_jobs)
    return np.ascontiguousarray(means.T)


def draw_new_topics(
    scores: Floats, n_draws: int, rng: np.random.Generator, n_sets: int, n_jobs: int | None
) -> tuple[Floats, Floats]:
    """Draws of true means, (n_systems, n_draws), and of means over as many new topics.

    The latter are of shape (n_sets, n_systems, n_draws). The model is that of
    `stats.shrunken_truth`. The noise of means is their errors in resamples, and lambda is that of
    the covariance of these: each set has resamples of its own.
    """
    observed, size, n_topics = scores.mean(axis=0), np.abs(scores).max(), len(scores)
    for_reliability, for_spread = rng.spawn(2)

    def errors() -> Floats:
        """Means of resampled topics less the observed ones, (n_systems, n_draws): new each time."""
        return np.asarray(resampled_means(scores, n_draws, rng, n_jobs) - observed[:, np.newaxis])

    noise = errors()
    posterior = shrunken.reliability_of_resamples(observed, noise, n_topics)
    reliability = posterior.draw(for_reliability, n_draws)[:, np.newaxis]
    spread = shrunken.spread_of_noise(for_spread, n_draws, n_topics)
    truths = rounded(shrunken.true_means(observed, reliability, (noise * spread).T).T, size)
    return truths, np.stack([rounded(truths + spread * errors(), size) for _ in range(n_sets)])
