"""Hostile names on their way out, and back in where there is one."""

from __future__ import annotations

import csv
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

import pt_rankcorr as ptr
from pt_rankcorr import writers
from pt_rankcorr.cli.output import in_terminal
from pt_rankcorr.plots._axes import plain_text
from pt_rankcorr.reporting.document import Document, Paragraph, Section, html, latex, markdown
from pt_rankcorr.tables import NUMBER, WORD, Table, listed, of_values
from tests.fixtures import Page
from tests.fuzz.contract import check_message, contract
from tests.fuzz.strategies import names, several_names

some_floats = st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("names")


@given(several_names, several_names, some_floats)
def test_what_is_written_as_a_table_is_read_back(
    folder: Path, systems: list[str], topics: list[str], values: list[float]
) -> None:
    # blanks around a name are no part of it, and text is read with one kind of line ends
    assume(all(name == name.strip() and "\r" not in name for name in systems + topics))
    assume("all" not in topics)  # which is of all topics
    matrix = np.resize(np.array(values), (len(topics), len(systems)))
    with contract():
        scores = ptr.Scores([ptr.ScoreMatrix(matrix, topics, systems, "AP")])
        scores.to_frame().to_csv(folder / "written.csv", index=False, lineterminator="\r\n")
        again = ptr.scores_from_experiment(folder / "written.csv")
        assert (again.systems, again.topics) == (tuple(systems), tuple(topics))
        np.testing.assert_array_equal(again["AP"].values, matrix)


@given(several_names, some_floats)
def test_names_in_the_head_of_a_wide_table(folder: Path, systems: list[str], values: list[float]) -> None:
    assume(all(name == name.strip() for name in systems))
    with (folder / "AP.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["topic", *systems])
        writer.writerows([number, *np.resize(values, len(systems)).tolist()] for number in range(1, 4))
    with contract():
        assert ptr.read_scores(folder / "AP.csv", format="wide").systems == tuple(systems)


@given(several_names)
def test_tables_hold_no_controls_no_formulas_and_no_latex(systems: list[str]) -> None:
    table = of_values({WORD: {"measure": systems}, NUMBER: {"tau": [-0.5] * len(systems)}})
    lines = in_terminal(table).split("\n")
    assert len(lines) == len(systems) + 1
    for line in lines:
        check_message(line)
    check_latex(table.latex())
    cells = [next(csv.reader(io.StringIO(writers.csv_line([name, -0.5])), strict=True)) for name in systems]
    assert [row[0] for row in cells] == list(map(writers.csv_text, systems))


COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
ALLOWED = frozenset(
    "begin end toprule midrule bottomrule caption textbf section subsection item ldots times tau alpha pm "
    "mathrm textbackslash textasciitilde textasciicircum textless textgreater textbar textquotedbl textasciigrave "
    "usepackage allowbreak par raggedright footnotesize noindent linewidth centering "
    "begingroup endgroup sloppy \\ { } & % $ # _".split(" ")
)


def check_latex(text: str) -> None:
    """Nothing but known commands, balanced braces, and letters that pdflatex has."""
    assert set(COMMAND.findall(text)) <= ALLOWED, f"commands {set(COMMAND.findall(text)) - ALLOWED}"
    assert "^^" not in text
    assert all(char == "\n" or 32 <= ord(char) < 127 or char in writers.LETTERS_OF_T1 for char in text)
    braces = re.sub(r"\\[\\{}&%$#_]", "", text)
    assert braces.count("{") == braces.count("}")


def document_of(systems: list[str]) -> Document:
    first, last = systems[0], systems[-1]
    columns = (listed(first, WORD, [first, last]), listed(last, NUMBER, [first, last], strong=bool))
    return Document(first, last, (Section(first, (Paragraph(last), Table(columns, range(2), caption=first))),))


def elements(systems: list[str]) -> dict[str, int]:
    source = html(document_of(systems))
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", source)
    page = Page(source)
    assert not any(name.startswith("on") for name, _ in page.attributes)
    return {tag: count for tag, count in page.tags.items() if tag != "wbr"}  # where a long name may break


@given(several_names)
def test_a_report_has_the_same_elements_whatever_the_names_are(systems: list[str]) -> None:
    assert elements(systems) == elements(["a", "b"])
    check_latex(latex(document_of(systems)))
    assert all(char.isprintable() or char.isspace() for char in markdown(document_of(systems)))


@given(several_names)
def test_a_matrix_shows_itself(systems: list[str]) -> None:
    with contract():
        matrix = ptr.ScoreMatrix(np.eye(2, len(systems)), systems=systems, measure=systems[0])
        scores = ptr.Scores([matrix])
        for text in (repr(matrix), repr(scores), str(scores.alignment)):
            check_message(text)
        assert re.fullmatch(r"[^\0-\x08\x0b-\x1f\u202a-\u202e]*", matrix._repr_html_() + scores._repr_html_())
        matrix.select(systems=[*systems, "unknown"])


@pytest.fixture(scope="module")
def figure() -> plt.Figure:
    return plt.figure()


@given(names)
@pytest.mark.filterwarnings("ignore")
def test_a_picture_shows_a_name(figure: plt.Figure, name: str) -> None:
    """Without an error, and not wider than it may be."""
    label = figure.text(0.5, 0.5, plain_text(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that the font lacks
        box = label.get_window_extent(figure.canvas.get_renderer())
    label.remove()
    assert box.width < 2000
    assert box.height < 200
