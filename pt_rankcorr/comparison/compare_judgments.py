"""The same runs under other judgments: those of other assessors, of language models, or of shallow pools."""

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
from pt_rankcorr.comparison.judge_comparison import JudgeComparison, with_rows
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
    """Whether other judgments, from language models, assessors or shallow pools, rank systems differently.

    It evaluates the runs under each set, and compares the sets as `compare_leaderboards` compares judges, on the topics
    that every set judges. A row also says how far the labels agree, for example by Cohen's kappa. Wrong labels that
    affect all systems alike do not change the ranking: it can be right where kappa is low, or wrong where it is high.

    Columns, and `label_checks` of the result, say what is wrong with labels. An unusable set fails alone: the others
    are compared, and `failed` gives the reason. Runs of more than 16 MB in all are read three times.

    Args:
        runs, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        reference: The trusted judgments, as `scores_from_runs` takes them, or "irds:" and the id of a dataset of
            ir-datasets; `judgments.Qrels` says more, such as which topics depend on each other.
        judges: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them, named after files
            without ".qrels". Labels may be fractions: nDCG takes these as gains. `judgments.Judges` says more: what
            labels stand for, and which judges are also joined to panels. Several collections are compared where runs,
            reference and judges map the same collections to these.
        measures: Measures, as objects or by name.
        coefficients, level, n_resamples, d_rank, test, top, rng, n_jobs: As for `compare`.

    Returns:
        A table like that of `compare_leaderboards`, with `judge` for the name of a set.

    Raises:
        OSError, TypeError, ValueError: As `compare`; also if the sets share fewer than two topics, or none is usable.

    Warns:
        DistortedLabelsWarning: If labels distort how a judge ranks runs.
        FailedJudgesWarning: If some sets cannot be used.
        UnmatchedNamesWarning: If a label map has a label that no judge gives.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3; Moffat, Scholer,
        Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012 (active disagreements).

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0} for topic in range(14)}
        >>> good, poor = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
        >>> runs = {"good": {topic: good for topic in qrels}, "poor": {topic: poor for topic in qrels}}
        >>> contrary = {topic: {"d1": 0, "d2": 1} for topic in qrels}
        >>> row = compare_judgments(runs, qrels, {"contrary": contrary}, ["AP"], test="t", rng=1).row("contrary", "AP")
        >>> row.details["kappa"], row.tau, row.pvalue < 0.01, row.pairs.active_disagreements
        (-1.0, -1.0, True, (('good', 'poor'),))
    """
    settings = settings_of(
        coefficients=coefficients, level=level, n_resamples=n_resamples, d_rank=d_rank, test=test, top=top, rng=rng
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
    """`compare_judgments` by an engine whose settings are checked; `reading` is for `scores_from_runs`."""
    resolved = resolve_measures(measures)
    evaluated = resolved | resolve_measures([labels.JUDGED])  # also how far runs are judged, for the table of labels

    def compare_one(runs: Any, reference: Any, judges: Any) -> JudgeComparison:
        """The comparison on one collection: reads sets, scores runs, compares labels, then rankings."""
        qrels = reference if isinstance(reference, Qrels) else Qrels(reference)
        judges = judges if isinstance(judges, Judges) else Judges(judges)
        own_scale = labels.Scale(labels.lowest_relevant(qrels.relevance_threshold, "relevance_threshold"))
        paths.check_all_there(runs, qrels.source, judges.source)
        sources = label_agreement.named_judges(judges.source)
        short = {name.removesuffix(".qrels"): source for name, source in sources.items()}
        if not isinstance(judges.source, Mapping) and len(short) == len(sources):
            sources = short
        members = members_of_panels(judges.panels, list(sources))
        scales = labels.scales_of([*sources, *members], judges.relevance_threshold, judges.label_map)
        scales |= {name: replace(scales[name], labels={}) for name in members}  # its labels are on the scale already
        readable = pools.keep_readable(runs)
        reference_name = paths.stem(qrels.source) if paths.is_path(qrels.source) else "the reference"

        # read
        in_runs = {qid for _, run in each_run(readable, verbose=False) for qid in run}
        is_in_runs = lambda qid, _: qid in in_runs  # noqa: E731  # of other topics judgments are not read
        trusted = read_qrels(qrels.source, is_in_runs, "reference", download=qrels.download)
        own_measures = own_scale.measures(evaluated, trusted, "the reference")
        measures_of: dict[str, dict[str, Measure]] = {}  # judge -> name -> the measure with its lowest relevant label
        usable: dict[str, pd.DataFrame] = {}  # judge -> judgments, labels replaced by what they stand for
        as_given: dict[str, pd.DataFrame] = {}  # also of those that cannot be used
        failed: dict[str, Exception] = {}
        for name, source in sources.items():
            try:
                as_given[name] = read_qrels(source, is_in_runs, "judges", fractions=True, repeated=True)
                one_label_each(as_given[name], source, "judges")
                if set(trusted["query_id"]).isdisjoint(as_given[name]["query_id"]):
                    hint = spelling_hint(as_given[name]["query_id"], trusted["query_id"])
                    raise ValueError(
                        f"`judges` must judge a topic that the runs have and the reference judges, got none.{hint}"
                    )
                judgments = scales[name].of(as_given[name])
                measures_of[name] = scales[name].measures(evaluated, judgments, name)
                usable[name] = judgments.drop_duplicates(ignore_index=True)
            except (ValueError, OSError) as error:
                failed[name] = error
        if not usable:
            raise next(iter(failed.values()))
        for name, judges_of in members.items():
            try:
                if lacking := [member for member in judges_of if member not in usable]:
                    raise ValueError(f"`panels` must have judges that can be used, got {listing(lacking)}.")
                judgments = panel_of_labels({member: usable[member] for member in judges_of}, judges.combine)
                judgments = judgments.assign(iteration="0")
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
            raise ValueError("`judges` must judge a topic that the runs have and all other sets judge, got none.")
        sets = [judgments[judgments["query_id"].isin(common)].reset_index(drop=True) for judgments in all_sets]
        trusted_scores = scores_from_runs(readable, sets[0], evaluated.values(), verbose=engine.verbose, **reading)
        if len(trusted_scores.topics) < 2:
            raise ValueError(
                f"`runs` and all judgments must share at least 2 topics, got {listing(trusted_scores.topics)}."
            )
        measures_of_sets = [own_measures, *(measures_of[name] for name in usable)]
        scored = pools.scores_under(readable, sets, measures_of_sets, trusted_scores, verbose=engine.verbose)
        # of `scored` the first are the reference's: the share of the first ten documents of runs that each set judges
        own_judged, *judged_of = (float(scores[labels.JUDGED].values.mean()) for scores in scored)
        judged = dict(zip(usable, judged_of, strict=True))
        wanted = [*dict.fromkeys(map(str, resolved.values()))]
        trusted_scores, *scores_of_judges = (
            scores.select(measures=wanted).with_design(clusters=qrels.clusters, strata=qrels.strata)
            for scores in scored
        )
        scores_by = dict(zip(usable, scores_of_judges, strict=True))

        # compare labels
        of_runs = {name: scales[name].of(judgments) for name, judgments in as_given.items() if len(judgments)}
        label_checks = labels.label_checks_of(
            trusted, of_runs, [own_judged, *(judged.get(name, math.nan) for name in of_runs)]
        )
        label_checks.warn(scores_by)
        trusted, *of_sets = (judgments[judgments["query_id"].isin(trusted_scores.topics)] for judgments in sets)
        columns_of_checks, columns = label_checks.columns_by_set(), {}
        for name, judgments in zip(scores_by, of_sets, strict=True):
            thresholds = own_scale.relevant, scales[name].relevant
            agreed = label_agreement.agreement_of(trusted, judgments, thresholds=thresholds).to_dict()
            agreed = {"krippendorff_alpha" if key == "alpha" else key: value for key, value in agreed.items()}
            columns[name] = {**agreed, **columns_of_checks[name]}  # alpha is the level of tests
            if engine.settings.per_topic:
                pairs = label_agreement.pair_accuracy_of(trusted, judgments, None, engine.settings.level)
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
        key_of = {str(measure): key for key, measure in resolved.items()}  # as scores name it -> as it was given
        cases = []
        for measure, judge in product(trusted_scores, scores_by):
            name = key_of[measure]
            details = {"reference_computed": str(own_measures[name]), "measure_computed": str(measures_of[judge][name])}
            details = {**columns[judge], **(details if has_thresholds else {})}
            key = {"judge": judge, "reference": measure, "measure": measure}
            scores = trusted_scores[measure], scores_by[judge][measure]
            cases.append(RowInput(key, (reference_name, judge), *scores, details))
        reasons = {name: str(error) for name, error in failed.items()}
        dropped = tuple(sorted(set.union(*topics) - common))
        panels_used = {name: judges_of for name, judges_of in members.items() if name in scores_by}
        comparison = JudgeComparison(
            (),
            engine.settings,
            reference_name,
            trusted_scores,
            scores_by,
            dropped,
            (),
            reasons,
            label_checks,
            panels_used,
        )
        return with_rows(comparison, engine, cases)

    return by_collection(compare_one, {"reference": reference, "runs": runs, "judges": judges})
