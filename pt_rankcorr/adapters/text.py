"""Scores from text: what trec_eval and ir_measures print, and tables in CSV."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from pt_rankcorr.adapters.columns import PADDING, Bytes, Irregular, padded
from pt_rankcorr.adapters.evaluation_columns import scores_of_text
from pt_rankcorr.adapters.fields import BLANKS, SEPARATORS, as_number, fields
from pt_rankcorr.adapters.files import (
    MOST_BYTES,
    Row,
    empty_error,
    line_error,
    open_text,
    read_blocks,
    reading_at_most,
    table_in,
)
from pt_rankcorr.adapters.measure_names import COUNTS, is_count, is_known
from pt_rankcorr.adapters.paths import PathName, files, is_path, kind_of, name_of, named_files, stem
from pt_rankcorr.adapters.settling import COLUMNS, Cube, cube_of, joined, settle, stacked
from pt_rankcorr.adapters.table_columns import (
    LONG,
    NO_SCORE,
    SUMMARY,
    Columns,
    cells_of_text,
    columns_of,
    is_number,
    is_score,
    long_columns,
)
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.frames import TOPIC_COLUMNS, plain_heading
from pt_rankcorr.text import shown

EVALUATION = (
    "per-topic scores as trec_eval -q (measure, topic, value) or ir_measures -q (topic, measure, value) print them"
)
TABLE = (
    "a table with a header, long (a row a score, with columns such as name, qid, measure and value) "
    "or wide (a row a topic, a column of numbers a system)"
)
LAYOUTS = ("long", "wide")
FIELDS_OF_A_LEADERBOARD = 4
HEADINGS_OF_TOPICS = TOPIC_COLUMNS | {"", "q"}  # of a first column
HEADING = "Queryid (Num):"  # what old versions of trec_eval print before the scores of a topic


# --- trec_eval and ir_measures -----------------------------------------------------------------------------


def scores_from_trec_eval(
    paths: object, *, missing: str = "error", lower_is_better: Collection[object] = (), max_bytes: int = MOST_BYTES
) -> Scores:
    """The scores that `trec_eval -q` or `ir_measures -q` printed, one file a run.

    Which of the two wrote a file is seen from its content. Rows over all topics and counts (num_ret and the like) are
    left out. Both tools round to four decimals unless told otherwise, which makes ties: there is a warning.

    Args:
        paths: A folder, paths, or a mapping from names to paths. Files are named as by `scores_from_runs`, without
            .eval too, and may be gzipped; the run id that trec_eval prints is not used.
        missing, lower_is_better: As for `scores_from_experiment`.
        max_bytes: As for `scores_from_runs`.

    Returns:
        One score matrix a measure, under its name in the files, and an alignment report.

    Raises:
        TypeError: If `paths` are not paths.
        ValueError: If a file is empty, not of the kind or without rows a topic, two files are of one run, a score
            repeats or is not a number, or scores are missing under "error".
    """
    with reading_at_most(max_bytes):
        cube = joined(_scores_of(name, path) for name, path in named_files(paths, "paths").items())
    return settle(cube, missing=missing, lower_is_better=lower_is_better, parameter="paths")


def _scores_of(name: str, path: PathName) -> Cube:
    text = padded(*read_blocks(path, EVALUATION))
    try:
        if HEADING.encode() in text.tobytes():
            raise Irregular
        return scores_of_text(text, name, topic_first=_is_topic_first, summary=SUMMARY, none=NO_SCORE)
    except Irregular:
        return cube_of(_as_cells((name, *row) for row in _evaluation(path, text)), "paths")


def _evaluation(path: PathName, text: Bytes) -> list[tuple[str, str, str]]:
    """(topic, measure, value) of each row of a file that is about one topic."""
    with open_text(path, EVALUATION, never=SEPARATORS, content=text[:-PADDING]) as lines:
        rows = [row for number, line in enumerate(lines, 1) if (row := _fields_of_row(path, number, line))]
    if not rows:
        raise empty_error(path, EVALUATION)
    topic_first = _is_topic_first(*({row[at]: None for row in rows} for at in (0, 1)))
    if topic_first is None:
        raise line_error(path, 1, "\t".join(rows[0]), EVALUATION)
    if not topic_first:
        rows = [(topic, measure, value) for measure, topic, value in rows]
    by_topic = [row for row in rows if row[0] != SUMMARY]
    if not by_topic:
        raise ValueError(f"{name_of(path)!r} must be {EVALUATION}, got only rows over all topics: was -q left out?")
    return by_topic


def _fields_of_row(path: PathName, number: int, line: str) -> tuple[str, str, str] | None:
    if not line.strip(BLANKS) or line.startswith(HEADING):
        return None
    three = line.split("\t") if "\t" in line else fields(line, 2)
    if len(three) != 3:
        raise line_error(path, number, line, EVALUATION)
    first, second, value = (field.strip(BLANKS) for field in three)
    return first, second, value


def _is_topic_first(firsts: Collection[str], seconds: Collection[str]) -> bool | None:
    if SUMMARY in seconds or (SUMMARY not in firsts and any(map(_is_measure, firsts))):
        return False
    return True if SUMMARY in firsts or any(map(_is_measure, seconds)) else None


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
    max_bytes: int = MOST_BYTES,
) -> Scores:
    """Scores from tables in CSV, separated by commas or tabs, gzipped or not.

    A long table has a row a score and columns for the system (name, run, run_id, system), the topic (qid, query,
    query_id, topic, topic_id), the measure (measure, metric; optional) and the score (value, score), also with capitals
    and blanks, as in "Topic ID"; others are not read. A wide table has a row a topic and a column a system, after an
    optional first column of topics, which has one of those names, "q" or none. Without it, a table is refused whose
    first column, or header, may be of topics. Of both, rows over all topics ("all") are not read. Empty cells, NA and
    nan are missing scores.

    Leaderboards are long tables without a header, of four columns in any order, which may be separated by spaces. Which
    column is which is seen from what they hold: known measures; numbers that are not all whole; "all" or nothing but
    whole numbers for the topics. Where that does not tell, `columns` must.

    Args:
        path: The file, or several, such as a wide one for each measure.
        layout: "long" or "wide"; by default long if the header has all columns of a long table or there is none.
        columns: What each column of a long table holds, in their order: the names above, and "_" for one that is not to
            be read. A first line without a number as score is then a header, whatever it says.
        measure: The name of the measure, where the table has none; by default that of the file, without suffixes.
        missing, lower_is_better: As for `scores_from_experiment`.
        max_bytes: As for `scores_from_runs`.

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
    chosen = None if columns is None else columns_of(columns)
    paths = _tables(path)
    with reading_at_most(max_bytes):
        cells = _one([_table(each, layout, chosen, measure) for each in paths])
    return settle(cells, missing=missing, lower_is_better=lower_is_better, parameter="path")


