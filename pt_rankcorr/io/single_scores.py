"""Rankings from tables with one score a system: leaderboards in CSV, Markdown or JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pt_rankcorr.io import json_lines, paths
from pt_rankcorr.io.spreadsheets import DECIMAL_COMMA, is_none, odd_about, read_sheet
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import COUNTERS, SYSTEMS, TOPICS, plain_heading
from pt_rankcorr.text import shown

EXPECTED = "a table with one row a system and columns of scores (CSV, Markdown, or JSON lines)"
RULE_BELOW_A_HEADER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")  # in Markdown
BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
EMPHASIS = re.compile(r"\*\*|`|^[*_]+|[*_]+$")
HAVE_TOPICS = " Scores of systems on topics are what `compare --scores` reads."


class Column(NamedTuple):
    """The scores of systems in a column of a table.

    Attributes:
        path: The file.
        scores: System -> score, without those that have none.
        wrong: What says that it is no column of scores: the first cell that is no number, and its line.
    """

    path: paths.PathName
    scores: dict[str, float]
    wrong: str = ""


def read_columns(files: Iterable[paths.PathName]) -> dict[str, Column]:
    """Name -> column, of all columns of tables but that of systems.

    A column that several files have is named after its file, too. Systems are in the first column that is headed as
    such, or else the first of texts that are all different. Of a file with two columns and no header, the second has
    the scores, and is named after the file.
    """
    by_file = {path: _columns_of(path) for path in files}
    names = [name for columns in by_file.values() for name in columns]
    together: dict[str, Column] = {}
    for path, columns in by_file.items():
        for name, column in columns.items():
            full_name = name if names.count(name) == 1 else f"{paths.stem(path)} {name}"
            if full_name in together:
                both = f"{paths.name_of(together[full_name].path)!r} and {paths.name_of(path)!r}"
                raise ValueError(
                    f"Files of one name must have columns of different names, got {shown(name)} in {both}."
                )
            together[full_name] = column
    return together


def _columns_of(path: paths.PathName) -> dict[str, Column]:
    """Name -> column, of all columns of a table but that of systems; an error if a system has two rows."""
    with paths.open_text(path, EXPECTED) as text:
        lines = [(number, line) for number, line in enumerate(text, 1) if line.strip()]
    if not lines:
        raise paths.file_error(path, f"be {EXPECTED}", "an empty file")
    if lines[0][1].lstrip().startswith(("{", "[")):
        header, rows = _rows_of_json(path, lines)
    elif any("|" in line and RULE_BELOW_A_HEADER.fullmatch(line) for _, line in lines):
        header, rows = _rows_of_markdown(path, lines)
    else:
        header, rows = _rows_of_sheet(path)
    if not rows:
        raise paths.file_error(path, f"be {EXPECTED}", "no row below its header")
    if twice := {name for name in header if header.count(name) > 1}:
        raise paths.file_error(path, "have columns of different names", f"{listing(twice)} more than once")
    if len(header) < 2:
        raise paths.file_error(path, f"be {EXPECTED}", f"a single column, {shown(header[0])}")
    place = _place_of_systems(path, header, rows)
    line_of: dict[str, int] = {}
    for number, row in rows:
        system = row[place]
        if not system:
            raise paths.file_error(path, f"be {EXPECTED}", f"a row without a system in line {number}")
        if system in line_of:
            seen = f"{shown(system)} in lines {line_of[system]} and {number}"
            raise paths.file_error(path, "have one row a system", seen, HAVE_TOPICS)
        line_of[system] = number
    others = {column: name for column, name in enumerate(header) if column != place}
    return {
        name: _column_of(path, name, {row[place]: (number, row[column]) for number, row in rows})
        for column, name in others.items()
    }


def _column_of(path: paths.PathName, name: str, cells: Mapping[str, tuple[int, str]]) -> Column:
    """A column, from system -> the number of its line, and its cell as text."""
    if not name:
        return Column(path, {}, "it has no name")
    scores: dict[str, float] = {}
    for system, (number, cell) in cells.items():
        if is_none(cell):
            continue
        try:
            scores[system] = paths.as_number(cell.removesuffix("%"))
        except ValueError:
            return Column(path, {}, f"{shown(cell)} in line {number}. {odd_about(cell)}")
        if math.isinf(scores[system]):
            return Column(path, {}, f"{shown(cell)} in line {number}, which is not finite")
    return Column(path, scores, "" if scores else "no numbers")


def _place_of_systems(path: paths.PathName, header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]]) -> int:
    """The place of the column of systems: headed so, or the first of texts that are all different."""
    plain = [plain_heading(name) for name in header]
    for place, name in enumerate(plain):
        if name in SYSTEMS:
            return place
    if any(name in TOPICS - COUNTERS for name in plain):
        raise paths.file_error(path, f"be {EXPECTED}", f"the columns {listing(header)}", HAVE_TOPICS)
    for place in range(len(header)):
        texts = [row[place] for _, row in rows]
        if len(set(texts)) == len(texts) and not any(map(paths.is_number, texts)):
            return place
    remedy = " Name the column of systems system."
    raise paths.file_error(path, "have a column of systems", f"the columns {listing(header)}", remedy)


# --- formats ------------------------------------------------------------------------------------------------

Rows = tuple[list[str], list[tuple[int, list[str]]]]  # the header, and rows by the numbers of their lines


def _rows_of_json(path: paths.PathName, lines: Sequence[tuple[int, str]]) -> Rows:
    """The header and rows of JSON lines, or of a list of objects in JSON."""
    rule = "objects of JSON, one a line or a list, whose values are texts and numbers"
    is_list = lines[0][1].lstrip().startswith("[")
    texts = [(lines[0][0], "".join(line for _, line in lines))] if is_list else lines
    objects: list[tuple[int, Any]] = []
    for number, text in texts:
        try:
            content = json_lines.parsed(text)
        except ValueError:
            raise paths.line_error(path, number, text.splitlines()[0], rule) from None
        objects += [(number, item) for item in (content if is_list else [content])]
    header: dict[str, None] = {}
    for number, item in objects:
        if not isinstance(item, dict) or any(isinstance(value, (dict, list)) for value in item.values()):
            raise paths.file_error(path, f"be {rule}", f"{shown(item)} in line {number}")
        header |= dict.fromkeys(item)
    rows = []
    for number, item in objects:
        values = (item.get(name) for name in header)
        rows.append((number, ["" if value is None else str(value).strip() for value in values]))
    return list(header), rows


def _rows_of_markdown(path: paths.PathName, lines: Sequence[tuple[int, str]]) -> Rows:
    """The header and rows of the one table of a page in Markdown."""
    rules = [place for place, (_, line) in enumerate(lines) if "|" in line and RULE_BELOW_A_HEADER.fullmatch(line)]
    if len(rules) > 1 or rules[0] == 0:
        seen = f"{len(rules)} tables" if len(rules) > 1 else "a rule without a header"
        raise paths.file_error(path, "have one table in Markdown", f"{seen} in line {lines[rules[-1]][0]}")
    header = _cells_of_markdown(lines[rules[0] - 1][1])
    rows: list[tuple[int, list[str]]] = []
    for number, line in lines[rules[0] + 1 :]:
        if "|" not in line or number != lines[rules[0]][0] + len(rows) + 1:  # an empty line ends a table
            break
        row = _cells_of_markdown(line)
        if len(row) != len(header):
            rule = f"have {len(header)} cells in each row, as in its header"
            raise paths.file_error(path, rule, f"{len(row)} in line {number}")
        rows.append((number, row))
    return header, rows


def _cells_of_markdown(line: str) -> list[str]:
    cells = BETWEEN_CELLS.split(line.strip().removeprefix("|").removesuffix("|"))
    return [EMPHASIS.sub("", LINK.sub(r"\1", cell.strip())).replace("\\|", "|").strip() for cell in cells]


def _rows_of_sheet(path: paths.PathName) -> Rows:
    """The header and rows of a table in CSV, with numbers whose decimal mark is a point."""
    sheet = read_sheet(path, EXPECTED)
    first = sheet.first
    if any(map(paths.is_number, first)):
        if len(first) != 2:
            rule = "have a header that names its columns"
            raise paths.file_error(path, rule, f"{shown(', '.join(first))} in line {sheet.cells.index[0]}")
        first = ["system", paths.stem(path)]
    else:
        sheet = sheet.below()
    columns = []
    for column in range(sheet.cells.shape[1]):
        mark = sheet.decimal_of(column)
        texts = sheet.cells[column].astype(str)
        columns.append([text.replace(mark, ".") if DECIMAL_COMMA.fullmatch(text) else text for text in texts])
    return first, list(zip(sheet.cells.index.tolist(), map(list, zip(*columns, strict=True)), strict=True))
