"""Which package may import which, that no modules import each other in a circle, and what is public."""

import ast
import functools
import graphlib
import importlib
import inspect
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import requires
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from ir_measures import Measure

import pt_rankcorr

# From the bottom up. A package or file imports those of earlier lines, and none of its own line.
LAYERS = [
    {"choices", "defaults", "display", "text", "warnings", "atomic_write"},
    {"stats"},
    {"measures"},
    {"scores"},
    {"io"},
    {"judgments", "components", "experiment_tables", "agreement"},
    {"comparison", "experiment"},
    {"writers"},
    {"tables"},
    {"present"},
    {"plots", "demo"},
    {"reporting"},
    {""},  # pt_rankcorr/__init__.py, which shows all of these
    {"cli"},
    {"__main__"},
]
LAYERS_OF_STATS = [
    {"core"},
    {"coefficients", "truth"},
    {"rank_distance", "expected", "significance"},
    {"accuracy"},
    {""},
]
# PyTerrier, its readers and what draws and prints: the statistics do without them
HOST = {"pyterrier", "ir_measures", "ir_datasets", "jinja2", "cyclopts"}

# imported upwards, in methods that run when everything is loaded: how results are shown
LATE = {
    ("pt_rankcorr.display", "pt_rankcorr.plots"),
    ("pt_rankcorr.display", "pt_rankcorr.present"),
    ("pt_rankcorr.display", "pt_rankcorr.tables"),  # for type checkers alone
    ("pt_rankcorr.stats.core.types", "pt_rankcorr.present"),
}

FOLDER = Path(pt_rankcorr.__file__).parent
ROOT = FOLDER.name


def dotted(path):
    return ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts).removesuffix(".__init__")


FILES = {dotted(path): path for path in sorted(FOLDER.rglob("*.py"))}
TREES = {module: ast.parse(path.read_text()) for module, path in FILES.items()}


class Import(NamedTuple):
    """What a module imports: another module as a whole, or a name in it."""

    by: str
    module: str
    name: str = ""

    def __str__(self):
        return f"{self.by} imports {self.module}{self.name and '.'}{self.name}"


def imports_of(module):
    """Those at the top, inside functions, for type checkers alone, and by a name given to `import_module`."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            assert isinstance(node.args[0], ast.Constant), f"{module} imports what cannot be read from its source"
            yield Import(module, node.args[0].value)
        if isinstance(node, ast.Import):
            yield from (Import(module, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} imports by a relative name"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield Import(module, whole) if whole in FILES else Import(module, str(node.module), alias.name)


IMPORTS = [imported for module in FILES for imported in imports_of(module)]
INTERNAL = [imported for imported in IMPORTS if imported.module.split(".")[0] == ROOT]


def part_of(module, package):
    """The package or file of `package` that a module is in; "" for its `__init__.py`."""
    return module.removeprefix(package).lstrip(".").split(".")[0]


@pytest.mark.parametrize(
    ("package", "layers"), [(ROOT, LAYERS), (f"{ROOT}.stats", LAYERS_OF_STATS)], ids=["package", "stats"]
)
def test_imports_point_down(package, layers):
    layer = {part: height for height, parts in enumerate(layers) for part in parts}
    parts = {part_of(module, package) for module in FILES if module.startswith(f"{package}.")}
    assert parts - set(layer) == set(), "say in LAYERS or LAYERS_OF_STATS where it stands"
    upwards = [
        str(imported)
        for imported in INTERNAL
        if f"{imported.by}.".startswith(f"{package}.") and f"{imported.module}.".startswith(f"{package}.")
        if (imported.module, imported.name) != (ROOT, "__version__") and (imported.by, imported.module) not in LATE
        if (by := part_of(imported.by, package)) != (other := part_of(imported.module, package))
        and layer[other] >= layer[by]
    ]
    assert upwards == []


def test_late_imports_are_inside_of_functions():
    nodes = [(by, node) for by, _ in LATE for node in TREES[by].body if isinstance(node, ast.ImportFrom)]
    assert not LATE & {(by, f"{node.module}.{alias.name}") for by, node in nodes for alias in node.names}


def test_warnings_are_imported_by_name():
    """`warnings` is the standard module in none but `warnings.py`, and ours nowhere: no reader has to ask which."""
    assert [
        str(it)
        for it in IMPORTS
        if it.by != f"{ROOT}.warnings" and (it.module, it.name) in {("warnings", ""), (f"{ROOT}.warnings", "")}
    ] == []


def test_no_modules_import_each_other_in_a_circle():
    graph = {
        module: {it.module for it in INTERNAL if it.by == module and (it.by, it.module) not in LATE} - {ROOT, module}
        for module in FILES
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_statistics_do_not_import_the_host():
    assert [str(it) for it in IMPORTS if part_of(it.by, ROOT) == "stats" and it.module.split(".")[0] in HOST] == []


def test_what_is_imported_is_what_is_declared():
    """In the project's dependencies or extras; and nothing is declared that nobody uses."""
    declared = [line.split(";") for line in requires("pt-rankcorr") or []]
    names = {normal(line): any("extra" in marker for marker in markers) for line, *markers in declared}
    top = {imported.module.split(".")[0] for imported in IMPORTS} - set(sys.stdlib_module_names) - {ROOT}
    used = {normal(name) for name in top}
    used |= {"python-terrier"} if "pyterrier" in used else set()  # the name of the package that brings it
    assert used - set(names) == set()
    assert {name for name, optional in names.items() if not optional} - used == set()


