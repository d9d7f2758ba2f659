"""The arguments of `Experiment`, checked before any system is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any, TypeAlias

import ir_measures
import pandas as pd
import pyterrier as pt

from pt_rankcorr.components.base import Component
from pt_rankcorr.io.measure_names import (
    canonical_name,
    find_measure,
    has_valid_parameters,
    is_count,
    resolve_measure,
)
from pt_rankcorr.stats.core.arguments import list_of, listing, whole_number
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.topic_labels import labels_of_topics
from pt_rankcorr.text import shown

Baseline: TypeAlias = int | str | Sequence[int | str] | None
Design: TypeAlias = dict[str, dict[str, str]]  # clusters, strata -> topic -> label


def named_systems(
    systems: Any, names: Sequence[str] | None, baseline: Baseline
) -> tuple[list[Any], list[str], dict[int, str]]:
    """The systems, their names, and baseline -> what is said beside its columns: its name where a list is given."""
    by_name = isinstance(systems, Mapping)
    if by_name:
        names, systems = list(systems), list(systems.values())
    if not isinstance(systems, (list, tuple)):
        raise TypeError(f"`retr_systems` must be a list or a mapping of systems, got {type(systems).__name__}.")
    if isinstance(names, str):
        raise TypeError(f"`names` must be a list of names, got the single name {names!r}.")
    names = _default_names(systems) if names is None else [str(name) for name in list_of("names", names, "names")]
    if len(names) != len(systems):
        raise ValueError(f"`names` must name all {len(systems)} systems, got {len(names)} names.")
    return list(systems), names, _baselines(baseline, names, by_name=by_name)


def _baselines(given: Baseline, names: list[str], *, by_name: bool) -> dict[int, str]:
    if not isinstance(given, (list, tuple)):
        return {} if given is None else {_position(given, names, by_name=by_name): ""}
    found = {at: f" ({names[at]})" for at in (_position(each, names, by_name=by_name) for each in given)}
    if not found or len({*found.values()}) < len(given):
        raise ValueError(f"`baseline` must be systems of distinct names, got {shown(given)}.")
    return found


def _default_names(systems: Sequence[Any]) -> list[str]:
    """What each system is as a text, as PyTerrier names it, with a number after those that look like an earlier one."""
    texts = [str(system) for system in systems]
    names: list[str] = []
    for text in texts:
        candidates = chain([text], (f"{text} ({number})" for number in count(2)))
        names.append(next(name for name in candidates if name not in names and (name == text or name not in texts)))
    return names


def _position(baseline: Any, names: list[str], *, by_name: bool) -> int:
    if not isinstance(baseline, str):
        position = whole_number("baseline", baseline, at_least=0)
        if position >= len(names):
            raise ValueError(f"`baseline` must be the position of one of {len(names)} systems, got {shown(baseline)}.")
        return position
    if not by_name:
        raise TypeError(
            f"`baseline` must be the position of a system where systems are given as a list, got {shown(baseline)}."
        )
    if baseline not in names:
        raise ValueError(f"`baseline` must be among {listing(names)}, got {shown(baseline)}.")
    return names.index(baseline)


def check_columns(topics: object, qrels: object) -> None:
    """Refuses frames without columns that the host cannot do without."""
    for name, frame, needed in (("topics", topics, ["qid"]), ("qrels", qrels, ["qid", "docno", "label"])):
        if isinstance(frame, pd.DataFrame) and not {*needed} <= {*frame.columns}:
            raise ValueError(f"`{name}` must have the columns {', '.join(needed)}, got {listing(frame.columns)}.")


def labels_of(topics: Any, clusters: object, strata: object) -> Design:
    """Topic -> label: of a column of the topics, where it has one of that name, or of what `labels_of_topics` takes."""
    frame = topics if isinstance(topics, pd.DataFrame) and "qid" in topics.columns else pd.DataFrame({"qid": ["1"]})
    qids = list(frame["qid"].astype(str))
    return {
        name: dict(zip(qids, _labels(given, frame, qids, name), strict=True))
        for name, given in (("clusters", clusters), ("strata", strata))
        if given is not None
    }


def _labels(given: object, frame: pd.DataFrame, qids: Sequence[str], parameter: str) -> Iterable[str]:
    column = frame[given].tolist() if isinstance(given, str) and given in frame.columns else given
    return labels_of_topics(column, qids, parameter) or ()


def known_measures(eval_metrics: Sequence[Any]) -> list[Any]:
    """The measures as PyTerrier takes them: names that it knows stay, as they become the names of columns."""
    if isinstance(eval_metrics, (str, ir_measures.Measure)):
        raise TypeError(f"`eval_metrics` must be a list of measures, got the single measure {eval_metrics}.")
    given = list_of("eval_metrics", eval_metrics, "measures")
    metrics = [measure if _is_host_name(measure) else resolve_measure(measure, "eval_metrics") for measure in given]
    invalid = {str(m) for m in metrics if isinstance(m, ir_measures.Measure) and not has_valid_parameters(m)}
    if invalid:
        raise ValueError(f"`eval_metrics` must have valid parameters, as the cut-off of P@10, got {listing(invalid)}.")
    if all(measure == "mrt" for measure in metrics):
        raise ValueError("`eval_metrics` must hold at least one measure of effectiveness, got none.")
    return metrics


def _is_host_name(measure: Any) -> bool:
    if not isinstance(measure, str):
        return False
    try:
        return measure == "mrt" or bool(ir_measures.parse_trec_measure(measure))
    except ValueError:
        return False


def measure_names(metrics: Sequence[Any]) -> list[str]:
    """The names of the columns that PyTerrier makes: a family such as "official" has several, aliases have one."""
    names: dict[str, str] = {}
    for measure in metrics:
        family = ir_measures.parse_trec_measure(measure) if isinstance(measure, str) else [measure]
        for member in family:
            given = isinstance(measure, str) and len(family) == 1
            if given or canonical_name(member) not in names:
                names[canonical_name(member)] = str(measure) if given else str(member)
    return list(names.values())


def bound_components(
    meta: Any, measures: Sequence[str], n_systems: int, reference: Any, rng: RandomState
) -> list[Component]:
    """The components, with the experiment's reference and generator where they have none of their own."""
    generator(rng)
    ranking = [measure for measure in measures if not is_count(measure)]
    if reference is not None:
        reference = find_measure(reference, ranking, "reference")
    default = reference or next(iter(ranking), None)
    components = [component.bind(reference=default, rng=rng) for component in _components(meta)]
    for component in components:
        component.check(measures, n_systems)
    columns = Counter(column for component in components for column in component.columns)
    repeated = {column for column, times in columns.items() if times > 1}
    if repeated:
        raise ValueError(f"`meta` must add columns of distinct names, got {listing(repeated)} more than once.")
    return components


def _components(meta: Any) -> list[Component]:
    """Components from a list of them, one alone, or a pipeline such as TauAP() >> KendallTau()."""
    if isinstance(meta, Component):
        return [meta]
    if isinstance(meta, pt.Transformer):
        meta = pt.inspect.subtransformers(meta).get("transformers", [meta])
    if not isinstance(meta, (list, tuple)):
        raise TypeError(f"`meta` must be a list of components such as TauAP(), got {shown(meta)}.")
    for component in meta:
        if not isinstance(component, Component):
            raise TypeError(f"`meta` must be components such as TauAP(), got {shown(component)}.")
    return list(meta)
