"""Judges by their labels: how far each agrees with the reference, and what is wrong with its labels."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr

from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import QrelsLike, RunsLike
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.io.trec import DOCUMENT, read_qrels
from pt_rankcorr.judgments import scoring
from pt_rankcorr.judgments.agreement import LabelAgreement, agreement_of, named_judges
from pt_rankcorr.stats.accuracy.difference import clusters_of
from pt_rankcorr.stats.core.arguments import share
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.tables import COEFFICIENT, COUNT, NUMBER, PERCENT, PVALUE, WORD, Column, Kind, Table
from pt_rankcorr.text import percent, shown
from pt_rankcorr.warnings import DistortedLabelsWarning, RepeatedJudgmentsWarning, silencing, warn

DEPTH = 10  # of judged@k
JUDGED = f"Judged@{DEPTH}"
LEAST_COVERED, MOST_OF_ONE = 0.5, 0.97  # shares beyond which a judge is warned of
LABELS_NAMED = 3


class LabelSet(NamedTuple):
    """The properties of a set of labels.

    Attributes:
        n_judgments: The number of labelled documents, each counted on each of its topics.
        n_topics: The number of the reference's topics with labels.
        coverage: The share of the reference's judgments that have a label here.
        n_outside, outside: The number of labels outside the reference's scale, from 0, or its lowest label, to its
            highest; and some of these, the commonest first.
        n_fractions: The number of labels that are not whole numbers.
        n_repeated: The number of lines that repeat another one.
        n_contradicting: The number of documents with several labels; the highest counts if iterations differ.
        commonest, commonest_share: The commonest label, and the share of documents with it.
        judged: judged@10: the share of the first ten documents of runs that is judged; nan without runs.
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

    def doubts(self, reference: LabelSet) -> Iterator[str]:
        """The faults that distort such a judge's ranking of runs."""
        if self.coverage < LEAST_COVERED:
            n_shared = round(self.coverage * reference.n_judgments)
            yield (
                f"it labels {percent(self.coverage)} of the reference's judgments ({n_shared} of "
                f"{reference.n_judgments}), and the others count as not relevant"
            )
        if self.n_topics < LEAST_COVERED * reference.n_topics:
            yield f"it judges {self.n_topics} of {reference.n_topics} topics, and no others can be compared"
        if self.n_outside:
            yield (
                f"{self.n_outside} of {self.n_judgments} labels are outside of the reference's scale ({self.outside}), "
                "which `label_map=` can fix"
            )
        if self.commonest_share >= MOST_OF_ONE > reference.commonest_share:
            yield f"{percent(self.commonest_share)} of its documents have the label {self.commonest:g}"
        if self.n_contradicting:
            yield f"{self.n_contradicting} documents have several labels"


@dataclass(frozen=True, eq=False)
class LabelHygiene(Result):
    """The properties of sets of labels, next to those of the reference."""

    reference: LabelSet = field(repr=False)
    sets: tuple[LabelSet, ...]

    def _rows(self) -> Table:
        def column(name: str, title: str, kind: Kind = COUNT, **how: Any) -> Column[Any]:
            return Column(name, title, kind, attrgetter(name), **how)

        columns = [
            Column("judge", "labels of", WORD, attrgetter("name")),
            column("n_judgments", "judged"),
            column("n_topics", "topics", wide=True),
            column("coverage", "coverage", PERCENT),
            column("n_outside", "outside its scale"),
            column("outside", "such as", WORD, wide=True),
            column("n_fractions", "fractions"),
            column("n_repeated", "repeated"),
            column("n_contradicting", "contradicting"),
            column("commonest", "commonest label", NUMBER, text=lambda row: f"{row.commonest:g}", wide=True),
            column("commonest_share", "its share", PERCENT, wide=True),
        ]
        if not math.isnan(self.reference.judged):
            columns.append(column("judged", f"judged@{DEPTH}", PERCENT, wide=True))
        return Table(tuple(columns), (self.reference, *self.sets), n_names=1)

    def _note(self) -> str:
        return " ".join(f"{doubt}." for doubt in self.doubts())

    def doubts(self) -> Iterator[str]:
        """The faults that distort rankings: one sentence per set, with its name and counts."""
        for labels in self.sets:
            if doubts := [*labels.doubts(self.reference)]:
                yield f"{shown(labels.name)}: {'; '.join(doubts)}"

    def warn(self, used: Collection[str]) -> None:
        """Warns of these faults, once per used set."""
        for doubt in replace(self, sets=tuple(labels for labels in self.sets if labels.name in used)).doubts():
            warn(f"{doubt}.", DistortedLabelsWarning)

    def more(self) -> dict[str, dict[str, Any]]:
        """Set -> what its rows in a comparison have beside how far labels agree."""
        known = ("n_outside", "n_fractions", "n_repeated", "n_contradicting", "commonest", "commonest_share", "judged")
        return {labels.name: {name: getattr(labels, name) for name in known} for labels in self.sets}


