"""Leaderboards of judges against a trusted one: does a judge rank runs as the reference does?"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from itertools import product
from typing import Any, TypeVar, cast

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.comparison.bias import JudgeBias, judge_bias, named_groups
from pt_rankcorr.comparison.engine import Case, Engine, correlations_of_row, fingerprint, shared_options
from pt_rankcorr.comparison.judges import (
    JudgeFamilies,
    JudgeRanking,
    judge_families,
    mean_over_collections,
    rank_judges,
)
from pt_rankcorr.comparison.table import (
    Comparison,
    Estimate,
    PerTopic,
    RankingAgreement,
    Settings,  # noqa: F401 - of a field
)
from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.io.leaderboards import POLICIES, as_leaderboard, named_leaderboards
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.paths import MeasureLike, PathsLike, by_name
from pt_rankcorr.judgments.labels import LabelHygiene
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import flag, listing, one_of
from pt_rankcorr.stats.core.names import check_distinct, not_a_word
from pt_rankcorr.stats.core.resampling import seed_of
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.core.workers import run_all
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import FailedJudgesWarning, MissingTopicsWarning, warn

ALIKE = " Each judge has another one: `read_scores(file, measure=...)` gives all the same name."
ALL = "all collections"
MAY_BE_OF_EACH = ("groups", "clusters", "strata")  # arguments that may be of each collection, or of all
MANY = 10  # judges from which on there is a progress bar
MAY_LACK = {  # policy -> what it leaves out if not all leaderboards have it
    "skip": ("runs", "topics"),
    "warn": ("runs", "topics"),
    "drop-topics": ("topics",),
    "drop-systems": ("runs",),
}

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class JudgeComparison(Comparison):
    """Judges compared with a reference: a sequence of `RankingAgreement`, by pair of measures and judge.

    A judge is a leaderboard, or a set of judgments under which the runs were evaluated.

    Attributes:
        reference, others: The trusted scores, and judge -> its scores, of the runs and topics in use.
        dropped_topics, dropped_systems: Topics and runs that were left out, as not all sides have them.
        failed: Judge -> why it could not be used.
        hygiene: A table of the faults of judges' labels, if judges are sets of judgments.
    """

    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    dropped_systems: Labels
    failed: Mapping[str, str] = field(default_factory=dict)
    hygiene: LabelHygiene | None = field(default=None, repr=False)
    groups: Mapping[str, object] | None = field(default=None, repr=False)

    def judges(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        alpha: float | None = None,
        n_jobs: int | None = None,
    ) -> JudgeRanking:
        """Judges in the order of their agreement with the reference in the topic population, each pair tested.

        The null hypothesis of a test: two judges agree equally well with the reference in the topic population.
        The test uses draws of the true means by the reference and by all judges, over the same resampled topics. The
        p-values of all pairs are corrected together, by the stepwise test of the largest studentised difference.

        Args:
            measure, reference: The measures of the judges and of the reference, if rows have several.
            coefficient: The name of a coefficient, or a `stats.Coefficient`.
            alpha: The level after correction; by default that of the comparison.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            The judges, best first, with significantly different clusters, and the judges that may be the best.

        References:
            Romano and Wolf, "Stepwise multiple testing as formalized data snooping", Econometrica 73, 2005.
        """
        settings = self.settings if alpha is None else replace(self.settings, alpha=alpha)
        return rank_judges([self.of_one_pair(reference, measure)], coefficient, settings, n_jobs)

    def families(
        self,
        factors: object,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeFamilies:
        r"""How much judges that are model x prompt x repetition differ by each of these, and by topic sampling error.

        The true coefficients are assumed normal: a mean, a deviation for each group of a factor, and the sampling
        error of topics, whose covariance is that of draws of the true means. Standard deviations maximise the
        restricted likelihood; intervals come from its profile, and include 0 unless the data exclude it. In
        simulations of normal coefficients 95% intervals covered .92 to 1.00 with 4 to 8 models of 3 or 4 prompts,
        and .88 between 3 models (120 samples per cell).

        Args:
            factors: A pattern with named groups that is found in the names of judges, such as
                ``r"(?P<model>\w+)-(?P<prompt>\w+)"``; or a table, judge -> factor -> value, or a frame with one row per
                judge, named by its index or in the column "judge". The first factor contains the others: prompts are
                compared within a model.
            measure, coefficient, reference, n_jobs: As for `judges`.

        Returns:
            A table that prints itself, with one row per factor and one for topic sampling error, and `best`: for
            each model the judges that may be its best, or that none can be told from another.

        References:
            Patterson and Thompson, "Recovery of inter-block information when block sizes are unequal", Biometrika 58,
            1971 (restricted likelihood).
        """
        return judge_families(*self.of_one_pair(reference, measure), factors, coefficient, self.settings, n_jobs)

    def of_one_pair(self, reference: object, measure: object) -> tuple[ScoreMatrix, dict[str, ScoreMatrix]]:
        """The scores by the chosen measures, of the reference and of each judge."""
        rows = self._rows_of(reference, measure)
        for name in ("reference", "measure"):
            measures = list(dict.fromkeys(row.key[name] for row in rows))
            if len(measures) > 1:
                advice = ALIKE if len(measures) == len(rows) else ""
                raise ValueError(f"`{name}` must be one of {listing(measures)}, got None.{advice}")
        return self.reference[rows[0].reference], {row.judge: self.others[row.judge][row.measure] for row in rows}

    def bias(
        self,
        groups: Mapping[str, object] | None = None,
        *,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        same_scale: bool = False,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeBias:
        """Whether judges favour groups of runs, beyond what the reference sees in them.

        The score shift of a run is F - h(R), with R and F its mean scores by reference and judge. The curve h is a
        parabola that never falls, fitted to runs within groups, so a judge who is lenient or bends the scale favours
        nobody. The shift of a group is the mean over its runs less that over all others, in the topic population.
        There are two p-values: one for *these very runs*, small whatever the cause of their shift; and one for *runs of
        that kind*, with errors about single runs as random: only it supports "favours such runs". Groups chosen after
        looking have no valid p.

        Args:
            groups: Group -> its runs: a list of names, or a pattern such as ``"rerank-*"``. A run is in one group
                or in none. By default those of the comparison.
            measure, reference: A measure of the judges, and of the reference; by default all.
            coefficient: As for `judges`, for the correlation without each group.
            same_scale: Whether judge and reference give the same run the same score, so that h(R) is R.
            n_jobs: As for `judges`.

        Returns:
            A table that prints itself, with `groups` and `runs`, two frames.

        Warns:
            DegenerateInputWarning: If a judge or the reference ties all runs, or those of each group: shifts are nan.
                If by the reference a group is better, or worse, than other runs in more than nine of ten pairs: its
                shift cannot be told from its quality, and its p-values are nan.
        """
        if self.settings.two_samples:
            raise ValueError("`groups` must be None if judges have topics of their own, got groups.")
        compared = [
            (row, self.reference[row.reference], self.others[row.judge][row.measure])
            for row in self._rows_of(reference, measure)
        ]
        chosen = (self.groups or {}) if groups is None else groups
        how: dict[str, Any] = {"coefficient": coefficient, "same_scale": same_scale, "n_jobs": n_jobs}
        return judge_bias(compared, chosen, self.settings, **how)

    @property
    def failures(self) -> str:
        """Which judges could not be used, and why; "" if all were."""
        reasons = "; ".join(f"{shown(name)}: {reason}" for name, reason in self.failed.items())
        of = len(self.failed) + len(self.others)
        return f"{len(self.failed)} of {of} judges cannot be used, and are left out: {reasons}" if self.failed else ""

    def _rows_of(self, reference: object, measure: object) -> list[RankingAgreement]:
        """The rows of these measures; None stands for all."""
        rows = list(self.rows)
        for name, wanted in (("measure", measure), ("reference", reference)):
            if wanted is not None:
                chosen = find_measure(wanted, dict.fromkeys(row.key[name] for row in rows), name)
                rows = [row for row in rows if row.key[name] == chosen]
        return rows

    def _name_of(self, row: RankingAgreement) -> str:
        return f"{row.judge} by {row.measure}"

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_topics": len(self.reference.topics), "n_systems": len(self.reference.systems)}
        left_out = {"dropped_topics": list(self.dropped_topics), "dropped_systems": list(self.dropped_systems)}
        return {**sizes, **left_out, "failed": dict(self.failed)}

    def _subject(self) -> str:
        dropped = [
            f"{len(names)} {what}, {listing(names)}"
            for what, names in (("runs", self.dropped_systems), ("topics", self.dropped_topics))
            if names
        ]
        left_out = f" (left out, as not all have them: {'; '.join(dropped)})" if dropped else ""
        judges = "1 judge" if len(self.failed) == 1 else f"{len(self.failed)} judges"
        unused = f" {judges} could not be used: {listing(self.failed)}." if self.failed else ""
        sizes = f"{len(self.reference.systems)} runs on {len(self.reference.topics)} topics{left_out}"
        if self.settings.two_samples:
            others = sorted({len(scores.topics) for scores in self.others.values()})
            span = " to ".join(map(str, dict.fromkeys((others[0], others[-1]))))
            return f"{sizes}; judges on {span} topics of their own: two independent samples.{unused}"
        return f"{sizes}.{unused}"


# --- several collections ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgesByCollection(Comparison):
    """Judges compared with a reference on several collections, and over all of these.

    Its rows are those over all collections, each of which counts equally, of the judges that all have; then those of
    each of the `collections`, whose comparisons have the bias and the families of judges, too.
    """

    collections: Mapping[str, JudgeComparison] = field(repr=False)
    _instead = "`judges()` has one, and so has each of `collections`"

    def judges(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        alpha: float | None = None,
        n_jobs: int | None = None,
    ) -> JudgeRanking:
        """Judges in the order of their mean agreement over collections; see `JudgeComparison.judges`, for one."""
        settings = self.settings if alpha is None else replace(self.settings, alpha=alpha)
        of_pair = [comparison.of_one_pair(reference, measure) for comparison in self.collections.values()]
        shared = [name for name in of_pair[0][1] if all(name in judges for _, judges in of_pair)]
        sides = [(trusted, {name: judges[name] for name in shared}) for trusted, judges in of_pair]
        return rank_judges(sides, coefficient, settings, n_jobs)

    def _name_of(self, row: RankingAgreement) -> str:
        return f"{row.judge} by {row.measure} in {row.collection}"

    def _facts(self) -> dict[str, Any]:
        return {"collections": {name: comparison._facts() for name, comparison in self.collections.items()}}

    def _subject(self) -> str:
        sizes = " ".join(f"{name}: {comparison._subject()}" for name, comparison in self.collections.items())
        over_all = {row.judge for row in self.rows if row.n_collections > 1}
        lacking = {row.judge for row in self.rows} - over_all
        left_out = f" Not in all collections: {listing(lacking)}." if lacking else ""
        how = f"{ALL.capitalize()}: means, each counting equally; d_rank and labels are of one."
        return f"{how} {sizes}{left_out}"


def by_collection(*parameters: str) -> Callable[[Function], Function]:
    """Lets a function take mappings from collections to these arguments, the first of which tells whether it is one."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)

        @wraps(function)
        def of_one_or_several(*args: Any, **kwargs: Any) -> Any:
            arguments = signature.bind(*args, **kwargs).arguments
            arguments |= arguments.pop("options", {})
            if _are_collections(arguments[parameters[0]]):
                return _compare_by_collection(function, parameters, arguments)
            return function(*args, **kwargs)

        return cast(Function, of_one_or_several)

    return decorate


