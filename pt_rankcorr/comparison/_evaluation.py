"""The scores of the same runs under many sets of judgments: every run is read once for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.adapters.evaluating import Evaluator
from pt_rankcorr.adapters.fields import BLANKS, fields
from pt_rankcorr.adapters.files import open_text
from pt_rankcorr.adapters.irds import qrels_of
from pt_rankcorr.adapters.paths import is_path
from pt_rankcorr.adapters.ranking import Run
from pt_rankcorr.adapters.retrieved import RUN_LINE, read_qrels, read_run
from pt_rankcorr.adapters.runs import each_run, named_runs
from pt_rankcorr.comparison.collections import IRDS
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.types import Floats


def keep_readable(runs: object, names: choices.NamedAfter = "file") -> dict[str, Any]:
    """The runs by name, in forms that can be read again and again."""
    return {
        name: read_run(name, run) if isinstance(run, Iterator) else run
        for name, run in named_runs(runs, names=names).items()
    }


def of_dataset(qrels: Any, *, download: bool) -> Any:
    """The judgments of ir-datasets where they are named by "irds:" and an id; all else as it is."""
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        return qrels_of(qrels.removeprefix(IRDS), download=download)
    return qrels


def read_judgments(runs: Mapping[str, Any], sources: Sequence[object]) -> list[pd.DataFrame]:
    """Sets of judgments; if any comes from a file, those of topics that no run has take no memory."""
    if not any(map(is_path, sources)):
        return [read_qrels(source) for source in sources]
    topics = set().union(*(_topics_of(name, run) for name, run in runs.items()))
    return [read_qrels(source, lambda qid, _: qid in topics) for source in sources]


def _topics_of(name: str, run: Any) -> set[str]:
    if is_path(run):
        with open_text(run, RUN_LINE) as lines:
            return {fields(line, 1)[0] for line in lines if line.strip(BLANKS)}
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
    return [_label_scores(each, reference) for each in values]


class _Evaluator:
    """Evaluates runs under one set of judgments, which may be empty."""

    def __init__(self, judgments: pd.DataFrame, measures: Mapping[str, Measure], topics: Sequence[str]) -> None:
        self._evaluator = Evaluator(measures.values(), judgments) if len(judgments) else None
        at = {topic: place for place, topic in enumerate(topics)}
        judged = self._evaluator.topics if self._evaluator else []
        self._places = np.array([at.get(topic, -1) for topic in judged], dtype=np.intp)

    def fill(self, scores: Floats, run: Run) -> None:
        """Writes the scores of a run, shape (n_measures, n_topics), where there are any."""
        if self._evaluator is None:
            return
        found = self._evaluator.evaluate(run)
        wanted = found.attempted[self._places[found.attempted] >= 0]
        scores[:, self._places[wanted]] = found.values[:, wanted]


def _label_scores(values: Floats, reference: Scores) -> Scores:
    matrices = [
        like.with_values(0.0 - scores if like.negated else scores)
        for like, scores in zip(reference.values(), values, strict=True)
    ]
    return Scores(matrices, reference.alignment)
