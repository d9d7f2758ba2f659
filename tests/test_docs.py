"""The documentation builds without a warning, its examples print what they show, and all its pages are listed."""

from __future__ import annotations

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pt_rankcorr

pytestmark = pytest.mark.whole

PAGES = sorted((Path(pt_rankcorr.__file__).parent / "pt_docs").glob("*.rst"))
NAMES = [page.stem for page in PAGES]
TEXTS = {page.stem: page.read_text() for page in PAGES}

CHECKOUT = Path(__file__).parents[1]


def pictures() -> ModuleType:
    """The module that draws the pictures, a script beside the settings of Sphinx."""
    spec = importlib.util.spec_from_file_location("pictures", CHECKOUT / "docs" / "pictures.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PICTURES = pictures()


def build(output: Path) -> subprocess.CompletedProcess[str]:
    """Builds all pages as HTML, as CONTRIBUTING.md says; warnings are errors."""
    command = re.search(r"python (-m sphinx .+?) docs/_build", (CHECKOUT / ".github" / "CONTRIBUTING.md").read_text())
    assert command
    arguments = [sys.executable, *command.group(1).split(), str(output)]
    return subprocess.run(arguments, cwd=CHECKOUT, capture_output=True, text=True, check=False)


def test_it_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'pt-rankcorr[docs]'")
    built = build(tmp_path)
    assert built.returncode == 0, built.stderr
    assert {page.stem for page in tmp_path.glob("*.html")} >= set(NAMES)
    assert len(list((tmp_path / "_images").glob("*.svg"))) == len(PICTURES.codes())


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_examples_print_what_is_shown(page: Path) -> None:
    tested = doctest.testfile(str(page), module_relative=False, verbose=False)
    assert tested.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_all_code_is_run_by_one_of_these_tests(page: Path) -> None:
    """Python is in doctests, or draws a picture; both are run here. The rest is for a shell."""
    languages = re.findall(r"^\.\. (?:code-block|code|sourcecode)::\s*(\w*)", page.read_text(), re.MULTILINE)
    assert set(languages) <= {"console", "python"}
    assert languages.count("python") == len(PICTURES.DRAWN.findall(page.read_text()))
    assert not re.search(r"^(?!\.\. ).*::$", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", PICTURES.codes())
def test_pictures_are_what_their_code_draws(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    PICTURES.draw(PICTURES.codes()[name], tmp_path / "drawn.svg")
    committed = PICTURES.FOLDER / f"{name}.svg"
    assert PICTURES.words(tmp_path / "drawn.svg") == PICTURES.words(committed) != [], "run: python docs/pictures.py"


def test_every_picture_is_shown_and_there() -> None:
    shown = [
        name for page in PAGES for name in re.findall(r"^\.\. image:: pictures/(\w+)\.svg$", page.read_text(), re.M)
    ]
    assert sorted(shown) == sorted(PICTURES.codes()) == sorted(path.stem for path in PICTURES.FOLDER.iterdir())


def test_every_page_is_in_a_table_of_contents() -> None:
    tables = re.findall(r"^\.\. toctree::\n(?:   :.*\n)+\n((?:   \w+\n)+)", "\n".join(TEXTS.values()), re.MULTILINE)
    assert sorted(["index", *" ".join(tables).split()]) == NAMES


def test_the_table_of_warnings_has_all_of_them() -> None:
    listed = re.findall(r"^   \* - ``(\w+Warning)``$", TEXTS["scores_and_names"], re.MULTILINE)
    assert sorted(listed) == sorted(pt_rankcorr.warnings.__all__)


def test_pages_are_short() -> None:
    assert sum(len(text.split()) for text in TEXTS.values()) <= 16_000


def test_pages_cite_and_link_with_the_directives_of_the_host() -> None:
    """Without a citation of its own, PyTerrier's site shows that of dblp, and ours shows nothing."""
    pages = "\n".join(TEXTS.values())
    cited = re.findall(r"^\.\. cite\.dblp:: \S+\n(   :citation: \S)?", pages, re.MULTILINE)
    assert len(cited) >= 6
    assert all(cited)
    related = re.findall(r"^\.\. related:: pt_rankcorr\.(\S+)$", pages, re.MULTILINE)
    assert len(related) >= 10
    assert [name for name in related if not re.search(rf"^\.\. auto\w+:: pt_rankcorr\.{name}$", pages, re.M)] == []


def test_figures_of_the_calibration_stand_once() -> None:
    """Elsewhere there is a sentence, and a link to the page."""
    readme = PAGES[0].parents[2] / "README.md"
    texts = [*PAGES, *([readme] if readme.exists() else [])]
    assert [text.stem for text in texts if "**too high**" in text.read_text()] == ["calibration"]


def test_terms_that_pages_link_to_are_in_the_glossary() -> None:
    glossary = (PAGES[0].parent / "glossary.rst").read_text()
    terms = set(re.findall(r"^   (\S.*)$", glossary, re.MULTILINE)) - {":sorted:"}
    linked = {term for page in PAGES for term in re.findall(r":term:`(?:[^`<]*<)?([^`>]+)>?`", page.read_text())}
    assert linked <= terms


# --- pt.rankcorr, as the first page says --------------------------------------------------------------------


def test_pyterrier_has_it_as_a_module_and_loads_only_its_names() -> None:
    code = (
        "import sys, pyterrier as pt; print(*(name for name in sys.modules if name.startswith('pt_rankcorr'))); "
        "print(pt.rankcorr.tau_ap([3, 2, 1], [3, 2, 1]))"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert finished.stdout.split("\n")[:2] == ["pt_rankcorr", "1.0"], (
        f"installed without entry points? {finished.stderr}"
    )
