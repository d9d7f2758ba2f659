"""How sensitive a measure is: how many pairs of systems it tells apart, and how large a difference that takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr.stats._pairs import check_number_of_systems, pair_frame, symmetric, system_names
from pt_rankcorr.stats._pairwise import TESTS, Comparison
from pt_rankcorr.stats._several import over_measures
from pt_rankcorr.stats.checks import one_of, resample_count, share
from pt_rankcorr.stats.order import Floats, Labels, as_matrix, round_significant
from pt_rankcorr.stats.resampling import RandomState, generator
from pt_rankcorr.stats.results import Result
from pt_rankcorr.stats.summaries import Statistic, as_statistic

if TYPE_CHECKING:
    import pandas as pd

MONTE_CARLO = ("paired-bootstrap", "unpaired-bootstrap", "tukey-hsd")


@dataclass(frozen=True, eq=False)
class DiscriminativePowerResult(Result):
    """The significance of the difference of every pair of systems.

    Attributes:
        statistic: The discriminative power: the share of pairs with a p-value below alpha.
        required_difference: An estimate of the difference that is significant for every pair, in the unit of the
            scores: the largest over pairs of the difference that would be for this one; nan for Wilcoxon's test, and
            where no pair's differences vary. That of the paired bootstrap is the mean of a single resample of one pair:
            two seeds may differ by 10% and more, and with 10 topics it is too small, as two equal systems exceed it in
            13 to 16% of cases at a level of 5%.
        n_significant: The number of significant pairs.
        n_pairs: The number of pairs.
        n_topics: The number of topics.
        n_systems: The number of systems.
        alpha: The level.
        test: The name of the test.
        n_resamples: The number of resamples B, or None for a test that needs none.
        systems: The names of the systems.
        summaries: What the test compares, one a system: the means, or what `statistic` says.
        pvalues: Shape (n_systems, n_systems), 1 on the diagonal.
    """

    statistic: float
    required_difference: float
    n_significant: int
    n_pairs: int
    n_topics: int
    n_systems: int
    alpha: float
    test: str
    n_resamples: int | None
    systems: Labels = field(repr=False)
    summaries: Floats = field(repr=False, compare=False)
    pvalues: Floats = field(repr=False, compare=False)

    @property
    def asl(self) -> Floats:
        """The achieved significance levels b / B of the paper, as `pvalues` is; equal to it without resamples."""
        if self.n_resamples is None:
            return self.pvalues
        return np.asarray((np.rint(self.pvalues * (self.n_resamples + 1)) - 1) / self.n_resamples)

    @property
    def asl_curve(self) -> Floats:
        """The p-values of all pairs, smallest first: the more sensitive the measure, the further right it rises."""
        return np.sort(self.pvalues[np.triu_indices(self.n_systems, k=1)])

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs are significantly different, shape (n_systems, n_systems)."""
        return np.asarray(self.pvalues < self.alpha)

    def to_frame(self) -> pd.DataFrame:
        """One row a pair, the better system first: names, difference and p-value, clearest pairs first."""
        return pair_frame(self.systems, self.summaries[:, np.newaxis] - self.summaries, self.pvalues)


@over_measures
def discriminative_power(
    scores: ArrayLike,
    *,
    test: str = "paired-bootstrap",
    alpha: float = 0.05,
    n_resamples: int = 1000,
    statistic: Statistic = np.mean,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> DiscriminativePowerResult:
    """The share of all pairs of systems that a measure tells apart significantly, and the difference that it takes.

    Several measures (a mapping of names to matrices, such as `Scores`) are compared over the same resamples.
    O(B n m^2) time for the bootstrap tests, O(B m (n + m)) for the unpaired one of means, O(B n m) for "tukey-hsd" and
    O(n m^2) for the others (times log n for "wilcoxon"). A statistic that is neither the mean nor `geometric_mean` is
    computed for each pair and resample. Memory is bounded by about 300 MiB a worker in blocks, beside several numbers
    a pair, and 4 m B for the unpaired test of means.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 2 topics; or a mapping of measures to such.
        test: "paired-bootstrap" (studentised), "unpaired-bootstrap", "tukey-hsd" (randomised, family-wise level),
            "t" (paired) or "wilcoxon" (signed rank).
        alpha: The level, between 0 and 1.
        n_resamples: The number of resamples or permutations B, at least 1 / alpha.
        statistic: What the unpaired test compares, any statistic of a vector. The paired tests compare means: for
            geometric ones give them log(x + 0.00001).
        rng: A seed or a random generator.
        n_jobs: The number of workers, as joblib counts them, of the tests that resample; the result does not depend on
            it.

    Returns:
        The result, or for a mapping a dictionary of results by measure.

    Raises:
        TypeError: If the scores are not numbers, or an argument has the wrong type.
        ValueError: If the scores are no matrix of at least 2 topics and 2 to 8192 systems or not finite, an argument is
            out of its range, or the statistic raises or is not finite for a pair.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.3, figures 5 and 6.

    Example:
        >>> scores = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.3, 0.8]]
        >>> result = discriminative_power(scores, test="t")
        >>> round(result.statistic, 4), result.n_significant, round(result.required_difference, 4)
        (0.6667, 2, 0.1619)
    """
    matrix = as_matrix(scores, min_topics=2)
    check_number_of_systems("scores", matrix.shape[1])
    one_of("test", test, tuple(TESTS))
    given = Comparison(
        matrix=matrix,
        systems=system_names(scores, matrix.shape[1]),
        statistic=_statistic(statistic, test),
        alpha=share("alpha", alpha),
        n_resamples=resample_count(n_resamples),
        rng=generator(rng),
        n_jobs=n_jobs,
    )
    tests = TESTS[test](given)
    significant = tests.pvalues < given.alpha
    return DiscriminativePowerResult(
        statistic=float(significant.mean()),
        required_difference=float(tests.required.max()) or float("nan"),
        n_significant=int(significant.sum()),
        n_pairs=significant.size,
        n_topics=matrix.shape[0],
        n_systems=matrix.shape[1],
        alpha=given.alpha,
        test=test,
        n_resamples=given.n_resamples if test in MONTE_CARLO else None,
        systems=given.systems,
        summaries=round_significant(given.summaries),
        pvalues=symmetric(tests.pvalues, matrix.shape[1], diagonal=1.0),
    )


def _statistic(statistic: object, test: str) -> Statistic:
    if statistic is not np.mean and test != "unpaired-bootstrap":
        raise ValueError(f"`statistic` must be numpy.mean for the test {test!r}, got {statistic!r}.")
    return as_statistic(statistic)
