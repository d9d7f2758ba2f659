"""What CONTRIBUTING.md names is there: every path, every name, and each name in the file that it says."""

import ast
import re
from functools import cache
from pathlib import Path

import pt_rankcorr

PACKAGE = Path(pt_rankcorr.__file__).parent
CHECKOUT = Path(__file__).parents[2]
TEXT = (CHECKOUT / ".github" / "CONTRIBUTING.md").read_text()
MAP, *_ = re.findall(r"```\npt_rankcorr/\n(.*?)```", TEXT, re.DOTALL)
QUOTED = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))
PATHS = {quoted for quoted in QUOTED if "/" in quoted and re.fullmatch(r"[\w./*]+", quoted) and ".." not in quoted}


@cache
def names_in(path):
    """All that a module defines: functions, classes, arguments, assigned names, and itself."""
    names = {path.stem if path.stem != "__init__" else path.parent.name}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names


def places(path):
    """Where it is: from the top, or in the package that the text speaks of."""
    return [place for root in (CHECKOUT, PACKAGE, CHECKOUT / "tests") for place in root.glob(path.rstrip("/"))]


def test_paths_are_there():
    assert {path for path in PATHS if not places(path)} == set()


def test_the_map_shows_every_package():
    packages = {path.parent.name for folder in (PACKAGE, PACKAGE / "stats") for path in folder.glob("*/__init__.py")}
    assert {name for name in packages if not re.search(rf"\b{name}/", MAP)} == set()


IN_A_FILE = r"`(?:\w+\.)?(\w+)`\s+(?:of|in)\s+`([\w/.]+\.py)`"
FILE_AND_NAME = r"`([\w/.]+\.py)`, function\s+`(?:\w+\.)?(\w+)`"


def test_names_are_where_it_says():
    pairs = [*re.findall(IN_A_FILE, TEXT), *((name, path) for path, name in re.findall(FILE_AND_NAME, TEXT))]
    assert len(pairs) >= 8
    for name, path in pairs:
        assert any(name in names_in(place) for place in places(path)), f"{name} is not in {path}"


def test_the_version_stands_in_all_places():
    places = ["pyproject.toml", "CITATION.cff", "README.md"]
    patterns = [r'^version = "(.*)"$', r"^version: (.*)$", r"version = \{(.*?)\}"]
    found = [
        re.findall(pattern, (CHECKOUT / place).read_text(encoding="utf-8"), re.MULTILINE)
        for place, pattern in zip(places, patterns, strict=True)
    ]
    assert found == [[pt_rankcorr.__version__]] * 3
