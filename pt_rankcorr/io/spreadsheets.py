"""Tables in files become sheets: headings, and below them columns, each cell with the line that it stood in.

CSV as people and spreadsheets write it, pages in Markdown, JSON, workbooks, and the lines that evaluation tools print
all become rows of text, which are numbers where a reader asks for scores. CSV that is nothing but rows below a header
is parsed by pandas' parser in C. What a column holds is decided elsewhere, by its heading.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
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
TRUTH = frozenset({"true", "false"})  # as judges write 1 and 0
BLANKS = r"\s+"
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "blank": BLANKS}
TABS = re.compile(r"[ \t]*\t[ \t]*")
LOOKED_AT = 50  # lines that show what separates cells
HEADING_OF_NAMES = headings.TOPICS | headings.SYSTEMS
QUOTED = re.compile(r'"[^"]*(?:"|$)')
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
ODD_NUMBERS = {  # what is no number as it is -> what is odd about it, and the remedy
    DECIMAL_COMMA: "It has a decimal comma: `decimal=','` reads these.",
    re.compile(r"[^\d\w]*[+-]?\d*[.,]?\d+[^\d\w]*%"): "It has a percent sign: write all scores without it.",
    re.compile(r"[^\d\w]*\d[\d.,' ]*([^\d\w].*)?"): "It has more than a number: write the score alone, such as 0.31.",
}
RULE_BELOW_A_HEADER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
JSON_ROWS = "objects of JSON, one a line or a list, whose values are texts and numbers"
NESTED = "key"  # what the outer names of nested JSON are called
OLD_HEADING = "Queryid (Num):"  # above the scores of a topic, of old versions of trec_eval
NEEDS_TOPICS = "mean scores only, as {} has them; topics are needed."
OTHER_OUTPUT = {  # what other output of evaluation tools begins with -> what it is, and the remedy
    "Total number of documents over all queries": "the form for people (trec_eval -o): run trec_eval -q without -o.",
    "#####": NEEDS_TOPICS.format("msmarco_passage_eval"),
    "MRR @": NEEDS_TOPICS.format("msmarco_passage_eval"),
    "measure {": NEEDS_TOPICS.format("TIRA's prototext"),
    "measure{": NEEDS_TOPICS.format("TIRA's prototext"),
    "\\begin{": "a table in LaTeX, which is for people: give the scores that it was made of.",
    "# syscode": "output of NTCIREVAL: give read_scores a table of its scores by topic.",
}


def separator_of(sep: object) -> str | None:
    """What separates cells, by its word or itself; None where the content is to show it."""
    known = SEPARATORS | {mark: mark for mark in SEPARATORS.values()} | {"\\t": "\t", " ": BLANKS, "space": BLANKS}
    if sep is not None and sep not in known:
        raise ValueError(f"`sep` must be {', '.join(map(repr, SEPARATORS))} or the character, got {shown(sep)}.")
    return None if sep is None else known[str(sep)]


class FileSheet(Sheet):
    """A sheet that a file holds: numbered rows, of which the first is the header, and the columns below it."""

    headings: list[Any]

    def __init__(
        self,
        path: paths.PathName,
        expected: str,  # what a message says the file should be
        rows: Callable[[], Sequence[Row]],  # all of them as text, the header, too
        header: Sequence[str],
        n_rows: int,  # below the header
        *,
        table: pd.DataFrame | None = None,  # what pandas made of those, if it did
        separator: str = ",",
        decimal: str | None = None,  # the mark in numbers; None where the content is to show it
        quoted: frozenset[str] = frozenset(),  # headings and other names that alone stand in quotes
    ) -> None:
        self.path, self.expected, self.called, self.n_rows = path, expected, repr(paths.name_of(path)), n_rows
        self._rows, self._table, self.separator, self.decimal, self.quoted = rows, table, separator, decimal, quoted
        self._texts: dict[int, pd.Categorical[Any]] = {}
        self._numbers: dict[int, tuple[Floats, Any]] = {}
        self.headings = [cell.strip() for cell in header]
        while len(self.headings) > 1 and not self.headings[-1] and not any(self.texts(len(self.headings) - 1)):
            self.headings.pop()  # a last column that has neither a name nor content

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The rows as text, with their numbers; the first is the header."""
        return self._rows()

    @property
    def columns(self) -> range:
        """The places of the columns."""
        return range(len(self.headings))

    def with_first_row(self) -> FileSheet:
        """The sheet without a header: its first row is one of scores, and columns are called by their numbers."""
        header = [str(column + 1) for column in self.columns]
        rows = [(0, header), *self.rows]
        return sheet_of_rows(self.path, self.expected, rows, separator=self.separator, decimal=self.decimal)

    def check_rows(self) -> FileSheet:
        """The sheet, if there is a row below its header."""
        if not self.n_rows:
            raise paths.file_error(self.path, f"be {self.expected}", "no row below its header")
        return self

    def texts(self, column: int) -> pd.Categorical[Any]:
        """The cells of a column as text without blanks around it, (n_rows,); categories are as they first appear."""
        if column not in self._texts:
            values: Any = None if self._table is None else self._table[column]
            # names that pandas made numbers, or missing, such as NA, are looked up again
            if values is None or values.dtype.kind in "iufb" or values.isna().any():
                values = np.array([cells[column] for _, cells in self.rows[1:]], dtype=object)
            codes, cells = pd.factorize(values)
            texts = [cell.strip() for cell in cells.astype(object)]
            known = {text: place for place, text in enumerate(dict.fromkeys(texts))}
            if len(known) < len(texts):
                codes = np.array([known[text] for text in texts])[codes]
            self._texts[column] = pd.Categorical.from_codes(codes, pd.Index([*known], dtype=object), ordered=True)
        return self._texts[column]

    def numbers(self, column: int) -> Floats | None:
        """The numbers of a column, (n_rows,), nan for a missing score; None if some cell is neither."""
        numbers, is_odd = self._parsed(column)
        return None if is_odd.any() else numbers

    def has_scores(self, column: int) -> bool:
        """Whether some cell of a column is a number."""
        numbers, is_odd = self._parsed(column)
        return bool(np.any(~np.isnan(numbers) & ~is_odd))

    def scores(self, column: int, is_used: Any = True) -> Floats:
        """The numbers of a column, nan where there is none, and 1 and 0 for True and False.

        An error for a cell that is none of these, if it is used: `is_used` is a mask of rows, (n_rows,).
        """
        numbers, is_odd = self._parsed(column)
        if is_odd.any() and (is_wrong := is_odd & np.isnan(numbers) & is_used).any():
            row = int(np.argmax(is_wrong))
            text, heading = str(self.texts(column)[row]), shown(str(self.headings[column]))
            seen = f"{shown(text)} in line {self.number_of(row)}, column {heading}"
            raise paths.file_error(self.path, "have numbers as scores", seen, f" {odd_about(text)}")
        return numbers

    def _parsed(self, column: int) -> tuple[Floats, Any]:
        """The numbers of a column, nan where a cell is none, and which are odd: (n_rows,) each, by `number_in`."""
        if column not in self._numbers:
            if self._table is not None and (values := self._table[column]).dtype.kind in "iuf":
                self._numbers[column] = values.to_numpy(np.float64), np.zeros(len(values), dtype=bool)
                return self._numbers[column]
            texts, mark = self.texts(column), self.decimal_of(column)
            parsed = [number_in(text, mark) for text in texts.categories]
            numbers, are_odd = np.array(parsed, dtype=np.float64).reshape(-1, 2).T
            self._numbers[column] = numbers[texts.codes], are_odd[texts.codes] != 0
        return self._numbers[column]

    def decimal_of(self, column: int) -> str:
        """The decimal mark of a column: where semicolons separate cells, a comma if no number has a point."""
        if self.decimal is not None or self.separator != ";":
            return self.decimal or "."
        texts = [str(text) for text in self.texts(column).categories]
        has_commas = any(map(DECIMAL_COMMA.fullmatch, texts)) and not any("." in text for text in texts)
        return "," if has_commas else "."

    def number_of(self, row: int) -> int:
        """The number of the line that a row is on."""
        return self.rows[row + 1][0]

    def row_error(self, row: int, hint: str = "") -> ValueError:
        """The error for a row that is not what it should be; -1 is the first, that of the header."""
        number, cells = self.rows[row + 1]
        return paths.line_error(self.path, number, _line_of(cells, self.separator), self.expected, hint)


