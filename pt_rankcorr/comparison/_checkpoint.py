"""Finished points of a curve on disk, as lines of JSON: a run that was stopped goes on where it was.

The file is written whole or not at all. Its first line says what was computed; points of anything else are refused.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

VERSION = 1  # of the numbers: to be raised whenever the same input gives others


class Checkpoint:
    """The points that are finished, kept in a file if there is to be one.

    Attributes:
        points: The points.
    """

    def __init__(self, path: str | os.PathLike[str] | None, settings: Mapping[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._settings = {"version": VERSION, **settings}
        self.points = [] if self._path is None else load(self._path, self._settings)

    def add(self, points: Sequence[dict[str, Any]]) -> None:
        """More points, safe on disk when this returns."""
        self.points += points
        if self._path is not None:
            save(self._path, [self._settings, *self.points])


def load(path: Path, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The points in a file; none if there is no such file.

    Raises:
        ValueError: If it is not such a file, or its settings differ: it says which.
    """
    if not path.exists():
        return []
    header, *points = _lines(path)
    differing = sorted(name for name in settings if header.get(name) != settings[name])
    if differing:
        raise ValueError(f"`resume` must be a file of this very curve, got other {', '.join(differing)}.")
    return points


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError:
        lines = []
    if not lines or not all(isinstance(line, dict) for line in lines):
        raise ValueError(f"`resume` must be a file that judgment_curve wrote, got {str(path)!r}.")
    return lines


def save(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Writes lines of JSON: a new file beside the old one takes its place once it is complete."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(line)}\n" for line in lines)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
