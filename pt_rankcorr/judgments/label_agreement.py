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
from pt_rankcorr.stats.core.arguments import as_floats, by_name, distinct, is_missing, one_of, real_number, share
from pt_rankcorr.stats.core.jackknife import degrees_of_freedom, interval_of_share, jackknife_interval, pseudo_values
from pt_rankcorr.stats.core.parsing import check_no_names_are_lost
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, Labels, Result
from pt_rankcorr.stats.significance.power import check_difference
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, warn

SHARES = ("precision", "recall", "f1", "overlap")
MEASURES = ("kappa", "kappa_weighted", "kappa_binary", "alpha", *SHARES)


@dataclass(frozen=True, eq=False)
class LabelAgreement(Result):
    """The agreement of two sets of judgments on the documents that both judge.

    Attributes:
        kappa, kappa_weighted, kappa_binary: Cohen's kappa of the unchanged labels, of labels that
            disagree by their squared difference, and of binary relevance; nan if both use a single
            label, or share no documents.
        alpha: Krippendorff's ordinal alpha.
        precision, recall: The share of the other set's, and of the reference's, relevant documents
            that are relevant for both.
        f1: The harmonic mean of the two.
        overlap: Among documents relevant for either, the share that is relevant for both.
        coverage: The share of the reference's judgments whose documents both judge.
        n_shared, n_reference, n_other: The number of judgments of documents that both judge, and of
            each set.
        relevance_threshold, other_threshold: The lowest label that counts as relevant, in the
            reference and the other.
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
    _confusions: NDArray[np.intp] = field(repr=False, compare=False)  # (n_topics, n_labels, n_labels), as `by_topic`

    def confidence_interval(self, measure: str = "kappa", level: float = LEVEL) -> ConfidenceInterval:
        """The interval of `compare_labels`; nan if undefined on all topics, or without one."""
        without = self.without_a_topic[one_of("measure", measure, MEASURES)].to_numpy()
        how = {"least": _least(measure), "n_items": self._n_documents(measure)}
        return jackknife_interval(getattr(self, measure), without, share("level", level), **how)

    def documents_needed(self, width: float, measure: str = "kappa", level: float = LEVEL) -> float:
        """How many documents that both judge shorten the interval of a measure to a width.

        Topics are the sample: as many documents a topic as here, on more topics, or on fewer.
        Standard errors, by the jackknife, fall with the root of their number; the interval is that
        of `confidence_interval` then.

        Args:
            width: From the low to the high end, above 0 and at most 2.
            measure, level: As for `confidence_interval`.

        Returns:
            The number of documents in all; nan where the interval is, inf for more than a million
            times as many.
        """
        check_difference("width", width)
        if math.isnan(self.confidence_interval(measure, level).low):
            return math.nan
        estimate, n = getattr(self, measure), len(self.by_topic)
        pseudo = pseudo_values(estimate, self.without_a_topic[measure].to_numpy())
        error, df = math.sqrt(pseudo.var(ddof=1) / n), degrees_of_freedom(pseudo)

        def is_short(n_topics: int) -> bool:  # whether on so many topics the interval has at most the width
            times = n_topics / n
            how = {"n_items": self._n_documents(measure) * times, "least": _least(measure), "failed": 0.0}
            moments = estimate, error / math.sqrt(times), df * times
            low, high = interval_of_share(*moments, level, n_topics=n_topics, **how)
            return high - low <= width

        most = 1_000_000 * n  # topics, among which the number is looked for
        # more topics never lengthen it, so the first of 2, 3, ... that is enough is found by
        # bisection
        needed = 2 + bisect_left(range(2, most), True, key=is_short)
        return float(math.ceil(needed * self.n_shared / n)) if needed < most else math.inf

    def _n_documents(self, measure: str) -> float:
        """How many independent documents, right or wrong, would tell a measure as well as these do.

        Of a share, its denominator, and of f1 that of overlap. Of 1 - D/E, with E the mean by
        chance of a disagreement d: N E^2 / mean(d^2) by chance, as then its variance near 1 is that
        of a share; N E, if labels agree or not.
        """
        counts, labels = self.confusion.to_numpy(), self.confusion.index.to_numpy()
        # which labels, rows and columns of counts, are relevant; and documents relevant for each,
        # and for either
        relevant, other = labels >= self.relevance_threshold, labels >= self.other_threshold
        by_reference, by_other = counts[relevant].sum(), counts[:, other].sum()
        either = by_reference + by_other - counts[relevant][:, other].sum()
        if measure in SHARES:
            return float({"precision": by_other, "recall": by_reference}.get(measure, either))
        rows, columns = counts.sum(axis=1), counts.sum(axis=0)
        if measure == "alpha":
            both = rows + columns
            return effective_items(self.n_shared, both, both, disagreements(both, labels, "ordinal"))
        apart = (labels[:, np.newaxis] - labels).astype(np.float64)
        if measure == "kappa_binary":
            apart = relevant[:, np.newaxis] != other
        return effective_items(self.n_shared, rows, columns, apart**2 if measure == "kappa_weighted" else apart != 0)

    @cached_property
    def without_a_topic(self) -> pd.DataFrame:
        """The measures without each topic, for the jackknife: a row a topic, a column a measure."""
        total, labels = self.confusion.to_numpy(), self.confusion.index.to_numpy()
        thresholds = (self.relevance_threshold, self.other_threshold)
        rows = [_measures(total - confusion, labels, thresholds) for confusion in self._confusions]
        return pd.DataFrame(rows, index=self.by_topic["topic"], columns=list(MEASURES))


def agreement_of(
    reference: pd.DataFrame, other: pd.DataFrame, *, thresholds: tuple[float, float] = (1, 1)
) -> LabelAgreement:
    """The agreement of two sets of judgments in the form of ir_measures, which may be empty.

    `thresholds` are the lowest labels that count as relevant, in the reference and in the other
    set.
    """
    first, second = (highest_labels(labels).set_index(DOCUMENT)["relevance"] for labels in (reference, other))
    shared = pd.concat([first, second], axis=1, join="inner", keys=["reference", "other"])
    labels, codes = np.unique(shared.to_numpy(), return_inverse=True)
    codes = codes.reshape(shared.shape)  # places of labels, (n_shared, 2): the reference's, the other's
    topics, names = pd.factorize(shared.index.get_level_values("query_id"))
    confusions = np.zeros((len(names), labels.size, labels.size), dtype=np.intp)  # a matrix for each topic
    np.add.at(confusions, (topics, codes[:, 0], codes[:, 1]), 1)
    total = confusions.sum(axis=0)

    overall = _measures(total, labels, thresholds)
    _warn_if_undefined("Cohen's kappa", overall["kappa"], overall["kappa_binary"])
    rows = []
    n_first, n_second = (judged.index.get_level_values("query_id").value_counts() for judged in (first, second))
    for topic, confusion in zip(names, confusions, strict=True):
        sizes = {"n_shared": int(confusion.sum()), "n_reference": int(n_first[topic]), "n_other": int(n_second[topic])}
        rows.append({"topic": topic, **_measures(confusion, labels, thresholds), **sizes})
    return LabelAgreement(
        **overall,
        coverage=len(shared) / len(first) if len(first) else math.nan,
        n_shared=len(shared),
        n_reference=len(first),
        n_other=len(second),
        relevance_threshold=thresholds[0],
        other_threshold=thresholds[1],
        confusion=pd.DataFrame(total, pd.Index(labels, name="reference"), pd.Index(labels, name="other")),
        by_topic=pd.DataFrame(rows, columns=["topic", *MEASURES, "n_shared", "n_reference", "n_other"]),
        _confusions=confusions,
    )


def _measures(counts: NDArray[Any], labels: NDArray[Any], thresholds: tuple[float, float]) -> dict[str, float]:
    """All `MEASURES`, from how often a reference's label (row) met another judge's (column).

    `counts` is of shape (n_labels, n_labels), for `labels` in ascending order.
    """
    relevant, other = labels >= thresholds[0], labels >= thresholds[1]
    binary = np.array(
        [[counts[rows][:, columns].sum() for columns in (~other, other)] for rows in (~relevant, relevant)]
    )
    (_, extra), (missed, both) = binary  # relevant for the other alone, for the reference alone, for both
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


def _least(measure: str) -> float:
    """The lowest value that a measure of agreement can have."""
    return 0.0 if measure in SHARES else -1.0


def _warn_if_undefined(coefficient: str, *values: float) -> None:
    if any(map(math.isnan, values)):
        warn(f"{coefficient} is undefined: no two labels to agree on.", DegenerateInputWarning)


def _kappa(counts: NDArray[Any], disagreements: NDArray[Any]) -> float:
    """Cohen's kappa by weighted disagreements: 1 - observed / chance disagreement; nan if that is
    0.

    Both matrices have a row for each label of the first judge, and a column for each of the second.
    """
    expected = (np.outer(counts.sum(axis=1), counts.sum(axis=0)) * disagreements).sum()
    return 1.0 - float(counts.sum() * (counts * disagreements).sum() / expected) if expected else math.nan


def cohen_kappa(confusion: ArrayLike) -> float:
    """Cohen's kappa: agreement beyond that by chance of judges with these frequencies of labels.

    kappa = (p_o - p_e) / (1 - p_e), with p_o the share on the diagonal and p_e the sum over labels
    of the products of their shares in rows and columns. It is at most 1, 0 for chance agreement,
    and negative for less.

    Args:
        confusion: How often the label of the first judge (row) met that of the second (column), a
            square matrix. Index and columns of a frame, as from `pandas.crosstab`, are the labels,
            and are matched.

    Returns:
        kappa; nan, with a warning, if there is nothing to agree on or both judges always use one
        and the same label.

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
        # a label 1.0 is 1: whole numbers become floats where some are missing
        whole = lambda label: int(label) if isinstance(label, float) and label.is_integer() else label  # noqa: E731
        rows, columns = (list(distinct(map(whole, axis), "confusion", "labels")) for axis in confusion.axes)
        labels = sorted({*rows, *columns})
        confusion = confusion.set_axis(rows).set_axis(columns, axis=1)
        confusion = confusion.reindex(labels, columns=labels, fill_value=0)
    else:
        check_no_names_are_lost(confusion, "confusion")
    counts = as_floats(confusion, "confusion")
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
        n_items, n_topics: The number of documents, a topic each, that several sets judge, and of
            these topics.
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


