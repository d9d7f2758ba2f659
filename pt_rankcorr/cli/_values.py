"""What the values of options must be."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number", int, float)


def _number(kind: type[Number], rule: str, holds: Callable[[Number], bool]) -> Callable[[str], Number]:
    def read(text: str) -> Number:
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid {kind.__name__} value: {text!r}") from None
        if not holds(number):
            raise argparse.ArgumentTypeError(f"must be {rule}, got {text}")
        return number

    return read


share = _number(float, "between 0 and 1 (both excluded)", lambda number: 0 < number < 1)
correlation = _number(float, "from -1 to 1", lambda number: -1 <= number <= 1)
seed = _number(int, "0 or more", lambda number: number >= 0)
resamples = _number(int, "2 or more", lambda number: number >= 2)
part = _number(float, "from 0 to 1", lambda number: 0 <= number <= 1)
depth = _number(int, "0 or more", lambda number: number >= 0)
positive = _number(int, "1 or more", lambda number: number >= 1)
jobs = _number(int, "a number of workers, or -1 for as many as there are processors", lambda number: number != 0)
demo_topics = _number(int, "from 2 to 90", lambda number: 2 <= number <= 90)


def columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def picture(path: str) -> str:
    if not path.lower().endswith((".png", ".pdf", ".svg")):
        raise argparse.ArgumentTypeError(f"must end in .png, .pdf or .svg, got {path}")
    return path
