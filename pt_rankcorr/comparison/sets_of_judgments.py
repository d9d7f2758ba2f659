"""The same runs under other judgments: those of other assessors or language models, or some of the given ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices, defaults
from pt_rankcorr.comparison import leaderboards
from pt_rankcorr.comparison.engine import Case, Engine, shared_options
from pt_rankcorr.comparison.judging import JudgeComparison
from pt_rankcorr.comparison.rows import Comparison, RankingAgreement, Settings  # noqa: F401 - of a field
from pt_rankcorr.io import paths
from pt_rankcorr.io.measure_names import find_measure, resolve_measures
from pt_rankcorr.io.paths import LabelsLike, MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.io.runs import each_run, scores_from_runs
from pt_rankcorr.io.trec import one_label_each, read_qrels
from pt_rankcorr.judgments import label_agreement, labels, pools
from pt_rankcorr.judgments.panels import COMBINED, members_of_panels, panel_of_labels
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import list_of, listing, one_of, share, whole_number
from pt_rankcorr.stats.core.types import Floats, Labels

WITH_JUDGED = resolve_measures([labels.JUDGED])  # beside the measures that are asked for
JUDGMENTS_AT_ONCE = 1_000_000  # that evaluators hold together; some 500 bytes each
SUBSETS_AT_ONCE = 16


# --- of other judges ------------------------------------------------------------------------------------------


@shared_options()
def compare_judgments(
    runs: RunsLike,
    reference_qrels: QrelsLike,
    others: Mapping[str, QrelsLike] | Sequence[str | PathLike[str]],
    measures: Iterable[MeasureLike],
    *,
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
    panels: Mapping[str, str | Sequence[str]] | None = None,
    combine: choices.Combine = "mean",
    verbose: bool | None = None,
    **options: Any,
) -> JudgeComparison:
    """Whether other judgments, from language models, assessors or shallow pools, rank systems differently.

    It evaluates the runs under each set, and compares the sets as `compare_leaderboards` compares judges, on the topics
    that every set judges. A row also says how far the labels agree, for example by Cohen's kappa. Wrong labels that
    affect all systems alike do not change the ranking: it can be right where kappa is low, or wrong where it is high.

    Columns, and `hygiene` of the result, say what is wrong with labels. An unusable set fails alone: the others are
    compared, and `failed` gives the reason. Each run is read twice. With `per_topic`, rows also have the accuracy of
    pairs of documents, as `judgments.pair_accuracy` computes it.

    Args:
        runs, names, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        reference_qrels: The trusted judgments, as `scores_from_runs` takes them, or "irds:" and the id of a dataset of
            ir-datasets.
        others: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them, named after files
            without ".qrels". Labels may be fractions: nDCG takes these as gains. Several collections are compared
            where runs, judgments and others map the same collections to these.
        measures: Measures, as objects or by name.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        relevance_threshold, reference_threshold, label_map: As for `compare_labels`, but both thresholds are 1 by
            default. Measures that count relevant documents take one that is given in place of their `rel`.
        groups: Those of `bias`, checked before anything is computed.
        panels: Name -> a list of judges, or a pattern of their names, whose labels are joined to those of one more
            judge, as `judgments.panel` does. `panels()` of the result compares it with its members.
        combine: "mean", "median" or "majority" of labels.
        download, verbose: As for `compare`.
        **options: Those of all comparisons.

    Returns:
        A table like that of `compare_leaderboards`, with `judge` for the name of a set.

    Raises:
        OSError, TypeError, ValueError: As `compare`; also if the sets share fewer than two topics, or none is usable.

    Warns:
        DistortedLabelsWarning: If labels distort how a judge ranks runs.
        FailedJudgesWarning: If some sets cannot be used.
        UnmatchedNamesWarning: If `label_map` has a label that no judge gives.

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
    if leaderboards.are_collections(reference_qrels):
        return leaderboards.by_collection(compare_judgments, locals(), "reference_qrels", "runs", "others")
    engine = Engine(**options)
    paths.check_all_there(runs, reference_qrels, others)
    sources = label_agreement.named_judges(others, "others")
    short = {name.removesuffix(".qrels"): source for name, source in sources.items()}
    if not isinstance(others, Mapping) and len(short) == len(sources):
        sources = short
    one_of("combine", combine, COMBINED)
    members = members_of_panels(panels, list(sources))
    own_scale = labels.Scale(labels.lowest_relevant(reference_threshold, "reference_threshold"))
    scales = labels.scales_of([*sources, *members], relevance_threshold, label_map)
    scales |= {name: replace(scales[name], labels={}) for name in members}  # its labels are on the scale already
    readable, resolved = pools.keep_readable(runs, names), resolve_measures(measures)

    # read
    in_runs = {qid for _, run in each_run(readable, verbose=False) for qid in run}
    is_in_runs = lambda qid, _: qid in in_runs  # noqa: E731
    trusted = read_qrels(reference_qrels, is_in_runs, "reference_qrels", download=download)
    evaluated = resolved | WITH_JUDGED
    own_measures = own_scale.measures(evaluated, trusted, "the reference")
    measures_of: dict[str, dict[str, Measure]] = {}
    usable: dict[str, pd.DataFrame] = {}
    as_given: dict[str, pd.DataFrame] = {}  # also of those that cannot be used
    failed: dict[str, Exception] = {}
    for name, source in sources.items():
        try:
            as_given[name] = read_qrels(source, is_in_runs, "others", fractions=True, repeated=True)
            one_label_each(as_given[name], source, "others")
            if set(trusted["query_id"]).isdisjoint(as_given[name]["query_id"]):
                raise ValueError("`others` must judge a topic that the runs have and the reference judges, got none.")
            judgments = scales[name].of(as_given[name])
            measures_of[name] = scales[name].measures(evaluated, judgments, name)
            usable[name] = judgments.drop_duplicates(ignore_index=True)
        except (ValueError, OSError) as error:
            failed[name] = error
    if not usable:
        raise next(iter(failed.values()))
    for name, own in members.items():
        try:
            if lacking := [member for member in own if member not in usable]:
                raise ValueError(f"`panels` must have judges that can be used, got {listing(lacking)}.")
            judgments = panel_of_labels({member: usable[member] for member in own}, combine).assign(iteration="0")
            measures_of[name] = scales[name].measures(evaluated, judgments, name)
            as_given[name] = usable[name] = judgments
        except ValueError as error:
            failed[name] = error
    labels.warn_of_idle_labels(scales, as_given)

    # score, on the topics that all judge
    topics = [set(judgments["query_id"]) for judgments in (trusted, *usable.values())]
    common = set.intersection(*topics)
    if not common:
        raise ValueError("`others` must judge a topic that the runs have and all other sets judge, got none.")
    sets = [
        judgments[judgments["query_id"].isin(common)].reset_index(drop=True)
        for judgments in (trusted, *usable.values())
    ]
    how: dict[str, Any] = {"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose}
    alike = scores_from_runs(readable, sets[0], evaluated.values(), **how)
    if len(alike.topics) < 2:
        raise ValueError(f"`runs` and all judgments must share at least 2 topics, got {listing(alike.topics)}.")
    measures_of_sets = [own_measures, *(measures_of[name] for name in usable)]
    scored = pools.scores_under(readable, sets, measures_of_sets, alike, verbose=verbose)
    own_judged, *judged_of = (float(scores[labels.JUDGED].values.mean()) for scores in scored)
    judged = dict(zip(usable, judged_of, strict=True))
    wanted = [*dict.fromkeys(map(str, resolved.values()))]
    reference, *of_judges = (
        scores.select(measures=wanted).with_design(clusters=clusters, strata=strata) for scores in scored
    )
    judges = dict(zip(usable, of_judges, strict=True))

    # compare labels
    of_runs = {name: scales[name].of(judgments) for name, judgments in as_given.items() if len(judgments)}
    hygiene = labels.hygiene_of(trusted, of_runs, [own_judged, *(judged.get(name, math.nan) for name in of_runs)])
    hygiene.warn(judges)
    trusted, *of_sets = (judgments[judgments["query_id"].isin(alike.topics)] for judgments in sets)
    of_hygiene, columns = hygiene.more(), {}
    for name, judgments in zip(judges, of_sets, strict=True):
        thresholds = own_scale.relevant, scales[name].relevant
        agreed = label_agreement.agreement_of(trusted, judgments, thresholds=thresholds).to_dict()
        agreed = {"krippendorff_alpha" if key == "alpha" else key: value for key, value in agreed.items()}
        columns[name] = {**agreed, **of_hygiene[name]}  # alpha is the level of tests
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
    key_of = {str(measure): key for key, measure in resolved.items()}
    cases = []
    for measure, judge in product(reference, judges):
        name = key_of[measure]
        more = {"reference_computed": str(own_measures[name]), "measure_computed": str(measures_of[judge][name])}
        more = {**columns[judge], **(more if has_thresholds else {})}
        key = {"judge": judge, "reference": measure, "measure": measure}
        cases.append(Case(key, reference[measure], judges[judge][measure], more))
    reasons = {name: str(error) for name, error in failed.items()}
    dropped = tuple(sorted(set.union(*topics) - common))
    of_panels = {name: own for name, own in members.items() if name in judges}
    comparison = JudgeComparison(
        (), engine.settings, reference, judges, dropped, (), reasons, hygiene, groups, of_panels
    )
    return leaderboards.with_rows(comparison, engine, cases)


# --- fewer -----------------------------------------------------------------------------------------------------


class Band(NamedTuple):
    """A statistic along a curve: its middle and its band, with one value for each depth or share."""

    x: Floats
    middle: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class JudgmentCurve(Comparison):
    """Rankings under some judgments against that under all: a `RankingAgreement` per measure and depth or share.

    Attributes:
        kind: "depth" of pools or "share" of judgments.
        reference: The scores under all judgments, with the report of their alignment.
        n_judgments: The number of all judgments.
        repetitions: The number of random samples of each share; 1 for pools.
    """

    kind: str
    reference: Scores = field(repr=False)
    n_judgments: int
    repetitions: int

    def _facts(self) -> dict[str, Any]:
        return {"kind": self.kind, "n_judgments": self.n_judgments, "repetitions": self.repetitions}

    def _subject(self) -> str:
        sizes = f"{len(self.reference.systems)} systems on {len(self.reference.topics)} topics"
        return f"{sizes}, {self.n_judgments} judgments in all."

    @property
    def measures(self) -> Labels:
        """The names of the measures."""
        return self.reference.measures

    def band(self, measure: object, statistic: str = "tau") -> Band:
        """A statistic along the curve.

        The middle is the median over repetitions, and the band holds the central part of them, of size `level`. For
        pools, which are not random, it is the interval of tau or tau_AP over topics; other statistics have none.

        Args:
            measure: One of the curve's.
            statistic: A coefficient, such as "tau", or "d_rank" or "d_rank_pvalue".

        Returns:
            Arrays of depths or shares, ascending, of middles and of the two ends.
        """
        columns = self.settings.columns
        one_of("statistic", statistic, (*columns, "d_rank", "d_rank_pvalue"))
        frame = self.to_frame()
        by_x = frame[frame["measure"] == find_measure(measure, self.measures)].groupby(self.kind)
        name = columns.get(statistic, statistic.replace("_pvalue", " pvalue"))
        if name not in frame:
            raise ValueError(f"`statistic` must be of the curve, which has no {statistic}: it needs `d_rank=True`.")
        middle = by_x[name].median()
        if self.kind == "share":
            tail = (1 - self.settings.level) / 2
            low, high = by_x[name].quantile(tail), by_x[name].quantile(1 - tail)
        elif f"{name} low" in frame:
            low, high = by_x[f"{name} low"].first(), by_x[f"{name} high"].first()
        else:
            low = high = middle
        return Band(*(np.asarray(column, dtype=np.float64) for column in (middle.index, middle, low, high)))

    def indistinguishable_from(self, measure: object, alpha: float = defaults.ALPHA) -> float:
        """The depth or share from which the median p-value of d_rank stays above alpha; nan if there is none."""
        band = self.band(measure, "d_rank_pvalue")
        return _from_which_on(band.x, band.middle > share("alpha", alpha))

    def reaches(self, measure: object, value: float, statistic: str = "tau") -> float:
        """The depth or share from which the median of a coefficient stays at a value or above; nan if none."""
        band = self.band(measure, one_of("statistic", statistic, self.settings.columns))
        return _from_which_on(band.x, band.middle >= value)


def _from_which_on(x: Floats, reached: Any) -> float:
    """The first place from which on it is reached at all places; nan if there is none."""
    stays = np.logical_and.accumulate(np.asarray(reached)[::-1])[::-1]
    return float(x[stays][0]) if stays.any() else math.nan


@shared_options("alpha", "intervals", "population", "top", "per_topic", "variant", "test", d_rank=True)
def judgment_curve(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Iterable[MeasureLike],
    *,
    depths: Sequence[int] | None = None,
    shares: Sequence[float] | None = None,
    repetitions: int | None = None,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    download: bool = False,
    clusters: LabelsLike = None,
    strata: LabelsLike = None,
    verbose: bool | None = None,
    **options: Any,
) -> JudgmentCurve:
    """How well fewer judgments rank systems: each measure against its own ranking under all judgments.

    The subsets are pools of some depths (`pool`), or several random samples of each share (`sample_judgments`).
    All systems get the same score on a topic that loses all its judgments, or all relevant ones. Runs are read once for
    every 16 subsets, or fewer if all judgments are more than 60 thousand.

    Args:
        runs, names, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        qrels: All judgments, as `scores_from_runs` takes them, or "irds:" and the id of a dataset of ir-datasets.
        measures: Measures, as objects or by name.
        depths, shares: Depths of pools, from 0 to 10^9; or shares of the judgments, from 0 to 1.
        repetitions: The number of random samples of each share; by default 10.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        download, verbose: As for `compare`.
        **options: Those of all comparisons.

    Returns:
        The curve, with `to_frame()`, `band(measure, statistic)` and `indistinguishable_from(measure)`.

    Raises:
        OSError, TypeError, ValueError: As `compare`; also unless exactly one of depths and shares is given.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3, table 2 and
        figure 4; Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 0} for topic in range(5)}
        >>> runs = {name: {topic: {"d1": 2.0, "d2": score} for topic in qrels} for name, score in [("a", 1), ("b", 3)]}
        >>> curve = judgment_curve(runs, qrels, ["AP"], depths=[1, 2], n_resamples=99, rng=1)
        >>> curve.band("AP").middle, curve.indistinguishable_from("AP")
        (array([1., 1.]), 1.0)
    """
    engine = Engine(keeps_scores=False, intervals=depths is not None, test=None, **options)
    if (depths is None) == (shares is None):
        raise ValueError("`depths` or `shares` must be given, and not both.")
    places: list[Any]
    if depths is not None:
        if repetitions is not None:
            raise ValueError(f"`repetitions` must be None for depths, which are not random, got {repetitions}.")
        kind, repetitions = "depth", 1
        places = [pools.depth_of_pool(depth, "depths") for depth in list_of("depths", depths, "numbers")]
    else:
        kind, repetitions = "share", whole_number("repetitions", 10 if repetitions is None else repetitions, at_least=1)
        places = [pools.check_share("shares", value) for value in list_of("shares", shares, "numbers")]
    places = sorted(set(places))
    if not places:
        raise ValueError(f"`{kind}s` must hold at least one {kind}, got none.")
    paths.check_all_there(runs, qrels)
    resolved, readable = resolve_measures(measures), pools.keep_readable(runs, names)
    judgments = read_qrels(qrels, download=download)
    reference = scores_from_runs(
        readable, judgments, resolved.values(), missing=missing, lower_is_better=lower_is_better, verbose=verbose
    ).with_design(clusters=clusters, strata=strata)
    judgments = judgments[judgments["query_id"].isin(reference.topics)].reset_index(drop=True)

    def subsets() -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        for repetition, child in enumerate(np.random.default_rng(engine.settings.seed).spawn(repetitions)):
            by_place: Any  # depth or share -> judgments
            if kind == "depth":
                by_place = pools.pool(readable, judgments, places, verbose=verbose)
            else:
                by_place = pools.sample_judgments(judgments, places, child)
            yield from (({kind: place, "repetition": repetition}, subset) for place, subset in by_place.items())

    def blocks() -> Iterator[list[Case]]:
        remaining = subsets()
        size = max(min(SUBSETS_AT_ONCE, JUDGMENTS_AT_ONCE // max(len(judgments), 1)), 1)
        while block := list(islice(remaining, size)):
            sets = [subset for _, subset in block]
            scored = pools.scores_under(readable, sets, [resolved] * len(sets), reference, verbose=verbose)
            yield [
                Case({**place, "measure": measure}, reference[measure], scores[measure], _counts(subset))
                for (place, subset), scores in zip(block, scored, strict=True)
                for measure in reference
            ]

    rows = engine.compute(blocks())
    return JudgmentCurve(rows, engine.settings, kind, reference, len(judgments), repetitions)


def _counts(judgments: pd.DataFrame) -> dict[str, int]:
    """What rows say about the judgments."""
    relevant = judgments[judgments["relevance"] > 0]
    return {
        "n_judgments": len(judgments),
        "n_relevant": len(relevant),
        "n_topics_judged": judgments["query_id"].nunique(),
        "n_topics_relevant": relevant["query_id"].nunique(),
    }
