"""Long tables read as columns, against the same tables read row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_rankcorr.adapters import columns
from pt_rankcorr.adapters.columns import Irregular
from pt_rankcorr.adapters.long_tables import Table
from pt_rankcorr.adapters.text import read_scores

FIELDS = st.sampled_from(
    [
        *("a", "b", "run", "1", "2", "t\u00a01", "é", "all", "AP"),
        "0.5",
        "-1e-3",
        "",
        "nan",
        " a",
        '"a"',
        "x,y",
        "a b",
        "\0",
    ]
)
NUMBERS = st.sampled_from(["0.5", "0.25", "1", "1e-3", ".125", "nan", "", "0.30000000000000004", "-0", "1e400", "x"])
HEADERS = ["system", "topic", "measure", "value"]


@st.composite
def tables(draw: st.DrawFn) -> str:
    separator, end = draw(st.sampled_from([",", "\t", " "])), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    some = [*HEADERS[: draw(st.sampled_from([4, 4, 4, 3]))], "value"]
    names = draw(st.permutations(some)) if draw(st.booleans()) else HEADERS
    plain, scores = st.sampled_from(["a", "b", "c"]), st.floats(-2, 2).map(repr)
    odd = draw(st.booleans())
    rows = [list(names)]
    for _ in range(draw(st.integers(0, 8))):
        number, label = (NUMBERS, FIELDS) if odd else (scores, plain)
        rows.append([draw(number if name == "value" else label) for name in names])
    if odd and draw(st.booleans()):
        rows.insert(draw(st.integers(1, len(rows))), draw(st.lists(FIELDS, max_size=5)))
    return end.join(map(separator.join, rows)) + draw(st.sampled_from(["", end, end * 2]))


def outcome(path: Path, **arguments: Any) -> Any:
    try:
        scores = read_scores(path, missing="zero", **arguments)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return {name: (m.values.tolist(), m.topics, m.systems) for name, m in scores.items()}, scores.alignment


def row_by_row(*_: object) -> object:
    raise Irregular


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")
class TestSameAsRowByRow:
    @settings(max_examples=300, deadline=None)
    @given(tables(), st.sampled_from([None, "AP"]), st.sampled_from([None, [*HEADERS], ["run", "topic", "_", "score"]]))
    def test_any_table(self, tmp_path_factory: Any, table: str, measure: str | None, told: list[str] | None) -> None:
        path = tmp_path_factory.mktemp("tables") / "table.csv"
        path.write_bytes(table.encode())
        fast = outcome(path, measure=measure, columns=told)
        with patch.object(Table, "of_text", row_by_row):
            assert fast == outcome(path, measure=measure, columns=told)

    @pytest.mark.parametrize("separator", [",", "\t", " "])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_many_blocks(self, separator: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(columns, "BLOCK", 100)
        rng = np.random.default_rng(0)
        rows = [["run", "topic", "measure", "score"]]
        for system in range(4):
            for topic in ["all", *range(30)]:
                score = repr(rng.random())
                rows += [[f"a-long-name-{system}", str(topic), name, score] for name in ("AP", "num_ret")]
        table = end.join(map(separator.join, rows))
        path = tmp_path / "table.csv"
        path.write_bytes(table.encode())
        with patch.object(Table, "of_rows", None), patch.object(Table, "of_lines", None):  # not row by row
            fast = outcome(path)
        monkeypatch.setattr(Table, "of_text", row_by_row)
        assert fast == outcome(path)
        assert len(fast[0]["AP"][1]) == 30

    def test_several_tables_have_systems_and_topics_of_all(self, tmp_path: Path) -> None:
        paths = [tmp_path / name for name in ("first.csv", "second.csv")]
        paths[0].write_text("system,topic,measure,value\na,1,AP,0.5\na,2,AP,0.75\nb,1,AP,0.25\n")
        paths[1].write_text("topic,system,measure,value\n2,b,AP,0.125\n")
        fast = read_scores(paths)["AP"]
        assert fast.values.tolist() == [[0.5, 0.25], [0.75, 0.125]]
        paths[1].write_text("topic,system,measure,value\n2,b,AP,0.125\n1,a,AP,0.5\n")
        with pytest.raises(ValueError, match=r"several for 'a' \(the first on topic '1' by AP\)"):
            read_scores(paths)
