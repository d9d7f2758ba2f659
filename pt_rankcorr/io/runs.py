"""Scores from runs and judgments: one evaluator of ir_measures takes the runs in turn, one in memory at a time."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, get_args

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.io.evaluating import Evaluator, rounded_by_evaluator
from pt_rankcorr.io.files import MOST_BYTES, reading_at_most
from pt_rankcorr.io.given import MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.io.irds import qrels_of
from pt_rankcorr.io.measure_names import lower_measures, resolve_measures
from pt_rankcorr.io.paths import by_name, check_all_there, check_there, files, files_by_name, is_path, named_files
from pt_rankcorr.io.ranking import Run
from pt_rankcorr.io.retrieved import check_not_swapped, check_run, read_qrels, read_run, tag_of
from pt_rankcorr.io.settling import MISSING, Cube, settle
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import listing, one_of
from pt_rankcorr.warnings import NothingRetrievedWarning, level_of_the_caller

MANY_RUNS = 10  # from here on a progress bar is shown unless told otherwise
NAMES: tuple[choices.NamedAfter, ...] = get_args(choices.NamedAfter)  # what runs are named after


def scores_from_runs(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Iterable[MeasureLike],
    *,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    verbose: bool | None = None,
    max_bytes: int = MOST_BYTES,
) -> Scores:
    """The scores of runs, evaluated by ir_measures on the topics that have judgments and results of some run.

    It keeps two kinds of missing topics apart. A topic without judgments is left out and reported. The `missing` policy
    decides about a judged topic for which some run retrieved nothing. Judged topics that no run has are left out and
    reported, too. Cost: one pass over the runs, one of them in memory at a time.

    Args:
        runs: A folder of TREC run files, a pattern such as ``runs/*.run``, paths of such files, or a mapping from names
            to runs. A run in a mapping may be a path, a PyTerrier result frame (qid, docno, score), or any run of
            ir_measures (a frame with query_id, doc_id and score, a dict of dicts, an iterable of ScoredDoc). Files may
            be gzipped. Files in a folder or a pattern that are plainly no runs (pictures, pages, a README) and folders
            are left out with a warning; hidden files and the summaries of PyTerrier's `save_dir`, without one.
        qrels: A TREC qrels file, a PyTerrier frame (qid, docno, label), or any qrels of ir_measures. Where iterations
            give a document several labels on one topic, the highest counts, with a warning; two labels in one
            iteration are refused. Labels below 0 say that a document is not relevant.
        measures: Measures, as objects or by name in the notation of ir_measures or trec_eval. They keep their names.
        names: What runs from files are named after: "file", the file name without .gz, .run, .res and .txt, or "tag",
            the run tag in the last column. Tags take one more pass over the files.
        missing: What to do where a run has no document for a judged topic that other runs have: "error",
            "drop-topics", "drop-systems", or "zero" (the measure's default, as `trec_eval -c` counts it).
        lower_is_better: Measures that are better when lower; their scores are negated.
        verbose: Whether to show a progress bar; by default from ten runs on.
        max_bytes: The largest size of a file, unpacked; by default 2 GiB. No line may exceed 16 MiB.

    Returns:
        One score matrix per measure, with systems in the order of the runs and topics in that of the qrels, and an
        alignment report.

    Raises:
        OSError: If there is no such file.
        TypeError: If runs, qrels or measures are of another kind.
        ValueError: If a file is empty or of another kind; if two files hold one run, or a file has several tags; if a
            run repeats a document, has a score that is not finite, or shares no topic with the qrels; if a measure is
            unknown, a count, given twice or impossible to compute; if there are fewer than two runs; or if topics are
            missing under "error".

    Warns:
        NothingRetrievedWarning: If a measure is 0 for every system on every topic.
        SkippedFilesWarning: If files of another kind were left out.

    Example:
        >>> qrels = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1}}
        >>> first = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d3": 1.0}}
        >>> second = {"1": {"d1": 1.0, "d2": 2.0}, "2": {"d3": 1.0}}
        >>> scores_from_runs({"first": first, "second": second}, qrels, ["AP"])["AP"].means
        array([1.  , 0.75])
    """
    one_of("missing", missing, MISSING)
    resolved = resolve_measures(measures)
    lower_measures(lower_is_better, resolved)
    check_all_there(runs, qrels)
    if is_path(qrels):
        check_not_swapped(qrels)
    with reading_at_most(max_bytes):
        named = named_runs(runs, names=names)
        cube, report = _evaluated(named, read_qrels(qrels), resolved, verbose)
    scores = settle(
        cube,
        **report,
        missing=missing,
        lower_is_better=lower_is_better,
        defaults={name: float(measure.DEFAULT) for name, measure in resolved.items()},
        may_be_rounded=rounded_by_evaluator(resolved),
        parameter="runs",
    )
    _warn_of_nothing(scores)
    return scores


def _warn_of_nothing(scores: Scores) -> None:
    empty = [name for name, matrix in scores.items() if not matrix.values.any()]
    if not empty:
        return
    report = scores.alignment
    hint = "" if report.retrieved_judged_documents else " Do both have the document ids of one collection?"
    warnings.warn(
        f"{listing(empty)} is 0 for every system on every topic. The runs have {report.retrieved_judged_documents} of "
        f"{report.judged_documents} judged documents.{hint}",
        NothingRetrievedWarning,
        stacklevel=level_of_the_caller(),
    )


def scores_from_irds(
    dataset: str,
    runs: RunsLike,
    measures: Iterable[MeasureLike],
    *,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    verbose: bool | None = None,
    download: bool = False,
    max_bytes: int = MOST_BYTES,
) -> Scores:
    """The scores of runs under the judgments of an ir-datasets dataset; see `scores_from_runs`.

    Args:
        dataset: The id of the dataset, such as "vaswani" or "msmarco-passage/trec-dl-2019/judged".
        runs, measures, names, missing, lower_is_better, verbose, max_bytes: As for `scores_from_runs`.
        download: Whether judgments that are not on this machine may be downloaded.

    Returns:
        As `scores_from_runs`.

    Raises:
        FileNotFoundError: If the judgments are not on this machine and `download` is False.
        TypeError: As for `scores_from_runs`.
        ValueError: If the dataset is unknown or has no judgments, or as for `scores_from_runs`.
    """
    qrels = qrels_of(dataset, download=download)
    return scores_from_runs(
        runs,
        qrels,
        measures,
        names=names,
        missing=missing,
        lower_is_better=lower_is_better,
        verbose=verbose,
        max_bytes=max_bytes,
    )


def named_runs(runs: object, *, at_least: int = 2, names: choices.NamedAfter = "file") -> dict[str, Any]:
    """Name -> run, in any form that `scores_from_runs` takes; files exist, and begin as runs do."""
    one_of("names", names, NAMES)
    named = _runs_by_name(runs, names)
    for run in filter(is_path, named.values()):
        check_there(run)
        check_run(run)
    if len(named) < at_least:
        raise ValueError(f"`runs` must be at least {at_least} runs, got {listing(named) or 'none'}.")
    return named


def _runs_by_name(runs: object, names: str) -> dict[str, Any]:
    if isinstance(runs, pd.DataFrame):
        raise TypeError("`runs` must map names to frames, got a frame without a name.")
    if isinstance(runs, Mapping):
        if names == "tag":
            raise ValueError("`names` must be 'file' for a mapping, which names the runs itself, got 'tag'.")
        return by_name(runs, "runs")
    if names == "file":
        return dict(named_files(runs, "runs"))
    found = files(runs, "runs")
    for path in found:
        check_run(path)
    return dict(files_by_name(((tag_of(path), path) for path in found), "`runs` must have one file per tag", ""))


def _evaluated(
    runs: Mapping[str, Any], judgments: pd.DataFrame, measures: Mapping[str, Measure], verbose: bool | None
) -> tuple[Cube, dict[str, Any]]:
    """The scores on judged topics that any run has; and, for the report, which topics were judged and retrieved."""
    evaluator = Evaluator(measures.values(), judgments)
    topics = evaluator.topics
    known, unjudged, strangers = set(topics), set[str](), []
    values = np.empty((len(measures), len(topics), len(runs)))
    attempted, retrieved = np.zeros(len(topics), dtype=bool), np.zeros(evaluator.n_judged, dtype=bool)
    for system, (name, run) in enumerate(each_run(runs, verbose)):
        values[:, :, system], attempted_by_it, judged = evaluator.evaluate(run)
        attempted[attempted_by_it] = True
        retrieved[judged] = True
        unjudged |= run.keys() - known
        if not len(attempted_by_it):
            strangers.append(name)
    if strangers:
        raise ValueError(f"`runs` must each have a topic of the qrels, got none in {listing(strangers)}.")
    cube = Cube(values, tuple(measures), tuple(topics), tuple(runs), "runs")
    return cube.keep(topics=attempted), {
        "unjudged_topics": unjudged,
        "unattempted_topics": [topics[at] for at in np.flatnonzero(~attempted)],
        "judged_documents": len(retrieved),
        "retrieved_judged_documents": int(retrieved.sum()),
    }


def each_run(
    runs: Mapping[str, Any], verbose: bool | None, doing: str = "evaluating runs"
) -> Iterator[tuple[str, Run]]:
    """The runs, read one after the other, with a progress bar if there are many."""
    import pyterrier as pt  # looked up when called: users choose the kind of their progress bar

    # None shows a bar where somebody sees it: in a terminal or a notebook
    disable = (None if len(runs) >= MANY_RUNS else True) if verbose is None else not verbose
    for name, source in pt.tqdm(runs.items(), desc=doing, unit="run", disable=disable):
        yield name, read_run(name, source)
