"""The scores of the same runs under many sets of judgments: every run is read once for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr.adapters.files import is_path, open_text
from pt_rankcorr.adapters.retrieved import RUN_LINE, Run, read_qrels, read_run
from pt_rankcorr.adapters.runs import each_run, named_runs
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.order import Floats


def reread(runs: object) -> dict[str, Any]:
    """The runs by name, in forms that can be read again and again."""
    return {name: read_run(name, run) if isinstance(run, Iterator) else run for name, run in named_runs(runs).items()}


def read_judgments(runs: Mapping[str, Any], sources: Sequence[object]) -> list[pd.DataFrame]:
    """Sets of judgments; if any comes from a file, those of topics that no run has take no memory."""
    if not any(map(is_path, sources)):
        return [read_qrels(source) for source in sources]
    topics = set().union(*(_topics_of(name, run) for name, run in runs.items()))
    return [read_qrels(source, lambda qid, _: qid in topics) for source in sources]


def _topics_of(name: str, run: Any) -> set[str]:
    if is_path(run):
        with open_text(run, RUN_LINE) as lines:
            return {line.split(maxsplit=1)[0] for line in lines if line.strip()}
    return set(map(str, run)) if isinstance(run, dict) else set(read_run(name, run))


def scores_under(
    runs: Mapping[str, Any],
    judgments: Sequence[pd.DataFrame],
    measures: Mapping[str, Measure],
    reference: Scores,
    *,
    verbose: bool | None = None,
) -> list[Scores]:
    """The scores of the reference's systems on its topics, by its measures, under each set of judgments.

    A topic without judgments in a set, or for which a run has no documents, gets the measure's default. Needs memory
    for one run, and for an evaluator for each set.
    """
    defaults = np.array([float(measure.DEFAULT) for measure in measures.values()])
    shape = (len(judgments), len(measures), len(reference.topics), len(reference.systems))
    values = np.broadcast_to(defaults[:, np.newaxis, np.newaxis], shape).copy()
    evaluators = [_Evaluator(each, measures, reference.topics) for each in judgments]
    systems = {name: runs[name] for name in reference.systems}
    for system, (_, run) in enumerate(each_run(systems, verbose)):
        for evaluator, scores in zip(evaluators, values, strict=True):
            evaluator.fill(scores[:, :, system], run)
    return [_labelled(each, reference) for each in values]


class _Evaluator:
    """Evaluates runs under one set of judgments, which may be empty."""

    def __init__(self, judgments: pd.DataFrame, measures: Mapping[str, Measure], topics: Sequence[str]) -> None:
        self._evaluator = ir_measures.evaluator(list(measures.values()), judgments) if len(judgments) else None
        self._measure_at = {measure: at for at, measure in enumerate(measures.values())}
        self._topic_at = {topic: at for at, topic in enumerate(topics)}

    def fill(self, scores: Floats, run: Run) -> None:
        """Writes the scores of a run, shape (n_measures, n_topics), where there are any."""
        if self._evaluator is None:
            return
        for metric in self._evaluator.iter_calc(run):
            if metric.query_id in run and metric.query_id in self._topic_at:
                scores[self._measure_at[metric.measure], self._topic_at[metric.query_id]] = metric.value


def _labelled(values: Floats, reference: Scores) -> Scores:
    matrices = [
        ScoreMatrix(0.0 - scores if like.negated else scores, like.topics, like.systems, name, like.negated)
        for (name, like), scores in zip(reference.items(), values, strict=True)
    ]
    return Scores(matrices, reference.alignment)
