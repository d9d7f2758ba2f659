"""Scores from tables: of experiments, of people, and of evaluation tools; and labels in files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    NESTED,
    TRUTH,
    FileSheet,
    is_like_score,
    is_none,
    is_score,
    labels_of,
    read_sheet,
    separator_of,
)
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core import headings, sheets, summary_rows
from pt_rankcorr.stats.core.arguments import list_of, list_of_names, listing, one_of
from pt_rankcorr.text import shown, shown_name

PERQUERY = f"the perquery.csv of a pt.Experiment (columns {', '.join(COLUMNS)})"
TABLE = (
    "a table with a header: one score per row (columns such as name, qid, measure and value), "
    "or one topic per row and one column of numbers per system"
)
LONG = {"name", "qid", "value"}  # what a long table cannot do without
# format of evaluation tools -> what each column holds, "" if it is not read; JSON says it by keys
FORMATS: Mapping[str, Sequence[str]] = {
    "trec_eval": ("measure", "qid", "value"),
    "tot": ("name", "measure", "qid", "value"),
    "ir_measures": ("name", "qid", "measure", "value"),
    "rag4reports": ("qid", "name", "measure", "value"),
    "ranking": ("qid", "", "name", "", "value", "measure"),
    "jsonl": (),
}
# of so many columns, without a header; of three and four, the content says which format it is
OF_TOOLS = {len(FORMATS[name]): FORMATS[name] for name in ("trec_eval", "tot", "ranking")}
FOUR_COLUMNS = (
    " Add a header such as 'run topic measure value', or say what each holds, by `columns=` of "
    "`read_scores` and --columns of --scores; or name the format, by `format=` of "
    "`read_leaderboard` and --input-format of leaderboards: 'tot' is run, measure, topic; "
    "'ir_measures' run, topic, measure; 'rag4reports' topic, run, measure."
)


def scores_from_experiment(
    experiment: pd.DataFrame | tuple[Any, Any] | paths.PathName,
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    keep: Collection[str] = (),
) -> Scores:
    """The scores of a PyTerrier experiment.

    Args:
        experiment: What `pt.Experiment(..., perquery=True)` returned (columns name, qid, measure,
            value), what `perquery="both"` returned, the `perquery.csv` of its `save_dir`, or that
            folder. Columns "cluster" and "stratum" hold the labels of topics, see
            `ScoreMatrix.with_design`. A column "dataset", as SuiteEval's frames have, makes each
            data set a stratum, and its topics "dataset/topic".
        missing: What to do where a system has no score for a topic that others have: "error",
            "drop-topics", "drop-systems" or "zero", which is refused if a measure is better when
            lower. Topics for which no system has a score are always left out.
        lower_is_better: Measures, or their names, that are better when lower: these are negated.
        keep: Systems and topics that are named as if they were over all others, such as "mean";
            else these are left out, with a warning.

    Returns:
        One score matrix per measure, systems and topics as they appear, and an alignment report.

    Raises:
        OSError, TypeError, ValueError: If it is none of these, columns are absent, a cell repeats
            or is infinite, cells are missing under "error", fewer than two systems are left, or a
            measure of `lower_is_better` is absent.

    Warns:
        AggregateMismatchWarning: As for `read_scores`, if a topic or system is over all others.
        RoundedScoresWarning: If the scores of a measure look rounded.
    """
    frame: Any = experiment
    if isinstance(experiment, tuple) and len(experiment) == 2:
        frame = experiment[1]
    if paths.is_path(experiment):
        path = Path(experiment)
        if path.is_dir():
            path /= "perquery.csv"
            if not path.exists():
                rule = f"be {PERQUERY}, or the folder it is in"
                seen = f"the folder {str(path.parent)!r} without one. `scores_from_runs` reads runs"
                raise FileNotFoundError(f"`experiment` must {rule}, got {seen}.")
        sheet = read_sheet(path, PERQUERY).check_rows()
        # all but scores as text: a topic "001" is not 1, nor a system named "NA" a missing value
        columns = [pd.Series(sheet.texts(place)) for place in sheet.columns]
        frame = pd.concat(columns, axis=1).set_axis(sheet.headings, axis=1)
        if sheet.headings.count("value") == 1:
            frame["value"] = sheet.scores(sheet.headings.index("value"))
    if not isinstance(frame, pd.DataFrame):
        rule = "be the result of a pt.Experiment with perquery=True"
        raise TypeError(f"`experiment` must {rule}, got {paths.kind_of(frame)}.")
    check_cells(frame, "experiment")
    frame = in_datasets(frame)
    cube = cube_of(frame, "experiment", lower_is_better, keep=list_of("keep", keep, "names"))
    return in_design_of(frame, align(cube, missing=missing))


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
    keep: Collection[str] = (),
    repeats: choices.Repeats = "error",
    table: str | None = None,
) -> Scores:
    """Scores from tables in CSV, as people and spreadsheets write it, Markdown, JSON or a workbook.

    Files may be gzipped. A long table has one row per score and columns for the system (name, run,
    system, model, method and the like), the topic (topic, qid, query, item and the like), the
    measure (measure, metric; optional) and the score (value, score). Instead of the last two, it
    may have a column of scores for each measure. Topics of a column "dataset" are in strata, as for
    `scores_from_experiment`; scores that a column such as "seed" or "rater" tells apart are
    averaged. Capitals and blanks are allowed, as in "Topic ID"; other columns are not read. A wide
    table has one row per topic and one column per system. One of its columns may hold the topics,
    under one of those names, or the first under none; if none does, and the first column or the
    header may be topics, the table is refused. Several files with one row per topic and one column
    per measure are one system each, named after the files.

    Rows over all topics and columns over all systems are left out by their names, such as "mean",
    "Overall", "Std" and "max_ndcg", with a warning. What only looks so by its numbers is kept, with
    a warning. Empty cells, NA, N/A, null, None and - are missing scores. Above the header there may
    be a title, comments that begin with "#", and "sep=;"; rows and last columns may be empty, and
    the header may repeat. What evaluation tools print without a header is read as by
    `read_leaderboard`; where its columns may be read in more than one way, `columns` is needed.

    Args:
        path: The file, or several, such as a wide one for each measure.
        format: "long" or "wide"; by default long if the header has all its columns or is absent.
        columns: What each column of a long table holds, in order: run, topic, measure, value,
            dataset, repeat, or another name of these, and "_" for a column to skip. A first line
            whose score begins with a letter is then a header, whatever it says.
        measure: The measure where the table names none; by default the file name without suffixes.
        missing: "error", "drop-topics", "drop-systems" or "zero", as for `scores_from_experiment`.
        lower_is_better: Measures that are better when lower; their scores are negated. A heading
            with an arrow, or one of cost such as "latency (ms)", says this by itself.
        keep: Names such as "mean" of rows and columns that are not over all others. A name that
            alone stands in quotes is kept, too.
        sep: What separates cells: "comma", "tab", "semicolon", "pipe", "blank" or the character; by
            default what stands in the header.
        decimal: "." or ","; by default a point, or a comma where semicolons separate cells.
        repeats: What to do with several scores of one system, topic and measure that no column
            tells apart: "error", or "mean".
        table: The number of a table of a workbook or a page in Markdown, or the heading above it.

    Returns:
        One score matrix per measure, and an alignment report. Unnamed topics are "t1", "t2", ...

    Raises:
        OSError, TypeError, ValueError: If `path` is no path or several, a file cannot be read or is
            no such table, its columns are ambiguous, a system repeats, there is only one, or scores
            are missing under "error".

    Warns:
        AggregateMismatchWarning: If a row is over all topics, unless it is called "all" and is
            their mean; or a column over all systems; or one looks so by its numbers, and is kept.
        RoundedScoresWarning: If the scores of a measure look rounded.
    """
    if format is not None:
        one_of("format", format, ("long", "wide"))
    if columns is not None and format == "wide":
        raise ValueError(f"`columns` must be left out with format='wide', got {shown(columns)}.")
    fields = () if columns is None else _fields_of(columns)
    if not paths.is_path(path) and (isinstance(path, Mapping) or hasattr(path, "__array__")):
        raise TypeError(
            f"`path` must be one CSV file or several, got {paths.kind_of(path)}. Use "
            "`scores_from_experiment` for a frame of pt.Experiment, `ScoreMatrix` for a frame with "
            "one row per topic and one column per system."
        )
    if decimal is not None:
        one_of("decimal", decimal, (".", ","))
    reading: dict[str, Any] = {"sep": separator_of(sep), "decimal": decimal, "table": table}
    kept, files = list_of("keep", keep, "names"), paths.files(path, "path")
    parts: list[pd.DataFrame] = []
    for file in files:
        sheet = read_sheet(file, TABLE, n_blank=len(fields) or 4, **reading)
        kept = [*kept, *sheet.quoted]
        part = None
        if format != "wide":
            part = cells_of_rows(sheet, fields, measure=measure, is_long=format == "long")
        if part is None:
            part = _cells_of_wide(sheet.check_rows(), measure, kept, is_alone=len(files) == 1)
        parts.append(part)
    if len({"dataset" in part for part in parts}) > 1:
        rule = "have a column of data sets in all files, or in none"
        raise ValueError(f"`path` must {rule}, got one in some.")
    cells = in_datasets(_together(parts, files if measure is None else ()))
    cube = cube_of(cells, "path", lower_is_better, keep=kept, repeats=repeats)
    return in_design_of(cells, align(cube, missing=missing))


def read_labels(path: paths.PathName, of: str = "topic") -> dict[str, str]:
    """Topic, or run -> its label, both as text; a header is read as another topic.

    `of` says in messages what has them: "topic" or "run". A name may repeat with the same label.
    """
    labels: dict[str, str] = {}
    expected = f"a file with a {of} and its label per line, separated by a tab, a comma or blanks"
    sheet = read_sheet(path, expected, n_blank=2)
    for row, (_, cells) in enumerate(sheet.rows, -1):  # as of rows below a header
        name, *label = map(str.strip, cells)
        is_pair = len(label) == 1 and name and label[0]
        if not is_pair or labels.setdefault(name, label[0]) != label[0]:
            raise sheet.row_error(row, f" Each {of} must have one label." if name in labels else "")
    return labels


def _fields_of(columns: Sequence[str]) -> list[str]:
    """The role in `headings.ROLES` of each column, from a caller's words; "" for "_"."""
    words = [str(column).strip().lower() for column in list_of_names(columns, "columns")]
    role_of: dict[str, str] = {}
    for role, classes in headings.ROLES.items():
        role_of |= dict.fromkeys(frozenset().union(*classes), role)
    fields = ["" if word == "_" else role_of.get(headings.plain_heading(word)) for word in words]
    if unknown := {word for word, field in zip(words, fields, strict=True) if field is None}:
        rule = "be run, topic, measure, value, repeat, dataset or '_'"
        raise ValueError(f"`columns` must {rule}, got {listing(unknown)}.")
    read = [field for field in fields if field]
    if LONG - {*read} or len({*read}) < len(read):
        rule, seen = "name run, topic and value, each once", shown_name(", ".join(words))
        raise ValueError(f"`columns` must {rule}, got {seen}.")
    return [field or "" for field in fields]


