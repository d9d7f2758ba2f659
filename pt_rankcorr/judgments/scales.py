"""The scales of labels: which labels of each set count as relevant, and which stand for others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from numbers import Real
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import Measure

from pt_rankcorr.stats.core.arguments import listing, real_number
from pt_rankcorr.text import shown

TAKE_ANY = (type(ir_measures.nDCG), type(ir_measures.Judged))  # take fractions as they are, if without other parameters


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
    return dict(pairs)
