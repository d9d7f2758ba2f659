"""The handling of an option's values: none is dropped if the option is given twice."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

OUTSIDE_BRACKETS = re.compile(r",(?![^()]*\))")  # a comma between names, and not one in RBP(p=0.8,rel=2)


class Once(argparse.Action):
    """A single value, which is refused a second time."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Keeps the value."""
        if hasattr(namespace, self.dest):
            raise argparse.ArgumentError(self, "must be given once, got it twice")
        setattr(namespace, self.dest, values)


class Names(argparse.Action):
    """Names between blanks, or between commas, that are added to those given before."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Keeps the names, and also as they were written: the name of a table may have a comma."""
        names = [name for text in values for part in OUTSIDE_BRACKETS.split(text) if (name := part.strip())]
        if not names:
            raise argparse.ArgumentError(self, "expected at least one name")
        for kept, more in ((self.dest, names), (f"{self.dest}_as_written", values)):
            setattr(namespace, kept, [*getattr(namespace, kept, []), *more])


class Flag(argparse.BooleanOptionalAction):
    """Yes or no, but not both."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Keeps the answer."""
        before = getattr(namespace, self.dest, None)
        super().__call__(parser, namespace, values, option_string)
        if before not in (None, getattr(namespace, self.dest)):
            raise argparse.ArgumentError(self, "must be given once, got it both ways")


def reader(kind: Callable[[str], Any], rule: str = "", holds: Callable[[Any], bool] = bool) -> Callable[[str], Any]:
    """Reads a value, and says the rule where it does not hold."""

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(
                f"invalid {kind.__name__} value: {text!r}" if kind in (int, float) else str(error)
            ) from None
        if rule and not holds(value):
            raise argparse.ArgumentTypeError(f"must be {rule}, got {text}")
        return value

    return read
