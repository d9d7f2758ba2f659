"""Options of a command from the signatures and docstrings of public functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pkgutil import resolve_name
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pt_rankcorr as ptr
from pt_rankcorr.cli._options import Option

ENTRY = re.compile(r"^(\w+(?:, \w+)*): ", re.MULTILINE)  # of one or several arguments in a docstring
ELSEWHERE = re.compile(r"As for `([\w.]+)`")
END_OF_SENTENCE = re.compile(r"[.:;](?:\s|$)")


def public(name: str) -> Callable[..., Any]:
    """A function that the face of the package shows, or of the module before a colon."""
    module, _, attribute = name.rpartition(":")
    found: Callable[..., Any] = resolve_name(f"{'.'.join(filter(None, ('pt_rankcorr', module)))}:{attribute}")
    return found


def parameters_of(name: str) -> dict[str, Option]:
    """What a public function says of its parameters."""
    function = public(name)
    return {
        each.name: replace(
            _of_type(each.annotation, function),
            help=_told(name, each.name),
            shown=None if each.default is each.empty else each.default,
            required=each.default is each.empty,
        )
        for each in inspect.signature(function).parameters.values()
        if each.kind is not each.VAR_KEYWORD
    }


def first_sentences(name: str) -> str:
    """What a public function does: its docstring before the first empty line."""
    return " ".join((inspect.getdoc(public(name)) or "").partition("\n\n")[0].split())


def _of_type(annotation: str, function: Callable[..., Any]) -> Option:
    """Its choices, or how it is read, and whether there may be several."""
    for each in _alternatives(annotation, function):
        origin, inside = get_origin(each), get_args(each)
        if origin is Literal:
            return Option(choices=inside)
        if each is bool:
            return Option(is_flag=True, is_negatable=True)
        if each in (int, float):
            return Option(kind=each)
        if isinstance(origin, type) and issubclass(origin, Iterable):
            return Option(kind=inside[0], several=True) if inside[0] in (int, float) else Option(are_names=True)
    return Option()


def _alternatives(annotation: str, function: Callable[..., Any]) -> tuple[Any, ...]:
    """The types that an argument may have; none where they have names for type checkers alone."""
    try:
        found = eval(annotation, vars(inspect.getmodule(function)))
    except NameError:
        return ()
    return get_args(found) if get_origin(found) in (Union, UnionType) else (found,)


# --- docstrings ---------------------------------------------------------------------------------------------


def _told(name: str, argument: str) -> str:
    """The first sentence on an argument, by the docstring or by that of the function to which it sends its readers."""
    text = _arguments(name).get(argument, "")
    if found := ELSEWHERE.match(text):
        return _told(found[1] if hasattr(ptr, found[1].partition(".")[0]) else f"stats.{found[1]}", argument)
    end = END_OF_SENTENCE.search(text)
    sentence = text[: end.start()] if end else text
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


@cache
def _arguments(name: str) -> dict[str, str]:
    """Argument -> what the docstring of a public function says of it."""
    _, _, section = (inspect.getdoc(public(name)) or "").partition("\nArgs:\n")
    _, *parts = ENTRY.split(inspect.cleandoc(section.partition("\n\n")[0]))
    entries = zip(parts[::2], parts[1::2], strict=True)
    return {argument: " ".join(told.split()) for names, told in entries for argument in names.split(", ")}
