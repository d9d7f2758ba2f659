"""The randomised Tukey HSD test: all pairs of systems, or all pairs with some baselines, at one family-wise level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES
from pt_rankcorr.stats.core.arguments import list_of, listing, resample_count, share
from pt_rankcorr.stats.core.means import TOLERANCE, system_means
from pt_rankcorr.stats.core.pairs import pair_table
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, permuted_means
from pt_rankcorr.stats.core.results import TestResult
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.stats.significance.bootstrap import nth_largest
from pt_rankcorr.stats.significance.summaries import family_of
from pt_rankcorr.tables import Table


@dataclass(frozen=True, eq=False)
class TukeyResult(TestResult):
    """The randomised Tukey HSD test of a family of pairs; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The largest difference between the means of two systems of a tested pair.
        pvalue: The p-value of that difference, the smallest of the family.
        n_topics, n_systems: How many there are.
        n_resamples: The number of permutations B.
        systems: The names of the systems.
        baselines: The names of the baselines, or none if all pairs were tested.
        differences: Mean of the row's system less that of the column's, shape (n_systems, n_systems).
        pvalues: Family-wise p-values, shape (n_systems, n_systems); nan for pairs without a test, 1 on the
            diagonal.
        null_distribution: The largest difference of each permutation.
    """

    statistic: float
    pvalue: float
    n_topics: int
    n_systems: int
    n_resamples: int
    systems: Labels = field(repr=False)
    baselines: Labels
    differences: Floats = field(repr=False, compare=False)
    pvalues: Floats = field(repr=False, compare=False)
    null_distribution: Floats = field(repr=False, compare=False)

    def critical_value(self, alpha: float = ALPHA) -> float:
        """The honestly significant difference of two means: the (B alpha)-th largest of the null distribution.

        In the unit of the scores; nan if all systems are identical. `alpha` is the family-wise level, at least 1 / B.
        """
        rank = rank_at_level(alpha, self.n_resamples)
        return float(nth_largest(self.null_distribution, rank)) or float("nan")

    def _rows(self) -> Table:
        """One row per tested pair, the better system first: names, difference and p-value, clearest pairs first."""
        return pair_table(self.systems, self.differences, self.pvalues)


def rank_at_level(alpha: float, n_resamples: int) -> int:
    """Which largest of B resamples marks the level alpha: the (B alpha)-th."""
    level = share("alpha", alpha)
    rank = int(n_resamples * level * (1 + TOLERANCE))
    if rank < 1:
        raise ValueError(f"`n_resamples` must be at least 1 / alpha = {1 / level:g}, got {n_resamples}.")
    return rank


def randomized_tukey_hsd(
    scores: ArrayLike,
    *,
    baselines: Sequence[str | int] | str | int | None = None,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> TukeyResult:
    """The randomised Tukey HSD test of the differences between the means of systems.

    Under the null hypothesis that all systems are alike, the scores of each topic may be permuted among them. The
    difference of each pair is compared with the largest difference over all tested pairs of each permutation. So the
    chance of any false alarm in the family is the level, and no further correction is needed. If some systems vary much
    more than others, that chance is higher (see the calibration page). With clusters of unequal sizes, the rows of
    clusters have unequal variances: in simulations, up to .94 of true families were rejected. The test keeps no level
    with few large clusters.

    P-values do not depend on the unit or zero of the scores, nor on the order of topics or systems. O(B n m) time, in
    blocks of 32 MiB.

    Args:
        scores: Scores, shape (n_topics, n_systems).
        baselines: Names of systems, or positions where no system has that name: only pairs with at least one of them
            are tested, against the largest difference among such pairs. By default all pairs are.
        n_resamples: The number of permutations B.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result with a matrix of `pvalues`, (b + 1) / (B + 1) each, and of `differences`.

    Raises:
        TypeError: If the scores are not numbers, or `n_resamples` or `rng` no integer.
        ValueError: If the scores are no matrix of 2 to 8192 systems, not finite, or a baseline is unknown.

    References:
        Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments",
        TOIS 30(1), 2012; Sakai, "Evaluation with informational and navigational intents", WWW 2012.

    Example:
        >>> scores = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.3, 0.8]]
        >>> result = randomized_tukey_hsd(scores, rng=1)
        >>> (result.pvalues[0] < 0.05).tolist()
        [False, False, True]
    """
    family = family_of(scores)
    matrix, systems = family.matrix, family.systems
    n_resamples = resample_count(n_resamples)
    base = _positions(baselines, systems)
    by_topic = np.sort(matrix, axis=1)  # so that the order of systems does not matter

    def compute(child: np.random.Generator, size: int) -> Floats:
        # which columns serve as baselines is all the same in a permutation
        return _largest_difference(permuted_means(child, size, by_topic), np.arange(base.size))

    null = blockwise(compute, n_resamples, cells=matrix.size, rng=generator(rng), n_jobs=n_jobs)
    means, rounded = matrix.mean(axis=0), system_means(matrix)
    rounding = TOLERANCE * float(np.abs(matrix).max())  # it goes with the scores, not with the differences
    smaller = np.searchsorted(np.sort(null), np.abs(means[:, np.newaxis] - means) - rounding, side="left")
    pvalues, is_base = (null.size - smaller + 1) / (null.size + 1), np.isin(np.arange(len(systems)), base)
    pvalues[~(is_base[:, np.newaxis] | is_base)] = np.nan
    np.fill_diagonal(pvalues, 1.0)
    return TukeyResult(
        statistic=float(_largest_difference(rounded, base)),
        pvalue=float(np.nanmin(pvalues)),
        n_topics=family.n_topics,
        n_systems=family.n_systems,
        n_resamples=n_resamples,
        systems=systems,
        baselines=() if baselines is None else tuple(systems[at] for at in base),
        differences=rounded[:, np.newaxis] - rounded,
        pvalues=pvalues,
        null_distribution=null,
    )


def _positions(baselines: Sequence[str | int] | str | int | None, systems: Labels) -> Indices:
    if baselines is None:
        return np.arange(len(systems))
    single = isinstance(baselines, (str, int, np.integer))
    chosen = list_of("baselines", [baselines] if single else baselines, "names or positions of systems")
    # an integer is a name where there is one
    known: dict[object, int] = {at: at for at in range(len(systems))}
    known |= {number: at for at, name in enumerate(systems) for number in chosen if str(number) == name}
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise ValueError(f"`baselines` must be names or positions of systems, got {listing(unknown) or 'none'}.")
    return np.unique(np.array([known[name] for name in chosen], dtype=np.intp))


def _largest_difference(means: Floats, base: Indices) -> Floats:
    """The largest absolute difference between a baseline and any system, along the last axis."""
    of_base = means[..., base]
    above = means.max(axis=-1) - of_base.min(axis=-1)
    below = of_base.max(axis=-1) - means.min(axis=-1)
    return np.asarray(np.maximum(above, below))
