"""What results of statistics have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


class Result:
    """A base for frozen dataclasses: a flat `to_dict()` of everything that is a single value."""

    def to_dict(self) -> dict[str, Any]:
        """Every field that holds a single number, word or flag, under its own name, unrounded."""
        return dict(self._scalars())

    def _scalars(self) -> Iterator[tuple[str, Any]]:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.generic):
                value = value.item()
            if value is None or isinstance(value, (bool, int, float, str)):
                yield field.name, value


class TestResult(Result):
    """A result that unpacks as `(statistic, pvalue)`, as those of scipy do."""

    __test__ = False  # the name begins as those of test classes do

    statistic: float
    pvalue: float

    def __iter__(self) -> Iterator[float]:
        yield self.statistic
        yield self.pvalue

    def __getitem__(self, index: int) -> float:
        return (self.statistic, self.pvalue)[index]

    def __len__(self) -> int:
        return 2
