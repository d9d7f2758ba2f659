"""One command: its name, its help and its options; and numbers among these."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar

Number = TypeVar("Number", int, float)

OUTSIDE_BRACKETS = re.compile(r",(?![^()]*\))")  # a comma between names, and not one in RBP(p=0.8,rel=2)
LOOKS_LIKE_AN_OPTION = re.compile(r"--?[^\W\d]")


class Help(argparse.RawDescriptionHelpFormatter):
    """Help of an option ends with its default, if it has one."""

    def _get_help_string(self, action: argparse.Action) -> str:
        has_default = action.option_strings and action.default and action.default is not argparse.SUPPRESS
        default = "default: %(default)s" if has_default else ""
        return f"{action.help} ({default})" if action.help and default else action.help or default


class Parser(argparse.ArgumentParser):
    """A parser whose errors name the option that a mistyped one is most like."""

    _given: Sequence[str] = ()  # what is parsed at the moment

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._given = sys.argv[1:] if args is None else list(args)
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        super().error(" ".join([message, *self._questions()]))

    def _questions(self) -> Iterable[str]:
        options = [option for action in self._actions for option in action.option_strings]
        for given in dict.fromkeys(each.partition("=")[0] for each in self._given):
            if LOOKS_LIKE_AN_OPTION.match(given) and not any(option.startswith(given) for option in options):
                yield from (
                    f"(did you mean {option} for {given}?)" for option in get_close_matches(given, options, n=1)
                )


class Names(argparse.Action):
    """Names between blanks, or between commas."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        """Keeps the names, and also as they were written: the name of a table may have a comma."""
        names = [name for text in values for part in OUTSIDE_BRACKETS.split(text) if (name := part.strip())]
        if not names:
            parser.error(f"argument {option_string}: expected at least one name")
        setattr(namespace, self.dest, names)
        setattr(namespace, f"{self.dest}_as_written", values)


@dataclass(frozen=True)
class Command:
    """What `pt-rankcorr NAME` does, and what it says of itself."""

    name: str
    usage: str
    help: str
    description: str
    example: str
    run: Callable[[argparse.Namespace], None]
    options: Sequence[Callable[[argparse.ArgumentParser], None]]

    def add_to(self, commands: Any) -> None:
        """Adds it to the commands of a parser."""
        parser: argparse.ArgumentParser = commands.add_parser(
            self.name,
            usage=f"%(prog)s {self.usage}",
            help=self.help,
            description=self.description,
            epilog=f"example: pt-rankcorr {self.name} {self.example}",
            formatter_class=Help,
        )
        for add in self.options:
            add(parser)
        parser.set_defaults(run=self.run, parser=parser)


def number_of(kind: type[Number], rule: str, holds: Callable[[Number], bool]) -> Callable[[str], Number]:
    """Reads an argument that is a number, and says the rule where it does not hold."""

    def read(text: str) -> Number:
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid {kind.__name__} value: {text!r}") from None
        if not holds(number):
            raise argparse.ArgumentTypeError(f"must be {rule}, got {text}")
        return number

    return read
