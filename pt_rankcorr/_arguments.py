"""What a caller of `Experiment` gave, checked before any system is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import ir_measures
import pyterrier as pt

from pt_rankcorr.adapters.measures import canonical, find_measure, has_valid_parameters, is_count, resolve_measure
from pt_rankcorr.components.base import Component
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import listing
from pt_rankcorr.stats.resampling import RandomState, generator

NAME_SHOWN = 60  # characters; a result frame given as a system is named by its whole text


def named_systems(
    systems: Any, names: Sequence[str] | None, baseline: int | str | None
) -> tuple[list[Any], list[str], int | None]:
    """The systems, their names, and the position of the baseline among them.

    Raises:
        TypeError: If the systems are neither a list nor a mapping, or the baseline is a name where systems have none.
        ValueError: If names are missing or repeat, or there is no such baseline.
    """
    if isinstance(systems, Mapping):
        names, systems = list(systems), list(systems.values())
        if isinstance(baseline, str):
            if baseline not in names:
                raise ValueError(f"`baseline` must be among {listing(names)}, got {shown(baseline)}.")
            baseline = names.index(baseline)
    if not isinstance(systems, (list, tuple)):
        raise TypeError(f"`retr_systems` must be a list or a mapping of systems, got {type(systems).__name__}.")
    if isinstance(names, str):
        raise TypeError(f"`names` must be a list of names, got the single name {names!r}.")
    names = [str(name) for name in (systems if names is None else names)]
    if len(names) != len(systems):
        raise ValueError(f"`names` must name all {len(systems)} systems, got {len(names)} names.")
    repeated = [name[:NAME_SHOWN] for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(f"`names` must be distinct, got {listing(repeated)} more than once.")
    return list(systems), names, _position(baseline, len(systems))


def _position(baseline: int | str | None, n_systems: int) -> int | None:
    if baseline is None:
        return None
    if isinstance(baseline, str):
        raise TypeError("`baseline` must be the position of a system where systems are given as a list.")
    if not 0 <= int(baseline) < n_systems:
        raise ValueError(f"`baseline` must be the position of one of {n_systems} systems, got {shown(baseline)}.")
    return int(baseline)


def known_measures(eval_metrics: Sequence[Any]) -> list[Any]:
    """The measures as PyTerrier takes them: names that it knows stay, as they become the names of columns.

    Raises:
        TypeError: If they are not a list of measures and names.
        ValueError: If one is unknown or lacks a parameter, or there is none.
    """
    if isinstance(eval_metrics, (str, ir_measures.Measure)):
        raise TypeError(f"`eval_metrics` must be a list of measures, got the single measure {eval_metrics}.")
    metrics = [measure if _is_host_name(measure) else resolve_measure(measure) for measure in eval_metrics]
    invalid = {str(m) for m in metrics if isinstance(m, ir_measures.Measure) and not has_valid_parameters(m)}
    if invalid:
        raise ValueError(f"`eval_metrics` must have valid parameters, as the cut-off of P@10, got {listing(invalid)}.")
    if all(measure == "mrt" for measure in metrics):
        raise ValueError("`eval_metrics` must hold at least one measure of effectiveness, got none.")
    return metrics


def _is_host_name(measure: Any) -> bool:
    if measure == "mrt":
        return True
    try:
        return isinstance(measure, str) and bool(ir_measures.parse_trec_measure(measure))
    except ValueError:
        return False


def measure_names(metrics: Sequence[Any]) -> list[str]:
    """The names of the columns that PyTerrier makes: a family such as "official" has several, aliases have one."""
    names: dict[str, str] = {}
    for measure in metrics:
        family = ir_measures.parse_trec_measure(measure) if isinstance(measure, str) else [measure]
        for member in family:
            given = isinstance(measure, str) and len(family) == 1
            if given or canonical(member) not in names:
                names[canonical(member)] = str(measure) if given else str(member)
    return list(names.values())


def bound_components(
    meta: Any, measures: Sequence[str], n_systems: int, reference: Any, rng: RandomState
) -> list[Component]:
    """The components, with the experiment's reference and generator where they have none of their own.

    Raises:
        TypeError: If they are not components, or `rng` is no seed or generator.
        ValueError: If two add a column of one name, or one has nothing to compute.
    """
    generator(rng)
    ranking = [measure for measure in measures if not is_count(measure)]
    if reference is not None:
        reference = find_measure(reference, ranking)
    default = reference or next(iter(ranking), None)
    components = [component.bound(reference=default, rng=rng) for component in _components(meta)]
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