def _names_in(value: object) -> set[str] | None:
    """The names that a mapping has; None for what is no mapping, or is the scores of one collection."""
    return {str(name) for name in value} if isinstance(value, Mapping) and not isinstance(value, Scores) else None


def _are_collections(value: Any) -> bool:
    """Whether it maps collections; not topics to labels of documents."""
    if _names_in(value) is None:
        return False
    return not any(_names_in(inner) and not any(map(_names_in, inner.values())) for inner in value.values())


def _compare_by_collection(
    function: Callable[..., JudgeComparison], parameters: Sequence[str], arguments: Mapping[str, Any]
) -> JudgesByCollection:
    """Each collection alone, with one seed, and then all together."""
    names = list(by_name(arguments[parameters[0]], parameters[0]))
    of_each = [*parameters, *(name for name in MAY_BE_OF_EACH if _names_in(arguments.get(name)) == set(names))]
    for name in of_each:
        if _names_in(arguments[name]) != set(names):
            raise ValueError(f"`{name}` must be a mapping from the collections {listing(names)}.")
    if ALL in names:
        raise ValueError(f"`{parameters[0]}` must not name a collection {ALL!r}, which are all of them.")
    rng, resume, on_row = (arguments.get(name) for name in ("rng", "resume", "on_row"))
    seed = rng if resume is not None else seed_of(rng)  # where there is a file, each call refuses what is no seed
    collections = {}
    for number, name in enumerate(names, 1):
        own = {**arguments, "rng": seed, **{key: by_name(arguments[key], key)[name] for key in of_each}}
        if resume is not None:
            own["resume"] = f"{os.fspath(resume)}.{number}"
        if on_row is not None:
            own["on_row"] = lambda row, name=name: on_row(_of_collection(row, name))
        collections[name] = function(**own)

    rows = [_of_collection(row, name) for name, comparison in collections.items() for row in comparison]
    rows_of: dict[tuple[str, ...], list[RankingAgreement]] = {}
    for comparison in collections.values():
        for row in comparison:
            rows_of.setdefault(tuple(row.key.values()), []).append(row)
    in_all = [of_judge for of_judge in rows_of.values() if len(of_judge) == len(collections)]
    means = run_all(partial(_mean_row, list(collections.values())), in_all, arguments.get("n_jobs"))
    return JudgesByCollection((*means, *rows), collections[names[0]].settings, collections)


