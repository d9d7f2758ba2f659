"""Runs the cells in rounds, a batch each, and keeps what was found in a journal."""

from __future__ import annotations

import json
import math
import time
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning
from tests.calibration.grid.cells import Cell
from tests.calibration.grid.trials import NAMES, TRIALS

SEED, BATCH = 2026, 20
Batch = tuple[str, str, int]  # part, cell, first repetition


def run(parts: Sequence[str], cells: Sequence[Cell], journal: Path, asked: range, end: float) -> None:
    """Until the repetitions that were asked for are there, or the time of `time.monotonic` has come."""
    done = set(journal_of(journal))
    for round_ in asked:
        for cell in cells:
            for part in parts:
                if (part, cell.name, round_) in done or round_ >= cell.repetitions:
                    continue
                if time.monotonic() > end:
                    return
                write(journal, (part, cell.name, round_), batch(part, cell, round_))
        print(f"{round_ + BATCH} repetitions", flush=True)


def batch(part: str, cell: Cell, first: int) -> list[list[float]]:
    """One list a repetition, values in the order of the part's names."""
    key = [SEED, zlib.crc32(f"{part} / {cell.name}".encode())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        warnings.simplefilter("ignore", UnreliableResultWarning)
        found = [TRIALS[part](cell, np.random.default_rng([*key, number])) for number in range(first, first + BATCH)]
    return [[round(values.get(name, math.nan), 5) for name in NAMES[part]] for values in found]


def write(journal: Path, key: Batch, values: list[list[float]]) -> None:
    """The break comes first, so that a line which an interrupt cut short spoils no other."""
    with journal.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps([*key, values]))


def journal_of(path: Path) -> dict[Batch, list[list[float]]]:
    """The batches that are there; a line that was cut short does not count."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = (json.loads(line) for line in lines if line.endswith("]]]"))
    return {(part, cell, first): values for part, cell, first, values in found}
