"""Leaderboards of judges against a trusted one: does a judge rank runs as the reference does?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from pt_rankcorr import choices, defaults
from pt_rankcorr.comparison.engine import Engine, RowInput
from pt_rankcorr.comparison.judge_comparison import JudgeComparison
from pt_rankcorr.comparison.judges_by_collection import by_collection
from pt_rankcorr.comparison.settings import settings_of
from pt_rankcorr.components import DiscriminativePower, DRank
from pt_rankcorr.io.leaderboard_files import POLICIES, SUFFIXES, as_leaderboard, named_leaderboards
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.paths import MeasureLike, PathsLike, is_path, stem
from pt_rankcorr.judgments.inputs import Judges
from pt_rankcorr.judgments.panels import members_of_panels, panel_of_scores
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import (
    check_distinct,
    flag,
    list_of_names,
    listing,
    one_of,
    spelling_hint,
)
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import FailedJudgesWarning, MissingTopicsWarning, warn


def compare_leaderboards(
    reference: Scores | PathsLike,
    judges: Mapping[str, Scores | PathsLike] | PathsLike | Judges,
    *,
    reference_measure: MeasureLike | Sequence[MeasureLike] | None = None,
    measures: Sequence[MeasureLike] | None = None,
    missing: choices.MissingOfJudges = "error",
    same_topics: bool = True,
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    level: float = defaults.LEVEL,
    n_resamples: int | None = None,
    d_rank: bool | DRank = False,
    test: choices.PairTest | DiscriminativePower | None = defaults.PAIR_TEST,
    top: int | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> JudgeComparison:
    """Whether judges, such as language models or crowds, rank runs as a trusted leaderboard does.

    Each judge and pair of measures has a row (`RankingAgreement`): coefficients on these topics,
    with intervals for as many topics; the p-value of one true ranking; and whether the same pairs
    of runs differ significantly by judge and reference. `d_rank=True` adds d_rank and its p-value.
    `read_leaderboard` reads files that do not show their format, or where lower is better.

    Args:
        reference: The trusted leaderboard: `Scores`, or paths, as `read_leaderboard` takes them; or
            a mapping from collections to these.
        judges: Name -> scores or paths of its leaderboard; or paths and patterns, each of a judge,
            named after it; or a mapping from the same collections to these. `judgments.Judges` also
            joins judges to panels.
        reference_measure: One measure of the reference, or several; by default measures of one name
            are compared with each other, or a single one of the reference with all.
        measures: Measures of the judges; by default all, or those that the reference has too.
        missing: What to do where leaderboards differ in runs or topics: "error"; "skip", which
            keeps only what all of them have, or "warn", the same with a warning; "drop-topics" or
            "drop-systems", which leave out these alone; "default" or "zero": a judge scores 0 where
            it lacks a score, and what the reference lacks is left out.
        same_topics: Whether judges have the topics of the reference. If not, as with a model's
            synthetic topics, all statistics treat the sampling errors of the two as independent,
            and d_rank is tested by the null "two-sample".
        coefficients, level, n_resamples, d_rank, test, top, rng, n_jobs: As for `compare`.

    Returns:
        A table that prints itself, with `to_frame()`, `row(judge, measure)`, `judges(measure)` and
        `bias(groups)`.

    Raises:
        OSError, TypeError, ValueError: As `read_leaderboard` and `compare`; also if leaderboards
            differ in runs or topics under "error" or share fewer than two, or no judge can be read.

    Warns:
        FailedJudgesWarning: If some judges cannot be read: the others are compared.

    References:
        Soft pairwise accuracy: Thompson, Mathur, Deutsch, Khayrallah, "Improving statistical
        significance in human evaluation of automatic metrics via soft pairwise accuracy", WMT 2024.

    Example:
        >>> from pt_rankcorr import ScoreMatrix, Scores
        >>> ndcg = ScoreMatrix([[0.1, 0.4, 0.8], [0.2, 0.3, 0.7], [0.3, 0.6, 0.9]], measure="nDCG")
        >>> people, grade = Scores([ndcg]), ScoreMatrix(1 - ndcg.values, measure="grade")
        >>> judges = {"contrary": Scores([grade]), "same": people}
        >>> row, _ = compare_leaderboards(people, judges, test="t", n_resamples=99, rng=1)
        >>> row.judge, row.reference, row.measure, row.tau, row.coefficients["tau_ap_b"]
        ('contrary', 'nDCG', 'grade', -1.0, -1.0)
    """
    settings = settings_of(
        coefficients=coefficients,
        level=level,
        n_resamples=n_resamples,
        d_rank=d_rank,
        test=test,
        top=top,
        rng=rng,
        two_samples=None if flag("same_topics", same_topics) else True,
    )
    engine = Engine(settings, n_jobs)
    return compare_boards(reference, judges, engine, reference_measure, measures, missing)


def compare_boards(
    reference: Any,
    judges: Any,
    engine: Engine,
    reference_measure: MeasureLike | Sequence[MeasureLike] | None = None,
    measures: Sequence[MeasureLike] | None = None,
    missing: choices.MissingOfJudges = "error",
    **reading: Any,
) -> JudgeComparison:
    """`compare_leaderboards` by an engine with checked settings; `reading` is for each file."""
    settings = engine.settings
    one_of("missing", missing, tuple(POLICIES))
    of_judges = None if measures is None else list(list_of_names(measures, "measures"))
    of_reference: list[Any] | None = None
    if isinstance(reference_measure, (list, tuple)):
        of_reference = list(reference_measure)
    elif reference_measure is not None:
        of_reference = [reference_measure]
    reading["missing"] = missing

    def compare_one(reference: Any, judges: Any) -> JudgeComparison:
        """One collection: reads and aligns leaderboards, then compares pairs of measures."""
        judges = judges if isinstance(judges, Judges) else Judges(judges)
        for option in ("relevance_threshold", "label_map"):
            if (value := getattr(judges, option)) is not None:
                rule = f"`{option}` must be None for leaderboards, which have no labels"
                raise ValueError(f"{rule}, got {value!r}.")
        files = list(reference) if isinstance(reference, (list, tuple)) else [reference]
        is_file = len(files) == 1 and is_path(files[0])
        reference_name = stem(files[0], SUFFIXES) if is_file else "the reference"
        # of the reference are read: the measures asked for; else those of judges, or all if none
        wanted: dict[str, Any] = {"measures": of_reference}
        if of_reference is None:
            wanted = {"measures": of_judges, "all_if_none": True}
        trusted = as_leaderboard(reference, "reference", **wanted, **reading)
        # judge -> scores; judge -> why its file cannot be read
        boards, failed = named_leaderboards(judges.source, "judges", measures=of_judges, **reading)
        members = members_of_panels(judges.panels, list(boards))
        if members and settings.two_samples:
            rule = "`panels` must be None if judges have topics of their own"
            raise ValueError(f"{rule}, got {listing(members)}.")
        trusted, boards, dropped = shared_scores(trusted, boards, missing, settings.shared)
        for panel, in_panel in members.items():
            of_members = {judge: boards[judge] for judge in in_panel}
            boards[panel] = panel_of_scores(of_members, judges.combine)

        # pairs of measures: those of one name, or all as asked
        names = _names_of(of_reference, trusted, "reference_measure")
        # measures of the reference and of judges -> judges
        judges_of_pair: dict[tuple[str, str], list[str]] = {}
        for judge, scores in boards.items():
            pairs = list(product(names, _names_of(of_judges, scores, "measures")))
            if of_reference is None:
                same = [(first, second) for first, second in pairs if first == second]
                if not same and len(names) > 1:
                    rule = f"`reference_measure` must be one of {listing(names)}"
                    lack = f"judge {shown(judge)} has no measure of these names"
                    raise ValueError(f"{rule}, got None, and {lack}.")
                pairs = same or pairs
            for pair in pairs:
                judges_of_pair.setdefault(pair, []).append(judge)
        cases = []
        for (first, second), judges_of in judges_of_pair.items():
            for judge in judges_of:
                key = {"judge": judge, "reference": first, "measure": second}
                matrices = trusted[first], boards[judge][second]
                details = {} if settings.shared else {"n_judge_topics": len(boards[judge].topics)}
                cases.append(RowInput(key, (reference_name, judge), *matrices, details))
        comparison = JudgeComparison(
            engine.compute([cases], len(cases)),
            settings,
            reference_name,
            trusted,
            boards,
            dropped["topics"],
            dropped["runs"],
            failed={name: str(error) for name, error in failed.items()},
            members=members,
        )
        if failed:
            warn(comparison.failures, FailedJudgesWarning)
        return comparison

    return by_collection(compare_one, {"reference": reference, "judges": judges})


def _names_of(measures: Iterable[object] | None, scores: Scores, parameter: str) -> list[str]:
    """The names of the measures, each once; by default all that the scores have."""
    if measures is None:
        return list(scores.measures)
    names = [find_measure(measure, scores.measures, parameter) for measure in measures]
    if not names:
        raise ValueError(f"`{parameter}` must name at least one measure, got none.")
    check_distinct(names, parameter)
    return names


# --- the same runs and topics ---------------------------------------------------------------------


def shared_scores(
    reference: Scores, judges: Mapping[str, Scores], missing: str, same_topics: bool
) -> tuple[Scores, dict[str, Scores], dict[str, Labels]]:
    """The scores of the runs, and unless judges have their own the topics, that all have.

    Also "runs" and "topics" -> names left out; an error if the policy `missing` forbids that.
    """
    if same_topics and POLICIES[missing] == "zero":
        judges = {name: _filled(scores, reference) for name, scores in judges.items()}
    boards = [reference, *judges.values()]
    kept: dict[str, Labels] = {}
    dropped: dict[str, Labels] = {"runs": (), "topics": ()}
    for what in ("runs", "topics") if same_topics else ("runs",):
        names = [board.systems if what == "runs" else board.topics for board in boards]
        common = set(names[0]).intersection(*names)
        kept[what] = tuple(name for name in names[0] if name in common)
        dropped[what] = tuple(sorted(set().union(*names) - common))
    for what, policy in (("runs", "drop-systems"), ("topics", "drop-topics")):
        if dropped[what] and missing not in ("skip", "warn", policy):
            raise ValueError(_difference(reference, judges, dropped))
    for what, shared in kept.items():
        if len(shared) < 2:
            rule = f"`judges` must share at least 2 {what} with the reference, got {len(shared)}"
            raise ValueError(f"{rule}.{_differences(reference, judges, [what])}")
    if missing == "warn" and any(dropped.values()):
        counts = f"{len(dropped['runs'])} runs and {len(dropped['topics'])} topics"
        lost = listing([*dropped["runs"], *dropped["topics"]])
        message = f"{counts} are left out, since not all leaderboards have them: {lost}."
        warn(message, MissingTopicsWarning)
    boards = [board.select(systems=kept["runs"], topics=kept.get("topics")) for board in boards]
    if same_topics:
        boards = _in_one_design(boards, ["the reference", *judges])
    return boards[0], dict(zip(judges, boards[1:], strict=True)), dropped


def _in_one_design(boards: list[Scores], names: Sequence[str]) -> list[Scores]:
    """All with the clusters and strata of the first that has any; an error if another's differ."""
    matrices = [next(iter(scores.values())) for scores in boards]
    designed = next((matrix for matrix in matrices if matrix.design is not None), None)
    if designed is None:
        return boards
    for name, matrix in zip(names, matrices, strict=True):
        if matrix.design is not None and matrix.design != designed.design:
            rule = "`judges` must have the same clusters and strata"
            raise ValueError(f"{rule}, got other ones of {shown(name)}.")
    clusters, strata = designed.design_labels
    return [scores.with_design(clusters=clusters, strata=strata) for scores in boards]


