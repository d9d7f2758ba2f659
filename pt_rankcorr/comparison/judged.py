"""The same runs under other judgments: do the labels agree, and do the rankings of systems differ?"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.comparison._checkpoint import resumable_seed
from pt_rankcorr.comparison._engine import Engine, OnRow
from pt_rankcorr.comparison.collections import judgments_of
from pt_rankcorr.comparison.leaderboards import Aligned, JudgeComparison, compare_judges
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import ALPHA, LEVEL, RESAMPLES
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
from pt_rankcorr.judgments.hygiene import JUDGED, hygiene_of
from pt_rankcorr.judgments.pairs import pair_accuracy_of
from pt_rankcorr.judgments.scales import Scale, reference_scale, scales_of
from pt_rankcorr.judgments.scoring import keep_readable, scores_under
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST

WITH_JUDGED = resolve_measures([JUDGED])  # beside the measures that are asked for
NO_TOPIC = "`others` must judge a topic that the runs have and the reference judges, got none."


def compare_judgments(
    runs: RunsLike,
    reference_qrels: QrelsLike,
    others: Mapping[str, QrelsLike] | Sequence[str | PathLike[str]],
    measures: Iterable[MeasureLike],
    *,
    test: choices.PairTest = DEFAULT_TEST,
    alpha: float = ALPHA,
    level: float = LEVEL,
    intervals: bool = True,
    top: int | None = None,
    per_topic: bool = False,
    variant: choices.Variant = "a",
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    n_resamples: int = RESAMPLES,
    null: choices.Null = DEFAULT_NULL,
    covariance: choices.Covariance | None = None,
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
    resume: str | PathLike[str] | None = None,
    on_row: OnRow | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> JudgeComparison:
    """Whether other judgments, from language models, assessors or shallow pools, rank systems differently.

    It evaluates the runs under each set, and compares the sets as `compare_leaderboards` compares judges. A row also
    says how far the labels agree, for example by Cohen's kappa. All this is on the topics that every set judges. Wrong
    labels that affect all systems alike do not change the ranking. So a ranking can be right where kappa is low, or
    wrong where kappa is high.

    Columns, and `hygiene` of the result, say what is wrong with labels (few, on another scale, nearly all alike). A
    warning names each judge whose ranking is distorted. An unusable set fails alone: the others are compared, and
    `failed` gives the reason.

    Each run is read twice. Judgments of topics that no run has are left out.

    Args:
        runs, names, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        reference_qrels: The trusted judgments, as `scores_from_runs` takes them, or "irds:" and the id of a dataset of
            ir-datasets.
        others: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them, named after files
            without ".qrels". Labels may be fractions, such as means of several passes: nDCG takes these as gains.
        measures: Measures, as objects or by name.
        test: How pairs of systems are tested: "tukey-hsd" (randomised, and corrected for all pairs), or without
            correction "t", "wilcoxon", "paired-bootstrap" or "unpaired-bootstrap".
        alpha: The level at which two rankings, or two systems, differ significantly.
        level: The confidence level of the intervals.
        intervals, top, variant, coefficients: As for `compare_leaderboards`.
        per_topic: Whether to add the means of the coefficients of single topics, and the accuracy of pairs of runs and
            of documents on these, as `judgments.pair_accuracy` computes it.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        relevance_threshold: The lowest label of a judge that counts as relevant, in kappa_binary, precision and recall,
            and by measures that count relevant documents, in place of their `rel`: one for all, or judge or pattern ->
            its own.
        reference_threshold: The same for the reference.
        label_map: Label of a judge -> the label it stands for; or judge or pattern -> such a map.
        groups: Those of `bias`, checked before anything is computed.
        n_resamples, null, covariance: As for `compare`.
        download, resume, on_row, rng, n_jobs, verbose: As for `compare`.

    Returns:
        A table that prints itself, like that of `compare_leaderboards`, with `judge` for the name of a set.

    Raises:
        OSError, TypeError: As `compare`.
        ValueError: As `compare` and `scores_from_runs`; if the sets share fewer than two topics, or none can be used.

    Warns:
        DistortedLabelsWarning: If labels distort how a judge ranks runs.
        FailedJudgesWarning: If some sets cannot be used.

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
    distance = n_resamples, null, covariance, alpha, resumable_seed(rng, resume)
    settings = Settings(*distance, level, intervals, test, variant, top, per_topic, coefficients)
    check_all_there(runs, reference_qrels, others)
    with Engine("compare_judgments", settings, resume=resume, n_jobs=n_jobs, on_row=on_row) as engine:
        named = _name_sources(others)
        scales = scales_of(named, relevance_threshold, label_map)
        readable, resolved = keep_readable(runs, names), resolve_measures(measures)
        sets = _Sets.read(readable, judgments_of(reference_qrels, download=download), named, resolved, scales)
        reading = {"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose}
        own, design = reference_scale(reference_threshold), {"clusters": clusters, "strata": strata}
        aligned = _evaluate(readable, sets, resolved, own, reading, design, settings.level if per_topic else None)
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


@dataclass(frozen=True)
class _Sets:
    """Sets of judgments.

    Attributes:
        reference: The trusted set.
        found: The other sets on their own scales, as far as they could be read.
        usable: The other sets under which runs can be evaluated.
        scales: Their scales.
        measures: Their measures.
        failed: Why the rest cannot be used.
    """

    reference: pd.DataFrame
    found: dict[str, pd.DataFrame]
    usable: dict[str, pd.DataFrame]
    scales: Mapping[str, Scale]
    measures: Mapping[str, Mapping[str, Measure]]
    failed: dict[str, Exception]

    @classmethod
    def read(
        cls,
        runs: Mapping[str, Any],
        reference: object,
        others: Mapping[str, object],
        measures: dict[str, Measure],
        scales: Mapping[str, Scale],
    ) -> _Sets:
        """Reads all sets; one that cannot be used is left out, and there is an error if none can."""
        there = {qid for _, run in each_run(runs, verbose=False) for qid in run}
        keep: Callable[[str, str], bool] = lambda qid, _: qid in there  # noqa: E731
        trusted = read_qrels(reference, keep, "reference_qrels")
        topics, found, usable, of_set = set(trusted["query_id"]), {}, {}, {}
        failed: dict[str, Exception] = {}
        for name, source in others.items():
            try:
                judgments = read_qrels(source, keep, "others", fractions=True, repeated=True)
                found[name] = scales[name].of(judgments)
                one_label_each(judgments, source, "others")
                if topics.isdisjoint(judgments["query_id"]):
                    raise ValueError(
                        "`others` must judge a topic that the runs have and the reference judges, got none."
                    )
                of_set[name] = scales[name].measures(measures | WITH_JUDGED, found[name], name)
                usable[name] = found[name].drop_duplicates(ignore_index=True)
            except (ValueError, OSError) as error:
                failed[name] = error
        if not usable:
            raise next(iter(failed.values()))
        known = {name: each for name, each in found.items() if len(each)}  # of topics of runs
        return cls(trusted, known, usable, scales, of_set, failed)


def _evaluate(
    runs: Mapping[str, Any],
    sets: _Sets,
    measures: dict[str, Measure],
    own: Scale,
    reading: Mapping[str, Any],
    design: Mapping[str, object],
    pairs_at: float | None,
) -> Aligned:
    """The scores of runs under all sets, on the topics that all judge, and how far the labels agree.

    Where a level is given, this includes the accuracy of pairs of documents, and its interval.
    """
    (trusted, *used), dropped = _keep_common_topics([sets.reference, *sets.usable.values()])
    computed = measures | WITH_JUDGED
    every = [own.measures(computed, trusted, "the reference"), *(sets.measures[name] for name in sets.usable)]
    alike = scores_from_runs(runs, trusted, computed.values(), **reading)
    if len(alike.topics) < 2:
        raise ValueError(f"`runs` and all judgments must share at least 2 topics, got {listing(alike.topics)}.")
    scored = scores_under(runs, [trusted, *used], every, alike, verbose=reading["verbose"])
    judged = {name: float(each[JUDGED].values.mean()) for name, each in zip(("", *sets.usable), scored, strict=True)}
    hygiene = hygiene_of(sets.reference, sets.found, [judged.get(name, math.nan) for name in ("", *sets.found)])
    hygiene.warn(sets.usable)
    trusted, *used = (each[each["query_id"].isin(alike.topics)] for each in (trusted, *used))
    labels, of_hygiene = {}, hygiene.more()
    for name, each in zip(sets.usable, used, strict=True):
        agreement = agreement_of(trusted, each, thresholds=(own.relevant, sets.scales[name].relevant))
        labels[name] = {**_columns(agreement.to_dict()), **of_hygiene[name]}
        if pairs_at is not None:
            found = pair_accuracy_of(trusted, each, None, pairs_at)
            ends = {"pair_accuracy_low": found.low, "pair_accuracy_high": found.high}
            labels[name] |= {"pair_accuracy": found.statistic, **ends, "tie_threshold": found.tie_threshold}
    wanted = [*dict.fromkeys(map(str, measures.values()))]
    reference, *judges = (each.select(measures=wanted).with_design(**design) for each in scored)
    named = dict(zip(sets.usable, judges, strict=True))
    return Aligned(reference, named, dropped, failed=sets.failed, labels=labels, hygiene=hygiene)


def _columns(agreement: dict[str, Any]) -> dict[str, Any]:
    """Measures of agreement under their names in a row, where alpha is the level of tests."""
    return {"krippendorff_alpha" if name == "alpha" else name: value for name, value in agreement.items()}


def _keep_common_topics(sets: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], Labels]:
    topics = [set(judgments["query_id"]) for judgments in sets]
    common, dropped = set.intersection(*topics), set.union(*topics)
    if not common:
        raise ValueError("`others` must judge a topic that the runs have and all other sets judge, got none.")
    kept = [judgments[judgments["query_id"].isin(common)].reset_index(drop=True) for judgments in sets]
    return kept, tuple(sorted(dropped - common))
