"""Tables in files become sheets: columns under headings, each cell with the line that it stood in.

CSV as people and spreadsheets write it, pages in Markdown, JSON, workbooks, and the lines that
evaluation tools print all become rows of text, which are numbers where a reader asks for scores.
CSV that is nothing but rows below a header is parsed by pandas' parser in C. What a column holds is
decided elsewhere, by its heading.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from pt_rankcorr.io import paths
from pt_rankcorr.stats.core import headings
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.stats.core.sheets import Sheet
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

Row: TypeAlias = tuple[int, Sequence[str]]  # the number of its first line, and its cells

NO_SCORE = frozenset({"", *"na n/a #n/a <na> nan -nan null none nil - -- \u2013 \u2014".split()})
# as pandas has to know them
SPELLINGS = {"NaN", "-NaN", *NO_SCORE, *map(str.upper, NO_SCORE), *map(str.title, NO_SCORE)}
TRUTH = {"true": 1.0, "false": 0.0}  # as judges write them
BLANKS = r"\s+"
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "blank": BLANKS}
TABS = re.compile(r"[ \t]*\t[ \t]*")
LOOKED_AT = 50  # lines that show what separates cells
OF_NAMES = headings.TOPICS | headings.SYSTEMS
QUOTED = re.compile(r'"[^"]*(?:"|$)')
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
PERCENT = re.compile(r"[^\d\w]*[+-]?\d*[.,]?\d+[^\d\w]*%")
MORE_THAN_A_NUMBER = re.compile(r"[^\d\w]*\d[\d.,' ]*([^\d\w].*)?")
ODD_NUMBERS = {  # what is no number as it is -> what is odd about it, and the remedy
    DECIMAL_COMMA: "It has a decimal comma: `decimal=','` reads these.",
    PERCENT: "It has a percent sign: write all scores without it.",
    MORE_THAN_A_NUMBER: "It has more than a number: write the score alone, such as 0.31.",
}
# of Markdown, such as |---|---|
RULE_BELOW_A_HEADER = re.compile(r"(?=.*\|)\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
OF_HARNESSES = ("results", "scores", "mteb_version")  # keys of JSON of benchmarks
ONE_TABLE = "put those of several into one table with a row a system"
JSON_ROWS = "objects of JSON, one a line or a list, whose values are texts and numbers"
NESTED = "key"  # what the outer names of nested JSON are called
OLD_HEADING = "Queryid (Num):"  # above the scores of a topic, of old versions of trec_eval
NEEDS_TOPICS = "mean scores only, as {} has them; topics are needed."
# what other output of evaluation tools begins with -> what it is, and the remedy
OTHER_OUTPUT = {
    "Total number of documents over all queries": (
        "the form for people (trec_eval -o): run trec_eval -q without -o."
    ),
    "#####": NEEDS_TOPICS.format("msmarco_passage_eval"),
    "MRR @": NEEDS_TOPICS.format("msmarco_passage_eval"),
    "measure {": NEEDS_TOPICS.format("TIRA's prototext"),
    "measure{": NEEDS_TOPICS.format("TIRA's prototext"),
    "\\begin{": "a table in LaTeX, which is for people: give the scores that it was made of.",
    "# syscode": "output of NTCIREVAL: give read_scores a table of its scores by topic.",
}


def separator_of(sep: object) -> str | None:
    """What separates cells, by its word or itself; None where the content is to show it."""
    if sep is None:
        return None
    known = SEPARATORS | {mark: mark for mark in SEPARATORS.values()}
    known |= {"\\t": "\t", " ": BLANKS, "space": BLANKS}
    if sep not in known:
        words = ", ".join(map(repr, SEPARATORS))
        raise ValueError(f"`sep` must be {words} or the character, got {shown(sep)}.")
    return known[str(sep)]


class FileSheet(Sheet):
    """A sheet that a file holds: numbered rows, the first the header, and the columns below it."""

    headings: list[Any]  # texts

    def __init__(
        self,
        path: paths.PathName,
        expected: str,  # what a message says the file should be
        rows: Sequence[Row],  # of which the first is the header
        *,
        table: pd.DataFrame | None = None,  # what pandas made of `data`, in place of other rows
        data: bytes = b"",
        separator: str = ",",
        decimal: str | None = None,  # the mark in numbers; None where the content is to show it
        quoted: frozenset[str] = frozenset(),  # headings and other names that alone stand in quotes
    ) -> None:
        self.path, self.expected, self.called = path, expected, repr(paths.name_of(path))
        self._rows, self._table, self._data = rows, table, data
        self.n_rows = len(rows) - 1 if table is None else len(table)
        self.separator, self.decimal, self.quoted = separator, decimal, quoted
        self._texts: dict[int, pd.Categorical[Any]] = {}
        self._numbers: dict[int, tuple[Floats, Any]] = {}
        self.headings = [cell.strip() for cell in rows[0][1]]
        # a last column that has neither a name nor content is none
        while self.headings[1:] and not self.headings[-1] and not any(self.texts(self.columns[-1])):
            self.headings.pop()

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The rows as text, with their numbers; the first is the header."""
        if self._table is None:
            return self._rows
        lines = enumerate(self._data.decode().split("\n"), 1)
        return [(number, line.split(self.separator)) for number, line in lines if line.strip()]

    @property
    def columns(self) -> range:
        """The places of the columns."""
        return range(len(self.headings))

    def with_first_row(self) -> FileSheet:
        """The sheet without a header: its first row has scores, and columns are numbered."""
        rows: list[Row] = [(0, [str(column + 1) for column in self.columns]), *self.rows]
        marks: dict[str, Any] = {"separator": self.separator, "decimal": self.decimal}
        return FileSheet(self.path, self.expected, rows, **marks)

    def check_rows(self) -> FileSheet:
        """The sheet, if there is a row below its header."""
        if not self.n_rows:
            raise paths.file_error(self.path, f"be {self.expected}", "no row below its header")
        return self

    def texts(self, column: int) -> pd.Categorical[Any]:
        """The cells of a column as stripped text, (n_rows,); categories are as they appear."""
        if column not in self._texts:
            values: Any = None if self._table is None else self._table[column]
            # names that pandas made numbers, or missing, such as NA, are looked up again
            if values is None or values.dtype.kind in "iufb" or values.isna().any():
                values = np.array([cells[column] for _, cells in self.rows[1:]], dtype=object)
            codes, cells = pd.factorize(values)
            texts = [cell.strip() for cell in cells.astype(object)]
            code_of = {text: code for code, text in enumerate(dict.fromkeys(texts))}
            if len(code_of) < len(texts):
                codes = np.array([code_of[text] for text in texts])[codes]
            self._texts[column] = labels_of([*code_of], codes)
        return self._texts[column]

    def numbers(self, column: int) -> Floats | None:
        """The numbers of a column, (n_rows,), nan for missing ones; None if some are neither."""
        numbers, is_odd = self._parsed(column)
        return None if is_odd.any() else numbers

    def has_scores(self, column: int) -> bool:
        """Whether some cell of a column is a number."""
        numbers, is_odd = self._parsed(column)
        return bool(np.any(~np.isnan(numbers) & ~is_odd))

    def scores(self, column: int, is_used: Any = True) -> Floats:
        """The numbers of a column, nan where there is none, and 1 and 0 for True and False.

        An error for a cell that is none of these, in rows that a mask, (n_rows,), says `is_used`.
        """
        numbers, is_odd = self._parsed(column)
        if is_odd.any() and (is_wrong := is_odd & np.isnan(numbers) & is_used).any():
            row = int(np.argmax(is_wrong))
            text, heading = str(self.texts(column)[row]), shown(self.headings[column])
            seen = f"{shown(text)} in line {self.number_of(row)}, column {heading}"
            raise paths.file_error(self.path, "have numbers as scores", seen, f" {odd_about(text)}")
        return numbers

    def _parsed(self, column: int) -> tuple[Floats, Any]:
        """The numbers of a column, nan without one, and which are odd, (n_rows,): `number_in`."""
        if column not in self._numbers:
            values = None if self._table is None else self._table[column]
            if values is not None and values.dtype.kind in "iuf":
                numbers, is_odd = values.to_numpy(np.float64), np.zeros(self.n_rows, dtype=bool)
            else:
                texts, mark = self.texts(column), self.decimal_of(column)
                parsed = [number_in(text, mark) for text in texts.categories]
                numbers, is_odd = np.array(parsed, np.float64).reshape(-1, 2)[texts.codes].T
            self._numbers[column] = numbers, is_odd != 0
        return self._numbers[column]

    def decimal_of(self, column: int) -> str:
        """The decimal mark of a column: `decimal`, or what its cells show.

        A comma, if semicolons separate cells, and some cell has a decimal comma and none a point.
        """
        if self.decimal is not None or self.separator != ";":
            return self.decimal or "."
        texts = self.texts(column).categories
        has_points = any("." in text for text in texts)
        return "," if not has_points and any(map(DECIMAL_COMMA.fullmatch, texts)) else "."

    def number_of(self, row: int) -> int:
        """The number of the line that a row is on."""
        return self.rows[row + 1][0]

    def row_error(self, row: int, hint: str = "") -> ValueError:
        """The error for a row that is not what it should be; -1 is the first, of the header."""
        number, cells = self.rows[row + 1]
        line = _line_of(cells, self.separator)
        return paths.line_error(self.path, number, line, self.expected, hint)


