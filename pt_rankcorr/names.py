"""Names of topics, systems and measures: distinct, and found by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from pt_rankcorr.stats.core.arguments import list_of, listing
from pt_rankcorr.stats.core.matching import as_text as as_text
from pt_rankcorr.stats.core.matching import is_missing as is_missing
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.text import shown

LONGEST_NAME = 100  # characters of what is looked up among others


def labels(names: Sequence[object] | None, count: int, parameter: str, letter: str) -> Labels:
    if names is None:
        return tuple(f"{letter}{number}" for number in range(1, count + 1))
    labels = tuple(as_text(name, parameter) for name in in_order(names, parameter))
    if len(labels) != count:
        raise ValueError(f"`{parameter}` must name all {count} {parameter}, got {len(labels)} names.")
    check_distinct(labels, parameter)
    return labels


def check_distinct(labels: Sequence[str], parameter: str) -> None:
    if len(set(labels)) < len(labels):
        repeated = {label for label, times in Counter(labels).items() if times > 1}
        raise ValueError(f"`{parameter}` must be distinct, got {listing(repeated)} more than once.")


def positions(names: Sequence[object], available: Labels, parameter: str) -> list[int]:
    wanted = [str(name) for name in not_a_word(names, parameter)]
    position = {label: at for at, label in enumerate(available)}
    unknown = {name for name in wanted if name not in position}
    if unknown:
        raise ValueError(f"`{parameter}` must be among {listing(available)}, got {listing(unknown)}.")
    check_distinct(wanted, parameter)
    return [position[name] for name in wanted]


def closest(name: str, available: Iterable[str]) -> str | None:
    """The most similar of the available names, if one is similar."""
    lowered = {each.lower(): each for each in reversed(list(available))}
    close = get_close_matches(name[:LONGEST_NAME].lower(), lowered, n=1)
    return lowered[close[0]] if close else None


def without(available: Labels, names: Sequence[object], parameter: str) -> Labels:
    gone = {available[at] for at in positions(names, available, parameter)}
    return tuple(label for label in available if label not in gone)


def not_a_word(names: Sequence[object], parameter: str) -> Sequence[object]:
    if isinstance(names, (str, bytes)):
        raise TypeError(f"`{parameter}` must be a list of names, got the single name {shown(names)}.")
    return list_of(parameter, names, "names")


def in_order(names: Sequence[object], parameter: str) -> Sequence[object]:
    if isinstance(names, (set, frozenset)):
        raise TypeError(f"`{parameter}` must be a list of names in order, got a {type(names).__name__}.")
    return not_a_word(names, parameter)
