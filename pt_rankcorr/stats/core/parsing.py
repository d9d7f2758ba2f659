"""Whatever a caller gave as scores becomes numbers with labels, once, in one function: `parse`.

Columns of a data frame have the roles that `sheets.wide` finds, as those of a file: one may name the topics in place of
the index; rows over all topics and columns over all systems are left out by name, with a warning.
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
    "Rounding makes ties and hides small differences. Evaluate without rounding if you can (pt.Experiment without "
    "`round=`), and round only what you show."
)


class LabelledScores:
    """Scores of systems with their labels: what `ScoreMatrix` and `Rankings` have in common, and what `parse` returns.

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


def parse(scores: object, parameter: str, *, allow_nan: bool = False, keep: Collection[str] = ()) -> LabelledScores:
    """The numbers that a caller gave, with the labels of systems and, of a frame, of topics.

    A frame is topics x systems, of which rows and columns to `keep` are never over all others. What has one dimension,
    and a mapping, is one score a system; there, nan may be allowed. A list of names is an order, best first. A mapping
    of a single score matrix, such as `Scores` of one measure, is that matrix.
    """
    if isinstance(scores, LabelledScores):
        return scores
    if isinstance(scores, Mapping) and len(scores) == 1:
        (only,) = scores.values()
        if isinstance(only, LabelledScores) and only.is_matrix:
            return only
    is_of_texts = isinstance(scores, (pd.Index, np.ndarray)) and scores.dtype.kind in "OUT"
    names: Any = scores.tolist() if is_of_texts else scores  # type: ignore[attr-defined]
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
    raise TypeError(f"`{parameter}` must be numbers, or names of systems, got the text {shown(systems[0])}.")


def parse_items(
    scores: Any, parameter: str, what: str, *, allow_nan: bool = False
) -> tuple[Floats, Labels | None, bool]:
    """A series, mapping or array as numbers, the labels of its items, and whether these are names.

    `what` the items are, "systems" or "topics", is for messages. An array keeps its shape, and has no labels (None).
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
            shape = values.shape[1:]
            raise ValueError(f"`{parameter}` must have a single score for each name, got arrays of shape {shape}.")
        return values, labels, True
    if isinstance(scores, pd.Series):
        labels = distinct(scores.index, parameter, what)
        return as_floats(scores, parameter, labels, allow_nan=allow_nan), labels, not is_default_index(scores.index)
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


def parse_frame(frame: pd.DataFrame, parameter: str, keep: Collection[str] = ()) -> LabelledScores:
    """The scores of a frame, shape (n_topics, n_systems), with the labels of topics and systems.

    Rows and columns over all others are left out by their names, with a warning, except those to `keep`.
    """
    if set(frame.columns) >= LONG_FORM:
        seen = f"a frame in long form, with columns {listing(frame.columns)}"
        raise TypeError(f"`{parameter}` must {sheets.WIDE}, got {seen}: read it with `scores_from_experiment`.")
    sheet = sheets.FrameSheet(frame, f"`{parameter}`")
    if headings.plain_heading(frame.columns.name) in headings.SURE_TOPICS:
        seen = f"rows named {shown(frame.index.name)} and columns named {shown(frame.columns.name)}"
        raise ValueError(f"`{parameter}` must {sheets.WIDE}, got {seen}: transpose it, by its `.T`.")
    columns = sheets.wide(sheet, keep)
    index = frame.index if columns.topics is None else pd.Index(sheet.columns[columns.topics])
    given = [sheet.headings[place] for place in columns.systems]
    topics_given, systems_given = not is_default_index(index), not is_default_index(pd.Index(given))
    topics = distinct(index, parameter, "topics")
    systems = distinct(given, parameter, "systems")
    shift = int(sheet.has_index)  # by which places in the sheet, whose first column is the index, exceed the frame's
    frame = frame.iloc[:, [place - shift for place in columns.systems if place >= shift]]
    numbers = as_numbers(frame)
    if numbers is None:
        others = listing(str(sheet.headings[place]) for place in columns.systems if not sheet.is_numeric(place))
        raise TypeError(f"`{parameter}` must {sheets.WIDE}, got columns that hold no numbers: {others}.")
    if topics_given:
        numbers, topics = _without_summary_rows(numbers, topics, systems, keep)
    values = as_floats(numbers, parameter, topics, systems)
    if topics_given and systems_given:
        summary_rows.warn_of_content(topics, systems, values, keep)
    if (decimals := decimals_of(values)) in DECIMALS[1:]:  # ratios of counts, such as P@20, have two
        warn(f"`{parameter}` looks rounded to {decimals} decimals. {ROUNDED}", RoundedScoresWarning)
    return LabelledScores(values, topics, systems, topics_given, systems_given)


def _without_summary_rows(numbers: Any, topics: Labels, systems: Labels, keep: Collection[str]) -> tuple[Any, Labels]:
    """The scores, (n_topics, n_systems), and names of topics, without rows over all topics unless all are so."""
    over_all = summary_rows.sure_rows(topics) & ~np.isin(topics, list(keep))
    if not over_all.any() or over_all.all() or np.ma.is_masked(numbers):
        return numbers, topics
    values = np.asarray(numbers, dtype=np.float64)
    means = [row for row in np.flatnonzero(over_all) if summary_rows.is_mean(topics[row])]
    unlike, n_compared = summary_rows.unlike_means(values[means[-1]], values[~over_all]) if means else ([], 0)
    names = [topics[row] for row in np.flatnonzero(over_all)]
    summary_rows.warn_of_rows(names, [systems[column] for column in unlike], n_compared)
    return values[~over_all], tuple(np.array(topics)[~over_all].tolist())


@np.errstate(over="ignore", invalid="ignore")
def decimals_of(scores: Floats) -> int | None:
    """The least of `DECIMALS` to which 20 or more distinct scores, of any shape, are all rounded; else None."""

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