def labels_of(names: Collection[str], codes: Any) -> pd.Categorical[Any]:
    """Labels by their codes, the positions of their names, which are distinct and stay in order."""
    return pd.Categorical.from_codes(codes, pd.Index([*names], dtype=object), ordered=True)


def is_none(text: str) -> bool:
    """Whether a cell stands for no score."""
    return text.lower() in NO_SCORE


def is_score(text: str) -> bool:
    """Whether a text is a number, or stands for none."""
    return paths.is_number(text) or is_none(text)


def number_in(text: str, decimal: str) -> tuple[float, bool]:
    """The number in a text, 1 or 0 for a truth, else nan; odd is what is no number nor NO_SCORE."""
    number = paths.number_of(text if decimal == "." else text.replace(".", "x").replace(",", "."))
    if number is not None:
        return number, False
    return TRUTH.get(text.lower(), np.nan), not is_none(text)


def is_like_score(text: str) -> bool:
    """Whether a text is no number as it is, but has a decimal comma, a percent sign or more."""
    return not is_score(text) and any(form.fullmatch(text) for form in ODD_NUMBERS)


def odd_about(text: str) -> str:
    """Why a text is no number, and what to do."""
    remedies = (remedy for form, remedy in ODD_NUMBERS.items() if form.fullmatch(text))
    return next(remedies, "It is no number. A score that is missing is an empty cell or NA.")


