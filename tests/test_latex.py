"""LaTeX fits the page, whatever names are: compiled, where pdflatex is."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.cli._output import latex
from pt_rankcorr.latex import SMALL, Entry, flowing, grids

compiles = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
PACKAGES = ("[T1]{fontenc}", "[utf8]{inputenc}", "{textcomp}", "{booktabs}", "{longtable}")
HEAD = "\n".join([r"\documentclass{article}", *map(r"\usepackage".__add__, PACKAGES), r"\begin{document}"])
HOSTILE = ("a" * 5000, "b c" * 1000, r"\input{x} ~^#{}", "运行 ü" * 10, "W" * 300, "q")
MEASURES = ("AP", "nDCG(dcg='exp-log2')@10", "P@10", "RR(rel=2)@10", "ERR@20")
LONG = tuple(f"University-of-Somewhere_run_{number}_bm25+monoT5" for number in range(18))


def scores(systems: tuple[str, ...], measures: tuple[str, ...]) -> ptr.Scores:
    random, shape = np.random.default_rng(1), (20, len(systems))
    base = random.random((20, 1)) + random.normal(0, 0.05, len(systems))
    return ptr.Scores([ptr.ScoreMatrix(base + random.normal(0, 0.1, shape), None, systems, name) for name in measures])


CASES = {
    "few": scores(("bm25", "dph"), ("AP", "RR")),
    "18 systems x 5 measures": scores(tuple(f"run{number}" for number in range(18)), MEASURES),
    "long names": scores(LONG, MEASURES),
    "hostile names": scores(HOSTILE, ("AP", "x" * 5000, "W" * 79)),
    "12 measures": scores(
        ("M" * 79, "W W " * 40, "%" * 80), tuple(f"measure_(a='b{i}',c=True)@{i}" for i in range(12))
    ),
}
FORMS = {
    "report": lambda case: ptr.report(case, n_resamples=40, rng=1).to_latex(),
    "comparison": lambda case: latex([row.texts() for row in ptr.compare(case, n_resamples=40, rng=1)], 2),
    "topics": lambda case: latex(
        [{"measure": name, **{f"with {k} topics": 0.5 for k in range(10, 200, 10)}} for name in case], 1
    ),
}


@compiles
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
def test_nothing_runs_off_the_page(case: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "page.tex").write_text(f"{HEAD}\n{FORMS[form](CASES[case])}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "page.log").read_text(errors="replace")
    assert (ran.returncode, re.findall(r"^(?:Overfull|!).*", log, re.MULTILINE)) == (0, [])


def test_letters_that_are_shown_by_their_number_are_told_of() -> None:
    known, other = (
        ptr.rank_intervals(scores((name, "dph"), ("AP",))["AP"], method="percentile", rng=1) for name in ("ü", "日本")
    )
    assert known.to_latex().startswith(r"\begin{tabular}")
    told, *lines = other.to_latex().split("\n")
    assert told.startswith("% {[}U+65E5{]} and the like")
    assert "xelatex" in told
    assert r"{[}U+65E5{]}{[}U+672C{]}" in "\n".join(lines)


def test_a_table_that_fits_is_left_as_it_is() -> None:
    (grid,), _ = grids(["measure", "tau"], [[Entry("AP"), Entry(".50", strong=True)]], [True, False], 1)
    assert (grid.alignment, grid.lines) == ("lr", (r"measure & tau \\", r"AP & \textbf{.50} \\"))


def test_a_wide_table_is_set_in_parts_with_the_names() -> None:
    heads = ["measure", *(f"column {number}" for number in range(20))]
    parts, key = grids(heads, [[Entry(head) for head in heads]] * 2, [True] + [False] * 20, 1)
    assert (len(parts) > 1, key) == (True, "")
    assert all(part.type is SMALL for part in parts)
    found = [cell.strip(r"\ ") for part in parts for cell in part.lines[1].split(" & ")]
    assert found.count("measure") == len(parts)
    assert [cell for cell in found if cell != "measure"] == heads[1:]


def test_long_texts_are_broken_and_cut() -> None:
    (grid,), _ = grids(["system", "x"], [[Entry("a" * 5000), Entry("1")]], [True, False], 1)
    cell = grid.lines[1].split(" & ")[0]
    assert cell.startswith(r"\parbox[t]{95pt}{\raggedright\hspace{0pt}aaaaaa\allowbreak{}aaaaaa")
    assert cell.count("a" * 6) < 20
    assert flowing("a short text") == "a short text"
    assert flowing("运" * 13).count(r"\allowbreak{}") == 12


def test_a_key_tells_the_whole_of_names_that_were_cut() -> None:
    first, second, words = "a" * 5000, "a" * 40 + "b" + "a" * 4959, "b c " * 1000
    rows = [[Entry(text), Entry("1")] for text in (first, second, words, first, "short")]
    (grid,), key = grids(["system", "M" * 81], rows, [True, False], 1)
    numbers = [re.findall(r"\{\[\}(\d)\{\]\}", line.split(" & ")[0]) for line in grid.lines]
    assert numbers == [[], ["1"], ["2"], ["3"], ["1"], []]
    lines = key.replace(r"\allowbreak{}", "").split("\n")[1:-1]
    whole = [first, second, words, "M" * 81]
    assert lines == [rf"\noindent {{[}}{number}{{]}} {text}\par" for number, text in enumerate(whole, 1)]
    for page in (ptr.report(CASES["hostile names"], n_resamples=40, rng=1).to_latex(), latex([{"x": first}] * 2, 1)):
        assert first in page.replace(r"\allowbreak{}", "")
