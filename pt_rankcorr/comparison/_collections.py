"""The collections of a comparison, in all forms they come in, as scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyterrier as pt

from pt_rankcorr.adapters.files import by_name
from pt_rankcorr.adapters.irds import topics_of
from pt_rankcorr.adapters.measures import find_measure
from pt_rankcorr.adapters.runs import scores_from_irds
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.checks import listing

IRDS = "irds:"  # as PyTerrier names the datasets of ir-datasets
ALONE = "scores"  # the name of a collection that has none


def collected(
    given: object, measures: Sequence[object] | None, *, download: bool, **evaluation: Any
) -> dict[str, Scores]:
    """Collection -> scores of at least two measures.

    Raises:
        FileNotFoundError: If a dataset is not on this machine and must not be downloaded.
        TypeError: If something is neither scores nor a collection.
        ValueError: If there is no collection, two are of one name, or less than two measures, or scores cannot be had.
    """
    if not isinstance(given, (Mapping, Sequence)) or isinstance(given, str):
        raise TypeError(f"`scores_or_collections` must be scores or a mapping, got {type(given).__name__}.")
    if not given:
        raise ValueError("`scores_or_collections` must hold at least one collection, got none.")
    if not isinstance(given, Mapping) or all(isinstance(value, ScoreMatrix) for value in given.values()):
        given = {ALONE: given if isinstance(given, Scores) else Scores(given)}
    found = {}
    for name, source in by_name(given, "scores_or_collections").items():
        scores = _scores(name, source, measures, download, evaluation)
        if len(scores) < 2:
            raise ValueError(f"`measures` must be at least 2, to be compared, got {listing(scores)} for {name!r}.")
        found[name] = scores
    return found


def _scores(
    name: str, source: Any, measures: Sequence[object] | None, download: bool, evaluation: Mapping[str, Any]
) -> Scores:
    if isinstance(source, Scores):
        chosen = None if measures is None else [find_measure(measure, source.measures) for measure in measures]
        return source.select(measures=chosen)
    if not name.startswith(IRDS):
        raise TypeError(
            f"`scores_or_collections` must hold Scores, or runs under the id of a dataset such as 'irds:vaswani', "
            f"got {type(source).__name__} under {name!r}."
        )
    if measures is None:
        raise ValueError(f"`measures` must be given to evaluate the runs of {name!r}, got None.")
    dataset = name.removeprefix(IRDS)
    runs = _retrieved(dataset, source, download) if _has_pipelines(source) else source
    return scores_from_irds(dataset, runs, measures, download=download, **evaluation)


def _has_pipelines(source: object) -> bool:
    return isinstance(source, Mapping) and any(isinstance(system, pt.Transformer) for system in source.values())


def _retrieved(dataset: str, systems: Mapping[str, Any], download: bool) -> dict[str, Any]:
    """What pipelines retrieve for the topics of a dataset; runs among them stay as they are."""
    topics = topics_of(dataset, download=download)
    return {
        name: system(topics)[["qid", "docno", "score"]] if isinstance(system, pt.Transformer) else system
        for name, system in by_name(systems, "runs").items()
    }
