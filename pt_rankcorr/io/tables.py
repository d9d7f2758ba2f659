"""Scores from tables: of experiments, in CSV, and as trec_eval and ir_measures print them; and labels in files."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr import choices
from pt_rankcorr.io import paths
from pt_rankcorr.io.align import COLUMNS, align, check_cells, in_datasets, in_design_of
from pt_rankcorr.io.measure_names import COUNTS, is_count, is_known
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core import arguments as headings
from pt_rankcorr.stats.core.arguments import listing, one_of
from pt_rankcorr.text import shown, shown_name
from pt_rankcorr.warnings import AggregateMismatchWarning, warn

PERQUERY = f"the perquery.csv of a pt.Experiment (columns {', '.join(COLUMNS)})"
EVALUATION = (
    "per-topic scores as trec_eval -q (measure, topic, value) or ir_measures -q (topic, measure, value) print them"
)
TABLE = (
    "a table with a header: one score per row (columns such as name, qid, measure and value), "
    "or one topic per row and one column of numbers per system"
)
LABELS = "a file with a %s and its label per line, separated by a tab, a comma or blanks"
HEADING = "Queryid (Num):"  # what old versions of trec_eval print before the scores of a topic
HEADERS = {
    "name": headings.SYSTEM_COLUMNS,
    "qid": headings.TOPIC_COLUMNS,
    "measure": frozenset({"measure", "metric"}),
    "value": frozenset({"value", "score"}),
}
LONG = ("name", "qid", "value")  # what a long table cannot do without
NOT_READ = "_"
NO_SCORE = frozenset({"", "na", "nan", "-nan"})  # the last is what C prints of nan with its sign
FIELDS_OF_A_LEADERBOARD = 4
SEVERAL_TABS = re.compile(r"[ \t]*\t[ \t]*")
COMMENT = "#"
QUOTED = re.compile(r'"[^"]*(?:"|$)')


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
        table = read_table(path, PERQUERY, quoted=True)
        frame = below_header(path, PERQUERY, table).astype(object).set_axis(list(table.iloc[0]), axis=1)
        frame = frame.replace({"value": {"": None}}).reset_index(drop=True)
    if not isinstance(frame, pd.DataFrame):
        kind = paths.kind_of(frame)
        raise TypeError(f"`experiment` must be the result of a pt.Experiment with perquery=True, got {kind}.")
    check_cells(frame, "experiment")
    frame = in_datasets(frame)
    scores = align(frame, missing=missing, lower_is_better=lower_is_better, parameter="experiment")
    return in_design_of(frame, scores)


def read_scores(
    path: paths.PathsLike,
    *,
    format: choices.TableFormat | None = None,
    columns: Sequence[str] | None = None,
    measure: str | None = None,
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
) -> Scores:
    """Scores from tables in CSV, separated by commas or tabs, gzipped or not.

    A long table has one row per score and columns for the system (name, run, run_id, system), the topic (topic, qid,
    query, id, number and the like), the measure (measure, metric; optional) and the score (value, score). Capitals and
    blanks are allowed, as in "Topic ID"; other columns are not read. A wide table has one row per topic and one column
    per system. One of its columns may hold the topics, under one of those names, or the first under none; if none
    does, and the first column or the header may be topics, the table is refused. Rows over all topics ("all", "mean")
    are not read: a warning says if one is not the mean. Empty cells, NA and nan are missing scores.

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

    Returns:
        One score matrix per measure, and an alignment report. Topics without names are "t1", "t2", ...

    Raises:
        OSError, ValueError: If a file cannot be read or is no such table, its columns are ambiguous, a system repeats,
            there is only one system, or scores are missing under "error".

    Warns:
        AggregateMismatchWarning: If a row over all topics is not the mean, or is not named "all".
        UnreliableResultWarning: If a table looks transposed.
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
    files = paths.files(path, "path")
    if not files:
        raise ValueError("`path` must name at least one file, got none.")
    cells = pd.concat([_cells_of(file, format, fields, measure) for file in files], ignore_index=True)
    scores = align(cells, missing=missing, lower_is_better=lower_is_better, parameter="path")
    headings.warn_if_transposed(scores.topics, scores.systems, "path")
    return scores


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
    cells = []
    for name, file in paths.named_files(path, "path").items():
        table = read_table(file, EVALUATION)
        texts = [set(table[column].cat.categories) for column in table]
        is_first = is_topic_first(*texts[:2]) if len(texts) == 3 else None
        if is_first is None:
            raise row_error(file, EVALUATION, 0)
        places = {"qid": 0, "measure": 1, "value": 2} if is_first else {"measure": 0, "qid": 1, "value": 2}
        if headings.over_all(table[places["qid"]].cat.categories).all():
            raise paths.file_error(file, f"be {EVALUATION}", "only rows over all", " Was -q left out?")
        cells.append(cells_of(table, places, name=name))
    together = pd.concat(cells, ignore_index=True)
    return align(together, missing=missing, lower_is_better=lower_is_better, parameter="path")


