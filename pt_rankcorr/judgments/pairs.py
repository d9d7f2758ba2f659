"""Pairs of documents of one topic that two sets of labels both order the same way, or both tie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.io.paths import QrelsLike
from pt_rankcorr.io.trec import highest_labels, read_qrels
from pt_rankcorr.judgments.agreement import jackknife_interval
from pt_rankcorr.stats.accuracy.pair_accuracy import calibrated, chance_accuracies, pair_accuracies, tie_thresholds
from pt_rankcorr.stats.core.arguments import real_number, share
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.tables import COEFFICIENT, Column, constant, facts


@dataclass(frozen=True, eq=False)
class PairAccuracy(Result):
    """How far two sets of labels order the documents of a topic alike.

    Attributes:
        statistic: The share of pairs of documents that both order one way, or both tie, on average over topics.
        low: The low end of its interval in the topic population.
        high: The high end.
        tie_threshold: The largest difference of two labels of the other set that counts as a tie.
        level: The confidence level of the interval.
        n_topics: The number of topics with at least two documents that both judge.
        n_pairs: The number of pairs of such documents.
        tied: The share of these pairs that the reference ties.
        tied_other: The same for the other set.
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

    def _facts(self) -> tuple[Column[Any], ...]:
        interval = lambda _: (self.low, self.high)  # noqa: E731
        first = constant("pair accuracy", self.statistic, COEFFICIENT, interval=interval, ends=("low", "high"))
        return (
            first,
            *facts({name: it for name, it in self.to_dict().items() if name not in ("statistic", "low", "high")}),
        )


def pair_accuracy(
    reference: QrelsLike, other: QrelsLike, *, tie_threshold: float | None = None, level: float = LEVEL
) -> PairAccuracy:
    """How often two sets of labels agree on the order, or the tie, of two documents of a topic.

    Labels of models have many ties, and so do people's. A pair is right if both sets order it the same way, or both tie
    it; the share of right pairs is averaged over topics. Labels of the other set tie if they differ by no more than a
    threshold. The default threshold is the one with the highest accuracy, so that fractions, which tie nothing, can be
    compared with grades. It is chosen on the same topics. The interval is a jackknife that chooses it anew each time.

    Args:
        reference: Judgments, as `scores_from_runs` takes them.
        other: Judgments of another assessor, or of a language model; labels may be fractions.
        tie_threshold: 0 or more; by default the one with the highest accuracy.
        level: The confidence level of the interval.

    Returns:
        The accuracy, in [0, 1], with its interval, and the shares of pairs that each side ties; nan where no topic has
        two documents that both judge.

    Raises:
        OSError, TypeError: As `scores_from_runs`.
        ValueError: As `scores_from_runs`, except for fractions; or if the threshold is negative.

    References:
        Deutsch, Foster, Freitag, "Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
        calibration", EMNLP 2023.

    Example:
        >>> people = {"1": {"d1": 2, "d2": 0, "d3": 0}, "2": {"d1": 1, "d2": 0}}
        >>> model = {"1": {"d1": 0.9, "d2": 0.2, "d3": 0.1}, "2": {"d1": 0.7, "d2": 0.3}}
        >>> found = pair_accuracy(people, model)
        >>> found.statistic, found.tie_threshold, round(pair_accuracy(people, model, tie_threshold=0).statistic, 3)
        (1.0, 0.1, 0.833)
    """
    level = share("level", level)
    if tie_threshold is not None and real_number("tie_threshold", tie_threshold) < 0:
        raise ValueError(f"`tie_threshold` must be 0 or more, got {tie_threshold}.")
    named = {"reference": reference, "other": other}
    first, second = (read_qrels(each, parameter=name, fractions=True) for name, each in named.items())
    return pair_accuracy_of(first, second, tie_threshold, level)


def pair_accuracy_of(
    reference: pd.DataFrame, other: pd.DataFrame, tie_threshold: float | None, level: float
) -> PairAccuracy:
    """`pair_accuracy` of judgments in the form of ir_measures."""
    keys = ["query_id", "doc_id"]
    both = highest_labels(reference).merge(highest_labels(other), on=keys)[[*keys, "relevance_x", "relevance_y"]]
    columns = both.groupby("query_id", sort=True)[["relevance_x", "relevance_y"]]
    topics = [each.to_numpy(dtype=np.float64).T for _, each in columns if len(each) > 1]
    if not topics:
        nan = math.nan
        return PairAccuracy(nan, nan, nan, nan, level, 0, 0, nan, nan, nan, nan)
    asked = None if tie_threshold is None else np.array([tie_threshold])
    thresholds = tie_thresholds([scores for _, scores in topics]) if asked is None else asked
    found, best, without = calibrated(np.array([pair_accuracies(one, two, thresholds) for one, two in topics]))
    ends = jackknife_interval(found, without, level, least=0.0)
    n_pairs = sum(scores.shape[1] * (scores.shape[1] - 1) // 2 for scores in topics)
    tied, tied_other = (_tied([scores[side] for scores in topics]) for side in (0, 1))
    threshold = float(thresholds[best])
    one_label, at_random = chance_accuracies([(one, two) for one, two in topics], threshold)
    sizes = len(topics), n_pairs
    return PairAccuracy(found, *ends, threshold, level, *sizes, tied, tied_other, one_label, at_random)


def _tied(topics: list[Any]) -> float:
    """The share of pairs with equal labels."""
    sizes = [np.unique(labels, return_counts=True)[1] for labels in topics]
    tied, every = (sum(float((size * (size - 1)).sum()) for size in of) for of in (sizes, [s.sum() for s in sizes]))
    return tied / every
