"""Hostile names on their way out, and back in where there is one."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr.cli._output import in_terminal
from pt_rankcorr.tables.kinds import NUMBER as OF_NUMBERS
from pt_rankcorr.tables.kinds import WORD
from pt_rankcorr.tables.machines import as_cell, csv_line
from pt_rankcorr.tables.table import of_values
from tests.fuzz.contract import check_message
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
    back = ptr.read_scores(path, layout="wide")
    assert back.systems == tuple(systems)
    return back


def _printed(given: list[str]) -> object:
    """Tables of the command line: no controls, no formulas."""
    table = of_values({WORD: {"measure": given}, OF_NUMBERS: {"tau": [-0.5] * len(given)}})
    lines = in_terminal(table).split("\n")
    assert len(lines) == len(given) + 1
    for line in lines:
        check_message(line)
    cells = [next(csv.reader(io.StringIO(csv_line([name, -0.5])), strict=True)) for name in given]
    assert [row[0] for row in cells] == list(map(as_cell, given))
    return lines


def _matrix(given: list[str]) -> object:
    matrix = ptr.ScoreMatrix(np.eye(2, len(given)), systems=given, measure=given[0])
    scores = ptr.Scores([matrix])
    for text in (repr(matrix), repr(scores), str(scores.alignment)):
        check_message(text)
    assert re.fullmatch(r"[^\0-\x08\x0b-\x1f\u202a-\u202e]*", matrix._repr_html_() + scores._repr_html_())
    return matrix.select(systems=[*given, "unknown"])


TARGETS = (
    Target(
        "names, long table",
        st.tuples(unicode_names, unicode_names, some_floats),
        _saved_and_read,
    ),
    Target("names, wide table", st.tuples(unicode_names, some_floats), _wide_and_read),
    Target("names, printed", several, _printed),
    Target("names, matrix", several, _matrix),
)
