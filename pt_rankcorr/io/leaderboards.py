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
from pt_rankcorr.io import FORMATS, tables
from pt_rankcorr.io.align import COLUMNS, MISSING, align
from pt_rankcorr.io.measure_names import canonical_name, find_measure
from pt_rankcorr.io.paths import (
    MeasureLike,
    PathName,
    PathsLike,
    by_name,
    empty_error,
    files_by_name,
    fitting,
    is_path,
    kind_of,
    line_error,
    name_of,
    open_text,
    stem,
)
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import list_of, one_of
from pt_rankcorr.stats.core.names import OVER_ALL, TOPIC_COLUMNS, plain_heading
from pt_rankcorr.text import shown

KEYS = ("run_id", "topic_id", "measure", "value")  # of an object in JSON lines
LEADERBOARD = "a leaderboard (trec_eval, tot, ir_measures, ranking or jsonl)"
HINT = (
    " It looks like a table. In Python, give `read_scores(file, measure=...)` in place of the path, with the same "
    "measure for all. On the command line, `compare --scores` compares such tables."
)
# what to do where a score is missing: words of other evaluators, and ours
POLICIES = {"warn": "drop-topics", "skip": "drop-topics", "default": "zero"} | {word: word for word in MISSING}
LOOKS_LIKE_QRELS = " It looks like TREC qrels: in Python use `compare_judgments`, on the command line `judgments`."
LOOKS_LIKE_A_RUN = " It looks like a TREC run: in Python use `scores_from_runs`, on the command line --runs."
NUMBERED = re.compile(r"\D*\d+")  # as topics are, if not by numbers alone

ROWS = {name: each.reads for name, each in FORMATS.items() if not isinstance(each.reads, str)}
SUFFIXES = frozenset(f".{name}" for name in FORMATS)


