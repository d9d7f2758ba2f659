"""The one place that reaches behind PyTerrier's public interface: its mean response times.

`pt.Experiment` measures how long each system takes, and tells it only where it returns averages alone. Whoever
wants times and per-query scores of the same run has to look over its shoulder.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, TypeVar

Returned = TypeVar("Returned")
# by which experiment, of which system, its time; None while nobody listens
_TOLD: ContextVar[list[tuple[Any, int, float]] | None] = ContextVar("_TOLD", default=None)


def with_response_times(run: Callable[[], Returned]) -> tuple[Returned, dict[int, float]]:
    """What `run` returns, and the mean response time, in milliseconds, of each system of its experiment."""
    _listen()
    told: list[tuple[Any, int, float]] = []
    before = _TOLD.set(told)
    try:
        returned = run()
    finally:
        _TOLD.reset(before)
    # a system may start an experiment itself: that one ends first
    return returned, {system: time for experiment, system, time in told if experiment is told[-1][0]}


@cache
def _listen() -> None:
    """Has the host tell what it measures to whoever listens; what it does stays the same."""
    try:
        from pyterrier._evaluation._experiment import RenderFromPerQuery

        add_metrics = RenderFromPerQuery.add_metrics
    except (ImportError, AttributeError) as error:
        raise RuntimeError("this version of PyTerrier does not tell 'mrt' together with per-query scores") from error

    @wraps(add_metrics)
    def and_tell(self: Any, sysid: int, evalRows: Any, mrt: float) -> None:
        add_metrics(self, sysid, evalRows, mrt)
        told = _TOLD.get()
        if told is not None:
            told.append((self, sysid, self.precompute_time + mrt))

    RenderFromPerQuery.add_metrics = and_tell
