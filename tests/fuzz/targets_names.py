"""Hostile names on their way out, and back in where there is one."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser

import numpy as np
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr import writers
from pt_rankcorr.cli.output import in_terminal
from pt_rankcorr.plots._axes import plain_text
from pt_rankcorr.reporting.document import Document, Paragraph, Section
from pt_rankcorr.reporting.html import html
from pt_rankcorr.reporting.latex import latex as report_in_latex
from pt_rankcorr.reporting.markdown import markdown
from pt_rankcorr.tables import NUMBER as OF_NUMBERS
from pt_rankcorr.tables import WORD, Table, listed, of_values
from pt_rankcorr.writers import csv_line, csv_text
from tests.fuzz.contract import check_message
from tests.fuzz.drawing import size_of
from tests.fuzz.hostile import floats, names
from tests.fuzz.registry import Target
from tests.fuzz.targets_readers import FOLDER

BLANKS = " \t\r\n\v\f"

several = st.lists(names.filter(lambda name: "\0" not in name), min_size=2, max_size=4, unique=True)
unicode_names = several.filter(lambda given: all(map(_encodes, given)))
some_floats = st.lists(floats, min_size=1, max_size=6)


def _encodes(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)


def _saved_and_read(case: tuple[list[str], list[str], list[float]]) -> object:
    """What is written as a table is read back: the same names, the same numbers."""
    systems, topics, values = case
    matrix = np.resize(np.array(values), (len(topics), len(systems)))
    scores = ptr.Scores([ptr.ScoreMatrix(matrix, topics, systems, "AP")])
    path = FOLDER / "written.csv"
    scores.to_frame().to_csv(path, index=False, lineterminator="\r\n")
    back = ptr.scores_from_experiment(path)
    assert (back.systems, back.topics) == (tuple(systems), tuple(topics))
    assert np.array_equal(back["AP"].values, matrix)
    return back


def _wide_and_read(case: tuple[list[str], list[float]]) -> object:
    systems, values = case
    if any(cell != cell.strip(BLANKS) for cell in systems):
        return None  # blanks around a name are no part of it in such tables
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["topic", *systems])
    writer.writerows([number, *np.resize(values, len(systems)).tolist()] for number in range(1, 4))
    path = FOLDER / "AP.csv"
    path.write_bytes(text.getvalue().encode())
    back = ptr.read_scores(path, format="wide")
    assert back.systems == tuple(systems)
    return back


def _printed(given: list[str]) -> object:
    """Tables of the command line: no controls, no formulas, no LaTeX."""
    table = of_values({WORD: {"measure": given}, OF_NUMBERS: {"tau": [-0.5] * len(given)}})
    lines = in_terminal(table).split("\n")
    assert len(lines) == len(given) + 1
    for line in lines:
        check_message(line)
    check_latex(table.latex())
    cells = [next(csv.reader(io.StringIO(csv_line([name, -0.5])), strict=True)) for name in given]
    assert [row[0] for row in cells] == list(map(csv_text, given))
    return lines


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


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag != "wbr":  # where a long name may break
            self.tags.append(tag)


def _page(given: list[str]) -> object:
    """A report: the same elements whatever the names are."""
    assert _tags(given) == _tags(["a", "b"])
    document = _document(given)
    check_latex(report_in_latex(document))
    for line in markdown(document).split("\n"):
        assert all(char.isprintable() or char.isspace() for char in line)
    return given


def _tags(given: list[str]) -> list[str]:
    page, parser = html(_document(given)), _Page()
    page.encode()
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", page)
    parser.feed(page)
    return parser.tags


def _document(given: list[str]) -> Document:
    first, last = given[0], given[-1]
    pair = [first, last]
    columns = (listed(first, WORD, pair), listed(last, OF_NUMBERS, pair, strong=bool))
    grid = Table(columns, range(2), caption=first)
    return Document(first, last, (Section(first, (Paragraph(last), grid)),))


def _matrix(given: list[str]) -> object:
    matrix = ptr.ScoreMatrix(np.eye(2, len(given)), systems=given, measure=given[0])
    scores = ptr.Scores([matrix])
    for text in (repr(matrix), repr(scores), str(scores.alignment)):
        check_message(text)
    assert re.fullmatch(r"[^\0-\x08\x0b-\x1f\u202a-\u202e]*", matrix._repr_html_() + scores._repr_html_())
    return matrix.select(systems=[*given, "unknown"])


def _label(given: list[str]) -> object:
    """A picture shows each name: it draws without an error, and not wider than it may be."""
    for name in given:
        width, height = size_of(plain_text(name))
        assert width < 2000
        assert height < 200
    return given


TARGETS = (
    Target(
        "names, long table",
        st.tuples(unicode_names, unicode_names, some_floats),
        _saved_and_read,
    ),
    Target("names, wide table", st.tuples(unicode_names, some_floats), _wide_and_read),
    Target("names, printed", several, _printed),
    Target("names, report", several, _page),
    Target("names, matrix", several, _matrix),
    Target("names, picture", several, _label),
)
