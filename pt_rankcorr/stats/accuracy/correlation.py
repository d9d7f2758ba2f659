"""How accurate the correlation between two measures is, by a joint bootstrap of their topics."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.accuracy._means import (
    Correlation,
    as_correlation,
    correlate_means,
    mean,
    of_truths,
    replicates_of,
    standard_deviation,
    warn_if_undefined,
)
from pt_rankcorr.stats.core.arguments import resample_count, share
from pt_rankcorr.stats.core.inputs import align
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.warnings import DegenerateInputWarning


@dataclass(frozen=True, eq=False)
class CorrelationErrorResult(Result):
    """The accuracy of a correlation between two measures.

    Attributes:
        statistic: The correlation over the topics at hand.
        standard_error: Its bootstrap standard error: the standard deviation over resamples of topics.
        noise_free: An estimate of the correlation of the means over all topics there could be: the mean over `draws`.
            With 10 topics of close systems little is known, and it is drawn towards 0.
        coefficient: The name of the coefficient.
        n_topics: The number of topics.
        n_systems: The number of systems.
        n_resamples: The number of resamples B.
        n_undefined: Resamples in which the coefficient is undefined; they are left out.
        replicates: The coefficient in each resample, nan where undefined.
        draws: The coefficient in each of B draws of the true means by both measures, nan where undefined.
    """

    statistic: float
    standard_error: float
    noise_free: float
    coefficient: str
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    replicates: Floats = field(repr=False, compare=False)
    draws: Floats = field(repr=False, compare=False)

    def _facts(self) -> dict[str, Any]:
        """With the 95% interval after the correlation."""
        statistic, *others = self.to_dict().items()
        low, high = self.confidence_interval()
        return {**dict([statistic]), "low": low, "high": high, **dict(others)}

    def confidence_interval(self, level: float = LEVEL) -> ConfidenceInterval:
        """An interval for the correlation of the two measures over all topics there could be.

        Topic noise lowers a correlation, and resampling lowers it once more: quantiles of the replicates are too low.
        So these are the quantiles of `draws`: of the correlation of draws of the true means by both measures, from
        which the noise that they share and that each has alone are taken off (the model is that of
        `stats.shrunken_truth`, with a matrix for lambda). The observed correlation may lie below the interval.

        Args:
            level: The confidence level, between 0 and 1.

        Returns:
            The low and the high end, in [-1, 1]; nan where the correlation is undefined.
        """
        tail = (1 - share("level", level)) / 2
        defined = self.draws[~np.isnan(self.draws)]
        if defined.size == 0:
            return ConfidenceInterval(float("nan"), float("nan"))
        low, high = np.quantile(defined, [tail, 1 - tail])
        return ConfidenceInterval(float(low), float(high))


def correlation_standard_error(
    reference: object,
    estimate: object,
    coefficient: str | Correlation = "tau",
    *,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> CorrelationErrorResult:
    """The bootstrap standard error of the correlation between two measures.

    Topics are resampled jointly; the standard error is the standard deviation of the coefficient over the resamples
    (divisor B - 1). O(B (n m + c)) time for a coefficient of cost c; resamples are computed in blocks.

    Topic noise lowers a correlation, and resampling lowers it once more: the correlation is lower than that over all
    topics, and the standard error, as published, too large (see the calibration page). For the correlation over all
    topics take `noise_free` and `confidence_interval`.

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a `ScoreMatrix`.
        estimate: Scores of the same systems on the same topics by another measure; matched by name if both have names.
        coefficient: The name of a coefficient, a `stats.Coefficient`, or a function (reference, estimate) of two
            vectors of mean scores, such as `functools.partial(tau_ap, symmetric=True)`.
        n_resamples: The number of resamples B, at least 2.
        rng: A seed or a generator.
        n_jobs: Workers, as joblib counts them.

    Returns:
        A result with `statistic`, `standard_error` and `confidence_interval(level)`.

    Raises:
        TypeError: If the scores are not numbers, or an argument has the wrong type.
        ValueError: If the matrices do not match, are not finite or have fewer than two topics or systems, or an
            argument is out of its range.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4.

    Example:
        >>> ap = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.2, 0.8]]
        >>> p10 = [[0.1, 0.3, 0.5], [0.2, 0.1, 0.7], [0.3, 0.2, 0.8], [0.1, 0.1, 0.6], [0.5, 0.3, 0.8]]
        >>> result = correlation_standard_error(ap, p10, rng=1)
        >>> round(result.statistic, 4), 0 < result.standard_error < 1
        (1.0, True)
    """
    a, b = align(reference=reference, estimate=estimate)
    n_resamples = resample_count(n_resamples, at_least=2)
    correlate, name = as_correlation(coefficient)
    statistic, random = correlate_means(correlate, a, b), generator(rng)
    (replicates,) = replicates_of([a, b], [(0, 1)], correlate, n_resamples, random, n_jobs)
    undefined = np.isnan(replicates)
    (draws,) = of_truths([a, b], [(0, 1)], correlate, n_resamples, random, n_jobs)
    if np.isnan(statistic):
        draws = np.full_like(draws, np.nan)
    warn_if_undefined(statistic)
    return CorrelationErrorResult(
        statistic=statistic,
        standard_error=standard_deviation(replicates[~undefined]),
        noise_free=mean(draws[~np.isnan(draws)]),
        coefficient=name,
        n_topics=a.shape[0],
        n_systems=a.shape[1],
        n_resamples=n_resamples,
        n_undefined=int(undefined.sum()),
        replicates=replicates,
        draws=draws,
    )


def correlation_interval(
    reference: object,
    estimate: object,
    coefficient: str | Correlation = "tau",
    *,
    level: float = LEVEL,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> ConfidenceInterval:
    """A confidence interval for the correlation of two measures over all topics there could be.

    Short for `correlation_standard_error(...).confidence_interval(level)`, which describes it.

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a `ScoreMatrix`.
        estimate: Scores of the same systems on the same topics by another measure.
        coefficient: The name of a coefficient, or a function.
        level: The confidence level, between 0 and 1.
        n_resamples: The number of resamples B, at least 2.
        rng: A seed or a generator.
        n_jobs: Workers, as joblib counts them.

    Returns:
        The low and the high end, in [-1, 1]; nan where the correlation is undefined.

    Raises:
        TypeError: As `correlation_standard_error`.
        ValueError: As `correlation_standard_error`, or if the level is not between 0 and 1.

    Example:
        >>> ap = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.2, 0.8]]
        >>> p10 = [[0.1, 0.3, 0.5], [0.2, 0.1, 0.7], [0.3, 0.2, 0.8], [0.1, 0.1, 0.6], [0.5, 0.3, 0.8]]
        >>> low, high = correlation_interval(ap, p10, "pearson", rng=1)
        >>> low < correlation_standard_error(ap, p10, "pearson", rng=1).statistic < high
        True
    """
    share("level", level)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        result = correlation_standard_error(
            reference, estimate, coefficient, n_resamples=n_resamples, rng=rng, n_jobs=n_jobs
        )
    warn_if_undefined(result.statistic)
    return result.confidence_interval(level)
