"""Leaderboards: scores of runs on topics by measures, as evaluators of judges write them."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.adapters.fields import BLANKS, SEPARATORS, as_number, fields
from pt_rankcorr.adapters.files import Row, empty_error, line_error, open_text
from pt_rankcorr.adapters.paths import (
    PathName,
    by_name,
    check_there,
    files_by_name,
    is_path,
    kind_of,
    name_of,
    stem,
)
from pt_rankcorr.adapters.settling import MISSING, settle
from pt_rankcorr.adapters.table_columns import SUMMARY, is_score, long_columns
from pt_rankcorr.adapters.text import _as_cells, _is_measure, _is_whole
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import list_of, listing, one_of
from pt_rankcorr.stats.core.frames import TOPIC_COLUMNS, plain_heading
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import AggregateMismatchWarning, level_of_the_caller

FORMATS: dict[str, tuple[str, ...]] = {
    "trec_eval": ("measure", "qid", "value"),
    "tot": ("name", "measure", "qid", "value"),
    "ir_measures": ("name", "qid", "measure", "value"),
    "ranking": ("qid", "", "name", "", "value", "measure"),
    "jsonl": (),
}
KEYS = ("run_id", "topic_id", "measure", "value")  # of an object in JSON lines
LEADERBOARD = "a leaderboard (trec_eval, tot, ir_measures, ranking or jsonl)"
HINT = (
    " Tables with commas or with a column a system are read by `read_scores`, whose scores are taken in place of a "
    "path; on the command line by --scores, as of pt-rankcorr compare."
)
# what to do where a score is missing: words of other evaluators, and ours
POLICIES = {"warn": "drop-topics", "skip": "drop-topics", "default": "zero"} | {word: word for word in MISSING}
SUFFIXES = frozenset({".jsonl", *(f".{name}" for name in FORMATS)})
EXACT = 1e-9  # by which a mean may differ that nobody rounded

Cell = tuple[str, str, str, str]  # name, qid, measure, value


def read_leaderboard(
    paths: object,
    *,
    input_format: choices.LeaderboardFormat | None = None,
    missing: choices.MissingOfJudges = "error",
    lower_is_better: Collection[object] = (),
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

    Returns:
        One score matrix a measure, and an alignment report.

    Raises:
        OSError: If a file cannot be read.
        TypeError: If `paths` are not paths.
        ValueError: If a file is empty or of no such format, its format cannot be told, a score repeats or is not a
            number, there is only one run, or scores are missing under "error".
    """
    if input_format is not None:
        one_of("input_format", input_format, tuple(FORMATS))
    policy = POLICIES[one_of("missing", missing, tuple(POLICIES))]
    cells = [cell for path in _files_of(paths) for cell in _cells(path, input_format)]
    by_topic = [cell for cell in cells if cell[1] != SUMMARY]
    if not by_topic:
        raise ValueError(f"`paths` must be {LEADERBOARD} of topics, got only rows over all topics.")
    _check_means(by_topic, [cell for cell in cells if cell[1] == SUMMARY])
    return settle(_as_cells(iter(by_topic)), missing=policy, lower_is_better=lower_is_better, parameter="paths")


def named_leaderboards(judges: object, parameter: str, **reading: Any) -> dict[str, Scores]:
    """Judge -> its leaderboard: from a mapping to scores or paths, or from paths, each of a judge, named after it."""
    named = by_name(judges, parameter) if isinstance(judges, Mapping) else _by_file(judges, parameter)
    if not named:
        raise ValueError(f"`{parameter}` must name at least one leaderboard, got none.")
    return {name: as_leaderboard(given, parameter, name, **reading) for name, given in named.items()}


def as_leaderboard(given: object, parameter: str, name: str = "", **reading: Any) -> Scores:
    """Scores as they are, and those of paths read."""
    if isinstance(given, Scores):
        return given
    if given is None or isinstance(given, ScoreMatrix) or hasattr(given, "__array__"):
        where = f" for {shown(name)}" if name else ""
        raise TypeError(f"`{parameter}` must be `Scores` or paths, got {kind_of(given)}{where}.")
    try:
        return read_leaderboard(given, **reading)
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
    if not os.path.lexists(path) and has_magic(name_of(path)):
        fitting: list[PathName] = [each for each in sorted(glob(name_of(path))) if not Path(each).name.startswith(".")]
        if not fitting:
            raise FileNotFoundError(2, "No file fits the pattern", name_of(path))
        return fitting
    check_there(path)
    return [path]


def _inside(path: PathName) -> list[PathName]:
    if not os.path.isdir(path):
        return [path]
    return [str(each) for each in sorted(Path(path).iterdir()) if each.is_file() and not each.name.startswith(".")]


def _cells(path: PathName, told: str | None) -> list[Cell]:
    with open_text(path, LEADERBOARD, never=SEPARATORS) as text:
        lines = [(number, line) for number, line in enumerate(text, 1) if line.strip(BLANKS)]
    if not lines:
        raise empty_error(path, LEADERBOARD)
    if told == "jsonl" or (told is None and lines[0][1].lstrip(BLANKS).startswith("{")):
        return [_cell_of_json(path, number, line) for number, line in lines]
    rows = [(number, _fields(line)) for number, line in lines]
    width = len(FORMATS[told]) if told else len(rows[0][1])
    for (number, row), (_, line) in zip(rows, lines, strict=True):
        if len(row) != width or width not in map(len, FORMATS.values()):
            raise line_error(path, number, line, LEADERBOARD, _hint(lines[0][1]))
    header = _header(rows)
    if told is None and header and _heads_a_table(header):
        raise line_error(path, *lines[0], LEADERBOARD, HINT)
    rows = rows[header is not None :]
    if not rows:
        raise empty_error(path, LEADERBOARD)
    columns = FORMATS[told] if told else _columns(path, rows, header)
    return list(_cells_of(path, rows, columns))


