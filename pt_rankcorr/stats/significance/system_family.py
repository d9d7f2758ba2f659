"""The systems of a score matrix as a family to be compared: their means, and their means over resamples of topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pt_rankcorr.stats.core.arguments import check_number_of_systems
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import rounded
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.core.resampling import DrawTopics, blockwise, count_draws, topic_indices
from pt_rankcorr.stats.core.types import Floats, Labels


@dataclass(frozen=True)
class Family:
    """The systems that are compared.

    Attributes:
        matrix: Their scores, shape (n_topics, n_systems), topics in an order that the scores determine.
        systems: Their names.
    """

    matrix: Floats
    systems: Labels

    @property
    def n_topics(self) -> int:
        return len(self.matrix)

    @property
    def n_systems(self) -> int:
        return len(self.systems)

    @property
    def n_pairs(self) -> int:
        return self.n_systems * (self.n_systems - 1) // 2

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of pairs, topics and systems, as fields of a result."""
        return {"n_pairs": self.n_pairs, "n_topics": self.n_topics, "n_systems": self.n_systems}

    @property
    def means(self) -> Floats:
        """The mean of each system, not rounded."""
        return np.asarray(self.matrix.mean(axis=0))

    def resampled_means(
        self, n_resamples: int, rng: np.random.Generator, n_jobs: int | None, draw: DrawTopics = topic_indices
    ) -> Floats:
        """The mean of each system over bootstrap samples of topics, shape (n_systems, n_resamples).

        One seed draws the same topics for all systems and measures. They are rounded as system means are, so that equal
        systems stay equal. `draw` draws other samples of topics.
        """
        largest = np.abs(self.matrix).max()

        def compute(child: np.random.Generator, size: int) -> Floats:
            drawn = draw(child, size, self.n_topics)
            weights = count_draws(drawn, self.n_topics).astype(np.float64)
            return rounded(weights @ self.matrix / drawn.shape[1], largest)

        return np.ascontiguousarray(blockwise(compute, n_resamples, cells=self.n_topics, rng=rng, n_jobs=n_jobs).T)


def family_of(matrix: ScoreMatrix) -> Family:
    """The systems of a prepared matrix, its topics in one order: resamples are drawn by position."""
    check_number_of_systems("scores", matrix.n_systems)
    return Family(in_one_order(matrix.rows), matrix.shown_systems)