def alpha_of_judges(judges: Any, metric: choices.LabelMetric = "ordinal", *, level: float = LEVEL) -> JudgesAlpha:
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
    one_of("metric", metric, get_args(choices.LabelMetric))
    named = named_judges(judges)
    if len(named) < 2:
        remedy = "A table of several judges needs a header with the topic, the document, and each judge's labels."
        raise ValueError(f"`judges` must be at least 2, to agree, got {len(named)}. {remedy}")
    sets = [highest_labels(read_qrels(qrels, parameter="judges", fractions=True)) for qrels in named.values()]
    judgments = pd.concat(sets, ignore_index=True)
    by_document = judgments.groupby(DOCUMENT, sort=False)
    values, codes = np.unique(judgments["relevance"].to_numpy(np.float64), return_inverse=True)
    # how often each document has each label, (n_documents, n_labels), counted by the number
    # document * n_labels + label
    cells = by_document.ngroup().to_numpy() * values.size + codes
    counts = np.bincount(cells, minlength=by_document.ngroups * values.size).reshape(-1, max(values.size, 1))
    topic_of = pd.factorize(by_document["query_id"].first())[0]  # of a document
    several = counts.sum(axis=1) > 1
    topics, sizes = np.unique(topic_of[several], return_counts=True)
    # the labels of documents, one topic after the other, are cut where topics end
    in_order = counts[several][np.argsort(topic_of[several], kind="stable")]
    by_topic = np.array([coincidences(of_topic) for of_topic in np.split(in_order, sizes.cumsum())[:-1]])
    # coincidences of topics add up, as those of documents do: what is left without a topic is a
    # difference
    total = by_topic.sum(axis=0) if topics.size else np.zeros((values.size, values.size))
    alpha = alpha_of(total, values, metric)
    _warn_if_undefined("Krippendorff's alpha", alpha)
    without = np.array([alpha_of(total - of_topic, values, metric) for of_topic in by_topic])
    frequencies = total.sum(axis=1)  # half of the labels are as many documents with two
    by_labels = disagreements(frequencies, values, metric)
    documents = effective_items(frequencies.sum() / 2, frequencies, frequencies, by_labels)
    ends = jackknife_interval(alpha, without, share("level", level), least=-1.0, n_items=documents)
    return JudgesAlpha(alpha, *ends, metric, level, tuple(named), len(named), int(several.sum()), topics.size)


