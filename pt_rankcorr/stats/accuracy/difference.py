"""Which of two measures ranks systems more as a third does?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.accuracy.correlation import (
    correlation_errors,
    interval_of,
    median,
    places_of,
    warn_if_undefined,
)
from pt_rankcorr.stats.accuracy.several import contests_of
from pt_rankcorr.stats.accuracy.wanted import asked_for
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import resample_count, share
from pt_rankcorr.stats.core.few_topics import warn_of_few_topics
from pt_rankcorr.stats.core.inputs import ScoresLike, align
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.stats.core.results import ConfidenceInterval, TestResult
from pt_rankcorr.stats.core.types import Floats


@dataclass(frozen=True, eq=False)
class CorrelationDifferenceResult(TestResult):
    """Whether one measure ranks systems more as a reference does than another; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The coefficient of the first measure with the reference, less that of the second, on these topics.
        estimate: The same over all topics there could be: the median over `draws`.
        low: The low end of its interval.
        high: The high end.
        pvalue: Two-sided, for a difference of 0 over all topics.
        standard_error: The standard deviation over `draws`.
        first: The coefficient of the first measure with the reference, on these topics.
        second: That of the second.
        coefficient: The name of the coefficient.
        level: Of the interval.
        n_topics: The number of topics.
        n_systems: The number of systems.
        n_resamples: The number of draws B.
        n_undefined: Draws in which a coefficient is undefined; they are left out.
        draws: The difference in each draw of the true means, nan where undefined.
    """

    statistic: float
    estimate: float
    low: float
    high: float
    pvalue: float
    standard_error: float
    first: float
    second: float
    coefficient: str
    level: float
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    draws: Floats = field(repr=False, compare=False)

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """Quantiles of `draws`, by default at the level of the result."""
        return interval_of(self.draws, self.level if level is None else share("level", level))


def correlation_difference(
    reference: ScoresLike,
    first: ScoresLike,
    second: ScoresLike,
    coefficient: CoefficientLike = "tau",
    *,
    level: float = LEVEL,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> CorrelationDifferenceResult:
    """Whether the first measure ranks systems more as the reference does than the second, over all topics.

    Draws of the true means are those of `correlation_interval` with the same seed, in which both measures share the
    luck of topics. The p-value is the share of draws in which the difference is as far from its mean as that is from 0.
    A measure that only varies more from topic to topic is not worse. Equal measures have p = 1.

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a `ScoreMatrix`.
        first: Scores of the same systems on the same topics by a measure.
        second: The same by another measure.
        coefficient: As for `correlation_interval`.
        level: The confidence level of the interval.
        n_resamples: The number of draws B, at least 2.
        rng: A seed or a generator.
        n_jobs: Workers, as joblib counts them.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Raises:
        TypeError: If the scores are not numbers, or an argument has the wrong type.
        ValueError: If the matrices do not match, are not finite or have fewer than two topics or systems, or an
            argument is out of its range.

    Example:
        >>> ap = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.2, 0.8]]
        >>> opposite = [[1 - score for score in topic] for topic in ap]
        >>> result = correlation_difference(ap, ap, opposite, rng=1)
        >>> round(result.statistic, 4), result.pvalue < 0.05
        (2.0, True)
    """
    matrices = align(reference=reference, first=first, second=second)
    warn_of_few_topics(len(matrices[0]), "differences of correlations were")
    n_resamples, level = resample_count(n_resamples, at_least=2), share("level", level)
    n_topics, n_systems = matrices[0].shape
    asked = asked_for(coefficient, places_of(reference, n_systems))
    how: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed_of(rng), "level": level, "n_jobs": n_jobs}
    both = [next(iter(correlation_errors(matrices[0], other, asked, **how).values())) for other in matrices[1:]]
    ours, others = both
    observed, draws = ours.statistic - others.statistic, ours.draws - others.draws
    warn_if_undefined(observed)
    tested = contests_of(both)
    return CorrelationDifferenceResult(
        statistic=observed,
        estimate=median(draws),
        **interval_of(draws, level)._asdict(),
        pvalue=float("nan") if np.isnan(draws).all() else float(tested.pvalues[0, 1]),
        standard_error=float(tested.standard_errors[0, 1]),
        first=ours.statistic,
        second=others.statistic,
        coefficient=ours.coefficient,
        level=level,
        n_topics=n_topics,
        n_systems=n_systems,
        n_resamples=n_resamples,
        n_undefined=int(np.isnan(draws).sum()),
        draws=draws,
    )
