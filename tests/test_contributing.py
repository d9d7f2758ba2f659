"""Whoever follows CONTRIBUTING.md finds what it names: every path, every name, and the command that it gives."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import pt_rankcorr

PACKAGE = Path(pt_rankcorr.__file__).parent
CHECKOUT = Path(__file__).parents[1]
TEXT = (CHECKOUT / ".github" / "CONTRIBUTING.md").read_text()
MAP, *_ = re.findall(r"```\npt_rankcorr/\n(.*?)```", TEXT, re.DOTALL)
QUOTED = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))
PATHS = [quoted for quoted in QUOTED if "/" in quoted and re.fullmatch(r"[\w./*]+", quoted) and ".." not in quoted]
NAME = re.compile(r"\(?(\w+(?:\.\w+)*)\b(?!\.\.\.)")  # at the beginning: what follows is how it is called
WORDS = {found[1] for quoted in QUOTED if "/" not in quoted and (found := NAME.match(quoted))}
NOT_OURS = {"pip", "python", "OMP_NUM_THREADS", "PYTERRIER_SOURCE"}


def names_in(path: Path) -> set[str]:
    """All that a module defines: functions, classes, arguments, attributes and assigned names, keys and itself."""
    found = {path.stem if path.stem != "__init__" else path.parent.name}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


@cache
def modules() -> dict[Path, set[str]]:
    return {path: names_in(path) for folder in ("pt_rankcorr", "tests") for path in CHECKOUT.glob(f"{folder}/**/*.py")}


@cache
def all_names() -> set[str]:
    return set().union(*modules().values(), {path.name for path in CHECKOUT.glob("pt_rankcorr/**/*.*")})


def places(path: str) -> list[Path]:
    """Where it is: from the top, or in a room that the text speaks of."""
    return [found for root in (CHECKOUT, PACKAGE, CHECKOUT / "tests") for found in root.glob(path.rstrip("/"))]


@pytest.mark.parametrize("path", sorted(set(PATHS)))
def test_paths_are_there(path: str) -> None:
    assert places(path) or path.startswith("../shared")


@pytest.mark.parametrize("line", MAP.split("tests/")[0].splitlines())
def test_the_map_shows_what_is_there(line: str) -> None:
    names, *_ = re.split(r"  +", line.strip())
    inside = PACKAGE / "stats" if line.startswith("    ") else PACKAGE
    for name in names.split(", "):
        assert any(inside.glob(f"{name.rstrip('/')}*")), name


def test_the_map_shows_every_room() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    families = {path.name for path in (PACKAGE / "stats").iterdir() if (path / "__init__.py").exists()}
    assert {name for name in rooms | families if not re.search(rf"\b{name}/", MAP)} == set()


@pytest.mark.parametrize("word", sorted(WORDS - NOT_OURS))
def test_names_are_there(word: str) -> None:
    named_in_text = word.isupper() and any(f'"{word}"' in path.read_text() for path in modules())
    assert word in all_names() or named_in_text or set(word.split(".")) <= all_names() | {"pt_rankcorr", "pt"}


IN_A_FILE = r"`(?:\w+\.)?(\w+)`\s+(?:of|in)\s+`([\w/.]+\.py)`"
FILE_AND_NAME = r"`([\w/.]+\.py)`, function\s+`(?:\w+\.)?(\w+)`"


def test_names_are_where_it_says() -> None:
    said = [*re.findall(IN_A_FILE, TEXT), *((name, path) for path, name in re.findall(FILE_AND_NAME, TEXT))]
    assert len(said) >= 8
    for name, path in said:
        assert any(name in modules()[place] for place in places(path)), f"{name} is not in {path}"
