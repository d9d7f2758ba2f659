"""Tables in files become sheets: pandas' parser in C reads CSV; what is no number is looked at again, as text.

`read_sheet` reads CSV as people and spreadsheets write it, a page in Markdown, JSON and workbooks; `sheet_of_fields`
the lines that evaluation tools print. What a file holds in which column is decided elsewhere: a `FileSheet` has
headings, columns, and the line of each row, which messages name.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
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

Line: TypeAlias = tuple[int, str]  # its number, and its text

NO_SCORE = frozenset(
    {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "nil", "-", "--", "\u2013", "\u2014"}
)
BLANKS = r"\s+"
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "blank": BLANKS}
LOOKED_AT = 50  # lines that show what separates cells
QUOTED = re.compile(r'"[^"]*(?:"|$)')
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
ODD_NUMBERS = {  # what is no number as it is -> what is odd about it, and the remedy
    DECIMAL_COMMA: "It has a decimal comma: `decimal=','` reads these.",
    re.compile(r"[^\d\w]*[+-]?\d*[.,]?\d+[^\d\w]*%"): "It has a percent sign: write all scores without it.",
    re.compile(
        r"[+-]?\d{1,3}([.,' ]\d{3})+([.,]\d+)?|\d+(,\d+)+\.\d+|\d+(\.\d+)+,\d+"
    ): "It has marks of thousands, or two decimal marks: write numbers such as 0.31.",
    re.compile(r"[+-]?\d*[.,]?\d+ *(?:±|\+/-|\(|\[).*"): "It has more than one number: write the score alone.",
    re.compile(r"[^\d\w]*[+-]?\d*[.,]?\d+[^\d\w]*"): "It has marks beside the number: write the number alone.",
}
RULE_BELOW_A_HEADER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
JSON_ROWS = "objects of JSON, one a line or a list, whose values are texts and numbers"


def separator_of(sep: object) -> str | None:
    """What separates cells, by its word or itself; None where the content is to show it."""
    if sep is None or sep in SEPARATORS.values():
        return None if sep is None else str(sep)
    known = SEPARATORS | {"\\t": "\t", " ": BLANKS, "space": BLANKS}
    if sep not in known:
        raise ValueError(f"`sep` must be {', '.join(map(repr, SEPARATORS))} or the character, got {shown(sep)}.")
    return known[str(sep)]


class FileSheet(Sheet):
    """A sheet that a file holds: columns as pandas parsed them, and the way back to their text and lines."""

    headings: list[Any]

    def __init__(
        self,
        path: paths.PathName,
        expected: str,  # what a message says the file should be
        header: Sequence[str],  # the first row, which may be no header
        table: pd.DataFrame,  # the rows below it: columns of numbers, or of text
        lines: Callable[[], Sequence[Line]],  # those of the rows, the first being that of the header
        *,
        body: bytes = b"",  # what pandas parsed, where `table` has more than text
        separator: str = ",",
        quoting: int = csv.QUOTE_MINIMAL,
        decimal: str | None = None,  # the mark in numbers; None where the content is to show it
        quoted: frozenset[str] = frozenset(),  # headings and other names that alone stand in quotes
    ) -> None:
        headings = [cell.strip() for cell in header]
        while len(headings) > 1 and not headings[-1] and table[len(headings) - 1].isna().all():
            headings.pop()  # a last column that has neither a name nor content
        self.path, self.expected, self.headings = path, expected, list[Any](headings)
        self.called, self.table, self.n_rows = repr(paths.name_of(path)), table, len(table)
        self.lines, self.body, self.separator, self.quoting = lines, body, separator, quoting
        self.decimal, self.quoted = decimal, quoted
        self._texts: dict[int, pd.Categorical[Any]] = {}
        self._numbers: dict[int, tuple[Floats, Any]] = {}

    @property
    def columns(self) -> range:
        """The places of the columns."""
        return range(len(self.headings))

    def with_first_row(self) -> FileSheet:
        """The sheet without a header: its first row is one of scores."""
        columns = {place: [str(self.headings[place]), *map(str, self.texts(place))] for place in self.columns}
        table = pd.DataFrame(columns, dtype=str)
        header = [str(column + 1) for column in self.columns]
        return FileSheet(
            self.path, self.expected, header, table, lambda: [(0, ""), *self.lines()],
            decimal=self.decimal, separator=self.separator,
        )  # fmt: skip

    def row(self, row: int) -> list[str]:
        """The cells of a row as text."""
        return [str(self.texts(column)[row]) for column in self.columns]

    def check_rows(self) -> FileSheet:
        """The sheet, if there is a row below its header."""
        if not self.n_rows:
            raise paths.file_error(self.path, f"be {self.expected}", "no row below its header")
        return self

    def texts(self, column: int) -> pd.Categorical[Any]:
        if not self.n_rows:
            return pd.Categorical([])
        if column not in self._texts:
            values = self.table[column]
            if values.dtype.kind in "iufb" or values.isna().any():  # of names, made numbers, or missing, such as NA
                how = _how(self.separator, self.quoting)
                again = pd.read_csv(BytesIO(self.body), usecols=[column], dtype=str, na_filter=False, **how)
                values = again[column]
            codes, cells = pd.factorize(values)
            texts = [cell.strip() for cell in cells.astype(object)]
            known = {text: place for place, text in enumerate(dict.fromkeys(texts))}
            if len(known) < len(texts):
                codes = np.array([known[text] for text in texts])[codes]
            self._texts[column] = pd.Categorical.from_codes(codes, pd.Index([*known], dtype=object), ordered=True)
        return self._texts[column]

    def numbers(self, column: int) -> Floats | None:
        numbers, is_odd = self._parsed(column)
        return None if is_odd.any() else numbers

    def has_scores(self, column: int) -> bool:
        """Whether some cell of a column is a number."""
        numbers, is_odd = self._parsed(column)
        return bool(np.any(~np.isnan(numbers) & ~is_odd))

    def scores(self, column: int, is_used: Any = True) -> Floats:
        """The numbers of a column, nan where there is none, and 1 and 0 for True and False, as judges write them.

        An error for a cell that is none of these, if it is used.
        """
        numbers, is_odd = self._parsed(column)
        is_wrong = is_odd & np.isnan(numbers) & is_used
        if is_wrong.any():
            raise self.cell_error(int(np.argmax(is_wrong)), column)
        return numbers

    def _parsed(self, column: int) -> tuple[Floats, Any]:
        """The numbers of a column, nan where a cell is none, and the rows whose cells are odd."""
        if column not in self._numbers:
            values = self.table[column]
            if values.dtype.kind in "iuf":
                self._numbers[column] = values.to_numpy(np.float64), np.zeros(len(values), dtype=bool)
                return self._numbers[column]
            texts, mark = self.texts(column), self.decimal_of(column)
            parsed = [_number_of(text, mark) for text in texts.categories]
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
        return self.lines()[row + 1][0]

    def cell_error(self, row: int, column: int) -> ValueError:
        """The error for a cell that is no number, with what is odd about it."""
        text = str(self.texts(column)[row])
        seen = f"{shown(text)} in line {self.number_of(row)}, column {shown(str(self.headings[column]))}"
        return paths.file_error(self.path, "have numbers as scores", seen, f" {odd_about(text)}")

    def row_error(self, row: int, hint: str = "") -> ValueError:
        """The error for a row that is not what it should be; -1 is the first, that of the header."""
        number, line = self.lines()[row + 1]
        return paths.line_error(self.path, number, line, self.expected, hint)


def is_none(text: str) -> bool:
    """Whether a cell stands for no score."""
    return text.lower() in NO_SCORE


def is_score(text: str) -> bool:
    """Whether a text is a number, or stands for none."""
    return paths.is_number(text) or is_none(text)


def _number_of(text: str, decimal: str) -> tuple[float, bool]:
    """The number in a text, nan if there is none; and whether it is odd: no number as it is."""
    if text.lower() in ("true", "false"):
        return float(text.lower() == "true"), True
    point = text if decimal == "." else text.replace(".", "x").replace(",", ".")
    return (paths.as_number(point), False) if paths.is_number(point) else (np.nan, not is_none(text))


def is_like_score(text: str) -> bool:
    """Whether a text is no number as it is, but one with a decimal comma, a percent sign, a star or the like."""
    return not is_score(text) and any(form.fullmatch(text) for form in ODD_NUMBERS)


def odd_about(text: str) -> str:
    """Why a text is no number, and what to do."""
    if is_none(text):
        return "It is no score."
    remedies = (remedy for form, remedy in ODD_NUMBERS.items() if form.fullmatch(text))
    return next(remedies, "It is no number. A score that is missing is an empty cell or NA.")


# --- from a file to a sheet -------------------------------------------------------------------------------------


def read_sheet(
    path: paths.PathName,
    expected: str,
    *,
    n_blank: int | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    table: str | None = None,
) -> FileSheet:
    """The table of a file; of several on a page, `table` says which, by its number or the heading above it.

    Without a `sep`, blanks separate cells only if there is no other mark, and as many stand in each line, or `n_blank`
    in the first.
    """
    if is_workbook(path):
        return _sheet_of_text(path, expected, _text_of_workbook(path, table), None, ",", decimal)
    with paths.open_text(path, expected) as file:
        data = file.buffer.read().removeprefix(BOM_UTF8)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if (sheet := _plain_sheet(path, expected, data, sep, decimal)) is not None and table is None:
            return sheet
        text = data.decode()
    if text.lstrip()[:1] in ("{", "["):
        return _sheet_of_json(path, expected, text)
    if sep is None and "|" in text and "--" in text:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1)]
        rules = [place for place, (_, line) in enumerate(lines) if "|" in line and RULE_BELOW_A_HEADER.fullmatch(line)]
        if rules:
            return _sheet_of_markdown(path, expected, lines, rules, table)
    if table is not None:
        raise ValueError(f"`table` must be left out for a file of one table, got {shown(table)}.")
    return _sheet_of_text(path, expected, text, n_blank, sep, decimal)


def _plain_sheet(
    path: paths.PathName, expected: str, data: bytes, sep: str | None, decimal: str | None
) -> FileSheet | None:
    """The sheet of CSV whose first line is the header, and all others are rows; None if there is anything else.

    That is a comment, a title, quotes, an empty row, or a second header. Nothing is looked at line by line.
    """
    try:
        begin = [line for line in data[: 1 << 16].decode(errors="ignore").split("\n")[:LOOKED_AT] if line.strip()]
        header_line, _, body = data.partition(b"\n")
        if not begin or begin[0].lstrip()[:1] in tuple('{[#"') or SEPARATOR_LINE.fullmatch(begin[0].strip()):
            return None
        separator = sep or _mark_of(begin)
        header = header_line.decode().split(separator) if separator else []
        if separator in (None, BLANKS) or b'"' in data or sum(map(bool, map(str.strip, header))) < 2:
            return None
        table = _table_of(body, header, str(separator), csv.QUOTE_NONE, decimal)
    except ValueError:  # no rows, rows of different lengths, or bytes that are no text
        return None
    n_marks = len(table) * (len(header) - 1)
    is_odd = table[0].isna() | table[0].str.startswith("#") | (table[0] == header[0].strip())
    if body.count(str(separator).encode()) != n_marks or table.shape[1] != len(header) or is_odd.any():
        return None
    return FileSheet(
        path, expected, header, table, lambda: _numbered(data.decode()),
        body=body, separator=str(separator), quoting=csv.QUOTE_NONE, decimal=decimal,
    )  # fmt: skip


def _sheet_of_text(
    path: paths.PathName, expected: str, text: str, n_blank: int | None, sep: str | None, decimal: str | None
) -> FileSheet:
    """The sheet of a text with comments, titles, quotes, or empty rows, which are left out line by line."""
    lines = _numbered(text)
    if not lines:
        raise paths.file_error(path, f"be {expected}", "an empty file")
    if mark := SEPARATOR_LINE.fullmatch(lines[0][1].strip()):
        lines = lines[1:]
    separator = sep or (mark[1] if mark else _separator([line for _, line in lines], n_blank))
    lines = list(_without_comments(lines, separator))
    if not lines:
        raise paths.file_error(path, f"be {expected}", "comments alone")
    if separator != BLANKS:
        marks = f'{separator} "\r\n'
        lines = _without_title([(number, line) for number, line in lines if line.strip(marks)], separator)
    header = lines[0][1].strip()
    lines = [lines[0], *((number, line) for number, line in lines[1:] if line.strip() != header)]
    return sheet_of_numbered(path, expected, lines, separator, decimal, quoted=separator != BLANKS)


def _numbered(text: str) -> list[Line]:
    """The lines of a text that have something in them, with their numbers."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def sheet_of_numbered(
    path: paths.PathName, expected: str, lines: list[Line], separator: str, decimal: str | None, *, quoted: bool
) -> FileSheet:
    """The sheet of numbered lines, the first of which is the header; an error for one with too few or many cells."""
    lines = given = [(number, line.rstrip("\n")) for number, line in lines]
    whole = "\n".join(line for _, line in lines)
    has_quotes = quoted and '"' in whole
    try:
        rows = list(csv.reader(StringIO(whole), delimiter=separator)) if has_quotes else []
    except csv.Error:  # a cell is longer than the module allows; pandas reads it
        rows = []
    header = rows[0] if rows else _split(lines[0][1], separator)
    if rows:
        widths = [len(row) for row in rows]
    else:
        widths = [] if has_quotes else [len(_split(line, separator)) for _, line in lines]
    if len(rows) and len(rows) < len(lines):  # cells go over several lines
        lines = [(number, ",".join(row)) for number, row in enumerate(rows, 1)]
    wrong = next((place for place, n_cells in enumerate(widths) if n_cells != len(header)), None)
    if wrong is not None:
        hint = f" It has {widths[wrong]} cells, the first line {len(header)}. Notes below a table must begin with #."
        raise paths.line_error(path, *lines[wrong], expected, hint)
    body = "\n".join(whole.split("\n")[1 + "".join(header).count("\n") :]).encode()
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    try:
        table = (
            _table_of(body, header, separator, quoting, decimal)
            if body.strip()
            else pd.DataFrame(columns=[*range(len(header))])
        )
        if table.shape[1] != len(header):
            raise ValueError("rows of different lengths")
    except ValueError as error:
        raise paths.file_error(path, f"be {expected}", str(error).strip()) from None
    if has_quotes and len(table) + 1 < len(given):
        _refuse_stray_quotes(path, given, header, table, separator)
    names = frozenset(name.strip('"') for name in QUOTED.findall(whole) if has_quotes and not whole.startswith('"'))
    return FileSheet(
        path, expected, header, table, lambda: lines,
        body=body, separator=separator, quoting=quoting, decimal=decimal, quoted=names,
    )  # fmt: skip


