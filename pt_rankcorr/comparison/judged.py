"""The same runs under other judgments: do the labels agree, and are the systems ranked differently?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.adapters.given import LabelsLike, MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.adapters.measure_names import resolve_measures
from pt_rankcorr.adapters.paths import by_name, is_path, named_files
from pt_rankcorr.adapters.runs import scores_from_runs
from pt_rankcorr.comparison._aligned import Aligned
from pt_rankcorr.comparison._engine import Engine, OnRow
from pt_rankcorr.comparison._evaluation import keep_readable, of_dataset, read_judgments, scores_under
from pt_rankcorr.comparison.leaderboards import JudgeComparison, compare_judges
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import ALPHA, LEVEL, RESAMPLES
from pt_rankcorr.judgments.agreement import agreement_of
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST


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
    resume: str | PathLike[str] | None = None,
    on_row: OnRow | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> JudgeComparison:
    """Whether other judgments, of language models, assessors or shallow pools, rank systems differently.

    Runs are evaluated under each set, and compared as `compare_leaderboards` compares judges; a row says how far the
    labels agree, too, such as Cohen's kappa. All on the topics that every set judges. Wrong labels that affect all
    systems alike do not change their ranking: the ranking can be right where kappa is low, and wrong where it is high.

    Each run is read twice. Judgments of topics that no run has take no memory if they come from files.

    Args:
        runs, names, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        reference_qrels: The judgments that are trusted, as `scores_from_runs` takes them, or "irds:" and the id of a
            dataset of ir-datasets.
        others: Name -> judgments of the same kind; or qrels files, named after them without ".qrels".
        measures: Measures, as objects or by name.
        test: How pairs of systems are tested: "tukey-hsd" (randomised, which is corrected for all pairs), "t",
            "wilcoxon", "paired-bootstrap" or "unpaired-bootstrap" (which are not).
        alpha: The level at which two rankings, or two systems, differ significantly.
        level: The confidence level of the intervals.
        intervals, top, per_topic, variant, coefficients: As for `compare_leaderboards`.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        n_resamples, null, covariance: As for `compare`.
        download, resume, on_row, rng, n_jobs, verbose: As for `compare`.

    Returns:
        A table that prints itself, as that of `compare_leaderboards`, with `judge` for the name of a set.

    Raises:
        OSError, TypeError: As `compare`.
        ValueError: As `compare` and `scores_from_runs`, and if the sets share fewer than two topics.

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
    settings = Settings.from_arguments(
        n_resamples=n_resamples, null=null, covariance=covariance, alpha=alpha, level=level, intervals=intervals,
        top=top, per_topic=per_topic, variant=variant, coefficients=coefficients, test=test, rng=rng, resume=resume,
    )  # fmt: skip
    reading = {"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose}
    with Engine("compare_judgments", settings, resume=resume, n_jobs=n_jobs, on_row=on_row) as engine:
        trusted, named = of_dataset(reference_qrels, download=download), _name_sources(others)
        design = {"clusters": clusters, "strata": strata}
        aligned, labels = _evaluate(keep_readable(runs, names), trusted, named, measures, reading, design)
        pairs = {judge: [(measure, measure) for measure in aligned.reference] for judge in aligned.judges}
        return compare_judges(engine, aligned, pairs, labels)


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
    reference_qrels: QrelsLike,
    others: Mapping[str, object],
    measures: Iterable[MeasureLike],
    reading: Mapping[str, Any],
    design: Mapping[str, object],
) -> tuple[Aligned, dict[str, dict[str, Any]]]:
    """The scores of runs under all sets of judgments, on the topics that all judge; and how far labels agree."""
    resolved = resolve_measures(measures)
    sets, dropped = _keep_common_topics(read_judgments(runs, [reference_qrels, *others.values()]))
    reference = scores_from_runs(runs, sets[0], resolved.values(), **reading).with_design(**design)
    if len(reference.topics) < 2:
        raise ValueError(f"`runs` and all judgments must share at least 2 topics, got {listing(reference.topics)}.")
    scored = scores_under(runs, sets[1:], resolved, reference, verbose=reading["verbose"])
    trusted, *used = (judgments[judgments["query_id"].isin(reference.topics)] for judgments in sets)
    labels = [_columns(agreement_of(trusted, each).to_dict()) for each in used]
    aligned = Aligned(reference, dict(zip(others, scored, strict=True)), dropped)
    return aligned, dict(zip(others, labels, strict=True))


def _columns(agreement: dict[str, Any]) -> dict[str, Any]:
    """Those of a row, in which alpha is the level of tests."""
    return {"krippendorff_alpha" if name == "alpha" else name: value for name, value in agreement.items()}


def _keep_common_topics(sets: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], Labels]:
    topics = [set(judgments["query_id"]) for judgments in sets]
    common, dropped = set.intersection(*topics), set.union(*topics)
    if not common:
        raise ValueError("`others` must judge a topic of the runs that the reference and all others judge, got none.")
    kept = [judgments[judgments["query_id"].isin(common)].reset_index(drop=True) for judgments in sets]
    return kept, tuple(sorted(dropped - common))
