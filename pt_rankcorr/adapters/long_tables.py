"""Long tables, a row a score: which column holds what, as their distinct texts tell, and the scored cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from io import StringIO
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.adapters.columns import Column, Irregular, Places, columns_between, columns_between_blanks
from pt_rankcorr.adapters.fields import BLANKS, SEPARATORS, as_number, fields
from pt_rankcorr.adapters.files import Row, empty_error, line_error, open_text
from pt_rankcorr.adapters.measure_names import COUNTS, is_known
from pt_rankcorr.adapters.paths import PathName, name_of
from pt_rankcorr.adapters.settling import COLUMNS
from pt_rankcorr.names import not_a_word
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.frames import SYSTEM_COLUMNS, TOPIC_COLUMNS, plain_heading
from pt_rankcorr.text import shown_name

HEADING = "Queryid (Num):"  # what old versions of trec_eval print before the scores of a topic
SUMMARY = "all"  # what tools call the row over all topics
HEADERS = {
    "name": SYSTEM_COLUMNS,
    "qid": TOPIC_COLUMNS,
    "measure": frozenset({"measure", "metric"}),
    "value": frozenset({"value", "score"}),
}
LONG = ("name", "qid", "value")  # what a long table cannot do without
NOT_READ = "_"
NO_SCORE = frozenset({"", "na", "nan", "-nan"})  # the last is what C prints of nan with its sign


class Table:
    """The rows of a file.

    Args:
        path: The file.
        columns: Its columns.
        lines: The number of each row's line; or the text, of which each line that is not empty is a row.
    """

    def __init__(self, path: PathName, columns: list[Column], lines: Sequence[int] | bytes) -> None:
        self.path, self.columns, self._lines = path, columns, lines

    @classmethod
    def of_text(cls, path: PathName, text: bytes, n_fields: int, separator: str | None) -> Table:
        """That of a plain text, with fields between separators or, by None, blanks.

        Raises:
            Irregular: If the text is not plain, or has no row.
        """
        cut = columns_between_blanks if separator is None else _between(separator)
        columns = Column.of_blocks(cut(text, n_fields), n_fields)
        if not len(columns[0].codes):
            raise Irregular
        return cls(path, [column.mapped(_stripped) for column in columns], text)

    @classmethod
    def of_lines(
        cls, path: PathName, text: bytes, width: int, expected: str, *, hint: str = "", at_most: int = -1
    ) -> Table:
        """That of lines of so many fields between tabs or, in a line without any, blanks; an error if there are others.

        Fields between blanks are cut at most so many times, and lines that begin with `HEADING` left out.
        """
        try:
            if HEADING.encode() in text:
                raise Irregular
            return cls.of_text(path, text, width, "\t" if b"\t" in text else None)
        except Irregular:
            with open_text(path, expected, never=SEPARATORS, content=text) as lines:
                rows = [
                    (number, fields_of(line, at_most))
                    for number, line in enumerate(lines, 1)
                    if line.strip(BLANKS) and not line.startswith(HEADING)
                ]
        for number, row in rows:
            if len(row) != width:
                raise line_error(path, number, " ".join(row), expected, hint)
        if not rows:
            raise empty_error(path, expected)
        return cls.of_rows(path, rows)

    @classmethod
    def of_rows(cls, path: PathName, rows: Sequence[Row]) -> Table:
        """That of rows, of which there is one at least."""
        columns = [list(column) for column in zip(*(row for _, row in rows), strict=True)]
        return cls(path, Column.of_blocks([columns], len(columns)), [number for number, _ in rows])

    def __len__(self) -> int:
        return len(self.columns[0].codes)

    def row(self, at: int) -> list[str]:
        return [column.texts[column.codes[at]] for column in self.columns]

    def below_header(self, expected: str) -> Table:
        """The table without its first row; an error where there is no other."""
        if len(self) < 2:
            raise ValueError(f"{name_of(self.path)!r} must be {expected}, got no row below its header.")
        rows = np.arange(len(self)) > 0
        return Table(self.path, [column.keep(rows) for column in self.columns], self.lines[1:])

    @cached_property
    def lines(self) -> Sequence[int]:
        """The number of each row's line."""
        if not isinstance(self._lines, bytes):
            return self._lines
        numbered = enumerate(StringIO(self._lines.decode(), newline=None), 1)
        return [number for number, line in numbered if line.strip(BLANKS.replace("\t", ""))][-len(self) :]

    def line_error(self, at: int, expected: str, *, between: str = " ", hint: str = "") -> ValueError:
        """The error of a row that is not what it should be."""
        return line_error(self.path, self.lines[at], between.join(self.row(at)), expected, hint)


