"""Many rankings of the same systems at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pt_rankcorr.stats.core.design import LabelledMatrix
from pt_rankcorr.stats.core.floats import as_floats, place
from pt_rankcorr.stats.core.frames import (
    check_no_names_are_lost,
    is_frame,
    is_series,
    names_of_frame,
    names_of_series,
    numbers_of_frame,
)
from pt_rankcorr.stats.core.matching import Names, distinct, given_labels
from pt_rankcorr.stats.core.means import rounded_scores
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown


class Rankings:
    """Many rankings of the same systems, each given by scores: one ranking per row.

    A function of one ranking takes these too, and returns an array of shape (...) instead of a float. A plain array
    of two dimensions is always topics x systems, whose means rank.

    Args:
        values: Scores, higher is better, shape (..., n_systems); a data frame with one column per system; or a series.
        systems: Distinct names of systems; by default those of the frame's columns.

    Attributes:
        values: The scores, rounded to twelve significant digits as means are, read-only.
        systems: The names of the systems; None if they have none.

    Raises:
        TypeError: If the values are not numbers.
        ValueError: If they are not finite, or the names do not match them or repeat.

    Example:
        >>> import pt_rankcorr as ptr
        >>> ptr.kendall_tau([3, 2, 1], Rankings([[3, 2, 1], [1, 2, 3]])).tolist()
        [1.0, -1.0]
    """

    values: Floats
    systems: Labels | None

    def __init__(self, values: object, systems: Sequence[object] | None = None) -> None:
        numbers, names = _open(values)
        scores = as_floats(numbers, "values", partial(_place, None if names is None else names.labels))
        if scores.ndim == 0:
            raise ValueError(f"`values` must be of shape (..., n_systems), got the single number {scores}.")
        labels = given_labels(names) if systems is None else distinct(systems, "systems", "systems")
        if labels is not None and len(labels) != scores.shape[-1]:
            raise ValueError(f"`systems` must name all {scores.shape[-1]} systems, got {len(labels)} names.")
        self.values, self.systems = rounded_scores(scores), labels
        self.values.setflags(write=False)

    @classmethod
    def of_rounded(cls, values: Floats, systems: Labels | None = None) -> Rankings:
        """From scores that are known to be finite and rounded; they are not copied."""
        rankings = cls.__new__(cls)
        rankings.values, rankings.systems = values, systems
        values.setflags(write=False)
        return rankings

    @property
    def shape(self) -> tuple[int, ...]:
        """(..., n_systems)."""
        return self.values.shape

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return int(self.values.shape[-1])

    @property
    def names(self) -> Names | None:
        """The names as they are matched."""
        return None if self.systems is None else Names(self.systems)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Rankings:
        """Some of the rankings."""
        chosen = self.values[at]
        if chosen.shape[-1:] != (self.n_systems,):
            raise IndexError(f"an index must choose rankings and no systems, got {at!r}")
        return Rankings.of_rounded(chosen, self.systems)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """The scores."""
        return np.array(self.values, dtype=dtype, copy=True if copy else None)

    def __repr__(self) -> str:
        return f"Rankings(shape {self.shape}{'' if self.systems is None else ', named systems'})"


def _place(systems: Labels | None, at: tuple[int, ...]) -> str:
    return place(at) if systems is None else f" for {shown(systems[at[-1]])} in ranking{place(at[:-1])}"


def _open(values: object) -> tuple[object, Names | None]:
    if is_frame(values):
        return numbers_of_frame(values, "values"), names_of_frame(values, "values")[1]
    if isinstance(values, LabelledMatrix):
        return values.values, Names(values.systems, values.has_system_names)
    if isinstance(values, Rankings):
        return values.values, values.names
    if is_series(values):
        return values, names_of_series(values, "values")
    check_no_names_are_lost(values, "values")
    return values, None
