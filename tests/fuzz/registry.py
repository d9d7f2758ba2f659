"""The targets: every module `targets_*.py` beside this one has some in its tuple TARGETS."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Target:
    """Something that takes input.

    Attributes:
        name: What it is called, unique.
        cases: The inputs; a case may be anything whose repr tells it.
        check: Hands a case to the package, and returns what comes of it. It raises what the package raises, and an
            AssertionError where the result differs from what an independent reader or the plain definition says.
        seconds: What a case may take, of processor time.
    """

    name: str
    cases: SearchStrategy[Any]
    check: Callable[[Any], object]
    seconds: float = 20.0  # most take milliseconds


def targets() -> dict[str, Target]:
    """All targets by their names."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("targets_*.py"))
    found = [target for name in names for target in importlib.import_module(f"tests.fuzz.{name}").TARGETS]
    by_name = {target.name: target for target in found}
    assert len(by_name) == len(found), "two targets have one name"
    return by_name