def read_labels(path: paths.PathName, of: str = "topic") -> dict[str, str]:
    """Topic, or run -> its label; a header is read as another topic."""
    labels: dict[str, str] = {}
    expected = LABELS % of
    with paths.open_text(path, expected) as lines:
        for number, line in rows(lines):
            separator = next((mark for mark in "\t," if mark in line), None)
            cells = [cell.strip() for cell in line.split(separator)]
            if len(cells) != 2 or not all(cells) or labels.setdefault(cells[0], cells[1]) != cells[1]:
                hint = f" Each {of} must have one label." if cells[0] in labels else ""
                raise paths.line_error(path, number, line, expected, hint)
    if not labels:
        raise paths.file_error(path, f"be {expected}", "an empty file")
    return labels


# --- rows and columns ---------------------------------------------------------------------------------------


def read_table(path: paths.PathName, expected: str, **how: Any) -> pd.DataFrame:
    """The table of a text."""
    with paths.open_text(path, expected) as text:
        return table_of(path, expected, rows(text), **how)


def table_of(
    path: paths.PathName,
    expected: str,
    rows: Iterable[tuple[int, str]],
    *,
    quoted: bool = False,
    n_blank: int | None = None,
) -> pd.DataFrame:
    """The fields of numbered lines, as categories: a column each, named 0, 1, ...

    Cells stand between tabs or blanks. In CSV, which may be `quoted`, they stand between tabs or commas, or where there
    are neither, between blanks if `n_blank` cells do.
    """
    lines = [line for _, line in rows]
    if not lines:
        raise paths.file_error(path, f"be {expected}", "an empty file")
    lines = lines if quoted else with_single_tabs(lines)
    bare = QUOTED.sub("", lines[0]) if quoted else lines[0]
    separator = "\t" if "\t" in bare and (quoted or all("\t" in line for line in lines)) else r"\s+"
    if quoted and separator != "\t" and ("," in bare or len(bare.split()) != n_blank):
        separator = ","
        if ";" in bare and "," not in bare:
            raise paths.file_error(path, f"be {expected}, separated by commas or tabs", "semicolons")
    try:
        table = pd.read_csv(
            StringIO("".join(lines)),
            sep=separator,
            header=None,
            dtype=str,
            na_filter=False,
            quoting=csv.QUOTE_MINIMAL if quoted and separator != r"\s+" else csv.QUOTE_NONE,
            index_col=False,
        )
    except pd.errors.ParserError as error:
        place = re.search(r"line (\d+)", str(error))
        if place is None:
            raise paths.file_error(path, f"be {expected}", str(error).strip()) from None
        raise row_error(path, expected, int(place[1]) - 1) from None
    if separator == r"\s+":
        short = np.flatnonzero(table[table.shape[1] - 1] == "")
    else:
        widths = [line.count(separator) + 1 for line in lines]
        if quoted and any('"' in line for line in lines):  # separators in quotes do not count
            try:
                widths = [len(cells) for cells in csv.reader(lines, delimiter=separator)]
            except csv.Error:  # it has limits of its own
                widths = []
        short = np.flatnonzero(np.array(widths) < table.shape[1])
    if len(short):
        raise row_error(path, expected, short[0])
    stripped: pd.DataFrame = table.apply(lambda column: column.str.strip().astype("category"))
    return stripped


def with_single_tabs(lines: list[str]) -> list[str]:
    """The lines of a TREC format, whose fields stand between tabs, or between any blanks, and are never empty.

    Names may have blanks where the same number of tabs stands in each line.
    """
    text = "".join(lines)
    if "\t" not in text:
        return lines
    if "\t\t" in text or "\t " in text or "\n\t" in text or text.startswith("\t"):
        lines = [SEVERAL_TABS.sub("\t", line.lstrip()) for line in lines]
    if all(line.endswith(("\t\n", "\t")) for line in lines):
        lines = [f"{line.rstrip()}\n" for line in lines]
    if len({line.count("\t") for line in lines}) > 1 and len({len(line.split()) for line in lines}) == 1:
        lines = [line.replace("\t", " ") for line in lines]
    return lines


