"""The documentation builds without a warning; its examples and those of README print what they show."""

import doctest
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from scipy.stats import kendalltau

import pt_rankcorr
import pt_rankcorr as rc
from pt_rankcorr.cli import main

pytestmark = pytest.mark.whole

PAGES = sorted((Path(pt_rankcorr.__file__).parent / "pt_docs").glob("*.rst"))
NAMES = [page.stem for page in PAGES]
TEXTS = {page.stem: page.read_text() for page in PAGES}

CHECKOUT = Path(__file__).parents[2]


PICTURES = SimpleNamespace(**runpy.run_path(str(CHECKOUT / "docs" / "pictures.py")))


def build(output):
    """Builds all pages as HTML, as CONTRIBUTING.md says; warnings are errors."""
    command = re.search(r"python (-m sphinx .+?) docs/_build", (CHECKOUT / ".github" / "CONTRIBUTING.md").read_text())
    assert command
    arguments = [sys.executable, *command.group(1).split(), str(output)]
    return subprocess.run(arguments, cwd=CHECKOUT, capture_output=True, text=True, check=False)


def test_it_builds_without_a_warning(tmp_path):
    pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'pt-rankcorr[docs]'")
    built = build(tmp_path)
    assert built.returncode == 0, built.stderr
    assert {page.stem for page in tmp_path.glob("*.html")} >= set(NAMES)
    assert len(list((tmp_path / "_images").glob("*.svg"))) == len(PICTURES.codes())


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_examples_print_what_is_shown(page):
    tested = doctest.testfile(str(page), module_relative=False, verbose=False)
    assert tested.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_all_code_is_run_by_one_of_these_tests(page):
    """Python is in doctests, or draws a picture; both are run here. The rest is for a shell."""
    languages = re.findall(r"^\.\. (?:code-block|code|sourcecode)::\s*(\w*)", page.read_text(), re.MULTILINE)
    assert set(languages) <= {"console", "python"}
    assert languages.count("python") == len(PICTURES.DRAWN.findall(page.read_text()))
    assert not re.search(r"^(?!\.\. ).*::$", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", PICTURES.codes())
def test_pictures_are_what_their_code_draws(name, tmp_path):
    pytest.importorskip("matplotlib")
    PICTURES.draw(PICTURES.codes()[name], tmp_path / "drawn.svg")
    committed = PICTURES.FOLDER / f"{name}.svg"
    assert PICTURES.words(tmp_path / "drawn.svg") == PICTURES.words(committed) != [], "run: python docs/pictures.py"


def test_every_picture_is_shown_and_there():
    shown = [
        name for page in PAGES for name in re.findall(r"^\.\. image:: pictures/(\w+)\.svg$", page.read_text(), re.M)
    ]
    assert sorted(shown) == sorted(PICTURES.codes()) == sorted(path.stem for path in PICTURES.FOLDER.iterdir())


def test_every_page_is_in_a_table_of_contents():
    tables = re.findall(r"^\.\. toctree::\n(?:   :.*\n)+\n((?:   \w+\n)+)", "\n".join(TEXTS.values()), re.MULTILINE)
    assert sorted(["index", *" ".join(tables).split()]) == NAMES


def test_the_table_of_warnings_has_all_of_them():
    listed = re.findall(r"^   \* - ``(\w+Warning)``$", TEXTS["scores_and_names"], re.MULTILINE)
    assert sorted(listed) == sorted(pt_rankcorr.warnings.__all__)


def test_pages_cite_and_link_with_the_directives_of_the_host():
    """Without a citation of its own, PyTerrier's site shows that of dblp, and ours shows nothing."""
    pages = "\n".join(TEXTS.values())
    cited = re.findall(r"^\.\. cite\.dblp:: \S+\n(   :citation: \S)?", pages, re.MULTILINE)
    assert len(cited) >= 6
    assert all(cited)
    related = re.findall(r"^\.\. related:: pt_rankcorr\.(\S+)$", pages, re.MULTILINE)
    assert len(related) >= 10
    assert [name for name in related if not re.search(rf"^\.\. auto\w+:: pt_rankcorr\.{name}$", pages, re.M)] == []


def test_terms_that_pages_link_to_are_in_the_glossary():
    glossary = (PAGES[0].parent / "glossary.rst").read_text()
    terms = set(re.findall(r"^   (\S.*)$", glossary, re.MULTILINE)) - {":sorted:"}
    linked = {term for page in PAGES for term in re.findall(r":term:`(?:[^`<]*<)?([^`>]+)>?`", page.read_text())}
    assert linked <= terms


def test_pyterrier_has_it_as_a_module_and_loads_only_its_names():
    code = (
        "import sys, pyterrier as pt; print(*(name for name in sys.modules if name.startswith('pt_rankcorr'))); "
        "print(pt.rankcorr.tau_ap([3, 2, 1], [3, 2, 1]))"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert finished.stdout.split("\n")[:2] == ["pt_rankcorr", "1.0"], (
        f"installed without entry points? {finished.stderr}"
    )


README = (CHECKOUT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
QUESTIONS = re.findall(r"^\| (.*\?) \| `(.*)` \| (?:`(\w+)`)? *\|$", README, re.MULTILINE)
TREC = Path(os.environ.get("PT_RANKCORR_DATA", CHECKOUT / "../shared/data")) / "trec"
SMALL = ("BM25", "DPH", "PL2")


@pytest.fixture(scope="module")
def names():
    """What the first example leaves behind."""
    found = {}
    exec(PYTHON[0].replace("print(", "printed = ("), found)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch, register):
    """A folder with the files that the README writes, to work in, and as a data set "mine"; of the runs only some."""
    monkeypatch.chdir(tmp_path)
    write = next(line for block in SHELL for line in block.splitlines() if "--write" in line)
    first, second = write.split(" && ")
    assert main(shlex.split(first)[3:]) == 0
    monkeypatch.chdir(second.removeprefix("cd "))
    for run in Path("runs").iterdir():
        if run.stem not in SMALL:
            run.unlink()
    Path("topics.tsv").write_text("1\ta topic\n")
    register("mine", queries_tsv="topics.tsv", qrels_trec=Path("reference.qrels").resolve())
    return Path.cwd()


def test_the_first_example_prints_what_is_shown(names):
    shown = re.search(r"```\n(measure.*?)```", README, re.DOTALL)
    assert shown
    assert names["printed"] + "\n" == shown.group(1)


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.CloseSystemsWarning")  # there are three runs only
@pytest.mark.usefixtures("folder")
def test_every_question_is_answered(names):
    exec(PYTHON[1], names)
    assert sorted(names["scores"].systems) == sorted(SMALL)
    assert len(QUESTIONS) >= 5
    for question, call, _ in QUESTIONS:
        assert eval(call, names) is not None, question


def test_every_command_of_the_table_is_there(capsys):
    for command in filter(None, (command for *_, command in QUESTIONS)):
        assert main([command, "--help"]) == 0
        assert command in capsys.readouterr().out


def test_the_command_lines_run(folder, capsys):
    lines = [shlex.split(line) for block in SHELL for line in block.splitlines() if line.startswith("pt-rankcorr")]
    assert len(lines) >= 2
    for _, *arguments in lines:
        assert main([*arguments, "--seed", "1"]) == 0, capsys.readouterr().err
    assert (folder / "page.html").stat().st_size > 10_000


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")
def test_the_case_where_both_tests_agree():
    """The numbers under "Why kendalltau is not enough"."""
    if not TREC.is_dir():
        pytest.skip(f"no TREC data in {TREC}")
    text = " ".join(README[README.index("**Why `scipy") : README.index("## Try it")].split())
    ap, p10 = (trec_scores(f"adhoc7_{measure}") for measure in ("ap", "p10"))
    assert f"tau is {plain(kendalltau(ap.means, p10.means).statistic)}:" in text
    result = rc.correlation_interval(ap, p10, rng=1)
    one = result.one_true_ranking
    assert f"About {plain(one.mean)} [{plain(one.low)}, {plain(one.high)}]:" in text
    assert f"A tau between {plain(result.low)} and {plain(result.high)} (95% interval)." in text
    assert text.count("(p < .001)") == 2
    assert max(result.pvalue, rc.d_rank(ap, p10, rng=1).pvalue) < 0.001


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")
def test_the_case_where_they_differ():
    """The numbers of TREC-6 on the page for a reviewer."""
    if not TREC.is_dir():
        pytest.skip(f"no TREC data in {TREC}")
    text = " ".join(TEXTS["is_tau_good_enough"].split())
    ap, p10 = (trec_scores(f"adhoc6_{measure}") for measure in ("ap", "p10"))
    result = rc.correlation_interval(ap, p10, rng=42)
    tau = f"a tau of {plain(result.statistic)} [{plain(result.low)}, {plain(result.high)}]"
    assert f"{tau}, where one true ranking would give {plain(result.one_true_ranking.mean)}" in text
    assert f"(p = {plain(result.pvalue)}): the two true rankings differ" in text
    assert f"AP ranking (p = {plain(rc.d_rank(ap, p10, rng=42).pvalue)})" in text


def plain(number):
    return f"{number:.2f}".replace("0.", ".", 1)


def trec_scores(name):
    (matrix,) = rc.read_scores(TREC / f"{name}.csv").values()
    return matrix