def _refuse_stray_quotes(
    path: paths.PathName, lines: list[Line], header: Sequence[str], table: pd.DataFrame, separator: str
) -> None:
    """An error if a cell holds lines of the table, as after a quote that is not closed: texts end in no score."""
    for cell in [*header, *table.select_dtypes(exclude="number").stack().astype(str)]:
        begin, *more = cell.split("\n")
        inside = [begin, *more[:-1]] if more else []
        ends_as_rows = all(is_score(line.rpartition(separator)[2].strip()) for line in inside)
        if more and ends_as_rows and cell.count(separator) >= len(more) * (len(header) - 1):
            number = next(number for number, line in lines if begin in line)
            seen = f"one that {len(more) + 1} lines stand behind in line {number}"
            raise paths.file_error(path, "have quotes in pairs", seen, " Take it out, or write it twice in quotes.")


def _table_of(body: bytes, header: Sequence[str], separator: str, quoting: int, decimal: str | None) -> pd.DataFrame:
    """The rows below a header: columns that are headed as names, and the first, as text; others as pandas sees them.

    A ValueError where rows differ in length.
    """
    are_names = [place for place, name in enumerate(header) if place == 0 or plain_heading(name) in headings.NAMES]
    table: pd.DataFrame = pd.read_csv(
        BytesIO(body),
        dtype=dict.fromkeys(are_names, str),
        keep_default_na=False,
        na_values=sorted({*NO_SCORE, *map(str.upper, NO_SCORE), *map(str.title, NO_SCORE), "NaN", "-NaN"}),
        decimal=decimal or ".",
        **_how(separator, quoting),
    )
    return table


