"""Scores with the labels of topics and systems: what a parser returns, and the base of the containers of scores."""

from __future__ import annotations

from pt_rankcorr.stats.core.design import Design
from pt_rankcorr.stats.core.names import numbered
from pt_rankcorr.stats.core.types import Floats, Labels


class LabelledScores:
    """Scores of systems, as a caller gave them, with the labels of topics and systems.

    Labels that only count, 0, 1, 2, ..., are no names: they are matched only with the same numbers in another order.

    Attributes:
        values: The scores, systems along the last axis; in a matrix, topics along the first.
        topics, systems: Their labels; None where there are none.
        has_topic_names, has_system_names: Whether the labels are names that somebody gave.
        design: The clusters and strata that topics are in; None for independent topics.
    """

    values: Floats
    topics: Labels | None
    systems: Labels | None
    has_topic_names: bool
    has_system_names: bool
    design: Design | None = None

    def __init__(
        self,
        values: Floats,
        topics: Labels | None = None,
        systems: Labels | None = None,
        *,
        has_topic_names: bool = False,
        has_system_names: bool = False,
    ) -> None:
        self.values, self.topics, self.systems = values, topics, systems
        self.has_topic_names, self.has_system_names = has_topic_names, has_system_names

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the scores."""
        return self.values.shape

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return int(self.values.shape[-1])

    @property
    def is_matrix(self) -> bool:
        """Whether the scores are of topics x systems."""
        return self.values.ndim == 2

    @property
    def form(self) -> str:
        """What an error message calls scores that are no matrix."""
        return f"shape {self.shape}"

    @property
    def topic_names(self) -> Labels | None:
        """The names of the topics, where somebody gave them."""
        return self.topics if self.has_topic_names else None

    @property
    def system_names(self) -> Labels | None:
        """The names of the systems, where somebody gave them."""
        return self.systems if self.has_system_names else None

    @property
    def shown_systems(self) -> Labels:
        """The names of the systems as results show them: "s1", "s2", ... where nobody gave any."""
        return self.system_names or numbered("s", self.n_systems)