def _together(parts: Sequence[pd.DataFrame], files: Sequence[paths.PathName]) -> pd.DataFrame:
    """The cells of several files in one frame, from a frame a file.

    If files repeat cells, they are of different measures under one heading, such as "Points": each
    file's name becomes its measure, or a prefix if it has several. Not so if a column or a file's
    name already says the measure, two files have one name, or no `files` are to name measures.
    """
    cells = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
    factors = ["name", "qid", "measure", *({"repeat", "dataset"} & {*cells})]
    if len(parts) == 1 or not files or not cells.duplicated(factors).any():
        return cells
    by_stem = {paths.stem(file): part for file, part in zip(files, parts, strict=True)}
    measures = {stem: part["measure"].cat.categories for stem, part in by_stem.items()}
    is_named = any(part.attrs for part in parts) or any(stem in measures[stem] for stem in by_stem)
    if is_named or len(by_stem) < len(parts):
        return cells
    for stem, part in by_stem.items():
        names = part["measure"].astype(str)
        part["measure"] = stem if len(measures[stem]) == 1 else stem + " " + names
    return pd.concat(parts, ignore_index=True)


# --- one score a row ------------------------------------------------------------------------------


def cells_of_rows(
    sheet: FileSheet,
    fields: Sequence[str] = (),
    *,
    measure: str | None = None,
    run: str | None = None,
    is_long: bool = False,
) -> pd.DataFrame | None:
    """The scored cells of a table with one score a row, as of `_cells_of`.

    `fields` has the role of each of its columns, "" where one is not read; else its headings say
    it, or, if it has no header, its content. None for any other table, unless it must be long
    (`is_long`). What evaluation tools print has a `run`, the system where no column names one.
    `measure` is the only measure, by default called as the file is.
    """
    roles = headings.roles_of(sheet.headings)
    if fields:
        if len(sheet.headings) != len(fields):
            sheet.expected = f"a table of {len(fields)} columns"
            raise sheet.row_error(-1)
        places = {field: place for place, field in enumerate(fields) if field}
        value, topic = sheet.headings[places["value"]], sheet.headings[places["qid"]]
        # a word in place of the score heads the columns, but for "true", "NA", and rows over all
        is_header = value[:1].isalpha() and not _is_cell(value) and topic != summary_rows.OVER_ALL
        sheet = sheet.check_rows() if is_header else sheet.with_first_row()
    elif is_long or _heads_rows(sheet, roles, run):
        places = _places_by_header(sheet, roles, needs_name=run is None)
    elif _has_no_header(sheet, roles, run):
        sheet = sheet.with_first_row()
        places = _places_by_content(sheet, run)
    else:
        return None
    stem = paths.stem(sheet.path)
    same = {"measure": measure or stem, "name": run or stem}
    # the names and places of the columns of scores
    if "value" in places:
        columns = [(same["measure"], places["value"])]
    else:
        columns = _columns_of_scores(sheet, places)
    if measure is not None and ("measure" in places or len(columns) > 1):
        what = "a column of measures" if "measure" in places else "several measures"
        rule = f"be left out for a table with {what}"
        raise ValueError(f"`measure` must {rule}, got {shown(measure)}.")
    if measure is not None:
        columns = [(measure, columns[0][1])]
    cells = _cells_of(sheet, places, columns, same)
    cells.attrs = {"names its measures": True} if "measure" in places else {}  # for `_together`
    return cells


