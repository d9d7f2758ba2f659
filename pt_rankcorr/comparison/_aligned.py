"""Brings leaderboards to the same runs and topics."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pt_rankcorr.adapters.leaderboards import POLICIES
from pt_rankcorr.judgments.hygiene import LabelHygiene
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import MissingTopicsWarning, level_of_the_caller


@dataclass(frozen=True)
class Aligned:
    """Leaderboards of the same runs and topics, in the order of the reference.

    Attributes:
        reference: The trusted scores.
        judges: Judge -> its scores.
        dropped_topics: Topics that were left out, as not all have them.
        dropped_systems: Runs that were left out for the same reason.
        failed: Judge -> why it cannot be used.
        labels: Judge -> what its rows say of its labels.
        hygiene: What is wrong with labels, if there are any.
    """

    reference: Scores
    judges: dict[str, Scores]
    dropped_topics: Labels = ()
    dropped_systems: Labels = ()
    failed: Mapping[str, Exception] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    hygiene: LabelHygiene | None = None

    @classmethod
    def of_two_samples(cls, reference: Scores, judges: dict[str, Scores], missing: str) -> Aligned:
        """Leaderboards of the same runs, each on its own topics and in its own design."""
        systems, lacking = _shared([scores.systems for scores in (reference, *judges.values())])
        if lacking and missing not in ("skip", "warn", "drop-systems"):
            raise ValueError(_difference(reference, judges, systems=True, topics=False))
        chosen = {name: scores.select(systems=systems) for name, scores in judges.items()}
        n_topics = {name: {"n_judge_topics": len(scores.topics)} for name, scores in chosen.items()}
        return cls(reference.select(systems=systems), chosen, dropped_systems=lacking, labels=n_topics)

    @classmethod
    def of(cls, reference: Scores, judges: dict[str, Scores], missing: str) -> Aligned:
        if POLICIES[missing] == "zero":
            return cls(reference, {name: _filled(scores, reference) for name, scores in judges.items()})
        every = [reference, *judges.values()]
        systems, no_systems = _shared([scores.systems for scores in every])
        topics, no_topics = _shared([scores.topics for scores in every])
        allowed = {"error": "", "drop-topics": "topics", "drop-systems": "runs"}.get(missing, "runs topics")
        if (no_systems and "runs" not in allowed) or (no_topics and "topics" not in allowed):
            raise ValueError(_difference(reference, judges, systems=bool(no_systems), topics=bool(no_topics)))
        for what, shared in (("runs", systems), ("topics", topics)):
            if len(shared) < 2:
                raise ValueError(f"`judges` must share at least 2 {what} with the reference, got {len(shared)}.")
        if missing == "warn" and (no_systems or no_topics):
            warnings.warn(
                f"{len(no_systems)} runs and {len(no_topics)} topics are left out, since not all leaderboards have "
                f"them: {listing([*no_systems, *no_topics])}.",
                MissingTopicsWarning,
                stacklevel=level_of_the_caller(),
            )
        chosen = {name: scores.select(systems=systems, topics=topics) for name, scores in judges.items()}
        return cls(reference.select(systems=systems, topics=topics), chosen, no_topics, no_systems)

    def in_its_design(self) -> Aligned:
        """All with the clusters and strata of the first that has any; an error if another has different ones."""
        firsts = {name: next(iter(scores.values())) for name, scores in self.judges.items()}
        trusted = next(iter(self.reference.values()))
        of_some = [matrix for matrix in (trusted, *firsts.values()) if matrix.design is not None]
        if not of_some:
            return self
        for name, matrix in firsts.items():
            if matrix.design is not None and matrix.design != of_some[0].design:
                raise ValueError(f"`judges` must have the same clusters and strata, got other ones of {shown(name)}.")
        labels = dict(zip(("clusters", "strata"), of_some[0].design_labels, strict=True))
        judges = {name: scores.with_design(**labels) for name, scores in self.judges.items()}
        return replace(self, reference=self.reference.with_design(**labels), judges=judges)


def _shared(labels: list[Labels]) -> tuple[Labels, Labels]:
    """The names that all have, in the order of the first; and the others."""
    common = set(labels[0]).intersection(*labels)
    return tuple(name for name in labels[0] if name in common), tuple(sorted(set().union(*labels) - common))


def _difference(reference: Scores, judges: Mapping[str, Scores], *, systems: bool, topics: bool) -> str:
    parts = []
    for name, scores in judges.items():
        for what, is_wanted, theirs, ours in (
            ("runs", systems, scores.systems, reference.systems),
            ("topics", topics, scores.topics, reference.topics),
        ):
            if not is_wanted:
                continue
            if lacking := set(ours) - set(theirs):
                parts.append(f"{shown(name)} lacks {what} {listing(lacking)}")
            if extra := set(theirs) - set(ours):
                parts.append(f"{shown(name)} has other {what} {listing(extra)}")
    word = "skip" if systems and topics else "drop-systems" if systems else "drop-topics"
    more = f"; and {len(parts) - 3} more" if len(parts) > 3 else ""
    return (
        f"`judges` must have the runs and topics of the reference, but {'; '.join(parts[:3])}{more}. "
        f'missing="{word}" leaves out what not all have, and missing="default" gives a judge 0 for what it lacks'
        f"{'; same_topics=False is for judges with topics of their own' * topics}."
    )


def _filled(scores: Scores, reference: Scores) -> Scores:
    """The scores on the reference's runs and topics; 0 where there is none."""
    places = [
        (names, [ours.index(name) for name in names])
        for ours, theirs in ((reference.topics, set(scores.topics)), (reference.systems, set(scores.systems)))
        for names in [[name for name in ours if name in theirs]]
    ]
    (topics, rows), (systems, columns) = places
    matrices = []
    for name, matrix in scores.items():
        values = np.zeros((len(reference.topics), len(reference.systems)))
        if topics and systems:
            values[np.ix_(rows, columns)] = matrix.select(topics=topics, systems=systems).values
        matrices.append(ScoreMatrix(values, reference.topics, reference.systems, name, matrix.negated))
    return Scores(matrices, replace(scores.alignment, topics=reference.topics, systems=reference.systems))
