"""Long tables as columns: which column holds what, and names and numbers of all rows without an object a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.adapters.columns import BLOCK, END_OF_LINE, Bytes, Irregular, Names, Texts, separated
from pt_rankcorr.adapters.columns import fields as between_blanks
from pt_rankcorr.adapters.evaluation_columns import numbers_of
from pt_rankcorr.adapters.fields import BLANKS, as_number, fields
from pt_rankcorr.names import not_a_word
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.frames import TOPIC_COLUMNS, plain_heading
from pt_rankcorr.text import shown_name

SUMMARY = "all"  # what tools call the row over all topics
HEADERS = {
    "name": frozenset({"name", "run", "runid", "system"}),
    "qid": TOPIC_COLUMNS,
    "measure": frozenset({"measure", "metric"}),
    "value": frozenset({"value", "score"}),
}
LONG = ("name", "qid", "value")  # what a long table cannot do without
NOT_READ = "_"
NO_SCORE = frozenset({"", "na", "nan", "-nan"})  # the last is what C prints of nan with its sign
UNLIKE = (b'"', b"\0")  # what no plain table holds


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


# --- the rows -----------------------------------------------------------------------------------------------


def cells_of_text(
    data: Bytes, told: Columns | None, n_spaced: int, measure: str | None, file_name: str
) -> pd.DataFrame:
    """The scored cells of the padded text of a long table that says which column is which.

    Args:
        data: The text.
        told: What its columns hold; None if its header says so.
        n_spaced: How many columns it has if these stand between blanks.
        measure: The name of the measure, if the table has none; None is that of the file.
        file_name: The name of the file.

    Raises:
        Irregular: If it is no such table, or not as plain as most are.
    """
    found = END_OF_LINE.search(data.data)
    end = found.end() if found else 0
    line = _plain_text(data, end)
    separator = next((mark for mark in "\t," if mark in line), None)
    first = [field.strip(BLANKS) for field in (line.split(separator) if separator else fields(line))]
    if len(first) != (len(told.fields) if told else n_spaced if separator is None else len(first)) or len(first) < 2:
        raise Irregular
    places = told.places if told else long_columns(first)
    if not set(LONG) <= places.keys() or ("measure" in places and measure is not None):
        raise Irregular
    is_header = told is None or not (is_score(first[places["value"]]) or first[places["qid"]] == SUMMARY)
    wanted, begin = list(places.values()), end if is_header else 0
    if separator:
        blocks = separated(data, begin, ord(separator), len(first), wanted)
    else:
        blocks = between_blanks(data[begin:], len(first), wanted)
    return _cells(blocks, list(places), measure or file_name)


def _plain_text(data: Bytes, end: int) -> str:
    """The first line, if the text holds nothing that takes more than to be cut."""
    blocks = (data[at : at + BLOCK].tobytes() for at in range(0, len(data), BLOCK))
    if any(mark in block for block in blocks for mark in UNLIKE):
        raise Irregular
    return data[:end].tobytes().decode().rstrip("\r\n")


def _cells(blocks: Iterator[list[Texts]], columns: Sequence[str], measure: str) -> pd.DataFrame:
    """A frame of cells whose names are categories."""
    names = {column: Names() for column in columns if column != "value"}
    parts: dict[str, list[NDArray[Any]]] = {column: [] for column in columns}
    for block in blocks:
        texts = dict(zip(columns, block, strict=True))
        by_topic = ~texts["qid"].equal(SUMMARY)
        for column, own in texts.items():
            kept = own if by_topic.all() else own[by_topic]
            part = names[column].numbers(kept) if column in names else numbers_of(kept, NO_SCORE)
            parts[column].append(part)
    if not sum(map(len, parts["value"])):
        raise Irregular
    cells = {column: _categories(np.concatenate(parts.pop(column)), list(own)) for column, own in names.items()}
    values = np.concatenate(parts.pop("value"))
    cells.setdefault("measure", _categories(np.zeros(len(values), dtype=np.int8), [measure]))
    return pd.DataFrame({**cells, "value": values}, copy=False)


def _categories(codes: Any, names: list[str]) -> Any:
    return pd.Categorical.from_codes(codes, pd.Index(names, dtype=object))
