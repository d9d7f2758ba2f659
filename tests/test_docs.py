"""The documentation builds without a warning, its examples print what they show, and it names every public name.

`python tests/test_docs.py FOLDER` builds it into a folder, to be looked at.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pt_rankcorr

PAGES = sorted((Path(pt_rankcorr.__file__).parent / "pt_docs").glob("*.rst"))
NAMES = [page.stem for page in PAGES]

CONFIGURATION = r"""
project, author = "pt_rankcorr", "The pt_rankcorr authors"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "matplotlib.sphinxext.plot_directive"]
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
plot_formats = [("png", 110)]
html_theme_options = {"page_width": "1220px"}
plot_html_show_formats = plot_html_show_source_link = False
"""


def build(output: Path) -> subprocess.CompletedProcess[str]:
    """Builds all pages as HTML; warnings are errors."""
    configuration = output / "configuration"
    configuration.mkdir(parents=True, exist_ok=True)
    (configuration / "conf.py").write_text(CONFIGURATION)
    folders = [str(configuration), str(PAGES[0].parent), str(output / "html")]
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "-c", *folders]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'pt-rankcorr[docs]'")
    built = build(tmp_path)
    assert built.returncode == 0, built.stderr
    assert {page.stem for page in (tmp_path / "html").glob("*.html")} >= set(NAMES)
    pictures = sum(page.read_text().count(".. plot::") for page in PAGES)
    assert len(list((tmp_path / "html" / "_images").glob("*.png"))) == pictures


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
    for code in plots(page.read_text()):
        exec(code, {})
        plt.close("all")


def plots(text: str) -> Iterator[str]:
    """The code of each plot directive: the indented lines after its options."""
    for block in re.findall(r"^\.\. plot::\n((?:   .*\n|\n)+)", text, re.MULTILINE):
        lines = [line[3:] for line in block.splitlines()]
        yield "\n".join(line for line in lines if not re.match(r":[\w-]+:", line))


def test_every_public_name_is_documented() -> None:
    documented = [documented_object(name) for page in PAGES for name in directives(page.read_text())]
    missing = [name for name in pt_rankcorr.__all__ if not any(getattr(pt_rankcorr, name) is it for it in documented)]
    assert not missing, "add them to pt_docs/api.rst"


def directives(text: str) -> list[str]:
    return re.findall(r"^\.\. auto(?:function|class|exception|module):: (\S+)", text, re.MULTILINE)


def documented_object(name: str) -> Any:
    """What a dotted name stands for: a module, or something in one."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, member = name.rpartition(".")
        return getattr(importlib.import_module(module), member)


def test_every_page_is_in_the_table_of_contents() -> None:
    index = next(page for page in PAGES if page.stem == "index").read_text()
    listed = re.findall(r"^   (\w+)$", index, re.MULTILINE)
    assert sorted([*listed, "index"]) == NAMES


def test_the_calibration_is_that_of_the_readme() -> None:
    """The README has a column a size, the page a row."""
    readme = PAGES[0].parents[2] / "README.md"
    if not readme.exists():
        pytest.skip("installed without the README")
    section = readme.read_text().split("### Which test of d_rank")[1].split("\n## ")[0]
    shown = {size.strip(): [value.strip() for value in values] for size, *values in columns_of_tables(section)}
    page = (PAGES[0].parent / "reading_d_rank.rst").read_text()
    rows = re.findall(r"^   \* - (.*)\n     - (.*)\n     - (.*)\n     - (.*)$", page, re.MULTILINE)
    assert {size: values for size, *values in rows if size != "systems x topics"} == shown


def columns_of_tables(markdown: str) -> Iterator[tuple[str, ...]]:
    """All columns but the first of every table, without the line under the header."""
    for table in re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE):
        header, _, *rows = [line.strip("|").split("|") for line in table.splitlines()]
        yield from list(zip(header, *rows, strict=True))[1:]


# --- pt.rankcorr, as the first page says --------------------------------------------------------------------


def test_pyterrier_has_it_as_a_module_and_loads_nothing_heavy() -> None:
    code = (
        "import sys, pyterrier as pt; print(*(name for name in sys.modules if name.startswith('pt_rankcorr'))); "
        "print(pt.rankcorr.tau_ap([3, 2, 1], [3, 2, 1]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.split("\n")[:2] == ["pt_rankcorr", "1.0"], f"installed without entry points? {found.stderr}"


def test_loading_it_takes_a_few_milliseconds() -> None:
    """`import pyterrier` is to get no slower than 20 ms for it; here is what it loads, in a fresh interpreter."""
    code = "import time, importlib, typing; t = time.perf_counter(); import pt_rankcorr; print(time.perf_counter() - t)"
    seconds = (subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(5))
    assert min(map(float, seconds)) < 0.02


if __name__ == "__main__":
    result = build(Path(sys.argv[1]))
    print(result.stderr or f"built {sys.argv[1]}/html/index.html")
    sys.exit(result.returncode)