def named_judges(judges: Any, parameter: str = "judges") -> dict[str, Any]:
    """Name -> judgments: of a mapping, of files, by their stems, or of one table of judges."""
    named = by_name(judges, parameter) if isinstance(judges, Mapping) else paths.named_files(judges, parameter)
    if len(named) == 1 and paths.is_path(only := next(iter(named.values()))) and judgment_tables.is_table(only):
        named = judgment_tables.labels_by_judge(only) or named
    if not named:
        raise ValueError(f"`{parameter}` must name at least one set of judgments, got none.")
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
        alpha; nan, with a warning, if no item has two labels, or all labels of such items are one
        and the same.

    Raises:
        TypeError, ValueError: If the labels are not numbers, infinite, or no matrix.

    Warns:
        UnreliableResultWarning: If there are more judges than items, as when rows and columns are
            swapped.

    References:
        Krippendorff, "Computing Krippendorff's alpha-reliability", University of Pennsylvania,
        2011.

    Example:
        >>> round(krippendorff_alpha([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], "nominal"), 3)
        0.095
    """
    one_of("metric", metric, get_args(choices.LabelMetric))
    matrix = np.asarray(labels)
    if matrix.ndim != 2:
        raise ValueError(f"`labels` must be of shape (n_judges, n_items), got shape {matrix.shape}.")
    if matrix.shape[0] > matrix.shape[1] > 1:
        swapped = "each row of `labels` is a judge. Is it transposed?"
        warn(f"{matrix.shape[0]} judges of {matrix.shape[1]} items: {swapped}", UnreliableResultWarning)
    if matrix.dtype.kind not in "fiu":
        is_known = np.array([not is_missing(value) for value in matrix.ravel().tolist()], bool).reshape(matrix.shape)
        known = as_floats(matrix[is_known], "labels")
        matrix = np.full(matrix.shape, math.nan)
        matrix[is_known] = known
    values = np.unique(matrix)  # nan does not equal itself
    values = as_floats(values[values == values], "labels")
    counts = np.array([(matrix == value).sum(axis=0) for value in values], dtype=np.float64).T  # of items, by label
    alpha = alpha_of(coincidences(counts[counts.sum(axis=1) > 1]), values, metric) if values.size else math.nan
    _warn_if_undefined("Krippendorff's alpha", alpha)
    return alpha


def coincidences(counts: NDArray[Any]) -> Floats:
    """How often two labels meet in an item: a matrix of shape (n_labels, n_labels).

    `counts` says how often each item has each label, shape (n_items, n_labels); each item has
    several.
    """
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)  # so that each label of an item counts once in all
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

    The place of a label is then the middle of its ranks among all labels, and disagreement is
    squared distance.
    """
    places = np.cumsum(frequencies) - frequencies / 2 if metric == "ordinal" else labels
    different = (places[:, np.newaxis] - places).astype(np.float64)
    return np.asarray(different != 0 if metric == "nominal" else different**2)


