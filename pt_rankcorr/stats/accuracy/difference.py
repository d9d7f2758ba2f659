"""Which of two measures agrees better with a third?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.stats.accuracy._means import (
    Correlation,
    as_correlation,
    correlate_means,
    mean,
    replicates_of,
    standard_deviation,
    warn_if_undefined,
)
from pt_rankcorr.stats.coefficients.coefficient import Kernel
from pt_rankcorr.stats.core.arguments import one_of, resample_count
from pt_rankcorr.stats.core.inputs import align
from pt_rankcorr.stats.core.means import round_significant
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.results import TestResult
from pt_rankcorr.stats.core.studentised import TOLERANCE
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.draws import noise_of_means
from pt_rankcorr.stats.truth.joint import draw_joint_truths

METHODS = ("shrunken", "resampled")
COMPARED = ((0, 1), (0, 2))  # the reference with either measure


@dataclass(frozen=True, eq=False)
class CorrelationDifferenceResult(TestResult):
    """Whether one measure agrees better with a reference than another; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The correlation of the first measure with the reference, less that of the second.
        pvalue: Two-sided, for a difference of 0.
        standard_error: The standard deviation of the difference over resamples of topics.
        first: The correlation of the first measure with the reference.
        second: That of the second.
        coefficient: The name of the coefficient.
        n_topics: The number of topics.
        n_systems: The number of systems.
        n_resamples: The number of resamples B.
        n_undefined: Resamples in which a coefficient is undefined; they are left out.
        method: "shrunken" or "resampled".
        replicates: The difference in each resample, nan where undefined.
        null_distribution: The difference in each draw under the null hypothesis, by which the p-value is found.
    """

    statistic: float
    pvalue: float
    standard_error: float
    first: float
    second: float
    coefficient: str
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    method: str
    replicates: Floats = field(repr=False, compare=False)
    null_distribution: Floats = field(repr=False, compare=False)


def correlation_difference(
    reference: object,
    first: object,
    second: object,
    coefficient: str | Correlation = "tau",
    *,
    method: str = "shrunken",
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> CorrelationDifferenceResult:
    """Whether the first measure agrees better with the reference than the second, over the same topics.

    With d the difference of the two correlations, and two ways to find how far luck may take it from 0:

    - "shrunken": over all topics there could be, both agree with the reference equally well. True means by the three
      measures are drawn (see `CorrelationErrorResult.confidence_interval`), and for each draw a sample of as many
      topics; the p-value counts how often d in the sample, less d in the truth, is as extreme as the observed one, on
      either side. It is conservative where both measures truly agree with the reference all but perfectly, and
      rejects .13 to .18 (for .05) if one of them then varies three times as much; "resampled" rejects .4 to .6 there.
    - "resampled": over samples of as many topics, both agree equally well. d is computed anew from jointly resampled
      topics; the p-value counts the resamples whose d* is as far from the mean of all d* as d is from 0. A measure that
      varies more from topic to topic agrees less with the reference then, even if both would agree over all topics. For
      Pearson's correlation of nearly perfect measures it is conservative, and for poor ones it rejects too often, .10
      (see the calibration page).

    Equal measures have p = 1.

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a `ScoreMatrix`.
        first: Scores of the same systems on the same topics by a measure.
        second: The same by another measure.
        coefficient: The name of a coefficient, a `stats.Coefficient`, or a function (reference, estimate) of two
            vectors of mean scores, such as `functools.partial(tau_ap, symmetric=True)`.
        method: "shrunken" or "resampled".
        n_resamples: The number of resamples B, at least 2.
        rng: A seed or a generator.
        n_jobs: Workers, as joblib counts them.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Raises:
        TypeError: If the scores are not numbers, or an argument has the wrong type.
        ValueError: If the matrices do not match, are not finite or have fewer than two topics or systems, or an
            argument is out of its range.

    References:
        After Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4.

    Example:
        >>> ap = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.2, 0.8]]
        >>> opposite = [[1 - score for score in topic] for topic in ap]
        >>> result = correlation_difference(ap, ap, opposite, rng=1)
        >>> round(result.statistic, 4), result.pvalue < 0.05
        (2.0, True)
    """
    matrices = align(reference=reference, first=first, second=second)
    n_resamples, method = resample_count(n_resamples, at_least=2), one_of("method", method, METHODS)
    correlate, name = as_correlation(coefficient)
    of_first, of_second = (correlate_means(correlate, matrices[0], other) for other in matrices[1:])
    random, observed = generator(rng), of_first - of_second
    ours, others = replicates_of(matrices, COMPARED, correlate, n_resamples, random, n_jobs)
    replicates = ours - others
    warn_if_undefined(observed)
    defined = replicates[~np.isnan(replicates)]
    if method == "shrunken":
        null, pvalue_of = _errors(matrices, correlate, n_resamples, random, n_jobs), _pvalue_of_either_side
    else:
        null, pvalue_of = replicates - mean(defined), _pvalue
    usable = null[~np.isnan(null)]
    pvalue = float("nan") if np.isnan(observed) or usable.size == 0 else pvalue_of(usable, observed)
    return CorrelationDifferenceResult(
        statistic=observed,
        pvalue=pvalue,
        standard_error=standard_deviation(defined),
        first=of_first,
        second=of_second,
        coefficient=name,
        n_topics=matrices[0].shape[0],
        n_systems=matrices[0].shape[1],
        n_resamples=n_resamples,
        n_undefined=n_resamples - defined.size,
        method=method,
        replicates=replicates,
        null_distribution=null,
    )


def _errors(
    matrices: Sequence[Floats], correlate: Kernel, n_draws: int, rng: np.random.Generator, n_jobs: int | None
) -> Floats:
    """How far the difference in a sample is from that in the truth, for draws of the truth and of as many topics."""
    reference, first, second = matrices
    apart = (first - second).ravel()
    sign = -1.0 if apart[(apart != 0.0).argmax()] < 0.0 else 1.0  # the same bits whichever of the two comes first
    matrices = [reference, first, second] if sign > 0.0 else [reference, second, first]
    truths = draw_joint_truths(matrices, n_draws, rng, n_jobs)
    noise = noise_of_means(np.hstack(matrices), n_draws, rng, n_jobs).reshape(n_draws, 3, -1)
    sizes = [np.abs(matrix).mean(axis=0).max() for matrix in matrices]
    measured = [
        round_significant(truth + noise[:, at], np.full_like(truth, size))
        for at, (truth, size) in enumerate(zip(truths, sizes, strict=True))
    ]
    of_samples, of_truths = (correlate(m[0], m[1]) - correlate(m[0], m[2]) for m in (measured, truths))
    return np.asarray(sign * (of_samples - of_truths))


def _pvalue(null: Floats, observed: float) -> float:
    extreme = np.abs(null) >= abs(observed) - TOLERANCE
    return float((extreme.sum() + 1) / (null.size + 1))


def _pvalue_of_either_side(null: Floats, observed: float) -> float:
    above, below = (null >= observed - TOLERANCE).sum(), (null <= observed + TOLERANCE).sum()
    return float(min(1.0, 2.0 * (min(above, below) + 1) / (null.size + 1)))
