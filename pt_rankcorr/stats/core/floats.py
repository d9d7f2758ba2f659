"""Numbers as arrays of finite floats."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import is_real, listing
from pt_rankcorr.stats.core.design import LabelledMatrix
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

LARGEST_SCORE, SMALLEST_SCORE = 1e100, 1e-100  # in size, but for 0: squares and sums neither overflow nor vanish
SIZES = f"0, or from {SMALLEST_SCORE:g} to {LARGEST_SCORE:g} in size"
EXACT_INTEGERS = 2**53  # up to which a float holds every integer


def place(at: tuple[int, ...]) -> str:
    """Where a number stands, for messages."""
    return f" at {at if len(at) > 1 else at[0]}" if at else ""


def item_of(names: Sequence[object], at: tuple[int, ...]) -> str:
    """The same where its name is known."""
    return f" for {shown(names[at[0]])}{place(at[1:])}"


def cell_of(topics: Sequence[object], systems: Sequence[object], at: tuple[int, ...]) -> str:
    """The same in a matrix of named topics and systems."""
    return f" for system {shown(systems[at[1]])} on topic {shown(topics[at[0]])}"


def as_floats(values: object, parameter: str, place_of: Callable[[tuple[int, ...]], str] = place) -> Floats:
    """Any array-like of real numbers as finite floats in C order; not text, complex numbers or dates.

    Larger numbers are rounded, unless that makes two integers equal. Messages say by `place_of` where a number stands.
    """
    given = _real_numbers(values, parameter)
    is_longer = given.dtype.itemsize > 8
    with np.errstate(over="ignore") if is_longer else nullcontext():  # what overflows is refused as infinite
        array = np.asarray(given, dtype=np.float64, order="C")  # sums depend on the order in their last bit
    if not np.isfinite(array).all():
        at = _at(~np.isfinite(array))
        raise ValueError(f"`{parameter}` must be finite, got {array[at]}{place_of(at)}.")
    beyond = is_beyond(array)
    if beyond.any():
        at = _at(beyond)
        raise ValueError(f"`{parameter}` must be {SIZES}, got {array[at]}{place_of(at)}.")
    if given.dtype.kind in "iuO" and (np.abs(array) >= EXACT_INTEGERS).any():
        _check_distinct(given, parameter)
    return array


def is_beyond(scores: Floats) -> NDArray[np.bool_]:
    """Which numbers are too large or too small to be scores; 0 and nan are not."""
    sizes = np.abs(scores)
    return np.asarray((sizes > LARGEST_SCORE) | ((sizes < SMALLEST_SCORE) & (sizes > 0.0)))


def _real_numbers(values: object, parameter: str) -> NDArray[Any]:
    array = None if values is None or isinstance(values, Mapping) else as_numbers(values)
    if array is None:
        raise TypeError(f"`{parameter}` must be an array of numbers, got {_description(values)}.")
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError(
            f"`{parameter}` must not be masked, got a masked value{place(_at(np.ma.getmaskarray(array)))}."
        )
    return array


def as_numbers(values: object) -> NDArray[Any] | None:
    """An array of real numbers, or of objects that can become floats, as none becomes nan; else None."""
    try:
        array: NDArray[Any] = np.asanyarray(values)
        if array.dtype.kind == "O" and all(is_real(value) or value is None for value in array.flat):
            np.asarray(array, dtype=np.float64)  # a very large integer has no float
            return array
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return None
    return array if array.dtype.kind in "biuf" else None


def _check_distinct(given: NDArray[Any], parameter: str) -> None:
    """Integers that differ must differ as floats."""
    integers = sorted({number for number in given.ravel().tolist() if isinstance(number, int)})
    for smaller, larger in itertools.pairwise(integers):
        if float(smaller) == float(larger):
            raise ValueError(f"`{parameter}` must be numbers that floats tell apart, got {smaller} and {larger}.")


def _description(values: object) -> str:
    if isinstance(values, Mapping) and values and all(isinstance(value, LabelledMatrix) for value in values.values()):
        return f"several measures, {listing(values)}: choose one, or call it for each"
    if values is None:
        return "None"
    if isinstance(values, np.ndarray):
        return f"an array of type {values.dtype}"
    return f"an object of type {type(values).__name__}"


def _at(offends: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(axis) for axis in np.argwhere(offends)[0])
