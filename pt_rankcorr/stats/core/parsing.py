"""Whatever a caller gave as scores becomes numbers with labels, once, in one function: `parse`.

In a data frame, a column may name the topics in place of the index; rows over all topics and columns over all systems
are left out, with a warning. What is transposed, in long form, or has measures for columns is refused with the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike

from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import EXACT_INTEGERS, as_floats, as_numbers, counts, distinct, listing, numbered
from pt_rankcorr.stats.core.design import Design
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import RoundedScoresWarning, warn

LONG_FORM = {"name", "qid", "value"}  # and "measure": what experiments return query by query
DECIMALS = (2, 3, 4, 5)  # to which tools round scores
FEWEST_VALUES = 20  # distinct ones that tell a rounded measure from a coarse one
ROUNDED = (
    "Rounding makes ties and hides small differences. Evaluate without rounding if you can (pt.Experiment without "
    "`round=`), and round only what you show."
)


class LabelledScores:
    """Scores of systems with labels of topics and systems: what `parse` returns, and the base of both containers.

    Labels that only count, 0, 1, 2, ..., are no names: they are matched only with the same numbers in another order.
    """

    values: Floats  # systems along the last axis; in a matrix, topics along the first
    topics: Labels | None
    systems: Labels | None
    has_topic_names: bool  # whether the labels are names that somebody gave
    has_system_names: bool
    design: Design | None = None  # the clusters and strata that topics are in; None for independent topics

    def __init__(
        self,
        values: Floats,
        topics: Labels | None = None,
        systems: Labels | None = None,
        has_topic_names: bool = False,
        has_system_names: bool = False,
    ) -> None:
        self.values, self.topics, self.systems = values, topics, systems
        self.has_topic_names, self.has_system_names = has_topic_names, has_system_names

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the scores."""
        return self.values.shape

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return int(self.values.shape[-1])

    @property
    def is_matrix(self) -> bool:
        """Whether the scores are of topics x systems."""
        return self.values.ndim == 2

    @property
    def form(self) -> str:
        """What an error message calls scores that are no matrix."""
        return f"shape {self.shape}"

    @property
    def topic_names(self) -> Labels | None:
        """The names of the topics, where somebody gave them."""
        return self.topics if self.has_topic_names else None

    @property
    def system_names(self) -> Labels | None:
        """The names of the systems, where somebody gave them."""
        return self.systems if self.has_system_names else None

    @property
    def shown_systems(self) -> Labels:
        """The names of the systems as results show them: "s1", "s2", ... where nobody gave any."""
        return self.system_names or numbered("s", self.n_systems)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """The scores, so that numpy and every statistic take them as an array."""
        return np.array(self.values, dtype=dtype, copy=copy)


def parse(scores: object, parameter: str, *, allow_nan: bool = False) -> LabelledScores:
    """The numbers that a caller gave, with the labels of systems and, of a frame, of topics.

    A frame is topics x systems. What has one dimension, and a mapping, is one score a system; there, nan may be
    allowed. A mapping of a single score matrix, such as `Scores` of one measure, is that matrix.
    """
    if isinstance(scores, LabelledScores):
        return scores
    if isinstance(scores, Mapping) and len(scores) == 1:
        (only,) = scores.values()
        if isinstance(only, LabelledScores) and only.is_matrix:
            return only
    scores = as_pandas(scores, parameter)
    if isinstance(scores, pd.DataFrame):
        return parse_frame(scores, parameter)
    values, systems, are_names = parse_items(scores, parameter, "systems", allow_nan=allow_nan)
    return LabelledScores(values, systems=systems, has_system_names=are_names)


def parse_items(
    scores: Any, parameter: str, what: str, *, allow_nan: bool = False
) -> tuple[Floats, Labels | None, bool]:
    """A series, mapping or array as numbers, the labels of its items, and whether these are names."""
    if isinstance(scores, Mapping):
        labels = distinct(scores, parameter, what)
        if scores and all(isinstance(value, LabelledScores) for value in scores.values()):
            several = f"several measures, {listing(scores)}: choose one, or call it for each"
            raise TypeError(f"`{parameter}` must be an array of numbers, got {several}.")
        values = as_floats(list(scores.values()), parameter, labels, allow_nan=allow_nan)
        if values.ndim != 1:
            shape = values.shape[1:]
            raise ValueError(f"`{parameter}` must have a single score for each name, got arrays of shape {shape}.")
        return values, labels, True
    if isinstance(scores, pd.Series):
        labels = distinct(scores.index, parameter, what)
        return as_floats(scores, parameter, labels, allow_nan=allow_nan), labels, not counts(scores.index)
    return as_floats(scores, parameter, allow_nan=allow_nan), None, False


