"""Judgments and judges with how they are read, where a comparison needs more than files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, get_args

from pt_rankcorr import choices
from pt_rankcorr.io.paths import LabelsLike, PathsLike, QrelsLike
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import one_of


@dataclass(frozen=True, eq=False)
class Qrels:
    """Trusted judgments, with how they are read, for `compare_judgments` and `judgment_curve`.

    Args:
        source: Judgments, as `scores_from_runs` takes them.
        relevance_threshold: The lowest label that counts as relevant, by default 1. Measures that
            count relevant documents take one that is given in place of their `rel`.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        download: Whether judgments of ir-datasets that are not on this machine may be downloaded.

    Example:
        >>> qrels = {"1-a": {"d1": 2}, "1-b": {"d2": 1}}
        >>> Qrels(qrels, relevance_threshold=2, clusters="[0-9]+").relevance_threshold
        2
    """

    source: QrelsLike
    _: KW_ONLY
    relevance_threshold: float | None = None
    clusters: LabelsLike = None
    strata: LabelsLike = None
    download: bool = False


@dataclass(frozen=True, eq=False)
class Judges:
    """Judges, and how their labels are read, for `compare_judgments` and `compare_leaderboards`.

    Args:
        source: Name -> judgments or scores of each judge, or paths or patterns of them.
        relevance_threshold, label_map: Of judgments, as for `compare_labels`; the threshold is 1 by
            default. Measures that count relevant documents take a given one in place of `rel`.
        panels: Name -> a list of judges, or a pattern of their names, to join to one more judge, as
            `judgments.panel` does. `panels()` of the result compares it with its members.
        combine: "mean" or "median"; of labels also "majority".

    Example:
        >>> judges = Judges("*.qrels", label_map={10: 3}, panels={"all": "*"}, combine="median")
    """

    source: Mapping[str, QrelsLike | Scores] | PathsLike
    _: KW_ONLY
    relevance_threshold: float | Mapping[str, float] | None = None
    label_map: Mapping[Any, Any] | None = None
    panels: Mapping[str, str | Sequence[str]] | None = None
    combine: choices.Combine = "mean"

    def __post_init__(self) -> None:
        one_of("combine", self.combine, get_args(choices.Combine))
