"""A study: rows that are computed from the same draws. It can be run alone, in parallel, and in several sittings."""

from __future__ import annotations

import json
import math
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning
from tests.calibration.rows import WITHIN, Found, Row, Value, defined, estimate, verdict

SEED = 2025
ROW_ERROR = 0.01  # how often the bounds of a row miss
TABLE_ERROR = 0.05  # how often any of the wider bounds does, by which a row surely deviates (Bonferroni)
BATCH = 20  # repetitions of a study that are computed in one go
Values = list[list[Value]]  # one list a repetition, one value a row


@dataclass(frozen=True)
class Study:
    """Rows, and how to compute them once.

    Attributes:
        part: The part of the table it belongs to.
        data: What it is drawn from.
        size: Systems and topics.
        rows: What is promised.
        trial: Takes a generator, returns a value for each row; nan where it is undefined.
        repetitions: In a full run.
    """

    part: str
    data: str
    size: tuple[int, int]
    rows: tuple[Row, ...]
    trial: Callable[[np.random.Generator], Sequence[Value]]
    repetitions: int

    @property
    def name(self) -> str:
        return f"{self.part} / {self.data} / {self.size[0]} x {self.size[1]} / {self.rows[0].settings}"

    def values(self, first: int, last: int) -> Values:
        """Of some repetitions, each with a generator of its own."""
        key = [SEED, zlib.crc32(self.name.encode())]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateInputWarning)
            warnings.simplefilter("ignore", UnreliableResultWarning)
            return [list(self.trial(np.random.default_rng([*key, number]))) for number in range(first, last)]

    def found(self, values: Values, n_rows: int) -> Iterator[Found]:
        """What came out, a row at a time, of a table with so many."""
        for row, of_row in zip(self.rows, zip(*values, strict=True), strict=True):
            clean = defined(of_row)
            found, low, high = estimate(row, clean, ROW_ERROR)
            surely = verdict(row.kind, row.nominal, *estimate(row, clean, TABLE_ERROR / n_rows)[1:]) != WITHIN
            told = (self.part, row.what, row.settings, self.data, *self.size, row.kind.name, row.nominal)
            yield Found(*told, found, low, high, len(clean), surely)


def scaled(study: Study, scale: float) -> int:
    """How many repetitions a share of a full run is: at least 3."""
    return max(3, round(study.repetitions * scale))


def run(
    studies: Sequence[Study], repetitions: Callable[[Study], int], *, n_jobs: int = 1, journal: Path | None = None
) -> Iterator[tuple[Study, Values]]:
    """The values of every study. What is in the journal is not computed again."""
    everything = recorded(journal) if journal else {}
    for study in studies:
        done = everything.get(study.name, {})
        wanted = list(batches(repetitions(study)))
        missing = [batch for batch in wanted if batch not in done]
        outcomes = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(study.values)(*batch) for batch in missing)
        for batch, values in zip(missing, outcomes, strict=True):
            done[batch] = values
            if journal:
                write(journal, study.name, batch, values)
        yield study, [values for batch in wanted for values in done[batch]]


def batches(repetitions: int) -> Iterator[tuple[int, int]]:
    """First and last repetition of each batch, the last one excluded."""
    for first in range(0, repetitions, BATCH):
        yield first, min(first + BATCH, repetitions)


def write(journal: Path, study: str, batch: tuple[int, int], values: Values) -> None:
    """Adds a line; the break comes first, so that a line which an interrupt cut short spoils no other."""
    with journal.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps({"study": study, "batch": batch, "values": values}))


def recorded(journal: Path) -> dict[str, dict[tuple[int, int], Values]]:
    """The batches of each study that are there; a line that was cut short does not count."""
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
    done: dict[str, dict[tuple[int, int], Values]] = defaultdict(dict)
    for entry in (json.loads(line) for line in lines if line.endswith("}")):
        first, last = entry["batch"]
        done[entry["study"]][first, last] = entry["values"]
    return done


def rejected(pvalue: float) -> float:
    """1 if a test at .05 rejects, 0 if not; nan where it is undefined."""
    return math.nan if math.isnan(pvalue) else float(pvalue <= 0.05)


def covered(interval: Iterable[float], truth: float) -> float:
    """1 if an interval holds the truth, 0 if not; nan where either is undefined."""
    low, high = interval
    return math.nan if math.isnan(low + high + truth) else float(low <= truth <= high)


def by_part(studies: Iterable[Study]) -> dict[str, list[Study]]:
    """The studies of each part, in order."""
    found: dict[str, list[Study]] = defaultdict(list)
    for study in studies:
        found[study.part].append(study)
    return found
