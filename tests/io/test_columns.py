from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.io import columns
from pt_rankcorr.io.retrieved import read_qrels, read_run
from tests.fuzz import oracles

BLANKS = st.sampled_from([" "] * 20 + ["\t", "  ", "\v", "\f", " \t"])
ENDS = st.sampled_from(["\n"] * 10 + ["\r\n", "\r", "\n\n", " \n"])
NAMES = st.sampled_from(
    [*"abc", "001", "1", "1.0", "NA", "null", "True", '"', "'", "#", "\\", "1_0", "a\x01b", "é", "d\u00a0", "\ufeff"]
)
SCORES = st.one_of(
    st.floats(-1e30, 1e30, width=64).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(["+5", "5.", ".5", "1E2", "0x10", "inf", "nan", "1e400", "True", "False", "1_0", "١", "5e", "-"]),
)
LABELS = st.one_of(
    st.integers(-3, 3).map(str), st.sampled_from(["01", "+1", "1.0", "1000001", "-0", "1_0", "True", "x"])
)


def lines(*fields: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Lines that mostly are what they should be."""
    parts = [part for field in fields for part in (field, BLANKS)][:-1]
    line = st.one_of(*[st.tuples(*parts, ENDS)] * 5, st.tuples(BLANKS, *parts, ENDS), st.tuples(*parts[2:], ENDS))
    return st.lists(line.map("".join), max_size=12).map("".join)


def judged(path: Path) -> dict[tuple[str, ...], int]:
    rows = read_qrels(path).itertuples(index=False)
    return {(row.query_id, row.doc_id, row.iteration): row.relevance for row in rows}


@pytest.mark.parametrize(
    ("read", "definition", "texts"),
    [
        (
            lambda path: read_run("run", path),
            oracles.run,
            lines(NAMES, NAMES, st.text("defghij", min_size=2), NAMES, SCORES, NAMES),
        ),
        (judged, oracles.qrels, lines(NAMES, NAMES, st.text("defghij", min_size=2), LABELS)),
    ],
)
@pytest.mark.parametrize("block", [1, 40, 1 << 21])
def test_blocks_of_lines_are_read_as_defined(
    read: Callable[[Path], object],
    definition: Callable[[bytes], object],
    texts: st.SearchStrategy[str],
    block: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whichever of two ways a block is read."""
    monkeypatch.setattr(columns, "BLOCK", block)

    @given(texts)
    def check(text: str) -> None:
        path = tmp_path / "file"
        path.write_bytes(text.encode())
        expected = definition(text.encode())
        if expected is None:
            with pytest.raises(ValueError, match="must"):
                read(path)
        else:
            assert read(path) == expected

    check()


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ("{0}1 Q0 e 1 high tag\n", 3),
        ("{0}1 Q0 e 1 2.5\n{0}1 Q0 f 2 1.5 tag more\n", 3),  # as many fields as lines should have together
        ("{0}1 Q0 e 1 2.5 tag more\n{0}1 Q0 f 2 1.5\n", 3),
        ("{0}1 Q0 e 1  2.5\n", 3),
        (" 1 Q0 e 1 2.5\n", 1),
        ("\n1 Q0 e 1 2.5 \n", 2),
        ("1 Q0 e 1 True tag", 1),
        ("1 Q0 a\x01b 1 2.5\n", 1),
    ],
)
def test_the_line_that_is_wrong_is_numbered(lines: str, number: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(lines.format("1 Q0 d 1 2.5 tag\n\n"))
    with pytest.raises(ValueError, match=rf"must be a TREC run .* in line {number}\."):
        read_run("a", tmp_path / "a")


@pytest.mark.parametrize("n_lines", [1, 1000])
def test_lines_are_numbered_over_blocks(n_lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BLOCK", 100)
    text = "".join(f"1 Q0 d{at} 1 2.5 tag\n\n" for at in range(n_lines))
    (tmp_path / "a").write_text(f"{text}1 Q0 e 1 high tag\n")
    with pytest.raises(ValueError, match=f"got '1 Q0 e 1 high tag' in line {2 * n_lines + 1}"):
        read_run("a", tmp_path / "a")
