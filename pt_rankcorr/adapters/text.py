"""Scores from text: what trec_eval and ir_measures print, and tables in CSV."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import pandas as pd

from pt_rankcorr.adapters.fields import BLANKS, SEPARATORS, as_number, fields
from pt_rankcorr.adapters.files import (
    PathName,
    Row,
    empty,
    is_path,
    listed,
    name_of,
    named_files,
    not_as_expected,
    open_text,
    stem,
    table_in,
)
from pt_rankcorr.adapters.measures import COUNTS, is_count, is_known
from pt_rankcorr.adapters.settle import COLUMNS, settle
from pt_rankcorr.adapters.spreadsheets import as_name
from pt_rankcorr.labels import not_a_word
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats._text import shown, shown_name
from pt_rankcorr.stats.checks import listing, one_of

EVALUATION = (
    "per-topic scores as trec_eval -q (measure, topic, value) or ir_measures -q (topic, measure, value) print them"
)
SUMMARY = "all"  # what both tools call the row over all topics
TABLE = (
    "a table with a header, long (a row a score, with columns such as name, qid, measure and value) "
    "or wide (a row a topic, a column of numbers a system)"
)
LAYOUTS = ("long", "wide")
HEADERS = {
    "name": frozenset({"name", "run", "runid", "run_id", "system"}),
    "qid": frozenset({"qid", "query", "query_id", "topic", "topic_id"}),
    "measure": frozenset({"measure", "metric"}),
    "value": frozenset({"value", "score"}),
}
LONG = ("name", "qid", "value")  # what a long table cannot do without
FIELDS_OF_A_LEADERBOARD = 4
NOT_READ = "_"
NO_SCORE = frozenset({"", "na", "nan", "-nan"})  # the last is what C prints of nan with its sign
HEADING = "Queryid (Num):"  # what old versions of trec_eval print before the scores of a topic


# --- trec_eval and ir_measures -----------------------------------------------------------------------------


def scores_from_trec_eval(paths: object, *, missing: str = "error", lower_is_better: Collection[object] = ()) -> Scores:
    """The scores that `trec_eval -q` or `ir_measures -q` printed, one file a run.

    Which of the two wrote a file is seen from its content. Rows over all topics and counts (num_ret and the like) are
    left out. Both tools round to four decimals unless told otherwise, which makes ties: there is a warning.

    Args:
        paths: A folder, paths, or a mapping from names to paths. Files are named as by `scores_from_runs`, without
            .eval too, and may be gzipped; the run id that trec_eval prints is not used.
        missing: What to do where a run has no score for a topic that others have: "error", "drop-topics",
            "drop-systems" or "zero".
        lower_is_better: Measures that are better when lower; their scores are negated.

    Returns:
        One score matrix a measure, under its name in the files, and an alignment report.

    Raises:
        TypeError: If `paths` are not paths.
        ValueError: If a file is empty, not of the kind or without rows a topic, two files are of one run, a score
            repeats or is not a number, or scores are missing under "error".
    """
    files = named_files(paths, "paths")
    rows = ((name, *row) for name, path in files.items() for row in _evaluation(path))
    return settle(_as_cells(rows), missing=missing, lower_is_better=lower_is_better)


def _evaluation(path: PathName) -> list[tuple[str, str, str]]:
    """(topic, measure, value) of each row of a file that is about one topic."""
    with open_text(path, EVALUATION, never=SEPARATORS) as lines:
        rows = [row for number, line in enumerate(lines, 1) if (row := _three(path, number, line))]
    if not rows:
        raise empty(path, EVALUATION)
    by_topic = [row for row in _topic_first(path, rows) if row[0] != SUMMARY]
    if not by_topic:
        raise ValueError(f"{name_of(path)!r} must be {EVALUATION}, got only rows over all topics: was -q left out?")
    return by_topic


def _three(path: PathName, number: int, line: str) -> tuple[str, str, str] | None:
    if not line.strip(BLANKS) or line.startswith(HEADING):
        return None
    three = line.split("\t") if "\t" in line else fields(line, 2)
    if len(three) != 3:
        raise not_as_expected(path, number, line, EVALUATION)
    first, second, value = (field.strip(BLANKS) for field in three)
    return first, second, value


def _topic_first(path: PathName, rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    firsts, seconds = ({row[at]: None for row in rows} for at in (0, 1))
    if SUMMARY in seconds or (SUMMARY not in firsts and any(map(_is_measure, firsts))):
        return [(topic, measure, value) for measure, topic, value in rows]
    if SUMMARY in firsts or any(map(_is_measure, seconds)):
        return rows
    raise not_as_expected(path, 1, "\t".join(rows[0]), EVALUATION)


def _is_measure(name: str) -> bool:
    return name in COUNTS or is_known(name)


# --- tables -------------------------------------------------------------------------------------------------


def read_scores(
    path: PathName | Sequence[PathName],
    *,
    layout: str | None = None,
    columns: Sequence[str] | None = None,
    measure: str | None = None,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
) -> Scores:
    """Scores from tables in CSV, separated by commas or tabs, gzipped or not.

    A long table has a row a score and columns for the system (name, run, runid, run_id, system), the topic (qid, query,
    query_id, topic, topic_id), the measure (measure, metric; optional) and the score (value, score); others are not
    read. A wide table has a row a topic and a column a system, after an optional first column of topics, which has one
    of those names or none. Of both, rows over all topics ("all") are not read. Empty cells, NA and nan are missing
    scores.

    Leaderboards are long tables without a header, of four columns in any order, which may be separated by spaces. Which
    column is which is seen from what they hold: known measures; numbers that are not all whole; "all" or nothing but
    whole numbers for the topics. Where that does not tell, `columns` must.

    Args:
        path: The file, or several, such as a wide one for each measure.
        layout: "long" or "wide"; by default long if the header has all columns of a long table or there is none.
        columns: What each column of a long table holds, in their order: the names above, and "_" for one that is not to
            be read. A first line without a number as score is then a header, whatever it says.
        measure: The name of the measure, where the table has none; by default that of the file, without suffixes.
        missing: What to do where a system has no score for a topic that others have: "error", "drop-topics",
            "drop-systems" or "zero". Topics for which none has a score are always left out.
        lower_is_better: Measures that are better when lower; their scores are negated.

    Returns:
        One score matrix a measure, and an alignment report. Topics without names are "t1", "t2", ...

    Raises:
        OSError: If a file cannot be read.
        ValueError: If a file is empty or no such table, it cannot be told which column is which, a system repeats,
            there is only one, or scores are missing under "error".
    """
    if layout is not None:
        one_of("layout", layout, LAYOUTS)
    if columns is not None and layout == "wide":
        raise ValueError(f"`columns` must be None for a wide table, got {shown(columns)}.")
    told = None if columns is None else _told_columns(columns)
    paths = [path] if is_path(path) else listed(path, "path")
    if not paths:
        raise ValueError("`path` must name at least one file, got none.")
    cells = pd.concat([_table(each, layout, told, measure) for each in paths], ignore_index=True)
    return settle(cells, missing=missing, lower_is_better=lower_is_better)


def _table(path: PathName, layout: str | None, told: Columns | None, measure: str | None) -> pd.DataFrame:
    rows = _rows(path, len(told.fields) if told else FIELDS_OF_A_LEADERBOARD)
    if told is not None:
        return _long(path, _without_header(path, rows, told), told.places, measure)
    first = rows[0][1]
    header = _long_columns(first)
    if layout == "long" or (layout is None and set(LONG) <= header.keys()):
        if not set(LONG) <= header.keys():
            raise not_as_expected(path, 1, ", ".join(first), TABLE)
        return _long(path, rows[1:], header, measure)
    if layout is None and len(first) == FIELDS_OF_A_LEADERBOARD and (at := _measures_at(rows)) is not None:
        return _long(path, rows, _leaderboard(path, rows, at), measure)
    return _wide(path, first, rows[1:], measure)


def _rows(path: PathName, n_fields: int) -> list[Row]:
    """The rows of a table in CSV, or of one with so many fields between spaces; blanks around a name are none of it."""
    with open_text(path, TABLE, newline="") as text:
        first = text.readline()
        spaced = not {"\t", ","} & set(first) and len(fields(first)) == n_fields > 1
        rows = _spaced(path, chain([first], text), n_fields) if spaced else table_in(path, first, text, TABLE)
    return [(number, [as_name(field.strip(BLANKS)) for field in row]) for number, row in rows]


def _spaced(path: PathName, lines: Iterable[str], n_fields: int) -> list[Row]:
    rows = [(number, fields(line)) for number, line in enumerate(lines, 1) if line.strip(BLANKS)]
    for number, row in rows:
        if len(row) != n_fields:
            raise not_as_expected(path, number, " ".join(row), TABLE)
    return rows


def _long_columns(header: Sequence[str]) -> dict[str, int]:
    """Which column of a long table is where; the first of several."""
    lowered = [name.lower() for name in header]
    found = {column: [at for at, name in enumerate(lowered) if name in names] for column, names in HEADERS.items()}
    return {column: places[0] for column, places in found.items() if places}


def _long(path: PathName, rows: Sequence[Row], at: Mapping[str, int], measure: str | None) -> pd.DataFrame:
    if "measure" in at and measure is not None:
        raise ValueError(f"`measure` must be None for a table with a column of measures, got {shown(measure)}.")
    fallback = measure or stem(path)
    return _as_cells(
        (row[at["name"]], row[at["qid"]], row[at["measure"]] if "measure" in at else fallback, row[at["value"]])
        for _, row in _of_topics(path, rows, at["qid"])
    )


def _of_topics(path: PathName, rows: Sequence[Row], topic: int) -> list[Row]:
    """The rows that are about one topic, which a column says."""
    by_topic = [(number, row) for number, row in rows if row[topic] != SUMMARY]
    if rows and not by_topic:
        raise ValueError(f"{name_of(path)!r} must be {TABLE}, got only rows over all topics.")
    return by_topic


# which column is which, as told


class Columns(NamedTuple):
    """What the columns of a long table hold."""

    fields: Sequence[str]  # one a column
    places: Mapping[str, int]  # what is read -> its column


def _told_columns(columns: Sequence[str]) -> Columns:
    told = [str(column).strip().lower() for column in not_a_word(columns, "columns")]
    unknown = {field for field in told if field != NOT_READ and not any(field in names for names in HEADERS.values())}
    if unknown:
        raise ValueError(f"`columns` must be run, topic, measure, value or '_', got {listing(unknown)}.")
    places = _long_columns(told)
    if not set(LONG) <= places.keys() or len(places) < len([field for field in told if field != NOT_READ]):
        raise ValueError(f"`columns` must name run, topic and value, and each once, got {shown_name(', '.join(told))}.")
    return Columns(told, places)


def _without_header(path: PathName, rows: list[Row], told: Columns) -> list[Row]:
    number, first = rows[0]
    if len(first) != len(told.fields):
        raise not_as_expected(path, number, ", ".join(first), f"a table of {len(told.fields)} columns")
    value = first[told.places["value"]]
    return rows if _is_score(value) or first[told.places["qid"]] == SUMMARY else rows[1:]


# which column is which, as seen


def _measures_at(rows: list[Row]) -> int | None:
    """The column that holds nothing but known measures, if there is one."""
    for at, field in enumerate(rows[0][1]):
        if _is_measure(field) and all(map(_is_measure, {row[at] for _, row in rows})):
            return at
    return None


def _leaderboard(path: PathName, rows: list[Row], measure: int) -> dict[str, int]:
    """Which of the four columns holds what, from what they hold."""
    of_topics = [row for _, row in rows if SUMMARY not in row and not is_count(row[measure])]
    others = {at for at in range(FIELDS_OF_A_LEADERBOARD) if at != measure}
    held = {at: {row[at] for row in of_topics} for at in others}
    whole = {at for at in others if all(map(_is_whole, held[at]))}
    scores = {at for at in others - whole if all(map(_is_score, held[at]))}
    summed = {at for at in others if any(row[at] == SUMMARY for _, row in rows)}
    topics = whole & summed or whole | summed
    if len(scores) != 1 or len(topics) != 1:
        raise ValueError(
            f"{name_of(path)!r} must tell its columns by what they hold, got {shown(', '.join(rows[0][1]))} in line 1. "
            "`columns=` says which is which, such as run,measure,topic,value."
        )
    ((name,), (topic,), (value,)) = others - scores - topics, topics, scores
    return {"name": name, "qid": topic, "measure": measure, "value": value}


def _is_score(text: str) -> bool:
    return _is_number(text) or text.lower() in NO_SCORE


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


# wide tables


def _wide(path: PathName, header: list[str], rows: list[Row], measure: str | None) -> pd.DataFrame:
    first = 1 if header[0].lower() in HEADERS["qid"] | {""} else 0
    systems = header[first:]
    if not systems or "" in systems or _are_scores(systems):
        raise not_as_expected(path, 1, ", ".join(header), TABLE)
    if first:
        rows = _of_topics(path, rows, 0)
    _check_numbers(path, rows, first)
    name = measure or stem(path)
    return _as_cells(
        (system, row[0] if first else f"t{number}", name, value)
        for number, (_, row) in enumerate(rows, 1)
        for system, value in zip(systems, row[first:], strict=True)
    )


def _are_scores(names: list[str]) -> bool:
    """Whether a header is no header: systems may be numbered, but are not called 0.25."""
    return all(map(_is_number, names)) and not all(name.lstrip("-").isdigit() for name in names)


def _check_numbers(path: PathName, rows: list[Row], first: int) -> None:
    for number, row in rows:
        for value in row[first:]:
            if not _is_score(value):
                raise not_as_expected(path, number, value, TABLE)


def _is_number(value: str) -> bool:
    try:
        as_number(value)
    except ValueError:
        return False
    return True


def _as_cells(rows: Iterator[tuple[str, str, str, str]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    frame["value"] = frame["value"].map(lambda value: None if value.lower() in NO_SCORE else value)
    return frame
