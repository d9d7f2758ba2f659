"""The runs of an experiment, evaluated as PyTerrier runs its systems, one in memory at a time."""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure, Metric

from pt_rankcorr.io import trec
from pt_rankcorr.io.align import Cube
from pt_rankcorr.io.paths import check_columns
from pt_rankcorr.io.runs import Evaluator, check_topics, warn_of_shallow_runs
from pt_rankcorr.measures import GradedMeasure
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.text import in_a_sentence, shown
from pt_rankcorr.warnings import MissingTopicsWarning, warn


class Score(float):
    """The score of a run on a topic, with the number of documents that the run has on each."""

    documents: Mapping[str, int]


class Together(Measure):  # type: ignore[misc]  # ir_measures is not typed
    """All measures of an experiment as one, which gets each run and yields scores by column.

    PyTerrier evaluates it. So `Evaluator` computes each measure, averages are of the same topics
    for all systems, and the files that PyTerrier saves have the columns that were asked for. It has
    the name of the first column, whose scores are its own.
    """

    def __init__(self, columns: Mapping[str, Measure]) -> None:
        super().__init__()
        self.columns = columns
        measures = columns.values()
        self.RUN_INPUTS = ir_measures.run_inputs(measures)
        self.QREL_INPUTS = ir_measures.qrel_inputs(measures)
        own = {hasattr(of, "runtime_impl") and not isinstance(of, GradedMeasure) for of in measures}
        self.has_own, self.has_others = True in own, False in own  # whether users define some
        self.topics: list[str] = []
        # of each evaluation the number of documents on each topic
        self.calls: list[Mapping[str, int]] = []

    def __repr__(self) -> str:
        return next(iter(self.columns))

    def runtime_impl(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Metric]:
        """The scores of a run, or of a batch of its topics, on all topics with judgments."""
        topics = qrels["query_id"].unique().tolist()
        if topics != self.topics:
            self.topics, self.evaluator = topics, Evaluator(self.columns.values(), qrels)
        documents: dict[Any, int] = run["query_id"].value_counts(sort=False).to_dict()
        self.calls.append(documents)
        run = run[run["query_id"].isin(topics)]
        ranked: trec.Run = {}
        if self.has_others:
            check_columns(run, [*trec.DOCUMENT, "score"], "retr_systems", "qid, docno, score")
            ranked = trec.ranked(run, run["score"].to_numpy(np.float64))
        if self.has_own and "doc_id" in run:  # as ties are in the order of trec_eval
            run = run.sort_values("doc_id", ascending=False)
        values = self.evaluator.evaluate(ranked, run)
        for topic, of_topic in zip(self.evaluator.topics, values.T.tolist(), strict=True):
            for (column, measure), value in zip(self.columns.items(), of_topic, strict=True):
                score = Score(value if topic in documents else measure.DEFAULT)
                score.documents = documents
                yield Metric(topic, self if column == str(self) else column, score)


def cube_of(
    evaluation: Mapping[int, Mapping[str, Any]], measures: Sequence[str], names: Sequence[str]
) -> tuple[Cube, list[Mapping[str, int]]]:
    """The scores of an experiment, and for each system the number of documents on each topic.

    `evaluation` is what PyTerrier returns: number of the system -> topic -> measure -> `Score`;
    `names` are the systems'. Documents are counted on topics without judgments, too.
    """
    if len(evaluation) < len(names):
        rule = "`retr_systems` must be different pipelines for `plan='tree'`"
        n_equal = len(names) - len(evaluation)
        raise ValueError(f"{rule}, got {n_equal} that equal another: take 'linear'.")
    systems = [evaluation[place] for place in range(len(names))]
    topics = sorted(systems[0])
    values = [
        [[scores[topic][measure] for scores in systems] for topic in topics] for measure in measures
    ]
    documents: list[Mapping[str, int]] = []
    for scores in systems:  # each batch of topics has counts of its own
        counts = [scores[topic][measures[0]].documents for topic in topics]
        batches = {id(of_batch): dict(of_batch) for of_batch in counts}
        documents.append(ChainMap(*batches.values()))
    factors = (tuple(measures), tuple(topics), tuple(names))
    return Cube(np.array(values, np.float64), *factors, "eval_metrics"), documents


def saved_runs(names: Sequence[str], save_dir: str | None) -> list[str]:
    """The systems whose results are in files of `save_dir`, saved before; none if that is None."""
    if save_dir is None:
        return []
    endings = ("res.gz", "mod", "custom")  # of the runs that PyTerrier saves
    begins = {name: os.path.join(save_dir, f"{name}.") for name in names}
    return [name for name in names if any(os.path.exists(begins[name] + end) for end in endings)]


def check_results(
    names: Sequence[str],
    documents: Sequence[Mapping[str, int]],
    topics: Sequence[str],
    columns: Mapping[str, Measure],
    saved: Collection[str],
    missing: str | None,
) -> None:
    """Refuses systems without results on judged topics; warns of what others lack, or cut off.

    `documents` has for each system the number of documents on each topic, and `topics` are those
    with judgments. If `missing` is "zero", not None, lacking topics are let pass. `saved` are
    systems whose runs come from files.
    """
    counts = np.array([[of_topic.get(topic, 0) for of_topic in documents] for topic in topics])
    counts_of = dict(zip(names, counts.T, strict=True))  # system -> counts, (n_topics,)
    if missing is None:
        documents_of = dict(zip(names, documents, strict=True))
        unmatched = {name: set(documents_of[name]) for name in names if not counts_of[name].any()}
        check_topics(unmatched, topics, "retr_systems", "`missing='zero'`")
        n_lacking = (counts[counts.any(axis=1)] == 0).sum(axis=0)
        by_system = zip(map(shown, names), n_lacking, strict=True)
        lacking = [f"{name} ({n} topics)" for name, n in by_system if n]
        if lacking:
            message = "Systems without results for topics that others have, where they score 0"
            warn(f"{message}: {in_a_sentence(lacking, 5)}.", MissingTopicsWarning)
        absent = {name: listing(np.array(topics)[counts_of[name] == 0]) for name in saved}
        unsaved = [f"{shown(name)} (topics {seen})" for name, seen in absent.items() if seen]
        if unsaved:
            message = "Saved runs without results for topics, where they score 0"
            remedy = "`save_mode='overwrite'` runs them anew."
            warn(f"{message}: {in_a_sentence(unsaved, 5)}. {remedy}", MissingTopicsWarning)
    depths = {name: of_topic[of_topic > 0].tolist() for name, of_topic in counts_of.items()}
    warn_of_shallow_runs(depths, columns)
