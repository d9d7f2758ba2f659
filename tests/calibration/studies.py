"""A study: rows that are computed from the same draws. It can be run alone, in parallel, and in several sittings."""

from __future__ import annotations

import json
import math
import time
import warnings
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed

from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning
from tests.calibration.rows import WITHIN, Found, Key, Row, Value, defined, estimate, verdict

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

    @property
    def keys(self) -> list[Key]:
        """Those of its rows."""
        return [(row.what, row.settings, self.data, *self.size) for row in self.rows]

    def values(self, first: int, last: int) -> Values:
        """Of some repetitions."""
        return [list(values) for values in repeated(self.trial, SEED, self.name, range(first, last))]

    def found(self, values: Values, n_rows: int) -> Iterator[Found]:
        """What came out, a row at a time, of a table with so many."""
        for row, of_row in zip(self.rows, zip(*values, strict=True), strict=True):
            clean = defined(of_row)
            found, low, high = estimate(row, clean, ROW_ERROR)
            surely = verdict(row.kind, row.nominal, *estimate(row, clean, TABLE_ERROR / n_rows)[1:]) != WITHIN
            told = (self.part, row.what, row.settings, self.data, *self.size, row.kind.name, row.nominal)
            yield Found(*told, found, low, high, len(clean), surely)


class Repeatable(Protocol):
    """What is run in batches: a study of the table, or what is asked of a cell of the grid."""

    @property
    def name(self) -> str: ...

    def values(self, first: int, last: int) -> Values: ...


R = TypeVar("R", bound=Repeatable)
T = TypeVar("T")


def repeated(trial: Callable[[np.random.Generator], T], seed: int, name: str, numbers: Iterable[int]) -> list[T]:
    """What a trial finds in some repetitions, each with a generator of its own."""
    key = [seed, zlib.crc32(name.encode())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        warnings.simplefilter("ignore", UnreliableResultWarning)
        return [trial(np.random.default_rng([*key, number])) for number in numbers]


def scaled(study: Study, scale: float) -> int:
    """How many repetitions a share of a full run is: at least 3."""
    return max(3, round(study.repetitions * scale))


def run(
    studies: Sequence[R],
    repetitions: Callable[[R], int],
    *,
    n_jobs: int = 1,
    journal: Path | None = None,
    end: float = math.inf,
) -> Iterator[tuple[R, Values]]:
    """The values of every study, as soon as they are there. What is in the journal is not computed again.

    With an end, a time of `time.monotonic`, all studies advance together, so that each has some repetitions by then.
    """
    done = recorded(journal) if journal else defaultdict(dict)
    tasks = [
        (study, batch) for study in studies for batch in batches(repetitions(study)) if batch not in done[study.name]
    ]
    if end < math.inf:
        tasks.sort(key=lambda task: task[1])
    left = Counter(study.name for study, _ in tasks)

    def found(study: R) -> tuple[R, Values]:
        return study, [values for batch in batches(repetitions(study)) for values in done[study.name].get(batch, [])]

    yield from (found(study) for study in studies if not left[study.name])
    in_time = takewhile(lambda _: time.monotonic() < end, tasks)
    outcomes = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(study.values)(*batch) for study, batch in in_time)
    for (study, batch), values in zip(tasks, outcomes, strict=False):
        done[study.name][batch] = values
        left[study.name] -= 1
        if journal:
            write(journal, study.name, batch, values)
        if not left[study.name]:
            yield found(study)
    yield from (found(study) for study in studies if left[study.name])  # there was no more time


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