def _how(separator: str, quoting: int) -> dict[str, Any]:
    """How pandas splits rows below a header into cells."""
    return {"sep": separator, "header": None, "index_col": False, "quoting": quoting, "low_memory": False,
            "skipinitialspace": separator != BLANKS, **paths.NEAREST}  # fmt: skip


# --- lines ------------------------------------------------------------------------------------------------------


def numbered_lines(path: paths.PathName, expected: str) -> list[Line]:
    """The lines that an evaluation tool wrote, with their numbers, but for empty ones and comments; at least one."""
    with paths.open_text(path, expected) as text:
        # an empty line, a comment, and what old versions of trec_eval print before the scores of a topic
        no_fields = re.compile(r"\s*($|#|Queryid \(Num\):)")
        numbered = [(number, line) for number, line in enumerate(text, 1) if not no_fields.match(line)]
    if not numbered:
        raise paths.file_error(path, f"be {expected}", "an empty file")
    return numbered


def sheet_of_fields(path: paths.PathName, expected: str, numbered: list[Line]) -> FileSheet:
    """The fields of lines that an evaluation tool wrote, between tabs, or between any blanks; none is empty.

    Names may have blanks where the same number of tabs stands in each line. The first line is the header of the sheet,
    though most tools write none.
    """
    lines = [line.rstrip("\n") for _, line in numbered]
    text = "\n".join(lines)
    if "\t\t" in text or "\t " in text or "\n\t" in text or text.startswith("\t"):
        lines = [re.sub(r"[ \t]*\t[ \t]*", "\t", line.lstrip()) for line in lines]
    if all(line.endswith("\t") for line in lines):
        lines = [line.rstrip() for line in lines]
    separator = "\t" if all("\t" in line for line in lines) else BLANKS
    if len({line.count("\t") for line in lines}) > 1 and len({len(line.split()) for line in lines}) == 1:
        separator = BLANKS
    numbered = [(number, line) for (number, _), line in zip(numbered, lines, strict=True)]
    return sheet_of_numbered(path, expected, numbered, separator, ".", quoted=False)


