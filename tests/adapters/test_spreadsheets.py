"""CSV that is safe to open, and comes back as it was."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.adapters.spreadsheets import as_cell, as_name, csv_of


@given(st.text(alphabet="'=+-@\t\r\nab1.e＝ ", max_size=6))
def test_names_come_back_and_no_cell_is_a_formula(name: str) -> None:
    cell = as_cell(name)
    assert as_name(cell) == name
    if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")):
        float(cell)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("'=1", "''=1"),
        ("-0.5", "-0.5"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("'a", "'a"),
    ],
)
def test_only_formulas_get_an_apostrophe(name: str, cell: str) -> None:
    assert as_cell(name) == cell


def test_a_table() -> None:
    table = pd.DataFrame({"name": ["=a", "b\rc", "d"], "@x": [-0.5, 0.1, None]})
    assert csv_of(table) == "name,'@x\r\n'=a,-0.5\r\n\"b\rc\",0.1\r\nd,\r\n"