def _of_collection(row: RankingAgreement, name: str) -> RankingAgreement:
    return replace(row, key={"collection": name, **row.key})


def _mean_row(collections: Sequence[JudgeComparison], rows: Sequence[RankingAgreement]) -> RankingAgreement:
    """The row of a judge over all collections, over the draws of each."""
    first, settings = rows[0], rows[0].settings
    estimates = {}
    if settings.intervals:
        of_collections = [
            correlations_of_row(
                comparison.reference[row.reference], comparison.others[row.judge][row.measure], settings
            )
            for comparison, row in zip(collections, rows, strict=True)
        ]
        for name in first.estimates:
            mean = mean_over_collections([correlations[name] for correlations in of_collections], settings.seed)
            estimates[name] = Estimate(mean.estimate, mean.low, mean.high)
    per_topic = {}
    for name in first.per_topic:
        value = float(np.mean([row.per_topic[name].value for row in rows]))
        per_topic[name] = PerTopic(value, math.nan, math.nan, sum(row.per_topic[name].n_undefined for row in rows))
    return RankingAgreement(
        key={"collection": ALL, **first.key},
        n_topics=sum(row.n_topics for row in rows),
        n_systems=sum(row.n_systems for row in rows),
        coefficients={name: float(np.mean([row.coefficients[name] for row in rows])) for name in first.coefficients},
        d_rank=math.nan,
        pvalue=math.nan,
        pvalue_standard_error=math.nan,
        settings=settings,
        estimates=estimates,
        one_ranking=None if first.one_ranking is None else math.nan,
        per_topic=per_topic,
        n_collections=len(rows),
    )