def _mark_of(lines: Sequence[str]) -> str | None:
    """The mark that stands in the first line below comments that has one, unless the next line shows another."""
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
    lines = [line for line in lines if not line.startswith("#")] or lines
    widths = {len(line.split()) for line in lines}
    is_even = len(widths) == 1 and min(widths) > 1 and any(map(is_score, lines[-1].split()))
    return BLANKS if is_even or len(lines[0].split()) == n_blank else ","


def _without_comments(lines: list[Line], separator: str) -> Iterator[Line]:
    """The lines but for comments: one before the header may be the header, and below it a name may begin with "#"."""
    if not any(line.startswith("#") for _, line in lines):
        yield from lines
        return
    width = None
    for number, line in lines:
        n_cells = len(_split(line, separator))
        if not line.startswith("#"):
            width = n_cells if width is None else width
        elif width is None:
            bare = line.lstrip("# ")
            first, *others = _split(bare, separator)
            if not others or plain_heading(first) not in headings.TOPICS | headings.SYSTEMS:
                continue
            line, width = bare, n_cells
        elif n_cells != width:
            continue
        yield number, line


def _split(line: str, separator: str) -> list[str]:
    """The cells of a line, of which some may be in quotes."""
    if separator == BLANKS:
        return line.split()
    try:
        return next(csv.reader([line], delimiter=separator)) if '"' in line else line.split(separator)
    except csv.Error:
        return line.split(separator)


