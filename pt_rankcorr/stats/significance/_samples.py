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
    statistic: Statistic,
    n_resamples: int,
    rng: np.random.Generator,
    n_jobs: int | None,
    *,
    n_sets: int,
    disjoint: int | None,
) -> list[Floats]:
    """The statistic of each system over so many samples, shape (n_systems, n_resamples) each.

    Either bootstrap samples of all topics, or random sets of `disjoint` topics, of which the n-th of one list shares
    none with the n-th of another.
    """
    compute = partial(resample_summaries, family.matrix, statistic, n_resamples)
    if disjoint is None:
        return [compute(rng, family.systems, n_jobs) for _ in range(n_sets)]
    draws = [partial(topic_subsets, of=disjoint, at=at) for at in range(n_sets)]
    return [compute(twin(rng), family.systems, n_jobs, draw) for draw in draws]
