"""Leaderboards: scores of runs on topics by measures, as evaluators of judges write them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.adapters.aggregates import check_means
from pt_rankcorr.adapters.fields import BLANKS, SEPARATORS
from pt_rankcorr.adapters.files import empty_error, line_error, open_text, read_blocks
from pt_rankcorr.adapters.long_tables import (
    HEADERS,
    SUMMARY,
    Table,
    cells_of,
    cells_of_rows,
    fields_of,
    is_measure,
    is_score,
    is_topic_first,
    is_whole,
    long_columns,
)
from pt_rankcorr.adapters.measure_names import canonical_name, find_measure
from pt_rankcorr.adapters.paths import (
    PathName,
    by_name,
    files_by_name,
    fitting,
    is_path,
    kind_of,
    name_of,
    stem,
)
from pt_rankcorr.adapters.settling import MISSING, settle, stacked
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import list_of, one_of
from pt_rankcorr.stats.core.frames import TOPIC_COLUMNS, plain_heading
from pt_rankcorr.text import shown

KEYS = ("run_id", "topic_id", "measure", "value")  # of an object in JSON lines
LEADERBOARD = "a leaderboard (trec_eval, tot, ir_measures, ranking or jsonl)"
HINT = (
    " Tables with commas or with a column a system are read by `read_scores`, whose scores are taken in place of a "
    "path; on the command line by --scores, as of pt-rankcorr compare."
)
# what to do where a score is missing: words of other evaluators, and ours
POLICIES = {"warn": "drop-topics", "skip": "drop-topics", "default": "zero"} | {word: word for word in MISSING}
LOOKS_LIKE_QRELS = " It looks like TREC qrels, which `compare_judgments` takes."
LOOKS_LIKE_A_RUN = " It looks like a TREC run: `scores_from_runs` evaluates runs."
NUMBERED = re.compile(r"\D*\d+")  # as topics are, if not by numbers alone

Reader: TypeAlias = Callable[[PathName, bytes], pd.DataFrame]  # a file and its text -> name, qid, measure, value


def read_leaderboard(
    paths: object,
    *,
    input_format: choices.LeaderboardFormat | None = None,
    missing: choices.MissingOfJudges = "error",
    lower_is_better: Collection[object] = (),
    measures: Collection[object] | None = None,
) -> Scores:
    """The scores of a leaderboard: of runs, on topics, by measures.

    Five formats are told apart by what a file holds, with or without a header, gzipped or not:

    - "trec_eval": measure, topic, value; each file is a run, and named after it;
    - "tot": run, measure, topic, value;
    - "ir_measures": run, topic, measure, value;
    - "ranking": topic, Q0, run, rank, value, measure;
    - "jsonl": a JSON object a line, with run_id, topic_id, measure and value.

    Columns stand between tabs or blanks. Rows over all topics ("all") are not used: where one is not the mean of the
    topics, there is a warning. "tot" and "ir_measures" are told apart by rows over all topics, known measures, or
    topics that are whole numbers; where none of these tells, `input_format` must.

    Args:
        paths: A file, a folder, a pattern, or a list of these, which make one leaderboard.
        input_format: One of the five; by default what the content looks like.
        missing: What to do where a run has no score for a topic that others have: "error"; "drop-topics", which is
            "skip" and "warn" too; "drop-systems"; or "zero", which is "default" too.
        lower_is_better: As for `scores_from_experiment`.
        measures: Which measures; by default all. The rows of others are neither checked nor warned of.

    Returns:
        One score matrix a measure, and an alignment report.

    Raises:
        OSError: If a file cannot be read.
        TypeError: If `paths` are not paths.
        ValueError: If a file is empty or of no such format, such as a run or qrels, its format cannot be told, a score
            repeats or is not a number, there is only one run, or scores are missing under "error".
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
    """`read_leaderboard`, which may have none of the measures, and is wanted by all it has then."""
    if input_format is not None:
        one_of("input_format", input_format, tuple(FORMATS))
    policy = POLICIES[one_of("missing", missing, tuple(POLICIES))]
    cells = _of_measures([_cells(path, input_format) for path in _files_of(paths)], measures, all_if_none=all_if_none)
    is_over_all = (cells["qid"] == SUMMARY).to_numpy()
    if is_over_all.all():
        raise ValueError(f"`paths` must be {LEADERBOARD} of topics, got only rows over all topics.")
    by_topic = cells[~is_over_all].reset_index(drop=True)
    check_means(by_topic, cells[is_over_all])
    return settle(by_topic, missing=policy, lower_is_better=lower_is_better, parameter="paths")


