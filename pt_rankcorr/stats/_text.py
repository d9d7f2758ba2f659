"""Text that others wrote, such as names, made safe to be shown: on one line, of a bounded length, without controls."""

from __future__ import annotations

import unicodedata

LONGEST = 80  # characters of a value in a message


def visible(text: str) -> str:
    """A text with all that is not seen but acts written out: controls, marks of direction, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(char if _is_seen(char) else char.encode("unicode_escape").decode("ascii") for char in text)


def _is_seen(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"  # to Python no blank but " " is printable


def visible_lines(text: str) -> str:
    """The same of a text of several lines, whose line ends stay."""
    return "\n".join(map(visible, text.split("\n")))


def on_one_line(text: str) -> str:
    """A visible text without line ends or other runs of blanks."""
    return visible(" ".join(text.split()))


def cut(text: str, longest: int = LONGEST) -> str:
    """A text that is not longer than that: of a long one its beginning and its end, by which names differ."""
    if len(text) <= longest:
        return text
    begin = (longest - 1) // 2
    return f"{text[:begin]}…{text[begin + 1 - longest :]}"


def shown(value: object) -> str:
    """A value as a message shows it: what `repr` says, safe and cut."""
    try:
        return cut(on_one_line(repr(value)))
    except Exception:  # of whatever its repr raises: the message is about something else
        return f"an object of type {type(value).__name__}"


def shown_name(name: object) -> str:
    """A name as a message shows it where it stands without quotes."""
    return cut(on_one_line(str(name)))