def is_none(text: str) -> bool:
    """Whether a cell stands for no score."""
    return text.lower() in NO_SCORE


def is_score(text: str) -> bool:
    """Whether a text is a number, or stands for none."""
    return paths.is_number(text) or is_none(text)


def number_in(text: str, decimal: str) -> tuple[float, bool]:
    """The number in a text, 1 or 0 for true or false, else nan; and whether it is odd: no number nor a missing one."""
    try:
        return paths.as_number(text if decimal == "." else text.replace(".", "x").replace(",", ".")), False
    except ValueError:
        is_truth = text.lower() in TRUTH
        return float(text.lower() == "true") if is_truth else np.nan, not is_none(text)


def is_like_score(text: str) -> bool:
    """Whether a text is no number as it is, but one with a decimal comma, a percent sign, a star or the like."""
    return not is_score(text) and any(form.fullmatch(text) for form in ODD_NUMBERS)


def odd_about(text: str) -> str:
    """Why a text is no number, and what to do."""
    remedies = (remedy for form, remedy in ODD_NUMBERS.items() if form.fullmatch(text))
    return next(remedies, "It is no number. A score that is missing is an empty cell or NA.")


# --- from a file to a sheet -------------------------------------------------------------------------------------


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
    """The table of a file; of several on a page, `table` says which, by its number or the heading above it.

    Without a `sep`, as `separator_of` gives it, blanks separate cells only if there is no other mark, and each line has
    as many cells, or the first `n_blank`. Cells `of_tool`s stand between tabs or any blanks, and none of them is empty.
    `expected` is what messages say the file should be, `decimal` the mark in numbers, which is else found.
    """
    if is_workbook(path):
        return _sheet_of_text(path, expected, _text_of_workbook(path, table), sep=",", decimal=decimal)
    with paths.open_text(path, expected) as file:
        data = file.buffer.read().removeprefix(BOM_UTF8)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        plain = None if of_tool or table else _plain_sheet(path, expected, data, sep, decimal)
        if plain is not None:
            return plain
        text = data.decode()
    if text.lstrip()[:1] in ("{", "["):
        return _sheet_of_json(path, expected, text)
    lines = text.split("\n")
    if sep is None and "|" in text and "--" in text and not of_tool:
        rules = [place for place, line in enumerate(lines) if "|" in line and RULE_BELOW_A_HEADER.fullmatch(line)]
        if rules:
            return _sheet_of_markdown(path, expected, lines, rules, table)
    if table is not None:
        raise ValueError(f"`table` must be left out for a file of one table, got {shown(table)}.")
    return _sheet_of_text(path, expected, text, n_blank=n_blank, of_tool=of_tool, sep=sep, decimal=decimal)


