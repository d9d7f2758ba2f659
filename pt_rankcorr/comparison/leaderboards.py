"""Leaderboards of judges against a trusted one: does a judge rank runs as the reference does?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.comparison._checkpoint import fingerprint, resumable_seed
from pt_rankcorr.comparison._engine import Case, Engine, OnRow
from pt_rankcorr.comparison.bias import named_groups
from pt_rankcorr.comparison.of_judges import JudgeComparison as JudgeComparison
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL
from pt_rankcorr.io.given import MeasureLike, PathsLike
from pt_rankcorr.io.leaderboards import POLICIES, as_leaderboard, named_leaderboards
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.judgments.hygiene import LabelHygiene
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import flag, listing, one_of
from pt_rankcorr.stats.core.names import check_distinct, not_a_word
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import FailedJudgesWarning, MissingTopicsWarning, warn

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
        warn(comparison.failures, FailedJudgesWarning)
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


# --- the same runs and topics -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Aligned:
    """Leaderboards of the same runs and topics, in the order of the reference.

    Attributes:
        reference: The trusted scores.
        judges: Judge -> its scores.
        dropped_topics: Topics that were left out, as not all have them.
        dropped_systems: Runs that were left out for the same reason.
        failed: Judge -> why it cannot be used.
        labels: Judge -> what its rows say of its labels.
        hygiene: What is wrong with labels, if there are any.
    """

    reference: Scores
    judges: dict[str, Scores]
    dropped_topics: Labels = ()
    dropped_systems: Labels = ()
    failed: Mapping[str, Exception] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    hygiene: LabelHygiene | None = None

    @classmethod
    def of_two_samples(cls, reference: Scores, judges: dict[str, Scores], missing: str) -> Aligned:
        """Leaderboards of the same runs, each on its own topics and in its own design."""
        systems, lacking = _shared([scores.systems for scores in (reference, *judges.values())])
        if lacking and missing not in ("skip", "warn", "drop-systems"):
            raise ValueError(_difference(reference, judges, systems=True, topics=False))
        chosen = {name: scores.select(systems=systems) for name, scores in judges.items()}
        n_topics = {name: {"n_judge_topics": len(scores.topics)} for name, scores in chosen.items()}
        return cls(reference.select(systems=systems), chosen, dropped_systems=lacking, labels=n_topics)

    @classmethod
    def of(cls, reference: Scores, judges: dict[str, Scores], missing: str) -> Aligned:
        if POLICIES[missing] == "zero":
            return cls(reference, {name: _filled(scores, reference) for name, scores in judges.items()})
        every = [reference, *judges.values()]
        systems, no_systems = _shared([scores.systems for scores in every])
        topics, no_topics = _shared([scores.topics for scores in every])
        allowed = {"error": "", "drop-topics": "topics", "drop-systems": "runs"}.get(missing, "runs topics")
        if (no_systems and "runs" not in allowed) or (no_topics and "topics" not in allowed):
            raise ValueError(_difference(reference, judges, systems=bool(no_systems), topics=bool(no_topics)))
        for what, shared in (("runs", systems), ("topics", topics)):
            if len(shared) < 2:
                raise ValueError(f"`judges` must share at least 2 {what} with the reference, got {len(shared)}.")
        if missing == "warn" and (no_systems or no_topics):
            warn(
                f"{len(no_systems)} runs and {len(no_topics)} topics are left out, since not all leaderboards have "
                f"them: {listing([*no_systems, *no_topics])}.",
                MissingTopicsWarning,
            )
        chosen = {name: scores.select(systems=systems, topics=topics) for name, scores in judges.items()}
        return cls(reference.select(systems=systems, topics=topics), chosen, no_topics, no_systems)

    def in_its_design(self) -> Aligned:
        """All with the clusters and strata of the first that has any; an error if another has different ones."""
        firsts = {name: next(iter(scores.values())) for name, scores in self.judges.items()}
        trusted = next(iter(self.reference.values()))
        of_some = [matrix for matrix in (trusted, *firsts.values()) if matrix.design is not None]
        if not of_some:
            return self
        for name, matrix in firsts.items():
            if matrix.design is not None and matrix.design != of_some[0].design:
                raise ValueError(f"`judges` must have the same clusters and strata, got other ones of {shown(name)}.")
        labels = dict(zip(("clusters", "strata"), of_some[0].design_labels, strict=True))
        judges = {name: scores.with_design(**labels) for name, scores in self.judges.items()}
        return replace(self, reference=self.reference.with_design(**labels), judges=judges)


def _shared(labels: list[Labels]) -> tuple[Labels, Labels]:
    """The names that all have, in the order of the first; and the others."""
    common = set(labels[0]).intersection(*labels)
    return tuple(name for name in labels[0] if name in common), tuple(sorted(set().union(*labels) - common))


def _difference(reference: Scores, judges: Mapping[str, Scores], *, systems: bool, topics: bool) -> str:
    parts = []
    for name, scores in judges.items():
        for what, is_wanted, theirs, ours in (
            ("runs", systems, scores.systems, reference.systems),
            ("topics", topics, scores.topics, reference.topics),
        ):
            if not is_wanted:
                continue
            if lacking := set(ours) - set(theirs):
                parts.append(f"{shown(name)} lacks {what} {listing(lacking)}")
            if extra := set(theirs) - set(ours):
                parts.append(f"{shown(name)} has other {what} {listing(extra)}")
    word = "skip" if systems and topics else "drop-systems" if systems else "drop-topics"
    more = f"; and {len(parts) - 3} more" if len(parts) > 3 else ""
    return (
        f"`judges` must have the runs and topics of the reference, but {'; '.join(parts[:3])}{more}. "
        f'missing="{word}" leaves out what not all have, and missing="default" gives a judge 0 for what it lacks'
        f"{'; same_topics=False is for judges with topics of their own' * topics}."
    )


def _filled(scores: Scores, reference: Scores) -> Scores:
    """The scores on the reference's runs and topics; 0 where there is none."""
    topics, systems = map(list, (reference.topics, reference.systems))
    matrices = []
    for name, matrix in scores.items():
        frame = pd.DataFrame(matrix.values, list(matrix.topics), list(matrix.systems))
        values = frame.reindex(index=topics, columns=systems, fill_value=0.0).to_numpy()
        matrices.append(ScoreMatrix(values, topics, systems, name, matrix.negated))
    return Scores(matrices, replace(scores.alignment, topics=reference.topics, systems=reference.systems))
