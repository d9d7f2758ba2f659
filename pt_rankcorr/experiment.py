"""`Experiment`: PyTerrier's, and what its rankings of the systems say, from one unrounded evaluation."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, TypeAlias

import ir_measures
import pandas as pd
import pyterrier as pt

from pt_rankcorr._host import response_times
from pt_rankcorr._table import Averages, rounded, saved, styled
from pt_rankcorr.adapters.measures import canonical, find_measure, resolve_measure
from pt_rankcorr.components.base import Component
from pt_rankcorr.components.frames import added_by_system
from pt_rankcorr.stats.checks import listing, one_of
from pt_rankcorr.stats.resampling import RandomState, generator

Test: TypeAlias = "str | Callable[[Any, Any], Any]"
Evaluated: TypeAlias = "dict[int, dict[str, dict[str, float]]]"  # system -> topic -> measure -> score


class UnjudgedTopicsWarning(UserWarning):
    """Some topics have no judgments: they have no scores and are left out of averages and rankings."""


class EvaluationDataTuple(NamedTuple):
    """What `perquery="both"` returns: averages and per-query scores."""

    averages: Any
    perquery: Any

    def _repr_html_(self) -> str:
        return "".join(frame._repr_html_() for frame in self)


def Experiment(  # the name and the order of the arguments are PyTerrier's
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: pd.DataFrame | str,
    qrels: pd.DataFrame | str,
    eval_metrics: Sequence[Any],
    names: Sequence[str] | None = None,
    perquery: bool | str = False,
    dataframe: bool = True,
    batch_size: int | None = None,
    filter_by_qrels: bool = False,
    filter_by_topics: bool = True,
    baseline: int | str | None = None,
    test: Test = "t",
    correction: str | None = None,
    correction_alpha: float = 0.05,
    highlight: str | None = None,
    round: int | Mapping[str, int] | None = None,
    verbose: bool | str = "auto",
    validate: str = "warn",
    save_dir: str | None = None,
    save_mode: str = "warn",
    save_format: Any = "trec",
    precompute_prefix: bool = False,
    plan: str = "linear",
    *,
    meta: Sequence[Component] = (),
    reference: Any = None,
    rng: RandomState = None,
) -> Any:
    """`pt.Experiment`, with columns about how its measures rank the systems.

    The systems are run and evaluated once, by PyTerrier; everything shown is computed from those unrounded per-query
    scores. So `baseline`, `highlight`, `round` and `"mrt"` can be combined with `perquery`, topics without judgments
    do not spoil averages (they are left out, with a warning), and systems with equal scores have a p-value of 1.

    Args:
        retr_systems: Transformers or result frames, as a list or by name; distinct names.
        topics: As for `pt.Experiment`, and so are all arguments that are not named here.
        qrels: As for `pt.Experiment`.
        eval_metrics: Measures, as objects or by name in the notation of ir_measures or trec_eval.
        names: Names of the systems.
        perquery: False for averages, True for one row a system, topic and measure, "both" for a tuple of the two.
        dataframe: Whether to return data frames, or else dictionaries.
        batch_size: As for `pt.Experiment`.
        filter_by_qrels: As for `pt.Experiment`.
        filter_by_topics: As for `pt.Experiment`.
        baseline: The system, by position (or by name, if the systems are given by name), that the others are tested
            against.
        test: "t", "wilcoxon", or a function of two arrays of scores whose result has the p-value as element 1.
        correction: A method of `statsmodels.stats.multitest.multipletests`.
        correction_alpha: The level that corrected p-values are held against.
        highlight: "bold", "color" or "colour": the best of each column, in a Styler.
        round: Decimals of the scores shown: one number, or measure -> number.
        verbose: As for `pt.Experiment`.
        validate: As for `pt.Experiment`.
        save_dir: As for `pt.Experiment`; its perquery.csv is unrounded, its aggregated.csv holds PyTerrier's
            columns of the table returned.
        save_mode: As for `pt.Experiment`.
        save_format: As for `pt.Experiment`.
        precompute_prefix: As for `pt.Experiment`.
        plan: As for `pt.Experiment`.
        meta: Components such as `TauAP()` or `KendallTau()`; their columns follow those of `pt.Experiment`.
        reference: The measure that components compare the others with, unless they name their own; by default the
            first of `eval_metrics`.
        rng: Seed or generator for components that resample, unless they have their own.

    Returns:
        What `pt.Experiment` returns for the same arguments, with the columns "{measure} {column}" in averages, and
        "{column}" in per-query frames, which `by_measure` and `by_system` turn into tables.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If one is out of its range, names repeat, or `meta` has nothing to compare; always before any
            system is run.
    """
    systems, names, baseline = _named_systems(retr_systems, names, baseline)
    metrics = _known_measures(eval_metrics)
    shown = [measure for measure in metrics if measure != "mrt"]
    components = _bound(meta, _measure_names(shown), len(systems), reference, rng)
    one_of("perquery", str(perquery).lower(), ("false", "true", "both"))
    table = Averages(names, baseline, test, correction, correction_alpha)
    rounded(pd.DataFrame(), round)
    styled(pd.DataFrame(), {}, highlight)

    host = _asked_for(
        {
            "names": names,
            "perquery": True,
            "dataframe": False,
            "batch_size": batch_size,
            "filter_by_qrels": filter_by_qrels,
            "filter_by_topics": filter_by_topics,
            "verbose": verbose,
            "validate": validate,
            "save_dir": save_dir,
            "save_mode": save_mode,
            "save_format": save_format,
            "precompute_prefix": precompute_prefix,
            "plan": plan,
        }
    )
    evaluated, times = _evaluated(systems, topics, qrels, shown, host, timed="mrt" in metrics)
    frame = _long(evaluated, names)
    _warn_of_unjudged(frame)

    averages = table.rendered(evaluated, times)
    if save_dir is not None:
        saved(rounded(averages, round), save_dir)
    frame = _with_components(frame, components, verbose)
    extra = added_by_system(frame)
    if not dataframe:
        return _dictionaries(evaluated, table.means(evaluated, times), extra, perquery)
    best = table.best_is(averages)
    averages = styled(pd.concat([rounded(averages, round), extra], axis=1), best, highlight)
    frame = _rounded_values(frame, round)
    if perquery == "both":
        return EvaluationDataTuple(averages, frame)
    return frame if perquery else averages


# --- what came in ------------------------------------------------------------------------------------------


def _named_systems(
    systems: Any, names: Sequence[str] | None, baseline: int | str | None
) -> tuple[list[Any], list[str], int | None]:
    if isinstance(systems, Mapping):
        names, systems = list(systems), list(systems.values())
        if isinstance(baseline, str):
            if baseline not in names:
                raise ValueError(f"`baseline` must be among {listing(names)}, got {baseline!r}.")
            baseline = names.index(baseline)
    if not isinstance(systems, (list, tuple)):
        raise TypeError(f"`retr_systems` must be a list or a mapping of systems, got {type(systems).__name__}.")
    names = [str(name) for name in (systems if names is None else names)]
    if len(names) != len(systems):
        raise ValueError(f"`names` must name all {len(systems)} systems, got {len(names)} names.")
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"`names` must be distinct, got {listing(repeated)} more than once.")
    return list(systems), names, _checked_baseline(baseline, len(systems))


def _checked_baseline(baseline: int | str | None, n_systems: int) -> int | None:
    if baseline is None:
        return None
    if isinstance(baseline, str):
        raise TypeError("`baseline` must be the position of a system where systems are given as a list.")
    if not 0 <= int(baseline) < n_systems:
        raise ValueError(f"`baseline` must be the position of one of {n_systems} systems, got {baseline!r}.")
    return int(baseline)


def _known_measures(eval_metrics: Sequence[Any]) -> list[Any]:
    """Names that PyTerrier knows stay as they are, since they become the names of columns; others are resolved."""
    if isinstance(eval_metrics, (str, ir_measures.Measure)):
        raise TypeError(f"`eval_metrics` must be a list of measures, got the single measure {eval_metrics}.")
    return [measure if _is_host_name(measure) else resolve_measure(measure) for measure in eval_metrics]


def _is_host_name(measure: Any) -> bool:
    if measure == "mrt":
        return True
    try:
        return isinstance(measure, str) and bool(ir_measures.parse_trec_measure(measure))
    except ValueError:
        return False


def _measure_names(metrics: Sequence[Any]) -> list[str]:
    """The names of the columns that PyTerrier makes of the measures: a family such as "official" has several."""
    names: dict[str, None] = {}
    for measure in metrics:
        family = ir_measures.parse_trec_measure(measure) if isinstance(measure, str) else [measure]
        names.update(dict.fromkeys([str(measure)] if len(family) == 1 else map(str, family)))
    return list(names)


def _bound(
    meta: Sequence[Component], measures: Sequence[str], n_systems: int, reference: Any, rng: RandomState
) -> list[Component]:
    generator(rng)  # what it refuses is refused before anything runs
    if not measures:
        raise ValueError("`eval_metrics` must hold at least one measure of effectiveness, got none.")
    for component in (components := [meta] if isinstance(meta, pt.Transformer) else list(meta)):
        if not isinstance(component, Component):
            raise TypeError(f"`meta` must be components such as TauAP(), got {component!r}.")
    chosen = measures[0] if reference is None else find_measure(reference, measures)
    components = [component.bound(reference=chosen, rng=rng) for component in components]
    for component in components:
        component.check(measures, n_systems)
    return components


def _asked_for(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are not at their defaults: an older PyTerrier may not know the others."""
    defaults = inspect.signature(Experiment).parameters
    return {name: value for name, value in arguments.items() if value is not defaults[name].default}


