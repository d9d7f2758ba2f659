"""Several measures against one reference: which is more like it, and what families of measures have in common.

All pairs are compared over the same draws of the true means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.special import gammaincinv

from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.accuracy import correlation
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core import arguments, inputs, means, resampling
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Flags, Floats, TestResult
from pt_rankcorr.text import decimals, p_equals, with_interval


@dataclass(frozen=True, eq=False)
class CorrelationDifferenceResult(TestResult):
    """Whether one of two measures ranks systems more like a reference; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The coefficient of the first measure with the reference, less that of the second, on these topics.
        estimate: The same in the topic population: the median over `draws`.
        low, high: The ends of its interval.
        pvalue: Two-sided, for a difference of 0 in the topic population.
        standard_error: The standard deviation over `draws`.
        first, second: The coefficient of either measure with the reference, on these topics.
        coefficient: The name of the coefficient.
        level: The confidence level of the interval.
        n_topics, n_systems: How many there are.
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

    def _answer(self) -> str:
        if np.isnan(self.estimate):
            return f"{self.coefficient} is undefined: one of the measures ties all systems."
        first, second = decimals(self.first), decimals(self.second)
        over_all = with_interval(self.estimate, (self.low, self.high))
        differ = "one agrees more with the reference" if self.pvalue <= 1.0 - self.level else "both may agree alike"
        how_surely = p_equals(self.pvalue).replace("\u00a0", " ")
        return (
            f"{self.coefficient} is {first} by the first measure and {second} by the second, on these topics. First "
            f"less second: {over_all} in the topic population; {differ} ({how_surely})."
        )

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """Quantiles of `draws`, by default at the level of the result."""
        share = self.level if level is None else arguments.share("level", level)
        _, *ends = correlation.over_all_topics(self.draws, share)
        return ConfidenceInterval(*ends)


