"""Several score matrices, brought to the same topics and systems in the same order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr.stats.order import Floats, Labels, as_matrix, labels_of, matching, topics_of


def aligned(**scores: ArrayLike) -> list[Floats]:
    """Matrices of the same topics and systems, in the order of the first one; matched by name where they have names.

    Raises:
        TypeError: If scores are not numbers.
        ValueError: If shapes, topics or systems differ, or there are less than two topics or systems.
    """
    (name, first), *others = scores.items()
    matrices = [as_matrix(first, name, min_topics=2)]
    for parameter, other in others:
        matrix = as_matrix(other, parameter, min_topics=2)
        if matrix.shape != matrices[0].shape:
            shapes = f"{matrices[0].shape}, got {matrix.shape}"
            raise ValueError(f"`{parameter}` must have the shape of `{name}`, {shapes}.")
        rows = _order(topics_of(first), topics_of(other), len(matrix), parameter, "must be on the same topics")
        columns = _order(labels_of(first), labels_of(other), len(matrix.T), parameter, "must be of the same systems")
        matrices.append(matrix[np.ix_(rows, columns)])
    return matrices


def _order(labels: Labels | None, others: Labels | None, count: int, parameter: str, rule: str) -> NDArray[np.intp]:
    """Where each label is among the others; as they are where either has none."""
    return np.arange(count) if labels is None or others is None else matching(labels, others, parameter, rule)
