"""Leaderboards: scores of runs on topics by measures, in the formats that evaluation tools write."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io import FORMATS, paths, score_tables
from pt_rankcorr.io.align import COLUMNS, MISSING, align
from pt_rankcorr.io.measure_names import canonical_name, find_measure
from pt_rankcorr.io.spreadsheets import is_score, where
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core import headings
from pt_rankcorr.stats.core.arguments import list_of, one_of
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.stats.core.summary_rows import OVER_ALL
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import SkippedFilesWarning, warn

KEYS = ("run_id", "topic_id", "measure", "value")  # of an object in JSON lines
LEADERBOARD = "a leaderboard ({} or {})".format(", ".join([*FORMATS][:-1]), [*FORMATS][-1])
HINT = (
    " It looks like a table. In Python, give `read_scores(file, measure=...)` in place of the path, with the same "
    "measure for all. On the command line, `compare --scores` compares such tables."
)
MEANS = " It looks like mean scores; topics are needed. Without them, `pt-rankcorr tau` compares the rankings."
# what to do where a score is missing: words of other evaluators, and ours
POLICIES = {"warn": "drop-topics", "skip": "drop-topics", "default": "zero"} | {word: word for word in MISSING}
LOOKS_LIKE_QRELS = " It looks like TREC qrels: in Python use `compare_judgments`, on the command line `judgments`."
LOOKS_LIKE_A_RUN = " It looks like a TREC run: in Python use `scores_from_runs`, on the command line --runs."
NUMBERED = re.compile(r"\D*\d+")  # as topics are, if not by numbers alone

ROWS = {name: form.reads for name, form in FORMATS.items() if not isinstance(form.reads, str)}
SUFFIXES = paths.SUFFIXES | {f".{name}" for name in FORMATS}


def read_leaderboard(
    path: paths.PathsLike,
    *,
    format: str | None = None,
    missing: choices.MissingOfJudges = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    measures: Collection[paths.MeasureLike] | None = None,
) -> Scores:
    """The scores of a leaderboard: of runs, on topics, by measures.

    It recognises the formats by the content of a file, with or without a header, gzipped or not:

    - "trec_eval": measure, topic, value; each file is one run, which takes the file's name;
    - "tot": run, measure, topic, value;
    - "ir_measures": run, topic, measure, value;
    - "ranking": topic, Q0, run, rank, value, measure;
    - "jsonl": one JSON object per line, with run_id, topic_id, measure and value.

    Tabs or blanks separate columns. Rows over all topics ("all") are not used: a warning says if one is not the mean
    of the topics. Rows over all topics, known measures, and topics that are whole numbers tell "tot" and "ir_measures"
    apart; without any of these, `format` is needed.

    Args:
        path: A file, a folder, a pattern, or a list of these, which make one leaderboard.
        format: The format; by default what the content looks like.
        missing: What to do where a run has no score for a topic that others have: "error"; "drop-topics", also called
            "skip" or "warn"; "drop-systems"; or "zero", also called "default".
        lower_is_better: As for `scores_from_experiment`.
        measures: Which measures; by default all. The rows of other measures are not checked and cause no warnings.

    Returns:
        One score matrix per measure, and an alignment report.

    Raises:
        OSError, TypeError, ValueError: If a file cannot be read, has none of these formats or is ambiguous, a score
            repeats or is not a number, there is only one run, or scores are missing under "error".

    Warns:
        SkippedFilesWarning: If a folder has folders, which are not read. Hidden files are left out without a warning.
    """
    return _read(path, format, missing, lower_is_better, measures)


def _read(
    path: object,
    format: str | None = None,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    measures: Collection[object] | None = None,
    *,
    all_if_none: bool = False,
) -> Scores:
    """`read_leaderboard`, with all measures of the file if it has none of those wanted."""
    if format is not None:
        one_of("format", format, tuple(FORMATS))
    policy = POLICIES[one_of("missing", missing, tuple(POLICIES))]
    files: list[paths.PathName] = []
    skipped: list[str] = []
    for source in _expanded(path, "path"):
        if os.path.isdir(source):
            inside = sorted(Path(source).iterdir())
            visible = [file for file in inside if not file.name.startswith(".")]
            files += [file for file in visible if file.is_file()]
            skipped += [str(file) for file in visible if not file.is_file()]
        else:
            files.append(source)
    if not files:
        raise ValueError("`path` must name at least one file, got none.")
    if skipped:
        warn(f"Folders in folders are left out: {shown(', '.join(skipped))}.", SkippedFilesWarning)
    cells = [_cells(file, format) for file in files]
    names = dict.fromkeys(name for of_file in cells for name in of_file["measure"].cat.categories)
    wanted = {canonical_name(measure) for measure in measures or ()}
    if not all_if_none:
        for measure in measures or ():
            find_measure(measure, names, "measures")
    if known := [name for name in names if canonical_name(name) in wanted]:
        cells = [of_file[of_file["measure"].isin(known).to_numpy()] for of_file in cells]
    together = pd.concat(cells, ignore_index=True)
    return align(together, missing=policy, lower_is_better=lower_is_better, parameter="path")


def named_leaderboards(
    judges: object, parameter: str, **reading: Any
) -> tuple[dict[str, Scores], dict[str, Exception]]:
    """Judge -> its leaderboard: from a mapping to scores or paths, or from one path per judge, named after it.

    Leaderboards that cannot be read come with the reason; an error if none can.
    """
    if isinstance(judges, Mapping):
        named = paths.by_name(judges, parameter)
    else:
        by_stem = ((paths.stem(path, SUFFIXES), path) for path in _expanded(judges, parameter))
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
        where = f" for {shown(name)}" if name else ""
        raise TypeError(f"`{parameter}` must be `Scores` or paths, got {paths.kind_of(source)}{where}.")
    try:
        return _read(source, **reading)
    except (TypeError, ValueError) as error:
        where = f" This is {shown(name)} of `{parameter}`." if name else ""
        raise type(error)(f"{str(error).replace('`path`', f'`{parameter}`', 1)}{where}") from None


# --- files --------------------------------------------------------------------------------------------------


def _expanded(sources: Any, parameter: str) -> list[paths.PathName]:
    """Paths, and what matches the patterns among them."""
    expanded: list[paths.PathName] = []
    for path in [sources] if paths.is_path(sources) else list_of(parameter, sources, "paths"):
        if not paths.is_path(path):
            raise TypeError(f"`{parameter}` must be paths or scores, got {paths.kind_of(path)}.")
        matches = paths.fitting(path)
        expanded += [path] if matches is None else [file for file in matches if not Path(file).name.startswith(".")]
    return expanded


def _cells(path: paths.PathName, format: str | None) -> pd.DataFrame:
    with paths.open_text(path, LEADERBOARD) as text:
        lines = score_tables.rows(text)
        begin = next(lines, None)
        if begin is None:
            raise paths.file_error(path, f"be {LEADERBOARD}", "an empty file")
        format = format or next(
            (name for name, known in FORMATS.items() if known.begins and known.begins(begin[1].strip())), None
        )
        reads, lines = FORMATS[format].reads if format else (), chain([begin], lines)
        if isinstance(reads, str):
            rows = [row for _, row in resolve_name(f"{__package__}.{reads}")(path, lines)]
            table = pd.DataFrame(rows, dtype="category")
            return score_tables.cells_of(table, {column: place for place, column in enumerate(COLUMNS)})
        table = score_tables.table_of(path, LEADERBOARD, lines)
    first, width = [str(text) for text in table.iloc[0]], table.shape[1]
    # the name of the topics, then names of systems
    heads_a_table = plain_heading(first[0]) in headings.TOPICS and score_tables.long_columns(first).keys() == {"qid"}
    if width not in ({len(reads)} if reads else set(map(len, ROWS.values()))):
        is_table = heads_a_table or any(mark in "".join(first) for mark in ",;|")
        names = {plain_heading(name) for name in re.split(r"[,;|]", " ".join(first))}
        are_means = names & headings.SYSTEMS and not names & (headings.TOPICS - headings.COUNTERS)
        raise score_tables.row_error(path, LEADERBOARD, 0, MEANS if are_means else HINT if is_table else "")
    value = first[(reads or _first_of_width(width)).index("value")]
    header = None
    if not is_score(value) and OVER_ALL not in first:
        if heads_a_table and not reads:
            raise score_tables.row_error(path, LEADERBOARD, 0, HINT)
        is_long = plain_heading(value) in score_tables.HEADERS["value"] or len(score_tables.long_columns(first)) > 1
        header = first if is_long or heads_a_table else None
    if header:
        table = score_tables.below_header(path, LEADERBOARD, table)
    fields = reads or _fields(path, table, header)
    places = {field: place for place, field in enumerate(fields) if field}
    odd = ~where(table[places["value"]], is_score) & ~where(table[places["qid"]], OVER_ALL.__eq__)
    if odd.any():
        raise score_tables.row_error(path, LEADERBOARD, table.index[int(np.argmax(odd))])
    return score_tables.cells_of(table, places, **({} if "name" in places else {"name": paths.stem(path)}))


def rows_of_json(path: paths.PathName, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """The rows of JSON objects, one per line."""
    for number, line in lines:
        try:
            pairs = json.loads(line, object_pairs_hook=tuple)
            row = dict(pairs)
            if not isinstance(pairs, tuple) or len(row) < len(pairs):
                raise ValueError("no object, or a key twice")
            values = [row[key] for key in KEYS]
            texts = [*values[:3], "" if values[3] is None else values[3]]
            if any(isinstance(text, bool) or not isinstance(text, (str, int, float)) for text in texts):
                raise TypeError("no name or number")
        except (ValueError, TypeError, KeyError, RecursionError):
            rule = f"lines of JSON objects with {', '.join(KEYS)}, each once"
            raise paths.line_error(path, number, line, rule) from None
        yield number, list(map(str, texts))


# --- which column holds what --------------------------------------------------------------------------------


def _first_of_width(width: int) -> Sequence[str]:
    """What the columns hold in the first format that has so many."""
    return next(fields for fields in ROWS.values() if len(fields) == width)


def _fields(path: paths.PathName, table: pd.DataFrame, header: Sequence[str] | None) -> Sequence[str]:
    """What each column holds."""
    width, texts = table.shape[1], [list(table[column].cat.categories) for column in table]
    if width == len(ROWS["ranking"]):
        topics, documents, tags = texts[0], texts[2], texts[5]
        is_sparse = len(table) < len(topics) * len(documents) / 2  # a leaderboard has each run on most topics
        if is_sparse and not any(map(score_tables.is_measure, tags)) and OVER_ALL not in topics:
            raise score_tables.row_error(path, LEADERBOARD, 0, LOOKS_LIKE_A_RUN)
        return ROWS["ranking"]
    if header and {"qid", "measure", "value"} <= (places := score_tables.long_columns(header)).keys():
        headings.topic_column(header, lambda _: False, repr(paths.name_of(path)))
        names = {place: name for name, place in places.items()}
        return [names.get(column, "") for column in range(width)]
    if width == len(ROWS["trec_eval"]):
        return ("qid", "measure", "value") if score_tables.is_topic_first(*texts[:2]) else ROWS["trec_eval"]
    if width != len(ROWS["tot"]):
        return _first_of_width(width)
    _, iterations, documents, labels = texts
    if (
        all(score_tables.is_whole(text) or text == "Q0" for text in iterations)
        and all(score_tables.is_whole(text.removeprefix("-")) for text in labels)
        and not all(map(score_tables.is_whole, documents))
        and not any(text == OVER_ALL or score_tables.is_measure(text) for text in documents)
        and len(iterations) < len(documents)
    ):
        raise score_tables.row_error(path, LEADERBOARD, 0, LOOKS_LIKE_QRELS)
    second, third = set(texts[1]), set(texts[2])
    signs = [
        [OVER_ALL in column for column in (second, third)],
        [any(map(score_tables.is_measure, column)) for column in (third, second)],
        [_are_topics(second, third), _are_topics(third, second)],
    ]
    for is_second, is_third in signs:  # the topics
        if is_second != is_third:
            return ROWS["ir_measures" if is_second else "tot"]
    hint = (
        " Add a header such as 'run topic measure value', or give `format`: 'tot' has the measure second, "
        "'ir_measures' the topic."
    )
    rule = "show which column has topics and which measures"
    raise paths.file_error(path, rule, shown(" ".join(table.iloc[0])), hint)


def _are_topics(names: set[str], others: set[str]) -> bool:
    """Whether names are whole numbers, like topics, and the others may be measures: fewer, and not numbers."""
    names, others = names - {OVER_ALL}, others - {OVER_ALL}
    return (
        all(map(score_tables.is_whole, names))
        and len(names) >= len(others)
        and not all(map(NUMBERED.fullmatch, others))
    )
