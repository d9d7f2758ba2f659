"""The rules of the house: which room may import which, what may be large, what loads late, and what is public.

The map is stated here once. A room, a family or a public name that the map does not know fails a test, so that whoever
builds one decides where it stands.
"""

from __future__ import annotations

import ast
import graphlib
import importlib
import inspect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import pt_rankcorr
from pt_rankcorr.stats.core.results import Result, TestResult

# From the ground up. A room imports rooms of lower floors, and none of its own floor.
ROOMS = [
    {"choices", "defaults", "numbers", "text", "warnings", "whole_file"},
    {"latex"},
    {"tables"},
    {"showing"},
    {"stats"},
    {"alignment", "names"},
    {"scores"},
    {"adapters"},
    {"measures", "judgments", "components", "agreement"},
    {"comparison", "experiment"},
    {"plots", "demo"},
    {"reporting"},
    {""},  # the face of the package, which shows all of these
    {"cli"},
    {"__main__"},
]
# So it is with the families inside `stats`.
FAMILIES = [{"core"}, {"coefficients", "truth"}, {"rank_distance", "expected", "significance"}, {"accuracy"}, {""}]

STATS_MAY_IMPORT = {"lazy_loader", "numpy", "scipy", "joblib", "cloudpickle", "threadpoolctl"}
# inside a function, where a result is asked for a frame, or a program for the solver that is under the GPL; as a type
STATS_MAY_IMPORT_LATE = {"pandas", "quadprog", "matplotlib"}
HOST = {"pandas", "pyterrier", "ir_measures", "ir_datasets", "matplotlib", "filelock", "jinja2", "statsmodels"}
LINES_OF_A_FILE, LINES_OF_A_FUNCTION = 400, 50

FOLDER = Path(pt_rankcorr.__file__).parent
ROOT = FOLDER.name


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts).removesuffix(".__init__")


FILES = {dotted(path): path for path in sorted(FOLDER.rglob("*.py"))}
TREES = {module: ast.parse(path.read_text()) for module, path in FILES.items()}
each_module = pytest.mark.parametrize("module", FILES)


class Import(NamedTuple):
    """What a module imports: another module as a whole, or a name in it."""

    by: str
    module: str
    name: str = ""
    late: bool = False  # inside a function

    def __str__(self) -> str:
        return f"{self.by} imports {self.module}{self.name and '.'}{self.name}"


def imports_of(module: str) -> Iterator[Import]:
    """Those at the top, in functions, and for type checkers alone; and private attributes of what is imported."""
    at_load, aliases = set(TREES[module].body), {}
    for node in ast.walk(TREES[module]):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        source = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        assert not getattr(node, "level", 0), f"{module} imports by a relative name"
        for alias in node.names:
            whole = aliases[alias.asname or alias.name] = f"{source}{alias.name}"
            imported = (whole, "") if whole in FILES or not source else (source[:-1], alias.name)
            yield Import(module, *imported, late=node not in at_load)
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and isinstance(node.value, ast.Name):
            owner = aliases.get(node.value.id, "")
            if owner in FILES:
                yield Import(module, owner, node.attr)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


IMPORTS = [found for module in FILES for found in imports_of(module)]
OURS = [found for found in IMPORTS if found.module.split(".")[0] == ROOT]


def package_of(module: str) -> str:
    return module if FILES[module].name == "__init__.py" else module.rpartition(".")[0]


def inside(module: str, package: str) -> str:
    """The room of the package, or the family of `stats`, that a module is in; "" for the package's own face."""
    return module.removeprefix(package).lstrip(".").split(".")[0]


def floors(rooms: list[set[str]]) -> dict[str, int]:
    return {room: floor for floor, on_it in enumerate(rooms) for room in on_it}


# --- arrows -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("package", "rooms"), [(ROOT, ROOMS), (f"{ROOT}.stats", FAMILIES)], ids=["rooms", "families"])
class TestArrows:
    def test_all_that_is_there_has_a_floor(self, package: str, rooms: list[set[str]]) -> None:
        there = {inside(module, package) for module in FILES if module.startswith(f"{package}.")}
        assert there | {""} == set(floors(rooms)), "say in ROOMS or FAMILIES where it stands"

    def test_they_point_down(self, package: str, rooms: list[set[str]]) -> None:
        floor = floors(rooms)
        between = [found for found in OURS if f"{found.by}.".startswith(f"{package}.") and is_in(found, package)]
        upwards = [
            str(found)
            for found in between
            if (by := inside(found.by, package)) != (other := inside(found.module, package))
            and floor[other] >= floor[by]
        ]
        assert upwards == []


