"""`Experiment`: `pt.Experiment`, and then components that read its per-query scores."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import product
from typing import Any, Literal, TypeAlias, cast

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from pt_rankcorr.components import frames
from pt_rankcorr.components.base import Component
from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.io import experiment as reader
from pt_rankcorr.io import measure_names
from pt_rankcorr.io.align import align
from pt_rankcorr.io.paths import LabelsLike, MeasureLike
from pt_rankcorr.io.runs import are_gains_mixed_up, raise_low_labels, rounded_by_evaluator
from pt_rankcorr.io.trec import check_labels
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.core.arguments import list_of, listing, one_of
from pt_rankcorr.stats.core.names import check_distinct, labels_of_topics
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.text import in_a_sentence, shown
from pt_rankcorr.warnings import (
    MissingTopicsWarning,
    NothingRetrievedWarning,
    UnjudgedTopicsWarning,
    UnreliableResultWarning,
    warn,
)

Test: TypeAlias = Literal["t", "wilcoxon"] | Callable[[Any, Any], Any]
Baseline: TypeAlias = int | str | Sequence[int | str] | None
RETRIEVED = ir_measures.NumRet


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
    clusters: LabelsLike = None,
    strata: LabelsLike = None,
    **host: Any,
) -> pd.DataFrame | Any:  # by its arguments a Styler, dictionaries, or a tuple instead
    """`pt.Experiment`, with columns about how its measures rank the systems.

    PyTerrier runs and evaluates the systems, once. Components compute their columns from its unrounded per-query
    scores. Without any of the arguments that PyTerrier lacks, this is `pt.Experiment` itself.

    Args:
        retr_systems, topics, qrels, dataframe: As for `pt.Experiment`.
        eval_metrics: Measures, as objects or by name in the notation of ir_measures or trec_eval.
        names: Names of the systems, distinct with `meta`. By default each system's text form.
        perquery: False for averages, True for one row per system, topic and measure, "both" for a tuple of the two.
        baseline: The system, by position (or by name, if the systems are given by name), that the others are tested
            against. With a list, such as `[0, 3]`, each of these: the columns end in its name: "AP p-value (bm25)".
        test: "t", "wilcoxon", or a function of two arrays of scores whose result has the p-value as element 1.
        correction: A method of `statsmodels.stats.multitest.multipletests`, for all tests of one measure together.
        correction_alpha: The level of significance of corrected p-values.
        highlight: "bold", "color" or "colour": the best of each column, in a Styler.
        round: Decimals of the scores shown: one number, or measure -> number. Components see unrounded scores.
        meta: Components, such as `[TauAP(), DRank()]` or `TauAP() >> DRank()`; their columns follow those of
            `pt.Experiment`.
        reference: The measure that components compare the others with, unless they name their own; by default the
            first of `eval_metrics` that ranks systems.
        lower_is_better: Measures that are better when lower.
        rng: Seed or generator for components that resample, unless they have their own.
        clusters, strata: Which topics depend on each other, and which collections they belong to: the name of a column
            of `topics`, or as for `ScoreMatrix.with_design`. Components and the test against the baseline use both,
            averages use strata, and per-query frames get the columns "cluster" and "stratum".
        host: All other arguments of `pt.Experiment`, by name, such as `batch_size`, `save_dir` and `plan`.

    Returns:
        What `pt.Experiment` returns for the same arguments, with the columns "{measure} {column}" in averages, and
        "{column}" in per-query frames, which `by_measure` and `by_system` turn into tables.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If one is out of its range, names repeat, or `meta` has nothing to compare, before any system is
            run; or if `"mrt"` is asked for beside `meta`, as PyTerrier gives no times with per-query scores.
        KeyError: If a measure is unknown, as in PyTerrier; it is a ValueError or a TypeError, too.

    Warns:
        MissingTopicsWarning: If a system has no results for topics that others have.
        NothingRetrievedWarning: If a measure is 0 for every system on every topic, or a system by every measure.
        UnjudgedTopicsWarning: If topics have no judgments. With `meta` they are not run.
        UnreliableResultWarning: If a component cannot be computed; its columns are nan.
    """
    by_name = isinstance(retr_systems, Mapping)
    systems: Any = dict(retr_systems) if by_name else list_of("retr_systems", retr_systems, "systems")
    if isinstance(topics, str) and os.path.isfile(topics):
        topics = pt.io.read_topics(topics)
    if isinstance(qrels, str) and os.path.isfile(qrels):
        qrels = pt.io.read_qrels(qrels)
    for name, frame, needed in (("topics", topics, ["qid"]), ("qrels", qrels, ["qid", "docno", "label"])):
        if isinstance(frame, pd.DataFrame) and not {*needed} <= {*frame.columns}:
            raise ValueError(f"`{name}` must have the columns {', '.join(needed)}, got {listing(frame.columns)}.")
    if isinstance(qrels, pd.DataFrame) and qrels["label"].dtype.kind in "iuf":
        check_labels(qrels["label"])
        qrels = raise_low_labels(qrels, "qid", "label")  # a topic with only labels below 0 ends the process
    metrics = _known_measures(eval_metrics)

    several = isinstance(baseline, (list, tuple))
    beside_scores = bool(perquery) and (baseline is not None or highlight is not None or isinstance(round, Mapping))
    if not (meta or several or beside_scores or len(lower_is_better) or clusters is not None or strata is not None):
        host |= {"baseline": baseline, "test": test, "correction": correction, "correction_alpha": correction_alpha}
        host |= {"highlight": highlight, "round": round}
        return pt.Experiment(systems, topics, qrels, metrics, names, perquery, dataframe, **host)

    # check
    if by_name:
        names, systems = list(systems), list(systems.values())
    if isinstance(names, str):
        raise TypeError(f"`names` must be a list of names, got the single name {names!r}.")
    names = [str(name) for name in (systems if names is None else names)]
    if len(names) != len(systems):
        raise ValueError(f"`names` must name all {len(systems)} systems, got {len(names)} names.")
    baselines = _positions_of_baselines(baseline, names, by_name=by_name)
    check_distinct(names, "names")
    if perquery not in (False, True, "both"):
        raise ValueError(f"`perquery` must be False, True or 'both', got {perquery!r}.")
    if "mrt" in metrics:
        raise ValueError(
            "`eval_metrics` must not hold 'mrt' beside `meta` or baselines with per-query scores: PyTerrier gives no "
            "times with these. Take the times from a pt.Experiment of their own."
        )
    measures = _names_of_columns(metrics)
    lower = measure_names.lower_measures(lower_is_better, measures)
    components = _bound_components(meta or (), measures, len(systems), reference, rng)
    design = _labels_by_topic(topics, clusters, strata)
    decimals = _decimals(round, measures)
    if highlight is not None:
        one_of("highlight", highlight, ("bold", "color", "colour"))
    if correction is not None and not baselines:
        raise ValueError("`baseline` must be given for a `correction` for multiple testing, got None.")
    if correction is not None:
        _correct({(0, 1): 0.5}, correction, correction_alpha)  # an unknown method is refused before any system runs
    if test == "wilcoxon" and design and baselines:
        raise ValueError("`test` must be 't' or a function for topics in clusters or strata, got 'wilcoxon'.")
    if baselines and not callable(test):
        one_of("test", test, ("t", "wilcoxon"))
    if not dataframe and perquery:
        raise ValueError("`dataframe` must be True for per-query scores with statistics, got False.")

    # compute
    asked = cast(pd.DataFrame, topics)
    judged = asked["qid"].isin(cast(pd.DataFrame, qrels)["qid"])
    if not judged.all():  # with the others, PyTerrier gives averages of nan beside per-query scores
        unjudged = asked.loc[~judged, "qid"]
        message = f"{len(unjudged)} topic(s) not found in qrels. They are left out: {listing(unjudged)}."
        warn(message, UnjudgedTopicsWarning)
        topics = asked[judged]
    members = [member for measure in metrics for member in _members_of(measure)]
    without_documents = all(hasattr(measure, "runtime_impl") for measure in members)
    counted = [] if without_documents or RETRIEVED in members else [RETRIEVED]
    evaluation = pt.Experiment(systems, topics, qrels, [*metrics, *counted], names, "both", **host)
    averages, scored = evaluation.averages, evaluation.perquery
    _warn_of_missing_results(scored)
    averages = averages.drop(columns=map(str, counted))
    scored = reader.with_labels(scored[~scored["measure"].isin(map(str, counted))], **design)
    if "strata" in design:
        for measure, rows in frames.of_measures(scored):
            averages[measure] = frames.average(measure, rows)[names].to_numpy()
    table = averages.round(decimals)
    if baselines:
        compared = _against_baselines(scored, names, baselines, test, design, correction, correction_alpha)
        table = pd.concat([table, compared], axis=1)
    scored = _with_components(scored, components, lower)
    added = frames.added_by_system(scored, names)

    # return
    for measure, n in decimals.items():
        is_rounded = scored["measure"] == measure
        scored["value"] = scored["value"].mask(is_rounded, scored["value"].round(n))
    plain = pd.concat([table, added], axis=1)
    if not dataframe:
        return plain.set_index("name").to_dict("index")
    shown_table = plain if highlight is None else _highlighted(plain, [*table.columns[1:]], lower, highlight)
    if perquery == "both":
        return evaluation._replace(averages=shown_table, perquery=scored)
    return scored if perquery else shown_table


# --- arguments ------------------------------------------------------------------------------------------------


def _positions_of_baselines(baseline: Baseline, names: list[str], *, by_name: bool) -> dict[int, str]:
    """The position of each baseline -> what its columns end in."""
    several = isinstance(baseline, (list, tuple))
    wanted: Any = baseline if several else [] if baseline is None else [baseline]
    positions: dict[int, str] = {}
    for system in wanted:
        if by_name and isinstance(system, str) and system in names:
            position = names.index(system)
        elif isinstance(system, (int, np.integer)) and not isinstance(system, bool) and 0 <= system < len(names):
            position = int(system)
        else:
            rule = f"among {listing(names)}, or the position of one" if by_name else "the position of a system"
            error = TypeError if isinstance(system, str) and not by_name else ValueError
            raise error(f"`baseline` must be {rule} of {len(names)}, got {shown(system)}.")
        positions[position] = f" ({names[position]})" if several else ""
    if several and (not wanted or len(positions) < len(wanted)):
        raise ValueError(f"`baseline` must be distinct systems, got {shown(baseline)}.")
    return positions


def _known_measures(eval_metrics: Sequence[Any]) -> list[Any]:
    """The measures as PyTerrier takes them: names that it knows stay, as they become the names of columns."""
    if isinstance(eval_metrics, (str, ir_measures.Measure)):
        raise TypeError(f"`eval_metrics` must be a list of measures, got the single measure {eval_metrics}.")
    metrics = []
    for measure in list_of("eval_metrics", eval_metrics, "measures"):
        if not isinstance(measure, str) or not (measure == "mrt" or _members_of(measure)):
            measure = measure_names.resolve_measure(measure, "eval_metrics")
            if not measure_names.has_valid_parameters(measure):
                raise ValueError(
                    f"`eval_metrics` must have valid parameters, as the cut-off of P@10, got {shown(str(measure))}."
                )
        metrics.append(measure)
    if are_gains_mixed_up([member for measure in metrics for member in _members_of(measure)]):
        warn(
            "nDCG with several gains in one experiment: ir_measures may give one the gains of another, and 0 to that. "
            "Take an experiment for each, or `scores_from_runs`.",
            UnreliableResultWarning,
        )
    return metrics


def _members_of(measure: Any) -> list[ir_measures.Measure]:
    """A measure, that of a name of trec_eval, or those of a family such as "official"; none of an unknown name."""
    if not isinstance(measure, str):
        return [measure]
    try:
        return list(ir_measures.parse_trec_measure(measure))
    except ValueError:
        return []


def _names_of_columns(metrics: Sequence[Any]) -> list[str]:
    """The names of the columns that PyTerrier makes: a family such as "official" has several, aliases have one."""
    names: dict[str, str] = {}
    for measure in metrics:
        members = _members_of(measure)
        for member in members:
            is_name = isinstance(measure, str) and len(members) == 1
            if is_name or str(member) not in names:
                names[str(member)] = str(measure if is_name else member)
    return list(names.values())


def _decimals(decimals: int | Mapping[str, int] | None, measures: Sequence[str]) -> dict[str, int]:
    """Measure -> decimals, of those that are rounded."""
    if not isinstance(decimals, Mapping):
        decimals = {} if decimals is None else dict.fromkeys(measures, decimals)
    by_name = {measure_names.find_measure(name, measures, "round"): n for name, n in decimals.items() if n is not None}
    for n in by_name.values():
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise ValueError(f"`round` must be an integer of at least 0, got {shown(n)}.")
    return by_name


def _labels_by_topic(topics: Any, clusters: LabelsLike, strata: LabelsLike) -> dict[str, dict[str, str]]:
    """clusters, strata -> topic -> label: of a column of the topics, or of what `labels_of_topics` takes."""
    design = {}
    for name, labels in (("clusters", clusters), ("strata", strata)):
        if labels is not None:
            qids = topics["qid"].astype(str).tolist()
            is_column = isinstance(labels, str) and labels in topics.columns
            of_topics = topics[labels].tolist() if is_column else labels
            design[name] = dict(zip(qids, labels_of_topics(of_topics, qids, name) or (), strict=True))
    return design


def _bound_components(
    meta: Any, measures: Sequence[str], n_systems: int, reference: Any, rng: RandomState
) -> list[Component]:
    """The components, with the experiment's reference and generator where they have none of their own."""
    if isinstance(meta, pt.Transformer) and not isinstance(meta, Component):  # TauAP() >> KendallTau()
        meta = pt.inspect.subtransformers(meta).get("transformers", [meta])
    components = [meta] if isinstance(meta, Component) else meta
    if not isinstance(components, (list, tuple)) or not all(
        isinstance(component, Component) for component in components
    ):
        raise TypeError(f"`meta` must be a list of components such as TauAP(), got {shown(meta)}.")
    generator(rng)
    ranking = [measure for measure in measures if not measure_names.is_count(measure)]
    if reference is not None:
        reference = measure_names.find_measure(reference, ranking, "reference")
    default = reference or next(iter(ranking), None)
    components = [component.bind(reference=default, rng=rng) for component in components]
    for component in components:
        component.check(measures, n_systems)
    columns = Counter(column for component in components for column in component.columns)
    if repeated := {column for column, times in columns.items() if times > 1}:
        raise ValueError(f"`meta` must add columns of distinct names, got {listing(repeated)} more than once.")
    return components