def _plain_sheet(
    path: paths.PathName, expected: str, data: bytes, sep: str | None, decimal: str | None
) -> FileSheet | None:
    """The sheet of CSV, as bytes, whose first line is the header, and all others rows; None if there is anything else.

    That is a comment, a title, quotes, an empty row, or a second header. Nothing is looked at line by line.
    """
    begin = [line for line in data[: 1 << 16].decode(errors="ignore").split("\n")[:LOOKED_AT] if line.strip()]
    if not begin or begin[0].lstrip()[:1] in tuple("{[#") or SEPARATOR_LINE.fullmatch(begin[0].strip()):
        return None
    separator = sep or _mark_of(begin)
    header_line, _, body = data.partition(b"\n")
    header = header_line.decode(errors="replace").split(separator) if separator else []
    is_odd_header = "\ufffd" in "".join(header) or sum(map(bool, map(str.strip, header))) < 2
    if separator in (None, BLANKS) or b'"' in data or is_odd_header:
        return None
    are_names = [place for place, name in enumerate(header) if place == 0 or plain_heading(name) in headings.NAMES]
    try:
        table: pd.DataFrame = pd.read_csv(
            BytesIO(body), sep=separator, header=None, index_col=False, quoting=csv.QUOTE_NONE, low_memory=False,
            skipinitialspace=True, decimal=decimal or ".", dtype=dict.fromkeys(are_names, str), keep_default_na=False,
            na_values=sorted({*NO_SCORE, *map(str.upper, NO_SCORE), *map(str.title, NO_SCORE), "NaN", "-NaN"}),
            **paths.NEAREST,
        )  # fmt: skip
    except ValueError:  # no rows, rows of different lengths, or bytes that are no text
        return None
    is_odd = table[0].isna() | table[0].str.startswith("#") | (table[0] == header[0].strip())
    n_marks = len(table) * (len(header) - 1)
    if body.count(str(separator).encode()) != n_marks or table.shape[1] != len(header) or is_odd.any():
        return None

    def rows() -> list[Row]:
        lines = enumerate(data.decode().split("\n"), 1)
        return [(number, line.split(separator)) for number, line in lines if line.strip()]

    return FileSheet(path, expected, rows, header, len(table), table=table, separator=str(separator), decimal=decimal)