def effective_items(n_items: float, first: NDArray[Any], second: NDArray[Any], disagreements: NDArray[Any]) -> float:
    """N E^2 / mean(d^2): how many items tell 1 - D/E as well as N do, as `LabelAgreement` says.

    Disagreements d are those of two labels by chance, with frequencies of labels in rows and in
    columns.
    """
    chance = np.outer(first, second) / max(first.sum() * second.sum(), 1)
    expected = float((chance * disagreements).sum())
    return n_items * expected**2 / float((chance * disagreements**2).sum()) if expected else 0.0


# --- pairs of documents ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PairAccuracy(Result):
    """How far two sets of labels order the documents of a topic alike.

    Attributes:
        statistic: The share of pairs of documents that both order one way, or both tie, on average
            over topics.
        low, high: The ends of its interval in the topic population.
        tie_threshold: The largest difference of two labels of the other set that counts as a tie.
        n_topics, n_pairs: The number of topics with at least two documents that both judge, and of
            their pairs.
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
    reference: paths.QrelsLike, other: paths.QrelsLike, *, tie_threshold: float | None = None, level: float = LEVEL
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
        >>> found.statistic, found.tie_threshold, round(pair_accuracy(people, model, tie_threshold=0).statistic, 3)
        (1.0, 0.1, 0.833)
    """
    share("level", level)
    if tie_threshold is not None and real_number("tie_threshold", tie_threshold) < 0:
        raise ValueError(f"`tie_threshold` must be 0 or more, got {tie_threshold}.")
    first = read_qrels(reference, parameter="reference", fractions=True)
    second = read_qrels(other, parameter="other", fractions=True)
    accuracy = pair_accuracy_of(first, second, tie_threshold, level)
    if not accuracy.n_topics:
        warn("The accuracy of pairs is undefined: no topic has two documents that both judge.", DegenerateInputWarning)
    return accuracy


