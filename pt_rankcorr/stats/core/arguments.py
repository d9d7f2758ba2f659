"""Checks of arguments that all public functions share: numbers, words, arrays, names as text."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Complex, Real
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown

Word = TypeVar("Word", bound=str)

# A float holds every integer up to this one.
EXACT_INTEGERS = 2**53
# More resamples are refused, as their results do not fit into memory.
MOST_RESAMPLES = 10**8
# More systems are refused where a table of all their pairs is made: it takes 512 MiB for this many.
MOST_SYSTEMS = 8192


def listing(names: Iterable[object]) -> str:
    """Names as a message shows them: sorted, at most five, then how many more there are."""
    ordered, most = sorted(str(name) for name in names), 5
    first = ", ".join(map(shown, ordered[:most]))
    return f"{first} and {len(ordered) - most} more" if len(ordered) > most else first


def one_of(parameter: str, value: object, allowed: Collection[Word]) -> Word:
    """The value, if it is an allowed word; errors name the `parameter`, as in all checks below."""
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(repr(word) for word in allowed)
        raise ValueError(f"`{parameter}` must be {words}, got {shown(value)}.")
    return cast(Word, value)


def list_of(parameter: str, values: Any, what: str) -> list[Any]:
    """A list of the values, if they can be listed; `what` they should be is for the message."""
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"`{parameter}` must be a list of {what}, got {shown(values)}.") from None


def flag(parameter: str, value: object) -> bool:
    """The value, if it is a bool, not just truthy."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"`{parameter}` must be True or False, got {shown(value)}.")


def whole_number(
    parameter: str, value: object, *, at_least: int, at_most: int | None = None
) -> int:
    """The value as an int, if it is an integer that is large enough and not too large."""
    rule = f"`{parameter}` must be an integer"
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{rule}, got {shown(value)}.") from None
    if isinstance(value, bool) or number < at_least:
        raise ValueError(f"{rule} of at least {at_least}, got {shown(value)}.")
    if at_most is not None and number > at_most:
        raise ValueError(f"{rule} of at most {at_most}, got {shown(value)}.")
    return number


def resample_count(value: object, *, at_least: int = 1) -> int:
    """The argument `n_resamples` as an int, if the results of that number fit into memory."""
    return whole_number("n_resamples", value, at_least=at_least, at_most=MOST_RESAMPLES)


def check_number_of_systems(parameter: str, n_systems: int) -> None:
    """Refuses so many systems that a table of all their pairs does not fit into memory."""
    if n_systems > MOST_SYSTEMS:
        rule = f"`{parameter}` must have at most {MOST_SYSTEMS} systems"
        why = "as tables of all pairs of more do not fit into memory"
        raise ValueError(f"{rule}, {why}, got {n_systems}: choose some.")


def share(parameter: str, value: object) -> float:
    """The value as a float between 0 and 1, both excluded."""
    number = real_number(parameter, value)
    if not 0.0 < number < 1.0:
        rule = f"`{parameter}` must be between 0 and 1 (both excluded)"
        raise ValueError(f"{rule}, got {shown(value)}.")
    return number


def real_number(parameter: str, value: object) -> float:
    """The value as a float, if it is a single real number, or the text of one, and not nan."""
    rule = f"`{parameter}` must be a number"
    is_number = is_real(value) or isinstance(value, str)
    if not is_number or isinstance(value, (bool, np.bool_)) or getattr(value, "shape", ()) != ():
        raise TypeError(f"{rule}, got {shown(value)}.")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        raise TypeError(f"{rule}, got {shown(value)}.") from None
    if number != number:
        raise ValueError(f"{rule}, got nan.")
    return number


def correlation(parameter: str, value: object) -> float:
    """The value as a float from -1 to 1."""
    number = real_number(parameter, value)
    if not -1.0 <= number <= 1.0:
        raise ValueError(f"`{parameter}` must be in [-1, 1], got {shown(value)}.")
    return number


def is_real(value: object) -> bool:
    """Whether something is, or can become, a float: not text, none, or a complex number."""
    if isinstance(value, Real):
        return True
    return hasattr(value, "__float__") and not isinstance(value, Complex)


def as_floats(values: object, parameter: str, *labels: Labels, allow_nan: bool = False) -> Floats:
    """Any array-like of real numbers, no text or dates, as finite floats of its shape in C order.

    Messages say where a number stands by `labels`: none, those of a vector, or topics and systems
    of a matrix. In a vector nan, a missing score, may be allowed.
    """
    numbers = None if values is None or isinstance(values, Mapping) else as_numbers(values)
    if numbers is None:
        seen = "None" if values is None else f"an object of type {type(values).__name__}"
        seen = f"an array of type {values.dtype}" if isinstance(values, np.ndarray) else seen
        raise TypeError(f"`{parameter}` must be an array of numbers, got {seen}.")
    if np.ma.is_masked(numbers):
        raise ValueError(f"`{parameter}` must not be masked, got masked values.")
    array = np.asarray(numbers, dtype=np.float64, order="C")
    largest = float(np.abs(array).max(initial=0.0))  # nan or inf if any number is
    if not math.isfinite(largest):
        is_wrong = np.isinf(array) if allow_nan and array.ndim == 1 else ~np.isfinite(array)
        if is_wrong.any():
            # the first wrong number is shown with its place: by names if there are some
            cell = tuple(int(place) for place in np.argwhere(is_wrong)[0])
            if len(labels) == 2:
                topic, system = labels[0][cell[0]], labels[1][cell[1]]
                where = f" for system {shown(system)} on topic {shown(topic)}"
            elif labels:
                where = f" for {shown(labels[0][cell[0]])}"
            else:
                where = f" at {cell if len(cell) > 1 else cell[0]}" if cell else ""
            raise ValueError(f"`{parameter}` must be finite, got {array[cell]}{where}.")
        largest = float(np.abs(array).max(initial=0.0, where=~np.isnan(array)))
    # beyond these sizes, squares and products would leave the range of floats
    if largest and not 1e-150 <= largest <= 1e150:
        rule = f"`{parameter}` must be 0, or of sizes from 1e-150 to 1e+150"
        raise ValueError(f"{rule}, got {largest:g} for the largest: scale them.")
    return array


