"""Finds definitions in the package's source without importing it, which would take seconds."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = "pt_rankcorr"
FOLDER = Path(__file__).parents[1]


class Defined(NamedTuple):
    """The definition of a name."""

    module: str  # below the package
    node: Any  # a function or a class, or the value that is assigned


@cache
def definition(module: str, name: str) -> Defined | None:
    """Where a name of a module is defined, followed through imports; None if that is outside of the package."""
    for node in _statements(module):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return Defined(module, node)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return Defined(module, getattr(node, "value", None))
        if isinstance(node, ast.ImportFrom) and (source := _source(module, node)) is not None:
            for each in node.names:
                if name == (each.asname or each.name):
                    return definition(source, each.name)
    return None


@cache
def _statements(module: str) -> list[ast.stmt]:
    place = FOLDER.joinpath(*module.split("."))
    paths = (place.with_suffix(".py"), place / "__init__.pyi", place / "__init__.py")
    found = next((path for path in paths if path.is_file()), None)
    return ast.parse(found.read_text(encoding="utf-8")).body if found else []


def _source(module: str, node: ast.ImportFrom) -> str | None:
    """The module that names are imported from, if it belongs to the package."""
    if node.level:
        return f"{module}.{node.module}".strip(".") if node.module else None
    package, _, below = (node.module or "").partition(".")
    return below if package == PACKAGE else None


def value_of(node: ast.expr, module: str) -> Any:
    """The value of a default: a literal or a named constant; None for anything else."""
    found = definition(module, node.id) if isinstance(node, ast.Name) else None
    if found is not None:
        return value_of(found.node, found.module)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def coefficients() -> Iterable[str]:
    """The names of all coefficients, from the source of the registry, or else from the registry itself."""
    try:
        registry: Any = definition("stats.coefficients.registry", "COEFFICIENTS")
        lines = next(node for node in ast.walk(registry.node) if isinstance(node, ast.Tuple))
        found: list[Any] = [definition(registry.module, line.id) for line in lines.elts]  # type: ignore[attr-defined]
        return [each.node.args[0].value for each in found]
    except (AttributeError, IndexError, StopIteration):
        from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS

        return COEFFICIENTS