def as_pandas(values: Any, parameter: str) -> Any:
    """A frame or series of polars, pyarrow or another library as one of pandas; anything else as it is."""
    if isinstance(values, (pd.DataFrame, pd.Series, np.ndarray, Mapping)):
        return values
    if hasattr(values, "to_pandas"):
        try:
            return values.to_pandas()
        except ImportError as error:
            name = getattr(error, "name", None) or "pyarrow"
            how = f"which its `to_pandas()` does with {name}: pip install {name}"
            raise ImportError(f"`{parameter}` must become a frame of pandas, {how}") from error
    check_no_names_are_lost(values, parameter)
    return values


def check_no_names_are_lost(values: object, parameter: str) -> None:
    """A list of series, or a table that cannot become one of pandas, is refused: an array of it would have no names."""
    if any(hasattr(type(values), mark) for mark in ("__dataframe__", "columns", "coords")):
        seen = f"a table of type {type(values).__name__}: make it a frame of pandas"
        raise TypeError(f"`{parameter}` must keep the names of its columns, got {seen}.")
    if isinstance(values, (list, tuple)) and any(isinstance(value, pd.Series) for value in values):
        advice = "`pandas.DataFrame` of the list matches them by name"
        raise TypeError(f"`{parameter}` must keep the names of its systems, got a list of series: {advice}.")


# --- data frames: one row a topic, one column a system ---------------------------------------------


def parse_frame(frame: pd.DataFrame, parameter: str) -> LabelledScores:
    """The scores of a frame, shape (n_topics, n_systems), with the labels of topics and systems."""
    wanted = f"`{parameter}` must have one row a topic and one column a system, got"
    if set(frame.columns) >= LONG_FORM:
        long_form = f"a frame in long form, with columns {listing(frame.columns)}"
        raise TypeError(f"{wanted} {long_form}: read it with `scores_from_experiment`.")
    _check_systems_are_columns(frame, wanted)
    place, counter = _topic_column(frame, parameter)
    index = frame.index if place is None else pd.Index(frame.iloc[:, place])
    frame = frame.iloc[:, [column for column in range(frame.shape[1]) if column not in (place, counter)]]
    topics_given, systems_given = not counts(index), not counts(frame.columns)
    topics = distinct(index, parameter, "topics")
    systems = distinct(frame.columns, parameter, "systems")
    numbers = as_numbers(frame)
    if numbers is None:
        are_numbers = [as_numbers(frame.iloc[:, column]) is not None for column in range(len(systems))]
        others = listing(np.array(systems)[~np.array(are_numbers)])
        raise TypeError(f"{wanted} columns that hold no numbers: {others}.")
    if systems_given:
        headings.refuse_measures(systems, f"`{parameter}`")
    if topics_given:
        numbers, topics = _without_summary_rows(numbers, topics, systems)
    values = as_floats(numbers, parameter, topics, systems)
    if systems_given and (over_all := summary_rows.summary_columns(systems, values)).any():
        summary_rows.warn_of_columns([system for system, is_over in zip(systems, over_all, strict=True) if is_over])
        values, systems = np.ascontiguousarray(values[:, ~over_all]), tuple(np.array(systems)[~over_all].tolist())
    if topics_given and systems_given:
        headings.refuse_transposed(topics, systems, f"`{parameter}`")
    if (decimals := decimals_of(values)) in DECIMALS[1:]:  # ratios of counts, such as P@20, have two
        warn(f"`{parameter}` looks rounded to {decimals} decimals. {ROUNDED}", RoundedScoresWarning)
    return LabelledScores(values, topics, systems, topics_given, systems_given)


