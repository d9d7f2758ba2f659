"""Whatever a caller gave as scores becomes numbers with labels, once, in one function: `parse`.

Columns of a data frame have the roles that `sheets.wide` finds, as those of a file: one may name
the topics in place of the index; rows and columns over all others are left out, with a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike

from pt_rankcorr.stats.core import headings, sheets, summary_rows
from pt_rankcorr.stats.core.arguments import (
    EXACT_INTEGERS,
    as_floats,
    as_numbers,
    distinct,
    is_default_index,
    listing,
    numbered,
)
from pt_rankcorr.stats.core.design import Design
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import RoundedScoresWarning, warn

LONG_FORM = {"name", "qid", "value"}  # and "measure": what experiments return query by query
DECIMALS = (2, 3, 4, 5)  # to which tools round scores
FEWEST_VALUES = 20  # distinct ones that tell a rounded measure from a coarse one
ROUNDED = (
    "Rounding makes ties and hides small differences. Evaluate without rounding if you can "
    "(pt.Experiment without `round=`), and round only what you show."
)


class LabelledScores:
    """Scores of systems with their labels, as `parse` returns them: a base of matrix and rankings.

    Labels that only count, 0, 1, 2, ..., are no names: they match the same numbers, and no others.
    """

    values: Floats  # systems along the last axis; in a matrix, topics along the first
    topics: Labels | None
    systems: Labels | None
    has_topic_names: bool  # whether the labels are names that somebody gave
    has_system_names: bool
    # the clusters and strata that topics are in; None for independent topics
    design: Design | None = None

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


def parse(
    scores: object, parameter: str, *, allow_nan: bool = False, keep: Collection[str] = ()
) -> LabelledScores:
    """The numbers that a caller gave, with the labels of systems and, of a frame, of topics.

    A frame is topics x systems, of which rows and columns to `keep` are never over all others. What
    has one dimension, and a mapping, is one score a system; there, nan may be allowed. A list of
    names is an order, best first. A mapping of one matrix, as `Scores` may be, is that matrix.
    """
    if isinstance(scores, LabelledScores):
        return scores
    if isinstance(scores, Mapping) and len(scores) == 1:
        (only,) = scores.values()
        if isinstance(only, LabelledScores) and only.is_matrix:
            return only
    names: Any = scores
    if isinstance(scores, (pd.Index, np.ndarray)) and scores.dtype.kind in "OUT":
        names = scores.tolist()
    if isinstance(names, (list, tuple)) and names and all(isinstance(name, str) for name in names):
        scores = _scores_of_order(names, parameter)
    scores = as_pandas(scores, parameter)
    if isinstance(scores, pd.DataFrame):
        return parse_frame(scores, parameter, keep)
    values, systems, are_names = parse_items(scores, parameter, "systems", allow_nan=allow_nan)
    return LabelledScores(values, systems=systems, has_system_names=are_names)


def _scores_of_order(names: Sequence[str], parameter: str) -> dict[str, float]:
    """The names of systems, best first, as scores: the negative of their places."""
    systems = distinct(names, parameter, "systems")
    try:
        float(systems[0])
    except ValueError:
        return {name: -float(place) for place, name in enumerate(systems)}
    rule = f"`{parameter}` must be numbers, or names of systems"
    raise TypeError(f"{rule}, got the text {shown(systems[0])}.")


def parse_items(
    scores: Any, parameter: str, what: str, *, allow_nan: bool = False
) -> tuple[Floats, Labels | None, bool]:
    """A series, mapping or array as numbers, the labels of its items, and whether these are names.

    `what` the items are, "systems" or "topics", is for messages. An array keeps its shape; its
    labels are None.
    """
    if isinstance(scores, (Mapping, pd.Series)):
        for name, value in scores.items():
            if isinstance(value, str):
                seen = f"the text {shown(value)} for {shown(str(name))}"
                raise TypeError(f"`{parameter}` must have numbers as scores, got {seen}.")
    if isinstance(scores, Mapping):
        labels = distinct(scores, parameter, what)
        if scores and all(isinstance(value, LabelledScores) for value in scores.values()):
            several = f"several measures, {listing(scores)}: choose one, or call it for each"
            raise TypeError(f"`{parameter}` must be an array of numbers, got {several}.")
        values = as_floats(list(scores.values()), parameter, labels, allow_nan=allow_nan)
        if values.ndim != 1:
            rule = f"`{parameter}` must have a single score for each name"
            raise ValueError(f"{rule}, got arrays of shape {values.shape[1:]}.")
        return values, labels, True
    if isinstance(scores, pd.Series):
        labels = distinct(scores.index, parameter, what)
        values = as_floats(scores, parameter, labels, allow_nan=allow_nan)
        return values, labels, not is_default_index(scores.index)
    return as_floats(scores, parameter, allow_nan=allow_nan), None, False


def as_pandas(values: Any, parameter: str) -> Any:
    """A frame or series of polars, pyarrow or the like as one of pandas; all else as it is."""
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
    """Refuses a list of series, and a table that cannot become one of pandas."""
    if any(hasattr(type(values), mark) for mark in ("__dataframe__", "columns", "coords")):
        seen = f"a table of type {type(values).__name__}: make it a frame of pandas"
        raise TypeError(f"`{parameter}` must keep the names of its columns, got {seen}.")
    if isinstance(values, (list, tuple)) and any(isinstance(value, pd.Series) for value in values):
        seen = "a list of series: `pandas.DataFrame` of the list matches them by name"
        raise TypeError(f"`{parameter}` must keep the names of its systems, got {seen}.")


# --- data frames: one row a topic, one column a system --------------------------------------------


def parse_frame(frame: pd.DataFrame, parameter: str, keep: Collection[str] = ()) -> LabelledScores:
    """The scores of a frame, shape (n_topics, n_systems), with the labels of topics and systems.

    Rows and columns over all others are left out, with a warning, except those to `keep`.
    """
    if set(frame.columns) >= LONG_FORM:
        seen = f"a frame in long form, with columns {listing(frame.columns)}"
        remedy = "read it with `scores_from_experiment`"
        raise TypeError(f"`{parameter}` must {sheets.WIDE}, got {seen}: {remedy}.")
    sheet = sheets.FrameSheet(frame, f"`{parameter}`")
    if headings.plain_heading(frame.columns.name) in headings.SURE_TOPICS:
        seen = f"rows named {shown(frame.index.name)} and columns named {shown(frame.columns.name)}"
        remedy = "transpose it, by its `.T`"
        raise ValueError(f"`{parameter}` must {sheets.WIDE}, got {seen}: {remedy}.")
    columns = sheets.wide(sheet, keep)
    index = frame.index if columns.topics is None else pd.Index(sheet.columns[columns.topics])
    given = [sheet.headings[place] for place in columns.systems]
    topics_given, systems_given = not is_default_index(index), not is_default_index(pd.Index(given))
    topics = distinct(index, parameter, "topics")
    systems = distinct(given, parameter, "systems")
    # the first column of the sheet is the index, if it has one: the frame's are one place before
    shift = int(sheet.has_index)
    frame = frame.iloc[:, [place - shift for place in columns.systems if place >= shift]]
    numbers = as_numbers(frame)
    if numbers is None:
        others = [place for place in columns.systems if not sheet.is_numeric(place)]
        seen = f"columns that hold no numbers: {listing(sheet.headings[place] for place in others)}"
        raise TypeError(f"`{parameter}` must {sheets.WIDE}, got {seen}.")
    if topics_given:
        numbers, topics = _without_summary_rows(numbers, topics, systems, keep)
    values = as_floats(numbers, parameter, topics, systems)
    if topics_given and systems_given:
        summary_rows.warn_of_content(topics, systems, values, keep)
    # ratios of counts, such as P@20, have two decimals
    if (decimals := decimals_of(values)) in DECIMALS[1:]:
        warn(f"`{parameter}` looks rounded to {decimals} decimals. {ROUNDED}", RoundedScoresWarning)
    return LabelledScores(values, topics, systems, topics_given, systems_given)


def _without_summary_rows(
    numbers: Any, topics: Labels, systems: Labels, keep: Collection[str]
) -> tuple[Any, Labels]:
    """The scores, (n_topics, n_systems), and topics, without rows over all unless all are so."""
    over_all = summary_rows.sure_rows(topics) & ~np.isin(topics, list(keep))
    if not over_all.any() or over_all.all() or np.ma.is_masked(numbers):
        return numbers, topics
    values = np.asarray(numbers, dtype=np.float64)
    left_out = np.flatnonzero(over_all)
    means = [row for row in left_out if summary_rows.is_mean(topics[row])]
    unlike: list[int] = []
    n_compared = 0
    if means:
        unlike, n_compared = summary_rows.unlike_means(values[means[-1]], values[~over_all])
    names = [topics[row] for row in left_out]
    summary_rows.warn_of_rows(names, [systems[column] for column in unlike], n_compared)
    return values[~over_all], tuple(np.array(topics)[~over_all].tolist())


@np.errstate(over="ignore", invalid="ignore")
def decimals_of(scores: Floats) -> int | None:
    """The least of `DECIMALS` to which 20 or more distinct scores are all rounded, or None."""

    def have(values: Floats, decimals: int) -> bool:
        return bool(np.abs(np.round(values, decimals) - values).max(initial=0.0) < 1e-9)

    # most often some show already that scores are not rounded; all of them would be sorted
    if not have(scores.ravel()[:100], DECIMALS[-1]):
        return None
    distinct = np.unique(scores)
    decimals = next((decimals for decimals in DECIMALS if have(distinct, decimals)), None)
    if len(distinct) < FEWEST_VALUES or decimals is None:
        return None
    # multiples of 1 / k, such as P@40, are as they are
    units = np.round(distinct * 10.0**decimals)
    is_exact = np.abs(units).max() < EXACT_INTEGERS and np.gcd.reduce(units.astype(np.int64)) > 1
    return None if is_exact else decimals
