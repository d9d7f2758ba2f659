"""Scores from runs and judgments: one evaluator of ir_measures, all runs in turn, one of them in memory at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import Measure

from pt_rankcorr.adapters.files import by_name, named_files
from pt_rankcorr.adapters.irds import qrels_of
from pt_rankcorr.adapters.measures import resolve_measures
from pt_rankcorr.adapters.retrieved import Run, read_qrels, read_run
from pt_rankcorr.adapters.settle import COLUMNS, MISSING, settle
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.checks import listing, one_of

MANY_RUNS = 10  # from here on a progress bar is shown unless told otherwise


def scores_from_runs(
    runs: object,
    qrels: object,
    measures: Iterable[object],
    *,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    verbose: bool | None = None,
) -> Scores:
    """The scores of runs, evaluated by ir_measures on the topics that have judgments and that some run has results for.

    Both kinds of missing are kept apart: a topic without judgments is left out and reported; a judged topic for which
    some run retrieved nothing is handled by the `missing` policy. Judged topics that no run has are left out and
    reported too. Cost: one pass over the runs, one of them in memory at a time.

    Args:
        runs: A folder of TREC run files, paths of such files, or a mapping from names to runs. A run in a mapping may
            be a path, a PyTerrier result frame (qid, docno, score), or any run of ir_measures (a frame with query_id,
            doc_id and score, a dict of dicts, an iterable of ScoredDoc). Files may be gzipped. They are named after the
            file, without .gz, .run, .res and .txt; of a folder, hidden files and the summaries that PyTerrier writes
            into its `save_dir` are no runs.
        qrels: A TREC qrels file, a PyTerrier frame (qid, docno, label), or any qrels of ir_measures.
        measures: Measures, as objects or by name in the notation of ir_measures or trec_eval. They keep their names.
        missing: What to do where a run has no document for a judged topic that other runs have: "error",
            "drop-topics", "drop-systems", or "zero" (the measure's default, as `trec_eval -c` counts it).
        lower_is_better: Measures that are better when lower; their scores are negated.
        verbose: Whether to show a progress bar; by default from ten runs on.

    Returns:
        One score matrix a measure, with systems in the order of the runs and topics in that of the qrels, and an
        alignment report.

    Raises:
        TypeError: If runs, qrels or measures are of another kind.
        ValueError: If a file is not what it should be or empty, two files are of one run, a run repeats a document, has
            a score that is not finite or no topic of the qrels, a measure is unknown, a count or given twice, there
            are less than two runs, or topics are missing under "error".

    Example:
        >>> qrels = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1}}
        >>> first = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d3": 1.0}}
        >>> second = {"1": {"d1": 1.0, "d2": 2.0}, "2": {"d3": 1.0}}
        >>> scores_from_runs({"first": first, "second": second}, qrels, ["AP"])["AP"].means
        array([1.  , 0.75])
    """
    one_of("missing", missing, MISSING)
    named, resolved = named_runs(runs), resolve_measures(measures)
    judgments = read_qrels(qrels)
    evaluated = _evaluated(named, judgments, resolved, verbose)
    return settle(
        evaluated.cells(),
        missing=missing,
        lower_is_better=lower_is_better,
        unjudged_topics=evaluated.unjudged,
        unattempted_topics=[qid for qid in evaluated.judged if qid not in evaluated.attempted],
        defaults={name: float(measure.DEFAULT) for name, measure in resolved.items()},
        warn_rounded=False,
    )


def scores_from_irds(
    dataset: str,
    runs: object,
    measures: Iterable[object],
    *,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    verbose: bool | None = None,
    download: bool = False,
) -> Scores:
    """The scores of runs by the judgments of a dataset of ir-datasets; see `scores_from_runs`.

    Args:
        dataset: The id of the dataset, such as "vaswani" or "msmarco-passage/trec-dl-2019/judged".
        runs: As for `scores_from_runs`.
        measures: As for `scores_from_runs`.
        missing: As for `scores_from_runs`.
        lower_is_better: As for `scores_from_runs`.
        verbose: As for `scores_from_runs`.
        download: Whether judgments that are not on this machine may be downloaded.

    Returns:
        As `scores_from_runs`.

    Raises:
        FileNotFoundError: If the judgments are not on this machine and `download` is False.
        TypeError: As for `scores_from_runs`.
        ValueError: If the dataset is unknown or has no judgments, or as for `scores_from_runs`.
    """
    qrels = qrels_of(dataset, download=download)
    return scores_from_runs(runs, qrels, measures, missing=missing, lower_is_better=lower_is_better, verbose=verbose)


def named_runs(runs: object, *, at_least: int = 2) -> dict[str, Any]:
    """Name -> run, in whatever form, as `scores_from_runs` takes them.

    Raises:
        TypeError: If they are not runs.
        ValueError: If there are too few.
    """
    named: dict[str, Any] = (
        by_name(runs, "runs") if isinstance(runs, Mapping) else dict(named_files(_not_a_frame(runs), "runs"))
    )
    if len(named) < at_least:
        raise ValueError(f"`runs` must be at least {at_least}, to be ranked, got {listing(named) or 'none'}.")
    return named


def _not_a_frame(runs: object) -> object:
    if isinstance(runs, pd.DataFrame):
        raise TypeError("`runs` must map names to frames, got a frame without a name.")
    return runs


@dataclass
class _Evaluated:
    """What the evaluator said of each run."""

    measures: Mapping[str, Measure]
    judged: list[str]
    values: dict[str, dict[tuple[Measure, str], float]] = field(default_factory=dict)  # of the topics a run has
    attempted: set[str] = field(default_factory=set)
    unjudged: set[str] = field(default_factory=set)

    def cells(self) -> pd.DataFrame:
        """One row a run, topic and measure, for the topics that any run has; nan where this run has none."""
        topics = [qid for qid in self.judged if qid in self.attempted]
        rows = (
            (name, qid, label, values.get((measure, qid), float("nan")))
            for name, values in self.values.items()
            for qid in topics
            for label, measure in self.measures.items()
        )
        return pd.DataFrame(rows, columns=COLUMNS)


def _evaluated(
    runs: Mapping[str, Any], judgments: pd.DataFrame, measures: Mapping[str, Measure], verbose: bool | None
) -> _Evaluated:
    evaluator = ir_measures.evaluator(list(measures.values()), judgments)
    result = _Evaluated(measures, list(dict.fromkeys(judgments["query_id"])))
    judged, strangers = set(result.judged), []
    for name, run in each_run(runs, verbose):
        topics = judged & run.keys()
        if not topics:
            strangers.append(name)
            continue
        result.attempted |= topics
        result.unjudged |= run.keys() - judged
        result.values[name] = {
            (metric.measure, metric.query_id): metric.value
            for metric in evaluator.iter_calc(run)
            if metric.query_id in topics
        }
    if strangers:
        raise ValueError(f"`runs` must have topics of the qrels, got none in {listing(strangers)}.")
    return result


def each_run(
    runs: Mapping[str, Any], verbose: bool | None, doing: str = "evaluating runs"
) -> Iterator[tuple[str, Run]]:
    """The runs, read one after the other, with a progress bar if there are many."""
    import pyterrier as pt  # looked up when called: users choose the kind of their progress bar

    shown = len(runs) >= MANY_RUNS if verbose is None else verbose
    for name, source in pt.tqdm(runs.items(), desc=doing, unit="run", disable=not shown):
        yield name, read_run(name, source)
