"""Whatever a caller gave as scores becomes numbers with labels, once, in one function: `parse`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.stats.core.arguments import as_floats, listing
from pt_rankcorr.stats.core.design import Design
from pt_rankcorr.stats.core.frames import parse_frame
from pt_rankcorr.stats.core.names import counts, distinct, numbered
from pt_rankcorr.stats.core.types import Floats, Labels


class LabelledScores:
    """Scores of systems with labels of topics and systems: what `parse` returns, and the base of both containers.

    Labels that only count, 0, 1, 2, ..., are no names: they are matched only with the same numbers in another order.

    Attributes:
        values: The scores, systems along the last axis; in a matrix, topics along the first.
        topics, systems: Their labels; None where there are none.
        has_topic_names, has_system_names: Whether the labels are names that somebody gave.
        design: The clusters and strata that topics are in; None for independent topics.
    """

    values: Floats
    topics: Labels | None
    systems: Labels | None
    has_topic_names: bool
    has_system_names: bool
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
        return LabelledScores(*parse_frame(scores, parameter))
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
