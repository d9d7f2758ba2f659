"""The one way to the evaluators of ir_measures, which keeps out the input that they cannot handle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr.io.measure_names import is_known, resolve_measure
from pt_rankcorr.io.ranking import Judged, Places, Run
from pt_rankcorr.io.retrieved import highest_labels
from pt_rankcorr.io.trec_measures import kernel_of
from pt_rankcorr.stats.core.results import cached_property
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown_name

# measures of diversity: the iteration of a judgment is the subtopic it is about
OF_SUBTOPICS = frozenset({"AP_IA", "ERR_IA", "NRBP", "P_IA", "StRecall", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP"})


class Evaluator:
    """Evaluates runs by several measures under one set of judgments.

    Measures that trec_eval has are computed on columns, the same to the last bit; the others by ir_measures. Of several
    labels that iterations give a document on a topic the highest counts, but for measures of diversity, to which
    iterations are subtopics.

    Args:
        measures: The measures.
        judgments: Judgments in the form of ir_measures, of at least one document.

    Attributes:
        topics: The topics that have judgments, in their order.
        n_judged: How many documents are judged, each counted on each of its topics.
    """

    def __init__(self, measures: Iterable[Measure], judgments: pd.DataFrame) -> None:
        self._row_of = {measure: row for row, measure in enumerate(measures)}
        self._judgments = raise_low_labels(judgments)
        self._one_each = self._judgments
        self._judged = Judged(self._judgments)
        if not self._judged.are_distinct:
            if all(map(is_of_subtopics, self._row_of)):
                self._one_each = self._judgments.drop_duplicates(["query_id", "doc_id"], ignore_index=True)
            else:
                self._one_each = highest_labels(self._judgments)
            self._judged = Judged(self._one_each)
        found = ((measure, kernel_of(measure)) for measure in self._row_of)
        self._kernels = {measure: kernel for measure, kernel in found if kernel}
        self._others = self._evaluators([measure for measure in self._row_of if measure not in self._kernels])

    @property
    def topics(self) -> list[str]:
        """The topics that have judgments, in their order."""
        return self._judged.topics

    @property
    def n_judged(self) -> int:
        """How many documents are judged, each counted on each of its topics."""
        return len(self._one_each)

    def evaluate(self, run: Run) -> Evaluated:
        """The scores of a run, and which of the judged documents it has."""
        values = np.full((len(self._row_of), len(self.topics)), np.nan)
        attempted = np.array([self._topic_at[topic] for topic in run if topic in self._topic_at], dtype=np.int64)
        hits = self._judged.find(run)
        for measure, kernel in self._kernels.items():
            values[self._row_of[measure], attempted] = kernel(self._judged, hits)[attempted]
        self._fill(values, run)
        return Evaluated(values, attempted, hits.judgment)

    @cached_property
    def _topic_at(self) -> dict[str, int]:
        return {topic: at for at, topic in enumerate(self.topics)}

    def _evaluators(self, measures: list[Measure]) -> list[_Part]:
        together: dict[tuple[bool, str], list[Measure]] = {}
        for measure in measures:
            together.setdefault((is_of_subtopics(measure), _gains_of(measure)), []).append(measure)
        parts = []
        for (of_subtopics, _), own in together.items():
            judgments = self._judgments if of_subtopics else self._one_each
            parts.append(_Part(own, judgments, _compute(_evaluator, own, judgments)))
        return parts

    def _fill(self, values: Floats, run: Run) -> None:
        for measures, judgments, evaluator in self._others:
            metrics = _compute(lambda *_, own=evaluator: list(own.iter_calc(run)), measures, judgments, run)
            for metric in metrics:
                if metric.query_id in run and metric.query_id in self._topic_at:
                    values[self._row_of[metric.measure], self._topic_at[metric.query_id]] = metric.value


class Evaluated(NamedTuple):
    """What came of one run.

    Attributes:
        values: Its scores, shape (n_measures, n_topics); nan for topics on which it retrieved nothing.
        attempted: The places of the topics on which it retrieved something.
        judged: The places of the judged documents that it retrieved.
    """

    values: Floats
    attempted: Places
    judged: Places


class _Part(NamedTuple):
    measures: list[Measure]
    judgments: pd.DataFrame
    evaluator: Any


def raise_low_labels(judgments: pd.DataFrame, topic: str = "query_id", label: str = "relevance") -> pd.DataFrame:
    """The judgments, where those of a topic whose labels are all below 0 have 0: no measure tells them apart.

    Nothing is relevant either way, but pytrec_eval writes beyond its memory at a topic with no label from 0 on, and may
    end the whole process.
    """
    if not (judgments[label] < 0).any():
        return judgments
    highest = judgments.groupby(topic)[label].transform("max")
    return judgments.assign(**{label: judgments[label].mask(highest < 0, 0)})


def is_of_subtopics(measure: Measure) -> bool:
    """Whether a measure is one of diversity, which takes the iterations of judgments for subtopics."""
    return measure.NAME in OF_SUBTOPICS


def _gains_of(measure: Measure) -> str:
    """The gains of a measure's labels, as a text.

    Measures of other gains need an evaluator of their own: that of ir_measures for trec_eval lets nDCG without gains
    share those of another measure, depending on the order of a set, and mixes up the two.
    """
    return str(measure.params.get("gains", ""))


def are_gains_mixed_up(measures: Iterable[Measure]) -> bool:
    """Whether one evaluator of ir_measures for all may give nDCG the gains of another measure."""
    return len({_gains_of(measure) for measure in measures if measure.NAME == "nDCG"}) > 1


def rounded_by_evaluator(measures: Iterable[str]) -> list[str]:
    """Those of named measures whose evaluator is gdeval, which prints five decimals."""
    return [name for name in measures if is_known(name) and _evaluator_of(resolve_measure(name)) == "gdeval"]


def _evaluator_of(measure: Measure) -> str:
    evaluators = (each for each in ir_measures.DefaultPipeline.providers if each.supports(measure))
    return next((str(each.NAME) for each in evaluators if each.is_available()), "")


def _evaluator(measures: list[Measure], judgments: pd.DataFrame) -> Any:
    return ir_measures.evaluator(measures, judgments)


def _compute(
    compute: Callable[..., Any], measures: list[Measure], judgments: pd.DataFrame, run: Run | None = None
) -> Any:
    """What a function of measures and judgments returns; what it raises as an error that names the measure."""
    try:
        return compute(measures, judgments)
    except Exception as error:  # evaluators raise what they like, ZeroDivisionError for one
        measure, reason = _culprit(measures, judgments, run) or (measures, error)
        raise ValueError(
            f"`measures` must be computable from these runs and judgments, "
            f"got {shown_name(measure)} ({type(reason).__name__}: {shown_name(reason)})."
        ) from error


def _culprit(measures: list[Measure], judgments: pd.DataFrame, run: Run | None) -> tuple[Measure, Exception] | None:
    for measure in measures:
        try:
            evaluator = _evaluator([measure], judgments)
            if run is not None:
                list(evaluator.iter_calc(run))
        except Exception as error:
            return measure, error
    return None
