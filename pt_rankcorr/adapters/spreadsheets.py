"""Text in CSV that no spreadsheet runs as a formula, and that comes back as it was.

A spreadsheet that opens a CSV file runs a cell that begins with =, +, -, @, a tab or a line end, quoted or not. An
apostrophe before it says that it is text. One is put before names that begin so, but for numbers, and before those
that would read as if one had been put there; so what was written can be told from what was there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")  # the last four are as wide as Chinese letters, and formulas to some
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def as_cell(name: str) -> str:
    """A name as it stands in a cell."""
    return f"'{name}" if _is_run(name.lstrip("'")) else name


def as_name(cell: str) -> str:
    """The name that stands in a cell."""
    return cell[1:] if cell.startswith("'") and _is_run(cell.lstrip("'")) else cell


def csv_of(table: pd.DataFrame) -> str:
    """A data frame as CSV: names as cells, and in quotes where they have line ends, of whatever kind."""
    columns = {at: column.map(_safe) for at, (_, column) in enumerate(table.items())}
    header = [as_cell(str(name)) for name in table.columns]
    return type(table)(columns, index=table.index).to_csv(index=False, header=header, lineterminator="\r\n")


def _safe(value: object) -> object:
    return as_cell(value) if isinstance(value, str) else value


def _is_run(text: str) -> bool:
    return bool(FORMULA.match(text)) and not NUMBER.fullmatch(text)