def hygiene_of(reference: pd.DataFrame, sets: Mapping[str, pd.DataFrame], judged: Sequence[float]) -> LabelHygiene:
    """Of judgments as they were read, and of what they judge of the runs, the reference first."""
    trusted = reference.groupby(DOCUMENT, sort=False)["relevance"].max()
    properties = []
    for (name, judgments), share_judged in zip({"the reference": reference, **sets}.items(), judged, strict=True):
        by_document = judgments.groupby(DOCUMENT, sort=False)["relevance"]
        labels = by_document.max()
        counts = labels.value_counts()
        outside = labels[(labels > trusted.max()) | (labels < min(trusted.min(), 0))].value_counts()
        named = [f"{label:g}" for label in outside.index[:LABELS_NAMED]]
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
    return LabelHygiene(properties[0], tuple(properties[1:]))


# --- the comparison -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LabelComparison(Result):
    """How far the labels of judges agree with the reference's, best kappa first.

    Attributes:
        judges: Their names, by falling kappa.
        agreement: Judge -> its agreement with the reference: measures, intervals, confusion, and by topic.
        hygiene: The properties of the sets of labels, such as labels outside of the reference's scale.
        pvalues: Of each pair of judges, whether their kappas over all topics are equal: a paired jackknife over topics,
            corrected by Holm for all pairs.
        clusters: The judges, split where the kappa of all above is significantly higher than of all below.
    """

    judges: Labels
    agreement: Mapping[str, LabelAgreement] = field(repr=False)
    hygiene: LabelHygiene = field(repr=False)
    pvalues: pd.DataFrame = field(repr=False, compare=False)
    clusters: tuple[Labels, ...]
    level: float
    alpha: float

    def _rows(self) -> Table:
        sets = {labels.name: labels for labels in self.hygiene.sets}
        rows = [(name, self.agreement[name], sets[name]) for name in self.judges]
        cluster = {name: number for number, names in enumerate(self.clusters, 1) for name in names}
        is_complete = all(agreement.coverage == 1.0 for agreement in self.agreement.values())

        def measure(name: str, title: str, wide: bool = False) -> Column[Any]:
            interval = lambda row: row[1].confidence_interval(name, self.level)  # noqa: E731
            return Column(name, title, COEFFICIENT, lambda row: getattr(row[1], name), interval=interval, wide=wide)

        def labels(name: str, title: str, kind: Kind = COUNT) -> Column[Any]:
            return Column(name, title, kind, lambda row: getattr(row[2], name), wide=True)

        columns = [
            Column("judge", "judge", WORD, lambda row: row[0]),
            Column("cluster", "cluster", COUNT, lambda row: cluster[row[0]]),
            measure("kappa", "kappa"),
            Column("pvalue_first", "p, first", PVALUE, lambda row: self.pvalues.loc[row[0], self.judges[0]]),
            measure("kappa_binary", "binary kappa"),
            measure("alpha", "alpha"),
            measure("kappa_weighted", "weighted kappa", wide=True),
            Column("coverage", "coverage", PERCENT, lambda row: row[1].coverage, wide=is_complete),
            Column("precision", "precision", COEFFICIENT, lambda row: row[1].precision, wide=True),
            Column("recall", "recall", COEFFICIENT, lambda row: row[1].recall, wide=True),
            Column("n_shared", "judged by both", COUNT, lambda row: row[1].n_shared, wide=True),
            Column(
                "commonest",
                "commonest label",
                NUMBER,
                lambda row: row[2].commonest,
                text=lambda row: f"{row[2].commonest:g}",
                wide=True,
            ),
            labels("commonest_share", "its share", PERCENT),
            labels("n_outside", "outside the scale"),
            labels("outside", "such as", WORD),
            labels("n_fractions", "fractions"),
            labels("n_repeated", "repeated"),
            labels("n_contradicting", "contradicting"),
        ]
        if not math.isnan(self.hygiene.reference.judged):
            columns.append(labels("judged", f"judged@{DEPTH}", PERCENT))
        return Table(tuple(columns), rows, n_names=1)

    def _note(self) -> str:
        agreements = self.agreement.values()
        thresholds = {it.relevance_threshold for it in agreements} | {it.other_threshold for it in agreements}
        first = (
            f"In brackets: {percent(self.level)} intervals over topics (jackknife). Binary kappa: relevant from "
            f"{' or '.join(f'{threshold:g}' for threshold in sorted(thresholds))} on. Alpha: Krippendorff's, ordinal. "
            f"Judges of different clusters differ in kappa (p <= {self.alpha:g}, Holm)."
        )
        return " ".join([first, *(f"{doubt}." for doubt in self.hygiene.doubts())])


