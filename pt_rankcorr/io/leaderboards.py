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
from pt_rankcorr.io.aggregates import check_means
from pt_rankcorr.io.fields import SEPARATORS
from pt_rankcorr.io.files import Row, empty_error, line_error, open_text
from pt_rankcorr.io.formats import FORMATS
from pt_rankcorr.io.given import MeasureLike, PathsLike
from pt_rankcorr.io.long_tables import (
    HEADERS,
    SUMMARY,
    Table,
    fields_of,
    is_measure,
    is_score,
    is_topic_first,
    is_whole,
    lines_of,
    long_columns,
    rows_of,
    where,
)
from pt_rankcorr.io.measure_names import canonical_name, find_measure
from pt_rankcorr.io.paths import (
    PathName,
    by_name,
    files_by_name,
    fitting,
    is_path,
    kind_of,
    name_of,
    stem,
)
from pt_rankcorr.io.settling import COLUMNS, MISSING, settle
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import list_of, one_of
from pt_rankcorr.stats.core.headings import TOPIC_COLUMNS, plain_heading
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
    paths: PathsLike,
    *,
    input_format: str | None = None,
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
    apart; without any of these, `input_format` is needed.

    Args:
        paths: A file, a folder, a pattern, or a list of these, which make one leaderboard.
        input_format: The format; by default what the content looks like.
        missing: What to do where a run has no score for a topic that others have: "error"; "drop-topics", also called
            "skip" or "warn"; "drop-systems"; or "zero", also called "default".
        lower_is_better: As for `scores_from_experiment`.
        measures: Which measures; by default all. The rows of other measures are not checked and cause no warnings.

    Returns:
        One score matrix per measure, and an alignment report.

    Raises:
        OSError: If a file cannot be read.
        TypeError: If `paths` are not paths.
        ValueError: If a file is empty or has none of these formats, as a run or qrels file, its format is ambiguous, a
            score repeats or is not a number, there is only one run, or scores are missing under "error".
    """
    return _read(paths, input_format, missing, lower_is_better, measures)


def _read(
    paths: object,
    input_format: str | None = None,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    measures: Collection[object] | None = None,
    *,
    all_if_none: bool = False,
) -> Scores:
    """`read_leaderboard`, with all measures of the file if it has none of those wanted."""
    if input_format is not None:
        one_of("input_format", input_format, tuple(FORMATS))
    policy = POLICIES[one_of("missing", missing, tuple(POLICIES))]
    cells = _of_measures([_cells(path, input_format) for path in _files_of(paths)], measures, all_if_none=all_if_none)
    is_over_all = (cells["qid"] == SUMMARY).to_numpy()
    if is_over_all.all():
        raise ValueError(f"`paths` must be {LEADERBOARD} of topics, got only rows over all topics.")
    by_topic = cells[~is_over_all].reset_index(drop=True)
    scores = settle(by_topic, missing=policy, lower_is_better=lower_is_better, parameter="paths")
    check_means(by_topic, cells[is_over_all])
    return scores


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
        raise type(error)(f"{str(error).replace('`paths`', f'`{parameter}`', 1)}{where}") from None


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


def _files_of(paths: object) -> list[PathName]:
    several = [paths] if is_path(paths) else list_of("paths", paths, "paths")
    found = [file for each in several for path in _expand(each, "paths") for file in _inside(path)]
    if not found:
        raise ValueError("`paths` must name at least one file, got none.")
    return found


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


def _cells(path: PathName, told: str | None) -> pd.DataFrame:
    with open_text(path, LEADERBOARD, never=SEPARATORS) as text:
        lines = lines_of(text)
        _, first = begin = next(lines, (0, ""))
        if not first:
            raise empty_error(path, LEADERBOARD)
        name = told or ("jsonl" if first.lstrip().startswith("{") else None)
        reads = FORMATS[name].reads if name else ()
        if isinstance(reads, str):
            rows = resolve_name(f"{__package__}.{reads}")(path, chain([begin], lines))
            return Table.of(path, LEADERBOARD, rows).cells(dict(zip(COLUMNS, range(len(COLUMNS)), strict=True)))
        header, hint = fields_of(first), _hint(first)
        rows = rows_of(path, LEADERBOARD, chain([begin], lines), len(header), hint=hint)
        return _cells_of_table(Table.of(path, LEADERBOARD, rows), reads, hint)


def _cells_of_table(table: Table, names: Sequence[str], hint: str) -> pd.DataFrame:
    """The cells of a table, whose columns are known by their names or, without names, by what they hold."""
    width = len(table.fields)
    if width not in ({len(names)} if names else set(map(len, ROWS.values()))):
        raise table.error(0, hint=hint)
    header = _header(table)
    if header and not names and _heads_a_table(header):
        raise table.error(0, hint=HINT)
    table = table.below_header() if header else table
    places = {name: at for at, name in enumerate(names or _columns(table, header)) if name}
    odd = ~where(table.rows[places["value"]], is_score) & ~where(table.rows[places["qid"]], SUMMARY.__eq__)
    if odd.any():
        raise table.error(int(np.argmax(odd)))
    return table.cells(places, **({} if "name" in places else {"name": stem(table.path)}))


def _hint(first: str) -> str:
    """What reads the table that begins with this line, if it does begin a table."""
    return HINT if len(re.split("[,;]", first)) > 2 or _heads_a_table(fields_of(first)) else ""


def _heads_a_table(header: Sequence[str]) -> bool:
    """Whether the name of the topics is followed by names of systems."""
    return plain_heading(header[0]) in TOPIC_COLUMNS and long_columns(header).keys() == {"qid"}


def rows_of_json(path: PathName, lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """The rows of JSON objects, one per line."""
    return ((number, _row_of_json(path, number, line)) for number, line in lines)


def _row_of_json(path: PathName, number: int, line: str) -> list[str]:
    try:
        found = json.loads(line, object_pairs_hook=_each_once)
        run, topic, measure = (_name_in_json(found[key]) for key in KEYS[:3])
        value = "" if found[KEYS[3]] is None else _name_in_json(found[KEYS[3]])
    except (ValueError, TypeError, KeyError, RecursionError):
        rule = f"lines of JSON objects with {', '.join(KEYS)}, each once"
        raise line_error(path, number, line, rule) from None
    return [run, topic, measure, value]


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def _name_in_json(value: object) -> str:
    """Text, or a number as text; an error for anything else, and for text that no file can hold."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError("no name")
    name = str(value)
    if "\0" in name:
        raise ValueError("no text")
    name.encode()
    return name