# --- statistics -----------------------------------------------------------------------------------------------


def _warn_of_missing_results(scored: pd.DataFrame) -> None:
    """Names systems without results for topics that others have, and what is 0 everywhere."""
    counted = scored["measure"].map(measure_names.canonical_name) == str(RETRIEVED)
    documents = scored[counted].pivot(index="qid", columns="name", values="value").fillna(0)
    documents = documents[(documents > 0).any(axis=1)]
    lacking = (documents == 0).sum()
    if lacking.any():
        systems = [f"{shown(name)} ({n} topics)" for name, n in lacking[lacking > 0].items()]
        warn(
            f"Systems without results for topics that others have, where they score 0: {in_a_sentence(systems, 5)}.",
            MissingTopicsWarning,
        )
    ranking = scored[~scored["measure"].map(measure_names.is_count)]
    zero = ranking["value"].eq(0).groupby([ranking["measure"], ranking["name"]]).all().unstack()
    empty_measures, empty_systems = zero.index[zero.all(axis=1)], zero.columns[zero.all()]
    empty = empty_measures if len(empty_measures) else empty_systems
    if len(empty):
        where = "for every system" if len(empty_measures) else "by every measure"
        warn(
            f"{listing(map(str, empty))} is 0 {where} on every topic: "
            "are the topics and the document ids of results and qrels of the same collection?",
            NothingRetrievedWarning,
        )


