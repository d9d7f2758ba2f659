"""Argument checks that every public statistic shares."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Mapping
from numbers import Complex, Real
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown

Word = TypeVar("Word", bound=str)

SHOWN_AT_MOST = 5
EXACT_INTEGERS = 2**53  # up to which a float holds every integer
MOST_RESAMPLES = 10**8  # the results of more do not fit into memory


def listing(names: Iterable[object]) -> str:
    """Offenders as a message shows them: sorted, at most five, then how many more there are."""
    ordered = sorted(str(name) for name in names)
    first = ", ".join(map(shown, ordered[:SHOWN_AT_MOST]))
    more = len(ordered) - SHOWN_AT_MOST
    return f"{first} and {more} more" if more > 0 else first


def one_of(parameter: str, value: object, allowed: Collection[Word]) -> Word:
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(repr(word) for word in allowed)
        raise ValueError(f"`{parameter}` must be {words}, got {shown(value)}.")
    return cast(Word, value)


def list_of(parameter: str, values: Any, what: str) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"`{parameter}` must be a list of {what}, got {shown(values)}.") from None


def flag(parameter: str, value: object) -> bool:
    """The value, if it is a bool, not just truthy."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"`{parameter}` must be True or False, got {shown(value)}.")


def whole_number(parameter: str, value: object, *, at_least: int, at_most: int | None = None) -> int:
    """The value as an int, if it is an integer that is large enough and not too large."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"`{parameter}` must be an integer, got {shown(value)}.") from None
    if isinstance(value, bool) or number < at_least:
        raise ValueError(f"`{parameter}` must be an integer of at least {at_least}, got {shown(value)}.")
    if at_most is not None and number > at_most:
        raise ValueError(f"`{parameter}` must be an integer of at most {at_most}, got {shown(value)}.")
    return number


def resample_count(value: object, *, at_least: int = 1) -> int:
    return whole_number("n_resamples", value, at_least=at_least, at_most=MOST_RESAMPLES)


def share(parameter: str, value: object) -> float:
    number = real_number(parameter, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"`{parameter}` must be between 0 and 1 (both excluded), got {shown(value)}.")
    return number


def real_number(parameter: str, value: object) -> float:
    """The value as a float, if it is a single real number, or the text of one, and not nan."""
    if (
        not (is_real(value) or isinstance(value, str))
        or isinstance(value, (bool, np.bool_))
        or getattr(value, "shape", ()) != ()
    ):
        raise TypeError(f"`{parameter}` must be a number, got {shown(value)}.")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"`{parameter}` must be a number, got {shown(value)}.") from None
    except OverflowError:
        raise ValueError(f"`{parameter}` must be a number that a float can hold, got {shown(value)}.") from None
    if number != number:
        raise ValueError(f"`{parameter}` must be a number, got nan.")
    return number


def correlation(parameter: str, value: object) -> float:
    number = real_number(parameter, value)
    if not -1.0 <= number <= 1.0:
        raise ValueError(f"`{parameter}` must be in [-1, 1], got {shown(value)}.")
    return number


def is_real(value: object) -> bool:
    """Whether something is, or can become, a float: not text, none, or a complex number."""
    return isinstance(value, Real) or (hasattr(value, "__float__") and not isinstance(value, Complex))


def as_floats(values: object, parameter: str, *labels: Labels) -> Floats:
    """Any array-like of real numbers as finite floats in C order; not text, complex numbers or dates.

    Messages say where a number stands by the labels of the axes, as far as these are given.
    """
    numbers = None if values is None or isinstance(values, Mapping) else as_numbers(values)
    if numbers is None:
        seen = (
            f"an array of type {values.dtype}"
            if isinstance(values, np.ndarray)
            else f"an object of type {type(values).__name__}"
        )
        raise TypeError(f"`{parameter}` must be an array of numbers, got {'None' if values is None else seen}.")
    if np.ma.is_masked(numbers):
        raise ValueError(f"`{parameter}` must not be masked, got masked values.")
    with np.errstate(over="ignore"):  # what overflows is refused as infinite
        array = np.asarray(numbers, dtype=np.float64, order="C")
    if not np.isfinite(array).all():
        cell = tuple(int(place) for place in np.argwhere(~np.isfinite(array))[0])
        if len(labels) == 2:
            where = f" for system {shown(labels[1][cell[1]])} on topic {shown(labels[0][cell[0]])}"
        elif labels:
            where = f" for {shown(labels[0][cell[0]])}"
        else:
            where = f" at {cell if len(cell) > 1 else cell[0]}" if cell else ""
        raise ValueError(f"`{parameter}` must be finite, got {array[cell]}{where}.")
    return array


def as_numbers(values: Any) -> NDArray[Any] | None:
    """An array of real numbers, missing ones as nan; else None."""
    try:
        array: NDArray[Any] = np.asanyarray(values)
        if array.dtype.kind == "O" and all(is_real(value) or is_missing(value) for value in array.flat):
            array = np.where(pd.isna(array), np.nan, array).astype(np.float64)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return None
    return array if array.dtype.kind in "biuf" else None


def is_missing(value: Any) -> bool:
    """Whether a value is None, nan, or another of those that do not equal themselves."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas' NA is neither equal nor different, and an array is both
        return True