def _header(table: Table) -> list[str] | None:
    """The first row, if it has words that headers have, and no score."""
    first = table.row(0)
    value = first[ROWS["ranking"].index("value") if len(first) == len(ROWS["ranking"]) else -1]
    if is_score(value) or SUMMARY in first:
        return None
    is_heading = plain_heading(value) in HEADERS["value"] or len(long_columns(first)) > 1 or _heads_a_table(first)
    return first if is_heading else None


def _columns(table: Table, header: Sequence[str] | None) -> Sequence[str]:
    """What each column holds."""
    width = len(table.fields)
    if width == len(ROWS["ranking"]):
        _check_no_run(table)
        return ROWS["ranking"]
    if header and {"qid", "measure", "value"} <= (places := long_columns(header)).keys():
        names = {at: name for name, at in places.items()}
        return [names.get(at, "") for at in range(width)]
    if width == len(ROWS["trec_eval"]):
        return ("qid", "measure", "value") if is_topic_first(*map(table.texts, (0, 1))) else ROWS["trec_eval"]
    _check_no_qrels(table)
    return ROWS["tot" if _measure_is_second(table) else "ir_measures"]


def _check_no_run(table: Table) -> None:
    """A run has other documents on each topic; a leaderboard has each run on most."""
    topics, _, documents, _, _, tags = map(table.texts, table.fields)
    if len(table.rows) < len(topics) * len(documents) / 2 and not any(map(is_measure, tags)) and SUMMARY not in topics:
        raise table.error(0, hint=LOOKS_LIKE_A_RUN)


def _check_no_qrels(table: Table) -> None:
    _, iterations, documents, labels = map(table.texts, table.fields)
    if (
        all(is_whole(text) or text == "Q0" for text in iterations)
        and all(is_whole(text.removeprefix("-")) for text in labels)
        and not all(map(is_whole, documents))
        and not any(text == SUMMARY or is_measure(text) for text in documents)
        and len(iterations) < len(documents)
    ):
        raise table.error(0, hint=LOOKS_LIKE_QRELS)


def _measure_is_second(table: Table) -> bool:
    """Whether rows have the format tot, in which the measure is second and the topic third."""
    second, third = set(table.texts(1)), set(table.texts(2))
    topics = [
        [SUMMARY in column for column in (second, third)],
        [any(map(is_measure, column)) for column in (third, second)],
        [_are_topics(second, third), _are_topics(third, second)],
    ]
    for here, there in topics:
        if here != there:
            return there
    raise ValueError(
        f"{name_of(table.path)!r} must show which column has topics and which measures, got "
        f"{shown(' '.join(table.row(0)))} in line {table.rows.index[0]}. Add a header such as 'run topic measure "
        "value', or give `input_format`: 'tot' has the measure second, 'ir_measures' the topic."
    )


def _are_topics(names: set[str], others: set[str]) -> bool:
    """Whether names are whole numbers, like topics, and the others may be measures: fewer, and not numbers."""
    names, others = names - {SUMMARY}, others - {SUMMARY}
    return all(map(is_whole, names)) and len(names) >= len(others) and not all(map(NUMBERED.fullmatch, others))
