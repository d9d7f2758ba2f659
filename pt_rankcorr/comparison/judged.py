"""The same runs under other judgments: do the labels agree, and do the rankings of systems differ?"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.comparison.engine import Engine, shared_options
from pt_rankcorr.comparison.leaderboards import Aligned, JudgeComparison, by_collection, compare_judges
from pt_rankcorr.comparison.measures import judgments_of
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import (
    LabelsLike,
    MeasureLike,
    QrelsLike,
    RunsLike,
    by_name,
    check_all_there,
    is_path,
    named_files,
)
from pt_rankcorr.io.runs import each_run, scores_from_runs
from pt_rankcorr.io.trec import one_label_each, read_qrels
from pt_rankcorr.judgments.agreement import agreement_of
from pt_rankcorr.judgments.labels import JUDGED, hygiene_of
from pt_rankcorr.judgments.pairs import pair_accuracy_of
from pt_rankcorr.judgments.scoring import Scale, keep_readable, reference_scale, scales_of, scores_under
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.warnings import UnmatchedNamesWarning, warn

WITH_JUDGED = resolve_measures([JUDGED])  # beside the measures that are asked for
NO_TOPIC = "`others` must judge a topic that the runs have and the reference judges, got none."


@shared_options()
@by_collection("reference_qrels", "runs", "others")
def compare_judgments(
    runs: RunsLike,
    reference_qrels: QrelsLike,
    others: Mapping[str, QrelsLike] | Sequence[str | PathLike[str]],
    measures: Iterable[MeasureLike],
    *,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    download: bool = False,
    clusters: LabelsLike = None,
    strata: LabelsLike = None,
    relevance_threshold: float | Mapping[str, float] | None = None,
    reference_threshold: float | None = None,
    label_map: Mapping[Any, Any] | None = None,
    groups: Mapping[str, object] | None = None,
    verbose: bool | None = None,
    **options: Any,
) -> JudgeComparison:
    """Whether other judgments, from language models, assessors or shallow pools, rank systems differently.

    It evaluates the runs under each set, and compares the sets as `compare_leaderboards` compares judges. A row also
    says how far the labels agree, for example by Cohen's kappa. All this is on the topics that every set judges. Wrong
    labels that affect all systems alike do not change the ranking. So a ranking can be right where kappa is low, or
    wrong where kappa is high.

    Columns, and `hygiene` of the result, say what is wrong with labels (few, on another scale, nearly all alike). A
    warning names each judge whose ranking is distorted. An unusable set fails alone: the others are compared, and
    `failed` gives the reason.

    Each run is read twice. Judgments of topics that no run has are left out. With `per_topic`, rows also have the
    accuracy of pairs of documents, as `judgments.pair_accuracy` computes it.

    Args:
        runs, names, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        reference_qrels: The trusted judgments, as `scores_from_runs` takes them, or "irds:" and the id of a dataset of
            ir-datasets.
        others: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them, named after files
            without ".qrels". Labels may be fractions, such as means of several passes: nDCG takes these as gains.
            Several collections are compared where runs, judgments and others map the same collections to these.
        measures: Measures, as objects or by name.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        relevance_threshold: The lowest label of a judge that counts as relevant, in kappa_binary, precision and recall,
            and by measures that count relevant documents, in place of their `rel`: one for all, or judge or pattern ->
            its own.
        reference_threshold: The same for the reference.
        label_map: Label of a judge -> the label it stands for; or judge or pattern -> such a map.
        groups: Those of `bias`, checked before anything is computed.
        download, verbose: As for `compare`.
        **options: Those of all comparisons.

    Returns:
        A table that prints itself, like that of `compare_leaderboards`, with `judge` for the name of a set.

    Raises:
        OSError, TypeError: As `compare`.
        ValueError: As `compare` and `scores_from_runs`; if the sets share fewer than two topics, or none can be used.

    Warns:
        DistortedLabelsWarning: If labels distort how a judge ranks runs.
        FailedJudgesWarning: If some sets cannot be used.
        UnmatchedNamesWarning: If `label_map` has a label that no judge gives.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3; Moffat, Scholer,
        Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012 (active disagreements).

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0} for topic in range(14)}
        >>> good, poor = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
        >>> runs = {"good": {topic: good for topic in qrels}, "poor": {topic: poor for topic in qrels}}
        >>> contrary = {topic: {"d1": 0, "d2": 1} for topic in qrels}
        >>> row = compare_judgments(runs, qrels, {"contrary": contrary}, ["AP"], test="t", rng=1).row("contrary", "AP")
        >>> row.kappa, row.tau, row.pvalue < 0.001, row.pairs.active_disagreements
        (-1.0, -1.0, True, (('good', 'poor'),))
    """
    engine = Engine("compare_judgments", **options)
    check_all_there(runs, reference_qrels, others)
    named = _name_sources(others)
    scales = scales_of(named, relevance_threshold, label_map)
    readable, resolved = keep_readable(runs, names), resolve_measures(measures)
    aligned = _evaluate(
        readable,
        judgments_of(reference_qrels, download=download),
        named,
        resolved,
        scales,
        reference_threshold=reference_threshold,
        reading={"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose},
        design={"clusters": clusters, "strata": strata},
        pairs_level=engine.settings.level if engine.settings.per_topic else None,
    )
    pairs = {judge: [(measure, measure) for measure in aligned.reference] for judge in aligned.judges}
    return compare_judges(engine, aligned, pairs, groups=groups)


def _name_sources(others: Any) -> dict[str, Any]:
    if isinstance(others, Mapping):
        named = by_name(others, "others")
    elif is_path(others) or (isinstance(others, Sequence) and all(map(is_path, others))):
        files = named_files(others, "others")
        short = {name.removesuffix(".qrels"): path for name, path in files.items()}
        named = short if len(short) == len(files) else files
    else:
        raise TypeError(f"`others` must map names to judgments, got an object of type {type(others).__name__}.")
    if not named:
        raise ValueError("`others` must name at least one set of judgments, got none.")
    return named


def _evaluate(
    runs: Mapping[str, Any],
    reference_qrels: object,
    others: Mapping[str, object],
    measures: dict[str, Measure],
    scales: Mapping[str, Scale],
    *,
    reference_threshold: float | None,
    reading: Mapping[str, Any],
    design: Mapping[str, object],
    pairs_level: float | None,
) -> Aligned:
    """The scores of runs under all sets of judgments, on the topics that all judge, and how far the labels agree.

    A set that cannot be used is left out; there is an error if none can. Where a level is given, the agreement of
    labels includes the accuracy of pairs of documents, and its interval.
    """
    in_runs = {qid for _, run in each_run(runs, verbose=False) for qid in run}
    keep: Callable[[str, str], bool] = lambda qid, _: qid in in_runs  # noqa: E731
    own, computed = reference_scale(reference_threshold), measures | WITH_JUDGED
    trusted = read_qrels(reference_qrels, keep, "reference_qrels")
    readable: dict[str, pd.DataFrame] = {}
    usable: dict[str, pd.DataFrame] = {}
    measures_of = {"": own.measures(computed, trusted, "the reference")}
    failed: dict[str, Exception] = {}
    idle = {label for scale in scales.values() for label in scale.labels}
    for name, source in others.items():
        try:
            judgments = read_qrels(source, keep, "others", fractions=True, repeated=True)
            idle -= set(judgments["relevance"]) & scales[name].labels.keys()
            readable[name] = scales[name].of(judgments)
            one_label_each(judgments, source, "others")
            if set(trusted["query_id"]).isdisjoint(judgments["query_id"]):
                raise ValueError(NO_TOPIC)
            measures_of[name] = scales[name].measures(computed, readable[name], name)
            usable[name] = readable[name].drop_duplicates(ignore_index=True)
        except (ValueError, OSError) as error:
            failed[name] = error
    if not usable:
        raise next(iter(failed.values()))
    if idle:
        warn(f"`label_map` has labels that no judge gives: {listing(idle)}.", UnmatchedNamesWarning)

    topics = [set(judgments["query_id"]) for judgments in (trusted, *usable.values())]
    common = set.intersection(*topics)
    if not common:
        raise ValueError("`others` must judge a topic that the runs have and all other sets judge, got none.")
    sets = [
        judgments[judgments["query_id"].isin(common)].reset_index(drop=True)
        for judgments in (trusted, *usable.values())
    ]
    alike = scores_from_runs(runs, sets[0], computed.values(), **reading)
    if len(alike.topics) < 2:
        raise ValueError(f"`runs` and all judgments must share at least 2 topics, got {listing(alike.topics)}.")
    used = ["", *usable]
    scored = scores_under(runs, sets, [measures_of[name] for name in used], alike, verbose=reading["verbose"])

    judged = {name: float(scores[JUDGED].values.mean()) for name, scores in zip(used, scored, strict=True)}
    known = {name: judgments for name, judgments in readable.items() if len(judgments)}  # of topics of runs
    hygiene = hygiene_of(trusted, known, [judged.get(name, math.nan) for name in ("", *known)])
    hygiene.warn(usable)
    trusted, *judgments_of_used = (judgments[judgments["query_id"].isin(alike.topics)] for judgments in sets)
    labels, of_hygiene = {}, hygiene.more()
    for name, judgments in zip(usable, judgments_of_used, strict=True):
        agreement = agreement_of(trusted, judgments, thresholds=(own.relevant, scales[name].relevant)).to_dict()
        agreement = {"krippendorff_alpha" if key == "alpha" else key: value for key, value in agreement.items()}
        labels[name] = {**agreement, **of_hygiene[name]}  # alpha is the level of tests
        if pairs_level is not None:
            pairs = pair_accuracy_of(trusted, judgments, None, pairs_level)
            ends = {"pair_accuracy_low": pairs.low, "pair_accuracy_high": pairs.high}
            chance = {"pair_accuracy_one_label": pairs.one_label, "pair_accuracy_at_random": pairs.at_random}
            labels[name] |= {"pair_accuracy": pairs.statistic, **ends, "tie_threshold": pairs.tie_threshold, **chance}
    under_thresholds = {
        name: {str(measure): str(measures_of[name][key]) for key, measure in measures.items()}
        for name in used
        if any(scale.threshold is not None for scale in (own, *scales.values()))
    }
    wanted = [*dict.fromkeys(map(str, measures.values()))]
    reference, *judges = (scores.select(measures=wanted).with_design(**design) for scores in scored)
    return Aligned(
        reference,
        dict(zip(usable, judges, strict=True)),
        tuple(sorted(set.union(*topics) - common)),
        failed=failed,
        labels=labels,
        computed=under_thresholds,
        hygiene=hygiene,
    )
