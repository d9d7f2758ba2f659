"""The collections of a comparison, in all forms they come in, as scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pt_rankcorr.adapters.irds import topics_of
from pt_rankcorr.adapters.measure_names import find_measure
from pt_rankcorr.adapters.paths import by_name
from pt_rankcorr.adapters.runs import scores_from_irds
from pt_rankcorr.comparison.table import ALONE
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.text import shown_name

IRDS = "irds:"  # as PyTerrier names the datasets of ir-datasets
GIVEN = "scores_or_collections"
READERS = "Read a per-query experiment with scores_from_experiment, and arrays with ScoreMatrix"


def collect_scores(
    given: object, measures: Sequence[object] | None, *, download: bool, **evaluation: Any
) -> dict[str, Scores]:
    """Collection -> scores of at least two measures."""
    found = {}
    for name, source in _name_sources(given).items():
        scores = _scores(name, source, measures, download, evaluation)
        if len(scores) < 2:
            where = "" if name == ALONE else f" for {name!r}"
            raise ValueError(f"`measures` must be at least 2, to be compared, got {listing(scores)}{where}.")
        found[name] = scores
    return found


def _name_sources(given: Any) -> dict[str, Any]:
    if not isinstance(given, (Mapping, Sequence)) or isinstance(given, str):
        raise TypeError(f"`{GIVEN}` must be scores or a mapping, got {type(given).__name__}. {READERS}.")
    if not given:
        raise ValueError(f"`{GIVEN}` must hold at least one collection, got none.")
    if isinstance(given, Scores):
        return {ALONE: given}
    places = given.items() if isinstance(given, Mapping) else enumerate(given)
    if not isinstance(given, Mapping) or any(isinstance(value, ScoreMatrix) for value in given.values()):
        _check_matrices(dict(places))
        return {ALONE: Scores(given)}
    return by_name(given, GIVEN)


def _check_matrices(measures: Mapping[Any, Any]) -> None:
    wrong = {name: value for name, value in measures.items() if not isinstance(value, ScoreMatrix)}
    for name, value in wrong.items():
        raise TypeError(
            f"`{GIVEN}` must hold a score matrix for each measure, got {type(value).__name__} for "
            f"{shown_name(repr(name))}. {READERS}."
        )


def _scores(
    name: str, source: Any, measures: Sequence[object] | None, download: bool, evaluation: Mapping[str, Any]
) -> Scores:
    if isinstance(source, Scores):
        chosen = None if measures is None else [find_measure(measure, source.measures) for measure in measures]
        return source.select(measures=chosen)
    if not name.startswith(IRDS):
        raise TypeError(
            f"`{GIVEN}` must hold Scores, or runs under the id of a dataset such as 'irds:vaswani', "
            f"got {type(source).__name__} under {name!r}. {READERS}."
        )
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
