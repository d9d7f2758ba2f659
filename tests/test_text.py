"""Names as messages, terminals, pages, LaTeX and pictures show them; LaTeX is compiled, where pdflatex is."""

import dataclasses
import math
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr import tables
from pt_rankcorr.tables import of_frame
from pt_rankcorr.text import confidence, cut, on_one_line, percent, shown, visible, with_interval
from pt_rankcorr.writers import escape_latex, flowing

HOSTILE = "a\x1b[2J\u202eb\ud800\n\x00c"


def test_what_acts_is_written_out():
    assert visible("a\x1b\u202e\ud800\u200b運é\u00a0") == r"a\x1b\u202e\ud800\u200b運é" + "\u00a0"
    assert on_one_line("a\n b\tc") == "a b c"


def test_long_values_keep_both_ends():
    assert cut("a" * 100 + "z", 11) == "aaaaa…aaaaz"
    assert len(shown("x" * 10_000)) == 80

    class Rude:
        def __repr__(self):
            raise RuntimeError

    assert shown(Rude()) == "an object of type Rude"


def test_only_nothing_is_no_percent_and_only_all_is_a_hundred():
    shares = [0.0, 1e-9, 0.005, 0.006, 0.994, 0.995, 1.0]
    assert [percent(share) for share in shares] == ["0%", "<1%", "<1%", "1%", "99%", ">99%", "100%"]


def test_a_confidence_level_has_all_its_digits():
    levels = [0.5, 0.57, 0.95, 0.995, 0.99999, 1.0 - 0.005, 1.0 - 0.3]
    assert [confidence(level) for level in levels] == ["50%", "57%", "95%", "99.5%", "99.999%", "99.5%", "70%"]


def test_a_message_is_short_and_printable():
    matrix = rc.ScoreMatrix(np.eye(2), systems=["a" * 10_000, HOSTILE], measure=HOSTILE)
    with pytest.raises(ValueError, match="`systems` must be among") as refused:
        matrix.select(systems=["\x1b[31m"])
    for text in (str(refused.value), repr(matrix), repr(rc.Scores([matrix]))):
        assert len(text) < 600
        assert text.isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("運", "{[}U+904B{]}"),
        ("e\u0301", "é"),
        ("^^5cinput", r"\textasciicircum{}\textasciicircum{}5cinput"),
        (r"\write18{id}", r"\textbackslash{}write18\{id\}"),
        ("\u202e", r"\textbackslash{}u202e"),
        ("a…b", r"a\ldots{}b"),
    ],
)
def test_latex_that_pdflatex_can_set(text, shown):
    assert escape_latex(text) == shown


def test_a_picture_of_a_long_name(monkeypatch):
    import matplotlib

    from pt_rankcorr.plots._axes import plain_text

    assert len(plain_text("a" * 10_000)) == 40
    assert plain_text("$\\frac{\x1b") == r"\$\frac{\x1b"
    monkeypatch.setitem(matplotlib.rcParams, "text.usetex", True)
    assert plain_text(r"\input{x}") == r"\textbackslash{}input\{x\}"


compiles = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
PACKAGES = ("[T1]{fontenc}", "[utf8]{inputenc}", "{textcomp}", "{booktabs}", "{adjustbox}")
HEAD = "\n".join([r"\documentclass{article}", *map(r"\usepackage".__add__, PACKAGES), r"\begin{document}"])
UNTRUSTED = ("a" * 5000, "b c" * 1000, r"\input{x} ~^#{}", "运行 ü" * 10, "W" * 300, "q")
MEASURES = ("AP", "nDCG(dcg='exp-log2')@10", "P@10", "RR(rel=2)@10", "ERR@20")
LONG = tuple(f"University-of-Somewhere_run_{number}_bm25+monoT5" for number in range(18))


def scores(systems, measures):
    random, shape = np.random.default_rng(1), (20, len(systems))
    base = random.random((20, 1)) + random.normal(0, 0.05, len(systems))
    return rc.Scores([rc.ScoreMatrix(base + random.normal(0, 0.1, shape), None, systems, name) for name in measures])