# --- one collection -----------------------------------------------------------------------------------------


@shared_options(n_resamples=FEWER_RESAMPLES)
@by_collection("reference", "judges")
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
    groups: Mapping[str, object] | None = None,
    verbose: bool | None = None,
    **options: Any,
) -> JudgeComparison:
    """Whether judges, such as language models or crowds, rank runs as a trusted leaderboard does.

    Each judge and pair of measures has a row: tau and tau_AP with both variants of ties, tau_GAP, Spearman's and
    Pearson's correlation on these topics, and an estimate of each in the topic population, with an interval; the
    p-value of one true ranking, small where topic sampling error does not explain how judge and reference differ;
    d_rank and its p-value; and whether the same pairs of runs differ significantly by judge and reference.

    Args:
        reference: The trusted leaderboard: `Scores`, or paths, as `read_leaderboard` takes them; or a mapping from
            collections to these.
        judges: Name -> scores or paths of its leaderboard; or paths and patterns, each of a judge, named after it; or a
            mapping from the same collections to these. Of several collections there is a file to resume from for each,
            which ends in its number.
        reference_measure: One measure of the reference, or several; by default measures of one name are compared with
            each other, or a single one of the reference with all.
        measures: Measures of the judges; by default all, or those that the reference has too.
        missing: What to do where leaderboards differ in runs or topics: "error"; "skip", which keeps only what all of
            them have, or "warn", the same with a warning; "drop-topics" or "drop-systems", which leave out these alone;
            "default" or "zero": a judge scores 0 where it lacks a score, and what the reference lacks is left out.
        same_topics: Whether judges have the topics of the reference. If not, each side has its own sample, such as
            people's topics and a model's synthetic ones. All statistics then treat the sampling errors of the two as
            independent, and d_rank is tested by the null "two-sample".
        input_format, lower_is_better: As for `read_leaderboard`.
        groups: Those of `bias`, checked before anything is computed.
        verbose: Whether to show progress; by default from ten judges on.
        **options: Those of all comparisons.

    Returns:
        A table that prints itself, with `to_frame()`, `row(judge, measure)`, `judges(measure)` and `bias(groups)`.

    Raises:
        OSError: If a file cannot be read, or `resume` cannot be written.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If leaderboards differ in runs or topics under "error" or share fewer than two, a measure is
            unknown, an argument is out of range, `resume` is another file or in use, or no judge can be read.

    Warns:
        FailedJudgesWarning: If some judges cannot be read: the others are compared.

    References:
        Soft pairwise accuracy: Thompson, Mathur, Deutsch, Khayrallah, "Improving statistical significance in human
        evaluation of automatic metrics via soft pairwise accuracy", WMT 2024.

    Example:
        >>> from pt_rankcorr import ScoreMatrix, Scores
        >>> people = Scores([ScoreMatrix([[0.1, 0.4, 0.8], [0.2, 0.3, 0.7], [0.3, 0.6, 0.9]], measure="nDCG")])
        >>> contrary = Scores([ScoreMatrix(1 - people["nDCG"].values, measure="grade")])
        >>> row, _ = compare_leaderboards(people, {"contrary": contrary, "same": people}, n_resamples=99, rng=1)
        >>> row.judge, row.reference, row.measure, row.tau, row.tau_ap_b
        ('contrary', 'nDCG', 'grade', -1.0, -1.0)
    """
    shared = flag("same_topics", same_topics)
    engine = Engine("compare_leaderboards", two_samples=not shared, **options)
    one_of("missing", missing, tuple(POLICIES))
    reading: dict[str, Any] = {"format": input_format, "missing": missing, "lower_is_better": lower_is_better}
    of_judges = None if measures is None else list(not_a_word(measures, "measures"))
    of_reference = list(reference_measure) if isinstance(reference_measure, (list, tuple)) else [reference_measure]
    if reference_measure is None:
        trusted = as_leaderboard(reference, "reference", measures=of_judges, all_if_none=True, **reading)
    else:
        trusted = as_leaderboard(reference, "reference", measures=of_reference, **reading)
    boards, failed = named_leaderboards(judges, "judges", measures=of_judges, **reading)
    trusted, boards, dropped = align(trusted, boards, missing, same_topics=shared)

    pairs = _pairs_of_measures(trusted, boards, None if reference_measure is None else of_reference, of_judges)
    cases = [
        Case(
            {"judge": judge, "reference": first, "measure": second},
            trusted[first],
            boards[judge][second],
            {} if shared else {"n_judge_topics": len(boards[judge].topics)},
        )
        for first, second in dict.fromkeys(pair for own in pairs.values() for pair in own)
        for judge, own in pairs.items()
        if (first, second) in own
    ]
    reasons = {name: str(error) for name, error in failed.items()}
    lacking = dropped["topics"], dropped["runs"]
    comparison = JudgeComparison((), engine.settings, trusted, boards, *lacking, reasons, None, groups)
    is_shown = len(boards) >= MANY if verbose is None else verbose
    return with_rows(comparison, engine, cases, verbose=is_shown)


