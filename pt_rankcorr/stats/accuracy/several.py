"""How accurate many correlations with one reference are, over the same resamples of topics, and which is the highest.

Differences are tested over resamples in which the means of each measure are first moved to what they would be without
noise: so the resamples have the noise of one sample of topics, and not that of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.accuracy._means import mean, standard_deviation
from pt_rankcorr.stats.accuracy._topic_noise import noise_free_means
from pt_rankcorr.stats.accuracy.correlation import CorrelationErrorResult
from pt_rankcorr.stats.coefficients.coefficient import AT, Coefficient
from pt_rankcorr.stats.coefficients.registry import several
from pt_rankcorr.stats.core.means import round_means, system_means
from pt_rankcorr.stats.core.resampling import blockwise, generator, topic_weights
from pt_rankcorr.stats.core.studentised import TOLERANCE
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.joint import draw_joint_truths


@dataclass(frozen=True)
class Wanted:
    """Coefficients, of all systems, and of the reference's best ones if `top` says how many.

    Attributes:
        coefficients: Which.
        top: How many of the best; None for none of them. Those are chosen by each pair of vectors anew.
        places: The place of each system in the order that breaks ties at the border, shape (n_systems,).
    """

    coefficients: tuple[Coefficient, ...]
    top: int | None
    places: NDArray[np.intp]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, then those of the best systems: "tau@10"."""
        names = tuple(each.name for each in self.coefficients)
        return names if self.top is None else (*names, *(f"{name}{AT}{self.top}" for name in names))

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """All of them for arrays of shape (..., n_systems): shape (..., n_columns)."""
        found = [*several(self.coefficients, reference, estimate).values()]
        if self.top is not None:
            best = np.lexsort((np.broadcast_to(self.places, reference.shape), -reference))[..., : self.top]
            chosen = (np.take_along_axis(scores, best, axis=-1) for scores in (reference, estimate))
            found += several(self.coefficients, *chosen).values()
        return np.stack(found, axis=-1)


def correlation_errors(
    reference: Floats, estimate: Floats, wanted: Wanted, *, n_resamples: int, seed: int, n_jobs: int | None = None
) -> dict[str, CorrelationErrorResult]:
    """Column -> what `correlation_standard_error` returns for one seed, for all of them at once."""
    compute, random = partial(_correlate_resampled, reference, estimate, wanted), generator(seed)
    replicates = blockwise(compute, n_resamples, cells=len(reference), rng=random, n_jobs=n_jobs)
    draws = wanted.of(*draw_joint_truths([reference, estimate], n_resamples, random, n_jobs))
    observed = wanted.of(system_means(reference), system_means(estimate))
    draws[:, np.isnan(observed)] = np.nan
    undefined = np.isnan(replicates).sum(axis=0)
    return {
        name: CorrelationErrorResult(
            statistic=float(observed[at]),
            standard_error=standard_deviation(_defined(replicates[:, at])),
            noise_free=mean(_defined(draws[:, at])),
            coefficient=name,
            n_topics=reference.shape[0],
            n_systems=reference.shape[1],
            n_resamples=n_resamples,
            n_undefined=int(undefined[at]),
            replicates=replicates[:, at],
            draws=draws[:, at],
        )
        for at, name in enumerate(wanted.columns)
    }


def _correlate_resampled(
    reference: Floats, estimate: Floats, wanted: Wanted, rng: np.random.Generator, size: int
) -> Floats:
    proportions = topic_weights(rng, size, len(reference)) / len(reference)
    return wanted.of(*(round_means(proportions @ scores, scores) for scores in (reference, estimate)))


def _defined(values: Floats) -> Floats:
    return np.asarray(values[~np.isnan(values)])


# --- which is the highest? ----------------------------------------------------------------------------------


class Contests(NamedTuple):
    """Each pair of estimates: whose correlation with the reference is higher, and how surely.

    Attributes:
        correlations: Shape (n_estimates,).
        standard_errors: Of the difference of each pair, shape (n_estimates, n_estimates).
        pvalues: Two-sided, of each pair alone; 1 on the diagonal.
        corrected: The same for all pairs together: the chance of any false alarm among them is at most the level.
    """

    correlations: Floats
    standard_errors: Floats
    pvalues: Floats
    corrected: Floats


def contests(
    reference: Floats,
    estimates: Sequence[Floats],
    coefficient: Coefficient,
    *,
    n_resamples: int,
    seed: int,
    n_jobs: int | None = None,
) -> Contests:
    """Tests all pairs of estimates, whose correlation must be defined, over the same resamples of topics.

    A pair's p-value is the share of resamples whose difference is as far from the mean of all as the observed one is
    from 0. The corrected one is that of the stepwise test of the largest studentised difference (Romano and Wolf 2005).
    """
    moved = [without_noise(reference, estimate) for estimate in estimates]
    compute = partial(_replicate, moved, coefficient)
    replicates = blockwise(compute, n_resamples, cells=len(reference), rng=generator(seed), n_jobs=n_jobs)
    replicates = replicates[~np.isnan(replicates).any(axis=1)]
    means = system_means(reference), np.stack([system_means(estimate) for estimate in estimates])
    correlations = several([coefficient], np.broadcast_to(means[0], means[1].shape), means[1])[coefficient.name]
    first, second = np.triu_indices(len(estimates), k=1)
    centred = replicates - replicates.mean(axis=0)
    spread = centred[:, first] - centred[:, second]
    errors = spread.std(axis=0, ddof=1) if len(spread) > 1 else np.full(first.size, np.nan)
    sizes = _studentise(np.abs(spread), errors)
    observed = _studentise(np.abs(correlations[first] - correlations[second]), errors)
    pvalues = ((sizes >= observed - TOLERANCE).sum(axis=0) + 1) / (len(sizes) + 1)
    found = ((errors, 0.0), (pvalues, 1.0), (_stepwise(observed, sizes), 1.0))
    return Contests(correlations, *(_square(values, len(estimates), diagonal) for values, diagonal in found))


def without_noise(reference: Floats, estimate: Floats) -> tuple[Floats, Floats]:
    """Both score matrices, with the means of systems that they would have without noise."""
    free = noise_free_means(reference, estimate)
    first, second = (
        scores + (to - scores.mean(axis=0)) for scores, to in zip((reference, estimate), free, strict=True)
    )
    return first, second


def _replicate(
    moved: Sequence[tuple[Floats, Floats]], coefficient: Coefficient, rng: np.random.Generator, size: int
) -> Floats:
    n_topics = len(moved[0][0])
    proportions = topic_weights(rng, size, n_topics) / n_topics
    drawn = ([round_means(proportions @ scores, scores) for scores in both] for both in moved)
    return np.stack([several([coefficient], *both)[coefficient.name] for both in drawn], axis=-1)


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
