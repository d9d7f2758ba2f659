"""Labels of topics in files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pt_rankcorr.io.tables import read_labels


@pytest.mark.parametrize("separator", ["\t", ",", " ", ", ", " \t "])
def test_two_columns(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "labels"
    path.write_text(f"31_1{separator}31\n\n31_2{separator}31\r\n32_1{separator}a-b\n31_1{separator}31\n")
    assert read_labels(path) == {"31_1": "31", "31_2": "31", "32_1": "a-b"}


def test_labels_with_blanks_stand_between_tabs_and_files_may_be_gzipped(tmp_path: Path) -> None:
    path = tmp_path / "labels.gz"
    path.write_bytes(gzip.compress(b"topic\tcluster\n1\tnew york, weather\n"))
    assert read_labels(path) == {"topic": "cluster", "1": "new york, weather"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 a\n2\n", "got '2' in line 2"),
        ("1 a b\n", "got '1 a b' in line 1"),
        ("1,\n", "got '1,' in line 1"),
        ("1 a\n1 b\n", "got '1 b' in line 2. Each topic must have one label"),
        ("\n", "got an empty file"),
    ],
)
def test_all_else_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "labels"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_labels(path)
