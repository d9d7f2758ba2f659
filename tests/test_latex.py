"""LaTeX fits the page, whatever names are: compiled, where pdflatex is."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.tables import Table, of_frame
from pt_rankcorr.writers import MORE, flowing

compiles = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
PACKAGES = ("[T1]{fontenc}", "[utf8]{inputenc}", "{textcomp}", "{booktabs}", "{adjustbox}")
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
    "comparison": lambda case: ptr.compare(case, n_resamples=40, rng=1).to_latex(),
    "topics": lambda case: of(
        [{"measure": name, **{f"with {k} topics": 0.5 for k in range(10, 200, 10)}} for name in case]
    ).latex(),
}


@compiles
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.whole
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
    assert known.to_latex().startswith("% needs")
    _, told, *lines = other.to_latex().split("\n")
    assert told.startswith("% {[}U+65E5{]} and the like")
    assert "xelatex" in told
    assert r"{[}U+65E5{]}{[}U+672C{]}" in "\n".join(lines)


def of(rows: list[dict[str, object]]) -> Table:
    return of_frame(pd.DataFrame(rows))


def test_tex_shrinks_a_table_that_is_too_wide_and_no_other() -> None:
    packages, *lines = of([{"measure": "AP", "tau": 0.5}]).latex().splitlines()
    assert all(name in packages for name in ("fontenc", "booktabs", "adjustbox"))
    assert lines == [
        r"\noindent\begin{adjustbox}{max width=\linewidth}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"measure & tau \\",
        r"\midrule",
        r"AP & .500 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{adjustbox}",
    ]


def test_a_long_table_has_its_head_and_a_caption_in_each_part() -> None:
    table = dataclasses.replace(
        of([{"system": f"run{number}", "rank": number} for number in range(95)]), caption="All."
    )
    source = table.latex()
    assert source.count(r"system & rank \\") == source.count(r"\begin{table}") == 3
    assert re.findall(r"\\caption\{(.*)\}", source) == ["All.", MORE, MORE]
    assert [f"run{number} &" in source for number in range(95)] == [True] * 95


def test_long_words_of_a_text_may_be_broken() -> None:
    assert flowing("a short text") == "a short text"
    assert flowing("运" * 13).count(r"\allowbreak{}") == 12


def test_a_key_tells_the_whole_of_names_that_were_cut() -> None:
    first, second, words = "a" * 5000, "a" * 40 + "b" + "a" * 4959, ("b c " * 1000).strip()
    source = of([{"system": text, "M" * 81: 1.0} for text in (first, second, words, first, "short")]).latex()
    head, *rows = [line for line in source.split("\n") if line.endswith(r"\\")]
    assert [re.findall(r"\{\[\}(\d)\{\]\}", line) for line in (head, *rows)] == [["1"], ["2"], ["3"], ["4"], ["2"], []]
    key = source.replace(r"\allowbreak{}", "").split("\n")[-5:-1]
    whole = ["M" * 81, first, second, words]
    assert key == [rf"\noindent {{[}}{number}{{]}} {text}\par" for number, text in enumerate(whole, 1)]
