"""Names in CSV that no spreadsheet runs as a formula.

A spreadsheet that opens a CSV file runs a cell that begins with =, +, -, @, a tab or a line end, quoted or not. An
apostrophe before it says that it is text.
"""

from __future__ import annotations

import re

FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")  # the last four are as wide as Chinese letters, and formulas to some
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def as_cell(name: str) -> str:
    """A name as it stands in a cell: with an apostrophe if it would be run, and is no number."""
    return f"'{name}" if FORMULA.match(name) and not NUMBER.fullmatch(name) else name