def _hint(first: str) -> str:
    """What reads a table whose first line this is, if it is that of one."""
    columns = re.split("[,;]", first)
    return HINT if len(columns) > 2 or _heads_a_table(_fields(first)) else ""


def _heads_a_table(header: Sequence[str]) -> bool:
    """Whether names of systems stand behind that of the topics."""
    return plain_heading(header[0]) in TOPIC_COLUMNS and long_columns(header).keys() == {"qid"}


def _fields(line: str) -> list[str]:
    return [field.strip(BLANKS) for field in line.split("\t")] if "\t" in line else fields(line)


def _cell_of_json(path: PathName, number: int, line: str) -> Cell:
    try:
        found = json.loads(line)
        run, topic, measure = (_name_in_json(found[key]) for key in KEYS[:3])
        value = "" if found[KEYS[3]] is None else _name_in_json(found[KEYS[3]])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise line_error(path, number, line, f"JSON objects with {', '.join(KEYS)}, one a line") from None
    return run, topic, measure, value


def _name_in_json(value: object) -> str:
    """Text or a number as text; an error for all else, and for text that no file can hold."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError("no name")
    name = str(value)
    if "\0" in name:
        raise ValueError("no text")
    name.encode()
    return name


def _header(rows: Sequence[Row]) -> list[str] | None:
    """The first row, if it has no score and is not over all topics."""
    first = rows[0][1]
    value = first[4] if len(first) == len(FORMATS["ranking"]) else first[-1]
    return None if is_score(value) or SUMMARY in first else first


def _columns(path: PathName, rows: Sequence[Row], header: Sequence[str] | None) -> tuple[str, ...]:
    """What each column holds."""
    width = len(rows[0][1])
    if width == len(FORMATS["ranking"]):
        return FORMATS["ranking"]
    if header and {"qid", "measure", "value"} <= (places := long_columns(header)).keys():
        names = {at: name for name, at in places.items()}
        return tuple(names.get(at, "") for at in range(width))
    if width == len(FORMATS["trec_eval"]):
        first, second = ({row[at] for _, row in rows} for at in (0, 1))
        is_topic_first = SUMMARY not in second and (SUMMARY in first or any(map(_is_measure, second - first)))
        return ("qid", "measure", "value") if is_topic_first else FORMATS["trec_eval"]
    return FORMATS["tot" if _measure_is_second(path, rows) else "ir_measures"]


def _measure_is_second(path: PathName, rows: Sequence[Row]) -> bool:
    """Whether rows are of the format tot, whose topics stand third, rather than second."""
    second, third = ({row[at] for _, row in rows} for at in (1, 2))
    topics = [
        [SUMMARY in column for column in (second, third)],
        [any(map(_is_measure, column)) for column in (third, second)],
        [all(map(_is_whole, column - {SUMMARY})) for column in (second, third)],
    ]
    for here, there in topics:
        if here != there:
            return there
    raise ValueError(
        f"{name_of(path)!r} must tell measures from topics by what it holds, got {shown(' '.join(rows[0][1]))} in line "
        f"{rows[0][0]}. `input_format` says which it is: 'tot' has the measure second, 'ir_measures' the topic."
    )


def _cells_of(path: PathName, rows: Iterable[Row], columns: Sequence[str]) -> Iterator[Cell]:
    at = {name: place for place, name in enumerate(columns)}
    run = at.get("name")
    for number, row in rows:
        value = row[at["value"]]
        if row[at["qid"]] != SUMMARY and not is_score(value):
            raise line_error(path, number, " ".join(row), LEADERBOARD)
        yield stem(path) if run is None else row[run], row[at["qid"]], row[at["measure"]], value


# --- rows over all topics -----------------------------------------------------------------------------------


def _check_means(by_topic: Sequence[Cell], over_all: Sequence[Cell]) -> None:
    """Warns where a row over all topics is not the mean of the rows of topics, however they were rounded."""
    told = {(run, measure): value for run, _, measure, value in over_all if is_score(value) and value}
    values: dict[tuple[str, str], list[str]] = defaultdict(list)
    for run, _, measure, value in by_topic:
        if (run, measure) in told:
            values[run, measure].append(value)
    wrong = [key for key, found in values.items() if not _is_mean(told[key], found)]
    if wrong:
        warnings.warn(
            f"Rows over all topics are not the means of the rows of topics for {len(wrong)} of {len(values)} "
            f"({listing(f'{run} by {measure}' for run, measure in wrong)}): were they computed over other topics? "
            "Only the rows of topics are used.",
            AggregateMismatchWarning,
            stacklevel=level_of_the_caller(),
        )


def _is_mean(mean: str, values: Sequence[str]) -> bool:
    try:
        numbers = np.array([as_number(value) for value in values])
    except ValueError:  # as `settle` will say
        return True
    allowed = _unit(mean) + max(map(_unit, values)) + EXACT * (1 + float(np.abs(numbers).max()))
    is_sum = math.isclose(as_number(mean), numbers.sum(), abs_tol=allowed * numbers.size)  # as counts are
    return is_sum or bool(abs(as_number(mean) - numbers.mean()) <= allowed)


def _unit(text: str) -> float:
    """Half of a unit of the last decimal: by how much a printed number may have been rounded."""
    decimals = len(text.partition(".")[2]) if "e" not in text.lower() else 99
    return 0.5 * 10.0**-decimals if decimals < 8 else 0.0
