"""How alike many measures rank as one reference does, over the same draws, and which of them does so best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.stats.accuracy.correlation import CorrelationResult
from pt_rankcorr.stats.accuracy.correlation import correlation_errors as correlation_errors
from pt_rankcorr.stats.accuracy.wanted import Wanted as Wanted
from pt_rankcorr.stats.accuracy.wanted import asked_for
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.studentised import TOLERANCE
from pt_rankcorr.stats.core.types import Floats


class Contests(NamedTuple):
    """Each pair of estimates: which ranks more as the reference does over all topics, and how surely.

    Attributes:
        correlations: On the topics at hand, shape (n_estimates,).
        estimates: Over all topics there could be, the medians over draws, shape (n_estimates,).
        lows: The low ends of their intervals, shape (n_estimates,).
        highs: The high ends.
        standard_errors: Of the difference of each pair over draws, shape (n_estimates, n_estimates).
        pvalues: Two-sided, of each pair alone; 1 on the diagonal.
        corrected: The same for all pairs together: the chance of any false alarm among them is at most the level.
        may_be_best: Those that no other one is surely better than, shape (n_estimates,).
    """

    correlations: Floats
    estimates: Floats
    lows: Floats
    highs: Floats
    standard_errors: Floats
    pvalues: Floats
    corrected: Floats
    may_be_best: NDArray[np.bool_]

    def better(self, alpha: float = ALPHA) -> NDArray[np.bool_]:
        """Row i, column j: whether the i-th is surely better than the j-th, of all pairs together."""
        return surely_better(self.estimates, self.corrected, alpha)


def contests(
    reference: Floats,
    estimates: Sequence[Floats],
    coefficient: CoefficientLike,
    *,
    n_resamples: int,
    seed: int,
    level: float = LEVEL,
    alpha: float = ALPHA,
    shared: bool = True,
    n_jobs: int | None = None,
) -> Contests:
    """Tests all pairs of estimates, whose correlation must be defined, over draws that share the luck of topics.

    Each estimate's draws are those of `correlation_errors` with this seed, whatever the others are.
    """
    how: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed, "level": level, "shared": shared, "n_jobs": n_jobs}
    return contests_of(correlations_with(reference, estimates, coefficient, **how), alpha)


def correlations_with(
    reference: Floats, estimates: Sequence[Floats], coefficient: CoefficientLike, **how: Any
) -> list[CorrelationResult]:
    """Of each estimate with one reference, all over the same luck of topics."""
    wanted = asked_for(coefficient, np.arange(reference.shape[1]))
    return [next(iter(correlation_errors(reference, each, wanted, **how).values())) for each in estimates]


def contests_of(found: Sequence[CorrelationResult], alpha: float = ALPHA) -> Contests:
    """Of results that have one reference and one seed.

    A pair's p-value is the share of draws in which the difference of the two is as far from its mean as that is from 0.
    The corrected one is that of the stepwise test of the largest studentised difference (Romano and Wolf 2005).
    """
    draws = np.stack([each.draws for each in found], axis=1)
    draws = draws[~np.isnan(draws).any(axis=1)]
    first, second = np.triu_indices(len(found), k=1)
    apart = draws[:, first] - draws[:, second]
    mean, errors = differences_of(apart)
    sizes = _studentise(np.abs(apart - mean), errors)
    observed = _studentise(np.abs(mean), errors)
    tested = ((errors, 0.0), (pvalues_of(observed, sizes), 1.0), (_stepwise(observed, sizes), 1.0))
    errors, pvalues, corrected = (_square(values, len(found), diagonal) for values, diagonal in tested)
    correlations, estimates, lows, highs = (
        np.array([getattr(each, name) for each in found]) for name in ("statistic", "estimate", "low", "high")
    )
    may_be_best = np.asarray(~surely_better(estimates, corrected, alpha).any(axis=0))
    return Contests(correlations, estimates, lows, highs, errors, pvalues, corrected, may_be_best)


def surely_better(estimates: Floats, corrected: Floats, alpha: float) -> NDArray[np.bool_]:
    """Row i, column j: whether the i-th estimate is higher than the j-th, at so small a p-value."""
    return np.asarray((estimates[:, np.newaxis] > estimates) & (corrected <= alpha))


def differences_of(apart: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation over draws, along the first axis."""
    if len(apart) < 2:
        return np.full(apart.shape[1:], np.nan), np.full(apart.shape[1:], np.nan)
    return apart.mean(axis=0), apart.std(axis=0, ddof=1)


def pvalues_of(observed: Floats, sizes: Floats) -> Floats:
    """The share of sizes, along the first axis, that are as large as what was observed."""
    return np.asarray(((sizes >= observed - TOLERANCE).sum(axis=0) + 1) / (len(sizes) + 1))


def _studentise(sizes: Floats, errors: Floats) -> Floats:
    """In standard errors; 0 for no difference, even where none varies, and infinite for another one there."""
    varies = errors > TOLERANCE
    scaled = np.divide(sizes, errors, out=np.zeros(np.broadcast_shapes(sizes.shape, errors.shape)), where=varies)
    return np.where(~varies & (sizes > TOLERANCE), np.inf, scaled)


def _stepwise(observed: Floats, sizes: Floats) -> Floats:
    """The p-value of each against the largest of all that are no larger; never lower than that of a larger one."""
    ascending = np.argsort(observed, kind="stable")
    largest = np.maximum.accumulate(sizes[:, ascending], axis=1)
    pvalues = pvalues_of(observed[ascending], largest)
    corrected = np.empty(observed.shape)
    corrected[ascending] = np.maximum.accumulate(pvalues[::-1])[::-1]
    return corrected


def _square(values: Floats, size: int, diagonal: float) -> Floats:
    """Values of pairs above the diagonal as a symmetric matrix."""
    square = np.full((size, size), diagonal)
    square[np.triu_indices(size, k=1)] = values
    return np.where(np.tri(size, k=-1, dtype=np.bool_), square.T, square)


def clusters_of(worse: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Estimates, best first, parted where all above are significantly better than all below.

    Args:
        worse: Row i, column j: whether the j-th is significantly worse than the i-th; best first.
    """
    size = len(worse)
    ends = [at for at in range(1, size) if worse[:at, at:].all()]
    return tuple(tuple(range(start, end)) for start, end in zip([0, *ends], [*ends, size], strict=True))
