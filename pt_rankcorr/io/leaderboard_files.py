"""Leaderboards: scores of runs on topics by measures, in the formats that evaluation tools write."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io import paths
from pt_rankcorr.io.align import COLUMNS, MISSING, align, cube_of
from pt_rankcorr.io.measure_names import canonical_name, find_measure
from pt_rankcorr.io.score_tables import cells_of, is_measure, places_without_header
from pt_rankcorr.io.spreadsheets import FileSheet, Line, is_score, numbered_lines, sheet_of_fields, sheet_of_rows
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import by_name, list_of, one_of
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.stats.core.sheets import topic_column
from pt_rankcorr.text import shown

Row: TypeAlias = tuple[int, list[str]]  # the number of its line; the run, topic, measure and score in it
KEYS = ("run_id", "topic_id", "measure", "value")  # of a score in JSON


class Format(NamedTuple):
    """What `read_leaderboard` reads under a name."""

    # what each column between tabs or blanks holds, "" where it is not read; or a function of a path and its numbered
    # lines that gives rows
    reads: Sequence[str] | Callable[[str, Iterable[Line]], Iterable[Row]]
    # whether the first line with something in it, without blanks around it, is of this format alone; without this
    # function a file of columns is told by their number, and another format by its name alone
    begins: Callable[[str], bool] | None = None


def has_keys(line: str, *keys: str) -> bool:
    """Whether a line begins an object of JSON and has these keys: by these, a format of JSON is recognised."""
    return line.startswith("{") and all(f'"{key}"' in line for key in keys)


def rows_of_json(path: str, lines: Iterable[Line]) -> Iterator[Row]:
    """The rows of a leaderboard with an object of JSON, and one score, in each line."""
    for number, line in lines:
        try:
            score = paths.parsed_json(line)
            *names, value = [score[key] for key in KEYS]
            value = "" if value is None else value
            if any(isinstance(name, bool) for name in names) or not all(
                isinstance(text, (str, int, float)) for text in [*names, value]
            ):
                raise TypeError("no name or number")
        except (ValueError, TypeError, KeyError):
            rule = f"lines of JSON objects with {', '.join(KEYS)}, each once"
            raise paths.line_error(path, number, line, rule) from None
        yield number, list(map(str, [*names, value]))


FORMATS: Mapping[str, Format] = {
    "trec_eval": Format(("measure", "qid", "value")),
    "tot": Format(("name", "measure", "qid", "value")),
    "ir_measures": Format(("name", "qid", "measure", "value")),
    "rag4reports": Format(("qid", "name", "measure", "value")),
    "ranking": Format(("qid", "", "name", "", "value", "measure")),
    "jsonl": Format(rows_of_json, begins=lambda line: has_keys(line, "run_id")),
}
EVALUATION = (
    "per-topic scores as trec_eval -q (measure, topic, value) or ir_measures -q (topic, measure, value) print them"
)
# what other output of evaluation tools begins with -> what it is, and the remedy
OTHER_OUTPUT = {
    "Total number of documents over all queries": " This is the form for people (trec_eval -o): run trec_eval -q "
    "without -o.",
    "#####": " These are mean scores only, as msmarco_passage_eval prints them; topics are needed.",
    "MRR @": " These are mean scores only, as msmarco_passage_eval prints them; topics are needed.",
    "measure {": " These are mean scores only, as TIRA's prototext has them; topics are needed.",
    "measure{": " These are mean scores only, as TIRA's prototext has them; topics are needed.",
    "# syscode": " This is output of NTCIREVAL: give read_scores a table of its scores by topic.",
}
LEADERBOARD = "a leaderboard ({} or {})".format(", ".join([*FORMATS][:-1]), [*FORMATS][-1])
HINT = (
    " It looks like a table. In Python, give `read_scores(file, measure=...)` in place of the path, with the same "
    "measure for all. On the command line, `compare --scores` compares such tables."
)
# what to do where a score is missing: words of other evaluators, and ours
POLICIES = {"warn": "drop-topics", "skip": "drop-topics", "default": "zero"} | {word: word for word in MISSING}

COLUMNS_OF = {name: form.reads for name, form in FORMATS.items() if not callable(form.reads)}
SUFFIXES = paths.SUFFIXES | {f".{name}" for name in FORMATS}


def read_leaderboard(
    path: paths.PathsLike,
    *,
    format: str | None = None,
    missing: choices.MissingOfJudges = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    measures: Collection[paths.MeasureLike] | None = None,
    keep: Collection[str] = (),
) -> Scores:
    """The scores of a leaderboard: of runs, on topics, by measures.

    It recognises the formats by the content of a file, with or without a header, gzipped or not:

    - "trec_eval": measure, topic, value; each file is one run, which takes the file's name;
    - "tot": run, measure, topic, value;
    - "ir_measures": run, topic, measure, value;
    - "rag4reports": topic, run, measure, value;
    - "ranking": topic, Q0, run, rank, value, measure;
    - "jsonl": one JSON object per line, with run_id, topic_id, measure and value.

    Tabs or blanks separate columns. Rows over all topics ("all") are not used: a warning says if one is not the mean
    of the topics. Rows over all topics, and topics that are numbers such as 301, q17 or 31_4, tell the formats of four
    columns apart; where these fit two columns, or none, `format` is needed.

    Args:
        path: A file, a folder, a pattern, or a list of these, which make one leaderboard.
        format: The format; by default what the content looks like.
        missing: What to do where a run has no score for a topic that others have: "error"; "drop-topics", also called
            "skip" or "warn"; "drop-systems"; or "zero", also called "default".
        lower_is_better, keep: As for `scores_from_experiment`.
        measures: Which measures; by default all. The rows of other measures are not checked and cause no warnings.

    Returns:
        One score matrix per measure, and an alignment report.

    Raises:
        OSError, TypeError, ValueError: If a file cannot be read, has none of these formats or is ambiguous, a score
            repeats or is not a number, there is only one run, or scores are missing under "error".

    Warns:
        SkippedFilesWarning: If a folder has folders, or files that are plainly no leaderboards, which are not read.
            Hidden files are left out without a warning.
    """
    return _read(path, format, missing, lower_is_better, measures, list_of("keep", keep, "names"))


def _read(
    path: object,
    format: str | None = None,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    measures: Collection[object] | None = None,
    keep: Collection[str] = (),
    *,
    all_if_none: bool = False,
) -> Scores:
    """`read_leaderboard`, with all measures of the file if it has none of those wanted."""
    if format is not None:
        one_of("format", format, tuple(FORMATS))
    policy = POLICIES[one_of("missing", missing, tuple(POLICIES))]
    files = paths.files(path, "path", other_suffixes=paths.OTHER_SUFFIXES - {".json", ".jsonl"})
    cells = [_cells(file, format) for file in files]
    names = dict.fromkeys(name for of_file in cells for name in of_file["measure"].cat.categories)
    wanted = {canonical_name(measure) for measure in measures or ()}
    if not all_if_none:
        for measure in measures or ():
            find_measure(measure, names, "measures")
    if known := [name for name in names if canonical_name(name) in wanted]:
        cells = [of_file[of_file["measure"].isin(known).to_numpy()] for of_file in cells]
    return align(cube_of(pd.concat(cells, ignore_index=True), "path", lower_is_better, keep=keep), missing=policy)


def scores_from_trec_eval(
    path: paths.PathsLike | Mapping[str, paths.PathName],
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    keep: Collection[str] = (),
) -> Scores:
    """The scores that `trec_eval -q` or `ir_measures -q` printed, one file per run.

    The content of a file shows which of the two wrote it. Rows over all topics and counts (num_ret and the like) are
    left out. Both tools round to four decimals unless told otherwise. Rounding makes ties, so there is a warning.

    Args:
        path: A folder, paths, or a mapping from names to paths. Files are named as by `scores_from_runs`, without
            .eval too, and may be gzipped; the run id that trec_eval prints is not used.
        missing, lower_is_better, keep: As for `scores_from_experiment`.

    Returns:
        One score matrix per measure, under its name in the files, and an alignment report.

    Raises:
        TypeError, ValueError: If `path` holds no paths, a file is of another kind or without rows per topic, two files
            hold one run, a score repeats or is not a number, or scores are missing under "error".

    Warns:
        AggregateMismatchWarning: If a row over all topics is not the mean.
    """
    files = paths.named_files(path, "path")
    paths.check_paths(files.values(), "path")
    cells = pd.concat([_cells(file, None, name) for name, file in files.items()], ignore_index=True)
    return align(cube_of(cells, "path", lower_is_better, keep=list_of("keep", keep, "names")), missing=missing)


def named_leaderboards(
    judges: object, parameter: str, **reading: Any
) -> tuple[dict[str, Scores], dict[str, Exception]]:
    """Judge -> its leaderboard: from a mapping to scores or paths, or from one path per judge, named after it.

    Leaderboards that cannot be read come with the reason; an error if none can.
    """
    if isinstance(judges, Mapping):
        named = by_name(judges, parameter)
    else:
        several = [judges] if paths.is_path(judges) else list_of(parameter, judges, "paths")
        paths.check_paths(several, parameter)
        files: list[paths.PathName] = []
        for path in several:
            matches = paths.fitting(path)
            files += [path] if matches is None else [file for file in matches if Path(file).name[0] != "."]
        by_stem = ((paths.stem(file, SUFFIXES), file) for file in files)
        named = dict(paths.files_by_name(by_stem, f"`{parameter}` must be one file or folder per judge"))
    if not named:
        raise ValueError(f"`{parameter}` must name at least one leaderboard, got none.")
    scores: dict[str, Scores] = {}
    failed: dict[str, Exception] = {}
    for name, source in named.items():
        try:
            scores[name] = as_leaderboard(source, parameter, name, **reading)
        except (ValueError, OSError) as error:
            failed[name] = error
    if not scores:
        raise next(iter(failed.values()))
    return scores, failed


def as_leaderboard(source: Any, parameter: str, name: str = "", **reading: Any) -> Scores:
    """Scores as they are; those of paths are read."""
    if isinstance(source, Scores):
        return source
    if source is None or isinstance(source, ScoreMatrix) or hasattr(source, "__array__"):
        judge = f" for {shown(name)}" if name else ""
        raise TypeError(f"`{parameter}` must be `Scores` or paths, got {paths.kind_of(source)}{judge}.")
    try:
        return _read(source, **reading)
    except (TypeError, ValueError) as error:
        where = f" This is {shown(name)} of `{parameter}`." if name else ""
        raise type(error)(f"{str(error).replace('`path`', f'`{parameter}`', 1)}{where}") from None


# --- files --------------------------------------------------------------------------------------------------


def _cells(path: paths.PathName, format: str | None, run: str = "") -> pd.DataFrame:
    """The scored cells of a file: name, qid, measure and value; those of a `run` have three columns."""
    expected = EVALUATION if run else LEADERBOARD
    lines = numbered_lines(path, expected)
    begin = lines[0][1].strip()
    if format is None and not run:
        format = next((name for name, known in FORMATS.items() if known.begins and known.begins(begin)), None)
    reads = FORMATS[format].reads if format else ()
    if callable(reads):
        rows = list(reads(paths.name_of(path), lines))
        if not rows:
            raise paths.file_error(path, f"be {expected}", "no scores")
        sheet = sheet_of_rows(path, expected, COLUMNS, rows)
        return cells_of(sheet, {column: place for place, column in enumerate(COLUMNS)})
    if format is None and begin.startswith("{"):
        hint = f" It is JSON of no known format: objects must have {', '.join(KEYS)}."
        raise paths.line_error(path, *lines[0], expected, hint)
    for number, line in lines[:2]:
        for other, hint in OTHER_OUTPUT.items():
            if line.strip().startswith(other):
                raise paths.line_error(path, number, line, expected, hint)
    sheet = sheet_of_fields(path, expected, lines)
    widths = {3} if run else {len(reads)} if reads else set(map(len, COLUMNS_OF.values()))
    has_header = _has_header(sheet, reads, widths)
    body = sheet.check_rows() if has_header else sheet.with_first_row()
    if reads:
        places = {field: place for place, field in enumerate(reads) if field}
    else:
        places = _places(body, sheet.headings if has_header else ())
    if odd := [place for place in body.columns if place not in places.values() and body.has_fractions(place)]:
        seen = f"fractions in column {odd[0] + 1}, which is not read"
        raise paths.file_error(path, f"be {expected}", seen, " Have a score and a rank changed places?")
    if summary_rows.sure_rows(body.texts(places["qid"]).categories).all():
        raise paths.file_error(path, f"be {expected}", "only rows over all topics", " Was -q left out?")
    return cells_of(body, places, **({} if "name" in places else {"name": run or paths.stem(path)}))


# --- which column holds what --------------------------------------------------------------------------------


def _has_header(sheet: FileSheet, reads: Sequence[str], widths: Collection[int]) -> bool:
    """Whether the first row names the columns; an error if the sheet has none of these numbers of columns.

    `reads` says what each column holds, if a format is given.
    """
    first = sheet.headings
    roles = headings.roles_of(first)
    # the name of the topics, then names of systems
    heads_a_table = plain_heading(first[0]) in headings.TOPICS and roles.keys() == {"qid"}
    if len(first) not in widths:
        is_table = heads_a_table or any(mark in "".join(first) for mark in ",;|")
        names = {plain_heading(name) for name in re.split(r"[,;|]", " ".join(first))}
        are_means = names & headings.SYSTEMS and not names & (headings.TOPICS - headings.COUNTERS)
        means = " It looks like mean scores; topics are needed. Without them, `pt-rankcorr tau` compares the rankings."
        raise sheet.row_error(-1, means if are_means else HINT if is_table else "")
    value = first[(reads or _first_of_width(len(first))).index("value")]
    if is_score(value) or summary_rows.OVER_ALL in first:
        return False
    if heads_a_table and not reads:
        raise sheet.row_error(-1, HINT)
    return plain_heading(value) in headings.SCORES or len(roles) > 1 or heads_a_table


def _first_of_width(width: int) -> Sequence[str]:
    """What the columns hold in the first format that has so many."""
    return next(fields for fields in COLUMNS_OF.values() if len(fields) == width)


def _places(sheet: FileSheet, header: Sequence[str]) -> dict[str, int]:
    """Which column holds what, by the header if there is one, and by the content; an error if neither tells."""
    width = len(sheet.headings)
    roles = headings.roles_of(header)
    if header and width != 6 and {"qid", "measure", "value"} <= roles.keys():
        topics, _ = topic_column(sheet)
        places = {role: found[0] for role, found in roles.items() if role in COLUMNS}
        return places if topics is None else places | {"qid": topics}
    if width == 4:
        return places_without_header(sheet, is_of_tool=True)
    texts = [set(map(str, sheet.texts(column).categories)) for column in sheet.columns]
    fields = _first_of_width(width)
    if width == 6:
        topics_of, documents, tags = texts[0], texts[2], texts[5]
        is_sparse = sheet.n_rows < len(topics_of) * len(documents) / 2  # a leaderboard has each run on most topics
        if is_sparse and not any(map(is_measure, tags)) and summary_rows.OVER_ALL not in topics_of:
            hint = " It looks like a TREC run: in Python use `scores_from_runs`, on the command line --runs."
            raise sheet.row_error(0, hint)
    elif width == 3:
        is_over = [summary_rows.OVER_ALL in names for names in texts[:2]]
        is_known = [any(map(is_measure, names)) for names in texts[1::-1]]
        if (signs := is_over if is_over[0] != is_over[1] else is_known)[0] == signs[1]:
            hint = " It does not show which column has the measures, of which none is known"
            raise sheet.row_error(0, f"{hint}: `read_leaderboard` with format='trec_eval' takes the first.")
        fields = ("qid", "measure", "value") if signs[0] else fields
    return {field: place for place, field in enumerate(fields) if field}
