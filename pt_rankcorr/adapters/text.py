"""Scores from text: what trec_eval and ir_measures print, and tables in CSV."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pandas as pd

from pt_rankcorr.adapters.files import (
    PathName,
    Row,
    empty,
    name_of,
    named_files,
    not_as_expected,
    open_text,
    read_table,
    stem,
)
from pt_rankcorr.adapters.measures import COUNTS, is_known
from pt_rankcorr.adapters.settle import COLUMNS, settle
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.checks import one_of

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
NO_SCORE = frozenset({"", "na", "nan"})


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
    with open_text(path, EVALUATION) as lines:
        rows = [row for number, line in enumerate(lines, 1) if (row := _three(path, number, line))]
    if not rows:
        raise empty(path, EVALUATION)
    by_topic = [row for row in _topic_first(path, rows) if row[0] != SUMMARY]
    if not by_topic:
        raise ValueError(f"{name_of(path)!r} must be {EVALUATION}, got only rows over all topics: was -q left out?")
    return by_topic


def _three(path: PathName, number: int, line: str) -> tuple[str, str, str] | None:
    fields = line.split("\t") if "\t" in line else line.split(None, 2)
    if not line.strip():
        return None
    if len(fields) != 3:
        raise not_as_expected(path, number, line, EVALUATION)
    first, second, value = (field.strip() for field in fields)
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
    path: PathName,
    *,
    layout: str | None = None,
    measure: str | None = None,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
) -> Scores:
    """Scores from a table in CSV, separated by commas or tabs, gzipped or not.

    A long table has a row a score and columns for the system (name, run, runid, run_id, system), the topic (qid, query,
    query_id, topic, topic_id), the measure (measure, metric; optional) and the score (value, score); others are not
    read. A wide table has a row a topic and a column a system, after an optional first column of topics, which has one
    of those names or none. Empty cells, NA and nan are missing scores.

    Args:
        path: The file.
        layout: "long" or "wide"; by default long if the header has all columns of a long table.
        measure: The name of the measure, where the table has none; by default that of the file, without suffixes.
        missing: What to do where a system has no score for a topic that others have: "error", "drop-topics",
            "drop-systems" or "zero". Topics for which none has a score are always left out.
        lower_is_better: Measures that are better when lower; their scores are negated.

    Returns:
        One score matrix a measure, and an alignment report. Topics without names are "t1", "t2", ...

    Raises:
        OSError: If the file cannot be read.
        ValueError: If the file is empty or no such table, a system repeats, there is only one, or scores are missing
            under "error".
    """
    rows = read_table(path, TABLE)
    header = [name.strip() for name in rows[0][1]]
    columns = _long_columns(header)
    if layout is None:
        layout = "long" if {"name", "qid", "value"} <= columns.keys() else "wide"
    read = _long if one_of("layout", layout, LAYOUTS) == "long" else _wide
    return settle(read(path, header, rows[1:], measure), missing=missing, lower_is_better=lower_is_better)


def _long_columns(header: Sequence[str]) -> dict[str, int]:
    """Which column of a long table is where; the first of several."""
    lowered = [name.lower() for name in header]
    found = {column: [at for at, name in enumerate(lowered) if name in names] for column, names in HEADERS.items()}
    return {column: places[0] for column, places in found.items() if places}


def _long(path: PathName, header: list[str], rows: list[Row], measure: str | None) -> pd.DataFrame:
    at = _long_columns(header)
    absent = {"name", "qid", "value"} - at.keys()
    if absent:
        raise not_as_expected(path, 1, ", ".join(header), TABLE)
    if "measure" in at and measure is not None:
        raise ValueError(f"`measure` must be None for a table with a column of measures, got {measure!r}.")
    fallback = measure or stem(path)
    return _as_cells(
        (row[at["name"]], row[at["qid"]], row[at["measure"]] if "measure" in at else fallback, row[at["value"]])
        for _, row in rows
    )


def _wide(path: PathName, header: list[str], rows: list[Row], measure: str | None) -> pd.DataFrame:
    first = 1 if header[0].lower() in HEADERS["qid"] | {""} else 0
    systems = header[first:]
    if not systems or "" in systems or _are_scores(systems):
        raise not_as_expected(path, 1, ", ".join(header), TABLE)
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
            if not _is_number(value) and value.strip().lower() not in NO_SCORE:
                raise not_as_expected(path, number, value, TABLE)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _as_cells(rows: Iterator[tuple[str, str, str, str]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    frame["value"] = frame["value"].map(lambda value: None if value.strip().lower() in NO_SCORE else value)
    return frame
