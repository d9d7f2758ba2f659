"""Leaderboards of judges against a trusted one: does a judge rank runs as the reference does?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from pt_rankcorr import choices
from pt_rankcorr.adapters.given import MeasureLike, PathsLike
from pt_rankcorr.adapters.leaderboards import POLICIES, as_leaderboard, named_leaderboards
from pt_rankcorr.adapters.measure_names import find_measure
from pt_rankcorr.comparison._aligned import Aligned
from pt_rankcorr.comparison._checkpoint import fingerprint
from pt_rankcorr.comparison._engine import Case, Engine, OnRow
from pt_rankcorr.comparison.bias import JudgeBias, judge_bias
from pt_rankcorr.comparison.judges import JudgeRanking, rank_judges
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import Comparison, RankingAgreement
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL
from pt_rankcorr.names import check_distinct, not_a_word
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing, one_of
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST
from pt_rankcorr.text import shown

MANY = 10  # judges from which on there is a progress bar


@dataclass(frozen=True)
class JudgeComparison(Comparison):
    """Judges compared with a reference: a sequence of `RankingAgreement`, by pair of measures and judge.

    A judge is a leaderboard, or a set of judgments under which the runs were evaluated.

    Attributes:
        reference: The scores that are trusted, of the runs and topics that are used.
        others: Judge -> its scores of them.
        dropped_topics: Topics that were left out, as not all have them.
        dropped_systems: Runs that were left out for the same reason.
    """

    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    dropped_systems: Labels

    def judges(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        alpha: float | None = None,
        n_jobs: int | None = None,
    ) -> JudgeRanking:
        """Judges in the order of their agreement with the reference over all topics, each pair tested.

        A test rejects that two judges would agree equally well with the reference if topics were endless. It looks at
        draws of the true means by the reference and by all judges, over the same resampled topics. p-values of all
        pairs are corrected together, by the stepwise test of the largest studentised difference.

        Args:
            measure: That of the judges, if rows have several.
            coefficient: The name of a coefficient, or a `stats.Coefficient`.
            reference: The measure of the reference, if rows have several for that of the judges.
            alpha: The level after correction; by default that of the comparison.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            The judges, best first, with clusters that are told apart, and those that may be the best.

        Raises:
            ValueError: If an argument is unknown or out of its range, it takes one to tell which rows are meant, or
                fewer than two judges rank systems.

        References:
            Romano and Wolf, "Stepwise multiple testing as formalized data snooping", Econometrica 73, 2005.
        """
        chosen = self._rows_of(reference, measure)
        for name in ("reference", "measure"):
            there = list(dict.fromkeys(row.key[name] for row in chosen))
            if len(there) > 1:
                raise ValueError(f"`{name}` must be one of {listing(there)}, got None.")
        return rank_judges(
            self.reference[chosen[0].reference],
            {row.judge: self.others[row.judge][row.measure] for row in chosen},
            coefficient,
            level=self.settings.level,
            alpha=self.settings.alpha if alpha is None else alpha,
            seed=self.settings.seed,
            n_jobs=n_jobs,
        )

    def bias(
        self,
        groups: Mapping[str, object],
        *,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        same_scale: bool = False,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeBias:
        """Whether judges favour groups of runs, beyond what the reference sees in them.

        The score shift of a run is F - h(R), with R and F its mean scores by reference and judge. The curve h puts both
        on one scale, so that a judge who is lenient, or uses half of the scale, or bends it, favours nobody. It is a
        parabola that never falls, fitted to runs within groups: groups that differ in quality do not bend it. The shift
        of a group is the mean over its runs less that over all others. So if a judge favours one group, others have a
        shift below 0.

        All is for the means over all topics there could be: values are means, intervals quantiles, and p-values shares
        of draws of the true means by both measures. There are two p-values. One is of *these very runs*: it is small
        where the judge scores them too high or low, whatever the cause, which may be errors about single runs. The
        other is of *runs of that kind*, with errors about single runs as luck: it alone supports "favours such runs".
        Groups that were chosen after looking have no valid p. In simulations with 25 and 50 topics the second rejected
        .00 to .07 of true hypotheses at .05 (straight and bent scales, random groups and good ones).

        Args:
            groups: Group -> its runs: a list of names, or a pattern such as ``"rerank-*"``. A run is in one group
                or in none.
            measure: A measure of the judges; by default all.
            coefficient: As for `judges`, for the correlation without each group.
            same_scale: Whether judge and reference give the same run the same score, so that h(R) is R.
            reference: A measure of the reference; by default all.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            A table that prints itself, with `groups` and `runs`, two frames.

        Warns:
            DegenerateInputWarning: If a side ties all runs, or those of each group: shifts are nan. If by the reference
                a group is better, or worse, than other runs in more than nine of ten pairs: nobody can tell it from
                its quality then, and its p-values are nan.

        Raises:
            TypeError: If the groups are no mapping to lists or patterns.
            ValueError: If a group has none or all of the runs, or one that is not there or in another group; or an
                argument is unknown.
        """
        how: dict[str, Any] = {"coefficient": coefficient, "same_scale": same_scale, "n_jobs": n_jobs}
        compared = [
            (row, self.reference[row.reference], self.others[row.judge][row.measure])
            for row in self._rows_of(reference, measure)
        ]
        return judge_bias(compared, groups, self.settings, **how)

    def _rows_of(self, reference: object, measure: object) -> list[RankingAgreement]:
        """Those of measures; None stands for all."""
        rows = list(self.rows)
        for name, given in (("measure", measure), ("reference", reference)):
            if given is not None:
                found = find_measure(given, dict.fromkeys(row.key[name] for row in rows), name)
                rows = [row for row in rows if row.key[name] == found]
        return rows

    def _name_of(self, row: RankingAgreement) -> str:
        return f"{row.judge} by {row.measure}"

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_topics": len(self.reference.topics), "n_systems": len(self.reference.systems)}
        return {**sizes, "dropped_topics": list(self.dropped_topics), "dropped_systems": list(self.dropped_systems)}

    def _subject(self) -> str:
        dropped = [
            f"{len(names)} {what}, {listing(names)}"
            for what, names in (("runs", self.dropped_systems), ("topics", self.dropped_topics))
            if names
        ]
        left_out = f" (left out, as not all have them: {'; '.join(dropped)})" if dropped else ""
        return f"{len(self.reference.systems)} runs on {len(self.reference.topics)} topics{left_out}."


def compare_leaderboards(
    reference: Scores | PathsLike,
    judges: Mapping[str, Scores | PathsLike] | PathsLike,
    *,
    reference_measure: MeasureLike | Iterable[MeasureLike] | None = None,
    measures: Iterable[MeasureLike] | None = None,
    missing: choices.MissingOfJudges = "error",
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
    resume: str | PathLike[str] | None = None,
    on_row: OnRow | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> JudgeComparison:
    """Whether judges, such as language models or crowds, rank runs as a trusted leaderboard does.

    A row for each judge and pair of measures: tau and tau_AP with both variants of ties, tau_GAP, Spearman's and
    Pearson's correlation on these topics, and each as it would be over all topics, with an interval; the p-value of one
    ranking, small where the luck of topics does not explain how judge and reference differ; d_rank and its p-value; and
    whether the same pairs of runs differ significantly by judge and reference.

    Args:
        reference: The leaderboard that is trusted: `Scores`, or paths, as `read_leaderboard` takes them.
        judges: Name -> scores or paths of its leaderboard; or paths and patterns, each of a judge, named after it.
        reference_measure: One measure of the reference, or several; by default measures of one name are compared with
            each other, or a single one of the reference with all.
        measures: Measures of the judges; by default all, or those that the reference has too.
        missing: What to do where leaderboards differ in runs or topics: "error"; "skip", which leaves out what not all
            have, as "warn" does with a warning; "drop-topics" or "drop-systems", which leave out these alone; "default"
            or "zero", by which a judge scores 0 where it lacks a score, and what the reference lacks is left out.
        input_format, lower_is_better: As for `read_leaderboard`.
        intervals: Whether to say what is so over all topics.
        top: Of how many of the reference's best runs to compute all coefficients, too; they are chosen anew in each
            resample, and runs that tie at the border taken by name.
        per_topic: Whether to add the means of the coefficients of single topics.
        variant: Which variant of tau and tau_AP people are shown: "a" or "b".
        coefficients: What people are shown instead, the first one in most detail: names of coefficients, or
            `stats.Coefficient` objects. Frames have these and all that the package knows.
        test: How pairs of runs are tested, as for `compare_judgments`; None for not at all.
        alpha: The level at which two rankings, or two runs, differ significantly.
        level: The confidence level of the intervals.
        n_resamples: Resamples of topics for d_rank's test: a tenth of those elsewhere, as judges may be many.
        null, covariance: As for `DRankTest`.
        resume, on_row: As for `compare`.
        rng: Seed or generator; with `resume`, a seed. All judges are compared over the same resamples.
        n_jobs: The number of workers; the result does not depend on it.
        verbose: Whether to show progress; by default from ten judges on.

    Returns:
        A table that prints itself, with `to_frame()`, `row(judge, measure)`, `judges(measure)` and `bias(groups)`.

    Raises:
        OSError: If a file cannot be read, or `resume` cannot be written.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If leaderboards differ in runs or topics under "error", or share fewer than two, a measure is
            unknown, an argument is out of its range, or `resume` is another file, damaged or in use; or as for
            `read_leaderboard`.

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
    settings = Settings.from_arguments(
        n_resamples=n_resamples, null=null, covariance=covariance, alpha=alpha, level=level, intervals=intervals,
        top=top, per_topic=per_topic, variant=variant, coefficients=coefficients, test=test, rng=rng, resume=resume,
    )  # fmt: skip
    one_of("missing", missing, tuple(POLICIES))
    reading: dict[str, Any] = {"input_format": input_format, "missing": missing, "lower_is_better": lower_is_better}
    with Engine("compare_leaderboards", settings, resume=resume, n_jobs=n_jobs, on_row=on_row) as engine:
        trusted = as_leaderboard(reference, "reference", **reading)
        given = named_leaderboards(judges, "judges", **reading)
        aligned = Aligned.of(trusted, given, missing).in_its_design()
        pairs = _pairs(aligned, reference_measure, measures)
        return compare_judges(engine, aligned, pairs, verbose=len(given) >= MANY if verbose is None else verbose)


