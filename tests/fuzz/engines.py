"""Two ways to make cases: hypothesis at random, and atheris led by the lines that a case reaches."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
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


def counted(target: Target, tally: Tally, until: float = float("inf")) -> Callable[[Any], None]:
    """One case of the target, with its outcome noted."""

    def one(case: Any) -> None:
        if time.monotonic() > until and tally.failure is None:
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

    return one


def at_random(target: Target, cases: int, seconds: float, random_seed: int) -> Tally:
    """So many cases at most, and no new one after so many seconds; the first failure is made as small as can be."""
    tally, start = Tally(), time.monotonic()
    one = counted(target, tally, start + seconds)

    @seed(random_seed)
    @settings(NOTHING_KEPT, max_examples=cases)
    @given(target.cases)
    def run(case: Any) -> None:
        one(case)

    with contextlib.suppress(OutOfTimeError, AssertionError, Flaky):
        run()
    tally.seconds = time.monotonic() - start
    return tally


def led_by_coverage(target: Target, cases: int, seconds: float, random_seed: int) -> None:
    """Hands over to libFuzzer, which ends the process: with status 77 and the case on a failure."""
    import atheris

    one = counted(target, Tally())

    @settings(NOTHING_KEPT)
    @given(target.cases)
    def run(case: Any) -> None:
        try:
            one(case)
        except AssertionError:
            print(f"{target.name}: {case!r}", file=sys.stderr)
            raise

    atheris.instrument_all()
    limits = [f"-runs={cases}", f"-seed={random_seed}"]
    if seconds < float("inf"):
        limits.append(f"-max_total_time={int(seconds)}")
    atheris.Setup([sys.argv[0], *limits], run.hypothesis.fuzz_one_input)  # type: ignore[attr-defined]
    atheris.Fuzz()
