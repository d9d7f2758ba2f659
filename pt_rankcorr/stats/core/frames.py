"""Score matrices out of data frames: one row a topic, one column a system, in any of the forms that tools write.

A column may name the topics in place of the index; rows over all topics and columns over all systems are left out, with
a warning. What is transposed, in long form, or has measures for columns is refused with the remedy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import EXACT_INTEGERS, as_floats, as_numbers, listing
from pt_rankcorr.stats.core.names import counts, distinct
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


def parse_frame(frame: pd.DataFrame, parameter: str) -> tuple[Floats, Labels, Labels, bool, bool]:
    """The scores of a frame, shape (n_topics, n_systems), the labels of topics and systems, and which are names."""
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
    warn_if_rounded(values, parameter)
    return values, topics, systems, topics_given, systems_given


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


# --- scores that look rounded ----------------------------------------------------------------------


def warn_if_rounded(scores: Floats, parameter: str) -> None:
    """Warns if scores look rounded to three decimals or more; ratios of counts, such as P@20, have two."""
    if (decimals := decimals_of(scores)) in DECIMALS[1:]:
        warn(f"`{parameter}` looks rounded to {decimals} decimals. {ROUNDED}", RoundedScoresWarning)


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
