"""Deviations that are known, and told: each with its reason. A test fails when anything deviates otherwise."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.calibration.rows import Found


@dataclass(frozen=True)
class Known:
    """A deviation, a line of known.csv.

    Attributes:
        what: Which rows these are, in words.
        verdict: What is wrong.
        reason: Why.
        rows: Patterns of the names of rows, "what | settings | data | size", with "; " between them.
    """

    what: str
    verdict: str
    reason: str
    rows: str

    def covers(self, row: Found) -> bool:
        return row.verdict == self.verdict and any(fnmatchcase(row.name, each) for each in self.rows.split("; "))


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    KNOWN = tuple(Known(**row) for row in csv.DictReader(_file))
