"""The collections of a comparison, in all forms they come in, as scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.table import ALONE
from pt_rankcorr.io.experiment import scores_from_experiment
from pt_rankcorr.io.irds import qrels_of, topics_of
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.paths import by_name
from pt_rankcorr.io.runs import scores_from_irds
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.text import shown_name

IRDS = "irds:"  # as PyTerrier names the datasets of ir-datasets
RUNS = ", or of datasets such as 'irds:vaswani' to runs"
KINDS = "scores, a per-query experiment, or a mapping of measures or collections to them"


def collections_of(given: Any, parameter: str, also: str = "") -> dict[str, Scores]:
    """Collection -> scores, by one rule for all mappings.

    A score matrix and an array or frame of topics x systems are a measure, and a mapping to these is one collection.
    `Scores` of several measures and a per-query experiment are a collection, and a mapping to these several. `Scores`
    of a single measure are what stands beside them; in a mapping to nothing else they are measures if all have the same
    topics and systems, and else collections.

    Args:
        given: All that.
        parameter: What it is called by the caller, for messages.
        also: What else the caller takes.

    Raises:
        TypeError: If it is nothing of the kind, or a mapping has both measures and collections.
        ValueError: If it is empty, or measures have other topics or systems.
    """
    if isinstance(given, Scores) or not isinstance(given, Mapping):
        return {ALONE: _collection(given, parameter, also)}
    if not given:
        raise ValueError(f"`{parameter}` must hold at least one collection, got none.")
    named = by_name(given, parameter)
    measures = [name for name, value in named.items() if _is_measure(value)]
    either = [name for name, value in named.items() if isinstance(value, Scores) and len(value) == 1]
    if measures and len(measures) + len(either) < len(named):
        other = next(name for name in named if name not in (*measures, *either))
        raise TypeError(
            f"`{parameter}` must hold measures or collections, and not both, got the measure "
            f"{shown_name(repr(measures[0]))} and {type(named[other]).__name__} under {shown_name(repr(other))}."
        )
    if measures or (len(either) == len(named) and _is_one_collection(named.values())):
        return {ALONE: _of_measures(named)}
    return {name: _collection(value, parameter, also, name) for name, value in named.items()}


def _is_one_collection(several: Iterable[Scores]) -> bool:
    return len({(frozenset(scores.topics), frozenset(scores.systems)) for scores in several}) == 1


def _is_measure(value: object) -> bool:
    return isinstance(value, (ScoreMatrix, np.ndarray)) or (isinstance(value, pd.DataFrame) and not _is_long(value))


def _is_long(value: object) -> bool:
    """Whether it is a per-query experiment."""
    return {"name", "value"} <= set(getattr(value, "columns", ()))


def _of_measures(named: Mapping[str, Any]) -> Scores:
    """The scores of one collection; topics and systems are in the order of the first measure."""
    matrices: dict[str, ScoreMatrix] = {}
    for name, value in named.items():
        matrix = _matrix(name, next(iter(value.values())) if isinstance(value, Scores) else value)
        first = next(iter(matrices.values()), matrix)
        same = set(matrix.topics) == set(first.topics) and set(matrix.systems) == set(first.systems)
        matrices[name] = matrix.select(topics=first.topics, systems=first.systems) if same else matrix
    return Scores(matrices)


def _matrix(name: str, given: Any) -> ScoreMatrix:
    try:
        return given if isinstance(given, ScoreMatrix) else ScoreMatrix(given)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error} In measure {shown_name(repr(name))}.") from None


def _collection(given: Any, parameter: str, also: str = "", name: str | None = None) -> Scores:
    if isinstance(given, Scores):
        return given
    if _is_measure(given):
        return _of_measures({getattr(given, "measure", None) or "score": given})
    if _is_list(given) and given and all(isinstance(each, ScoreMatrix) for each in given):
        return Scores(given)
    if _is_long(given) or isinstance(given, (str, PathLike, tuple)):
        return scores_from_experiment(given)
    others = [type(each).__name__ for each in given if not isinstance(each, ScoreMatrix)] if _is_list(given) else []
    got = f"a {type(given).__name__} with {others[0]}" if others else type(given).__name__
    where = "" if name is None else f" under {shown_name(repr(name))}"
    raise TypeError(f"`{parameter}` must be {KINDS}{also}, got {got}{where}.")


def _is_list(given: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(given, (list, tuple))


# --- for `compare` ------------------------------------------------------------------------------------------


def collect_scores(
    given: Any, measures: Sequence[object] | None, parameter: str, *, download: bool, **evaluation: Any
) -> dict[str, Scores]:
    """Collection -> scores of at least two measures. Those named by "irds:" and an id may have runs or pipelines."""
    if _has_runs(given):
        named = by_name(given, parameter)
        found = {
            name: _of_dataset(name, source, measures, download, evaluation)
            if name.startswith(IRDS) and not isinstance(source, Scores)
            else _collection(source, parameter, RUNS, name)
            for name, source in named.items()
        }
    else:
        found = collections_of(given, parameter, RUNS)
    for name, scores in found.items():
        if measures is not None:
            chosen = [find_measure(measure, scores.measures, "measures") for measure in measures]
            scores = found[name] = scores.select(measures=chosen)
        if len(scores) < 2:
            where = "" if name == ALONE else f" for {name!r}"
            raise ValueError(f"`measures` must be at least 2 to compare, got {listing(scores)}{where}.")
    return found


def judgments_of(qrels: object, *, download: bool) -> object:
    """The judgments of ir-datasets where they are named by "irds:" and an id; all else as it is."""
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        return qrels_of(qrels.removeprefix(IRDS), download=download)
    return qrels


def _has_runs(given: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(given, Mapping) and any(str(name).startswith(IRDS) for name in given)


def _of_dataset(
    name: str, source: Any, measures: Sequence[object] | None, download: bool, evaluation: Mapping[str, Any]
) -> Scores:
    if measures is None:
        raise ValueError(f"`measures` must be given to evaluate the runs of {name!r}, got None.")
    dataset = name.removeprefix(IRDS)
    pipelines = isinstance(source, Mapping) and any(map(_is_pipeline, source.values()))
    runs = _retrieve(dataset, source, download) if pipelines else source
    return scores_from_irds(dataset, runs, measures, download=download, **evaluation)


def _retrieve(dataset: str, systems: Mapping[str, Any], download: bool) -> dict[str, Any]:
    """What pipelines retrieve for the topics of a dataset; runs among them stay as they are."""
    topics = topics_of(dataset, download=download)
    return {
        name: system(topics)[["qid", "docno", "score"]] if _is_pipeline(system) else system
        for name, system in by_name(systems, "runs").items()
    }


def _is_pipeline(system: object) -> bool:
    import pyterrier as pt  # takes a while, and most comparisons are of scores

    return isinstance(system, pt.Transformer)
