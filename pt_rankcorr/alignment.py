"""What became of the topics and systems that came in: which were used, dropped or filled, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pt_rankcorr.stats.checks import listing
from pt_rankcorr.stats.order import Labels


class RoundedScoresWarning(UserWarning):
    """The scores look rounded: systems that differ may appear tied."""


@dataclass(frozen=True)
class Alignment:
    """The report that every set of scores carries about how it was put together.

    Two kinds of missing are kept apart: a topic without any judgment says nothing about any system and is left out;
    a judged topic that one system has no score for is handled as the caller's `missing` policy says.

    Attributes:
        topics: Topics used.
        systems: Systems used.
        unjudged_topics: Topics left out because no judgment exists for them.
        unattempted_topics: Judged topics left out because no system has results for them.
        dropped_topics: Topics left out by the policy, because some systems have no score for them.
        dropped_systems: Systems left out by the policy, because they have no score for some topics.
        filled: System -> its topics that were scored 0 by the policy.
        ignored_measures: Measures left out because they count something and rank no systems.
        rounded: Measure -> the number of decimals it looks rounded to.
    """

    topics: Labels = ()
    systems: Labels = ()
    unjudged_topics: Labels = ()
    unattempted_topics: Labels = ()
    dropped_topics: Labels = ()
    dropped_systems: Labels = ()
    filled: Mapping[str, Labels] = field(default_factory=dict)
    ignored_measures: Labels = ()
    rounded: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([f"{len(self.systems)} systems on {len(self.topics)} topics.", *self._notes()])

    def _notes(self) -> list[str]:
        notes = [
            (self.unjudged_topics, "Topics without any judgment, left out"),
            (self.unattempted_topics, "Judged topics without results of any system, left out"),
            (self.dropped_topics, "Topics without scores for some systems, left out"),
            (self.dropped_systems, "Systems without scores for some topics, left out"),
            (tuple(self.filled), "Systems given the default for topics they have no score for"),
            (self.ignored_measures, "Measures that rank no systems, left out"),
            (tuple(self.rounded), "Measures that look rounded"),
        ]
        return [f"{what}: {len(names)} ({listing(names)})." for names, what in notes if names]

    def to_dict(self) -> dict[str, Any]:
        """The report for machines: counts, and lists of names."""
        return {
            "n_topics": len(self.topics),
            "n_systems": len(self.systems),
            "unjudged_topics": list(self.unjudged_topics),
            "unattempted_topics": list(self.unattempted_topics),
            "dropped_topics": list(self.dropped_topics),
            "dropped_systems": list(self.dropped_systems),
            "filled": {system: list(topics) for system, topics in self.filled.items()},
            "ignored_measures": list(self.ignored_measures),
            "rounded": dict(self.rounded),
        }