# --- evaluation --------------------------------------------------------------------------------------------


def _evaluated(
    systems: list[Any], topics: Any, qrels: Any, metrics: list[Any], host: dict[str, Any], *, timed: bool
) -> tuple[Evaluated, dict[int, float]]:
    listening: AbstractContextManager[dict[int, float]] = response_times() if timed else nullcontext({})
    with warnings.catch_warnings(), listening as times:
        # PyTerrier says it once a system; we say it once, with the names
        warnings.filterwarnings("ignore", message=r"\d+ topic\(s\) not found in qrels")
        evaluated = pt.Experiment(systems, topics, qrels, metrics, **host)
    return {system: evaluated[system] for system in range(len(systems))}, times


def _long(evaluated: Evaluated, names: Sequence[str]) -> pd.DataFrame:
    rows = [
        (names[system], qid, measure, score)
        for system, by_topic in evaluated.items()
        for qid, by_measure in by_topic.items()
        for measure, score in by_measure.items()
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def _warn_of_unjudged(frame: pd.DataFrame) -> None:
    scores = frame.groupby("qid", sort=False)["value"].count()
    unjudged = scores.index[scores == 0]
    if len(unjudged):
        warnings.warn(
            f"{len(unjudged)} topics have no judgments and are left out of averages and rankings: {listing(unjudged)}.",
            UnjudgedTopicsWarning,
            stacklevel=3,
        )


def _with_components(frame: pd.DataFrame, components: Sequence[Component], verbose: bool | str) -> pd.DataFrame:
    # the bar comes up only where there is something to wait for
    for component in pt.tqdm(components, desc="ptr.Experiment", unit="statistic", delay=1, disable=verbose is False):
        frame = component.transform(frame)
    return frame


# --- what goes out -----------------------------------------------------------------------------------------


def _rounded_values(frame: pd.DataFrame, decimals: int | Mapping[str, int] | None) -> pd.DataFrame:
    """Per-query scores in PyTerrier's order, rounded for show."""
    frame = frame.sort_values(["name", "qid"])
    if isinstance(decimals, int):
        return frame.assign(value=frame["value"].round(decimals))
    for measure, places in (decimals or {}).items():
        rows = frame["measure"].map(canonical) == canonical(measure)
        frame.loc[rows, "value"] = frame.loc[rows, "value"].round(places)
    return frame


def _dictionaries(
    evaluated: Evaluated, means: dict[str, dict[str, float]], extra: pd.DataFrame, perquery: bool | str
) -> Any:
    with_extra = {
        name: {**averages, **{str(column): extra[column].iloc[row] for column in extra}}
        for row, (name, averages) in enumerate(means.items())
    }
    if perquery == "both":
        return with_extra, evaluated
    return evaluated if perquery else with_extra
