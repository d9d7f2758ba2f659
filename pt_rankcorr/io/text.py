"""Scores from text: the output of trec_eval and ir_measures, and tables in CSV."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io.fields import BLANKS, SEPARATORS, as_number, fields
from pt_rankcorr.io.files import MOST_BYTES, line_error, open_text, reading_at_most, rows_of_csv
from pt_rankcorr.io.given import MeasureLike, PathOrPattern, PathsLike
from pt_rankcorr.io.long_tables import (
    LONG,
    SUMMARY,
    Columns,
    Table,
    columns_of,
    is_measure,
    is_number,
    is_score,
    is_topic_first,
    is_whole,
    lines_of,
    long_columns,
    rows_of,
    where,
)
from pt_rankcorr.io.measure_names import is_count
from pt_rankcorr.io.paths import PathName, files, is_path, kind_of, name_of, named_files, stem
from pt_rankcorr.io.settling import settle
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.headings import TOPIC_COLUMNS, plain_heading
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

EVALUATION = (
    "per-topic scores as trec_eval -q (measure, topic, value) or ir_measures -q (topic, measure, value) print them"
)
TABLE = (
    "a table with a header: one score per row (columns such as name, qid, measure and value), "
    "or one topic per row and one column of numbers per system"
)
FIELDS_OF_A_LEADERBOARD = 4
HEADINGS_OF_TOPICS = TOPIC_COLUMNS | {"", "q"}  # of a first column


# --- trec_eval and ir_measures -----------------------------------------------------------------------------


def scores_from_trec_eval(
    paths: PathsLike | Mapping[str, PathOrPattern],
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    max_bytes: int = MOST_BYTES,
) -> Scores:
    """The scores that `trec_eval -q` or `ir_measures -q` printed, one file per run.

    The content of a file shows which of the two wrote it. Rows over all topics and counts (num_ret and the like) are
    left out. Both tools round to four decimals unless told otherwise. Rounding makes ties, so there is a warning.

    Args:
        paths: A folder, paths, or a mapping from names to paths. Files are named as by `scores_from_runs`, without
            .eval too, and may be gzipped; the run id that trec_eval prints is not used.
        missing, lower_is_better: As for `scores_from_experiment`.
        max_bytes: As for `scores_from_runs`.

    Returns:
        One score matrix per measure, under its name in the files, and an alignment report.

    Raises:
        TypeError: If `paths` are not paths.
        ValueError: If a file is empty, of another kind or without rows per topic, two files hold one run, a score
            repeats or is not a number, or scores are missing under "error".
    """
    with reading_at_most(max_bytes):
        cells = [_cells_of_run(name, path) for name, path in named_files(paths, "paths").items()]
    together = pd.concat(cells, ignore_index=True)
    return settle(together, missing=missing, lower_is_better=lower_is_better, parameter="paths")


def _cells_of_run(name: str, path: PathName) -> pd.DataFrame:
    with open_text(path, EVALUATION, never=SEPARATORS) as text:
        table = Table.of(path, EVALUATION, rows_of(path, EVALUATION, lines_of(text), width=3, at_most=2))
    topic_first = is_topic_first(table.texts(0), table.texts(1))
    if topic_first is None:
        raise table.error(0, "\t")
    at = {"qid": 0, "measure": 1, "value": 2} if topic_first else {"measure": 0, "qid": 1, "value": 2}
    return table.of_topics(at["qid"], ": was -q left out?").cells(at, name=name)


# --- tables -------------------------------------------------------------------------------------------------


def read_scores(
    path: PathName | Sequence[PathName],
    *,
    layout: str | None = None,
    columns: Sequence[str] | None = None,
    measure: str | None = None,
    missing: str = "error",
    lower_is_better: Collection[MeasureLike] = (),
    max_bytes: int = MOST_BYTES,
) -> Scores:
    """Scores from tables in CSV, separated by commas or tabs, gzipped or not.

    A long table has one row per score and columns for the system (name, run, run_id, system), the topic (qid, query,
    query_id, topic, topic_id), the measure (measure, metric; optional) and the score (value, score). Capitals and
    blanks are allowed, as in "Topic ID"; other columns are not read. A wide table has one row per topic and one column
    per system. Its first column may hold the topics, under one of those names, "q" or none; if it does not, and it or
    the header may be topics, the table is refused. Rows over all topics ("all") are not read. Empty cells, NA and nan
    are missing scores.

    Leaderboards are long tables without a header, of four columns in any order, which spaces may separate. The content
    shows which column is which: known measures; scores that are not all whole numbers; "all" or nothing but whole
    numbers for the topics. Where the content is ambiguous, `columns` is needed.

    Args:
        path: The file, or several, such as a wide one for each measure.
        layout: "long" or "wide"; by default long if the header has all columns of a long table or there is none.
        columns: What each column of a long table holds, in order: the names above, and "_" for a column to skip. A
            first line whose score begins with a letter is then a header, whatever it says.
        measure: The name of the measure, where the table has none; by default the file name without suffixes.
        missing, lower_is_better: As for `scores_from_experiment`.
        max_bytes: As for `scores_from_runs`.

    Returns:
        One score matrix per measure, and an alignment report. Topics without names are "t1", "t2", ...

    Raises:
        OSError: If a file cannot be read.
        ValueError: If a file is empty or no such table, its columns are ambiguous, a system repeats, there is only one
            system, or scores are missing under "error".
    """
    if layout is not None:
        one_of("layout", layout, ("long", "wide"))
    if columns is not None and layout == "wide":
        raise ValueError(f"`columns` must be left out with layout='wide', got {shown(columns)}.")
    chosen = None if columns is None else columns_of(columns)
    paths = _tables(path)
    with reading_at_most(max_bytes):
        cells = pd.concat([_cells_of(each, layout, chosen, measure) for each in paths], ignore_index=True)
    return settle(cells, missing=missing, lower_is_better=lower_is_better, parameter="path")


def _tables(path: object) -> list[PathName]:
    if not is_path(path) and (isinstance(path, Mapping) or hasattr(path, "__array__")):
        raise TypeError(
            f"`path` must be one CSV file or several, got {kind_of(path)}. Use `scores_from_experiment` for a frame of "
            "pt.Experiment, `ScoreMatrix` for a frame with one row per topic and one column per system."
        )
    paths = files(path, "path")
    if not paths:
        raise ValueError("`path` must name at least one file, got none.")
    return paths


def _cells_of(path: PathName, layout: str | None, told: Columns | None, measure: str | None) -> pd.DataFrame:
    table = _read(path, len(told.fields) if told else FIELDS_OF_A_LEADERBOARD)
    first = table.row(0)
    if told is not None:
        return _cells_of_long(_without_header(table, first, told), told.places, measure)
    header = long_columns(first)
    if layout == "long" or (layout is None and set(LONG) <= header.keys()):
        if not set(LONG) <= header.keys():
            raise table.error(0, ", ")
        return _cells_of_long(table.below_header(), header, measure)
    if layout is None and len(first) == FIELDS_OF_A_LEADERBOARD and (at := _measures_at(table)) is not None:
        return _cells_of_long(table, _leaderboard(table, at), measure)
    return _cells_of_wide(table, first, measure)


def _read(path: PathName, n_spaced: int) -> Table:
    """The rows of a table in CSV, or of one with so many fields between spaces; names lose the blanks around them."""
    with open_text(path, TABLE, newline="") as text:
        first = text.readline()
        if not {"\t", ","} & {*first} and len(fields(first)) == n_spaced > 1:
            return Table.of(path, TABLE, rows_of(path, TABLE, lines_of(chain([first], text)), n_spaced))
        rows = rows_of_csv(path, text, first, TABLE)
        return Table.of(path, TABLE, ((number, [cell.strip(BLANKS) for cell in row]) for number, row in rows))


def _cells_of_long(table: Table, at: Mapping[str, int], measure: str | None) -> pd.DataFrame:
    if "measure" in at and measure is not None:
        raise ValueError(f"`measure` must be left out for a table with a column of measures, got {shown(measure)}.")
    same = {} if "measure" in at else {"measure": measure or stem(table.path)}
    return table.of_topics(at["qid"]).cells(at, **same)


# which column is which, as told


def _without_header(table: Table, first: Sequence[str], told: Columns) -> Table:
    if len(first) != len(told.fields):
        raise table._replace(expected=f"a table of {len(told.fields)} columns").error(0, ", ")
    value = first[told.places["value"]]
    is_header = value[:1].isalpha() and not is_score(value) and first[told.places["qid"]] != SUMMARY
    return table.below_header() if is_header else table


# which column is which, as seen


def _measures_at(table: Table) -> int | None:
    """The column that holds only known measures, if there is one."""
    return next((at for at in table.fields if all(map(is_measure, table.texts(at)))), None)


def _leaderboard(table: Table, measure: int) -> dict[str, int]:
    """What each of the four columns holds, from its content."""
    others = [at for at in table.fields if at != measure]
    of_all = {at: where(table.rows[at], SUMMARY.__eq__) for at in others}
    by_topic = ~np.any([where(table.rows[measure], is_count), *of_all.values()], axis=0)
    held = {at: list(table.rows[at][by_topic].unique()) for at in others}
    whole = {at for at in others if all(map(is_whole, held[at]))}
    scores = {at for at in others if at not in whole and all(map(is_score, held[at]))}
    summed = {at for at in others if of_all[at].any()}
    topics = whole & summed or whole | summed
    if len(scores) != 1 or len(topics) != 1:
        raise ValueError(
            f"{name_of(table.path)!r} must have columns that can be told apart, got {shown(', '.join(table.row(0)))} "
            f"in line {table.rows.index[0]}. `columns=` names them, such as run,measure,topic,value."
        )
    name, topic, value = (next(iter(each)) for each in (set(others) - scores - topics, topics, scores))
    return {"name": name, "qid": topic, "measure": measure, "value": value}


# wide tables


def _cells_of_wide(table: Table, header: list[str], measure: str | None) -> pd.DataFrame:
    first = 1 if plain_heading(header[0]) in HEADINGS_OF_TOPICS else 0
    systems = header[first:]
    if not systems or "" in systems or _are_scores(systems):
        raise table.error(0, ", ")
    below = table.below_header()
    if first:
        below = below.of_topics(0)
        topics = list(below.rows[0])
    else:
        _check_first_column(below, header)
        topics = [f"t{number}" for number in range(1, len(below.rows) + 1)]
    values = np.column_stack([_scores_in(below, at) for at in below.fields[first:]])
    names = {
        "name": np.array(systems, object).repeat(len(topics)),
        "qid": np.tile(np.array(topics, object), len(systems)),
    }
    return pd.DataFrame({**names, "measure": measure or stem(table.path), "value": values.ravel("F")})


def _check_first_column(table: Table, header: list[str]) -> None:
    """An error if a first column that is not headed as topics may hold them: it could be topics or scores."""
    whole = [all(map(is_whole, table.texts(at))) for at in table.fields]
    remedy = "If it has topics, name it topic."
    if all(whole) and all(map(is_whole, header)):
        raise ValueError(f"{name_of(table.path)!r} must have a header, got whole numbers in all lines. {remedy}")
    if whole[0] and not all(whole) and len(table.texts(0)) == len(table.rows) > 1:
        raise ValueError(
            f"{name_of(table.path)!r} must show what its first column has, got {shown(header[0])} above a different "
            f"whole number in each line. {remedy}"
        )


def _scores_in(table: Table, at: int) -> Floats:
    column = table.rows[at]
    odd = np.flatnonzero(~where(column, is_score))
    if len(odd):
        raise line_error(table.path, column.index[odd[0]], column.iloc[odd[0]], TABLE)
    numbers = [as_number(text) if is_number(text) else math.nan for text in column.cat.categories.tolist()]
    return np.array(numbers)[column.cat.codes.to_numpy()]


def _are_scores(names: list[str]) -> bool:
    """Whether a header is in fact scores: systems may be numbered, but are not called 0.25."""
    return all(map(is_number, names)) and not all(name.lstrip("-").isdigit() for name in names)
