"""Rankings from files with one score a system: tables in CSV, Markdown or JSON, and lists of systems, best first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pt_rankcorr.io import paths
from pt_rankcorr.io.spreadsheets import DECIMAL_COMMA, Sheet, is_none, is_score, odd_about, read_sheet
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import COUNTERS, SCORES, SYSTEMS, TOPICS, plain_heading
from pt_rankcorr.text import shown

EXPECTED = "a table with one row a system and columns of scores (CSV, Markdown, or JSON lines)"
RULE_BELOW_A_HEADER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")  # in Markdown
BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
EMPHASIS = re.compile(r"\*\*|`|^[*_]+|[*_]+$")
RANKING = "a ranking: a system in each line, best first, or a system and its score"
RANKS = frozenset({"rank", "position", "place"})  # of which 1 is the best
HAVE_TOPICS = " Scores of systems on topics are what `compare --scores` reads."


class ScoreColumn(NamedTuple):
    """The scores of systems in a column of a file."""

    path: paths.PathName
    scores: dict[str, float]  # system -> score, without those that have none
    wrong: str = ""  # what says that it is no column of scores: the first cell that is no number, and its line


def read_columns(files: Iterable[paths.PathName]) -> dict[str, ScoreColumn]:
    """Name -> column, of all columns of tables but that of systems.

    A column that several files have is named after its file, too. Systems are in the first column that is headed as
    such, or else the first of texts that are all different. Of a file with two columns and no header, the second has
    the scores, and is named after the file.
    """
    by_file = {path: _columns_of(path) for path in files}
    names = [name for columns in by_file.values() for name in columns]
    together: dict[str, ScoreColumn] = {}
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


def _columns_of(path: paths.PathName) -> dict[str, ScoreColumn]:
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


def _column_of(path: paths.PathName, name: str, cells: Mapping[str, tuple[int, str]]) -> ScoreColumn:
    """A column, from system -> the number of its line, and its cell as text."""
    if not name:
        return ScoreColumn(path, {}, "it has no name")
    scores: dict[str, float] = {}
    for system, (number, cell) in cells.items():
        if is_none(cell):
            continue
        try:
            scores[system] = paths.as_number(cell.removesuffix("%"))
        except ValueError:
            return ScoreColumn(path, {}, f"{shown(cell)} in line {number}. {odd_about(cell)}")
        if math.isinf(scores[system]):
            return ScoreColumn(path, {}, f"{shown(cell)} in line {number}, which is not finite")
    return ScoreColumn(path, scores, "" if scores else "no numbers")


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
            content = paths.parsed_json(text)
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
    for column in sheet.columns:
        mark = sheet.decimal_of(column)
        texts = sheet.cells[column].astype(str)
        columns.append([text.replace(mark, ".") if DECIMAL_COMMA.fullmatch(text) else text for text in texts])
    return first, list(zip(sheet.cells.index.tolist(), map(list, zip(*columns, strict=True)), strict=True))


# --- one ranking --------------------------------------------------------------------------------------------


def read_ranking(path: paths.PathName) -> list[tuple[str, float]]:
    """The systems of a file and their scores, in its order: as in a table of CSV, with or without a header.

    Between blanks, a system may have blanks in its name; its score is the last field. Ranks of a column that is headed
    so are negated.
    """
    with paths.open_text(path, RANKING) as text:
        lines = [line.strip() for line in text if line.strip() and not line.startswith("#")]
    has_marks = any(mark in line for line in lines for mark in ",;\t")
    if not has_marks or len({line.count("\t") for line in lines}) > 1:
        return _between_blanks(path, lines)
    sheet = read_sheet(path, RANKING)
    names, scores, header = _systems_and_scores(sheet)
    body = sheet.below() if header else sheet
    systems = [str(name) for name in body.cells[names]]
    if scores is None:
        return [(name, -float(place)) for place, name in enumerate(systems)]
    heading = header[scores] if header else str(scores + 1)
    missing = [row for row, text in enumerate(body.cells[scores]) if is_none(text)]
    if missing:
        raise body.cell_error(missing[0], scores, heading)
    sign = -1.0 if plain_heading(heading) in RANKS else 1.0
    return [(name, sign * score) for name, score in zip(systems, body.scores(scores, heading).tolist(), strict=True)]


def _between_blanks(path: paths.PathName, lines: list[str]) -> list[tuple[str, float]]:
    """The systems and scores of lines whose last field, after blanks, is the score; or of systems alone, best first."""
    if not lines:
        raise paths.file_error(path, "have a system on each line", "an empty file")
    first = lines[0].split()
    if plain_heading(first[0]) in SYSTEMS and len(first) <= 2 and not is_score(first[-1]):
        lines = lines[1:]
    fields = [line.rsplit(None, 1) for line in lines]
    numbers = [len(field) == 2 and is_score(field[1]) and not is_none(field[1]) for field in fields]
    if all(numbers):
        return [(name, paths.as_number(score)) for name, score in fields]
    if any(is_number and not field[1].isdigit() for field, is_number in zip(fields, numbers, strict=True)):
        odd = numbers.index(False)
        rule = "have a score on each line, or on none"
        raise paths.file_error(path, rule, f"{shown(lines[odd])}, which has no number")
    return [(line, -float(place)) for place, line in enumerate(lines)]


def _systems_and_scores(sheet: Sheet) -> tuple[int, int | None, list[str]]:
    """Which column has the systems and which the scores, if any has, and the header, if there is one."""
    first = sheet.first
    plain = [plain_heading(label) for label in first]
    has_header = len(sheet.cells) > 1 and (
        any(label in SYSTEMS for label in plain)
        or (len(first) > 1 and not any(is_score(text) and not is_none(text) for text in first))
    )
    body = sheet.below() if has_header else sheet
    numeric = [column for column in body.columns if body.has_scores(column)]
    named = [column for column, label in enumerate(plain) if has_header and label in SYSTEMS]
    names = named or [column for column in body.columns if column not in numeric] or [0]
    numeric = [column for column in numeric if column != names[0]]
    scores = [column for column in numeric if has_header and plain[column] in SCORES]
    if not scores:
        measured = [column for column in numeric if not has_header or plain[column] not in RANKS]
        scores = measured or numeric
    if len(scores) > 1 or len(names) > 1:
        rule = "have one column of systems and one of scores"
        seen = f"{shown(', '.join(first))} in its first line"
        remedy = " A header such as run,score says which these are."
        raise paths.file_error(sheet.path, rule, seen, remedy)
    return names[0], scores[0] if scores else None, first if has_header else []