def _heads_rows(sheet: FileSheet, roles: Mapping[str, list[int]], run: str | None) -> bool:
    """Whether a header is of a table with the score, or scores, of a system on a topic in each row.

    It has systems, unless all rows are of one `run`, and topics, and either a column headed as
    scores, or systems that are named by text, or topics that repeat. `roles`: see `roles_of`.
    """
    if run is not None and {"qid", "measure", "value"} <= roles.keys():
        return True
    if not {"name", "qid"} <= roles.keys():
        return False
    if "value" in roles or not sheet.n_rows:
        return True
    return not sheet.is_numeric(roles["name"][0]) or not sheet.is_distinct(roles["qid"][0])


def _places_by_header(
    sheet: FileSheet, roles: Mapping[str, list[int]], *, needs_name: bool
) -> dict[str, int]:
    """Role -> the place of its column, by the headings; an error if one differs or is absent.

    Without "value", each measure has a column: see `_columns_of_scores`.
    """
    header = sheet.headings
    places = {role: columns[0] for role, columns in roles.items()}
    needed = {"qid", *(["name"] if needs_name else []), *(["value"] if "measure" in places else [])}
    if needed - places.keys():
        raise sheet.row_error(-1)
    sheet.check_rows()
    topics, _ = sheets.topic_column(sheet)
    if topics is not None:
        places["qid"] = topics
    alone = {"name": "systems", "measure": "measures", "value": "scores", "repeat": "repeats"}
    for role, plural in alone.items():
        if not (columns := roles.get(role, [])):
            continue
        if role == "value" and "measure" not in roles:  # beside "score", "AP" has scores, too
            columns = columns + [at for at, name in enumerate(header) if headings.is_measure(name)]
        if role == "name":  # one that is constant tells nothing
            varied = [place for place in columns if len(sheet.texts(place).categories) > 1]
            columns = varied or columns[:1]
        places[role], *others = columns
        if any(sheet.texts(columns[0]).tolist() != sheet.texts(at).tolist() for at in others):
            seen = listing(header[place] for place in columns)
            remedy = " `columns=` says what each holds, such as run,topic,value,_."
            raise paths.file_error(sheet.path, f"have one column of {plural}", seen, remedy)
    return places