def compare_labels(
    reference: QrelsLike,
    judges: Any,
    *,
    reference_threshold: float | None = None,
    relevance_threshold: Any = None,
    label_map: Any = None,
    runs: RunsLike | None = None,
    level: float = LEVEL,
    alpha: float = ALPHA,
) -> LabelComparison:
    """How far judges agree with trusted labels: a row a judge, with intervals over topics. It needs no runs.

    It compares the documents that both judge; `coverage` is their share of the reference's. If one set is graded and
    the other binary, use binary kappa, precision and recall, as no binary label can equal a higher grade. Where a
    document has several labels on a topic, the highest counts.

    An interval is the estimate, plus and minus its standard error over topics times a quantile of Student's t: a
    jackknife of topics, as judgments of one topic are alike. In simulations with 10, 25 and 50 topics 95% intervals
    covered 92 to 97%; those of a recall of .95 with 10 topics covered 89%.

    Args:
        reference: The trusted judgments, as `scores_from_runs` takes them.
        judges: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them. Labels may be
            fractions, and contradict each other.
        reference_threshold: The lowest label that counts as relevant in the reference; 1 by default. Deep learning
            tracks count labels from 2.
        relevance_threshold: The same in the judges' labels: a number, or judge (a name or a pattern) -> number; by
            default that of the reference.
        label_map: Label -> what it stands for, such as `{5: 3}`, for all judges, or judge -> such a mapping.
        runs: Runs, as `scores_from_runs` takes them, for judged@10: the share of the first ten documents that is
            judged.
        level: The confidence level of the intervals.
        alpha: The level of significance for the clusters.

    Returns:
        A table that prints itself, with kappa, binary and weighted kappa, Krippendorff's alpha, coverage and what is
        odd about the labels. `agreement[judge]` has more measures, the confusion and the agreement by topic.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`, except for contradicting labels and fractions.

    Warns:
        UnmatchedNamesWarning: If `label_map` has a label that no judge gives.

    References:
        Cohen, "Weighted kappa", Psychological Bulletin 70, 1968; Krippendorff, "Computing Krippendorff's
        alpha-reliability", 2011; Efron and Stein, "The jackknife estimate of variance", Annals of Statistics 9, 1981.
        The clusters are this package's.

    Example:
        >>> people = {"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"d1": 0, "d2": 1, "d3": 2}}
        >>> model = {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d1": 0, "d2": 1, "d3": 10}}
        >>> found = compare_labels(people, {"model": model}, label_map={10: 2})
        >>> round(found.agreement["model"].kappa, 3), found.agreement["model"].coverage
        (0.75, 1.0)
    """
    share("level", level), share("alpha", alpha)
    named = named_judges(judges)
    trusted = read_qrels(reference, parameter="reference", fractions=True, repeated=True)
    default = scoring.reference_scale(reference_threshold).relevant
    scales = scoring.scales_of(named, default if relevance_threshold is None else relevance_threshold, label_map)
    sets = {name: read_qrels(qrels, parameter="judges", fractions=True, repeated=True) for name, qrels in named.items()}
    scoring.warn_of_idle_labels(scales, sets)
    sets = {name: scales[name].of(judgments) for name, judgments in sets.items()}
    hygiene = hygiene_of(trusted, sets, _judged(runs, [trusted, *sets.values()]))
    with silencing(RepeatedJudgmentsWarning):  # a column says which judges contradict themselves
        agreement = {
            name: agreement_of(trusted, judgments, thresholds=(default, scales[name].relevant))
            for name, judgments in sets.items()
        }
    names = sorted(agreement, key=lambda name: -np.nan_to_num(agreement[name].kappa, nan=-2.0))
    pvalues = _pvalues_of_pairs([agreement[name] for name in names])
    clusters = clusters_of(np.triu(pvalues < alpha))
    return LabelComparison(
        judges=tuple(names),
        agreement=agreement,
        hygiene=hygiene,
        pvalues=pd.DataFrame(pvalues, index=names, columns=names),
        clusters=tuple(tuple(names[place] for place in cluster) for cluster in clusters),
        level=level,
        alpha=alpha,
    )


