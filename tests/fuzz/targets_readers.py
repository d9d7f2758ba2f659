"""Readers of files: arbitrary bytes, and valid files that were damaged."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

import pt_rankcorr as ptr
from tests.fuzz.registry import Target

_FOLDER = TemporaryDirectory(prefix="fuzz")  # gone when the process ends
FOLDER = Path(_FOLDER.name)


def _read_scores(content: bytes) -> object:
    path = FOLDER / "scores.csv"
    path.write_bytes(content)
    return ptr.read_scores(path)


TARGETS = (Target("scores", st.binary(max_size=200), _read_scores),)