def _columns_of_scores(sheet: FileSheet, places: Mapping[str, int]) -> list[tuple[str, int]]:
    """The names and places of columns of scores, one a measure, where none is headed as scores."""
    columns: list[tuple[str, int]] = []
    _, counter = sheets.topic_column(sheet)
    for place, heading in enumerate(sheet.headings):
        plain = headings.plain_heading(heading)
        is_group = plain in headings.GROUPS and not sheet.has_fractions(place)
        is_of_rows = plain in headings.OF_ROWS | headings.DESIGN
        if is_group or is_of_rows or place in (*places.values(), counter):
            continue
        cells = [text for text in sheet.texts(place).categories if not is_none(text)]
        # a column of scores, none of which is a plain number, is refused below
        if sheet.has_scores(place) or (cells and all(map(is_like_score, cells))):
            columns.append((heading, place))
    if not columns:
        raise sheet.row_error(-1, " It has no column of scores.")
    over = summary_rows.sure_columns([name for name, _ in columns])
    return [column for column, is_over in zip(columns, over, strict=True) if not is_over] or columns


def _has_no_header(sheet: FileSheet, roles: Mapping[str, list[int]], run: str | None) -> bool:
    """Whether the first row is one of scores, as evaluation tools write them, and no header.

    It ends in a score, and has names before. With a `run`, that is of a leaderboard, whose formats
    have three, four or six columns; else three or four.
    """
    first = sheet.headings
    if run is not None and len(first) in OF_TOOLS:
        value = first[OF_TOOLS[len(first)].index("value")]
        has_topics = headings.plain_heading(first[0]) in headings.TOPICS
        is_headed = len(roles) > 1 or "value" in roles or has_topics
        return not is_headed or _is_cell(value) or summary_rows.OVER_ALL in first
    ends_in_score = len(first) in (3, 4) and paths.is_number(first[-1])
    if run is not None or not ends_in_score or not sheet.n_rows:
        return False
    if any(map(_is_measure, first)):
        return True
    return len(first) == 4 and sum(not sheet.has_scores(column) for column in sheet.columns) > 1