def with_rows(
    comparison: JudgeComparison, engine: Engine, cases: Sequence[Case], *, verbose: bool = False
) -> JudgeComparison:
    """The comparison with its rows: the last step of all comparisons of judges."""
    import pyterrier as pt  # looked up when called: users choose the kind of their progress bar

    if comparison.groups is not None:
        named_groups(comparison.groups, comparison.reference.systems)
    judges = {name: fingerprint(scores) for name, scores in comparison.others.items()}
    keys = sorted(list(case.key.values()) for case in cases)
    data = {"data": [fingerprint(comparison.reference), judges], "keys": keys}
    with pt.tqdm(total=len(cases), desc="comparing judges", disable=not verbose) as bar:
        comparison = replace(comparison, rows=engine.compute(cases, data, bar.update))
    comparison.warn_of_undefined()
    if comparison.failed:
        warn(comparison.failures, FailedJudgesWarning)
    return comparison


def _pairs_of_measures(
    reference: Scores,
    judges: Mapping[str, Scores],
    of_reference: Sequence[object] | None,
    of_judges: Sequence[object] | None,
) -> dict[str, list[tuple[str, str]]]:
    """Judge -> which measures of the reference and of the judge are compared: those of one name, or all as asked."""
    trusted = _names_of(of_reference, reference, "reference_measure")
    pairs = {}
    for judge, scores in judges.items():
        every = list(product(trusted, _names_of(of_judges, scores, "measures")))
        same = [(first, second) for first, second in every if first == second]
        if of_reference is None and not same and len(trusted) > 1:
            raise ValueError(
                f"`reference_measure` must be one of {listing(trusted)}, got None, and judge {shown(judge)} has no "
                "measure of these names."
            )
        pairs[judge] = same if of_reference is None and same else every
    return pairs


