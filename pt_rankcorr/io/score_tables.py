"""Scores from tables: of experiments, in CSV, and as trec_eval and ir_measures print them; and labels in files."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io import paths
from pt_rankcorr.io.align import COLUMNS, align, check_cells, cube_of
from pt_rankcorr.io.datasets import in_datasets, in_design_of
from pt_rankcorr.io.measure_names import COUNTS, is_known, ranks_no_systems
from pt_rankcorr.io.spreadsheets import (
    Sheet,
    is_none,
    is_score,
    numbered_lines,
    read_sheet,
    separator_of,
    sheet_of_fields,
    where,
)
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import listing, not_a_word, one_of
from pt_rankcorr.text import shown, shown_name

PERQUERY = f"the perquery.csv of a pt.Experiment (columns {', '.join(COLUMNS)})"
EVALUATION = (
    "per-topic scores as trec_eval -q (measure, topic, value) or ir_measures -q (topic, measure, value) print them"
)
UNKNOWN = (
    " It does not show which column has the measures, of which none is known. In Python, `read_leaderboard` with "
    "format='trec_eval' takes the first."
)
TABLE = (
    "a table with a header: one score per row (columns such as name, qid, measure and value), "
    "or one topic per row and one column of numbers per system"
)
LABELS = "a file with a %s and its label per line, separated by a tab, a comma or blanks"
HEADERS = {
    "name": headings.SYSTEMS,
    "qid": headings.TOPICS,
    "measure": headings.MEASURES,
    "value": headings.SCORES,
}
FIELD_NAMES = {"name": "systems", "measure": "measures", "value": "scores"}
LONG = ("name", "qid", "value")  # what a long table cannot do without
NOT_READ = "_"
FIELDS_OF_A_LEADERBOARD = 4
NUMBERED = re.compile(r".*\d", re.DOTALL)  # as documents are, and topics


def scores_from_experiment(
    experiment: pd.DataFrame | tuple[Any, Any] | paths.PathName,
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
) -> Scores:
    """The scores of a PyTerrier experiment.

    Args:
        experiment: What `pt.Experiment(..., perquery=True)` returned (columns name, qid, measure, value), what
            `perquery="both"` returned, the `perquery.csv` of its `save_dir`, or that folder. Columns "cluster" and
            "stratum" hold the labels of topics, see `ScoreMatrix.with_design`. A column "dataset", as SuiteEval's
            frames have, makes each data set a stratum, and its topics "dataset/topic".
        missing: What to do where a system has no score for a topic that others have: "error", "drop-topics",
            "drop-systems" or "zero". Topics for which no system has a score are always left out.
        lower_is_better: Measures that are better when lower; their scores are negated.

    Returns:
        One score matrix per measure, with systems and topics in their order of appearance, and an alignment report.

    Raises:
        OSError, TypeError, ValueError: If it is none of these, columns are absent, a cell repeats or is infinite, or
            cells are missing under "error".
    """
    frame: Any = experiment[1] if isinstance(experiment, tuple) and len(experiment) == 2 else experiment
    if paths.is_path(experiment):
        path = Path(experiment)
        path = path / "perquery.csv" if path.is_dir() else path
        # as text: a topic "001" must not become 1, nor a system named "NA" a missing value
        sheet = read_sheet(path, PERQUERY)
        frame = sheet.below().cells.astype(object).set_axis(sheet.first, axis=1).reset_index(drop=True)
        if isinstance(values := frame.get("value"), pd.Series):
            frame = frame.assign(value=[None if is_none(text) else text for text in values])
    if not isinstance(frame, pd.DataFrame):
        kind = paths.kind_of(frame)
        raise TypeError(f"`experiment` must be the result of a pt.Experiment with perquery=True, got {kind}.")
    check_cells(frame, "experiment")
    frame = in_datasets(frame)
    return in_design_of(frame, align(cube_of(frame, "experiment", lower_is_better), missing=missing))


def read_scores(
    path: paths.PathsLike,
    *,
    format: choices.TableFormat | None = None,
    columns: Sequence[str] | None = None,
    measure: str | None = None,
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    sep: str | None = None,
    decimal: choices.Decimal | None = None,
) -> Scores:
    """Scores from tables in CSV, as people and spreadsheets write them, gzipped or not.

    A long table has one row per score and columns for the system (name, run, run_id, system, model, method and the
    like), the topic (topic, qid, query, id, number and the like), the measure (measure, metric; optional) and the score
    (value, score). Instead of the last two, it may have a column of scores for each measure. Topics of a column
    "dataset" are in strata, as for `scores_from_experiment`. Capitals and blanks are allowed, as in "Topic ID"; other
    columns are not read. A wide table has one row per topic and one column per system. One of its columns may hold the
    topics, under one of those names, or the first under none; if none does, and the first column or the header may be
    topics, the table is refused.

    Rows over all topics are left out with a warning: those with a label such as "mean", "Overall" or "Std", those
    without a number among numbered topics, and those that are the mean, sum, standard deviation or median of the
    others in all columns; so are columns over all systems. Empty cells, NA, N/A, null, None and - are missing scores.
    Above the header there may be a title, comments that begin with "#", and "sep=;"; rows and last columns may be
    empty.

    Leaderboards are long tables without a header, of four columns in any order, which spaces may separate. The content
    shows which column is which: known measures; scores that are not all whole numbers; "all" or nothing but whole
    numbers for the topics. Where the content is ambiguous, `columns` is needed.

    Args:
        path: The file, or several, such as a wide one for each measure.
        format: "long" or "wide"; by default long if the header has all columns of a long table or there is none.
        columns: What each column of a long table holds, in order: the names above, and "_" for a column to skip. A
            first line whose score begins with a letter is then a header, whatever it says.
        measure: The name of the measure, where the table has none; by default the file name without suffixes.
        missing, lower_is_better: As for `scores_from_experiment`.
        sep: What separates cells: "comma", "tab", "semicolon", "pipe", "blank" or the character; by default what
            stands in the header.
        decimal: The decimal mark, "." or ","; by default a point, or a comma where semicolons separate cells.

    Returns:
        One score matrix per measure, and an alignment report. Topics without names are "t1", "t2", ...

    Raises:
        OSError, ValueError: If a file cannot be read or is no such table, its columns are ambiguous, measures, or
            topics, a system repeats, there is only one system, or scores are missing under "error".

    Warns:
        AggregateMismatchWarning: If a row is over all topics, unless it is called "all" and is their mean; or a column
            over all systems.
    """
    if format is not None:
        one_of("format", format, ("long", "wide"))
    if columns is not None and format == "wide":
        raise ValueError(f"`columns` must be left out with format='wide', got {shown(columns)}.")
    fields = None if columns is None else _fields_of(columns)
    if not paths.is_path(path) and (isinstance(path, Mapping) or hasattr(path, "__array__")):
        raise TypeError(
            f"`path` must be one CSV file or several, got {paths.kind_of(path)}. Use `scores_from_experiment` for a "
            "frame of pt.Experiment, `ScoreMatrix` for a frame with one row per topic and one column per system."
        )
    if decimal is not None:
        one_of("decimal", decimal, (".", ","))
    files = paths.files(path, "path")
    reading = {"sep": separator_of(sep), "decimal": decimal}
    parts = [_cells_of(file, format, fields, measure, reading) for file in files]
    if len({"dataset" in part for part in parts}) > 1:
        raise ValueError("`path` must have a column of data sets in all files, or in none, got one in some.")
    cells = in_datasets(pd.concat(parts, ignore_index=True))
    return in_design_of(cells, align(cube_of(cells, "path", lower_is_better), missing=missing))


def scores_from_trec_eval(
    path: paths.PathsLike | Mapping[str, paths.PathName],
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
) -> Scores:
    """The scores that `trec_eval -q` or `ir_measures -q` printed, one file per run.

    The content of a file shows which of the two wrote it. Rows over all topics and counts (num_ret and the like) are
    left out. Both tools round to four decimals unless told otherwise. Rounding makes ties, so there is a warning.

    Args:
        path: A folder, paths, or a mapping from names to paths. Files are named as by `scores_from_runs`, without
            .eval too, and may be gzipped; the run id that trec_eval prints is not used.
        missing, lower_is_better: As for `scores_from_experiment`.

    Returns:
        One score matrix per measure, under its name in the files, and an alignment report.

    Raises:
        TypeError, ValueError: If `path` holds no paths, a file is of another kind or without rows per topic, two files
            hold one run, a score repeats or is not a number, or scores are missing under "error".

    Warns:
        AggregateMismatchWarning: If a row over all topics is not the mean.
    """
    files, cells = paths.named_files(path, "path"), []
    paths.check_paths(files.values(), "path")
    for name, file in files.items():
        sheet = sheet_of_fields(file, EVALUATION, numbered_lines(file, EVALUATION))
        columns = [set(sheet.texts(column)) for column in sheet.columns]
        is_first = is_topic_first(*columns[:2]) if len(columns) == 3 else None
        if is_first is None:
            raise sheet.row_error(0, UNKNOWN if len(columns) == 3 else "")
        places = {"qid": 0, "measure": 1, "value": 2} if is_first else {"measure": 0, "qid": 1, "value": 2}
        if summary_rows.sure_rows(columns[places["qid"]]).all():
            raise paths.file_error(file, f"be {EVALUATION}", "only rows over all", " Was -q left out?")
        cells.append(cells_of(sheet, places, name=name))
    return align(cube_of(pd.concat(cells, ignore_index=True), "path", lower_is_better), missing=missing)


def read_labels(path: paths.PathName, of: str = "topic") -> dict[str, str]:
    """Topic, or run -> its label; a header is read as another topic."""
    labels: dict[str, str] = {}
    expected = LABELS % of
    for number, line in numbered_lines(path, expected):
        separator = next((mark for mark in "\t," if mark in line), None)
        cells = [cell.strip() for cell in line.split(separator)]
        if len(cells) != 2 or not all(cells) or labels.setdefault(cells[0], cells[1]) != cells[1]:
            hint = f" Each {of} must have one label." if cells[0] in labels else ""
            raise paths.line_error(path, number, line, expected, hint)
    return labels


# --- which column holds what --------------------------------------------------------------------------------


def headed(header: Sequence[object], names: Collection[str]) -> list[int]:
    """The places of the columns whose heading is one of some names, in any spelling."""
    return [place for place, heading in enumerate(header) if headings.plain_heading(heading) in names]


def long_columns(header: Sequence[object]) -> dict[str, int]:
    """Which column of a long table is where; the first of several."""
    return {column: places[0] for column, names in HEADERS.items() if (places := headed(header, names))}


def is_topic_first(firsts: set[str], seconds: set[str]) -> bool | None:
    """Whether the first of two columns holds topics, and the second measures; None if that cannot be told.

    Rows over all topics tell, or known measures, or topics that are whole numbers.
    """
    if (summary_rows.OVER_ALL in firsts) != (summary_rows.OVER_ALL in seconds):
        return summary_rows.OVER_ALL in firsts
    if (has_measures := any(map(is_measure, seconds))) != any(map(is_measure, firsts)):
        return has_measures
    if (are_topics := _are_topics(firsts, seconds)) != _are_topics(seconds, firsts):
        return are_topics
    return None


def _are_topics(names: set[str], others: set[str]) -> bool:
    """Whether names are whole numbers, as topics are, and the others may be measures: fewer, and not all numbered.

    Documents are: a run of queries, passages and ranks has three columns, too.
    """
    names, others = names - {summary_rows.OVER_ALL}, others - {summary_rows.OVER_ALL}
    return all(map(is_whole, names)) and len(others) <= len(names) and not all(map(NUMBERED.fullmatch, others))


def is_measure(name: str) -> bool:
    return name in COUNTS or is_known(name)


def is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


# --- tables -------------------------------------------------------------------------------------------------


def _fields_of(columns: Sequence[str]) -> list[str]:
    """What each column of a long table holds, as the caller says; "" where it is not read."""
    words = [str(column).strip().lower() for column in not_a_word(columns, "columns")]
    known = {name: field for field, names in HEADERS.items() for name in names}
    fields = ["" if word == NOT_READ else known.get(headings.plain_heading(word)) for word in words]
    if unknown := {word for word, field in zip(words, fields, strict=True) if field is None}:
        raise ValueError(f"`columns` must be run, topic, measure, value or '_', got {listing(unknown)}.")
    read = [field for field in fields if field]
    if not set(LONG) <= set(read) or len(set(read)) < len(read):
        raise ValueError(f"`columns` must name run, topic and value, each once, got {shown_name(', '.join(words))}.")
    return [str(field) for field in fields]


def _cells_of(
    path: paths.PathName,
    format: str | None,
    fields: list[str] | None,
    measure: str | None,
    reading: Mapping[str, str | None],
) -> pd.DataFrame:
    """The scored cells of a table: name, qid, measure and value, perhaps dataset.

    `fields` says what its columns hold, `format` its shape; by default its headings and content do.
    """
    sheet = read_sheet(path, TABLE, n_blank=len(fields) if fields else FIELDS_OF_A_LEADERBOARD, **reading)
    if fields is not None:
        first = sheet.first
        if len(first) != len(fields):
            raise replace(sheet, expected=f"a table of {len(fields)} columns").row_error(0)
        places = {field: place for place, field in enumerate(fields) if field}
        value = first[places["value"]]
        is_header = value[:1].isalpha() and not is_score(value) and first[places["qid"]] != summary_rows.OVER_ALL
        return _cells_of_long(sheet.below() if is_header else sheet, places, measure)
    shape = format or _shape_of(sheet)
    if shape == "long":
        return _cells_by_header(sheet, measure)
    if shape == "leaderboard":
        return _cells_of_long(sheet, _leaderboard(sheet), measure)
    return _cells_of_wide(sheet, measure or paths.stem(path))


def _shape_of(sheet: Sheet) -> str:
    """What a table is: "long", a row for each system and topic; "leaderboard", that without a header; or "wide".

    A header of a long table has systems and topics, and either scores, or names or topics that repeat below it. A
    leaderboard has four columns, one of them of known measures.
    """
    first = sheet.first
    places = long_columns(first)
    if set(LONG) <= places.keys():
        return "long"
    if {"name", "qid"} <= places.keys():
        is_long = len(sheet.cells) < 2
        below = sheet if is_long else sheet.below()
        if is_long or not below.are_scores(places["name"]) or below.cells[places["qid"]].duplicated().any():
            return "long"
    if len(first) == FIELDS_OF_A_LEADERBOARD:
        if _measure_columns(sheet):
            return "leaderboard"
        names = [column for column in sheet.columns if not sheet.has_scores(column)]
        if len(names) > 1 and any(is_score(text) and not is_none(text) for text in first):  # no header
            raise _ambiguous(sheet)
    return "wide"


def _measure_columns(sheet: Sheet) -> list[int]:
    """The columns of a sheet that hold known measures alone."""
    return [column for column in sheet.columns if all(map(is_measure, sheet.texts(column)))]


def _cells_by_header(sheet: Sheet, measure: str | None) -> pd.DataFrame:
    """The scored cells of a long table, by the names of its columns."""
    header = sheet.first
    places = long_columns(header)
    if not {"name", "qid"} <= places.keys() or ("measure" in places and "value" not in places):
        raise sheet.row_error(0)
    below = sheet.below()
    topics, counter = _topic_column(below, header)
    places["qid"] = places["qid"] if topics is None else topics
    for field in ("name", "measure", "value"):
        columns = headed(header, HEADERS[field])
        if any(below.cells[columns[0]].tolist() != below.cells[place].tolist() for place in columns[1:]):
            seen = listing(header[place] for place in columns)
            remedy = " `columns=` says what each column holds, such as run,topic,value,_."
            raise paths.file_error(sheet.path, f"have one column of {FIELD_NAMES[field]}", seen, remedy)
    datasets = headed(header, headings.DATASETS)
    places |= {"dataset": datasets[0]} if datasets else {}
    if "value" in places:
        return _cells_of_long(below, places, measure, header)
    others = {*places.values(), counter, *headed(header, headings.OF_ROWS | headings.DESIGN)}
    numbers = [place for place in below.columns if place not in others and below.has_scores(place)]
    if not numbers:
        raise sheet.row_error(0, " It has no column of scores.")
    if measure is not None and len(numbers) > 1:
        raise ValueError(f"`measure` must be left out for a table with several measures, got {shown(measure)}.")
    parts = [_cells_of_long(below, places | {"value": place}, measure or header[place], header) for place in numbers]
    return pd.concat(parts, ignore_index=True)


def _cells_of_long(
    sheet: Sheet, places: Mapping[str, int], measure: str | None, header: Sequence[str] = ()
) -> pd.DataFrame:
    """`cells_of` a table that may lack a column of measures; its scores are then by `measure`, or the file's name."""
    header = header or [str(column + 1) for column in sheet.columns]
    if "measure" not in places:
        return cells_of(sheet, places, header, measure=measure or paths.stem(sheet.path))
    if measure is not None:
        raise ValueError(f"`measure` must be left out for a table with a column of measures, got {shown(measure)}.")
    return cells_of(sheet, places, header)


