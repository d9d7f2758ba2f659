"""The topics on which systems are compared once more: resamples of those at hand, or disjoint sets of them."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.stats.core.arguments import one_of, whole_number
from pt_rankcorr.stats.core.design import refuse_design
from pt_rankcorr.stats.core.resampling import topic_subsets, twin
from pt_rankcorr.stats.core.summaries import Statistic, resample_summaries
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.significance._family import Family, family_of
from pt_rankcorr.stats.significance._new_topics import draw_new_topics

NEW: Final = "new topics"
RESAMPLES: Final = "resamples"
HALVES: Final = "halves"
LEAST: dict[choices.OtherTopics, int] = {NEW: 2, RESAMPLES: 1, HALVES: 2}  # topics


def family_for(scores: object, of: object, statistic: object) -> Family:
    kind = one_of("of", of, tuple(LEAST))
    if kind == HALVES:
        refuse_design(scores, "scores", "of others take `of='new topics'`, not halves of topics", unless_even=True)
    return family_of(scores, min_topics=LEAST[kind], statistic=statistic)


def size_of_sets(topic_set_size: object, of: str, n_topics: int, n_sets: int) -> int:
    """How many topics each sample has: all of them, but for disjoint sets, which by default are halves."""
    if topic_set_size is None:
        return n_topics // 2 if of == HALVES else n_topics
    if of != HALVES:
        raise ValueError(f"`topic_set_size` must be left out unless `of` is 'halves', got {topic_set_size!r}.")
    return whole_number("topic_set_size", topic_set_size, at_least=1, at_most=n_topics // n_sets)


def draw_samples(
    family: Family,
    of: object,
    size: int,
    statistic: Statistic,
    n_resamples: int,
    rng: np.random.Generator,
    n_jobs: int | None,
    *,
    n_sets: int,
) -> tuple[Floats | None, list[Floats]]:
    """The truth, where it is drawn, and the statistic of each system over so many samples.

    Samples of new topics, bootstrap samples of all topics, or random sets of `size` topics, of which the n-th of one
    list shares none with the n-th of another.

    Returns:
        Shape (n_systems, n_resamples) each.
    """
    if of == NEW:
        return draw_new_topics(family, statistic, n_resamples, rng, n_sets, n_jobs)
    compute = partial(resample_summaries, family.matrix, statistic, n_resamples)
    if of == RESAMPLES:
        return None, [compute(rng, family.systems, n_jobs) for _ in range(n_sets)]
    draws = [partial(topic_subsets, of=size, at=at) for at in range(n_sets)]
    return None, [compute(twin(rng), family.systems, n_jobs, draw) for draw in draws]