def _places_by_content(sheet: FileSheet, run: str | None) -> dict[str, int]:
    """Role -> the place of its column where tools wrote no header; an error if that is ambiguous.

    Topics have rows over all, or are the only column of numbers such as 301, q17 or 31_4. Measures
    are known, or one and the same, or else stand after the runs.
    """
    width = len(sheet.headings)
    places = {field: place for place, field in enumerate(OF_TOOLS[width]) if field}
    names = [place for place in range(width) if place != places["value"]]
    texts = {place: {*sheet.texts(place).categories} for place in names}
    has_all = [place for place in names if summary_rows.OVER_ALL in texts[place]]
    known = [place for place in names if any(map(_is_measure, texts[place]))]
    if width == 6:
        # a leaderboard has each run on most topics
        is_sparse = sheet.n_rows < len(texts[0]) * len(texts[2]) / 2
        if is_sparse and 5 not in known and 0 not in has_all:
            use = "in Python use `scores_from_runs`, on the command line --runs"
            raise sheet.row_error(0, f" It looks like a TREC run: {use}.")
        if sheet.has_fractions(3):
            seen = "fractions in column 4, which is not read"
            remedy = " Have a score and a rank changed places?"
            raise paths.file_error(sheet.path, f"be {sheet.expected}", seen, remedy)
        return places
    if width == 3:
        of_topics = has_all if len(has_all) == 1 else [1 - place for place in known]
        if len(of_topics) != 1:
            hint = " It does not show which column has the measures, of which none is known"
            remedy = "`read_leaderboard` with format='trec_eval' takes the first"
            raise sheet.row_error(0, f"{hint}: {remedy}.")
        return {"qid": of_topics[0], "measure": 1 - of_topics[0], "value": 2}
    _refuse_qrels(sheet, texts, known)
    topics = {place for place in names if headings.are_numbered(texts[place])} - {*known}
    # "t5" may be a system
    topics = {place for place in topics if not any(name[0] in "tT" for name in texts[place])}
    topics |= {*has_all}
    if len(topics) == 1 and len(known) < 2 and topics != {*known}:
        (topic,) = topics
        left = [place for place in names if place != topic]
        alone = [place for place in left if len(texts[place]) == 1]
        (measure,) = known or (alone if len(alone) == 1 else left[-1:])
        (name,) = (place for place in left if place != measure)
        # if they count from 1, topics may as well be runs; of tools, only "tot" has measures second
        is_tot = run is not None and (measure, topic) == (1, 2)
        if is_tot or len(texts[topic]) == 1 or not headings.count_from_one(texts[topic]):
            return {"name": name, "qid": topic, "measure": measure, "value": 3}
    rule = "show which columns have runs, topics and measures"
    seen = f"{shown(' '.join(sheet.rows[1][1]))} in its first line"
    raise paths.file_error(sheet.path, rule, seen, FOUR_COLUMNS)


