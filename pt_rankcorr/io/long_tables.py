"""Long tables, with one row per score: what each column holds, by its distinct texts, and the scored cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.io.fields import BLANKS, as_number, fields
from pt_rankcorr.io.files import Row, empty_error, in_columns, line_error
from pt_rankcorr.io.measure_names import COUNTS, is_known
from pt_rankcorr.io.paths import PathName, name_of
from pt_rankcorr.io.settling import COLUMNS
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import SYSTEM_COLUMNS, TOPIC_COLUMNS, plain_heading
from pt_rankcorr.stats.core.names import not_a_word
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


class Table(NamedTuple):
    """The rows of a file.

    Attributes:
        path: The file.
        expected: What it should be, for messages.
        rows: The texts of its fields, as categories: a column a field, named 0, 1, ..., and the numbers of lines as
            index.
    """

    path: PathName
    expected: str
    rows: pd.DataFrame

    @classmethod
    def of(cls, path: PathName, expected: str, rows: Iterable[Row]) -> Table:
        """That of rows of equally many fields; an error where there is none."""
        lines: list[int] = []
        columns: list[tuple[_Numbering, list[NDArray[np.int64]]]] = []
        for numbers, texts in in_columns(rows):
            lines += numbers
            columns = columns or [(_Numbering(), []) for _ in texts[0]]
            for (numbering, codes), column in zip(columns, zip(*texts, strict=True), strict=True):
                codes.append(np.fromiter(map(numbering.__getitem__, column), np.int64, len(column)))
        if not lines:
            raise empty_error(path, expected)
        found = [_categories(np.concatenate(codes), list(numbering)) for numbering, codes in columns]
        return cls(path, expected, pd.DataFrame(dict(enumerate(found)), index=lines, copy=False))

    @property
    def fields(self) -> range:
        """The columns."""
        return range(self.rows.shape[1])

    def row(self, at: int) -> list[str]:
        """The fields of a row."""
        return list(self.rows.iloc[at])

    def texts(self, column: int) -> list[str]:
        """The distinct texts of a column, by first appearance."""
        return list(self.rows[column].unique())

    def below_header(self) -> Table:
        """The table without its first row; an error where there is no other."""
        if len(self.rows) < 2:
            raise ValueError(f"{name_of(self.path)!r} must be {self.expected}, got no row below its header.")
        return self._replace(rows=self.rows.iloc[1:])

    def of_topics(self, column: int, question: str = ".") -> Table:
        """The rows about one topic, which the column names; an error where there is none."""
        rows = self.rows[~where(self.rows[column], SUMMARY.__eq__)]
        if not len(rows):
            raise ValueError(f"{name_of(self.path)!r} must be {self.expected}, got only rows over all topics{question}")
        return self._replace(rows=rows)

    def error(self, at: int, between: str = " ", hint: str = "") -> ValueError:
        """The error of a row that is not what it should be."""
        return line_error(self.path, self.rows.index[at], between.join(self.row(at)), self.expected, hint)

    def cells(self, places: Mapping[str, int], **same: str) -> pd.DataFrame:
        """Scored cells, from the columns that hold names, topics, measures and scores; `same` is alike in all rows.

        Scores are texts, and those that stand for none are missing.
        """
        cells = self.rows[list(places.values())].set_axis(list(places), axis=1).assign(**same)
        value = cells["value"]
        is_none = where(value, lambda text: text.lower() in NO_SCORE)
        scores = _categories(np.where(is_none, -1, value.cat.codes), value.cat.categories)
        return cells.assign(value=scores)[COLUMNS]


class _Numbering(dict[str, int]):
    """The number of each text, by first appearance."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


def _categories(codes: NDArray[np.intp], texts: Any) -> Any:
    return pd.Categorical.from_codes(codes, pd.Index(texts, dtype=object))


def where(column: pd.Series, is_so: Callable[[str], bool]) -> NDArray[np.bool_]:
    """The rows whose text is so."""
    return np.array([is_so(text) for text in column.cat.categories.tolist()], dtype=bool)[column.cat.codes.to_numpy()]


def lines_of(text: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines with something in them, with their numbers."""
    return (
        (number, line) for number, line in enumerate(text, 1) if line.strip(BLANKS) and not line.startswith(HEADING)
    )


def rows_of(
    path: PathName, expected: str, lines: Iterable[tuple[int, str]], width: int, *, hint: str = "", at_most: int = -1
) -> Iterator[Row]:
    """The fields of numbered lines, cut at blanks at most so many times; an error if there are others than so many."""
    for number, line in lines:
        row = fields_of(line, at_most)
        if len(row) != width:
            raise line_error(path, number, line, expected, hint)
        yield number, row


def fields_of(line: str, at_most: int = -1) -> list[str]:
    """What stands between tabs or, in a line without any, blanks."""
    return [field.strip(BLANKS) for field in line.split("\t")] if "\t" in line else fields(line, at_most)


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
        raise ValueError(f"`columns` must name run, topic and value, each once, got {shown_name(', '.join(told))}.")
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
