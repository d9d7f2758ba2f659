"""The same runs under other judgments: do the labels agree, and do the rankings of systems differ?"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.comparison.engine import Case, Engine, shared_options
from pt_rankcorr.comparison.leaderboards import JudgeComparison, by_collection, with_rows
from pt_rankcorr.comparison.measures import judgments_of
from pt_rankcorr.io import paths
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import LabelsLike, MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.io.runs import each_run, scores_from_runs
from pt_rankcorr.io.trec import one_label_each, read_qrels
from pt_rankcorr.judgments.agreement import agreement_of, pair_accuracy_of
from pt_rankcorr.judgments.labels import JUDGED, hygiene_of
from pt_rankcorr.judgments.scoring import keep_readable, reference_scale, scales_of, scores_under, warn_of_idle_labels
from pt_rankcorr.stats.core.arguments import listing

WITH_JUDGED = resolve_measures([JUDGED])  # beside the measures that are asked for
REFERENCE = ""  # the name of the reference, where judges have names


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
    paths.check_all_there(runs, reference_qrels, others)
    sources = _named_sources(others)
    scales = {REFERENCE: reference_scale(reference_threshold), **scales_of(sources, relevance_threshold, label_map)}
    readable, resolved = keep_readable(runs, names), resolve_measures(measures)

    # read
    in_runs = {qid for _, run in each_run(readable, verbose=False) for qid in run}

    def is_in_runs(qid: str, _: str) -> bool:
        return qid in in_runs

    trusted = read_qrels(judgments_of(reference_qrels, download=download), is_in_runs, "reference_qrels")
    evaluated = resolved | WITH_JUDGED
    measures_of = {REFERENCE: scales[REFERENCE].measures(evaluated, trusted, "the reference")}
    usable = {REFERENCE: trusted}
    as_given: dict[str, pd.DataFrame] = {}  # also of those that cannot be used
    on_scale: dict[str, pd.DataFrame] = {}
    failed: dict[str, Exception] = {}
    for name, source in sources.items():
        try:
            judgments = as_given[name] = read_qrels(source, is_in_runs, "others", fractions=True, repeated=True)
            on_scale[name] = scales[name].of(judgments)
            one_label_each(judgments, source, "others")
            if set(trusted["query_id"]).isdisjoint(judgments["query_id"]):
                raise ValueError("`others` must judge a topic that the runs have and the reference judges, got none.")
            measures_of[name] = scales[name].measures(evaluated, on_scale[name], name)
            usable[name] = on_scale[name].drop_duplicates(ignore_index=True)
        except (ValueError, OSError) as error:
            failed[name] = error
    if len(usable) == 1:
        raise next(iter(failed.values()))
    warn_of_idle_labels(scales, as_given)

    # score, on the topics that all judge
    topics = [set(judgments["query_id"]) for judgments in usable.values()]
    common = set.intersection(*topics)
    if not common:
        raise ValueError("`others` must judge a topic that the runs have and all other sets judge, got none.")
    sets = [judgments[judgments["query_id"].isin(common)].reset_index(drop=True) for judgments in usable.values()]
    how: dict[str, Any] = {"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose}
    alike = scores_from_runs(readable, sets[0], evaluated.values(), **how)
    if len(alike.topics) < 2:
        raise ValueError(f"`runs` and all judgments must share at least 2 topics, got {listing(alike.topics)}.")
    scored = scores_under(readable, sets, [measures_of[name] for name in usable], alike, verbose=verbose)
    judged = {name: float(scores[JUDGED].values.mean()) for name, scores in zip(usable, scored, strict=True)}
    wanted = [*dict.fromkeys(map(str, resolved.values()))]
    reference, *of_judges = (
        scores.select(measures=wanted).with_design(clusters=clusters, strata=strata) for scores in scored
    )
    judges = dict(zip(list(usable)[1:], of_judges, strict=True))

    # compare labels
    of_runs = {name: judgments for name, judgments in on_scale.items() if len(judgments)}
    hygiene = hygiene_of(trusted, of_runs, [judged.get(name, math.nan) for name in (REFERENCE, *of_runs)])
    hygiene.warn(judges)
    trusted, *labels = (judgments[judgments["query_id"].isin(alike.topics)] for judgments in sets)
    of_hygiene, columns = hygiene.more(), {}
    for name, judgments in zip(judges, labels, strict=True):
        thresholds = scales[REFERENCE].relevant, scales[name].relevant
        agreement = agreement_of(trusted, judgments, thresholds=thresholds).to_dict()
        agreement = {"krippendorff_alpha" if key == "alpha" else key: value for key, value in agreement.items()}
        columns[name] = {**agreement, **of_hygiene[name]}  # alpha is the level of tests
        if engine.settings.per_topic:
            pairs = pair_accuracy_of(trusted, judgments, None, engine.settings.level)
            columns[name] |= {
                "pair_accuracy": pairs.statistic,
                "pair_accuracy_low": pairs.low,
                "pair_accuracy_high": pairs.high,
                "tie_threshold": pairs.tie_threshold,
                "pair_accuracy_one_label": pairs.one_label,
                "pair_accuracy_at_random": pairs.at_random,
            }

    # compare rankings
    has_thresholds = any(scale.threshold is not None for scale in scales.values())
    computed = {
        name: {str(measure): str(measures_of[name][key]) for key, measure in resolved.items()} for name in usable
    }
    cases = []
    for measure in reference:
        for judge in judges:
            more = {"reference_computed": computed[REFERENCE][measure], "measure_computed": computed[judge][measure]}
            key = {"judge": judge, "reference": measure, "measure": measure}
            more = {**columns[judge], **(more if has_thresholds else {})}
            cases.append(Case(key, reference[measure], judges[judge][measure], more))
    reasons = {name: str(error) for name, error in failed.items()}
    dropped = tuple(sorted(set.union(*topics) - common))
    comparison = JudgeComparison((), engine.settings, reference, judges, dropped, (), reasons, hygiene, groups)
    return with_rows(comparison, engine, cases)


def _named_sources(others: Any) -> dict[str, Any]:
    if isinstance(others, Mapping):
        named = paths.by_name(others, "others")
    elif paths.is_path(others) or (isinstance(others, Sequence) and all(map(paths.is_path, others))):
        files = paths.named_files(others, "others")
        short = {name.removesuffix(".qrels"): path for name, path in files.items()}
        named = short if len(short) == len(files) else files
    else:
        raise TypeError(f"`others` must map names to judgments, got an object of type {type(others).__name__}.")
    if not named:
        raise ValueError("`others` must name at least one set of judgments, got none.")
    return named
