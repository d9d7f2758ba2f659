"""`Experiment`: PyTerrier's, and statistics of its rankings of systems, from one unrounded evaluation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import pandas as pd
import pyterrier as pt

from pt_rankcorr.components.base import Component
from pt_rankcorr.components.frames import added_by_system
from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.experiment._arguments import (
    Baseline,
    bound_components,
    check_columns,
    known_measures,
    labels_of,
    measure_names,
    named_systems,
)
from pt_rankcorr.experiment._evaluation import evaluate, warn_of_what_is_missing
from pt_rankcorr.experiment._saved import SavedTables
from pt_rankcorr.experiment._table import Averages, Evaluated, Look
from pt_rankcorr.io.evaluating import rounded_by_evaluator
from pt_rankcorr.io.experiment import in_design_of, with_labels
from pt_rankcorr.io.given import LabelsLike, MeasureLike
from pt_rankcorr.io.measure_names import canonical_name, lower_measures
from pt_rankcorr.io.settling import settle
from pt_rankcorr.names import check_distinct
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.warnings import UnjudgedTopicsWarning, UnreliableResultWarning, warn

Test: TypeAlias = Literal["t", "wilcoxon"] | Callable[[Any, Any], Any]


class EvaluationDataTuple(NamedTuple):
    """The result with `perquery="both"`: averages and per-query scores, as dictionaries with `dataframe=False`."""

    averages: pd.DataFrame
    perquery: pd.DataFrame

    def _repr_html_(self) -> str:
        frames: tuple[Any, ...] = self
        return "".join(frame._repr_html_() for frame in frames)


@overload
def Experiment(
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: pd.DataFrame | str,
    qrels: pd.DataFrame | str,
    eval_metrics: Sequence[MeasureLike],
    names: Sequence[str] | None = ...,
    *,
    perquery: Literal["both"],
    **others: Any,
) -> EvaluationDataTuple: ...
@overload
def Experiment(
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: pd.DataFrame | str,
    qrels: pd.DataFrame | str,
    eval_metrics: Sequence[MeasureLike],
    names: Sequence[str] | None = ...,
    perquery: bool = ...,
    dataframe: bool = ...,
    batch_size: int | None = ...,
    filter_by_qrels: bool = ...,
    filter_by_topics: bool = ...,
    baseline: Baseline = ...,
    test: Test = ...,
    correction: str | None = ...,
    correction_alpha: float = ...,
    highlight: Literal["bold", "color", "colour"] | None = ...,
    round: int | Mapping[str, int] | None = ...,
    verbose: bool | Literal["auto"] = ...,
    validate: Literal["warn", "error", "ignore"] = ...,
    save_dir: str | None = ...,
    save_mode: Literal["warn", "error", "reuse", "overwrite"] = ...,
    save_format: Any = ...,
    precompute_prefix: bool = ...,
    plan: Literal["linear", "tree"] = ...,
    *,
    meta: Sequence[Component] | pt.Transformer = ...,
    reference: MeasureLike | None = ...,
    lower_is_better: Collection[MeasureLike] = ...,
    rng: RandomState = ...,
    clusters: LabelsLike = ...,
    strata: LabelsLike = ...,
) -> pd.DataFrame | Any: ...  # by its arguments a Styler or dictionaries
def Experiment(  # type: ignore[misc]  # the name and the order of the arguments are PyTerrier's
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: pd.DataFrame | str,
    qrels: pd.DataFrame | str,
    eval_metrics: Sequence[MeasureLike],
    names: Sequence[str] | None = None,
    perquery: bool | Literal["both"] = False,
    dataframe: bool = True,
    batch_size: int | None = None,
    filter_by_qrels: bool = False,
    filter_by_topics: bool = True,
    baseline: Baseline = None,
    test: Test = "t",
    correction: str | None = None,
    correction_alpha: float = ALPHA,
    highlight: Literal["bold", "color", "colour"] | None = None,
    round: int | Mapping[str, int] | None = None,
    verbose: bool | Literal["auto"] = "auto",
    validate: Literal["warn", "error", "ignore"] = "warn",
    save_dir: str | None = None,
    save_mode: Literal["warn", "error", "reuse", "overwrite"] = "warn",
    save_format: Any = "trec",  # "trec", a module such as pickle, or a reader and a writer
    precompute_prefix: bool = False,
    plan: Literal["linear", "tree"] = "linear",
    *,
    meta: Sequence[Component] | pt.Transformer = (),
    reference: MeasureLike | None = None,
    lower_is_better: Collection[MeasureLike] = (),
    rng: RandomState = None,
    clusters: LabelsLike = None,
    strata: LabelsLike = None,
) -> pd.DataFrame | Any:  # by its arguments a Styler, dictionaries, or a tuple instead
    """`pt.Experiment`, with columns about how its measures rank the systems.

    PyTerrier runs and evaluates the systems once; all results come from those unrounded per-query scores. So
    `baseline`, `highlight`, `round` and `"mrt"` can be combined with `perquery`, topics without judgments do not spoil
    averages (they are left out, with a warning), and systems with equal scores have a p-value of 1.

    Args:
        retr_systems: Transformers or result frames, as a list or by name.
        eval_metrics: Measures, as objects or by name in the notation of ir_measures or trec_eval.
        names: Names of the systems, distinct with `meta`. By default each system's text form, followed by a number
            where it repeats an earlier one.
        perquery: False for averages, True for one row per system, topic and measure, "both" for a tuple of the two.
        dataframe: Whether to return data frames, or else dictionaries.
        baseline: The system, by position (or by name, if the systems are given by name), that the others are tested
            against. With a list, such as `[0, 3]`, each of these: the columns end in its name: "AP p-value (bm25)".
        test: "t", "wilcoxon", or a function of two arrays of scores whose result has the p-value as element 1.
        correction: A method of `statsmodels.stats.multitest.multipletests`, for all tests of one measure together.
        correction_alpha: The level of significance of corrected p-values.
        highlight: "bold", "color" or "colour": the best of each column, in a Styler.
        round: Decimals of the scores shown: one number, or measure -> number.
        save_dir: As for `pt.Experiment`; its perquery.csv is unrounded, its aggregated.csv holds PyTerrier's
            columns of the table returned.
        topics, qrels, batch_size, filter_by_qrels, filter_by_topics: As for `pt.Experiment`.
        verbose, validate, save_mode, save_format, precompute_prefix, plan: As for `pt.Experiment`.
        meta: Components, such as `[TauAP(), DRank()]` or `TauAP() >> DRank()`; their columns follow those of
            `pt.Experiment`. Dictionaries of per-query scores (`dataframe=False`) have no room for them.
        reference: The measure that components compare the others with, unless they name their own; by default the
            first of `eval_metrics` that ranks systems.
        lower_is_better: Measures that are better when lower.
        rng: Seed or generator for components that resample, unless they have their own.
        clusters, strata: Which topics depend on each other, and which collections they belong to: the name of a column
            of `topics`, or as for `ScoreMatrix.with_design`. Components and the test against the baseline use both,
            averages use strata, and per-query frames get the columns "cluster" and "stratum".

    Returns:
        What `pt.Experiment` returns for the same arguments, with the columns "{measure} {column}" in averages, and
        "{column}" in per-query frames, which `by_measure` and `by_system` turn into tables.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If one is out of its range, names repeat, or `meta` has nothing to compare; always before any
            system is run.
        KeyError: If a measure is unknown, as in PyTerrier; it is a ValueError or a TypeError, too.

    Warns:
        MissingTopicsWarning: If a system has no results for topics that others have.
        NothingRetrievedWarning: If a measure is 0 for every system on every topic.
        UnjudgedTopicsWarning: If topics have no judgments.
    """
    given = dict(locals())
    systems, names, baselines = named_systems(retr_systems, names, baseline)
    metrics = known_measures(eval_metrics)
    shown = [measure for measure in metrics if measure != "mrt"]
    components = bound_components(meta or (), measure_names(shown), len(systems), reference, rng)
    if components:  # in a table alone, names that the user gave twice are fine
        check_distinct(names, "names")
    lower_measures(lower_is_better, [*measure_names(shown), "mrt"])
    if perquery not in (False, True, None, "both"):
        raise ValueError(f"`perquery` must be False, True or 'both', got {perquery!r}.")
    check_columns(topics, qrels)
    design = labels_of(topics, clusters, strata)
    table = Averages(names, baselines, test, correction, correction_alpha, design)
    look = Look(round, highlight, lower_is_better)
    tables = SavedTables(save_dir)

    host = {"names": names, "perquery": True, "dataframe": False}
    host |= {name: given[name] for name in PASSED_ON if given[name] != DEFAULTS[name].default}
    with tables.guard():
        evaluation = evaluate(systems, topics, qrels, shown, host, timed="mrt" in metrics)
        evaluated, times = evaluation.scores, evaluation.times
        frame = _long_frame(evaluated, names)
        warn_of_what_is_missing(evaluation, names, frame)
        averages = table.render(evaluated, times)
        tables.write(look.round_averages(averages), frame.sort_values(ORDER))

    frame = _with_components(with_labels(frame, **design), components, lower_is_better, verbose)
    added = added_by_system(frame)
    if not dataframe:
        means = dict(zip(names, table.means(evaluated, times), strict=True))
        return _dictionaries(evaluated, means, added, perquery)
    frame = look.round_rows(frame.sort_values(ORDER))
    shown_averages = look.style_best(pd.concat([look.round_averages(averages), added], axis=1), averages)
    if perquery == "both":
        return EvaluationDataTuple(shown_averages, frame)
    return frame if perquery else shown_averages


ORDER = ["name", "qid"]  # PyTerrier's, of rows
DEFAULTS = inspect.signature(Experiment).parameters
# to the host, where they are not at their defaults: an older PyTerrier may not know all of them
PASSED_ON = (
    "batch_size filter_by_qrels filter_by_topics verbose validate save_dir save_mode save_format precompute_prefix plan"
).split()


def _long_frame(evaluated: Evaluated, names: Sequence[str]) -> pd.DataFrame:
    rows = [
        (names[system], qid, measure, score)
        for system, by_topic in evaluated.items()
        for qid, by_measure in by_topic.items()
        for measure, score in by_measure.items()
    ]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    unjudged = _topics_without_scores(frame)
    if unjudged:
        warn(
            # PyTerrier's words, which those who filter them know; the topics are those with nan in per-query scores
            f"{len(unjudged)} topic(s) not found in qrels. Scores for these topics are given as NaN and should not "
            "contribute to averages.",
            UnjudgedTopicsWarning,
        )
    return frame


def _topics_without_scores(frame: pd.DataFrame) -> list[str]:
    scores = frame.groupby("qid", sort=False)["value"].count()
    return list(scores.index[scores == 0])


def _with_components(
    frame: pd.DataFrame, components: Sequence[Component], lower_is_better: Collection[Any], verbose: bool | str
) -> pd.DataFrame:
    undefined = _find_partly_undefined(frame)
    if not components:
        return frame
    ranking = frame[~frame["measure"].isin(undefined)]
    there = set(map(canonical_name, ranking["measure"].unique()))
    lower = [measure for measure in lower_is_better if canonical_name(measure) in there]
    rounded = rounded_by_evaluator(ranking["measure"].unique())
    try:
        scores = in_design_of(ranking, settle(ranking, lower_is_better=lower, may_be_rounded=rounded))
    except ValueError as error:  # the evaluation is done: it must not be lost
        return _leave_out(frame, components, error)
    # the bar comes up only where there is something to wait for, and somebody to see it
    disable = None if verbose == "auto" else verbose is False
    for component in pt.tqdm(components, desc="ptr.Experiment", unit="statistic", delay=1, disable=disable):
        try:
            frame = component.with_columns(frame, scores)
        except ValueError as error:
            frame = _leave_out(frame, [component], error)
    return frame


def _leave_out(frame: pd.DataFrame, components: Sequence[Component], error: ValueError) -> pd.DataFrame:
    named = ", ".join(map(repr, components))
    warn(f"{named} is left out: {error}", UnreliableResultWarning)
    columns = [column for component in components for column in component.columns]
    return frame.assign(**dict.fromkeys(columns, float("nan")))


def _find_partly_undefined(frame: pd.DataFrame) -> list[str]:
    """Measures that are nan for some system on a topic with judgments: their ranking is undefined."""
    judged = frame[~frame["qid"].isin(_topics_without_scores(frame))]
    undefined = list(judged.loc[judged["value"].isna(), "measure"].unique())
    if undefined:
        warn(
            f"Measures without a score on some topics: {listing(undefined)}. They are averaged over the other topics, "
            "and there are no statistics of their rankings.",
            UnreliableResultWarning,
        )
    return undefined


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