CASES = {
    "few": scores(("bm25", "dph"), ("AP", "RR")),
    "18 systems x 5 measures": scores(tuple(f"run{number}" for number in range(18)), MEASURES),
    "long names": scores(LONG, MEASURES),
    "hostile names": scores(UNTRUSTED, ("AP", "x" * 5000, "W" * 79)),
    "12 measures": scores(
        ("M" * 79, "W W " * 40, "%" * 80), tuple(f"measure_(a='b{i}',c=True)@{i}" for i in range(12))
    ),
}
FORMS = {
    "report": lambda case: rc.report(case, n_resamples=40, rng=1).to_latex(),
    "comparison": lambda case: rc.compare(case, n_resamples=40, rng=1).to_latex(),
    "topics": lambda case: of(
        [{"measure": name, **{f"with {k} topics": 0.5 for k in range(10, 200, 10)}} for name in case]
    ).to_latex(),
}


@compiles
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.whole
def test_nothing_runs_off_the_page(case, form, tmp_path):
    (tmp_path / "page.tex").write_text(f"{HEAD}\n{FORMS[form](CASES[case])}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "page.log").read_text(errors="replace")
    assert (ran.returncode, re.findall(r"^(?:Overfull|!).*", log, re.MULTILINE)) == (0, [])


def test_letters_that_are_shown_by_their_number_are_told_of():
    known, other = (
        rc.rank_intervals(scores((name, "dph"), ("AP",))["AP"], method="percentile", rng=1) for name in ("ü", "日本")
    )
    assert known.to_latex().startswith("% needs")
    _, told, *lines = other.to_latex().split("\n")
    assert told.startswith("% {[}U+65E5{]} and the like")
    assert "xelatex" in told
    assert r"{[}U+65E5{]}{[}U+672C{]}" in "\n".join(lines)


def of(rows):
    return of_frame(pd.DataFrame(rows))


def test_tex_shrinks_a_table_that_is_too_wide_and_no_other():
    packages, *lines = of([{"measure": "AP", "tau": 0.5}]).to_latex().splitlines()
    assert all(name in packages for name in ("fontenc", "booktabs", "adjustbox"))
    assert lines == [
        r"\noindent\begin{adjustbox}{max width=\linewidth}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"measure & $\tau$ \\",
        r"\midrule",
        r"AP & .50 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{adjustbox}",
    ]


def test_a_long_table_has_its_head_and_a_caption_in_each_part():
    table = dataclasses.replace(
        of([{"system": f"run{number}", "rank": number} for number in range(95)]), caption="All."
    )
    source = table.to_latex()
    assert source.count(r"system & rank \\") == source.count(r"\begin{table}") == 3
    assert re.findall(r"\\caption\{(.*)\}", source) == ["All.", *["Further rows of the same table."] * 2]
    assert [f"run{number} &" in source for number in range(95)] == [True] * 95


def test_long_words_of_a_text_may_be_broken():
    assert flowing("a short text") == "a short text"
    assert flowing("运" * 13).count(r"\allowbreak{}") == 12


def test_a_key_tells_the_whole_of_names_that_were_cut():
    first, second, words = "a" * 5000, "a" * 40 + "b" + "a" * 4959, ("b c " * 1000).strip()
    source = of([{"system": text, "M" * 81: 1.0} for text in (first, second, words, first, "short")]).to_latex()
    head, *rows = [line for line in source.split("\n") if line.endswith(r"\\")]
    assert [re.findall(r"\{\[\}(\d)\{\]\}", line) for line in (head, *rows)] == [["1"], ["2"], ["3"], ["4"], ["2"], []]
    key = source.replace(r"\allowbreak{}", "").split("\n")[-5:-1]
    whole = ["M" * 81, first, second, words]
    assert key == [rf"\noindent {{[}}{number}{{]}} {text}\par" for number, text in enumerate(whole, 1)]


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((-0.004, 0.12), ".06 [-.004, .12]"),
        ((0.0, 0.12), ".06 [.00, .12]"),
        ((-0.00004, 0.0049), ".06 [-.00004, .005]"),
        ((1e-9, 0.12), ".06 [.00, .12]"),
        ((math.nan, math.nan), ".06"),
        (None, ".06"),
    ],
)
def test_an_end_next_to_0_keeps_its_side(interval, text):
    assert with_interval(0.06, interval) == text


def test_so_does_that_of_a_table():
    frame = tables.Column("x", "x", tables.COEFFICIENT, lambda row: row[0], lambda row: row[1:])
    assert [cell.text for cell in frame.cells([(0.06, -0.004, 0.12), (0.0, 0.0, 0.1)])] == [
        ".06 [-.004, .12]",
        ".00 [.00, .10]",
    ]
    share = tables.Column("x", "x", tables.PERCENT, lambda row: row[0], lambda row: row[1:])
    assert share.cells([(0.06, 0.0004, 0.12)])[0].text == "6.0% [0.0%, 12.0%]"
