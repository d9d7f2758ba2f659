"""A table as headings and columns, of a file or a frame; and what columns of a wide one hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import as_numbers, is_default_index, listing
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

WIDE = "have one row a topic and one column a system"
ONE_SCORE = "`pt-rankcorr tau` compares one score a system."
TOPICS_NEEDED = f"mean scores only are not enough: topics are needed. {ONE_SCORE}"
SYSTEMS_IN_ROWS = (
    "If its columns are topics, transpose it, in pandas by its `.T`; if they are measures, "
    f"{TOPICS_NEEDED}"
)
MEASURES_ALONE = (
    "If rows are topics, these are scores of one system: give a file for each system, or put all "
    f"into one table, with a column that names the system. If rows are systems, {TOPICS_NEEDED}"
)


class Sheet(ABC):
    """Columns under headings. A column is asked for its numbers, or for its cells as text."""

    called: str  # what messages call the sheet: "`values`", or the path in quotes
    headings: list[object]
    n_rows: int

    @abstractmethod
    def numbers(self, column: int) -> Floats | None:
        """The numbers of a column, nan where there is none; None if some cell is neither."""

    @abstractmethod
    def texts(self, column: int) -> pd.Categorical[Any]:
        """The cells of a column as text."""

    def is_numeric(self, column: int) -> bool:
        """Whether each cell of a column is a number, or stands for none."""
        return self.numbers(column) is not None

    def has_fractions(self, column: int) -> bool:
        """Whether a column has numbers alone, and not only whole ones."""
        numbers = self.numbers(column)
        return numbers is not None and bool(np.any(numbers[~np.isnan(numbers)] % 1 != 0))

    def is_distinct(self, column: int) -> bool:
        """Whether no cell of a column repeats."""
        return len(self.texts(column).categories) == self.n_rows

    def counts_rows(self, column: int) -> bool:
        """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
        numbers = self.numbers(column)
        return numbers is not None and any(
            np.array_equal(numbers, np.arange(begin, begin + self.n_rows)) for begin in (0, 1)
        )

    def error(self, rule: str, seen: str, remedy: str) -> ValueError:
        """The error for a sheet that does not keep a rule."""
        return ValueError(f"{self.called} must {rule}, got {seen}. {remedy}")


class FrameSheet(Sheet):
    """A frame of pandas. Its index is the first column, unless it only counts the rows."""

    def __init__(self, frame: pd.DataFrame, called: str) -> None:
        self.called, self.n_rows = called, len(frame)
        if frame.columns.nlevels > 1:
            level = shown(frame.columns.names[0] or "the first level")
            remedy = f"Take one name of {level}, such as frame[{frame.columns[0][0]!r}]."
            raise self.error(WIDE, f"{frame.columns.nlevels} levels of columns", remedy)
        self.has_index = not is_default_index(frame.index)
        self.columns = [frame.iloc[:, place] for place in range(frame.shape[1])]
        self.headings = list(frame.columns)
        if self.has_index:
            self.columns.insert(0, pd.Series(frame.index))
            self.headings.insert(0, "" if frame.index.name is None else frame.index.name)

    def numbers(self, column: int) -> Floats | None:
        numbers = as_numbers(self.columns[column])
        return None if numbers is None else np.asarray(numbers, dtype=np.float64)

    def texts(self, column: int) -> pd.Categorical[Any]:
        return pd.Categorical(self.columns[column].astype(str))


class Wide(NamedTuple):
    """What the columns of a table of one row a topic hold, by their places."""

    topics: int | None  # None where topics have no names
    systems: list[int]
    dataset: int | None
    repeat: int | None
    of_measures: bool  # whether columns are measures of one system


def wide(sheet: Sheet, keep: Collection[str] = (), *, may_be_measures: bool = False) -> Wide:
    """What the columns of a table of one row a topic, one column a system, hold, by their headings.

    Columns over all systems, and counts, are left out by their names, with a warning, except those
    to `keep`. What may be read in two ways is refused: systems in rows, columns of measures unless
    a file is one system (`may_be_measures`), or a first column that may have topics.
    """
    _refuse_systems_in_rows(sheet)
    topics, counter = topic_column(sheet)
    if topics is None:
        _refuse_odd_first_column(sheet)
    left = [place for place in range(len(sheet.headings)) if place not in (topics, counter)]

    def headed(names: Collection[str]) -> list[int]:
        """The places, among those left, of columns with such headings."""
        return [place for place in left if plain_heading(sheet.headings[place]) in names]

    datasets = [place for place in headed(headings.DATASETS) if not sheet.is_numeric(place)]
    texts = [place for place in headed(headings.TEXTS) if not sheet.is_numeric(place)]
    repeats = [place for place in headed(headings.REPEATS) if not sheet.has_fractions(place)]
    if topics is None or sheet.is_distinct(topics):
        repeats = []  # as no topic has several rows
    systems = [place for place in left if place not in datasets[:1] + repeats[:1] + texts]
    names = [str(sheet.headings[place]) for place in systems]
    are_of_rag = bool(texts) and any(map(headings.is_measure, names))
    are_measures = headings.are_measures(names) or are_of_rag
    of_measures = are_measures and (len(names) > 1 or may_be_measures)
    if of_measures and not may_be_measures:
        raise sheet.error(WIDE, f"columns of measures: {listing(names)}", MEASURES_ALONE)
    if not of_measures:
        labels = sheet.texts(topics).categories if topics is not None else pd.Index([])
        are_over = summary_rows.sure_rows(labels)
        given = pd.Index([sheet.headings[place] for place in systems])
        if topics is not None and not is_default_index(given):
            _refuse_transposed(sheet, [*map(str, labels[~are_over])], names)
        # the names of rows over all topics, which the margins of a pivot table give to columns, too
        margins = {*labels[are_over]} - {""}
        # a fold or a seed is about its row
        of_rows = headings.OF_ROWS | headings.DESIGN
        # (n_systems,): which are over all others, or counts
        over = summary_rows.sure_columns(names) & (topics is not None)
        for at, (name, place) in enumerate(zip(names, systems, strict=True)):
            may_count = headings.is_count(name) or plain_heading(name) in of_rows
            is_count = may_count and sheet.is_numeric(place) and not sheet.has_fractions(place)
            over[at] = (over[at] or name in margins or is_count) and name not in keep
        if not over.all():
            summary_rows.warn_of_columns([names[at] for at in np.flatnonzero(over)])
            systems = [systems[at] for at in np.flatnonzero(~over)]
    dataset, repeat = (places[0] if places else None for places in (datasets, repeats))
    return Wide(topics, systems, dataset, repeat, of_measures)


