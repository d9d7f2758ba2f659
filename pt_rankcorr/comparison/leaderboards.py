"""Leaderboards of judges against a trusted one: does a judge rank runs as the reference does?"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from pt_rankcorr import choices
from pt_rankcorr.adapters.given import MeasureLike, PathsLike
from pt_rankcorr.adapters.leaderboards import POLICIES, as_leaderboard, named_leaderboards
from pt_rankcorr.adapters.measure_names import find_measure
from pt_rankcorr.comparison._aligned import Aligned
from pt_rankcorr.comparison._checkpoint import fingerprint, resumable_seed
from pt_rankcorr.comparison._engine import Case, Engine, OnRow
from pt_rankcorr.comparison.bias import named_groups
from pt_rankcorr.comparison.of_judges import JudgeComparison as JudgeComparison
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL
from pt_rankcorr.names import check_distinct, not_a_word
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import flag, listing, one_of
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import FailedJudgesWarning, level_of_the_caller

MANY = 10  # judges from which on there is a progress bar


def compare_leaderboards(
    reference: Scores | PathsLike,
    judges: Mapping[str, Scores | PathsLike] | PathsLike,
    *,
    reference_measure: MeasureLike | Sequence[MeasureLike] | None = None,
    measures: Sequence[MeasureLike] | None = None,
    missing: choices.MissingOfJudges = "error",
    same_topics: bool = True,
    input_format: str | None = None,
    lower_is_better: Collection[MeasureLike] = (),
    intervals: bool = True,
    top: int | None = None,
    per_topic: bool = False,
    variant: choices.Variant = "a",
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    test: choices.PairTest | None = DEFAULT_TEST,
    alpha: float = ALPHA,
    level: float = LEVEL,
    n_resamples: int = FEWER_RESAMPLES,
    null: choices.Null = DEFAULT_NULL,
    covariance: choices.Covariance | None = None,
    groups: Mapping[str, object] | None = None,
    resume: str | PathLike[str] | None = None,
    on_row: OnRow | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> JudgeComparison:
    """Whether judges, such as language models or crowds, rank runs as a trusted leaderboard does.

    Each judge and pair of measures has a row: tau and tau_AP with both variants of ties, tau_GAP, Spearman's and
    Pearson's correlation on these topics, and an estimate of each over all topics, with an interval; the p-value of one
    ranking, small where the luck of topics does not explain how judge and reference differ; d_rank and its p-value; and
    whether the same pairs of runs differ significantly by judge and reference.

    Args:
        reference: The trusted leaderboard: `Scores`, or paths, as `read_leaderboard` takes them.
        judges: Name -> scores or paths of its leaderboard; or paths and patterns, each of a judge, named after it.
        reference_measure: One measure of the reference, or several; by default measures of one name are compared with
            each other, or a single one of the reference with all.
        measures: Measures of the judges; by default all, or those that the reference has too.
        missing: What to do where leaderboards differ in runs or topics: "error"; "skip", which keeps only what all of
            them have, or "warn", the same with a warning; "drop-topics" or "drop-systems", which leave out these alone;
            "default" or "zero": a judge scores 0 where it lacks a score, and what the reference lacks is left out.
        same_topics: Whether judges have the topics of the reference. If not, each side has its own sample, such as
            people's topics and a model's synthetic ones. All statistics then treat the luck of the two as independent,
            and d_rank is tested by the null "two-sample".
        input_format, lower_is_better: As for `read_leaderboard`.
        intervals: Whether to add estimates and intervals over all topics.
        top: How many of the reference's best runs get coefficients of their own, too; each resample chooses them
            anew, and names decide between runs that tie at the border.
        per_topic: Whether to add the means of the coefficients of single topics, and of the accuracy of pairs of runs
            on these: the share that both order alike, or both tie, with ties of the judge calibrated.
        variant: Which variant of tau and tau_AP tables show: "a" or "b".
        coefficients: The coefficients that tables show instead, the first one in most detail: names of coefficients, or
            `stats.Coefficient` objects. Frames have these and all that the package knows.
        test: How pairs of runs are tested, as for `compare_judgments`; None for not at all.
        alpha: The level at which two rankings, or two runs, differ significantly.
        level: The confidence level of the intervals.
        n_resamples: Resamples of topics for d_rank's test: a tenth of the usual number, as judges may be many.
        null, covariance: As for `DRankTest`.
        groups: Those of `bias`, checked before anything is computed.
        resume, on_row: As for `compare`.
        rng: Seed or generator; with `resume`, a seed. All judges are compared over the same resamples.
        n_jobs: The number of workers; the result does not depend on it.
        verbose: Whether to show progress; by default from ten judges on.

    Returns:
        A table that prints itself, with `to_frame()`, `row(judge, measure)`, `judges(measure)` and `bias(groups)`.

    Raises:
        OSError: If a file cannot be read, or `resume` cannot be written.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If leaderboards differ in runs or topics under "error" or share fewer than two, a measure is
            unknown, an argument is out of range, or `resume` is another file, damaged or in use; or as for
            `read_leaderboard`, if no judge can be read.

    Warns:
        FailedJudgesWarning: If some judges cannot be read: the others are compared.

    References:
        Soft pairwise accuracy: Thompson, Mathur, Deutsch, Khayrallah,
        "Improving statistical significance in human evaluation of automatic metrics via soft pairwise accuracy", WMT
        2024.

    Example:
        >>> from pt_rankcorr import ScoreMatrix, Scores
        >>> people = Scores([ScoreMatrix([[0.1, 0.4, 0.8], [0.2, 0.3, 0.7], [0.3, 0.6, 0.9]], measure="nDCG")])
        >>> contrary = Scores([ScoreMatrix(1 - people["nDCG"].values, measure="grade")])
        >>> row, _ = compare_leaderboards(people, {"contrary": contrary, "same": people}, n_resamples=99, rng=1)
        >>> row.judge, row.reference, row.measure, row.tau, row.tau_ap_b
        ('contrary', 'nDCG', 'grade', -1.0, -1.0)
    """
    distance = n_resamples, null, covariance, alpha, resumable_seed(rng, resume)
    is_one = flag("same_topics", same_topics)
    settings = Settings(
        *distance, level, intervals, test, variant, top, per_topic, coefficients, None if is_one else True
    )
    one_of("missing", missing, tuple(POLICIES))
    reading: dict[str, Any] = {"input_format": input_format, "missing": missing, "lower_is_better": lower_is_better}
    with Engine("compare_leaderboards", settings, resume=resume, n_jobs=n_jobs, on_row=on_row) as engine:
        told = reference_measure if isinstance(reference_measure, (list, tuple)) else [reference_measure]
        trusted_ones = None if reference_measure is None else told
        wanted = None if measures is None else list(not_a_word(measures, "measures"))
        of_reference = {"measures": wanted, "all_if_none": True} if trusted_ones is None else {"measures": trusted_ones}
        trusted = as_leaderboard(reference, "reference", **of_reference, **reading)
        given, failed = named_leaderboards(judges, "judges", measures=wanted, **reading)
        together = Aligned.of(trusted, given, missing).in_its_design() if is_one else None
        aligned = replace(together or Aligned.of_two_samples(trusted, given, missing), failed=failed)
        pairs = _pairs(aligned, trusted_ones, wanted)
        is_shown = len(given) >= MANY if verbose is None else verbose
        return compare_judges(engine, aligned, pairs, groups=groups, verbose=is_shown)


Pairs = Mapping[str, Sequence[tuple[str, str]]]  # judge -> measures of the reference and of the judge


def compare_judges(
    engine: Engine,
    aligned: Aligned,
    pairs: Pairs,
    *,
    groups: Mapping[str, object] | None = None,
    verbose: bool = False,
) -> JudgeComparison:
    """The rows of judges, the last step of all comparisons with a reference.

    Args:
        engine: The engine that computes rows.
        aligned: The scores by reference and judges.
        pairs: Which measures are compared.
        groups: Groups of runs, to be checked.
        verbose: Whether to show progress.
    """
    if groups is not None:
        named_groups(groups, aligned.reference.systems)
    cases = [
        Case(
            {"judge": judge, "reference": first, "measure": second},
            aligned.reference[first],
            aligned.judges[judge][second],
            aligned.labels.get(judge, {}),
        )
        for first, second in dict.fromkeys(pair for own in pairs.values() for pair in own)
        for judge, own in pairs.items()
        if (first, second) in own
    ]
    data = {name: fingerprint(scores) for name, scores in aligned.judges.items()}
    keys = sorted(list(case.key.values()) for case in cases)
    engine.begin(data=[fingerprint(aligned.reference), data], keys=keys)
    with _progress(len(cases), is_shown=verbose) as bar:
        rows = engine.compute(cases, bar.update)
    dropped = aligned.dropped_topics, aligned.dropped_systems
    failed = {name: str(error) for name, error in aligned.failed.items()}
    judged = aligned.reference, aligned.judges, *dropped, failed, aligned.hygiene, groups
    comparison = JudgeComparison(rows, engine.settings, *judged)
    comparison.warn_of_undefined()
    if failed:
        warnings.warn(comparison.failures, FailedJudgesWarning, stacklevel=level_of_the_caller())
    return comparison


def _progress(total: int, *, is_shown: bool) -> Any:
    import pyterrier as pt  # looked up when called: users choose the kind of their progress bar

    return pt.tqdm(total=total, desc="comparing judges", disable=not is_shown)


# --- which measure with which -------------------------------------------------------------------------------


def _pairs(aligned: Aligned, told: Sequence[object] | None, measures: Sequence[object] | None) -> Pairs:
    trusted = _wanted(told, aligned.reference, "reference_measure")
    return {
        name: _pairs_of(name, trusted, _wanted(measures, scores, "measures"), told=told is not None)
        for name, scores in aligned.judges.items()
    }


def _wanted(measures: Iterable[object] | None, scores: Scores, parameter: str) -> list[str]:
    """The names of the measures, each once; by default all that the scores have."""
    if measures is None:
        return list(scores.measures)
    found = [find_measure(each, scores.measures, parameter) for each in measures]
    if not found:
        raise ValueError(f"`{parameter}` must name at least one measure, got none.")
    check_distinct(found, parameter)
    return found


def _pairs_of(judge: str, trusted: list[str], measures: Iterable[str], *, told: bool) -> list[tuple[str, str]]:
    every = [(first, second) for first in trusted for second in measures]
    same = [(first, second) for first, second in every if first == second]
    if told or (not same and len(trusted) == 1):
        return every
    if not same:
        raise ValueError(
            f"`reference_measure` must be one of {listing(trusted)}, got None, and judge {shown(judge)} has no measure "
            "of these names."
        )
    return same