def _without_title(lines: list[Line], separator: str) -> list[Line]:
    """The lines below titles: lines of a single cell above those of several."""
    for place, (_, line) in enumerate(lines):
        filled = [column for column, cell in enumerate(_split(line, separator)) if cell.strip()]
        if len(filled) > 1:
            return lines[place:]
        if filled != [0] or line.count('"') % 2:  # a cell goes on below
            break
    return lines


# --- Markdown, JSON and workbooks -------------------------------------------------------------------------------


def sheet_of_rows(
    path: paths.PathName, expected: str, header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]]
) -> FileSheet:
    """The sheet of rows of text, each with the number of its line."""
    table = pd.DataFrame([[*row] for _, row in rows], columns=range(len(header)), dtype=str)
    lines = [(rows[0][0] if rows else 1, ",".join(header)), *((number, ",".join(row)) for number, row in rows)]
    return FileSheet(path, expected, header, table, lambda: lines, decimal=".")


def _sheet_of_markdown(
    path: paths.PathName, expected: str, lines: list[Line], rules: list[int], table: str | None
) -> FileSheet:
    """The sheet of a page's only table, or of the one that is chosen."""
    starts = [rule - 1 for rule in rules if rule > 0 and lines[rule - 1][1].strip()]
    if not starts:
        raise paths.file_error(
            path, "have one table in Markdown", f"a rule without a header in line {lines[rules[0]][0]}"
        )
    titles = [
        next((line.lstrip("# ").strip() for _, line in reversed(lines[:start]) if line.startswith("#")), "")
        for start in starts
    ]
    names = {str(number): number - 1 for number in range(1, len(starts) + 1)}
    names |= {title: place for place, title in enumerate(titles) if title and titles.count(title) == 1}
    if table is not None and table not in names:
        raise ValueError(f"`table` must be among {listing(names)}, got {shown(table)}.")
    if table is None and len(starts) > 1:
        seen = f"{len(starts)} tables in line {lines[starts[-1] + 1][0]}"
        remedy = f" `table` chooses one, by its number or the heading above it: {listing(names)}."
        raise paths.file_error(path, "have one table in Markdown", seen, remedy)
    start = starts[0 if table is None else names[table]]
    header, below = _cells_of_markdown(lines[start][1]), start + 2
    while sum(map(bool, header)) == 1 < len(header) and below < len(lines) and "|" in lines[below][1]:
        header, below = _cells_of_markdown(lines[below][1]), below + 1  # that of a table below its title
    rows: list[tuple[int, list[str]]] = []
    for number, line in lines[below:]:
        if "|" not in line:  # an empty line ends a table
            break
        row = _cells_of_markdown(line)
        if not any(row) or row == header:
            continue
        if len(row) != len(header):
            seen = f"{len(row)} in line {number}"
            raise paths.file_error(path, f"have {len(header)} cells in each row, as in its header", seen)
        rows.append((number, row))
    return sheet_of_rows(path, expected, header, rows)


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
    lines = _numbered(text)
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
    if (
        len(objects) == 1
        and isinstance(objects[0][1], dict)
        and (nested := _rows_of_nested(objects[0][1], paths.stem(path)))
    ):
        header, rows = nested
        return sheet_of_rows(path, expected, header, [(lines[0][0], row) for row in rows])
    names: dict[str, None] = {}
    for number, item in objects:
        if not isinstance(item, dict) or any(isinstance(value, (dict, list)) for value in item.values()):
            kind = "nested JSON: " if isinstance(item, dict) else ""
            is_of_harness = isinstance(item, dict) and {"results", "scores", "mteb_version"} & {*item}
            hint = " It has the results of one system by task: put those of several into one table with a row a system."
            raise paths.file_error(
                path, f"be {JSON_ROWS}", f"{kind}{shown(item)} in line {number}", hint * bool(is_of_harness)
            )
        names |= dict.fromkeys(item)
    found = [(number, [_json_text(item.get(name)) for name in names]) for number, item in objects]
    return sheet_of_rows(path, expected, list(names), found)


