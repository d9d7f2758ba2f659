"""The table: as text, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.calibration.rows import Found
from tests.calibration.studies import Study

TABLE = Path(__file__).with_name("table.json")


def shown(row: Found) -> str:
    """One line."""
    what = f"{row.what}: {row.settings}" if row.settings else row.what
    numbers = f"{row.nominal:5.2f} {row.found:7.4f} [{row.low:7.4f}, {row.high:7.4f}] {row.repetitions:5d}"
    return f"{what:<95} {row.data:<45} {row.size:>10} {numbers} {row.verdict}"


def write(found: Sequence[Found], path: Path = TABLE) -> None:
    rows = ",\n".join(json.dumps(asdict(row)) for row in found)
    path.write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def read(path: Path = TABLE) -> list[Found]:
    return [Found(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def lacking(studies: Iterable[Study], table: Sequence[Found]) -> list[Study]:
    """Those of which the table lacks a row."""
    there = {row.key for row in table}
    return [study for study in studies if not there.issuperset(study.keys)]


def merged(studies: Iterable[Study], table: Sequence[Found], found: Sequence[Found]) -> list[Found]:
    """The rows of all studies, in their order: those that were found, else those of the table."""
    rows = {row.key: row for row in [*table, *found]}
    return [rows[key] for study in studies for key in study.keys if key in rows]