def _between(separator: str) -> Callable[[bytes, int], Iterable[list[list[str]]]]:
    return lambda text, n_fields: columns_between(separator, text, n_fields)


def fields_of(line: str, at_most: int = -1) -> list[str]:
    """What stands between tabs or, in a line without any, blanks."""
    return list(map(_stripped, line.split("\t"))) if "\t" in line else fields(line, at_most)


def _stripped(text: str) -> str:
    return text.strip(BLANKS)


def cells_of(columns: Mapping[str, Column], **same: str) -> pd.DataFrame:
    """The scored cells of columns of names, topics, measures and scores; `same` is the text of a column of one.

    Names are categories, and so are scores, as texts, of which those that stand for none are missing.
    """
    value = columns["value"]
    n_rows = len(value.codes)
    cells = {name: _categories(column.texts, column.codes) for name, column in columns.items() if name != "value"}
    cells |= {name: _categories([text], np.zeros(n_rows, np.int64)) for name, text in same.items()}
    is_none = value.where(lambda text: text.lower() in NO_SCORE)
    cells["value"] = _categories(value.texts, np.where(is_none, -1, value.codes))
    return pd.DataFrame({name: cells[name] for name in COLUMNS}, copy=False)


def cells_of_rows(rows: Iterable[Sequence[str]]) -> pd.DataFrame:
    """The scored cells of rows of a name, topic, measure and score, all as text."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    return cells_of(dict(zip(COLUMNS, Column.of_blocks([columns], len(COLUMNS)), strict=True)))


def _categories(texts: list[str], codes: Places) -> Any:
    return pd.Categorical.from_codes(codes, pd.Index(texts, dtype=object))


def of_topics(columns: Mapping[str, Column], *, summary: bool = False) -> dict[str, Column] | None:
    """The columns of rows about one topic, or of those over all; None if there is no such row."""
    wanted = columns["qid"].where(lambda text: (text == SUMMARY) == summary)
    if not wanted.any():
        return None
    return dict(columns) if wanted.all() else {name: column.keep(wanted) for name, column in columns.items()}


# --- which column holds what --------------------------------------------------------------------------------


class Columns(NamedTuple):
    """What the columns of a long table hold."""

    fields: Sequence[str]  # one a column
    places: Mapping[str, int]  # what is read -> its column


def columns_of(columns: Sequence[str]) -> Columns:
    """What was told of the columns; ValueError if that is no long table."""
    told = [str(column).strip().lower() for column in not_a_word(columns, "columns")]
    unknown = {field for field in told if field != NOT_READ and not any(field in names for names in HEADERS.values())}
    if unknown:
        raise ValueError(f"`columns` must be run, topic, measure, value or '_', got {listing(unknown)}.")
    places = long_columns(told)
    if not set(LONG) <= places.keys() or len(places) < len([field for field in told if field != NOT_READ]):
        raise ValueError(f"`columns` must name run, topic and value, and each once, got {shown_name(', '.join(told))}.")
    return Columns(told, places)


def long_columns(header: Sequence[str]) -> dict[str, int]:
    """Which column of a long table is where; the first of several."""
    lowered = [plain_heading(name) for name in header]
    found = {column: [at for at, name in enumerate(lowered) if name in names] for column, names in HEADERS.items()}
    return {column: places[0] for column, places in found.items() if places}


def is_topic_first(firsts: Collection[str], seconds: Collection[str]) -> bool | None:
    """Whether the first of two columns holds topics, and the second measures; None if that cannot be told."""
    if SUMMARY in seconds or (SUMMARY not in firsts and any(map(is_measure, firsts))):
        return False
    return True if SUMMARY in firsts or any(map(is_measure, seconds)) else None


def is_measure(name: str) -> bool:
    return name in COUNTS or is_known(name)


def is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


def is_score(text: str) -> bool:
    """Whether a text is a number, or stands for none."""
    return is_number(text) or text.lower() in NO_SCORE


def is_number(value: str) -> bool:
    """Whether a text is a number."""
    try:
        as_number(value)
    except ValueError:
        return False
    return True