# --- from a file to a sheet -----------------------------------------------------------------------


def read_sheet(
    path: paths.PathName,
    expected: str,
    *,
    n_blank: int | None = None,
    of_tool: bool = False,
    sep: str | None = None,
    decimal: str | None = None,
    table: str | None = None,
) -> FileSheet:
    """The table of a file; `table` is the number of one of several, or the heading above it.

    Without a `sep`, as `separator_of` gives it, blanks separate cells only if there is no other
    mark, and each line has as many cells, or the first `n_blank`. Cells `of_tool`s stand between
    tabs or any blanks, and none of them is empty. `expected` is what messages say the file should
    be, `decimal` the mark in numbers, which is else found.
    """
    if is_workbook(path):
        text = _text_of_workbook(path, table)
        return _sheet_of_text(path, expected, text, sep=",", decimal=decimal)
    with paths.open_text(path, expected) as file:
        data = file.buffer.read().removeprefix(BOM_UTF8)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        plain = None if of_tool or table else _plain_sheet(path, expected, data, sep, decimal)
        if plain is not None:
            return plain
        text = data.decode()
    if text.lstrip()[:1] in ("{", "["):
        return FileSheet(path, expected, _rows_of_json(path, text), decimal=".")
    if sep is None and "|" in text and "--" in text and not of_tool:
        lines = text.split("\n")
        rules = [place for place, line in enumerate(lines) if RULE_BELOW_A_HEADER.fullmatch(line)]
        if rules:
            rows = _rows_of_markdown(path, lines, rules, table)
            return FileSheet(path, expected, rows, decimal=".")
    if table is not None:
        raise ValueError(f"`table` must be left out for a file of one table, got {shown(table)}.")
    marks: dict[str, Any] = {"sep": sep, "decimal": decimal}
    return _sheet_of_text(path, expected, text, n_blank=n_blank, of_tool=of_tool, **marks)