def normal(requirement):
    return re.split(r"[\s<>=!~\[(]", requirement.strip())[0].lower().replace("_", "-")


def test_importing_the_package_loads_its_init_alone():
    """PyTerrier imports every plugin that is installed: this one costs nothing until it is used."""
    code = "import sys; before = set(sys.modules); import pt_rankcorr; print(*set(sys.modules) - before)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    loaded = {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}
    assert {name for name in loaded if name.split(".")[0] == ROOT} == {ROOT}
    assert {name.split(".")[0] for name in loaded} <= {ROOT, "lazy_loader", "packaging"}


PLACES = [
    pt_rankcorr,
    *(it for name in pt_rankcorr.__all__ if isinstance(it := getattr(pt_rankcorr, name), ModuleType)),
]
PUBLIC = {
    f"{place.__name__}.{name}": inspect.unwrap(getattr(place, name)) for place in PLACES for name in place.__all__
}
REFERENCE = "\n".join(page.read_text() for page in (FOLDER / "pt_docs").rglob("*.rst"))
DOCUMENTED = Counter(
    [
        *re.findall(r"^\.\. auto(?:class|function|method|data|exception|module)+:: (\S+)$", REFERENCE, re.M),
        *(
            f"{module}.{name}"
            for module in re.findall(r"^\.\. automodule:: (\S+)\n   :members:$", REFERENCE, re.M)
            for name in importlib.import_module(module).__all__
        ),
    ]
)


def test_every_public_name_is_reached_by_one_path():
    paths = {}
    for path, it in PUBLIC.items():
        paths.setdefault(id(it), []).append(path)
    assert [several for several in paths.values() if len(several) > 1] == []


def test_every_public_name_has_a_docstring_a_signature_and_all_arguments_described():
    """Arguments that mean the same stand in one line: "names, missing: As for `scores_from_runs`."."""
    for path, it in PUBLIC.items():
        words = (vars(it).get("__doc__") if inspect.isclass(it) else it.__doc__) or ""
        assert words, path
        assert not words.startswith(f"{path.rpartition('.')[2]}("), path  # as a dataclass writes for itself
        if "warnings" not in path and (inspect.isfunction(it) or inspect.isclass(it)):
            assert [*inspect.signature(it).parameters] != ["args", "kwargs"], path
        if re.search(r"\n *Args:\n", words):
            section = inspect.getdoc(it).split("\nArgs:\n")[1].split("\n\n")[0]
            described = re.findall(r"^    ([\w, *]+):", section, re.MULTILINE)
            described = {name for names in described for name in names.split(", ")}
            assert set(inspect.signature(it).parameters) <= described, path


def test_every_public_name_is_documented_once_and_all_that_is_documented_exists():
    assert [path for path in PUBLIC if DOCUMENTED[path] != 1] == [], "it belongs into the reference of pt_docs"
    assert [path for path in DOCUMENTED if named(path) is None] == []


def test_pages_show_no_text_as_a_type():
    """Sphinx takes the words before a colon in the first line for the type of a property or an attribute."""
    documented = {path: named(path) for path in DOCUMENTED}
    lines = {
        f"{path}.{name}": (inspect.getdoc(member) or "").split("\n")[0]
        for path, it in documented.items()
        if inspect.isclass(it)
        for name, member in vars(it).items()
        if isinstance(member, property | functools.cached_property) and not name.startswith("_")
    }
    lines |= {path: inspect.getdoc(it).split("\n")[0] for path, it in documented.items() if isinstance(it, Measure)}
    assert {path: line for path, line in lines.items() if ":" in line} == {}


def test_what_functions_return_is_documented():
    functions = [it for it in PUBLIC.values() if inspect.isfunction(it)]
    words = {word for it in functions for word in re.findall(r"\w+", str(it.__annotations__.get("return")))}
    classes = {node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    assert sorted(words & classes - {path.rpartition(".")[2] for path in DOCUMENTED}) == []


def named(path):
    module, _, name = path.rpartition(".")
    return importlib.import_module(path) if path in FILES else getattr(importlib.import_module(module), name, None)


def subclasses(kind):
    """Those of the package, once all of it is loaded."""
    for module in FILES.keys() - {f"{ROOT}.__main__"}:
        importlib.import_module(module)
    below = {kind}
    while more := {child for parent in below for child in parent.__subclasses__()} - below:
        below |= more
    return {subclass for subclass in below if subclass.__module__.startswith(f"{ROOT}.")}


def test_every_warning_is_public():
    assert {kind.__name__ for kind in subclasses(Warning)} == set(pt_rankcorr.warnings.__all__)