def sheet_of_rows(path: paths.PathName, expected: str, rows: Sequence[Row], **known: Any) -> FileSheet:
    """The sheet of rows of text, each with the number of its line; the first is the header."""
    return FileSheet(path, expected, lambda: rows, rows[0][1], len(rows) - 1, **known)


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
    """The sheet of a text line by line, without comments, titles, and empty rows; arguments are as of `read_sheet`."""
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
    are_fields = len({len(line.split()) for line in bare}) == 1 or not any(mark in bare[0] for mark in ",;")
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
            hint = f" It has {len(cells)} cells, the first line {width}. Notes below a table must begin with #."
            raise paths.line_error(path, number, _line_of(cells, separator), expected, hint)
    for number, cells in rows if '"' in text else ():
        if any("\n" in cell and _holds_rows(cell, separator, width) for cell in cells):
            seen = f"one that lines of the table stand behind in line {number}"
            raise paths.file_error(path, "have quotes in pairs", seen, " Take it out, or write it twice in quotes.")
    return sheet_of_rows(path, expected, rows, separator=separator, decimal=decimal, quoted=quoted)


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
    begin, limit = 1, csv.field_size_limit(len(text))  # of the process, restored below: a cell may be long
    try:
        for cells in reader:
            rows.append((begin, cells))
            begin = reader.line_num + 1
    except csv.Error as error:
        got = f"{error} in what begins in line {begin}. Take a single one out, or write it twice in quotes"
        raise paths.file_error(path, f"be {expected}, with quotes in pairs", got) from None
    finally:
        csv.field_size_limit(limit)
    return [row for row in rows if row[0] >= lines[0][0]]  # without a line such as "sep=;"


def _fields(text: str, lines: Sequence[tuple[int, str]]) -> list[Row]:
    """The fields of lines that an evaluation tool wrote, but for comments.

    Names may have blanks where as many fields stand between tabs in each line.
    """
    lines = [(number, line) for number, line in lines if not line.lstrip().startswith(("#", OLD_HEADING))]
    if any(mark in text for mark in ("\t\t", "\t ", " \t", "\n\t")):
        lines = [(number, TABS.sub("\t", line).strip()) for number, line in lines]
    by_tab: list[Row] = [(number, line.split("\t")) for number, line in lines]
    are_tabs = len({len(cells) for _, cells in by_tab}) == 1 and len(by_tab[0][1]) > 2
    return by_tab if are_tabs else [(number, line.split()) for number, line in lines]


