"""The bootstrap standard error of any statistic of score matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.stats.core.arguments import resample_count
from pt_rankcorr.stats.core.inputs import ScoresLike, align
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, topic_indices
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning, warn


@dataclass(frozen=True, eq=False)
class StandardErrorResult(Result):
    """A statistic of scores, and how much it varies with the topics.

    Attributes:
        statistic: The statistic over the topics at hand.
        standard_error: Its standard deviation over resamples of topics, divisor B - 1.
        n_topics: The number of topics.
        n_systems: The number of systems.
        n_resamples: The number of resamples B.
        n_undefined: Resamples in which the statistic is nan; they are left out.
        replicates: The statistic in each resample.
    """

    statistic: float
    standard_error: float
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    replicates: Floats = field(repr=False, compare=False)


def bootstrap_standard_error(
    statistic: Callable[..., Any],
    *scores: ScoresLike,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> StandardErrorResult:
    """The bootstrap standard error of any statistic of score matrices, or of the difference of two.

    Topics are resampled with replacement, the same ones for all matrices. The statistic is computed from each resample;
    its standard deviation over the resamples is the standard error. It is called B + 1 times. For correlations of two
    measures use `correlation_interval`, which is faster and allows for the noise that resampling adds.

    Args:
        statistic: A function of as many arrays of shape (n_topics, n_systems) as there are matrices; it returns one
            number, which may be nan for some resamples.
        scores: Score matrices, topics x systems, of the same topics and systems; matched by name where they have names.
            The statistic gets systems in the order of the first matrix, and topics in any order.
        n_resamples: The number of resamples B, at least 2.
        rng: A seed or a generator.
        n_jobs: Workers, as joblib counts them.

    Returns:
        A result with `statistic`, `standard_error` and `replicates`; nan, with a warning, where the statistic is nan
        over the topics at hand, or in all resamples but one.

    Raises:
        TypeError: If the scores are not numbers, the statistic is no function, or an argument has the wrong type.
        ValueError: If there are no scores, matrices do not match, are not finite or have fewer than two topics or
            systems, or the statistic raises, or does not return one number.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4, which also uses it for the
        difference of two systems; Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 6.

    Example:
        The difference of the means of two systems, whose standard error is near sd / sqrt(n) = .0548:

        >>> scores = [[0.4, 0.2], [0.6, 0.3], [0.5, 0.5], [0.7, 0.6], [0.9, 0.6]]
        >>> result = bootstrap_standard_error(lambda s: s[:, 0].mean() - s[:, 1].mean(), scores, rng=1)
        >>> round(result.statistic, 4), 0.04 < result.standard_error < 0.06
        (0.18, True)
    """
    if not callable(statistic):
        raise TypeError(f"`statistic` must be a function of score matrices, got {shown(statistic)}.")
    if not scores:
        raise ValueError("`scores` must be at least one score matrix, got none.")
    matrices = align(**{f"scores_{at}": matrix for at, matrix in enumerate(scores, start=1)})
    n_resamples = resample_count(n_resamples, at_least=2)
    n_topics, n_systems = matrices[0].shape

    def compute(block: np.random.Generator, size: int) -> Floats:
        samples = topic_indices(block, size, n_topics)
        return np.array([_call(statistic, [matrix[topics] for matrix in matrices]) for topics in samples])

    replicates = blockwise(compute, n_resamples, cells=n_topics, rng=generator(rng), n_jobs=n_jobs)
    undefined, observed = np.isnan(replicates), _call(statistic, matrices)
    standard_error = standard_deviation(replicates[~undefined])
    if math.isnan(observed + standard_error):
        which = "nan over the topics at hand" if math.isnan(observed) else "nan in nearly all resamples"
        message = f"The statistic is {which}: the result is nan."
        warn(message, DegenerateInputWarning)
    return StandardErrorResult(
        statistic=observed,
        standard_error=standard_error,
        n_topics=n_topics,
        n_systems=n_systems,
        n_resamples=n_resamples,
        n_undefined=int(undefined.sum()),
        replicates=replicates,
    )


def standard_deviation(replicates: Floats) -> float:
    """With divisor B - 1; nan of less than two."""
    return float(replicates.std(ddof=1)) if replicates.size > 1 else float("nan")


def _call(statistic: Callable[..., Any], matrices: list[Floats]) -> float:
    try:
        value = np.asarray(statistic(*(matrix.copy() for matrix in matrices)), dtype=np.float64)
    except Exception as error:
        raise ValueError(f"{_MUST}, but it raised {type(error).__name__} ({shown(error)}).") from error
    if value.shape:
        raise ValueError(f"{_MUST}, got an array of shape {value.shape}.")
    if np.isinf(value):
        raise ValueError(f"{_MUST}, got {value}.")
    return float(value)


_MUST = "`statistic` must return one number for arrays of shape (n_topics, n_systems)"
