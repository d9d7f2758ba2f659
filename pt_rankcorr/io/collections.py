"""Scores on the collections of a benchmark, as one set of scores."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pt_rankcorr.io.paths import by_name
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import listing


def scores_from_collections(collections: Mapping[str, Scores]) -> Scores:
    """The scores of systems on a benchmark of several collections, which all weigh the same, as in BEIR and MTEB.

    The mean of a system is the mean of its means on the collections. The collections become strata: all statistics
    resample topics within collections, see `ScoreMatrix.with_design`.

    Args:
        collections: Name -> scores, of the same systems by the same measures.

    Returns:
        The scores on all topics, which are named "collection/topic". Clusters of topics are kept.

    Raises:
        TypeError: If anything but scores is given.
        ValueError: If there are none, systems or measures differ, or a collection has strata or only one topic.

    Example:
        >>> old = Scores([ScoreMatrix([[0.2, 0.4], [0.4, 0.4]], systems=["bm25", "dph"], measure="AP")])
        >>> new = Scores([ScoreMatrix([[0.9, 0.5], [0.7, 0.5], [0.5, 0.5]], systems=["bm25", "dph"], measure="AP")])
        >>> scores_from_collections({"old": old, "new": new})["AP"]
        ScoreMatrix('AP', 5 topics in 2 strata x 2 systems, means 0.45 to 0.5, best 'bm25')
    """
    named = by_name(collections, "collections")
    for name, scores in named.items():
        if not isinstance(scores, Scores):
            raise TypeError(f"`collections` must hold Scores, got {type(scores).__name__} for {name!r}.")
    if not named:
        raise ValueError("`collections` must hold at least one collection, got none.")
    first = next(iter(named.values()))
    for what in ("systems", "measures"):
        different = {label for each in named.values() for label in set(getattr(each, what)) ^ set(getattr(first, what))}
        if different:
            raise ValueError(f"`collections` must be of the same {what}, got differences in {listing(different)}.")
    return Scores([_joined([each[measure] for each in named.values()], list(named)) for measure in first])


def _joined(matrices: list[ScoreMatrix], names: list[str]) -> ScoreMatrix:
    """The topics of each collection, one after the other."""
    if any(matrix.design_labels[1] for matrix in matrices) or len({matrix.negated for matrix in matrices}) > 1:
        raise ValueError("`collections` must have no strata, and agree on which measures are better when lower.")
    places = [(name, matrix, at) for name, matrix in zip(names, matrices, strict=True) for at in range(matrix.n_topics)]
    return ScoreMatrix(
        np.concatenate([matrix.select(systems=matrices[0].systems).values for matrix in matrices]),
        [f"{name}/{matrix.topics[at]}" for name, matrix, at in places],
        matrices[0].systems,
        matrices[0].measure,
        matrices[0].negated,
        clusters=[(matrix.design_labels[0] or matrix.topics)[at] for _, matrix, at in places],
        strata=[name for name, _, _ in places],
    )
