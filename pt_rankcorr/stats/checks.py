"""Argument checks that every public statistic shares, and the warnings that it may give."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable

from pt_rankcorr.stats._text import shown

SHOWN_AT_MOST = 5


class DegenerateInputWarning(UserWarning):
    """The input is legal, but the statistic is undefined for it: the result is nan."""


class UnreliableResultWarning(UserWarning):
    """The result is defined, but the input is too small or too special for it to be trusted."""


def listing(names: Iterable[object]) -> str:
    """Offenders as a message shows them: sorted, at most five, then how many more there are."""
    ordered = sorted(str(name) for name in names)
    first = ", ".join(map(shown, ordered[:SHOWN_AT_MOST]))
    more = len(ordered) - SHOWN_AT_MOST
    return f"{first} and {more} more" if more > 0 else first


def one_of(parameter: str, value: object, allowed: Collection[str]) -> str:
    """The value, if it is one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(repr(word) for word in allowed)
        raise ValueError(f"`{parameter}` must be {words}, got {value!r}.")
    return value


def whole_number(parameter: str, value: object, *, at_least: int) -> int:
    """The value as an int, if it is an integer that is large enough."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"`{parameter}` must be an integer, got {value!r}.") from None
    if isinstance(value, bool) or number < at_least:
        raise ValueError(f"`{parameter}` must be an integer of at least {at_least}, got {value!r}.")
    return number


def share(parameter: str, value: object) -> float:
    """The value as a float, if it lies strictly between 0 and 1."""
    number = real_number(parameter, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"`{parameter}` must be between 0 and 1 (both excluded), got {value!r}.")
    return number


def real_number(parameter: str, value: object) -> float:
    """The value as a float, if it is a single number and not nan."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"`{parameter}` must be a number, got {value!r}.") from None
    if number != number:
        raise ValueError(f"`{parameter}` must be a number, got nan.")
    return number