def _plain_sheet(
    path: paths.PathName, expected: str, data: bytes, sep: str | None, decimal: str | None
) -> FileSheet | None:
    """The sheet of CSV, as bytes, whose first line is the header, and all others rows; else None.

    None is for comments, titles, quotes, empty rows and a second header: lines are not looked at.
    """
    begin = data[: 1 << 16].decode(errors="ignore").split("\n")[:LOOKED_AT]
    begin = [line for line in begin if line.strip()]
    if not begin or begin[0].lstrip()[0] in "{[#" or SEPARATOR_LINE.fullmatch(begin[0].strip()):
        return None
    separator = sep or _mark_of(begin)
    if separator is None or separator == BLANKS or b'"' in data:
        return None
    header_line, _, body = data.partition(b"\n")
    header = header_line.decode(errors="replace").split(separator)
    if "\ufffd" in "".join(header) or sum(map(bool, map(str.strip, header))) < 2:
        return None
    names = [at for at, heading in enumerate(header) if plain_heading(heading) in headings.NAMES]
    try:
        table: pd.DataFrame = pd.read_csv(
            BytesIO(body), sep=separator, header=None, index_col=False, quoting=csv.QUOTE_NONE,
            low_memory=False, skipinitialspace=True, decimal=decimal or ".",
            dtype=dict.fromkeys([0, *names], str), keep_default_na=False,
            na_values=sorted(SPELLINGS), **paths.NEAREST,
        )  # fmt: skip
    except ValueError:  # no rows, rows of different lengths, or bytes that are no text
        return None
    is_odd = table[0].isna() | table[0].str.startswith("#") | (table[0] == header[0].strip())
    n_marks = len(table) * (len(header) - 1)
    is_full = table.shape[1] == len(header) and body.count(separator.encode()) == n_marks
    if not is_full or is_odd.any():
        return None
    known: dict[str, Any] = {"table": table, "data": data, "separator": separator}
    return FileSheet(path, expected, [(1, header)], decimal=decimal, **known)


