"""One command: its name, its help and its options; and numbers among these."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)


class Help(argparse.RawDescriptionHelpFormatter):
    """Help of an option ends with its default, if it has one."""

    def _get_help_string(self, action: argparse.Action) -> str:
        has_default = action.option_strings and action.default and action.default is not argparse.SUPPRESS
        default = "default: %(default)s" if has_default else ""
        return f"{action.help} ({default})" if action.help and default else action.help or default


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
