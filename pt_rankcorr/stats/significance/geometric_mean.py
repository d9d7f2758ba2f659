"""The geometric mean of scores, which stresses the topics on which a system does worst."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.stats.core.arguments import as_floats, whole_number
from pt_rankcorr.stats.core.matrix import ABOVE_ZERO
from pt_rankcorr.warnings import DegenerateInputWarning, warn


def geometric_mean(scores: ArrayLike, axis: int | None = -1) -> Any:
    """The geometric mean of scores that may be 0: exp(mean(log(x + 0.00001))) - 0.00001.

    It stresses the topics with the lowest scores. In [0, 1] for scores in [0, 1]. To compare systems by it, give any
    statistic `scores.geometric()`: the logs, whose means rank systems as geometric means do.

    Args:
        scores: Scores of at least 0, of any shape.
        axis: The axis of the topics; none for the mean of all scores.

    Returns:
        An array without that axis, a single number for a vector; nan, with a warning, where a score is below -0.00001.

    Raises:
        TypeError, ValueError: If the scores are not finite, none, or a single number, or if they have no such axis.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, equation 7; Voorhees, "Overview of
        the TREC 2004 Robust Retrieval Track".

    Example:
        >>> round(float(geometric_mean([0.1, 0.4])), 4)
        0.2

        Which pairs of systems differ significantly by their geometric means:

        >>> import pt_rankcorr as ptr
        >>> scores = ptr.ScoreMatrix([[0.1, 0.2, 0.6], [0.2, 0.0, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5]])
        >>> geometric_mean(scores, axis=0).round(3).tolist()
        [0.157, 0.019, 0.659]
        >>> ptr.discriminative_power(scores.geometric(), test="t").n_significant
        1
    """
    values = as_floats(scores, "scores")
    if values.ndim == 0:
        raise ValueError(f"`scores` must be of shape (..., n_topics), got the single number {values}.")
    if axis is None:
        values, axis = values.ravel(), -1
    if not -values.ndim <= whole_number("axis", axis, at_least=-values.ndim) < values.ndim or not values.shape[axis]:
        raise ValueError(f"`axis` must be one of scores, got {axis} for scores of shape {values.shape}.")
    if (values < -ABOVE_ZERO).any():
        warn(f"The geometric mean is undefined below -{ABOVE_ZERO}: the result is nan.", DegenerateInputWarning)
    ordered = np.sort(np.ascontiguousarray(values), axis=axis)  # one order of topics and memory: the same bits
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log1p(ordered / ABOVE_ZERO)  # log(x + c) - log(c), which keeps 0 exactly 0
        return ABOVE_ZERO * np.expm1(logs.mean(axis=axis))
