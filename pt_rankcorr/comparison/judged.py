"""The same runs under other judgments: do the labels agree, and are the systems ranked differently?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.adapters.measure_names import find_measure, resolve_measures
from pt_rankcorr.adapters.paths import by_name, is_path, named_files
from pt_rankcorr.adapters.runs import scores_from_runs
from pt_rankcorr.comparison._checkpoint import fingerprint
from pt_rankcorr.comparison._engine import Case, Engine, OnRow
from pt_rankcorr.comparison._evaluation import keep_readable, of_dataset, read_judgments, scores_under
from pt_rankcorr.comparison.bias import JudgeBias, judge_bias
from pt_rankcorr.comparison.judges import JudgeRanking, rank_judges
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import Comparison, RankingAgreement
from pt_rankcorr.defaults import ALPHA, LEVEL, RESAMPLES
from pt_rankcorr.judgments.agreement import agreement_of
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import flag, listing
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST


@dataclass(frozen=True)
class JudgmentComparison(Comparison):
    """Sets of judgments compared with a reference: a sequence of `RankingAgreement`, by measure and set.

    Attributes:
        reference: The scores under the reference, with the report of how they were aligned.
        others: Set -> the scores under it.
        dropped_topics: Topics that some set judges and another does not: they were left out everywhere.
    """

    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    _picture = "draw_distances"

    def judges(
        self, measure: object, coefficient: str = "tau", *, alpha: float | None = None, n_jobs: int | None = None
    ) -> JudgeRanking:
        """Sets of judgments in the order of their agreement with the reference by a measure, each pair tested.

        Args:
            measure: One of the comparison's.
            coefficient, alpha, n_jobs: As for `LeaderboardComparison.judges`, which describes the test.

        Raises:
            ValueError: If an argument is unknown or out of its range, or fewer than two sets rank systems.
        """
        name, settings = find_measure(measure, self.reference.measures), self.settings
        return rank_judges(
            self.reference[name],
            {judge: scores[name] for judge, scores in self.others.items()},
            coefficient,
            level=settings.level_of_intervals,
            alpha=settings.alpha if alpha is None else alpha,
            seed=settings.seed,
            n_jobs=n_jobs,
        )

    def bias(
        self,
        groups: Mapping[str, object],
        *,
        measure: object = None,
        coefficient: str = "tau",
        same_scale: bool = False,
        n_jobs: int | None = None,
    ) -> JudgeBias:
        """Whether sets of judgments favour groups of runs, beyond what the reference sees in them.

        Args:
            groups, coefficient, same_scale, n_jobs: As for `LeaderboardComparison.bias`, which describes the shifts.
            measure: One of the comparison's; by default all.

        Raises:
            TypeError, ValueError: As `LeaderboardComparison.bias`.
        """
        name = None if measure is None else find_measure(measure, self.reference.measures)
        compared = [
            (row, self.reference[row.key["measure"]], self.others[row.key["judgments"]][row.key["measure"]])
            for row in self.rows
            if name in (None, row.key["measure"])
        ]
        how: dict[str, Any] = {"coefficient": coefficient, "same_scale": same_scale, "n_jobs": n_jobs}
        return judge_bias(compared, groups, self.settings, **how)

    def _name_of(self, row: RankingAgreement) -> str:
        return f"{row.judgments} by {row.measure}"

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_topics": len(self.reference.topics), "n_systems": len(self.reference.systems)}
        return {**sizes, "dropped_topics": list(self.dropped_topics)}

    def _subject(self) -> str:
        dropped = self.dropped_topics
        left_out = f" ({len(dropped)} not judged by all and left out: {listing(dropped)})" if dropped else ""
        return f"{len(self.reference.systems)} systems on {len(self.reference.topics)} topics{left_out}."


def compare_judgments(
    runs: object,
    reference_qrels: object,
    others: Mapping[str, object] | Sequence[str | PathLike[str]],
    measures: Iterable[object],
    *,
    test: choices.PairTest = DEFAULT_TEST,
    alpha: float = ALPHA,
    level: float = LEVEL,
    intervals: bool = True,
    top: int | None = None,
    per_topic: bool = False,
    ties: choices.Ties = "a",
    n_resamples: int = RESAMPLES,
    null: choices.Null = DEFAULT_NULL,
    covariance: choices.Covariance | None = None,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[object] = (),
    download: bool = False,
    clusters: object = None,
    strata: object = None,
    resume: str | PathLike[str] | None = None,
    on_row: OnRow | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> JudgmentComparison:
    """Whether other judgments, of language models, assessors or shallow pools, rank systems differently.

    For each set and measure: Cohen's kappa of the labels; tau, tau_AP and tau_GAP of the rankings with intervals over
    topics; d_rank from the reference's scores, with its p-value; and the active disagreements, pairs of systems that
    differ significantly in opposite ways. All on the topics that every set judges. Wrong labels that affect all
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
        intervals, top, per_topic, ties: As for `compare_leaderboards`.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        n_resamples, null, covariance: As for `compare`.
        download, resume, on_row, rng, n_jobs, verbose: As for `compare`.

    Returns:
        A table that prints itself, with `to_frame()`, `row(judgments, measure)` and the scores under each set.

    Raises:
        OSError, TypeError: As `compare`.
        ValueError: As `compare` and `scores_from_runs`, and if the sets share fewer than two topics.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3; Moffat, Scholer,
        Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012 (active disagreements).

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0} for topic in range(5)}
        >>> good, poor = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
        >>> runs = {"good": {topic: good for topic in qrels}, "poor": {topic: poor for topic in qrels}}
        >>> contrary = {topic: {"d1": 0, "d2": 1} for topic in qrels}
        >>> row = compare_judgments(runs, qrels, {"contrary": contrary}, ["AP"], test="t", rng=1).row("contrary", "AP")
        >>> row.kappa, row.tau, row.pvalue < 0.001, row.pairs.active_disagreements
        (-1.0, -1.0, True, (('good', 'poor'),))
    """
    how = {"n_resamples": n_resamples, "null": null, "covariance": covariance, "level": level, "test": test}
    shown_as = {"ties": ties, "top": top, "per_topic": per_topic}
    settings = Settings.from_arguments(**how, **shown_as, alpha=alpha, rng=rng, resume=resume)
    flag("intervals", intervals)
    reading = {"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose}
    design = {"clusters": clusters, "strata": strata}
    with Engine("compare_judgments", settings, resume=resume, n_jobs=n_jobs, on_row=on_row) as engine:
        sources = [of_dataset(reference_qrels, download=download), *(named := _name_sources(others)).values()]
        judged = _Judged.of(keep_readable(runs, names), sources, list(named), measures, reading, design)
        cases = judged.cases()
        others_data = {name: fingerprint(scores) for name, scores in judged.others.items()}
        engine.begin(data=[fingerprint(judged.reference), others_data], intervals=intervals)
        for measure, reference in judged.reference.items():
            engine.add(reference, [case for case in cases if case.key["measure"] == measure], intervals=intervals)
        rows = engine.rows(case.key for case in cases)
    comparison = JudgmentComparison(rows, settings, judged.reference, judged.others, judged.dropped_topics)
    comparison.warn_of_undefined()
    return comparison


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
class _Judged:
    """The scores of runs under all sets of judgments, on the topics that all of them judge."""

    reference: Scores
    others: dict[str, Scores]
    labels: dict[str, dict[str, Any]]  # set -> how far its labels agree with the reference's
    dropped_topics: Labels

    @classmethod
    def of(
        cls,
        readable: Mapping[str, Any],
        sources: Sequence[object],
        judges: Sequence[str],
        measures: Iterable[object],
        reading: Mapping[str, Any],
        design: Mapping[str, object],
    ) -> _Judged:
        resolved = resolve_measures(measures)
        sets, dropped = _keep_common_topics(read_judgments(readable, sources))
        reference = scores_from_runs(readable, sets[0], resolved.values(), **reading).with_design(**design)
        if len(reference.topics) < 2:
            raise ValueError(f"`runs` and all judgments must share at least 2 topics, got {listing(reference.topics)}.")
        scored = scores_under(readable, sets[1:], resolved, reference, verbose=reading["verbose"])
        used = [judgments[judgments["query_id"].isin(reference.topics)] for judgments in sets]
        labels = [_columns(agreement_of(used[0], each).to_dict()) for each in used[1:]]
        return cls(reference, dict(zip(judges, scored, strict=True)), dict(zip(judges, labels, strict=True)), dropped)

    def cases(self) -> list[Case]:
        return [
            Case({"judgments": name, "measure": measure}, scores[measure], self.labels[name])
            for measure in self.reference
            for name, scores in self.others.items()
        ]


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
