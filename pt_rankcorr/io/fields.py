"""Fields of a line and the numbers in them, as trec_eval reads them: Python would accept more."""

from __future__ import annotations

from typing import Any

BLANKS = " \t\r\n\v\f"
SEPARATORS = b"\0\x1c\x1d\x1e\x1f"  # blanks to Python, and letters to trec_eval


def fields(line: str, at_most: int = -1) -> list[str]:
    """What stands between blanks, of which those beyond ASCII are none, though Python would split at them."""
    if line.isascii():
        return line.split(None, at_most)
    return [field.decode() for field in line.encode().split(None, at_most)]


def as_number(value: Any) -> float:
    """A number, or the text of one; Python would also take 1_000, the digits of other scripts, and bytes."""
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        raise ValueError("no number")
    if isinstance(value, (bytes, bytearray)):
        raise TypeError("bytes")
    return float(value)


def as_whole_number(value: Any) -> int:
    """A whole number, or the text of one."""
    number, whole = as_number(value), int(value)
    if not isinstance(value, str) and whole != number:
        raise ValueError("not whole")
    return whole