def _one(tables: list[pd.DataFrame | Cube]) -> pd.DataFrame | Cube:
    """Wide tables of different measures stay cubes; all else is told cell by cell."""
    cubes = [table for table in tables if isinstance(table, Cube)]
    if len(cubes) == len(tables) == len({cube.measures for cube in cubes}):
        return joined(cubes)
    return stacked([table.cells() if isinstance(table, Cube) else table for table in tables])


def _tables(path: object) -> list[PathName]:
    if not is_path(path) and (isinstance(path, Mapping) or hasattr(path, "__array__")):
        raise TypeError(
            f"`path` must be a file in CSV or several, got {kind_of(path)}. A frame of pt.Experiment is for "
            "`scores_from_experiment`; a table with a row a topic and a column a system is for `ScoreMatrix`."
        )
    paths = files(path, "path")
    if not paths:
        raise ValueError("`path` must name at least one file, got none.")
    return paths


def _table(path: PathName, layout: str | None, told: Columns | None, measure: str | None) -> pd.DataFrame | Cube:
    text = padded(*read_blocks(path, TABLE))
    n_spaced = len(told.fields) if told else FIELDS_OF_A_LEADERBOARD
    try:
        if layout == "wide":
            raise Irregular
        return cells_of_text(text, told, n_spaced, measure, stem(path))
    except Irregular:
        rows = _rows(path, text, n_spaced)
    if told is not None:
        return _cells_of_long(path, _without_header(path, rows, told), told.places, measure)
    first = rows[0][1]
    header = long_columns(first)
    if layout == "long" or (layout is None and set(LONG) <= header.keys()):
        if not set(LONG) <= header.keys():
            raise line_error(path, 1, ", ".join(first), TABLE)
        return _cells_of_long(path, rows[1:], header, measure)
    if layout is None and len(first) == FIELDS_OF_A_LEADERBOARD and (at := _measures_at(rows)) is not None:
        return _cells_of_long(path, rows, _leaderboard(path, rows, at), measure)
    return _wide(path, first, rows[1:], measure)


def _rows(path: PathName, content: Bytes, n_fields: int) -> list[Row]:
    """The rows of a table in CSV, or of one with so many fields between spaces; blanks around a name are none of it."""
    with open_text(path, TABLE, newline="", content=content[:-PADDING]) as text:
        first = text.readline()
        spaced = not {"\t", ","} & set(first) and len(fields(first)) == n_fields > 1
        rows = (
            _rows_between_spaces(path, chain([first], text), n_fields) if spaced else table_in(path, first, text, TABLE)
        )
    return [(number, [field.strip(BLANKS) for field in row]) for number, row in rows]


