"""Reads the command line: first the command, then its options, for which it imports only the command's function."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NoReturn

import pt_rankcorr as ptr
from pt_rankcorr.cli import _options as of
from pt_rankcorr.cli._actions import Flag, Names, Once, reader
from pt_rankcorr.cli._messages import in_words_of_the_command_line, speak_of
from pt_rankcorr.cli._options import Option
from pt_rankcorr.cli._signatures import first_sentences, parameters_of
from pt_rankcorr.cli._table import COMMANDS, Command

LOOKS_LIKE_AN_OPTION = re.compile(r"--?[^\W\d]")
WIDTH = 79  # of descriptions


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of one command; exits with status 2 if they do not fit together.

    An option that the user did not give is absent if its function has a default for it.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help(sys.stderr)
        parser.exit(2)
    for name, default in options.parser.defaults.items():
        vars(options).setdefault(name, default)
    _check(options)
    speak_of(options.parser.words)
    return options


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="pt-rankcorr",
        description="Do measures or judgments rank retrieval systems differently, and does the choice of\n"
        "topics explain the difference?",
        epilog="pt-rankcorr COMMAND --help says more, with an example. Results go to standard\n"
        "output, all else to standard error. Exit status: 0 done, 1 bad input or an\n"
        "output that cannot be written, 2 wrong usage, 130 interrupted.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {ptr.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=ParserOfACommand)
    for command in COMMANDS:
        commands.add_parser(command.name, help=command.help, command=command)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser whose errors suggest the most similar option for a mistyped one."""

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


class ParserOfACommand(Parser):
    """The parser of one command, which gets its options only when it parses."""

    def __init__(self, *, command: Command, prog: str) -> None:
        super().__init__(
            prog=prog,
            epilog=f"example: pt-rankcorr {command.name} {command.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.command = command
        self.defaults: dict[str, Any] = {}  # of options that are no parameters of a function
        self.words: dict[str, str] = {}  # parameter -> option
        self.files: list[str] = []  # options that name what is read
        self._titled: dict[str, Any] = {}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parses; the first call adds the options."""
        if not self.words:
            self._fill()
        return super().parse_known_args(args, namespace)

    def _questions(self) -> Iterable[str]:
        if self._given and not self._given[0].startswith("-"):
            yield f"({self._given[0]} needs an option before it, as {self.prog} --help shows)"
        yield from super()._questions()

    def _fill(self) -> None:
        command, parameters = self.command, parameters_of(self.command.function)
        reading = of.READING if command.reads else {}
        takes = [name for name in command.only or parameters if name not in {*of.NO_OPTIONS, *reading}]
        options = {name: self._own(name).over(parameters[name]) for name in takes}
        if command.reads:
            options |= {name: replace(option, several=True) for name, (_, option) in of.INPUTS.items()}
            for name, function in reading.items():
                option = self._own(name).over(parameters_of(function)[name])
                options[name] = replace(option, required=False)
        own = [*command.own.split(), *(("qrels", "irds", "clusters", "strata") if command.reads else ())]
        options |= {name: self._own(name) for name in own}
        self.defaults = {name: False if options[name].is_flag else None for name in own}
        for name, option in options.items():
            self._add(name, option)
        self.usage = textwrap.fill(
            f"{self.prog} {self._usage(options)}", WIDTH - len("usage: "), subsequent_indent="    "
        )
        for action in self._actions:
            action.help = in_words_of_the_command_line(action.help or "", self.words)
        self.description = textwrap.fill(f"{first_sentences(command.function)} {command.note}", WIDTH)
        self.set_defaults(parser=self, takes=takes)

    def _usage(self, options: Mapping[str, Option]) -> str:
        """The required options, for the usage line."""
        needed = ["INPUT"] if self.command.reads else []
        for name in (name for name, option in options.items() if option.required):
            is_list = options[name].several or options[name].are_names
            needed.append(f"{self.words[name]} {options[name].metavar or 'NAME'}{' ...' * is_list}")
        for names in (("qrels", "irds") if "qrels" in self.command.own else (), self.command.one_of):
            needed += [f"({' | '.join(self.words[name] for name in names)})"] if names else []
        return " ".join([*needed, "[options]"])

    def _own(self, name: str) -> Option:
        """The settings of an option: those of this command, or else those of all commands."""
        return self.command.options.get(name) or of.OPTIONS.get(name, of.NOTHING)

    def _add(self, name: str, option: Option) -> None:
        strings = [f"--{each.replace('_', '-')}" for each in (option.names or of.ALIASES.get(name, name)).split()]
        self.words[name] = strings[0]
        if option.metavar in of.FILES and name not in of.WRITTEN:
            self.files.append(name)
        if option.default is not None:
            self.defaults[name] = option.default
        title = next((title for title, names in of.TITLES.items() if name in names.split()), "")
        if title and title not in self._titled:
            self._titled[title] = self.add_argument_group(title)
        group, settings = self._titled.get(title, self), _settings(name, option)
        group.add_argument(*strings, dest=name, default=argparse.SUPPRESS, help=_help(option), **settings)


def _help(option: Option) -> str:
    default = option.shown if option.default is None else option.default
    shown = " ".join(map(str, default)) if isinstance(default, list) else default
    return option.help + f" (default: {shown})" * (isinstance(shown, (str, int, float)) and not isinstance(shown, bool))


def _settings(name: str, option: Option) -> dict[str, Any]:
    """The arguments of `add_argument` for an option."""
    if option.is_flag:
        return {"action": Flag if option.is_negatable else "store_true"}
    is_list = option.several or option.are_names
    settings: dict[str, Any] = {"nargs": "+"} if is_list else {}
    settings["action"] = Names if option.are_names else "extend" if is_list else Once
    allowed = option.choices() if callable(option.choices) else option.choices
    if chosen := [each for each in allowed if each != of.WITHOUT.get(name)]:
        settings["choices"] = chosen
    metavar = None if chosen else "N" if option.kind is int else "NAME" if option.are_names else name.upper()
    kind = reader(option.kind or str, *of.RULES.get(name, ()))
    return {**settings, "metavar": option.metavar or metavar, "type": kind, "required": bool(option.required)}


def _check(options: argparse.Namespace) -> None:
    """Exits with an error if options do not fit together."""
    words: dict[str, str] = options.parser.words
    wrong: Callable[[str], Any] = options.parser.error
    asked = [name for name in words if getattr(options, name, None) not in (None, False)]
    command: Command = options.parser.command
    must = [command.one_of, tuple(of.INPUTS) * command.reads]
    for names in filter(None, (*command.either, *must)):
        there = [words[name] for name in names if name in asked]
        if len(there) > 1:
            wrong(f"argument {there[1]}: not allowed with argument {there[0]}")
        if names in must and not there:
            wrong(f"one of the arguments {' '.join(words[name] for name in names)} is required")
    judged = [words[name] for name in ("qrels", "irds") if name in asked]
    if "runs" in asked and len(judged) != 1:
        wrong(f"--runs needs either --qrels FILE or --irds ID, got {' and '.join(judged) or 'neither'}")
    if "runs" in asked and "measures" not in asked:
        wrong("--runs needs --measures")
    for needed, names in of.FOR.items():
        for name in names:
            if name in asked and needed in words and needed not in asked:
                wrong(f"{words[name]} can only be used with {words[needed]}")
