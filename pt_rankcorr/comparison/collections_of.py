"""Collections and their scores, in all forms that the public functions take."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.defaults import UNNAMED_COLLECTION, UnnamedCollection
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.score_tables import scores_from_experiment
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import by_name, listing
from pt_rankcorr.text import shown, shown_name


def collections_of(source: Any, parameter: str) -> dict[str, Scores]:
    """Collection -> scores, by one rule for all mappings.

    A score matrix and an array or frame of topics x systems are a measure, and a mapping to these
    is one collection. `Scores` of several measures and a per-query experiment are a collection, and
    a mapping to these several. `Scores` of a single measure are what stands beside them; in a
    mapping to nothing else they are measures if all have the same topics and systems, and else
    collections. `parameter` is the caller's argument, for messages.
    """
    if isinstance(source, Scores) or not isinstance(source, Mapping):
        return {UNNAMED_COLLECTION: scores_of(source, parameter)}
    if not source:
        raise ValueError(f"`{parameter}` must hold at least one collection, got none.")
    if all(isinstance(name, UnnamedCollection) for name in source):  # from a command or a report
        return dict(source)
    named = by_name(source, parameter)
    measures = [name for name, value in named.items() if _is_measure(value)]
    of_scores = {name: value for name, value in named.items() if isinstance(value, Scores)}
    single = {name: scores for name, scores in of_scores.items() if len(scores) == 1}
    if measures and len(measures) + len(single) < len(named):
        other = next(name for name in named if name not in (*measures, *single))
        beside = f"{type(named[other]).__name__} under {shown(other)}"
        raise TypeError(
            f"`{parameter}` must hold measures or collections, and not both, "
            f"got the measure {shown(measures[0])} and {beside}."
        )
    labels = {(frozenset(scores.topics), frozenset(scores.systems)) for scores in single.values()}
    if measures or (len(single) == len(named) and len(labels) == 1):
        return {UNNAMED_COLLECTION: _of_measures(named, parameter)}
    return {name: scores_of(value, parameter, name) for name, value in named.items()}


def names_of_collections(of_each: Mapping[str, Any]) -> list[str] | None:
    """The names of several collections, if these parameters map them to values; None for one.

    The first value decides. A mapping of topics to labels of documents, and `Scores`, are of one
    collection.
    """

    def names_in(value: object) -> set[str] | None:  # None of what is no mapping
        if isinstance(value, Mapping) and not isinstance(value, Scores):
            return {str(name) for name in value}
        return None

    first, source = next(iter(of_each.items()))
    if names_in(source) is None or any(
        names_in(value) and not any(map(names_in, value.values())) for value in source.values()
    ):
        return None
    names = list(by_name(source, first))
    for parameter, value in of_each.items():
        if names_in(value) != set(names):
            rule = f"must be a mapping from the collections {listing(names)}"
            raise ValueError(f"`{parameter}` {rule}.")
    return names


def _is_measure(value: object) -> bool:
    """Whether it is scores of one measure: a matrix, an array, or a frame of topics x systems."""
    if isinstance(value, pd.DataFrame):
        return not _is_long(value)
    return isinstance(value, (ScoreMatrix, np.ndarray))


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
        if set(matrix.topics) == set(first.topics) and set(matrix.systems) == set(first.systems):
            matrix = matrix.select(topics=first.topics, systems=first.systems)
        matrices[name] = matrix
    return Scores(matrices)  # which refuses different topics and systems


def scores_of(source: Any, parameter: str, name: str | None = None) -> Scores:
    """The scores of one collection, in any form; `name` is that of one of several collections."""
    if isinstance(source, Scores):
        return source
    if _is_measure(source):
        return _of_measures({getattr(source, "measure", None) or "score": source}, parameter)
    listed = source if isinstance(source, (list, tuple)) else ()
    if listed and all(isinstance(matrix, ScoreMatrix) for matrix in listed):
        return Scores(listed)
    rule = (
        f"`{parameter}` must be scores, a per-query experiment, or a mapping of measures or "
        "collections to them"
    )
    remedy = ""
    if isinstance(source, (str, PathLike, Mapping)):  # perhaps runs
        remedy = (
            " Runs are read by `scores_from_runs(runs, qrels, measures)`"
            " or `scores_from_irds(dataset, runs, measures)`, other tables by `read_scores`."
        )
    if _is_long(source) or isinstance(source, (str, PathLike, tuple)):
        try:
            return scores_from_experiment(source)
        except FileNotFoundError as error:
            seen = f"a path: there is no {error.filename}"
            if error.filename is None:
                seen = f"the folder {str(source)!r} without a perquery.csv"
            raise FileNotFoundError(f"{rule}, got {seen}.{remedy}") from None
        except ValueError as error:
            message = str(error).replace("`experiment`", f"`{parameter}`")
            raise ValueError(message + remedy) from None
    where = "" if name is None else f" under {shown_name(repr(name))}"
    raise TypeError(f"{rule}, got {type(source).__name__}{where}.{remedy}")


def check_size(scores: Scores, parameter: str, name: str) -> None:
    """Refuses a collection of a single system or topic, of which nothing is ranked or resampled."""
    n_systems, n_topics = len(scores.systems), len(scores.topics)
    if min(n_systems, n_topics) < 2:
        seen = f"{n_systems} and {n_topics} for {name!r}"
        raise ValueError(f"`{parameter}` must have at least 2 systems and 2 topics, got {seen}.")


def reference_among(reference: object, scores: Scores, collection: str) -> str:
    """The name of the reference among the measures of the scores; an error names the collection."""
    try:
        return find_measure(reference, scores.measures, "reference")
    except ValueError as error:
        is_alone = isinstance(collection, UnnamedCollection)
        where = "" if is_alone else f" In collection {shown(collection)}."
        raise ValueError(f"{error}{where}") from None