def pair_accuracy_of(
    reference: pd.DataFrame, other: pd.DataFrame, tie_threshold: float | None, level: float
) -> PairAccuracy:
    """`pair_accuracy` of frames of ir_measures; without a threshold, by the most accurate one."""
    both = highest_labels(reference).merge(highest_labels(other), on=DOCUMENT)
    by_topic = both.groupby("query_id", sort=True)[["relevance_x", "relevance_y"]]
    topics = [labels.to_numpy(dtype=np.float64).T for _, labels in by_topic if len(labels) > 1]  # (2, n_documents)
    if not topics:
        nan = math.nan
        return PairAccuracy(nan, nan, nan, nan, level, 0, 0, nan, nan, nan, nan)
    thresholds = np.array([tie_threshold])
    if tie_threshold is None:
        thresholds = item_pairs.tie_thresholds([scores for _, scores in topics])
    # (n_topics, n_thresholds); `without` has the best accuracy without each topic, for the
    # jackknife
    accuracies = np.array([item_pairs.pair_accuracies(first, second, thresholds) for first, second in topics])
    accuracy, best, without = item_pairs.calibrated(accuracies)
    threshold = float(thresholds[best])
    one_label, at_random = item_pairs.chance_accuracies([(first, second) for first, second in topics], threshold)
    how = {"n_items": sum(labels.shape[1] for labels in topics), "failed": min(one_label, at_random)}
    low, high = jackknife_interval(accuracy, without, level, least=0.0, **how)
    n_pairs = sum(labels.shape[1] * (labels.shape[1] - 1) // 2 for labels in topics)
    sizes = [[np.unique(labels[side], return_counts=True)[1] for labels in topics] for side in (0, 1)]  # of ties
    tied, tied_other = (sum(int((size * (size - 1)).sum()) // 2 for size in side) / n_pairs for side in sizes)
    return PairAccuracy(
        accuracy, low, high, threshold, level, len(topics), n_pairs, tied, tied_other, one_label, at_random
    )
