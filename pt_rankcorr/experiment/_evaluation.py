"""One evaluation by `pt.Experiment`, and the topics for which each system retrieved anything."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt

from pt_rankcorr.experiment._arguments import measure_names
from pt_rankcorr.experiment._host import with_response_times
from pt_rankcorr.experiment._table import Evaluated
from pt_rankcorr.io.evaluating import are_gains_mixed_up, is_of_subtopics, raise_low_labels
from pt_rankcorr.io.measure_names import canonical_name, is_count, resolve_measure
from pt_rankcorr.io.retrieved import check_labels, warn_of_repeated
from pt_rankcorr.stats.core.arguments import SHOWN_AT_MOST, listing
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import MissingTopicsWarning, NothingRetrievedWarning, UnreliableResultWarning, warn

RETRIEVED = ir_measures.NumRet
# the same for measures of users, whose systems may return no documents
ROWS = ir_measures.define(
    lambda _, run: run["query_id"].value_counts().items(),
    "number of rows",
    support_cutoff=False,
    run_inputs=["query_id"],
)


class Evaluation(NamedTuple):
    """What `pt.Experiment` returned."""

    scores: Evaluated  # nan on topics without judgments
    times: Mapping[int, float]  # system -> its mean response time, where that was asked for
    attempted: Mapping[int, frozenset[str]]  # system -> the judged topics that it has results for


def evaluate(
    systems: list[Any], topics: Any, qrels: Any, metrics: list[Any], host: dict[str, Any], *, timed: bool
) -> Evaluation:
    """Runs the systems and evaluates them, by `pt.Experiment` with the arguments `host`."""
    counted = next((name for name in measure_names(metrics) if canonical_name(name) == str(RETRIEVED)), None)
    of_users = all(hasattr(measure, "runtime_impl") for measure in metrics)
    counter = ROWS if of_users else RETRIEVED
    asked = metrics if counted else [*metrics, counter]
    families = (ir_measures.parse_trec_measure(each) if isinstance(each, str) else [each] for each in metrics)
    if are_gains_mixed_up(chain.from_iterable(families)):
        warn(
            "nDCG with several gains in one experiment: ir_measures may give one the gains of another, and 0 to that. "
            "Take an experiment for each, or `scores_from_runs`.",
            UnreliableResultWarning,
        )
    with warnings.catch_warnings():
        # what PyTerrier says once a system, or of columns that it does not see, we say once
        warnings.filterwarnings("ignore", message=r"\d+ topic\(s\) not found in qrels")
        warnings.filterwarnings("ignore", message="Evaluation measures differ between the existing")
        run = partial(pt.Experiment, systems, topics, _judgments(qrels, metrics), asked, **host)
        scores, times = with_response_times(run) if timed else (run(), {})
    attempted = {}
    for system, by_topic in scores.items():
        attempted[system] = frozenset(qid for qid, values in by_topic.items() if values[counted or str(counter)] > 0)
        for values in by_topic.values() if counted is None else ():
            del values[str(counter)]
    return Evaluation({system: scores[system] for system in range(len(systems))}, times, attempted)


def _judgments(qrels: Any, metrics: Sequence[Any]) -> Any:
    """The judgments as evaluators can stand them, and so that of several labels of a document the highest counts."""
    if isinstance(qrels, str) and os.path.isfile(qrels):
        qrels = pt.io.read_qrels(qrels)
    if not isinstance(qrels, pd.DataFrame) or not {"qid", "docno", "label"} <= set(qrels.columns):
        return qrels  # PyTerrier says what is wrong
    qrels = qrels.assign(label=qrels["label"].infer_objects())
    if qrels["label"].dtype.kind not in "iuf":
        return qrels
    check_labels(qrels["label"])
    qrels = raise_low_labels(qrels, "qid", "label")
    if not qrels.duplicated(["qid", "docno"]).any():
        return qrels
    if not all(is_of_subtopics(resolve_measure(name)) for name in measure_names(metrics)):
        warn_of_repeated(qrels, ["qid", "docno"], "label")
    return qrels.sort_values("label", kind="stable")  # of several, evaluators take the last


def warn_of_what_is_missing(evaluation: Evaluation, names: Sequence[str], frame: pd.DataFrame) -> None:
    """Says which systems lack topics that others have, and which measures are 0 everywhere."""
    topics = frozenset().union(*evaluation.attempted.values())
    lacking = {names[system]: len(topics - own) for system, own in evaluation.attempted.items() if topics - own}
    if lacking:
        warn(
            f"Systems without results for topics that others have, where they score 0: {_counts(lacking)}.",
            MissingTopicsWarning,
        )
    largest = frame.assign(value=frame["value"].abs()).groupby("measure", sort=False)["value"].max()
    empty = [str(measure) for measure in largest.index[largest == 0] if not is_count(measure)]
    if empty:
        warn(
            f"{listing(empty)} is 0 for every system on every topic: "
            "are the topics and the document ids of results and qrels of the same collection?",
            NothingRetrievedWarning,
        )


def _counts(lacking: Mapping[str, int]) -> str:
    first = [f"{shown(name)} ({number} topics)" for name, number in sorted(lacking.items())[:SHOWN_AT_MOST]]
    more = len(lacking) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")
