"""The systems of a family, and what sums up the scores of each: a mean, the geometric mean, or any statistic.

For the two means, those of all resamples are one product with how often each topic was drawn.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.stats.core import arguments, inputs, means
from pt_rankcorr.stats.core.arguments import as_floats, listing, whole_number
from pt_rankcorr.stats.core.matrix import ABOVE_ZERO, ScoreMatrix
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.core.resampling import DrawTopics, blockwise, count_draws, topic_indices
from pt_rankcorr.stats.core.types import Floats, Labels, cached_property
from pt_rankcorr.warnings import DegenerateInputWarning, warn

Statistic: TypeAlias = Callable[..., Any]
GEOMETRIC = "a `statistic` other than the mean is that of single topics; for geometric means, take `scores.geometric()`"
RULE = "`statistic` must be one number for every resample, but"


@dataclass(frozen=True)
class Family:
    """Scores, shape (n_topics, n_systems), their topics in one order; the systems' names; what sums up their scores."""

    matrix: Floats
    systems: Labels
    statistic: Statistic

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
        """What results say of how much there is."""
        return {"n_pairs": self.n_pairs, "n_topics": self.n_topics, "n_systems": self.n_systems}

    @cached_property
    def summaries(self) -> Floats:
        """The statistic of each system, not rounded."""
        mean = as_generalised_mean(self.statistic)
        return self._of_each(self.matrix.T) if mean is None else mean.back(self.transformed(mean).mean(axis=0))

    def transformed(self, mean: GeneralisedMean) -> Floats:
        """The transformed scores, if all are defined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            transformed = np.asarray(mean.forward(self.matrix))
        undefined = np.flatnonzero(~np.isfinite(transformed).all(axis=0))
        if undefined.size:
            raise ValueError(f"{RULE} it was nan for {listing(self.systems[system] for system in undefined)}.")
        return transformed

    def resampled(
        self, n_resamples: int, rng: np.random.Generator, n_jobs: int | None, draw: DrawTopics = topic_indices
    ) -> Floats:
        """The statistic of each system over bootstrap samples of topics, shape (n_systems, n_resamples).

        One seed draws the same topics for all systems, measures and statistics. Rounded as system means are: equal
        systems stay equal. `draw` draws other samples of topics.
        """
        mean, largest = as_generalised_mean(self.statistic), np.abs(self.matrix).max()
        transformed = self.matrix if mean is None else self.transformed(mean)

        def of_block(child: np.random.Generator, size: int) -> Floats:
            drawn = draw(child, size, self.n_topics)
            if mean is None:
                return means.rounded_scores(self._of_each([scores[drawn] for scores in self.matrix.T]).T)
            weights = count_draws(drawn, self.n_topics).astype(np.float64)
            return means.rounded(mean.back(weights @ transformed / drawn.shape[1]), largest)

        return np.ascontiguousarray(blockwise(of_block, n_resamples, cells=self.n_topics, rng=rng, n_jobs=n_jobs).T)

    def _of_each(self, samples: Iterable[Floats]) -> Floats:
        """The statistic of samples of each system's scores."""
        named = zip(self.systems, samples, strict=True)
        return np.array([summarise(self.statistic, scores, f"system {name!r}") for name, scores in named])


def family_of(matrix: ScoreMatrix, *, statistic: object = np.mean) -> Family:
    """The systems of a prepared matrix, its topics in one order: resamples are drawn by position."""
    if statistic is not np.mean:
        inputs.refuse_design(matrix, "scores", GEOMETRIC)
    arguments.check_number_of_systems("scores", matrix.n_systems)
    return Family(in_one_order(matrix.rows), matrix.shown_systems, as_statistic(statistic))


def geometric_mean(scores: ArrayLike, axis: int | None = -1) -> Any:
    """The geometric mean of scores that may be 0: exp(mean(log(x + 0.00001))) - 0.00001.

    It stresses the topics with the lowest scores. In [0, 1] for scores in [0, 1].

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
        return _geometric_back(_log(ordered).mean(axis=axis))


def _log(scores: Floats) -> Floats:
    """log(x + c) - log(c), which keeps 0 exactly 0."""
    return np.asarray(np.log1p(scores / ABOVE_ZERO))


def _geometric_back(of_logs: Any) -> Any:
    return ABOVE_ZERO * np.expm1(of_logs)


@dataclass(frozen=True)
class GeneralisedMean:
    """A statistic that is the mean of transformed scores, transformed back."""

    forward: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


def as_generalised_mean(statistic: Statistic) -> GeneralisedMean | None:
    """How to compute a statistic from weighted sums, if that is known."""
    if statistic is np.mean:
        return GeneralisedMean(np.asarray, np.asarray)
    return GeneralisedMean(_log, _geometric_back) if statistic is geometric_mean else None


def as_statistic(statistic: object) -> Statistic:
    if not callable(statistic):
        raise TypeError(f"`statistic` must be a function of a vector, got {statistic!r}.")
    return statistic


def summarise(statistic: Statistic, samples: Floats, whose: str) -> Floats:
    """The statistic of each sample along the last axis; one with an `axis` argument is called once for all samples."""
    samples = samples.copy()  # the statistic may sort them in place
    try:
        takes_axis = "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):  # some functions written in C have no signature
        takes_axis = False

    def of_one(sample: Floats) -> Floats:  # numpy takes the type of the first result for that of all
        return np.asarray(statistic(sample), dtype=np.float64)

    try:
        results = statistic(samples, axis=-1) if takes_axis else np.apply_along_axis(of_one, -1, samples)
        values = np.asarray(results, dtype=np.float64)
    except Exception as error:
        raise ValueError(f"{RULE} it raised {type(error).__name__} ({error}) for {whose}.") from error
    if values.shape != samples.shape[:-1]:
        raise ValueError(f"{RULE} its result had the shape {values.shape} for {whose}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{RULE} it was {values[~np.isfinite(values)][0]} for {whose}.")
    return values
