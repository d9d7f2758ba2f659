"""How the values of options are kept: if an option is given twice, no value is lost."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

OUTSIDE_BRACKETS = re.compile(r",(?![^()]*\))")  # a comma between names, and not one in RBP(p=0.8,rel=2)


class Once(argparse.Action):
    """A single value: a second one is an error."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Keeps the value."""
        if hasattr(namespace, self.dest):
            raise argparse.ArgumentError(self, "must be given once, got two")
        setattr(namespace, self.dest, values)


class Names(argparse.Action):
    """Names separated by blanks or commas, added to those given before."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Keeps the names, and also as they were written: the name of a table may have a comma."""
        names = [name for text in values for part in OUTSIDE_BRACKETS.split(text) if (name := part.strip())]
        if not names:
            raise argparse.ArgumentError(self, "must have at least one name, got none")
        for kept, more in ((self.dest, names), (f"{self.dest}_as_written", values)):
            setattr(namespace, kept, [*getattr(namespace, kept, []), *more])


class Flag(argparse.BooleanOptionalAction):
    """Yes or no, but not both."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Keeps the answer."""
        before = getattr(namespace, self.dest, None)
        super().__call__(parser, namespace, values, option_string)
        if before not in (None, getattr(namespace, self.dest)):
            raise argparse.ArgumentError(self, "must be given once, got yes and no")


def reader(kind: Callable[[str], Any], rule: str = "", holds: Callable[[Any], bool] = bool) -> Callable[[str], Any]:
    """A function that reads a value; an error that names the rule if the value breaks it."""

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(
                f"must be {'an integer' if kind is int else 'a number'}, got {text}"
                if kind in (int, float)
                else str(error)
            ) from None
        if rule and not holds(value):
            raise argparse.ArgumentTypeError(f"must be {rule}, got {text}")
        return value

    return read
