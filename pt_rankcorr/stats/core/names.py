"""Names of topics and systems: text, distinct, and found by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from pt_rankcorr.stats.core.arguments import check_distinct, is_missing, listing, not_a_word
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.text import shown


def as_text(name: object, parameter: str) -> str:
    """A name as text: a topic is "1" whether it was read as a number or not; bytes and missing values name nothing."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (bytes, bytearray)) or is_missing(name) or getattr(name, "ndim", 0) > 0:
        raise TypeError(f"`{parameter}` must be named by text or numbers, got {shown(name)}.")
    return str(name)


def distinct(names: Iterable[object], parameter: str, what: str) -> Labels:
    """The names as text, if each names one thing."""
    labels = tuple(as_text(name, parameter) for name in names)
    check_distinct(labels, parameter, f"have distinct names of {what}")
    return labels


def by_name(mapping: Mapping[Any, Any], parameter: str) -> dict[str, Any]:
    """The mapping with its names as text, if they are distinct."""
    names = [as_text(name, parameter) for name in mapping]
    check_distinct(names, parameter)
    return dict(zip(names, mapping.values(), strict=True))


def numbered(letter: str, count: int) -> Labels:
    """Labels of what has no names: the letter and a number from 1 on."""
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


def as_labels(names: Sequence[object], count: int, parameter: str) -> Labels:
    """Names in order, as text, if they are distinct and so many."""
    if isinstance(names, (set, frozenset)):
        raise TypeError(f"`{parameter}` must be a list of names in order, got a {type(names).__name__}.")
    labels = tuple(as_text(name, parameter) for name in not_a_word(names, parameter))
    if len(labels) != count:
        raise ValueError(f"`{parameter}` must name all {count} {parameter}, got {len(labels)} names.")
    check_distinct(labels, parameter)
    return labels


def positions(names: Sequence[object], available: Labels, parameter: str) -> list[int]:
    """The position of each name among those available; an error if one is not there, or repeats."""
    wanted = [str(name) for name in not_a_word(names, parameter)]
    position = {label: index for index, label in enumerate(available)}
    unknown = {name for name in wanted if name not in position}
    if unknown:
        raise ValueError(f"`{parameter}` must be among {listing(available)}, got {listing(unknown)}.")
    check_distinct(wanted, parameter)
    return [position[name] for name in wanted]


def counts(index: pd.Index[Any]) -> bool:
    """Whether an index is 0, 1, 2, ..., which names nothing."""
    return index.inferred_type in ("integer", "empty") and index.equals(pd.RangeIndex(len(index)))
