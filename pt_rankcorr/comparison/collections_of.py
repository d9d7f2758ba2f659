"""Collections and their scores, in all forms that the public functions take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.defaults import UNNAMED_COLLECTION, UnnamedCollection
from pt_rankcorr.io.irds import topics_of
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.runs import scores_from_irds
from pt_rankcorr.io.score_tables import scores_from_experiment
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import by_name, listing
from pt_rankcorr.text import shown, shown_name

RUNS = ", or of datasets such as 'irds:vaswani' to runs"


def collections_of(source: Any, parameter: str, also: str = "") -> dict[str, Scores]:
    """Collection -> scores, by one rule for all mappings.

    A score matrix and an array or frame of topics x systems are a measure, and a mapping to these is one collection.
    `Scores` of several measures and a per-query experiment are a collection, and a mapping to these several. `Scores`
    of a single measure are what stands beside them; in a mapping to nothing else they are measures if all have the same
    topics and systems, and else collections. `parameter` is the caller's argument, for messages.
    """
    if isinstance(source, Scores) or not isinstance(source, Mapping):
        return {UNNAMED_COLLECTION: scores_of(source, parameter, also)}
    if not source:
        raise ValueError(f"`{parameter}` must hold at least one collection, got none.")
    if all(isinstance(name, UnnamedCollection) for name in source):  # from a command, or from a report
        return dict(source)
    named = by_name(source, parameter)
    measures = [name for name, value in named.items() if _is_measure(value)]
    single = {name: value for name, value in named.items() if isinstance(value, Scores) and len(value) == 1}
    if measures and len(measures) + len(single) < len(named):
        other = next(name for name in named if name not in (*measures, *single))
        seen = f"the measure {shown(measures[0])} and {type(named[other]).__name__} under {shown(other)}"
        raise TypeError(f"`{parameter}` must hold measures or collections, and not both, got {seen}.")
    labels = {(frozenset(scores.topics), frozenset(scores.systems)) for scores in single.values()}
    if measures or (len(single) == len(named) and len(labels) == 1):
        return {UNNAMED_COLLECTION: _of_measures(named, parameter)}
    return {name: scores_of(value, parameter, also, name) for name, value in named.items()}


def names_of_collections(of_each: Mapping[str, Any]) -> list[str] | None:
    """The names of several collections, if the values of these parameters map them to what each has; None for one.

    The first value decides. A mapping of topics to labels of documents, and `Scores`, are of one collection.
    """

    def names_in(value: object) -> set[str] | None:  # None of what is no mapping
        return {str(name) for name in value} if isinstance(value, Mapping) and not isinstance(value, Scores) else None

    first, source = next(iter(of_each.items()))
    if names_in(source) is None or any(
        names_in(value) and not any(map(names_in, value.values())) for value in source.values()
    ):
        return None
    names = list(by_name(source, first))
    for parameter, value in of_each.items():
        if names_in(value) != set(names):
            raise ValueError(f"`{parameter}` must be a mapping from the collections {listing(names)}.")
    return names


def _is_measure(value: object) -> bool:
    """Whether it is the scores of one measure: a matrix, an array, or a frame of topics x systems."""
    return isinstance(value, (ScoreMatrix, np.ndarray)) or (isinstance(value, pd.DataFrame) and not _is_long(value))


def _is_long(value: object) -> bool:
    """Whether it is the frame of a per-query experiment, a row a score."""
    return {"name", "value"} <= set(getattr(value, "columns", ()))


def _of_measures(named: Mapping[str, Any], parameter: str) -> Scores:
    """The scores of one collection; topics and systems are in the order of the first measure."""
    matrices: dict[str, ScoreMatrix] = {}
    for name, value in named.items():
        value = next(iter(value.values())) if isinstance(value, Scores) else value
        try:
            matrix = value if isinstance(value, ScoreMatrix) else ScoreMatrix(value)
        except (TypeError, ValueError) as error:
            message = str(error).replace("`values`", f"`{parameter}`")
            raise type(error)(f"{message} In measure {shown_name(repr(name))}.") from None
        first = next(iter(matrices.values()), matrix)
        same = set(matrix.topics) == set(first.topics) and set(matrix.systems) == set(first.systems)
        matrices[name] = matrix.select(topics=first.topics, systems=first.systems) if same else matrix
    return Scores(matrices)  # which refuses different topics and systems


def scores_of(source: Any, parameter: str, also: str = "", name: str | None = None) -> Scores:
    """The scores of one collection, from any form that functions take; `also` says in messages what else they take."""
    rule = f"`{parameter}` must be scores, a per-query experiment, or a mapping of measures or collections to them"
    if isinstance(source, Scores):
        return source
    if _is_measure(source):
        return _of_measures({getattr(source, "measure", None) or "score": source}, parameter)
    if isinstance(source, (list, tuple)) and source and all(isinstance(matrix, ScoreMatrix) for matrix in source):
        return Scores(source)
    if _is_long(source) or isinstance(source, (str, PathLike, tuple)):
        remedy = ""
        if isinstance(source, (str, PathLike)):
            remedy = " Runs are read by `scores_from_runs(runs, qrels, measures)`, other tables by `read_scores`."
        try:
            return scores_from_experiment(source)
        except FileNotFoundError as error:
            raise FileNotFoundError(f"{rule}, got a path: there is no {error.filename}.{remedy}") from None
        except ValueError as error:
            raise ValueError(str(error).replace("`experiment`", f"`{parameter}`") + remedy) from None
    where = "" if name is None else f" under {shown_name(repr(name))}"
    raise TypeError(f"{rule}{also}, got {type(source).__name__}{where}.")


def check_size(scores: Scores, parameter: str, name: str) -> None:
    """Refuses a collection of a single system or topic, of which nothing is ranked, or resampled."""
    n_systems, n_topics = len(scores.systems), len(scores.topics)
    if min(n_systems, n_topics) < 2:
        seen = f"{n_systems} and {n_topics} for {name!r}"
        raise ValueError(f"`{parameter}` must have at least 2 systems and 2 topics, got {seen}.")


def scores_on_dataset(
    name: str, systems: Any, measures: Sequence[object] | None, *, download: bool, **reading: Any
) -> Scores:
    """The scores of name -> run or pipeline on the dataset "irds:{id}"; pipelines are run on its topics."""
    import pyterrier as pt  # takes a while, and most comparisons are of scores

    if measures is None:
        raise ValueError(f"`measures` must be given to evaluate the runs of {name!r}, got None.")
    dataset = name.removeprefix(choices.IRDS)
    if isinstance(systems, Mapping) and any(isinstance(system, pt.Transformer) for system in systems.values()):
        topics = topics_of(dataset, download=download)
        systems = {
            name: system(topics)[["qid", "docno", "score"]] if isinstance(system, pt.Transformer) else system
            for name, system in by_name(systems, "runs").items()
        }
    return scores_from_irds(dataset, systems, measures, download=download, **reading)


def reference_among(reference: object, scores: Scores, collection: str) -> str:
    """The name of the reference measure, among those of the scores; an error names the collection, too."""
    try:
        return find_measure(reference, scores.measures, "reference")
    except ValueError as error:
        where = "" if isinstance(collection, UnnamedCollection) else f" In collection {shown(collection)}."
        raise ValueError(f"{error}{where}") from None