def _sheet_of_text(
    path: paths.PathName,
    expected: str,
    text: str,
    *,
    n_blank: int | None = None,
    of_tool: bool = False,
    sep: str | None = None,
    decimal: str | None = None,
) -> FileSheet:
    """The sheet of a text but for comments, titles and empty rows; as of `read_sheet`."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise paths.file_error(path, f"be {expected}", "an empty file")
    for number, line in lines[:2]:
        for begin, what in OTHER_OUTPUT.items():
            if line.strip().startswith(begin):
                raise paths.line_error(path, number, line, expected, f" It looks like {what}")
    separator = sep
    if mark := SEPARATOR_LINE.fullmatch(lines[0][1].strip()):
        lines, separator = lines[1:], sep or mark[1]
    quoted: frozenset[str] = frozenset()
    bare = [line for _, line in lines if not line.lstrip().startswith("#")] or [lines[0][1]]
    n_fields = {len(line.split()) for line in bare}
    are_fields = len(n_fields) == 1 or not any(mark in bare[0] for mark in ",;")
    if of_tool and separator is None and are_fields and len(bare[0].split()) > 2:
        rows, separator = _fields(text, lines), BLANKS
    else:
        separator = separator or _separator(bare, n_blank)
        rows = _cells(path, expected, text, lines, separator)
        if not text.startswith('"'):  # else all headings may stand in quotes, which says nothing
            quoted = frozenset(name.strip('"') for name in QUOTED.findall(text))
    rows = [*_without_comments(rows)]
    if not rows:
        raise paths.file_error(path, f"be {expected}", "comments alone")
    width = len(rows[0][1])  # of the header
    for number, cells in rows:
        if len(cells) != width:
            hint = f" It has {len(cells)} cells, the first line {width}."
            hint += " Notes below a table must begin with #."
            raise paths.line_error(path, number, _line_of(cells, separator), expected, hint)
    for number, cells in rows if '"' in text else ():
        if any("\n" in cell and _holds_rows(cell, separator, width) for cell in cells):
            seen = f"one that lines of the table stand behind in line {number}"
            remedy = " Take it out, or write it twice in quotes."
            raise paths.file_error(path, "have quotes in pairs", seen, remedy)
    marks: dict[str, Any] = {"separator": separator, "decimal": decimal}
    return FileSheet(path, expected, rows, quoted=quoted, **marks)


def _line_of(cells: Sequence[str], separator: str) -> str:
    """The line that these cells are of, but for quotes, and with single blanks, for messages."""
    return (" " if separator == BLANKS else separator).join(cells)


def _cells(
    path: paths.PathName, expected: str, text: str, lines: Sequence[tuple[int, str]], separator: str
) -> list[Row]:
    """The numbered cells of lines, of which some may be in quotes, and go over several lines."""
    if separator == BLANKS:
        return [(number, line.split()) for number, line in lines]
    if '"' not in text:
        return [(number, line.split(separator)) for number, line in lines]
    reader = csv.reader(StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    rows: list[Row] = []
    begin = 1
    limit = csv.field_size_limit(len(text))  # of the process, restored below: a cell may be long
    try:
        for cells in reader:
            rows.append((begin, cells))
            begin = reader.line_num + 1
    except csv.Error as error:
        seen = f"{error} in what begins in line {begin}"
        remedy = "Take a single one out, or write it twice in quotes"
        rule = f"be {expected}, with quotes in pairs"
        raise paths.file_error(path, rule, f"{seen}. {remedy}") from None
    finally:
        csv.field_size_limit(limit)
    return [row for row in rows if row[0] >= lines[0][0]]  # without a line such as "sep=;"


def _fields(text: str, lines: Sequence[tuple[int, str]]) -> list[Row]:
    """The fields of lines that an evaluation tool wrote, but for comments.

    Names may have blanks where as many fields stand between tabs in each line.
    """
    unread = ("#", OLD_HEADING)
    lines = [(number, line) for number, line in lines if not line.lstrip().startswith(unread)]
    if any(mark in text for mark in ("\t\t", "\t ", " \t", "\n\t")):
        lines = [(number, TABS.sub("\t", line).strip()) for number, line in lines]
    by_tab: list[Row] = [(number, line.split("\t")) for number, line in lines]
    are_tabs = len({len(cells) for _, cells in by_tab}) == 1 and len(by_tab[0][1]) > 2
    return by_tab if are_tabs else [(number, line.split()) for number, line in lines]


def _holds_rows(cell: str, separator: str, width: int) -> bool:
    """Whether a cell of several lines holds rows of `width` cells: a quote was not closed.

    All its lines but the last then end in a score, as those of a text do not.
    """
    *inside, _ = cell.split("\n")
    are_rows = all(is_score(line.rpartition(separator)[2].strip()) for line in inside)
    return are_rows and cell.count(separator) >= len(inside) * (width - 1)


def _mark_of(lines: Sequence[str]) -> str | None:
    """The mark of the first line with one: a tab, else what the next line has as often; or None."""
    bare = [QUOTED.sub("", line) for line in lines[:LOOKED_AT] if not line.startswith("#")]
    has_mark = [any(mark in line for mark in "\t;,") for line in bare]
    if not any(has_mark):
        return None
    place = has_mark.index(True)
    header, following = bare[place], bare[min(place + 1, len(bare) - 1)]
    marks = [mark for mark in "\t;," if mark in header]
    alike = [mark for mark in marks if following.count(mark) == header.count(mark)]
    return "\t" if "\t" in marks else (alike or marks[-1:])[0]


def _separator(lines: Sequence[str], n_blank: int | None) -> str:
    """The mark between cells, or blanks, if each line has as many, or the first `n_blank`."""
    if mark := _mark_of(lines):
        return mark
    widths = {len(line.split()) for line in lines}
    is_even = len(widths) == 1 and min(widths) > 1 and any(map(is_score, lines[-1].split()))
    return BLANKS if is_even or len(lines[0].split()) == n_blank else ","


def _without_comments(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows but for empty ones, comments, titles above the header, and the header again.

    Titles have a single cell. A comment may be the header; names below may begin with "#".
    """
    has_several = any(sum(map(bool, map(str.strip, cells))) > 1 for _, cells in rows)
    header: Sequence[str] = []
    for number, cells in rows:
        first = cells[0].lstrip() if cells else ""
        if header and first and first[0] != "#":
            if cells != header:
                yield number, cells
            continue
        filled = [place for place, cell in enumerate(cells) if cell.strip()]
        is_comment = first.startswith("#") and (not header or len(cells) != len(header))
        heading = first.lstrip("# ")
        if not header and is_comment and len(cells) > 1 and plain_heading(heading) in OF_NAMES:
            cells, is_comment = [heading, *cells[1:]], False
        is_title = not header and filled == [0] and has_several
        if filled and not is_comment and not is_title:
            header = header or cells
            yield number, cells