def _against_baselines(
    scored: pd.DataFrame,
    names: list[str],
    baselines: Mapping[int, str],
    test: Test,
    design: Mapping[str, Mapping[str, str]],
    correction: str | None,
    alpha: float,
) -> pd.DataFrame:
    """PyTerrier's columns of how many topics gain and lose, and whether that is significant, for each baseline."""
    from scipy import stats

    function: Any = test if callable(test) else {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test]
    columns: dict[str, Any] = {}
    for measure, rows in frames.of_measures(scored):
        by_topic = rows.pivot(index="qid", columns="name", values="value").dropna()[names]
        scores = by_topic.to_numpy()
        tested = ScoreMatrix(by_topic).with_design(**design).rows if design else scores
        pvalues: dict[tuple[int, int], float] = {}
        for b, s in product(baselines, range(len(names))):
            if b != s:  # tests divide 0 by 0 where both are equal
                system, other = tested[:, s], tested[:, b]
                pvalues[b, s] = 1.0 if np.array_equal(system, other) else float(function(system, other)[1])
        corrected = {} if correction is None else _correct(pvalues, correction, alpha)
        for b, ending in baselines.items():
            is_other = np.arange(len(names)) != b
            difference = scores - scores[:, [b]]
            values = {
                "+": np.where(is_other, (difference > 0).sum(axis=0), np.nan),
                "-": np.where(is_other, (difference < 0).sum(axis=0), np.nan),
                "p-value": [pvalues.get((b, s), np.nan) for s in range(len(names))],
            }
            if correction is not None:
                outcomes = [corrected.get((b, s), (False, np.nan)) for s in range(len(names))]
                values["reject"] = [rejected for rejected, _ in outcomes]
                values["p-value corrected"] = [p for _, p in outcomes]
            columns |= {f"{measure} {name}{ending}": column for name, column in values.items()}
    return pd.DataFrame(columns)