def _rows_of_nested(content: dict[str, Any], system: str) -> tuple[list[str], list[list[str]]] | None:
    """The header and rows of {name: {heading: number}}, or of Elasticsearch's rank_eval of one system; else None.

    If the headings are numbered as topics are, and the names are not, rows are topics.
    """
    if isinstance(details := content.get("details"), dict) and "metric_score" in content:
        scores = {topic: of.get("metric_score") for topic, of in details.items() if isinstance(of, dict)}
        return ["system", "topic", "metric_score"], [[system, topic, _json_text(of)] for topic, of in scores.items()]
    if isinstance(models := content.get("model_names"), list):  # a report of ranx
        content = {name: content[name]["scores"] for name in models}
    if not all(isinstance(of, dict) for of in content.values()):
        return None
    if any(isinstance(value, (dict, list, bool)) for of in content.values() for value in of.values()):
        return None
    inner = [*dict.fromkeys(name for of in content.values() for name in of)]
    table = {name: [_json_text(of.get(heading)) for heading in inner] for name, of in content.items()}
    if headings.are_numbered(inner) and not headings.are_numbered(content):
        return ["topic", *content], [[topic, *(row[at] for row in table.values())] for at, topic in enumerate(inner)]
    # "key" says nothing: rows are systems where these are wanted, and asked for where topics are
    first = "topic" if headings.are_numbered(content) and not headings.are_numbered(inner) else "key"
    return [first, *inner], [[name, *row] for name, row in table.items()]


def _json_text(value: Any) -> str:
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
    if table is not None and table not in names:
        raise ValueError(f"`table` must be among {listing(names)}, got {shown(table)}.")
    return str(sheets[names[table or "1"]].to_csv(header=False, index=False))
