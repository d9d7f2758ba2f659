"""Properties that are computed once, when they are first asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

from pt_rankcorr.stats.core.results import read_only

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # as that of functools
    """`functools.cached_property` without the lock that it has before Python 3.12.

    All instances of a class share that lock, so threads wait for each other, and a child that is forked while a
    thread holds it waits forever. Without it two threads may compute a value twice, which is the same value. An array
    is read-only, as all who ask get the same.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(functools.wraps(func)(lambda owner: read_only(func(owner))))
        self.lock: nullcontext[None] = nullcontext()
