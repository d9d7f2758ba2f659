"""What sums up a sample of scores: the mean, the geometric mean, or any statistic of a vector that a caller brings.

For the two means, those of all resamples are one product with how often each topic was drawn.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.stats.core.arguments import as_floats, listing, whole_number
from pt_rankcorr.stats.core.matrix import ABOVE_ZERO
from pt_rankcorr.stats.core.means import rounded, rounded_scores
from pt_rankcorr.stats.core.resampling import DrawTopics, blockwise, count_draws, topic_indices
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.warnings import DegenerateInputWarning

Statistic: TypeAlias = Callable[..., Any]


def geometric_mean(scores: ArrayLike, axis: int | None = -1) -> Any:
    """The geometric mean of scores that may be 0: exp(mean(log(x + 0.00001))) - 0.00001.

    It stresses the topics with the lowest scores. In [0, 1] for scores in [0, 1].

    Args:
        scores: Scores of at least 0, of any shape.
        axis: The axis of the topics; none for the mean of all scores.

    Returns:
        An array without that axis, a single number for a vector; nan, with a warning, where a score is below -0.00001.

    Raises:
        TypeError: If the scores are not numbers, or `axis` is no integer.
        ValueError: If the scores are not finite, there are none, they are a single number, or they have no such axis.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, equation 7; Voorhees, "Overview of
        the TREC 2004 Robust Retrieval Track".

    Example:
        >>> round(float(geometric_mean([0.1, 0.4])), 4)
        0.2
    """
    values = as_floats(scores, "scores")
    if values.ndim == 0:
        raise ValueError(f"`scores` must be of shape (..., n_topics), got the single number {values}.")
    if axis is None:
        values, axis = values.ravel(), -1
    if not -values.ndim <= whole_number("axis", axis, at_least=-values.ndim) < values.ndim or not values.shape[axis]:
        raise ValueError(f"`axis` must be one of scores, got {axis} for scores of shape {values.shape}.")
    if (values < -ABOVE_ZERO).any():
        message = f"The geometric mean is undefined for scores below -{ABOVE_ZERO}: the result is nan."
        warnings.warn(message, DegenerateInputWarning, stacklevel=2)
    ordered = np.sort(np.ascontiguousarray(values), axis=axis)  # one order of topics and memory: the same bits
    with np.errstate(invalid="ignore", divide="ignore"):
        return _geometric_back(_log(ordered).mean(axis=axis))


def _log(scores: Floats) -> Floats:
    """log(x + c) - log(c), which keeps 0 exactly 0."""
    return np.asarray(np.log1p(scores / ABOVE_ZERO))


def _geometric_back(means: Any) -> Any:
    return ABOVE_ZERO * np.expm1(means)


@dataclass(frozen=True)
class GeneralisedMean:
    """A statistic that is the mean of transformed scores, transformed back."""

    forward: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


GENERALISED_MEANS: tuple[tuple[Statistic, GeneralisedMean], ...] = (
    (np.mean, GeneralisedMean(np.asarray, np.asarray)),
    (geometric_mean, GeneralisedMean(_log, _geometric_back)),
)


def as_generalised_mean(statistic: Statistic) -> GeneralisedMean | None:
    """How to compute a statistic from weighted sums, if that is known."""
    return next((mean for known, mean in GENERALISED_MEANS if known is statistic), None)


def as_statistic(statistic: object) -> Statistic:
    if not callable(statistic):
        raise TypeError(f"`statistic` must be a function of a vector, got {statistic!r}.")
    return statistic


def summarise(statistic: Statistic, samples: Floats, whose: str) -> Floats:
    """The statistic of each sample along the last axis; one with an `axis` argument is called once for all samples."""
    takes_axis, samples = _takes_axis(statistic), samples.copy()  # it may sort them in place

    def one_sample(sample: Floats) -> Floats:  # numpy takes the type of the first result for that of all
        return np.asarray(statistic(sample), dtype=np.float64)

    try:
        found = statistic(samples, axis=-1) if takes_axis else np.apply_along_axis(one_sample, -1, samples)
        values = np.asarray(found, dtype=np.float64)
    except Exception as error:
        raise ValueError(f"{_MUST} it raised {type(error).__name__} ({error}) for {whose}.") from error
    if values.shape != samples.shape[:-1]:
        raise ValueError(f"{_MUST} its result had the shape {values.shape} for {whose}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{_MUST} it was {values[~np.isfinite(values)][0]} for {whose}.")
    return values


_MUST = "`statistic` must be one number for every resample, but"


def summaries(matrix: Floats, statistic: Statistic, systems: Sequence[str]) -> Floats:
    """The statistic of each system, not rounded."""
    mean = as_generalised_mean(statistic)
    if mean is not None:
        return np.asarray(mean.back(finite_transform(mean, matrix, systems).mean(axis=0)))
    named = zip(systems, matrix.T, strict=True)
    return np.array([summarise(statistic, scores, f"system {name!r}") for name, scores in named])


def _takes_axis(statistic: Statistic) -> bool:
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):  # some functions written in C have no signature
        return False


def resample_summaries(
    matrix: Floats,
    statistic: Statistic,
    n_resamples: int,
    rng: np.random.Generator,
    systems: Sequence[str],
    n_jobs: int | None = None,
    draw: DrawTopics = topic_indices,
) -> Floats:
    """The statistic of each system over bootstrap samples of topics, shape (n_systems, n_resamples).

    One seed draws the same topics for all systems, measures and statistics. Rounded as system means are: equal systems
    stay equal. `draw` draws other samples of topics.
    """
    mean = as_generalised_mean(statistic)
    if mean is None:
        compute = partial(_draw_summaries, draw, matrix, statistic, tuple(systems))
    else:
        compute = partial(_draw_means, draw, finite_transform(mean, matrix, systems), mean, float(np.abs(matrix).max()))
    drawn = blockwise(compute, n_resamples, cells=len(matrix), rng=rng, n_jobs=n_jobs)
    return np.ascontiguousarray(drawn.T)


def _draw_means(
    draw: DrawTopics,
    scores: Floats,
    mean: GeneralisedMean,
    largest: float,
    rng: np.random.Generator,
    size: int,
) -> Floats:
    drawn = draw(rng, size, len(scores))
    weights = count_draws(drawn, len(scores)).astype(np.float64)
    return rounded(mean.back(weights @ scores / drawn.shape[1]), largest)


def _draw_summaries(
    draw: DrawTopics, matrix: Floats, statistic: Statistic, systems: Labels, rng: np.random.Generator, size: int
) -> Floats:
    drawn = draw(rng, size, len(matrix))
    named = zip(systems, matrix.T, strict=True)
    columns = [summarise(statistic, scores[drawn], f"system {name!r}") for name, scores in named]
    return rounded_scores(np.stack(columns, axis=-1))


def finite_transform(mean: GeneralisedMean, matrix: Floats, systems: Sequence[str]) -> Floats:
    """The transformed scores, if all are defined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        transformed = np.asarray(mean.forward(matrix))
    undefined = [name for name, scores in zip(systems, transformed.T, strict=True) if not np.isfinite(scores).all()]
    if undefined:
        raise ValueError(f"{_MUST} it was nan for {listing(undefined)}.")
    return transformed