def _refuse_qrels(
    sheet: FileSheet, texts: Mapping[int, Collection[str]], known: Collection[int]
) -> None:
    """An error if four columns are those of judgments: topic, iteration, document, label.

    `texts` has the different cells of the first three; `known` are the places of known measures.
    """
    _, iterations, documents = texts.values()
    are_labels = sheet.is_numeric(3) and not sheet.has_fractions(3)
    are_iterations = all(is_whole(name) or name == "Q0" for name in iterations)
    are_documents = summary_rows.OVER_ALL not in documents and not all(map(is_whole, documents))
    is_measure = 2 in known or len(iterations) >= len(documents)
    if are_labels and are_iterations and are_documents and not is_measure:
        use = "in Python use `compare_judgments`, on the command line `judgments`"
        raise sheet.row_error(0, f" It looks like TREC qrels: {use}.")


def _is_measure(name: str) -> bool:
    """Whether a cell is the name of a measure, or of a count that tools print beside measures."""
    return name in COUNTS or is_known(name)


def _is_cell(text: str) -> bool:
    """Whether a text may be a score: a number, true or false, or a word for a missing one."""
    return is_score(text) or text.lower() in TRUTH


def is_whole(text: str) -> bool:
    """Whether a text is digits alone, with or without a minus."""
    return text.isascii() and text.lstrip("-").isdigit()


