"""Krippendorff's alpha: the agreement of any number of judges, and intervals over topics by the jackknife."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from pt_rankcorr import choices
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.io.paths import by_name, named_files
from pt_rankcorr.io.retrieved import highest_labels, read_qrels
from pt_rankcorr.stats.core.arguments import one_of, share
from pt_rankcorr.stats.core.inputs import as_floats
from pt_rankcorr.stats.core.names import is_missing
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.tables.kinds import COEFFICIENT
from pt_rankcorr.tables.table import Column, constant, facts
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, warn

METRICS: tuple[choices.LabelMetric, ...] = get_args(choices.LabelMetric)
UNDEFINED = "Krippendorff's alpha is undefined: no two labels to agree on."


@dataclass(frozen=True, eq=False)
class JudgesAlpha(Result):
    """The agreement of several sets of judgments, beyond chance.

    Attributes:
        statistic: Krippendorff's alpha.
        low: The low end of its interval over all topics there could be; nan with a single topic.
        high: The high end.
        metric: How two labels disagree.
        level: The confidence level of the interval.
        judges: The names of the sets.
        n_judges: Their number.
        n_items: The number of documents that several of them judge, each counted on each of its topics.
        n_topics: The number of topics of these documents.
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

    def _facts(self) -> tuple[Column[Any], ...]:
        known = {name: value for name, value in self.to_dict().items() if name not in ("statistic", "low", "high")}
        interval = lambda _: (self.low, self.high)  # noqa: E731
        alpha = constant("alpha", self.statistic, COEFFICIENT, interval=interval, ends=("low", "high"))
        return (alpha, *facts(known))


def alpha_of_judges(judges: Any, metric: choices.LabelMetric = "ordinal", *, level: float = LEVEL) -> JudgesAlpha:
    """Krippendorff's alpha of any number of qrels: agreement beyond chance, with an interval over topics.

    alpha = 1 - D_o / D_e, as in `krippendorff_alpha`, over the documents that at least two sets judge. The interval is
    a jackknife over topics, as in `label_agreement`: judgments of one topic are alike, so they count as one.

    Args:
        judges: Name -> judgments, as `scores_from_runs` takes them; or qrels files, a folder or a pattern of them, at
            least two. Labels may be fractions.
        metric: How two labels disagree: "nominal" (they differ or not), "ordinal" (by how many labels lie between) or
            "interval" (by their squared difference).
        level: The confidence level of the interval.

    Returns:
        alpha with its interval; nan, with a warning, where there is nothing to agree on.

    Raises:
        OSError, TypeError: As `scores_from_runs`.
        ValueError: As `scores_from_runs`, except for fractions; or if there are fewer than two sets.

    References:
        Krippendorff, "Computing Krippendorff's alpha-reliability", University of Pennsylvania, 2011.

    Example:
        >>> people = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 0, "d2": 1, "d3": 1}}
        >>> model = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 0, "d2": 0}}
        >>> found = alpha_of_judges({"people": people, "model": model, "again": model}, "nominal")
        >>> round(found.statistic, 3), found.n_items
        (0.656, 4)
    """
    one_of("metric", metric, METRICS)
    named = by_name(judges, "judges") if isinstance(judges, Mapping) else named_files(judges, "judges")
    if len(named) < 2:
        raise ValueError(f"`judges` must be at least 2, to agree, got {len(named)}.")
    read = [highest_labels(read_qrels(each, parameter="judges", fractions=True)) for each in named.values()]
    every = pd.concat(read, ignore_index=True)
    values, codes = np.unique(every["relevance"].to_numpy(dtype=np.float64), return_inverse=True)
    items, topic_of = _factorized(every)
    counts = np.bincount(items * values.size + codes.ravel(), minlength=len(topic_of) * values.size)
    counts = counts.reshape(-1, values.size)
    several = counts.sum(axis=1) > 1
    topics = np.unique(topic_of[several])
    of_topics = np.array([coincidences(counts[several & (topic_of == topic)]) for topic in topics])
    total = of_topics.sum(axis=0) if topics.size else np.zeros((values.size, values.size))
    found = alpha_of(total, values, metric)
    if math.isnan(found):
        warn(UNDEFINED, DegenerateInputWarning)
    without = np.array([alpha_of(total - own, values, metric) for own in of_topics])
    ends = jackknife_interval(found, without, share("level", level), least=-1.0)
    sizes = len(named), int(several.sum()), topics.size
    return JudgesAlpha(found, *ends, metric, level, tuple(named), *sizes)


