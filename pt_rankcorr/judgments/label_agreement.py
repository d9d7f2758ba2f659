"""How far labels agree: Cohen's kappa and more, Krippendorff's alpha, and pairs of documents."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr import choices
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.io import judgment_tables, paths
from pt_rankcorr.io.trec import DOCUMENT, highest_labels, read_qrels
from pt_rankcorr.stats.accuracy import item_pairs
from pt_rankcorr.stats.core import arguments, jackknife
from pt_rankcorr.stats.core.parsing import check_no_names_are_lost
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, Labels, Result
from pt_rankcorr.stats.significance.power import check_difference
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, warn

SHARES = ("precision", "recall", "f1", "overlap")
MEASURES = ("kappa", "kappa_weighted", "kappa_binary", "alpha", *SHARES)
# the lowest value that each measure can have
LEAST = {measure: 0.0 if measure in SHARES else -1.0 for measure in MEASURES}


@dataclass(frozen=True, eq=False)
class LabelAgreement(Result):
    """The agreement of two sets of judgments on the documents that both judge.

    Attributes:
        kappa, kappa_weighted, kappa_binary: Cohen's kappa of labels, by their squared difference,
            and of binary relevance; nan if both use a single label, or share no documents.
        alpha: Krippendorff's ordinal alpha.
        precision, recall: The share of the other set's, and of the reference's, relevant documents
            that are relevant for both.
        f1: The harmonic mean of the two.
        overlap: Among documents relevant for either, the share that is relevant for both.
        coverage: The share of the reference's judgments whose documents both judge.
        n_shared, n_reference, n_other: The numbers of documents that both, and that each, judged.
        relevance_threshold, other_threshold: The lowest relevant label in the reference, the other.
        confusion: How often the reference's label (row) met the other's (column).
        by_topic: One row per topic that both judge: the same measures, and counts of judgments.
    """

    kappa: float
    kappa_weighted: float
    kappa_binary: float
    alpha: float
    precision: float
    recall: float
    f1: float
    overlap: float
    coverage: float
    n_shared: int
    n_reference: int
    n_other: int
    relevance_threshold: float
    other_threshold: float
    confusion: pd.DataFrame = field(repr=False, compare=False)
    by_topic: pd.DataFrame = field(repr=False, compare=False)
    # as `by_topic`, (n_topics, n_labels, n_labels)
    _confusions: NDArray[np.intp] = field(repr=False, compare=False)

    def confidence_interval(
        self, measure: str = "kappa", level: float = LEVEL
    ) -> ConfidenceInterval:
        """The interval of `compare_labels`; nan if undefined on all topics, or without one."""
        level = arguments.share("level", level)
        measure = arguments.one_of("measure", measure, MEASURES)
        estimate, without = getattr(self, measure), self.without_a_topic[measure].to_numpy()
        bounds = {"n_items": self._n_documents(measure), "least": LEAST[measure]}
        return jackknife.jackknife_interval(estimate, without, level, **bounds)

    def documents_needed(self, width: float, measure: str = "kappa", level: float = LEVEL) -> float:
        """How many documents that both judge shorten the interval of a measure to a width.

        Topics are the sample: as many documents a topic as here, on more topics, or on fewer.
        Standard errors, by the jackknife, fall with the root of their number; the interval is that
        of `confidence_interval` then.

        Args:
            width: From the low to the high end, above 0 and at most 2.
            measure, level: As for `confidence_interval`.

        Returns:
            The number of documents; nan where the interval is, inf beyond a million times as many.
        """
        check_difference("width", width)
        if math.isnan(self.confidence_interval(measure, level).low):
            return math.nan
        estimate, n = getattr(self, measure), len(self.by_topic)
        pseudo = jackknife.pseudo_values(estimate, self.without_a_topic[measure].to_numpy())
        error, df = math.sqrt(pseudo.var(ddof=1) / n), jackknife.degrees_of_freedom(pseudo)
        n_documents = self._n_documents(measure)

        def is_short(n_topics: int) -> bool:
            """Whether the interval has at most the width on so many topics."""
            times = n_topics / n
            moments = estimate, error / math.sqrt(times), df * times
            bounds = {"n_items": n_documents * times, "least": LEAST[measure], "failed": 0.0}
            low, high = jackknife.interval_of_share(*moments, level, n_topics=n_topics, **bounds)
            return high - low <= width

        most = 1_000_000 * n  # topics, among which the number is looked for
        # more topics never lengthen it, so bisection finds the first of 2, 3, ... that is enough
        needed = 2 + bisect_left(range(2, most), True, key=is_short)
        return float(math.ceil(needed * self.n_shared / n)) if needed < most else math.inf

    def _n_documents(self, measure: str) -> float:
        """How many independent documents, right or wrong, would tell a measure as well as these do.

        Of a share, its denominator, and of f1 that of overlap. Of 1 - D/E, with E the mean by
        chance of a disagreement d: N E^2 / mean(d^2) by chance, as then its variance near 1 is that
        of a share; N E, if labels agree or not.
        """
        counts, labels = self.confusion.to_numpy(), self.confusion.index.to_numpy()
        # which labels are relevant: rows of counts for the reference, columns for the other set
        relevant, other = labels >= self.relevance_threshold, labels >= self.other_threshold
        if measure in SHARES:
            by_reference, by_other = counts[relevant].sum(), counts[:, other].sum()
            either = by_reference + by_other - counts[relevant][:, other].sum()
            return float({"precision": by_other, "recall": by_reference}.get(measure, either))
        rows, columns = counts.sum(axis=1), counts.sum(axis=0)
        if measure == "alpha":
            rows = columns = rows + columns
        if measure == "kappa_binary":
            apart = relevant[:, np.newaxis] != other
        else:
            metrics = {"kappa": "nominal", "kappa_weighted": "interval", "alpha": "ordinal"}
            apart = disagreements(rows, labels, metrics[measure])
        return effective_items(self.n_shared, rows, columns, apart)

    @cached_property
    def without_a_topic(self) -> pd.DataFrame:
        """Measures without each topic, for the jackknife, a row a topic and a column a measure."""
        total, labels = self.confusion.to_numpy(), self.confusion.index.to_numpy()
        thresholds = (self.relevance_threshold, self.other_threshold)
        rows = [_measures(total - confusion, labels, thresholds) for confusion in self._confusions]
        return pd.DataFrame(rows, index=self.by_topic["topic"], columns=list(MEASURES))


def agreement_of(
    reference: pd.DataFrame, other: pd.DataFrame, *, thresholds: tuple[float, float] = (1, 1)
) -> LabelAgreement:
    """The agreement of two sets of judgments in the form of ir_measures, which may be empty.

    `thresholds` are the lowest relevant labels, in the reference and in the other set.
    """
    first = highest_labels(reference).set_index(DOCUMENT)["relevance"]
    second = highest_labels(other).set_index(DOCUMENT)["relevance"]
    shared = pd.concat([first, second], axis=1, join="inner", keys=["reference", "other"])
    labels, codes = np.unique(shared.to_numpy(), return_inverse=True)
    codes = codes.reshape(shared.shape)  # places of labels: the reference's, the other's
    topics, names = pd.factorize(shared.index.get_level_values("query_id"))
    # a matrix for each topic: how often a reference's label (row) met the other's (column)
    confusions = np.zeros((len(names), labels.size, labels.size), dtype=np.intp)
    np.add.at(confusions, (topics, codes[:, 0], codes[:, 1]), 1)
    total = confusions.sum(axis=0)

    overall = _measures(total, labels, thresholds)
    _warn_if_undefined("Cohen's kappa", overall["kappa"], overall["kappa_binary"])
    rows = [_measures(of_topic, labels, thresholds) for of_topic in confusions]
    by_topic = pd.DataFrame(rows, columns=list(MEASURES))
    by_topic.insert(0, "topic", names.to_numpy(object))
    by_topic["n_shared"] = confusions.sum(axis=(1, 2))
    by_topic["n_reference"] = first.groupby("query_id").size().loc[names].to_numpy()
    by_topic["n_other"] = second.groupby("query_id").size().loc[names].to_numpy()
    confusion = pd.DataFrame(total, labels, labels).rename_axis(index="reference", columns="other")
    return LabelAgreement(
        **overall,
        coverage=len(shared) / len(first) if len(first) else math.nan,
        n_shared=len(shared),
        n_reference=len(first),
        n_other=len(second),
        relevance_threshold=thresholds[0],
        other_threshold=thresholds[1],
        confusion=confusion,
        by_topic=by_topic,
        _confusions=confusions,
    )


def _measures(
    counts: NDArray[Any], labels: NDArray[Any], thresholds: tuple[float, float]
) -> dict[str, float]:
    """All `MEASURES`, from how often a reference's label (row) met another judge's (column).

    `counts` is of shape (n_labels, n_labels), for `labels` in ascending order.
    """
    relevant, other = labels >= thresholds[0], labels >= thresholds[1]
    # counts by binary relevance, (2, 2): first those of what is not relevant, then of what is
    binary = np.stack([~relevant, relevant]) @ counts @ np.stack([~other, other]).T
    # documents relevant for the other set alone, for the reference alone, and for both
    (_, extra), (missed, both) = binary
    different = labels[:, np.newaxis] - labels
    return {
        "kappa": _kappa(counts, different != 0),
        "kappa_weighted": _kappa(counts, different.astype(np.float64) ** 2),
        "kappa_binary": _kappa(binary, ~np.eye(2, dtype=bool)),
        "alpha": alpha_of(counts + counts.T, labels, "ordinal"),
        "precision": _ratio(both, both + extra),
        "recall": _ratio(both, both + missed),
        "f1": _ratio(2 * both, 2 * both + extra + missed),
        "overlap": _ratio(both, both + extra + missed),
    }


def _ratio(part: float, total: float) -> float:
    """A share; nan of nothing."""
    return float(part / total) if total else math.nan


def _warn_if_undefined(coefficient: str, *values: float) -> None:
    if any(map(math.isnan, values)):
        warn(f"{coefficient} is undefined: no two labels to agree on.", DegenerateInputWarning)


def _kappa(counts: NDArray[Any], disagreements: NDArray[Any]) -> float:
    """Cohen's kappa: 1 - observed disagreement / that by chance, weighted; nan if that is 0.

    Both matrices have a row for each label of the first judge, and a column for each of the second.
    """
    expected = (np.outer(counts.sum(axis=1), counts.sum(axis=0)) * disagreements).sum()
    observed = counts.sum() * (counts * disagreements).sum()
    return 1.0 - float(observed / expected) if expected else math.nan


def cohen_kappa(confusion: ArrayLike) -> float:
    """Cohen's kappa: agreement beyond that by chance of judges with these frequencies of labels.

    kappa = (p_o - p_e) / (1 - p_e), with p_o the share on the diagonal and p_e the sum over labels
    of the products of their shares in rows and columns. It is at most 1, 0 by chance, or negative.

    Args:
        confusion: How often the label of the first judge (row) met that of the second (column), a
            square matrix. Index and columns of a frame, as from `pandas.crosstab`, are the labels,
            and are matched.

    Returns:
        kappa; nan, with a warning, if there are no counts, or both judges use only the same label.

    Raises:
        TypeError, ValueError: If the counts are not numbers, negative, or no square matrix.

    References:
        Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
        Measurement 20, 1960.

    Example:
        >>> round(cohen_kappa([[20, 5], [10, 15]]), 4)
        0.4
    """
    if isinstance(confusion, pd.DataFrame):

        def whole(label: Any) -> Any:
            """A label 1.0 as 1: whole numbers become floats where some are missing."""
            return int(label) if isinstance(label, float) and label.is_integer() else label

        rows = arguments.distinct(map(whole, confusion.index), "confusion", "labels")
        columns = arguments.distinct(map(whole, confusion.columns), "confusion", "labels")
        labels = sorted({*rows, *columns})
        confusion = confusion.set_axis(rows).set_axis(columns, axis=1)
        confusion = confusion.reindex(labels, columns=labels, fill_value=0)
    else:
        check_no_names_are_lost(confusion, "confusion")
    counts = arguments.as_floats(confusion, "confusion")
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"`confusion` must be a square matrix, got shape {counts.shape}.")
    if (counts < 0).any():
        raise ValueError(f"`confusion` must hold counts, got {counts.min()}.")
    kappa = _kappa(counts, ~np.eye(len(counts), dtype=bool))
    _warn_if_undefined("Cohen's kappa", kappa)
    return kappa


# --- Krippendorff's alpha -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class JudgesAlpha(Result):
    """The agreement of several sets of judgments, beyond chance.

    Attributes:
        statistic: Krippendorff's alpha.
        low, high: The ends of its interval in the topic population; nan with a single topic.
        metric: How two labels disagree.
        n_items, n_topics: The number of (topic, document) that several sets judge, and of topics.
    """

    statistic: float
    low: float
    high: float
    metric: str
    level: float
    judges: Labels = field(repr=False)
    n_judges: int
    n_items: int
    n_topics: int


def alpha_of_judges(
    judges: Any, metric: choices.LabelMetric = "ordinal", *, level: float = LEVEL
) -> JudgesAlpha:
    """Krippendorff's alpha of two or more qrels: agreement beyond chance, with its interval.

    alpha is that of `krippendorff_alpha`, over the documents that at least two sets judge. The
    interval is the jackknife over topics of `compare_labels`.

    Args:
        judges: Name -> judgments, as `scores_from_runs` takes them; or qrels files, a folder or a
            pattern of them, at least two. Labels may be fractions.
        metric: As for `krippendorff_alpha`.
        level: The confidence level of the interval.

    Returns:
        alpha with its interval; nan, with a warning, where there is nothing to agree on.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`, or if there are fewer than two sets.

    Example:
        >>> people = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 0, "d2": 1, "d3": 1}}
        >>> model = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 0, "d2": 0}}
        >>> found = alpha_of_judges({"people": people, "model": model, "again": model}, "nominal")
        >>> round(found.statistic, 3), found.n_items
        (0.656, 4)
    """
    arguments.one_of("metric", metric, get_args(choices.LabelMetric))
    named = named_judges(judges)
    if len(named) < 2:
        header = "a header with the topic, the document, and each judge's labels"
        remedy = f"A table of several judges needs {header}."
        raise ValueError(f"`judges` must be at least 2, to agree, got {len(named)}. {remedy}")
    level = arguments.share("level", level)
    sets = [read_qrels(qrels, parameter="judges", fractions=True) for qrels in named.values()]
    judgments = pd.concat(map(highest_labels, sets), ignore_index=True)
    by_document = judgments.groupby(DOCUMENT, sort=False)
    values, codes = np.unique(judgments["relevance"].to_numpy(np.float64), return_inverse=True)
    # how often each document has each label, (n_documents, n_labels)
    counts = np.zeros((by_document.ngroups, values.size), dtype=np.intp)
    np.add.at(counts, (by_document.ngroup().to_numpy(), codes), 1)
    topic_of = pd.factorize(by_document["query_id"].first())[0]  # of a document
    several = counts.sum(axis=1) > 1
    topics, sizes = np.unique(topic_of[several], return_counts=True)
    # the labels of documents, one topic after the other, are cut where topics end
    in_order = counts[several][np.argsort(topic_of[several], kind="stable")]
    counts_by_topic = np.split(in_order, sizes.cumsum())[:-1]
    by_topic = np.array([coincidences(of_topic) for of_topic in counts_by_topic])
    # coincidences of topics add up, as those of documents do: without one is a difference
    total = by_topic.sum(axis=0) if topics.size else np.zeros((values.size, values.size))
    alpha = alpha_of(total, values, metric)
    _warn_if_undefined("Krippendorff's alpha", alpha)
    without = np.array([alpha_of(total - of_topic, values, metric) for of_topic in by_topic])
    frequencies = total.sum(axis=1)  # half of the labels are as many documents with two
    by_labels = disagreements(frequencies, values, metric)
    documents = effective_items(frequencies.sum() / 2, frequencies, frequencies, by_labels)
    ends = jackknife.jackknife_interval(alpha, without, level, least=-1.0, n_items=documents)
    n_items = int(several.sum())
    return JudgesAlpha(alpha, *ends, metric, level, tuple(named), len(named), n_items, topics.size)


def named_judges(judges: Any) -> dict[str, Any]:
    """Name -> judgments: of a mapping, of files, by their stems, or of one table of judges."""
    if isinstance(judges, Mapping):
        named = arguments.by_name(judges, "judges")
    else:
        named = paths.named_files(judges, "judges")
    if len(named) == 1:
        (only,) = named.values()
        if paths.is_path(only) and judgment_tables.is_table(only):
            named = judgment_tables.labels_by_judge(only) or named
    if not named:
        raise ValueError("`judges` must name at least one set of judgments, got none.")
    return named


def krippendorff_alpha(labels: ArrayLike, metric: str = "ordinal") -> float:
    """Krippendorff's alpha: agreement beyond chance of any judges, who need not judge everything.

    alpha = 1 - D_o / D_e, with D_o the mean disagreement of two labels of an item and D_e that of
    any two labels. It is at most 1, and 0 for chance agreement. Items with a single label do not
    count. `alpha_of_judges` takes qrels.

    Args:
        labels: One row per judge, one column per item; nan where a judge has no label.
        metric: How two labels disagree: "nominal" (they differ or not), "ordinal" (by how many
            labels lie between) or "interval" (by their squared difference).

    Returns:
        alpha; nan, with a warning, if no item has two labels, or all such labels are the same.

    Raises:
        TypeError, ValueError: If the labels are not numbers, infinite, or no matrix.

    Warns:
        UnreliableResultWarning: If there are more judges than items, as in a transposed matrix.

    References:
        Krippendorff, "Computing Krippendorff's alpha-reliability", 2011.

    Example:
        >>> labels = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
        >>> round(krippendorff_alpha(labels, "nominal"), 3)
        0.095
    """
    arguments.one_of("metric", metric, get_args(choices.LabelMetric))
    matrix = np.asarray(labels)
    shape = matrix.shape
    if len(shape) != 2:
        raise ValueError(f"`labels` must be of shape (n_judges, n_items), got shape {shape}.")
    if shape[0] > shape[1] > 1:
        swapped = "each row of `labels` is a judge. Is it transposed?"
        warn(f"{shape[0]} judges of {shape[1]} items: {swapped}", UnreliableResultWarning)
    if matrix.dtype.kind not in "fiu":
        is_known = ~np.vectorize(arguments.is_missing, otypes=[bool])(matrix)
        known = arguments.as_floats(matrix[is_known], "labels")
        matrix = np.full(shape, math.nan)
        matrix[is_known] = known
    values = np.unique(matrix)  # nan does not equal itself
    values = arguments.as_floats(values[values == values], "labels")
    alpha = math.nan
    if values.size:
        # how often each item has each label, (n_items, n_labels)
        counts = np.stack([(matrix == value).sum(axis=0) for value in values], axis=1)
        alpha = alpha_of(coincidences(counts[counts.sum(axis=1) > 1]), values, metric)
    _warn_if_undefined("Krippendorff's alpha", alpha)
    return alpha


def coincidences(counts: NDArray[Any]) -> Floats:
    """How often two labels meet in an item: a matrix of shape (n_labels, n_labels).

    `counts` says how often each item has each label, (n_items, n_labels); each item has several.
    """
    # so that each label of an item counts once in all
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    return np.asarray(weighted.T @ counts - np.diag(weighted.sum(axis=0)))


def alpha_of(coincidences: NDArray[Any], labels: NDArray[Any], metric: str) -> float:
    """Krippendorff's alpha, by `coincidences` of ascending labels; nan if none could disagree."""
    frequencies = coincidences.sum(axis=1)
    by_labels = disagreements(frequencies, labels, metric)
    expected = (np.outer(frequencies, frequencies) * by_labels).sum()
    observed = (coincidences * by_labels).sum() * (frequencies.sum() - 1)
    return 1.0 - float(observed / expected) if expected else math.nan


def disagreements(frequencies: NDArray[Any], labels: NDArray[Any], metric: str) -> NDArray[Any]:
    """How much labels disagree by a metric, (n_labels, n_labels); "ordinal" needs frequencies.

    A label's place is then the middle of its ranks among all; disagreement is squared distance.
    """
    places = np.cumsum(frequencies) - frequencies / 2 if metric == "ordinal" else labels
    different = (places[:, np.newaxis] - places).astype(np.float64)
    return np.asarray(different != 0 if metric == "nominal" else different**2)


def effective_items(
    n_items: float, first: NDArray[Any], second: NDArray[Any], disagreements: NDArray[Any]
) -> float:
    """N E^2 / mean(d^2): how many items tell 1 - D/E as well as N do, as `LabelAgreement` says.

    Disagreements d are those of labels by chance, with their frequencies in rows and in columns.
    """
    chance = np.outer(first, second) / max(first.sum() * second.sum(), 1)
    expected = float((chance * disagreements).sum())
    return n_items * expected**2 / float((chance * disagreements**2).sum()) if expected else 0.0


# --- pairs of documents ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PairAccuracy(Result):
    """How far two sets of labels order the documents of a topic alike.

    Attributes:
        statistic: The share of pairs that both order one way, or both tie, on average over topics.
        low, high: The ends of its interval in the topic population.
        tie_threshold: The largest difference of two labels of the other set that counts as a tie.
        n_topics, n_pairs: The number of topics of which both judge several documents, and of pairs.
        tied, tied_other: The shares of these pairs that the reference ties, and the other set.
        one_label: The accuracy of one label for all documents.
        at_random: The expected accuracy of the other set's labels in random order within topics.
    """

    statistic: float
    low: float
    high: float
    tie_threshold: float
    level: float
    n_topics: int
    n_pairs: int
    tied: float
    tied_other: float
    one_label: float
    at_random: float


def pair_accuracy(
    reference: paths.QrelsLike,
    other: paths.QrelsLike,
    *,
    tie_threshold: float | None = None,
    level: float = LEVEL,
) -> PairAccuracy:
    """How often two sets of labels agree on the order, or the tie, of two documents of a topic.

    A pair is right if both sets order it the same way, or both tie it; the share of right pairs is
    averaged over topics. Labels of the other set tie if they differ by no more than a threshold, so
    that fractions, which tie nothing, can be compared with grades. The interval is the jackknife
    over topics of `compare_labels`.

    Args:
        reference: Judgments, as `scores_from_runs` takes them.
        other: Judgments of another assessor, or of a language model; labels may be fractions.
        tie_threshold: 0 or more; by default the one with the highest accuracy on these topics, or
            those that are left.
        level: The confidence level of the interval.

    Returns:
        The accuracy, in [0, 1], with its interval, and the shares of pairs that each side ties;
        nan, with a warning, where no topic has two documents that both judge.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`, or if the threshold is negative.

    References:
        Deutsch, Foster, Freitag, "Ties matter: meta-evaluating modern metrics with pairwise
        accuracy and tie calibration", EMNLP 2023.

    Example:
        >>> people = {"1": {"d1": 2, "d2": 0, "d3": 0}, "2": {"d1": 1, "d2": 0}}
        >>> model = {"1": {"d1": 0.9, "d2": 0.2, "d3": 0.1}, "2": {"d1": 0.7, "d2": 0.3}}
        >>> found = pair_accuracy(people, model)
        >>> found.statistic, found.tie_threshold
        (1.0, 0.1)
        >>> round(pair_accuracy(people, model, tie_threshold=0).statistic, 3)
        0.833
    """
    arguments.share("level", level)
    if tie_threshold is not None and arguments.real_number("tie_threshold", tie_threshold) < 0:
        raise ValueError(f"`tie_threshold` must be 0 or more, got {tie_threshold}.")
    first = read_qrels(reference, parameter="reference", fractions=True)
    second = read_qrels(other, parameter="other", fractions=True)
    accuracy = pair_accuracy_of(first, second, tie_threshold, level)
    if not accuracy.n_topics:
        reason = "no topic has two documents that both judge"
        warn(f"The accuracy of pairs is undefined: {reason}.", DegenerateInputWarning)
    return accuracy


def pair_accuracy_of(
    reference: pd.DataFrame, other: pd.DataFrame, tie_threshold: float | None, level: float
) -> PairAccuracy:
    """`pair_accuracy` of frames of ir_measures; without a threshold, by the most accurate one."""
    both = highest_labels(reference).merge(highest_labels(other), on=DOCUMENT)
    by_topic = both.groupby("query_id", sort=True)[["relevance_x", "relevance_y"]]
    topics = []  # the labels of both sets, (n_documents,) each
    for _, labels in by_topic:
        if len(labels) > 1:
            first, second = labels.to_numpy(np.float64).T
            topics.append((first, second))
    if not topics:
        nan = math.nan
        return PairAccuracy(nan, nan, nan, nan, level, 0, 0, nan, nan, nan, nan)
    thresholds = np.array([tie_threshold])
    if tie_threshold is None:
        thresholds = item_pairs.tie_thresholds([scores for _, scores in topics])
    # (n_topics, n_thresholds); `without` is the best accuracy without each topic, for the jackknife
    accuracies = np.array([item_pairs.pair_accuracies(*labels, thresholds) for labels in topics])
    accuracy, best, without = item_pairs.calibrated(accuracies)
    threshold = float(thresholds[best])
    chance = item_pairs.chance_accuracies(topics, threshold)  # of one label, and at random
    bounds = {"n_items": sum(len(labels) for labels, _ in topics), "failed": min(chance)}
    ends = jackknife.jackknife_interval(accuracy, without, level, least=0.0, **bounds)
    n_pairs = sum(math.comb(len(labels), 2) for labels, _ in topics)
    # the sizes of groups of documents with one label, and the shares of pairs within them
    sizes = [both.groupby(["query_id", side]).size() for side in ("relevance_x", "relevance_y")]
    tied, tied_other = (int((size * (size - 1) // 2).sum()) / n_pairs for size in sizes)
    counts = len(topics), n_pairs
    return PairAccuracy(accuracy, *ends, threshold, level, *counts, tied, tied_other, *chance)