def cells_of(sheet: Sheet, places: Mapping[str, int], header: Sequence[str] = (), **same: str) -> pd.DataFrame:
    """The scored cells of a sheet with one score a row: a frame of name, qid, measure and value, perhaps dataset.

    `places` says which column holds what; `same` has what all rows have. Scores of rows over all topics, and of
    measures that only count, need not be numbers.
    """
    names = {field: place for field, place in places.items() if field != "value"}
    cells = sheet.cells[list(names.values())].set_axis(list(names), axis=1)
    not_used = where(cells["qid"], lambda topic: bool(summary_rows.sure_rows([topic]).all()))
    if "measure" in places:
        not_used |= where(cells["measure"], ranks_no_systems)
    value = places["value"]
    scores = sheet.scores(value, header[value] if header else "", not_used)
    return cells.assign(**same, value=scores)[[*COLUMNS, *({"dataset"} & places.keys())]]


def _leaderboard(sheet: Sheet) -> dict[str, int]:
    """Where names, topics, measures and scores are in a table of four columns without a header, from its content."""
    table, measure = sheet.cells, _measure_columns(sheet)[0]
    others = [column for column in sheet.columns if column != measure]
    are_over_all = {column: where(table[column], summary_rows.OVER_ALL.__eq__) for column in others}
    by_topic = ~np.any([where(table[measure], ranks_no_systems), *are_over_all.values()], axis=0)
    texts = {column: list(table[column][by_topic].unique()) for column in others}
    whole = {column for column in others if all(map(is_whole, texts[column]))}
    scores = {column for column in others if column not in whole and all(map(is_score, texts[column]))}
    summed = {column for column in others if are_over_all[column].any()}
    topics = whole & summed or whole | summed
    if len(scores) != 1 or len(topics) != 1:
        raise _ambiguous(sheet)
    (name,), (topic,), (value,) = set(others) - scores - topics, topics, scores
    return {"name": name, "qid": topic, "measure": measure, "value": value}


