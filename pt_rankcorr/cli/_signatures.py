"""The options of a command, from the signatures and docstrings of public functions.

It reads their source and imports nothing, so that `--help` is fast.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from inspect import cleandoc
from pkgutil import resolve_name
from typing import Any

from pt_rankcorr.cli._options import Option
from pt_rankcorr.cli._source import PACKAGE, Defined, definition, value_of

CALLER = ("caller", "two_samples")  # what functions give
ENGINE = "comparison.engine:Engine"  # whose arguments are the options of all comparisons
KINDS: dict[str, Callable[[str], Any]] = {"int": int, "float": float}
LISTS = ("Collection", "Iterable", "Sequence")
ENTRY = re.compile(r"^(\w+(?:, \w+)*): ", re.MULTILINE)  # of one or several arguments in a docstring
ELSEWHERE = re.compile(r"As for `([\w.]+)`")
END_OF_SENTENCE = re.compile(r"[.:;](?:\s|$)")


def public(name: str) -> Callable[..., Any]:
    """A public function by its name in the package, or by "module:name"."""
    module, _, attribute = name.rpartition(":")
    found: Callable[..., Any] = resolve_name(f"{'.'.join(filter(None, (PACKAGE, module)))}:{attribute}")
    return found


def parameters_of(name: str) -> dict[str, Option]:
    """Parameter -> its option, from the signature and docstring of a public function."""
    function = _function(name)
    if isinstance(function.node, ast.ClassDef):
        made = next(each for each in function.node.body if getattr(each, "name", "") == "__init__")
        function = function._replace(node=made)
    given, of_name = function.node.args, function.node.args.kwonlyargs
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults + given.kw_defaults
    found = {
        each.arg: replace(
            _of_type(each.annotation, function.module),
            help=_told(name, each.arg),
            shown=default and value_of(default, function.module),
            required=default is None,
        )
        for each, default in zip((*given.args, *of_name), defaults, strict=True)
        if each.arg != "self"
    }
    return {**found, **_shared(function)} if given.kwarg else found


def _shared(function: Defined) -> dict[str, Option]:
    """The options of all comparisons, less those that the function's decorator names, and with its defaults."""
    call = function.node.decorator_list[0]
    without = [*map(ast.literal_eval, call.args), *CALLER]
    options = {name: option for name, option in parameters_of(ENGINE).items() if name not in without}
    own = {each.arg: replace(options[each.arg], shown=value_of(each.value, function.module)) for each in call.keywords}
    return {**options, **own}


def first_sentences(name: str) -> str:
    """The first paragraph of a public function's docstring."""
    return " ".join(_docstring(name).partition("\n\n")[0].split())


def _function(name: str) -> Defined:
    """The definition of the function that `public` finds."""
    module, _, attribute = (name if ":" in name else name.replace(".", ":")).rpartition(":")
    found = definition(module, attribute)
    if found is None:
        raise LookupError(f"no function {name!r}")
    return found


# --- types --------------------------------------------------------------------------------------------------


def _of_type(annotation: Any, module: str) -> Option:
    """The choices of a type, or how its values are read, and whether there may be several."""
    for each in _alternatives(annotation, module):
        if isinstance(each, ast.Subscript):
            outside, inside = ast.unparse(each.value), ast.unparse(each.slice)
            if outside == "Literal":
                return Option(choices=ast.literal_eval(each.slice))
            if outside in LISTS:
                return Option(kind=KINDS[inside], several=True) if inside in KINDS else Option(are_names=True)
        word = ast.unparse(each)
        if word == "bool":
            return Option(is_flag=True, is_negatable=True)
        if word in KINDS:
            return Option(kind=KINDS[word])
    return Option()


def _alternatives(node: Any, module: str) -> Iterator[ast.expr]:
    """The types that an argument may have: the members of unions, with aliases resolved."""
    found = None
    if isinstance(node, ast.BinOp):
        yield from _alternatives(node.left, module)
        yield from _alternatives(node.right, module)
        return
    if isinstance(node, ast.Name) and not node.id.endswith("Like"):
        found = definition(module, node.id)
    if isinstance(node, ast.Attribute):
        found = definition(ast.unparse(node.value), node.attr)
    if found and not isinstance(found.node, ast.ClassDef):
        yield from _alternatives(found.node, found.module)
    else:
        yield node


# --- docstrings ---------------------------------------------------------------------------------------------


def _told(name: str, argument: str) -> str:
    """The first sentence about an argument in the docstring, or in that of the function it refers to."""
    text = _arguments(name).get(argument, "")
    if found := ELSEWHERE.match(text):
        return _told(found[1] if "." in found[1] or definition("", found[1]) else f"stats.{found[1]}", argument)
    end = END_OF_SENTENCE.search(text)
    sentence = text[: end.start()] if end else text
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


@cache
def _arguments(name: str) -> dict[str, str]:
    """Argument -> its entry in the docstring of a public function."""
    _, _, section = _docstring(name).partition("\nArgs:\n")
    _, *parts = ENTRY.split(cleandoc(section.partition("\n\n")[0]))
    entries = zip(parts[::2], parts[1::2], strict=True)
    return {argument: " ".join(told.split()) for names, told in entries for argument in names.split(", ")}


def _docstring(name: str) -> str:
    return ast.get_docstring(_function(name).node) or ""
