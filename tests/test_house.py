"""The rules of the house: which room may import which, what may be large, and what must load lazily."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import pt_rankcorr
from pt_rankcorr.stats.results import Result, TestResult

PACKAGE = Path(pt_rankcorr.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# a room may import those in lower rows, and its own row
FLOORS = [
    {"stats"},
    {"alignment", "labels"},
    {"scores"},
    {"adapters", "judgments", "measures"},
    {"components", "agreement", "comparison", "prediction", "_table", "_host", "_saved"},
    {"_arguments"},
    {"experiment", "plots", "reporting"},
    {"demo"},
    {"cli"},
    {"__main__", "__init__"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
STATS_MAY_IMPORT = {"numpy", "scipy", "quadprog", "joblib", "cloudpickle", "threadpoolctl"}
LINES_OF_A_FILE, LINES_OF_A_FUNCTION = 400, 50


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path, *, at_load: bool = False) -> Iterator[str]:
    """Dotted names of what a file imports; `at_load` leaves out what only a function imports when it is called."""
    tree = ast.parse(path.read_text())
    for node in tree.body if at_load else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name} imports by a relative name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_one_way(path: Path) -> None:
    room = room_of(path)
    for name in imports_of(path):
        if name.startswith("pt_rankcorr.") and room != "__init__":
            other = name.split(".")[1]
            assert FLOOR.get(other, 0) <= FLOOR[room], f"{room} imports {name}, which stands above it"


@pytest.mark.parametrize("path", sorted((PACKAGE / "stats").rglob("*.py")), ids=lambda path: path.name)
def test_stats_imports_no_host(path: Path) -> None:
    at_load = outside(imports_of(path, at_load=True))
    assert at_load <= STATS_MAY_IMPORT
    assert outside(imports_of(path)) <= STATS_MAY_IMPORT | {"pandas"}  # where a result is asked for a frame


def outside(names: Iterator[str]) -> set[str]:
    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"pt_rankcorr"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_are_small(path: Path) -> None:
    source = path.read_text()
    assert len(source.splitlines()) <= LINES_OF_A_FILE
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = [part for part in node.body if not isinstance(part, ast.Expr) or part is not node.body[0]]
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= LINES_OF_A_FUNCTION, f"{node.name} has {lines} lines"


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_statistics_load_without_pandas_and_pyterrier() -> None:
    run(
        """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"pandas", "pyterrier", "ir_measures", "ir_datasets", "matplotlib"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import importlib, pkgutil
import pt_rankcorr as ptr
import pt_rankcorr.stats
for module in pkgutil.iter_modules(pt_rankcorr.stats.__path__):
    importlib.import_module(f"pt_rankcorr.stats.{module.name}")
assert ptr.tau_ap([3, 2, 1], [3, 2, 1]) == 1.0
"""
    )


def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = run("import sys, pt_rankcorr; print(*{name.split('.')[0] for name in sys.modules})").split()
    assert not {"numpy", "pandas", "pyterrier", "scipy"} & set(loaded)


def test_every_public_name_exists_and_is_documented() -> None:
    for name in pt_rankcorr.__all__:
        assert getattr(pt_rankcorr, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pt_rankcorr.nothing  # noqa: B018


def test_what_type_checkers_see_is_what_there_is() -> None:
    """The names under TYPE_CHECKING are those that load lazily, from the same homes."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module.removeprefix("pt_rankcorr.")
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert seen == pt_rankcorr._HOMES


def subclasses(kind: type) -> Iterator[type]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def test_every_result_leaves_equality_to_its_base() -> None:
    """That of dataclasses takes nan for different."""
    for path in MODULES:
        if path.name != "__main__.py":
            import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"))
    ours = {kind for kind in subclasses(Result) if kind.__module__.startswith("pt_rankcorr.")} - {TestResult}
    assert len(ours) > 15
    assert {kind.__name__ for kind in ours if {"__eq__", "__hash__"} & vars(kind).keys()} == set()