def _cells_of(
    sheet: FileSheet,
    places: Mapping[str, int],
    columns: Sequence[tuple[str, int]],
    same: Mapping[str, str],
    role: str = "measure",
) -> pd.DataFrame:
    """The scored cells of a sheet: name, qid, measure and value, perhaps dataset and repeat.

    `columns` has the names and places of the columns of scores; they are names of systems or
    measures, as `role` says. `places` says which other column holds what, and `same` has what all
    cells have where no column holds it. Topics without names are "t1", "t2", ... Scores of rows
    over all topics, and of measures that only count, need not be numbers.
    """
    shape = (sheet.n_rows, len(columns))  # the cells of a row follow each other
    texts = {of: sheet.texts(place) for of, place in places.items() if of != "value"}
    if "qid" not in places:
        topics = [f"t{number + 1}" for number in range(sheet.n_rows)]
        texts["qid"] = labels_of(topics, np.arange(sheet.n_rows))
    if "repeat" in places:  # as a message names it: "seed 1"
        heading, repeats = sheet.headings[places["repeat"]], texts["repeat"]
        names = [f"{heading} {text}" for text in repeats.categories]
        texts["repeat"] = labels_of(names, repeats.codes)
    zeros = np.zeros(shape[0] * shape[1], np.int8)
    cells: dict[str, Any] = {of: labels_of([text], zeros) for of, text in same.items()}
    cells[role] = labels_of([name for name, _ in columns], np.tile(np.arange(shape[1]), shape[0]))
    for of, found in texts.items():
        cells[of] = labels_of(found.categories, np.repeat(found.codes, shape[1]))
    is_over = summary_rows.sure_rows(cells["qid"].categories)[cells["qid"].codes]
    is_count = np.array([*map(ranks_no_systems, cells["measure"].categories)], dtype=bool)
    is_used = ~(is_over | is_count[cells["measure"].codes]).reshape(shape)
    values = [sheet.scores(place, is_used[:, column]) for column, (_, place) in enumerate(columns)]
    cells["value"] = np.column_stack(values).ravel()
    return pd.DataFrame({of: cells[of] for of in [*COLUMNS, "dataset", "repeat"] if of in cells})


def _cells_of_wide(
    sheet: FileSheet, measure: str | None, keep: list[str], *, is_alone: bool
) -> pd.DataFrame:
    """The scored cells of a table with one row a topic and one column a system.

    If it is not alone, it may be of one system, with one column a measure; its system is named
    after the file. The `measure` of other tables is by default named so. `keep` has names of rows
    and columns that are not over all others.
    """
    header = list(sheet.headings)
    roles = headings.roles_of(header)
    lacks_name = {"qid", "value"} <= roles.keys() and "name" not in roles
    if lacks_name and not sheet.is_numeric(roles.get("measure", [0])[0]):
        seen = f"the columns {', '.join(map(shown, header))}"
        remedy = " It needs a column that names the system, such as run, or `columns=`."
        raise paths.file_error(sheet.path, f"be {TABLE}", seen, remedy)
    # a file a system, as of dictionaries of pytrec_eval
    if header[0] == NESTED and headings.are_measures(header[1:]):
        sheet.headings[0] = "topic"
    columns = sheets.wide(sheet, keep, may_be_measures=not is_alone)
    systems = columns.systems
    names = [header[place] for place in systems]
    are_numbers = [is_score(name) and not is_none(name) for name in names]
    have_scores = all(map(sheet.has_scores, systems))
    if all(map(is_whole, names)):  # systems may be called 1, 2, 3, but not 0.25
        if columns.topics is None and not any(map(sheet.has_fractions, systems)):
            seen, remedy = "whole numbers in all lines", " If it has topics, name it topic."
            raise paths.file_error(sheet.path, "have a header", seen, remedy)
    elif "" in names or all(are_numbers) or (any(are_numbers) and not have_scores):
        raise sheet.row_error(-1)
    if not names or len(set(names)) < len(names):
        twice = listing({name for name in names if names.count(name) > 1})
        seen = f"several columns named {twice}" if names else "none"
        raise sheet.error(sheets.WIDE, seen, "Name each system once.")
    found = {"qid": columns.topics, "dataset": columns.dataset, "repeat": columns.repeat}
    places = {role: place for role, place in found.items() if place is not None}
    stem = paths.stem(sheet.path)
    same = {"name": stem, "measure": stem if measure is None else measure}
    role = "measure" if columns.of_measures else "name"
    return _cells_of(sheet, places, [*zip(names, systems, strict=True)], same, role)
