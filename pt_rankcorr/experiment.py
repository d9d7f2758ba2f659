"""`Experiment`: `pt.Experiment`, and then components that read its per-query scores."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import Measure

from pt_rankcorr.choices import IRDS
from pt_rankcorr.components import Component
from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.experiment_tables import added_by_system, added_columns, averages
from pt_rankcorr.io import align, datasets, measure_names, trec
from pt_rankcorr.io.align import Cube
from pt_rankcorr.io.experiments import Together, check_results, cube_of, saved_runs
from pt_rankcorr.io.irds import topics_of
from pt_rankcorr.io.paths import MeasureLike, check_columns
from pt_rankcorr.io.runs import rounded_by_evaluator
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.core import arguments
from pt_rankcorr.stats.core.arguments import as_text, listing, spelling_hint
from pt_rankcorr.stats.core.design import labels_of_topics
from pt_rankcorr.stats.core.parsing import as_pandas
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import P_SAME, shown
from pt_rankcorr.warnings import (
    NothingRetrievedWarning,
    UnjudgedTopicsWarning,
    UnreliableResultWarning,
    warn,
)

Test: TypeAlias = Literal["t", "wilcoxon"] | Callable[[Any, Any], Any]
Baseline: TypeAlias = int | str | Sequence[int | str] | None


def Experiment(
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: pd.DataFrame | str,
    qrels: pd.DataFrame | str,
    eval_metrics: Sequence[MeasureLike],
    names: Sequence[str] | None = None,
    perquery: bool | Literal["both"] = False,
    dataframe: bool = True,
    *,
    baseline: Baseline = None,
    test: Test = "t",
    correction: str | None = None,
    correction_alpha: float = ALPHA,
    highlight: Literal["bold", "color", "colour"] | None = None,
    round: int | Mapping[str, int] | None = None,
    meta: Sequence[Component] | pt.Transformer = (),
    reference: MeasureLike | None = None,
    lower_is_better: Collection[MeasureLike] = (),
    rng: RandomState = None,
    missing: Literal["zero"] | None = None,
    batch_size: int | None = None,
    filter_by_qrels: bool = False,
    filter_by_topics: bool = True,
    verbose: bool | Literal["auto"] = "auto",
    validate: Literal["warn", "error", "ignore"] = "warn",
    save_dir: str | None = None,
    save_mode: Literal["reuse", "overwrite", "error", "warn"] = "warn",
    save_format: Any = "trec",
    precompute_prefix: bool = False,
    plan: Literal["linear", "tree"] = "linear",
    **host: Any,
) -> pd.DataFrame | Any:  # by its arguments a Styler, dictionaries, or a tuple instead
    """`pt.Experiment`, with columns about how its measures rank the systems.

    PyTerrier runs the systems, once. Each measure is evaluated by ir_measures on the topics that
    have judgments. Every table shows the averages of these scores, by the name of the measure, with
    and without `meta`: the mean over topics, over strata the mean of their means, and for counts
    such as NumRelRet the sum. Measures stand in their given order. For what else differs from
    `pt.Experiment`, see the page on that.

    Args:
        retr_systems, dataframe: As for `pt.Experiment`.
        topics, qrels: As for `pt.Experiment`; or "irds:" and the id of a dataset of ir-datasets,
            which is downloaded as by `pt.get_dataset`. Judgments may be all that `scores_from_runs`
            takes. Topics without them are not run. Columns "cluster" and "stratum" of `topics` say
            which topics depend on each other (see `ScoreMatrix.with_design`): components and the
            test against the baseline use both, averages use strata, and per-query frames have these
            columns, too.
        eval_metrics: Measures, as objects or by name in the notation of ir_measures or trec_eval.
        names: Names of the systems, distinct with `meta`. By default each system's text form.
        perquery: False for averages, True for scores by topic, "both" for a tuple of the two.
        baseline: The system, by position (or by name, with `names` or a mapping of systems), that
            the others are tested against. With a list, such as `[0, 3]`, each of these: the columns
            end in its name: "AP p-value (bm25)".
        test: "t", "wilcoxon", or a function: two arrays of scores -> (statistic, p-value).
        correction: A method of statsmodels' `multipletests`, for all tests of one measure together.
        correction_alpha: The level of significance of corrected p-values.
        highlight: "bold", "color" or "colour": the best of each column, in a Styler.
        round: Decimals of the scores of a measure and of its statistics, but for p-values: one
            number, or measure -> number. Components see unrounded scores.
        meta: Components, such as `[TauAP(), DRank()]` or `TauAP() >> DRank()`; they add columns.
        reference: The measure that components compare the others with, unless they name their own;
            by default the first of `eval_metrics` that ranks systems.
        lower_is_better: Measures that are better when lower.
        rng: Seed or generator for components that resample, unless they have their own.
        missing: "zero" keeps a system without results on any judged topic, which scores 0. By
            default it is refused.
        batch_size, filter_by_qrels, filter_by_topics, verbose, validate: As for `pt.Experiment`.
        save_dir, save_mode, save_format, precompute_prefix, plan: As for `pt.Experiment`.
        host: Arguments that later versions of `pt.Experiment` may have.

    Returns:
        What `pt.Experiment` returns for the same arguments, with the columns "{measure} {column}"
        in averages, and "{column}" in per-query frames, which `by_measure` and `by_system` turn
        into tables.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If one is out of its range, names repeat, `meta` has nothing to compare or "mrt"
            beside it, before any system is run; or if a system has results on no judged topic.
        KeyError: If a measure is unknown, as in PyTerrier; it is a ValueError or a TypeError, too.

    Warns:
        MissingTopicsWarning: If a system lacks topics that others have, or a saved run lacks any.
        NothingRetrievedWarning: If all scores by a measure are 0, or all of a system.
        RepeatedJudgmentsWarning: If a document has several labels on a topic: the highest counts.
        UnjudgedTopicsWarning: If topics have no judgments.
        UnreliableResultWarning: If a system has far fewer documents a topic than most, and measures
            look deeper; if a measure has no score on some topics, which its averages leave out; or
            if a component cannot be computed, whose columns are nan.
    """
    # read
    given: Any = retr_systems
    if isinstance(retr_systems, Mapping):
        names, given = list(retr_systems), list(retr_systems.values())
    systems = [_system(system) for system in arguments.list_of("retr_systems", given, "systems")]
    topics = _topics(topics)
    judgments = _judgments(qrels)
    columns, is_timed = _columns(eval_metrics)
    measures = [*columns]

    # check
    are_named = names is not None
    labels = systems if names is None else arguments.list_of_names(names, "names")
    names = [str(label) for label in labels]
    if len(names) != len(systems):
        raise ValueError(f"`names` must name all {len(systems)} systems, got {len(names)} names.")
    several = isinstance(baseline, (list, tuple))
    baselines = _baselines(baseline, names, are_named=are_named)
    if perquery not in (False, True, "both"):
        raise ValueError(f"`perquery` must be False, True or 'both', got {perquery!r}.")
    design = _labels_by_topic(topics)
    has_statistics = bool(meta or several or len(lower_is_better) or design)
    if perquery:  # beside which PyTerrier gives none of these
        has_statistics |= bool(baselines or highlight is not None or isinstance(round, Mapping))
    if has_statistics:
        arguments.check_distinct(names, "names")
        if is_timed:
            what = "'mrt' beside `meta` or baselines with per-query scores"
            why = "for which PyTerrier gives no times"
            remedy = "Take these from a pt.Experiment of their own."
            raise ValueError(f"`eval_metrics` must not hold {what}, {why}. {remedy}")
        if not dataframe and perquery:
            rule = "`dataframe` must be True for per-query scores with statistics"
            raise ValueError(f"{rule}, got False.")
    lower = measure_names.lower_measures(lower_is_better, measures)
    components = _bound_components(meta or (), measures, len(systems), reference, rng)
    decimals = _decimals(round, measures)
    if highlight is not None:
        arguments.one_of("highlight", highlight, ("bold", "color", "colour"))
    if missing is not None:
        arguments.one_of("missing", missing, ("zero",))
    if correction is not None:
        if not baselines:
            rule = "`baseline` must be given for a `correction` for multiple testing"
            raise ValueError(f"{rule}, got None.")
        # an unknown method is refused before any system runs
        _correct({(0, 1): 0.5}, correction, correction_alpha)
    if baselines and not callable(test):
        arguments.one_of("test", test, ("t", "wilcoxon"))
        if test == "wilcoxon" and design:
            rule = "`test` must be 't' or a function for topics in clusters or strata"
            raise ValueError(f"{rule}, got 'wilcoxon'.")
    is_judged = topics["qid"].isin(judgments["qid"])
    if not is_judged.all():
        unjudged, judged = topics.loc[~is_judged, "qid"], judgments["qid"].unique()
        hint = spelling_hint(unjudged, judged)
        if not is_judged.any():
            seen = f"only {listing(unjudged)} where the qrels have {listing(judged)}"
            raise ValueError(f"`topics` must have judgments, got {seen}.{hint}")
        seen = f"{len(unjudged)} topic(s) not found in qrels"
        warn(f"{seen}. They are left out: {listing(unjudged)}.{hint}", UnjudgedTopicsWarning)
        topics = topics[is_judged]

    # run
    host |= {"batch_size": batch_size, "verbose": verbose, "validate": validate, "plan": plan}
    host |= {"filter_by_qrels": filter_by_qrels, "filter_by_topics": filter_by_topics}
    host |= {"save_dir": save_dir, "save_mode": save_mode, "save_format": save_format}
    host |= {"precompute_prefix": precompute_prefix}
    saved = saved_runs(names, save_dir) if save_mode == "reuse" else ()
    together = Together(columns)
    if is_timed and not perquery:  # of which PyTerrier gives averages only
        host |= {"baseline": next(iter(baselines), None), "highlight": highlight, "round": round}
        host |= {"correction": correction, "correction_alpha": correction_alpha}
        host |= {"test": lambda x, y: (np.nan, _pvalue(test, x, y))}
        metrics = [together, "mrt"]
        table = pt.Experiment(systems, topics, judgments, metrics, names, False, dataframe, **host)
        if plan == "linear" and batch_size is None:  # then one run was evaluated after the other
            check_results(names, together.calls, together.topics, columns, saved, missing)
        return table
    evaluation = pt.Experiment(systems, topics, judgments, [together], names, True, False, **host)
    cube, documents = cube_of(evaluation, measures, names)
    check_results(names, documents, cube.topics, columns, saved, missing)

    # compute
    _warn_of_scores(cube)
    strata = [design["strata"][qid] for qid in cube.topics] if "strata" in design else None
    scores_of = zip(measures, cube.values, strict=True)  # scores: topics x systems
    means = {measure: averages(measure, scores, strata) for measure, scores in scores_of}
    table = pd.DataFrame({"name": names, **means}).round(decimals)
    if baselines:
        compared = _against_baselines(cube, baselines, test, design, correction, correction_alpha)
        table = pd.concat([table, compared], axis=1)
    scored = _with_components(_in_long_form(cube, design), components, lower)

    # return
    rounded = ["value"]
    rounded += [c for c in added_columns(scored) if "p-value" not in c and P_SAME not in c]
    for measure, n in decimals.items():
        is_measure = scored["measure"] == measure
        scored.loc[is_measure, rounded] = scored.loc[is_measure, rounded].round(n)
    if components:
        table = pd.concat([table, added_by_system(scored, names)], axis=1)
    if not dataframe:
        by_system = dict(zip(names, table.drop(columns="name").to_dict("records"), strict=True))
        if perquery == "both":
            return by_system, evaluation
        return evaluation if perquery else by_system
    shown_table = table if highlight is None else _highlighted(table, measures, lower, highlight)
    if perquery == "both":
        return AveragesAndScores(shown_table, scored)
    return scored if perquery else shown_table


class AveragesAndScores(NamedTuple):
    """What an experiment returns with `perquery="both"`."""

    averages: Any  # a data frame, or a Styler of one
    perquery: Any  # a data frame

    def _repr_html_(self) -> str:
        return f"{self.averages._repr_html_()}{self.perquery._repr_html_()}"


# --- arguments ------------------------------------------------------------------------------------


def _system(system: Any) -> Any:
    """A pipeline as it is; a copy of results, as PyTerrier changes types in the frame it gets."""
    if isinstance(system, pt.Transformer):
        return system
    results = as_pandas(system, "retr_systems")
    if isinstance(results, pd.DataFrame):
        columns = {"qid", "docno", "score", "rank"} & {*results.columns}
        check_columns(results, columns, "retr_systems", "")
        return results.copy(deep=False)
    return results


def _topics(topics: Any) -> pd.DataFrame:
    """The topics of a frame, a file or a dataset, with text as qid."""
    if isinstance(topics, str) and topics.startswith(IRDS):
        topics = topics_of(topics, download=True)
    elif isinstance(topics, str) and os.path.isfile(topics):
        topics = pt.io.read_topics(topics)
    frame = as_pandas(topics, "topics")
    if not isinstance(frame, pd.DataFrame):
        rule = "`topics` must be a data frame, a file or 'irds:' and an id"
        raise TypeError(f"{rule}, got {shown(topics)}.")
    if "qid" not in frame:
        raise ValueError(f"`topics` must have the columns qid, got {listing(frame.columns)}.")
    check_columns(frame, ["qid"], "topics", "qid")
    return frame.assign(qid=[as_text(qid, "topics") for qid in frame["qid"].tolist()])


def _judgments(qrels: Any) -> pd.DataFrame:
    """Judgments in PyTerrier's columns; a frame's others stay, for measures that use them."""
    qrels = qrels if isinstance(qrels, (str, list, tuple, Mapping)) else as_pandas(qrels, "qrels")
    rows = trec.read_qrels(qrels, download=True, repeated=True)
    judgments = trec.one_label_each(rows, qrels, "qrels")
    if isinstance(qrels, pd.DataFrame):
        others = [column for column in qrels if column not in trec.KNOWN_COLUMNS]
        judgments = rows.join(qrels[others].reset_index(drop=True)) if others else judgments
    return judgments.rename(columns={name: host for host, name in trec.HOST_NAMES.items()})


def _baselines(baseline: Baseline, names: list[str], *, are_named: bool) -> dict[int, str]:
    """The position of each baseline -> what its columns end in: "", or of several " (name)"."""
    several = isinstance(baseline, (list, tuple))
    systems: Any = baseline if several else [] if baseline is None else [baseline]
    positions: dict[int, str] = {}
    for system in systems:
        is_whole = isinstance(system, (int, np.integer)) and not isinstance(system, bool)
        if are_named and isinstance(system, str) and system in names:
            position = names.index(system)
        elif is_whole and 0 <= system < len(names):
            position = int(system)
        else:
            rule = "the position of a system"
            if are_named:
                rule = f"among {listing(names)}, or the position of one"
            error = TypeError if isinstance(system, str) and not are_named else ValueError
            raise error(f"`baseline` must be {rule} of {len(names)}, got {shown(system)}.")
        positions[position] = f" ({names[position]})" if several else ""
    if several and (not systems or len(positions) < len(systems)):
        raise ValueError(f"`baseline` must be distinct systems, got {shown(baseline)}.")
    return positions


def _columns(eval_metrics: Any) -> tuple[dict[str, Measure], bool]:
    """The columns that PyTerrier makes, by name, and whether it is asked for times, "mrt".

    Names of trec_eval stay, but for a family such as "official", which has several columns. Several
    names of one measure have one column.
    """
    if isinstance(eval_metrics, (str, Measure)):
        seen = f"the single measure {eval_metrics}"
        raise TypeError(f"`eval_metrics` must be a list of measures, got {seen}.")
    metrics = arguments.list_of("eval_metrics", eval_metrics, "measures")
    columns: dict[str, tuple[str, Measure]] = {}  # measure as text -> name of its column, measure
    for metric in metrics:
        members: list[Measure] = []
        if isinstance(metric, str):
            with suppress(ValueError):  # which is no name of trec_eval
                members = list(ir_measures.parse_trec_measure(metric))
        is_name = len(members) == 1
        if not members and str(metric) != "mrt":
            members = [measure_names.resolve_measure(metric, "eval_metrics")]
            if not measure_names.has_valid_parameters(members[0]):
                rule = "`eval_metrics` must have valid parameters, as the cut-off of P@10"
                raise ValueError(f"{rule}, got {shown(str(members[0]))}.")
        for member in members:
            key = str(member)
            if key in columns and type(columns[key][1]) is not type(member):
                rule = "`eval_metrics` must be measures of different names"
                remedy = "give your own another `name=`."
                raise ValueError(f"{rule}, got two named {shown(key)}: {remedy}")
            if is_name or key not in columns:
                columns[key] = metric if is_name else key, member
    pipeline = ir_measures.DefaultPipeline
    lacking = [member for _, member in columns.values() if not pipeline.supports(member)]
    if lacking:  # PyTerrier finds out too late
        remedy = ""
        for provider in pipeline.providers:
            if any(map(provider.supports, lacking)):
                remedy += f" {provider.NAME} computes it: {provider.install_instructions()}."
        rule = "`eval_metrics` must be computed by a provider of ir_measures that is installed"
        raise ValueError(f"{rule}, got {listing(map(str, lacking))}.{remedy}")
    if not columns:
        raise ValueError("`eval_metrics` must hold at least one measure, got none.")
    names = [name for name, _ in columns.values()]
    arguments.check_distinct(names, "eval_metrics", "be of different names")
    return dict(columns.values()), "mrt" in metrics


def _decimals(decimals: int | Mapping[str, int] | None, measures: Sequence[str]) -> dict[str, int]:
    """Measure -> decimals, of those that are rounded."""
    rounding = decimals if isinstance(decimals, Mapping) else dict.fromkeys(measures, decimals)
    places = {}
    for name, n in rounding.items():
        if n is not None:
            measure = measure_names.find_measure(name, measures, "round")
            places[measure] = arguments.whole_number("round", n, at_least=0)
    return places


def _labels_by_topic(topics: pd.DataFrame) -> dict[str, dict[str, str]]:
    """clusters, strata -> topic -> label, where topics have columns of these."""
    design = {}
    for column, name in datasets.LABELS.items():
        if column in topics:
            labels = labels_of_topics(topics[column].tolist(), topics["qid"].tolist(), name)
            design[name] = dict(zip(topics["qid"], labels or (), strict=True))
    return design


def _bound_components(
    meta: Any, measures: Sequence[str], n_systems: int, reference: Any, rng: RandomState
) -> list[Component]:
    """The components, checked, with the experiment's reference and generator if they have none."""
    if isinstance(meta, Component):
        meta = [meta]
    elif isinstance(meta, pt.Transformer):  # TauAP() >> KendallTau()
        meta = pt.inspect.subtransformers(meta).get("transformers", [meta])
    is_list = isinstance(meta, (list, tuple))
    if not is_list or not all(isinstance(component, Component) for component in meta):
        raise TypeError(f"`meta` must be a list of components such as TauAP(), got {shown(meta)}.")
    generator(rng)  # only for its error
    ranking = [measure for measure in measures if not measure_names.is_count(measure)]
    if reference is not None:
        reference = measure_names.find_measure(reference, ranking, "reference")
    default = reference or next(iter(ranking), None)
    components = [component.bind(reference=default, rng=rng) for component in meta]
    for component in components:
        component.check(measures, n_systems)
    columns = [column for component in components for column in component.columns]
    arguments.check_distinct(columns, "meta", "add columns of distinct names")
    return components