def is_in(found: Import, package: str) -> bool:
    return f"{found.module}.".startswith(f"{package}.") and (found.module, found.name) != (ROOT, "__version__")


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not by way of functions or of annotations either: one of two such modules could not be read without the other."""
    graph = {module: {found.module for found in OURS if found.by == module} - {ROOT, module} for module in FILES}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_what_begins_with_an_underscore_is_imported_in_its_own_folder_alone() -> None:
    strays = set()
    for found in OURS:
        parts = [*found.module.split("."), found.name]
        private = next((at for at, part in enumerate(parts) if is_private(part)), None)
        if private is not None and package_of(found.by) != package_of(".".join(parts[:private])):
            strays.add(str(found))
    assert sorted(strays) == []


def test_only_the_pictures_of_results_are_loaded_by_the_name_of_their_room() -> None:
    """They say themselves what they draw: whoever loads them uses nothing of theirs, and there is no circle."""
    loading = [module for module, path in FILES.items() if "import_module" in path.read_text()]
    assert loading == [f"{ROOT}.showing"]
    calls = [node for node in ast.walk(TREES[loading[0]]) if "import_module" in ast.unparse(node)]
    assert [ast.unparse(node) for node in calls if isinstance(node, ast.Expr)] == ["import_module(ROOM_OF_PICTURES)"]
    assert sum(isinstance(node, ast.Call) for node in calls) == 1


# --- sizes --------------------------------------------------------------------------------------------------


@each_module
def test_files_and_functions_are_small(module: str) -> None:
    assert len(FILES[module].read_text().splitlines()) <= LINES_OF_A_FILE
    for node in ast.walk(TREES[module]):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[ast.get_docstring(node) is not None :] or node.body
            lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
            assert lines <= LINES_OF_A_FUNCTION, f"{node.name} has {lines} lines"


# --- what others wrote --------------------------------------------------------------------------------------


def outside(found: Import) -> str:
    """The package of somebody else that is imported, or ""."""
    top = found.module.split(".")[0]
    return "" if top in sys.stdlib_module_names or top == ROOT else top


def test_statistics_and_the_ground_under_them_import_no_host() -> None:
    low = {"stats", *(room for on_it in ROOMS[: [*map(sorted, ROOMS)].index(["stats"])] for room in on_it)}
    for found in IMPORTS:
        if inside(found.by, ROOT) in low and (top := outside(found)):
            late = STATS_MAY_IMPORT_LATE if found.late else set()
            assert top in STATS_MAY_IMPORT | late, str(found)


def test_what_is_imported_is_what_is_declared() -> None:
    """In the project's dependencies or extras; and nothing is declared that nobody uses."""
    declared = [line.split(";") for line in requires("pt-rankcorr") or []]
    names = {normal(line): any("extra" in marker for marker in markers) for line, *markers in declared}
    used = {normal(top) for top in map(outside, IMPORTS) if top}
    used |= {"python-terrier"} if "pyterrier" in used else set()  # the name of the package that brings it
    assert used - set(names) == set()
    assert {name for name, optional in names.items() if not optional} - used == set()


