"""Which topics and systems of the input were used, dropped or filled, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Labels


@dataclass(frozen=True)
class Alignment:
    """How a set of scores was put together.

    A topic without any judgment is left out. The caller's `missing` policy decides about a judged topic for which a
    system has no score.

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
        judged_documents: The number of judgments; None if scores came without them.
        retrieved_judged_documents: How many of these are of documents that any system retrieved for the topic.
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
    judged_documents: int | None = None
    retrieved_judged_documents: int | None = None

    def __str__(self) -> str:
        notes = [f"{len(self.systems)} systems on {len(self.topics)} topics."]
        if self.judged_documents is not None:
            found = f"{self.retrieved_judged_documents} of {self.judged_documents}"
            notes.append(f"The runs have {found} judged documents.")
        said = {**self.exclusions(), "Measures that look rounded": tuple(self.rounded)}
        notes += [f"{what}: {len(names)} ({listing(names)})." for what, names in said.items() if names]
        return " ".join(notes)

    def exclusions(self) -> dict[str, Labels]:
        """The kind of omission or filling, in words -> the names, where there are any."""
        everything = {
            "Topics without any judgment, left out": self.unjudged_topics,
            "Judged topics without results of any system, left out": self.unattempted_topics,
            "Topics without scores for some systems, left out": self.dropped_topics,
            "Systems without scores for some topics, left out": self.dropped_systems,
            "Systems with the default score on topics where they have none": tuple(self.filled),
            "Measures that do not rank systems, left out": self.ignored_measures,
        }
        return {what: names for what, names in everything.items() if names}

    def to_dict(self) -> dict[str, Any]:
        """The report for machines: counts, and lists of names."""
        others = {name: _plain(value) for name, value in vars(self).items() if name not in ("topics", "systems")}
        return {"n_topics": len(self.topics), "n_systems": len(self.systems), **others}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, tuple) else value
