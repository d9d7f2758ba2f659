"""The one place that reaches behind PyTerrier's public interface: its mean response times.

`pt.Experiment` measures how long each system takes, and tells it only where it returns averages alone. Whoever
wants times and per-query scores of the same run has to look over its shoulder.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ONE_AT_A_TIME = threading.RLock()


def _renew_lock() -> None:
    """In a child that was forked while another thread had it, which is not there to give it back."""
    global _ONE_AT_A_TIME
    _ONE_AT_A_TIME = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def response_times() -> Iterator[dict[int, float]]:
    """Collects the mean response time, in milliseconds, of each system that `pt.Experiment` runs meanwhile.

    Only the first experiment that this thread starts is listened to, not those that a system may start itself.
    """
    try:
        from pyterrier._evaluation import _experiment as host

        renderer: Any = host.RenderFromPerQuery
        renderer.add_metrics  # noqa: B018  # it must be there
    except (ImportError, AttributeError) as error:
        raise RuntimeError("this version of PyTerrier does not tell 'mrt' together with per-query scores") from error
    times: dict[int, float] = {}
    thread = threading.get_ident()
    listened_to: list[Any] = []

    class Listening(renderer):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            if threading.get_ident() == thread and not listened_to:
                listened_to.append(self)

        def add_metrics(self, sysid: int, evalRows: Any, mrt: float) -> None:
            if self in listened_to:
                times[sysid] = self.precompute_time + mrt
            super().add_metrics(sysid, evalRows, mrt)

    with _ONE_AT_A_TIME:
        host.RenderFromPerQuery = Listening
        try:
            yield times
        finally:
            host.RenderFromPerQuery = renderer