def normal(requirement: str) -> str:
    return re.split(r"[\s<>=!~\[(]", requirement.strip())[0].lower().replace("_", "-")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_statistics_load_and_work_without_the_host() -> None:
    run(
        f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {HOST | {"quadprog"}}:
            raise ImportError(f"{{name}} is blocked")

sys.meta_path.insert(0, Blocked())
import importlib, pkgutil
import pt_rankcorr as ptr
for module in pkgutil.walk_packages(ptr.stats.__path__, "pt_rankcorr.stats."):
    importlib.import_module(module.name)
assert ptr.tau_ap([3, 2, 1], [3, 2, 1]) == 1.0
"""
    )


def test_importing_the_package_loads_its_face_alone() -> None:
    """PyTerrier imports it wherever it is installed: it is to cost nothing there."""
    code = "import sys; before = set(sys.modules); import pt_rankcorr; print(*set(sys.modules) - before)"
    loaded = {name for name in run(code).split() if name.split(".")[0] not in sys.stdlib_module_names}
    assert {name for name in loaded if name.split(".")[0] == ROOT} == {ROOT}
    assert {name.split(".")[0] for name in loaded} <= {ROOT, "lazy_loader", "packaging"}


# --- public names -------------------------------------------------------------------------------------------

PLACES = [
    pt_rankcorr,
    *(it for name in pt_rankcorr.__all__ if isinstance(it := getattr(pt_rankcorr, name), ModuleType)),
]
PUBLIC = {
    f"{place.__name__}.{name}": inspect.unwrap(getattr(place, name))
    for place in PLACES
    for name in getattr(place, "__all__", ())
}
API = (FOLDER / "pt_docs" / "api.rst").read_text()
DOCUMENTED = Counter(re.findall(r"^\.\. auto\w+:: (\S+)$", API, re.MULTILINE))


def test_every_place_lists_what_it_offers() -> None:
    assert [place.__name__ for place in PLACES if not hasattr(place, "__all__")] == []


def test_every_public_name_is_reached_by_one_path() -> None:
    paths: dict[int, list[str]] = {}
    for path, it in PUBLIC.items():
        paths.setdefault(id(it), []).append(path)
    assert [several for several in paths.values() if len(several) > 1] == []


@pytest.mark.parametrize("path", PUBLIC)
def test_every_public_name_has_words_of_its_own(path: str) -> None:
    it = PUBLIC[path]
    words = vars(it).get("__doc__") if inspect.isclass(it) else it.__doc__
    assert words
    assert not words.startswith(f"{path.rpartition('.')[2]}(")  # as a dataclass writes for itself


@pytest.mark.parametrize("path", [path for path in PUBLIC if "warnings" not in path])
def test_every_public_name_tells_its_arguments(path: str) -> None:
    it = PUBLIC[path]
    if inspect.isfunction(it) or inspect.isclass(it):
        assert [*inspect.signature(it).parameters] != ["args", "kwargs"]


@pytest.mark.parametrize("path", [path for path, it in PUBLIC.items() if re.search(r"\n *Args:\n", it.__doc__ or "")])
def test_all_arguments_are_described(path: str) -> None:
    """Several that mean the same stand in one line: "names, missing: As for `scores_from_runs`."."""
    section = inspect.getdoc(PUBLIC[path]).split("\nArgs:\n")[1].split("\n\n")[0]  # type: ignore[union-attr]
    described = {name for names in re.findall(r"^    ([\w, *]+):", section, re.MULTILINE) for name in names.split(", ")}
    arguments = inspect.signature(PUBLIC[path]).parameters
    assert set(arguments) <= described


@pytest.mark.parametrize("path", PUBLIC)
def test_every_public_name_is_documented_once(path: str) -> None:
    assert DOCUMENTED[path] == 1, "it belongs into pt_docs/api.rst"


def test_all_that_is_documented_exists() -> None:
    assert [path for path in DOCUMENTED if thing(path) is None] == []


def test_what_functions_return_is_documented() -> None:
    functions = [it for it in PUBLIC.values() if inspect.isfunction(it)]
    words = {word for it in functions for word in re.findall(r"\w+", str(it.__annotations__.get("return")))}
    ours = {node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    assert sorted(words & ours - {path.rpartition(".")[2] for path in DOCUMENTED}) == []


def thing(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return importlib.import_module(path) if path in FILES else getattr(importlib.import_module(module), name, None)


@pytest.mark.parametrize("package", [module for module, path in FILES.items() if path.name == "__init__.py"])
def test_what_a_face_shows_is_public(package: str) -> None:
    face = importlib.import_module(package)
    shown = {name: inspect.unwrap(getattr(face, name)) for name in getattr(face, "__all__", ())}
    assert [name for name, it in shown.items() if not any(it is public for public in PUBLIC.values())] == []
    assert face.__doc__


@pytest.mark.parametrize("family", sorted(floors(FAMILIES).keys() - {""}))
def test_a_family_shows_all_its_public_names(family: str) -> None:
    package = f"{ROOT}.stats.{family}"
    public = [path for path, it in PUBLIC.items() if f"{getattr(it, '__module__', '')}.".startswith(f"{package}.")]
    face = importlib.import_module(package)
    assert sorted(path.rpartition(".")[2] for path in public) == sorted(face.__all__)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError, match="No pt_rankcorr attribute nothing"):
        pt_rankcorr.nothing  # noqa: B018


# --- results and warnings -----------------------------------------------------------------------------------


def subclasses(kind: type) -> set[type]:
    """Those of the package, once all of it is loaded."""
    for module in FILES.keys() - {f"{ROOT}.__main__"}:
        importlib.import_module(module)
    below = {kind}
    while more := {child for parent in below for child in parent.__subclasses__()} - below:
        below |= more
    return {found for found in below if found.__module__.startswith(f"{ROOT}.")}


def test_every_result_leaves_equality_to_its_base() -> None:
    """That of dataclasses takes nan for different."""
    ours = subclasses(Result) - {Result, TestResult}
    assert len(ours) > 15
    assert {kind.__name__ for kind in ours if {"__eq__", "__hash__"} & vars(kind).keys()} == set()


def test_every_warning_is_public() -> None:
    assert {kind.__name__ for kind in subclasses(Warning)} == set(pt_rankcorr.warnings.__all__)


def test_numbers_of_resamples_are_constants_with_a_name() -> None:
    assert holding(r"n_resamples: int = \d|_resampling\(\d") == []


def test_files_are_written_in_one_place() -> None:
    """Whole or not at all; but what is resumed grows line by line."""
    to_a_path = (
        r"open\([^)]*\"[wax]b?\"|\.write_(text|bytes)\(|to_csv\((?!\w+=)|(savez\w*|savefig)\((?!archive|buffer|picture)"
    )
    assert holding(to_a_path) == [f"{ROOT}.comparison._checkpoint", f"{ROOT}.whole_file"]


def holding(pattern: str) -> list[str]:
    return [module for module, path in FILES.items() if re.search(pattern, path.read_text())]
