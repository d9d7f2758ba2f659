"""Rows of tables for machines: CSV, and JSON lines."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

# A spreadsheet that opens a CSV file runs a cell that begins so, quoted or not; an apostrophe says that it is text.
FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")  # the last four are as wide as Chinese letters, and formulas to some
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def as_cell(name: str) -> str:
    """A name as it stands in a cell: with an apostrophe if it would be run, and is no number."""
    return f"'{name}" if FORMULA.match(name) and not NUMBER.fullmatch(name) else name


def csv_line(values: Iterable[Any]) -> str:
    """Names or values as a line of CSV, in which no name is a formula; nothing for nan."""
    text = StringIO()
    csv.writer(text).writerow(map(_csv_cell, values))
    return text.getvalue().removesuffix("\r\n")


def _csv_cell(value: Any) -> Any:
    return as_cell(value) if isinstance(value, str) else "" if _is_nan(value) else value


def json_line(values: Mapping[str, Any]) -> str:
    """A row as JSON, which has neither nan nor infinity, nor the halves of characters that names of files may hold."""
    return json.dumps({name: _json_value(value) for name, value in values.items()}, allow_nan=False)


def _json_value(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return None if _is_nan(value) else str(value) if isinstance(value, float) and math.isinf(value) else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
