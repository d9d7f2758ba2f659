"""What a row shows in one place it shows in all."""

import json
import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.tables import (
    COEFFICIENT,
    COUNT,
    NUMBER,
    PVALUE,
    RANK,
    SHARE,
    WORD,
    Column,
    Kind,
    Table,
    constant,
    joined,
    listed,
    of_frame,
)
from pt_rankcorr.writers import NARROW, csv_text, json_line

NAN = float("nan")


@dataclass(frozen=True)
class Line:
    name: str
    tau: float
    ends: tuple[float, float] | None
    p: float


ROWS = [Line("<b>AP|x</b>", 0.123456, (0.1, 0.2), 0.0001), Line("RR", NAN, None, NAN)]
COLUMNS = (
    Column("measure", "measure", WORD, lambda row: row.name),
    Column("tau", "Tau", COEFFICIENT, lambda row: row.tau, lambda row: row.ends, symbol="τ"),
    Column("pvalue", "p-value", PVALUE, lambda row: row.p, strong=lambda row: row.p <= 0.05),
    Column("n", "topics", COUNT, lambda _: np.int64(50), wide=True),
    Column("seed", "", COUNT, lambda _: 7, shown=False),
    Column("verdict", "verdict", WORD, lambda row: "differs" if row.p < 0.05 else "may be alike", machine=False),
)
TABLE = Table(COLUMNS, ROWS, answer="One differs.", caption="Two measures.", notes=("Seed 7.",))


def test_machines_get_everything_flat_and_unrounded():
    first, second = TABLE.records()
    assert first == {
        "measure": "<b>AP|x</b>", "tau": 0.123456, "tau low": 0.1, "tau high": 0.2, "pvalue": 0.0001, "n": 50, "seed": 7
    }  # fmt: skip
    assert second.keys() == first.keys()
    assert math.isnan(second["tau low"])
    assert type(first["n"]) is int
    pd.testing.assert_frame_equal(TABLE.to_frame(), pd.DataFrame([first, second]))
    assert json.loads(json_line(second))["tau"] is None


def test_people_see_the_same_texts_everywhere():
    first, second = TABLE.cells(wide=True)
    assert first == {
        "measure": "<b>AP|x</b>", "Tau": ".12 [.10, .20]", "p-value": "<.001", "topics": "50", "verdict": "differs"
    }  # fmt: skip
    assert list(second.values()) == ["RR", "-", "-", "50", "may be alike"]
    assert "topics" not in TABLE.cells()[0]
    assert TABLE.to_text(wide=False).splitlines() == [
        "One differs.",
        "Two measures.",
        "measure                 Tau  p-value  verdict",
        "<b>AP|x</b>  .12 [.10, .20]    <.001  differs",
        "RR                        -        -  may be alike",
        "Seed 7.",
    ]
    assert TABLE.to_markdown().splitlines()[2:] == [
        "| measure | τ | p-value | verdict |",
        "| --- | ---: | ---: | --- |",
        r"| &lt;b&gt;AP\|x&lt;/b&gt; | .12 \[.10, .20\] | **&lt;.001** | differs |",
        "| RR | - | - | may be alike |",
    ]
    page = TABLE._repr_html_()
    assert "<b>" not in page
    assert '<td class="number" style="text-align: right" data-key="0.0001"><strong>&lt;.001</strong></td>' in page
    assert 'data-key="">-</td>' in page
    assert r"$\tau$ & p-value & verdict \\" in TABLE.to_latex()
    assert r"\textbf{\textless{}.001}" in TABLE.to_latex()


def test_a_single_row_may_stand_upright():
    upright = Table(COLUMNS, ROWS[:1], upright=True)
    assert [line.split()[0] for line in upright.to_text(wide=False).splitlines()[1:]] == [
        "measure", "Tau", "p-value", "topics", "verdict"
    ]  # fmt: skip
    assert upright.records() == TABLE.records()[:1]


def test_tables_of_the_same_columns_are_joined():
    parts = [
        Table(COLUMNS, [row]).with_leading_columns(constant("collection", name))
        for name, row in zip("ab", ROWS, strict=True)
    ]
    both = joined(parts)
    assert both.records() == [part.records()[0] for part in parts]
    assert [cells["collection"] for cells in both.cells()] == ["a", "b"]
    numbers = [Table((listed("x", kind_of_numbers(), [value]),), range(1)) for value in (0.5, 2000.0)]
    assert [cells["x"] for cells in joined(numbers).cells()] == [".5", "2000.0"]


