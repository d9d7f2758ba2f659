"""The scores of the same runs under many sets of judgments: every run is read once for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.io.runs import Evaluator, each_run, named_runs
from pt_rankcorr.io.trec import Run, read_run
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.types import Floats


def keep_readable(runs: object, names: choices.NamedAfter = "file") -> dict[str, Any]:
    """The runs by name, in forms that can be read again and again."""
    return {
        name: read_run(name, run) if isinstance(run, Iterator) else run
        for name, run in named_runs(runs, names=names).items()
    }


def scores_under(
    runs: Mapping[str, Any],
    judgments: Sequence[pd.DataFrame],
    measures: Sequence[Mapping[str, Measure]],
    reference: Scores,
    *,
    verbose: bool | None = None,
) -> list[Scores]:
    """The scores of the reference's systems on its topics, by its measures, under each set of judgments.

    Each set has measures of its own, which stand for those of the reference, in their order. A topic without judgments
    in a set, or for which a run has no documents, gets the measure's default. Needs memory
    for one run, and for an evaluator for each set.
    """
    defaults = np.array([float(measure.DEFAULT) for measure in measures[0].values()])
    shape = (len(judgments), len(defaults), len(reference.topics), len(reference.systems))
    values = np.broadcast_to(defaults[:, np.newaxis, np.newaxis], shape).copy()
    evaluators = [_Evaluator(*each, reference.topics) for each in zip(judgments, measures, strict=True)]
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
        values = self._evaluator.evaluate(run)
        wanted = (self._places >= 0) & ~np.isnan(values).all(axis=0)
        scores[:, self._places[wanted]] = values[:, wanted]


def _label_scores(values: Floats, reference: Scores) -> Scores:
    matrices = [
        like.with_values(0.0 - scores if like.negated else scores)
        for like, scores in zip(reference.values(), values, strict=True)
    ]
    return Scores(matrices, reference.alignment)