def _of_measures(
    cells: Sequence[pd.DataFrame], measures: Collection[object] | None, *, all_if_none: bool
) -> pd.DataFrame:
    """The cells of all files, of some measures or of all."""
    there = dict.fromkeys(name for of_file in cells for name in of_file["measure"].cat.categories)
    wanted = {canonical_name(each) for each in measures or ()}
    known = [name for name in there if canonical_name(name) in wanted]
    if not measures or (all_if_none and not known):
        return stacked(cells)
    for each in measures if not all_if_none else ():
        find_measure(each, there, "measures")
    return stacked([of_file[of_file["measure"].isin(known).to_numpy()] for of_file in cells])


def named_leaderboards(
    judges: object, parameter: str, **reading: Any
) -> tuple[dict[str, Scores], dict[str, Exception]]:
    """Judge -> its leaderboard: from a mapping to scores or paths, or from paths, each of a judge, named after it.

    Those that cannot be read come with the reason; an error if all do.
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


def as_leaderboard(given: object, parameter: str, name: str = "", **reading: Any) -> Scores:
    """Scores, and those of paths read."""
    if isinstance(given, Scores):
        return given
    if given is None or isinstance(given, ScoreMatrix) or hasattr(given, "__array__"):
        where = f" for {shown(name)}" if name else ""
        raise TypeError(f"`{parameter}` must be `Scores` or paths, got {kind_of(given)}{where}.")
    try:
        return _read(given, **reading)
    except (TypeError, ValueError) as error:
        where = f" In {parameter}, {shown(name)}." if name else ""
        raise type(error)(f"{str(error).replace('`paths`', f'`{parameter}`', 1)}{where}") from None


def _by_file(judges: object, parameter: str) -> dict[str, PathName]:
    several = [judges] if is_path(judges) else list_of(parameter, judges, "paths")
    paths = [path for each in several for path in _expand(each, parameter)]
    rule = f"`{parameter}` must be one file or folder a judge"
    return files_by_name(((_judge(path), path) for path in paths), rule, "A mapping from names tells them apart.")


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
    """What a pattern fits; any other path as it is."""
    if not is_path(path):
        raise TypeError(f"`{parameter}` must be paths or scores, got {kind_of(path)}.")
    found = fitting(path)
    return [path] if found is None else [each for each in found if not Path(each).name.startswith(".")]


def _inside(path: PathName) -> list[PathName]:
    if not os.path.isdir(path):
        return [path]
    return [str(each) for each in sorted(Path(path).iterdir()) if each.is_file() and not each.name.startswith(".")]


def _cells(path: PathName, told: str | None) -> pd.DataFrame:
    text = b"".join(read_blocks(path, LEADERBOARD))
    if any(bytes([odd]) in text for odd in SEPARATORS):
        with open_text(path, LEADERBOARD, never=SEPARATORS, content=text) as lines:
            lines.read()  # which is refused
    if not text.strip():
        raise empty_error(path, LEADERBOARD)
    return FORMATS[told](path, text) if told else _seen(path, text)


def _seen(path: PathName, text: bytes) -> pd.DataFrame:
    """The cells of a file in a format that is told by what it holds."""
    if text.lstrip().startswith(b"{"):
        return _cells_of_json(path, text)
    table = _table(path, text)
    if len(table.columns) not in {len(names) for names in ROWS.values()}:
        raise table.line_error(0, LEADERBOARD, hint=_hint(text))
    header = _header(table)
    if header and _heads_a_table(header):
        raise table.line_error(0, LEADERBOARD, hint=HINT)
    table = table.below_header(LEADERBOARD) if header else table
    return _cells_of_table(table, _columns(table, header))


def _of_rows(names: Sequence[str], path: PathName, text: bytes) -> pd.DataFrame:
    """The cells of a file whose columns are told."""
    table = _table(path, text)
    if len(table.columns) != len(names):
        raise table.line_error(0, LEADERBOARD, hint=_hint(text))
    return _cells_of_table(table.below_header(LEADERBOARD) if _header(table) else table, names)


def _table(path: PathName, text: bytes) -> Table:
    return Table.of_lines(path, text, len(fields_of(_first_line(text))), LEADERBOARD, hint=_hint(text))


def _hint(text: bytes) -> str:
    """What reads a table whose text this is, if it is that of one."""
    first = _first_line(text)
    return HINT if len(re.split("[,;]", first)) > 2 or _heads_a_table(fields_of(first)) else ""


def _first_line(text: bytes) -> str:
    return re.split(b"[\r\n]", text.lstrip(), maxsplit=1)[0].decode()


def _heads_a_table(header: Sequence[str]) -> bool:
    """Whether names of systems stand behind that of the topics."""
    return plain_heading(header[0]) in TOPIC_COLUMNS and long_columns(header).keys() == {"qid"}


def _cells_of_json(path: PathName, text: bytes) -> pd.DataFrame:
    with open_text(path, LEADERBOARD, content=text) as lines:
        return cells_of_rows(
            _row_of_json(path, number, line) for number, line in enumerate(lines, 1) if line.strip(BLANKS)
        )


def _row_of_json(path: PathName, number: int, line: str) -> tuple[str, ...]:
    try:
        found = json.loads(line, object_pairs_hook=_each_once)
        run, topic, measure = (_name_in_json(found[key]) for key in KEYS[:3])
        value = "" if found[KEYS[3]] is None else _name_in_json(found[KEYS[3]])
    except (ValueError, TypeError, KeyError, RecursionError):
        rule = f"JSON objects with {', '.join(KEYS)}, each once, one a line"
        raise line_error(path, number, line, rule) from None
    return run, topic, measure, value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def _name_in_json(value: object) -> str:
    """Text or a number as text; an error for all else, and for text that no file can hold."""
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
    width = len(table.columns)
    if width == len(ROWS["ranking"]):
        _check_no_run(table)
        return ROWS["ranking"]
    if header and {"qid", "measure", "value"} <= (places := long_columns(header)).keys():
        names = {at: name for name, at in places.items()}
        return [names.get(at, "") for at in range(width)]
    if width == len(ROWS["trec_eval"]):
        first, second = (column.texts for column in table.columns[:2])
        return ("qid", "measure", "value") if is_topic_first(first, second) else ROWS["trec_eval"]
    _check_no_qrels(table)
    return ROWS["tot" if _measure_is_second(table) else "ir_measures"]


def _check_no_run(table: Table) -> None:
    """A run has other documents on each topic; a leaderboard has each run on most."""
    topics, _, documents, _, _, tags = (column.texts for column in table.columns)
    if len(table) < len(topics) * len(documents) / 2 and not any(map(is_measure, tags)) and SUMMARY not in topics:
        raise table.line_error(0, LEADERBOARD, hint=LOOKS_LIKE_A_RUN)


def _check_no_qrels(table: Table) -> None:
    _, iterations, documents, labels = (column.texts for column in table.columns)
    if (
        all(is_whole(text) or text == "Q0" for text in iterations)
        and all(is_whole(text.removeprefix("-")) for text in labels)
        and not all(map(is_whole, documents))
        and not any(text == SUMMARY or is_measure(text) for text in documents)
        and len(iterations) < len(documents)
    ):
        raise table.line_error(0, LEADERBOARD, hint=LOOKS_LIKE_QRELS)


def _measure_is_second(table: Table) -> bool:
    """Whether rows are of the format tot, whose topics stand third, rather than second."""
    second, third = (set(column.texts) for column in table.columns[1:3])
    topics = [
        [SUMMARY in column for column in (second, third)],
        [any(map(is_measure, column)) for column in (third, second)],
        [_are_topics(second, third), _are_topics(third, second)],
    ]
    for here, there in topics:
        if here != there:
            return there
    raise ValueError(
        f"{name_of(table.path)!r} must tell measures from topics by what it holds, got "
        f"{shown(' '.join(table.row(0)))} in line {table.lines[0]}. `input_format` says which it is: 'tot' has the "
        "measure second, 'ir_measures' the topic."
    )


def _are_topics(names: set[str], others: set[str]) -> bool:
    """Whether names are whole numbers, as of topics, and the others may be measures: fewer, and not numbered, too."""
    names, others = names - {SUMMARY}, others - {SUMMARY}
    return all(map(is_whole, names)) and len(names) >= len(others) and not all(map(NUMBERED.fullmatch, others))


def _cells_of_table(table: Table, names: Sequence[str]) -> pd.DataFrame:
    columns = {name: column for name, column in zip(names, table.columns, strict=True) if name}
    odd = ~columns["value"].where(is_score) & ~columns["qid"].where(SUMMARY.__eq__)
    if odd.any():
        raise table.line_error(int(np.argmax(odd)), LEADERBOARD)
    return cells_of(columns, **({} if "name" in columns else {"name": stem(table.path)}))


ROWS: dict[str, Sequence[str]] = {
    "trec_eval": ("measure", "qid", "value"),
    "tot": ("name", "measure", "qid", "value"),
    "ir_measures": ("name", "qid", "measure", "value"),
    "ranking": ("qid", "", "name", "", "value", "measure"),
}
# each format, and what reads it: from a path and its text to a frame of cells, as `cells_of_rows` makes it
FORMATS: dict[str, Reader] = {
    **{name: partial(_of_rows, columns) for name, columns in ROWS.items()},
    "jsonl": _cells_of_json,
}
SUFFIXES = frozenset(f".{name}" for name in FORMATS)