def _holds_rows(cell: str, separator: str, width: int) -> bool:
    """Whether a cell of several lines holds rows of the table, `width` cells each: after a quote that is not closed.

    All its lines but the last then end in a score, as those of a text do not.
    """
    *inside, _ = cell.split("\n")
    are_rows = all(is_score(line.rpartition(separator)[2].strip()) for line in inside)
    return are_rows and cell.count(separator) >= len(inside) * (width - 1)


def _mark_of(lines: Sequence[str]) -> str | None:
    """A tab if the first line with a mark has one, else ";" or ",", which the next line has as often; None without."""
    bare = [QUOTED.sub("", line) for line in lines[:LOOKED_AT] if not line.startswith("#")]
    place = next((place for place, line in enumerate(bare) if any(mark in line for mark in "\t;,")), None)
    if place is None:
        return None
    header, following = bare[place], bare[min(place + 1, len(bare) - 1)]
    marks = [mark for mark in "\t;," if mark in header]
    alike = [mark for mark in marks if following.count(mark) == header.count(mark)]
    return "\t" if "\t" in marks else (alike or marks[-1:])[0]


def _separator(lines: Sequence[str], n_blank: int | None) -> str:
    """What separates the cells of lines: a mark, or blanks, if as many stand in each line or `n_blank` in the first."""
    if mark := _mark_of(lines):
        return mark
    widths = {len(line.split()) for line in lines}
    is_even = len(widths) == 1 and min(widths) > 1 and any(map(is_score, lines[-1].split()))
    return BLANKS if is_even or len(lines[0].split()) == n_blank else ","


def _without_comments(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows but for empty ones, comments, titles above the header, and the header where it repeats.

    Titles have a single cell. A comment may be the header, and below that a name may begin with "#".
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
        if is_comment and not header and plain_heading(first.lstrip("# ")) in HEADING_OF_NAMES and len(cells) > 1:
            cells, is_comment = [first.lstrip("# "), *cells[1:]], False
        is_title = not header and filled == [0] and has_several
        if filled and not is_comment and not is_title:
            header = header or cells
            yield number, cells


# --- Markdown, JSON and workbooks -------------------------------------------------------------------------------


def _chosen(names: dict[str, Any], table: str) -> Any:
    """The table of a file that is chosen by its number or name."""
    if table not in names:
        raise ValueError(f"`table` must be among {listing(names)}, got {shown(table)}.")
    return names[table]


def _sheet_of_markdown(
    path: paths.PathName, expected: str, lines: Sequence[str], rules: Sequence[int], table: str | None
) -> FileSheet:
    """The sheet of a page's only table, or of the one chosen; `rules` are the places of lines such as |---|---|."""
    starts = [rule - 1 for rule in rules if rule > 0 and lines[rule - 1].strip()]
    if not starts:
        seen = f"a rule without a header in line {rules[0] + 1}"
        raise paths.file_error(path, "have one table in Markdown", seen)
    above = [[line.lstrip("# ").strip() for line in lines[:start] if line.startswith("#")] for start in starts]
    titles = [found[-1] if found else "" for found in above]
    names = {str(number): start for number, start in enumerate(starts, 1)}
    names |= {title: start for title, start in zip(titles, starts, strict=True) if title and titles.count(title) == 1}
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
            seen = f"{len(cells)} in line {number}"
            raise paths.file_error(path, f"have {len(rows[0][1])} cells in each row, as in its header", seen)
        rows.append((number, cells))
    return sheet_of_rows(path, expected, rows, decimal=".")


def _cells_of_markdown(line: str) -> list[str]:
    """The cells of a row as text, without links and what makes text bold."""
    cells = []
    for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|")):
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", cell.strip())
        text = re.sub(r"\*\*|`|^[*_]+|(?<![\\*_])[*_]+$", "", text)
        cells.append(re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~-])", r"\1", text).strip())
    return cells


