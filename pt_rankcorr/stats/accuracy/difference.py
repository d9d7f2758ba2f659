"""Which of two measures ranks systems more like a third? Which of many, with each pair over the same draws?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.accuracy.correlation import (
    Coefficients,
    CorrelationResult,
    correlation_errors,
    correlations_of,
    over_all_topics,
    warn_if_undefined,
)
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import share
from pt_rankcorr.stats.core.inputs import ScoresLike
from pt_rankcorr.stats.core.means import TOLERANCE
from pt_rankcorr.stats.core.pairs import symmetric
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.results import ConfidenceInterval, TestResult
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.text import decimals, p_equals, with_interval


@dataclass(frozen=True, eq=False)
class CorrelationDifferenceResult(TestResult):
    """Whether one of two measures ranks systems more like a reference; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The coefficient of the first measure with the reference, less that of the second, on these topics.
        estimate: The same in the topic population: the median over `draws`.
        low: The low end of its interval.
        high: The high end.
        pvalue: Two-sided, for a difference of 0 in the topic population.
        standard_error: The standard deviation over `draws`.
        first: The coefficient of the first measure with the reference, on these topics.
        second: That of the second.
        coefficient: The name of the coefficient.
        level: The confidence level of the interval.
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

    def _answer(self) -> str:
        if np.isnan(self.estimate):
            return f"{self.coefficient} is undefined: one of the measures ties all systems."
        first, second = decimals(self.first), decimals(self.second)
        both = f"{self.coefficient} is {first} by the first measure and {second} by the second"
        over_all = with_interval(self.estimate, (self.low, self.high))
        differ = "one agrees more with the reference" if self.pvalue <= 1.0 - self.level else "both may agree alike"
        how_surely = p_equals(self.pvalue).replace("\u00a0", " ")
        return (
            f"{both}, on these topics. First less second: {over_all} in the topic population; {differ} ({how_surely})."
        )

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """Quantiles of `draws`, by default at the level of the result."""
        _, *ends = over_all_topics(self.draws, self.level if level is None else share("level", level))
        return ConfidenceInterval(*ends)


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
    """Whether the first measure ranks systems more like the reference than the second does, in the topic population.

    The draws of the true means are those of `correlation_interval` with the same seed, in which both measures share
    topic sampling error. The p-value is twice the share of draws in which the difference is on the rarer side of 0,
    so that it agrees with the interval. A measure is not worse just because it varies more from topic to topic.
    Equal measures have p = 1.

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
    scores = {"reference": reference, "first": first, "second": second}
    both = correlations_of(scores, coefficient, level, n_resamples, rng, n_jobs, "differences of correlations were")
    ours, others = both
    observed, draws = ours.statistic - others.statistic, ours.draws - others.draws
    warn_if_undefined(observed)
    tested = contests_of(both)
    return CorrelationDifferenceResult(
        statistic=observed,
        **over_all_topics(draws, ours.level)._asdict(),
        pvalue=float("nan") if np.isnan(draws).all() else float(tested.pvalues[0, 1]),
        standard_error=float(tested.standard_errors[0, 1]),
        first=ours.statistic,
        second=others.statistic,
        coefficient=ours.coefficient,
        level=ours.level,
        n_topics=ours.n_topics,
        n_systems=ours.n_systems,
        n_resamples=ours.n_resamples,
        n_undefined=int(np.isnan(draws).sum()),
        draws=draws,
    )


# --- each pair of several measures --------------------------------------------------------------------------


class Contests(NamedTuple):
    """Each pair of estimates: which ranks more like the reference in the topic population, and how surely.

    Attributes:
        results: The result of `correlation_interval` for each estimate.
        standard_errors: Of the difference of each pair over draws, shape (n_estimates, n_estimates).
        pvalues: Two-sided, of each pair alone; 1 on the diagonal.
        corrected: The same for all pairs together: the chance of any false alarm among them is at most the level.
    """

    results: Sequence[CorrelationResult]
    standard_errors: Floats
    pvalues: Floats
    corrected: Floats

    def better(self, alpha: float = ALPHA) -> Flags:
        """Row i, column j: whether the i-th is surely better than the j-th, of all pairs together."""
        estimates = np.array([each.estimate for each in self.results])
        return np.asarray((estimates[:, np.newaxis] > estimates) & (self.corrected <= alpha))

    def may_be_best(self, alpha: float = ALPHA) -> Flags:
        """Those that are first in more than alpha / n_estimates of the draws; all, if there is no draw."""
        draws = _defined([each.draws for each in self.results])
        first = draws >= draws.max(axis=1, keepdims=True) - TOLERANCE
        return np.asarray(first.sum(axis=0) > alpha / len(self.results) * len(draws)) | (len(draws) == 0)


def contests(
    reference: Floats,
    estimates: Sequence[Floats],
    coefficient: CoefficientLike,
    *,
    n_resamples: int,
    seed: int,
    level: float = LEVEL,
    shared: bool = True,
    n_jobs: int | None = None,
) -> Contests:
    """Tests all pairs of estimates, whose correlation must be defined, over draws that share topic sampling error.

    Each estimate's draws are those of `correlation_errors` with this seed, whatever the others are.
    """
    how: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed, "level": level, "shared": shared, "n_jobs": n_jobs}
    return contests_of(correlations_with(reference, estimates, coefficient, **how))


def correlations_with(
    reference: Floats, estimates: Sequence[Floats], coefficient: CoefficientLike, **how: Any
) -> list[CorrelationResult]:
    """Of each estimate with one reference, all with the same topic sampling error."""
    one = Coefficients.named(coefficient, np.arange(reference.shape[1]))
    return [correlation_errors(reference, each, one, **how)[one.columns[-1]] for each in estimates]


def contests_of(results: Sequence[CorrelationResult]) -> Contests:
    """Of results that have one reference and one seed.

    A pair's p-value is twice the share of draws on the rarer side of 0, so that it agrees with the quantiles of draws.
    The corrected one is that of the stepwise test of the largest studentised difference (Romano and Wolf 2005).
    """
    draws = _defined([each.draws for each in results])
    first, second = np.triu_indices(len(results), k=1)
    apart = draws[:, first] - draws[:, second]
    if len(apart) < 2:
        apart = np.full((2, first.size), np.nan)
    mean, errors = apart.mean(axis=0), apart.std(axis=0, ddof=1)
    sizes, observed = _studentise(np.abs(apart - mean), errors), _studentise(np.abs(mean), errors)
    sides = [(~(side * apart < -TOLERANCE)).sum(axis=0) for side in (1.0, -1.0)]
    alone = np.minimum(2.0 * (np.minimum(*sides) + 1.0) / (len(apart) + 1.0), 1.0)  # 1 if draws are undefined
    tested = ((errors, 0.0), (alone, 1.0), (np.maximum(alone, _stepwise(observed, sizes)), 1.0))
    return Contests(results, *(symmetric(values, len(results), diagonal) for values, diagonal in tested))


def _defined(draws: Sequence[Floats]) -> Floats:
    """Those in which all are defined, shape (n_draws, n_estimates)."""
    found = np.stack(draws, axis=1)
    return np.asarray(found[~np.isnan(found).any(axis=1)])


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

    Args:
        worse: Row i, column j: whether the j-th is significantly worse than the i-th; best first.
    """
    size = len(worse)
    ends = [at for at in range(1, size) if worse[:at, at:].all()]
    return tuple(tuple(range(start, end)) for start, end in zip([0, *ends], [*ends, size], strict=True))