def as_numbers(values: Any) -> NDArray[Any] | None:
    """Values as an array of numbers or booleans, missing ones as nan; None if some are neither."""
    try:
        array: NDArray[Any] = np.asanyarray(values)
        # objects, such as Decimal or None in a list: each must be a number or missing
        is_object = array.dtype.kind == "O"
        if is_object and all(is_real(value) or is_missing(value) for value in array.flat):
            array = np.where(pd.isna(array), np.nan, array).astype(np.float64)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return None
    return array if array.dtype.kind in "biuf" else None


def is_missing(value: Any) -> bool:
    """Whether a value is None, nan, pandas' NA or NaT: none equals itself."""
    try:
        return value is None or bool(value != value)
    # pandas' NA is neither equal nor different, and an array is both
    except (TypeError, ValueError):
        return True


# --- names ----------------------------------------------------------------------------------------


def check_distinct(labels: Sequence[str], parameter: str, rule: str = "be distinct") -> None:
    """Refuses labels of which one repeats; by the message, `parameter` must keep the `rule`."""
    if len(set(labels)) < len(labels):
        repeated = {label for label, times in Counter(labels).items() if times > 1}
        raise ValueError(f"`{parameter}` must {rule}, got {listing(repeated)} more than once.")


def closest(name: str, available: Iterable[str]) -> str | None:
    """The most similar of the available names, if one is similar."""
    lowered = {label.lower(): label for label in reversed(list(available))}
    close = get_close_matches(name[:100].lower(), lowered, n=1)  # a long text would take long
    return lowered[close[0]] if close else None


def spelling_hint(names: Iterable[str], others: Iterable[str]) -> str:
    """A hint for names not among the others: " '007' differs from '7' in leading zeros alone.".

    It is empty if none differs from another only in blanks, the ".0" of a float or leading zeros.
    """
    others = {*others}
    for what, plain in (
        ("blanks", str.strip),
        ('the ".0" of a float', lambda name: name.strip().removesuffix(".0")),
        ("leading zeros", lambda name: name.strip().removesuffix(".0").lstrip("0")),
    ):
        known = {plain(other): other for other in sorted(others)}
        for name in sorted({*names} - others):
            if plain(name) in known:
                return f" {shown(name)} differs from {shown(known[plain(name)])} in {what} alone."
    return ""


def list_of_names(names: Sequence[object], parameter: str) -> Sequence[object]:
    """A list of the names, unless they are one text, whose letters would be taken for names."""
    if isinstance(names, (str, bytes)):
        seen = f"the single name {shown(names)}"
        raise TypeError(f"`{parameter}` must be a list of names, got {seen}.")
    return list_of(parameter, names, "names")


def as_text(name: object, parameter: str) -> str:
    """A name as text, as "1" for the number 1, too; bytes and missing values name nothing."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (bytes, bytearray)) or is_missing(name) or getattr(name, "ndim", 0) > 0:
        raise TypeError(f"`{parameter}` must be named by text or numbers, got {shown(name)}.")
    return str(name)


def distinct(names: Iterable[object], parameter: str, what: str) -> Labels:
    """The names as text, if none repeats; `what` they name, as "topics", is for the message."""
    labels = tuple(as_text(name, parameter) for name in names)
    check_distinct(labels, parameter, f"have distinct names of {what}")
    return labels


def by_name(mapping: Mapping[Any, Any], parameter: str) -> dict[str, Any]:
    """The mapping with its names as text, if they are distinct."""
    names = [as_text(name, parameter) for name in mapping]
    check_distinct(names, parameter)
    return dict(zip(names, mapping.values(), strict=True))


def numbered(letter: str, count: int) -> Labels:
    """Labels for items without names: the letter and a number from 1 on."""
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


def as_labels(names: Sequence[object], count: int, parameter: str) -> Labels:
    """Names in order, as text, if distinct and `count` many; `parameter` also says of what."""
    if isinstance(names, (set, frozenset)):
        rule = f"`{parameter}` must be a list of names in order"
        raise TypeError(f"{rule}, got a {type(names).__name__}.")
    labels = tuple(as_text(name, parameter) for name in list_of_names(names, parameter))
    if len(labels) != count:
        rule = f"`{parameter}` must name all {count} {parameter}"
        raise ValueError(f"{rule}, got {len(labels)} names.")
    check_distinct(labels, parameter)
    return labels


def positions(names: Sequence[object], available: Labels, parameter: str) -> list[int]:
    """The position of each name among those available; an error if one is not there, or repeats."""
    wanted = [str(name) for name in list_of_names(names, parameter)]
    position = {label: index for index, label in enumerate(available)}
    unknown = {name for name in wanted if name not in position}
    if unknown:
        rule = f"`{parameter}` must be among {listing(available)}"
        raise ValueError(f"{rule}, got {listing(unknown)}.")
    check_distinct(wanted, parameter)
    return [position[name] for name in wanted]


def is_default_index(index: pd.Index[Any]) -> bool:
    """Whether an index is 0, 1, 2, ..., as pandas makes where a caller gave no names."""
    return index.inferred_type in ("integer", "empty") and index.equals(pd.RangeIndex(len(index)))