def _difference(
    reference: Scores, judges: Mapping[str, Scores], lacking: Mapping[str, Labels]
) -> str:
    """An error's message: names that judges lack or have beside the reference, and a policy."""
    differing = [what for what, names in lacking.items() if names]
    policy, own_topics = "drop-systems", ""
    if lacking["topics"]:
        policy = "skip" if lacking["runs"] else "drop-topics"
        own_topics = "; same_topics=False is for judges with topics of their own"
    differences = _differences(reference, judges, differing)
    return (
        f"`judges` must have the runs and topics of the reference.{differences} "
        f"`missing='{policy}'` leaves out what not all have, and "
        f"`missing='default'` gives a judge 0 for what it lacks{own_topics}."
    )


def _differences(reference: Scores, judges: Mapping[str, Scores], differing: Sequence[str]) -> str:
    """Sentences on runs or topics that judges lack or have beside the reference: three of them."""
    parts, hint = [], ""
    for name, scores in judges.items():
        for what in differing:
            of_judge, of_reference = set(scores.topics), set(reference.topics)
            if what == "runs":
                of_judge, of_reference = set(scores.systems), set(reference.systems)
            if lacking := of_reference - of_judge:
                parts.append(f"{shown(name)} lacks {what} {listing(lacking)}")
            if others := of_judge - of_reference:
                parts.append(f"{shown(name)} has other {what} {listing(others)}")
            hint = hint or spelling_hint(of_judge, of_reference)
    more = f"; and {len(parts) - 3} more" if len(parts) > 3 else ""
    return f" {'; '.join(parts[:3])}{more}.{hint}" if parts else ""


def _filled(scores: Scores, reference: Scores) -> Scores:
    """The scores on the reference's runs and topics; 0 where there is none."""
    topics, systems = list(reference.topics), list(reference.systems)
    lacking = {*topics} - {*scores.topics} | {*systems} - {*scores.systems}
    lower = [name for name, matrix in scores.items() if matrix.negated]
    if lacking and lower:
        rule = f"`missing` must not be 'zero' for {listing(lower)}, where 0 would be the best"
        raise ValueError(f"{rule}, got a judge that lacks {listing(lacking)}.")
    matrices = []
    for name, matrix in scores.items():
        values = matrix.to_frame().reindex(index=topics, columns=systems, fill_value=0.0)
        matrices.append(ScoreMatrix(values.to_numpy(), topics, systems, name, matrix.negated))
    alignment = replace(scores.alignment, topics=reference.topics, systems=reference.systems)
    return Scores(matrices, alignment)