def _judged(runs: RunsLike | None, sets: Sequence[pd.DataFrame]) -> list[float]:
    """judged@10 under each set of judgments; nan without runs."""
    if runs is None:
        return [math.nan] * len(sets)
    measure = resolve_measures([JUDGED])
    once = [judgments.drop_duplicates(DOCUMENT).assign(relevance=1) for judgments in sets]
    readable = scoring.keep_readable(runs)
    reference = scores_from_runs(readable, once[0], measure.values(), missing="zero")
    scored = scoring.scores_under(readable, once, [measure] * len(once), reference)
    return [float(scores[JUDGED].values.mean()) for scores in scored]


def _pvalues_of_pairs(agreements: Sequence[LabelAgreement]) -> Floats:
    """Of each pair whether both kappas are equal in the population: Student's t of jackknife pseudo-values, by Holm.

    Leaving out a topic that a judge does not label changes nothing for this judge.
    """
    from statsmodels.stats.multitest import multipletests

    kappas = np.array([agreement.kappa for agreement in agreements])
    without = pd.DataFrame({judge: it.without_a_topic["kappa"] for judge, it in enumerate(agreements)})
    n_topics = len(without)
    pseudo = n_topics * kappas - (n_topics - 1) * without.fillna(dict(enumerate(kappas))).to_numpy()
    pvalues = np.ones((len(kappas), len(kappas)))
    pairs = np.triu_indices(len(kappas), 1)
    differences = pseudo[:, pairs[0]] - pseudo[:, pairs[1]]
    errors = differences.std(axis=0, ddof=1) / math.sqrt(n_topics) if n_topics > 1 else np.full(len(pairs[0]), np.nan)
    observed = kappas[pairs[0]] - kappas[pairs[1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = 2 * stdtr(max(n_topics - 1, 1), -np.abs(observed / errors))
    if raw.size:
        pvalues[pairs] = multipletests(np.nan_to_num(raw, nan=1.0), method="holm")[1]
    return np.minimum(pvalues, pvalues.T)