def topic_column(sheet: Sheet) -> tuple[int | None, int | None]:
    """Where the topics are in a table, and a column that only counts the rows; None if not there.

    Topics are in the column whose heading says so most plainly, wherever it stands, or else in a
    first one without a name. One with fractions, as scores have, is none; several are refused.
    """
    plain = [plain_heading(label) for label in sheet.headings]
    classes = [
        [place for place, name in enumerate(plain) if name in names]
        for names in (headings.SURE_TOPICS, headings.COUNTERS, headings.ITEMS)
    ]
    is_unnamed = bool(plain) and isinstance(sheet.headings[0], str) and plain[0] in headings.UNNAMED
    classes.append([0] * is_unnamed)
    candidates = sorted(place for places in classes for place in places)
    if len(candidates) < 2:
        return (candidates[0] if candidates else None), None
    whole = [place for place in candidates if not sheet.has_fractions(place)]
    may_count = [place for place in whole if plain[place] in headings.COUNTERS | headings.UNNAMED]
    counter = next((place for place in may_count if sheet.counts_rows(place)), None)
    left = [place for place in whole if place != counter]
    left_of_classes = ([place for place in places if place in left] for places in classes)
    plainest = next(filter(None, left_of_classes), [])
    others = [place for place in left if place not in plainest]
    others = [place for place in others if plain[place] not in headings.ITEMS]
    if others == [0] and is_unnamed and sheet.is_numeric(0):  # row numbers that a selection left
        counter, others = 0, []
    if len(plainest) != 1 or others:
        columns = listing(sheet.headings[place] for place in candidates)
        remedy = "Rename the others, or leave them out."
        raise sheet.error("have one column that names its topics", columns, remedy)
    return plainest[0], counter


def _refuse_transposed(sheet: Sheet, topics: Sequence[str], systems: Sequence[str]) -> None:
    """An error if systems are numbered as topics are, and topics are not."""
    if headings.are_numbered(systems) and not headings.are_numbered(topics):
        columns = f"columns numbered as topics are, {listing(systems)}"
        seen = f"{columns}, and rows that are not, {listing(topics)}"
        or_else = "or if the columns are systems, give them names."
        raise sheet.error(WIDE, seen, f"Transpose it, in pandas by its `.T`; {or_else}")


def _refuse_systems_in_rows(sheet: Sheet) -> None:
    """An error if a column is headed as systems, and names them."""
    plain = [plain_heading(label) for label in sheet.headings]
    places = [place for place, name in enumerate(plain) if name in headings.SYSTEMS]
    place = next((place for place in places if not sheet.is_numeric(place)), None)
    if place is None:
        return
    rows = f"named by column {shown(str(sheet.headings[place]))}"
    others = plain[:place] + plain[place + 1 :]
    if any(name in headings.TOPICS | headings.ITEMS for name in others):
        columns = "columns name, qid, measure and value"
        remedy = f"Give `scores_from_experiment` its {columns}, or pivot it."
        raise sheet.error(WIDE, f"one row for each system and topic, {rows}", remedy)
    systems = listing(sheet.texts(place).categories)
    raise sheet.error(WIDE, f"one row for each of {systems}, {rows}", SYSTEMS_IN_ROWS)


def _refuse_odd_first_column(sheet: Sheet) -> None:
    """An error if a first column not headed as topics may be of them: texts or distinct numbers."""
    others = range(1, len(sheet.headings))
    if not others:
        return
    is_text = not sheet.is_numeric(0)
    is_numbered = not is_text and sheet.is_distinct(0) and not sheet.has_fractions(0)
    if is_text and len(others) > 1:
        below = listing(map(str, sheet.texts(0).categories))
        if not below:
            return
    elif is_numbered and sheet.n_rows > 1 and any(map(sheet.has_fractions, others)):
        below = "a different whole number in each line"
    else:
        return
    seen = f"{shown(str(sheet.headings[0]))} above {below}"
    remedy = "If it has topics, name it topic."
    levels = "Of two levels of columns, as pandas writes them, give one."
    rule = "have one header that shows what its first column has"
    raise sheet.error(rule, seen, f"{remedy} {levels}")