def _factorized(judgments: pd.DataFrame) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The document of each judgment, and the topic of each document."""
    items = judgments.groupby(["query_id", "doc_id"], sort=False).ngroup().to_numpy()
    topic_of = np.empty(items.max() + 1, dtype=np.intp)
    topic_of[items] = pd.factorize(judgments["query_id"])[0]
    return items, topic_of


def krippendorff_alpha(labels: ArrayLike, metric: str = "ordinal") -> float:
    """Krippendorff's alpha: agreement beyond chance of any number of judges, who need not judge everything.

    alpha = 1 - D_o / D_e, with D_o the mean disagreement of two labels of an item and D_e that of any two labels. It is
    at most 1, and 0 for chance agreement. Items with a single label do not count. `alpha_of_judges` takes qrels.

    Args:
        labels: One row per judge, one column per item; nan where a judge has no label.
        metric: How two labels disagree: "nominal" (they differ or not), "ordinal" (by how many labels lie between) or
            "interval" (by their squared difference).

    Returns:
        alpha; nan, with a warning, if no item has two labels, or all labels of such items are one and the same.

    Raises:
        TypeError: If the labels are not numbers.
        ValueError: If they are not a matrix, or infinite.

    Warns:
        UnreliableResultWarning: If there are more judges than items, as when rows and columns are swapped.

    References:
        Krippendorff, "Computing Krippendorff's alpha-reliability", University of Pennsylvania, 2011.

    Example:
        >>> round(krippendorff_alpha([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], "nominal"), 3)
        0.095
    """
    one_of("metric", metric, METRICS)
    given = np.asarray(labels)
    if given.ndim != 2:
        raise ValueError(f"`labels` must be of shape (n_judges, n_items), got shape {given.shape}.")
    if given.shape[0] > given.shape[1] > 1:
        warnings.warn(
            f"{given.shape[0]} judges of {given.shape[1]} items: each row of `labels` is a judge. Is it transposed?",
            UnreliableResultWarning,
            stacklevel=2,
        )
    missing = np.array([[is_missing(value) for value in row] for row in given.tolist()], dtype=bool).reshape(
        given.shape
    )
    values, codes = np.unique(as_floats(given[~missing], "labels"), return_inverse=True)
    items = np.nonzero(~missing)[1]
    counts = np.bincount(items * values.size + codes, minlength=given.shape[1] * values.size).reshape(
        -1, max(values.size, 1)
    )
    alpha = alpha_of(coincidences(counts[counts.sum(axis=1) > 1]), values, metric) if values.size else math.nan
    if math.isnan(alpha):
        warnings.warn(UNDEFINED, DegenerateInputWarning, stacklevel=2)
    return alpha


def coincidences(counts: NDArray[Any]) -> Floats:
    """How often two labels meet in an item, from how often items with several labels have each."""
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    return np.asarray(weighted.T @ counts - np.diag(weighted.sum(axis=0)))


def alpha_of(coincidences: NDArray[Any], labels: NDArray[Any], metric: str) -> float:
    """Of how often two labels, in ascending order, meet in an item."""
    frequencies = coincidences.sum(axis=1)
    places = np.cumsum(frequencies) - frequencies / 2 if metric == "ordinal" else labels
    different = (places[:, np.newaxis] - places).astype(np.float64)
    disagreements = different != 0 if metric == "nominal" else different**2
    expected = (np.outer(frequencies, frequencies) * disagreements).sum()
    observed = (coincidences * disagreements).sum() * (frequencies.sum() - 1)
    return 1.0 - float(observed / expected) if expected else math.nan


def jackknife_interval(found: float, without: Floats, level: float, *, least: float) -> ConfidenceInterval:
    """Of an estimate, from what it is without each topic: its standard error, times a quantile of Student's t.

    Returns:
        The ends, from `least` to 1; nan where one is undefined, or there are fewer than two topics.
    """
    if without.size < 2 or np.isnan(without).any():
        return ConfidenceInterval(math.nan, math.nan)
    margin = float(stdtrit(without.size - 1, (1 + level) / 2)) * math.sqrt((without.size - 1) * without.var())
    return ConfidenceInterval(max(found - margin, least), min(found + margin, 1.0))