def _names_of(measures: Iterable[object] | None, scores: Scores, parameter: str) -> list[str]:
    """The names of the measures, each once; by default all that the scores have."""
    if measures is None:
        return list(scores.measures)
    names = [find_measure(measure, scores.measures, parameter) for measure in measures]
    if not names:
        raise ValueError(f"`{parameter}` must name at least one measure, got none.")
    check_distinct(names, parameter)
    return names


# --- the same runs and topics -------------------------------------------------------------------------------


def align(
    reference: Scores, judges: Mapping[str, Scores], missing: str, *, same_topics: bool
) -> tuple[Scores, dict[str, Scores], dict[str, Labels]]:
    """The scores of the same runs, in the order of the reference, and either of the same topics and in one design, or
    each of its own; and what was left out, "runs" and "topics", as not all have it.
    """
    if same_topics and POLICIES[missing] == "zero":
        judges = {name: _filled(scores, reference) for name, scores in judges.items()}
    boards = [reference, *judges.values()]
    kept: dict[str, Labels] = {}
    dropped: dict[str, Labels] = {"runs": (), "topics": ()}
    kept["runs"], dropped["runs"] = _shared([board.systems for board in boards])
    if same_topics:
        kept["topics"], dropped["topics"] = _shared([board.topics for board in boards])
    if any(names and what not in MAY_LACK.get(missing, ()) for what, names in dropped.items()):
        raise ValueError(_difference(reference, judges, dropped))
    for what, names in kept.items():
        if len(names) < 2:
            raise ValueError(f"`judges` must share at least 2 {what} with the reference, got {len(names)}.")
    if missing == "warn" and any(dropped.values()):
        warn(
            f"{len(dropped['runs'])} runs and {len(dropped['topics'])} topics are left out, since not all leaderboards "
            f"have them: {listing([*dropped['runs'], *dropped['topics']])}.",
            MissingTopicsWarning,
        )
    boards = [board.select(systems=kept["runs"], topics=kept.get("topics")) for board in boards]
    if same_topics:
        boards = _in_one_design(boards, ["the reference", *judges])
    return boards[0], dict(zip(judges, boards[1:], strict=True)), dropped


