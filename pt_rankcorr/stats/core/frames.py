"""Frames and series of pandas as numbers and names, without importing pandas."""

from __future__ import annotations

import sys
from typing import Any

from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.floats import as_numbers, cell_of
from pt_rankcorr.stats.core.matching import Names, distinct
from pt_rankcorr.text import shown

TOPIC_COLUMNS = frozenset({"topic", "topicid", "qid", "query", "queryid", "unnamed:0"})  # the last: an index as CSV
SYSTEM_COLUMNS = frozenset({"name", "run", "runid", "system"})
IGNORED = str.maketrans("", "", " _-")  # in names of columns
NAMES_COLUMNS = ("__dataframe__", "columns", "coords")  # what tables of pyarrow, polars, xarray and others have
LONG_FORM = {"name", "qid", "value"}  # and "measure": what experiments return query by query


def plain_heading(label: str) -> str:
    """The name of a column as others may have spelt it: in small letters, without blanks, underscores and hyphens."""
    return label.lower().translate(IGNORED)


def is_frame(values: object) -> bool:
    return isinstance(values, getattr(sys.modules.get("pandas"), "DataFrame", ()))


def is_series(values: object) -> bool:
    return isinstance(values, getattr(sys.modules.get("pandas"), "Series", ()))


def check_no_names_are_lost(values: object, parameter: str) -> None:
    """A list of series, and a table that is none of pandas, is refused: an array of it would have no names.

    Raises:
        TypeError: If it is one.
    """
    if any(hasattr(type(values), mark) for mark in NAMES_COLUMNS):  # a series has its names as attributes
        raise TypeError(
            f"`{parameter}` must keep the names of its columns, got a table of type {type(values).__name__}: "
            "make it a frame of pandas, as by its `to_pandas()`."
        )
    if isinstance(values, (list, tuple)) and any(is_series(value) for value in values):
        raise TypeError(
            f"`{parameter}` must keep the names of its systems, got a list of series: `pandas.DataFrame` of the list "
            "matches them by name."
        )


def numbers_of_frame(frame: Any, parameter: str) -> NDArray[Any]:
    """The numbers of all columns but the one that names the topics."""
    if set(frame.columns) >= LONG_FORM:
        raise TypeError(
            f"`{parameter}` must have one row a topic and one column a system, got a frame in long form, with columns "
            f"{listing(frame.columns)}: read it with `scores_from_experiment`."
        )
    if (
        plain_heading(str(frame.columns.name)) in TOPIC_COLUMNS
        or plain_heading(str(frame.index.name)) in SYSTEM_COLUMNS
    ):
        raise ValueError(
            f"`{parameter}` must have one row a topic and one column a system, got rows named "
            f"{shown(frame.index.name)} and columns named {shown(frame.columns.name)}: transpose it, by its `.T`."
        )
    column = _topic_column(frame, parameter)
    systems = frame if column is None else frame.iloc[:, [at for at in range(frame.shape[1]) if at != column]]
    numbers = as_numbers(systems)
    if numbers is None:
        other = [name for at, name in enumerate(systems.columns) if as_numbers(systems.iloc[:, at]) is None]
        raise TypeError(
            f"`{parameter}` must have one row a topic and one column a system, got columns that hold no numbers: "
            f"{listing(other)}."
        )
    return numbers


def names_of_frame(frame: Any, parameter: str) -> tuple[Names, Names]:
    """The names of topics and systems."""
    column = _topic_column(frame, parameter)
    if column is None:
        return _names(frame.index, parameter, "topics"), _names(frame.columns, parameter, "systems")
    topics = Names(distinct(frame.iloc[:, column], parameter, "topics"))
    return topics, _names(frame.columns.delete(column), parameter, "systems")


def names_of_series(series: Any, parameter: str, what: str = "systems") -> Names:
    return _names(series.index, parameter, what)


def cell_of_frame(frame: Any, parameter: str, at: tuple[int, ...]) -> str:
    """Where a number of a frame stands, for messages."""
    topics, systems = names_of_frame(frame, parameter)
    return cell_of(topics.labels, systems.labels, at)


def _names(index: Any, parameter: str, what: str) -> Names:
    """Those of an index; the default numbers 0, 1, 2, ... are not given names."""
    labels = index.tolist()
    are_numbers = all(type(label) is int for label in labels) and labels == list(range(len(labels)))
    return Names(distinct(labels, parameter, what), given=not are_numbers)


def _topic_column(frame: Any, parameter: str) -> int | None:
    labels = enumerate(frame.columns.tolist())  # as that of pandas takes longer
    found = [at for at, label in labels if isinstance(label, str) and plain_heading(label) in TOPIC_COLUMNS]
    if len(found) > 1:
        columns = listing(frame.columns[at] for at in found)
        raise ValueError(f"`{parameter}` must have one column that names its topics, got {columns}.")
    return found[0] if found else None
