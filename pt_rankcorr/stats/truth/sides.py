"""Two measures of the same systems: measured means, and the noise of their topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pt_rankcorr.stats.core.types import Floats


@dataclass(frozen=True)
class Sides:
    """Scores of the same systems by two measures.

    Attributes:
        reference: Shape (n_topics, n_systems).
        estimate: The same; of other topics, and perhaps of another number, unless they are shared.
        shared: Whether row i of both is the same topic.
    """

    reference: Floats
    estimate: Floats
    shared: bool = True

    @property
    def n_systems(self) -> int:
        return self.reference.shape[1]

    @property
    def matrices(self) -> tuple[Floats, Floats]:
        return self.reference, self.estimate

    @property
    def means(self) -> Floats:
        """Shape (2, n_systems)."""
        return np.stack([scores.mean(axis=0) for scores in self.matrices])

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the noise."""
        return len(self.reference) - 1 + (0 if self.shared else len(self.estimate) - 1)

    def noise(self) -> Floats:
        """Rows whose sums of squares and products are the variances and covariances of the means.

        Returns:
            Shape (2, n_rows, n_systems), a row a topic; where topics are not shared, the other side has 0 there.
        """
        rows = [(scores - scores.mean(axis=0)) / np.sqrt(len(scores) * (len(scores) - 1.0)) for scores in self.matrices]
        if self.shared:
            return np.stack(rows)
        lengths = [len(each) for each in rows]
        return np.stack([np.pad(rows[0], ((0, lengths[1]), (0, 0))), np.pad(rows[1], ((lengths[0], 0), (0, 0)))])
