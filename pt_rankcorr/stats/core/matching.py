"""Names of systems and topics, and how two inputs are brought into one order by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import UnmatchedNamesWarning, warn

RULES = {"systems": "must rank the same systems", "topics": "must be on the same topics"}


class Names(NamedTuple):
    """The names of systems or topics.

    Attributes:
        labels: One for each.
        given: Whether somebody gave them. A default such as 0, 1, 2 or s1, s2, s3 is no name: it is matched with the
            same set of names on the other side, as where one side was reordered, and says nothing against others.
    """

    labels: Labels
    given: bool = True


def given_labels(names: Names | None) -> Labels | None:
    return names.labels if names is not None and names.given else None


def as_text(name: object, parameter: str) -> str:
    """A name as text: a topic is "1" whether it was read as a number or not; bytes and missing values name nothing."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (bytes, bytearray)) or is_missing(name) or _holds_several(name):
        raise TypeError(f"`{parameter}` must be named by text or numbers, got {shown(name)}.")
    return str(name)


def _holds_several(name: object) -> bool:
    """Whether this is no name but a column of data, as the columns of a table of pyarrow are."""
    return hasattr(name, "__array__") and getattr(name, "ndim", 1) > 0


def is_missing(value: object) -> bool:
    """Whether a value is None, nan, or another of those that do not equal themselves."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas' NA is neither equal nor different, and an array is both
        return True


def distinct(labels: Iterable[object], parameter: str, what: str) -> Labels:
    """The labels as text, if each names one thing."""
    texts = tuple(as_text(label, parameter) for label in labels)
    if len(set(texts)) < len(texts):
        repeated = {text for text, times in Counter(texts).items() if times > 1}
        raise ValueError(f"`{parameter}` must have distinct names of {what}, got more than once {listing(repeated)}.")
    return texts


def matching(labels: Labels, others: Labels, parameter: str, rule: str = RULES["systems"], advice: str = "") -> Indices:
    """The positions in `others` of each of `labels`: both must have the same names, each once."""
    different = set(labels) ^ set(others)
    if different:
        raise ValueError(f"`{parameter}` {rule}, got differences in {listing(different)}{advice}.")
    position = {label: at for at, label in enumerate(others)}
    return np.array([position[label] for label in labels], dtype=np.intp)


def in_order_of(
    names: Names | None,
    others: Names | None,
    values: Floats,
    sides: tuple[str, str],
    *,
    count: int,
    what: str = "systems",
    advice: str = "",
) -> Floats:
    """The values of the second side, along the last axis, in the order of the first side's names.

    By position where a side has no names; if only one has, a warning says so. `count` is how many values the first
    side has: numbers that differ are left to the caller to refuse.
    """
    if names is None and others is None:
        return values
    if names is not None and others is not None:
        if names.labels == others.labels:
            return values
        if (names.given and others.given) or set(names.labels) == set(others.labels):
            return np.ascontiguousarray(
                values[..., matching(names.labels, others.labels, sides[1], RULES[what], advice)]
            )
    if count == values.shape[-1]:
        warn_if_unmatched(names, others, sides, what)
    return values


def warn_if_unmatched(names: Names | None, others: Names | None, sides: tuple[str, str], what: str) -> None:
    """Says which side has names, where only one has."""
    has = given_labels(names) is not None, given_labels(others) is not None
    if has[0] != has[1]:
        named, unnamed = sides if has[0] else sides[::-1]
        warn(
            f"`{named}` names its {what} and `{unnamed}` does not: they are taken to be in the same order.",
            UnmatchedNamesWarning,
        )
