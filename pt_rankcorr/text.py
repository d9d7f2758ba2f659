"""Text that others wrote, such as names of runs, made safe to show: short, and without control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LONGEST = 80  # characters of a value in a message


def visible(text: str) -> str:
    """A text with invisible characters as escapes: controls, marks of direction, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(char if _is_seen(char) else char.encode("unicode_escape").decode("ascii") for char in text)


def _is_seen(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"  # Python calls no blank but " " printable


def visible_lines(text: str) -> str:
    """As `visible`, for a text of several lines: its line ends stay."""
    return "\n".join(map(visible, text.split("\n")))


def on_one_line(text: str) -> str:
    """A visible text with single blanks in place of line ends and runs of blanks."""
    return visible(" ".join(text.split()))


def plain(text: str) -> str:
    """A text with the names of statistics as they are written where there are no subscripts."""
    return text.replace("\u2009", "_").replace("\u00a0", " ")


def cut(text: str, longest: int = LONGEST) -> str:
    """The text, or the beginning and the end of one that is too long: names differ in either."""
    if len(text) <= longest:
        return text
    begin = (longest - 1) // 2
    return f"{text[:begin]}…{text[begin + 1 - longest :]}"


def in_a_sentence(names: Sequence[str], most: int = 8) -> str:
    """Names with commas and an "and"; of more than so many the first, and how many more there are."""
    more = len(names) - most
    if more > 0:
        return f"{', '.join(names[:most])} and {more} more"
    return " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])


def shown(value: object) -> str:
    """A value as an error message shows it: its `repr` on one line, cut if it is long."""
    try:
        return cut(on_one_line(repr(value)))
    except Exception:  # of the value's own `repr`: the message is about another error
        return f"an object of type {type(value).__name__}"


def shown_name(name: object) -> str:
    """A name as an error message shows it, without quotes."""
    return cut(on_one_line(str(name)))
