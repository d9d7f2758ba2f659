"""`Rankings`: many rankings of the same systems, each given by one score a system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pt_rankcorr.stats.core.arguments import as_labels, flag
from pt_rankcorr.stats.core.means import rounded_scores
from pt_rankcorr.stats.core.parsing import LabelledScores, parse
from pt_rankcorr.stats.core.types import Floats, Labels, read_only


class Rankings(LabelledScores):
    """One or many rankings of the same systems, one a row, each given by a score a system.

    A function of one ranking takes these too, and returns an array of shape (...) instead of a
    float. A plain array of two dimensions is always topics x systems, whose means rank.

    Args:
        values: Scores, higher is better: shape (..., n_systems); a frame, a column a system; or a
            series.
        systems: Distinct names of systems; by default those of the frame's columns.
        lower_is_better: Whether the values, as ranks, are better when lower; they are negated.

    Attributes:
        values: The scores, rounded to twelve digits as means are, read-only.
        systems: The names of the systems; None if they have none.

    Raises:
        TypeError, ValueError: If the values are no finite numbers, or names do not fit or repeat.

    Example:
        >>> import pt_rankcorr as rc
        >>> rc.kendall_tau([3, 2, 1], Rankings([[3, 2, 1], [1, 2, 3]])).tolist()
        [1.0, -1.0]
    """

    # rankings are of no topics, so they are no sample of any
    n_independent = 0

    def __init__(
        self,
        values: object,
        systems: Sequence[object] | None = None,
        *,
        lower_is_better: bool = False,
    ) -> None:
        scores = parse(values, "values")
        numbers, known = scores.values, scores.system_names
        if numbers.ndim == 0:
            rule = "`values` must be of shape (..., n_systems)"
            raise ValueError(f"{rule}, got the single number {numbers}.")
        if systems is not None:
            known = as_labels(systems, numbers.shape[-1], "systems")
        if flag("lower_is_better", lower_is_better):
            numbers = 0.0 - numbers
        values = read_only(rounded_scores(numbers))
        super().__init__(values, systems=known, has_system_names=known is not None)

    @classmethod
    def of_rounded(
        cls, values: Floats, systems: Labels | None = None, are_names: bool = True
    ) -> Rankings:
        """The rankings of scores that are finite and rounded already; they are not copied."""
        rankings, values = cls.__new__(cls), read_only(values)
        LabelledScores.__init__(rankings, values, systems=systems, has_system_names=are_names)
        return rankings

    @property
    def means(self) -> Floats:
        """The scores by which systems are ranked."""
        return self.values

    @property
    def is_matrix(self) -> bool:
        """False, as the first of two axes is of rankings."""
        return False

    @property
    def form(self) -> str:
        """What an error message calls the rankings."""
        return super().form if self.values.ndim == 1 else "rankings"

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Rankings:
        """Some of the rankings."""
        chosen = self.values[index]
        if chosen.shape[-1:] != (self.n_systems,):
            raise IndexError(f"an index must choose rankings and no systems, got {index!r}")
        return Rankings.of_rounded(chosen, self.systems)

    def select_at(self, *, systems: Sequence[int]) -> Rankings:
        """The rankings of the systems at these positions."""
        names = self.systems and tuple(self.systems[column] for column in systems)
        return Rankings.of_rounded(np.ascontiguousarray(self.values[..., systems]), names)

    def __repr__(self) -> str:
        return f"Rankings(shape {self.shape}{'' if self.systems is None else ', named systems'})"
