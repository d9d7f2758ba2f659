"""The scores of a family of systems, in one order of topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pt_rankcorr.stats.core.inputs import as_matrix, refuse_design
from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.stats.core.pairs import check_number_of_systems, system_names
from pt_rankcorr.stats.core.types import Floats, Labels

GEOMETRIC = "a `statistic` other than the mean is that of single topics; for geometric means, take `scores.geometric()`"


@dataclass(frozen=True)
class Family:
    """Scores, shape (n_topics, n_systems), and the names of the systems."""

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


def family_of(scores: object, *, min_topics: int = 1, statistic: object = np.mean) -> Family:
    """The systems of a score matrix, its topics in one order: resamples are drawn by position."""
    if statistic is not np.mean:
        refuse_design(scores, "scores", GEOMETRIC)
    matrix = as_matrix(scores, min_topics=min_topics)
    check_number_of_systems("scores", matrix.shape[1])
    return Family(in_one_order(matrix), system_names(scores, matrix.shape[1]))