def _sheet_of_json(path: paths.PathName, expected: str, text: str) -> FileSheet:
    """The sheet of JSON: objects in lines or a list, or one object that is nested by system or by topic."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        content = paths.parsed_json(text)
        objects = [(lines[0][0], item) for item in (content if isinstance(content, list) else [content])]
    except ValueError:
        objects = []
        for number, line in lines:
            try:
                objects.append((number, paths.parsed_json(line)))
            except ValueError:
                raise paths.line_error(path, number, line.strip(), JSON_ROWS) from None
    is_one = len(objects) == 1 and isinstance(objects[0][1], dict)
    if is_one and (nested := _rows_of_nested(objects[0][1], paths.stem(path))):
        return sheet_of_rows(path, expected, [(lines[0][0], row) for row in nested], decimal=".")
    names: dict[str, None] = {}
    for number, item in objects:
        if not isinstance(item, dict) or any(isinstance(value, (dict, list)) for value in item.values()):
            kind = "nested JSON: " if isinstance(item, dict) else ""
            is_of_harness = isinstance(item, dict) and {"results", "scores", "mteb_version"} & {*item}
            hint = " It has the results of one system by task: put those of several into one table with a row a system."
            seen = f"{kind}{shown(item)} in line {number}"
            raise paths.file_error(path, f"be {JSON_ROWS}", seen, hint * bool(is_of_harness))
        names |= dict.fromkeys(item)
    rows = [(number, [_json_text(item.get(name)) for name in names]) for number, item in objects]
    return sheet_of_rows(path, expected, [(lines[0][0], [*names]), *rows], decimal=".")


def _rows_of_nested(content: dict[str, Any], system: str) -> list[list[str]] | None:
    """The header and rows of {name: {heading: number}}, or of Elasticsearch's rank_eval of one `system`; else None.

    Names are the first column. If the headings are numbered as topics are, and the names are not, rows are topics.
    """
    if isinstance(details := content.get("details"), dict) and "metric_score" in content:
        scores = {topic: of.get("metric_score") for topic, of in details.items() if isinstance(of, dict)}
        return [["system", "topic", "metric_score"], *([system, topic, _json_text(of)] for topic, of in scores.items())]
    if isinstance(models := content.get("model_names"), list):  # a report of ranx
        content = {name: content[name]["scores"] for name in models}
    if not all(isinstance(of, dict) for of in content.values()):
        return None
    if any(isinstance(value, (dict, list, bool)) for of in content.values() for value in of.values()):
        return None
    inner = [*dict.fromkeys(name for of in content.values() for name in of)]
    if headings.are_numbered(inner) and not headings.are_numbered(content):
        columns = [[_json_text(of.get(topic)) for of in content.values()] for topic in inner]
        return [["topic", *content], *([topic, *cells] for topic, cells in zip(inner, columns, strict=True))]
    # NESTED says nothing: rows are systems where these are wanted, and asked for where topics are
    are_topics = headings.are_numbered(content) and not headings.are_numbered(inner)
    first = "topic" if are_topics and not headings.count_from_one(content) else NESTED
    return [[first, *inner], *([name, *(_json_text(of.get(at)) for at in inner)] for name, of in content.items())]


def _json_text(value: Any) -> str:
    """A value as a cell, empty for null."""
    return "" if value is None else str(value).strip()


def is_workbook(path: paths.PathName) -> bool:
    """Whether a file is named as a workbook of spreadsheets."""
    return Path(path).suffix.lower() in (".xlsx", ".xls", ".ods")


def _text_of_workbook(path: paths.PathName, table: str | None) -> str:
    """A sheet of a workbook as CSV: the first, or the one of this name or number."""
    try:
        sheets = pd.read_excel(path, sheet_name=None, header=None, dtype=object)
    except ImportError as error:
        engine = getattr(error, "name", None) or "openpyxl"
        seen = f"a workbook, which pandas reads with {engine}: pip install {engine}, or save it as CSV"
        raise ValueError(f"{paths.name_of(path)!r} must be readable, got {seen}.") from error
    except (ValueError, KeyError, BadZipFile) as error:
        raise paths.file_error(path, "be a workbook", f"what pandas cannot read ({error})") from error
    names = {str(number): name for number, name in enumerate(sheets, 1)} | {str(name): name for name in sheets}
    return str(sheets[_chosen(names, table or "1")].to_csv(header=False, index=False))
