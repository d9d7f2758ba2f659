"""The same runs under other judgments: of other assessors, language models, or shallow pools."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from os import PathLike
from typing import Any

import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices, defaults
from pt_rankcorr.comparison.engine import Engine, RowInput
from pt_rankcorr.comparison.judge_comparison import JudgeComparison
from pt_rankcorr.comparison.judges_by_collection import by_collection
from pt_rankcorr.comparison.settings import settings_of
from pt_rankcorr.components import DiscriminativePower, DRank
from pt_rankcorr.io import paths
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.io.runs import each_run, scores_from_runs
from pt_rankcorr.io.trec import one_label_each, read_qrels
from pt_rankcorr.judgments import label_agreement, labels, pools
from pt_rankcorr.judgments.inputs import Judges, Qrels
from pt_rankcorr.judgments.panels import members_of_panels, panel_of_labels
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing, spelling_hint
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.warnings import FailedJudgesWarning, warn


def compare_judgments(
    runs: RunsLike,
    reference: QrelsLike | Qrels,
    judges: Mapping[str, QrelsLike] | Sequence[str | PathLike[str]] | Judges,
    measures: Iterable[MeasureLike],
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    level: float = defaults.LEVEL,
    n_resamples: int | None = None,
    d_rank: bool | DRank = False,
    test: choices.PairTest | DiscriminativePower | None = defaults.PAIR_TEST,
    top: int | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> JudgeComparison:
    """Whether judgments of language models, assessors or shallow pools rank systems differently.

    It evaluates the runs under each set, and compares the sets as `compare_leaderboards` compares
    judges, on the topics that every set judges. A row also says how far the labels agree, for
    example by Cohen's kappa. Wrong labels that affect all systems alike do not change the ranking:
    it can be right where kappa is low, or wrong where it is high.

    Columns, and `label_checks` of the result, say what is wrong with labels. An unusable set fails
    alone, and `failed` gives the reason. Runs of more than 16 MB in all are read three times.

    Args:
        runs, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        reference: The trusted judgments, as `scores_from_runs` takes them, or "irds:" and the id of
            a dataset of ir-datasets; `judgments.Qrels` also says which topics depend on each other.
        judges: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them,
            named after files without ".qrels". Labels may be fractions: nDCG takes these as gains.
            `judgments.Judges` says more: what labels stand for, and which judges are also joined to
            panels. For several collections, runs, reference and judges map the same names to these.
        measures: Measures, as objects or by name.
        coefficients, level, n_resamples, d_rank, test, top, rng, n_jobs: As for `compare`.

    Returns:
        A table like that of `compare_leaderboards`, with `judge` for the name of a set.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs` and `compare`; also if sets share
            fewer than two topics, or none is usable.

    Warns:
        DistortedLabelsWarning: If labels distort how a judge ranks runs.
        FailedJudgesWarning: If some sets cannot be used.
        UnmatchedNamesWarning: If a label map has a label that no judge gives.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section
        4.3; Moffat, Scholer, Thomas, "Models and metrics: IR evaluation as a user process", ADCS
        2012 (active disagreements).

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0} for topic in range(14)}
        >>> good, poor = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
        >>> runs = {"good": dict.fromkeys(qrels, good), "poor": dict.fromkeys(qrels, poor)}
        >>> judges = {"contrary": {topic: {"d1": 0, "d2": 1} for topic in qrels}}
        >>> (row,) = compare_judgments(runs, qrels, judges, ["AP"], test="t", rng=1)
        >>> row.details["kappa"], row.tau, row.pvalue < 0.01, row.pairs.active_disagreements
        (-1.0, -1.0, True, (('good', 'poor'),))
    """
    settings = settings_of(
        coefficients=coefficients,
        level=level,
        n_resamples=n_resamples,
        d_rank=d_rank,
        test=test,
        top=top,
        rng=rng,
    )
    reading: dict[str, Any] = {"missing": missing, "lower_is_better": lower_is_better}
    return compare_sets(runs, reference, judges, measures, Engine(settings, n_jobs), **reading)


def compare_sets(
    runs: Any,
    reference: Any,
    judges: Any,
    measures: Iterable[MeasureLike],
    engine: Engine,
    **reading: Any,
) -> JudgeComparison:
    """`compare_judgments` by an engine with checked settings; `reading`: for `scores_from_runs`."""
    resolved = resolve_measures(measures)
    # also how far runs are judged, for the table of labels
    evaluated = resolved | resolve_measures([labels.JUDGED])
    settings, verbose = engine.settings, engine.verbose

    def compare_one(runs: Any, reference: Any, judges: Any) -> JudgeComparison:
        """One collection: reads sets, scores runs, compares labels, then rankings."""
        qrels = reference if isinstance(reference, Qrels) else Qrels(reference)
        judges = judges if isinstance(judges, Judges) else Judges(judges)
        threshold = labels.lowest_relevant(qrels.relevance_threshold, "relevance_threshold")
        own_scale = labels.Scale(threshold)
        paths.check_all_there(runs, qrels.source, judges.source)
        sources = label_agreement.named_judges(judges.source)
        short = {name.removesuffix(".qrels"): source for name, source in sources.items()}
        if not isinstance(judges.source, Mapping) and len(short) == len(sources):
            sources = short
        members = members_of_panels(judges.panels, list(sources))
        names = [*sources, *members]
        scales = labels.scales_of(names, judges.relevance_threshold, judges.label_map)
        for name in members:  # its labels are on the scale already
            scales[name] = replace(scales[name], labels={})
        readable = pools.keep_readable(runs)
        reference_name = "the reference"
        if paths.is_path(qrels.source):
            reference_name = paths.stem(qrels.source)

        # read
        in_runs = {qid for _, run in each_run(readable, verbose=False) for qid in run}
        is_in_runs = lambda qid, _: qid in in_runs  # noqa: E731  # others are not read
        trusted = read_qrels(qrels.source, is_in_runs, "reference", download=qrels.download)
        own_measures = own_scale.measures(evaluated, trusted, "the reference")
        # judge -> name -> the measure with its lowest relevant label
        measures_of: dict[str, dict[str, Measure]] = {}
        # judge -> judgments, labels replaced by what they stand for
        usable: dict[str, pd.DataFrame] = {}
        as_given: dict[str, pd.DataFrame] = {}  # also of those that cannot be used
        failed: dict[str, Exception] = {}
        for name, source in sources.items():
            try:
                given = read_qrels(source, is_in_runs, "judges", fractions=True, repeated=True)
                as_given[name] = given
                one_label_each(given, source, "judges")
                if set(trusted["query_id"]).isdisjoint(given["query_id"]):
                    rule = "`judges` must judge a topic that the runs have and the reference judges"
                    hint = spelling_hint(given["query_id"], trusted["query_id"])
                    raise ValueError(f"{rule}, got none.{hint}")
                judgments = scales[name].of(given)
                measures_of[name] = scales[name].measures(evaluated, judgments, name)
                usable[name] = judgments.drop_duplicates(ignore_index=True)
            except (ValueError, OSError) as error:
                failed[name] = error
        if not usable:
            raise next(iter(failed.values()))
        for name, judges_of in members.items():
            try:
                if lacking := [member for member in judges_of if member not in usable]:
                    rule = "`panels` must have judges that can be used"
                    raise ValueError(f"{rule}, got {listing(lacking)}.")
                of_members = {member: usable[member] for member in judges_of}
                judgments = panel_of_labels(of_members, judges.combine).assign(iteration="0")
                measures_of[name] = scales[name].measures(evaluated, judgments, name)
                as_given[name] = usable[name] = judgments
            except ValueError as error:
                failed[name] = error
        labels.warn_of_unused_labels(scales, as_given)

        # score, on the topics that all judge
        all_sets = [trusted, *usable.values()]
        topics = [set(judgments["query_id"]) for judgments in all_sets]
        common = set.intersection(*topics)
        if not common:
            rule = "`judges` must judge a topic that the runs have and all other sets judge"
            raise ValueError(f"{rule}, got none.")
        kept = (judgments[judgments["query_id"].isin(common)] for judgments in all_sets)
        sets = [judgments.reset_index(drop=True) for judgments in kept]
        trusted_scores = scores_from_runs(
            readable, sets[0], evaluated.values(), verbose=verbose, **reading
        )
        if len(trusted_scores.topics) < 2:
            rule = "`runs` and all judgments must share at least 2 topics"
            raise ValueError(f"{rule}, got {listing(trusted_scores.topics)}.")
        # the first scores are by the reference's judgments
        of_sets = [own_measures, *(measures_of[name] for name in usable)]
        scored = pools.scores_under(readable, sets, of_sets, trusted_scores, verbose=verbose)
        # the share of the first ten documents of runs that each set judges
        own_judged, *judged_of = (float(scores[labels.JUDGED].values.mean()) for scores in scored)
        judged = dict(zip(usable, judged_of, strict=True))
        wanted = [*dict.fromkeys(map(str, resolved.values()))]
        trusted_scores, *scores_of_judges = (
            scores.select(measures=wanted).with_design(clusters=qrels.clusters, strata=qrels.strata)
            for scores in scored
        )
        scores_by = dict(zip(usable, scores_of_judges, strict=True))

        # compare labels
        of_runs = {name: scales[name].of(given) for name, given in as_given.items() if len(given)}
        shares_judged = [own_judged, *(judged.get(name, math.nan) for name in of_runs)]
        label_checks = labels.label_checks_of(trusted, of_runs, shares_judged)
        label_checks.warn(scores_by)
        in_use = trusted_scores.topics
        trusted, *others = (judgments[judgments["query_id"].isin(in_use)] for judgments in sets)
        columns_of_checks, columns = label_checks.columns_by_set(), {}
        renamed = {"alpha": "krippendorff_alpha"}  # alpha is the level of tests
        for name, judgments in zip(scores_by, others, strict=True):
            thresholds = own_scale.relevant, scales[name].relevant
            agreement = label_agreement.agreement_of(trusted, judgments, thresholds=thresholds)
            agreed = {renamed.get(key, key): value for key, value in agreement.to_dict().items()}
            columns[name] = {**agreed, **columns_of_checks[name]}
            if settings.per_topic:
                pairs = label_agreement.pair_accuracy_of(trusted, judgments, None, settings.level)
                columns[name] |= {
                    "pair_accuracy": pairs.statistic,
                    "pair_accuracy_low": pairs.low,
                    "pair_accuracy_high": pairs.high,
                    "tie_threshold": pairs.tie_threshold,
                    "pair_accuracy_one_label": pairs.one_label,
                    "pair_accuracy_at_random": pairs.at_random,
                }

        # compare rankings
        has_thresholds = any(scale.threshold is not None for scale in (own_scale, *scales.values()))
        # as scores name a measure -> as it was given
        key_of = {str(measure): key for key, measure in resolved.items()}
        cases = []
        for measure, judge in product(trusted_scores, scores_by):
            name, details = key_of[measure], dict(columns[judge])
            if has_thresholds:
                details["reference_computed"] = str(own_measures[name])
                details["measure_computed"] = str(measures_of[judge][name])
            key = {"judge": judge, "reference": measure, "measure": measure}
            scores = trusted_scores[measure], scores_by[judge][measure]
            cases.append(RowInput(key, (reference_name, judge), *scores, details))
        comparison = JudgeComparison(
            engine.compute([cases], len(cases)),
            settings,
            reference_name,
            trusted_scores,
            scores_by,
            dropped_topics=tuple(sorted(set.union(*topics) - common)),
            dropped_systems=(),
            failed={name: str(error) for name, error in failed.items()},
            label_checks=label_checks,
            members={name: judges_of for name, judges_of in members.items() if name in scores_by},
        )
        if failed:
            warn(comparison.failures, FailedJudgesWarning)
        return comparison

    return by_collection(compare_one, {"reference": reference, "runs": runs, "judges": judges})
