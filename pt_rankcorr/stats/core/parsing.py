"""Whatever a caller gave as scores becomes numbers with labels, in one function; whatever holds them already passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.stats.core.arguments import as_floats, listing
from pt_rankcorr.stats.core.frames import parse_frame
from pt_rankcorr.stats.core.labelled import LabelledScores
from pt_rankcorr.stats.core.names import counts, distinct
from pt_rankcorr.stats.core.types import Floats, Labels


def parse(scores: object, parameter: str, *, allow_nan: bool = False) -> LabelledScores:
    """The numbers that a caller gave, with the labels of systems and, of a frame, of topics.

    A frame is topics x systems. What has one dimension, and a mapping, is one score a system; there, nan may be
    allowed. A mapping of a single score matrix, such as `Scores` of one measure, is that matrix. What holds labelled
    scores already is returned as it is.
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