def correlation_difference(
    reference: inputs.ScoresLike,
    first: inputs.ScoresLike,
    second: inputs.ScoresLike,
    coefficient: CoefficientLike = "tau",
    *,
    level: float = LEVEL,
    n_resamples: int = FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> CorrelationDifferenceResult:
    """Whether the first measure ranks systems more like the reference than the second does, in the topic population.

    The draws of the true means are those of `correlation_interval` with the same seed, in which both measures share
    topic sampling error. The p-value is twice the share of draws in which the difference is on the rarer side of 0,
    so that it agrees with the interval. A measure is not worse just because it varies more from topic to topic.
    Equal measures have p = 1.

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a `ScoreMatrix`.
        first, second: Scores of the same systems on the same topics by two other measures.
        coefficient, level, n_resamples, rng, n_jobs: As for `correlation_interval`.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Raises:
        TypeError, ValueError: As `correlation_interval`.

    Example:
        >>> ap = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.2, 0.8]]
        >>> opposite = [[1 - score for score in topic] for topic in ap]
        >>> result = correlation_difference(ap, ap, opposite, rng=1)
        >>> round(result.statistic, 4), result.pvalue < 0.05
        (2.0, True)
    """
    scores = {"reference": reference, "first": first, "second": second}
    how = level, n_resamples, rng, n_jobs
    results = correlation.correlations_of(scores, coefficient, *how, "differences of correlations were")
    one, other = results
    draws, tested = one.draws - other.draws, contests_of(results)
    correlation.warn_if_undefined(one.statistic - other.statistic)
    of_both = ("coefficient", "level", "n_topics", "n_systems", "n_resamples")
    return CorrelationDifferenceResult(
        statistic=one.statistic - other.statistic,
        **correlation.over_all_topics(draws, one.level)._asdict(),
        pvalue=float("nan") if np.isnan(draws).all() else float(tested.pvalues[0, 1]),
        standard_error=float(tested.standard_errors[0, 1]),
        first=one.statistic,
        second=other.statistic,
        **{name: getattr(one, name) for name in of_both},
        n_undefined=int(np.isnan(draws).sum()),
        draws=draws,
    )


# --- each pair of several measures --------------------------------------------------------------------------


class Contests(NamedTuple):
    """Each pair of estimates: which ranks more like the reference in the topic population, and how surely."""

    results: Sequence[correlation.CorrelationResult]  # of `correlation_interval` for each estimate
    standard_errors: Floats  # of the difference of each pair over draws, shape (n_estimates, n_estimates)
    pvalues: Floats  # two-sided, of each pair alone; 1 on the diagonal
    corrected: Floats  # the same for all pairs together: the chance of any false alarm is at most the level

    def better(self, alpha: float = ALPHA) -> Flags:
        """Row i, column j: whether the i-th is surely better than the j-th, of all pairs together."""
        estimates = np.array([result.estimate for result in self.results])
        return np.asarray((estimates[:, np.newaxis] > estimates) & (self.corrected <= alpha))

    def may_be_best(self, alpha: float = ALPHA) -> Flags:
        """Those that are first in more than alpha / n_estimates of the draws; all, if there is no draw."""
        draws = _defined([result.draws for result in self.results])
        first = draws >= draws.max(axis=1, keepdims=True) - TOLERANCE
        return np.asarray(first.sum(axis=0) > alpha / len(self.results) * len(draws)) | (len(draws) == 0)


def correlations_with(
    reference: Floats, estimates: Sequence[Floats], coefficient: CoefficientLike, **how: Any
) -> list[correlation.CorrelationResult]:
    """Of each estimate with one reference, with the same topic sampling error, whatever the other estimates are."""
    one = correlation.Coefficients.named(coefficient, np.arange(reference.shape[1]))
    return [correlation.correlation_errors(reference, scores, one, **how)[one.columns[-1]] for scores in estimates]


def contests_of(results: Sequence[correlation.CorrelationResult]) -> Contests:
    """Tests all pairs of results that have one reference and one seed.

    A pair's p-value is twice the share of draws on the rarer side of 0, so that it agrees with the quantiles of draws.
    The corrected one is that of the stepwise test of the largest studentised difference (Romano and Wolf 2005).
    """
    draws = _defined([result.draws for result in results])
    first, second = np.triu_indices(len(results), k=1)
    apart = draws[:, first] - draws[:, second]
    if len(apart) < 2:
        apart = np.full((2, first.size), np.nan)
    mean, errors = apart.mean(axis=0), apart.std(axis=0, ddof=1)
    sizes, observed = _studentise(np.abs(apart - mean), errors), _studentise(np.abs(mean), errors)
    sides = [(~(side * apart < -TOLERANCE)).sum(axis=0) for side in (1.0, -1.0)]
    alone = np.minimum(2.0 * (np.minimum(*sides) + 1.0) / (len(apart) + 1.0), 1.0)  # 1 if draws are undefined
    tested = ((errors, 0.0), (alone, 1.0), (np.maximum(alone, _stepwise(observed, sizes)), 1.0))
    return Contests(results, *(means.symmetric(values, len(results), diagonal) for values, diagonal in tested))


def _defined(draws: Sequence[Floats]) -> Floats:
    """Those in which all are defined, shape (n_draws, n_estimates)."""
    stacked = np.stack(draws, axis=1)
    return np.asarray(stacked[~np.isnan(stacked).any(axis=1)])


def _studentise(sizes: Floats, errors: Floats) -> Floats:
    """In standard errors; 0 for no difference, even where none varies, and infinite for another one there."""
    varies = errors > TOLERANCE
    scaled = np.divide(sizes, errors, out=np.zeros(np.broadcast_shapes(sizes.shape, errors.shape)), where=varies)
    return np.where(~varies & (sizes > TOLERANCE), np.inf, scaled)


def _stepwise(observed: Floats, sizes: Floats) -> Floats:
    """The p-value of each against the largest of all that are no larger; never lower than that of a larger one."""
    ascending = np.argsort(observed, kind="stable")
    largest = np.maximum.accumulate(sizes[:, ascending], axis=1)
    pvalues = ((largest >= observed[ascending] - TOLERANCE).sum(axis=0) + 1) / (len(sizes) + 1)
    corrected = np.empty(observed.shape)
    corrected[ascending] = np.maximum.accumulate(pvalues[::-1])[::-1]
    return corrected


def clusters_of(worse: Flags) -> tuple[tuple[int, ...], ...]:
    """Estimates, best first, split where all above are significantly better than all below.

    Row i, column j of `worse`: whether the j-th is significantly worse than the i-th.
    """
    size = len(worse)
    ends = [at for at in range(1, size) if worse[:at, at:].all()]
    return tuple(tuple(range(start, end)) for start, end in zip([0, *ends], [*ends, size], strict=True))


# --- estimates that come in families --------------------------------------------------------------------------


MOST = 1.0  # standard deviation of what lies between -1 and 1
FLOOR = 1e-12  # of variances, as a share of that of the estimates: what has no noise at all
CLOSE = 1e-6


class FactorDeviation(NamedTuple):
    """How much true values vary between the groups of one factor.

    Attributes:
        deviation: The standard deviation.
        low: The low end of its interval; 0 unless the data exclude that.
        high: The high end.
    """

    deviation: float
    low: float
    high: float


def components_of(
    estimates: Floats, sampling_error: Floats, factors: Sequence[NDArray[Any]], level: float
) -> list[FactorDeviation]:
    """The variation of true values between the groups of each factor, without the sampling error of the estimates.

    Estimates of shape (n,) are normal about mu + sum_f u_f, with u_f one normal draw a group of factor f, and their
    errors of known covariance. Each factor is the group of each estimate; groups of a later one are within those of the
    ones before. Standard deviations are those of the highest restricted likelihood; intervals hold all that are not
    rejected by the ratio of profile likelihoods.
    """
    size = len(estimates)
    contrasts = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:].T  # which no mean changes
    floor = FLOOR * (estimates.var() or 1.0) * np.eye(size - 1)
    values, noise = contrasts @ estimates, contrasts @ sampling_error @ contrasts.T + floor
    # of each factor, what a variance of 1 adds to their covariance, shape (n_factors, n - 1, n - 1)
    alike = np.array([contrasts @ np.equal.outer(groups, groups) @ contrasts.T for groups in factors])
    unit = float(values @ values) / values.size or 1.0

    def deviance(variances: Floats) -> tuple[float, Floats]:
        """-2 log restricted likelihood, up to a constant, and its slopes."""
        inverse = np.linalg.inv(noise + np.tensordot(variances, alike, axes=1))
        solved = inverse @ values
        value = float(values @ solved - np.linalg.slogdet(inverse)[1])
        return value, np.tensordot(alike, inverse - np.outer(solved, solved), axes=2)

    def lowest(fixed: dict[int, float]) -> tuple[float, Floats]:
        """The lowest deviance where some standard deviations are fixed, and the variances where it is."""
        free = [factor for factor in range(len(alike)) if factor not in fixed]
        variances = np.full(len(alike), unit / 2.0)
        variances[list(fixed)] = np.square([*fixed.values()])

        def of(free_variances: Floats) -> tuple[float, Floats]:  # in units, near 1
            variances[free] = free_variances * unit
            value, slopes = deviance(variances)
            return value, slopes[free] * unit

        if free:
            bounds = [(0.0, MOST**2 / unit)] * len(free)
            variances[free] = minimize(of, variances[free] / unit, jac=True, method="L-BFGS-B", bounds=bounds).x * unit
        return deviance(variances)[0], variances

    least, best = lowest({})
    bound = least + 2.0 * float(gammaincinv(0.5, level))

    def component(factor: int) -> FactorDeviation:
        def beyond(deviation: float) -> float:
            return lowest({factor: deviation})[0] - bound

        here = float(np.sqrt(best[factor]))
        low = 0.0 if beyond(0.0) <= 0.0 else float(brentq(beyond, 0.0, here, xtol=CLOSE))
        high = MOST if beyond(MOST) <= 0.0 else float(brentq(beyond, here, MOST, xtol=CLOSE))
        return FactorDeviation(here, low, high)

    return [component(factor) for factor in range(len(alike))]


def sampling_error_between(sampling_error: Floats) -> float:
    """The standard deviation that sampling error alone gives estimates of equal values."""
    size = len(sampling_error)
    return float(np.sqrt((np.trace(sampling_error) - sampling_error.mean() * size) / (size - 1)))