Pairs = Mapping[str, Sequence[tuple[str, str]]]  # judge -> measures of the reference and of the judge


def compare_judges(
    engine: Engine,
    aligned: Aligned,
    pairs: Pairs,
    labels: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    verbose: bool = False,
) -> JudgeComparison:
    """The rows of judges: what all comparisons with a reference end in.

    Args:
        engine: What computes rows.
        aligned: The scores by reference and judges.
        pairs: Which measures are compared.
        labels: Judge -> further columns, such as how far labels agree.
        verbose: Whether to show progress.
    """
    cases = [
        Case(
            {"judge": judge, "reference": first, "measure": second},
            aligned.reference[first],
            aligned.judges[judge][second],
            (labels or {}).get(judge, {}),
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
    comparison = JudgeComparison(rows, engine.settings, aligned.reference, aligned.judges, *dropped)
    comparison.warn_of_undefined()
    return comparison


def _progress(total: int, *, is_shown: bool) -> Any:
    import pyterrier as pt  # looked up when called: users choose the kind of their progress bar

    return pt.tqdm(total=total, desc="comparing judges", disable=not is_shown)


# --- which measure with which -------------------------------------------------------------------------------


def _pairs(aligned: Aligned, reference_measure: Any, measures: Any) -> Pairs:
    told = reference_measure if isinstance(reference_measure, (list, tuple)) else [reference_measure]
    trusted = _wanted(None if reference_measure is None else told, aligned.reference, "reference_measure")
    wanted = None if measures is None else list(not_a_word(measures, "measures"))
    return {
        name: _pairs_of(name, trusted, _wanted(wanted, scores, "measures"), told=reference_measure is not None)
        for name, scores in aligned.judges.items()
    }


def _wanted(measures: Iterable[object] | None, scores: Scores, parameter: str) -> list[str]:
    """The names of measures that scores have, each once; by default all."""
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
            f"`reference_measure` must say which of {listing(trusted)} is trusted, got None, and judge {shown(judge)} "
            f"has none of their names."
        )
    return same
