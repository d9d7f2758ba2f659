"""Judges by their labels: how these are read, how far they agree, and what is wrong with them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import combinations
from numbers import Real
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure
from scipy.special import stdtr

from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.display import Drawable
from pt_rankcorr.io.paths import QrelsLike
from pt_rankcorr.io.trec import DOCUMENT, read_qrels
from pt_rankcorr.judgments import label_agreement
from pt_rankcorr.judgments.label_agreement import LabelAgreement
from pt_rankcorr.judgments.repetitions import (
    JudgeRepetitions,
    factor_table,
    repetitions_of,
    runs_of_judges,
)
from pt_rankcorr.stats.accuracy.difference import clusters_of
from pt_rankcorr.stats.core.arguments import listing, one_of, real_number, share
from pt_rankcorr.stats.core.jackknife import pseudo_values
from pt_rankcorr.stats.core.types import Floats, Labels, Result
from pt_rankcorr.stats.significance.pairwise import holm
from pt_rankcorr.stats.significance.power import check_difference
from pt_rankcorr.text import percent, shown
from pt_rankcorr.warnings import (
    DistortedLabelsWarning,
    RepeatedJudgmentsWarning,
    UnmatchedNamesWarning,
    silencing,
    warn,
)

JUDGED = "Judged@10"


# --- how labels are read --------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """How the labels of a set are read."""

    # the lowest relevant label, also by measures; None for 1, and what measures say
    threshold: float | None = None
    # label -> what it stands for, if not for itself
    labels: Mapping[float, float] = field(default_factory=dict)

    @property
    def relevant(self) -> float:
        """The lowest label that counts as relevant."""
        return 1 if self.threshold is None else self.threshold

    def of(self, judgments: pd.DataFrame) -> pd.DataFrame:
        """Judgments whose labels are what they stand for."""
        return judgments.replace({"relevance": dict(self.labels)}) if self.labels else judgments

    def measures(
        self, measures: Mapping[str, Measure], judgments: pd.DataFrame, name: str
    ) -> dict[str, Measure]:
        """The measures on this scale; an error if labels are fractions that one cannot take."""
        labels = judgments["relevance"]
        fractions = labels[labels % 1 != 0]
        # these take fractions, without parameters beside the cut-off; others need a threshold
        take_fractions = type(ir_measures.nDCG), type(ir_measures.Judged)
        computed, refused = {}, []
        for key, measure in measures.items():
            computed[key] = measure
            if self.threshold is not None and "rel" in measure.SUPPORTED_PARAMS:
                computed[key] = measure(rel=self.threshold)
            elif not isinstance(measure, take_fractions) or not measure.params.keys() <= {"cutoff"}:
                refused.append(key)
        if len(fractions) and refused:
            rule = f"`judges` must have whole-number labels for {listing(refused)}"
            seen = f"{fractions.iloc[0]:g} in {shown(name)}"
            remedy = "`relevance_threshold=` says which fractions are relevant"
            raise ValueError(f"{rule}, got {seen}. {remedy}, `label_map=` what they stand for.")
        return computed


def scales_of(names: Collection[str], relevance_threshold: Any, label_map: Any) -> dict[str, Scale]:
    """Set -> its scale; thresholds and maps are for all sets, or by names and patterns of sets."""
    if not isinstance(relevance_threshold, Mapping):
        relevance_threshold = {"*": relevance_threshold}
    mapped = label_map.values() if isinstance(label_map, Mapping) else ()
    if not any(isinstance(labels, Mapping) for labels in mapped):
        label_map = {"*": label_map}
    thresholds = _by_set(relevance_threshold, names, "relevance_threshold")
    maps = _by_set(label_map, names, "label_map")
    scales = {}
    for name in names:
        threshold = lowest_relevant(thresholds.get(name), "relevance_threshold")
        scales[name] = Scale(threshold, _labels(maps.get(name)))
    return scales


def warn_of_unused_labels(scales: Mapping[str, Scale], sets: Mapping[str, pd.DataFrame]) -> None:
    """Warns of labels of a `label_map` that no set has before it is on its scale."""
    unused = {label for scale in scales.values() for label in scale.labels}
    for name, judgments in sets.items():
        unused -= scales[name].labels.keys() & set(judgments["relevance"])
    if unused:
        labels = f"labels that no judge gives: {listing(unused)}"
        warn(f"`label_map` has {labels}.", UnmatchedNamesWarning)


def lowest_relevant(value: object, parameter: str) -> float | None:
    """A threshold of relevance: None or a finite number, an int if whole, as measures take it."""
    if value is None:
        return None
    number = real_number(parameter, value)
    if math.isinf(number):
        raise ValueError(f"`{parameter}` must be finite, got {number}.")
    return int(number) if number % 1 == 0 else number


def _by_set(values: Mapping[Any, Any], names: Collection[str], parameter: str) -> dict[str, Any]:
    """Set -> the value that holds for it, of a mapping by names and patterns."""
    fits = {}
    for key in values:
        fits[key] = [name for name in names if str(key) == name or fnmatchcase(name, str(key))]
    if unmatched := [key for key, fitting in fits.items() if not fitting]:
        rule = f"`{parameter}` must have names or patterns of judges"
        raise ValueError(f"{rule}, got {listing(unmatched)}, which fit none.")
    # exact names count first, then patterns in order: in reverse, each replaces what counts less
    in_order = sorted(fits, key=names.__contains__, reverse=True)
    return {name: values[key] for key in reversed(in_order) for name in fits[key]}


def _labels(label_map: Any) -> dict[float, float]:
    """A map from labels to labels, if all of them are finite numbers."""
    if not isinstance(label_map, Mapping | None):
        raise TypeError(f"`label_map` must map labels to labels, got {shown(label_map)}.")
    labels = dict(label_map or {})
    if odd := [label for label in [*labels, *labels.values()] if not isinstance(label, Real)]:
        raise TypeError(f"`label_map` must map numbers to numbers, got {shown(odd[0])}.")
    for label, meaning in labels.items():
        if not np.isfinite([label, meaning]).all():
            rule = "`label_map` must map finite labels to finite labels"
            raise ValueError(f"{rule}, got {label} mapped to {meaning}.")
    return labels


# --- what is wrong with them ----------------------------------------------------------------------


class LabelSet(NamedTuple):
    """The properties of a set of labels.

    Attributes:
        n_judgments: The number of labelled documents, each counted on each of its topics.
        n_topics: The number of the reference's topics with labels.
        coverage: The share of the reference's judgments that have a label here.
        n_outside, outside: The number of labels outside the reference's scale, from 0, or its
            lowest label, to its highest; and some of these, the commonest first.
        n_fractions: The number of labels that are not whole numbers.
        n_repeated: The number of lines that repeat another one.
        n_contradicting: The number of documents with several labels, of which the highest counts.
        commonest, commonest_share: The commonest label, and the share of documents with it.
        judged: judged@10: the judged share of the first ten documents of runs; nan without runs.
    """

    name: str
    n_judgments: int
    n_topics: int
    coverage: float
    n_outside: int
    outside: str
    n_fractions: int
    n_repeated: int
    n_contradicting: int
    commonest: float
    commonest_share: float
    judged: float

    def doubts(self, reference: LabelSet, *, of_rankings: bool) -> Iterator[str]:
        """The faults that distort such a judge's labels, or rankings of runs by them.

        The shares from which judgments or topics are few, or a label too common, are conventions.
        """
        if self.coverage < 0.5:
            n_shared = round(self.coverage * reference.n_judgments)
            shares = f"it labels {percent(self.coverage)} of the reference's judgments"
            consequence = "kappa and alpha are of these"
            if of_rankings:
                consequence = "the others count as not relevant"
            yield f"{shares} ({n_shared} of {reference.n_judgments}), and {consequence}"
        if self.n_topics < 0.5 * reference.n_topics:
            topics = f"{self.n_topics} of {reference.n_topics} topics"
            yield f"it judges {topics}, and no others can be compared"
        if self.n_outside:
            labels = f"{self.n_outside} of {self.n_judgments} labels"
            scale = f"the reference's scale ({self.outside})"
            yield f"{labels} are outside of {scale}, which `label_map=` can fix"
        if self.commonest_share >= 0.97 > reference.commonest_share:
            documents = f"{percent(self.commonest_share)} of its documents"
            yield f"{documents} have the label {self.commonest:g}"
        if self.n_contradicting:
            yield f"{self.n_contradicting} documents have several labels"


@dataclass(frozen=True, eq=False)
class LabelChecks(Result):
    """The properties of sets of labels, next to those of the reference."""

    reference: LabelSet = field(repr=False)
    sets: tuple[LabelSet, ...]
    _labels: Mapping[str, pd.Series] = field(repr=False, compare=False)  # of documents

    def differ(self, names: Collection[str]) -> float:
        """The share of documents that two sets label differently, on average over pairs of them."""
        shares = []
        for pair in combinations(names, 2):
            both = pd.concat([self._labels[name] for name in pair], axis=1, join="inner").to_numpy()
            shares.append(float((both[:, 0] != both[:, 1]).mean()) if len(both) else math.nan)
        return float(np.mean(shares)) if shares else math.nan

    def doubts(self, *, of_rankings: bool = True) -> Iterator[str]:
        """The faults that distort labels, or rankings by them: one sentence a set, with counts."""
        for labels in self.sets:
            if doubts := [*labels.doubts(self.reference, of_rankings=of_rankings)]:
                yield f"{shown(labels.name)}: {'; '.join(doubts)}"

    def warn(self, used: Collection[str]) -> None:
        """Warns of these faults, once per used set."""
        sets = tuple(labels for labels in self.sets if labels.name in used)
        for doubt in replace(self, sets=sets).doubts():
            warn(f"{doubt}.", DistortedLabelsWarning)

    def columns_by_set(self) -> dict[str, dict[str, Any]]:
        """Set -> the properties of its labels that are columns of its rows in a comparison."""
        counts = ("n_outside", "n_fractions", "n_repeated", "n_contradicting")
        known = (*counts, "commonest", "commonest_share", "judged")
        return {
            labels.name: {name: getattr(labels, name) for name in known} for labels in self.sets
        }


def label_checks_of(
    reference: pd.DataFrame, sets: Mapping[str, pd.DataFrame], judged: Sequence[float]
) -> LabelChecks:
    """The properties of sets of labels, from judgments as they were read.

    `judged` has the judged share of the runs' first documents, by the reference, then by each set.
    """
    trusted = reference.groupby(DOCUMENT, sort=False)["relevance"].max()
    properties, labels_of = [], []
    all_sets = [("the reference", reference), *sets.items()]
    for (name, judgments), share_judged in zip(all_sets, judged, strict=True):
        by_document = judgments.groupby(DOCUMENT, sort=False)["relevance"]
        labels = by_document.max()
        labels_of.append(labels)
        counts = labels.value_counts()
        outside = labels[(labels > trusted.max()) | (labels < min(trusted.min(), 0))].value_counts()
        named = [f"{label:g}" for label in outside.index[:3]]  # as a cell of a table has room for
        properties.append(
            LabelSet(
                name=name,
                n_judgments=len(labels),
                n_topics=len(set(judgments["query_id"]) & set(reference["query_id"])),
                coverage=float(trusted.index.isin(labels.index).mean()),
                n_outside=int(outside.sum()),
                outside=", ".join([*named, *["..."] * (len(outside) > len(named))]),
                n_fractions=int((labels % 1 != 0).sum()),
                n_repeated=int(judgments.duplicated().sum()),
                n_contradicting=int((by_document.nunique() > 1).sum()),
                commonest=float(counts.index[0]),
                commonest_share=float(counts.iloc[0] / len(labels)),
                judged=share_judged,
            )
        )
    own, *others = properties
    return LabelChecks(own, tuple(others), dict(zip(sets, labels_of[1:], strict=True)))


# --- the comparison -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LabelComparison(Result, Drawable):
    """How far the labels of judges agree with the reference's, best kappa first.

    Attributes:
        judges: Their names, by falling kappa.
        agreement: Judge -> agreement with the reference: measures, intervals, confusion, by topic.
        label_checks: The properties of the sets of labels.
        pvalues: Of each pair of judges alone, for equal kappas: a paired jackknife over topics.
        clusters: The judges, split where the kappa of all above is significantly higher than of all
            below, corrected by Holm for all pairs. Judges of one may differ.
    """

    judges: Labels
    agreement: Mapping[str, LabelAgreement] = field(repr=False)
    label_checks: LabelChecks = field(repr=False)
    pvalues: pd.DataFrame = field(repr=False, compare=False)
    clusters: tuple[Labels, ...]
    level: float
    alpha: float
    width: float | None

    def repetitions(
        self, factors: object, repetition: str, measure: str = "kappa"
    ) -> JudgeRepetitions:
        r"""How much the agreement of judges varies between their runs, and between topics.

        Args:
            factors: Those of judges, as for `JudgeComparison.families`, such as
                ``r"(?P<model>\w+)-(?P<run>\d+)"``.
            repetition: The factor that numbers the runs of one judge.
            measure: "kappa", or another measure of `agreement`.

        Returns:
            A row a judge. Topic sampling error is that of the jackknife over topics.
        """
        runs_of = runs_of_judges(factor_table(factors, self.judges), repetition)
        agreements = [self.agreement[name] for name in self.judges]
        one_of("measure", measure, label_agreement.MEASURES)
        values, pseudo = _values_by_topic(agreements, measure)
        n = len(pseudo)  # topics
        covariance = np.full((len(values), len(values)), np.nan)  # a single topic has none
        if n > 1:
            covariance = np.cov(pseudo, rowvar=False) / n
        df = (n - 1) / 2.0  # pseudo-values have heavy tails
        differ = {}
        for judge, runs in runs_of.items():
            differ[judge] = self.label_checks.differ([self.judges[run] for run in runs])
        return repetitions_of(
            runs_of, values, covariance, df, differ, statistic=measure, n_topics=n, level=self.level
        )


def compare_labels(
    reference: QrelsLike,
    judges: Any,
    *,
    reference_threshold: float | None = None,
    relevance_threshold: Any = None,
    label_map: Any = None,
    width: float | None = None,
    level: float = LEVEL,
    alpha: float = ALPHA,
    download: bool = False,
) -> LabelComparison:
    """How far judges agree with trusted labels: a row a judge, with intervals over topics.

    It needs no runs, and compares the documents that both judge; `coverage` is their share of the
    reference's. If one set is graded and the other binary, use binary kappa, precision and recall.
    Of several labels of a document, the highest counts.

    An interval is that of Clopper and Pearson, of as many documents as have the jackknife standard
    error over topics (with Student's t) if they are independent, and at most of all. Its low end
    allows for topics on which the judge fails and that the sample lacks. How often intervals hold
    is on the page about judges. P-values are Student's, and before the correction they are at most
    .05 for .09 of pairs of equal kappas with 5 topics, .08 with 10, .06 with 25.

    Args:
        reference: The trusted judgments, as `scores_from_runs` takes them.
        judges: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them;
            or one table with a column for each judge, or one that names the judge of each row.
            Labels may be fractions, and contradict each other.
        reference_threshold: The lowest relevant label of the reference; 1 by default.
        relevance_threshold: The same in the judges' labels: a number, or judge (a name or a
            pattern) -> number; by default that of the reference.
        label_map: Label -> what it stands for, such as `{5: 3}`, for all, or judge -> such a map.
        width: Also show how many labelled documents shorten the interval of kappa to this width, as
            `LabelAgreement.documents_needed` does.
        level: The confidence level of the intervals.
        alpha: The level of significance for the clusters.
        download: Whether the reference may be downloaded if it is "irds:" and an id of ir-datasets.

    Returns:
        A table that prints itself, with kappa, binary and weighted kappa, Krippendorff's alpha,
        coverage and what is odd about the labels. `agreement[judge]` has more measures, the
        confusion and the agreement by topic.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`.

    Warns:
        UnmatchedNamesWarning: If `label_map` has a label that no judge gives.

    References:
        Cohen, "Weighted kappa", Psychological Bulletin 70, 1968; Krippendorff, "Computing
        Krippendorff's alpha-reliability", 2011; Efron and Stein, "The jackknife estimate of
        variance", Annals of Statistics 9, 1981; Korn and Graubard, "Confidence intervals for
        proportions with small expected number of positive counts estimated from survey data",
        Survey Methodology 24, 1998. That this is taken for kappa and alpha, the allowance for
        missing topics, and the clusters, are this package's.

    Example:
        >>> people = {"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"d1": 0, "d2": 1, "d3": 2}}
        >>> model = {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d1": 0, "d2": 1, "d3": 10}}
        >>> found = compare_labels(people, {"model": model}, label_map={10: 2})
        >>> round(found.agreement["model"].kappa, 3), found.agreement["model"].coverage
        (0.75, 1.0)
    """
    level, alpha = share("level", level), share("alpha", alpha)
    width = None if width is None else check_difference("width", width)
    named = label_agreement.named_judges(judges)
    trusted = read_qrels(
        reference, parameter="reference", fractions=True, repeated=True, download=download
    )
    default = Scale(lowest_relevant(reference_threshold, "reference_threshold")).relevant
    if relevance_threshold is None:
        relevance_threshold = default
    scales = scales_of(named, relevance_threshold, label_map)
    sets = {}
    for name, qrels in named.items():
        sets[name] = read_qrels(qrels, parameter="judges", fractions=True, repeated=True)
    warn_of_unused_labels(scales, sets)
    sets = {name: scales[name].of(judgments) for name, judgments in sets.items()}
    label_checks = label_checks_of(trusted, sets, [math.nan] * (1 + len(sets)))  # without runs
    with silencing(RepeatedJudgmentsWarning):  # a column says which judges contradict themselves
        agreement = {}
        for name, judgments in sets.items():
            thresholds = default, scales[name].relevant
            agreed = label_agreement.agreement_of(trusted, judgments, thresholds=thresholds)
            agreement[name] = agreed
    names = sorted(agreement, key=lambda name: -np.nan_to_num(agreement[name].kappa, nan=-2.0))
    pvalues = _pvalues_of_pairs([agreement[name] for name in names])
    # only above the diagonal, where the column is the worse judge, as `clusters_of` takes it
    corrected, pairs = np.ones_like(pvalues), np.triu_indices(len(names), 1)
    corrected[pairs] = holm(pvalues[pairs])
    clusters = clusters_of(corrected < alpha)
    return LabelComparison(
        judges=tuple(names),
        agreement=agreement,
        label_checks=label_checks,
        pvalues=pd.DataFrame(pvalues, index=names, columns=names),
        clusters=tuple(tuple(names[place] for place in cluster) for cluster in clusters),
        level=level,
        alpha=alpha,
        width=width,
    )


def _values_by_topic(agreements: Sequence[LabelAgreement], measure: str) -> tuple[Floats, Floats]:
    """The value of a measure by judge, and its jackknife pseudo-values, shape (n_topics, n_judges).

    Where a measure is undefined without a topic, it counts there as the value on all topics.
    """
    values = np.array([getattr(agreement, measure) for agreement in agreements])
    columns = [agreement.without_a_topic[measure] for agreement in agreements]
    without = pd.concat(columns, axis=1).to_numpy(np.float64)
    return values, pseudo_values(values, np.where(np.isnan(without), values, without))


def _pvalues_of_pairs(agreements: Sequence[LabelAgreement]) -> Floats:
    """The p-values of equal kappas of judges, (n_judges, n_judges): t tests of pseudo-values.

    It is 1 on the diagonal, with a single topic, and where a kappa is undefined.
    """
    kappas, pseudo = _values_by_topic(agreements, "kappa")
    pvalues = np.ones((len(kappas), len(kappas)))
    if len(pseudo) < 2:
        return pvalues
    first, second = np.triu_indices(len(kappas), 1)
    differences = pseudo[:, first] - pseudo[:, second]
    errors = differences.std(axis=0, ddof=1) / math.sqrt(len(pseudo))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.abs((kappas[first] - kappas[second]) / errors)
    alone = 2 * stdtr(len(pseudo) - 1, -statistics)
    pvalues[first, second] = pvalues[second, first] = np.nan_to_num(alone, nan=1.0)
    return pvalues
