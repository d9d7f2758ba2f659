"""Names as messages, terminals, pages, LaTeX and pictures show them."""

from __future__ import annotations

import numpy as np
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.cli.output import in_terminal
from pt_rankcorr.reporting.document import Document, html
from pt_rankcorr.tables import NUMBER, WORD, Table, listed
from pt_rankcorr.text import LONGEST, cut, on_one_line, percent, shown, visible
from pt_rankcorr.writers import escape_latex

HOSTILE = "a\x1b[2J\u202eb\ud800\n\x00c"


def test_what_acts_is_written_out() -> None:
    assert visible("a\x1b\u202e\ud800\u200b運é\u00a0") == r"a\x1b\u202e\ud800\u200b運é" + "\u00a0"
    assert on_one_line("a\n b\tc") == "a b c"


def test_long_values_keep_both_ends() -> None:
    assert cut("a" * 100 + "z", 11) == "aaaaa…aaaaz"
    assert len(shown("x" * 10_000)) == LONGEST

    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError

    assert shown(Rude()) == "an object of type Rude"


def test_only_nothing_is_no_percent_and_only_all_is_a_hundred() -> None:
    shares = [0.0, 1e-9, 0.005, 0.006, 0.994, 0.995, 1.0]
    assert [percent(share) for share in shares] == ["0%", "<1%", "<1%", "1%", "99%", ">99%", "100%"]


def test_a_message_is_short_and_printable() -> None:
    matrix = ptr.ScoreMatrix(np.eye(2), systems=["a" * 10_000, HOSTILE], measure=HOSTILE)
    with pytest.raises(ValueError, match="`systems` must be among") as refused:
        matrix.select(systems=["\x1b[31m"])
    for text in (str(refused.value), repr(matrix), repr(ptr.Scores([matrix]))):
        assert len(text) < 600
        assert text.isprintable()


def test_a_terminal_a_page_and_latex() -> None:
    names, values = [HOSTILE, "x" * 10_000], [1.0, 0.5]
    table = Table((listed("measure", WORD, names), listed("tau", NUMBER, values)), range(2))
    assert all(line.isprintable() and len(line) < 100 for line in in_terminal(table).split("\n"))
    assert "\x1b" not in table.latex()
    page = html(Document(HOSTILE, HOSTILE, ()))
    assert page.encode().decode() == page
    assert not {"\x1b", "\u202e", "\0"} & set(page)


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
def test_latex_that_pdflatex_can_set(text: str, shown: str) -> None:
    assert escape_latex(text) == shown


def test_a_picture_of_a_long_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    from pt_rankcorr.plots._axes import plain_text

    assert len(plain_text("a" * 10_000)) == 40
    assert plain_text("$\\frac{\x1b") == r"\$\frac{\x1b"
    monkeypatch.setitem(matplotlib.rcParams, "text.usetex", True)
    assert plain_text(r"\input{x}") == r"\textbackslash{}input\{x\}"