def _rows_between_spaces(path: PathName, lines: Iterable[str], n_fields: int) -> list[Row]:
    rows = [(number, fields(line)) for number, line in enumerate(lines, 1) if line.strip(BLANKS)]
    for number, row in rows:
        if len(row) != n_fields:
            raise line_error(path, number, " ".join(row), TABLE)
    return rows


def _cells_of_long(path: PathName, rows: Sequence[Row], at: Mapping[str, int], measure: str | None) -> pd.DataFrame:
    if "measure" in at and measure is not None:
        raise ValueError(f"`measure` must be None for a table with a column of measures, got {shown(measure)}.")
    _check_rows(path, rows)
    fallback = measure or stem(path)
    return _as_cells(
        (row[at["name"]], row[at["qid"]], row[at["measure"]] if "measure" in at else fallback, row[at["value"]])
        for _, row in _of_topics(path, rows, at["qid"])
    )


def _check_rows(path: PathName, rows: Sequence[Row]) -> None:
    if not rows:
        raise ValueError(f"{name_of(path)!r} must be {TABLE}, got no row below its header.")


def _of_topics(path: PathName, rows: Sequence[Row], topic: int) -> list[Row]:
    by_topic = [(number, row) for number, row in rows if row[topic] != SUMMARY]
    if not by_topic:
        raise ValueError(f"{name_of(path)!r} must be {TABLE}, got only rows over all topics.")
    return by_topic


# which column is which, as told


def _without_header(path: PathName, rows: list[Row], told: Columns) -> list[Row]:
    number, first = rows[0]
    if len(first) != len(told.fields):
        raise line_error(path, number, ", ".join(first), f"a table of {len(told.fields)} columns")
    value = first[told.places["value"]]
    return rows if is_score(value) or first[told.places["qid"]] == SUMMARY else rows[1:]


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
    scores = {at for at in others - whole if all(map(is_score, held[at]))}
    summed = {at for at in others if any(row[at] == SUMMARY for _, row in rows)}
    topics = whole & summed or whole | summed
    if len(scores) != 1 or len(topics) != 1:
        raise ValueError(
            f"{name_of(path)!r} must tell its columns by what they hold, got {shown(', '.join(rows[0][1]))} in line 1. "
            "`columns=` says which is which, such as run,measure,topic,value."
        )
    ((name,), (topic,), (value,)) = others - scores - topics, topics, scores
    return {"name": name, "qid": topic, "measure": measure, "value": value}


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


# wide tables


def _wide(path: PathName, header: list[str], rows: list[Row], measure: str | None) -> Cube | pd.DataFrame:
    first = 1 if plain_heading(header[0]) in HEADINGS_OF_TOPICS else 0
    systems = header[first:]
    if not systems or "" in systems or _are_scores(systems):
        raise line_error(path, 1, ", ".join(header), TABLE)
    _check_rows(path, rows)
    if first:
        rows = _of_topics(path, rows, 0)
    else:
        _check_first_column(path, header, rows)
    values = np.fromiter(_scores_in(path, rows, first), float, len(rows) * len(systems)).reshape(-1, len(systems))
    topics = [row[0] if first else f"t{number}" for number, (_, row) in enumerate(rows, 1)]
    cube = Cube(values[np.newaxis], (measure or stem(path),), tuple(topics), tuple(systems))
    if cube.is_plain:
        return cube
    return _as_cells(
        (system, topic, cube.measures[0], value)
        for topic, (_, row) in zip(topics, rows, strict=True)
        for system, value in zip(systems, row[first:], strict=True)
    )


def _check_first_column(path: PathName, header: list[str], rows: list[Row]) -> None:
    """Whether a column without a heading of topics holds no topics: then nothing tells topics and scores apart."""
    whole = [all(_is_whole(row[at]) for _, row in rows) for at in range(len(header))]
    remedy = "A first column named topic would tell."
    if all(whole) and all(map(_is_whole, header)):
        raise ValueError(f"{name_of(path)!r} must have a header, got whole numbers in all lines. {remedy}")
    if whole[0] and not all(whole) and len({row[0] for _, row in rows}) == len(rows) > 1:
        raise ValueError(
            f"{name_of(path)!r} must say what its first column holds, got {shown(header[0])} above a different whole "
            f"number in each line. {remedy}"
        )


def _scores_in(path: PathName, rows: list[Row], first: int) -> Iterator[float]:
    for number, row in rows:
        for value in row[first:]:
            if value.lower() in NO_SCORE:
                yield math.nan
                continue
            try:
                yield as_number(value)
            except ValueError:
                raise line_error(path, number, value, TABLE) from None


def _are_scores(names: list[str]) -> bool:
    """Whether a header is no header: systems may be numbered, but are not called 0.25."""
    return all(map(is_number, names)) and not all(name.lstrip("-").isdigit() for name in names)


def _as_cells(rows: Iterator[tuple[str, str, str, str]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    frame["value"] = frame["value"].map(lambda value: None if value.lower() in NO_SCORE else value)
    return frame
