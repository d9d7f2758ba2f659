"""Makes cases by hypothesis, at random, and tells what became of them."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import Flaky

from tests.fuzz.contract import outcome
from tests.fuzz.registry import Target

NOTHING_KEPT = settings(
    database=None,
    deadline=None,
    print_blob=False,
    verbosity=Verbosity.quiet,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


class OutOfTimeError(BaseException):
    """Not an Exception, so that hypothesis does not take it for a failure."""


@dataclass
class Tally:
    """What became of the cases of a target."""

    cases: int = 0
    values: int = 0
    refusals: int = 0
    warnings: int = 0
    seconds: float = 0.0
    failure: tuple[Any, AssertionError] | None = None  # the last one, which is the smallest once it was shrunk


def at_random(target: Target, cases: int, seconds: float, random_seed: int) -> Tally:
    """So many cases at most, and no new one after so many seconds; the first failure is made as small as can be."""
    tally, start = Tally(), time.monotonic()

    @seed(random_seed)
    @settings(NOTHING_KEPT, max_examples=cases)
    @given(target.cases)
    def run(case: Any) -> None:
        if time.monotonic() > start + seconds and tally.failure is None:
            raise OutOfTimeError
        tally.cases += tally.failure is None
        try:
            seen = outcome(lambda: target.check(case), target.seconds)
        except AssertionError as error:
            tally.failure = case, error
            raise
        if tally.failure is None:
            tally.values += seen.refusal is None
            tally.refusals += seen.refusal is not None
            tally.warnings += seen.warned

    with contextlib.suppress(OutOfTimeError, AssertionError, Flaky):
        run()
    tally.seconds = time.monotonic() - start
    return tally
