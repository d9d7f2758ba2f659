"""The search for the first number of topics that is enough."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable

MOST_TOPICS = 2**60  # beyond, a target counts as out of reach


def first_enough(is_enough: Callable[[int], bool]) -> float:
    """The smallest number of topics, at least 2, from which on there are enough; inf if they are too many to count."""
    high = 2
    while high < MOST_TOPICS and not is_enough(high):
        high *= 2
    between = range(high // 2 + 1, high)
    return float(between.start + bisect_left(between, True, key=is_enough)) if high < MOST_TOPICS else math.inf