def _ambiguous(sheet: Sheet) -> ValueError:
    """The error for a table without a header whose content does not show what its columns hold."""
    seen = f"{shown(', '.join(sheet.first))} in its first line"
    hint = " `columns=` names them, such as run,measure,topic,value."
    return paths.file_error(sheet.path, "have columns that can be told apart", seen, hint)


def _cells_of_wide(sheet: Sheet, measure: str) -> pd.DataFrame:
    """The scored cells of a table with one row a topic and one column a system."""
    header, parameter = sheet.first, repr(paths.name_of(sheet.path))
    below = sheet.below()
    _check_systems_are_columns(sheet, below)
    place, counter = _topic_column(below, header)
    if place is None:
        _check_first_column(below, header)
        topics = [f"t{number}" for number in range(1, len(below.cells) + 1)]
    else:
        topics = below.cells[place].tolist()
    over_all = set(np.array(topics, dtype=object)[summary_rows.sure_rows(topics)]) - {""}
    margins = [name for name in header if name in over_all]
    summary_rows.warn_of_columns(margins)
    systems = {
        column: name for column, name in enumerate(header) if column not in (place, counter) and name not in margins
    }
    named = [column for column in headed(header, headings.DATASETS) if column in systems]
    datasets = [column for column in named if not below.are_scores(column)]
    if datasets:
        del systems[datasets[0]]
    counts = [
        column
        for column, name in systems.items()
        if headings.is_count(name) and all(is_whole(text) or is_none(text) for text in below.texts(column))
    ]
    if counts and len(counts) < len(systems):
        headings.refuse_measures(list(systems.values()), parameter)
        summary_rows.warn_of_columns([systems.pop(column) for column in counts])
    is_numbered = all(name.lstrip("-").isdigit() for name in systems.values())  # but they are not called 0.25
    has_numbers = any(is_score(name) and not is_none(name) for name in header)
    is_no_header = has_numbers and not is_numbered and not all(map(below.are_scores, systems))
    are_scores = all(map(is_score, systems.values())) and not is_numbered
    if not systems or "" in systems.values() or are_scores or is_no_header:
        raise sheet.row_error(0)
    parts = [
        pd.DataFrame({"name": name, "qid": topics, "measure": measure, "value": below.scores(column, name)})
        for column, name in systems.items()
    ]
    if datasets:
        parts = [part.assign(dataset=below.cells[datasets[0]]) for part in parts]
    headings.refuse_measures(list(systems.values()), parameter)
    labels = [topic for topic in topics if topic not in over_all]
    headings.refuse_transposed(tuple(labels), tuple(systems.values()), parameter)
    return pd.concat(parts, ignore_index=True)