# --- statistics -----------------------------------------------------------------------------------


def _warn_of_scores(cube: Cube) -> None:
    """Names measures without a score on some topics, and measures and systems that are always 0."""
    measures, systems = np.array(cube.measures, object), np.array(cube.systems, object)
    is_undefined = np.isnan(cube.values).any(axis=(1, 2))  # (n_measures,)
    if is_undefined.any():
        what = f"Measures without a score on some topics: {listing(measures[is_undefined])}"
        effect = "Averages leave these topics out, and their rankings have no statistics."
        warn(f"{what}. {effect}", UnreliableResultWarning)
    ranks = np.array([not measure_names.is_count(measure) for measure in cube.measures])
    is_above = (cube.values[ranks] != 0).any(axis=1)  # (n_ranking, n_systems): is a score not 0?
    empty, where = measures[ranks][~is_above.any(axis=1)], "for every system"
    if ranks.any() and not len(empty):
        empty, where = systems[~is_above.any(axis=0)], "by every measure"
    if len(empty):
        question = "are results and qrels of the same collection?"
        warn(f"{listing(empty)} is 0 {where} on every topic: {question}", NothingRetrievedWarning)


def _in_long_form(cube: Cube, design: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """The scores in PyTerrier's form, by name, qid and measure, with the labels of topics."""
    places = pd.MultiIndex.from_product([range(len(cube.systems)), cube.topics, cube.measures])
    frame = places.to_frame(index=False, name=["name", "qid", "measure"])
    frame["name"] = frame["name"].map(dict(enumerate(cube.systems)))  # which may repeat
    # from measures x topics x systems to the order of `places`
    frame["value"] = cube.values.transpose(2, 1, 0).ravel()
    for column, name in datasets.LABELS.items():
        if name in design:
            frame[column] = frame["qid"].map(design[name])
    return frame.sort_values(["name", "qid"])


def _pvalue(test: Test, x: Floats, y: Floats) -> float:
    """The p-value of a test of two systems; 1 for equal scores, for which tests divide 0 by 0."""
    from scipy import stats

    known = {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}
    function: Any = test if callable(test) else known[test]
    return 1.0 if np.array_equal(x, y) else float(function(x, y)[1])


def _against_baselines(
    cube: Cube,
    baselines: Mapping[int, str],  # position of a baseline -> what its columns end in
    test: Test,
    design: Mapping[str, Mapping[str, str]],  # clusters, strata -> topic -> label
    correction: str | None,
    alpha: float,
) -> pd.DataFrame:
    """PyTerrier's columns, a row a system: how many topics gain and lose, and p-values."""
    names, columns = cube.systems, dict[str, Any]()
    for measure, by_topic in zip(cube.measures, cube.values, strict=True):
        is_defined = ~np.isnan(by_topic).any(axis=1)  # of topics, from scores of topics x systems
        scores = tested = by_topic[is_defined]
        if design:  # then a row for each independent cluster is tested
            qids = np.array(cube.topics, dtype=object)[is_defined].tolist()
            tested = ScoreMatrix(scores, qids, names).with_design(**design).sample
        pvalues = {
            (baseline, system): _pvalue(test, tested[:, system], tested[:, baseline])
            for baseline, system in product(baselines, range(len(names)))
            if baseline != system
        }
        corrected = {} if correction is None else _correct(pvalues, correction, alpha)
        for baseline, ending in baselines.items():
            is_other = np.arange(len(names)) != baseline
            difference = scores - scores[:, [baseline]]
            pairs = [(baseline, system) for system in range(len(names))]
            values = {
                "+": np.where(is_other, (difference > 0).sum(axis=0), np.nan),
                "-": np.where(is_other, (difference < 0).sum(axis=0), np.nan),
                "p-value": [pvalues.get(pair, np.nan) for pair in pairs],
            }
            if correction is not None:
                outcomes = [corrected.get(pair, (False, np.nan)) for pair in pairs]
                values["reject"] = [rejected for rejected, _ in outcomes]
                values["p-value corrected"] = [p for _, p in outcomes]
            columns |= {f"{measure} {name}{ending}": column for name, column in values.items()}
    return pd.DataFrame(columns)


def _correct(
    pvalues: Mapping[tuple[int, int], float], method: str, alpha: float
) -> dict[tuple[int, int], tuple[bool, float]]:
    """(baseline, system) -> rejected, corrected p-value.

    Two baselines that are compared with each other are one hypothesis, with one p-value.
    """
    from statsmodels.stats.multitest import multipletests

    hypotheses = {pair: (frozenset(pair), p) for pair, p in pvalues.items() if not np.isnan(p)}
    family = list(dict.fromkeys(hypotheses.values()))  # each hypothesis once
    if not family:
        return {}
    try:
        rejected, corrected, *_ = multipletests([p for _, p in family], alpha=alpha, method=method)
    except (ValueError, KeyError, TypeError) as error:
        rule = "`correction` must be a method of statsmodels' multipletests"
        raise ValueError(f"{rule}, got {shown(method)} ({error}).") from None
    verdicts = zip(rejected.tolist(), corrected.tolist(), strict=True)
    outcomes = dict(zip(family, verdicts, strict=True))
    return {pair: outcomes[hypothesis] for pair, hypothesis in hypotheses.items()}


def _with_components(
    scored: pd.DataFrame, components: Sequence[Component], lower: Collection[str]
) -> pd.DataFrame:
    """The frame with the columns of the components; those of one that fails are nan.

    Measures without a score on some topics have no statistics. `lower` are better when lower.
    """
    if not components:
        return scored
    undefined = scored.loc[scored["value"].isna(), "measure"].unique()
    ranking = scored[~scored["measure"].isin(undefined)]
    rounded = rounded_by_evaluator(ranking["measure"].unique())
    lower = [m for m in ranking["measure"].unique() if m in lower]
    scores = None
    for component in components:
        try:
            if scores is None:
                cube = align.cube_of(ranking, lower_is_better=lower)
                scores = datasets.in_design_of(ranking, align.align(cube, may_be_rounded=rounded))
            scored = component.with_columns(scored, scores)
        except ValueError as error:
            warn(f"{component!r} is left out: {error}", UnreliableResultWarning)
            scored = scored.assign(**dict.fromkeys(component.columns, float("nan")))
    return scored


def _highlighted(
    table: pd.DataFrame, measures: Sequence[str], lower: Collection[str], highlight: str
) -> Any:
    """A Styler that marks the best of PyTerrier's columns.

    These are the measures, of which those in `lower` are better when lower, and how many topics
    gain, "+", or lose, "-", on a baseline.
    """
    style = "font-weight: bold" if highlight == "bold" else "background-color: lightgreen"
    gains = [column for column in table.columns if column.split(" (")[0].endswith(" +")]
    losses = [column for column in table.columns if column.split(" (")[0].endswith(" -")]
    greatest: list[Any] = [measure for measure in measures if measure not in lower] + gains
    styled = table.style.highlight_max(subset=greatest, props=style)
    styled = styled.highlight_min(subset=[*lower, *losses], props=style)
    is_rank = re.compile(r" rank( low| high| tier)?$")
    whole = [*gains, *losses, *filter(is_rank.search, table.columns)]
    styled = styled.format("{:.15g}", subset=pd.Index(whole)).format(escape="html", subset=["name"])
    return styled.format_index(escape="html", axis=1)
