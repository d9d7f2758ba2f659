"""Runs scored under many sets of labels: how the labels of each are read, and each run read once for all sets."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from numbers import Real
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.io.runs import Evaluator, each_run, named_runs
from pt_rankcorr.io.trec import Run, read_run
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import listing, real_number
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

TAKE_ANY = (type(ir_measures.nDCG), type(ir_measures.Judged))  # labels, unless by parameters beside the cut-off


@dataclass(frozen=True)
class Scale:
    """How the labels of a set are read.

    Attributes:
        threshold: The lowest label that counts as relevant, also by measures that count relevant documents; None for 1
            and, by measures, for what they say themselves.
        labels: Label -> what it stands for; all others stand for themselves.
    """

    threshold: float | None = None
    labels: Mapping[float, float] = field(default_factory=dict)

    @property
    def relevant(self) -> float:
        """The lowest label that counts as relevant."""
        return 1 if self.threshold is None else self.threshold

    def of(self, judgments: pd.DataFrame) -> pd.DataFrame:
        """Judgments on this scale."""
        return judgments.replace({"relevance": dict(self.labels)}) if self.labels else judgments

    def measures(self, measures: Mapping[str, Measure], judgments: pd.DataFrame, name: str) -> dict[str, Measure]:
        """The measures for judgments on this scale.

        Raises:
            ValueError: If labels are fractions, and a measure cannot take these.
        """
        counts = {key for key, measure in measures.items() if "rel" in measure.SUPPORTED_PARAMS}
        told = set() if self.threshold is None else counts
        found = {key: measure(rel=self.threshold) if key in told else measure for key, measure in measures.items()}
        fractions = judgments["relevance"][judgments["relevance"] % 1 != 0]
        plain = {key for key, each in found.items() if isinstance(each, TAKE_ANY) and each.params.keys() <= {"cutoff"}}
        takers = told | plain
        if len(fractions) and (refused := found.keys() - takers):
            raise ValueError(
                f"`others` must have whole-number labels for {listing(refused)}, got {fractions.iloc[0]:g} in "
                f"{shown(name)}. Fractions are gains of nDCG; `relevance_threshold=` says from where on they are "
                "relevant, and `label_map=` what they stand for."
            )
        return found


def scales_of(names: Collection[str], relevance_threshold: object, label_map: object) -> dict[str, Scale]:
    """Set -> its scale; thresholds and maps are of all sets, or of those that a name or a pattern fits.

    Raises:
        TypeError: If a threshold or a label is no number.
        ValueError: If a name or pattern fits no set.
    """
    per_set = isinstance(label_map, Mapping) and any(isinstance(value, Mapping) for value in label_map.values())
    thresholds = _of_each(relevance_threshold, isinstance(relevance_threshold, Mapping), names, "relevance_threshold")
    maps = _of_each(label_map, per_set, names, "label_map")
    return {
        name: Scale(_threshold(thresholds.get(name), "relevance_threshold"), _labels(maps.get(name))) for name in names
    }


def reference_scale(threshold: object) -> Scale:
    return Scale(_threshold(threshold, "reference_threshold"))


def _of_each(given: Any, is_per_set: bool, names: Collection[str], parameter: str) -> dict[str, Any]:
    if given is None or not is_per_set:
        return dict.fromkeys(names, given)
    fits = {key: [name for name in names if str(key) == name or fnmatchcase(name, str(key))] for key in given}
    if idle := [key for key, own in fits.items() if not own]:
        raise ValueError(f"`{parameter}` must have names or patterns of judges, got {listing(idle)}, which fit none.")
    first = sorted(fits, key=names.__contains__, reverse=True)  # an exact name counts, then the first that fits
    return {name: given[key] for key in reversed(first) for name in fits[key]}


def _threshold(given: object, parameter: str) -> float | None:
    if given is None:
        return None
    number = real_number(parameter, given)
    return int(number) if number % 1 == 0 else number


def _labels(given: Any) -> dict[float, float]:
    if not isinstance(given, Mapping | None):
        raise TypeError(f"`label_map` must map labels to labels, got {shown(given)}.")
    pairs = [*(given or {}).items()]
    if odd := [each for pair in pairs for each in pair if not isinstance(each, Real)]:
        raise TypeError(f"`label_map` must map numbers to numbers, got {shown(odd[0])}.")
    if odd := [(label, to) for label, to in pairs if not (math.isfinite(label) and math.isfinite(to))]:
        raise ValueError(f"`label_map` must map finite labels to finite labels, got {odd[0][0]} mapped to {odd[0][1]}.")
    return dict(pairs)


# --- scores ---------------------------------------------------------------------------------------------------


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