def test_an_interval_stands_in_its_own_row_and_notes_are_whole():
    ends = [(NAN, NAN), (0.4, 0.6), (0.6, 0.8)]
    column = listed("tau", COEFFICIENT, [NAN, 0.5, 0.7], interval=ends.__getitem__)
    table = Table((column,), range(3), notes=("Many words. " * 50,))
    assert [cells["tau"] for cells in table.cells()] == ["-", ".50 [.40, .60]", ".70 [.60, .80]"]
    head, *lines = table.to_text(wide=False).splitlines()
    assert (head.strip(), max(map(len, lines)) <= NARROW) == ("tau", True)
    assert " ".join(lines[3:]) == " ".join(["Many words."] * 50)


def kind_of_numbers():
    """With as many digits as a whole column needs."""
    return Kind(numbers=lambda numbers: [f"{number:.1f}".removeprefix("0") for number in numbers])


def test_columns_are_added_and_left_out():
    rank = listed("rank", RANK, [2.5, 1.0], interval=[(1.0, 4.0), (1.0, 1.0)].__getitem__)
    both = joined([TABLE]).with_trailing_columns(rank)
    assert [cells["rank"] for cells in both.cells()] == ["2.5 [1, 4]", "1 [1, 1]"]
    assert both._repr_html_().count('<svg class="bar"') == 2
    left = both.without("tau", "pvalue")
    assert [*left.records()[0]] == ["measure", "n", "seed", "rank", "rank low", "rank high"]
    assert [*left.cells(wide=True)[0]] == ["measure", "topics", "verdict", "rank"]


def test_frames_of_others_are_tables_by_the_names_of_their_columns():
    frame = pd.DataFrame({"name": ["a\nb", "c"], "AP": [0.5, 0.25], "AP rank": [1.5, 2.0], "p-value": [1e-9, NAN]})
    assert of_frame(frame).cells()[0] == {"name": "a b", "AP": ".500", "AP rank": "1.5", "p-value": "<.001"}


@pytest.mark.parametrize(
    ("kind", "values", "texts"),
    [
        (SHARE, [0.004, 0.5, NAN], ["<1%", "50%", "-"]),
        (NUMBER, [True, np.False_, None], ["yes", "no", "none"]),
        (WORD, ["a\tb", 0.5, 10.0], ["a b", "0.5", "10"]),
        (COEFFICIENT, [-0.001, 1.0, -math.inf], [".00", "1.00", "-inf"]),
        (COUNT, [3, 3.0], ["3", "3"]),
    ],
)
def test_kinds(kind, values, texts):
    assert kind.texts(values) == texts


@given(st.text(alphabet="'=+-@\t\r\nab1.e＝ ", max_size=6))
def test_no_cell_is_a_formula(name):
    cell = csv_text(name)
    assert cell.removeprefix("'") == name.removeprefix("'")
    if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")):
        float(cell)


def test_only_formulas_get_an_apostrophe():
    assert [csv_text(name) for name in ("=1+1", "'=1", "-0.5", "'a")] == ["'=1+1", "'=1", "-0.5", "'a"]
    assert csv_text("-1+cmd|' /C calc'!A0") == "'-1+cmd|' /C calc'!A0"


def test_headings_are_mathematical_and_small_p_values_bold_in_any_table():
    columns = (
        listed("tau_ap", COEFFICIENT, [0.5, 0.7], "E[tau_AP]"),
        listed("x", COEFFICIENT, [0.5, 0.7], "tau_x by tau b"),
        listed("p-value", PVALUE, [0.01, 0.2]),
        listed("error", PVALUE, [0.01, 0.02], strong=[False, True].__getitem__),
    )
    table = Table(columns, range(2))
    head, first, second = (line for line in table.to_latex().splitlines() if line.endswith(r"\\"))
    assert head == r"E{[}$\tau_{\mathrm{AP}}${]} & tau\_x by $\tau_{b}$ & p-value & error \\"
    assert (first, second) == (r".50 & .50 & \textbf{.010} & .010 \\", r".70 & .70 & .200 & \textbf{.020} \\")
    assert table.to_markdown().splitlines()[2:] == [
        "| .50 | .50 | **.010** | .010 |",
        "| .70 | .70 | .200 | **.020** |",
    ]
    assert table.to_text(wide=False).splitlines()[0].split("  ") == ["E[tau_AP]", "tau_x by tau b", "p-value", "error"]
    upright = replace(table, rows=[0], upright=True)
    assert r"E{[}$\tau_{\mathrm{AP}}${]} & .50 \\" in upright.to_latex()
    assert "<th" in upright._repr_html_()
    assert "E[τ<sub>AP</sub>]" in upright._repr_html_()