def read_leaderboard(
    path: PathsLike,
    *,
    format: str | None = None,
    missing: choices.MissingOfJudges = "error",
    lower_is_better: Collection[MeasureLike] = (),
    measures: Collection[MeasureLike] | None = None,
) -> Scores:
    """The scores of a leaderboard: of runs, on topics, by measures.

    It recognises five formats by the content of a file, with or without a header, gzipped or not:

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
        OSError: If a file cannot be read.
        TypeError: If `path` holds no paths.
        ValueError: If a file is empty or has none of these formats, as a run or qrels file, its format is ambiguous, a
            score repeats or is not a number, there is only one run, or scores are missing under "error".
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
    several = [path] if is_path(path) else list_of("path", path, "paths")
    files = [file for each in several for found in _expand(each, "path") for file in _inside(found)]
    if not files:
        raise ValueError("`path` must name at least one file, got none.")
    cells = _of_measures([_cells(file, format) for file in files], measures, all_if_none=all_if_none)
    return align(cells, missing=policy, lower_is_better=lower_is_better, parameter="path")


def _of_measures(
    cells: Sequence[pd.DataFrame], measures: Collection[object] | None, *, all_if_none: bool
) -> pd.DataFrame:
    """The cells of all files, of some measures or of all."""
    there = dict.fromkeys(name for of_file in cells for name in of_file["measure"].cat.categories)
    wanted = {canonical_name(each) for each in measures or ()}
    known = [name for name in there if canonical_name(name) in wanted]
    if not measures or (all_if_none and not known):
        return pd.concat(cells, ignore_index=True)
    for each in measures if not all_if_none else ():
        find_measure(each, there, "measures")
    return pd.concat([each[each["measure"].isin(known).to_numpy()] for each in cells], ignore_index=True)


def named_leaderboards(
    judges: object, parameter: str, **reading: Any
) -> tuple[dict[str, Scores], dict[str, Exception]]:
    """Judge -> its leaderboard: from a mapping to scores or paths, or from one path per judge, named after it.

    Leaderboards that cannot be read come with the reason; an error if none can.
    """
    named = by_name(judges, parameter) if isinstance(judges, Mapping) else _by_file(judges, parameter)
    if not named:
        raise ValueError(f"`{parameter}` must name at least one leaderboard, got none.")
    found: dict[str, Scores] = {}
    failed: dict[str, Exception] = {}
    for name, given in named.items():
        try:
            found[name] = as_leaderboard(given, parameter, name, **reading)
        except (ValueError, OSError) as error:
            failed[name] = error
    if not found:
        raise next(iter(failed.values()))
    return found, failed


def as_leaderboard(given: Any, parameter: str, name: str = "", **reading: Any) -> Scores:
    """Scores as they are; those of paths are read."""
    if isinstance(given, Scores):
        return given
    if given is None or isinstance(given, ScoreMatrix) or hasattr(given, "__array__"):
        where = f" for {shown(name)}" if name else ""
        raise TypeError(f"`{parameter}` must be `Scores` or paths, got {kind_of(given)}{where}.")
    try:
        return _read(given, **reading)
    except (TypeError, ValueError) as error:
        where = f" This is {shown(name)} of `{parameter}`." if name else ""
        raise type(error)(f"{str(error).replace('`path`', f'`{parameter}`', 1)}{where}") from None


def _by_file(judges: object, parameter: str) -> dict[str, PathName]:
    several = [judges] if is_path(judges) else list_of(parameter, judges, "paths")
    paths = [path for each in several for path in _expand(each, parameter)]
    return files_by_name(
        ((_judge(path), path) for path in paths), f"`{parameter}` must be one file or folder per judge"
    )


def _judge(path: PathName) -> str:
    name = stem(path)
    while len(name) > len(suffix := Path(name).suffix) and suffix.lower() in SUFFIXES:
        name = stem(name[: -len(suffix)])
    return name


# --- files --------------------------------------------------------------------------------------------------


def _expand(path: object, parameter: str) -> list[PathName]:
    """The paths that match a pattern; any other path as it is."""
    if not is_path(path):
        raise TypeError(f"`{parameter}` must be paths or scores, got {kind_of(path)}.")
    found = fitting(path)
    return [path] if found is None else [each for each in found if not Path(each).name.startswith(".")]


def _inside(path: PathName) -> list[PathName]:
    if not os.path.isdir(path):
        return [path]
    return [str(each) for each in sorted(Path(path).iterdir()) if each.is_file() and not each.name.startswith(".")]


def _cells(path: PathName, format: str | None) -> pd.DataFrame:
    with open_text(path, LEADERBOARD) as text:
        lines = tables.rows(text)
        begin = next(lines, None)
        if begin is None:
            raise empty_error(path, LEADERBOARD)
        format = format or ("jsonl" if begin[1].lstrip().startswith("{") else None)
        reads, lines = FORMATS[format].reads if format else (), chain([begin], lines)
        if isinstance(reads, str):
            rows = [row for _, row in resolve_name(f"{__package__}.{reads}")(path, lines)]
            table = pd.DataFrame(rows, dtype="category")
            return tables.cells_of(table, {column: at for at, column in enumerate(COLUMNS)})
        table = tables.table_of(path, LEADERBOARD, lines)
    first, width = [str(text) for text in table.iloc[0]], table.shape[1]
    hint = HINT if any(mark in "".join(first) for mark in ",;") or _heads_a_table(first) else ""
    if width not in ({len(reads)} if reads else set(map(len, ROWS.values()))):
        raise tables.row_error(path, LEADERBOARD, 0, hint)
    header = first if _is_header(first) else None
    if header and not reads and _heads_a_table(header):
        raise tables.row_error(path, LEADERBOARD, 0, HINT)
    if header:
        table = tables.below_header(path, LEADERBOARD, table)
    fields = reads or _fields(path, table, header)
    places = {field: at for at, field in enumerate(fields) if field}
    odd = ~tables.where(table[places["value"]], tables.is_score) & ~tables.where(table[places["qid"]], OVER_ALL.__eq__)
    if odd.any():
        raise tables.row_error(path, LEADERBOARD, table.index[int(np.argmax(odd))])
    return tables.cells_of(table, places, **({} if "name" in places else {"name": stem(path)}))


def _heads_a_table(header: Sequence[str]) -> bool:
    """Whether the name of the topics is followed by names of systems."""
    return plain_heading(header[0]) in TOPIC_COLUMNS and tables.long_columns(header).keys() == {"qid"}


def rows_of_json(path: PathName, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """The rows of JSON objects, one per line."""
    for number, line in lines:
        try:
            row = json.loads(line, object_pairs_hook=_each_once)
            texts = [_name_in_json(row[key]) for key in KEYS[:3]]
            texts.append("" if row[KEYS[3]] is None else _name_in_json(row[KEYS[3]]))
        except (ValueError, TypeError, KeyError, RecursionError):
            rule = f"lines of JSON objects with {', '.join(KEYS)}, each once"
            raise line_error(path, number, line, rule) from None
        yield number, texts


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def _name_in_json(value: object) -> str:
    """Text, or a number as text."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError("no name")
    return str(value)