# --- Markdown, JSON and workbooks -----------------------------------------------------------------


def _chosen(names: dict[str, Any], table: str) -> Any:
    """The table of a file that is chosen by its number or name."""
    if table not in names:
        raise ValueError(f"`table` must be among {listing(names)}, got {shown(table)}.")
    return names[table]


def _rows_of_markdown(
    path: paths.PathName, lines: Sequence[str], rules: Sequence[int], table: str | None
) -> list[Row]:
    """The rows of a page's only table, or the one chosen; `rules` are the places of |---|---|."""
    starts = [rule - 1 for rule in rules if rule > 0 and lines[rule - 1].strip()]
    if not starts:
        seen = f"a rule without a header in line {rules[0] + 1}"
        raise paths.file_error(path, "have one table in Markdown", seen)
    names = {str(number): start for number, start in enumerate(starts, 1)}
    titles: list[str] = []
    for start in starts:
        above = [line.lstrip("# ").strip() for line in lines[:start] if line.startswith("#")]
        titles += above[-1:] or [""]
    by_title = zip(titles, starts, strict=True)
    names |= {title: start for title, start in by_title if title and titles.count(title) == 1}
    if table is None and len(starts) > 1:
        seen = f"{len(starts)} tables in line {starts[-1] + 2}"
        remedy = f" `table` chooses one, by its number or the heading above it: {listing(names)}."
        raise paths.file_error(path, "have one table in Markdown", seen, remedy)
    start = _chosen(names, "1" if table is None else table)
    rows: list[Row] = []
    for number, line in enumerate(lines[start:], start + 1):
        if "|" not in line:  # an empty line ends a table
            break
        cells = _cells_of_markdown(line)
        if number == start + 2 or not any(cells) or (rows and cells == rows[0][1]):
            continue
        if len(rows) == 1 and sum(map(bool, rows[0][1])) == 1 < len(rows[0][1]):
            rows.clear()  # a title, below which the header stands
        if rows and len(cells) != len(rows[0][1]):
            rule = f"have {len(rows[0][1])} cells in each row, as in its header"
            raise paths.file_error(path, rule, f"{len(cells)} in line {number}")
        rows.append((number, cells))
    return rows


def _cells_of_markdown(line: str) -> list[str]:
    """The cells of a row as text, without links and what makes text bold."""
    cells = []
    for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|")):
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", cell.strip())
        text = re.sub(r"\*\*|`|^[*_]+|(?<![\\*_])[*_]+$", "", text)
        cells.append(re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~-])", r"\1", text).strip())
    return cells


