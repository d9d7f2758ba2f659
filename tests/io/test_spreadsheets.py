"""CSV that is safe to open."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.writers import csv_text


@given(st.text(alphabet="'=+-@\t\r\nab1.e＝ ", max_size=6))
def test_no_cell_is_a_formula(name: str) -> None:
    cell = csv_text(name)
    assert cell.removeprefix("'") == name.removeprefix("'")
    if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")):
        float(cell)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("'=1", "'=1"),
        ("-0.5", "-0.5"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("'a", "'a"),
    ],
)
def test_only_formulas_get_an_apostrophe(name: str, cell: str) -> None:
    assert csv_text(name) == cell
