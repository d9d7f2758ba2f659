"""Leaderboards: scores of runs on topics by measures, in the formats of evaluation tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io import paths
from pt_rankcorr.io.align import MISSING, align, cube_of
from pt_rankcorr.io.measure_names import canonical_name, find_measure
from pt_rankcorr.io.score_tables import FORMATS, cells_of_rows
from pt_rankcorr.io.spreadsheets import read_sheet
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import by_name, list_of, one_of
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.text import shown

EVALUATION = (
    "per-topic scores as trec_eval -q (measure, topic, value) "
    "or ir_measures -q (topic, measure, value) print them"
)
LEADERBOARD = "a leaderboard ({} or {})".format(", ".join([*FORMATS][:-1]), [*FORMATS][-1])
HINT = (
    " Columns, or keys of JSON, must be run, topic, measure and value. If it is a table of topics "
    "and systems, give `read_scores(file, measure=...)` in place of the path, with the same "
    "measure for all; on the command line, `compare --scores` compares such tables."
)
WITHOUT_TOPICS = "Without them, `pt-rankcorr tau` compares the rankings."
# what to do where a score is missing: words of other evaluators, and ours
POLICIES = {"warn": "drop-topics", "skip": "drop-topics", "default": "zero"}
POLICIES |= {word: word for word in MISSING}
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

    It recognises the formats, with columns in this order, by the content of a file, gzipped or not:

    - "trec_eval": measure, topic, value, or topic, measure, value; of one run, named as its file;
    - "tot": run, measure, topic, value;
    - "ir_measures": run, topic, measure, value;
    - "rag4reports": topic, run, measure, value;
    - "ranking": topic, Q0, run, rank, value, measure;
    - "jsonl": JSON objects, one per line or in a list, with run_id, topic_id, measure and value.

    Columns stand between tabs or blanks, or as in CSV. With a header, they may have any order; a
    file without runs is one run, and one with runs may have a column for each measure. Rows over
    all topics ("all") are not used: a warning says if one is not the mean of the topics. Without a
    header, these rows, and topics that are numbers such as 301, q17 or 31_4, tell the formats of
    four columns apart; where these fit two columns, or none, `format` is needed.

    Args:
        path: A file, a folder, a pattern, or a list of these, which make one leaderboard.
        format: The format; by default what the content looks like.
        missing: What to do where a run has no score for a topic that others have: "error",
            "drop-topics" (or "skip", "warn"), "drop-systems", or "zero" (or "default").
        lower_is_better: Measures that are better when lower; their scores are negated.
        measures: Which measures; by default all. Rows of others must have numbers, too, but may
            repeat or be missing, and cause no warnings.
        keep: Topics and runs with names such as "mean" that are not over all others.

    Returns:
        One score matrix per measure, and an alignment report.

    Raises:
        OSError, TypeError, ValueError: If a file cannot be read, has none of these formats or is
            ambiguous, a score repeats or is not a number, a measure is in no file, there is only
            one run, or scores are missing under "error".

    Warns:
        AggregateMismatchWarning: If a row over all topics is not their mean or not called "all", or
            a run is called as if it were over all others; these are left out. Also if one looks so
            by its numbers, and is kept.
        RoundedScoresWarning: If the scores of a measure look rounded.
        SkippedFilesWarning: If a folder has folders, or files that are plainly no leaderboards.
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
    """`read_leaderboard`; with `all_if_none`, all measures are read if none of these is known."""
    if format is not None:
        one_of("format", format, tuple(FORMATS))
    policy = POLICIES[one_of("missing", missing, tuple(POLICIES))]
    files = paths.files(path, "path", other_suffixes=paths.OTHER_SUFFIXES - {".json", ".jsonl"})
    cells = [_cells(file, LEADERBOARD, paths.stem(file), format) for file in files]
    names = dict.fromkeys(name for of_file in cells for name in of_file["measure"].cat.categories)
    wanted = {canonical_name(measure) for measure in measures or ()}
    if not all_if_none:
        for measure in measures or ():
            find_measure(measure, names, "measures")
    if known := [name for name in names if canonical_name(name) in wanted]:
        cells = [of_file[of_file["measure"].isin(known).to_numpy()] for of_file in cells]
    together = pd.concat(cells, ignore_index=True)
    return align(cube_of(together, "path", lower_is_better, keep=keep), missing=policy)


def scores_from_trec_eval(
    path: paths.PathsLike | Mapping[str, paths.PathName],
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    keep: Collection[str] = (),
) -> Scores:
    """The scores that `trec_eval -q` or `ir_measures -q` printed, one file per run.

    The content of a file shows which of the two wrote it. Rows over all topics and counts (num_ret
    and the like) are left out. Both tools round to four decimals unless told otherwise. Rounding
    makes ties, so there is a warning.

    Args:
        path: A folder, a pattern, paths, or a mapping from names to paths. Without names, a run is
            called as its file, without endings such as .gz, .run, .eval and .txt. Files may be
            gzipped; the run id that trec_eval prints is not used.
        missing: "error", "drop-topics", "drop-systems" or "zero", as for `scores_from_experiment`.
        lower_is_better, keep: As for `read_leaderboard`.

    Returns:
        One score matrix per measure, under its name in the files, and an alignment report.

    Raises:
        OSError, TypeError, ValueError: If a file cannot be read, `path` holds no paths, a file is
            of another kind or without rows per topic, two files hold one run, there is only one, a
            score repeats or is not a number, or scores are missing under "error".

    Warns:
        AggregateMismatchWarning, RoundedScoresWarning, SkippedFilesWarning: As for
            `read_leaderboard`.
    """
    files = paths.named_files(path, "path")
    paths.check_paths(files.values(), "path")
    cells = [_cells(file, EVALUATION, name, None) for name, file in files.items()]
    together, kept = pd.concat(cells, ignore_index=True), list_of("keep", keep, "names")
    return align(cube_of(together, "path", lower_is_better, keep=kept), missing=missing)


def named_leaderboards(
    judges: object, parameter: str, **reading: Any
) -> tuple[dict[str, Scores], dict[str, Exception]]:
    """Judge -> its leaderboard: from a mapping to scores or paths, or from one path per judge.

    Judges of paths are named after these. Leaderboards that cannot be read come as judge -> the
    reason; an error, the first reason, if none can. `reading` are arguments of `_read`.
    """
    if isinstance(judges, Mapping):
        named = by_name(judges, parameter)
    else:
        several = [judges] if paths.is_path(judges) else list_of(parameter, judges, "paths")
        paths.check_paths(several, parameter)
        files: list[paths.PathName] = []
        for path in several:
            matches = paths.fitting(path)
            visible = [file for file in matches or () if Path(file).name[0] != "."]
            files += [path] if matches is None else visible
        by_stem = ((paths.stem(file, SUFFIXES), file) for file in files)
        rule = f"`{parameter}` must be one file or folder per judge"
        named = dict(paths.files_by_name(by_stem, rule))
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
    """Scores as they are; those of paths by `_read`. Messages call them `name`, of `parameter`."""
    if isinstance(source, Scores):
        return source
    if source is None or isinstance(source, ScoreMatrix) or hasattr(source, "__array__"):
        seen = paths.kind_of(source) + (f" for {shown(name)}" if name else "")
        raise TypeError(f"`{parameter}` must be `Scores` or paths, got {seen}.")
    try:
        return _read(source, **reading)
    except (TypeError, ValueError) as error:
        where = f" This is {shown(name)} of `{parameter}`." if name else ""
        raise type(error)(f"{str(error).replace('`path`', f'`{parameter}`', 1)}{where}") from None


def _cells(path: paths.PathName, expected: str, run: str, format: str | None) -> pd.DataFrame:
    """The scored cells of a file: name, which is `run` if no column has it, qid, measure and value.

    `expected` is what messages say the file should be; `EVALUATION` is of one run, in 3 columns.
    """
    sheet = read_sheet(path, expected, of_tool=True)
    if expected == EVALUATION and len(sheet.headings) != len(FORMATS["trec_eval"]):
        raise sheet.row_error(-1)
    cells = cells_of_rows(sheet, FORMATS[format] if format else (), run=run)
    if cells is None:
        names = {plain_heading(name) for name in re.split(r"[,;|]", ",".join(sheet.headings))}
        hint = HINT if expected == LEADERBOARD else ""
        if names & headings.SYSTEMS and not names & (headings.TOPICS - headings.COUNTERS):
            hint = f" It looks like mean scores; topics are needed. {WITHOUT_TOPICS}"
        raise sheet.row_error(-1, hint)
    if summary_rows.sure_rows(cells["qid"].cat.categories).all():
        seen, hint = "only rows over all topics", " Was -q left out?"
        raise paths.file_error(path, f"be {expected}", seen, hint)
    return cells