def rows(text: TextIO) -> Iterator[tuple[int, str]]:
    """The lines with something in them, but for comments, with their numbers."""
    return (
        (number, line)
        for number, line in enumerate(text, 1)
        if (stripped := line.strip()) and not stripped.startswith((COMMENT, HEADING))
    )


def row_error(path: paths.PathName, expected: str, row: int, hint: str = "") -> ValueError:
    """The error for a row that is not what it should be, with its line, for which the file is read once more."""
    with paths.open_text(path, expected) as text:
        number, line = next(islice(rows(text), int(row), None))
    return paths.line_error(path, number, line, expected, hint)


def where(column: pd.Series[Any], is_so: Callable[[str], bool]) -> NDArray[np.bool_]:
    """The rows whose text is so."""
    return np.array([is_so(text) for text in column.cat.categories], dtype=bool)[column.cat.codes.to_numpy()]


def below_header(path: paths.PathName, expected: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table without its first row; an error where there is no other."""
    if len(table) < 2:
        raise paths.file_error(path, f"be {expected}", "no row below its header")
    below: pd.DataFrame = table.iloc[1:].apply(lambda column: column.cat.remove_unused_categories())
    return below


def cells_of(table: pd.DataFrame, places: Mapping[str, int], **others: str | list[str]) -> pd.DataFrame:
    """Scored cells, from the columns that hold names, topics, measures and scores, and `others` that are not in it.

    Scores are texts, and those that stand for none are missing.
    """
    cells = table[list(places.values())].set_axis(list(places), axis=1).assign(**others)
    is_none = [text for text in cells["value"].cat.categories if text.lower() in NO_SCORE]
    return cells.assign(value=cells["value"].cat.remove_categories(is_none))[COLUMNS]


# --- which column holds what --------------------------------------------------------------------------------


def long_columns(header: Sequence[object]) -> dict[str, int]:
    """Which column of a long table is where; the first of several."""
    firsts: dict[str, int] = {}
    for place, heading in enumerate(header):
        for column, names in HEADERS.items():
            if headings.plain_heading(heading) in names:
                firsts.setdefault(column, place)
    return firsts


def is_topic_first(firsts: Collection[str], seconds: Collection[str]) -> bool | None:
    """Whether the first of two columns holds topics, and the second measures; None if that cannot be told."""
    if headings.OVER_ALL in seconds or (headings.OVER_ALL not in firsts and any(map(is_measure, firsts))):
        return False
    return True if headings.OVER_ALL in firsts or any(map(is_measure, seconds)) else None


def is_measure(name: str) -> bool:
    return name in COUNTS or is_known(name)


def is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


def is_score(text: str) -> bool:
    """Whether a text is a number, or stands for none."""
    try:
        paths.as_number(text)
    except ValueError:
        return text.lower() in NO_SCORE
    return True


# --- tables -------------------------------------------------------------------------------------------------


def _fields_of(columns: Sequence[str]) -> list[str]:
    """What each column of a long table holds, as the caller says; "" where it is not read."""
    words = [str(column).strip().lower() for column in headings.not_a_word(columns, "columns")]
    known = {name: field for field, names in HEADERS.items() for name in names}
    fields = ["" if word == NOT_READ else known.get(headings.plain_heading(word)) for word in words]
    if unknown := {word for word, field in zip(words, fields, strict=True) if field is None}:
        raise ValueError(f"`columns` must be run, topic, measure, value or '_', got {listing(unknown)}.")
    read = [field for field in fields if field]
    if not set(LONG) <= set(read) or len(set(read)) < len(read):
        raise ValueError(f"`columns` must name run, topic and value, each once, got {shown_name(', '.join(words))}.")
    return [str(field) for field in fields]


def _cells_of(path: paths.PathName, format: str | None, fields: list[str] | None, measure: str | None) -> pd.DataFrame:
    table = read_table(path, TABLE, quoted=True, n_blank=len(fields) if fields else FIELDS_OF_A_LEADERBOARD)
    first = [str(text) for text in table.iloc[0]]
    if fields is not None:
        if len(first) != len(fields):
            raise row_error(path, f"a table of {len(fields)} columns", 0)
        places = {field: place for place, field in enumerate(fields) if field}
        value = first[places["value"]]
        is_header = value[:1].isalpha() and not is_score(value) and first[places["qid"]] != headings.OVER_ALL
        return _cells_of_long(path, below_header(path, TABLE, table) if is_header else table, places, measure)
    header = long_columns(first)
    if format == "long" or (format is None and set(LONG) <= header.keys()):
        if not set(LONG) <= header.keys():
            raise row_error(path, TABLE, 0)
        below = below_header(path, TABLE, table)
        topics, _ = _topic_column(path, first, below)
        return _cells_of_long(path, below, header | {"qid": topics or 0}, measure)
    if format is None and len(first) == FIELDS_OF_A_LEADERBOARD:
        of_measures = [column for column in range(len(first)) if all(map(is_measure, table[column].cat.categories))]
        if of_measures:
            return _cells_of_long(path, table, _leaderboard(path, table, of_measures[0]), measure)
    return _cells_of_wide(path, table, first, measure or paths.stem(path))


def _cells_of_long(
    path: paths.PathName, table: pd.DataFrame, places: Mapping[str, int], measure: str | None
) -> pd.DataFrame:
    if "measure" not in places:
        return cells_of(table, places, measure=measure or paths.stem(path))
    if measure is not None:
        raise ValueError(f"`measure` must be left out for a table with a column of measures, got {shown(measure)}.")
    return cells_of(table, places)


def _leaderboard(path: paths.PathName, table: pd.DataFrame, measure: int) -> dict[str, int]:
    """What each of the four columns holds, from its content."""
    others = [column for column in range(table.shape[1]) if column != measure]
    of_all = {column: where(table[column], headings.OVER_ALL.__eq__) for column in others}
    by_topic = ~np.any([where(table[measure], is_count), *of_all.values()], axis=0)
    texts = {column: list(table[column][by_topic].unique()) for column in others}
    whole = {column for column in others if all(map(is_whole, texts[column]))}
    scores = {column for column in others if column not in whole and all(map(is_score, texts[column]))}
    summed = {column for column in others if of_all[column].any()}
    topics = whole & summed or whole | summed
    if len(scores) != 1 or len(topics) != 1:
        seen = f"{shown(', '.join(table.iloc[0]))} in its first line"
        hint = " `columns=` names them, such as run,measure,topic,value."
        raise paths.file_error(path, "have columns that can be told apart", seen, hint)
    (name,), (topic,), (value,) = set(others) - scores - topics, topics, scores
    return {"name": name, "qid": topic, "measure": measure, "value": value}


def _cells_of_wide(path: paths.PathName, table: pd.DataFrame, header: list[str], measure: str) -> pd.DataFrame:
    below = below_header(path, TABLE, table)
    place, counter = _topic_column(path, header, below)
    if place is None:
        _check_first_column(path, below, header)
        topics = [f"t{number}" for number in range(1, len(below) + 1)]
    else:
        topics = below[place].tolist()
    summed = {topic for topic, is_summary in zip(topics, headings.over_all(topics), strict=True) if is_summary}
    margins = {name for name in header if name in summed and name.lower() in headings.SUMMARIES}
    if margins:
        warn(f"Columns over all systems are left out: {listing(margins)}.", AggregateMismatchWarning)
    others = {column: name for column, name in enumerate(header) if column not in (place, counter)}
    systems = {column: name for column, name in others.items() if name not in margins}
    is_numbered = all(name.lstrip("-").isdigit() for name in systems.values())  # but they are not called 0.25
    if not systems or "" in systems.values() or (all(map(is_score, systems.values())) and not is_numbered):
        raise row_error(path, TABLE, 0)
    parts = []
    for column, name in systems.items():
        odd = np.flatnonzero(~where(below[column], is_score))
        if len(odd):
            raise row_error(path, TABLE, below.index[odd[0]])
        cells = cells_of(below, {"value": column}, name=name, qid=topics, measure=measure)
        parts.append(cells.assign(value=cells["value"].map(paths.as_number).astype(np.float64)))
    return pd.concat(parts, ignore_index=True)


def _topic_column(path: paths.PathName, header: list[str], below: pd.DataFrame) -> tuple[int | None, int | None]:
    """`headings.topic_column` of a file."""
    counts = [[str(row) for row in range(begin, begin + len(below))] for begin in (0, 1)]
    return headings.topic_column(header, lambda place: below[place].tolist() in counts, repr(paths.name_of(path)))


def _check_first_column(path: paths.PathName, table: pd.DataFrame, header: list[str]) -> None:
    """An error if a first column that is not headed as topics may hold them: it could be topics or scores."""
    whole = [all(map(is_whole, table[column].cat.categories)) for column in table]
    remedy = " If it has topics, name it topic."
    if all(whole) and all(map(is_whole, header)):
        raise paths.file_error(path, "have a header", "whole numbers in all lines", remedy)
    if whole[0] and not all(whole) and len(table[0].cat.categories) == len(table) > 1:
        seen = f"{shown(header[0])} above a different whole number in each line"
        raise paths.file_error(path, "show what its first column has", seen, remedy)
