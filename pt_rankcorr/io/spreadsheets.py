"""Rows and cells of tables in CSV, as people and spreadsheets write them: `read_scores` says what may stand in them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import StringIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.io import paths
from pt_rankcorr.stats.core import headings
from pt_rankcorr.text import shown

NO_SCORE = frozenset(
    {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "nil", "-", "--", "\u2013", "\u2014"}
)
BLANKS = r"\s+"
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "blank": BLANKS}
SEVERAL_TABS = re.compile(r"[ \t]*\t[ \t]*")
# an empty line, a comment, and what old versions of trec_eval print before the scores of a topic
NO_FIELDS = re.compile(r"\s*($|#|Queryid \(Num\):)")
QUOTED = re.compile(r'"[^"]*(?:"|$)')
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
NUMBER_WITH_MORE = re.compile(r"[^\d\w]*[+-]?\d*[.,]?\d+[^\d\w]*")
NUMBER_OF_TWO = re.compile(r"[+-]?\d*[.,]?\d+ *(?:±|\+/-|\(|\[).*")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:([.,' ])\d{3})+(?:[.,]\d+)?")


def separator_of(sep: object) -> str | None:
    """What separates cells, by its word or itself; None where the content is to show it."""
    if sep is None or sep in SEPARATORS.values():
        return None if sep is None else str(sep)
    known = SEPARATORS | {"\\t": "\t", " ": BLANKS, "space": BLANKS}
    if sep not in known:
        raise ValueError(f"`sep` must be {', '.join(map(repr, SEPARATORS))} or the character, got {shown(sep)}.")
    return known[str(sep)]


@dataclass(frozen=True)
class Sheet:
    """The cells of a file as categories, a column each, named 0, 1, ...; the index has the numbers of lines."""

    path: paths.PathName
    expected: str  # what a message says it should be
    cells: pd.DataFrame
    decimal: str | None  # the mark in numbers; None where the content is to show it
    separator: str

    @property
    def first(self) -> list[str]:
        """The first row, which may be the header."""
        return [str(text) for text in self.cells.iloc[0]]

    def below(self) -> Sheet:
        """The sheet without its header; an error where there is nothing else."""
        if len(self.cells) < 2:
            raise paths.file_error(self.path, f"be {self.expected}", "no row below its header")
        below = self.cells.iloc[1:].apply(lambda column: column.cat.remove_unused_categories())
        return replace(self, cells=below)

    @property
    def columns(self) -> range:
        """The places of the columns."""
        return range(self.cells.shape[1])

    def texts(self, column: int) -> list[str]:
        """The distinct texts of a column."""
        return list(self.cells[column].cat.categories)

    def are_scores(self, column: int) -> bool:
        """Whether each cell of a column is a number, or stands for none."""
        return all(is_score(text, self.decimal_of(column)) for text in self.texts(column))

    def has_scores(self, column: int) -> bool:
        """Whether some cell of a column is a number."""
        decimal = self.decimal_of(column)
        return any(is_score(text, decimal) and not is_none(text) for text in self.texts(column))

    def decimal_of(self, column: int) -> str:
        """The decimal mark of a column: where semicolons separate cells, a comma if no number has a point."""
        if self.decimal is not None:
            return self.decimal
        texts = self.texts(column)
        has_commas = self.separator == ";" and any(map(DECIMAL_COMMA.fullmatch, texts))
        return "," if has_commas and not any("." in text for text in texts) else "."

    def scores(self, column: int, heading: str, not_used: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """The numbers of a column, nan where there is none; an error for a cell that is neither, if it is used.

        The error names the column by its `heading`, or has the row, where columns have none.
        """
        decimal = self.decimal_of(column)
        texts = self.texts(column)
        are_scores = np.array([is_score(text, decimal) for text in texts], dtype=bool)
        codes = self.cells[column].cat.codes.to_numpy()
        odd = ~are_scores[codes] if not_used is None else ~are_scores[codes] & ~not_used
        if odd.any():
            row = int(np.argmax(odd))
            text = str(self.cells[column].iloc[row])
            raise self.cell_error(row, column, heading) if heading else self.row_error(row, f" {odd_about(text)}")
        numbers = [
            paths.as_number(text.replace(decimal, ".")) if is_known and not is_none(text) else np.nan
            for text, is_known in zip(texts, are_scores, strict=True)
        ]
        return np.array(numbers, dtype=np.float64)[codes]

    def cell_error(self, row: int, column: int, heading: str) -> ValueError:
        """The error for a cell that is no number, with what is odd about it."""
        text = str(self.cells[column].iloc[row])
        where_it_is = f"in line {self.cells.index[row]}, column {shown(heading)}"
        return paths.file_error(
            self.path, "have numbers as scores", f"{shown(text)} {where_it_is}", f" {odd_about(text)}"
        )

    def row_error(self, row: int, hint: str = "") -> ValueError:
        """The error for a row that is not what it should be."""
        mark = {BLANKS: " "}.get(self.separator, self.separator)
        line = mark.join(map(str, self.cells.iloc[row]))
        return paths.line_error(self.path, self.cells.index[row], line, self.expected, hint)


def is_none(text: str) -> bool:
    """Whether a cell stands for no score."""
    return text.lower() in NO_SCORE


def is_score(text: str, decimal: str = ".") -> bool:
    """Whether a text is a number, or stands for none."""
    if decimal == ",":
        if "." in text:
            return False
        text = text.replace(",", ".")
    return paths.is_number(text) or is_none(text)


def odd_about(text: str) -> str:
    """Why a text is no number, and what to do."""
    if is_none(text):
        return "It is no score."
    if DECIMAL_COMMA.fullmatch(text):
        return "It has a decimal comma: `decimal=','` reads these."
    if text.endswith("%"):
        return "It has a percent sign: write all scores without it."
    if THOUSANDS.fullmatch(text) or ("," in text and "." in text and text.replace(",", "").replace(".", "").isdigit()):
        return "It has marks of thousands, or two decimal marks: write numbers such as 0.31."
    if NUMBER_OF_TWO.fullmatch(text):
        return "It has more than one number: write the score alone."
    if NUMBER_WITH_MORE.fullmatch(text):
        return "It has marks beside the number: write the number alone."
    return "It is no number. A score that is missing is an empty cell or NA."


def where(column: pd.Series[str], is_so: Callable[[str], bool]) -> NDArray[np.bool_]:
    """The rows whose text is so."""
    return np.array([is_so(text) for text in column.cat.categories], dtype=bool)[column.cat.codes.to_numpy()]


# --- lines to cells ---------------------------------------------------------------------------------------------


def read_sheet(
    path: paths.PathName,
    expected: str,
    *,
    n_blank: int | None = None,
    sep: str | None = None,
    decimal: str | None = None,
) -> Sheet:
    """The cells of a file; without a `sep`, blanks separate them only if there is no other mark.

    Cells between blanks are as many in each line, or `n_blank` in the first.
    """
    with paths.open_text(path, expected) as text:
        lines = [(number, line) for number, line in enumerate(text, 1) if not line.isspace()]
    if lines and (mark := SEPARATOR_LINE.fullmatch(lines[0][1].strip())):
        sep, lines = sep or mark[1], lines[1:]
    if not lines:
        raise paths.file_error(path, f"be {expected}", "an empty file")
    separator = sep or _separator([line for _, line in lines], n_blank)
    lines = list(_without_comments(lines, separator))
    if not lines:
        raise paths.file_error(path, f"be {expected}", "comments alone")
    if separator != BLANKS:
        marks = f'{separator} "\r\n'
        lines = _without_title([(number, line) for number, line in lines if line.strip(marks)], separator)
    cells = _parsed(path, expected, lines, separator, quoted=separator != BLANKS)
    while cells.shape[1] > 1 and list(cells[cells.shape[1] - 1].cat.categories) == [""]:
        cells = cells.iloc[:, :-1]
    return Sheet(path, expected, cells, decimal, separator)


def numbered_lines(path: paths.PathName, expected: str) -> list[tuple[int, str]]:
    """The lines that an evaluation tool wrote, with their numbers, but for empty ones and comments; at least one."""
    with paths.open_text(path, expected) as text:
        numbered = [(number, line) for number, line in enumerate(text, 1) if not NO_FIELDS.match(line)]
    if not numbered:
        raise paths.file_error(path, f"be {expected}", "an empty file")
    return numbered


def sheet_of_fields(path: paths.PathName, expected: str, numbered: list[tuple[int, str]]) -> Sheet:
    """The fields of lines that an evaluation tool wrote, between tabs, or between any blanks; none is empty.

    Names may have blanks where the same number of tabs stands in each line.
    """
    lines = [line for _, line in numbered]
    text = "".join(lines)
    if "\t\t" in text or "\t " in text or "\n\t" in text or text.startswith("\t"):
        lines = [SEVERAL_TABS.sub("\t", line.lstrip()) for line in lines]
    if all(line.endswith(("\t\n", "\t")) for line in lines):
        lines = [f"{line.rstrip()}\n" for line in lines]
    separator = "\t" if all("\t" in line for line in lines) else BLANKS
    if len({line.count("\t") for line in lines}) > 1 and len({len(line.split()) for line in lines}) == 1:
        separator = BLANKS
    numbered = [(number, line) for (number, _), line in zip(numbered, lines, strict=True)]
    return Sheet(path, expected, _parsed(path, expected, numbered, separator, quoted=False), ".", separator)


def _separator(lines: list[str], n_blank: int | None) -> str:
    """The mark that stands in the first line below comments that has one, unless the next line shows another."""
    bare = [QUOTED.sub("", line) for line in lines[:50] if not line.startswith("#")] or [QUOTED.sub("", lines[0])]
    place = next((place for place, line in enumerate(bare) if any(mark in line for mark in "\t;,")), None)
    if place is not None:
        header, following = bare[place], bare[min(place + 1, len(bare) - 1)]
        marks = [mark for mark in "\t;," if mark in header]
        if "\t" in marks:
            return "\t"
        return next((mark for mark in marks if following.count(mark) == header.count(mark)), marks[-1])
    widths = {len(line.split()) for line in lines}
    is_even = len(widths) == 1 and min(widths) > 1 and any(map(is_score, lines[-1].split()))
    return BLANKS if is_even or len(lines[0].split()) == n_blank else ","


def _without_comments(lines: list[tuple[int, str]], separator: str) -> Iterator[tuple[int, str]]:
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
            if not others or headings.plain_heading(first) not in headings.TOPICS | headings.SYSTEMS:
                continue
            line, width = bare, n_cells
        elif n_cells != width:
            continue
        yield number, line


def _split(line: str, separator: str) -> list[str]:
    """The cells of a line, of which some may be in quotes."""
    if separator == BLANKS:
        return line.split()
    return next(csv.reader([line], delimiter=separator)) if '"' in line else line.split(separator)


def _without_title(lines: list[tuple[int, str]], separator: str) -> list[tuple[int, str]]:
    """The lines below titles: lines of a single cell above those of several."""
    for place, (_, line) in enumerate(lines):
        filled = [column for column, cell in enumerate(_split(line, separator)) if cell.strip()]
        if len(filled) > 1:
            return lines[place:]
        if filled != [0]:
            break
    return lines


def _parsed(
    path: paths.PathName, expected: str, numbered: list[tuple[int, str]], separator: str, *, quoted: bool
) -> pd.DataFrame:
    """The cells of numbered lines as categories, a column each, named 0, 1, ...; `quoted` ones may be in quotes."""
    numbers, lines = [number for number, _ in numbered], [line for _, line in numbered]

    def error_of(row: int) -> ValueError:
        return paths.line_error(path, numbers[row], lines[row], expected)

    try:
        table = pd.read_csv(
            StringIO("".join(lines)),
            sep=separator,
            header=None,
            dtype=str,
            na_filter=False,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            index_col=False,
        )
    except pd.errors.ParserError as error:
        place = re.search(r"line (\d+)", str(error))
        if place is None:
            raise paths.file_error(path, f"be {expected}", str(error).strip()) from None
        raise error_of(int(place[1]) - 1) from None
    if separator == BLANKS:
        short = np.flatnonzero(table[table.shape[1] - 1] == "")
    else:
        widths = [line.count(separator) + 1 for line in lines]
        if quoted and any('"' in line for line in lines):  # separators in quotes do not count
            try:
                widths = [len(cells) for cells in csv.reader(lines, delimiter=separator)]
            except csv.Error:  # a cell is longer than the module allows; pandas has read it
                widths = []
        short = np.flatnonzero(np.array(widths) < table.shape[1])
    if len(short):
        raise error_of(short[0])
    if len(numbers) == len(table):  # no cell goes over several lines
        table.index = pd.Index(numbers)
    stripped: pd.DataFrame = table.apply(lambda column: column.str.strip().astype("category"))
    return stripped