def _check_systems_are_columns(sheet: Sheet, below: Sheet) -> None:
    """An error if the first column, or one of that heading, names systems: these are in rows."""
    header = sheet.first
    named = [place for place in headed(header, headings.SYSTEMS) if not below.are_scores(place)]
    places = long_columns(header)
    if {"qid", "value"} <= places.keys() and "name" not in places and not below.are_scores(places.get("measure", 0)):
        remedy = " It needs a column that names the system, such as run, or `columns=`."
        raise paths.file_error(sheet.path, f"be {TABLE}", f"the columns {', '.join(map(shown, header))}", remedy)
    if not named:
        return
    scores = [label for place, label in enumerate(header) if place not in named and below.are_scores(place)]
    seen = f"one row for each of {listing(below.texts(named[0]))}, named by column {shown(header[named[0]])}"
    if scores and all(headings.NUMBERED_TOPIC.fullmatch(label) for label in scores):
        rule, remedy = "have one row a topic and one column a system", " Transpose it."
    else:
        rule = "have scores of topics"
        remedy = f" {headings.MEANS_ONLY} If its columns are topics, transpose it."
    raise paths.file_error(sheet.path, rule, seen, remedy)


def _topic_column(sheet: Sheet, header: list[str]) -> tuple[int | None, int | None]:
    """`headings.topic_column` of a file."""
    counts = [[str(row) for row in range(begin, begin + len(sheet.cells))] for begin in (0, 1)]

    def has_fractions(place: int) -> bool:
        return sheet.are_scores(place) and not all(map(is_whole, sheet.texts(place)))

    parameter = repr(paths.name_of(sheet.path))
    return headings.topic_column(header, lambda place: sheet.cells[place].tolist() in counts, parameter, has_fractions)


def _check_first_column(sheet: Sheet, header: list[str]) -> None:
    """An error if a first column that is not headed as topics may hold them: it could be topics or scores."""
    whole = [all(map(is_whole, sheet.texts(column))) for column in range(len(header))]
    remedy = " If it has topics, name it topic."
    if all(whole) and all(map(is_whole, header)):
        raise paths.file_error(sheet.path, "have a header", "whole numbers in all lines", remedy)
    below = ""
    if whole[0] and not all(whole) and len(sheet.texts(0)) == len(sheet.cells) > 1:
        below = "a different whole number in each line"
    elif len(header) > 2 and not any(map(is_score, sheet.texts(0))):
        below = listing(sheet.texts(0))
    if below:
        seen = f"{shown(header[0])} above {below}"
        raise paths.file_error(sheet.path, "show what its first column has", seen, remedy)
