"""A few cases of every target, always the same; python -m tests.fuzz runs many."""

from __future__ import annotations

import math

import pytest

from tests.fuzz.contract import BrokenPromiseError, check_message, outcome
from tests.fuzz.engines import at_random
from tests.fuzz.registry import targets

CASES = 12
TARGETS = targets()


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.whole
def test_no_case_breaks_a_promise(name: str) -> None:
    tally = at_random(TARGETS[name], CASES, math.inf, 1)
    assert tally.failure is None, tally.failure


@pytest.mark.parametrize("error", [KeyError("a"), IndexError(), RecursionError(), OverflowError(), MemoryError()])
def test_errors_from_deep_inside_are_found(error: Exception) -> None:
    def fails() -> object:
        raise error

    with pytest.raises(BrokenPromiseError, match="is no refusal"):
        outcome(fails)


def test_other_broken_promises_are_found() -> None:
    with pytest.raises(BrokenPromiseError, match="no refusal"):
        outcome(lambda: b"\xff".decode())
    with pytest.raises(BrokenPromiseError, match="deep inside"):
        outcome(lambda: int("x"))
    with pytest.raises(BrokenPromiseError, match="still at work"):
        outcome(lambda: [None for _ in iter(int, 1)], seconds=0.05)
    with pytest.raises(BrokenPromiseError, match="control characters"):
        check_message("red \x1b[31m")