def _check_systems_are_columns(frame: pd.DataFrame, wanted: str) -> None:
    """An error if the index, its columns' name, or a column of names says that systems are in rows."""
    rows, columns = frame.index.name, frame.columns.name
    names: list[object] = [
        label
        for place, label in enumerate(frame.columns)
        if headings.plain_heading(label) in headings.SYSTEMS and as_numbers(frame.iloc[:, place]) is None
    ]
    if headings.plain_heading(rows) in headings.SYSTEMS:
        names = [rows]
    if names and any(headings.plain_heading(label) in headings.TOPICS for label in frame.columns):
        raise TypeError(
            f"{wanted} one row a system and topic, named by {shown(names[0])}: pivot it, or give "
            "`scores_from_experiment` the columns name, qid, measure and value."
        )
    others = [str(label) for label in frame.columns if label not in names]
    if names and len(others) > 0 and headings.are_measures(others):
        raise ValueError(f"{wanted} rows named {shown(names[0])} and columns of measures. {headings.MEANS_ONLY}")
    if names == [rows] or headings.plain_heading(columns) in headings.TOPICS:
        named = f"rows named {shown(rows)} and columns named {shown(columns)}"
        raise ValueError(f"{wanted} {named}: transpose it, by its `.T`.")
    if names and all(as_numbers(frame[label]) is not None for label in others):
        seen = f"a column {shown(names[0])} of names: make it the index, and transpose the frame"
        raise ValueError(f"{wanted} {seen}, by `.set_index({names[0]!r}).T`.")


def _topic_column(frame: pd.DataFrame, parameter: str) -> tuple[int | None, int | None]:
    """`headings.topic_column`, but for an index that names the topics, beside which a system may be called "query"."""

    def has_fractions(column: int) -> bool:
        numbers = as_numbers(frame.iloc[:, column])
        return numbers is not None and bool(np.any(numbers % 1 != 0))

    place, counter = headings.topic_column(
        list(frame.columns),
        lambda column: counts(pd.Index(frame.iloc[:, column])),
        f"`{parameter}`",
        has_fractions,
    )
    if place is None or counts(frame.index):
        return place, counter
    is_of_topics = headings.plain_heading(frame.index.name) in headings.TOPICS - headings.COUNTERS
    are_scores = has_fractions(place) or (
        as_numbers(frame.iloc[:, place]) is not None and bool(frame.iloc[:, place].duplicated().any())
    )
    if are_scores and (is_of_topics or frame.index.inferred_type == "string"):
        return None, None
    if is_of_topics:
        columns = listing([frame.index.name, frame.columns[place]])
        raise ValueError(f"`{parameter}` must have one column that names its topics, got {columns}.")
    return place, counter


def _without_summary_rows(numbers: Any, topics: Labels, systems: Labels) -> tuple[Any, Labels]:
    """The scores of topics, and their names, without rows over all topics."""
    values = np.asarray(numbers, dtype=np.float64)
    over_all = summary_rows.summary_rows(topics, values)
    if not over_all.any() or over_all.all() or np.ma.is_masked(numbers):
        return numbers, topics
    means = [row for row in np.flatnonzero(over_all) if summary_rows.is_mean(topics[row])]
    unlike, n_compared = summary_rows.unlike_means(values[means[-1]], values[~over_all]) if means else ([], 0)
    names = [topics[row] for row in np.flatnonzero(over_all)]
    summary_rows.warn_of_rows(names, [systems[column] for column in unlike], n_compared)
    return values[~over_all], tuple(np.array(topics)[~over_all].tolist())


@np.errstate(over="ignore", invalid="ignore")
def decimals_of(scores: Floats) -> int | None:
    """The decimals that all of many distinct scores have, if they are few, as if somebody had rounded them."""

    def have(values: Floats, decimals: int) -> bool:
        return bool(np.abs(np.round(values, decimals) - values).max(initial=0.0) < 1e-9)

    if not have(scores.ravel()[:100], DECIMALS[-1]):  # as most often; all of them would be sorted
        return None
    distinct = np.unique(scores)
    decimals = next((decimals for decimals in DECIMALS if have(distinct, decimals)), None)
    if len(distinct) < FEWEST_VALUES or decimals is None:
        return None
    units = np.round(distinct * 10.0**decimals)
    is_exact = np.abs(units).max() < EXACT_INTEGERS and np.gcd.reduce(units.astype(np.int64)) > 1
    return None if is_exact else decimals  # multiples of 1 / k, such as P@40, are as they are
