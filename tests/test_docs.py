"""The documentation builds without a warning, its examples print what they show, and all its pages are listed."""

from __future__ import annotations

import doctest
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pt_rankcorr

PAGES = sorted((Path(pt_rankcorr.__file__).parent / "pt_docs").glob("*.rst"))
NAMES = [page.stem for page in PAGES]

CHECKOUT = Path(__file__).parents[1]


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
    pictures = sum(page.read_text().count(".. plot::") for page in PAGES)
    assert len(list((tmp_path / "_images").glob("*.png"))) == pictures


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_examples_print_what_is_shown(page: Path) -> None:
    found = doctest.testfile(str(page), module_relative=False, verbose=False)
    assert found.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_all_code_is_run_by_one_of_these_tests(page: Path) -> None:
    """Python is in doctests, which are run here, or in plots, which the build runs; the rest is for a shell."""
    languages = re.findall(r"^\.\. (?:code-block|code|sourcecode)::\s*(\w*)", page.read_text(), re.MULTILINE)
    assert set(languages) <= {"console"}
    assert not re.search(r"^(?!\.\. ).*::$", page.read_text(), re.MULTILINE)


@pytest.mark.skipif(importlib.util.find_spec("sphinx") is not None, reason="the build draws them")
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_pictures_are_drawn(page: Path) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    names: dict[str, object] = {}  # with `:context:` a picture has those of the pictures before it
    for code in plots(page.read_text()):
        exec(code, names)
        plt.close("all")


def plots(text: str) -> Iterator[str]:
    """The code of each plot directive: the indented lines after its options."""
    for block in re.findall(r"^\.\. plot::\n((?:   .*\n|\n)+)", text, re.MULTILINE):
        lines = [line[3:] for line in block.splitlines()]
        yield "\n".join(line for line in lines if not re.match(r":[\w-]+:", line))


def test_every_path_that_contributors_are_told_exists() -> None:
    told = (CHECKOUT / ".github" / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:pt_rankcorr|tests)/[\w/.*-]+)`", told)
    assert len(paths) > 20
    assert [path for path in paths if not [*CHECKOUT.glob(path)]] == []


def test_every_page_is_in_the_table_of_contents() -> None:
    index = next(page for page in PAGES if page.stem == "index").read_text()
    listed = re.findall(r"^   (\w+)$", index, re.MULTILINE)
    assert sorted([*listed, "index"]) == NAMES


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
    assert len(terms) >= 28


# --- pt.rankcorr, as the first page says --------------------------------------------------------------------


def test_pyterrier_has_it_as_a_module_and_loads_its_face_alone() -> None:
    code = (
        "import sys, pyterrier as pt; print(*(name for name in sys.modules if name.startswith('pt_rankcorr'))); "
        "print(pt.rankcorr.tau_ap([3, 2, 1], [3, 2, 1]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.split("\n")[:2] == ["pt_rankcorr", "1.0"], f"installed without entry points? {found.stderr}"
