"""Rankings from tables with one score a system: leaderboards in CSV, Markdown or JSON."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pt_rankcorr.io import paths
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import COUNTERS, SYSTEMS, TOPICS, plain_heading
from pt_rankcorr.text import shown

EXPECTED = "a table with one row a system and columns of scores (CSV, Markdown, or JSON lines)"
MISSING = frozenset({"", "-", "\N{EN DASH}", "\N{EM DASH}", "na", "n/a", "nan", "-nan", "none", "null"})
RULE_BELOW_A_HEADER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")  # in Markdown
BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
EMPHASIS = re.compile(r"\*\*|`|^[*_]+|[*_]+$")
SEPARATORS = "\t;,"
HAVE_TOPICS = " Rows of one system on several topics are scores that `compare --scores` reads."


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
            together[name if names.count(name) == 1 else f"{paths.stem(path)} {name}"] = column
    return together


def _columns_of(path: paths.PathName) -> dict[str, Column]:
    with paths.open_text(path, EXPECTED) as text:
        lines = [(number, line) for number, line in enumerate(text, 1) if not _is_empty(line)]
    if not lines:
        raise paths.file_error(path, f"be {EXPECTED}", "an empty file")
    begin = lines[0][1].lstrip()[:1]
    if begin in ("{", "["):
        header, rows = _rows_of_json(path, lines)
    elif any("|" in line and RULE_BELOW_A_HEADER.fullmatch(line) for _, line in lines):
        header, rows = _rows_of_markdown(path, lines)
    else:
        header, rows = _rows_of_csv(path, lines)
    has_commas = ";" in lines[0][1] and "," not in lines[0][1]  # such files have decimal commas
    if twice := {name for name in header if header.count(name) > 1}:
        raise paths.file_error(path, "have columns of different names", f"{listing(twice)} more than once")
    place = _place_of_systems(path, header, rows)
    systems: dict[str, int] = {}
    for number, row in rows:
        if not row[place]:
            raise paths.file_error(path, f"be {EXPECTED}", f"a row without a system in line {number}")
        if row[place] in systems:
            first = systems[row[place]]
            seen = f"{shown(row[place])} in lines {first} and {number}"
            raise paths.file_error(path, "have one row a system", seen, HAVE_TOPICS)
        systems[row[place]] = number
    columns: dict[str, Column] = {}
    for column, name in enumerate(header):
        if column == place:
            continue
        cells = {row[place]: (number, row[column]) for number, row in rows}
        found = _column_of(path, cells, has_commas=has_commas)
        columns[name] = found if name else found._replace(wrong="a column without a name")
    if not columns:
        raise paths.file_error(path, f"be {EXPECTED}", "only a column of systems")
    return columns


def _is_empty(line: str) -> bool:
    """Whether a line has nothing, or a comment; but a first column may be headed "#"."""
    stripped = line.strip()
    is_comment = stripped.startswith("#") and stripped[1:].lstrip(" ")[:1] not in tuple(SEPARATORS)
    return not stripped or is_comment


def _column_of(path: paths.PathName, cells: Mapping[str, tuple[int, str]], *, has_commas: bool) -> Column:
    scores: dict[str, float] = {}
    for system, (number, cell) in cells.items():
        if cell.lower() in MISSING:
            continue
        text = cell.removesuffix("%").rstrip()
        try:
            scores[system] = paths.as_number(text.replace(",", ".") if has_commas else text)
            if scores[system] in (float("inf"), -float("inf")):
                raise ValueError
        except ValueError:
            reason = " has a comma" if re.fullmatch(r"[+-]?[\d.]*\d,\d[\d.,]*", text) else ""
            return Column(path, {}, f"{shown(cell)} in line {number}{reason}")
    return Column(path, scores, "" if scores else "no numbers")


def _place_of_systems(path: paths.PathName, header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]]) -> int:
    """Where the systems are."""
    plain = [plain_heading(name) for name in header]
    for place, name in enumerate(plain):
        if name in SYSTEMS:
            return place
    if any(name in TOPICS - COUNTERS for name in plain):
        raise paths.file_error(path, f"be {EXPECTED}", f"the columns {listing(header)}", HAVE_TOPICS)
    for place in range(len(header)):
        texts = [row[place] for _, row in rows]
        if len(set(texts)) == len(texts) and not any(map(_is_number, texts)):
            return place
    remedy = " Name the column of systems system."
    raise paths.file_error(path, "have a column of systems", f"the columns {listing(header)}", remedy)


def _is_number(text: str) -> bool:
    try:
        paths.as_number(text)
    except ValueError:
        return False
    return True


# --- formats ------------------------------------------------------------------------------------------------

Rows = tuple[list[str], list[tuple[int, list[str]]]]  # the header, and rows by the numbers of their lines


def _rows_of_json(path: paths.PathName, lines: Sequence[tuple[int, str]]) -> Rows:
    """Of JSON lines, or a list of objects."""
    rule = "objects of JSON, one a line or a list, whose values are texts and numbers"
    objects: list[tuple[int, Any]] = []
    if lines[0][1].lstrip().startswith("["):
        try:
            whole = json.loads("".join(line for _, line in lines), object_pairs_hook=_object)
        except (ValueError, RecursionError):
            raise paths.line_error(path, *lines[0], rule) from None
        objects = [(lines[0][0], item) for item in whole]
    else:
        for number, line in lines:
            try:
                objects.append((number, json.loads(line, object_pairs_hook=_object)))
            except (ValueError, RecursionError):
                raise paths.line_error(path, number, line, rule) from None
    header: dict[str, None] = {}
    for number, item in objects:
        if not isinstance(item, dict) or any(isinstance(value, (dict, list)) for value in item.values()):
            raise paths.file_error(path, f"be {rule}", f"{shown(item)} in line {number}")
        header |= dict.fromkeys(item)
    texts = dict.fromkeys(header, "")
    return list(header), [(number, [_text_of(value) for value in (texts | item).values()]) for number, item in objects]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def _text_of(value: object) -> str:
    return "" if value is None else str(value).strip()


def _rows_of_markdown(path: paths.PathName, lines: Sequence[tuple[int, str]]) -> Rows:
    """Of the table of a page in Markdown."""
    rules = [place for place, (_, line) in enumerate(lines) if "|" in line and RULE_BELOW_A_HEADER.fullmatch(line)]
    if len(rules) > 1 or rules[0] == 0:
        seen = f"{len(rules)} tables" if len(rules) > 1 else "a rule without a header"
        raise paths.file_error(path, "have one table in Markdown", f"{seen} in line {lines[rules[-1]][0]}")
    header = _cells_of_markdown(lines[rules[0] - 1][1])
    rows = []
    for number, line in lines[rules[0] + 1 :]:
        if "|" not in line:
            break
        rows.append((number, _cells_of_markdown(line)))
    return _checked(path, header, rows)


def _cells_of_markdown(line: str) -> list[str]:
    cells = BETWEEN_CELLS.split(line.strip().removeprefix("|").removesuffix("|"))
    return [EMPHASIS.sub("", LINK.sub(r"\1", cell.strip())).replace("\\|", "|").strip() for cell in cells]


def _rows_of_csv(path: paths.PathName, lines: Sequence[tuple[int, str]]) -> Rows:
    """Of lines of cells between tabs, semicolons or commas, or else blanks."""
    separator = next((mark for mark in SEPARATORS if mark in lines[0][1]), "")
    try:
        cells = [next(csv.reader([line], delimiter=separator)) if separator else line.split() for _, line in lines]
    except csv.Error as error:
        raise paths.file_error(path, f"be {EXPECTED}", str(error)) from None
    rows = [(number, [cell.strip() for cell in row]) for (number, _), row in zip(lines, cells, strict=True)]
    first = rows[0][1]
    if any(map(_is_number, first)):
        if len(first) != 2:
            rule = "have a header that names its columns"
            raise paths.file_error(path, rule, f"{shown(' '.join(lines[0][1].split()))} in line {lines[0][0]}")
        return _checked(path, ["system", paths.stem(path)], rows)
    return _checked(path, first, rows[1:])


def _checked(path: paths.PathName, header: list[str], rows: list[tuple[int, list[str]]]) -> Rows:
    """The same, if all rows have as many cells as the header."""
    if header and not header[-1] and all(not row[-1] for _, row in rows):  # where lines end with a separator
        header, rows = header[:-1], [(number, row[:-1]) for number, row in rows]
    for number, row in rows:
        if len(row) != len(header):
            seen = f"{len(row)} in line {number}"
            raise paths.file_error(path, f"have {len(header)} cells in each row, as in its header", seen)
    if not rows:
        raise paths.file_error(path, f"be {EXPECTED}", "no row below its header")
    return header, rows
