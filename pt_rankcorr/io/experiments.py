"""The runs of an experiment, which are evaluated while PyTerrier runs its systems, one in memory at a time."""

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
    """The score of a run on a topic, with the number of documents that the run has on each topic."""

    documents: Mapping[str, int]


class Together(Measure):  # type: ignore[misc]  # ir_measures is not typed
    """All measures of an experiment as one that PyTerrier evaluates: it gets each run, and yields scores by column.

    So `Evaluator` computes each measure, averages are of the same topics for all systems, and the files that PyTerrier
    saves have the columns that were asked for. It has the name of the first column, whose scores are its own.
    """

    def __init__(self, columns: Mapping[str, Measure]) -> None:
        super().__init__()
        self.columns = columns
        self.RUN_INPUTS = ir_measures.run_inputs(columns.values())
        self.QREL_INPUTS = ir_measures.qrel_inputs(columns.values())
        own = [hasattr(of, "runtime_impl") and not isinstance(of, GradedMeasure) for of in columns.values()]
        self.has_own, self.has_others = any(own), not all(own)  # measures that users define
        self.topics: list[str] = []
        self.calls: list[Mapping[str, int]] = []  # of each evaluation the number of documents on each topic

    def __repr__(self) -> str:
        return next(iter(self.columns))

    def runtime_impl(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Metric]:
        """The scores of a run, or of a batch of its topics, on all topics of the judgments; ir_measures calls this."""
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
        for place, topic in enumerate(self.evaluator.topics):
            for (column, measure), value in zip(self.columns.items(), values[:, place].tolist(), strict=True):
                score = Score(value if topic in documents else measure.DEFAULT)
                score.documents = documents
                yield Metric(topic, self if column == str(self) else column, score)


def cube_of(
    evaluation: Mapping[int, Mapping[str, Mapping[str, Score]]], measures: Sequence[str], names: Sequence[str]
) -> tuple[Cube, list[Mapping[str, int]]]:
    """The scores of an experiment, and for each system the number of documents on each topic, judged or not.

    `evaluation` is what PyTerrier returns: number of the system -> topic -> measure -> score; `names` are the systems'.
    """
    if len(evaluation) < len(names):
        rule = "`retr_systems` must be different pipelines for `plan='tree'`"
        raise ValueError(f"{rule}, got {len(names) - len(evaluation)} that equal another: take 'linear'.")
    systems = [evaluation[place] for place in range(len(names))]
    topics = sorted(systems[0])
    values = [[[scores[topic][measure] for scores in systems] for topic in topics] for measure in measures]
    documents: list[Mapping[str, int]] = []
    for scores in systems:  # each batch of topics has counts of its own
        counts = [scores[topic][measures[0]].documents for topic in topics]
        documents.append(ChainMap(*map(dict, {id(of_batch): of_batch for of_batch in counts}.values())))
    return Cube(np.array(values, np.float64), tuple(measures), tuple(topics), tuple(names), "eval_metrics"), documents


def saved_runs(names: Sequence[str], save_dir: str | None) -> list[str]:
    """The systems whose results are read from files of `save_dir` that were saved before; none if that is None."""
    endings = ("res.gz", "mod", "custom")  # of the runs that PyTerrier saves
    paths = {name: [os.path.join(save_dir or "", f"{name}.{ending}") for ending in endings] for name in names}
    return [name for name in names if save_dir is not None and any(map(os.path.exists, paths[name]))]


def check_results(
    names: Sequence[str],
    documents: Sequence[Mapping[str, int]],
    topics: Sequence[str],
    columns: Mapping[str, Measure],
    saved: Collection[str],
    missing: str | None,
) -> None:
    """Refuses systems without results on judged topics; warns of those that lack topics, or are cut off early.

    `documents` has for each system the number of documents on each topic, and `topics` are those with judgments. If
    `missing` is "zero", not None, lacking topics are let pass. `saved` are systems whose runs come from files.
    """
    counts = np.array([[of_topic.get(topic, 0) for of_topic in documents] for topic in topics])
    if missing is None:
        unmatched = {name: set(documents[place]) for place, name in enumerate(names) if not counts[:, place].any()}
        check_topics(unmatched, topics, "retr_systems", "`missing='zero'`")
        n_lacking = (counts[counts.any(axis=1)] == 0).sum(axis=0)
        lacking = [f"{shown(name)} ({n} topics)" for name, n in zip(names, n_lacking, strict=True) if n]
        if lacking:
            message = "Systems without results for topics that others have, where they score 0"
            warn(f"{message}: {in_a_sentence(lacking, 5)}.", MissingTopicsWarning)
        absent = {name: listing(np.array(topics)[counts[:, place] == 0]) for place, name in enumerate(names)}
        unsaved = [f"{shown(name)} (topics {absent[name]})" for name in saved if absent[name]]
        if unsaved:
            message = "Saved runs without results for topics, where they score 0"
            remedy = "`save_mode='overwrite'` runs them anew."
            warn(f"{message}: {in_a_sentence(unsaved, 5)}. {remedy}", MissingTopicsWarning)
    depths = {name: counts[counts[:, place] > 0, place].tolist() for place, name in enumerate(names)}
    warn_of_shallow_runs(depths, columns)