def _rows_of_json(path: paths.PathName, text: str) -> list[Row]:
    """The rows of JSON: objects in lines or a list, or one that is nested by system or by topic."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        content = paths.parsed_json(text)
        items = content if isinstance(content, list) else [content]
        objects = [(lines[0][0], item) for item in items]
    except ValueError:
        objects = []
        for number, line in lines:
            try:
                objects.append((number, paths.parsed_json(line)))
            except ValueError:
                raise paths.line_error(path, number, line.strip(), JSON_ROWS) from None
    is_one = len(objects) == 1 and isinstance(objects[0][1], dict)
    if is_one and (nested := _rows_of_nested(objects[0][1], paths.stem(path))):
        return [(lines[0][0], row) for row in nested]
    names: dict[str, None] = {}
    for number, item in objects:
        is_object = isinstance(item, dict)
        if not is_object or any(isinstance(value, (dict, list)) for value in item.values()):
            seen = f"{'nested JSON: ' * is_object}{shown(item)} in line {number}"
            hint = ""
            if is_object and not item.keys().isdisjoint(OF_HARNESSES):
                hint = f" It has the results of one system by task: {ONE_TABLE}."
            raise paths.file_error(path, f"be {JSON_ROWS}", seen, hint)
        names |= dict.fromkeys(item)
    numbers = [lines[0][0], *(number for number, _ in objects)]
    values = [[*names], *([item.get(name) for name in names] for _, item in objects)]
    return [*zip(numbers, _texts_of(values), strict=True)]


def _rows_of_nested(content: dict[str, Any], system: str) -> list[list[str]] | None:
    """The rows of {name: {heading: number}}, or of rank_eval of Elasticsearch; else None.

    The header is the first row, and names are the first column. If the headings are numbered as
    topics are, and the names are not, rows are topics. The results of rank_eval are of a `system`.
    """
    if isinstance(details := content.get("details"), dict) and "metric_score" in content:
        scored = {topic: of for topic, of in details.items() if isinstance(of, dict)}
        rows = [[system, topic, of.get("metric_score")] for topic, of in scored.items()]
        return _texts_of([["system", "topic", "metric_score"], *rows])
    if isinstance(models := content.get("model_names"), list):  # a report of ranx
        content = {name: content[name]["scores"] for name in models}
    if not all(isinstance(of, dict) for of in content.values()):
        return None
    values = [value for of in content.values() for value in of.values()]
    if any(isinstance(value, (dict, list, bool)) for value in values):
        return None
    inner = [*dict.fromkeys(name for of in content.values() for name in of)]
    if headings.are_numbered(inner) and not headings.are_numbered(content):
        rows = [[topic, *(of.get(topic) for of in content.values())] for topic in inner]
        return _texts_of([["topic", *content], *rows])
    # NESTED says nothing: rows are systems where these are wanted, and asked for where topics are
    are_topics = headings.are_numbered(content) and not headings.are_numbered(inner)
    first = "topic" if are_topics and not headings.count_from_one(content) else NESTED
    rows = [[name, *(of.get(heading) for heading in inner)] for name, of in content.items()]
    return _texts_of([[first, *inner], *rows])


def _texts_of(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Rows of values as cells, empty for null."""
    return [["" if value is None else str(value).strip() for value in row] for row in rows]


def is_workbook(path: paths.PathName) -> bool:
    """Whether a file is named as a workbook of spreadsheets."""
    return Path(path).suffix.lower() in (".xlsx", ".xls", ".ods")


def _text_of_workbook(path: paths.PathName, table: str | None) -> str:
    """A sheet of a workbook as CSV: the first, or the one of this name or number."""
    try:
        sheets = pd.read_excel(path, sheet_name=None, header=None, dtype=object)
    except ImportError as error:
        engine = getattr(error, "name", None) or "openpyxl"
        remedy = f"pip install {engine}, or save it as CSV"
        seen = f"a workbook, which pandas reads with {engine}: {remedy}"
        raise paths.file_error(path, "be readable", seen) from error
    except (ValueError, KeyError, BadZipFile) as error:
        seen = f"what pandas cannot read ({error})"
        raise paths.file_error(path, "be a workbook", seen) from error
    names = {str(number): name for number, name in enumerate(sheets, 1)}
    names |= {str(name): name for name in sheets}
    return str(sheets[_chosen(names, table or "1")].to_csv(header=False, index=False))