def _correct(
    pvalues: Mapping[tuple[int, int], float], method: str, alpha: float
) -> dict[tuple[int, int], tuple[bool, float]]:
    """(baseline, system) -> rejected, corrected p-value; two baselines with one p-value are one hypothesis."""
    from statsmodels.stats.multitest import multipletests

    hypotheses = {pair: (frozenset(pair), p) for pair, p in pvalues.items() if not np.isnan(p)}
    family = list(dict.fromkeys(hypotheses.values()))
    if not family:
        return {}
    try:
        rejected, corrected, *_ = multipletests([p for _, p in family], alpha=alpha, method=method)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"`correction` must be a method of statsmodels' multipletests, got {shown(method)} ({error})."
        ) from None
    outcomes = dict(zip(family, zip(rejected.tolist(), corrected.tolist(), strict=True), strict=True))
    return {pair: outcomes[hypothesis] for pair, hypothesis in hypotheses.items()}


def _with_components(scored: pd.DataFrame, components: Sequence[Component], lower: Collection[str]) -> pd.DataFrame:
    """The frame with the columns of the components; the evaluation is not lost where one fails."""
    if not components:
        return scored
    undefined = scored.loc[scored["value"].isna(), "measure"].unique()
    if len(undefined):
        warn(
            f"Measures without a score on some topics: {listing(undefined)}. "
            "There are no statistics of their rankings.",
            UnreliableResultWarning,
        )
    ranking = scored[~scored["measure"].isin(undefined)]
    rounded = rounded_by_evaluator(ranking["measure"].unique())
    lower = [m for m in ranking["measure"].unique() if measure_names.canonical_name(m) in lower]
    scores = None
    for component in components:
        try:
            if scores is None:
                scores = reader.in_design_of(ranking, align(ranking, lower_is_better=lower, may_be_rounded=rounded))
            scored = component.with_columns(scored, scores)
        except ValueError as error:
            warn(f"{component!r} is left out: {error}", UnreliableResultWarning)
            scored = scored.assign(**dict.fromkeys(component.columns, float("nan")))
    return scored


def _highlighted(table: pd.DataFrame, columns: Sequence[Any], lower: Collection[str], highlight: str) -> Any:
    """A Styler that marks the best of PyTerrier's columns."""
    style = "font-weight: bold" if highlight == "bold" else "background-color: lightgreen"
    least = [c for c in columns if c.split(" (")[0].endswith(" -") or measure_names.canonical_name(c) in lower]
    greatest = [c for c in columns if c not in least and frames.AGAINST_BASELINE.fullmatch(c.partition(" ")[2]) is None]
    greatest += [c for c in columns if c.split(" (")[0].endswith(" +")]
    styled = table.style.highlight_max(subset=greatest, props=style).highlight_min(subset=least, props=style)
    return styled.format(escape="html", subset=["name"]).format_index(escape="html", axis=1)
