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
from pt_rankcorr.io.trec import read_run
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import listing, real_number
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import UnmatchedNamesWarning, warn

TAKE_ANY = (type(ir_measures.nDCG), type(ir_measures.Judged))  # labels, unless by parameters beside the cut-off


@dataclass(frozen=True)
class Scale:
    """How the labels of a set are read."""

    threshold: float | None = None  # the lowest relevant label, also by measures; by default 1, and what these say
    labels: Mapping[float, float] = field(default_factory=dict)  # -> what it stands for, if not for itself

    @property
    def relevant(self) -> float:
        """The lowest label that counts as relevant."""
        return 1 if self.threshold is None else self.threshold

    def of(self, judgments: pd.DataFrame) -> pd.DataFrame:
        """Judgments on this scale."""
        return judgments.replace({"relevance": dict(self.labels)}) if self.labels else judgments

    def measures(self, measures: Mapping[str, Measure], judgments: pd.DataFrame, name: str) -> dict[str, Measure]:
        """The measures for judgments on this scale; an error if labels are fractions that a measure cannot take."""
        labels = judgments["relevance"]
        fractions = labels[labels % 1 != 0]
        computed, refused = {}, []
        for key, measure in measures.items():
            computed[key] = measure
            if self.threshold is not None and "rel" in measure.SUPPORTED_PARAMS:
                computed[key] = measure(rel=self.threshold)
            elif not isinstance(measure, TAKE_ANY) or not measure.params.keys() <= {"cutoff"}:
                refused.append(key)
        if len(fractions) and refused:
            raise ValueError(
                f"`others` must have whole-number labels for {listing(refused)}, got {fractions.iloc[0]:g} in "
                f"{shown(name)}. Fractions are gains of nDCG; `relevance_threshold=` says from where on they are "
                "relevant, and `label_map=` what they stand for."
            )
        return computed


def scales_of(names: Collection[str], relevance_threshold: object, label_map: object) -> dict[str, Scale]:
    """Set -> its scale; thresholds and maps are of all sets, or of those that a name or a pattern fits."""
    per_set = isinstance(label_map, Mapping) and any(isinstance(value, Mapping) for value in label_map.values())
    thresholds = _of_each(relevance_threshold, isinstance(relevance_threshold, Mapping), names, "relevance_threshold")
    maps = _of_each(label_map, per_set, names, "label_map")
    return {
        name: Scale(_threshold(thresholds.get(name), "relevance_threshold"), _labels(maps.get(name))) for name in names
    }


def reference_scale(threshold: object) -> Scale:
    return Scale(_threshold(threshold, "reference_threshold"))


def warn_of_idle_labels(scales: Mapping[str, Scale], sets: Mapping[str, pd.DataFrame]) -> None:
    """Warns of labels of a `label_map` that no set has before it is on its scale."""
    used = {
        label for name, judgments in sets.items() for label in scales[name].labels.keys() & {*judgments["relevance"]}
    }
    if idle := {label for scale in scales.values() for label in scale.labels} - used:
        warn(f"`label_map` has labels that no judge gives: {listing(idle)}.", UnmatchedNamesWarning)


def _of_each(values: Any, is_per_set: bool, names: Collection[str], parameter: str) -> dict[str, Any]:
    if values is None or not is_per_set:
        return dict.fromkeys(names, values)
    fits = {key: [name for name in names if str(key) == name or fnmatchcase(name, str(key))] for key in values}
    if idle := [key for key, own in fits.items() if not own]:
        raise ValueError(f"`{parameter}` must have names or patterns of judges, got {listing(idle)}, which fit none.")
    first = sorted(fits, key=names.__contains__, reverse=True)  # an exact name counts, then the first that fits
    return {name: values[key] for key in reversed(first) for name in fits[key]}


def _threshold(value: object, parameter: str) -> float | None:
    if value is None:
        return None
    number = real_number(parameter, value)
    if math.isinf(number):
        raise ValueError(f"`{parameter}` must be finite, got {number}.")
    return int(number) if number % 1 == 0 else number


def _labels(label_map: Any) -> dict[float, float]:
    if not isinstance(label_map, Mapping | None):
        raise TypeError(f"`label_map` must map labels to labels, got {shown(label_map)}.")
    labels = dict(label_map or {})
    if odd := [label for label in [*labels, *labels.values()] if not isinstance(label, Real)]:
        raise TypeError(f"`label_map` must map numbers to numbers, got {shown(odd[0])}.")
    for label, meaning in labels.items():
        if not (math.isfinite(label) and math.isfinite(meaning)):
            raise ValueError(f"`label_map` must map finite labels to finite labels, got {label} mapped to {meaning}.")
    return labels


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
    in a set, or for which a run has no documents, gets the measure's default. Needs memory for one run, and for an
    evaluator for each set.
    """
    defaults = np.array([float(measure.DEFAULT) for measure in measures[0].values()])
    shape = (len(judgments), len(defaults), len(reference.topics), len(reference.systems))
    values = np.broadcast_to(defaults[:, np.newaxis, np.newaxis], shape).copy()
    place_of = {topic: place for place, topic in enumerate(reference.topics)}
    evaluators = []
    for scores, labels, of_labels in zip(values, judgments, measures, strict=True):
        if len(labels):
            evaluator = Evaluator(of_labels.values(), labels)
            evaluators.append((scores, evaluator, np.array([place_of.get(topic, -1) for topic in evaluator.topics])))
    systems = {name: runs[name] for name in reference.systems}
    for system, (_, run) in enumerate(each_run(systems, verbose)):
        for scores, evaluator, places in evaluators:
            evaluated = evaluator.evaluate(run)
            wanted = (places >= 0) & ~np.isnan(evaluated).all(axis=0)
            scores[:, places[wanted], system] = evaluated[:, wanted]
    return [
        Scores(
            [
                matrix.with_values(0.0 - own if matrix.negated else own)
                for matrix, own in zip(reference.values(), scores, strict=True)
            ],
            reference.alignment,
        )
        for scores in values
    ]