def _in_one_design(boards: list[Scores], names: Sequence[str]) -> list[Scores]:
    """All with the clusters and strata of the first that has any; an error if another has different ones."""
    matrices = [next(iter(scores.values())) for scores in boards]
    designed = next((matrix for matrix in matrices if matrix.design is not None), None)
    if designed is None:
        return boards
    for name, matrix in zip(names, matrices, strict=True):
        if matrix.design is not None and matrix.design != designed.design:
            raise ValueError(f"`judges` must have the same clusters and strata, got other ones of {shown(name)}.")
    clusters, strata = designed.design_labels
    return [scores.with_design(clusters=clusters, strata=strata) for scores in boards]


def _shared(labels: list[Labels]) -> tuple[Labels, Labels]:
    """The names that all have, in the order of the first; and the others."""
    common = set(labels[0]).intersection(*labels)
    return tuple(name for name in labels[0] if name in common), tuple(sorted(set().union(*labels) - common))


def _difference(reference: Scores, judges: Mapping[str, Scores], lacking: Mapping[str, Labels]) -> str:
    """What judges lack, or have beside the reference, and which policy would go on."""
    parts = [
        f"{shown(name)} {verb} {what} {listing(names)}"
        for name, scores in judges.items()
        for what, of_judge, of_reference in (
            ("runs", set(scores.systems), set(reference.systems)),
            ("topics", set(scores.topics), set(reference.topics)),
        )
        for verb, names in (("lacks", of_reference - of_judge), ("has other", of_judge - of_reference))
        if lacking[what] and names
    ]
    policy = "skip" if all(lacking.values()) else "drop-systems" if lacking["runs"] else "drop-topics"
    more = f"; and {len(parts) - 3} more" if len(parts) > 3 else ""
    own_topics = "; same_topics=False is for judges with topics of their own" if lacking["topics"] else ""
    return (
        f"`judges` must have the runs and topics of the reference, but {'; '.join(parts[:3])}{more}. "
        f'missing="{policy}" leaves out what not all have, and missing="default" gives a judge 0 for what it '
        f"lacks{own_topics}."
    )


def _filled(scores: Scores, reference: Scores) -> Scores:
    """The scores on the reference's runs and topics; 0 where there is none."""
    topics, systems = list(reference.topics), list(reference.systems)
    lacking = {*topics} - {*scores.topics} | {*systems} - {*scores.systems}
    lower = [name for name, matrix in scores.items() if matrix.negated]
    if lacking and lower:
        raise ValueError(
            f"`missing` must not be 'zero' for {listing(lower)}, where a judge lacks {listing(lacking)}: lower is "
            "better, so 0 would be the best."
        )
    matrices = []
    for name, matrix in scores.items():
        values = matrix.to_frame().reindex(index=topics, columns=systems, fill_value=0.0)
        matrices.append(ScoreMatrix(values.to_numpy(), topics, systems, name, matrix.negated))
    return Scores(matrices, replace(scores.alignment, topics=reference.topics, systems=reference.systems))
