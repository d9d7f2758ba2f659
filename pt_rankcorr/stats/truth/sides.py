"""Two measures of the same systems: measured means, and the noise of their topics, in an order that the scores settle.

The order is that of the reference, and among what the reference cannot tell apart that of the estimate. So neither the
order of topics nor that of systems changes a bit, and all estimates with one reference share the luck of topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import lexsorted, topic_order
from pt_rankcorr.stats.core.types import Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Sides:
    """Scores by a reference and an estimate, in one order.

    Attributes:
        reference: Shape (n_topics, n_systems).
        estimate: The same; of other topics, and perhaps of another number, unless they are shared.
        systems: Where each system stood in what was given, shape (n_systems,).
        shared: Whether row i of both is the same topic.
    """

    reference: Floats
    estimate: Floats
    systems: Indices
    shared: bool

    @classmethod
    def of(cls, reference: Floats, estimate: Floats, *, shared: bool = True) -> Sides:
        if shared:
            order = topic_order(np.hstack([reference, estimate]))
            order = order[topic_order(reference[order])]  # which is stable
            reference, estimate = reference[order], estimate[order]
        else:
            reference, estimate = reference[topic_order(reference)], estimate[topic_order(estimate)]
        systems = lexsorted(np.vstack([estimate, reference])[::-1])
        first, second = (np.ascontiguousarray(scores[:, systems]) + 0.0 for scores in (reference, estimate))
        return cls(first, second, systems, shared)

    @property
    def n_systems(self) -> int:
        return self.systems.size

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

    def content(self) -> int:
        """A number that stands for the estimate's scores, whatever their scale, and for no other's."""
        ranks = np.unique(self.estimate, return_inverse=True)[1].astype("<i8")
        return int.from_bytes(blake2b(ranks.tobytes(), digest_size=16).digest(), "little")