# --- which column holds what --------------------------------------------------------------------------------


def _is_header(first: Sequence[str]) -> bool:
    """Whether the first row has words that headers have, and no score."""
    value = first[ROWS["ranking"].index("value") if len(first) == len(ROWS["ranking"]) else -1]
    if tables.is_score(value) or OVER_ALL in first:
        return False
    is_long = plain_heading(value) in tables.HEADERS["value"] or len(tables.long_columns(first)) > 1
    return is_long or _heads_a_table(first)


def _fields(path: PathName, table: pd.DataFrame, header: Sequence[str] | None) -> Sequence[str]:
    """What each column holds."""
    width, texts = table.shape[1], [list(table[at].cat.categories) for at in table]
    if width == len(ROWS["ranking"]):
        topics, documents, tags = texts[0], texts[2], texts[5]
        is_sparse = len(table) < len(topics) * len(documents) / 2  # a leaderboard has each run on most topics
        if is_sparse and not any(map(tables.is_measure, tags)) and OVER_ALL not in topics:
            raise tables.row_error(path, LEADERBOARD, 0, LOOKS_LIKE_A_RUN)
        return ROWS["ranking"]
    if header and {"qid", "measure", "value"} <= (places := tables.long_columns(header)).keys():
        names = {at: name for name, at in places.items()}
        return [names.get(at, "") for at in range(width)]
    if width == len(ROWS["trec_eval"]):
        return ("qid", "measure", "value") if tables.is_topic_first(*texts[:2]) else ROWS["trec_eval"]
    _, iterations, documents, labels = texts
    if (
        all(tables.is_whole(text) or text == "Q0" for text in iterations)
        and all(tables.is_whole(text.removeprefix("-")) for text in labels)
        and not all(map(tables.is_whole, documents))
        and not any(text == OVER_ALL or tables.is_measure(text) for text in documents)
        and len(iterations) < len(documents)
    ):
        raise tables.row_error(path, LEADERBOARD, 0, LOOKS_LIKE_QRELS)
    second, third = set(texts[1]), set(texts[2])
    signs = [
        [OVER_ALL in column for column in (second, third)],
        [any(map(tables.is_measure, column)) for column in (third, second)],
        [_are_topics(second, third), _are_topics(third, second)],
    ]
    for is_second, is_third in signs:  # the topics
        if is_second != is_third:
            return ROWS["ir_measures" if is_second else "tot"]
    raise ValueError(
        f"{name_of(path)!r} must show which column has topics and which measures, got "
        f"{shown(' '.join(table.iloc[0]))}. Add a header such as 'run topic measure value', or give `format`: 'tot' "
        "has the measure second, 'ir_measures' the topic."
    )


def _are_topics(names: set[str], others: set[str]) -> bool:
    """Whether names are whole numbers, like topics, and the others may be measures: fewer, and not numbers."""
    names, others = names - {OVER_ALL}, others - {OVER_ALL}
    return all(map(tables.is_whole, names)) and len(names) >= len(others) and not all(map(NUMBERED.fullmatch, others))
